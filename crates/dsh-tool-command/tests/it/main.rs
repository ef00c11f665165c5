//! Command tools, as a host runs them: through the registry, with real processes.
//!
//! Nothing here waits for a time to pass: a process says through a named pipe that it runs, and the pipe's end says that all who held it
//! are gone.

#![cfg(unix)]

mod support;

mod a_call_has_an_answer;
mod a_call_is_given_up;
mod a_command_cannot_be_started;
mod commands_are_hostile;

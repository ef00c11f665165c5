//! The only door to the outside world: files, folders, streams, the environment and the clock.
//!
//! Nothing else in this crate opens a file or writes to a stream, and no library of dsh but the session store and the tool packs does
//! either. Whether standard error takes colours (a terminal, and no `NO_COLOR`) is read here too, by anstream.

mod console;
mod environment;
mod folder;
mod repository;
mod text;

pub(crate) use self::console::Console;
pub(crate) use self::environment::Environment;
pub(crate) use self::folder::{FileIdentity, Folder, FolderError, OpenFile, Reach, ReadError};
pub(crate) use self::repository::Repository;
pub(crate) use self::text::{TextError, decode};

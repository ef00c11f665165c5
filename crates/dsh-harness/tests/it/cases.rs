//! The worked cases, as far as they speak of tools, turns and sessions: whole agents on a model that keeps what it was sent. What
//! they say of the prompt alone is tested in `dsh-system-prompt`, of the registry of tools in `dsh-tools`, of files in `dsh-cli`.

mod case_04;
mod case_06;
mod case_11;
mod case_12;

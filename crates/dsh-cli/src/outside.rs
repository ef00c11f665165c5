//! The only door to the outside world: files, folders and streams.
//!
//! Nothing else in this crate opens a file or writes to a stream, and no library of dsh but the session store and the tool packs does
//! either. Whether standard error takes colours (a terminal, and no `NO_COLOR`) is read here too, by anstream.

mod ask;
mod console;
mod folder;
mod state;
mod text;

pub(crate) use self::console::Console;
pub(crate) use self::folder::{Folder, FolderError, Reach, ReadError};
pub(crate) use self::state::{PrivateError, PrivateFolder, UserFolders, environment_variable, lies_beneath, real_path};
pub(crate) use self::text::{TextError, decode};

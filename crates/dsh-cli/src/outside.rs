//! The only door to the outside world: the environment, the clock, files, folders and streams.
//!
//! Nothing else in this crate reads the environment, opens a file or writes to a stream, and no library of dsh but the session store and
//! the tool packs does either.

mod approve;
mod ask;
mod console;
pub(crate) mod environment;
mod failure;
mod folder;
mod input;
mod interrupt;
mod owner;
mod repository;
mod screen;
mod state;
mod text;
mod writing;

pub(crate) use self::approve::TerminalApprover;
pub(crate) use self::console::{Colors, Console, Verbosity, output_lost};
pub(crate) use self::environment::Environment;
pub(crate) use self::failure::{in_words, may_read, may_write};
pub(crate) use self::folder::{
    FileIdentity, Folder, FolderError, ListError, OpenFile, Reach, ReadError, nearest_with, straight, straightened,
};
pub(crate) use self::input::{Piped, piped_input, read_named, standard_input};
pub(crate) use self::interrupt::on_interrupt;
pub(crate) use self::repository::{CameTogether, Repository, came_together};
pub(crate) use self::screen::Screen;
pub(crate) use self::state::{PrivateError, PrivateFolder, UserFolders, real_path};
pub(crate) use self::text::{Lost, TextError, decode, decode_noting};
pub(crate) use self::writing::{NewFile, NotWritten, WriteProblem, create_all, is_there, replace_all};

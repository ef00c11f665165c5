//! Which file a command runs, and why the system would not.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::tool::Spec;

/// The program as the system is to be given it: a path from the tool's folder, or a name to be looked for on the `PATH`.
pub(crate) fn path(program: &OsStr, folder: Option<&Path>) -> PathBuf {
    let path = Path::new(program);
    match folder {
        Some(folder) if has_separator(program) => folder.join(path),
        Some(_) | None => path.to_path_buf(),
    }
}

fn has_separator(program: &OsStr) -> bool {
    program.as_encoded_bytes().iter().any(|byte| *byte == b'/' || (cfg!(windows) && *byte == b'\\'))
}

/// Why a command was not started, in words.
pub(crate) fn refusal(spec: &Spec, folder: Option<&Path>, error: io::Error) -> Error {
    let program = shown(&spec.program);
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let problem = format!("the folder `{}` that it is to run in is not there", shown(folder.as_os_str()));
        return Error::refused(ErrorKind::NotFound, &spec.tool, problem, error);
    }
    if error.kind() == io::ErrorKind::NotFound {
        return not_found(spec, folder, &program, error);
    }
    if error.kind() == io::ErrorKind::PermissionDenied {
        let problem = format!("`{program}` is not executable");
        return Error::refused(ErrorKind::NotExecutable, &spec.tool, problem, error)
            .with_help("give it the right to be executed, or name the program that runs it first");
    }
    // What the system calls a format that it cannot execute has no kind of its own.
    if error.raw_os_error() == Some(NO_EXECUTABLE_FORMAT) {
        let problem = format!("`{program}` is neither a program nor a script that names its interpreter");
        return Error::refused(ErrorKind::NotExecutable, &spec.tool, problem, error)
            .with_help("begin it with a line such as `#!/bin/sh`, or name the program that runs it first");
    }
    let problem = format!("`{program}` cannot be started: {error}");
    Error::refused(ErrorKind::NotStarted, &spec.tool, problem, error)
}

/// `ENOEXEC`, which is the same number on all Unix systems.
const NO_EXECUTABLE_FORMAT: i32 = 8;

fn not_found(spec: &Spec, folder: Option<&Path>, program: &str, error: io::Error) -> Error {
    let path = path(&spec.program, folder);
    if !has_separator(&spec.program) {
        let problem = format!("there is no program `{program}` on the PATH that it is given");
        let is_a_file = folder.is_some_and(|folder| folder.join(&path).is_file());
        let help = if is_a_file {
            format!("write `./{program}` for the file of this name in its folder")
        } else {
            "install it, or name it by its path".to_owned()
        };
        return Error::refused(ErrorKind::NotFound, &spec.tool, problem, error).with_help(help);
    }
    if path.exists() {
        // A script, or a program for another system. Which of them, the file would say; this crate reads none.
        let problem = format!(
            "`{program}` is there, and the interpreter that its first line names, or what else it needs, is not"
        );
        return Error::refused(ErrorKind::NotFound, &spec.tool, problem, error);
    }
    Error::refused(ErrorKind::NotFound, &spec.tool, format!("`{program}` is not there"), error)
}

fn shown(word: &OsStr) -> String {
    word.to_string_lossy().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::path;

    #[test]
    fn a_path_is_taken_from_the_folder_and_a_name_from_the_path() {
        let folder = Some(Path::new("/srv/harbour"));
        assert_eq!(path(OsStr::new("python3"), folder), Path::new("python3"));
        assert_eq!(path(OsStr::new("./count"), folder), Path::new("/srv/harbour/./count"));
        assert_eq!(path(OsStr::new("tools/count"), folder), Path::new("/srv/harbour/tools/count"));
        assert_eq!(path(OsStr::new("/bin/sh"), folder), Path::new("/bin/sh"));
        assert_eq!(path(OsStr::new("tools/count"), None), Path::new("tools/count"));
    }
}

//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod prompt;

use crate::args::GlobalArgs;
use crate::config::FILE_NAME;
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::{Folder, FolderError, nearest_with};
use crate::project::{NoProject, Project};
use crate::status::ExitStatus;

/// Reads the project that the arguments name; where there is none to be read, that is reported and wrong use.
fn open_project(global: &GlobalArgs, sources: &mut Sources, report: &mut Report) -> Result<Project, ExitStatus> {
    let path = global.dir.clone().unwrap_or_else(|| nearest_with(FILE_NAME));
    report.tell(format!("the project's folder is {}", path.display()));
    let folder = Folder::open(&path).map_err(|error| {
        let path = path.display();
        let problem = match error {
            FolderError::Missing => format!("there is no folder `{path}`"),
            FolderError::NotAFolder => format!("`{path}` is not a folder"),
            FolderError::Unreadable(error) => format!("the folder `{path}` cannot be opened: {error}"),
        };
        let help = if global.dir_by_environment {
            "the environment variable DSH_DIR names it: it takes the folder of a project"
        } else {
            "`--dir` takes the folder of a project"
        };
        report.push(Diagnostic::error("cli::not_a_folder", problem).with_help(help));
        ExitStatus::WrongUse
    })?;
    Project::read(&folder, sources, report).map_err(|NoProject| ExitStatus::WrongUse)
}

//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod config;
pub(crate) mod prompt;
pub(crate) mod trust;

use crate::args::GlobalArgs;
use crate::config::{ENVIRONMENT, FILE_NAME};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::outside::environment::variable;
use crate::outside::{Environment, Folder, FolderError, UserFolders, nearest_with};
use crate::project::{NoProject, Overrides, Project, Surroundings};
use crate::status::ExitStatus;
use crate::trust::{Store, TrustContext, left_out};

/// Reads the project that the arguments name, and says what is left out of it for want of trust (C4); where there is none to be read,
/// that is reported and wrong use.
fn open_project(global: &GlobalArgs, sources: &mut Sources, report: &mut Report) -> Result<Project, ExitStatus> {
    let folder = open_folder(global, report)?;
    let project = read_project(&folder, global, sources, report)?;
    left_out(&project.asks, project.trust, report);
    Ok(project)
}

/// The folder that the arguments name, or that is nearest.
fn open_folder(global: &GlobalArgs, report: &mut Report) -> Result<Folder, ExitStatus> {
    let path = global.dir.clone().unwrap_or_else(|| nearest_with(FILE_NAME));
    report.tell(format!("the project's folder is {}", path.display()));
    Folder::open(&path).map_err(|error| {
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
    })
}

/// Reads the project of a folder.
fn read_project(
    folder: &Folder,
    global: &GlobalArgs,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Project, ExitStatus> {
    let surroundings = Surroundings {
        overrides: overrides(global),
        environment: Environment::of_process(),
        trust: TrustContext { store: user_store(), given: global.trust },
    };
    Project::read(folder, &surroundings, sources, report).map_err(|NoProject| ExitStatus::WrongUse)
}

/// What this user has trusted.
fn user_store() -> Store {
    Store::new(&UserFolders::of(variable))
}

/// What the arguments and the environment say in the configuration's place (C5).
fn overrides(global: &GlobalArgs) -> Overrides {
    let environment = ENVIRONMENT
        .iter()
        .filter_map(|(name, key)| Some((*name, *key, variable(name)?.to_string_lossy().into_owned())));
    Overrides {
        user_folder: UserFolders::of(variable).into_config(),
        profile: global.profile.clone(),
        environment: environment.collect(),
        config: global.config.iter().map(|said| format!("{}={}", said.name, said.value)).collect(),
        set: global.set.iter().map(|said| (said.name.clone(), said.value.clone())).collect(),
    }
}

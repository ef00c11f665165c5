//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod prompt;

use std::path::PathBuf;

use crate::args::GlobalArgs;
use crate::config::{ENVIRONMENT, FILE_NAME};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::names::{list, nearest, quoted};
use crate::outside::environment::variable;
use crate::outside::{Environment, Folder, FolderError, nearest_with};
use crate::project::{NoProject, Overrides, Project};
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
    let environment = Environment::of_process();
    Project::read(&folder, &overrides(global), &environment, sources, report).map_err(|NoProject| ExitStatus::WrongUse)
}

/// What the arguments and the environment say in the configuration's place (C5).
fn overrides(global: &GlobalArgs) -> Overrides {
    let in_home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    let by_xdg = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let environment = ENVIRONMENT
        .iter()
        .filter_map(|(name, key)| Some((*name, *key, variable(name)?.to_string_lossy().into_owned())));
    Overrides {
        user_folder: by_xdg.or_else(in_home).map(|path| path.join("dsh")),
        profile: global.profile.clone(),
        environment: environment.collect(),
        config: global.config.iter().map(|said| format!("{}={}", said.name, said.value)).collect(),
        set: global.set.iter().map(|said| (said.name.clone(), said.value.clone())).collect(),
    }
}

/// What plugins are run on: one thread.
fn runtime(report: &mut Report) -> Result<tokio::runtime::Runtime, ExitStatus> {
    tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|error| {
        report.push(Diagnostic::error("cli::no_runtime", format!("no runtime can be had: {error}")));
        ExitStatus::WrongUse
    })
}

/// An agent was asked for that is not there.
fn unknown_agent(name: &str, project: &Project) -> Diagnostic {
    let names: Vec<&str> = project.agents.iter().map(|agent| agent.name.value.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => {
            "no agents are configured: a table `[agents.NAME]` or a file `agents/NAME.md` makes one".to_owned()
        }
        None => format!("the agents are {}", list(names)),
    };
    let headline = format!("there is no agent {} in `{}`", quoted(name), project.config);
    Diagnostic::error("cli::unknown_agent", headline).with_help(help)
}

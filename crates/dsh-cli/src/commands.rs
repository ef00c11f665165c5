//! The commands of `dsh`, one module each, and what they have in common.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod explain;
pub(crate) mod help;
pub(crate) mod init;
mod json;
pub(crate) mod man;
pub(crate) mod prompt;
pub(crate) mod rule;
pub(crate) mod run;
pub(crate) mod sessions;
pub(crate) mod tools;
pub(crate) mod trust;
mod visibly;

use std::path::Path;

use crate::args::GlobalArgs;
use crate::config::{FILE_NAME, can_name_an_agent};
use crate::diagnostic::{Diagnostic, Report, Sources};
use crate::names::{list, nearest, quoted};
use crate::outside::environment::variable;
use crate::outside::{Console, Environment, Folder, FolderError, UserFolders, in_words, nearest_with};
use crate::project::{Agent, Mounted, NoProject, Overrides, Project, Purpose, Surroundings, blame};
use crate::status::ExitStatus;
use crate::trust::{Store, TrustContext, left_out};

/// A project that runs, and whose prompt is asked for.
#[derive(Debug)]
struct Scene<'a> {
    project: &'a Project,
    /// Whose; without one, the prompt that all agents share.
    agent: Option<&'a Agent>,
    mounted: &'a Mounted<'a>,
    sources: &'a Sources,
    report: &'a mut Report,
}

/// Reads the project that the arguments name, mounts it, runs `body` and ends it. A status comes back where it could not come to that;
/// why has been reported.
fn with_mounted<R>(
    global: &GlobalArgs,
    agent: Option<&str>,
    purpose: Purpose,
    sources: &mut Sources,
    report: &mut Report,
    body: impl AsyncFnOnce(Scene<'_>) -> R,
) -> Result<R, ExitStatus> {
    let project = open_project(global, sources, report)?;
    let agent = match agent {
        None => None,
        Some(name) => Some(project.agent(name).ok_or_else(|| {
            report.push(unknown_agent(name, &project));
            ExitStatus::WrongUse
        })?),
    };
    runtime(report)?.block_on(async {
        let mounted = project.mount(purpose, sources, report).await.map_err(|error| {
            report.push(blame::kernel(&error));
            ExitStatus::Findings
        })?;
        let answer = body(Scene { project: &project, agent, mounted: &mounted, sources, report }).await;
        mounted.close(report).await;
        Ok(answer)
    })
}

/// Reports everything that was found, be it in another agent; the status that the command ends with.
fn reported<T>(answer: &Result<T, ExitStatus>, report: Report, sources: &Sources, console: &mut Console) -> ExitStatus {
    let status = match answer {
        Err(status) => *status,
        Ok(_) if report.has_errors() => ExitStatus::Findings,
        Ok(_) => ExitStatus::Success,
    };
    console.conclude(report, sources);
    status
}

/// Reads the project that the arguments name, and says what is left out of it for want of trust (C4); where there is none to be read,
/// that is reported and wrong use.
fn open_project(global: &GlobalArgs, sources: &mut Sources, report: &mut Report) -> Result<Project, ExitStatus> {
    let folder = open_folder(global, report)?;
    let project = read_project(&folder, global, sources, report)?;
    left_out(&project.asks, project.trust, report);
    Ok(project)
}

fn open_folder(global: &GlobalArgs, report: &mut Report) -> Result<Folder, ExitStatus> {
    let path = global.dir.clone().unwrap_or_else(|| {
        let nearest = nearest_with(FILE_NAME);
        if let Some(folder) = nearest.passed_over.first() {
            report.push(passed_over(folder));
        }
        nearest.folder
    });
    report.tell(format!("the project's folder is {}", path.display()));
    open_at(&path, global, report)
}

/// A configuration was found that nobody named and that is somebody else's.
fn passed_over(folder: &Path) -> Diagnostic {
    let folder = folder.display();
    Diagnostic::note("config::passed_over", format!("`{folder}/{FILE_NAME}` belongs to another user, and is not taken"))
        .with_help(format!("`--dir {folder}` takes it, if it is the one that you mean"))
}

/// Opens the folder at `path`, which the arguments name if they name one; where there is none, that is reported and wrong use.
fn open_at(path: &Path, global: &GlobalArgs, report: &mut Report) -> Result<Folder, ExitStatus> {
    Folder::open(path).map_err(|error| {
        let path = path.display();
        let problem = match error {
            FolderError::Missing => format!("there is no folder `{path}`"),
            FolderError::NotAFolder => format!("`{path}` is not a folder"),
            FolderError::Unreadable(error) => format!("the folder `{path}` cannot be opened: {}", in_words(&error)),
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
    Overrides {
        user_folder: UserFolders::of(variable).config().map(Path::to_path_buf),
        profile: global.profile.clone(),
        profile_by_environment: global.profile_by_environment,
        environment: global.keys_by_environment.clone(),
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
    if !project.knows_all_agents {
        // Why it could not be read is told besides.
        let headline = format!("agent {} is not known: the folder `agents` was not read", quoted(name));
        return Diagnostic::error("cli::unknown_agent", headline)
            .with_help("mend that first: the folder may have a file for this agent");
    }
    let names = project.agents.iter().map(|agent| agent.name.value.as_str());
    let names: Vec<&str> = names.filter(|name| can_name_an_agent(name)).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if project.agents.is_empty() => {
            Some("no agents are configured: a table `[agents.NAME]` or a file `agents/NAME.md` makes one".to_owned())
        }
        // What is wrong with those that there are is told besides.
        None if names.is_empty() => None,
        None => Some(format!("the agents are {}", list(names))),
    };
    let folder = project.config.strip_suffix(FILE_NAME).map(|folder| folder.trim_end_matches('/'));
    let place = match folder {
        None | Some("") => "this project".to_owned(),
        Some(folder) => format!("the project in {}", quoted(folder)),
    };
    let headline = format!("there is no agent {} in {place}", quoted(name));
    Diagnostic::error("cli::unknown_agent", headline).with_help_if(help)
}

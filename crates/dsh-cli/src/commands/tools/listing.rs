//! What is known of the tools, as one agent has them.

use dsh_kernel::Plugin as _;
use dsh_llm::ToolSchema;
use dsh_system_prompt::PartLayer;
use dsh_tools::{ToolView, ToolsExt as _};

use crate::commands::Scene;
use crate::commands::explain::places::{Place, Places};
use crate::project::{Agent, Command, SchemaFilter, SchemaTools};

/// The tools of a project, those included that are kept from the agent, by name.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    /// Whose they are; without an agent, everybody's.
    pub(super) agent: Option<&'a Agent>,
    pub(super) tools: Vec<ListedTool<'a>>,
}

/// A tool.
#[derive(Debug)]
pub(super) struct ListedTool<'a> {
    pub(super) schema: ToolSchema,
    /// The path of whose it is.
    pub(super) owner: String,
    pub(super) layer: PartLayer,
    /// The paths of those who keep it from the agent.
    pub(super) kept_by: Vec<String>,
    /// What runs it.
    pub(super) runner: Runner<'a>,
    /// Where its name stands.
    pub(super) source: Option<Place<'a>>,
}

/// What runs a tool.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runner<'a> {
    /// Nothing: it is known by its schema alone.
    Nothing,
    /// This command.
    Command(&'a Command),
    /// dsh itself, in an agent's turn.
    BuiltIn {
        /// Whether the folder is trusted with it.
        may_run: bool,
    },
}

impl<'a> Listing<'a> {
    pub(super) fn of(scene: &mut Scene<'a>) -> Self {
        let places = Places::new(scene.sources);
        let (project, agent) = (scene.project, scene.agent);
        let scope = agent.and_then(|agent| scene.mounted.scope_of(agent));
        let source = |name: &str| project.tools.place(name).and_then(|place| places.of_span(place));
        let hides =
            |name: &str| agent.and_then(|agent| agent.filter.as_ref()).is_some_and(|filter| !filter.admits(name));
        let of_files = project.tools.schemas.iter().map(|schema| ListedTool {
            schema: schema.clone(),
            owner: SchemaTools::NAME.to_owned(),
            layer: PartLayer::Global,
            kept_by: scope
                .filter(|_| hides(schema.name()))
                .map(|(_, owner)| format!("{owner}/{}", SchemaFilter::NAME))
                .into_iter()
                .collect(),
            runner: Runner::Nothing,
            source: source(schema.name()),
        });
        let mut tools: Vec<ListedTool<'a>> = of_files.collect();
        // Without the registry nobody has registered one.
        let view = scene.mounted.root().tools().view(scope.map(|(key, _)| key)).ok();
        for tool in view.iter().flat_map(ToolView::all) {
            let command = project.tools.commands.iter().find(|command| command.schema.name() == tool.name());
            tools.push(ListedTool {
                schema: tool.schema().clone(),
                owner: tool.owner().to_string(),
                layer: tool.layer(),
                kept_by: tool.hidden_by().iter().map(ToString::to_string).collect(),
                runner: match command {
                    Some(command) => Runner::Command(command),
                    None => Runner::BuiltIn { may_run: project.subagents.as_ref().is_some_and(|own| own.may_run) },
                },
                source: source(tool.name()),
            });
        }
        tools.sort_by(|one, other| one.schema.name().cmp(other.schema.name()));
        Self { agent, tools }
    }
}

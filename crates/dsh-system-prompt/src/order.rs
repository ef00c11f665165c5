//! The order of tools (S6), and the refusal of two with one name (S7).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use dsh_kernel::{Name, Owner};
use dsh_llm::utf16_cmp;

use crate::assembly::AssembledTool;
use crate::error::{Detail, Error};
use crate::tools::ToolProviderResult;

/// The entry of `tool_order` at which the tools stand that it does not list (S6).
pub const TOOL_ORDER_REST: &str = "<unlisted-tools>";

/// A configured order that has been checked: each name once, the rest entry among them.
#[derive(Debug)]
pub(crate) struct ToolOrder {
    names: Vec<Name>,
    places: HashMap<Name, usize>,
    rest: usize,
}

impl ToolOrder {
    /// Refuses a duplicate first, then a missing rest entry (S6).
    pub(crate) fn new(names: &[Name]) -> Result<Self, Error> {
        let mut places = HashMap::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            match places.entry(name.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(position);
                }
                Entry::Occupied(entry) => {
                    let (name, first) = (name.clone(), *entry.get());
                    return Err(Error::new(Detail::ToolOrderDuplicate { name, first, position }));
                }
            }
        }
        let Some(rest) = places.get(TOOL_ORDER_REST).copied() else {
            return Err(Error::new(Detail::ToolOrderMissingRest));
        };
        Ok(Self { names: names.to_vec(), places, rest })
    }

    fn place(&self, tool: &AssembledTool) -> usize {
        self.places.get(tool.schema().name()).copied().unwrap_or(self.rest)
    }

    /// Refuses listed names that none of the answers knows, all at once.
    fn check_known(&self, answers: &[ToolProviderResult]) -> Result<(), Error> {
        let mut known: Vec<&str> = answers.iter().flat_map(ToolProviderResult::known).collect();
        known.sort_by(|a, b| utf16_cmp(a, b));
        known.dedup();
        let is_known = |name: &Name| {
            name.as_str() == TOOL_ORDER_REST || known.binary_search_by(|probe| utf16_cmp(probe, name.as_str())).is_ok()
        };
        let unknown: Vec<_> = self.names.iter().enumerate().filter(|(_, name)| !is_known(name)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let known: Vec<Name> = known.iter().map(|name| Name::from((*name).to_owned())).collect();
        let unknown = unknown.into_iter().map(|(position, name)| (name.clone(), position)).collect();
        Err(Error::new(Detail::ToolOrderUnknown { unknown, known }))
    }
}

/// Puts the tools that the providers answered with in order. Refused are, in this order: the reserved name, listed names that
/// nobody knows (S6), two tools of one name (S7).
pub(crate) fn ordered_tools(
    order: Option<&ToolOrder>,
    answers: &[ToolProviderResult],
    owners: impl Iterator<Item = (Owner, crate::PartLayer)>,
) -> Result<Vec<AssembledTool>, Error> {
    let mut tools = Vec::new();
    for (answer, (owner, layer)) in answers.iter().zip(owners) {
        tools.extend(answer.schemas().iter().enumerate().map(|(index, schema)| match answer.origin(index) {
            Some(origin) => AssembledTool::provided(schema.clone(), origin),
            None => AssembledTool::registered(schema.clone(), &owner, layer),
        }));
    }
    check_reserved(&tools)?;
    if let Some(order) = order {
        order.check_known(answers)?;
    }
    check_distinct(&tools)?;
    tools.sort_by(|a, b| {
        let place = |tool| order.map_or(0, |order| order.place(tool));
        place(a).cmp(&place(b)).then_with(|| utf16_cmp(a.schema().name(), b.schema().name()))
    });
    Ok(tools)
}

/// Refuses a tool of the name that stands for all others (S6).
pub(crate) fn check_reserved(tools: &[AssembledTool]) -> Result<(), Error> {
    match tools.iter().find(|tool| tool.schema().name() == TOOL_ORDER_REST) {
        None => Ok(()),
        Some(tool) => {
            let detail = Detail::ReservedToolName { editor: tool.edited_by().last().cloned() };
            Err(Error::about(detail, tool.owner().cloned(), None))
        }
    }
}

/// Refuses two tools of one name, naming both owners, and whoever edited one of them last (S7).
pub(crate) fn check_distinct(tools: &[AssembledTool]) -> Result<(), Error> {
    let mut seen: HashMap<&str, &AssembledTool> = HashMap::with_capacity(tools.len());
    for tool in tools {
        if let Some(first) = seen.insert(tool.schema().name(), tool) {
            let name = Name::from(tool.schema().name().to_owned());
            let editor = tool.edited_by().last().or_else(|| first.edited_by().last()).cloned();
            let (owner, first) = (tool.owner().cloned(), first.owner().cloned());
            return Err(Error::about(Detail::DuplicateTool { name, editor }, owner, first));
        }
    }
    Ok(())
}

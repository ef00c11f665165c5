//! An agent's Markdown file.

use std::ops::Range;

use super::found::{Decoded, Looked, Shown};
use crate::config::agent_file::AgentFile;
use crate::config::{At, Words};

/// What was made of an agent's file.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentReading {
    /// Its text.
    pub decoded: Decoded,
    /// Whether it makes an agent.
    pub is_agent: bool,
    /// The agent's name.
    pub name: String,
    /// Where its body stands, where it has one.
    pub body: Option<Range<usize>>,
    /// The tools that it allows, each with its place.
    pub allow: Option<Vec<(String, Range<usize>)>>,
    /// The tools that it denies, each with its place.
    pub deny: Vec<(String, Range<usize>)>,
    /// All that was read, to compare two readings.
    pub agent: String,
    /// What was found.
    pub shown: Shown,
}

/// Reads these bytes as the file `agents/a.md`.
pub fn agent_file(bytes: &[u8]) -> AgentReading {
    let path = "agents/a.md";
    let mut looked = Looked::at(path, bytes);
    let decoded = looked.decoded();
    let file = looked.source.map(|source| AgentFile { source, path, text: &decoded.text });
    let agent = file.and_then(|file| file.read(&mut looked.report));
    let places = |entries: &[At<String>]| {
        entries.iter().map(|entry| (entry.value.clone(), entry.span.range())).collect::<Vec<_>>()
    };
    let words = agent.as_ref().and_then(|agent| agent.layer.persona.as_ref()).map(|persona| &persona.words);
    let tools = agent.as_ref().and_then(|agent| agent.tools.as_ref());
    AgentReading {
        is_agent: agent.is_some(),
        name: agent.as_ref().map(|agent| agent.name.value.clone()).unwrap_or_default(),
        body: match words {
            Some(Words::Body(span)) => Some(span.range()),
            Some(Words::Inline(_) | Words::File(_)) | None => None,
        },
        allow: tools.and_then(|tools| tools.allow.as_deref()).map(places),
        deny: tools.map(|tools| places(&tools.deny)).unwrap_or_default(),
        agent: format!("{agent:#?}"),
        decoded,
        shown: looked.shown(),
    }
}

//! Agents as Markdown: front matter in YAML between two lines `---`, and behind it the agent's persona (C1).
//!
//! Each finding is about that agent alone, and an agent is known by its name even where its file cannot be read whole: asking for it is
//! then answered by what is wrong, and never by an agent that has lost its lists of tools.

mod keys;
mod split;
mod yaml;

use std::ops::Range;

use self::split::{Split, split};
use super::{Agent, At, Format, Home, Layer, Limits, Permissions, Wording, Words};
use crate::diagnostic::{Concern, Diagnostic, Report, SourceId, Span};
use crate::names::quoted;

pub(super) use self::keys::tools_elsewhere;

/// The most bytes of front matter: a description for people, and two lists.
const LONGEST_FRONT: usize = 64 << 10;

/// A file of an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentFile<'a> {
    /// Which source it is.
    pub(crate) source: SourceId,
    /// Its path in the project's folder.
    pub(crate) path: &'a str,
    /// What it says.
    pub(crate) text: &'a str,
}

impl AgentFile<'_> {
    /// Reads the file; what is wrong in it is reported and left out. One without front matter makes no agent.
    pub(crate) fn read(&self, report: &mut Report) -> Option<Agent> {
        let about = Concern::Agent(stem(self.path).to_owned());
        match split(self.text) {
            Split::Without { first, almost } => {
                report.about(about, |report| report.push(self.without(first, almost)));
                None
            }
            Split::Unclosed { first } => {
                report.about(about, |report| report.push(self.unclosed(first.clone())));
                Some(self.unread(first))
            }
            Split::Whole { first, front, .. } if front.len() > LONGEST_FRONT => {
                report.about(about, |report| report.push(self.too_long(first.clone(), front.len())));
                Some(self.unread(first))
            }
            Split::Whole { first, front, body } => {
                let (name, keys) = keys::read(self, first, front, report);
                let words = Words::Body(self.span(body.clone()));
                let format = keys.format.unwrap_or(Format::Raw);
                let persona = (!body.is_empty()).then_some(Wording { words, format });
                let layer = Layer { persona, ..Layer::default() };
                Some(Agent {
                    name,
                    home: Home::File,
                    description: keys.description,
                    layer,
                    tools: keys.tools,
                    permissions: Permissions::default(),
                    limits: Limits::default(),
                })
            }
        }
    }

    /// The agent of a file that cannot be taken in: it is known, and has nothing. `place` is where its name is pointed at.
    pub(crate) fn unread(&self, place: Range<usize>) -> Agent {
        Agent {
            name: At { value: stem(self.path).to_owned(), span: self.span(place) },
            home: Home::File,
            description: None,
            layer: Layer::default(),
            tools: None,
            permissions: Permissions::default(),
            limits: Limits::default(),
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    fn unclosed(&self, first: Range<usize>) -> Diagnostic {
        let headline = format!("the front matter of {} is never closed", quoted(self.path));
        Diagnostic::error("agents::unclosed_front_matter", headline)
            .at(self.span(first), "opened here")
            .with_help("end it with a line `---` and nothing else; the persona stands behind that")
    }

    fn too_long(&self, first: Range<usize>, size: usize) -> Diagnostic {
        let limit = LONGEST_FRONT >> 10;
        let headline =
            format!("the front matter of {} has {size} bytes, and the limit is {limit} KiB", quoted(self.path));
        Diagnostic::error("agents::long_front_matter", headline)
            .at(self.span(first), "opened here")
            .with_help("what a model shall read stands behind the second line `---`")
    }

    /// What is said of a file that begins otherwise.
    fn without(&self, first: Range<usize>, almost: Option<Range<usize>>) -> Diagnostic {
        let headline = format!("{} makes no agent: it does not begin with front matter", quoted(self.path));
        let diagnostic = Diagnostic::warning("agents::no_front_matter", headline);
        match almost {
            Some(line) if line.start > 0 => diagnostic
                .at(self.span(line), "not the first line")
                .with_help("take out the blank lines before it"),
            Some(line) => diagnostic
                .at(self.span(line), "not `---` alone: something that is hard to see stands beside it")
                .with_help("begin the file with these three bytes and nothing else in the line"),
            None => diagnostic.at(self.span(first), "the first line is not `---`").with_help(
                "begin it with a line `---`, lines such as `description: …`, and a line `---`; or move it out of the folder",
            ),
        }
    }
}

/// The name that a path gives its agent.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AgentFile, stem};
    use crate::config::{Agent, At, Words};
    use crate::diagnostic::{Diagnostic, Report, Sources};
    use crate::outside::decode;

    /// What a file makes, its body, and what is said of it; every place must be one that can be shown.
    fn read(bytes: &str) -> (Option<Agent>, String, Vec<Diagnostic>) {
        let text = decode(bytes.as_bytes().to_vec()).unwrap_or_default();
        let mut sources = Sources::new();
        let source = sources.add("agents/a.md".to_owned(), text.clone());
        let mut report = Report::new();
        let agent = AgentFile { source, path: "agents/a.md", text: &text }.read(&mut report);
        let persona = agent.as_ref().and_then(|agent| agent.layer.persona.as_ref());
        let body = persona.map_or_else(String::new, |persona| match &persona.words {
            Words::Body(span) => text.get(span.range()).unwrap().to_owned(),
            Words::Inline(_) | Words::File(_) => panic!("{persona:?}"),
        });
        let found = report.into_sorted();
        for place in found.iter().flat_map(|diagnostic| &diagnostic.places) {
            assert!(text.get(place.span.range()).is_some(), "{place:?} in {text:?}");
        }
        (agent, body, found)
    }

    /// The entries of `tools`, each with what it was written as.
    #[track_caller]
    fn tools(front: &str) -> Option<Vec<(String, String)>> {
        let text = format!("---\n{front}\n---\n");
        let (agent, _, found) = read(&text);
        assert_eq!(found, []);
        let allow = agent.unwrap().tools.and_then(|tools| tools.allow)?;
        let written = |entry: &At<String>| text.get(entry.span.range()).unwrap().to_owned();
        Some(allow.into_iter().map(|entry| (written(&entry), entry.value)).collect())
    }

    fn names(front: &str) -> Option<Vec<String>> {
        tools(front).map(|entries| entries.into_iter().map(|(_, value)| value).collect())
    }

    #[test]
    fn a_text_with_commas_is_a_list() {
        let right = Some(vec!["read".to_owned(), "mcp__foo_*".to_owned()]);
        for front in [
            "tools: [read, mcp__foo_*]",
            "tools: [ read , 'mcp__foo_*' , ]",
            "tools:\n- read\n- mcp__foo_*",
            "tools: read, mcp__foo_*",
            "tools: read,mcp__foo_* ,",
            "tools: \" read, mcp__foo_* \"",
            "tools: \"re\\x61d,mcp__foo_*\"",
            "tools: read,\n  mcp__foo_*",
            "tools: >-\n  read,\n  mcp__foo_*\n",
        ] {
            assert_eq!(names(front), right, "{front}");
        }
    }

    #[test]
    fn each_entry_of_a_text_has_its_own_place() {
        let entries = tools("tools: 'aa, a,\n  b'");
        let entry = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(entries, Some(vec![entry("aa"), entry("a"), entry("b")]));
        let escaped = tools(r#"tools: "\x61, b""#).unwrap();
        assert_eq!(escaped[1], (r#""\x61, b""#.to_owned(), "b".to_owned()));
    }

    #[test]
    fn an_empty_list_is_none_and_no_list_is_all() {
        // case 12
        for front in ["tools: []", "tools: ''", "tools: \"  \"", "tools: [\n]"] {
            assert_eq!(names(front), Some(Vec::new()), "{front}");
        }
        assert_eq!(names("description: x"), None);
    }

    #[test]
    fn a_mistyped_list_never_means_all() {
        // case 12
        for value in ["", "~", "null", "false", "3", "1.5", "{read: true}", "*x", "!x [read]", "[3]", "[~]", "[[read]]"]
        {
            let (agent, _, found) = read(&format!("---\ntools: {value}\n---\n"));
            assert_eq!(agent.unwrap().tools.unwrap().allow, Some(Vec::new()), "{value}");
            assert_eq!(found.len(), 1, "{value}");
            assert_eq!(found[0].code, "config::wrong_type", "{value}");
        }
    }

    #[test]
    fn a_path_gives_its_name() {
        for (path, name) in [("agents/a.md", "a"), ("a.b.md", "a.b"), ("x/.md", "")] {
            assert_eq!(stem(path), name);
        }
    }

    /// Front matter as it may come out of a slip of the hand, or of malice.
    fn scrap() -> impl Strategy<Value = String> {
        let words = [
            "---",
            "\n",
            "\n",
            " ",
            "  ",
            "\t",
            ":",
            ": ",
            "- ",
            ",",
            "[",
            "]",
            "{",
            "}",
            "'",
            "\"",
            "\\",
            "#",
            "&a ",
            "*a",
            "!x ",
            "!!str ",
            "|",
            ">-",
            "? ",
            "%",
            "@",
            "...",
            "name",
            "tools",
            "deny_tools",
            "format",
            "raw",
            "description",
            "1",
            "true",
            "~",
            "null",
            "é",
            "\u{feff}",
            "\u{85}",
            "\u{2028}",
            "\0",
            "\r",
            "<<",
        ];
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), front in scrap(), body in scrap()) {
            read(&text);
            read(&front);
            read(&format!("---\n{front}\n---\n{body}"));
        }

        #[test]
        fn the_ends_of_lines_and_a_mark_change_nothing(front in scrap(), body in scrap()) {
            // case 13. A lone CR is no end of a line: before one it would be.
            let text = format!("---\n{front}\n---\n{body}").replace('\r', "");
            let plain = read(&text);
            prop_assert_eq!(&read(&text.replace('\n', "\r\n")), &plain);
            prop_assert_eq!(&read(&format!("\u{feff}{text}")), &plain);
        }

        #[test]
        fn what_is_behind_the_front_matter_is_the_persona(body in "[^\\pC\\pZ](.|\n)*\\PC") {
            let body = body.replace('\r', "");
            let (_, read, found) = read(&format!("---\nname: a\n---\n\n{body}\n"));
            prop_assert_eq!(read, body);
            prop_assert_eq!(found, []);
        }

        #[test]
        fn text_and_list_give_the_same(tools in prop::collection::vec("[A-Za-z_][A-Za-z0-9_:.-]{0,8}[a-z]\\*?", 1..6)) {
            let quoted: Vec<String> = tools.iter().map(|tool| format!("'{tool}'")).collect();
            prop_assert_eq!(names(&format!("tools: [{}]", quoted.join(","))), Some(tools.clone()));
            prop_assert_eq!(names(&format!("tools: '{}'", tools.join(", "))), Some(tools));
        }
    }
}

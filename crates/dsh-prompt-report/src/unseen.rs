//! Tools that a section names and the model does not get.

mod spans;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use dsh_system_prompt::{AssembledSection, PromptAssembly};

use spans::code_spans;
use words::{is_word, words};

/// A section that names a tool which the assembly does not show.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnseenTool<'a> {
    /// Whose text names it.
    pub section: &'a AssembledSection,
    /// The name of the tool.
    pub tool: &'a str,
    /// The first place, in bytes of the section's text as it was written.
    pub range: Range<usize>,
    /// Whether a code span of the text is the name and nothing else. Where none is, a name that is a word of prose may be just that.
    pub is_in_code: bool,
}

/// The tools among `known` that the assembly does not show and a section names, one finding for each section and tool, in the
/// order of the prompt (case 06).
///
/// A tool is named by a whole word, or by a code span that is its name and nothing else. Letters, digits, `_`, `-`, and a `.`
/// between two of these make a word, so `dispatch` does not name `patch`, nor does `read_file` name `read`, and a full stop after
/// a name is none of it. A name that is not such a word (`fs/read`), or is one character (`a`), is looked for in code spans alone. A reference (`{{patch}}`)
/// names a variable, not a tool; what the values of variables name is not looked at.
///
/// Takes time linear in the texts, however many tools are known.
///
/// ```
/// use dsh_prompt_report::unseen_tools;
/// use dsh_system_prompt::{AssembledSection, PromptAssembly};
///
/// let mut assembly = PromptAssembly::new();
/// assembly.sections_mut().push(AssembledSection::new("a", 0, "Dispatch, then patch. Or `fs/read` after a patch."));
/// let found = unseen_tools(&assembly, ["fs/read", "patch", "shell"]);
/// let named: Vec<_> = found.iter().map(|unseen| (unseen.tool, unseen.range.clone())).collect();
/// assert_eq!(named, [("patch", 15..20), ("fs/read", 26..33)]);
/// ```
pub fn unseen_tools<'a>(assembly: &'a PromptAssembly, known: impl IntoIterator<Item = &'a str>) -> Vec<UnseenTool<'a>> {
    let shown: HashSet<&str> = assembly.tools().iter().map(|tool| tool.schema().name()).collect();
    let mut names = Names::default();
    for name in known {
        if !shown.contains(name) {
            names.add(name);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    assembly.sections().flat_map(|section| names.mentions(section)).collect()
}

/// The names that are looked for.
#[derive(Default)]
struct Names<'a> {
    words: HashSet<&'a str>,
    /// Those that are looked for in code spans alone.
    others: HashSet<&'a str>,
    longest_word: usize,
}

impl<'a> Names<'a> {
    fn add(&mut self, name: &'a str) {
        if is_word(name) && name.chars().nth(1).is_some() {
            self.longest_word = self.longest_word.max(name.len());
            self.words.insert(name);
        } else if !name.trim().is_empty() {
            self.others.insert(name);
        }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.others.is_empty()
    }

    /// The first mention of each name in the section's text, in order.
    fn mentions(&self, section: &'a AssembledSection) -> Vec<UnseenTool<'a>> {
        let text = section.text().as_str();
        let mut references = section.text().references().map(|reference| reference.range).peekable();
        let mut is_in_reference = |range: &Range<usize>| {
            while references.next_if(|reference| reference.end <= range.start).is_some() {}
            references.peek().is_some_and(|reference| reference.start <= range.start)
        };
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut mention = |names: &HashSet<&'a str>, range: Range<usize>| {
            if let Some(name) = text.get(range.clone()).and_then(|named| names.get(named))
                && seen.insert(*name)
            {
                found.push(UnseenTool { section, tool: name, range, is_in_code: false });
            }
        };
        if !self.words.is_empty() {
            let fitting = words(text).filter(|range| range.len() <= self.longest_word);
            for range in fitting {
                if !is_in_reference(&range) {
                    mention(&self.words, range);
                }
            }
        }
        if !self.others.is_empty() {
            for range in code_spans(text) {
                mention(&self.others, range);
            }
        }
        if !found.is_empty() {
            let code: HashSet<&str> = code_spans(text).filter_map(|range| text.get(range)).collect();
            for unseen in &mut found {
                unseen.is_in_code = code.contains(unseen.tool);
            }
        }
        found.sort_by_key(|unseen| unseen.range.start);
        found
    }
}

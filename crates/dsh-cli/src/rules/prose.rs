//! A rule's text for those who show it elsewhere than on a terminal.

use super::Rule;

impl Rule {
    /// The summary and why it matters, without markup but backticks.
    pub(crate) fn description(&self) -> String {
        format!("{}\n\n{}", self.summary, self.prose("Why it matters"))
    }

    /// The same with what would be right, and who shows the example: that takes markup.
    pub(crate) fn plain(&self) -> String {
        let example =
            if self.text.contains("```") { format!("An example: `dsh rule {}`.", self.code) } else { String::new() };
        let parts = [self.description(), self.prose("What would be right"), example];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// All of it in Markdown that is going to be rendered. That loses what stands behind a block's language: the name of its file.
    pub(crate) fn markdown(&self) -> String {
        let mut markdown = String::with_capacity(self.text.len() + 64);
        for line in self.text.lines() {
            let fence = line.starts_with("```").then(|| line.split_once(' ')).flatten();
            match fence {
                Some((fence, file)) => markdown.extend(["`", file, "`:\n\n", fence]),
                None => markdown.push_str(line),
            }
            markdown.push('\n');
        }
        markdown
    }

    /// The paragraphs below this heading, each in one line.
    fn prose(&self, heading: &str) -> String {
        let mut parts = self.text.split("\n## ");
        let part = parts.find_map(|part| part.strip_prefix(heading)).unwrap_or_default();
        // Every other piece is inside of a block.
        let outside = part.split("```").step_by(2);
        let paragraphs =
            outside.flat_map(|text| text.split("\n\n")).map(|paragraph| paragraph.trim().replace('\n', " "));
        paragraphs.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Severity;
    use crate::rules::{Rule, all};

    const RULE: Rule = Rule {
        code: "a::b",
        severity: Severity::Error,
        summary: "It is `so`.",
        text: "# a::b

It is `so`.

Severity: error

## Why it matters

One
two.

Three.

## Example

```toml dsh.toml
a = 1

## no heading
```

## What would be right

This:

```toml dsh.toml
a = 2
```

```console
$ dsh check
```
",
    };

    #[test]
    fn as_plain_text_it_has_its_paragraphs_without_blocks() {
        assert_eq!(RULE.description(), "It is `so`.\n\nOne two.\n\nThree.");
        assert_eq!(RULE.plain(), "It is `so`.\n\nOne two.\n\nThree.\n\nThis:\n\nAn example: `dsh rule a::b`.");
    }

    #[test]
    fn as_markdown_it_tells_the_files_outside_of_the_blocks() {
        let markdown = RULE.markdown();
        assert!(markdown.starts_with("# a::b\n\nIt is `so`.\n\nSeverity: error\n"), "{markdown}");
        assert!(
            markdown.ends_with("This:\n\n`dsh.toml`:\n\n```toml\na = 2\n```\n\n```console\n$ dsh check\n```\n"),
            "{markdown}"
        );
    }

    #[test]
    fn every_description_has_room_where_sarif_is_read() {
        for rule in all() {
            // GitHub takes 1024 characters.
            let description = rule.description();
            assert!(description.chars().count() <= 1024, "{}: {description}", rule.code);
            assert!(rule.prose("Why it matters").ends_with('.'), "{}", rule.code);
            assert!(!rule.plain().contains("```"), "{}", rule.code);
        }
    }
}

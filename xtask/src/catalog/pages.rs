//! The catalog as Markdown: one page, and a part in each crate's README.

use super::{Catalog, Entry, Event, Method};

/// The line before a README's API table.
pub const BEGIN: &str = "<!-- api:begin -->";
/// The line after it.
pub const END: &str = "<!-- api:end -->";

const HEAD: &str = "\
<!-- Made by `cargo xtask catalog` from the booted plugins. Edit the docs lines in the code, not here. -->

# Catalog

Every service, event and register-method, with the docs line that stands beside its code. Every register-method returns
the exact `Disposer` of the effect that it made.
";

impl Catalog {
    /// `docs/catalog.md`.
    pub fn page(&self) -> String {
        let mut parts = vec![HEAD.to_owned()];
        for (heading, kind, entries) in [("Services", "Service", &self.services), ("Types", "Type", &self.types)] {
            if !entries.is_empty() {
                parts.push(format!("\n## {heading}\n"));
            }
            for entry in entries {
                parts.push(format!("\n### `{}`\n\n{kind} of `{}`. {}\n", entry.name, entry.from, line(&entry.doc)));
                parts.extend(methods(entry));
            }
        }
        if !self.events.is_empty() {
            let row = |event: &Event| {
                format!("| `{}` | {} | `{}` | {} |\n", event.name, event.mode, event.from, cell(&event.doc))
            };
            parts.push("\n## Events\n\n| Event | Mode | Crate | When |\n|---|---|---|---|\n".to_owned());
            parts.extend(self.events.iter().map(row));
        }
        parts.concat()
    }

    /// The part for the README of one crate.
    pub fn table_of(&self, from: &str) -> String {
        let mut parts = Vec::new();
        for (kind, entries) in [("Service", &self.services), ("Type", &self.types)] {
            for entry in entries.iter().filter(|entry| entry.from == from) {
                parts.push(format!("\n{kind} `{}`: {}\n", entry.name, line(&entry.doc)));
                parts.extend(methods(entry));
            }
        }
        let events: Vec<&Event> = self.events.iter().filter(|event| event.from == from).collect();
        if !events.is_empty() {
            let row = |event: &Event| format!("| `{}` | {} | {} |\n", event.name, event.mode, cell(&event.doc));
            parts.push("\n| Event | Mode | When |\n|---|---|---|\n".to_owned());
            parts.extend(events.into_iter().map(row));
        }
        if parts.is_empty() {
            parts.push("\nNo service, event or register-method comes from this crate.\n".to_owned());
        }
        parts.concat()
    }
}

/// The lines of the table of an entry's methods; none where it has none.
fn methods(entry: &Entry) -> Vec<String> {
    if entry.methods.is_empty() {
        return Vec::new();
    }
    let row =
        |method: &Method| format!("| `{}` | `{}` | {} |\n", method.name, cell(&method.signature), cell(&method.doc));
    let head = "\n| Method | Signature | Does |\n|---|---|---|\n".to_owned();
    std::iter::once(head).chain(entry.methods.iter().map(row)).collect()
}

/// One line, as a sentence.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.ends_with(['.', '!', '?']) { line } else { line + "." }
}

/// One line that ends no cell of a table: GitHub's tables take `\|` in code too.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The README with `table` between the marks; says what is wrong with the marks.
pub fn splice(readme: &str, table: &str) -> Result<String, &'static str> {
    let count = |mark: &str| readme.lines().filter(|line| line.trim() == mark).count();
    if (count(BEGIN), count(END)) != (1, 1) {
        return Err("`<!-- api:begin -->` and `<!-- api:end -->` have to stand there once each, on lines of their own");
    }
    let (before, rest) = readme.split_once(BEGIN).unwrap_or_default();
    let (_, after) = rest.split_once(END).ok_or("`<!-- api:end -->` stands before `<!-- api:begin -->`")?;
    let table = if table.is_empty() { String::new() } else { format!("{table}\n") };
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

/// The README with a place for the table, made at its end where there is none.
pub(super) fn with_place(readme: String) -> String {
    if readme.contains(BEGIN) || readme.contains(END) {
        return readme;
    }
    format!("{}\n\n## Services, events and register-methods\n\n{BEGIN}\n{END}\n", readme.trim_end())
}

/// The methods that a catalog page lists: crate and method.
pub fn methods_listed(page: &str) -> impl Iterator<Item = (String, String)> {
    let mut from = "";
    page.lines().filter_map(move |line| {
        if let Some(rest) = line.strip_prefix("Service of `").or_else(|| line.strip_prefix("Type of `")) {
            from = rest.split('`').next().unwrap_or_default();
        } else if line.starts_with("## ") {
            from = "";
        } else if let Some(name) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next())
            && !from.is_empty()
        {
            return Some((from.to_owned(), name.to_owned()));
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::super::Catalog;
    use super::{BEGIN, END, methods_listed, splice, with_place};

    const SAMPLE: &str = r#"{
        "services": [{"name": "system-prompt", "crate": "dsh-system-prompt", "doc": "What a prompt is made of",
            "methods": [
                {"name": "section", "signature": "section(PromptSection) -> Result<Disposer, Error>", "doc": "Adds a section."},
                {"name": "tools", "signature": "tools(|&AssembleContext| …)", "doc": "Adds\n  a provider."}
            ]}],
        "types": [{"name": "Context", "crate": "dsh-kernel", "doc": "A handle.", "methods": []}],
        "events": [{"name": "kernel/fiber", "crate": "dsh-kernel", "mode": "emit", "doc": "A transition."}]
    }"#;

    #[test]
    fn the_page_lists_services_types_and_events_with_their_docs_lines() {
        let page = Catalog::parse(SAMPLE).unwrap().page();
        for part in [
            "\n## Services\n\n### `system-prompt`\n\nService of `dsh-system-prompt`. What a prompt is made of.\n",
            "| `section` | `section(PromptSection) -> Result<Disposer, Error>` | Adds a section. |\n",
            "| `tools` | `tools(\\|&AssembleContext\\| …)` | Adds a provider. |\n",
            "\n## Types\n\n### `Context`\n\nType of `dsh-kernel`. A handle.\n\n## Events\n",
            "| `kernel/fiber` | emit | `dsh-kernel` | A transition. |\n",
        ] {
            assert!(page.contains(part), "{part}\nis not in\n{page}");
        }
    }

    #[test]
    fn the_page_is_read_back_by_tidy() {
        let page = Catalog::parse(SAMPLE).unwrap().page();
        let listed: Vec<(String, String)> = methods_listed(&page).collect();
        let from = || "dsh-system-prompt".to_owned();
        assert_eq!(listed, [(from(), "section".to_owned()), (from(), "tools".to_owned())]);
    }

    #[test]
    fn each_readme_gets_the_part_of_its_crate() {
        let catalog = Catalog::parse(SAMPLE).unwrap();
        assert!(
            catalog
                .table_of("dsh-system-prompt")
                .starts_with("\nService `system-prompt`: What a prompt is made of.\n\n| Method")
        );
        assert!(catalog.table_of("dsh-kernel").ends_with("| `kernel/fiber` | emit | A transition. |\n"));
        assert!(catalog.table_of("dsh-template").contains("No service"));
    }

    #[test]
    fn the_catalog_without_a_docs_line_is_refused() {
        let error = Catalog::parse(&SAMPLE.replace("A transition.", " ")).unwrap_err();
        assert!(error.to_string().contains("`doc`") && error.to_string().contains("kernel/fiber"), "{error}");
        assert!(Catalog::parse("{}").is_err() && Catalog::parse("").is_err());
    }

    #[test]
    fn splicing_twice_changes_nothing_more_and_keeps_the_rest() {
        let readme = format!("# A\n\n{BEGIN}\nold\n{END}\n\nend\n");
        let once = splice(&readme, "\nnew\n").unwrap();
        assert_eq!(once, format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nend\n"));
        assert_eq!(splice(&once, "\nnew\n").unwrap(), once);
        assert!(splice("no marks", "new").is_err());
        let placed = with_place("no marks\n".to_owned());
        assert!(splice(&placed, "new").is_ok() && with_place(placed.clone()) == placed);
        assert!(splice(&format!("{END}\n{BEGIN}\n"), "new").is_err());
    }
}

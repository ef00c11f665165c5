//! Every public function that returns a `Disposer` is a register-method and stands in the catalog.

use std::collections::BTreeSet;

use super::has_word;
use crate::{Finding, RustSource, Tree, catalog};

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let page = tree.get(catalog::PAGE);
    let listed: BTreeSet<(String, String)> =
        page.map(|page| catalog::methods_listed(&page.text).collect()).unwrap_or_default();
    for (file, source) in tree.rust() {
        let Some(name) = file.crate_folder().and_then(|folder| folder.strip_prefix("crates/")) else { continue };
        if !file.path.contains("/src/") {
            continue;
        }
        for (line, method) in register_methods(source) {
            if !listed.contains(&(name.to_owned(), method.clone())) {
                findings.push(Finding::new(
                    &file.path,
                    line,
                    format!("`{method}` returns a `Disposer` and is not in {}", catalog::PAGE),
                    "add it to the `METHODS` of its service (or type) and run `cargo xtask catalog`",
                ));
            }
        }
    }
}

/// The public functions, those of public traits included, that return `Result<Disposer, _>`: line and name.
fn register_methods(source: &RustSource) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut blocks: Vec<bool> = Vec::new();
    let (mut statement, mut begun, mut round) = (String::new(), 1, 0_i32);
    for (line, code, test) in source.lines() {
        for c in code.chars().chain(['\n']) {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                _ => {}
            }
            // Braces and semicolons inside parentheses belong to arguments: they end no statement here.
            let ends = matches!(c, '{' | '}') || (c == ';' && round == 0);
            if !ends {
                if statement.trim().is_empty() {
                    statement.clear();
                    begun = line;
                }
                statement.push(c);
                continue;
            }
            let in_public_trait = blocks.last().copied().unwrap_or(false);
            if !test && let Some(name) = register_method(&statement, in_public_trait) {
                found.push((begun, name));
            }
            match c {
                '{' => {
                    blocks.push(has_word(&statement, "pub") && has_word(&statement, "trait"));
                    round = 0;
                }
                '}' => {
                    blocks.pop();
                    round = 0;
                }
                _ => {}
            }
            statement.clear();
        }
    }
    found
}

fn register_method(statement: &str, in_public_trait: bool) -> Option<String> {
    let (before, rest) = statement.split_once("fn ")?;
    // An attribute stands before the function on its own; a visibility narrower than `pub` is not public.
    let public = has_word(before, "pub") && !before.contains("pub(") || in_public_trait;
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    // The last arrow at depth 0 is the function's own; closures in its arguments have theirs in parentheses.
    let returned: String = after_arguments(rest)?.chars().filter(|c| !c.is_whitespace()).collect();
    let disposer = returned.split("Result<").skip(1).any(|inside| {
        inside.split([',', '>', '<', '(']).next().is_some_and(|kind| kind.rsplit("::").next() == Some("Disposer"))
    });
    (public && disposer).then_some(name)
}

/// What stands after the arrow of a function whose text begins with its name.
fn after_arguments(function: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, c) in function.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '-' if depth == 0 && function.get(at..)?.starts_with("->") => return function.get(at + 2..),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{check, register_methods};
    use crate::{RustSource, Tree};

    const SOURCE: &str = "\
pub trait Ext {
    fn section(&self, a: A) -> Result<Disposer, Error>;
    fn view(&self) -> Result<View, Error>;
}
trait Private {
    fn hidden(&self) -> Result<Disposer, Error>;
}
impl Context {
    /// Undoes.
    #[inline]
    pub fn effect(
        &self,
        body: impl FnOnce(&mut Fx) -> Result<(), Failure>,
    ) -> Result<Disposer, Error> {
        self.node(|fx| -> Result<Disposer, Error> { body(fx) })
    }
    pub(crate) fn inner(&self) -> Result<Disposer, Error> { todo() }
    fn own(&self) -> Result<Disposer, Error> { todo() }
    pub fn later<F: Fn() -> u8>(&self) -> impl Future<Output = Result<kernel::Disposer, Error>> + Send { todo() }
    pub fn scope(&self, key: [u8; 2]) -> Result<Scope, Error> { todo() }
    pub async fn effect_async(&self) -> crate::Result<Disposer> { todo() }
}
#[cfg(test)]
mod tests {
    pub fn helper() -> Result<Disposer, Error> { todo() }
}
";

    #[test]
    fn public_functions_and_those_of_public_traits_are_found() {
        let names: Vec<String> =
            register_methods(&RustSource::read("a.rs", SOURCE)).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["section", "effect", "later", "effect_async"]);
    }

    #[test]
    fn what_the_catalog_lists_for_the_crate_is_fine() {
        let page = "### `Context`\n\nType of `dsh-a`. X.\n\n| Method | Signature | Does |\n|---|---|---|\n\
                    | `effect` | `fn` | a |\n| `later` | `fn` | b |\n| `effect_async` | `fn` | b |\n";
        let tree = Tree::of([("crates/dsh-a/src/a.rs", SOURCE), ("docs/catalog.md", page)]);
        let mut findings = Vec::new();
        check(&tree, &mut findings);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].what.contains("`section`") && findings[0].line == 2, "{findings:?}");
    }
}

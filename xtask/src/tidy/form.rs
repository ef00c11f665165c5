//! The form of source files: a head, a length, no `mod.rs`, and a `lib.rs` that is a table of contents.

use crate::{File, Finding, RustSource, Tree};

/// The most lines that are not test code in one file.
const MOST_LINES: usize = 600;

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (file, source) in tree.rust() {
        head(file, findings);
        length(file, source, findings);
        if file.path.ends_with("/mod.rs") {
            findings.push(Finding::new(
                &file.path,
                1,
                "a file named `mod.rs`",
                "name it after its module, beside the module's folder: `foo.rs` and `foo/`",
            ));
        }
        if file.path.ends_with("src/lib.rs") {
            contents_only(file, source, findings);
        }
    }
}

fn head(file: &File, findings: &mut Vec<Finding>) {
    if !file.text.starts_with("//! ") {
        findings.push(Finding::new(
            &file.path,
            1,
            "no `//!` head",
            "begin the file with a `//!` line that says what one idea it holds",
        ));
    }
}

fn length(file: &File, source: &RustSource, findings: &mut Vec<Finding>) {
    let lines = source.lines_outside_tests();
    if lines > MOST_LINES {
        findings.push(Finding::new(
            &file.path,
            MOST_LINES + 1,
            format!("{lines} lines that are not test code; at most {MOST_LINES}"),
            "find the second idea in the file and give it a module of its own",
        ));
    }
}

/// A `lib.rs` holds attributes, modules and `use`, nothing else.
fn contents_only(file: &File, source: &RustSource, findings: &mut Vec<Finding>) {
    for (line, item) in items(&source.code) {
        let mut words = item.split_whitespace();
        let mut first = words.next().unwrap_or_default();
        if first.starts_with("pub") {
            first = words.find(|word| !word.starts_with(['(', 'i', 'c']) || *word == "impl").unwrap_or_default();
        }
        let allowed = match first {
            "mod" | "use" => true,
            // `extern crate alloc;` in a crate without std.
            "extern" => words.next() == Some("crate"),
            _ => false,
        };
        if !allowed {
            let shown: String = item.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            findings.push(Finding::new(
                &file.path,
                line,
                format!("`{shown} …` in a `lib.rs`"),
                "move it to a module: a `lib.rs` is a table of contents (docs, attributes, `mod`, `use`)",
            ));
        }
    }
}

/// The items of a file, without attributes, each with its line; those of inline modules in place of the modules.
fn items(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut line, mut begun, mut item) = (1, 1, String::new());
    let (mut attribute, mut braces, mut brackets) = (0_i32, 0_i32, 0_i32);
    for c in code.chars() {
        if c == '\n' {
            line += 1;
        }
        match c {
            '[' if attribute > 0 || item.ends_with(['#', '!']) && item.starts_with('#') => attribute += 1,
            ']' if attribute > 0 => {
                attribute -= 1;
                if attribute == 0 {
                    item.clear();
                }
            }
            _ if attribute > 0 => {}
            '{' if braces == 0 && is_module(&item) => item.clear(),
            // The end of an inline module.
            '}' if braces == 0 => item.clear(),
            '{' => {
                braces += 1;
                item.push(c);
            }
            '}' => {
                braces -= 1;
                item.push(c);
                if braces == 0 && !is_use(&item) {
                    found.push((begun, std::mem::take(&mut item)));
                }
            }
            ';' if braces == 0 && brackets == 0 => {
                if !item.is_empty() {
                    found.push((begun, std::mem::take(&mut item)));
                }
            }
            _ if item.is_empty() && c.is_whitespace() => {}
            _ => {
                if item.is_empty() {
                    begun = line;
                }
                brackets += i32::from(c == '[') - i32::from(c == ']');
                item.push(c);
            }
        }
    }
    if !item.is_empty() {
        found.push((begun, item));
    }
    found
}

fn is_module(item: &str) -> bool {
    item.split_whitespace().rev().nth(1) == Some("mod")
}

fn is_use(item: &str) -> bool {
    item.split_whitespace().take(2).any(|word| word == "use")
}

#[cfg(test)]
mod tests {
    use super::{check, items};
    use crate::{Finding, Tree};

    fn found(path: &str, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        check(&Tree::of([(path, text)]), &mut findings);
        findings
    }

    #[test]
    fn a_table_of_contents_is_fine() {
        let text = "//! A crate.\n#![no_std]\n#![doc(a = [1])]\nextern crate alloc;\nmod a;\npub mod b;\npub(crate) mod c;\n\
                    #[cfg(doctest)]\n#[doc = include_str!(\"../README.md\")]\nmod readme {}\n\
                    pub use a::{B, C as D};\npub mod prelude {\n    pub use crate::a::*;\n}\nuse x as _;\n";
        assert_eq!(found("crates/a/src/lib.rs", text), []);
    }

    #[test]
    fn logic_in_a_lib_rs_is_found_at_its_line() {
        for item in [
            "pub fn f() {}",
            "struct S;",
            "pub(crate) struct S { a: u8 }",
            "impl S { fn f() {} }",
            "const A: [u8; 1] = [1];",
            "macro_rules! m { () => {} }",
            "pub mod m { fn f() {} }",
            "static A: u8 = 1;",
            "type A = u8;",
            "pub trait T {}",
        ] {
            let findings = found("crates/a/src/lib.rs", &format!("//! A crate.\nmod a;\n\n{item}\nuse a::B;\n"));
            assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [4], "{item}: {findings:?}");
        }
    }

    #[test]
    fn items_of_inline_modules_stand_in_their_place() {
        let items = items("mod a { use b; mod c { } fn d() {} }\nuse e::{f, g};");
        let names: Vec<&str> = items.iter().map(|(_, item)| item.as_str()).collect();
        assert_eq!(names, ["use b", "fn d() {}", "use e::{f, g}"]);
    }

    #[test]
    fn a_missing_head_and_a_mod_rs_are_found() {
        let findings = found("crates/a/src/b/mod.rs", "use a;\n");
        assert_eq!(findings.len(), 2, "{findings:?}");
    }

    #[test]
    fn only_lines_outside_tests_count_for_the_length() {
        let code = "fn f() {}\n".repeat(590);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "fn t() {}\n".repeat(100));
        assert_eq!(found("crates/a/src/a.rs", &format!("//! Head.\n{code}{tests}")), []);
        let findings = found("crates/a/src/a.rs", &format!("//! Head.\n{code}{code}{tests}"));
        assert!(findings[0].what.starts_with("1181 lines"), "{findings:?}");
        assert_eq!(found("crates/a/tests/it/main.rs", &format!("//! Head.\n{code}{code}")), []);
    }
}

//! Compiling and rendering a template.

use divan::{AllocProfiler, Bencher, black_box};
use dsh_bench::Workload;
use dsh_kernel::Failure;
use dsh_template::{Lookup, Template, Text, escape};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// The templates of all sections.
fn sources() -> Result<Vec<String>, Failure> {
    Ok(Workload::load()?.sections.into_iter().map(|section| section.text).collect())
}

/// The texts of all sections, 17 kB.
#[divan::bench]
fn compile_all_sections(bencher: Bencher<'_, '_>) {
    let sources = sources().unwrap_or_default();
    bencher.bench(|| sources.iter().map(|source| Template::compile(black_box(source))).collect::<Vec<_>>());
}

/// One text without a variable, which is shared and not copied.
#[divan::bench]
fn compile_prose(bencher: Bencher<'_, '_>) {
    let text = Text::template("Answer briefly, and say what you have not done. ".repeat(8));
    bencher.bench(|| black_box(&text).compile());
}

/// All sections by themselves.
#[divan::bench]
fn render_all_sections(bencher: Bencher<'_, '_>) {
    let templates: Vec<Template> =
        sources().unwrap_or_default().iter().map(|source| Template::compile(source)).collect();
    bencher.bench(|| {
        templates
            .iter()
            .map(|template| template.render(|_| Lookup::Value(black_box("a value"))))
            .collect::<Result<Vec<_>, _>>()
    });
}

/// A text full of what has to be escaped.
#[divan::bench]
fn escape_braces(bencher: Bencher<'_, '_>) {
    let text = "{{name}} and }} ".repeat(64);
    bencher.bench(|| escape(black_box(&text)));
}

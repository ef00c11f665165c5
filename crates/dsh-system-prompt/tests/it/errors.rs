//! Errors: what they name, and what they never show (S11, architecture "Errors").

use dsh_system_prompt::{
    AssembledSection, Error, PromptAssembly, PromptConfig, PromptSection, PromptVariable, Source, SystemPromptExt,
    render, render_prompt,
};
use dsh_template::Text;

use crate::support::{bare, section, variable, world, world_with};

/// S11
#[tokio::test]
async fn a_render_error_names_section_owner_place_and_what_would_be_right() {
    let world = world().await;
    let pack = world.plugin("pack").await;
    let text = "first line\nOn {{branhc}} now.";
    let section = PromptSection::new("git", 1, text).source(Source::file("git.md"));
    pack.system_prompt().section(section).unwrap();
    for name in ["token", "branch", "brand"] {
        variable(&world.root, name, "s3cret");
    }
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown variable `{{branhc}}` in the section `git` of `pack`, from git.md, line 2 of the section, column 4 (bytes 14..24); \
         registered variables, nearest first: `branch`, `brand`, `token`"
    );
    assert_eq!(error.owner().unwrap().to_string(), "pack");
    assert_eq!((error.name(), error.range()), (Some("branhc"), Some(14..24)));
    assert_eq!(error.section_text(), Some(text));
    assert_eq!(error.source_file().unwrap().path(), "git.md");
    assert_eq!(error.known().map(dsh_kernel::Name::as_str).collect::<Vec<_>>(), ["branch", "brand", "token"]);
    assert_eq!(format!("{error:?}"), format!("prompt::unknown_variable: {error}"));
}

/// S11
#[tokio::test]
async fn where_there_are_no_variables_the_error_says_so() {
    let world = world().await;
    section(&world.root, "a", 1, "{{x}}");
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert!(error.to_string().ends_with("nearest first: (none)"), "{error}");
    assert_eq!(error.known().count(), 0);
}

/// S11
#[tokio::test]
async fn many_variables_are_counted_not_listed() {
    let world = world().await;
    for index in 0..20 {
        world.root.system_prompt().variable(PromptVariable::new(format!("v{index}"), "x")).unwrap();
    }
    section(&world.root, "a", 1, "{{v99}}");
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert!(error.to_string().ends_with("and 12 more"), "{error}");
    assert_eq!(error.known().count(), 20);
}

/// S11
#[tokio::test]
async fn malformed_and_valueless_references_say_what_to_write() {
    let world = world().await;
    world.root.system_prompt().variable(PromptVariable::new("v", None::<String>)).unwrap();
    let malformed = section(&world.root, "a", 1, "{{ v }}");
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!(error.code(), "prompt::malformed_reference");
    assert!(error.to_string().ends_with("write `{{v}}`"), "{error}");
    malformed.dispose().await.unwrap();
    section(&world.root, "a", 1, "{{v}}");
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!(error.code(), "prompt::valueless_variable");
    assert!(error.to_string().contains("give `v` a value"), "{error}");
}

/// S11: never a variable's value, in no error and no `Debug`.
#[tokio::test]
async fn no_value_of_a_variable_is_ever_shown() {
    let world = world_with(PromptConfig::new().persona("{{token}}")).await;
    variable(&world.root, "token", "s3cret");
    let assembly = world.assemble(bare()).await.unwrap();
    let rendered = render(&assembly).unwrap();
    assert!(rendered.text().contains("s3cret"));
    let variable = assembly.variable("token").unwrap();
    for shown in [
        format!("{assembly:?}"),
        format!("{rendered:?}"),
        format!("{:?}", rendered.parts()),
        format!("{variable:?} {:?}", variable.value()),
        format!("{:?}", world.root.system_prompt().view(None).unwrap()),
        format!("{:?}", PromptVariable::new("token", "s3cret")),
    ] {
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    for text in ["{{tokem}}", "{{ token }}", "{{token}} {{nobody}}", "{{{token}}}"] {
        let mut broken = assembly.clone();
        broken.sections_mut().push(AssembledSection::new("broken", 1, text));
        let error = render_prompt(&broken).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    }
}

/// S11: an assembly that was built by hand has no owners, and its errors do without.
#[test]
fn errors_of_an_assembly_without_owners_read_well() {
    let mut assembly = PromptAssembly::new();
    assembly.sections_mut().push(AssembledSection::new("a", 0, "{{x}}"));
    let error = render_prompt(&assembly).unwrap_err();
    assert_eq!(error.owner(), None);
    assert!(error.to_string().contains("of the assembly's maker"), "{error}");
}

/// S11, X1: a long or hostile name neither floods nor slows the message.
#[test]
fn a_hostile_name_does_not_flood_the_message() {
    let name = "a".repeat(1 << 20);
    let mut assembly = PromptAssembly::new();
    assembly.set_variable("known", "x");
    assembly.sections_mut().push(AssembledSection::new("a", 0, Text::template(format!("{{{{{name}}}}}"))));
    let error = render_prompt(&assembly).unwrap_err();
    assert!(error.to_string().len() < 1000);
    assert_eq!(error.known().count(), 1);
}

/// Errors are one pointer, so that results stay small.
#[test]
fn an_error_is_one_pointer() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
}

//! Rendering: strict, once, linear (S11, S12, X1).

use std::sync::Arc;

use dsh_system_prompt::{
    AssembledSection, ErrorKind, IntoValue, PromptAssembly, PromptSection, PromptVariable, SystemPromptExt,
    render_prompt,
};
use dsh_template::Text;

use crate::support::{bare, section, variable, world};

fn assembly(sections: &[&str], variables: &[(&'static str, Option<&'static str>)]) -> PromptAssembly {
    let mut assembly = PromptAssembly::new();
    for (index, text) in sections.iter().enumerate() {
        let order = u32::try_from(index).unwrap();
        assembly.sections_mut().push(AssembledSection::new(format!("s{index}"), order, *text));
    }
    for (name, value) in variables {
        assembly.set_variable(*name, *value);
    }
    assembly
}

fn rendered(sections: &[&str], variables: &[(&'static str, Option<&'static str>)]) -> String {
    render_prompt(&assembly(sections, variables)).unwrap().to_string()
}

fn refused(text: &str, variables: &[(&'static str, Option<&'static str>)]) -> (ErrorKind, std::ops::Range<usize>) {
    let error = render_prompt(&assembly(&["before", text], variables)).unwrap_err();
    assert_eq!(error.section(), Some("s1"));
    assert_eq!(error.section_text(), Some(text));
    (error.kind(), error.range().unwrap())
}

/// S11
#[test]
fn sections_that_render_empty_go_with_their_blank_line_and_a_blank_stays() {
    assert_eq!(rendered(&["", "a", "", "{{v}}", "b", ""], &[("v", Some(""))]), "a\n\nb");
    assert_eq!(rendered(&[" ", "\n"], &[]), " \n\n\n");
    assert_eq!(rendered(&[], &[]), "");
    assert_eq!(rendered(&["", ""], &[]), "");
}

/// S11
#[test]
fn each_section_is_interpolated_by_itself() {
    assert_eq!(rendered(&["left {{", "right }}"], &[]), "left {{\n\nright }}");
    assert_eq!(rendered(&["{{v}}{{v}}", "{{v}}"], &[("v", Some("{{"))]), "{{{{\n\n{{");
}

/// S11: values are never scanned again, and no character in them has a meaning.
#[test]
fn values_are_put_in_as_they_are() {
    let note = "{{token}} $& $' $1 \\1 <b>&amp;</b> %s";
    let variables = [("note", Some(note)), ("token", Some("s3cret")), ("empty", Some(""))];
    assert_eq!(rendered(&["N={{note}} E=[{{empty}}]"], &variables), format!("N={note} E=[]"));
}

/// S11
#[test]
fn what_is_not_certainly_right_is_refused_with_its_place() {
    let variables = [("branch", None), ("token", Some("t"))];
    assert_eq!(refused("x {{branhc}}", &variables), (ErrorKind::UnknownVariable, 2..12));
    assert_eq!(refused("{{branch}}", &variables), (ErrorKind::ValuelessVariable, 0..10));
    assert_eq!(refused("{{constructor}}", &variables), (ErrorKind::UnknownVariable, 0..15));
    assert_eq!(refused("{{__proto__}}", &variables).0, ErrorKind::MalformedReference);
    assert_eq!(refused("a {{ b }} c", &variables), (ErrorKind::MalformedReference, 2..9));
    assert_eq!(refused("{{}}", &variables).0, ErrorKind::MalformedReference);
    assert_eq!(refused("{{{token}}}", &variables).0, ErrorKind::MalformedReference);
    assert_eq!(refused("{{ {{token}}", &variables).0, ErrorKind::MalformedReference);
    // Whichever comes first in the text.
    assert_eq!(refused("{{nobody}} {{ }}", &variables), (ErrorKind::UnknownVariable, 0..10));
    assert_eq!(rendered(&["left {{ alone"], &variables), "left {{ alone");
}

/// S11: whichever comes first in the prompt.
#[test]
fn the_first_section_with_an_error_is_named() {
    let error = render_prompt(&assembly(&["fine", "{{a}}", "{{ }}"], &[])).unwrap_err();
    assert_eq!((error.section(), error.kind()), (Some("s1"), ErrorKind::UnknownVariable));
}

/// X1
#[tokio::test]
async fn raw_text_is_never_scanned_and_a_quoted_group_stands_for_its_string() {
    let world = world().await;
    let raw = "{{v}} {{ }} {{\"x\"}} {{";
    world.root.system_prompt().section(PromptSection::new("raw", 1, Text::raw(raw))).unwrap();
    section(&world.root, "quoted", 2, r#"{{"{{v}}"}} {{"\u007b"}}"#);
    assert_eq!(world.prompt(bare()).await, format!("{raw}\n\n{{{{v}}}} {{"));
    assert_eq!(&*dsh_template::escape(raw), &*dsh_template::escape(raw));
    section(&world.root, "escaped", 3, &dsh_template::escape(raw));
    assert!(world.prompt(bare()).await.ends_with(raw));
}

/// S11: what is registered is rendered the same as what is put together by hand.
#[tokio::test]
async fn registered_and_edited_assemblies_render_alike() {
    let world = world().await;
    variable(&world.root, "a", "A");
    world.root.system_prompt().variable(PromptVariable::new("none", None::<&str>.into_value())).unwrap();
    section(&world.root, "one", 1, "{{a}} x {{a}}");
    section(&world.root, "two", 2, "{{a}}{{nobody}}");
    let shared = world.assemble(bare()).await.unwrap();
    let mut edited = shared.clone();
    edited.sections_mut();
    let (left, right) = (render_prompt(&shared).unwrap_err(), render_prompt(&edited).unwrap_err());
    assert_eq!(left.to_string(), right.to_string());
    assert_eq!(left.range(), Some(5..15));
    edited.set_variable("nobody", "");
    assert_eq!(&*render_prompt(&edited).unwrap(), "A x A\n\nA");
    let mut set = shared.clone();
    set.set_variable("nobody", "N");
    assert_eq!(&*render_prompt(&set).unwrap(), "A x A\n\nAN");
    assert!(render_prompt(&shared).is_err());
}

/// S12: linear. Twice the input takes about twice the work, here counted as time with a wide margin: a quadratic scanner would
/// need minutes for these.
#[test]
fn hostile_input_renders_in_linear_time() {
    let mib = 1 << 20;
    for (unit, variables) in [("{{", vec![]), ("{", vec![]), ("{{token}}", vec![("token", Some("t"))])] {
        let text = unit.repeat(2 * mib / unit.len());
        let out = rendered(&[&text], &variables);
        let expected = if variables.is_empty() { text } else { "t".repeat(2 * mib / unit.len()) };
        assert!(out == expected);
    }
    let blanks = format!("{{{{ {}", " ".repeat(mib));
    assert!(rendered(&[&blanks], &[]) == blanks);
}

/// S11
#[tokio::test]
async fn rendering_the_same_assembly_twice_hands_out_the_same_bytes() {
    let world = world().await;
    section(&world.root, "a", 1, "a");
    let assembly = world.assemble(bare()).await.unwrap();
    assert!(Arc::ptr_eq(&render_prompt(&assembly).unwrap(), &render_prompt(&assembly.clone()).unwrap()));
}

//! What goes to a model, before any provider's dialect: text and tools as one JSON object, spliced from bytes that are ready.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use dsh_llm::escape_json;

use crate::assembly::PromptAssembly;
use crate::render::{Form, RenderedPrompt, Splice};
use crate::state::State;

/// The body `{"system":…,"tools":[…]}`: canonical JSON, in shared bytes. A clone copies nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct WireBody(Arc<Body>);

/// Behind one more pointer than a shared string, which would have to be copied into place.
#[derive(PartialEq, Eq)]
struct Body(String);

impl WireBody {
    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0.0
    }
}

impl Deref for WireBody {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<[u8]> for WireBody {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Shows the length alone: values may be secrets.
impl fmt::Debug for WireBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WireBody({} bytes)", self.len())
    }
}

/// The body that tells a model the rendered text and the tools of `assembly`, as canonical JSON (P3, X5): the text escaped as
/// ECMAScript's `JSON.stringify` escapes it, the tools as [`PromptAssembly::tools_json`] has them, their numbers digit for digit.
///
/// The prompt's own words are kept escaped and a tool's JSON is kept ready, so a step escapes values alone. Of an assembly that
/// nobody has edited the body is kept, and handed out again for as long as nothing changes.
///
/// ```
/// use dsh_llm::{NO_PARAMETERS, ToolSchema};
/// use dsh_system_prompt::{AssembledSection, PromptAssembly, render, wire_body};
///
/// let mut assembly = PromptAssembly::new();
/// assembly.sections_mut().push(AssembledSection::new("persona", 0, "Say \"{{word}}\"."));
/// assembly.set_variable("word", "a\tb");
/// assembly.tools_mut().push(ToolSchema::new("look", "Looks.", NO_PARAMETERS)?.into());
/// let body = wire_body(&render(&assembly)?, &assembly);
/// let tool = assembly.tools()[0].schema().json();
/// assert_eq!(body.as_str(), format!(r#"{{"system":"Say \"a\tb\".","tools":[{tool}]}}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wire_body(prompt: &RenderedPrompt, assembly: &PromptAssembly) -> WireBody {
    match shared(prompt, assembly) {
        Some(state) => state.kept.wire.get_or_init(|| spliced(state, assembly)).clone(),
        None => escaped(prompt.text(), &assembly.tools_json()),
    }
}

/// The state that both are made from, where nobody has edited anything.
fn shared<'a>(prompt: &RenderedPrompt, assembly: &'a PromptAssembly) -> Option<&'a Arc<State>> {
    let (rendered, state) = (prompt.assembly().shared_state()?, assembly.shared_state()?);
    (Arc::ptr_eq(rendered, state) && !assembly.has_edited_tools()).then_some(state)
}

const BEFORE: &str = r#"{"system":""#;
const BETWEEN: &str = r#"","tools":"#;
const AFTER: &str = "}";

fn spliced(state: &State, assembly: &PromptAssembly) -> WireBody {
    let values: Vec<Option<Cow<'_, str>>> =
        state.values.iter().map(|value| value.as_ref().map(|value| escaped_value(value.as_str()))).collect();
    let splice = Splice::new(state, Form::Json, values.iter().map(Option::as_deref));
    let tools = assembly.tools_json();
    // It was rendered, so it is no error.
    let len = splice.measure().unwrap_or_default();
    let mut json = String::with_capacity(BEFORE.len() + len + BETWEEN.len() + tools.len() + AFTER.len());
    json.push_str(BEFORE);
    splice.write(&mut json);
    json.push_str(BETWEEN);
    json.push_str(&tools);
    json.push_str(AFTER);
    WireBody(Arc::new(Body(json)))
}

fn escaped_value(value: &str) -> Cow<'_, str> {
    let mut out = String::new();
    escape_json(&mut out, value);
    if out == value { Cow::Borrowed(value) } else { Cow::Owned(out) }
}

fn escaped(text: &str, tools: &str) -> WireBody {
    let mut json = String::with_capacity(BEFORE.len() + text.len() + BETWEEN.len() + tools.len() + AFTER.len());
    json.push_str(BEFORE);
    escape_json(&mut json, text);
    json.push_str(BETWEEN);
    json.push_str(tools);
    json.push_str(AFTER);
    WireBody(Arc::new(Body(json)))
}

//! What checking may cost. A schema of a few lines can mean a search without end, or a recursion that no stack holds; it may be
//! anybody's, and so may what it is checked against (K13).

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

use super::keywords::{holds_literals, holds_named_schemas};

/// A keyword of our own that is asked at every schema object from which a check can branch: it counts.
pub(super) const STEP: &str = "dsh:step";

/// So many branchings any check may come to, and so many more for each byte of the arguments.
const STEPS: (u32, u32) = (20_000, 100);

/// References times depth: up to this, a check stays on the caller's stack.
const SHALLOW: usize = 150;

/// Beyond this nothing is checked: no stack would hold it.
const DEEPEST: usize = 50_000;

/// The stack of a deep check. It takes memory only as far as it is used.
const STACK: usize = 1 << 29;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Counts each time that it is asked, and ends the check when there are none left. The one way out of the checker is to unwind;
/// [`bounded`] catches it, and no panic hook hears of it.
pub(super) struct Step;

impl Step {
    fn take() {
        match LEFT.get().checked_sub(1) {
            Some(left) => LEFT.set(left),
            None => resume_unwind(Box::new("too many steps")),
        }
    }
}

impl<'i> Keyword<'i> for Step {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        Self::take();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        Self::take();
        true
    }
}

/// Puts the counting keyword where a check can branch; returns how many references there are.
pub(super) fn prepare(schema: &mut Value) -> usize {
    match schema {
        Value::Object(object) => prepare_object(object),
        Value::Array(all) => all.iter_mut().map(prepare).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn prepare_object(object: &mut Map<String, Value>) -> usize {
    let mut references = 0;
    for (key, value) in object.iter_mut() {
        references += match (key.as_str(), &mut *value) {
            (keyword, _) if holds_literals(keyword) => 0,
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(_)) => 1,
            (keyword, Value::Object(named)) if holds_named_schemas(keyword) => named.values_mut().map(prepare).sum(),
            (_, value) => prepare(value),
        };
    }
    let branches = ["anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef", "$recursiveRef"];
    if branches.iter().any(|key| object.contains_key(*key)) {
        // What is asked before all other keywords that branch is `allOf`, and a check ends at the first keyword that fails: at any other
        // place, branchings that fail would not be counted. As the last of it, it moves nobody's place.
        match object.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(all) => all.push(step()),
            // A property that is called so, or a mistake.
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    references
}

/// A schema that anything fits, and that counts.
fn step() -> Value {
    Value::Object(Map::from_iter([(STEP.to_owned(), Value::Object(Map::new()))]))
}

/// How deep a value is nested.
pub(super) fn depth(value: &Value) -> usize {
    match value {
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or(0),
        Value::Array(all) => 1 + all.iter().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Why something was not checked.
pub(super) const TOO_MUCH: &str = "it refers to itself, or branches, too often";

/// How large a check is.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// How many references the schema has.
    pub(super) references: usize,
    /// How deep the arguments are nested.
    pub(super) depth: usize,
    /// How many bytes they have.
    pub(super) bytes: usize,
}

/// Runs a check with a bounded number of steps, on a stack that holds it; a panic of the checker is contained.
pub(super) fn bounded<T: Send>(size: Size, check: impl FnOnce() -> T + Send) -> Result<T, &'static str> {
    let (steps, each) = STEPS;
    let steps = steps.saturating_add(each.saturating_mul(u32::try_from(size.bytes).unwrap_or(u32::MAX)));
    let counted = move || {
        LEFT.set(steps);
        let over = |panic: Box<dyn Any + Send>| drop(dsh_kernel::Quiet::new(panic));
        catch_unwind(AssertUnwindSafe(check)).map_err(over)
    };
    let weight = size.references.saturating_mul(size.depth + 2);
    let done = if weight <= SHALLOW {
        counted()
    } else if weight > DEEPEST {
        Err(())
    } else {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("dsh-check".into()).stack_size(STACK);
            let thread = builder.spawn_scoped(scope, counted).map_err(drop)?;
            thread.join().map_err(drop)?
        })
    };
    done.map_err(|()| TOO_MUCH)
}

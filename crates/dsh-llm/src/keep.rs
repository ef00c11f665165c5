//! Equality up to order, and keeping the old bytes of what did not change (contract X5, case 02).

use std::collections::{BTreeMap, HashMap};

use crate::canonical::{Keys, write_schema};
use crate::error::Error;
use crate::json::parse;
use crate::schema::ToolSchema;

impl ToolSchema {
    /// Whether the two say the same, whatever the order of keys anywhere, and of `required` and the arrays of
    /// `dependentRequired`. The order of every other array counts (`enum`, `oneOf`, `anyOf`, `allOf`, `prefixItems`, `examples`,
    /// `type`), and so do the digits of numbers: `1` is not `1.0`.
    ///
    /// ```
    /// use dsh_llm::ToolSchema;
    ///
    /// # fn main() -> Result<(), dsh_llm::Error> {
    /// let one = ToolSchema::new("t", "", r#"{"properties": {"b": {"enum": [1, 2]}, "a": {}}}"#)?;
    /// let two = ToolSchema::new("t", "", r#"{"properties": {"a": {}, "b": {"enum": [1, 2]}}}"#)?;
    /// assert!(one.equal_up_to_order(&two));
    /// assert_ne!(one, two); // the order of properties is the author's, so the bytes differ
    ///
    /// let three = ToolSchema::new("t", "", r#"{"properties": {"a": {}, "b": {"enum": [2, 1]}}}"#)?;
    /// assert!(!one.equal_up_to_order(&three));
    /// # Ok(())
    /// # }
    /// ```
    pub fn equal_up_to_order(&self, other: &Self) -> bool {
        if self.name() != other.name() || self.description() != other.description() {
            return false;
        }
        let (one, two) = (self.parameters_json(), other.parameters_json());
        // Canonical texts hold the same characters in another order, so unequal lengths end it at once.
        one == two || (one.len() == two.len() && matches!((order_free(one), order_free(two)), (Ok(a), Ok(b)) if a == b))
    }
}

fn order_free(parameters: &str) -> Result<String, Error> {
    let mut out = String::with_capacity(parameters.len());
    write_schema(&mut out, &parse(parameters)?, Keys::AllSorted);
    Ok(out)
}

/// `new`, in which each schema that is equal up to order to the old one of its name is the old one, bytes and all.
///
/// A source of outside schemas (a configuration, an MCP server) calls this across its own reload, so that a server which lists
/// its keys in another order each time costs no cached prefix (contract X5). The order of `new` stays.
///
/// ```
/// use dsh_llm::{ToolSchema, keep_old_bytes};
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let old = [ToolSchema::new("t", "", r#"{"properties": {"b": {}, "a": {}}}"#)?];
/// let new = vec![ToolSchema::new("t", "", r#"{"properties": {"a": {}, "b": {}}}"#)?];
/// assert_eq!(keep_old_bytes(&old, new), old);
/// # Ok(())
/// # }
/// ```
pub fn keep_old_bytes(old: &[ToolSchema], mut new: Vec<ToolSchema>) -> Vec<ToolSchema> {
    let mut by_name: BTreeMap<&str, Namesakes<'_>> = BTreeMap::new();
    for schema in old {
        by_name.entry(schema.name()).or_default().all.push(schema);
    }
    for schema in &mut new {
        if let Some(kept) = by_name.get_mut(schema.name()).and_then(|namesakes| namesakes.kept(schema)) {
            *schema = ToolSchema::clone(kept);
        }
    }
    new
}

/// The old schemas of one name. What they are looked up by is made when it is first asked for, once for each schema.
#[derive(Default)]
struct Namesakes<'o> {
    all: Vec<&'o ToolSchema>,
    same: HashMap<&'o str, &'o ToolSchema>,
    equal: Option<HashMap<(&'o str, String), &'o ToolSchema>>,
}

impl<'o> Namesakes<'o> {
    /// The old schema of the same bytes, else the first that is equal up to order: of two that differ in order alone, the one
    /// that did not move is meant.
    fn kept(&mut self, schema: &ToolSchema) -> Option<&'o ToolSchema> {
        if self.same.is_empty() {
            self.same = self.all.iter().rev().map(|old| (old.json(), *old)).collect();
        }
        if let Some(same) = self.same.get(schema.json()) {
            return Some(*same);
        }
        let equal = self.equal.get_or_insert_with(|| {
            let keyed = self
                .all
                .iter()
                .rev()
                .filter_map(|old| Some(((old.description(), order_free(old.parameters_json()).ok()?), *old)));
            keyed.collect()
        });
        equal.get(&(schema.description(), order_free(schema.parameters_json()).ok()?)).copied()
    }
}

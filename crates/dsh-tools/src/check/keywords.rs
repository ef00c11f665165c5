//! Which keywords of a schema hold schemas, for whoever walks one.

/// Whether the keyword holds literals, in which nothing is a schema.
pub(super) fn holds_literals(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "default" | "examples")
}

/// Whether the keyword holds schemas under names of anybody's choice.
pub(super) fn holds_named_schemas(keyword: &str) -> bool {
    matches!(keyword, "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas")
}

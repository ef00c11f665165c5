//! What a value is by the place it stands in: the whole table of JSON Schema keywords that canonical order depends on.

/// The role of a value in a schema. A value of the wrong type for its role is plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// A schema: its keys are keywords.
    Schema,
    /// A schema, or an array of schemas (`items` before 2020-12).
    SchemaOrList,
    /// An array of schemas.
    SchemaList,
    /// Names to schemas, in the author's order.
    OrderedSchemas,
    /// Names to schemas, sorted. Draft 7's `dependencies` too: an array there, in place of a schema, is data.
    SortedSchemas,
    /// An array of names that means a set.
    NameSet,
    /// Names to sets of names.
    NameSets,
    /// A value of the author's, copied as it is.
    Copied,
    /// Any other value: keys sorted, nothing else.
    Data,
}

impl Position {
    /// Whether the members of an object keep their order here.
    pub(super) fn keeps_order(self) -> bool {
        matches!(self, Self::OrderedSchemas | Self::Copied)
    }

    /// The position of an element of an array that stands here.
    pub(super) fn element(self) -> Self {
        match self {
            Self::SchemaOrList | Self::SchemaList => Self::Schema,
            Self::Copied => Self::Copied,
            Self::Schema | Self::OrderedSchemas | Self::SortedSchemas | Self::NameSet | Self::NameSets | Self::Data => {
                Self::Data
            }
        }
    }

    /// The position of the member `key` of an object that stands here.
    pub(super) fn member(self, key: &str) -> Self {
        match self {
            Self::Schema | Self::SchemaOrList => Self::keyword(key),
            Self::OrderedSchemas | Self::SortedSchemas => Self::Schema,
            Self::NameSets => Self::NameSet,
            Self::Copied => Self::Copied,
            Self::SchemaList | Self::NameSet | Self::Data => Self::Data,
        }
    }

    fn keyword(key: &str) -> Self {
        match key {
            "properties" | "patternProperties" | "$defs" | "definitions" => Self::OrderedSchemas,
            "dependentSchemas" | "dependencies" => Self::SortedSchemas,
            "required" => Self::NameSet,
            "dependentRequired" => Self::NameSets,
            "default" | "const" | "enum" | "examples" => Self::Copied,
            "items" => Self::SchemaOrList,
            "prefixItems" | "allOf" | "anyOf" | "oneOf" => Self::SchemaList,
            "additionalProperties"
            | "additionalItems"
            | "contains"
            | "contentSchema"
            | "else"
            | "if"
            | "not"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Self::Schema,
            _ => Self::Data,
        }
    }
}

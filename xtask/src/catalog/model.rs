//! What the booted plugins say of themselves.

use serde_json::Value;

use crate::Error;

/// Everything that a plugin can use: services and types with their register-methods, and events. In the order given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The services (`services` in the JSON).
    pub services: Vec<Entry>,
    /// Public types that are no services and have register-methods, such as the kernel's `Context` (`types`; optional).
    pub types: Vec<Entry>,
    /// The events (`events`).
    pub events: Vec<Event>,
}

/// A service or a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The crate that it comes from.
    pub from: String,
    /// What it is, in one line.
    pub doc: String,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// A method that registers something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Its signature as a reader needs it.
    pub signature: String,
    /// What it does, in one line.
    pub doc: String,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// The crate that it comes from.
    pub from: String,
    /// `emit`, `serial` or `waterfall`.
    pub mode: String,
    /// When it is dispatched, in one line.
    pub doc: String,
}

impl Catalog {
    /// Reads the JSON `{services: [{name, crate, doc, methods: [{name, signature, doc}]}], types: [the same], events:
    /// [{name, crate, mode, doc}]}`. An empty text is refused: the docs line of each is what the catalog is for.
    pub fn parse(json: &str) -> Result<Self, Error> {
        let value: Value =
            serde_json::from_str(json).map_err(|error| Error::new(format!("the catalog is not JSON: {error}")))?;
        Ok(Self {
            services: list(&value, "services", entry)?,
            types: if value["types"].is_null() { Vec::new() } else { list(&value, "types", entry)? },
            events: list(&value, "events", |value| {
                Ok(Event {
                    name: text(value, "name")?,
                    from: text(value, "crate")?,
                    mode: text(value, "mode")?,
                    doc: text(value, "doc")?,
                })
            })?,
        })
    }
}

fn entry(value: &Value) -> Result<Entry, Error> {
    let method = |value: &Value| {
        Ok(Method { name: text(value, "name")?, signature: text(value, "signature")?, doc: text(value, "doc")? })
    };
    Ok(Entry {
        name: text(value, "name")?,
        from: text(value, "crate")?,
        doc: text(value, "doc")?,
        methods: list(value, "methods", method)?,
    })
}

fn list<T>(value: &Value, key: &str, read: impl Fn(&Value) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    let items =
        value[key].as_array().ok_or_else(|| Error::new(format!("the catalog has no list `{key}` in {value}")))?;
    items.iter().map(read).collect()
}

fn text(value: &Value, key: &str) -> Result<String, Error> {
    match value[key].as_str().map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(Error::new(format!("the catalog has no text `{key}` in {value}"))),
    }
}

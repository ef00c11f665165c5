//! JSON that every reader reads alike: no object in it has one key twice. A tool may take the first of two, and what was checked is
//! the last (T4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value that was read so.
pub(super) struct Plain(pub(super) Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Plain(value))) = members.next_entry::<String, Plain>()? {
            if object.contains_key(&key) {
                let key: String = key.chars().take(80).flat_map(char::escape_debug).collect();
                return Err(A::Error::custom(format!("the key \"{key}\" comes twice in one object")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::Plain;

    fn read(text: &str) -> Result<Value, String> {
        serde_json::from_str(text).map(|Plain(value)| value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_that_comes_twice_is_refused_however_it_is_written() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"{"a": 1, "\u0061": 2}"#, r#"[{"b": {"": 1, "": 2}}]"#] {
            assert!(read(text).unwrap_err().contains("comes twice in one object"), "{text}");
        }
        assert!(read(r#"[{"a": 1}, {"a": {"a": 2}}]"#).is_ok());
    }

    proptest! {
        #[test]
        fn everything_else_is_read_as_ever(text in r#"[\[\]{}",:0-9a-c. eE+\-truefalsn\\]{0,24}"#) {
            let (plain, usual) = (read(&text), serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
            if !plain.as_ref().is_err_and(|error| error.contains("comes twice")) {
                prop_assert_eq!(plain, usual);
            }
        }
    }
}

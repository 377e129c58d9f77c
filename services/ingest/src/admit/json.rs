//! JSON read strictly: what two readers could understand differently is refused. Which fields there are is not known here.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

use crate::refusal::Refusal;

/// The JSON object that `bytes` are.
///
/// Refused besides what is no JSON: a key that comes twice in one object (readers differ on which one holds), a NUL in a
/// text (some databases and every C string end there), nesting deeper than serde_json's 128.
pub(super) fn object(bytes: &[u8]) -> Result<Value, Refusal> {
    match serde_json::from_slice(bytes) {
        Ok(Strict(value)) if value.is_object() => Ok(value),
        Ok(_) => Err(Refusal::Malformed("the body must be a JSON object".into())),
        Err(error) => Err(Refusal::Malformed(format!("the body is no JSON we take: {error}"))),
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

fn without_nul<E: Error>(text: String) -> Result<String, E> {
    if text.contains('\0') { Err(E::custom("NUL in a text")) } else { Ok(text) }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
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
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that is none"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        without_nul(text.to_owned()).map(Value::String)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(element)) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom("a key comes twice in one object"));
            }
            map.insert(without_nul(key)?, value);
        }
        Ok(Value::Object(map))
    }
}

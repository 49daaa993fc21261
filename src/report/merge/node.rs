//! JSON that is written as it was read: members keep their order, numbers and texts their spelling.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

/// Deeper documents are no reports.
const DEEPEST: usize = 64;

/// A value of JSON.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Scalar(Box<RawValue>),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn read(text: &str) -> serde_json::Result<Node> {
        Node::read_below(text, DEEPEST)
    }

    fn read_below(text: &str, deepest: usize) -> serde_json::Result<Node> {
        let Some(below) = deepest.checked_sub(1) else {
            return Err(serde_json::Error::custom("it is nested too deeply"));
        };
        let text = text.trim_start();
        match text.as_bytes().first() {
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Ok(Node::List(items.iter().map(|item| Node::read_below(item.get(), below)).collect::<Result<_, _>>()?))
            }
            Some(b'{') => {
                let Members(members) = serde_json::from_str(text)?;
                let member = |(name, value): (String, &RawValue)| Ok((name, Node::read_below(value.get(), below)?));
                Ok(Node::Object(members.into_iter().map(member).collect::<Result<_, _>>()?))
            }
            _ => serde_json::from_str(text).map(Node::Scalar),
        }
    }

    /// A value of our own.
    pub(super) fn of(value: &impl Serialize) -> serde_json::Result<Node> {
        Node::read(&serde_json::to_string(value)?)
    }

    /// What a value says to who knows its form.
    pub(super) fn parse<T: for<'d> Deserialize<'d>>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&self.text())
    }

    /// The value on one line, by which values are compared.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Node::Scalar(raw) => raw.get().parse().ok(),
            Node::List(_) | Node::Object(_) => None,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        match self {
            Node::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            Node::Scalar(_) | Node::List(_) => None,
        }
    }

    /// The same without a member.
    pub(super) fn without(&self, name: &str) -> Node {
        match self {
            Node::Object(members) => Node::Object(members.iter().filter(|(known, _)| known != name).cloned().collect()),
            other => other.clone(),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Scalar(raw) => raw.serialize(serializer),
            Node::List(items) => items.serialize(serializer),
            Node::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

/// The members of an object in their order.
struct Members<'d>(Vec<(String, &'d RawValue)>);

impl<'d> Deserialize<'d> for Members<'d> {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'d> Visitor<'d> for InOrder {
            type Value = Members<'d>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Members<'d>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written() {
        let text = r#"{"b":[1,0.30000000000000004,1e400,{}],"a":{"z":"\u00e4ä","y":null},"c":[]}"#;
        assert_eq!(Node::read(text).unwrap().text(), text);
        for wrong in ["", "{", "[1,]", "{\"a\"}", "nul", "{} {}"] {
            assert!(Node::read(wrong).is_err(), "{wrong}");
        }
        assert!(Node::read(&"[".repeat(100_000)).is_err());
        assert!(Node::read(&format!("{}{}", "[".repeat(80), "]".repeat(80))).is_err());
    }
}

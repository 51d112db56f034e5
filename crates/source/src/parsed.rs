//! The text of a condition together with its tree. It is parsed only once, however many steps use it.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::condition::Node;
use super::words::plain_names;
use super::{Language, Name, idle};

/// A condition: its text, and its tree once it was requested. Copies share both. Conditions are equal if their texts
/// are equal.
#[derive(Clone)]
pub struct Condition(Arc<Parsed>);

struct Parsed {
    text: String,
    tree: OnceLock<Option<Node>>,
}

impl Condition {
    /// A text with the tree that it was parsed into.
    pub fn with_tree(text: String, tree: Node) -> Self {
        Self(Arc::new(Parsed {
            text,
            tree: OnceLock::from(Some(tree)),
        }))
    }

    /// The tree. `None` if the text is not a single expression of the subject's language. Parameters of a macro have
    /// plain names in it.
    pub fn tree(&self, language: Language) -> Option<&Node> {
        let parse = || language.parse(&plain_names(&self.0.text));
        self.0.tree.get_or_init(parse).as_ref()
    }

    /// Whether some part never decides the outcome ([`idle::has_idle_part`]).
    pub fn has_idle_part(&self, language: Language) -> bool {
        self.tree(language).is_some_and(idle::has_idle_part)
    }

    /// Whether the types of these names decide the outcome ([`idle::is_constant_by_type`]).
    pub fn is_constant_by_type(&self, language: Language, names: &[Name]) -> bool {
        self.tree(language)
            .is_some_and(|tree| idle::is_constant_by_type(tree, names))
    }
}

impl Deref for Condition {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl From<String> for Condition {
    fn from(text: String) -> Self {
        Self(Arc::new(Parsed {
            text,
            tree: OnceLock::new(),
        }))
    }
}

impl From<&str> for Condition {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Condition {}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_the_tree_and_parameters_of_macros_are_names() {
        let condition = Condition::from("$a > 1 && $a > 2");
        let copy = condition.clone();
        let tree = condition.tree(Language::Rust).unwrap();
        assert!(std::ptr::eq(tree, copy.tree(Language::Rust).unwrap()));
        assert!(copy.has_idle_part(Language::Rust));
        assert_eq!(Condition::from("a +").tree(Language::Rust), None);
    }
}

//! S-expressions: what solvers answer in.

use std::collections::BTreeMap;

/// A list or a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexpr {
    /// A symbol, number or keyword; quoted symbols without their bars.
    Atom(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads every S-expression of a text; comments are skipped.
    ///
    /// # Errors
    /// If parentheses or bars are not balanced.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let mut open: Vec<Vec<Self>> = vec![Vec::new()];
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (item, length) = match first {
                ';' => (None, rest.find('\n').unwrap_or(rest.len())),
                '(' => {
                    open.push(Vec::new());
                    (None, 1)
                }
                ')' => {
                    let list = open.pop().unwrap_or_default();
                    (Some(Self::List(list)), 1)
                }
                '|' => {
                    let end = rest[1..].find('|').ok_or("a `|` is not closed")?;
                    (Some(Self::Atom(rest[1..=end].to_owned())), end + 2)
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || "();|".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    (Some(Self::Atom(rest[..end].to_owned())), end)
                }
            };
            if let Some(item) = item {
                open.last_mut().ok_or("a `)` closes nothing")?.push(item);
            }
            rest = rest[length..].trim_start();
        }
        match (open.pop(), open.is_empty()) {
            (Some(all), true) => Ok(all),
            _ => Err("a `(` is not closed".to_owned()),
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            Self::Atom(_) => None,
        }
    }

    /// The text of an atom.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Self::Atom(text) => Some(text),
            Self::List(_) => None,
        }
    }

    /// The expression with what every `let` binds put in place of the name.
    pub fn without_lets(&self) -> Self {
        self.with(&BTreeMap::new())
    }

    fn with(&self, bound: &BTreeMap<&str, Self>) -> Self {
        match self {
            Self::Atom(text) => bound.get(text.as_str()).unwrap_or(self).clone(),
            Self::List(items) => match &items[..] {
                [Self::Atom(keyword), Self::List(bindings), body] if keyword == "let" => {
                    let mut inner = bound.clone();
                    for binding in bindings {
                        if let Some([Self::Atom(name), value]) = binding.list() {
                            // All at once: a value does not see the names beside it.
                            inner.insert(name, value.with(bound));
                        }
                    }
                    body.with(&inner)
                }
                _ => Self::List(items.iter().map(|item| item.with(bound)).collect()),
            },
        }
    }

    /// The list as in SMT-LIB, negative numbers being lists.
    pub fn text(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::text).collect();
                format!("({})", items.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_nest_and_quoted_symbols_keep_their_spaces() {
        let read = Sexpr::parse("; c\n(f |a b| (- 1)) x").unwrap();
        assert_eq!(read.len(), 2);
        let items = read[0].list().unwrap();
        assert_eq!(items[1].atom(), Some("a b"));
        assert_eq!(items[2].text(), "(- 1)");
    }

    #[test]
    fn lets_are_replaced_by_what_they_bind() {
        let read = Sexpr::parse("(let ((a (- 1)) (b x)) (let ((x a)) (f a b x)))").unwrap();
        assert_eq!(read[0].without_lets().text(), "(f (- 1) x (- 1))");
    }

    #[test]
    fn what_is_not_balanced_is_refused() {
        assert!(Sexpr::parse("(a").is_err());
        assert!(Sexpr::parse("a)").is_err());
        assert!(Sexpr::parse("|a").is_err());
    }
}

//! S-expressions, the syntax of solvers' answers.

use std::collections::BTreeMap;

/// Maximum nesting of lists, because reading them is recursive. Conditions stay far below it.
const DEEPEST: usize = 100;
/// Maximum number of symbols and lists of an expression after its `let`s are expanded.
pub const MOST: usize = 2000;
/// The message for a larger one.
pub const TOO_LARGE: &str = "it is too large to be a condition";

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
    /// If parentheses or bars are unbalanced, or lists nest too deeply.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let mut open: Vec<Vec<Self>> = vec![Vec::new()];
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (item, length) = match first {
                ';' => (None, rest.find('\n').unwrap_or(rest.len())),
                '(' if open.len() > DEEPEST => {
                    return Err(format!("lists nest more than {DEEPEST} deep"));
                }
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

    /// The expression with every `let` expanded.
    ///
    /// # Errors
    /// If the result is too large, since nested `let`s can grow exponentially.
    pub fn without_lets(&self) -> Result<Self, String> {
        let mut room = MOST;
        self.with(&BTreeMap::new(), &mut room)
            .filter(|whole| whole.depth() <= DEEPEST)
            .ok_or_else(|| TOO_LARGE.to_owned())
    }

    fn with(&self, bound: &BTreeMap<&str, Self>, room: &mut usize) -> Option<Self> {
        match self {
            Self::Atom(text) => {
                let put = bound.get(text.as_str()).unwrap_or(self);
                *room = room.checked_sub(put.size())?;
                Some(put.clone())
            }
            Self::List(items) => match &items[..] {
                [Self::Atom(keyword), Self::List(bindings), body] if keyword == "let" => {
                    let mut inner = bound.clone();
                    for binding in bindings {
                        if let Some([Self::Atom(name), value]) = binding.list() {
                            // `let` is parallel: a value does not see the other names.
                            inner.insert(name, value.with(bound, room)?);
                        }
                    }
                    body.with(&inner, room)
                }
                _ => {
                    *room = room.checked_sub(1)?;
                    let items = items.iter().map(|item| item.with(bound, room));
                    Some(Self::List(items.collect::<Option<_>>()?))
                }
            },
        }
    }

    fn size(&self) -> usize {
        1 + self.items().iter().map(Self::size).sum::<usize>()
    }

    fn depth(&self) -> usize {
        let depths = self.items().iter().map(Self::depth);
        depths.max().map_or(0, |deepest| 1 + deepest)
    }

    fn items(&self) -> &[Self] {
        self.list().unwrap_or_default()
    }

    /// The list as in SMT-LIB, where negative numbers are lists.
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
        let whole = read[0].without_lets().map(|whole| whole.text());
        assert_eq!(whole.as_deref(), Ok("(f (- 1) x (- 1))"));
    }

    #[test]
    fn what_is_too_deep_or_too_large_is_refused() {
        let nested = |depth: usize| "(f ".repeat(depth) + &")".repeat(depth);
        assert!(Sexpr::parse(&nested(DEEPEST)).is_ok());
        assert!(Sexpr::parse(&nested(100_000)).is_err());
        // Each name expands to two of the previous one and one more list.
        let doubled = |times: usize| {
            let name = |at: usize| format!("(let ((n{} (f n{at} n{at}))) ", at + 1);
            let lets: String = (0..times).map(name).collect();
            let text = format!("{lets}n{times}{}", ")".repeat(times));
            Sexpr::parse(&text).unwrap()[0].without_lets()
        };
        assert!(doubled(6).is_ok());
        assert!(doubled(40).is_err());
    }

    #[test]
    fn what_is_not_balanced_is_refused() {
        assert!(Sexpr::parse("(a").is_err());
        assert!(Sexpr::parse("a)").is_err());
        assert!(Sexpr::parse("|a").is_err());
    }
}

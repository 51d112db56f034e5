//! What is known at a site of types: declared ones, and for what has none, what the function does with it. Nothing of the
//! edit itself is looked at.

mod standard;
mod text;

use std::collections::BTreeMap;

use nopol_expr::{IntType, Type};
use nopol_source::condition::{LeafKind, Node, Shape};
use nopol_source::words::{plain_names, words};
use nopol_source::{DataType, Function, Language, Site, Sources};

use self::standard::{QUESTIONS, SIZED, STANDARD, TEXT, TRANSPARENT};
pub use self::text::{bare, variant};
use self::text::{called, head_of, literal};

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar or a text.
    Scalar(Type),
    /// Something with a length.
    Sized,
    /// An `Option`.
    Optional,
    /// A `Result`.
    Fallible,
    /// One of these variants of an enum of this name.
    OneOf(String, Vec<String>),
    /// A struct with this name.
    Struct(String),
}

/// The types around a site.
pub struct Known<'s> {
    sources: &'s Sources,
    function: &'s Function,
    /// The function without white space and references.
    text: String,
    /// By the text of a name, field or call without white space.
    declared: BTreeMap<String, Kind>,
    used: BTreeMap<String, Kind>,
}

impl<'s> Known<'s> {
    /// Those of the function of a site.
    pub fn at(sources: &'s Sources, site: &Site) -> Self {
        let function = &sources.functions[site.function];
        let file = &sources.files[function.file].text;
        let text = file.get(function.span.clone()).unwrap_or_default();
        let mut known = Self {
            sources,
            function,
            text: bare(text),
            declared: BTreeMap::new(),
            used: BTreeMap::new(),
        };
        for name in site.names.iter() {
            let kind = name.ty.as_ref().and_then(|ty| known.of_type(&ty.plain));
            let own = function.owner.as_deref().filter(|_| name.text == "self");
            let kind = kind.or_else(|| known.of_type(own?));
            if let Some(kind) = kind {
                known.declared.insert(name.text.clone(), kind);
            }
        }
        known.observe();
        known
    }

    /// What the conditions and the other lines of the function show.
    fn observe(&mut self) {
        let text = self.sources.files[self.function.file]
            .text
            .get(self.function.span.clone())
            .unwrap_or_default();
        self.lines(text);
        let is_own = |site: &&Site| {
            let function = &self.sources.functions[site.function];
            std::ptr::eq(function, self.function) && site.kind.has_condition()
        };
        let conditions = self.sources.sites.iter().filter(is_own);
        let trees: Vec<Node> = conditions
            .filter_map(|site| Language::Rust.parse(&plain_names(&site.text)))
            .collect();
        // What is compared with something known is known in the next round.
        for _ in 0..3 {
            for tree in &trees {
                self.tree(tree, Some(Type::Bool));
            }
        }
    }

    /// What a condition shows of its operands.
    pub fn tree(&mut self, node: &Node, expected: Option<Type>) {
        match &node.shape {
            Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {}
            Shape::Leaf(_) => {
                let text = bare(&node.text);
                if let Some(ty) = expected
                    && self.of(&text).is_none()
                {
                    self.used.insert(text, Kind::Scalar(ty));
                }
            }
            Shape::Not(a) => self.tree(a, Some(Type::Bool)),
            Shape::And(a, b) | Shape::Or(a, b) => {
                self.tree(a, Some(Type::Bool));
                self.tree(b, Some(Type::Bool));
            }
            Shape::Cmp(_, a, b) => {
                let is_number = |node: &Node| node.text.starts_with(|c: char| c.is_ascii_digit());
                let number = (is_number(a) || is_number(b)).then_some(Type::Int(IntType::Usize));
                let ty = self.scalar(a).or_else(|| self.scalar(b)).or(number);
                for (side, other) in [(a, b), (b, a)] {
                    self.tree(side, ty);
                    if ty.is_none()
                        && matches!(side.shape, Shape::Leaf(_))
                        && let Some((head, variant)) = variant(&other.text)
                    {
                        self.one_of(&side.text, &head, &variant);
                    }
                }
            }
            Shape::Arith(_, a, b) => {
                let ty = self.scalar(a).or_else(|| self.scalar(b)).or(expected);
                let ty = ty.or(Some(Type::Int(IntType::Usize)));
                self.tree(a, ty);
                self.tree(b, ty);
            }
        }
    }

    /// The type of an operand, if it is known.
    pub fn scalar(&self, node: &Node) -> Option<Type> {
        match &node.shape {
            Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => literal(&leaf.text),
            Shape::Leaf(_) => match self.of(&bare(&node.text))? {
                Kind::Scalar(ty) => Some(ty),
                _ => None,
            },
            Shape::Arith(_, a, b) => self.scalar(a).or_else(|| self.scalar(b)),
            _ => Some(Type::Bool),
        }
    }

    fn one_of(&mut self, text: &str, head: &str, variant: &str) {
        let text = bare(text);
        let known = self.of(&text);
        match known {
            None => {
                let kind = self.of_type(head).unwrap_or_else(|| {
                    Kind::OneOf(head.to_owned(), vec![variant.to_owned(), String::new()])
                });
                self.used.insert(text, kind);
            }
            Some(Kind::OneOf(name, mut variants)) if !variants.iter().any(|it| it == variant) => {
                variants.push(variant.to_owned());
                self.used.insert(text, Kind::OneOf(name, variants));
            }
            Some(_) => {}
        }
    }

    /// What lines of code show: bindings of something known, and what is done with a name.
    fn lines(&mut self, text: &str) {
        let number = Kind::Scalar(Type::Int(IntType::Usize));
        for line in text.lines() {
            let line = line.trim();
            let binding = line
                .strip_prefix("let ")
                .and_then(|it| it.split_once(" = "));
            if let Some((name, value)) = binding {
                let name = name.trim_start_matches("mut ");
                let value = value.trim_end_matches(';');
                let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                if is_name && !value.is_empty() && self.of(name).is_none() {
                    let tree = Language::Rust.parse(value);
                    let scalar = tree.as_ref().and_then(|tree| self.scalar(tree));
                    let kind = scalar.map(Kind::Scalar).or_else(|| self.of(&bare(value)));
                    if let Some(kind) = kind {
                        self.used.insert(name.to_owned(), kind);
                    }
                }
            }
            for range in words(line) {
                let name = &line[range.clone()];
                let (before, after) = (&line[..range.start], &line[range.end..]);
                let is_name = name.starts_with(|c: char| c.is_lowercase() || c == '_');
                if !is_name || before.ends_with('.') || self.of(name).is_some() {
                    continue;
                }
                let is_number = [" += ", " -= ", " as ", ".."]
                    .iter()
                    .any(|op| after.starts_with(op))
                    || before.ends_with("..")
                    || before.ends_with('[') && after.starts_with(']');
                let kind = match () {
                    () if is_number && !before.ends_with("let ") => number.clone(),
                    () if after.starts_with(".len()") || after.starts_with(".is_empty()") => {
                        Kind::Sized
                    }
                    () if after.starts_with(".is_some()") || after.starts_with(".is_none()") => {
                        Kind::Optional
                    }
                    () if after.starts_with(".is_ok()") || after.starts_with(".is_err()") => {
                        Kind::Fallible
                    }
                    () => continue,
                };
                self.used.insert(name.to_owned(), kind);
            }
        }
    }

    /// What a name, a field, an element or a call is, by its text without white space.
    pub fn of(&self, text: &str) -> Option<Kind> {
        if let Some(kind) = self.declared.get(text).or_else(|| self.used.get(text)) {
            return Some(kind.clone());
        }
        if text.starts_with("matches!(") {
            return Some(Kind::Scalar(Type::Bool));
        }
        if let Some(base) = text.strip_suffix(']') {
            let (of, _) = base.split_once('[')?;
            let plain = self.plain_of(of)?;
            let element = plain
                .strip_prefix("Vec<")
                .and_then(|it| it.strip_suffix('>'));
            let slice = plain
                .strip_prefix('[')
                .map(|it| it.split([';', ']']).next().unwrap_or_default());
            return self.of_type(element.or(slice)?);
        }
        if text.ends_with(')') {
            return self.of_call(text);
        }
        let (base, field) = text.rsplit_once('.')?;
        if field.contains(['(', '"', '\'']) {
            return None;
        }
        let of_base = match self.of(base) {
            Some(Kind::Struct(name)) => Some(name),
            _ => None,
        };
        let types = self.sources.types.iter();
        let owners = types.filter(|ty| of_base.as_ref().is_none_or(|name| ty.name == *name));
        let mut kinds = owners
            .flat_map(|ty| &ty.fields)
            .filter(|(name, _)| name == field && !field.starts_with(|c: char| c.is_ascii_digit()))
            .map(|(_, ty)| self.of_type(&ty.plain));
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first).flatten()
    }

    /// The declared type of a name or a field.
    fn plain_of(&self, text: &str) -> Option<String> {
        let (_, field) = text.rsplit_once('.').unwrap_or(("", text));
        let parameters = self.function.parameters.iter();
        let mut named = parameters.filter(|name| name.text == text);
        let own = named.find_map(|name| Some(name.ty.as_ref()?.plain.clone()));
        let types = self.sources.types.iter();
        let mut fields = types.flat_map(|ty| &ty.fields);
        own.or_else(|| Some(fields.find(|(name, _)| name == field)?.1.plain.clone()))
    }

    fn of_call(&self, text: &str) -> Option<Kind> {
        let (head, _) = called(text)?;
        let start = head
            .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
            .len();
        let name = &head[start..];
        let scalar = |ty| Some(Kind::Scalar(ty));
        match name {
            "len" | "count" | "capacity" => return scalar(Type::Int(IntType::Usize)),
            "is_empty" | "is_some" | "is_none" | "is_ok" | "is_err" => return scalar(Type::Bool),
            _ => {}
        }
        let callables = self.sources.callables.iter();
        let mut returned = callables
            .filter(|callable| callable.name == name)
            .map(|callable| &callable.returns);
        if let Some(first) = returned.next() {
            let is_one = returned.all(|other| other == first);
            return is_one.then(|| self.of_type(first)).flatten();
        }
        let is_question = QUESTIONS.iter().any(|word| name.starts_with(word));
        is_question.then_some(Kind::Scalar(Type::Bool))
    }

    /// Whether a call would compile, as far as the sources show: it stands in the function, or its receiver and its arguments
    /// have the types that are declared. Generators guess, and leave it to the compiler.
    pub fn compiles(&self, text: &str) -> bool {
        let text = bare(text);
        let Some((head, arguments)) = called(&text) else {
            return true;
        };
        if self.text.contains(&text) {
            return true;
        }
        let (receiver, name) = match head.rsplit_once('.') {
            Some((receiver, name)) => (Some(receiver), name),
            None => (None, head.rsplit("::").next().unwrap_or(head)),
        };
        if STANDARD.contains(&name) {
            return receiver.is_some_and(|of| self.answers(of, name));
        }
        let receiver_is = receiver.and_then(|of| self.type_name(of));
        let mut callables = self.sources.callables.iter();
        callables.any(|it| {
            let has_receiver = match receiver {
                Some(_) => it.is_method && it.owner.is_some() && it.owner == receiver_is,
                None => !it.is_method,
            };
            let arguments = arguments.iter().zip(&it.parameters);
            it.name == name
                && has_receiver
                && arguments.len() == it.parameters.len()
                && arguments.into_iter().all(|(argument, wanted)| {
                    let wanted = wanted.as_ref().map(|ty| head_of(&ty.plain));
                    wanted.is_some() && self.type_name(argument).as_deref() == wanted
                })
        })
    }

    /// Whether a value has a method of the standard library.
    fn answers(&self, of: &str, name: &str) -> bool {
        let is_of_character = name.starts_with("is_ascii") || name.ends_with("numeric");
        match self.of(of) {
            Some(Kind::Scalar(Type::Str)) => TEXT.contains(&name),
            Some(Kind::Scalar(Type::Char)) => is_of_character || name.ends_with("case"),
            Some(Kind::Scalar(Type::Int(IntType::U8))) => name.starts_with("is_ascii"),
            Some(Kind::Scalar(Type::F32 | Type::F64)) => {
                name.contains("nan") || name.contains("finite")
            }
            Some(Kind::Sized) => ["len", "is_empty", "contains", "contains_key"].contains(&name),
            Some(Kind::Optional) => ["is_some", "is_none"].contains(&name),
            Some(Kind::Fallible) => ["is_ok", "is_err"].contains(&name),
            Some(_) | None => false,
        }
    }

    /// Whether every call of a condition is of something that the sources or the standard library have.
    pub fn names_callables(&self, node: &Node) -> bool {
        let is_known = |text: &str| {
            let text = bare(text);
            let Some((head, _)) = called(&text) else {
                return true;
            };
            let name = head.rsplit(['.', ':']).next().unwrap_or(head);
            let mut callables = self.sources.callables.iter();
            text.starts_with("matches!")
                || self.text.contains(&format!("{name}("))
                || STANDARD.contains(&name)
                || callables.any(|it| it.name == name)
        };
        node.leaves().iter().all(|leaf| is_known(&leaf.text))
    }

    /// The name of the type of an operand, without its parameters.
    fn type_name(&self, text: &str) -> Option<String> {
        if text == "self" {
            return self.function.owner.clone();
        }
        match self.of(text)? {
            Kind::Scalar(ty) => Some(ty.name().to_owned()),
            Kind::OneOf(name, _) | Kind::Struct(name) => Some(name),
            Kind::Sized | Kind::Optional | Kind::Fallible => {
                Some(head_of(&self.plain_of(text)?).to_owned())
            }
        }
    }

    /// What values of a type are.
    pub fn of_type(&self, plain: &str) -> Option<Kind> {
        let plain = plain.trim_start_matches(['&', '*']).trim();
        let plain = plain.strip_prefix("mut ").unwrap_or(plain);
        if let Some(ty) = Type::from_name(plain) {
            return Some(Kind::Scalar(ty));
        }
        if plain == "Self" {
            return self.of_type(self.function.owner.as_deref()?);
        }
        if plain.starts_with('[') {
            return Some(Kind::Sized);
        }
        let (head, inside) = match plain.split_once('<') {
            Some((head, rest)) => (head, rest.strip_suffix('>').unwrap_or(rest)),
            None => (plain, ""),
        };
        let head = head.rsplit("::").next().unwrap_or(head);
        if TRANSPARENT.contains(&head) && !inside.is_empty() {
            return self.of_type(inside.trim_start_matches('_').trim_start_matches(','));
        }
        match head {
            "Option" => return Some(Kind::Optional),
            "Result" => return Some(Kind::Fallible),
            head if SIZED.contains(&head) => return Some(Kind::Sized),
            _ => {}
        }
        let types = self.sources.types.iter();
        let declared: &DataType = types.into_iter().find(|ty| ty.name == head)?;
        let variants = declared.variants.iter().map(|it| it.name.clone());
        Some(match declared.variants.is_empty() {
            true => Kind::Struct(head.to_owned()),
            false => Kind::OneOf(head.to_owned(), variants.collect()),
        })
    }

    /// The fields of a struct, with their types.
    pub fn fields(&self, name: &str) -> &'s [(String, nopol_source::DeclaredType)] {
        let types = self.sources.types.iter();
        types
            .into_iter()
            .find(|ty| ty.name == name)
            .map_or(&[], |ty| &ty.fields)
    }

    /// Whether the variants of an enum are compared with `==`, and the text that follows one in a pattern.
    pub fn variant(&self, name: &str, variant: &str) -> (bool, &'static str) {
        let found = self.sources.types.iter().find(|ty| ty.name == name);
        let rest = found.and_then(|ty| {
            let of = ty.variants.iter().find(|it| it.name == variant);
            of.map(|it| (ty.is_comparable && it.rest.is_empty(), it.rest))
        });
        rest.unwrap_or((true, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::edits::read;

    const TEXT: &str = "
enum Mode { Fast, Slow }
struct Item { mode: Mode, size: usize, name: String, next: Option<u8> }
impl Item { fn is_full(&self, by: usize) -> bool { self.size > by } }
fn f(item: &Item, at: usize, list: &[u8]) -> usize {
    let rest = list.len();
    let mut count = g(at);
    count += 1;
    let other = h();
    if rest > 2 && item.is_full(at) { return 1; }
    if other == Mode::Fast { return 2; }
    1
}
";

    #[test]
    fn types_are_declared_or_follow_from_what_the_function_does() {
        let sources = read(TEXT).unwrap();
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text.starts_with("rest >")).unwrap();
        let known = Known::at(&sources, site);
        let number = Some(Kind::Scalar(Type::Int(IntType::Usize)));
        for text in ["at", "item.size", "rest", "count", "list.len()"] {
            assert_eq!(known.of(text), number, "{text}");
        }
        assert_eq!(known.of("item.next"), Some(Kind::Optional));
        assert_eq!(known.of("item.name"), Some(Kind::Scalar(Type::Str)));
        assert_eq!(known.of("list"), Some(Kind::Sized));
        assert!(matches!(known.of("other"), Some(Kind::OneOf(name, _)) if name == "Mode"));
        assert_eq!(known.of("nothing"), None);
    }

    #[test]
    fn what_would_not_compile_is_no_term() {
        let sources = read(TEXT).unwrap();
        let site = sources
            .sites
            .iter()
            .find(|site| site.text.starts_with("rest >"));
        let known = Known::at(&sources, site.unwrap());
        for text in [
            "item.is_full(rest)",
            "item.name.starts_with(\"x\")",
            "g(at)",
        ] {
            assert!(known.compiles(text), "{text}");
        }
        for text in [
            "at.is_full(rest)",
            "item.is_full(list)",
            "list.starts_with(\"x\")",
        ] {
            assert!(!known.compiles(text), "{text}");
        }
    }
}

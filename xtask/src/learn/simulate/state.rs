//! What can be read at a site, as independent variables and what follows from each: the length of something and whether it
//! is empty are one variable.

use std::collections::BTreeMap;

use nopol_expr::{CmpOp, Int, IntType, Origin, TextPart, Type, Value};
use nopol_source::condition::{LeafKind, Node, Shape};
use nopol_source::words::plain_names;
use nopol_source::{Language, Site, Sources, candidate_terms};

use super::known::{Kind, Known, bare, variant};

/// An independent value.
#[derive(Clone, Debug)]
pub struct Variable {
    pub domain: Domain,
    /// It has one value in all contexts of a case.
    pub is_fixed: bool,
}

/// The values that a variable may have.
#[derive(Clone, Debug)]
pub enum Domain {
    Of(Type),
    /// So many variants: the number of the variant.
    Variants(usize),
}

/// How a reading follows from its variable.
#[derive(Clone, Debug)]
enum Reading {
    Itself,
    /// Whether it does not hold.
    Not,
    /// Whether a length is 0.
    IsZero,
    /// Of a text.
    Length,
    IsEmpty,
    /// Whether it is one of these variants, by their numbers.
    Is(Vec<usize>),
}

/// One value of each variable.
pub type Context = Vec<Value>;

/// Something in a condition that the state does not have.
#[derive(Clone, Copy, Debug)]
pub struct Unknown;

/// What can be read at a site.
#[derive(Default)]
pub struct State {
    pub variables: Vec<Variable>,
    /// By text without white space.
    readings: BTreeMap<String, (usize, Reading)>,
    /// The variants of the enums, by the text of what has one.
    variants: BTreeMap<String, (usize, Vec<String>)>,
    /// The expressions that a run would record, as written.
    pub recorded: Vec<(String, Node)>,
}

/// Fields of fields of what is visible.
const DEEPEST: usize = 2;
/// Fields of one struct.
const MOST_FIELDS: usize = 30;
/// Variants of an enum that are read each.
const MOST_VARIANTS: usize = 16;

impl State {
    /// What a run would record at a site: visible names with their fields and queries, the operands of the condition, and the
    /// candidate terms.
    pub fn at(sources: &Sources, site: &Site, known: &mut Known) -> Self {
        let mut state = Self::default();
        if let Some(tree) = Language::Rust.parse(&plain_names(&site.text))
            && site.kind.has_condition()
        {
            known.tree(&tree, Some(Type::Bool));
            for leaf in tree.leaves() {
                if leaf.kind != LeafKind::Literal {
                    state.operand(known, &leaf.text, true);
                }
            }
            state.comparisons(&tree, true);
        }
        for name in site.names.iter() {
            if let Some(kind) = known.of(&name.text) {
                state.add(known, &name.text, &kind, DEEPEST, true);
            }
        }
        let named = constants(sources);
        for offer in candidate_terms::at(sources, site) {
            let Some(tree) = Language::Rust.parse(&offer.text) else {
                continue;
            };
            if offer.origin == Origin::Named {
                state.constant(known, &offer.text, &named);
            }
            // What does not compile is not recorded.
            if !tree.leaves().iter().all(|leaf| known.compiles(&leaf.text)) {
                continue;
            }
            match &tree.shape {
                Shape::Leaf(_) => state.operand(known, &offer.text, true),
                _ => {
                    for leaf in tree.leaves() {
                        if leaf.kind != LeafKind::Literal {
                            state.operand(known, &leaf.text, false);
                        }
                    }
                    state.comparisons(&tree, true);
                    state.record(&offer.text);
                }
            }
        }
        state
    }

    /// Makes the operands of a condition readable that has them in addition.
    pub fn extend(&mut self, known: &mut Known, tree: &Node) {
        known.tree(tree, Some(Type::Bool));
        for leaf in tree.leaves() {
            if leaf.kind != LeafKind::Literal {
                self.operand(known, &leaf.text, false);
            }
        }
        self.comparisons(tree, false);
    }

    /// Adds an operand as far as its type is known.
    fn operand(&mut self, known: &Known, text: &str, is_recorded: bool) {
        if self.readings.contains_key(&bare(text)) {
            if is_recorded {
                self.record(text);
            }
            return;
        }
        // What a question asks about is a variable of its own.
        let queries = [
            (".len()", Kind::Sized),
            (".is_empty()", Kind::Sized),
            (".is_some()", Kind::Optional),
            (".is_none()", Kind::Optional),
            (".is_ok()", Kind::Fallible),
            (".is_err()", Kind::Fallible),
        ];
        for (query, kind) in queries {
            if let Some(of) = text.strip_suffix(query) {
                let kind = match known.of(&bare(of)) {
                    Some(Kind::Scalar(Type::Str)) => Kind::Scalar(Type::Str),
                    _ => kind,
                };
                self.add(known, of, &kind, 0, is_recorded);
                return;
            }
        }
        if let Some((of, patterns)) = matched(text) {
            if let Some(kind @ Kind::OneOf(..)) = known.of(&bare(of)) {
                self.add(known, of, &kind, 0, is_recorded);
            }
            if let Some((at, variants)) = self.variants.get(&bare(of)).cloned()
                && let Some(numbers) = numbers(&variants, &patterns)
            {
                self.readings.insert(bare(text), (at, Reading::Is(numbers)));
                return;
            }
        }
        if let Some(kind) = known.of(&bare(text)) {
            self.add(known, text, &kind, 0, is_recorded);
        }
    }

    /// Adds whole comparisons of what cannot be read.
    fn comparisons(&mut self, tree: &Node, is_recorded: bool) {
        for (whole, op, a, b) in tree.compared() {
            if op.orders() || self.is_readable(whole) {
                continue;
            }
            let spelled = |op: CmpOp| bare(&format!("{}{}{}", a.text, op.token(), b.text));
            let at = self.variable(Domain::Of(Type::Bool));
            self.readings.insert(spelled(op), (at, Reading::Itself));
            self.readings
                .insert(spelled(op.negated()), (at, Reading::Not));
            if is_recorded {
                self.record(&whole.text);
            }
        }
    }

    fn variable(&mut self, domain: Domain) -> usize {
        self.variables.push(Variable {
            domain,
            is_fixed: false,
        });
        self.variables.len() - 1
    }

    fn add(&mut self, known: &Known, text: &str, kind: &Kind, deepest: usize, is_recorded: bool) {
        let key = bare(text);
        let mut readings: Vec<(String, Reading)> = Vec::new();
        let method = |name: &str| format!("{text}.{name}()");
        let domain = match kind {
            Kind::Scalar(Type::Str) => {
                readings.push((text.to_owned(), Reading::Itself));
                readings.push((method("len"), Reading::Length));
                readings.push((method("is_empty"), Reading::IsEmpty));
                Domain::Of(Type::Str)
            }
            Kind::Scalar(ty) => {
                readings.push((text.to_owned(), Reading::Itself));
                Domain::Of(*ty)
            }
            Kind::Sized => {
                readings.push((method("len"), Reading::Itself));
                readings.push((method("is_empty"), Reading::IsZero));
                Domain::Of(Type::Int(IntType::Usize))
            }
            Kind::Optional => {
                readings.push((method("is_some"), Reading::Itself));
                readings.push((method("is_none"), Reading::Not));
                Domain::Of(Type::Bool)
            }
            Kind::Fallible => {
                readings.push((method("is_ok"), Reading::Itself));
                readings.push((method("is_err"), Reading::Not));
                Domain::Of(Type::Bool)
            }
            Kind::OneOf(name, variants) => {
                if self.variants.contains_key(&key) {
                    return;
                }
                for (nth, one) in variants.iter().enumerate().take(MOST_VARIANTS) {
                    let (is_compared, rest) = known.variant(name, one);
                    let text = match is_compared {
                        _ if one.is_empty() => continue,
                        true => format!("{text} == {name}::{one}"),
                        false => format!("matches!({text}, {name}::{one}{rest})"),
                    };
                    readings.push((text, Reading::Is(vec![nth])));
                }
                Domain::Variants(variants.len())
            }
            Kind::Struct(name) => {
                if deepest > 0 {
                    for (field, ty) in known.fields(name).iter().take(MOST_FIELDS) {
                        if let Some(kind) = known.of_type(&ty.plain) {
                            let text = format!("{text}.{field}");
                            self.add(known, &text, &kind, deepest - 1, is_recorded);
                        }
                    }
                }
                return;
            }
        };
        let is_known = readings
            .iter()
            .all(|(text, _)| self.readings.contains_key(&bare(text)));
        if !is_known {
            let at = self.variable(domain);
            if let Kind::OneOf(_, variants) = kind {
                self.variants.insert(key, (at, variants.clone()));
            }
            for (text, reading) in &readings {
                self.readings.insert(bare(text), (at, reading.clone()));
            }
        }
        if is_recorded {
            for (text, _) in &readings {
                self.record(text);
            }
        }
    }

    /// A named constant of the sources has one value.
    fn constant(&mut self, known: &Known, text: &str, named: &BTreeMap<&str, (&str, &str)>) {
        let name = text.rsplit("::").next().unwrap_or(text);
        let Some((ty, _)) = named.get(name) else {
            return;
        };
        if let Some(kind @ Kind::Scalar(_)) = known.of_type(ty) {
            self.add(known, text, &kind, 0, true);
            if let Some((at, _)) = self.readings.get(&bare(text)) {
                self.variables[*at].is_fixed = true;
            }
        }
    }

    fn record(&mut self, text: &str) {
        if self.recorded.iter().any(|(known, _)| known == text) {
            return;
        }
        if let Some(tree) = Language::Rust.parse(text)
            && self.is_readable(&tree)
        {
            self.recorded.push((text.to_owned(), tree));
        }
    }

    /// Whether a condition or an operand can be computed.
    pub fn is_readable(&self, node: &Node) -> bool {
        let context: Context = self
            .variables
            .iter()
            .map(|variable| sample(&variable.domain))
            .collect();
        self.value(node, None, &context).is_ok()
    }

    /// The value in a context; `None` if it is undefined.
    ///
    /// # Errors
    /// If it reads something that the state does not have.
    pub fn value(
        &self,
        node: &Node,
        expected: Option<Type>,
        context: &Context,
    ) -> Result<Option<Value>, Unknown> {
        let truth = |node: &Node| -> Result<Option<bool>, Unknown> {
            match self.value(node, Some(Type::Bool), context)? {
                Some(Value::Bool(value)) => Ok(Some(value)),
                Some(_) => Err(Unknown),
                None => Ok(None),
            }
        };
        Ok(match &node.shape {
            Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {
                let types = [
                    expected,
                    Some(Type::Int(IntType::Usize)),
                    Some(Type::Int(IntType::I64)),
                    Some(Type::Bool),
                    Some(Type::Char),
                    Some(Type::Str),
                    Some(Type::F64),
                ];
                let mut read = types.into_iter().flatten();
                let value = read.find_map(|ty| Language::Rust.constant(&leaf.text, ty));
                Some(value.ok_or(Unknown)?)
            }
            Shape::Leaf(_) => match self.asked(&node.text, context) {
                Some(answer) => Some(Value::Bool(answer)),
                None => self.reading(&bare(&node.text), context)?,
            },
            Shape::Not(a) => truth(a)?.map(|it| Value::Bool(!it)),
            Shape::And(a, b) | Shape::Or(a, b) => {
                let is_and = matches!(node.shape, Shape::And(..));
                let (first, second) = (truth(a)?, truth(b)?);
                match first {
                    Some(value) if value == is_and => second.map(Value::Bool),
                    first => first.map(Value::Bool),
                }
            }
            Shape::Cmp(op, a, b) => match self.compared(*op, a, b, context) {
                Ok(outcome) => outcome.map(Value::Bool),
                Err(_) => {
                    let text = bare(&format!("{}{}{}", a.text, op.token(), b.text));
                    self.reading(&text, context)?
                }
            },
            Shape::Arith(op, a, b) => {
                let (a, b) = self.pair(a, b, expected, context)?;
                match (a, b) {
                    (Some(a), Some(b)) => a.arith(*op, &b),
                    _ => None,
                }
            }
        })
    }

    fn compared(
        &self,
        op: CmpOp,
        a: &Node,
        b: &Node,
        context: &Context,
    ) -> Result<Option<bool>, Unknown> {
        for (side, other) in [(a, b), (b, a)] {
            if let Some((at, variants)) = self.variants.get(&bare(&side.text)) {
                let (_, name) = variant(&other.text).ok_or(Unknown)?;
                let number = variants.iter().position(|it| *it == name).ok_or(Unknown)?;
                let is_it = context[*at] == number_of(number);
                return match op {
                    CmpOp::Eq => Ok(Some(is_it)),
                    CmpOp::Ne => Ok(Some(!is_it)),
                    _ => Err(Unknown),
                };
            }
        }
        match self.pair(a, b, None, context)? {
            (Some(a), Some(b)) => a.compare(op, &b).map(Some).ok_or(Unknown),
            _ => Ok(None),
        }
    }

    /// Two operands of one type.
    fn pair(
        &self,
        a: &Node,
        b: &Node,
        expected: Option<Type>,
        context: &Context,
    ) -> Result<(Option<Value>, Option<Value>), Unknown> {
        let is_literal = |node: &Node| {
            let mut leaves = node.leaves().into_iter();
            leaves.all(|leaf| leaf.kind == LeafKind::Literal)
        };
        let ty = |value: &Option<Value>| value.as_ref().map(Value::ty);
        let (a, b) = match is_literal(a) {
            true => {
                let b = self.value(b, expected, context)?;
                (self.value(a, ty(&b).or(expected), context)?, b)
            }
            false => {
                let a = self.value(a, expected, context)?;
                let b = self.value(b, ty(&a).or(expected), context)?;
                (a, b)
            }
        };
        // The types of some are guessed.
        let b = match (ty(&a), b) {
            (Some(wanted @ Type::Int(_)), Some(Value::Int(_, value))) => {
                let Type::Int(int) = wanted else {
                    return Err(Unknown);
                };
                value.fits(int).then_some(Value::Int(int, value))
            }
            (_, b) => b,
        };
        Ok((a, b))
    }

    /// Whether a text begins, ends or has a literal, if that is what is asked.
    fn asked(&self, text: &str, context: &Context) -> Option<bool> {
        let parts = [TextPart::Start, TextPart::End, TextPart::Anywhere];
        parts.into_iter().find_map(|part| {
            let (of, rest) = text.rsplit_once(&format!(".{}(", part.method()))?;
            let literal = rest.strip_suffix(')')?;
            let of = self.reading(&bare(of), context).ok()??;
            let asked = Language::Rust.constant(literal, Type::Str);
            let asked = asked.or_else(|| Language::Rust.constant(literal, Type::Char))?;
            match (of, asked) {
                (Value::Str(of), Value::Str(asked)) => Some(part.has(&of, &asked)),
                (Value::Str(of), Value::Char(asked)) => Some(part.has(&of, &asked.to_string())),
                _ => None,
            }
        })
    }

    fn reading(&self, text: &str, context: &Context) -> Result<Option<Value>, Unknown> {
        let (at, reading) = self.readings.get(text).ok_or(Unknown)?;
        let value = &context[*at];
        let zero = |value: &Value| *value == number_of(0);
        Ok(Some(match (reading, value) {
            (Reading::Itself, value) => value.clone(),
            (Reading::Not, Value::Bool(value)) => Value::Bool(!value),
            (Reading::IsZero, value) => Value::Bool(zero(value)),
            (Reading::Length, Value::Str(text)) => number_of(text.len()),
            (Reading::IsEmpty, Value::Str(text)) => Value::Bool(text.is_empty()),
            (Reading::Is(numbers), value) => {
                Value::Bool(numbers.iter().any(|it| *value == number_of(*it)))
            }
            _ => return Err(Unknown),
        }))
    }
}

/// A number without a sign.
pub fn number_of(number: usize) -> Value {
    Value::Int(IntType::Usize, Int::from_u128(number as u128))
}

/// Any value.
fn sample(domain: &Domain) -> Value {
    match domain {
        Domain::Of(Type::Bool) => Value::Bool(true),
        Domain::Of(Type::Int(int)) => Value::Int(*int, Int::from_i128(1)),
        Domain::Of(Type::F32) => Value::F32(1.0_f32.to_bits()),
        Domain::Of(Type::F64) => Value::F64(1.0_f64.to_bits()),
        Domain::Of(Type::Char) => Value::Char('a'),
        Domain::Of(Type::Str) => Value::Str("a".into()),
        Domain::Variants(_) => number_of(0),
    }
}

/// What `matches!` looks at, and its patterns.
fn matched(text: &str) -> Option<(&str, Vec<&str>)> {
    let inside = text.strip_prefix("matches!(")?.strip_suffix(')')?;
    let (of, patterns) = inside.split_once(',')?;
    Some((of.trim(), patterns.split('|').map(str::trim).collect()))
}

/// The numbers of the variants that patterns name.
fn numbers(variants: &[String], patterns: &[&str]) -> Option<Vec<usize>> {
    let number = |pattern: &&str| {
        let (_, name) = variant(pattern)?;
        variants.iter().position(|it| *it == name)
    };
    patterns.iter().map(number).collect()
}

/// The constants of the sources, by name: their types and values as written.
fn constants(sources: &Sources) -> BTreeMap<&str, (&str, &str)> {
    let mut found = BTreeMap::new();
    for line in sources.files.iter().flat_map(|file| file.text.lines()) {
        let Some((_, rest)) = line.split_once("const ") else {
            continue;
        };
        if let Some((name, rest)) = rest.split_once(':')
            && let Some((ty, value)) = rest.split_once('=')
        {
            found.insert(name.trim(), (ty.trim(), value.trim().trim_end_matches(';')));
        }
    }
    found
}

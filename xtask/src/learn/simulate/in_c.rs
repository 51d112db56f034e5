//! The values at a site of a C program: each operand is a number or a pointer of its own, by its declared type or, where that is
//! not known, by what the function does with it.

use std::collections::BTreeMap;

use nopol_expr::{ArithOp, Int, IntType, Type, Value};
use nopol_process::run::trace::{Read, Step};
use nopol_source::condition::{LeafKind, Node, Shape};
use nopol_source::{Language, Site, Sources, candidate_terms};

use super::state::{Context, Domain, Variable};
use super::values::Values;

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Whether it is null is all that is known.
    Pointer,
    Number(IntType),
    /// A comparison of pointers.
    Truth,
}

/// An operand that has a value.
#[derive(Clone, Copy)]
struct Known {
    variable: usize,
    kind: Kind,
}

/// Something that has no value here.
struct Unknown;

/// The values at one site.
pub struct InC<'s> {
    sources: &'s Sources,
    site: &'s Site,
    /// The function without white space.
    text: String,
    variables: Vec<Variable>,
    /// By text without white space.
    known: BTreeMap<String, Known>,
    /// What a run would record, as written.
    recorded: Vec<String>,
}

impl<'s> InC<'s> {
    /// What a run would record at a site: visible names, the operands of the condition, and the candidate terms.
    pub fn at(sources: &'s Sources, site: &'s Site) -> Self {
        let function = &sources.functions[site.function];
        let text = &sources.files[function.file].text;
        let mut values = Self {
            sources,
            site,
            text: bare(text.get(function.span.clone()).unwrap_or_default()),
            variables: Vec::new(),
            known: BTreeMap::new(),
            recorded: Vec::new(),
        };
        let condition = site.kind.has_condition().then_some(site.text.as_str());
        let names = site.names.iter().map(|name| name.text.clone());
        let offers = candidate_terms::at(sources, site).into_iter();
        let texts = condition.map(str::to_owned).into_iter().chain(names);
        for text in texts.chain(offers.map(|offer| offer.text)) {
            if let Some(tree) = Language::C.parse(&text) {
                values.add(&tree, true);
            }
        }
        values
    }

    /// Adds the operands of an expression.
    fn add(&mut self, node: &Node, is_recorded: bool) {
        match &node.shape {
            Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {}
            Shape::Leaf(_) => {
                let kind = self.kind(&bare(&node.text));
                self.operand(&node.text, kind, is_recorded);
            }
            Shape::Not(a) => self.add(a, is_recorded),
            Shape::And(a, b) | Shape::Or(a, b) | Shape::Arith(_, a, b) => {
                self.add(a, is_recorded);
                self.add(b, is_recorded);
            }
            Shape::Cmp(_, a, b) => {
                self.add(a, is_recorded);
                self.add(b, is_recorded);
                if self.are_pointers(a, b) {
                    self.operand(&node.text, Kind::Truth, is_recorded);
                }
            }
        }
    }

    fn operand(&mut self, text: &str, kind: Kind, is_recorded: bool) {
        let key = bare(text);
        if matches!(&*key, "NULL" | "true" | "false" | "TRUE" | "FALSE") {
            return;
        }
        if !self.known.contains_key(&key) {
            self.variables.push(Variable {
                domain: Domain::Of(match kind {
                    Kind::Pointer | Kind::Truth => Type::Bool,
                    Kind::Number(int) => Type::Int(int),
                }),
                is_fixed: self.is_constant(&key),
            });
            let variable = self.variables.len() - 1;
            self.known.insert(key, Known { variable, kind });
        }
        if is_recorded && !self.recorded.iter().any(|known| known == text) {
            self.recorded.push(text.to_owned());
        }
    }

    fn are_pointers(&self, a: &Node, b: &Node) -> bool {
        let is_pointer = |node: &Node| {
            let known = self.known.get(&bare(&node.text));
            known.is_some_and(|known| known.kind == Kind::Pointer)
        };
        is_pointer(a) && is_pointer(b)
    }

    fn is_constant(&self, text: &str) -> bool {
        let is_named = self.sources.constants.iter().any(|it| it.name == text);
        let is_upper = text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        is_named || is_upper
    }

    fn kind(&self, text: &str) -> Kind {
        if self.is_constant(text) {
            return Kind::Number(IntType::I32);
        }
        self.declared(text)
            .and_then(|ty| self.of_type(&ty))
            .unwrap_or_else(|| {
                let is_pointer = [
                    format!("{text}->"),
                    format!("{text}==NULL"),
                    format!("{text}!=NULL"),
                ];
                match is_pointer.iter().any(|used| self.text.contains(used)) {
                    true => Kind::Pointer,
                    false => Kind::Number(IntType::I32),
                }
            })
    }

    /// The declared type of an operand.
    fn declared(&self, text: &str) -> Option<String> {
        if let Some(name) = self.site.names.iter().find(|name| name.text == text) {
            return Some(name.ty.as_ref()?.plain.clone());
        }
        if let Some(of) = text.strip_prefix('*') {
            return Some(self.declared(of)?.strip_suffix('*')?.to_owned());
        }
        if let Some((of, _)) = text
            .strip_suffix(']')
            .and_then(|text| text.rsplit_once('['))
        {
            let ty = self.declared(of)?;
            let element = ty.strip_suffix('*').or_else(|| Some(ty.split_once('[')?.0));
            return element.map(str::to_owned);
        }
        if text.ends_with(')') {
            let (name, _) = text.split_once('(')?;
            if name == "strlen" || name == "sizeof" {
                return Some("size_t".to_owned());
            }
            let callable = self.sources.callables.iter().find(|it| it.name == name)?;
            return Some(callable.returns.clone());
        }
        let field = text
            .rsplit(['.', '>'])
            .next()
            .filter(|field| field.len() < text.len())?;
        let mut fields = self.sources.types.iter().flat_map(|ty| &ty.fields);
        let mut found = fields
            .by_ref()
            .filter(|(name, _)| name == field)
            .map(|(_, ty)| &ty.plain);
        let first = found.next()?;
        found.all(|other| other == first).then(|| first.clone())
    }

    fn of_type(&self, ty: &str) -> Option<Kind> {
        if ty.contains(['*', '[']) || self.sources.pointer_types.contains(ty) {
            return Some(Kind::Pointer);
        }
        let words: Vec<&str> = ty
            .split_whitespace()
            .filter(|word| !matches!(*word, "const" | "volatile" | "static"))
            .collect();
        let number = match &*words.join("") {
            "char" | "signedchar" | "int8_t" => IntType::I8,
            "unsignedchar" | "uint8_t" | "u_char" | "bool" | "_Bool" => IntType::U8,
            "short" | "int16_t" => IntType::I16,
            "unsignedshort" | "uint16_t" => IntType::U16,
            "int" | "int32_t" => IntType::I32,
            "unsigned" | "unsignedint" | "uint32_t" | "u_int" => IntType::CUint,
            "long" | "longlong" | "int64_t" | "ssize_t" | "off_t" | "time_t" => IntType::I64,
            "unsignedlong" | "unsignedlonglong" | "uint64_t" | "size_t" => IntType::CUlong,
            joined if joined.starts_with("enum") => IntType::CUint,
            _ => return None,
        };
        Some(Kind::Number(number))
    }

    fn value(&self, node: &Node, context: &Context) -> Result<Option<i128>, Unknown> {
        let truth = |node: &Node| Ok(self.value(node, context)?.map(|value| value != 0));
        Ok(match &node.shape {
            Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {
                Some(literal(&leaf.text).ok_or(Unknown)?)
            }
            Shape::Leaf(_) => Some(self.operand_value(&bare(&node.text), context)?),
            Shape::Not(a) => truth(a)?.map(|value| i128::from(!value)),
            Shape::And(a, b) | Shape::Or(a, b) => {
                let is_and = matches!(node.shape, Shape::And(..));
                let (first, second) = (truth(a)?, truth(b)?);
                match first {
                    Some(value) if value == is_and => second.map(i128::from),
                    first => first.map(i128::from),
                }
            }
            Shape::Cmp(op, a, b) => {
                if self.are_pointers(a, b) {
                    return self.operand_value(&bare(&node.text), context).map(Some);
                }
                match (self.value(a, context)?, self.value(b, context)?) {
                    (Some(a), Some(b)) => Some(i128::from(op.holds(Some(a.cmp(&b))))),
                    _ => None,
                }
            }
            Shape::Arith(op, a, b) => match (self.value(a, context)?, self.value(b, context)?) {
                (Some(a), Some(b)) => match op {
                    ArithOp::Add => Some(a + b),
                    ArithOp::Sub => Some(a - b),
                    ArithOp::Mul => a.checked_mul(b),
                    ArithOp::Div => a.checked_div(b),
                    ArithOp::Rem => a.checked_rem(b),
                },
                _ => None,
            },
        })
    }

    fn operand_value(&self, text: &str, context: &Context) -> Result<i128, Unknown> {
        match text {
            "NULL" | "false" | "FALSE" => return Ok(0),
            "true" | "TRUE" => return Ok(1),
            _ => {}
        }
        let known = self.known.get(text).ok_or(Unknown)?;
        match &context[known.variable] {
            Value::Bool(value) => Ok(i128::from(*value)),
            Value::Int(_, value) => value.to_i128().ok_or(Unknown),
            _ => Err(Unknown),
        }
    }
}

impl Values for InC<'_> {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn recorded(&self, context: &Context) -> Vec<(Read, Value)> {
        let values = self.recorded.iter().filter_map(|text| {
            let known = self.known.get(&bare(text))?;
            let steps = match known.kind {
                Kind::Pointer => vec![Step::Presence],
                Kind::Number(_) | Kind::Truth => Vec::new(),
            };
            let read = Read {
                captured: text.clone(),
                steps,
            };
            Some((read, context[known.variable].clone()))
        });
        values.collect()
    }

    fn outcome(&self, condition: &Node, context: &Context) -> Option<bool> {
        self.value(condition, context)
            .ok()
            .flatten()
            .map(|value| value != 0)
    }

    fn is_readable(&self, condition: &Node) -> bool {
        let one = |variable: &Variable| match variable.domain {
            Domain::Of(Type::Int(int)) => Value::Int(int, Int::from_i128(1)),
            _ => Value::Bool(true),
        };
        let context: Context = self.variables.iter().map(one).collect();
        self.value(condition, &context).is_ok()
    }

    fn names_callables(&self, condition: &Node) -> bool {
        let is_known = |text: &str| {
            let Some((name, _)) = text.split_once('(') else {
                return true;
            };
            let name = name.trim_start_matches(['!', '*']);
            name.is_empty()
                || self.text.contains(&format!("{name}("))
                || self.sources.callables.iter().any(|it| it.name == name)
        };
        condition
            .leaves()
            .iter()
            .all(|leaf| is_known(&bare(&leaf.text)))
    }

    fn extend(&mut self, condition: &Node) {
        self.add(condition, false);
    }
}

fn literal(text: &str) -> Option<i128> {
    let types = [
        Type::Int(IntType::I64),
        Type::Int(IntType::CUlong),
        Type::Int(IntType::I8),
    ];
    let value = types
        .into_iter()
        .find_map(|ty| Language::C.constant(text, ty));
    match value? {
        Value::Int(_, value) => value.to_i128(),
        _ => None,
    }
}

/// A text without white space, and without parentheses around it.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    let mut inner = text.as_str();
    while let Some(inside) = inner.strip_prefix('(').and_then(|it| it.strip_suffix(')'))
        && !inside.contains(['(', ')'])
    {
        inner = inside;
    }
    inner.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::edits::read_with;

    const TEXT: &str = "
struct item { int size; char *name; };
int f(struct item *item, const char *p, const char *end, size_t n)
{
    if (item->size < 4 && p != end)
        return g(item, n);
    return 0;
}
";

    #[test]
    fn operands_are_numbers_and_pointers() {
        let sources = read_with(Language::C, TEXT, &[]).unwrap();
        let site = sources
            .sites
            .iter()
            .find(|site| site.text.starts_with("item->size"))
            .unwrap();
        let values = InC::at(&sources, site);
        let kind = |text: &str| values.known.get(text).map(|known| known.kind);
        assert_eq!(kind("item->size"), Some(Kind::Number(IntType::I32)));
        assert_eq!(kind("n"), Some(Kind::Number(IntType::CUlong)));
        assert_eq!([kind("p"), kind("item")], [Some(Kind::Pointer); 2]);
        assert_eq!(kind("p!=end"), Some(Kind::Truth));
        let outcome = |text: &str, size: i128, truth: bool| {
            let tree = Language::C.parse(text).unwrap();
            let one = |variable: &Variable| match variable.domain {
                Domain::Of(Type::Int(int)) => Value::Int(int, Int::from_i128(size)),
                _ => Value::Bool(truth),
            };
            let context: Context = values.variables.iter().map(one).collect();
            values.outcome(&tree, &context)
        };
        let condition = "item->size < 4 && p != end";
        assert_eq!(outcome(condition, 3, true), Some(true));
        assert_eq!(outcome(condition, 4, true), Some(false));
        assert_eq!(outcome("!p", 4, true), Some(false));
        assert_eq!(outcome("n - 1", 1, true), Some(false));
        assert_eq!(outcome("n % (n - 1)", 1, true), None);
        assert_eq!(outcome("elsewhere > 1", 1, true), None);
    }
}

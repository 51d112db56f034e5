//! The candidate terms of a Rust site: named constants, expressions harvested nearby, calls of the subject's
//! functions ([`calls`]), and comparisons of non-scalar values.

mod affixes;
mod arguments;
mod boundaries;
mod calls;
mod queries;

use std::collections::BTreeSet;

use nopol_expr::{Binding, Origin, Type};

use super::condition;
use super::{patterns, siblings};
use crate::candidate_terms::TermText;
use crate::clauses;
use crate::condition::{Node, one_line};
use crate::{
    Callable, Constant, DeclaredType, Function, Harvested, HarvestedKind, Name, Site, Sources,
};

/// Most alternatives to the calls of the original condition, per site.
const MOST_SIBLINGS: usize = 16;
/// Most calls of the original condition with another operand, per site.
const MOST_OWN_CALLS: usize = 8;
/// Most calls of the original condition with an argument of a similar call nearby, per site.
const MOST_ARGUMENTS: usize = 24;
/// Most calls of the original condition with an alternative of a pattern added or dropped, per site.
const MOST_PATTERNS: usize = 18;
/// Most named constants per site.
const MOST_CONSTANTS: usize = 16;
/// Most harvested expressions per site.
const MOST_HARVESTED: usize = 40;
/// Most calls per site.
const MOST_CALLS: usize = 32;
/// Most calls with variables named like the parameters, per site.
const MOST_AMOUNTS: usize = 6;
/// Most of the function's own calls with another receiver or argument, per site.
const MOST_REGARDING: usize = 12;
/// Most tests of the start, the end and the parts of strings, per site.
const MOST_AFFIXES: usize = 18;
/// Most queries of standard library values per site.
const MOST_QUERIES: usize = 8;
/// Most tests of character boundaries per site.
const MOST_BOUNDARIES: usize = 4;
/// Most comparisons of non-scalar values per site.
const MOST_EQUALITIES: usize = 12;
/// Most names without a declared type that are compared with others, nearest first.
const MOST_UNTYPED: usize = 2;
const MOST_ORDERS: usize = 24;

/// Groups of candidate terms, each with the maximum number to use.
pub fn groups(sources: &Sources, site: &Site) -> Vec<(Vec<TermText>, usize)> {
    let generator = Generator {
        sources,
        site,
        function: &sources.functions[site.function],
        operands: operands(sources, site),
    };
    vec![
        (generator.siblings(), MOST_SIBLINGS),
        (generator.own_calls(), MOST_OWN_CALLS),
        (generator.with_arguments_nearby(), MOST_ARGUMENTS),
        (generator.patterns(), MOST_PATTERNS),
        (generator.constants(), MOST_CONSTANTS),
        (generator.harvested(), MOST_HARVESTED),
        (generator.calls(MOST_CALLS), MOST_CALLS),
        (generator.amounts(), MOST_AMOUNTS),
        (generator.regarding(), MOST_REGARDING),
        (generator.affixes(), MOST_AFFIXES),
        (generator.queries(), MOST_QUERIES),
        (generator.boundaries(), MOST_BOUNDARIES),
        (generator.equalities(), MOST_EQUALITIES),
        (generator.orders(), MOST_ORDERS),
    ]
}

/// A variable, or a field of `self`.
#[derive(Clone, Debug)]
struct Operand {
    text: String,
    ty: Option<DeclaredType>,
}

/// The operands available at a site, nearest first.
fn operands(sources: &Sources, site: &Site) -> Vec<Operand> {
    let mut operands = Vec::new();
    for Name { text, ty } in site.names.iter().rev() {
        operands.push(Operand {
            text: text.clone(),
            ty: ty.clone(),
        });
    }
    let owner = sources.functions[site.function].owner.as_deref();
    if site.names.iter().any(|name| name.text == "self") {
        let own = sources.types.iter().filter(|ty| Some(&*ty.name) == owner);
        for (name, ty) in own.flat_map(|ty| &ty.fields) {
            operands.push(Operand {
                text: format!("self.{name}"),
                ty: Some(ty.clone()),
            });
        }
    }
    operands
}

struct Generator<'a> {
    sources: &'a Sources,
    site: &'a Site,
    function: &'a Function,
    operands: Vec<Operand>,
}

impl Generator<'_> {
    /// The original condition's method calls, each with a sibling method, and its comparison variants.
    fn siblings(&self) -> Vec<TermText> {
        if !self.site.kind.has_condition() {
            return Vec::new();
        }
        let own = |name: &str| {
            let all = || self.callables();
            let named = all().filter(|callable| callable.is_method && callable.name == name);
            let siblings = named.flat_map(|known| {
                let is_sibling = move |other: &&Callable| {
                    other.is_method
                        && other.owner == known.owner
                        && other.returns == known.returns
                        && other.parameters == known.parameters
                };
                all().filter(is_sibling).map(|other| other.name.clone())
            });
            siblings.collect()
        };
        let texts = siblings::siblings(&self.site.text, &own);
        let calls = texts.into_iter().map(call);
        calls.chain(self.comparisons()).collect()
    }

    /// The original condition's calls with the counterpart of a literal, then with another receiver or argument.
    fn own_calls(&self) -> Vec<TermText> {
        let text = one_line(&self.site.text);
        let own = self.function.expressions.iter().filter(|found| {
            let is_call = found.kind == HarvestedKind::Call;
            is_call && text.contains(&found.text)
        });
        let with_mates = own.clone().flat_map(|found| {
            let literals = clauses::literals(&found.text).into_iter();
            literals.filter_map(|literal| {
                let mate = clauses::mate(&found.text[literal.clone()])?;
                let mut text = found.text.clone();
                text.replace_range(literal, &mate);
                Some(TermText {
                    text,
                    ..harvested_term(found)
                })
            })
        });
        let with_others = own.clone().flat_map(|found| self.substituted(found));
        with_mates.chain(with_others).collect()
    }

    /// The original condition's calls with arguments that similar calls nearby have, those of most calls first.
    fn with_arguments_nearby(&self) -> Vec<TermText> {
        if !self.site.kind.has_condition() {
            return Vec::new();
        }
        let nearby = self.expressions().map(|found| &*found.text);
        let texts = arguments::with_others(&self.site.text, nearby);
        texts.into_iter().map(call).collect()
    }

    /// The original condition's calls of `matches!` and similar macros with another list of alternatives.
    fn patterns(&self) -> Vec<TermText> {
        match self.site.kind.has_condition() {
            true => patterns::variants(self.sources, self.site)
                .into_iter()
                .map(call)
                .collect(),
            false => Vec::new(),
        }
    }

    /// The original condition's comparisons with another operator, for operands that cannot be captured.
    fn comparisons(&self) -> impl Iterator<Item = TermText> {
        let tree = condition::parse(&self.site.text);
        let variants = tree.iter().flat_map(Node::comparison_variants);
        let variants: Vec<String> = variants.collect();
        variants.into_iter().map(|text| TermText {
            binding: Binding::Compare,
            ..call(text)
        })
    }

    fn constants(&self) -> Vec<TermText> {
        let owner = self.function.owner.as_deref();
        let used = self.function.constants.iter().cloned();
        let of_file = |constant: &&Constant| {
            constant.file == self.function.file && self.is_compiled(&constant.cfgs)
        };
        let declared = self.sources.constants.iter().filter(of_file);
        let declared = declared.map(|constant| match constant.owner.as_deref() {
            None => constant.name.clone(),
            of if of == owner => format!("Self::{}", constant.name),
            Some(of) => format!("{of}::{}", constant.name),
        });
        let imported = self.sources.files[self.function.file]
            .imported
            .iter()
            .cloned();
        // A name without a path may be a constant local to another function.
        let elsewhere = self
            .neighbours()
            .flat_map(|function| function.constants.clone())
            .filter(|text| text.contains("::"));
        let constant = |text| TermText {
            text,
            binding: Binding::Atom,
            origin: Origin::Named,
            is_index: false,
        };
        used.chain(declared)
            .chain(imported)
            .chain(elsewhere)
            .map(constant)
            .collect()
    }

    /// Whether code with these conditions is compiled wherever the site is.
    fn is_compiled(&self, cfgs: &BTreeSet<String>) -> bool {
        cfgs.is_subset(&self.function.cfgs)
    }

    /// The functions of the subject that may be called wherever the site is compiled.
    fn callables(&self) -> impl Iterator<Item = &Callable> {
        let all = self.sources.callables.iter();
        all.filter(|callable| self.is_compiled(&callable.cfgs))
    }

    /// The other functions of the same file, first those of the same type.
    fn neighbours(&self) -> impl Iterator<Item = &Function> {
        let others = move |function: &&Function| {
            function.file == self.function.file
                && function.name != self.function.name
                && self.is_compiled(&function.cfgs)
        };
        let related = |function: &&Function| function.owner == self.function.owner;
        let all = || self.sources.functions.iter().filter(others);
        all()
            .filter(related)
            .chain(all().filter(move |function| !related(function)))
    }

    /// The expressions of this function, then of its neighbours. Expressions with `self` of another type are excluded.
    fn expressions(&self) -> impl Iterator<Item = &Harvested> {
        let of_neighbours = self.neighbours().flat_map(|function| {
            let has_same_owner = function.owner == self.function.owner;
            let fits = move |found: &&Harvested| {
                has_same_owner || !found.names.iter().any(|name| name == "self")
            };
            function.expressions.iter().filter(fits)
        });
        self.function.expressions.iter().chain(of_neighbours)
    }

    fn is_visible(&self, name: &String) -> bool {
        self.site.names.iter().any(|visible| visible.text == *name)
    }

    /// Expressions of this function and its neighbours that read only names visible here.
    fn harvested(&self) -> Vec<TermText> {
        let fitting = self.expressions().filter(|found| {
            !found.names.is_empty() && found.names.iter().all(|name| self.is_visible(name))
        });
        // First the functions that the condition already calls, with other arguments.
        let (alike, others): (Vec<&Harvested>, Vec<&Harvested>) = fitting.partition(|found| {
            let mut calls = found.calls.iter();
            calls.any(|call| self.site.text.contains(&format!("{call}(")))
        });
        let all = alike.into_iter().chain(others);
        all.map(harvested_term).collect()
    }

    /// Whether values of a type can be compared by this trait of the standard library.
    fn is_comparable(&self, plain: &str, by: &str) -> bool {
        const UNORDERED: [&str; 5] = [
            "Range",
            "RangeInclusive",
            "HashMap",
            "HashSet",
            "BinaryHeap",
        ];
        let name = plain.split('<').next().unwrap_or_default();
        let implementation = (by.to_owned(), name.to_owned());
        match self.sources.types.iter().any(|ty| ty.name == name) {
            true => self.sources.implementations.contains(&implementation),
            false => by == "PartialEq" || !UNORDERED.contains(&name),
        }
    }

    /// Pairs of operands with the same declared non-scalar type that implements this trait. In each pair, the second
    /// operand came into scope first.
    fn same_type_pairs(&self, comparable_by: &str) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        for (at, a) in self.operands.iter().enumerate() {
            for b in &self.operands[at + 1..] {
                let (Some(s), Some(t)) = (&a.ty, &b.ty) else {
                    continue;
                };
                if s.plain != t.plain
                    || is_scalar(&s.plain)
                    || a.text == "self"
                    || !self.is_comparable(&s.plain, comparable_by)
                {
                    continue;
                }
                pairs.push(match (s.is_reference, t.is_reference) {
                    (true, false) => [format!("*{}", a.text), b.text.clone()],
                    (false, true) => [a.text.clone(), format!("*{}", b.text)],
                    _ => [a.text.clone(), b.text.clone()],
                });
            }
        }
        pairs
    }

    /// `a == b` for operands of the same type, and for those whose types may be the same. `a` came into scope first.
    fn equalities(&self) -> Vec<TermText> {
        let mut pairs = self.untyped_pairs();
        pairs.extend(self.same_type_pairs("PartialEq"));
        let pairs = pairs.into_iter();
        pairs.map(|[a, b]| comparison(&b, "==", &a)).collect()
    }

    /// In generic functions: the names without a declared type that were bound last, each paired with the one bound
    /// before it and with a parameter whose type is a type parameter. Often, `==` is the only comparison for such
    /// values.
    fn untyped_pairs(&self) -> Vec<[String; 2]> {
        let own = self.function;
        let text = &self.sources.files[own.file].text[own.span.clone()];
        let head = without_docs(text).split('{').next().unwrap_or_default();
        let is_generic =
            |plain: &str| calls::is_parameter(plain.split('<').next().unwrap_or(plain));
        let parameters = own.parameters.iter();
        let mut parameters =
            parameters.filter(|it| it.ty.as_ref().is_some_and(|ty| is_generic(&ty.plain)));
        let name = own.name.rsplit("::").next().unwrap_or_default();
        if parameters.next().is_none() && !head.contains(&format!("fn {name}<")) {
            return Vec::new();
        }
        let names = self.operands.iter().filter(|it| !it.text.contains('.'));
        let names: Vec<&Operand> = names.filter(|it| it.text != "self").collect();
        let untyped = names.iter().enumerate().filter(|(_, it)| it.ty.is_none());
        let mut pairs = Vec::new();
        for (at, a) in untyped.take(MOST_UNTYPED) {
            let mut others = names[at + 1..].iter();
            let before = others.clone().find(|it| it.ty.is_none());
            let generic = others.find(|it| it.ty.as_ref().is_some_and(|ty| is_generic(&ty.plain)));
            let both = [before, generic].into_iter().flatten();
            pairs.extend(both.map(|b| [a.text.clone(), b.text.clone()]));
        }
        pairs
    }

    /// `a < b`, `a <= b` and so on, for operands of the same type.
    fn orders(&self) -> Vec<TermText> {
        let of = |[a, b]: [String; 2]| ["<", "<=", ">", ">="].map(|op| comparison(&a, op, &b));
        let orders = self.same_type_pairs("PartialOrd").into_iter().flat_map(of);
        let guessed = |term| TermText {
            origin: Origin::Guessed,
            ..term
        };
        orders.map(guessed).collect()
    }
}

/// A function's text without the documentation and attributes before it.
fn without_docs(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("//") || rest.starts_with('#') {
        let line = rest.find('\n').unwrap_or(rest.len());
        rest = rest[line..].trim_start();
    }
    rest
}

fn comparison(left: &str, op: &str, right: &str) -> TermText {
    TermText {
        text: format!("{left} {op} {right}"),
        binding: Binding::Compare,
        origin: Origin::Call,
        is_index: false,
    }
}

fn call(text: String) -> TermText {
    TermText {
        text,
        binding: Binding::Atom,
        origin: Origin::Call,
        is_index: false,
    }
}

/// A call that does not occur nearby.
fn guess(text: String) -> TermText {
    TermText {
        origin: Origin::Guessed,
        ..call(text)
    }
}

fn harvested_term(found: &Harvested) -> TermText {
    TermText {
        text: found.text.clone(),
        binding: found.binding,
        origin: match found.kind {
            HarvestedKind::Call if is_state_query(found) => Origin::Query,
            HarvestedKind::Call => Origin::Call,
            _ => Origin::Harvested,
        },
        is_index: found.kind == HarvestedKind::Index,
    }
}

/// Whether a call is a state query, which applies to every value of its type (the Nopol paper, §3.3.3).
fn is_state_query(found: &Harvested) -> bool {
    const QUERIES: [&str; 6] = [
        ".len",
        ".is_empty",
        ".is_some",
        ".is_none",
        ".is_ok",
        ".is_err",
    ];
    matches!(&found.calls[..], [one] if QUERIES.contains(&one.as_str()))
}

fn is_scalar(plain: &str) -> bool {
    Type::from_name(plain).is_some()
}

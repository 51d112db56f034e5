//! The candidate terms of a C site: members behind pointers, elements, comparisons of two pointers, named constants,
//! expressions harvested nearby, and calls of pure functions.

use std::collections::BTreeSet;

use nopol_expr::{Binding, Origin};

use super::types::fields;
use crate::candidate_terms::TermText;
use crate::{Callable, Constant, Function, Harvested, HarvestedKind, Name, Site, Sources};

/// Most candidate terms of each group, per site.
const MOST_FIELDS: usize = 40;
const MOST_ELEMENTS: usize = 24;
const MOST_IDENTITIES: usize = 16;
const MOST_CONSTANTS: usize = 24;
const MOST_HARVESTED: usize = 40;
const MOST_CALLS: usize = 32;

/// Groups of candidate terms, each with the maximum number to use.
pub fn groups(sources: &Sources, site: &Site) -> Vec<(Vec<TermText>, usize)> {
    let generator = Generator {
        sources,
        site,
        function: &sources.functions[site.function],
    };
    vec![
        (generator.fields(), MOST_FIELDS),
        (generator.elements(), MOST_ELEMENTS),
        (generator.identities(), MOST_IDENTITIES),
        (generator.constants(), MOST_CONSTANTS),
        (generator.harvested(), MOST_HARVESTED),
        (generator.calls(), MOST_CALLS),
    ]
}

struct Generator<'a> {
    sources: &'a Sources,
    site: &'a Site,
    function: &'a Function,
}

fn term(text: String, origin: Origin) -> TermText {
    TermText {
        text,
        binding: Binding::Atom,
        origin,
        is_index: true,
    }
}

/// The type of a variable, as written.
fn plain(name: &Name) -> &str {
    name.ty.as_ref().map_or("", |ty| &ty.plain)
}

impl Generator<'_> {
    /// The visible names, nearest first.
    fn names(&self) -> impl DoubleEndedIterator<Item = &Name> {
        self.site.names.iter().rev()
    }

    fn fields(&self) -> Vec<TermText> {
        let mut terms = Vec::new();
        for name in self.names() {
            let Some((fields, is_pointer)) = fields(self.sources, plain(name)) else {
                continue;
            };
            let step = if is_pointer { "->" } else { "." };
            let texts = fields
                .iter()
                .map(|(field, _)| format!("{}{step}{field}", name.text));
            terms.extend(texts.map(|text| term(text, Origin::Field)));
        }
        terms
    }

    /// The targets of pointers to scalars, and the elements of arrays at the index variables in scope. Those that occur
    /// in the function come first.
    fn elements(&self) -> Vec<TermText> {
        let known = &self.sources.files[self.site.file].indices;
        let is_index = |name: &&Name| known.contains(&name.text);
        let mut terms = Vec::new();
        for array in self.names() {
            let ty = plain(array);
            let element = ty.strip_suffix("[]").or(ty.strip_suffix('*'));
            let Some(element) = element.filter(|element| *element != "void") else {
                continue;
            };
            if ty.ends_with('*') && fields(self.sources, ty).is_none() {
                terms.push(TermText {
                    binding: Binding::Unary,
                    ..term(format!("*{}", array.text), Origin::Query)
                });
            }
            if element.ends_with("[]") {
                continue;
            }
            let indices = self.names().filter(is_index);
            let texts = indices.map(|index| format!("{}[{}]", array.text, index.text));
            terms.extend(texts.map(|text| term(text, Origin::Harvested)));
        }
        terms.extend(self.parallels());
        let used = |term: &TermText| {
            let mut all = self.function.expressions.iter();
            !all.any(|found| found.text == term.text)
        };
        terms.sort_by_key(used);
        terms
    }

    /// Comparisons of two pointers of one type: first of two variables, then of a variable and a member.
    fn identities(&self) -> Vec<TermText> {
        let pointed = |ty: &str| {
            let is_alias = self.sources.pointer_types.contains(ty);
            let pointed = ty.strip_suffix('*').map(str::to_owned);
            pointed.or_else(|| is_alias.then(|| format!("behind {ty}")))
        };
        let variables: Vec<(String, String)> = self
            .names()
            .filter_map(|name| Some((name.text.clone(), pointed(plain(name))?)))
            .collect();
        let mut members = Vec::new();
        for name in self.names() {
            let Some((fields, is_pointer)) = fields(self.sources, plain(name)) else {
                continue;
            };
            let step = if is_pointer { "->" } else { "." };
            members.extend(fields.iter().filter_map(|(field, ty)| {
                Some((format!("{}{step}{field}", name.text), pointed(&ty.plain)?))
            }));
        }
        let with = |others: &[(String, String)], (text, pointed): &(String, String)| {
            let equals = others.iter().filter(|(_, other)| other == pointed);
            let texts = equals.map(|(other, _)| format!("{text} == {other}"));
            texts.collect::<Vec<_>>()
        };
        let pairs = variables
            .iter()
            .enumerate()
            .flat_map(|(at, one)| with(&variables[at + 1..], one));
        let of_members = variables.iter().flat_map(|one| with(&members, one));
        let as_term = |text| TermText {
            binding: Binding::Compare,
            is_index: false,
            ..term(text, Origin::Call)
        };
        pairs.chain(of_members).map(as_term).collect()
    }

    /// The elements of other arrays of the same type, at the indices that the condition uses.
    fn parallels(&self) -> Vec<TermText> {
        let is_here = |found: &&Harvested| {
            found.kind == HarvestedKind::Index && self.site.text.contains(&found.text)
        };
        let mut terms = Vec::new();
        for found in self.function.expressions.iter().filter(is_here) {
            let Some((array, index)) = found.text.split_once('[') else {
                continue;
            };
            let ty = |array: &str| self.names().find(|name| name.text == array).map(plain);
            let of_same_type = self
                .names()
                .filter(|other| other.text != array && Some(plain(other)) == ty(array));
            let texts = of_same_type.map(|other| format!("{}[{index}", other.text));
            terms.extend(texts.map(|text| term(text, Origin::Harvested)));
        }
        terms
    }

    fn constants(&self) -> Vec<TermText> {
        let own = &self.sources.files[self.site.file].text;
        let enums = self.enums();
        let is_of_use = |constant: &Constant| {
            let owner = constant.owner.as_deref();
            owner.is_none_or(|ty| enums.contains(ty))
        };
        let mut names: Vec<&str> = self
            .sources
            .constants
            .iter()
            .filter(|constant| constant.file == self.site.file && is_of_use(constant))
            .map(|constant| &*constant.name)
            .collect();
        // Constants that this file does not mention come last.
        names.sort_by_key(|name| !own.contains(*name));
        let as_term = |name: &str| TermText {
            is_index: false,
            ..term(name.to_owned(), Origin::Named)
        };
        names.into_iter().map(as_term).collect()
    }

    /// The enum types whose enumerators may be relevant: a visible variable or member has the type, or the function
    /// uses another of its enumerators.
    fn enums(&self) -> BTreeSet<&str> {
        let base = |ty: &str| ty.trim_end_matches(['*', '[', ']']).len();
        let mut types = BTreeSet::new();
        for name in self.names() {
            let ty = plain(name);
            types.insert(&ty[..base(ty)]);
            let members = fields(self.sources, ty).map_or(&[][..], |(fields, _)| fields);
            types.extend(members.iter().map(|(_, ty)| &ty.plain[..base(&ty.plain)]));
        }
        let used: BTreeSet<&String> = self.function.constants.iter().collect();
        let constants = self.sources.constants.iter();
        let used = constants.filter(|constant| used.contains(&constant.name));
        types.extend(used.filter_map(|constant| constant.owner.as_deref()));
        types
    }

    /// The expressions of this function, then of the other functions in its file.
    fn expressions(&self) -> impl Iterator<Item = &Harvested> {
        let others = self.sources.functions.iter().filter(|function| {
            function.file == self.function.file && function.name != self.function.name
        });
        let of_others = others.flat_map(|function| &function.expressions);
        self.function.expressions.iter().chain(of_others)
    }

    fn is_readable(&self, name: &String) -> bool {
        let is_visible = self.site.names.iter().any(|visible| visible.text == *name);
        let is_constant = || {
            self.sources
                .constants
                .iter()
                .any(|constant| constant.name == *name)
        };
        is_visible || is_constant()
    }

    /// Whether a function is declared before the site. A C compiler accepts the call of an undeclared function as an
    /// implicit declaration, and does so silently if warnings are off.
    fn is_declared(&self, name: &str) -> bool {
        let text = &self.sources.files[self.site.file].text;
        let before = &text[..self.site.span.start];
        let is_word = |at: usize| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let (left, right) = (&before[..at], &before[at + name.len()..]);
            !left.ends_with(is_part) && right.trim_start().starts_with('(')
        };
        let is_here = before.match_indices(name).any(|(at, _)| is_word(at));
        is_here
            || !self
                .sources
                .functions
                .iter()
                .any(|function| function.file == self.site.file && function.name == name)
    }

    fn harvested(&self) -> Vec<TermText> {
        let fitting = self.expressions().filter(|found| {
            let is_available = found.names.iter().all(|name| self.is_readable(name))
                && found.calls.iter().all(|call| self.is_declared(call));
            is_available && (!found.names.is_empty() || !found.calls.is_empty())
        });
        let as_term = |found: &Harvested| TermText {
            text: found.text.clone(),
            binding: found.binding,
            origin: match found.kind {
                HarvestedKind::Call if !found.calls.is_empty() => Origin::Call,
                _ => Origin::Harvested,
            },
            is_index: found.kind == HarvestedKind::Index,
        };
        fitting.map(as_term).collect()
    }

    /// Calls of pure functions without arguments, or with one variable of the right type.
    fn calls(&self) -> Vec<TermText> {
        let callables = self.sources.callables.iter().filter(|callable| {
            let is_elsewhere = callable.is_static && callable.file != self.site.file;
            !is_elsewhere && callable.name != self.function.name && self.is_declared(&callable.name)
        });
        let calls = callables.flat_map(|callable| self.applied(callable));
        calls
            .map(|text| TermText {
                is_index: false,
                ..term(text, Origin::Call)
            })
            .collect()
    }

    fn applied(&self, callable: &Callable) -> Vec<String> {
        match &callable.parameters[..] {
            [] => vec![format!("{}()", callable.name)],
            [Some(wanted)] => {
                let wanted = wanted.plain.replace("[]", "*");
                let fits = |name: &&Name| plain(name).replace("[]", "*") == wanted;
                let arguments = self.names().filter(fits);
                arguments
                    .map(|name| format!("{}({})", callable.name, name.text))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

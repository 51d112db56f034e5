//! What could be evaluated at a site of C beyond the values of its variables: members behind pointers,
//! elements, named constants, expressions harvested nearby, and calls of functions that only look.

use std::collections::BTreeSet;

use super::types::fields;
use crate::source::offer::Guess;
use crate::source::{Callable, Constant, Function, Harvested, HarvestedKind, Name, Site, Sources};
use crate::spec::{Binding, Origin};

/// Of each group, per site.
const MOST_FIELDS: usize = 40;
const MOST_ELEMENTS: usize = 24;
const MOST_CONSTANTS: usize = 24;
const MOST_HARVESTED: usize = 40;
const MOST_CALLS: usize = 32;

/// What is offered, in groups with the most that is taken of each.
pub fn groups(sources: &Sources, site: &Site) -> Vec<(Vec<Guess>, usize)> {
    let offers = Offers {
        sources,
        site,
        function: &sources.functions[site.function],
    };
    vec![
        (offers.fields(), MOST_FIELDS),
        (offers.elements(), MOST_ELEMENTS),
        (offers.constants(), MOST_CONSTANTS),
        (offers.harvested(), MOST_HARVESTED),
        (offers.calls(), MOST_CALLS),
    ]
}

struct Offers<'a> {
    sources: &'a Sources,
    site: &'a Site,
    function: &'a Function,
}

fn offer(text: String, origin: Origin) -> Guess {
    Guess {
        text,
        binding: Binding::Atom,
        origin,
        is_index: true,
    }
}

/// A variable's type as it is written.
fn plain(name: &Name) -> &str {
    name.ty.as_ref().map_or("", |ty| &ty.plain)
}

impl Offers<'_> {
    /// The names, nearest first.
    fn names(&self) -> impl DoubleEndedIterator<Item = &Name> {
        self.site.names.iter().rev()
    }

    fn fields(&self) -> Vec<Guess> {
        let mut offers = Vec::new();
        for name in self.names() {
            let Some((fields, is_pointer)) = fields(self.sources, plain(name)) else {
                continue;
            };
            let step = if is_pointer { "->" } else { "." };
            let texts = fields
                .iter()
                .map(|(field, _)| format!("{}{step}{field}", name.text));
            offers.extend(texts.map(|text| offer(text, Origin::Field)));
        }
        offers
    }

    /// What a pointer to a scalar points to, and the elements of arrays at the indices in scope: first
    /// those that the function uses together somewhere.
    fn elements(&self) -> Vec<Guess> {
        let known = &self.sources.files[self.site.file].indices;
        let is_index = |name: &&Name| known.contains(&name.text);
        let mut offers = Vec::new();
        for array in self.names() {
            let ty = plain(array);
            let element = ty.strip_suffix("[]").or(ty.strip_suffix('*'));
            let Some(element) = element.filter(|element| *element != "void") else {
                continue;
            };
            if ty.ends_with('*') && fields(self.sources, ty).is_none() {
                offers.push(Guess {
                    binding: Binding::Unary,
                    ..offer(format!("*{}", array.text), Origin::Query)
                });
            }
            if element.ends_with("[]") {
                continue;
            }
            let indices = self.names().filter(is_index);
            let texts = indices.map(|index| format!("{}[{}]", array.text, index.text));
            offers.extend(texts.map(|text| offer(text, Origin::Harvested)));
        }
        offers.extend(self.parallels());
        let used = |offer: &Guess| {
            let mut all = self.function.expressions.iter();
            !all.any(|found| found.text == offer.text)
        };
        offers.sort_by_key(used);
        offers
    }

    /// The elements of other arrays at the indices that the condition has.
    fn parallels(&self) -> Vec<Guess> {
        let is_here = |found: &&Harvested| {
            found.kind == HarvestedKind::Index && self.site.text.contains(&found.text)
        };
        let mut offers = Vec::new();
        for found in self.function.expressions.iter().filter(is_here) {
            let Some((array, index)) = found.text.split_once('[') else {
                continue;
            };
            let ty = |array: &str| self.names().find(|name| name.text == array).map(plain);
            let of_same_type = self
                .names()
                .filter(|other| other.text != array && Some(plain(other)) == ty(array));
            let texts = of_same_type.map(|other| format!("{}[{index}", other.text));
            offers.extend(texts.map(|text| offer(text, Origin::Harvested)));
        }
        offers
    }

    fn constants(&self) -> Vec<Guess> {
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
        // Those of other files' headers come last.
        names.sort_by_key(|name| !own.contains(*name));
        let offer = |name: &str| Guess {
            is_index: false,
            ..offer(name.to_owned(), Origin::Named)
        };
        names.into_iter().map(offer).collect()
    }

    /// The types whose enumerators may mean something here: something has the type, or the function uses
    /// another of its enumerators.
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

    /// The expressions of this function, then of the other ones of its file.
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

    /// Whether a function is declared before the site. What the compiler does not know it takes for
    /// another function, and that without a word where warnings are switched off.
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

    fn harvested(&self) -> Vec<Guess> {
        let fitting = self.expressions().filter(|found| {
            let is_said = found.names.iter().all(|name| self.is_readable(name))
                && found.calls.iter().all(|call| self.is_declared(call));
            is_said && (!found.names.is_empty() || !found.calls.is_empty())
        });
        let offer = |found: &Harvested| Guess {
            text: found.text.clone(),
            binding: found.binding,
            origin: match found.kind {
                HarvestedKind::Call if !found.calls.is_empty() => Origin::Call,
                _ => Origin::Harvested,
            },
            is_index: found.kind == HarvestedKind::Index,
        };
        fitting.map(offer).collect()
    }

    /// Functions that only look, called with nothing or with one variable of the right type.
    fn calls(&self) -> Vec<Guess> {
        let callables = self.sources.callables.iter().filter(|callable| {
            callable.name != self.function.name && self.is_declared(&callable.name)
        });
        let calls = callables.flat_map(|callable| self.applied(callable));
        calls
            .map(|text| Guess {
                is_index: false,
                ..offer(text, Origin::Call)
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

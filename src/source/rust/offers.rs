//! What could be evaluated at a site of Rust beyond the values of its variables: named constants,
//! expressions harvested nearby, calls of the subject's functions, and comparisons of values that
//! are no scalars.

use super::condition;
use super::siblings;
use crate::source::condition::Node;
use crate::source::offer::Guess;
use crate::source::{
    Callable, Constant, DeclaredType, Function, Harvested, HarvestedKind, Name, Site, Sources,
};
use crate::spec::{Binding, Origin, Type};

/// Calls in place of those of the old condition, per site.
const MOST_SIBLINGS: usize = 16;
/// Named constants, per site.
const MOST_CONSTANTS: usize = 16;
/// Harvested expressions, per site.
const MOST_HARVESTED: usize = 40;
/// Calls, per site.
const MOST_CALLS: usize = 32;
/// Comparisons of values that are no scalars, per site.
const MOST_EQUALITIES: usize = 12;
const MOST_ORDERS: usize = 24;

/// What is offered, in groups with the most that is taken of each.
pub fn groups(sources: &Sources, site: &Site) -> Vec<(Vec<Guess>, usize)> {
    let offers = Offers {
        sources,
        site,
        function: &sources.functions[site.function],
        places: places(sources, site),
    };
    vec![
        (offers.siblings(), MOST_SIBLINGS),
        (offers.constants(), MOST_CONSTANTS),
        (offers.harvested(), MOST_HARVESTED),
        (offers.calls(), MOST_CALLS),
        (offers.equalities(), MOST_EQUALITIES),
        (offers.orders(), MOST_ORDERS),
    ]
}

/// A variable, or a field of `self`.
#[derive(Clone, Debug)]
struct Place {
    text: String,
    ty: Option<DeclaredType>,
}

/// The places of a site, nearest first.
fn places(sources: &Sources, site: &Site) -> Vec<Place> {
    let mut places = Vec::new();
    for Name { text, ty } in site.names.iter().rev() {
        places.push(Place {
            text: text.clone(),
            ty: ty.clone(),
        });
    }
    let owner = sources.functions[site.function].owner.as_deref();
    if site.names.iter().any(|name| name.text == "self") {
        let own = sources.types.iter().filter(|ty| Some(&*ty.name) == owner);
        for (name, ty) in own.flat_map(|ty| &ty.fields) {
            places.push(Place {
                text: format!("self.{name}"),
                ty: Some(ty.clone()),
            });
        }
    }
    places
}

struct Offers<'a> {
    sources: &'a Sources,
    site: &'a Site,
    function: &'a Function,
    places: Vec<Place>,
}

impl Offers<'_> {
    /// The old condition's calls with another method in their place.
    fn siblings(&self) -> Vec<Guess> {
        if !self.site.kind.has_condition() {
            return Vec::new();
        }
        let own = |name: &str| {
            let all = &self.sources.callables;
            let named = all
                .iter()
                .filter(|callable| callable.is_method && callable.name == name);
            let alike = named.flat_map(|known| {
                let alike = move |other: &&Callable| {
                    other.is_method
                        && other.owner == known.owner
                        && other.returns == known.returns
                        && other.parameters == known.parameters
                };
                all.iter().filter(alike).map(|other| other.name.clone())
            });
            alike.collect()
        };
        let texts = siblings::siblings(&self.site.text, &own);
        let calls = texts.into_iter().map(call);
        calls.chain(self.comparisons()).collect()
    }

    /// The old condition's comparisons with another operator, for operands that cannot be read.
    fn comparisons(&self) -> impl Iterator<Item = Guess> {
        let tree = condition::parse(&self.site.text);
        let variants = tree.iter().flat_map(Node::comparison_variants);
        let variants: Vec<String> = variants.collect();
        variants.into_iter().map(|text| Guess {
            binding: Binding::Compare,
            ..call(text)
        })
    }

    fn constants(&self) -> Vec<Guess> {
        let owner = self.function.owner.as_deref();
        let used = self.function.constants.iter().cloned();
        let of_file = |constant: &&Constant| constant.file == self.function.file;
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
        // What has no path may be a constant of another function's body.
        let elsewhere = self
            .neighbours()
            .flat_map(|function| function.constants.clone())
            .filter(|text| text.contains("::"));
        let offer = |text| Guess {
            text,
            binding: Binding::Atom,
            origin: Origin::Named,
            is_index: false,
        };
        used.chain(declared)
            .chain(imported)
            .chain(elsewhere)
            .map(offer)
            .collect()
    }

    /// The functions of the same file: those of the same type first.
    fn neighbours(&self) -> impl Iterator<Item = &Function> {
        let others = move |function: &&Function| {
            function.file == self.function.file && function.name != self.function.name
        };
        let related = |function: &&Function| function.owner == self.function.owner;
        let all = || self.sources.functions.iter().filter(others);
        all()
            .filter(related)
            .chain(all().filter(move |function| !related(function)))
    }

    /// The expressions of this function, then of its neighbours. Another type's `self` is no `self`
    /// here.
    fn expressions(&self) -> impl Iterator<Item = &Harvested> {
        let of_neighbours = self.neighbours().flat_map(|function| {
            let is_kin = function.owner == self.function.owner;
            let fits =
                move |found: &&Harvested| is_kin || !found.names.iter().any(|name| name == "self");
            function.expressions.iter().filter(fits)
        });
        self.function.expressions.iter().chain(of_neighbours)
    }

    fn is_visible(&self, name: &String) -> bool {
        self.site.names.iter().any(|visible| visible.text == *name)
    }

    /// What this function, then its neighbours compute from names that are visible here.
    fn harvested(&self) -> Vec<Guess> {
        let fitting = self.expressions().filter(|found| {
            !found.names.is_empty() && found.names.iter().all(|name| self.is_visible(name))
        });
        fitting.map(offer).collect()
    }

    /// Calls with other places in them, and calls of the subject's own functions.
    fn calls(&self) -> Vec<Guess> {
        let mut calls = Vec::new();
        for callable in &self.sources.callables {
            if callable.returns == "bool" {
                calls.extend(self.applied(callable));
            }
        }
        for found in self.expressions() {
            if found.kind == HarvestedKind::Call && asks(found) {
                calls.extend(self.substituted(found));
            }
        }
        calls
    }

    /// The call with the receiver or an argument exchanged for a variable, or with both.
    fn substituted(&self, found: &Harvested) -> Vec<Guess> {
        let is_fitting = |text: &str| {
            let root = text.split('.').next().unwrap_or_default().to_owned();
            self.is_visible(&root)
        };
        let mut offers = Vec::new();
        for (nth, hole) in found.holes.iter().enumerate() {
            let mut others = (0..).zip(&found.holes).filter(|(other, _)| *other != nth);
            if !others.all(|(_, other)| is_fitting(&found.text[other.clone()])) {
                continue;
            }
            for place in self
                .places
                .iter()
                .filter(|place| could_be(place, &found.text[hole.clone()]))
            {
                let mut text = found.text.clone();
                text.replace_range(hole.clone(), &place.text);
                offers.push(Guess {
                    text,
                    ..offer(found)
                });
            }
        }
        offers
    }

    /// A function or method of the subject, called with what is visible.
    fn applied(&self, callable: &Callable) -> Vec<Guess> {
        let mut heads: Vec<String> = Vec::new();
        if callable.is_method {
            let owner = callable.owner.as_deref().unwrap_or_default();
            let is_type = self.sources.types.iter().any(|ty| ty.name == owner);
            // Methods of types without arguments are read wherever such a value is.
            if is_type && callable.parameters.is_empty() {
                return Vec::new();
            }
            let takes = |place: &&Place| match &place.ty {
                Some(ty) if is_type => generic_name(&ty.plain) == owner || ty.plain == "Self",
                Some(ty) => !is_scalar(&ty.plain),
                None => true,
            };
            let receivers = self.places.iter().filter(takes);
            heads.extend(receivers.map(|place| format!("{}.{}", place.text, callable.name)));
        } else if callable.owner.is_none() {
            heads.push(callable.name.clone());
        } else if callable.owner == self.function.owner {
            heads.push(format!("Self::{}", callable.name));
        }
        let arguments: Vec<String> = match &callable.parameters[..] {
            [] if callable.is_method => vec![String::new()],
            [parameter] => self.arguments(parameter.as_ref()),
            _ => Vec::new(),
        };
        let calls = heads.iter().flat_map(|head| {
            arguments
                .iter()
                .map(move |argument| format!("{head}({argument})"))
        });
        calls.map(call).collect()
    }

    /// What can be passed where the parameter's type is asked for.
    fn arguments(&self, parameter: Option<&DeclaredType>) -> Vec<String> {
        let mut arguments = Vec::new();
        for Place { text, ty } in &self.places {
            match (parameter, ty) {
                (None, _) => arguments.extend([text.clone(), format!("&{text}")]),
                (Some(wanted), Some(ty)) if same_type(&wanted.plain, &ty.plain) => {
                    arguments.push(match (wanted.is_reference, ty.is_reference) {
                        (true, false) => format!("&{text}"),
                        (false, true) => format!("*{text}"),
                        _ => text.clone(),
                    });
                }
                (Some(_), Some(_)) => {}
                (Some(wanted), None) if wanted.is_reference => {
                    arguments.extend([text.clone(), format!("&{text}")]);
                }
                (Some(_), None) => arguments.extend([text.clone(), format!("*{text}")]),
            }
        }
        arguments
    }

    /// Places of one written type that is no scalar, as operands: what came into scope first is the
    /// second of a pair.
    fn alike(&self) -> Vec<[String; 2]> {
        let mut pairs = Vec::new();
        for (at, a) in self.places.iter().enumerate() {
            for b in &self.places[at + 1..] {
                let (Some(s), Some(t)) = (&a.ty, &b.ty) else {
                    continue;
                };
                if s.plain != t.plain || is_scalar(&s.plain) || a.text == "self" {
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

    /// `a == b` for places of one type; what came into scope first is said first.
    fn equalities(&self) -> Vec<Guess> {
        let alike = self.alike().into_iter();
        alike.map(|[a, b]| comparison(&b, "==", &a)).collect()
    }

    /// `a < b` and so on for places of one type.
    fn orders(&self) -> Vec<Guess> {
        let of = |[a, b]: [String; 2]| ["<", "<=", ">", ">="].map(|op| comparison(&a, op, &b));
        self.alike().into_iter().flat_map(of).collect()
    }
}

fn comparison(left: &str, op: &str, right: &str) -> Guess {
    Guess {
        text: format!("{left} {op} {right}"),
        binding: Binding::Compare,
        origin: Origin::Call,
        is_index: false,
    }
}

fn call(text: String) -> Guess {
    Guess {
        text,
        binding: Binding::Atom,
        origin: Origin::Call,
        is_index: false,
    }
}

fn offer(found: &Harvested) -> Guess {
    Guess {
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

/// Whether a call is one that every value of its type is asked (papers/nopol.txt §3.3.3).
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

/// Whether a call is a question, by its name.
fn asks(found: &Harvested) -> bool {
    const QUESTIONS: [&str; 8] = [
        "contains",
        "starts_with",
        "ends_with",
        "eq",
        "eq_ignore_ascii_case",
        "contains_key",
        "matches",
        "exists",
    ];
    let Some(name) = found.calls.first() else {
        return false;
    };
    let name = name.rsplit(['.', ':']).next().unwrap_or_default();
    name.starts_with("is_") || name.starts_with("has_") || QUESTIONS.contains(&name)
}

/// Whether a place may stand where another text stood; the compiler knows the types.
fn could_be(place: &Place, text: &str) -> bool {
    place.text != text && place.text != "self"
}

fn same_type(a: &str, b: &str) -> bool {
    let by_value = |ty: &str| match ty {
        "String" => "str".to_owned(),
        ty => match ty
            .strip_prefix("Vec<")
            .and_then(|rest| rest.strip_suffix('>'))
        {
            Some(element) => format!("[{element}]"),
            None => ty.to_owned(),
        },
    };
    by_value(a) == by_value(b)
}

/// The type's name without arguments.
fn generic_name(plain: &str) -> &str {
    plain.split('<').next().unwrap_or_default()
}

fn is_scalar(plain: &str) -> bool {
    Type::from_name(plain).is_some()
}

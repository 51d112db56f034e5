//! Candidate terms that are calls: of the subject's functions, and harvested calls with other variables.

use std::cmp::Reverse;

use super::{Generator, Operand, call, harvested_term, is_scalar};
use crate::candidate_terms::TermText;
use crate::condition::one_line;
use crate::rust::asked::last_name;
use crate::rust::{harvest, types};
use crate::{Callable, DeclaredType, Harvested, HarvestedKind};

/// Most operands passed for a parameter whose type is generic, nearest first.
const MOST_OF_ANY: usize = 2;
/// Calls of each predicate of this file or type that come before the first call of another predicate.
const FAR: usize = 2;

impl Generator<'_> {
    /// Calls of the subject's predicates, and harvested calls with other operands. If there are more than `most`, a few
    /// of each come first, and those that the subject calls most often before others.
    pub(super) fn calls(&self, most: usize) -> Vec<TermText> {
        let mut calls: Vec<((usize, Reverse<usize>), TermText)> = Vec::new();
        let mut add = |terms: Vec<TermText>, name: &str, far: usize| {
            let times = self.sources.asked.get(name).copied().unwrap_or(0);
            let ranked = (far..).zip(terms);
            calls.extend(ranked.map(|(nth, term)| ((nth, Reverse(times)), term)));
        };
        for callable in self.callables() {
            if callable.returns == "bool" {
                let is_near = callable.file == self.function.file
                    || callable.owner.is_some() && callable.owner == self.function.owner;
                let far = if is_near { 0 } else { FAR };
                add(self.applied(callable), &callable.name, far);
            }
        }
        for found in self.expressions() {
            if found.kind == HarvestedKind::Call && is_predicate(found) {
                let name = found.calls.first().map_or("", |call| last_name(call));
                add(self.substituted(found), name, 0);
            }
        }
        if calls.len() > most {
            calls.sort_by_key(|(rank, _)| *rank);
        }
        calls.into_iter().map(|(_, term)| term).collect()
    }

    /// Calls of methods of `self` and functions of the file that compute scalars, with variables named like their
    /// parameters: `self.available(item)`.
    pub(super) fn amounts(&self) -> Vec<TermText> {
        let own_name = self.function.name.rsplit("::").next();
        let owner = &self.function.owner;
        let has_self = self.operands.iter().any(|operand| operand.text == "self");
        let computes = |callable: &&Callable| {
            let is_own = own_name == Some(&*callable.name) && callable.owner == *owner;
            let is_near = match callable.is_method {
                true => owner.is_some() && has_self && callable.owner == *owner,
                false => callable.owner.is_none() && callable.file == self.function.file,
            };
            callable.returns != "bool" && callable.returns_scalar() && is_near && !is_own
        };
        let of_names = |callable: &Callable| {
            let passed = callable.parameters.iter().zip(&callable.names);
            let passed = passed.map(|(ty, name)| {
                let mut fitting = self.arguments(ty.as_ref()).into_iter();
                fitting.find(|text| text.trim_start_matches(['&', '*']) == *name)
            });
            let passed: Vec<String> = passed.collect::<Option<_>>()?;
            let head = match callable.is_method {
                true => format!("self.{}", callable.name),
                false => callable.name.clone(),
            };
            (!passed.is_empty()).then(|| call(format!("{head}({})", passed.join(", "))))
        };
        self.callables()
            .filter(computes)
            .filter_map(of_names)
            .collect()
    }

    /// A harvested call with its receiver or one argument replaced by each operand.
    pub(super) fn substituted(&self, found: &Harvested) -> Vec<TermText> {
        let is_fitting = |text: &str| {
            let root = text.split('.').next().unwrap_or_default().to_owned();
            self.is_visible(&root)
        };
        let mut terms = Vec::new();
        for (nth, hole) in found.holes.iter().enumerate() {
            let mut others = (0..).zip(&found.holes).filter(|(other, _)| *other != nth);
            if !others.all(|(_, other)| is_fitting(&found.text[other.clone()])) {
                continue;
            }
            let replaced = &found.text[hole.clone()];
            let known = self.operands.iter().find(|known| known.text == *replaced);
            for operand in self
                .operands
                .iter()
                .filter(|operand| could_be(operand, replaced, known))
            {
                let mut text = found.text.clone();
                text.replace_range(hole.clone(), &operand.text);
                terms.push(TermText {
                    text,
                    ..harvested_term(found)
                });
            }
        }
        terms
    }

    /// The function's calls, those of the condition first, with another receiver or argument that the function reads: a
    /// field or a getter. `a.b().f(x)` becomes `c.f(x)`, and `f(x)` becomes `f(y.id())`.
    pub(super) fn regarding(&self) -> Vec<TermText> {
        let is_fitting = |found: &&Harvested| {
            found.kind == HarvestedKind::Call
                && found.names.iter().all(|name| self.is_visible(name))
        };
        let all: Vec<&Harvested> = self
            .function
            .expressions
            .iter()
            .filter(is_fitting)
            .collect();
        let mut parts: Vec<&str> = Vec::new();
        for found in &all {
            let is_getter = found.holes.len() == 1 && found.text.ends_with("()");
            let ranges = found.holes.iter().chain(&found.getters);
            let whole = is_getter.then_some(&*found.text);
            for part in ranges.map(|range| &found.text[range.clone()]).chain(whole) {
                let is_operand = self.operands.iter().any(|operand| operand.text == part);
                if !is_operand && part != "self" && !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        let text = one_line(&self.site.text);
        let operands: Vec<&str> = self.operands.iter().map(|it| &*it.text).collect();
        // Each with its position among the variants of its call, so that no call crowds out the variants of others.
        let mut terms: Vec<(usize, TermText)> = Vec::new();
        for found in all {
            let is_own = text.contains(&found.text) && !found.text.ends_with("()");
            if !is_own && !is_predicate(found) {
                continue;
            }
            let getters = found.getters.iter();
            let own_getters = getters.clone().filter(|_| is_own);
            let others = found.holes.iter().chain(getters);
            let all = own_getters
                .map(|range| (range, &operands))
                .chain(others.map(|range| (range, &parts)));
            let all = all.flat_map(|(range, new)| new.iter().map(move |new| (range, *new)));
            let known = found.holes.iter().chain(&found.getters);
            let is_known = |new: &str| known.clone().any(|known| found.text[known.clone()] == *new);
            let fresh = all.filter(|(_, new)| *new != "self" && !is_known(new));
            for (nth, (range, new)) in fresh.enumerate() {
                let mut text = found.text.clone();
                text.replace_range(range.clone(), new);
                let term = TermText {
                    text,
                    ..harvested_term(found)
                };
                terms.push((nth + usize::from(!is_own), term));
            }
        }
        terms.sort_by_key(|(nth, _)| *nth);
        terms.into_iter().map(|(_, term)| term).collect()
    }

    /// Calls of a function or method of the subject with the available operands.
    fn applied(&self, callable: &Callable) -> Vec<TermText> {
        let mut heads: Vec<String> = Vec::new();
        if callable.is_method {
            let owner = callable.owner.as_deref().unwrap_or_default();
            let is_type = self.sources.types.iter().any(|ty| ty.name == owner);
            // Captures of a value already include the methods of its type without arguments.
            if is_type && callable.parameters.is_empty() {
                return Vec::new();
            }
            let own = self.function.owner.as_deref().unwrap_or_default();
            let takes = |operand: &&Operand| match &operand.ty {
                Some(ty) if is_type => generic_name(&ty.plain) == owner || ty.plain == "Self",
                Some(ty) if ty.plain == "Self" => own == owner || self.implements(own, owner),
                Some(ty) => !is_scalar(&ty.plain) && self.implements(&ty.plain, owner),
                None if operand.text == "self" => own == owner || self.implements(own, owner),
                None => true,
            };
            let receivers = self.operands.iter().filter(takes);
            heads.extend(receivers.map(|operand| format!("{}.{}", operand.text, callable.name)));
        } else if callable.owner.is_none() && self.is_in_scope(callable) {
            heads.push(callable.name.clone());
        } else if callable.owner == self.function.owner {
            heads.push(format!("Self::{}", callable.name));
        }
        let arguments: Vec<String> = match &callable.parameters[..] {
            [] if callable.is_method => vec![String::new()],
            [parameter] => self.arguments(parameter.as_ref()),
            [] => Vec::new(),
            _ => self.all_arguments(callable).into_iter().collect(),
        };
        // A call of a value's method with the value itself is rarely useful.
        let is_own = |head: &str, argument: &str| {
            let receiver = head.rsplit_once('.').map(|(receiver, _)| receiver);
            receiver == Some(argument.trim_start_matches(['&', '*']))
        };
        let calls = heads.iter().flat_map(|head| {
            let others = arguments.iter().filter(|it| !is_own(head, it));
            others.map(move |argument| format!("{head}({argument})"))
        });
        calls.map(call).collect()
    }

    /// Whether a type may implement a trait of the subject. Type parameters may implement any trait.
    fn implements(&self, plain: &str, of: &str) -> bool {
        let name = generic_name(plain);
        let known = |name: &str| {
            let implementation = (of.to_owned(), name.to_owned());
            self.sources.implementations.contains(&implementation)
        };
        is_parameter(name) || known(name) || known(types::ANY)
    }

    /// Whether a free function may be visible at the site: it is in the same file, or the file mentions it.
    fn is_in_scope(&self, callable: &Callable) -> bool {
        let file = self.function.file;
        callable.file == file || self.sources.files[file].text.contains(&callable.name)
    }

    /// The likeliest arguments for several parameters: for each one the operand with its name, or the nearest operand
    /// of its type.
    fn all_arguments(&self, callable: &Callable) -> Option<String> {
        let mut passed: Vec<String> = Vec::new();
        for (ty, name) in callable.parameters.iter().zip(&callable.names) {
            let is_it = |text: &&String| text.trim_start_matches(['&', '*']) == *name;
            let fitting = self.arguments(ty.as_ref());
            let is_typed = |text: &&String| {
                let of = text.trim_start_matches(['&', '*']);
                let mut operands = self.operands.iter();
                ty.is_some() && operands.any(|it| it.text == of && it.ty.is_some())
            };
            let mut typed = fitting.iter().filter(is_typed);
            let nearest = typed.find(|text| !passed.contains(text));
            passed.push(fitting.iter().find(is_it).or(nearest)?.clone());
        }
        Some(passed.join(", "))
    }

    /// The operands that can be passed for a parameter.
    fn arguments(&self, parameter: Option<&DeclaredType>) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut of_any = Vec::new();
        for Operand { text, ty } in &self.operands {
            match (parameter, ty) {
                (None, _) => arguments.extend([text.clone(), format!("&{text}")]),
                (Some(wanted), Some(ty)) if same_type(&wanted.plain, &ty.plain) => {
                    arguments.push(match (wanted.is_reference, ty.is_reference) {
                        (true, false) => format!("&{text}"),
                        (false, true) => format!("*{text}"),
                        _ => text.clone(),
                    });
                }
                (Some(wanted), Some(ty))
                    if is_parameter(generic_name(&wanted.plain)) && !is_scalar(&ty.plain) =>
                {
                    of_any.push(match wanted.is_reference && !ty.is_reference {
                        true => format!("&{text}"),
                        false => text.clone(),
                    });
                }
                (Some(_), Some(_)) => {}
                (Some(wanted), None) if wanted.is_reference => {
                    arguments.extend([text.clone(), format!("&{text}")]);
                }
                (Some(_), None) => arguments.extend([text.clone(), format!("*{text}")]),
            }
        }
        of_any.truncate(MOST_OF_ANY);
        arguments.extend(of_any);
        arguments
    }
}

/// Whether a call is a predicate, judging by its name.
fn is_predicate(found: &Harvested) -> bool {
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
        return harvest::is_own_pattern_question(&found.text);
    };
    let name = last_name(name);
    name.starts_with("is_") || name.starts_with("has_") || QUESTIONS.contains(&name)
}

/// Whether an operand may replace a text, which may be another operand. The compiler checks types that are not known.
fn could_be(operand: &Operand, text: &str, known: Option<&Operand>) -> bool {
    let types = (&operand.ty, known.and_then(|known| known.ty.as_ref()));
    let may_have_type = match types {
        (Some(new), Some(old)) => same_type(&new.plain, &old.plain),
        _ => true,
    };
    operand.text != text && operand.text != "self" && may_have_type
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

/// Whether a type is a type parameter, judging by its name.
pub(super) fn is_parameter(name: &str) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    name.len() <= 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(is_upper)
        || name.starts_with("impl")
        || name.starts_with("dyn")
}

/// The name of a type without its arguments.
fn generic_name(plain: &str) -> &str {
    plain.split('<').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::candidate_terms;
    use crate::rust::read_text;

    #[test]
    fn a_call_takes_what_the_function_reads() {
        let text = "fn f(repo: &Repo, old: &Commit, new: &Commit) -> bool {
            let id = new.id();
            if repo
                .view()
                .has(old)
            { return repo.is_root(old.id()); }
            true
        }";
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text.starts_with("repo")).unwrap();
        let all: Vec<String> = candidate_terms::at(&sources, site)
            .into_iter()
            .map(|term| term.text)
            .collect();
        for wanted in [
            "new.has(old)",
            "repo.view().has(new.id())",
            "repo.is_root(new.id())",
        ] {
            assert!(all.contains(&wanted.to_owned()), "{wanted}: {all:?}");
        }
    }

    #[test]
    fn parameters_get_fitting_arguments() {
        let text = "struct S; impl S {
            fn is_on(&self, of: &dyn Attrs) -> bool { true }
            fn is_bound(&self, db: &Db, of: Ty, to: Ty) -> bool { true }
            fn f(&self, db: &Db, to: Ty, one: Ty, piece: Piece) -> u8 { if piece.n == 1 { 2 } else { 3 } }
        }";
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text == "piece.n == 1").unwrap();
        let all: Vec<String> = candidate_terms::at(&sources, site)
            .into_iter()
            .map(|term| term.text)
            .collect();
        for wanted in ["self.is_on(&piece)", "self.is_bound(db, one, to)"] {
            assert!(all.contains(&wanted.to_owned()), "{wanted}: {all:?}");
        }
    }

    fn terms(text: &str, condition: &str) -> Vec<String> {
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text == condition).unwrap();
        let terms = candidate_terms::at(&sources, site).into_iter();
        terms.map(|term| term.text).collect()
    }

    #[test]
    fn of_many_predicates_the_most_frequently_called_are_used() {
        let all: String = (0..60)
            .map(|nth| format!("fn is_{nth}(n: u32) -> bool {{ n == {nth} }} "))
            .collect();
        let text = format!(
            "{all} fn f(m: u32) -> u32 {{ if m > 1 {{ 2 }} else {{ 3 }} }}
            fn g(k: u32) -> bool {{ is_57(k) || is_58(1) }} fn h(k: u32) -> bool {{ is_57(k + 1) }}"
        );
        let terms = terms(&text, "m > 1");
        let at = |call: &str| terms.iter().position(|term| term == call);
        assert!(at("is_57(m)") < at("is_58(m)"), "{terms:?}");
        assert!(at("is_58(m)") < at("is_0(m)") && at("is_57(m)").is_some());
        assert!(at("is_56(m)").is_none());
    }

    #[test]
    fn a_pattern_macro_of_the_subject_is_used_elsewhere_too() {
        let text = "fn f(node: &Node, child: &Node) -> u8 { if child.n > 1 { return 2; } g(node_matches!(node, Value::List(..))) }";
        let wanted = "node_matches!(child, Value::List(..))".to_owned();
        let terms = terms(text, "child.n > 1");
        assert!(terms.contains(&wanted), "{terms:?}");
    }

    #[test]
    fn a_literal_in_a_call_has_a_counterpart() {
        let condition = "key.contains('\\n') || value.contains(&b'\\n')";
        let text = format!(
            "fn f(key: &str, value: &[u8]) -> u8 {{ if {condition} {{ 1 }} else {{ 2 }} }}"
        );
        let terms = terms(&text, condition);
        for wanted in ["key.contains('\\r')", "value.contains(&b'\\r')"] {
            assert!(terms.contains(&wanted.to_owned()), "{wanted}: {terms:?}");
        }
    }

    #[test]
    fn a_function_that_returns_an_alias_of_a_scalar_is_callable() {
        let text = "type Id = u32; struct S { n: Id } impl S {
            fn next_id(&self) -> Id { self.n } fn f(&self, m: u8) -> u8 { if m > 1 { 2 } else { 3 } }
        }";
        let sources = read_text(text);
        let mut all = sources.callables.iter();
        assert!(all.any(|it| it.name == "next_id" && it.returns == "u32"));
    }

    #[test]
    fn scalars_are_computed_from_variables_named_like_parameters() {
        let text = "struct S { all: Vec<u32> } impl S {
            fn left(&self, item: usize) -> u32 { self.all[item] }
            fn of_other(&self, other: usize) -> u32 { self.all[other] }
            fn take(&self, item: usize, n: u32) -> u32 { if self.all[item] < n { 1 } else { weight(n) } }
        }
        fn weight(n: u32) -> u32 { n * 2 }";
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text.ends_with("< n")).unwrap();
        let all: Vec<String> = candidate_terms::at(&sources, site)
            .into_iter()
            .map(|term| term.text)
            .collect();
        for wanted in ["self.left(item)", "weight(n)"] {
            assert!(all.contains(&wanted.to_owned()), "{wanted}: {all:?}");
        }
        for other in ["self.of_other(item)", "self.take(item, n)"] {
            assert!(!all.contains(&other.to_owned()), "{other}: {all:?}");
        }
    }

    #[test]
    fn conditionally_compiled_code_is_used_only_under_its_condition() {
        let text = r#"#[cfg(feature = "extra")] const LIMIT: u32 = 20;
            #[cfg(feature = "extra")] fn is_light(n: u32) -> bool { n <= LIMIT }
            fn is_even(n: u32) -> bool { n % 2 == 0 }
            fn everywhere(n: u32) -> bool { n < 5 }
            #[cfg(all(unix, feature = "extra"))]
            mod inside { fn f(n: u32) -> bool { n < 6 } }
            #[cfg(feature = "extra")] fn beside(n: u32) -> bool { n < 7 }"#;
        let sources = read_text(text);
        let uses = |of: &str, what: &str| {
            let mut sites = sources.sites.iter();
            let site = sites.find(|site| site.text == of).unwrap();
            let mut terms = candidate_terms::at(&sources, site).into_iter();
            terms.any(|term| term.text.contains(what))
        };
        assert!(uses("n < 5", "is_even"));
        assert!(!uses("n < 5", "is_light") && !uses("n < 5", "LIMIT"));
        assert!(uses("n < 6", "is_light") && uses("n < 7", "is_light"));
        assert!(uses("n < 7", "LIMIT"));
    }
}

//! The features of one edit.

mod guards;
mod loops;
mod panics;

use nopol_expr::CmpOp;
use nopol_source::condition::{Leaf, Node, Shape};
use nopol_source::words::{mentions, plain_names, words};
use nopol_source::{BodyOrigin, Form, Language, SiteKind};

use super::shapes::{
    asks_again, bounds_twice, comparisons, has_arithmetic, is_constant, is_idle, leaf_nodes,
    negativity, of_operator, orders_remainder, truths_compared,
};
use super::texts::{alike, conditions, has_word, parts, skeleton, squeezed};
use super::{Feature, Row, yes};
use crate::rank::change::{Change, change, is_literal, number, of_numbers, swaps_methods};
use crate::rank::facts::{Case, EditFacts, FunctionText, PanicAt, Support};
use crate::rank::variables::Place;

/// An edit, with the text around it.
pub struct EditFeatures<'c> {
    case: &'c Case,
    facts: &'c EditFacts,
    /// The function without the place.
    around: String,
    /// The three lines before the place and the four after it, each with the line of the place.
    near: [String; 2],
    row: Row,
}

impl<'c> EditFeatures<'c> {
    /// An edit of a case.
    pub fn new(case: &'c Case, facts: &'c EditFacts) -> Self {
        let text = function_text(case, facts);
        let before = text.get(..facts.span.start).unwrap_or("");
        let after = text.get(facts.span.end..).unwrap_or("");
        // Both parts include their half of the line of the place.
        let lines_before: Vec<&str> = before.lines().rev().take(4).collect();
        let lines_after: Vec<&str> = after.lines().take(5).collect();
        Self {
            case,
            facts,
            around: format!("{before}\n{after}"),
            near: [lines_before.join("\n"), lines_after.join("\n")],
            row: [0.0; Feature::ALL.len()],
        }
    }

    fn set(&mut self, feature: Feature, is: bool) {
        self.put(feature, yes(is));
    }

    fn put(&mut self, feature: Feature, value: f64) {
        self.row[feature as usize] = value;
    }

    /// The features of the edit.
    pub fn features(mut self) -> Row {
        self.place();
        self.evidence();
        let language = self.case.language();
        let facts = self.facts;
        if let Some(new) = facts.after.tree(language) {
            let old = match facts.kind.form() {
                Form::Replace | Form::Compute => language.parse(&plain_names(&facts.before)),
                Form::Wrap | Form::Leave | Form::Branch | Form::Narrow => None,
            };
            self.condition(old.as_ref(), new);
            self.set(Feature::AsksForPanic, self.asks_for_panic(new));
            self.set(Feature::PreventsPanic, facts.prevents);
            // If a test panics or crashes, only a clause that prevents that counts.
            let is_exact = facts.panic == PanicAt::Elsewhere
                && !facts.prevents
                && self.guards_exactly(old.as_ref(), new);
            self.set(Feature::GuardsExactly, is_exact);
            self.put(Feature::GuardOff, self.guards_off(old.as_ref(), new));
        }
        self.row
    }

    fn place(&mut self) {
        use Feature as F;
        let facts = self.facts;
        self.put(F::Suspiciousness, facts.suspiciousness);
        self.set(F::PanicsHere, facts.panic == PanicAt::Here);
        self.set(F::PanicsInFunction, facts.panic != PanicAt::Elsewhere);
        self.set(F::Checks, facts.checks > 0);
        let function = self.case.functions.get(facts.function);
        self.set(F::ForTests, function.is_some_and(is_for_tests));
        let name = function.map_or("", |it| it.name.rsplit("::").next().unwrap_or(""));
        let failures = &self.case.failures;
        let calls = failures.iter().any(|it| has_word(&it.text, name));
        let parts = parts(name);
        let named = |test: &str| {
            let of_test = self::parts(test.rsplit("::").next().unwrap_or(""));
            let shared = parts.iter().filter(|part| of_test.contains(part));
            shared.count() as f64 / parts.len().max(1) as f64
        };
        let named = failures
            .iter()
            .map(|it| named(&it.test))
            .fold(0.0, f64::max);
        self.set(F::TestCalls, calls);
        self.put(F::TestNamed, named);
        let kind = match facts.kind {
            SiteKind::If | SiteKind::ElseIf => None,
            SiteKind::Value => Some(F::AtValue),
            SiteKind::While => Some(F::AtLoop),
            SiteKind::Guard | SiteKind::LetOperand => Some(F::AtGuard),
            SiteKind::Statement => Some(F::Wraps),
            SiteKind::Statements => Some(F::WrapsSeveral),
            SiteKind::EarlyExit => Some(F::Leaves),
            SiteKind::Branch => Some(F::Branches),
            SiteKind::Arm | SiteKind::Pattern | SiteKind::Premise => Some(F::Narrows),
            // Sites on request were not in the training, so they have no feature.
            SiteKind::Integer | SiteKind::Assignment => None,
        };
        if let Some(kind) = kind {
            self.set(kind, true);
        }
        let has_body = match facts.kind.form() {
            Form::Leave | Form::Branch => true,
            Form::Replace | Form::Wrap | Form::Narrow | Form::Compute => false,
        };
        if has_body {
            let body = match facts.body_origin {
                BodyOrigin::Own => F::BodyOwn,
                BodyOrigin::Variant => F::BodyVariant,
                BodyOrigin::Sibling => F::BodySibling,
                BodyOrigin::Obvious => F::BodyObvious,
                BodyOrigin::Parameter | BodyOrigin::Constructor => F::BodyMade,
                BodyOrigin::Statements => F::BodyStatements,
                BodyOrigin::Break | BodyOrigin::LabelledContinue | BodyOrigin::LabelledBreak => {
                    F::BodyLeavesLoop
                }
                BodyOrigin::Panic => F::BodyPanics,
            };
            self.set(body, true);
            self.put(F::BodyInTest, self.in_test(&facts.body));
            self.set(F::BreaksFor, self.breaks_for());
            self.set(F::ContinuesOpenLoop, self.continues_open_loop());
        }
        let text = function_text(self.case, facts);
        // Documentation may contain braces, too.
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        let docs = text.split_inclusive('\n').take_while(is_comment);
        let head = docs.map(str::len).sum::<usize>();
        let inside = text[head..].find('{').map_or(0, |at| head + at + 1);
        let before = text.get(inside..facts.span.start).unwrap_or("x");
        let is_new = facts.kind.is_new();
        self.set(F::AtStart, is_new && before.trim().is_empty());
        let leaves = ["return", "break", "continue", "goto"];
        let is_exit = |text: &str| {
            leaves
                .iter()
                .any(|word| text.trim_start().starts_with(word))
        };
        let wraps = facts.kind.form().skips();
        self.set(F::WrapsExit, wraps && is_exit(&facts.before));
    }

    /// The share of the names of types and variants in a text that failing tests mention.
    fn in_test(&self, text: &str) -> f64 {
        let words = words(text).into_iter().map(|word| &text[word]);
        let named = |word: &&str| word.starts_with(char::is_uppercase) && word.len() > 4;
        let words: Vec<&str> = words.filter(named).collect();
        let of_test = |word: &&&str| {
            let mut failures = self.case.failures.iter();
            failures.any(|it| has_word(&it.text, word) || has_word(&it.message, word))
        };
        words.iter().filter(of_test).count() as f64 / words.len().max(1) as f64
    }

    fn evidence(&mut self) {
        use Feature as F;
        self.set(F::Loose, self.facts.is_loose);
        let Some(support) = self.facts.support else {
            self.set(F::Unobserved, true);
            return;
        };
        let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
        self.put(
            F::ChangesPassing,
            share(support.changed_passing, support.passing),
        );
        let all = support.failing > 0 && support.changed_failing == support.failing;
        self.set(F::ChangesAllFailing, all);
        let contexts = support.failing + support.passing;
        let is_constant = support.holds == 0 || support.holds == contexts;
        self.set(F::OneOutcome, is_constant);
        let agreeing = f64::from(support.passing - support.changed_passing);
        self.put(F::Agreeing, (1.0 + agreeing).log10());
        self.set(F::SingledOut, is_single(&support));
        self.set(
            F::FewMeet,
            support.singled_out.is_some_and(|it| (2..4).contains(&it)),
        );
    }

    /// Sets the features of the new condition, which replaces `old`.
    fn condition(&mut self, old: Option<&Node>, new: &Node) {
        use Feature as F;
        let count = |text: &str| words(text).len() as f64;
        let longer = count(&new.text) - old.map_or(0.0, |old| count(&old.text));
        self.put(F::Longer, (longer / 10.0).clamp(0.0, 3.0));
        self.put(F::Shorter, (-longer / 10.0).clamp(0.0, 3.0));
        let mut fresh: Vec<&Node> = vec![];
        match old {
            // Every clause of an inserted condition is new.
            None => {
                let by_and = new.clauses(true);
                fresh = match by_and.len() {
                    1 => new.clauses(false),
                    _ => by_and,
                };
                self.set(F::SeveralAdded, fresh.len() > 1);
            }
            Some(old) => {
                self.set(F::WasConstant, matches!(&*old.text, "true" | "false"));
                let change = match self.facts.kind.computes() {
                    true => of_numbers(old, new),
                    false => change(old, new),
                };
                let feature = match change {
                    Change::Nothing => F::Nothing,
                    Change::Operator(from, to) => of_operator(from, to),
                    Change::Connective => F::Connective,
                    Change::Added {
                        is_and,
                        clauses,
                        is_first,
                    } => {
                        self.set(F::SeveralAdded, clauses.len() > 1);
                        self.set(F::AddedFirst, is_first);
                        let repeats = |clause: &&Node| is_with_term_added(old, clause);
                        self.set(F::TermAdded, clauses.iter().any(repeats));
                        let asks_again = |clause: &&Node| asks_again(old, clause, is_and);
                        self.set(F::AsksAgain, clauses.iter().any(asks_again));
                        if !is_and {
                            let most = clauses.iter().map(|clause| negativity(clause));
                            let most = most.fold(0.0, f64::max);
                            let mut known = old.all_clauses().into_iter();
                            let was_negative = known.any(|clause| negativity(clause) > 0.0);
                            let part = if was_negative { 0.5 } else { 1.0 };
                            self.put(F::OrsNegated, most * part);
                        }
                        fresh = clauses;
                        match is_and {
                            true => F::AndAdded,
                            false => F::OrAdded,
                        }
                    }
                    Change::Dropped => F::Dropped,
                    Change::Negated => F::Negated,
                    Change::NextConstant => F::NextConstant,
                    Change::Constant => F::Constant,
                    Change::OffByOne => F::OffByOne,
                    Change::Arithmetic => {
                        let is_longer = new.text.len() > old.text.len();
                        self.set(F::TermAdded, is_longer && !self.facts.kind.computes());
                        F::Arithmetic
                    }
                    Change::Operand { old, new } => {
                        self.put(F::OperandAlike, alike(&old.text, &new.text));
                        self.set(F::OppositeMethod, swaps_methods(&old.text, &new.text));
                        F::Operand
                    }
                    Change::Replaced => F::Replaced,
                };
                self.set(feature, true);
                if feature == F::Replaced {
                    fresh = vec![new];
                }
            }
        }
        if let Some(old) = old.filter(|_| fresh.is_empty()) {
            self.consistency(old, new);
        }
        // The crash says which variables matter.
        if !(self.case.is_c && self.facts.prevents) {
            self.put(F::Relevant, self.relevance(&fresh));
        }
        let compares_more = |old| truths_compared(new) > truths_compared(old);
        self.set(F::ComparesTruth, old.is_some_and(compares_more));
        self.set(F::RemainderOrdered, orders_remainder(new));
        self.set(F::BoundsTwice, bounds_twice(new));
        let controlled = match self.facts.kind.form() {
            Form::Wrap => &self.facts.before,
            Form::Replace | Form::Leave | Form::Branch | Form::Narrow | Form::Compute => {
                &self.facts.body
            }
        };
        let mut operands = Vec::new();
        leaf_nodes(new, &mut operands);
        let operands = operands.into_iter().filter(|it| !is_literal(it));
        let alike = operands.map(|it| alike(&it.text, controlled));
        self.put(F::AlikeBody, alike.fold(0.0, f64::max));
        self.shapes(&fresh, old);
        self.operands(old, new);
        self.set(F::Idle, is_idle(new));
    }

    /// The least relevance of these clauses: how likely people are to test their variables at this place.
    fn relevance(&self, fresh: &[&Node]) -> f64 {
        if fresh.is_empty() {
            return 0.0;
        }
        let function = function_text(self.case, self.facts);
        let body = match self.facts.kind.form() {
            Form::Replace | Form::Compute => None,
            Form::Wrap => Some(&*self.facts.before),
            Form::Leave | Form::Branch | Form::Narrow => Some(&*self.facts.body),
        };
        let place = Place::new(
            self.case.language(),
            function,
            self.facts.span.clone(),
            body,
        );
        let clauses = fresh.iter().flat_map(|it| it.all_clauses());
        let each = clauses.map(|clause| place.relevance(&clause.text));
        each.reduce(f64::min).unwrap_or(0.0)
    }

    /// Whether clauses changed in place resemble other clauses now, and whether they did before.
    fn consistency(&mut self, old: &Node, new: &Node) {
        let (before, after) = (comparisons(old), comparisons(new));
        let is_in = |all: &[(CmpOp, &Node, &Node)], (op, a, b): &(CmpOp, &Node, &Node)| {
            all.iter()
                .any(|(p, c, d)| p == op && c.text == a.text && d.text == b.text)
        };
        let around = squeezed(&self.around);
        let like_others = |own: &[(CmpOp, &Node, &Node)], others: &[(CmpOp, &Node, &Node)]| {
            own.iter()
                .filter(|it| !is_in(others, it))
                .any(|(op, a, b)| {
                    let in_condition = own.iter().any(|(p, c, d)| {
                        let is_same_side = (c.text == a.text) != (d.text == b.text);
                        p == op && is_same_side
                    });
                    let text = format!("{}{}{}", squeezed(&a.text), op.token(), squeezed(&b.text));
                    in_condition || around.contains(&text)
                })
        };
        let is_of_chain = |it: &(CmpOp, &Node, &Node)| {
            let (op, a, b) = it;
            let beside =
                |(_, c, d): &&(CmpOp, &Node, &Node)| (c.text == a.text) != (d.text == b.text);
            let mut others = after.iter().filter(beside);
            others.clone().count() > 1 && others.all(|(other, ..)| other == op)
        };
        let changed = after.iter().filter(|it| !is_in(&before, it));
        self.set(Feature::OperatorOfChain, changed.clone().any(is_of_chain));
        let is_parallel = like_others(&after, &before);
        let was_parallel = like_others(&before, &after);
        self.set(Feature::ChangedParallel, is_parallel);
        self.set(Feature::WasParallel, was_parallel);
    }

    /// Sets the features of the form of the new clauses.
    fn shapes(&mut self, fresh: &[&Node], old: Option<&Node>) {
        use Feature as F;
        let is_rust = self.case.language() == Language::Rust;
        let elsewhere = squeezed(&self.around);
        let mut parallel = false;
        let mut stands = false;
        let mut singles_out = false;
        let mut known = Vec::new();
        if let Some(old) = old {
            for is_and in [true, false] {
                known.extend(
                    old.clauses(is_and)
                        .into_iter()
                        .filter_map(|it| skeleton(&it.text)),
                );
            }
        }
        let is_known =
            |clause: &&&Node| skeleton(&clause.text).is_some_and(|it| known.contains(&it));
        self.set(F::SameShape, fresh.iter().any(|clause| is_known(&clause)));
        for clause in fresh {
            let feature = match &clause.shape {
                Shape::Leaf(_) => F::Flag,
                Shape::Not(_) => F::NegatedFlag,
                Shape::Cmp(op, a, b) => match (is_constant(a) || is_constant(b), op) {
                    (false, op) => {
                        let known = self.row[F::SidesAlike as usize];
                        self.put(F::SidesAlike, alike(&a.text, &b.text).max(known));
                        self.set(F::ComparesValues, true);
                        match op {
                            CmpOp::Eq => F::EqualsValue,
                            CmpOp::Ne => F::DiffersFromValue,
                            _ => F::OrdersValues,
                        }
                    }
                    (true, CmpOp::Eq) => F::EqualsLiteral,
                    (true, CmpOp::Ne) => F::DiffersFromLiteral,
                    (true, _) => {
                        let is_small = |it: &Node| matches!(number(&it.text), Some(0 | 1));
                        match is_small(a) || is_small(b) {
                            true => F::OrderWithSmall,
                            false => F::OrderWithLiteral,
                        }
                    }
                },
                _ => continue,
            };
            self.set(feature, true);
            if let Shape::Cmp(op, a, b) = &clause.shape {
                let is_large = |it: &Node| number(&it.text).is_some_and(|it| !matches!(it, -1..=1));
                if !op.orders() && (is_large(a) || is_large(b)) && is_rust {
                    self.set(F::EqualsNumber, true);
                }
                let others = old.map_or_else(Vec::new, comparisons);
                parallel |= others
                    .iter()
                    .any(|(other, c, d)| other == op && (a.text == c.text || b.text == d.text));
                let is_far = |it: &Node| {
                    number(&it.text).is_some_and(|it| !matches!(it, -1..=1))
                        && !has_word(&self.around, it.text.trim_start_matches('-'))
                };
                singles_out |= !op.orders() && (is_far(a) || is_far(b));
                for pattern in [
                    format!("{}{}", op.token(), squeezed(&b.text)),
                    format!("{}{}", squeezed(&a.text), op.token()),
                ] {
                    parallel |= elsewhere.contains(&pattern);
                }
            }
            stands |= elsewhere.contains(&squeezed(&clause.text));
        }
        self.set(F::Parallel, parallel);
        self.set(F::StandsElsewhere, stands);
        let is_single = self.facts.support.is_some_and(|it| is_single(&it));
        self.set(F::NumberSingledOut, singles_out && is_single && is_rust);
    }

    /// Sets the features of the new operands and where they are used.
    fn operands(&mut self, old: Option<&Node>, new: &Node) {
        use Feature as F;
        let known = old.map_or_else(Vec::new, Node::leaves);
        let is_new = |text: &str| !known.iter().any(|leaf| leaf.text == text);
        let mut fresh: Vec<&Node> = Vec::new();
        leaf_nodes(new, &mut fresh);
        fresh.retain(|leaf| is_new(&leaf.text));
        let (literals, fresh): (Vec<&Node>, Vec<&Node>) =
            fresh.into_iter().partition(|leaf| is_literal(leaf));
        // If several tests fail, a string that occurs in one context is not an accident.
        let is_singled_out = self.case.failures.len() == 1
            && self
                .facts
                .support
                .is_some_and(|support| is_single(&support));
        for literal in literals {
            let text = &literal.text;
            if matches!(number(text), Some(0 | 1)) || matches!(&**text, "true" | "false") {
                continue;
            }
            let is_here = has_word(&self.around, text) || self.around.contains(text.as_str());
            let in_test = self
                .case
                .failures
                .iter()
                .any(|it| it.text.contains(text.as_str()));
            for (feature, is) in [
                (F::LiteralOfFunction, is_here),
                (F::LiteralFromElsewhere, !is_here),
                (F::LiteralOfTest, !is_here && in_test),
                (
                    F::TextSingledOut,
                    !is_here && is_singled_out && text.contains(['\'', '"']),
                ),
            ] {
                if is {
                    self.set(feature, true);
                }
            }
        }
        let kinship = fresh.iter().flat_map(|new| {
            // An operand computed from a known one always shares its words, so it does not count as related.
            let known = known
                .iter()
                .filter(|old| !mentions(&new.text, &old.text) && !mentions(&old.text, &new.text));
            known.map(|old| alike(&old.text, &new.text))
        });
        self.put(F::KinOfCondition, kinship.fold(0.0, f64::max));
        let is_edit = old.is_some() && fresh.is_empty();
        self.set(F::InCondition, is_edit);
        if fresh.is_empty() {
            return;
        }
        let all = fresh.len() as f64;
        let share = |holds: &dyn Fn(&str) -> bool| {
            fresh.iter().filter(|leaf| holds(&leaf.text)).count() as f64 / all
        };
        let conditions = conditions(&self.around);
        let uses = |text: &str, operand: &str| squeezed(text).contains(&squeezed(operand));
        let compared = share(&|operand| conditions.iter().any(|it| uses(it, operand)));
        let before = share(&|operand| uses(&self.near[0], operand));
        let after = share(&|operand| uses(&self.near[1], operand));
        let foreign = share(&|operand| !uses(&self.around, operand));
        self.put(F::ComparedElsewhere, compared);
        self.put(F::UsedBefore, before);
        self.put(F::UsedAfter, after);
        self.put(F::Foreign, foreign);
        let any = |holds: &dyn Fn(&str) -> bool| fresh.iter().any(|leaf| holds(&leaf.text));
        let call = any(&|text| text.contains('(') && !text.ends_with("()"));
        let field = any(&|text| text.contains('.') && !text.ends_with(')'));
        let length = any(&|text| text.ends_with("len()") || text.ends_with(".count()"));
        let computes = any(&|text| text.contains(" + ") || text.contains(" - "));
        let element = any(&|text| text.contains('['));
        self.set(F::Call, call);
        self.set(F::Field, field);
        self.set(F::Length, length);
        self.set(F::Computes, computes || has_arithmetic(new));
        self.set(F::Element, element);
        self.set(F::Unwraps, any(&|text| text.contains(".unwrap()")));
        let called = |leaf: &&&Leaf| leaf.text.contains('(');
        let again = known
            .iter()
            .filter(called)
            .any(|old| any(&|text: &str| text.len() > old.text.len() && text.contains(&old.text)));
        self.set(F::CallsAgain, again);
    }
}

/// The text of the function that contains the place.
fn function_text<'c>(case: &'c Case, facts: &EditFacts) -> &'c str {
    let function = case.functions.get(facts.function);
    function.map_or("", |it| &*it.text)
}

/// Whether a function is a helper of tests by the names of its file, directories and modules.
fn is_for_tests(function: &FunctionText) -> bool {
    let modules = function.name.rsplit_once("::").map_or("", |it| it.0);
    let file = function.file.strip_suffix(".rs").unwrap_or(&function.file);
    let names = file.split('/').chain(modules.split("::"));
    let mut words = names.flat_map(|name| name.split(['_', '-']));
    words.any(|word| ["test", "tests", "testing", "mock", "mocks", "fixtures"].contains(&word))
}

/// Whether at most one context has the value of a new constant.
fn is_single(support: &Support) -> bool {
    support.singled_out.is_some_and(|it| it < 2)
}

/// Whether a clause repeats a comparison of the old condition with a term added to one side: `a + b > n` for `a > n`.
fn is_with_term_added(old: &Node, clause: &Node) -> bool {
    let Shape::Cmp(_, a, b) = &clause.shape else {
        return false;
    };
    let compared = old.compared();
    let pairs = [(a, b), (b, a)].into_iter();
    let mut sums = pairs.filter_map(|(sum, other)| match &sum.shape {
        Shape::Arith(_, c, d) if !is_literal(c) && !is_literal(d) => Some(([c, d], other)),
        _ => None,
    });
    sums.any(|(parts, other)| {
        compared.iter().any(|&(_, _, left, right)| {
            let is_it = |one: &Node, two: &Node| {
                one.text == other.text && parts.iter().any(|part| part.text == two.text)
            };
            is_it(left, right) || is_it(right, left)
        })
    })
}

#[cfg(test)]
mod tests;

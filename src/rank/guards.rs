//! Guards: clauses that prevent the code after them from failing. This module decides whether a guard demands exactly
//! what an access needs (`i > 0` before `v[i - 1]`), and which code it protects.

mod needs;
#[cfg(test)]
mod tests;

use nopol_expr::CmpOp;
use nopol_source::Language;
use nopol_source::condition::{Node, Shape};

use self::needs::{Linear, Need, squeezed};

/// How to judge guards.
#[derive(Clone, Copy, Debug)]
pub struct Guards {
    /// The language of all texts.
    pub language: Language,
    /// Whether differences must not be negative, because a test panics for that reason.
    pub checks_differences: bool,
}

/// How well a clause meets a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It demands exactly what is needed.
    Exact,
    /// It is about the same operands, but demands more, less, or only that they differ.
    Off,
}

/// What a clause ensures.
#[derive(Clone, Debug)]
enum Assurance {
    /// `plus - minus >= number`.
    AtLeast(Linear),
    /// `plus - minus != number`.
    Differs(Linear),
    /// The value is neither 0 nor null.
    NotZero(String),
    /// The value has a payload or elements.
    Holds(String),
}

impl Guards {
    /// Number of clauses in a condition that guard the code after them but do not demand exactly what it needs. Clauses
    /// for which `is_known` holds do not count. `code` runs if the condition has the outcome `reaches`.
    pub fn misfits(
        self,
        node: &Node,
        code: &str,
        reaches: bool,
        is_known: &dyn Fn(&str) -> bool,
    ) -> usize {
        let mut found = 0;
        self.count(node, code, reaches, is_known, &mut found);
        found
    }

    /// Whether a clause of a condition demands exactly what the code after it needs: `a >= b` before `a -= b`. The
    /// parameters are those of [`Guards::misfits`].
    pub fn has_exact(
        self,
        node: &Node,
        code: &str,
        reaches: bool,
        is_known: &dyn Fn(&str) -> bool,
    ) -> bool {
        match &node.shape {
            Shape::Not(inner) => self.has_exact(inner, code, !reaches, is_known),
            Shape::And(a, b) | Shape::Or(a, b) => {
                let is_and = matches!(node.shape, Shape::And(..));
                let is_reached = is_and == reaches;
                let code = if is_reached { code } else { "" };
                // A new clause that only guards another new clause does not guard existing code.
                let old = b.all_clauses().iter().all(|clause| is_known(&clause.text));
                let after = if old { &*b.text } else { "" };
                self.has_exact(a, &format!("{after} ; {code}"), is_and, is_known)
                    || is_reached && self.has_exact(b, code, reaches, is_known)
            }
            Shape::Cmp(..) | Shape::Leaf(_) | Shape::Arith(..) if is_known(&node.text) => false,
            Shape::Cmp(..) | Shape::Leaf(_) | Shape::Arith(..) => {
                let needs = self.needs(code);
                let mut assured = assurances(node, reaches).into_iter();
                assured.any(|it| self.best(&it, &needs) == Some(Fit::Exact))
            }
        }
    }

    fn count(
        self,
        node: &Node,
        code: &str,
        reaches: bool,
        is_known: &dyn Fn(&str) -> bool,
        found: &mut usize,
    ) {
        match &node.shape {
            Shape::Not(inner) => self.count(inner, code, !reaches, is_known, found),
            Shape::And(a, b) | Shape::Or(a, b) => {
                let is_and = matches!(node.shape, Shape::And(..));
                // The second operand is evaluated if the first is true (`&&`) or false (`||`). The code after the whole
                // condition is reached only if the second operand had this outcome, too.
                let after = match is_and == reaches {
                    true => format!("{} ; {code}", b.text),
                    false => b.text.clone(),
                };
                self.count(a, &after, is_and, is_known, found);
                match is_and == reaches {
                    true => self.count(b, code, reaches, is_known, found),
                    false => self.count(b, "", reaches, is_known, found),
                }
            }
            Shape::Cmp(..) | Shape::Leaf(_) | Shape::Arith(..) if is_known(&node.text) => {}
            Shape::Cmp(..) | Shape::Leaf(_) | Shape::Arith(..) => {
                let needs = self.needs(code);
                let assured = assurances(node, reaches);
                let fits: Vec<Fit> = assured
                    .iter()
                    .filter_map(|it| self.best(it, &needs))
                    .collect();
                *found += usize::from(!fits.is_empty() && !fits.contains(&Fit::Exact));
            }
        }
    }

    /// Whether a clause with this outcome prevents `code`, which is evaluated after it, from failing.
    pub fn protects(self, clause: &Node, outcome: bool, code: &str) -> bool {
        let needs = self.needs(code);
        let mut assured = assurances(clause, outcome).into_iter();
        assured.any(|it| needs.iter().any(|need| self.fit(&it, need).is_some()))
    }

    fn needs(self, code: &str) -> Vec<Need> {
        needs::of(self.language, code, self.checks_differences)
    }

    /// How well a clause meets the strongest of the needs that it is about.
    fn best(self, assured: &Assurance, needs: &[Need]) -> Option<Fit> {
        let about = needs.iter().filter(|need| need.has_bound());
        let about = about.filter(|need| self.fit(assured, need).is_some());
        let strongest = about.max_by_key(|need| need.number())?;
        self.fit(assured, strongest)
    }

    fn fit(self, assured: &Assurance, need: &Need) -> Option<Fit> {
        let exact_if = |is_exact| if is_exact { Fit::Exact } else { Fit::Off };
        match (assured, need) {
            (Assurance::AtLeast(it), Need::AtLeast(needed)) => {
                let is_about = it.plus == needed.plus && it.minus == needed.minus;
                is_about.then(|| exact_if(it.number == needed.number))
            }
            // In C, nothing nearby shows the length of an array, so any upper limit counts as its length.
            (Assurance::AtLeast(it), Need::Below(index, number)) => {
                let is_about = it.minus.as_ref() == Some(index) && it.plus.is_some();
                is_about.then(|| exact_if(it.number == *number))
            }
            (Assurance::Differs(it), Need::AtLeast(needed)) => {
                let same = it.plus == needed.plus && it.minus == needed.minus;
                let mirrored = it.plus == needed.minus && it.minus == needed.plus;
                // For an unsigned number, `!= 0` equals `>= 1`.
                let is_exact = it.minus.is_none() && it.number == 0 && needed.number == 1;
                (same || mirrored).then(|| exact_if(is_exact && self.language == Language::Rust))
            }
            (Assurance::Differs(it), Need::Below(index, _)) => {
                let sides = [&it.plus, &it.minus];
                let is_about = sides.iter().all(|side| side.is_some())
                    && sides.iter().any(|side| side.as_ref() == Some(index));
                is_about.then_some(Fit::Off)
            }
            (Assurance::Differs(it), Need::NotZero(of)) => {
                let is_about = it.minus.is_none() && it.plus.as_ref() == Some(of);
                (is_about && it.number == 0).then_some(Fit::Exact)
            }
            (Assurance::AtLeast(it), Need::NotZero(of)) => {
                let is_about = it.minus.is_none() && it.plus.as_ref() == Some(of);
                (is_about && it.number >= 1).then(|| exact_if(it.number == 1))
            }
            (Assurance::NotZero(it), Need::NotZero(of)) => (it == of).then_some(Fit::Exact),
            (Assurance::NotZero(it), Need::AtLeast(needed)) => {
                let is_about = needed.minus.is_none() && needed.plus.as_ref() == Some(it);
                is_about.then(|| exact_if(needed.number == 1))
            }
            (Assurance::Holds(it), Need::Holds(of)) => (it == of).then_some(Fit::Exact),
            (Assurance::Holds(it), Need::AtLeast(needed)) => {
                let length = format!("{it}.len()");
                let is_about = needed.minus.is_none() && needed.plus.as_ref() == Some(&length);
                is_about.then(|| exact_if(needed.number == 1))
            }
            _ => None,
        }
    }
}

/// What a clause ensures if it has this outcome.
fn assurances(clause: &Node, outcome: bool) -> Vec<Assurance> {
    match &clause.shape {
        Shape::Not(inner) => assurances(inner, !outcome),
        Shape::Cmp(op, a, b) => {
            let op = if outcome { *op } else { op.negated() };
            let (left, right) = (squeezed(&a.text), squeezed(&b.text));
            let (Some(left), Some(right)) = (Linear::read(&left), Linear::read(&right)) else {
                return Vec::new();
            };
            // The larger side minus the smaller side: `a > b` and `b < a` are the same.
            let (larger, smaller, least) = match op {
                CmpOp::Gt => (left, right, 1),
                CmpOp::Ge => (left, right, 0),
                CmpOp::Lt => (right, left, 1),
                CmpOp::Le => (right, left, 0),
                CmpOp::Ne if right.plus.is_none() => (left, right, 0),
                CmpOp::Ne => (right, left, 0),
                CmpOp::Eq => return Vec::new(),
            };
            let Some(difference) = larger.minus(&smaller) else {
                return Vec::new();
            };
            // `a - b + 2 >= 3` means `a - b >= 1`.
            let number = least - difference.number;
            let it = Linear {
                number,
                ..difference
            };
            vec![match op {
                CmpOp::Ne => Assurance::Differs(it),
                _ => Assurance::AtLeast(it),
            }]
        }
        Shape::Leaf(_) | Shape::Arith(..) => {
            // In C, the text of the node may end in `!= NULL`; the text of its leaf does not.
            let text = match &clause.shape {
                Shape::Leaf(leaf) => squeezed(&leaf.text),
                _ => squeezed(&clause.text),
            };
            for (suffix, holds) in [
                (".is_some()", true),
                (".is_ok()", true),
                (".is_none()", false),
                (".is_err()", false),
                (".is_empty()", false),
            ] {
                if let Some(of) = text.strip_suffix(suffix) {
                    return match holds == outcome {
                        true => vec![Assurance::Holds(of.to_owned())],
                        false => Vec::new(),
                    };
                }
            }
            match outcome {
                true => vec![Assurance::NotZero(text)],
                false => Vec::new(),
            }
        }
        Shape::And(a, b) | Shape::Or(a, b) => {
            match matches!(clause.shape, Shape::And(..)) == outcome {
                true => [assurances(a, outcome), assurances(b, outcome)].concat(),
                false => Vec::new(),
            }
        }
    }
}

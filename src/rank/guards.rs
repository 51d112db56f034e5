//! Guards: clauses that keep what stands after them from going wrong. Whether one bounds exactly what an access needs
//! (`i > 0` before `v[i - 1]`), and whether it stands before that.

mod needs;
#[cfg(test)]
mod tests;

use nopol_expr::CmpOp;
use nopol_source::Language;
use nopol_source::condition::{Node, Shape};

use self::needs::{Linear, Need, squeezed};

/// What guards are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Guards {
    /// The language of all texts.
    pub language: Language,
    /// Less must not be taken from more: a test panics for that.
    pub checks_differences: bool,
}

/// How a clause relates to a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It asks for exactly what is needed.
    Exact,
    /// It is about the same operands, and asks for more, for less, or only for a difference.
    Off,
}

/// What a clause makes sure of.
#[derive(Clone, Debug)]
enum Assurance {
    /// The first operand is at least the second one and this number.
    AtLeast(Linear),
    /// The two operands differ by another number than this.
    Differs(Linear),
    /// It is neither 0 nor null.
    NotZero(String),
    /// It has a payload or elements.
    Holds(String),
}

impl Guards {
    /// How many clauses of a condition are guards of something else than what is needed after them. `is_known` are clauses that
    /// do not count. `code` is what is reached where the condition has the outcome `reaches`.
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

    /// Whether a clause of a condition asks for exactly what is needed after it: `a >= b` before `a -= b`. The rest is as for
    /// [`Guards::misfits`].
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
                // New clauses that need one another are not what was there to be guarded.
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
                // The second operand is evaluated where the first is true (`&&`) or false (`||`), and what the whole leads to is
                // reached only if that operand had this outcome, too.
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

    /// Whether a clause that has this outcome keeps a text from going wrong that would be evaluated after it.
    pub fn protects(self, clause: &Node, outcome: bool, code: &str) -> bool {
        let needs = self.needs(code);
        let mut assured = assurances(clause, outcome).into_iter();
        assured.any(|it| needs.iter().any(|need| self.fit(&it, need).is_some()))
    }

    fn needs(self, code: &str) -> Vec<Need> {
        needs::of(self.language, code, self.checks_differences)
    }

    /// How a clause fits the largest of the needs that it is about.
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
            // Nothing nearby shows how long an array is in C, so any limit is taken for its length.
            (Assurance::AtLeast(it), Need::Below(index, number)) => {
                let is_about = it.minus.as_ref() == Some(index) && it.plus.is_some();
                is_about.then(|| exact_if(it.number == *number))
            }
            (Assurance::Differs(it), Need::AtLeast(needed)) => {
                let same = it.plus == needed.plus && it.minus == needed.minus;
                let mirrored = it.plus == needed.minus && it.minus == needed.plus;
                // Of a number without a sign, 0 is the only one below 1.
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

/// What a clause makes sure of where it has this outcome.
fn assurances(clause: &Node, outcome: bool) -> Vec<Assurance> {
    match &clause.shape {
        Shape::Not(inner) => assurances(inner, !outcome),
        Shape::Cmp(op, a, b) => {
            let op = if outcome { *op } else { op.negated() };
            let (left, right) = (squeezed(&a.text), squeezed(&b.text));
            let (Some(left), Some(right)) = (Linear::read(&left), Linear::read(&right)) else {
                return Vec::new();
            };
            // Of `a > b` and `b < a`, the difference of the larger and the smaller side.
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
            // In C the text of a leaf may go on with `!= NULL`.
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

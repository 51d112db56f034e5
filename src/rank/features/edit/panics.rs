//! Conditions that test the number that makes a test panic.

use nopol_source::Form;
use nopol_source::condition::Node;

use super::EditFeatures;
use crate::rank::change::number;
use crate::rank::facts::PanicAt;
use crate::rank::features::shapes::comparisons;
use crate::rank::features::texts::{has_word, squeezed};

impl EditFeatures<'_> {
    /// Whether a failing test panics at the place because of a number that the condition tests: a zero divisor, or a
    /// difference below zero.
    pub(super) fn asks_for_panic(&self, new: &Node) -> bool {
        let facts = self.facts;
        let says = |text: &str| {
            let mut failures = self.case.failures.iter();
            failures.any(|failure| failure.message.contains(text))
        };
        let (divides, subtracts) = (
            says("attempt to divide by zero") || says("with a divisor of zero"),
            says("attempt to subtract with overflow"),
        );
        // Existing conditions and early exits also decide whether the lines after them run.
        let decides = match facts.kind.form() {
            Form::Replace | Form::Leave => facts.panic != PanicAt::Elsewhere,
            Form::Wrap | Form::Branch | Form::Narrow | Form::Compute => {
                facts.panic == PanicAt::Here
            }
        };
        if !decides || !divides && !subtracts {
            return false;
        }
        let mut code = squeezed(&self.near[1]);
        if facts.kind.form() == Form::Replace {
            code = format!("{}\n{code}", squeezed(&facts.before));
        }
        let has = |texts: &[String]| texts.iter().any(|text| code.contains(text));
        comparisons(new).iter().any(|(op, a, b)| {
            let (a, b) = (squeezed(&a.text), squeezed(&b.text));
            let is_zero = number(&b) == Some(0);
            let is_divisor = || has(&[format!("/{a}"), format!("%{a}")]);
            let is_taken = || {
                let [whole, part] = [a.trim_start_matches('*'), b.trim_start_matches('*')];
                has(&[
                    format!("{whole}-{part}"),
                    format!("{part}-{whole}"),
                    format!("{a}-={b}"),
                    format!("{b}-={a}"),
                ])
            };
            // `n - 1` underflows if `n` is 0, so a comparison of `n` with 0 or 1 counts as well.
            let is_nothing = || {
                let takes_one = has(&["-1".to_owned(), format!("{a}-=1")]);
                takes_one && has_word(&code, a.trim_start_matches('*'))
            };
            let is_least = number(&b) == Some(1) && op.orders();
            divides && is_zero && !op.orders() && is_divisor()
                || subtracts && (op.orders() && is_taken() || (is_zero || is_least) && is_nothing())
        })
    }
}

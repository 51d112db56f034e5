//! Conditions that ask about the number with which a test panics.

use nopol_source::Form;
use nopol_source::condition::Node;

use super::EditFeatures;
use crate::rank::change::number;
use crate::rank::facts::PanicAt;
use crate::rank::features::shapes::comparisons;
use crate::rank::features::texts::{has_word, squeezed};

impl EditFeatures<'_> {
    /// Whether a failing test panics at the place because of a number that the condition asks about: a divisor of zero, or
    /// what is taken from less.
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
        if facts.panic != PanicAt::Here || !divides && !subtracts {
            return false;
        }
        let code = match facts.kind.form() {
            Form::Replace => &facts.before,
            Form::Wrap | Form::Leave | Form::Branch | Form::Narrow | Form::Compute => &self.near[1],
        };
        let code = squeezed(code);
        comparisons(new).iter().any(|(op, a, b)| {
            let (a, b) = (squeezed(&a.text), squeezed(&b.text));
            let is_zero = number(&b) == Some(0) && !op.orders();
            let is_divisor = || {
                [format!("/{a}"), format!("%{a}")]
                    .iter()
                    .any(|it| code.contains(it))
            };
            let is_taken = || {
                [format!("{a}-{b}"), format!("{b}-{a}")]
                    .iter()
                    .any(|it| code.contains(it))
            };
            // One from nothing, too, is taken from less.
            let is_nothing = || is_zero && code.contains("-1") && has_word(&code, &a);
            divides && is_zero && is_divisor()
                || subtracts && (op.orders() && is_taken() || is_nothing())
        })
    }
}

//! Chooses the member that represents a family whose members differ only in a constant, if no test decides between
//! them: the one with the simplest constant.

use nopol_source::condition::{Node, Shape};
use nopol_source::words::mentions;

use super::families::Family;
use super::fix::Fix;
use super::knowledge::Knowledge;
use super::ranking::Ranker;
use crate::rank::change::number;
use crate::rank::features::{self, Feature};

impl Ranker<'_, '_> {
    /// Makes the member with the simplest constant the best of its family: 0, then 1, then a number of the function,
    /// then others. It must not be a guard that fits the access worse than the best member does
    /// ([`Feature::GuardOff`]).
    pub(super) fn put_simplest_first(&self, knowledge: &Knowledge, family: &mut Family) {
        let ranks = |other: &Fix| self.constants(&family.best, other);
        let simplest = family.others.iter().enumerate().filter_map(|(nth, other)| {
            let [best, own] = ranks(other)?;
            (own < best).then_some((own, nth))
        });
        let Some((_, nth)) = simplest.min() else {
            return;
        };
        let both = [family.best.clone(), family.others[nth].clone()];
        let rows = features::rows(&self.facts(knowledge, &both));
        let [best, other] = [0, 1].map(|of| rows[of][Feature::GuardOff as usize]);
        if other > best {
            return;
        }
        // The family keeps its place, whichever member represents it.
        let [best, other] = both;
        let (first, second) = (best.cost, other.cost);
        family.others[nth] = Fix {
            cost: second.max(first),
            ..best
        };
        family.best = Fix {
            cost: first.min(second),
            ..other
        };
    }

    /// The simplicity of the two constants in which alone two fixes differ. `None` if they differ in anything else, or
    /// in a recorded context.
    fn constants(&self, best: &Fix, other: &Fix) -> Option<[Simplicity; 2]> {
        let mut edits = best.edits.iter().zip(&other.edits);
        let (a, b) = edits.find(|(a, b)| a.condition != b.condition)?;
        if a.site != b.site
            || edits.any(|(a, b)| a.condition != b.condition)
            || a.evidence.agrees(&*b.evidence) != Some(true)
        {
            return None;
        }
        let language = self.session.sources.language;
        let trees = [a, b].map(|edit| edit.condition.tree(language));
        let texts = differing(trees[0]?, trees[1]?)?;
        let function = &self.session.sources.functions[a.function];
        let file = &self.session.sources.files[function.file].text;
        let around = file.get(function.span.clone()).unwrap_or("");
        let [a, b] = texts.map(|text| simplicity(text, around));
        Some([a?, b?])
    }
}

/// The simplicity of a constant, simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Simplicity {
    Zero,
    One,
    OfFunction,
    Other,
}

fn simplicity(constant: &str, function: &str) -> Option<Simplicity> {
    Some(match number(constant)? {
        0 => Simplicity::Zero,
        1 => Simplicity::One,
        _ if mentions(function, constant.trim_start_matches('-')) => Simplicity::OfFunction,
        _ => Simplicity::Other,
    })
}

/// The two constants compared with the same operand in the same direction, if two conditions differ in nothing else.
fn differing<'n>(a: &'n Node, b: &'n Node) -> Option<[&'n str; 2]> {
    use Shape::{And, Cmp, Not, Or};
    // `>` and `>=` have the same direction.
    let side = |token: &str| token.chars().next();
    match (&a.shape, &b.shape) {
        (Not(a), Not(b)) => differing(a, b),
        (And(a, b), And(c, d)) | (Or(a, b), Or(c, d)) => match (a.text == c.text, b.text == d.text)
        {
            (true, false) => differing(b, d),
            (false, true) => differing(a, c),
            _ => None,
        },
        (Cmp(op, a, b), Cmp(other, c, d)) => {
            let is_alike =
                a.text == c.text && b.text != d.text && side(op.token()) == side(other.token());
            is_alike.then_some([&*b.text, &*d.text])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nopol_source::Language;

    use super::*;

    fn constants(a: &str, b: &str) -> Option<[String; 2]> {
        let parse = |text: &str| Language::Rust.parse(text).unwrap();
        differing(&parse(a), &parse(b)).map(|both| both.map(str::to_owned))
    }

    #[test]
    fn only_constants_compared_in_one_direction_with_one_operand_count() {
        let found = constants("n > 1 && c", "n > 0 && c");
        assert_eq!(found, Some(["1".to_owned(), "0".to_owned()]));
        assert!(constants("a || n >= 4", "a || n > 2").is_some());
        assert_eq!(constants("n > 1", "n < 1"), None);
        assert_eq!(constants("n > 1", "m > 0"), None);
        assert_eq!(constants("n > 1 && a", "n > 0 && b"), None);
    }

    #[test]
    fn zero_is_simpler_than_one_and_one_than_others() {
        let all = ["0", "1", "7", "9"].map(|text| simplicity(text, "a < 7").unwrap());
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert_eq!(simplicity("n", "n"), None);
    }
}

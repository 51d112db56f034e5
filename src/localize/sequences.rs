//! What can be forced at a site, cheapest first: one outcome always, single evaluations made
//! otherwise, a switch after some evaluations, and longer sequences, each guided by the run before.

use crate::run::trace::Counter;
use crate::run::{Forced, How, Sequence, When};
use crate::source::Site;

/// Evaluations of a site that are made otherwise one at a time: so many of the last and of the
/// first ones.
const MOST_EVALUATIONS: u32 = 20;
/// Evaluations before and after which a switch is tried: so many of the first and the last.
const MOST_SWITCHES: u32 = 10;
/// Visits, the last ones, from which on something new is tried before all other switches.
const MOST_LATE: usize = 2;
/// Evaluations that are made otherwise beside earlier ones: so many of the last.
const MOST_FURTHER: u32 = 4;

/// Whether every evaluation has one outcome.
pub fn is_constant(sequence: &Sequence) -> bool {
    matches!(sequence.as_slice(), [only] if only.when == When::Always)
}

/// One outcome at every evaluation, unless all had it anyway.
pub fn constants(site: &Site, counter: Counter) -> Vec<Sequence> {
    let set = |value, blind| {
        vec![Forced {
            how: How::Set(value),
            when: When::Always,
            blind,
        }]
    };
    if let Some(own) = site.kind.unconditional() {
        return vec![set(!own, true)];
    }
    let blind = counter.broke();
    let mut values = Vec::new();
    if blind || counter.falses > 0 {
        values.push(set(true, blind));
    }
    if blind || counter.trues > 0 {
        values.push(set(false, blind));
    }
    values
}

/// One evaluation made otherwise, for each of them: the last ones, which are nearest to the
/// failure, and the first ones, in turn. Even a single evaluation is not the same as a constant: the
/// test may go on to others once it passes this one.
/// Of a test that never ends only the first ones count.
pub fn singles(site: &Site, counter: Counter, is_endless: bool) -> Vec<Sequence> {
    let entered = entered(counter, is_endless);
    let mut order: Vec<u32> = Vec::new();
    for nth in 0..MOST_EVALUATIONS.min(entered) {
        for at in [entered - 1 - nth, nth] {
            if !order.contains(&at) {
                order.push(at);
            }
        }
    }
    let own = site.kind.unconditional();
    let broke = counter.broke();
    let each = order.into_iter().flat_map(|at| {
        let broken = broke && at + 1 == entered;
        let set = |value| vec![at_one(How::Set(value), at, true)];
        match (own, broken) {
            (Some(own), _) => vec![set(!own)],
            (None, true) => vec![set(true), set(false)],
            (None, false) => vec![vec![at_one(How::Flip, at, false)]],
        }
    });
    each.collect()
}

/// One evaluation made otherwise.
pub fn one(site: &Site, at: u32) -> Forced {
    match site.kind.unconditional() {
        Some(own) => at_one(How::Set(!own), at, true),
        None => at_one(How::Flip, at, false),
    }
}

/// One outcome at the first evaluations and its opposite, or the condition's own, afterwards; or
/// one outcome after the first ones. Shortest first; but before all these, what is new is taken from
/// one of the last visits on, for there the test failed, and may make more once it passes them.
pub fn switches(site: &Site, counter: Counter, is_endless: bool) -> Vec<Sequence> {
    let entered = entered(counter, is_endless);
    // With one evaluation there is nothing between a constant and a single one. A cured loop may
    // go round more often than the failing one did.
    if entered == 0 || entered == 1 && site.kind.unconditional().is_some() {
        return Vec::new();
    }
    let own = site.kind.unconditional();
    let blind = counter.broke() || own.is_some();
    let forced = |value, when| Forced {
        how: How::Set(value),
        when,
        blind,
    };
    let first = 1..=MOST_SWITCHES.min(entered.saturating_add(6));
    let last = entered.saturating_sub(MOST_SWITCHES).max(MOST_SWITCHES + 1)..entered;
    let values: &[bool] = match own {
        Some(true) => &[false],
        Some(false) => &[true],
        None => &[true, false],
    };
    let mut sequences: Vec<Sequence> = Vec::new();
    if let Some(own) = own {
        let late = (1..entered).rev().take(MOST_LATE);
        sequences.extend(late.map(|at| vec![forced(!own, When::From(at))]));
    }
    for at in first.chain(last) {
        for value in values {
            if own.is_none() {
                sequences.push(vec![
                    forced(*value, When::Until(at)),
                    forced(!value, When::Always),
                ]);
            }
            if at > 1 {
                sequences.push(vec![forced(*value, When::Until(at))]);
            }
            let from = vec![forced(*value, When::From(at))];
            if at < entered && !sequences.contains(&from) {
                sequences.push(from);
            }
        }
    }
    sequences
}

/// What can be done beyond `sequence`, given what the run with it showed: where the condition itself
/// panicked again, either outcome there; otherwise the last evaluations after those that were
/// forced, made otherwise one at a time.
pub fn further(site: &Site, sequence: &Sequence, counter: Counter) -> Vec<Sequence> {
    let entered = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    let first = sequence.iter().filter_map(|forced| match forced.when {
        When::At(at) => Some(at + 1),
        _ => None,
    });
    let first = first.max().unwrap_or(0);
    let with = |how, at, blind| {
        let mut longer = sequence.clone();
        longer.push(at_one(how, at, blind));
        longer
    };
    if let Some(own) = site.kind.unconditional() {
        let last = (first.max(entered.saturating_sub(MOST_FURTHER))..entered).rev();
        return last.map(|at| with(How::Set(!own), at, true)).collect();
    }
    if counter.broke() {
        return match entered.checked_sub(1).filter(|at| *at >= first) {
            Some(at) => [true, false]
                .map(|value| with(How::Set(value), at, true))
                .to_vec(),
            None => Vec::new(),
        };
    }
    let last = (first.max(entered.saturating_sub(MOST_FURTHER))..entered).rev();
    last.map(|at| with(How::Flip, at, false)).collect()
}

fn at_one(how: How, at: u32, blind: bool) -> Forced {
    Forced {
        how,
        when: When::At(at),
        blind,
    }
}

/// How many evaluations can be made otherwise.
fn entered(counter: Counter, is_endless: bool) -> u32 {
    let entered = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    match is_endless {
        true => entered.min(MOST_EVALUATIONS),
        false => entered,
    }
}

#[cfg(test)]
mod tests;

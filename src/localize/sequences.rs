//! The sequences that can be forced at a site, cheapest first: a constant, a single flipped evaluation, a
//! switch of the outcome after some evaluations, and longer sequences, each extended according to the run
//! before.

use std::collections::{BTreeMap, BTreeSet};

use nopol_process::run::trace::Counter;
use nopol_process::run::{Forced, How, Sequence, When};
use nopol_source::Site;

/// The most evaluations of a site that are flipped one at a time, counted from the end and from the start.
const MOST_EVALUATIONS: u32 = 20;
/// The most evaluations, counted from the start and from the end, at which a switch is tried.
const MOST_SWITCHES: u32 = 10;
/// Insertion points: the number of last visits from which forcing is tried before all other switches.
const MOST_LATE: usize = 2;
/// The most evaluations, counted from the end, that are tried as an extension of a sequence.
const MOST_FURTHER: u32 = 4;

/// Whether the sequence forces a constant outcome.
pub fn is_constant(sequence: &Sequence) -> bool {
    matches!(sequence.as_slice(), [only] if only.when == When::Always)
}

/// The constant outcomes, without one that all evaluations had anyway.
pub fn constants(site: &Site, counter: Counter) -> Vec<Sequence> {
    let set = |value, blind| {
        vec![Forced {
            how: How::Set(value),
            when: When::Always,
            blind,
        }]
    };
    if let Some(usual) = site.kind.unconditional() {
        return vec![set(!usual, true)];
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

/// A single flipped evaluation: alternately counted from the end, where the failure is nearest, and from the start. Even if
/// there is only one evaluation this differs from a constant, because the test may reach further ones once it passes this
/// one. If the test never ends, so many of its first evaluations count: which of them should have been the last one is not
/// known.
pub fn singles(site: &Site, counter: Counter, endless: Option<u32>) -> Vec<Sequence> {
    let all = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    let entered = endless.map_or(all, |most| all.min(most));
    let order: Vec<u32> = match endless {
        Some(_) => (0..entered).collect(),
        None => {
            let ends = (0..MOST_EVALUATIONS.min(entered)).flat_map(|nth| [entered - 1 - nth, nth]);
            let mut known = BTreeSet::new();
            ends.filter(|at| known.insert(*at)).collect()
        }
    };
    let usual = site.kind.unconditional();
    let broke = counter.broke();
    let each = order.into_iter().flat_map(|at| {
        let broken = broke && at + 1 == entered;
        let set = |value| vec![force_at(How::Set(value), at, true)];
        match (usual, broken) {
            (Some(usual), _) => vec![set(!usual)],
            (None, true) => vec![set(true), set(false)],
            (None, false) => vec![vec![force_at(How::Flip, at, false)]],
        }
    });
    each.collect()
}

/// The flipped evaluation number `at`.
pub fn one(site: &Site, at: u32) -> Forced {
    match site.kind.unconditional() {
        Some(usual) => force_at(How::Set(!usual), at, true),
        None => force_at(How::Flip, at, false),
    }
}

/// One outcome for the first evaluations and then its opposite or the condition's own outcome; or one outcome
/// from some evaluation on. Shortest first. At an insertion point, forcing from one of the last visits on is
/// tried before all of these: the test fails near them and may make more visits once it passes.
pub fn switches(site: &Site, counter: Counter, is_endless: bool) -> Vec<Sequence> {
    let entered = entered(counter, is_endless);
    // With a single evaluation there is nothing between a constant and a single flip. But a cured loop may
    // iterate more often than the failing one did.
    if entered == 0 || entered == 1 && site.kind.unconditional().is_some() {
        return Vec::new();
    }
    let usual = site.kind.unconditional();
    let blind = counter.broke() || usual.is_some();
    let forced = |value, when| Forced {
        how: How::Set(value),
        when,
        blind,
    };
    let first = 1..=MOST_SWITCHES.min(entered.saturating_add(6));
    let last = entered.saturating_sub(MOST_SWITCHES).max(MOST_SWITCHES + 1)..entered;
    let values: &[bool] = match usual {
        Some(true) => &[false],
        Some(false) => &[true],
        None => &[true, false],
    };
    let mut sequences: Vec<Sequence> = Vec::new();
    if let Some(usual) = usual {
        let late = (1..entered).rev().take(MOST_LATE);
        sequences.extend(late.map(|at| vec![forced(!usual, When::From(at))]));
    }
    for at in first.chain(last) {
        for value in values {
            if usual.is_none() {
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

/// Extensions of `sequence`, given the counter of the run with it. If the condition itself panicked again,
/// either outcome is forced there. Otherwise one of the last evaluations after the forced ones is flipped.
pub fn further(site: &Site, sequence: &Sequence, counter: Counter) -> Vec<Sequence> {
    let entered = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    let first = sequence.iter().filter_map(|forced| match forced.when {
        When::At(at) => Some(at + 1),
        _ => None,
    });
    let first = first.max().unwrap_or(0);
    let with = |how, at, blind| {
        let mut longer = sequence.clone();
        longer.push(force_at(how, at, blind));
        longer
    };
    if let Some(usual) = site.kind.unconditional() {
        let last = (first.max(entered.saturating_sub(MOST_FURTHER))..entered).rev();
        return last.map(|at| with(How::Set(!usual), at, true)).collect();
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

/// These outcomes of single evaluations.
pub fn one_by_one(outcomes: &BTreeMap<u32, bool>) -> Sequence {
    let outcomes = outcomes.iter();
    outcomes
        .map(|(at, value)| force_at(How::Set(*value), *at, false))
        .collect()
}

fn force_at(how: How, at: u32, blind: bool) -> Forced {
    Forced {
        how,
        when: When::At(at),
        blind,
    }
}

/// The number of evaluations that can be flipped.
fn entered(counter: Counter, is_endless: bool) -> u32 {
    let entered = u32::try_from(counter.entered).unwrap_or(u32::MAX);
    match is_endless {
        true => entered.min(MOST_EVALUATIONS),
        false => entered,
    }
}

#[cfg(test)]
mod tests;

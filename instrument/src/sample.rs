//! Samples the evaluations of a site if there are too many to record them all. Up to a budget, all are
//! recorded; then every second, every fourth, and so on. Evaluations that may be forced are always recorded.
//! The cost is counted rather than timed, so that two runs record the same evaluations.

use std::cell::{Cell, RefCell};

/// For each row that may be recorded, the cost of a site, per thread, up to which all of its evaluations are
/// recorded: half a snapshot of fifty values.
const BUDGET_PER_ROW: u64 = 50;
/// The least budget.
const LEAST_BUDGET: u64 = 4000;
/// The factor on the budget if only some evaluations are forced, because those around them matter more.
const AMPLE: u64 = 16;
/// If all evaluations from one on are forced, this many of them are always recorded.
const SURE: u32 = 64;

struct Site {
    site: u32,
    cost: u64,
    evaluations: u64,
}

thread_local! {
    static SITES: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
    /// Evaluations and loop iterations inside the current snapshot.
    static WORK: Cell<u64> = const { Cell::new(0) };
}

fn with<R>(site: u32, act: impl FnOnce(&mut Site) -> R) -> R {
    SITES.with(|sites| {
        let mut sites = sites.borrow_mut();
        let at = sites.iter().position(|known| known.site == site);
        let at = at.unwrap_or_else(|| {
            sites.push(Site {
                site,
                cost: 0,
                evaluations: 0,
            });
            sites.len() - 1
        });
        act(&mut sites[at])
    })
}

/// Whether to record this evaluation of the site. `rows` is the number of rows that may be recorded; `spans` are
/// the forced evaluations, of any site, with exclusive ends.
pub(crate) fn is_due(site: u32, rows: u32, spans: impl Iterator<Item = (u32, u32)>) -> bool {
    let mut spans = spans.peekable();
    with(site, |site| {
        let now = site.evaluations;
        site.evaluations += 1;
        let budget = (BUDGET_PER_ROW * u64::from(rows)).max(LEAST_BUDGET);
        let budget = budget * if spans.peek().is_some() { AMPLE } else { 1 };
        let halvings = (site.cost / budget).min(32);
        let is_forced = |(start, end): (u32, u32)| {
            (start.into()..end.min(start.saturating_add(SURE)).into()).contains(&now)
        };
        site.evaluations % (1 << halvings) == 0 || spans.any(is_forced)
    })
}

/// Notes that a snapshot begins.
pub(crate) fn start() {
    WORK.with(|work| work.set(0));
}

/// Counts work of the subject's code for the current snapshot.
pub(crate) fn work() {
    WORK.with(|work| work.set(work.get() + 1));
}

/// Charges a snapshot of this size to the site.
pub(crate) fn pay(site: u32, bytes: usize) {
    let cost = 1 + bytes as u64 / 16 + WORK.with(Cell::get);
    with(site, |site| site.cost += cost);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MOST_ROWS;

    #[test]
    fn expensive_sites_are_recorded_less_often() {
        let recorded = |evaluations: usize, bytes: usize| {
            let recorded = (0..evaluations).filter(|_| {
                let is_due = is_due(7, MOST_ROWS, std::iter::empty());
                if is_due {
                    start();
                    pay(7, bytes);
                }
                is_due
            });
            recorded.count()
        };
        assert_eq!(recorded(900, 1600), 900);
        let more = recorded(100_000, 1600);
        assert!((4000..10_000).contains(&more), "{more}");
        assert!(is_due(8, MOST_ROWS, std::iter::empty()));
    }

    #[test]
    fn forced_evaluations_are_always_recorded() {
        let late = [(999_990, 999_991), (999_995, u32::MAX)];
        let recorded = (0..1_000_000_u32).filter(|_| {
            let is_due = is_due(9, MOST_ROWS, late.iter().copied());
            if is_due {
                start();
                pay(9, 1600);
            }
            is_due
        });
        let recorded: Vec<u32> = recorded.collect();
        assert!(recorded.len() < 200_000, "{}", recorded.len());
        let last: Vec<u32> = recorded.into_iter().filter(|nth| *nth >= 999_990).collect();
        let is_there = |nth: u32| last.contains(&nth);
        assert!(
            is_there(999_990) && (999_995..1_000_000).all(is_there),
            "{last:?}"
        );
    }
}

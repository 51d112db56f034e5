//! Which evaluations are recorded where there are too many of them: all, until recording at a site
//! has cost so much; from then on every second, then every fourth, and so on. Those that may be forced
//! are always recorded. The cost is counted and not timed, so that two runs record the same.

use std::cell::{Cell, RefCell};

/// What a site may cost a thread before fewer of its evaluations are recorded: about a thousand
/// snapshots of fifty values.
const BUDGET: u64 = 100_000;
/// Where a single evaluation is forced, those around it matter more: so many times as much.
const AMPLE: u64 = 16;
/// Where all from one evaluation on are forced, so many of them are recorded for sure.
const SURE: u32 = 64;

struct Site {
    site: u32,
    cost: u64,
    evaluations: u64,
}

thread_local! {
    static SITES: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
    /// Evaluations and iterations inside the snapshot under way.
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

/// Whether this evaluation of the site is recorded. `spans` are the evaluations that are forced, the ends
/// exclusive, wherever they are.
pub(crate) fn is_due(site: u32, spans: impl Iterator<Item = (u32, u32)>) -> bool {
    let mut spans = spans.peekable();
    with(site, |site| {
        let now = site.evaluations;
        site.evaluations += 1;
        let budget = BUDGET * if spans.peek().is_some() { AMPLE } else { 1 };
        let halvings = (site.cost / budget).min(32);
        let is_forced = |(start, end): (u32, u32)| {
            (start.into()..end.min(start.saturating_add(SURE)).into()).contains(&now)
        };
        site.evaluations % (1 << halvings) == 0 || spans.any(is_forced)
    })
}

/// A snapshot begins.
pub(crate) fn start() {
    WORK.with(|work| work.set(0));
}

/// Code of the subject does something for the snapshot under way.
pub(crate) fn work() {
    WORK.with(|work| work.set(work.get() + 1));
}

/// A snapshot of so many bytes was taken at the site.
pub(crate) fn pay(site: u32, bytes: usize) {
    let cost = 1 + bytes as u64 / 16 + WORK.with(Cell::get);
    with(site, |site| site.cost += cost);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_a_site_has_cost_the_fewer_of_its_evaluations_are_recorded() {
        let recorded = |evaluations: usize, bytes: usize| {
            let recorded = (0..evaluations).filter(|_| {
                let is_due = is_due(7, std::iter::empty());
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
        assert!(is_due(8, std::iter::empty()));
    }

    #[test]
    fn what_is_forced_is_recorded_however_late_it_comes() {
        let late = [(999_990, 999_991), (999_995, u32::MAX)];
        let recorded = (0..1_000_000_u32).filter(|_| {
            let is_due = is_due(9, late.iter().copied());
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

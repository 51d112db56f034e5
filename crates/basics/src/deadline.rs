//! When to give up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// When to give up. Whatever takes long asks it again and again.
#[derive(Clone, Copy, Debug, Default)]
pub enum Deadline {
    /// Never.
    #[default]
    Never,
    /// At this time.
    At(Instant),
    /// At this time, if there is one, or as soon as this is set, because the user wants the search to end.
    Wanted(Option<Instant>, &'static AtomicBool),
    /// After this many queries: a clock for tests, which advances whenever it is read.
    Asked(&'static AtomicU64),
}

impl Deadline {
    /// Over after this many queries, counted over all copies; never freed, so for tests only.
    pub fn after_questions(number: u64) -> Self {
        Self::Asked(Box::leak(Box::new(AtomicU64::new(number))))
    }

    /// Whether it is over.
    pub fn is_over(self) -> bool {
        match self {
            Self::Never => false,
            Self::At(end) => Instant::now() > end,
            Self::Wanted(end, wanted) => {
                wanted.load(Ordering::SeqCst) || end.is_some_and(|end| Instant::now() > end)
            }
            Self::Asked(left) => {
                let less = |left: u64| left.checked_sub(1);
                let (set, read) = (Ordering::SeqCst, Ordering::SeqCst);
                left.fetch_update(set, read, less).is_err()
            }
        }
    }
}

impl From<Option<Instant>> for Deadline {
    fn from(end: Option<Instant>) -> Self {
        end.map_or(Self::Never, Self::At)
    }
}

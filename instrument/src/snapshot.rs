//! A snapshot: the values visible at one evaluation of a site. It is `Send`, so it may live across an `.await`.

/// The captured values of one evaluation, encoded as in [`crate::layout`].
pub struct Snapshot(Option<Vec<u8>>);

impl Snapshot {
    /// Nothing was captured.
    pub const NONE: Self = Self(None);

    pub(crate) fn of(entries: Vec<u8>) -> Self {
        Self(Some(entries))
    }

    pub(crate) fn entries(&self) -> Option<&[u8]> {
        self.0.as_deref()
    }
}

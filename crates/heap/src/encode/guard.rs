//! Truth values of z3 with known parts folded away.

use z3::ast::Bool;

/// When something holds.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    /// Never.
    Never,
    /// Always.
    Always,
    /// If this holds.
    If(Bool),
}

impl Guard {
    pub(super) const fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }

    pub(super) const fn is_always(&self) -> bool {
        matches!(self, Self::Always)
    }

    pub(super) const fn known(holds: bool) -> Self {
        match holds {
            true => Self::Always,
            false => Self::Never,
        }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Always, other) => other.clone(),
            (one, Self::Always) => one.clone(),
            (Self::If(one), Self::If(other)) if one == other => Self::If(one.clone()),
            (Self::If(one), Self::If(other)) => Self::If(Bool::and(&[one, other])),
        }
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::Never, other) => other.clone(),
            (one, Self::Never) => one.clone(),
            (Self::If(one), Self::If(other)) if one == other => Self::If(one.clone()),
            (Self::If(one), Self::If(other)) => Self::If(Bool::or(&[one, other])),
        }
    }

    pub(super) fn not(&self) -> Self {
        match self {
            Self::Never => Self::Always,
            Self::Always => Self::Never,
            Self::If(holds) => Self::If(holds.not()),
        }
    }

    pub(super) fn term(&self) -> Bool {
        match self {
            Self::Never => Bool::from_bool(false),
            Self::Always => Bool::from_bool(true),
            Self::If(holds) => holds.clone(),
        }
    }
}

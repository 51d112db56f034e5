//! The kinds of sites and of patches. [`SiteKind::info`] is the one place that says what a kind is like
//! in every language; how a language writes a condition there is told by its
//! [`templates`](super::template).

/// What kind of place a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SiteKind {
    If,
    ElseIf,
    While,
    /// A match arm's guard.
    Guard,
    /// A run of operands of a let-chain that are not `let`.
    LetOperand,
    /// A boolean expression whose value is used: returned, bound, passed, stored.
    Value,
    /// A statement that can be skipped.
    Statement,
    /// Several statements, one after the other, that can be skipped together.
    Run,
    /// A place where the function or loop can be left: `if CONDITION { BODY }`.
    Exit,
    /// A place for a further branch: `else if CONDITION { BODY }`.
    Branch,
    /// A match arm without a guard.
    Arm,
    /// An `if let` or `while let` to which an operand can be added.
    Pattern,
}

/// What a patch does with a condition at a site. Whoever adds one is pointed by the compiler at the
/// methods below, and at how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It takes the place of the one that is there.
    Replace,
    /// It decides whether what is there is executed: `if CONDITION { TEXT }`.
    Wrap,
    /// Before what is there it decides whether to leave: `if CONDITION { BODY }`.
    Leave,
    /// After a branch it decides about a further one: `else if CONDITION { BODY }`.
    Branch,
    /// It narrows what a pattern matches: `PATTERN if CONDITION`, `let PATTERN = … && CONDITION`.
    Narrow,
}

impl Form {
    /// Whether statements depend on the condition, and stand in a block therefore.
    pub const fn has_block(self) -> bool {
        match self {
            Self::Wrap | Self::Leave | Self::Branch => true,
            Self::Replace | Self::Narrow => false,
        }
    }

    /// The outcome that leaves the subject as it is, where there is no condition yet.
    pub const fn unconditional(self) -> Option<bool> {
        match self {
            Self::Replace => None,
            Self::Wrap | Self::Narrow => Some(true),
            Self::Leave | Self::Branch => Some(false),
        }
    }

    /// Whether a patch can leave out what is there now.
    pub const fn skips(self) -> bool {
        match self {
            Self::Wrap => true,
            Self::Replace | Self::Leave | Self::Branch | Self::Narrow => false,
        }
    }

    /// Whether a patch leaves the function or loop.
    pub const fn leaves(self) -> bool {
        match self {
            Self::Leave => true,
            Self::Replace | Self::Wrap | Self::Branch | Self::Narrow => false,
        }
    }
}

/// What a kind of site is like, whatever the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    pub form: Form,
    pub patch_kind: PatchKind,
    /// Whether it is a place where something new can stand: more of them, and costlier patches.
    pub is_new: bool,
    /// Whether the site's text can be several statements.
    pub is_several: bool,
    /// Whether the condition decides if a loop goes on.
    pub is_loop: bool,
    /// Whether the place was taken for boolean by what stands there, so that the compiler may know
    /// better; elsewhere the syntax asks for a boolean.
    pub is_guess: bool,
}

impl SiteKind {
    /// What sites of this kind are like.
    pub const fn info(self) -> KindInfo {
        const OLD: KindInfo = KindInfo {
            form: Form::Replace,
            patch_kind: PatchKind::Condition,
            is_new: false,
            is_several: false,
            is_loop: false,
            is_guess: false,
        };
        const NEW: KindInfo = KindInfo {
            is_new: true,
            ..OLD
        };
        match self {
            Self::If | Self::ElseIf | Self::Guard | Self::LetOperand => OLD,
            Self::While => KindInfo {
                is_loop: true,
                ..OLD
            },
            Self::Value => KindInfo {
                patch_kind: PatchKind::Expression,
                is_guess: true,
                ..OLD
            },
            Self::Statement => KindInfo {
                form: Form::Wrap,
                patch_kind: PatchKind::Precondition,
                ..OLD
            },
            Self::Run => KindInfo {
                form: Form::Wrap,
                patch_kind: PatchKind::Precondition,
                is_several: true,
                ..NEW
            },
            Self::Exit => KindInfo {
                form: Form::Leave,
                patch_kind: PatchKind::Guard,
                ..NEW
            },
            Self::Branch => KindInfo {
                form: Form::Branch,
                ..NEW
            },
            Self::Arm | Self::Pattern => KindInfo {
                form: Form::Narrow,
                ..NEW
            },
        }
    }

    /// What a patch does with a condition here.
    pub fn form(self) -> Form {
        self.info().form
    }

    /// The name of the patch kind that applies here, as in `--kind` and in reports.
    pub fn patch_kind(self) -> PatchKind {
        self.info().patch_kind
    }

    /// The outcome that leaves the subject as it is, where there is no condition yet.
    pub fn unconditional(self) -> Option<bool> {
        self.form().unconditional()
    }

    /// Whether there is a condition, or an expression, that a patch replaces.
    pub fn has_condition(self) -> bool {
        self.unconditional().is_none()
    }

    /// Whether it is a place where something new can stand: more of them, and costlier patches.
    pub fn is_new(self) -> bool {
        self.info().is_new
    }

    /// Whether it is a way out: of these several share a place, each with a body of its own.
    pub fn is_exit(self) -> bool {
        self.form().leaves()
    }
}

/// What a patch at a site is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum PatchKind {
    /// A new condition in place of the old one.
    Condition,
    /// A new boolean expression in place of the old one.
    Expression,
    /// A new `if` around a statement.
    Precondition,
    /// A new way out: `if CONDITION { return … }`.
    Guard,
}

impl PatchKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Condition,
        Self::Expression,
        Self::Precondition,
        Self::Guard,
    ];

    /// The kind's name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Expression => "expression",
            Self::Precondition => "precondition",
            Self::Guard => "guard",
        }
    }
}

//! The kinds of sites and of patches. [`SiteKind::info`] defines, in one place, the properties of each kind
//! that all languages share; a language's [`templates`](super::template) define how it writes a condition
//! there.

/// The kind of a site.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum SiteKind {
    /// The condition of an `if`.
    If,
    /// The condition of an `else if`.
    ElseIf,
    /// The condition of a loop.
    While,
    /// The guard of a match arm.
    Guard,
    /// Consecutive operands of a let-chain that are not `let`.
    LetOperand,
    /// A boolean expression whose value is used: returned, bound, passed, stored.
    Value,
    /// A statement that can be skipped.
    Statement,
    /// Several consecutive statements that can be skipped together.
    Statements,
    /// An insertion point for an early exit from the function or loop: `if CONDITION { BODY }`.
    EarlyExit,
    /// An insertion point for another branch: `else if CONDITION { BODY }`.
    Branch,
    /// A match arm without a guard.
    Arm,
    /// An `if let` or `while let` to which an operand can be added.
    Pattern,
    /// An insertion point for an operand before a condition with side effects: `CONDITION && self.eat(c)`.
    Premise,
    /// An expression that yields an integer, or may: the right-hand side of an assignment, a subscript, a returned
    /// value, an argument.
    Integer,
    /// An assignment that computes: `+=`, and in C `++` and `--`.
    Assignment,
}

/// What a patch does with a condition at a site. The matches below have no wildcard arm, so the compiler reports
/// everything that a new form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Replaces the existing condition.
    Replace,
    /// Decides whether the existing statements are executed: `if CONDITION { TEXT }`.
    Wrap,
    /// Decides, before the existing statement, whether to exit early: `if CONDITION { BODY }`.
    Leave,
    /// Decides, after an existing branch, about another one: `else if CONDITION { BODY }`.
    Branch,
    /// Narrows what a pattern or a condition matches: `PATTERN if CONDITION`, `let PATTERN = … && CONDITION`.
    Narrow,
    /// Replaces an existing expression that is not a condition. Nothing can be forced there.
    Compute,
}

impl Form {
    /// Whether the condition controls statements, which need a block.
    pub const fn has_block(self) -> bool {
        match self {
            Self::Wrap | Self::Leave | Self::Branch => true,
            Self::Replace | Self::Narrow | Self::Compute => false,
        }
    }

    /// The outcome that keeps the subject's behaviour. `None` if the site is an existing expression.
    pub const fn unconditional(self) -> Option<bool> {
        match self {
            Self::Replace | Self::Compute => None,
            Self::Wrap | Self::Narrow => Some(true),
            Self::Leave | Self::Branch => Some(false),
        }
    }

    /// Whether a patch can skip the site's own text.
    pub const fn skips(self) -> bool {
        match self {
            Self::Wrap => true,
            Self::Replace | Self::Leave | Self::Branch | Self::Narrow | Self::Compute => false,
        }
    }

    /// Whether a patch exits the function or loop early.
    pub const fn leaves(self) -> bool {
        match self {
            Self::Leave => true,
            Self::Replace | Self::Wrap | Self::Branch | Self::Narrow | Self::Compute => false,
        }
    }
}

/// The properties of a kind of site, in any language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// What a patch does with a condition here.
    pub form: Form,
    /// The name of its patches in options and reports.
    pub patch_kind: PatchKind,
    /// Whether it is an insertion point. There are many of them, and their patches cost more.
    pub is_new: bool,
    /// Whether the site's text is a list of statements.
    pub is_statement_list: bool,
    /// Whether the condition decides if a loop continues.
    pub is_loop: bool,
    /// Whether the expression is only inferred to be boolean, so that the compiler may disagree. At other kinds, the
    /// syntax requires a boolean.
    pub is_inferred: bool,
}

impl SiteKind {
    /// The properties of this kind.
    pub const fn info(self) -> KindInfo {
        const OLD: KindInfo = KindInfo {
            form: Form::Replace,
            patch_kind: PatchKind::Condition,
            is_new: false,
            is_statement_list: false,
            is_loop: false,
            is_inferred: false,
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
                is_inferred: true,
                ..OLD
            },
            Self::Statement => KindInfo {
                form: Form::Wrap,
                patch_kind: PatchKind::Precondition,
                ..OLD
            },
            Self::Statements => KindInfo {
                form: Form::Wrap,
                patch_kind: PatchKind::Precondition,
                is_statement_list: true,
                ..NEW
            },
            Self::EarlyExit => KindInfo {
                form: Form::Leave,
                patch_kind: PatchKind::Guard,
                ..NEW
            },
            Self::Branch => KindInfo {
                form: Form::Branch,
                ..NEW
            },
            Self::Arm | Self::Pattern | Self::Premise => KindInfo {
                form: Form::Narrow,
                ..NEW
            },
            Self::Integer | Self::Assignment => KindInfo {
                form: Form::Compute,
                patch_kind: PatchKind::Arithmetic,
                is_inferred: true,
                ..OLD
            },
        }
    }

    /// The kind's name in site ids. Ids are stable between versions of the tool, so this name never changes, even if a
    /// variant is renamed.
    pub const fn id_name(self) -> &'static str {
        match self {
            Self::If => "If",
            Self::ElseIf => "ElseIf",
            Self::While => "While",
            Self::Guard => "Guard",
            Self::LetOperand => "LetOperand",
            Self::Value => "Value",
            Self::Statement => "Statement",
            Self::Statements => "Run",
            Self::EarlyExit => "Exit",
            Self::Branch => "Branch",
            Self::Arm => "Arm",
            Self::Pattern => "Pattern",
            Self::Premise => "Premise",
            Self::Integer => "Integer",
            Self::Assignment => "Assignment",
        }
    }

    /// What a patch does with a condition here.
    pub fn form(self) -> Form {
        self.info().form
    }

    /// The kind of the patches here, as in `--kind` and in reports.
    pub fn patch_kind(self) -> PatchKind {
        self.info().patch_kind
    }

    /// The outcome that keeps the subject's behaviour. `None` if the site is an existing expression.
    pub fn unconditional(self) -> Option<bool> {
        self.form().unconditional()
    }

    /// Whether a condition, or boolean expression, exists that a patch replaces.
    pub fn has_condition(self) -> bool {
        self.form() == Form::Replace
    }

    /// Whether the site is an expression that is not a condition.
    pub fn computes(self) -> bool {
        self.form() == Form::Compute
    }

    /// Whether it is an insertion point. See [`KindInfo::is_new`].
    pub fn is_new(self) -> bool {
        self.info().is_new
    }

    /// Whether it is an early exit. Several of them share a program point, each with its own body.
    pub fn is_early_exit(self) -> bool {
        self.form().leaves()
    }
}

/// The kind of a patch.
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
    /// A new early exit: `if CONDITION { return … }`.
    Guard,
    /// A new integer expression in place of the old one.
    Arithmetic,
}

impl PatchKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Condition,
        Self::Expression,
        Self::Precondition,
        Self::Guard,
        Self::Arithmetic,
    ];

    /// Whether patches of this kind are only searched for if the user names the kind.
    pub fn is_on_request(self) -> bool {
        self == Self::Arithmetic
    }

    /// The kind's name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Expression => "expression",
            Self::Precondition => "precondition",
            Self::Guard => "guard",
            Self::Arithmetic => "arithmetic",
        }
    }
}

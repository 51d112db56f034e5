//! The features of a candidate: numbers, mostly 0 or 1, of which the model ([`super::model`]) takes a weighted sum.

mod edit;
mod shapes;
pub(super) mod texts;

use self::edit::EditFeatures;
use super::facts::{Candidate, Case};

/// Whether sense demands the sign of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It makes a candidate likelier, or does not matter.
    Plus,
    /// It makes it less likely, or does not matter.
    Minus,
    /// The data decide.
    Any,
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $sign:ident,)*) => {
        /// What the model knows of a candidate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $($(#[$doc])* $name,)*
        }

        impl Feature {
            /// Every feature.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the file of weights.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// Whether sense demands the sign of its weight.
            pub fn sign(self) -> Sign {
                match self {
                    $(Self::$name => Sign::$sign,)*
                }
            }
        }
    };
}

features! {
    /// The cost by the weights set by hand, in tens, up to 20.
    Cost: Minus,
    /// Ochiai's coefficient of the place.
    Suspiciousness: Plus,
    /// A failing test panics at the place.
    PanicsHere: Plus,
    /// A failing test panics in its function.
    PanicsInFunction: Plus,
    /// The text of a failing test names the function.
    TestCalls: Plus,
    /// The share of words of the function's name that are in the name of a failing test.
    TestNamed: Plus,
    /// The share of the failing tests that are cured.
    Cures: Plus,
    /// The place is a boolean expression.
    AtValue: Any,
    /// The place is the condition of a loop.
    AtLoop: Any,
    /// The place is the guard of a match arm, or an operand of a let-chain.
    AtGuard: Any,
    /// A statement gets a condition.
    Wraps: Any,
    /// Several statements get a condition.
    WrapsSeveral: Any,
    /// An early exit is inserted.
    Leaves: Any,
    /// Another branch is added.
    Branches: Any,
    /// A pattern is narrowed.
    Narrows: Any,
    /// The inserted body is the function's own.
    BodyOwn: Any,
    /// It is an exit of the function with another variant.
    BodyVariant: Any,
    /// It is that of a similar function.
    BodySibling: Any,
    /// It returns a typical value of its type.
    BodyObvious: Any,
    /// It returns a parameter or a new value.
    BodyMade: Any,
    /// It is a list of statements.
    BodyStatements: Any,
    /// It leaves a loop.
    BodyLeavesLoop: Any,
    /// It panics.
    BodyPanics: Any,
    /// The place decides about a deliberate panic.
    Checks: Any,
    /// A strict operator was made inclusive.
    ToInclusive: Any,
    /// An inclusive operator was made strict.
    ToStrict: Any,
    /// An operator was negated.
    OperatorNegated: Any,
    /// An order was mirrored.
    OperatorMirrored: Any,
    /// `==` or `!=` became an order.
    EqualityToOrder: Any,
    /// An order became `==` or `!=`.
    OrderToEquality: Any,
    /// A connective was changed.
    Connective: Any,
    /// A clause was added by `&&`.
    AndAdded: Any,
    /// A clause was added by `||`.
    OrAdded: Any,
    /// More than one clause was added.
    SeveralAdded: Minus,
    /// The added clause comes first.
    AddedFirst: Any,
    /// A clause was removed.
    Dropped: Any,
    /// A part was negated.
    Negated: Any,
    /// A number was replaced by its neighbour.
    NextConstant: Any,
    /// A literal was replaced by another.
    Constant: Any,
    /// An operand is off by one.
    OffByOne: Any,
    /// Other arithmetic was put in or left out.
    Arithmetic: Any,
    /// A term other than 1 was added to an operand of a condition, or subtracted from it.
    TermAdded: Minus,
    /// An operand was replaced.
    Operand: Any,
    /// Words that the replaced and the new operand share, of all their words.
    OperandAlike: Plus,
    /// Several changes at once.
    Replaced: Any,
    /// Only the spelling changed.
    Nothing: Minus,
    /// The new part is a comparison of two values.
    ComparesValues: Any,
    /// The two values are to be equal.
    EqualsValue: Any,
    /// They are to be different.
    DiffersFromValue: Any,
    /// One is to be less than the other.
    OrdersValues: Any,
    /// The new part is an equality with a literal.
    EqualsLiteral: Any,
    /// The new part is an inequality with a literal.
    DiffersFromLiteral: Any,
    /// The new part is an equality or inequality with a number other than 0 and 1.
    EqualsNumber: Minus,
    /// The new part is an order with 0 or 1.
    OrderWithSmall: Any,
    /// The new part is an order with another literal.
    OrderWithLiteral: Any,
    /// The new part is a flag or a query.
    Flag: Any,
    /// The new part is a negated flag or query.
    NegatedFlag: Any,
    /// The two sides of the new comparison share words.
    SidesAlike: Plus,
    /// The new part has the operator and one operand of another clause or condition of the function.
    Parallel: Plus,
    /// The new part is another part of the condition with other names or literals.
    SameShape: Plus,
    /// The whole new part stands elsewhere in the function.
    StandsElsewhere: Plus,
    /// A changed comparison has the operator of all others in the condition that share an operand with it, at least two.
    OperatorOfChain: Plus,
    /// Truth values of comparisons or connectives are compared, which was not so before: `(a || b) != c`.
    ComparesTruth: Minus,
    /// A failing test panics at the place because of a number, and the condition asks for it: `d == 0` before `n / d`.
    AsksForPanic: Plus,
    /// A new clause is the one that keeps an expression from panicking as it does in a failing test: `i < v.len()` and `v[i]`.
    PreventsPanic: Plus,
    /// A new clause guards an access, and asks for more or less than that needs: `i > 1` before `v[i - 1]`.
    GuardOff: Minus,
    /// A new clause asks for exactly what something right after it needs: `if a < b { return }` before `a - b`, `i < v.len()`
    /// before `v[i]`.
    GuardsExactly: Plus,
    /// A `for` loop is left before its end by `break`.
    BreaksFor: Minus,
    /// The next round of a `while` or `loop` is started early by `continue`.
    ContinuesOpenLoop: Minus,
    /// A clause that was changed in place has the operator and one operand of another clause or condition of the
    /// function.
    ChangedParallel: Plus,
    /// What it was changed from had that.
    WasParallel: Minus,
    /// A remainder is compared by an order.
    RemainderOrdered: Minus,
    /// The share of the new operands that are in conditions of the function elsewhere.
    ComparedElsewhere: Plus,
    /// The share of the new operands that are used in the three lines before.
    UsedBefore: Plus,
    /// The share of the new operands that are used in the three lines after.
    UsedAfter: Plus,
    /// The share of the new operands that are nowhere else in the function.
    Foreign: Any,
    /// The new operands are in the same condition already.
    InCondition: Any,
    /// How many words a new operand shares with one that is in the condition, of all their words.
    KinOfCondition: Plus,
    /// A new operand is a call with arguments.
    Call: Any,
    /// A new operand is a field or a query of one.
    Field: Any,
    /// A new operand is the length of something.
    Length: Any,
    /// A new operand is arithmetic.
    Computes: Any,
    /// A new operand is an element, as in `v[i]`.
    Element: Any,
    /// A new operand unwraps something, which may panic.
    Unwraps: Minus,
    /// A new operand calls what the condition calls already.
    CallsAgain: Minus,
    /// What is replaced is `true` or `false`.
    WasConstant: Any,
    /// A new literal, neither 0 nor 1, is in the function elsewhere.
    LiteralOfFunction: Any,
    /// A new literal, neither 0 nor 1, is not in the function.
    LiteralFromElsewhere: Minus,
    /// A new literal, neither 0 nor 1, is in the text of a failing test and not in the function.
    LiteralOfTest: Minus,
    /// Something is compared with itself, or a clause repeats another.
    Idle: Minus,
    /// Two clauses bound one operand from the same side.
    BoundsTwice: Minus,
    /// How likely people ask about the variables of a new clause at this place ([`super::variables`]), as a logarithm.
    Relevant: Plus,
    /// Words that an operand shares with what the condition controls, of all their words.
    AlikeBody: Plus,
    /// The share of the names of types and variants in the inserted body that the failing tests name.
    BodyInTest: Plus,
    /// Something is inserted where the function starts.
    AtStart: Any,
    /// A statement that leaves the function or loop gets a condition.
    WrapsExit: Any,
    /// The words that the new condition has more than the old one, in tens, up to 3.
    Longer: Minus,
    /// The words that it has less, in tens, up to 3.
    Shorter: Any,
    /// Nothing is known of the values at the place.
    Unobserved: Any,
    /// It does not explain everything that was observed, or nothing was observed.
    Loose: Minus,
    /// The share of contexts of passing tests in which the outcome changes.
    ChangesPassing: Minus,
    /// The outcome of every context of failing tests changes.
    ChangesAllFailing: Any,
    /// All contexts have one outcome.
    OneOutcome: Minus,
    /// The logarithm of the number of contexts of passing tests that agree.
    Agreeing: Plus,
    /// A new constant is met by at most one context.
    SingledOut: Minus,
    /// A new constant is a character or string that is not in the function, met by at most one context, and only one test
    /// fails.
    TextSingledOut: Minus,
    /// A new clause asks whether something is a number that is not in the function and that at most one context has.
    NumberSingledOut: Minus,
    /// A new constant is met by two or three contexts.
    FewMeet: Minus,
    /// A constant condition, or a statement left out.
    Trivial: Minus,
    /// Two places are changed.
    TwoPlaces: Any,
}

/// The features of one candidate, by [`Feature`]'s number.
pub type Row = [f64; Feature::ALL.len()];

/// The features of each candidate of a case.
pub fn rows(case: &Case) -> Vec<Row> {
    case.candidates
        .iter()
        .map(|candidate| row(case, candidate))
        .collect()
}

fn row(case: &Case, candidate: &Candidate) -> Row {
    let mut row = [0.0; Feature::ALL.len()];
    let edits = &candidate.edits;
    for edit in edits {
        let of_edit = EditFeatures::new(case, edit).features();
        for (sum, own) in row.iter_mut().zip(of_edit) {
            *sum += own / edits.len() as f64;
        }
    }
    let mut set = |feature: Feature, value: f64| row[feature as usize] = value;
    set(Feature::Cost, (f64::from(candidate.cost) / 10.0).min(20.0));
    let failures = case.failures.len().max(1) as f64;
    set(Feature::Cures, f64::from(candidate.cures) / failures);
    set(Feature::Trivial, yes(candidate.is_trivial));
    set(Feature::TwoPlaces, yes(edits.len() > 1));
    row
}

fn yes(is: bool) -> f64 {
    f64::from(u8::from(is))
}

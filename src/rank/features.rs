//! The features of a candidate: numbers, mostly 0 or 1. The model ([`super::model`]) computes a weighted sum of them.

mod edit;
mod shapes;
pub(super) mod texts;

use self::edit::EditFeatures;
use super::facts::{Candidate, Case};

/// The sign that common sense demands of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The feature makes a candidate likelier, or does not matter.
    Plus,
    /// The feature makes a candidate less likely, or does not matter.
    Minus,
    /// The data decide.
    Any,
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $sign:ident,)*) => {
        /// A feature of a candidate.
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

            /// The sign that common sense demands of its weight.
            pub fn sign(self) -> Sign {
                match self {
                    $(Self::$name => Sign::$sign,)*
                }
            }
        }
    };
}

features! {
    /// The cost by the hand-set weights, divided by ten, at most 20.
    Cost: Minus,
    /// Ochiai's coefficient of the place, 0 to 1.
    Suspiciousness: Plus,
    /// A failing test panics at the place.
    PanicsHere: Plus,
    /// A failing test panics in the function of the place.
    PanicsInFunction: Plus,
    /// The text of a failing test names the function.
    TestCalls: Plus,
    /// The largest share of the words of the function's name that occur in the name of one failing test.
    TestNamed: Plus,
    /// The share of the failing tests that the candidate cures.
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
    /// The function already contains the inserted body, or the body is a plain `return` or `continue`.
    BodyOwn: Any,
    /// The inserted body is an exit of the function with another variant.
    BodyVariant: Any,
    /// The inserted body is that of a similar function.
    BodySibling: Any,
    /// The inserted body returns a typical value of its type.
    BodyObvious: Any,
    /// The inserted body returns a parameter or a new value.
    BodyMade: Any,
    /// The inserted body is a list of statements.
    BodyStatements: Any,
    /// The inserted body is `break`, or a jump to a label.
    BodyLeavesLoop: Any,
    /// The inserted body panics.
    BodyPanics: Any,
    /// The place decides about a deliberate panic.
    Checks: Any,
    /// The file, or a module around the place, has a name such as `test_utils` or `mocks`.
    ForTests: Minus,
    /// A strict operator was made inclusive.
    ToInclusive: Any,
    /// An inclusive operator was made strict.
    ToStrict: Any,
    /// An operator was negated.
    OperatorNegated: Any,
    /// `<` or `<=` became `>` or `>=`, or the reverse, without being negated.
    OperatorMirrored: Any,
    /// `==` or `!=` became an ordered comparison.
    EqualityToOrder: Any,
    /// An ordered comparison became `==` or `!=`.
    OrderToEquality: Any,
    /// A connective was changed.
    Connective: Any,
    /// A clause was added by `&&`.
    AndAdded: Any,
    /// A clause was added by `||`.
    OrAdded: Any,
    /// A clause added by `||` compares by `!=`; half as much if it is a negated truth value. Half of that if the old
    /// condition has a negative clause, too.
    OrsNegated: Minus,
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
    /// 1 was added to an operand, or subtracted from it.
    OffByOne: Any,
    /// Other arithmetic was added or removed.
    Arithmetic: Any,
    /// A term other than 1 was added to an operand of a condition, or subtracted from it.
    TermAdded: Minus,
    /// An operand was replaced.
    Operand: Any,
    /// The share of words that the replaced and the new operand have in common.
    OperandAlike: Plus,
    /// A method of the standard library was replaced by the one with the opposite result: `all` by `any`.
    OppositeMethod: Minus,
    /// A query was added by `&&` to a query of the same receiver: `d.is_zero() && d.is_one()`. Or a negated one by `||`.
    AsksAgain: Minus,
    /// Several changes at once.
    Replaced: Any,
    /// Only the spelling changed.
    Nothing: Minus,
    /// The new part is a comparison of two values.
    ComparesValues: Any,
    /// The new part compares two values by `==`.
    EqualsValue: Any,
    /// The new part compares two values by `!=`.
    DiffersFromValue: Any,
    /// The new part compares two values by order.
    OrdersValues: Any,
    /// The new part compares with a literal by `==`.
    EqualsLiteral: Any,
    /// The new part compares with a literal by `!=`.
    DiffersFromLiteral: Any,
    /// The new part compares with a number other than -1, 0 and 1 by `==` or `!=`.
    EqualsNumber: Minus,
    /// The new part compares with 0 or 1 by order.
    OrderWithSmall: Any,
    /// The new part compares with another literal by order.
    OrderWithLiteral: Any,
    /// The new part is a truth value, such as a flag or a query.
    Flag: Any,
    /// The new part is a negated truth value.
    NegatedFlag: Any,
    /// The share of words that the two sides of a new comparison have in common.
    SidesAlike: Plus,
    /// The new part has the operator and one operand in common with another clause or condition of the function.
    Parallel: Plus,
    /// The new part equals another part of the condition except for names and literals.
    SameShape: Plus,
    /// The whole new part also occurs elsewhere in the function.
    StandsElsewhere: Plus,
    /// A changed comparison shares an operand with at least two others in the condition, and all have its operator.
    OperatorOfChain: Plus,
    /// More comparisons than before compare the truth values of comparisons or connectives: `(a || b) != c`.
    ComparesTruth: Minus,
    /// A failing test panics at the place because of a number that the condition tests: `d == 0` before `n / d`.
    AsksForPanic: Plus,
    /// A new clause prevents an expression from panicking as it does in a failing test: `i < v.len()` and `v[i]`.
    PreventsPanic: Plus,
    /// Number of new clauses that guard an access but demand more or less than it needs: `i > 1` before `v[i - 1]`.
    GuardOff: Minus,
    /// A new clause demands exactly what the code right after it needs: `if a < b { return }` before `a - b`,
    /// `i < v.len()` before `v[i]`. Only where no failing test panics.
    GuardsExactly: Plus,
    /// A `break` leaves a `for` loop before its end.
    BreaksFor: Minus,
    /// A `continue` starts the next round of a `while` or `loop` early.
    ContinuesOpenLoop: Minus,
    /// A clause changed in place has, after the change, the operator and one operand in common with another clause or
    /// condition of the function.
    ChangedParallel: Plus,
    /// A clause changed in place had such a counterpart before the change.
    WasParallel: Minus,
    /// A remainder is compared by order.
    RemainderOrdered: Minus,
    /// The share of the new operands that occur in other conditions of the function.
    ComparedElsewhere: Plus,
    /// The share of the new operands that occur in the three lines before, or on the line of the place.
    UsedBefore: Plus,
    /// The share of the new operands that occur in the four lines after, or on the line of the place.
    UsedAfter: Plus,
    /// The share of the new operands that occur nowhere else in the function.
    Foreign: Any,
    /// The changed condition has no new operand other than literals.
    InCondition: Any,
    /// The largest share of words that a new operand has in common with one of the old condition.
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
    /// A new operand contains a call of the old condition.
    CallsAgain: Minus,
    /// The old condition is `true` or `false`.
    WasConstant: Any,
    /// A new literal, neither 0 nor 1, also occurs elsewhere in the function.
    LiteralOfFunction: Any,
    /// A new literal, neither 0 nor 1, does not occur elsewhere in the function.
    LiteralFromElsewhere: Minus,
    /// A new literal, neither 0 nor 1, occurs in the text of a failing test, but not elsewhere in the function.
    LiteralOfTest: Minus,
    /// The condition is constant, or a part of it never decides the outcome.
    Idle: Minus,
    /// Two clauses bound one operand from the same side.
    BoundsTwice: Minus,
    /// How likely people test the variables of a new clause at this place, as a logarithm: see [`super::variables`].
    Relevant: Plus,
    /// The largest share of words that an operand has in common with the code that the condition controls.
    AlikeBody: Plus,
    /// The share of the names of types and variants in the inserted body that failing tests mention.
    BodyInTest: Plus,
    /// Something is inserted at the start of the function.
    AtStart: Any,
    /// A statement that leaves the function or loop gets a condition.
    WrapsExit: Any,
    /// The number of words that the new condition has more than the old one, divided by ten, at most 3.
    Longer: Minus,
    /// The number of words that the new condition has less than the old one, divided by ten, at most 3.
    Shorter: Any,
    /// No values are known at the place.
    Unobserved: Any,
    /// The candidate does not explain everything that was observed, or nothing was observed.
    Loose: Minus,
    /// The share of the contexts of passing tests in which the outcome changes.
    ChangesPassing: Minus,
    /// The outcome changes in every context of failing tests.
    ChangesAllFailing: Any,
    /// The condition has the same outcome in all contexts.
    OneOutcome: Minus,
    /// The decimal logarithm of 1 plus the number of contexts of passing tests in which the outcome does not change.
    Agreeing: Plus,
    /// At most one context has the value of a new constant.
    SingledOut: Minus,
    /// A new constant is a character or string that does not occur elsewhere in the function, at most one context has
    /// its value, and only one test fails.
    TextSingledOut: Minus,
    /// A new clause compares by `==` or `!=` with a number that does not occur elsewhere in the function, and at most
    /// one context has that number.
    NumberSingledOut: Minus,
    /// Two or three contexts have the value of a new constant.
    FewMeet: Minus,
    /// The condition is constant, or a statement is removed.
    Trivial: Minus,
    /// Two places are changed.
    TwoPlaces: Any,
}

/// The features of one candidate, indexed by [`Feature`].
pub type Row = [f64; Feature::ALL.len()];

/// The features of each candidate of a case. With several edits, the mean of their features.
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

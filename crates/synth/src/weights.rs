//! The cost model by which candidates are searched: what is enumerated, built and judged first. Every weight is a field
//! of [`WEIGHTS`]. Plausible candidates are ranked by learned weights (`rank` in the tool), for which this cost is one of many
//! features.
//!
//! The cost of a patch is the sum of: a base for how its condition was derived from the original; the cost
//! of the new parts; idioms (`synth/idioms.rs`); and, in `repair/`, where the patch goes and what it leaves
//! unexplained. Smaller is better. The weights were chosen by hand. The weights of operators follow the
//! frequencies of operator corrections in Codeflaws (class ORRN, even contests, 141 operators): 111 between
//! strict and inclusive, 76 of these towards inclusive, 13 mirrored, 13 between equality and an order, 4
//! negated.

use nopol_expr::CmpOp;

/// Every weight.
#[derive(Clone, Debug)]
pub struct Weights {
    /// How a condition was derived from the original.
    pub edit: Edits,
    /// Operands and operators of an expression.
    pub part: Parts,
    /// Forms that people prefer or avoid.
    pub idiom: Idioms,
    /// The site of the patch.
    pub place: Places,
    /// Properties of the patch as a whole.
    pub fix: Fixes,
    /// What confidence is held to.
    pub confidence: Confidence,
}

/// Weights of the edits that turn the original condition into a new one.
#[derive(Clone, Debug)]
pub struct Edits {
    /// A new condition where there was none.
    pub new: u32,
    /// A new condition that replaces the original.
    pub replaced: u32,
    /// A strict operator made inclusive: `<` to `<=`.
    pub to_inclusive: u32,
    /// An inclusive operator made strict: `<=` to `<`.
    pub to_strict: u32,
    /// `<` to `>`.
    pub mirrored: u32,
    /// The negated operator: `!=` to `==`, `<` to `>=`.
    pub opposite: u32,
    /// `==` to `>=`, `<` to `!=`, and the reverse.
    pub between_equality_and_order: u32,
    /// Any other change of a comparison operator.
    pub other_operator: u32,
    /// Several operators changed in the same way; added to the weight of one such change.
    pub all_at_once: u32,
    /// `&&` to `||`, or the reverse.
    pub connective: u32,
    /// `|` to `||` or `&` to `&&`, which has the same value wherever both sides have one.
    pub short_circuit: u32,
    /// `&&` to `||`, or the reverse, with what stands before it negated.
    pub guard_turned: u32,
    /// The next larger or smaller number.
    pub next_constant: u32,
    /// A constant replaced by another constant.
    pub constant: u32,
    /// A named constant replaced by another named constant.
    pub named: u32,
    /// Any operand changed in an `==` or `!=` with a constant; added to the weight of the change.
    pub equality_operand: u32,
    /// A further value that an operand is compared with: `|| x == 'y'` after `x == 'a'`. Added to the cost
    /// of the value.
    pub added_value: u32,
    /// Surcharge on `added_value` for a positive number adjacent to a value of the condition.
    pub next_value: u32,
    /// Surcharge on `added_value` for any other number.
    pub other_value: u32,
    /// Surcharge on `added_value` for an adjacent number that is zero or negative.
    pub next_value_below: u32,
    /// Surcharge on `added_value` for a mined number of two digits or more.
    pub mined_value: u32,
    /// A part negated.
    pub negation: u32,
    /// An operand replaced by the same query of another value, or by another query of the same value.
    pub related_operand: u32,
    /// An operand replaced by any other.
    pub operand: u32,
    /// `n <= 0` or `n < 1` where `n == 0` means the same.
    pub below_nothing: u32,
    /// Arithmetic that a failing test reports to overflow, done without.
    pub overflow_avoided: u32,
    /// An arithmetic operator of an integer expression, which is not a condition, replaced by another.
    pub computing_operator: u32,
    /// An operand off by one.
    pub off_by_one: u32,
    /// A term other than 1 added to or subtracted from an operand.
    pub summand: u32,
    /// A subtraction from an unsigned number, which may overflow.
    pub unsigned_difference: u32,
    /// A clause removed.
    pub dropped: u32,
    /// A clause added.
    pub clause: u32,
    /// Per level of nesting of the added clause, up to three.
    pub deeper: u32,
    /// A clause added on the left.
    pub prepended: u32,
    /// A clause added that has the shape of an existing clause.
    pub parallel: u32,
    /// A clause added that stands in another condition of the function.
    pub borrowed: u32,
    /// The same, if the rest of that condition is built as this one is.
    pub borrowed_by_like: u32,
    /// C: a pointer tested before a clause that follows it.
    pub null_guard: u32,
    /// A clause replaced by another, or a connective by `==` or `!=`.
    pub substitute: u32,
    /// An edit that has the same outcome in every recorded context.
    pub untested: u32,
    /// As `untested`, where the edit only moves a limit between strict and inclusive.
    pub untested_neighbour: u32,
    /// An edit that reverses the constant outcome of the original condition in every recorded context.
    pub reversed: u32,
}

/// Weights of the parts of an expression.
#[derive(Clone, Debug)]
pub struct Parts {
    /// An operand of the original condition.
    pub old: u32,
    /// A local variable or parameter.
    pub variable: u32,
    /// A field of a variable.
    pub field: u32,
    /// A state query.
    pub query: u32,
    /// The constant 0.
    pub zero: u32,
    /// The constant 1.
    pub one: u32,
    /// Any other basic constant.
    pub constant: u32,
    /// A named constant.
    pub named: u32,
    /// A literal of the enclosing function.
    pub function_literal: u32,
    /// A call, or a comparison of values that are not scalars.
    pub call: u32,
    /// A question that nothing nearby asks: more than `x == 'y'`.
    pub guessed: u32,
    /// An expression computed nearby.
    pub harvested: u32,
    /// A literal of the enclosing file.
    pub file_literal: u32,
    /// A mined constant.
    pub mined: u32,
    /// Surcharge for the capacity of a collection, which depends on its allocator.
    pub capacity: u32,
    /// Per step of an operand beyond the second, up to four.
    pub step: u32,
    /// A comparison.
    pub comparison: u32,
    /// `!`.
    pub not: u32,
    /// `&&`.
    pub and: u32,
    /// `||`.
    pub or: u32,
    /// An arithmetic operator.
    pub arithmetic: u32,
    /// A group in parentheses or of mixed connectives.
    pub group: u32,
    /// A literal on the left of a comparison.
    pub literal_first: u32,
    /// A number converted to another type (C).
    pub converted: u32,
    /// A query compared with something other than a constant.
    pub query_compared: u32,
    /// `==` or `!=` between floats.
    pub float_equality: u32,
    /// `< 1`, `>= 1`, `<= 0` or `!= 0` on an unsigned number, where `== 0` or `> 0` is usual; an order with −1.
    pub needless: u32,
    /// A number added to what is compared with a number.
    pub shifted: u32,
}

/// Weights of idioms. A form that people write less often than another of the same size has a positive
/// weight, one that they write more often a negative weight.
#[derive(Clone, Debug)]
pub struct Idioms {
    /// A guard that stops the evaluation exactly where the right operand is undefined.
    pub guard: i64,
    /// Such a guard if it names nothing of that operand.
    pub unrelated_guard: i64,
    /// `<=` or `>=`.
    pub inclusive: i64,
    /// The literal 1.
    pub one: i64,
    /// An order comparison with 0 as one of several clauses.
    pub order_against_zero: i64,
    /// `!=` between two variables.
    pub unequal_variables: i64,
    /// A signed number that was never negative, and not always 0 or 1, `!= 0` where there was no condition.
    pub unequal_amount: i64,
    /// An unsigned number `<= 0` or `< 1`, which means `== 0`.
    pub below_nothing: i64,
    /// `==` in a conjunction.
    pub equal_in_conjunction: i64,
    /// `!=` in a disjunction.
    pub unequal_in_disjunction: i64,
    /// `==` or `!=` with a number that occurs in a single context, of those in which it decides.
    pub singled_out: i64,
    /// An order comparison with a mined number.
    pub mined_limit: i64,
    /// `&& n != 0` or `|| n == 0` added to the original condition.
    pub special_case: i64,
    /// What the form of an expression takes off its cost, at most.
    pub most_discount: u32,
}

/// Weights of the site of a patch.
#[derive(Clone, Debug)]
pub struct Places {
    /// A new `if` around statements. Changing an existing condition is a smaller patch.
    pub new_statement: u32,
    /// A new early exit.
    pub new_exit: u32,
    /// A new branch, guard or operand.
    pub new_branch: u32,
    /// A body that is an exit of the function with another variant of the enum.
    pub variant: u32,
    /// A body taken from a similar function.
    pub sibling: u32,
    /// A body that returns a typical value of the return type.
    pub obvious: u32,
    /// A body that returns a parameter.
    pub parameter: u32,
    /// A body that calls a constructor without arguments.
    pub constructor: u32,
    /// A body of a few statements that ends in a `return`, `break` or `continue`.
    pub statements: u32,
    /// A body that leaves a loop.
    pub leaves_loop: u32,
    /// A body with a loop label.
    pub labelled: u32,
    /// A body that panics.
    pub panics: u32,
    /// Per deliberate panic that the site decides about or directly precedes: its author meant it.
    pub deliberate: u32,
    /// What a patch costs less in the statement or at the place where a failing test panics.
    pub panics_here: u32,
    /// What it costs less elsewhere in that function.
    pub panics_in_function: u32,
    /// What it costs less where the user says that the fault is. No data tell: a fault put into a crate by us has no
    /// history. The first and the tenth candidate are 27 apart in the median of 105 repairs.
    pub near: u32,
    /// What it costs less where something was changed since the last commit, or by a diff that the user names: half of
    /// that, for a change is mostly larger than its fault.
    pub changed: u32,
    /// A site that passing tests also reach; scaled by one minus its suspiciousness.
    pub common: f64,
    /// Factor on `common` for insertion points: code that no passing test misses is rarely missing.
    pub common_and_new: f64,
}

/// Weights of a patch as a whole, and the margins used to compare costs.
#[derive(Clone, Debug)]
pub struct Fixes {
    /// A loop continues where it used to end.
    pub longer_loop: u32,
    /// The condition explains a relaxed spec only.
    pub relaxed: u32,
    /// The condition changes an outcome in some passing test. Such a patch may still pass every test, since
    /// both branches often have the same effect.
    pub disagrees: u32,
    /// Added to `disagrees` if all outcomes in passing tests change, and in proportion if some do.
    pub disagrees_throughout: u64,
    /// Evaluations assumed to agree (additive smoothing), because a few evaluations are weak evidence.
    pub smoothing: u64,
    /// Per better candidate of the site with the same kind of edit, when the candidates of a site are
    /// chosen.
    pub same_kind: u32,
    /// A last resort. Larger than any other cost.
    pub last_resort: u32,
    /// A `break` or `continue` that is removed.
    pub jump_removed: u32,
    /// Per better fix at the same site, since most of these are variants of one idea.
    pub same_site: u32,
    /// Per better fix with the same condition in the same function.
    pub same_condition: u32,
    /// A second edit.
    pub second_edit: u32,
    /// A plausible fix of an existing condition that costs at most this ends the search.
    pub cheap: u32,
    /// Upper bound on the extra cost that such a fix may have if many passing tests support it.
    pub most_support: u32,
    /// Margin by which a fix must be cheaper to be judged before fixes that cure more tests.
    pub promising: u32,
}

/// What confidence is held to: measured on bugs that nothing was learned from (`docs/benchmarks.md`, *What a percentage is held
/// to*).
#[derive(Clone, Debug)]
pub struct Confidence {
    /// Added to the log-odds of a patch in Rust. In the training the first patch was right in 45 %, on unseen bugs in 30 %; the
    /// odds change in that ratio (Saerens, Latinne and Decaestecker, *Adjusting the Outputs of a Classifier to New a Priori
    /// Probabilities*, 2002, section 2.2).
    pub shift_rust: f64,
    /// The same in C: 65 % and 33 %, set by hand.
    pub shift_c: f64,
    /// The most confidence in a patch in Rust: how often those were right that were called surest.
    pub surest_rust: f64,
    /// The same in C, where only first patches were counted.
    pub surest_c: f64,
    /// The most confidence in a patch of a kind that people seldom write, or of which less is known: how often first patches
    /// were right.
    pub usual: f64,
    /// The most confidence in a patch that something speaks against: how often the second to fifth patches were right, together.
    pub unlikely: f64,
    /// The share of passing contexts with another outcome from which on something speaks against a patch.
    pub disagrees: f64,
    /// The same, from which on less is known of it.
    pub disagrees_some: f64,
    /// The share of its confidence that is left of a patch of which the compiler warns or in which valgrind finds errors.
    pub doubted: f64,
}

/// The weights in use.
pub static WEIGHTS: Weights = Weights {
    edit: Edits {
        new: 30,
        replaced: 60,
        to_inclusive: 9,
        to_strict: 10,
        mirrored: 15,
        opposite: 19,
        between_equality_and_order: 18,
        other_operator: 20,
        all_at_once: 6,
        connective: 12,
        short_circuit: 4,
        guard_turned: 22,
        next_constant: 9,
        constant: 14,
        named: 22,
        equality_operand: 5,
        added_value: 6,
        next_value: 2,
        other_value: 10,
        next_value_below: 13,
        mined_value: 16,
        negation: 19,
        related_operand: 24,
        operand: 35,
        below_nothing: 30,
        overflow_avoided: 4,
        computing_operator: 12,
        off_by_one: 22,
        summand: 34,
        unsigned_difference: 2,
        dropped: 24,
        clause: 30,
        deeper: 2,
        prepended: 1,
        parallel: 26,
        borrowed: 14,
        borrowed_by_like: 4,
        null_guard: 22,
        substitute: 38,
        untested: 16,
        untested_neighbour: 6,
        reversed: 50,
    },
    part: Parts {
        old: 2,
        variable: 3,
        field: 4,
        query: 4,
        zero: 2,
        one: 3,
        constant: 4,
        named: 5,
        function_literal: 5,
        call: 6,
        guessed: 11,
        harvested: 8,
        file_literal: 7,
        mined: 9,
        capacity: 4,
        step: 2,
        comparison: 2,
        not: 2,
        and: 6,
        or: 7,
        arithmetic: 6,
        group: 3,
        literal_first: 2,
        converted: 5,
        query_compared: 3,
        float_equality: 2,
        needless: 2,
        shifted: 12,
    },
    idiom: Idioms {
        guard: -14,
        unrelated_guard: -10,
        inclusive: 1,
        one: 1,
        order_against_zero: 1,
        unequal_variables: 1,
        unequal_amount: 1,
        below_nothing: 14,
        equal_in_conjunction: 1,
        unequal_in_disjunction: 2,
        singled_out: 16,
        mined_limit: 8,
        special_case: -2,
        most_discount: 16,
    },
    place: Places {
        new_statement: 12,
        new_exit: 16,
        new_branch: 18,
        variant: 2,
        sibling: 4,
        obvious: 2,
        parameter: 4,
        constructor: 3,
        statements: 4,
        leaves_loop: 2,
        labelled: 1,
        panics: 10,
        deliberate: 10,
        panics_here: 9,
        panics_in_function: 4,
        near: 30,
        changed: 15,
        common: 8.0,
        common_and_new: 3.0,
    },
    fix: Fixes {
        longer_loop: 24,
        relaxed: 4,
        disagrees: 15,
        disagrees_throughout: 40,
        smoothing: 8,
        same_kind: 3,
        last_resort: 1000,
        jump_removed: 32,
        same_site: 6,
        same_condition: 14,
        second_edit: 20,
        cheap: 20,
        most_support: 40,
        promising: 8,
    },
    confidence: Confidence {
        shift_rust: -0.65,
        shift_c: -1.3,
        surest_rust: 0.67,
        surest_c: 0.5,
        usual: 0.3,
        unlikely: 0.1,
        disagrees: 0.5,
        disagrees_some: 0.1,
        doubted: 0.2,
    },
};

impl Edits {
    /// Cost of `new` in place of `old`.
    pub fn operator(&self, old: CmpOp, new: CmpOp) -> u32 {
        use CmpOp::{Eq, Ge, Gt, Le, Lt, Ne};
        match (old, new) {
            (Lt, Le) | (Gt, Ge) => self.to_inclusive,
            (Le, Lt) | (Ge, Gt) => self.to_strict,
            _ if old.orders() && new == old.mirrored() => self.mirrored,
            _ if new == old.negated() => self.opposite,
            (Eq, Le | Ge) | (Le | Ge, Eq) | (Ne, Lt | Gt) | (Lt | Gt, Ne) => {
                self.between_equality_and_order
            }
            _ => self.other_operator,
        }
    }
}

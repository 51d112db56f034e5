//! The one cost model: what makes one patch better than another, as numbers. [`WEIGHTS`] is the only
//! place where they come from; learned ones will replace it.
//!
//! A patch's cost is the sum of a base for how its condition relates to the old one, of what the new parts
//! are made of, of habits (`synth/habits.rs`), and of where it stands and what it leaves unexplained
//! (`repair/`). Smaller is better. The numbers were chosen by hand; what operators cost beside each other
//! is how often they stand for each other in Codeflaws (class ORRN, even contests, 141 operators): 111
//! between strict and inclusive, 76 of them towards inclusive, 13 turned round, 13 between equality and an
//! order, 4 negated.

use crate::source::{BodyOrigin, Form, Site, SiteKind};

/// Every weight.
#[derive(Clone, Debug)]
pub struct Weights {
    /// How a condition relates to the old one.
    pub edit: Edits,
    /// What an expression is made of.
    pub part: Parts,
    /// How it is put together.
    pub habit: Habits,
    /// Where the patch stands.
    pub place: Places,
    /// What is known of the patch as a whole.
    pub fix: Fixes,
}

/// What a condition costs for how it was made from the old one, or instead of it.
#[derive(Clone, Debug)]
pub struct Edits {
    /// A new condition where there was none.
    pub new: u32,
    /// A new condition in place of the old one.
    pub replaced: u32,
    /// Inclusive for strict.
    pub to_inclusive: u32,
    /// Strict for inclusive.
    pub to_strict: u32,
    /// `<` for `>`.
    pub mirrored: u32,
    /// `==` for `!=`, `>=` for `<`.
    pub opposite: u32,
    /// `>=` for `==`, `!=` for `<`, and the other way round.
    pub between_equality_and_order: u32,
    /// Any other operator.
    pub other_operator: u32,
    /// Several operators changed alike, beside one of them.
    pub all_at_once: u32,
    /// `&&` for `||`, or the other way round.
    pub connective: u32,
    /// The next larger or smaller number.
    pub next_constant: u32,
    /// Another constant.
    pub constant: u32,
    /// Another named constant.
    pub named: u32,
    /// Any operand changed where `==` or `!=` asks for a constant, beside the change.
    pub equal: u32,
    /// One more value of an operand that is held against some already, beside the value's.
    pub value: u32,
    /// What a number costs more there than a letter: next to one that is there; any other; not positive
    /// and next to one; long and seen only.
    pub next_value: u32,
    pub number: u32,
    pub next_below: u32,
    pub odd_value: u32,
    /// A part negated.
    pub negation: u32,
    /// The same query of another value, or another one of the same value.
    pub kin: u32,
    /// Another operand.
    pub operand: u32,
    /// An operand off by one.
    pub off_by_one: u32,
    /// Something else added to or subtracted from an operand.
    pub summand: u32,
    /// To subtract from an unsigned number invites overflow.
    pub unsigned_difference: u32,
    /// A clause less.
    pub dropped: u32,
    /// A clause more.
    pub clause: u32,
    /// For each level that it stands deeper, up to three.
    pub deeper: u32,
    /// Inside of what is negated.
    pub beside_group: u32,
    /// Before what is there.
    pub first: u32,
    /// A clause more that has the shape of one that is there.
    pub parallel: u32,
    /// Another clause in the place of one, or `==` or `!=` for a connective.
    pub substitute: u32,
    /// An outcome that no test shows.
    pub untested: u32,
    /// The same, where only the limit of a comparison changed.
    pub untested_neighbour: u32,
    /// The opposite outcome wherever the condition was observed.
    pub reversed: u32,
}

/// What the parts of an expression cost.
#[derive(Clone, Debug)]
pub struct Parts {
    /// An operand by where it comes from.
    pub old: u32,
    pub variable: u32,
    pub field: u32,
    pub query: u32,
    pub zero: u32,
    pub one: u32,
    pub constant: u32,
    pub named: u32,
    pub function_literal: u32,
    pub call: u32,
    pub harvested: u32,
    pub file_literal: u32,
    pub seen: u32,
    /// What a collection has set aside is up to its allocator.
    pub capacity: u32,
    /// Each step of an operand beyond the second, up to four.
    pub step: u32,
    pub comparison: u32,
    pub not: u32,
    pub and: u32,
    pub or: u32,
    pub arithmetic: u32,
    /// A group in parentheses or of mixed connectives.
    pub group: u32,
    /// A literal before the operator.
    pub literal_first: u32,
    /// A number converted to another type (C).
    pub converted: u32,
    /// A query compared with something that is no constant.
    pub query_compared: u32,
    /// `==` or `!=` between floats.
    pub float_equality: u32,
    /// `< 1`, `>= 1`, `<= 0` or `!= 0` on an unsigned number, for `== 0` or `> 0` say it.
    pub needless: u32,
}

/// What people write more or, negative, less often than something else of the same size.
#[derive(Clone, Debug)]
pub struct Habits {
    /// A guard that stops exactly where what follows is undefined.
    pub guard: i64,
    /// `<=` or `>=`.
    pub inclusive: i64,
    /// The literal 1.
    pub one: i64,
    /// An order against 0 beside another clause.
    pub order_against_zero: i64,
    /// `!=` between two variables.
    pub unequal_variables: i64,
    /// `==` in a conjunction.
    pub equal_in_conjunction: i64,
    /// `!=` in a disjunction.
    pub unequal_in_disjunction: i64,
    /// `==` or `!=` with a number that only one context had.
    pub singled_out: i64,
    /// An order against a number that was seen and never written.
    pub seen_limit: i64,
    /// `&& n != 0` or `|| n == 0` added to an old condition.
    pub special_case: i64,
}

/// What a patch costs for where it stands.
#[derive(Clone, Debug)]
pub struct Places {
    /// A new `if` around statements: changing one that is there is the smaller patch.
    pub new_statement: u32,
    /// A new way out.
    pub new_exit: u32,
    /// A new branch, guard or operand.
    pub new_branch: u32,
    /// Where the body of something new comes from.
    pub sibling: u32,
    pub obvious: u32,
    pub parameter: u32,
    pub constructor: u32,
    pub run: u32,
    pub leaves_loop: u32,
    pub labelled: u32,
    pub panics: u32,
    /// What decides whether the program panics on purpose, or stands right before: whoever wrote that
    /// meant it.
    pub check: u32,
    /// A place that passing tests reach, too, by the share of these.
    pub common: f64,
    /// How many times as much that is for something new: what a whole suite never missed is hardly missing.
    pub common_and_new: f64,
}

/// What a patch costs for what is known of it, and how costs are compared.
#[derive(Clone, Debug)]
pub struct Fixes {
    /// A loop goes on where it ended before.
    pub longer_loop: u32,
    /// The condition explains only a relaxed spec.
    pub relaxed: u32,
    /// The condition changes an outcome in some passing test. The tests decide whether that matters; often
    /// the other branch does the same.
    pub disagrees: u32,
    /// Further, if it changes all outcomes in passing tests; in proportion if it changes some.
    pub disagrees_throughout: u64,
    /// Evaluations assumed to agree (additive smoothing): a few say little.
    pub smoothing: u64,
    /// What an operator mutation costs at most, even if it changes an outcome in a passing test.
    pub operator_mutation: u32,
    /// For each better candidate of the site with the same kind of edit, when the candidates of a site are
    /// chosen.
    pub same_kind: u32,
    /// A last resort: more than anything else costs.
    pub last_resort: u32,
    /// For each better fix at the same site: most are variants of one idea.
    pub same_site: u32,
    /// For each better fix with the same condition in the same function.
    pub same_condition: u32,
    /// A second edit.
    pub second_edit: u32,
    /// A plausible fix of an existing condition that costs at most this ends the search.
    pub cheap: u32,
    /// What such a fix may cost more at most if many passing tests support it.
    pub most_support: u32,
    /// How much cheaper a fix must be to be judged before fixes that cure more tests.
    pub promising: u32,
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
        next_constant: 9,
        constant: 14,
        named: 22,
        equal: 5,
        value: 6,
        next_value: 2,
        number: 10,
        next_below: 13,
        odd_value: 16,
        negation: 19,
        kin: 24,
        operand: 35,
        off_by_one: 22,
        summand: 34,
        unsigned_difference: 2,
        dropped: 24,
        clause: 30,
        deeper: 2,
        beside_group: 1,
        first: 1,
        parallel: 26,
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
        harvested: 8,
        file_literal: 7,
        seen: 9,
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
    },
    habit: Habits {
        guard: -14,
        inclusive: 1,
        one: 1,
        order_against_zero: 1,
        unequal_variables: 1,
        equal_in_conjunction: 1,
        unequal_in_disjunction: 2,
        singled_out: 16,
        seen_limit: 8,
        special_case: -2,
    },
    place: Places {
        new_statement: 12,
        new_exit: 16,
        new_branch: 18,
        sibling: 4,
        obvious: 2,
        parameter: 4,
        constructor: 3,
        run: 4,
        leaves_loop: 2,
        labelled: 1,
        panics: 10,
        check: 10,
        common: 8.0,
        common_and_new: 3.0,
    },
    fix: Fixes {
        longer_loop: 24,
        relaxed: 4,
        disagrees: 15,
        disagrees_throughout: 40,
        smoothing: 8,
        operator_mutation: 40,
        same_kind: 3,
        last_resort: 1000,
        same_site: 7,
        same_condition: 14,
        second_edit: 20,
        cheap: 20,
        most_support: 40,
        promising: 8,
    },
};

impl Places {
    /// What a patch at a site costs beyond its condition.
    pub fn of(&self, site: &Site) -> u32 {
        let own = match site.kind.form() {
            Form::Replace => 0,
            Form::Wrap => self.new_statement,
            Form::Leave => self.new_exit,
            Form::Branch | Form::Narrow => self.new_branch,
        };
        own + self.body(site.body_origin) + self.check * site.checks
    }

    /// What the body of something new costs by where it comes from.
    fn body(&self, origin: BodyOrigin) -> u32 {
        match origin {
            BodyOrigin::Own => 0,
            BodyOrigin::Sibling => self.sibling,
            BodyOrigin::Obvious => self.obvious,
            BodyOrigin::Parameter => self.parameter,
            BodyOrigin::Constructor => self.constructor,
            BodyOrigin::Statements => self.run,
            BodyOrigin::Break => self.leaves_loop,
            BodyOrigin::LabelledContinue => self.labelled,
            BodyOrigin::LabelledBreak => self.leaves_loop + self.labelled,
            BodyOrigin::Panic => self.panics,
        }
    }

    /// What a patch costs at a place of a kind with a suspiciousness, from 0 to 1, for the passing tests
    /// that reach it.
    pub fn common(&self, suspiciousness: f64, kind: SiteKind) -> u32 {
        let most = match kind.is_new() {
            true => self.common_and_new * self.common,
            false => self.common,
        };
        // Rounded down to a whole number.
        (most * (1.0 - suspiciousness).clamp(0.0, 1.0)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_common_costs_most_where_nothing_stood() {
        let place = &WEIGHTS.place;
        assert_eq!(place.common(1.0, SiteKind::If), 0);
        assert_eq!(place.common(0.5, SiteKind::If), 4);
        assert_eq!(place.common(0.0, SiteKind::EarlyExit), 24);
    }

    #[test]
    fn a_body_made_up_costs_more_than_one_that_the_function_has() {
        let body = |origin| WEIGHTS.place.body(origin);
        assert_eq!(body(BodyOrigin::Own), 0);
        assert!(body(BodyOrigin::LabelledBreak) > body(BodyOrigin::Break));
        assert!(body(BodyOrigin::Panic) > body(BodyOrigin::Sibling));
    }
}

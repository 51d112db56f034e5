//! The cost of a patch's place, without that of its condition.

use nopol_source::{BodyOrigin, Form, Site, SiteKind};
use nopol_synth::weights::WEIGHTS;

/// Cost of a patch at a site.
pub fn of(site: &Site) -> u32 {
    let place = &WEIGHTS.place;
    let own = match site.kind.form() {
        Form::Replace | Form::Compute => 0,
        Form::Wrap => place.new_statement,
        Form::Leave => place.new_exit,
        Form::Branch | Form::Narrow => place.new_branch,
    };
    own + body(site.body_origin) + place.deliberate * site.checks
}

/// Cost of an inserted body, by its origin.
fn body(origin: BodyOrigin) -> u32 {
    let place = &WEIGHTS.place;
    match origin {
        BodyOrigin::Own => 0,
        BodyOrigin::Variant => place.variant,
        BodyOrigin::Sibling => place.sibling,
        BodyOrigin::Obvious => place.obvious,
        BodyOrigin::Parameter => place.parameter,
        BodyOrigin::Constructor => place.constructor,
        BodyOrigin::Statements => place.statements,
        BodyOrigin::Break => place.leaves_loop,
        BodyOrigin::LabelledContinue => place.labelled,
        BodyOrigin::LabelledBreak => place.leaves_loop + place.labelled,
        BodyOrigin::Panic => place.panics,
    }
}

/// Cost of a site that passing tests reach, given its suspiciousness from 0 to 1.
pub fn common(suspiciousness: f64, kind: SiteKind) -> u32 {
    let place = &WEIGHTS.place;
    let most = match kind.is_new() {
        true => place.common_and_new * place.common,
        false => place.common,
    };
    // Rounded down to a whole number.
    (most * (1.0 - suspiciousness).clamp(0.0, 1.0)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_that_passing_tests_reach_cost_most_where_code_is_inserted() {
        assert_eq!(common(1.0, SiteKind::If), 0);
        assert_eq!(common(0.5, SiteKind::If), 4);
        assert_eq!(common(0.0, SiteKind::EarlyExit), 24);
    }

    #[test]
    fn an_invented_body_costs_more_than_one_of_the_function() {
        assert_eq!(body(BodyOrigin::Own), 0);
        assert!(body(BodyOrigin::LabelledBreak) > body(BodyOrigin::Break));
        assert!(body(BodyOrigin::Panic) > body(BodyOrigin::Sibling));
    }
}

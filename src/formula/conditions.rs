//! What formulas show about the conditions of a program, for the search that forces them (Nopol's angelic fix localization):
//! at which conditions other outcomes make a failing test pass, with the outcomes, and at which none do. Each failing test is
//! examined by itself. What is outside of the subset, or too large, is left to forcing. All limits are counted, and none is of
//! time, so the result is the same on every machine.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use nopol_formula::encode::Extent;
use nopol_formula::faults::spared::Budget;
use nopol_formula::faults::{self, Candidate, FaultsOptions, FaultsOutcome, Formula};
use nopol_program::interpret::{End, Value};
use nopol_program::ir::{PlaceId, Test};
use nopol_source::Language;

use super::load::{Loaded, RunBounds};
use crate::subject::ecosystem::ProgramText;

/// A condition: its file, relative to the root, and its first byte and the one after its last.
pub type Spot = (Utf8PathBuf, usize, usize);

/// The evaluations of a condition with another outcome than the program gives, counted from 0 in the run in which they have
/// it.
pub type Outcomes = BTreeMap<u32, bool>;

/// What is known of a failing test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foresight {
    /// Its name.
    pub test: String,
    /// Where other outcomes make it pass, and which. If there are several such outcomes, these are some.
    pub angelic: Vec<(Spot, Outcomes)>,
    /// Where none do.
    pub hopeless: Vec<Spot>,
}

/// Most gates of a formula, most decisions of its solver, and most statements of a run.
const GATES: usize = 60_000;
const DECISIONS: u64 = 30_000;
const STEPS: u64 = 100_000;

/// What may be spent to find which outcomes of a run are not needed.
const BUDGET: Budget = Budget {
    values: 100,
    evaluations: 100_000,
};

/// What is known of these failing tests and of these conditions, one test after the other. `failing` are all that fail.
pub fn foresee(
    whole: &ProgramText,
    asked: &[String],
    failing: &BTreeSet<String>,
    conditions: &BTreeSet<Spot>,
) -> Vec<Foresight> {
    // The passing tests of a crate would have to be translated, too.
    let wanted: &[String] = match whole.language {
        Language::C => &[],
        Language::Rust => asked,
    };
    let far = RunBounds {
        steps: STEPS,
        ..RunBounds::new(None, true)
    };
    let Ok(loaded) = Loaded::new(whole, wanted, far) else {
        return Vec::new();
    };
    let places: BTreeMap<PlaceId, Spot> = loaded
        .program
        .places
        .iter_enumerated()
        .filter_map(|(place, of)| {
            let file = loaded.program.files.get(of.span.file as usize)?;
            let spot = (file.clone(), of.span.start as usize, of.span.end as usize);
            conditions.contains(&spot).then_some((place, spot))
        })
        .collect();
    let ends = loaded.tests.iter().zip(&loaded.ends);
    // A fault that no run shows, such as a read behind an array, is no reason to fail for the program.
    let agrees = ends
        .clone()
        .filter(|(_, end)| is_seen(whole.language, end))
        .all(|(test, end)| (*end == End::Passed) != failing.contains(&test.name));
    ends.filter(|(test, end)| asked.contains(&test.name) && **end != End::Passed)
        .map(|(test, end)| {
            let agrees = agrees && is_seen(whole.language, end);
            of_test(&loaded, test, &places, agrees)
        })
        .collect()
}

/// Whether a failure is visible to a person who runs the program.
const fn is_seen(language: Language, end: &End) -> bool {
    match (language, end) {
        (Language::C, End::Fault(kind, _)) => kind.is_explicit(),
        _ => true,
    }
}

fn of_test(
    loaded: &Loaded,
    test: &Test,
    places: &BTreeMap<PlaceId, Spot>,
    agrees: bool,
) -> Foresight {
    let extent = Extent {
        gates: GATES,
        decisions: Some(DECISIONS),
        steps: STEPS,
        ..Extent::new(loaded.bound, true)
    };
    let options = FaultsOptions {
        extent,
        formula: Formula::OnDemand,
        size: 1,
        places: Some(places.keys().copied().collect()),
        budget: BUDGET,
    };
    let mut foresight = Foresight {
        test: test.name.clone(),
        ..Foresight::default()
    };
    let tests = std::slice::from_ref(test);
    let Ok(found) = faults::localize(&loaded.program, tests, &loaded.usual, options) else {
        return foresight;
    };
    let mut angelic = BTreeSet::new();
    for candidate in &found.candidates {
        let [place] = *candidate.places.as_slice() else {
            continue;
        };
        angelic.insert(place);
        if let Some(outcomes) = outcomes(candidate) {
            foresight.angelic.push((places[&place].clone(), outcomes));
        }
    }
    if agrees && !matches!(found.outcome, FaultsOutcome::Limit(_)) {
        let others = places.iter().filter(|(place, _)| !angelic.contains(place));
        foresight.hopeless = others.map(|(_, spot)| spot.clone()).collect();
    }
    foresight
}

/// The outcomes of a candidate's run that are needed.
fn outcomes(candidate: &Candidate) -> Option<Outcomes> {
    let place = *candidate.places.first()?;
    let evaluated = candidate.runs.values().next()?.evaluated.iter();
    let evaluated = (0_u32..).zip(evaluated.filter(|it| it.instance.place == place));
    let outcomes: Outcomes = evaluated
        .filter(|(_, it)| it.is_angelic)
        .map(|(number, it)| (number, !matches!(it.value, Value::Number(0))))
        .collect();
    (!outcomes.is_empty()).then_some(outcomes)
}

#[cfg(test)]
mod tests {
    use nopol_process::run::command::{Case, Command, Comparison, Input};

    use super::*;

    const TEXT: &str = "\
#include <stdio.h>
int main(void) {
    int n, sum = 0;
    scanf(\"%d\", &n);
    for (int i = 0; i < 40; i++)
        if (i < n)
            sum++;
    if (n == 1000)
        sum = 7;
    printf(\"%d\", sum);
    return 0;
}
";

    fn case(name: &str, stdin: &str, stdout: &str) -> Case {
        Case {
            name: name.to_owned(),
            command: Command::parse("./a"),
            cwd: Utf8PathBuf::new(),
            stdin: Input::Text(stdin.to_owned()),
            exit: 0,
            stdout: Some(stdout.to_owned()),
            comparison: Comparison::Exact,
            timeout: None,
            part: None,
        }
    }

    fn spot(text: &str, condition: &str) -> Spot {
        let start = text.find(condition).unwrap();
        (Utf8PathBuf::from("a.c"), start, start + condition.len())
    }

    fn whole(text: &str, cases: Vec<Case>) -> ProgramText {
        ProgramText {
            language: Language::C,
            files: vec![("a.c".into(), text.to_owned())],
            cases,
            test_args: Vec::new(),
            features: None,
            may_have_examples: false,
            passes: BTreeMap::new(),
            reasons: BTreeMap::new(),
            is_unbuilt: false,
        }
    }

    #[test]
    fn the_evaluations_that_matter_are_told_and_hopeless_conditions_too() {
        let whole = whole(TEXT, vec![case("five", "4", "5"), case("three", "3", "3")]);
        let conditions = ["i < 40", "i < n", "n == 1000"].map(|it| spot(TEXT, it));
        let failing: BTreeSet<String> = ["five".to_owned()].into();
        let ask = |failing: &BTreeSet<String>| {
            foresee(
                &whole,
                &["five".to_owned()],
                failing,
                &conditions.clone().into(),
            )
        };
        let foresight = ask(&failing);
        let [of_five] = foresight.as_slice() else {
            panic!("{foresight:?}");
        };
        let angelic: Vec<usize> = of_five
            .angelic
            .iter()
            .map(|((_, start, _), _)| *start)
            .collect();
        assert_eq!(angelic, [conditions[1].1]);
        // One more evaluation is true, and nothing else changes.
        let outcomes: Vec<(u32, bool)> = of_five.angelic[0].1.clone().into_iter().collect();
        assert!(matches!(*outcomes, [(4.., true)]), "{outcomes:?}");
        let hopeless: Vec<usize> = of_five
            .hopeless
            .iter()
            .map(|(_, start, _)| *start)
            .collect();
        assert_eq!(hopeless, [conditions[0].1, conditions[2].1]);
        // Where the program is not what it was taken for, nothing is hopeless.
        let other = ask(&["five".to_owned(), "three".to_owned()].into());
        assert!(other[0].hopeless.is_empty() && !other[0].angelic.is_empty());
    }

    /// `n > 5` should be `n >= 5`; where the text ends depends on it.
    const CUT: &str = "\
#include <stdio.h>
#include <string.h>
int main(void) {
    char word[32];
    int n;
    scanf(\"%31s\", word);
    n = strlen(word);
    if (n > 5)
        n = 2;
    word[n] = 0;
    printf(\"%s\", word);
    return 0;
}
";

    #[test]
    fn a_condition_that_decides_where_a_text_ends_is_not_hopeless() {
        let whole = whole(CUT, vec![case("cut", "abcde", "ab")]);
        let condition = spot(CUT, "n > 5");
        let names = ["cut".to_owned()];
        let conditions = [condition.clone()].into();
        let foresight = foresee(&whole, &names, &names.clone().into(), &conditions);
        let [of_cut] = foresight.as_slice() else {
            panic!("{foresight:?}");
        };
        let angelic: Vec<&Spot> = of_cut.angelic.iter().map(|(spot, _)| spot).collect();
        assert_eq!(angelic, [&condition]);
        assert!(of_cut.hopeless.is_empty(), "{foresight:?}");
    }
}

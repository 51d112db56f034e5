//! Repairs by mutations are those that trying every mutant finds, however programs are ruled out: soundness and
//! completeness (AllRepair, Theorem 8) on small random programs.

use std::collections::BTreeSet;

use nopol_program::front::c;
use nopol_program::ir::{ChoiceId, Entry, FunctionId, Made, Program, Test};
use nopol_program::position::Positions;
use nopol_program::visit::needs;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::encode::Extent;
use crate::mutate::applied::mutant;
use crate::mutate::must::Prune;
use crate::mutate::space::Unmutated;
use crate::mutate::specification::Check;
use crate::mutate::{Level, MutateOptions, MutateOutcome, Space, Specification, repairs};

const EXTENT: Extent = Extent::new(3, true);

/// Inputs that the programs take; they assume that there are no others.
const INPUTS: i128 = 6;

/// Which mutations there are, and of how many statements.
#[derive(Clone, Copy)]
struct Depth {
    level: Level,
    size: usize,
}

/// Most mutations of a program whose mutants are all gone through by the search, too.
const FEW: usize = 18;

/// A body of a function of `x`: operators and numbers fill the gaps of a shape.
fn body() -> impl Strategy<Value = String> {
    let arithmetic = || prop::sample::select(vec!["+", "-", "*"]);
    let relation = || prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let number = || 0..4_u32;
    let calculations = prop::collection::vec((arithmetic(), number()), 3);
    let relations = prop::collection::vec((relation(), number()), 3);
    (calculations, relations, 0..5_usize).prop_map(|(calculate, relate, shape)| {
        let term = |at: usize| format!("{} {}", calculate[at].0, calculate[at].1);
        let test = |at: usize| format!("{} {}", relate[at].0, relate[at].1);
        match shape {
            0 => format!(
                "    int a = x {};\n    if (a {} && x {}) {{\n        a = a {};\n    }}\n    return a;\n",
                term(0), test(0), test(1), term(1)
            ),
            1 => format!(
                "    int s = 0;\n    int i = {};\n    while (i < x) {{\n        s = s {};\n        i++;\n    }}\n    return s;\n",
                calculate[0].1, term(1)
            ),
            2 => format!(
                "    int t[3] = {{1, 2, 3}};\n    int k = x {} || x {};\n    t[k] = x {};\n    return t[0] {};\n",
                test(0), test(1), term(0), term(1)
            ),
            3 => format!(
                "    int t[4] = {{3, 1, 2, 0}};\n    int k = x {};\n    if (k {}) {{\n        k = part(k, x);\n    }}\n    if (x {}) {{\n        return t[k];\n    }}\n    return part(x, k);\n",
                term(0), test(0), test(1)
            ),
            _ => format!(
                "    return x {} ? x {} : (x {}) * 2;\n",
                test(0), term(0), term(1)
            ),
        }
    })
}

fn function(name: &str, body: &str) -> String {
    format!("int {name}(unsigned char x)\n{{\n    assume(x < {INPUTS});\n{body}}}\n")
}

/// A function that the others call, and that is right.
const PART: &str = "int part(int a, int b)\n{\n    return a - 2 * b;\n}\n";

/// A program with `right` and with `wrong`, which differs from it by up to two mutations of a level that these numbers pick.
fn with_faults(body: &str, picks: &[usize], level: Level) -> Option<(Program, Vec<String>)> {
    let mut text = PART.to_owned();
    text.push_str(&function("wrong", body));
    for &pick in picks {
        let program = read(&text);
        let kept = Unmutated {
            functions: [named(&program, "part")].into(),
            ..Unmutated::default()
        };
        let space = Space::new(&program, std::slice::from_ref(&text), &kept, (level, false));
        let choices: Vec<ChoiceId> = space.choices.keys().collect();
        let edit = space.edit(*choices.get(pick % choices.len().max(1))?, 0);
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    text.push_str(&function("right", body));
    for input in 0..INPUTS {
        text.push_str(&format!(
            "void test_{input}(void)\n{{\n    assert(wrong({input}) == right({input}));\n}}\n"
        ));
    }
    Some((read(&text), vec![text]))
}

fn read(text: &str) -> Program {
    let files = [("subject.c".into(), text.to_owned())];
    c::read(&files).unwrap_or_else(|outside| panic!("{outside}\n{text}"))
}

fn named(program: &Program, name: &str) -> FunctionId {
    let mut functions = program.functions.iter_enumerated();
    functions
        .find(|(_, function)| function.name == name)
        .unwrap()
        .0
}

/// The minimal sets of choices that make a program right, by trying all.
fn by_brute_force(
    space: &Space,
    specification: &Specification,
    checks: &[Check],
    size: usize,
) -> Sets {
    let verdicts = |made: &Made| {
        let program = mutant(&space.program, made);
        let positions = &mut Positions::default();
        let judged = checks.iter().map(|check| {
            let verdict = specification.judge(&program, &Made::new(), check, EXTENT, positions);
            (verdict.holds, verdict.ends)
        });
        judged.collect::<Vec<_>>()
    };
    let original = verdicts(&Made::new());
    let is_repaired = |made: &[ChoiceId]| {
        let verdicts = verdicts(&made.iter().map(|choice| (*choice, 0)).collect());
        // Where the original is wrong, one run at least must come to its end.
        let is_mended = |(before, after): (&(bool, bool), &(bool, bool))| !before.0 && after.1;
        verdicts.iter().all(|(holds, _)| *holds) && original.iter().zip(&verdicts).any(is_mended)
    };
    let single: Vec<ChoiceId> = space.choices.keys().collect();
    let mut found: Sets = single
        .iter()
        .filter(|choice| is_repaired(&[**choice]))
        .map(|choice| vec![*choice])
        .collect();
    let pairs = if size > 1 { single.as_slice() } else { &[] };
    for (at, first) in pairs.iter().enumerate() {
        for second in &single[at + 1..] {
            let is_one_statement =
                space.choices[*first].location == space.choices[*second].location;
            let is_minimal = !found.contains(&vec![*first]) && !found.contains(&vec![*second]);
            if !is_one_statement && is_minimal && is_repaired(&[*first, *second]) {
                found.insert(vec![*first, *second]);
            }
        }
    }
    found
}

type Sets = BTreeSet<Vec<ChoiceId>>;

fn assert_all_are_found(
    space: &Space,
    specification: &Specification,
    checks: &[Check],
    text: &str,
    depth: Depth,
) -> Result<bool, TestCaseError> {
    let expected = by_brute_force(space, specification, checks, depth.size);
    for prune in [Prune::Nothing, Prune::Slice, Prune::Core, Prune::Run] {
        // Going through all mutants one by one takes longest.
        if prune == Prune::Nothing && space.choices.len() > FEW {
            continue;
        }
        let options = MutateOptions {
            extent: EXTENT,
            size: depth.size,
            prune,
        };
        let found = repairs(space, specification, options);
        let found = found
            .map_err(|trouble| TestCaseError::fail(format!("{prune:?}: {trouble:?}\n{text}")))?;
        if matches!(found.outcome, MutateOutcome::Right { .. }) {
            return Ok(false);
        }
        let sets = found.repairs.iter();
        let sets: Sets = sets
            .map(|repair| repair.made.keys().copied().collect())
            .collect();
        prop_assert_eq!(&sets, &expected, "{:?}\n{}", prune, text);
        prop_assert_eq!(
            found.outcome == MutateOutcome::Repaired,
            !expected.is_empty()
        );
    }
    Ok(!expected.is_empty())
}

/// Two mutations of the papers.
const DEEP: Depth = Depth {
    level: Level::Two,
    size: 2,
};

/// One mutation, also of those that are not in the papers.
const WIDE: Depth = Depth {
    level: Level::Three,
    size: 1,
};

/// Runs a property on programs that are the same every time.
fn hold(
    cases: u32,
    depth: Depth,
    mut property: impl FnMut(&Program, &[String]) -> Result<bool, TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 8,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let strategy = (body(), any::<[usize; 2]>());
    let repaired = std::cell::Cell::new(0);
    let property = std::cell::RefCell::new(&mut property);
    let result = runner.run(&strategy, |(body, picks)| {
        if let Some((program, texts)) = with_faults(&body, &picks[..depth.size], depth.level)
            && (*property.borrow_mut())(&program, &texts)?
        {
            repaired.set(repaired.get() + 1);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(repaired.get() > cases / 4, "{}", repaired.get());
}

fn kept(program: &Program) -> Unmutated {
    let needs = needs(program, named(program, "right"));
    Unmutated {
        functions: needs.functions,
        variables: needs.variables,
        types: true,
        reached: None,
    }
}

fn all_that_equal_a_reference_are_found(cases: u32) {
    hold(cases, DEEP, |program, texts| {
        let space = Space::new(program, texts, &kept(program), (Level::Two, false));
        let (function, reference) = (named(program, "wrong"), named(program, "right"));
        let specification = Specification::Function {
            function,
            reference: Some(reference),
        };
        let alone = Specification::Function {
            function: reference,
            reference: None,
        };
        let checks = (0..INPUTS).filter_map(|input| {
            let call = Check::Call {
                arguments: vec![input],
                expected: None,
                may_exit: false,
            };
            let positions = &mut Positions::default();
            let verdict = alone.judge(program, &Made::new(), &call, EXTENT, positions);
            verdict.ends.then(|| Check::Call {
                arguments: vec![input],
                expected: verdict.result,
                may_exit: false,
            })
        });
        assert_all_are_found(
            &space,
            &specification,
            &checks.collect::<Vec<_>>(),
            &texts[0],
            DEEP,
        )
    });
}

fn all_that_pass_the_tests_are_found(cases: u32, depth: Depth) {
    hold(cases, depth, |program, texts| {
        let space = Space::new(program, texts, &kept(program), (depth.level, false));
        let tests: Vec<Test> = (0..INPUTS)
            .map(|input| {
                let name = format!("test_{input}");
                let entry = Entry::Function(named(program, &name));
                Test { name, entry }
            })
            .collect();
        let checks: Vec<Check> = (0..tests.len()).map(Check::Test).collect();
        let specification = Specification::Tests(tests);
        assert_all_are_found(&space, &specification, &checks, &texts[0], depth)
    });
}

/// How many programs there are in `make test`; each takes seconds.
const SOME: u32 = 2;

/// How many there are in `make test-full`.
const MANY: u32 = 20;

#[test]
fn all_mutants_that_equal_a_reference_are_found() {
    all_that_equal_a_reference_are_found(SOME);
}

#[test]
fn all_mutants_that_pass_the_tests_are_found() {
    all_that_pass_the_tests_are_found(SOME, DEEP);
}

#[test]
fn all_single_mutants_of_the_third_level_that_pass_the_tests_are_found() {
    all_that_pass_the_tests_are_found(SOME, WIDE);
}

#[test]
#[ignore = "make test-full: as above, with more programs"]
fn all_mutants_of_many_programs_are_found() {
    all_that_equal_a_reference_are_found(MANY);
    all_that_pass_the_tests_are_found(MANY, DEEP);
    all_that_pass_the_tests_are_found(MANY, WIDE);
}

#[test]
fn a_conditional_that_no_run_comes_to_has_a_value_of_its_type() {
    // Its value was one bit wide, and took the place of the early return's.
    let text = "int wrong(int x, int y)\n{\n    int t[2] = { 5, 0 };\n    if (0)\n        return 1;\n    return t[2] ? x : 2;\n}\n\
                int right(int x, int y)\n{\n    return 0;\n}\n";
    let program = c::read(&[("a.c".into(), text.to_owned())]).unwrap();
    let texts = [text.to_owned()];
    let space = Space::new(&program, &texts, &kept(&program), (Level::Two, false));
    let specification = Specification::Function {
        function: named(&program, "wrong"),
        reference: Some(named(&program, "right")),
    };
    for prune in [Prune::Slice, Prune::Core, Prune::Run] {
        let options = MutateOptions {
            extent: EXTENT,
            size: 1,
            prune,
        };
        let found = repairs(&space, &specification, options).unwrap();
        assert_eq!(found.repairs, [], "{prune:?}");
    }
}

//! Searches whose time is over, whenever that is: they end, and what they say up to then holds.

use std::collections::BTreeMap;

use nopol_basics::deadline::Deadline;
use nopol_program::front::c;
use nopol_program::ir::{Entry, Program, Test};
use nopol_program::position::Positions;

use crate::circuit::Circuit;
use crate::circuit::cnf::{Patience, Solver};
use crate::encode::{Explored, Extent, Frees, encode};
use crate::faults::{self, Formula};
use crate::mutate::must::Prune;
use crate::mutate::space::Unmutated;
use crate::mutate::{self, Level, Space, Specification, repairs};

/// `>` should be `>=`, and the loop is a long one.
const TEXT: &str = "\
int most(int n) {\n    int sum = 0;\n    for (int i = 0; i < 3000; i++) {\n        if (i % 7 > n)\n            sum++;\n    }\n    \
return sum;\n}\nint fails(void) {\n    assert(most(6) == 428);\n    return 0;\n}\n\
int passes(void) {\n    assert(most(7) == 0);\n    return 0;\n}\n";

fn program() -> (Program, Vec<Test>) {
    let text = format!("#include <assert.h>\n{TEXT}");
    let program = c::read(&[("a.c".into(), text)]).unwrap();
    let tests = ["fails", "passes"].map(|name| {
        let mut functions = program.functions.iter_enumerated();
        let found = functions.find(|(_, function)| function.name == name);
        Test {
            name: name.to_owned(),
            entry: Entry::Function(found.unwrap().0),
        }
    });
    (program, tests.to_vec())
}

fn extent(questions: u64) -> Extent {
    Extent {
        deadline: Deadline::after_questions(questions),
        ..Extent::new(3001, true)
    }
}

#[test]
fn a_search_for_faults_ends_when_its_time_is_over() {
    let (program, tests) = program();
    for questions in [0, 1, 2, 5, 20, 100] {
        let options = faults::FaultsOptions {
            extent: extent(questions),
            formula: Formula::OnDemand,
            size: 2,
            places: None,
            budget: Default::default(),
        };
        let found = faults::localize(&program, &tests[..1], &BTreeMap::new(), options).unwrap();
        let late = faults::FaultsOutcome::Limit(faults::Limit::Time);
        assert_eq!(found.outcome, late, "{questions}");
        assert_eq!(found.complete_to, 0, "{questions}");
    }
}

#[test]
fn an_encoding_that_stops_in_a_function_of_the_library_stops_where_it_is_called() {
    let text = "#include <string.h>\nint main(void) {\n    return strlen(\"0123456789\");\n}\n";
    let program = c::read(&[("a.c".into(), text.to_owned())]).unwrap();
    let mut functions = program.functions.iter_enumerated();
    let main = functions.rfind(|(_, function)| function.name == "main");
    let test = Test {
        name: "main".to_owned(),
        entry: Entry::Function(main.unwrap().0),
    };
    let mut stops = Vec::new();
    for questions in 0.. {
        let extent = Extent {
            deadline: Deadline::after_questions(questions),
            ..Extent::new(20, true)
        };
        let encoded = encode(
            &program,
            &test,
            extent,
            &Explored::All,
            &BTreeMap::new(),
            &mut Circuit::default(),
            &mut Positions::default(),
            &mut Frees::default(),
        );
        let Err(stop) = encoded else { break };
        stops.push(&text[stop.span.start as usize..stop.span.end as usize]);
    }
    // The contents of the string have no place of their own.
    let is_call = |text: &&str| *text == "strlen(\"0123456789\")";
    let first = stops.iter().position(is_call).unwrap();
    let last = stops.iter().rposition(is_call).unwrap();
    assert!(last > first + 10, "{stops:?}");
    assert!(!stops[first..last].contains(&""), "{stops:?}");
}

#[test]
fn a_search_for_repairs_ends_when_its_time_is_over() {
    let (program, tests) = program();
    let texts = [format!("#include <assert.h>\n{TEXT}")];
    let space = Space::new(&program, &texts, &Unmutated::default(), (Level::Two, false));
    let specification = Specification::Tests(tests);
    let of = |questions, prune| {
        let options = mutate::MutateOptions {
            extent: extent(questions),
            size: 1,
            prune,
        };
        repairs(&space, &specification, options).unwrap()
    };
    for prune in [Prune::Nothing, Prune::Slice, Prune::Core, Prune::Run] {
        for questions in [0, 1, 2, 5, 20, 100] {
            let found = of(questions, prune);
            assert_eq!(
                found.outcome,
                mutate::MutateOutcome::Limit,
                "{questions} {prune:?}"
            );
            assert!(found.repairs.len() <= 1, "{questions} {prune:?}");
        }
    }
}

#[test]
fn a_circuit_that_takes_too_long_to_translate_is_given_up() {
    let mut circuit = Circuit::default();
    let mut bit = circuit.input();
    for _ in 0..100_000 {
        let other = circuit.input();
        bit = circuit.xor(bit, other);
    }
    let mut solver = Solver::patient(Patience {
        deadline: Deadline::after_questions(3),
        decisions: None,
    });
    let literal = solver.literal(&circuit, bit);
    assert!(solver.size() < 20_000, "{}", solver.size());
    assert!(solver.check(&[literal]).is_err());
}

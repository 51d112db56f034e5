//! Tests over the programs in `fixtures/heap/programs`.

use camino::Utf8PathBuf;
use serde::Deserialize;

use cargo_nopol::heap::specification::referred;
use nopol_heap::benchmark::{Listed, Subject, translated};
use nopol_heap::confine::{Confinement, search};
use nopol_heap::inject::Draw;
use nopol_heap::load::Loaded;
use nopol_heap::localize::localize;
use nopol_heap::problem::{Recording, Triple};
use nopol_heap::repair::{HeapOptions, HeapOutcome};
use nopol_heap::rewrite::{edits, rewritten};
use nopol_heap::until::Until;

fn directory() -> Utf8PathBuf {
    Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/heap"))
}

/// All programs of the benchmark.
pub fn listed() -> Vec<Listed> {
    let text = std::fs::read_to_string(directory().join("programs.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Reads one of them.
pub fn loaded(of: &Listed) -> Loaded {
    let path = directory().join("programs").join(&of.file);
    let text = std::fs::read_to_string(&path).unwrap();
    Loaded::new(&[(of.file.clone(), text)], &of.function)
        .unwrap_or_else(|outside| panic!("{}: {outside}", of.id))
}

#[test]
fn every_listed_program_fulfils_what_is_recorded_of_it() {
    for of in listed() {
        let loaded = loaded(&of);
        let mut entries = 0;
        for input in &of.inputs {
            for memory in loaded.entries(input) {
                entries += 1;
                let recording = Recording::new(&loaded.routine, memory)
                    .unwrap_or_else(|fault| panic!("{} with {input:?}: {fault}", of.id));
                for triple in recording.triples().iter().chain([&recording.whole()]) {
                    assert_eq!(triple.check(&loaded.routine), Ok(()), "{}", of.id);
                }
            }
        }
        assert!(entries > 0, "{} is never entered", of.id);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_statement_with_an_injected_fault_is_always_suspected() {
    for of in listed() {
        let subject = Subject::new(&of, &directory().join("programs")).unwrap();
        let mut draw = Draw::new(7);
        for _ in 0..8 {
            let Some(faulty) = subject.faulty(&mut draw, (1, 0)) else {
                continue;
            };
            let routine = &faulty.loaded.routine;
            let suspects = localize(routine, &faulty.triples, Until::default());
            for mutated in &faulty.mutated {
                assert!(
                    suspects.weights.contains_key(&routine.unit(*mutated)),
                    "{}: {:?}",
                    of.id,
                    faulty.faults
                );
            }
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn an_injected_fault_is_repaired_so_that_what_is_written_fulfils_all_states() {
    for of in listed() {
        let subject = Subject::new(&of, &directory().join("programs")).unwrap();
        let mut draw = Draw::new(11);
        let faulty = subject.faulty(&mut draw, (1, 0)).unwrap();
        let routine = &faulty.loaded.routine;
        let found = search(
            routine,
            &faulty.triples,
            Confinement::default(),
            HeapOptions::default(),
        );
        let HeapOutcome::Patch(changes) = found.repaired.result else {
            panic!("{}: {:?}", of.id, found.repaired);
        };
        let written = subject.with(&faulty.loaded, &changes).unwrap();
        for triple in &subject.triples {
            let triple = translated(triple, &subject.reference.routine, &written.routine);
            assert_eq!(triple.check(&written.routine), Ok(()), "{}", of.id);
        }
    }
}

/// A program by a student, as its list has it.
#[derive(Deserialize)]
struct Student {
    id: String,
    file: String,
    function: String,
    reference: String,
    inputs: Vec<Vec<String>>,
}

#[test]
#[ignore = "make test-full: two minutes of searching"]
fn a_students_program_is_repaired_by_what_a_reference_leaves_behind() {
    let list = std::fs::read_to_string(directory().join("students.json")).unwrap();
    let students: Vec<Student> = serde_json::from_str(&list).unwrap();
    for of in students {
        let path = directory().join("students").join(&of.file);
        let files = [(
            Utf8PathBuf::from(&of.file),
            std::fs::read_to_string(path).unwrap(),
        )];
        let student = Loaded::new(&files, &of.function).unwrap();
        let right = Loaded::new(&files, &of.reference).unwrap();
        let inputs = of.inputs.iter().flat_map(|input| student.entries(input));
        let triples: Vec<Triple> = inputs
            .filter_map(|before| referred(&student, &right, &before).ok())
            .collect();
        let found = search(
            &student.routine,
            &triples,
            Confinement::default(),
            HeapOptions::default(),
        );
        let HeapOutcome::Patch(changes) = found.repaired.result else {
            panic!("{}: {:?}", of.id, found.repaired);
        };
        let edits = edits(&student.routine, &student.texts, &changes);
        let texts = rewritten(&student.texts, &edits);
        let written = [(Utf8PathBuf::from(&of.file), texts[0].clone())];
        let written = Loaded::new(&written, &of.function).unwrap();
        for triple in &triples {
            let triple = translated(triple, &student.routine, &written.routine);
            assert_eq!(triple.check(&written.routine), Ok(()), "{}", of.id);
        }
    }
}

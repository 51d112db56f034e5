//! Tests over the programs in `fixtures/heap/programs`.

use camino::Utf8PathBuf;

use super::benchmark::{Listed, Subject, translated};
use super::confine::{Confinement, search};
use super::inject::Draw;
use super::load::Loaded;
use super::localize::localize;
use super::problem::Recording;
use super::repair::{Options, Outcome};

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
fn the_statement_with_an_injected_fault_is_always_suspected() {
    for of in listed() {
        let subject = Subject::new(&of, &directory().join("programs")).unwrap();
        let mut draw = Draw::new(7);
        for _ in 0..8 {
            let Some(faulty) = subject.faulty(&mut draw, (1, 0)) else {
                continue;
            };
            let routine = &faulty.loaded.routine;
            let suspects = localize(routine, &faulty.triples);
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
            Options::default(),
        );
        let Outcome::Patch(changes) = found.repaired.result else {
            panic!("{}: {:?}", of.id, found.repaired);
        };
        let written = subject.with(&faulty.loaded, &changes).unwrap();
        for triple in &subject.triples {
            let triple = translated(triple, &subject.reference.routine, &written.routine);
            assert_eq!(triple.check(&written.routine), Ok(()), "{}", of.id);
        }
    }
}

#[test]
fn student_programs() {
    let text = std::fs::read_to_string(directory().join("students.json")).unwrap();
    #[derive(serde::Deserialize)]
    struct Student { id: String, file: String, function: String, reference: String, inputs: Vec<Vec<String>>, fix: String }
    let all: Vec<Student> = serde_json::from_str(&text).unwrap();
    for of in all {
        let text = std::fs::read_to_string(directory().join("students").join(&of.file)).unwrap();
        let files = [(Utf8PathBuf::from(&of.file), text)];
        let student = match Loaded::new(&files, &of.function) { Ok(l) => l, Err(e) => { println!("{} outside {e}", of.id); continue } };
        let right = Loaded::new(&files, &of.reference).unwrap();
        let mut triples = Vec::new();
        for input in &of.inputs {
            for before in student.entries(input) {
                triples.extend(super::batch::referred(&student, &right, &before));
            }
        }
        let start = std::time::Instant::now();
        let found = search(&student.routine, &triples, Confinement::default(), Options::default());
        println!("{} {:?} triples {} failing {} widenings {} queries {}: {}", of.id, start.elapsed(), triples.len(), triples.iter().filter(|t| t.check(&student.routine).is_err()).count(), found.repaired.widenings, found.repaired.queries, of.fix);
        match &found.repaired.result {
            Outcome::Patch(changes) => {
                let edits = super::rewrite::edits(&student.routine, &student.texts, changes);
                let after = super::rewrite::rewritten(&student.texts, &edits);
                println!("{}", crate::patch::diff::unified(camino::Utf8Path::new(&of.file), &student.texts[0], &after[0]));
            }
            other => println!("   {other:?}"),
        }
    }
}

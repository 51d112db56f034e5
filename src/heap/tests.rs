//! Tests over the programs in `fixtures/heap/programs`.

use camino::Utf8PathBuf;

use super::benchmark::{Listed, Subject};
use super::inject::Draw;
use super::load::Loaded;
use super::problem::Recording;

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
fn debug_one() {
    let which = std::env::var("HEAP").unwrap_or_default();
    for of in listed() {
        if of.id != which { continue; }
        let subject = Subject::new(&of, &directory().join("programs")).unwrap();
        let mut draw = Draw::new(7);
        for number in 0..6 {
            let Some(faulty) = subject.faulty(&mut draw, (1, 1)) else { continue };
            let routine = &faulty.loaded.routine;
            println!("{} {number}: {:?}", of.id, faulty.faults);
            let start = std::time::Instant::now();
            let found = super::confine::search(routine, &faulty.triples, Default::default(), Default::default());
            println!("  {:?} {:?}", start.elapsed(), found.repaired);
            println!("  {:?} of {}", found.suspects.ranked(), routine.statements.len());
        }
    }
}

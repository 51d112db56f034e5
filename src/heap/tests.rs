//! Tests over the programs in `fixtures/heap/programs`.

use camino::Utf8PathBuf;
use serde::Deserialize;

use super::load::Loaded;
use super::problem::Recording;

/// A program of the benchmark.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    pub id: String,
    pub file: String,
    pub function: String,
    pub inputs: Vec<Vec<String>>,
}

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
    Loaded::new(&[(Utf8PathBuf::from(&of.file), text)], &of.function)
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

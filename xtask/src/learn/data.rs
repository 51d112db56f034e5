//! What was kept of repairs, with the features of each candidate and whether it is right.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_nopol::rank::canonical::canonical;
use cargo_nopol::rank::facts::{Candidate, Case, EditFacts};
use cargo_nopol::rank::features::{self, Row};

use nopol_source::Language;

use super::faults::Truth;
use super::label;
use super::simulate::Simulated;

/// One repair.
pub struct Repair {
    pub name: String,
    pub krate: String,
    pub language: Language,
    /// What kind of fault it was.
    pub kind: String,
    pub rows: Vec<Row>,
    /// Whether each candidate is right.
    pub right: Vec<bool>,
    /// What each candidate changes: candidates of one place vary one idea.
    pub places: Vec<String>,
    /// The conditions.
    pub texts: Vec<String>,
}

impl Repair {
    pub fn has_right(&self) -> bool {
        self.right.contains(&true)
    }
}

/// All repairs below these directories, by name.
pub fn read(dirs: &[PathBuf]) -> Result<Vec<Repair>> {
    let mut found = Vec::new();
    let mut limited = 0;
    for dir in dirs {
        let mut below: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
            let path = entry?.path();
            if path.join("truth.json").exists() {
                below.push(path);
            }
        }
        below.sort();
        for path in below {
            match repair(&path)? {
                Some(repair) => found.push(repair),
                None => limited += 1,
            }
        }
    }
    if limited > 0 {
        println!("{limited} runs reached their time limit without a candidate; they are left out");
    }
    Ok(found)
}

/// `None` if the run ended before anything was judged.
fn repair(dir: &Path) -> Result<Option<Repair>> {
    let text = fs::read_to_string(dir.join("truth.json"))?;
    let truth: Truth = serde_json::from_str(&text)?;
    if truth.outcome == "time-limit" && !dir.join("plausible.json").exists() {
        return Ok(None);
    }
    // Without it nothing plausible was found.
    let case: Case = match fs::read_to_string(dir.join("plausible.json")) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Case::default(),
    };
    let candidates = &case.candidates;
    let right: Vec<bool> = match fs::read_to_string(dir.join("right.json")) {
        Ok(text) => {
            let right: Vec<usize> = serde_json::from_str(&text)?;
            (0..candidates.len())
                .map(|nth| right.contains(&nth))
                .collect()
        }
        Err(_) => candidates
            .iter()
            .map(|candidate| label::restores(&case, candidate, &truth))
            .collect(),
    };
    let name = dir
        .file_name()
        .map_or(String::new(), |it| it.to_string_lossy().into_owned());
    let kind = format!("{:?}", truth.kind);
    Ok(Some(of_case(name, truth.krate, kind, case, right)))
}

/// A repair of which it is known which candidates are right.
fn of_case(name: String, krate: String, kind: String, case: Case, right: Vec<bool>) -> Repair {
    let (candidates, right) = distinct(&case, right);
    let case = Case { candidates, ..case };
    let candidates = &case.candidates;
    let place = |edit: &EditFacts| {
        format!(
            "{} {:?} {:?} {}",
            edit.function, edit.span, edit.kind, edit.body
        )
    };
    let of = |text: &dyn Fn(&EditFacts) -> String| -> Vec<String> {
        let all = candidates.iter();
        all.map(|candidate| {
            candidate
                .edits
                .iter()
                .map(text)
                .collect::<Vec<_>>()
                .join(" + ")
        })
        .collect()
    };
    Repair {
        name,
        krate,
        language: case.language(),
        kind,
        rows: features::rows(&case),
        right,
        places: of(&place),
        texts: of(&|edit| edit.after.to_string()),
    }
}

/// The edits in a file that `learn simulate` wrote.
pub fn read_simulated(path: &Path) -> Result<Vec<Repair>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut found = Vec::new();
    for line in text.lines() {
        let Simulated {
            name,
            repository,
            kind,
            case,
            right,
        } = serde_json::from_str(line)?;
        let right = (0..case.candidates.len()).map(|nth| right.contains(&nth));
        let right = right.collect();
        found.push(of_case(name, repository, kind, case, right));
    }
    Ok(found)
}

/// Of candidates that only spell one condition differently the one that costs least.
fn distinct(case: &Case, right: Vec<bool>) -> (Vec<Candidate>, Vec<bool>) {
    let says = |candidate: &Candidate| {
        let of = |edit: &EditFacts| {
            let place = (edit.function, edit.span.clone(), edit.kind);
            format!(
                "{place:?} {} {}",
                edit.body,
                canonical(case.language(), &edit.after)
            )
        };
        candidate
            .edits
            .iter()
            .map(of)
            .collect::<Vec<_>>()
            .join(" + ")
    };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<(Candidate, bool)> = Vec::new();
    for (candidate, is_right) in case.candidates.iter().zip(right) {
        match known.get(&says(candidate)) {
            Some(at) => {
                let (other, is_known_right) = &mut kept[*at];
                *is_known_right |= is_right;
                if candidate.cost < other.cost {
                    *other = candidate.clone();
                }
            }
            None => {
                known.insert(says(candidate), kept.len());
                kept.push((candidate.clone(), is_right));
            }
        }
    }
    kept.into_iter().unzip()
}

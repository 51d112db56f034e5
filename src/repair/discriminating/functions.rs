//! Varies tests that are functions: compiles all variants of a test at once, each as a test of its own that panics with
//! the value in question.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::id::TestId;
use nopol_source::nearby::{self, Test, Variant};

use super::{Bench, DiscriminatingTest, Insertion, Question, last_of, why};
use crate::patch::edit::Edit;
use crate::subject::files;

/// Most builds that drop variants which do not compile.
const MOST_ROUNDS: usize = 6;

/// What one generated test function evaluates.
enum Asked<'v> {
    /// The value that a variant computes.
    Variant(&'v Variant),
    /// An expression that tests compare with.
    Expected(&'v str),
}

pub(super) fn find(
    bench: &Bench,
    question: &Question,
    test: &TestId,
) -> Result<Option<DiscriminatingTest>> {
    let Some((file, original)) = file_of(bench, test) else {
        return Ok(None);
    };
    let Some(found) = Test::find(&original, &test.name) else {
        return Ok(None);
    };
    let variants = found.variants(&question.hints);
    if variants.is_empty() {
        return Ok(None);
    }
    let near = Near {
        bench,
        id: test,
        test: &found,
        file: &file,
        original: &original,
    };
    let variants_asked = variants.iter().map(Asked::Variant);
    let expected = found.expected.iter().map(|text| Asked::Expected(text));
    let asked: Vec<Asked> = variants_asked.chain(expected).collect();
    let Some(with_patch) = near.values(&question.patch.edits, &asked)? else {
        return Ok(None);
    };
    let known: BTreeMap<String, String> = asked
        .iter()
        .zip(&with_patch)
        .filter_map(|(asked, value)| match asked {
            Asked::Expected(text) => Some((value.clone()?, (*text).to_owned())),
            Asked::Variant(_) => None,
        })
        .collect();
    for rival in &question.rivals {
        let asked: Vec<Asked> = variants.iter().map(Asked::Variant).collect();
        let Some(with_rival) = near.values(&rival.edits, &asked)? else {
            continue;
        };
        let values = variants.iter().zip(&with_patch).zip(&with_rival);
        let telling = values.filter_map(|((variant, this), other)| {
            let this = this.as_ref()?;
            (Some(this) != other.as_ref()).then_some((variant, this))
        });
        for (variant, value) in telling.take(MOST_ROUNDS) {
            for text in found.kept(variant, value, &known, &why(question, rival)) {
                if near.holds(&question.patch.edits, &rival.edits, &text)? {
                    return Ok(Some(DiscriminatingTest {
                        is_new_file: false,
                        name: found.new_name(),
                        at: found.end,
                        text,
                        fails: rival.name.clone(),
                        original,
                        file,
                    }));
                }
            }
        }
    }
    Ok(None)
}

/// The file with the test, and its text.
fn file_of(bench: &Bench, test: &TestId) -> Option<(Utf8PathBuf, String)> {
    let root = &bench.workspace.subject.root;
    let files = files::below(root, "rs");
    let declared = format!("fn {}", last_of(test));
    // A file is usually named after the integration test's target or after the last module.
    let modules: Vec<&str> = test
        .name
        .split("::")
        .chain([&*test.target.target])
        .collect();
    let mut found: Vec<(bool, Utf8PathBuf, String)> = files
        .into_iter()
        .filter_map(|path| {
            let file = path.strip_prefix(root).ok()?.to_owned();
            let text = bench.text(&file).filter(|text| text.contains(&declared))?;
            Test::find(&text, &test.name)?;
            let is_named = file.file_stem().is_some_and(|stem| modules.contains(&stem));
            Some((!is_named, file, text))
        })
        .collect();
    found.sort();
    found.into_iter().next().map(|(_, file, text)| (file, text))
}

/// A test and the file to vary it in.
struct Near<'a> {
    bench: &'a Bench<'a>,
    id: &'a TestId,
    test: &'a Test<'a>,
    file: &'a Utf8Path,
    original: &'a str,
}

impl Near<'_> {
    /// The value of each expression; `None` for one that does not compile, panics or does not end. `Ok(None)` if
    /// nothing compiles.
    fn values(&self, edits: &[Edit], asked: &[Asked]) -> Result<Option<Vec<Option<String>>>> {
        let mut left: Vec<usize> = (0..asked.len()).collect();
        for _ in 0..MOST_ROUNDS {
            let mut text = String::new();
            let mut ranges: Vec<Range<usize>> = Vec::new();
            for number in &left {
                let start = text.len();
                text += &match asked[*number] {
                    Asked::Variant(variant) => self.test.asking(variant, &name(*number)),
                    Asked::Expected(of) => self.test.asking_expected(of, &name(*number)),
                };
                ranges.push(start..text.len());
            }
            let insertion = self.insertion(text);
            let build = self.bench.build(edits, &[&insertion])?;
            if let Some(binary) = build
                .binaries
                .get(&self.id.target)
                .filter(|_| build.succeeded)
            {
                let names: Vec<String> = left
                    .iter()
                    .map(|number| self.named(&name(*number)))
                    .collect();
                let runs = self.bench.run_all(binary, &names)?;
                let mut values = vec![None; asked.len()];
                for (number, run) in left.iter().zip(&runs) {
                    values[*number] = nearby::value(&run.output).map(str::to_owned);
                }
                return Ok(Some(values));
            }
            let start = self.start_with(edits);
            let blamed = |range: &Range<usize>| {
                let spans = build.errors.iter().flat_map(|error| &error.spans);
                let mut own = spans.filter(|span| span.is_primary && span.file == self.file);
                own.any(|span| (range.start + start..range.end + start).contains(&span.bytes.start))
            };
            let kept: Vec<usize> = left
                .iter()
                .zip(&ranges)
                .filter(|(_, range)| !blamed(range))
                .map(|(number, _)| *number)
                .collect();
            if kept.is_empty() || kept.len() == left.len() {
                return Ok(None);
            }
            left = kept;
        }
        Ok(None)
    }

    /// Whether a test passes twice with the edits `passes` and fails once with the edits `fails`.
    fn holds(&self, passes: &[Edit], fails: &[Edit], text: &str) -> Result<bool> {
        let insertion = self.insertion(text.to_owned());
        let name = self.named(&self.test.new_name());
        let run = |edits: &[Edit], times: usize| -> Result<Option<bool>> {
            let build = self.bench.build(edits, &[&insertion])?;
            let binary = build.binaries.get(&self.id.target);
            let Some(binary) = binary.filter(|_| build.succeeded) else {
                return Ok(None);
            };
            for _ in 0..times {
                if !self.bench.run(binary, &name)?.verdict.passed() {
                    return Ok(Some(false));
                }
            }
            Ok(Some(true))
        };
        Ok(run(passes, 2)? == Some(true) && run(fails, 1)? == Some(false))
    }

    fn insertion(&self, text: String) -> Insertion<'_> {
        Insertion {
            file: self.file,
            original: self.original,
            at: self.test.end,
            text,
        }
    }

    /// The byte at which the insertion starts in the edited file.
    fn start_with(&self, edits: &[Edit]) -> usize {
        let before = edits
            .iter()
            .filter(|edit| edit.file == self.file && edit.span.start < self.test.end);
        let (mut longer, mut shorter) = (0, 0);
        for edit in before {
            longer += edit.after.len();
            shorter += edit.span.len();
        }
        self.test.end + longer - shorter
    }

    /// The full name of a test in the same module.
    fn named(&self, name: &str) -> String {
        let modules = self.id.name.rsplit_once("::");
        modules.map_or_else(
            || name.to_owned(),
            |(modules, _)| format!("{modules}::{name}"),
        )
    }
}

fn name(number: usize) -> String {
    format!("nopol_asks_{number}")
}

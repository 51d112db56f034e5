//! Varies tests that are commands: changes one word of the command line or of the input. The new test expects what the
//! patched program prints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use camino::Utf8Path;
use nopol_process::run::command::{Case, Command, Input};
use nopol_process::run::id::TestId;
use nopol_process::run::{Binary, Commands, Harness};
use nopol_source::vary;

use super::{Bench, DiscriminatingTest, Question, why};

/// Most variants of one test.
const MOST_VARIANTS: usize = 200;
/// Most exit codes that are tried.
const MOST_EXITS: usize = 4;
/// Most bytes of an input that is varied.
const MOST_BYTES: usize = 4096;
/// An output that no program prints.
const UNEXPECTED: &str = "nopol asks what this prints";

pub(super) fn find(
    bench: &Bench,
    question: &Question,
    test: &TestId,
    binary: &Binary,
    commands: &Commands,
) -> Result<Option<DiscriminatingTest>> {
    let Some(case) = commands.cases.get(&test.name) else {
        return Ok(None);
    };
    let ecosystem = &bench.workspace.subject.ecosystem;
    let Some(file) = ecosystem.tests_file() else {
        return Ok(None);
    };
    let Some(original) = bench.text(file) else {
        return Ok(None);
    };
    let variants = variants(bench, case, commands, &question.hints);
    if variants.is_empty() {
        return Ok(None);
    }
    let telling = as_patched(bench, case, variants, binary, commands)?;
    for rival in &question.rivals {
        let build = bench.build_patched(&rival.edits)?;
        let Some(other) = build.binaries.get(&test.target) else {
            continue;
        };
        let passes = run(bench, other, commands, &telling)?;
        let failed = telling.iter().zip(passes).find(|(_, (passes, _))| !passes);
        let Some((case, _)) = failed else {
            continue;
        };
        let case = Case {
            name: new_name(&test.name, commands),
            ..case.clone()
        };
        let described = ecosystem.described(&case, &original, &why(question, rival));
        let Some((at, text)) = described else {
            return Ok(None);
        };
        return Ok(Some(DiscriminatingTest {
            is_new_file: false,
            name: case.name,
            file: file.to_owned(),
            at,
            original,
            text,
            fails: rival.name.clone(),
        }));
    }
    Ok(None)
}

/// The variants, each expecting what the patched program does.
fn as_patched(
    bench: &Bench,
    case: &Case,
    variants: Vec<Case>,
    binary: &Binary,
    commands: &Commands,
) -> Result<Vec<Case>> {
    let mut expecting = variants;
    if case.stdout.is_some() {
        // The output is reported only for a test that fails, so expect one that never occurs.
        for case in &mut expecting {
            case.stdout = Some(UNEXPECTED.to_owned());
        }
        let printed = run(bench, binary, commands, &expecting)?;
        for (case, (_, printed)) in expecting.iter_mut().zip(printed) {
            case.stdout = Some(printed);
        }
    }
    // Tries the exit codes that existing tests expect. Output to other files is not checked.
    let exits: BTreeSet<i32> = commands.cases.values().map(|case| case.exit).collect();
    let exits = exits.into_iter().take(MOST_EXITS);
    let expecting: Vec<Case> = exits
        .flat_map(|exit| {
            let of_exit = expecting.iter().map(move |case| Case {
                name: format!("{}-{exit}", case.name),
                exit,
                ..case.clone()
            });
            of_exit.collect::<Vec<_>>()
        })
        .collect();
    let passes = run(bench, binary, commands, &expecting)?;
    let passing = expecting.into_iter().zip(passes);
    let mut passing: Vec<Case> = passing
        .filter_map(|(case, (passes, _))| passes.then_some(case))
        .collect();
    // Nearest variants first, whatever their exit code.
    passing.sort_by_key(|case| {
        let number = case.name.rsplit('-').nth(1);
        number.and_then(|number| number.parse::<u32>().ok())
    });
    Ok(passing)
}

/// For each case, whether it passes, and its output if it fails.
fn run(
    bench: &Bench,
    binary: &Binary,
    commands: &Commands,
    cases: &[Case],
) -> Result<Vec<(bool, String)>> {
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let by_name: BTreeMap<String, Case> =
        names.iter().cloned().zip(cases.iter().cloned()).collect();
    let binary = Binary {
        harness: Harness::Commands(Arc::new(Commands {
            cases: by_name,
            ..commands.clone()
        })),
        ..binary.clone()
    };
    let runs = bench.run_all(&binary, &names)?;
    let runs = runs.into_iter();
    Ok(runs.map(|run| (run.verdict.passed(), run.output)).collect())
}

/// Variants of a case with one word changed. Leaves out those that an existing case already covers.
fn variants(bench: &Bench, case: &Case, commands: &Commands, hints: &[String]) -> Vec<Case> {
    let mut by_word: Vec<Vec<Case>> = Vec::new();
    if let Command::Words(words) = &case.command {
        for (at, word) in words.iter().enumerate().skip(1) {
            let near = vary::word(word, hints).into_iter();
            let of_word = near.filter(|near| !near.is_empty()).map(|near| {
                let mut words = words.clone();
                words[at] = near;
                Case {
                    command: Command::Words(words),
                    ..case.clone()
                }
            });
            by_word.push(of_word.collect());
        }
    }
    if let Some(input) = input(bench, case) {
        for (start, word) in words_of(&input) {
            let near = vary::word(word, hints).into_iter();
            let of_word = near.map(|near| {
                let mut input = input.clone();
                input.replace_range(start..start + word.len(), &near);
                Case {
                    stdin: Input::Text(input),
                    ..case.clone()
                }
            });
            by_word.push(of_word.collect());
        }
    }
    let longest = by_word.iter().map(Vec::len).max().unwrap_or(0);
    let rounds = (0..longest).flat_map(|nth| by_word.iter().filter_map(move |of| of.get(nth)));
    let known: Vec<&Case> = commands.cases.values().collect();
    let asks_the_same = |one: &Case, other: &Case| {
        one.command == other.command && input(bench, one) == input(bench, other)
    };
    let numbered = rounds
        .filter(|variant| !known.iter().any(|known| asks_the_same(variant, known)))
        .take(MOST_VARIANTS)
        .zip(0..)
        .map(|(case, number)| Case {
            name: format!("nopol-asks-{number}"),
            ..case.clone()
        });
    numbered.collect()
}

/// The standard input of a case, if it is a short text.
fn input(bench: &Bench, case: &Case) -> Option<String> {
    let text = match &case.stdin {
        Input::Nothing => return None,
        Input::Text(text) => text.clone(),
        Input::File(path) => bench.text(Utf8Path::new(path))?,
    };
    (text.len() <= MOST_BYTES).then_some(text)
}

/// The words of a text, each with its byte offset.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - start, word))
}

fn new_name(test: &str, commands: &Commands) -> String {
    let base = format!("{test}-nearby");
    let is_free = |name: &String| !commands.cases.contains_key(name);
    std::iter::once(base.clone())
        .chain((2..).map(|number| format!("{base}-{number}")))
        .find(is_free)
        .unwrap_or(base)
}

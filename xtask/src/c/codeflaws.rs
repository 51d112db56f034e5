//! Defects of Codeflaws: each gets the tests it comes with for repair; a patch is right if it also passes
//! the held-out tests that the accepted program passes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::programs::{Run, build_patched, compile, in_parallel};
use super::record::{LEFT_OUT, Record, Report, share};
use super::{Bench, labels};
use crate::tool::median;

const COMPILER: [&str; 7] = [
    "gcc",
    "-fno-optimize-sibling-calls",
    "-fno-strict-aliasing",
    "-fno-asm",
    "-std=c99",
    "-w",
    "-lm",
];

/// For one test.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A defect as `tests.json` has it.
#[derive(Deserialize)]
struct Defect {
    buggy: String,
    accepted: String,
    /// The end of the names of the files of each test.
    repair: BTreeMap<String, String>,
    /// How many tests are held out.
    heldout: usize,
}

/// The directories that `list.txt` has, and their classes; nothing without the file.
pub fn defects(dir: &Path) -> Result<Vec<(String, String)>> {
    let path = dir.join("list.txt");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path)?;
    let defect = |line: &str| {
        let (id, class) = line.split_once(' ')?;
        Some((id.to_owned(), class.trim().to_owned()))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| defect(line).with_context(|| format!("no defect: {line}")))
        .collect()
}

/// Runs what is not done yet.
pub fn run(bench: &mut Bench, dir: &Path, defects: &[&(String, String)]) -> Result<Vec<Record>> {
    let path = dir.join("tests.json");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let tests: BTreeMap<String, Defect> = serde_json::from_str(&text)
        .with_context(|| format!("{} is no table of tests", path.display()))?;
    let mut records = Vec::new();
    for (id, class) in defects {
        let record = bench.case(id, class, |bench| {
            let defect = tests.get(id).context("it is not in tests.json")?;
            judge(bench, &dir.join(id), id, class, defect)
        });
        records.push(record?);
    }
    Ok(records)
}

/// A test: its input and what is to be printed, both in the defect's directory.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Test {
    name: String,
    input: String,
    output: String,
}

impl Test {
    /// Whether a program passes it, by the rules that the tool has for `match = "space"`.
    fn passes(&self, program: &Path, dir: &Path) -> Result<bool> {
        let path = dir.join(&self.output);
        let expected =
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let run = Run {
            program,
            name: "./prog",
            args: &[],
            stdin: Some(dir.join(&self.input)),
            limit: TIMEOUT,
            most: 4 * expected.len() as u64 + 4096,
        };
        let ended = run.run()?;
        let printed = String::from_utf8_lossy(&ended.stdout);
        let expected = String::from_utf8_lossy(&expected);
        Ok(ended.code == Some(0) && printed.split_whitespace().eq(expected.split_whitespace()))
    }
}

/// Which of the tests a program passes.
fn outcomes(program: &Path, dir: &Path, tests: &[Test]) -> Result<Vec<bool>> {
    in_parallel(tests, |test| test.passes(program, dir))
}

fn passed(program: &Path, dir: &Path, tests: Vec<Test>) -> Result<Vec<Test>> {
    let outcomes = outcomes(program, dir, &tests)?;
    let both = tests.into_iter().zip(outcomes);
    Ok(both
        .filter_map(|(test, passes)| passes.then_some(test))
        .collect())
}

/// What is known of a defect without the tool.
#[derive(Deserialize, Serialize)]
struct Baseline {
    /// The tests for repair that the accepted program passes.
    repair: Vec<Test>,
    /// How many of them the faulty one fails.
    failing: usize,
    /// The held-out tests that the accepted one passes.
    held_out: Vec<Test>,
}

impl Baseline {
    fn new(dir: &Path, defect: &Defect) -> Result<Self> {
        let temp = tempfile::tempdir()?;
        let build = |name: &str| -> Result<PathBuf> {
            let program = temp.path().join(name).with_extension("");
            let is_built = compile(&COMPILER, &dir.join(name), &program)?;
            ensure!(is_built, "{name} does not compile");
            Ok(program)
        };
        let (buggy, accepted) = (build(&defect.buggy)?, build(&defect.accepted)?);
        let test = |prefix: &str, name: &str, suffix: &str| Test {
            name: name.to_owned(),
            input: format!("{prefix}input-{suffix}"),
            output: format!("{prefix}output-{suffix}"),
        };
        let repair = (defect.repair.iter()).map(|(name, suffix)| test("", name, suffix));
        let held_out = (1..=defect.heldout)
            .map(|number| test("heldout-", &format!("p{number}"), &format!("pos{number}")));
        let repair = passed(&accepted, dir, repair.collect())?;
        let outcomes = outcomes(&buggy, dir, &repair)?;
        Ok(Self {
            failing: outcomes.iter().filter(|passes| !**passes).count(),
            held_out: passed(&accepted, dir, held_out.collect())?,
            repair,
        })
    }

    /// That which is kept, or a new one.
    fn of(bench: &Bench, id: &str, dir: &Path, defect: &Defect) -> Result<Self> {
        let reports = bench.options.reports.as_ref();
        let path = reports.map(|reports| reports.join(format!("{id}.baseline.json")));
        let kept = path.as_ref().and_then(|path| fs::read(path).ok());
        if let Some(known) = kept.and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(known);
        }
        let new = Self::new(dir, defect)?;
        if let Some(path) = path {
            fs::write(path, serde_json::to_string(&new)? + "\n")?;
        }
        Ok(new)
    }
}

fn judge(bench: &Bench, dir: &Path, id: &str, class: &str, defect: &Defect) -> Result<Record> {
    let baseline = Baseline::of(bench, id, dir, defect)?;
    let mut record = Record::new(id, class);
    record.failing = baseline.failing;
    record.held_out = baseline.held_out.len();
    if baseline.failing == 0 {
        LEFT_OUT.clone_into(&mut record.outcome);
        record.why = format!(
            "the faulty program passes all {} of its {} tests that the accepted one passes",
            baseline.repair.len(),
            defect.repair.len()
        );
        return Ok(record);
    }

    let source = dir.join(&defect.buggy);
    let subject = tempfile::tempdir()?;
    fs::copy(&source, subject.path().join(&defect.buggy))?;
    for name in (baseline.repair.iter()).flat_map(|test| [&test.input, &test.output]) {
        fs::copy(dir.join(name), subject.path().join(name))?;
    }
    fs::write(
        subject.path().join("nopol.toml"),
        configuration(&defect.buggy, &baseline.repair),
    )?;
    let kept = bench.repair(id, subject.path())?;
    let report = Report::new(&kept);
    record.tell(&report, &kept);
    if let Some(facts) = bench.facts(id) {
        let passes = |program: &Path| {
            let mut tests = baseline.held_out.iter();
            tests.try_fold(true, |all, test| Ok(all && test.passes(program, dir)?))
        };
        labels::write(&facts, &source, &COMPILER, &record, passes)?;
    }
    let temp = tempfile::tempdir()?;
    for (rank, patch) in (1..).zip(&report.patches) {
        let Some(program) = build_patched(&COMPILER, &source, patch, temp.path())? else {
            continue;
        };
        let passes_all = |tests| -> Result<bool> {
            Ok(outcomes(&program, dir, tests)?
                .into_iter()
                .all(|passes| passes))
        };
        if !passes_all(&baseline.repair)? {
            continue;
        }
        record.plausible.push(rank);
        if passes_all(&baseline.held_out)? {
            record.right.push(rank);
        }
    }
    Ok(record)
}

fn configuration(source: &str, tests: &[Test]) -> String {
    let (name, flags) = (COMPILER[0], COMPILER[1..6].join(" "));
    let timeout = TIMEOUT.as_secs();
    let mut text = format!(
        "[c]\nsources = [\"{source}\"]\nbuild = \"{name} {flags} -o prog {source} -lm\"\ntimeout = {timeout}\n"
    );
    for Test {
        name,
        input,
        output,
    } in tests
    {
        let _ = write!(
            text,
            "\n[[c.test]]\nname = \"{name}\"\ncommand = \"./prog\"\nstdin-file = \"{input}\"\n\
             stdout-file = \"{output}\"\nmatch = \"space\"\n"
        );
    }
    text
}

pub fn table(records: &[Record]) -> String {
    let mut text = "\
| class | cases | plausible | first passes all held-out | any passes all held-out | median seconds |
| --- | ---: | ---: | ---: | ---: | ---: |
"
    .to_owned();
    let counted: Vec<&Record> = (records.iter())
        .filter(|record| !record.is_left_out())
        .collect();
    let mut classes: Vec<&str> = counted.iter().map(|record| &*record.class).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        let of_class = counted.iter().filter(|record| record.class == class);
        text += &row(class, &of_class.copied().collect::<Vec<_>>());
    }
    text += &row("all", &counted);
    let left_out = records.len() - counted.len();
    let untold = counted.iter().filter(|record| record.held_out == 0).count();
    let _ = write!(
        text,
        "\n{left_out} are left out: the faulty program fails no test that the accepted one passes. \
         {untold} have no held-out test that the accepted one passes.\n"
    );
    text
}

fn row(class: &str, records: &[&Record]) -> String {
    let share_of = |is_so: &dyn Fn(&Record) -> bool| {
        let part = records.iter().filter(|record| is_so(record)).count();
        share(part, records.len())
    };
    let mut seconds: Vec<f64> = records.iter().map(|record| record.seconds).collect();
    format!(
        "| {class} | {} | {} | {} | {} | {:.1} |\n",
        records.len(),
        share_of(&|record| !record.plausible.is_empty()),
        share_of(&|record| record.right.first() == Some(&1)),
        share_of(&|record| !record.right.is_empty()),
        median(&mut seconds),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_and_the_exit_counts() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let (source, program) = (dir.join("a.c"), dir.join("a"));
        let text = "#include <stdio.h>\n#include <math.h>\nint main(void)\n\
                    { int a; scanf(\"%d\", &a); printf(\"%d \\n\\n%d\", a, (int)sqrt(a)); return a == 9; }\n";
        fs::write(&source, text).unwrap();
        assert!(compile(&COMPILER, &source, &program).unwrap());
        let test = |number: i32, output: &str| {
            fs::write(dir.join("in"), number.to_string()).unwrap();
            fs::write(dir.join("out"), output).unwrap();
            let test = Test {
                name: "p1".to_owned(),
                input: "in".to_owned(),
                output: "out".to_owned(),
            };
            test.passes(&program, dir).unwrap()
        };
        assert!(test(4, "4 2\r\n"));
        assert!(!test(4, "42"));
        assert!(!test(9, "9 3"));
    }

    #[test]
    fn a_class_has_a_row_and_those_left_out_have_none() {
        let record = |class: &str, plausible: &[usize], right: &[usize]| Record {
            plausible: plausible.to_vec(),
            right: right.to_vec(),
            held_out: 1,
            seconds: 3.0,
            ..Record::new("a", class)
        };
        let mut left_out = record("OLLN", &[], &[]);
        LEFT_OUT.clone_into(&mut left_out.outcome);
        let records = [
            record("ORRN", &[1, 2], &[2]),
            record("OILN", &[], &[]),
            left_out,
        ];
        let table = table(&records);
        assert!(
            table.contains("| ORRN | 1 | 1 of 1 (100 %) | 0 of 1 (0 %) | 1 of 1 (100 %) | 3.0 |")
        );
        assert!(table.contains("| all | 2 | 1 of 2 (50 %) |") && !table.contains("OLLN"));
        assert!(table.contains("\n1 are left out"));
    }
}

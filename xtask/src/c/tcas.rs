//! The faulty versions of TCAS: each gets all its failing tests and some passing ones; a patch is
//! plausible if the program then prints for all inputs what the original prints, and equivalent if it
//! also does on random ones.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::driver;
use super::programs::{Ended, Run, build_patched, compile, in_parallel};
use super::record::{Record, Report, code, share};
use crate::generate::Random;
use crate::tool::median;

const COMPILER: [&str; 3] = ["cc", "-O0", "-w"];

/// How many tests that the faulty version passes go with the failing ones.
const PASSING: usize = 100;

/// A line of the inputs.
#[derive(Debug, PartialEq)]
struct Line {
    id: usize,
    args: Vec<String>,
}

/// The names of the faulty versions, in their order.
pub fn versions(dir: &Path) -> Vec<String> {
    let names = (1..).map(|number| format!("v{number}"));
    names
        .take_while(|name| dir.join(name).join("tcas.c").is_file())
        .collect()
}

/// Runs what is not done yet.
pub fn run(bench: &mut Bench, dir: &Path, versions: &[&String]) -> Result<Vec<Record>> {
    let data = bench.options.data.join("tcas");
    let read = |name: &str| {
        let path = data.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let (kinds, lines) = (
        kinds(&read("tcas_faults.md")?),
        lines(&read("tcas_inputs.txt")?)?,
    );
    let mut original = None;
    let mut records = Vec::new();
    for version in versions {
        let class = kinds.get(version.as_str()).cloned().unwrap_or_default();
        if original.is_none() && !bench.done.contains_key(version.as_str()) {
            original = Some(Original::new(dir, &lines, bench.options.seed)?);
        }
        let record = bench.case(version, &class, |bench| {
            let original = original.as_ref().context("the original was not run")?;
            judge(bench, dir, version, &class, original)
        });
        records.push(record?);
    }
    Ok(records)
}

/// The program without a fault, and what it does.
struct Original<'a> {
    lines: &'a [Line],
    ended: Vec<Ended>,
    answers: Vec<u8>,
}

impl<'a> Original<'a> {
    fn new(dir: &Path, lines: &'a [Line], seed: u64) -> Result<Self> {
        let (source, temp) = (dir.join("orig/tcas.c"), tempfile::tempdir()?);
        let program = temp.path().join("tcas");
        ensure!(
            compile(&COMPILER, &source, &program)?,
            "{} does not compile",
            source.display()
        );
        Ok(Self {
            lines,
            ended: all(&program, lines)?,
            answers: driver::answers(&COMPILER, &source, seed)?
                .context("the original breaks off")?,
        })
    }

    /// Which lines another program ends differently on.
    fn wrong(&self, program: &Path) -> Result<Vec<usize>> {
        let ended = all(program, self.lines)?;
        let wrong = (0..ended.len()).filter(|index| ended[*index] != self.ended[*index]);
        Ok(wrong.collect())
    }
}

fn all(program: &Path, lines: &[Line]) -> Result<Vec<Ended>> {
    in_parallel(lines, |line| {
        let run = Run {
            program,
            name: "./tcas",
            args: &line.args,
            stdin: None,
            limit: Duration::from_secs(5),
            most: 1 << 16,
        };
        run.run()
    })
}

fn judge(
    bench: &Bench,
    dir: &Path,
    version: &str,
    class: &str,
    original: &Original,
) -> Result<Record> {
    let (source, temp) = (dir.join(version).join("tcas.c"), tempfile::tempdir()?);
    let program = temp.path().join("tcas");
    ensure!(
        compile(&COMPILER, &source, &program)?,
        "{} does not compile",
        source.display()
    );
    let failing = original.wrong(&program)?;
    let mut record = Record::new(version, class);
    record.failing = failing.len();
    let chosen = chosen(&failing, original.lines.len(), bench.options.seed);
    record.held_out = original.lines.len() - chosen.len();

    let subject = tempfile::tempdir()?;
    fs::copy(&source, subject.path().join("tcas.c"))?;
    fs::write(
        subject.path().join("nopol.toml"),
        configuration(original, &chosen)?,
    )?;
    let kept = bench.repair(version, subject.path())?;
    let report = Report::new(&kept);
    record.tell(&report, &kept);
    for (rank, patch) in (1..).zip(&report.patches) {
        let Some(program) = build_patched(&COMPILER, &source, patch, temp.path())? else {
            continue;
        };
        if !original.wrong(&program)?.is_empty() {
            continue;
        }
        record.plausible.push(rank);
        let file = temp.path().join("patched.c");
        let answers = driver::answers(&COMPILER, &file, bench.options.seed)?;
        if answers.as_ref() == Some(&original.answers) {
            record.right.push(rank);
        }
    }
    Ok(record)
}

/// All failing lines and some of the others: the same for the same seed.
fn chosen(failing: &[usize], lines: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut others: Vec<_> = (0..lines).filter(|line| !failing.contains(line)).collect();
    let mut chosen = failing.to_vec();
    for _ in 0..PASSING.min(others.len()) {
        chosen.push(others.swap_remove(random.below(others.len())));
    }
    chosen.sort_unstable();
    chosen
}

fn configuration(original: &Original, chosen: &[usize]) -> Result<String> {
    let mut text =
        "[c]\nsources = [\"tcas.c\"]\nbuild = \"cc -w -o tcas tcas.c\"\ntimeout = 5\n".to_owned();
    for index in chosen {
        let (Line { id, args }, ended) = (&original.lines[*index], &original.ended[*index]);
        // Strings are written in TOML as in JSON.
        let stdout = serde_json::to_string(std::str::from_utf8(&ended.stdout)?)?;
        let exit = ended.code.context("the original was stopped")?;
        let args = args.join(" ");
        write!(
            text,
            "\n[[c.test]]\nname = \"t{id}\"\ncommand = \"./tcas {args}\"\nexit = {exit}\nstdout = {stdout}\n"
        )?;
    }
    Ok(text)
}

/// `7 : 1 2 3 => 0`, and remarks after `#`. What the original prints is known from itself.
fn lines(text: &str) -> Result<Vec<Line>> {
    let lines = text.lines().filter_map(|line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        (!line.is_empty()).then_some(line)
    });
    let line = |line: &str| {
        let (id, rest) = line.split_once(':')?;
        let (args, _) = rest.split_once("=>")?;
        Some(Line {
            id: id.trim().parse().ok()?,
            args: args.split_whitespace().map(str::to_owned).collect(),
        })
    };
    lines
        .map(|text| line(text).with_context(|| format!("no input: {text}")))
        .collect()
}

/// What kind of fault each version has, from the table's column of that name.
fn kinds(text: &str) -> BTreeMap<String, String> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.replace("\\|", "\0");
        let cells = line.split('|').map(|cell| cell.trim().replace('\0', "|"));
        cells.collect()
    };
    let mut rows = text.lines().filter(|line| line.starts_with('|')).map(cells);
    let head = rows.next().unwrap_or_default();
    let Some(column) = head.iter().position(|cell| cell == "kind") else {
        return BTreeMap::new();
    };
    let kinds = rows.filter_map(|row| Some((row.get(1)?.clone(), row.get(column)?.clone())));
    kinds.collect()
}

pub fn table(records: &[Record]) -> String {
    let mut text = "\
| version | fault | failing | seconds | patches | first plausible | first equivalent | rank of an equivalent one | first patch's condition |
| --- | --- | ---: | ---: | ---: | --- | --- | ---: | --- |
"
    .to_owned();
    let yes = |ranks: &[usize]| {
        if ranks.first() == Some(&1) {
            "yes"
        } else {
            "no"
        }
    };
    for record in records {
        let rank = record
            .right
            .first()
            .map_or("–".to_owned(), ToString::to_string);
        let condition = match record.patches {
            0 => format!("({})", record.outcome),
            _ => code(&record.condition),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {} | {} | {} | {rank} | {condition} |",
            record.id,
            record.class.replace('|', "\\|"),
            record.failing,
            record.seconds,
            record.patches,
            yes(&record.plausible),
            yes(&record.right),
        );
    }
    let share_of = |is_so: &dyn Fn(&Record) -> bool| {
        let part = records.iter().filter(|record| is_so(record)).count();
        share(part, records.len())
    };
    let mut seconds: Vec<f64> = records.iter().map(|record| record.seconds).collect();
    let _ = write!(
        text,
        "\n| | the first patch | any shown |\n| --- | ---: | ---: |\n\
         | plausible: passes all inputs | {} | {} |\n\
         | equivalent on random inputs, too | {} | {} |\n\
         \nMedian {:.1} s.\n",
        share_of(&|record| record.plausible.first() == Some(&1)),
        share_of(&|record| !record.plausible.is_empty()),
        share_of(&|record| record.right.first() == Some(&1)),
        share_of(&|record| !record.right.is_empty()),
        median(&mut seconds),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_without_remarks() {
        let text = "# id : args => output\n7 : 1 22 => 0 # usual\n\n8 : => E\n";
        let line = |id, args: &[&str]| Line {
            id,
            args: args.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(lines(text).unwrap(), [line(7, &["1", "22"]), line(8, &[])]);
        assert!(lines("7 1 => 0").is_err());
    }

    #[test]
    fn kinds_are_of_their_column_whatever_bars_are_in_others() {
        let text =
            "# x\n\n| v | faulty | kind |\n|---|---|---|\n| v1 | `a \\|\\| b` | logic-op |\n";
        assert_eq!(kinds(text)["v1"], "logic-op");
    }

    #[test]
    fn all_failing_lines_are_chosen_and_others_by_the_seed() {
        let tests = chosen(&[3, 900], 1000, 1);
        assert!(tests.len() == PASSING + 2 && tests.is_sorted());
        assert!(tests.contains(&3) && tests.contains(&900));
        assert_eq!(tests, chosen(&[3, 900], 1000, 1));
        assert_ne!(tests, chosen(&[3, 900], 1000, 2));
        assert_eq!(chosen(&[1], 3, 1), [0, 1, 2]);
    }
}

//! `cargo nopol c` on two collections of faulty C programs: the versions of TCAS and Codeflaws.

mod codeflaws;
mod driver;
mod labels;
mod programs;
mod record;
mod tcas;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::kept::Kept;
use crate::tool;
use record::Record;

/// What `cargo xtask bench c` takes.
#[derive(Args)]
pub struct CBenchOptions {
    /// Directory with tcas/tcas_inputs.txt and tcas/tcas_faults.md
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Directory with the programs: tcas/orig/tcas.c, tcas/v1/tcas.c …, and codeflaws/ with list.txt,
    /// tests.json and a directory for each defect; never written to
    #[arg(long, value_name = "DIR")]
    checkouts: PathBuf,

    /// Only `tcas` or `codeflaws`, or the case of that name, or else those whose names start so; may
    /// be given several times [default: all]
    #[arg(long, value_name = "PREFIX")]
    only: Vec<String>,

    /// Where each report is kept as ID.json, what it took as ID.seconds, what became of all cases in
    /// results.jsonl, and what was missed in tcas-misses.txt and codeflaws-misses.txt. A case that is there is not
    /// run again; one that lacks only its line in results.jsonl is judged again
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,

    /// Where to keep, for each defect of Codeflaws, what the ranking is learned from (`learn train --c DIR`)
    #[arg(long, value_name = "DIR")]
    facts: Option<PathBuf>,

    /// The cargo-nopol to run [default: the release build of this repository]
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,

    /// Seconds for each case
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    limit: u64,

    /// What the passing tests and the random inputs of TCAS are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Passed on to `cargo nopol c`; may be given several times
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    tool_arg: Vec<String>,
}

/// Runs the tool on the cases that are wanted and not done yet, and prints the tables.
pub fn bench(options: &CBenchOptions) -> Result<()> {
    let tcas = options.checkouts.join("tcas");
    let codeflaws = options.checkouts.join("codeflaws");
    let versions = tcas::versions(&tcas);
    let defects = codeflaws::defects(&codeflaws)?;
    let ids = versions.iter().chain(defects.iter().map(|(id, _)| id));
    let ids: Vec<&str> = ids.map(String::as_str).collect();
    let wanted = |suite: &str, id: &str| {
        options.only.is_empty() || (options.only.iter()).any(|only| is_meant(only, suite, id, &ids))
    };
    let versions: Vec<_> = (versions.iter()).filter(|id| wanted("tcas", id)).collect();
    let defects: Vec<_> = (defects.iter())
        .filter(|(id, _)| wanted("codeflaws", id))
        .collect();
    ensure!(
        versions.len() + defects.len() > 0,
        "no such case in {}",
        options.checkouts.display()
    );

    let mut bench = Bench::new(options)?;
    if !versions.is_empty() {
        let records = tcas::run(&mut bench, &tcas, &versions)?;
        print!("{}", tcas::table(&records));
        bench.list_misses("tcas-misses.txt", &records)?;
    }
    if !defects.is_empty() {
        let records = codeflaws::run(&mut bench, &codeflaws, &defects)?;
        print!("{}", codeflaws::table(&records));
        bench.list_misses("codeflaws-misses.txt", &records)?;
    }
    Ok(())
}

/// Whether an option means a case: `v1` is not `v10`.
fn is_meant(only: &str, suite: &str, id: &str, ids: &[&str]) -> bool {
    only == suite || id == only || (id.starts_with(only) && !ids.contains(&only))
}

/// What all cases need.
struct Bench<'a> {
    options: &'a CBenchOptions,
    tool: PathBuf,
    done: BTreeMap<String, Record>,
}

impl<'a> Bench<'a> {
    fn new(options: &'a CBenchOptions) -> Result<Self> {
        let tool = tool::chosen(options.tool.as_ref())?;
        let mut done = BTreeMap::new();
        if let Some(dir) = &options.reports {
            fs::create_dir_all(dir)?;
            let lines = fs::read_to_string(dir.join("results.jsonl")).unwrap_or_default();
            // A line may be cut off where a run was.
            let records = lines.lines().map(serde_json::from_str::<Record>);
            done.extend((records.flatten()).map(|record| (record.id.clone(), record)));
        }
        Ok(Self {
            options,
            tool,
            done,
        })
    }

    /// What is known of a case, or what `judge` finds out and is then kept.
    fn case(
        &mut self,
        id: &str,
        class: &str,
        judge: impl FnOnce(&Self) -> Result<Record>,
    ) -> Result<Record> {
        if let Some(record) = self.done.get(id) {
            return Ok(record.clone());
        }
        let record = match judge(self) {
            Ok(record) => record,
            Err(error) => {
                let record = Record::failed(id, class, &error);
                eprintln!("{}", serde_json::to_string(&record)?);
                return Ok(record);
            }
        };
        let line = serde_json::to_string(&record)?;
        eprintln!("{line}");
        if let Some(dir) = &self.options.reports {
            let path = dir.join("results.jsonl");
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            writeln!(file, "{line}")?;
        }
        self.done.insert(id.to_owned(), record.clone());
        Ok(record)
    }

    /// The directory for what is learned from a case.
    fn facts(&self, id: &str) -> Option<PathBuf> {
        let facts = self.options.facts.as_ref()?;
        Some(std::path::absolute(facts.join(id)).unwrap_or_else(|_| facts.join(id)))
    }

    /// The report that is kept of a case, or that of the tool on the program in `dir`.
    fn repair(&self, id: &str, dir: &Path) -> Result<Kept> {
        let reports = self.options.reports.as_ref();
        if let Some(kept) = reports.and_then(|reports| Kept::read(reports, id)) {
            return Ok(kept);
        }
        let mut command = Command::new(&self.tool);
        command
            .args(["nopol", "c", "--format", "json", "--time-limit"])
            .arg(self.options.limit.to_string())
            .arg("--config")
            .arg(dir)
            .args(&self.options.tool_arg)
            .current_dir(dir);
        if let Some(facts) = self.facts(id) {
            command.arg("--dump").arg(facts);
        }
        let kept = Kept::run(&mut command, self.options.limit)?;
        if let Some(reports) = reports {
            kept.write(reports, id)?;
        }
        Ok(kept)
    }

    fn list_misses(&self, name: &str, records: &[Record]) -> Result<()> {
        let Some(dir) = &self.options.reports else {
            return Ok(());
        };
        let misses: String = records.iter().filter_map(Record::miss).collect();
        fs::write(dir.join(name), misses)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn a_name_is_of_a_collection_or_of_one_case_or_of_all_that_start_so() {
        let ids = ["v1", "v10", "110-A-bug-1-2", "110-C-bug-3-4"];
        let meant = |only: &str| {
            let suite = |id: &str| {
                if id.starts_with('v') {
                    "tcas"
                } else {
                    "codeflaws"
                }
            };
            let meant = ids.iter().filter(|id| is_meant(only, suite(id), id, &ids));
            meant.count()
        };
        assert_eq!(meant("tcas"), 2);
        assert_eq!(meant("v1"), 1);
        assert_eq!(meant("v"), 2);
        assert_eq!(meant("110-"), 2);
        assert_eq!(meant("110-C"), 1);
        assert_eq!(meant("w"), 0);
    }
}

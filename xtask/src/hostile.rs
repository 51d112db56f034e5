//! `cargo xtask bench hostile`: the table of `docs/reliability.md`.

// The tests use what this does not.
#[expect(
    dead_code,
    reason = "shared with tests/hostile.rs, which uses the rest"
)]
mod subject;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::tool;

#[derive(clap::Args)]
pub struct HostileOptions {
    /// Only subjects with this in their name; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Run this build of the tool instead of the present one
    #[arg(long, value_name = "FILE")]
    tool: Option<PathBuf>,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

/// Runs the tool on every subject and tells what came of it.
///
/// # Errors
/// If the tool does not build, or something was not as it should be.
pub fn bench(options: &HostileOptions) -> Result<()> {
    let tool = tool::chosen(options.tool.as_ref())?;
    let fixtures = tool::root()?.join("fixtures");
    let cache = tempfile::tempdir()?;
    let mut table = "| subject | language | peculiarity | exit | unchanged | s | result |\n| --- | --- | --- | ---: | --- | ---: | --- |\n".to_owned();
    let (mut all, mut bad) = (0, 0);
    for (file, language) in [("rust.toml", "Rust"), ("c.toml", "C")] {
        for case in subject::read(&fixtures, file) {
            let is_meant = |text: &String| case.name.contains(text.as_str());
            if !options.only.is_empty() && !options.only.iter().any(is_meant) {
                continue;
            }
            let outcome = subject::run(&tool, &fixtures, cache.path(), &case);
            all += 1;
            let verdict = match outcome.wrong.is_empty() {
                true => "yes".to_owned(),
                false => {
                    bad += 1;
                    eprintln!("{}: {}\n", case.name, outcome.wrong.join("\n  "));
                    "**no**".to_owned()
                }
            };
            writeln!(
                table,
                "| {} | {language} | {} | {} | {verdict} | {:.1} | {} |",
                case.name,
                case.about,
                outcome.code,
                outcome.seconds,
                cell(&outcome.said)
            )?;
            eprintln!(
                "{:>3} {} ({:.1} s) {verdict}",
                all, case.name, outcome.seconds
            );
        }
    }
    writeln!(table, "\n{all} subjects, {} as expected.", all - bad)?;
    match &options.table {
        Some(path) => fs::write(path, &table)?,
        None => print!("{table}"),
    }
    anyhow::ensure!(bad == 0, "{bad} of {all} subjects are not as expected");
    Ok(())
}

/// A text as it may stand in a table.
fn cell(text: &str) -> String {
    const MOST: usize = 110;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST).collect();
    let end = if short.len() < line.len() { "…" } else { "" };
    format!("{}{end}", short.replace('|', "\\|"))
}

//! The pages of the book: what stands in a block marked `console` is run, and prints what the page shows. Every other
//! command of the tool is at least one that it accepts.

use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_nopol::cli::Cli;
use clap::Parser as _;

use crate::common::{Run, Subject, fixtures};
use crate::transcripts::redacted;

/// A command of a page, and the lines that it prints. `…` stands for any lines or, within a line, for any text.
#[derive(Debug)]
struct Shown {
    command: String,
    prints: Vec<String>,
}

/// The commands in the blocks of a page that are marked `console`.
fn shown(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        for line in block.lines() {
            match (line.strip_prefix("$ "), all.last_mut()) {
                (Some(command), _) => all.push(Shown {
                    command: command.to_owned(),
                    prints: Vec::new(),
                }),
                (None, Some(last)) => last.prints.push(line.to_owned()),
                (None, None) => panic!("`{line}` comes before any command"),
            }
        }
    }
    all
}

/// Whether a line is as shown.
fn is_like(line: &str, shown: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else {
        return line == shown;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    let starts = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    starts.into_iter().any(|at| is_like(&line[at..], rest))
}

/// Whether lines are as shown.
fn are_like(lines: &[&str], shown: &[String]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|skipped| are_like(&lines[skipped..], rest))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| is_like(line, first) && are_like(lines, rest)),
    }
}

/// Runs what a page shows on a subject.
fn follow(page: &str, subject: &Subject) {
    let text = fs::read_to_string(fixtures().with_file_name("docs").join(page)).unwrap();
    let tool = Path::new(env!("CARGO_BIN_EXE_cargo-nopol"))
        .parent()
        .unwrap();
    let commands = shown(&text);
    assert!(
        commands.len() > 3,
        "{page} shows {} commands",
        commands.len()
    );
    for Shown { command, prints } in commands {
        // Cargo starts the tool by its name, as for a user who has installed it.
        let path = std::env::var("PATH").unwrap();
        let script = format!("PATH='{}':$PATH\nexec 2>&1\n{command}", tool.display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(&subject.root);
        shell
            .env("PATH", path)
            .env("XDG_CACHE_HOME", subject.beside("cache"));
        for (name, _) in std::env::vars() {
            if name.starts_with("CARGO") && name != "CARGO_HOME" {
                shell.env_remove(name);
            }
        }
        let run: Run = shell.env("RUST_BACKTRACE", "0").output().unwrap().into();
        let [said, prints] = [run.stdout, prints.join("\n")].map(|text| redacted(&text, "/tmp"));
        let lines: Vec<&str> = said.lines().collect();
        let prints: Vec<String> = prints.lines().map(str::to_owned).collect();
        assert!(
            are_like(&lines, &prints),
            "docs/{page} shows of `{command}`:\n{}\nbut it prints:\n{said}",
            prints.join("\n")
        );
    }
}

#[test]
fn ten_minutes_are_as_shown() {
    follow("start.md", &Subject::fixture("percentile", "percentile"));
}

#[test]
fn a_c_program_is_repaired_as_shown() {
    let subject = Subject::fixture("c/sorted-list", "sorted-list");
    fs::remove_file(subject.root.join("nopol.toml")).unwrap();
    follow("c.md", &subject);
    // The program's own tests pass now.
    let run: Run = Command::new("make")
        .arg("check")
        .current_dir(&subject.root)
        .output()
        .unwrap()
        .into();
    assert_eq!(run.code, 0, "{}", run.stderr);
}

/// The commands of the tool in the blocks of code of a page, with 1 for each variable.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let starts = ["", "$ ", "- run: ", "run: ", "- "];
    let ends = [" # ", " | ", " > "];
    let command = |line: String| {
        let (start, rest) = line.split_once("cargo nopol")?;
        starts.contains(&start.trim_start()).then_some(())?;
        let end = ends.iter().filter_map(|end| rest.find(end)).min();
        let rest = &rest[..end.unwrap_or(rest.len())];
        Some(rest.trim_end().trim_end_matches('\\').to_owned())
    };
    lines.filter_map(command).collect()
}

#[test]
fn the_commands_of_the_book_are_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = fs::read_dir(root.join("docs")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|it| it == "md"));
    let mut read = 0;
    for page in pages.chain([root.join("README.md")]) {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            let variables = [("${{ matrix.shard }}", "1"), ("$SLURM_ARRAY_TASK_ID", "1")];
            let plain = variables
                .iter()
                .fold(command, |text, (from, to)| text.replace(from, to));
            let words = shlex::split(&plain).unwrap();
            let words = ["cargo-nopol".to_owned()].into_iter().chain(words);
            if let Err(error) = Cli::try_parse_from(words) {
                panic!("{}: `cargo nopol{plain}`: {error}", page.display());
            }
            read += 1;
        }
    }
    assert!(read > 40, "{read}");
}

#[test]
fn what_is_shown_is_compared() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(are_like(&["a", "b", "c 3 d"], &shown("…\nc … d")));
    assert!(are_like(&["a"], &shown("a\n…")));
    assert!(!are_like(&["a", "b"], &shown("a")));
    assert!(!are_like(&["a", "b"], &shown("…\nc")));
}

//! `cargo xtask learn expressible`: which edits that people made would the tool's generators propose at that place, given
//! any tests? Nothing is built or run. What is recorded at run time is taken to be every visible name, with a few
//! fields and queries; of all else the generators are asked.

pub mod aside;
pub mod space;
pub mod surroundings;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use nopol_source::{Language, Site, SiteIndex, SiteKind, Sources};

use self::space::{Miss, Space, Way};
use self::surroundings::Surroundings;
use super::edits::{self, What, skeleton};
use super::mine::Mined;

#[derive(clap::Args)]
pub struct ExpressibleOptions {
    /// What `learn mine` wrote
    #[arg(value_name = "FILE")]
    edits: PathBuf,
    /// One row an edit: repository, commit, file, function, kind, result
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Print edits with this result; `missed` prints all that are not proposed
    #[arg(long, value_name = "RESULT")]
    list: Option<String>,
    /// Only edits of commits with a message that speaks of a mistake
    #[arg(long)]
    fixes: bool,
    /// Only so many, spread over the file
    #[arg(long, value_name = "NUMBER")]
    most: Option<usize>,
}

/// The answer for one edit.
type Answer = Result<Way, Miss>;

pub fn run(options: &ExpressibleOptions) -> Result<()> {
    let file = fs::File::open(&options.edits)
        .with_context(|| format!("cannot read {}", options.edits.display()))?;
    let lines: Vec<String> = BufReader::new(file).lines().collect::<Result<_, _>>()?;
    let step = options
        .most
        .map_or(1, |most| (lines.len() / most.max(1)).max(1));
    let start = Instant::now();
    let mut rows = String::from("repository,commit,file,function,kind,result\n");
    let mut table: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut surroundings: Option<(PathBuf, Surroundings)> = None;
    let mut number = 0;
    for line in lines.iter().step_by(step) {
        let mined: Mined = serde_json::from_str(line)?;
        if options.fixes && !aside::is_fix(&mined.subject) {
            continue;
        }
        if surroundings
            .as_ref()
            .is_none_or(|(of, _)| *of != mined.repository)
        {
            let of = Surroundings::of(&mined.repository)?;
            surroundings = Some((mined.repository.clone(), of));
        }
        let (_, around) = surroundings.as_mut().context("no repository")?;
        let Some(text) = around.text(&mined.blob)? else {
            continue;
        };
        let mut sources = edits::read(&text)?;
        let Some(mut answer) = answer(&sources, &mined) else {
            continue;
        };
        if answer.is_err() {
            let function: Vec<&str> = text.lines().skip(mined.line - 1).take(40).collect();
            let others = around.of_file(&mined, &text, &function.join("\n"))?;
            sources = edits::read_with(Language::Rust, &text, &edits::named(others.into_iter()))?;
            if let Some(with_others) = self::answer(&sources, &mined) {
                answer = with_others;
            }
        }
        number += 1;
        let kind = kind(&mined.what);
        let aside = match answer {
            Ok(_) => None,
            Err(_) => aside::reason(&sources, &mined)?,
        };
        let result = match (answer, aside) {
            (_, Some(reason)) => reason.to_owned(),
            (Ok(way), None) => format!("{way:?}").to_lowercase(),
            (Err(miss), None) => format!("{miss:?}").to_lowercase(),
        };
        let is_missed = !is_way(&result) && !aside::REASONS.contains(&&*result);
        let is_listed = options
            .list
            .as_ref()
            .is_some_and(|wanted| *wanted == result || wanted == "missed" && is_missed);
        if is_listed {
            println!("{result}: {}:{} {:?}", mined.path, mined.line, mined.what);
            for body in bodies(&sources, &mined) {
                println!("    {body}");
            }
        }
        let repository = mined.repository.display().to_string();
        let repository = repository.trim_end_matches("/repo");
        let repository = repository.rsplit('/').next().unwrap_or_default();
        writeln!(
            rows,
            "{repository},{},{},{},{kind},{result}",
            mined.commit, mined.path, mined.function
        )?;
        *table.entry(kind).or_default().entry(result).or_default() += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{number} edits, {:.1} s per thousand",
        seconds * 1000.0 / number.max(1) as f64
    );
    for (kind, results) in &table {
        let counted = results
            .iter()
            .filter(|(name, _)| !aside::REASONS.contains(&name.as_str()));
        let all: usize = counted.map(|(_, n)| n).sum();
        let proposed: usize = results
            .iter()
            .filter(|(name, _)| is_way(name))
            .map(|(_, n)| n)
            .sum();
        println!(
            "{kind}: {proposed} of {all} ({:.1} %)",
            share(proposed, all)
        );
        for (result, n) in results {
            println!("    {result:12} {n:6} ({:.1} %)", share(*n, all));
        }
    }
    if let Some(path) = &options.rows {
        fs::write(path, rows)?;
    }
    Ok(())
}

/// Whether a result says how an edit is proposed.
fn is_way(result: &str) -> bool {
    ["text", "edit", "new"].contains(&result)
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn kind(what: &What) -> &'static str {
    match what {
        What::Condition { .. } => "condition",
        What::Guard { body, .. } if !leaves(body) => "statements",
        What::Guard { .. } => "guard",
        What::Wrap { .. } => "wrap",
        What::Narrow { .. } => "narrow",
        What::Branch { .. } => "branch",
    }
}

/// Whether statements end by leaving a function or a loop. Those that do not are new code, and no guard.
pub fn leaves(body: &str) -> bool {
    let body = skeleton(body);
    let last = body.trim_end_matches([';', '}']);
    let last = last.rsplit([';', '{', '}']).next().unwrap_or_default();
    let ends = [
        "return",
        "continue",
        "break",
        "goto",
        "panic!",
        "unreachable!",
        "bail!",
    ];
    ends.iter().any(|word| last.starts_with(word))
        || body.contains(";return")
        || body.starts_with("return")
}

/// Whether an edit is proposed; `None` if its function cannot be found again.
fn answer(sources: &Sources, mined: &Mined) -> Option<Answer> {
    let index = match site(sources, mined)? {
        Ok(index) => index,
        Err(miss) => return Some(Err(miss)),
    };
    let site = &sources.sites[index];
    let kin = space::kin(sources);
    let space = |site| Space::at(sources, site, &kin);
    Some(match &mined.what {
        What::Condition { old, new, .. } => {
            let whole = space(site).edited(old, new);
            // A closure in a condition may have a condition of its own.
            let inner = sources.sites.iter().filter(|inner| {
                let is_inside =
                    site.span.start < inner.span.start && inner.span.end <= site.span.end;
                inner.function == site.function && is_inside && inner.kind.has_condition()
            });
            let mut inner = inner.filter_map(|inner| {
                let start = inner.span.start - site.span.start;
                let rest = &old[start + inner.text.len()..];
                let new = new.strip_prefix(&old[..start])?.strip_suffix(rest)?;
                space(inner).edited(&inner.text, new).ok()
            });
            whole.or_else(|miss| inner.next().ok_or(miss))
        }
        What::Guard { condition, .. }
        | What::Wrap { condition, .. }
        | What::Narrow { condition, .. }
        | What::Branch { condition, .. } => space(site).fresh(condition),
    })
}

/// The site of an edit, or why there is none; `None` if its function or its old condition cannot be found again.
pub fn site(sources: &Sources, mined: &Mined) -> Option<Result<SiteIndex, Miss>> {
    let (index, function) = sources.functions.iter_enumerated().find(|(_, function)| {
        let text = &sources.files[function.file].text;
        let line = text[..function.span.start].matches('\n').count() + 1;
        let name = function.name.rsplit("::").next();
        let is_here = ["lib.rs", "lib.c"].contains(&sources.files[function.file].path.as_str());
        is_here && line.abs_diff(mined.line) <= 12 && name == mined.function.rsplit("::").next()
    })?;
    let text = &sources.files[function.file].text;
    // A function's span may begin with attributes.
    let first = start_of_line(text, mined.line);
    let from = |byte: usize| {
        skeleton(text.get(first..byte).unwrap_or_default())
            .chars()
            .count()
    };
    let is_own = |site: &Site| site.function == index && function.span.contains(&site.span.start);
    let sites = || {
        let all = sources.sites.iter_enumerated();
        all.filter(|(_, site)| is_own(site))
    };
    let first = |is_it: &dyn Fn(&Site) -> bool, miss: Miss| {
        let mut found = sites().filter(|(_, site)| is_it(site));
        found.next().map(|(index, _)| index).ok_or(miss)
    };
    Some(match &mined.what {
        What::Condition { at, old, .. } => {
            let is_it = |site: &Site| {
                site.kind.has_condition() && site.text == *old && from(site.span.start) == *at
            };
            return first(&is_it, Miss::Place).ok().map(Ok);
        }
        What::Guard { at, body, .. } => {
            let is_here = |site: &Site| site.kind.is_early_exit() && from(site.span.start) == *at;
            first(&is_here, Miss::Place).and_then(|_| {
                first(
                    &|site| is_here(site) && same_body(&site.body, body),
                    Miss::Exit,
                )
            })
        }
        What::Wrap { statements, .. } => first(
            &|site| {
                matches!(site.kind, SiteKind::Statement | SiteKind::Statements)
                    && from(site.span.start) == statements.start
                    && from(site.span.end) == statements.end
            },
            Miss::Place,
        ),
        What::Narrow { at, .. } => first(
            &|site| {
                matches!(site.kind, SiteKind::Arm | SiteKind::Pattern)
                    && from(site.span.start) == *at
            },
            Miss::Place,
        ),
        What::Branch { at, body, .. } => first(
            &|site| {
                site.kind == SiteKind::Branch
                    && from(site.span.start) == *at
                    && same_body(&site.body, body)
            },
            Miss::Exit,
        ),
    })
}

/// The bodies of the early exits that are proposed near the place of a guard, each with its distance in characters.
fn bodies(sources: &Sources, mined: &Mined) -> Vec<String> {
    let What::Guard { at, .. } = &mined.what else {
        return Vec::new();
    };
    let is_it = |site: &&Site| {
        let function = &sources.functions[site.function];
        let text = &sources.files[function.file].text;
        let line = text[..function.span.start].matches('\n').count() + 1;
        let name = function.name.rsplit("::").next();
        site.kind.is_early_exit()
            && line.abs_diff(mined.line) <= 12
            && name == mined.function.rsplit("::").next()
    };
    let exits = sources.sites.iter().filter(is_it);
    let described = exits.map(|site| {
        let function = &sources.functions[site.function];
        let text = &sources.files[function.file].text;
        let first = start_of_line(text, mined.line);
        let before = skeleton(text.get(first..site.span.start).unwrap_or_default());
        (before.chars().count().abs_diff(*at), site)
    });
    let mut near: Vec<_> = described.collect();
    near.sort_by_key(|(far, _)| *far);
    let least = near.first().map(|(far, _)| *far);
    near.into_iter()
        .filter(|(far, _)| Some(*far) == least)
        .map(|(far, site)| format!("{far} away: {} before line {}", site.body, site.line))
        .collect()
}

/// The byte at which a line begins, from 1.
fn start_of_line(text: &str, line: usize) -> usize {
    let before = text.split_inclusive('\n').take(line - 1);
    before.map(str::len).sum()
}

/// Statements without those that only log, or mark what a test covers, before the others.
fn without_logging(mut body: &str) -> &str {
    const MACROS: [&str; 6] = ["trace!", "debug!", "info!", "warn!", "error!", "hit!"];
    while let Some((head, rest)) = body.split_once('(')
        && let Some((_, after)) = rest.split_once(");")
    {
        let name = head.rsplit("::").next().unwrap_or_default();
        if !MACROS.contains(&name) {
            break;
        }
        body = after;
    }
    body
}

/// Whether two bodies are the same but for the semicolon at the end and the words of messages.
fn same_body(a: &str, b: &str) -> bool {
    // An error that is made of a message may have any.
    let maker = |text: &str| {
        let bare = skeleton(text)
            .replace("format!(", "")
            .replace("String::from(", "");
        let (maker, _) = bare.strip_prefix("returnErr(")?.split_once('"')?;
        Some(
            maker
                .trim_end_matches("anyhow!(")
                .trim_end_matches("anyhow::")
                .to_owned(),
        )
    };
    if let (Some(a), Some(b)) = (maker(a), maker(b)) {
        return a == b;
    }
    let plain = |text: &str| {
        let mut plain = String::new();
        let mut is_message = false;
        for part in without_logging(&skeleton(text))
            .trim_end_matches(';')
            .split('"')
        {
            plain += if is_message { "_" } else { part };
            is_message = !is_message;
        }
        for conversion in [".to_string()", ".to_owned()", ".into()", "String::from"] {
            plain = plain.replace(conversion, "");
        }
        plain.retain(|c| !matches!(c, '(' | ')'));
        plain
    };
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::same_body;

    #[test]
    fn what_is_logged_before_an_exit_does_not_count() {
        let logged = "log::debug!(\"skipped {} (again)\", f(x)); return None;";
        assert!(same_body("return None;", logged));
        assert!(!same_body("return None;", "g(\"x\"); return None;"));
    }
}

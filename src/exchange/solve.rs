//! Runs our synthesis on a problem file, or judges another solver's answer, and reports one JSON line.

use std::fs;
use std::time::Instant;

use nopol_expr::{Binding, Expr, Row};
use nopol_source::Language;
use nopol_synth::{self, Answer, EngineKind, Limits};
use serde::Serialize;

use super::sexpr::Sexpr;
use super::{ProblemFile, smtlib, sygus};
use crate::patch::render::Style;

/// Options of [`solve`].
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions {
    /// The synthesis engine.
    pub engine: EngineKind,
    /// Maximum number of conditions to report.
    pub top: usize,
}

/// The line about one problem.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    /// Wall-clock time of the synthesis alone.
    seconds: f64,
    /// The engine, or `answer` for one that was given.
    engine: &'a str,
    /// Best first.
    candidates: Vec<CandidateLine>,
    /// The result of each level, if nothing was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    levels: Vec<LevelLine>,
    /// Why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Peak memory of this process so far, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_kib: Option<u64>,
}

#[derive(Serialize)]
struct CandidateLine {
    /// In Rust.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u32>,
    why: String,
    /// It has the expected outcome in every hard context and in at least one of each group.
    explains: bool,
    /// Share of the check rows in which it has the expected outcome; `None` without such rows.
    check: Option<f64>,
}

#[derive(Serialize)]
struct LevelLine {
    level: String,
    answer: String,
}

/// The result of a problem.
pub struct Solved {
    /// One JSON object on one line, without a line break.
    pub line: String,
    /// A condition was found.
    pub found: bool,
}

/// Solves a problem with our own synthesis.
pub fn solve(problem: &ProblemFile, options: &SolveOptions) -> Solved {
    let limits = Limits {
        engine: options.engine,
        candidates: options.top,
        ..Limits::default()
    };
    let start = Instant::now();
    let synthesis = nopol_synth::synthesize(&problem.spec, &problem.pool, &limits);
    let seconds = start.elapsed().as_secs_f64();
    let candidates = synthesis.candidates.into_iter();
    let candidates: Vec<_> = candidates
        .map(|found| {
            candidate(
                problem,
                &found.expr,
                Some(found.cost),
                found.kind.to_string(),
            )
        })
        .collect();
    let levels = match candidates.is_empty() {
        true => synthesis.levels.into_iter().map(level).collect(),
        false => Vec::new(),
    };
    Solved {
        found: !candidates.is_empty(),
        line: line(&Line {
            name: &problem.name,
            seconds,
            engine: options.engine.name(),
            candidates,
            levels,
            reason: synthesis.reason,
            peak_kib: peak_kib(),
        }),
    }
}

/// Judges another solver's answer to the problem's SyGuS-IF (`(define-fun condition …)`) or SMT-LIB 2 (the reply
/// to `get-value`).
///
/// # Errors
/// A sentence, if the answer cannot be read as an expression over the problem's terms.
pub fn judge(problem: &ProblemFile, answer: &str) -> Result<Solved, String> {
    let wrong = |what| format!("the answer to {} cannot be read: {what}", problem.name);
    let parts = Sexpr::parse(answer).map_err(wrong)?;
    let expr = match answer.contains("define-fun") {
        true => sygus::read(&parts, problem),
        false => smtlib::read(&parts, problem),
    }
    .map_err(wrong)?;
    let judged = candidate(problem, &expr, None, "given".to_owned());
    Ok(Solved {
        found: judged.explains,
        line: line(&Line {
            name: &problem.name,
            seconds: 0.0,
            engine: "answer",
            candidates: vec![judged],
            levels: Vec::new(),
            reason: None,
            peak_kib: None,
        }),
    })
}

fn candidate(problem: &ProblemFile, expr: &Expr, cost: Option<u32>, why: String) -> CandidateLine {
    let style = Style {
        language: Language::Rust,
        pool: &problem.pool,
        old: &[],
        suffixed: false,
    };
    let right = |row: &&Row| expr.eval_bool(row) == Some(row.expected);
    let (rows, all) = (&problem.check, problem.check.len());
    CandidateLine {
        text: style.text(expr, Binding::Or),
        cost,
        why,
        explains: problem.is_explained_by(expr),
        check: (all > 0).then(|| rows.iter().filter(right).count() as f64 / all as f64),
    }
}

fn level((level, answer): (String, Answer)) -> LevelLine {
    LevelLine {
        level,
        answer: match answer {
            Answer::Found(count) => format!("found {count}"),
            Answer::Nothing => "there is none".to_owned(),
            Answer::Unknown(reason) => format!("unknown: {reason}"),
        },
    }
}

fn line(line: &Line) -> String {
    // Serialization cannot fail: keys are strings, and shares are finite.
    serde_json::to_string(line).unwrap_or_default()
}

/// Linux's `VmHWM` of this process.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

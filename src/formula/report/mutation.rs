//! Repairs by mutations as text for people.

use std::fmt::Write;

use nopol_basics::{agree, count};

use crate::formula::mutation::{Mutation, ShownRepair, Untried, in_order};
use crate::formula::{at_most, bounds, left_out, short};
use crate::report::phrases;

/// Most tests named.
const MANY: usize = 10;

/// The repairs as text: `top` at most, and the first one as a diff. `command` is that of the
/// tool, and `place` the options that `apply` needs, each preceded by a space.
pub fn human(shown: &Mutation, top: usize, command: &str, place: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, shown, top, command, place);
    text
}

fn write(
    text: &mut String,
    shown: &Mutation,
    top: usize,
    command: &str,
    place: &str,
) -> std::fmt::Result {
    for note in notes(shown) {
        writeln!(text, "note: {note}")?;
    }
    for failing in shown.failing.iter().take(MANY) {
        writeln!(text, "{}", failing.line())?;
    }
    if let Some(others @ 1..) = shown.failing.len().checked_sub(MANY) {
        writeln!(
            text,
            "… and {} {}",
            count(others, "other test"),
            agree(others, "fails", "fail")
        )?;
    }
    if let Some(message) = &shown.message {
        writeln!(text, "{}", phrases::sentence(message))?;
    }
    let Some(first) = shown.repairs.first() else {
        let initially = shown.initially();
        if !initially.is_empty() {
            writeln!(
                text,
                "Every call starts{}.",
                initially.trim_start_matches(',')
            )?;
        }
        return Ok(());
    };
    let what = count(shown.repairs.len(), "minimal patch");
    let extent = match shown.is_exhausted {
        _ if shown.outcome.is_cut() => "there may be more".to_owned(),
        _ if !shown.is_complete => {
            "there may be others, because some changes were not tried".to_owned()
        }
        true => format!("level {} has no others{}", shown.level, shown.within),
        false => format!(
            "level {} has no others that change {}{}",
            shown.level,
            at_most(shown.complete_to, "statement"),
            shown.within
        ),
    };
    let any = match shown.has_any_number {
        true => " (where many numbers would work, one is shown)",
        false => "",
    };
    writeln!(text, "\n{what}{any}; {extent}:\n")?;
    for (rank, repair) in (1..).zip(shown.repairs.iter().take(top)) {
        row(text, rank, repair)?;
        if shown.repairs.iter().any(|other| other.proved_to.is_some()) {
            let runs = repair.proved_to.map_or_else(
                || "all arguments".to_owned(),
                |bound| format!("runs in which {}", bounds::as_long_as(shown.repeats, bound)),
            );
            writeln!(text, "        proved for {runs}")?;
        }
    }
    if shown.repairs.len() > top {
        let all = shown.repairs.len();
        writeln!(
            text,
            "     … and {} more (--top {all} shows {})",
            all - top,
            agree(all - top, "it", "them")
        )?;
    }
    let right = match (first.proved, first.proved_to) {
        ("tests", _) => match shown.unasked() {
            None if shown.may_have_examples => {
                "Every `#[test]` passes with it in the tool's interpreter:".to_owned()
            }
            None => "Every test passes with it in the tool's interpreter:".to_owned(),
            Some(unasked) => {
                format!(
                    "Every test considered passes with it in the tool's interpreter; {unasked}:"
                )
            }
        },
        (_, bound) => {
            let globals = shown.initially();
            let bound = bound.map_or_else(String::new, |bound| {
                format!(", as long as {}", bounds::as_long_as(shown.repeats, bound))
            });
            let order = in_order(&first.unsequenced);
            format!("Proved for all arguments{globals}{order}{bound}:")
        }
    };
    let one = if shown.repairs.len() > 1 {
        "Patch 1. "
    } else {
        ""
    };
    writeln!(text, "\n{one}{right}\n\n{}", first.diff.trim_end())?;
    let (others, each) = match shown.repairs.len() {
        1 => (String::new(), "it"),
        _ => (
            format!(", and `{command} apply 2{place}` writes patch 2"),
            "each",
        ),
    };
    writeln!(
        text,
        "\n`{command} apply{place}` writes patch 1{others}; {each} is built and tested first."
    )
}

/// What was left out or not tried, and what else the user should know, a sentence each.
pub fn notes(shown: &Mutation) -> Vec<String> {
    let mut notes = left_out::sentences(&shown.left_out);
    notes.extend(shown.warnings.iter().cloned());
    notes.extend(untried(shown));
    notes.extend(failing_in_order(shown));
    notes
}

/// In which order operands are evaluated in the calls that fail, as a sentence; `None` if no order is assumed.
fn failing_in_order(shown: &Mutation) -> Option<String> {
    let order = in_order(&shown.unsequenced);
    (!order.is_empty() && !shown.failing.is_empty()).then(|| {
        format!(
            "calls were examined{}; C leaves this order to the compiler, so a call that fails here may pass in your build",
            order.trim_start_matches(',')
        )
    })
}

/// Which operators and constants were not tried, and which pointers are not exchanged, a sentence each.
fn untried(shown: &Mutation) -> Vec<String> {
    let (pointers, others): (Vec<_>, Vec<_>) = shown.untried.iter().partition(|of| of.is_pointer);
    let operators = sentence(&others, ("operator or constant", "operators and constants"));
    let pointers = sentence(
        &pointers,
        ("pointer or reference", "pointers and references"),
    );
    operators.into_iter().chain(pointers).collect()
}

/// What was not tried, with where it is. `called`: what one of it is called, and what several are.
fn sentence(untried: &[&Untried], called: (&str, &str)) -> Option<String> {
    let all = untried.len();
    let places = untried.iter().take(MANY);
    let places = places.map(|of| {
        format!(
            "{}:{}:{} `{}`",
            of.file,
            of.line,
            of.column,
            short::beginning(&of.text)
        )
    });
    let places: Vec<String> = places.collect();
    let (what, were) = match all {
        0 => return None,
        1 => (format!("1 {}", called.0), "was"),
        _ => (format!("{all} {}", called.1), "were"),
    };
    let others = match all.checked_sub(MANY) {
        None | Some(0) => String::new(),
        Some(others) => format!(" and {others} more (--format json has all)"),
    };
    Some(format!(
        "{what} {were} not tried: {}{others}",
        places.join(", ")
    ))
}

fn row(text: &mut String, rank: usize, repair: &ShownRepair) -> std::fmt::Result {
    for (number, edit) in repair.edits.iter().enumerate() {
        let label = if number == 0 {
            format!("{rank:4}")
        } else {
            "   &".to_owned()
        };
        let (before, after) = short::both(&edit.before, &edit.after);
        writeln!(
            text,
            "{label}  {}:{}:{}  {before}\n        becomes  {after}",
            edit.file, edit.line, edit.column,
        )?;
    }
    Ok(())
}

//! Phrases about a patch, shared by the machine-readable formats.

use std::collections::BTreeSet;

use nopol_basics::{agree, count};

use super::Assurance;
use super::EditReport;
use super::PatchReport;
use super::markup::code;

/// That all tests are ignored, and the option that runs them. `has_args`: whether the user gave arguments after `--`.
pub fn all_ignored(tests: &[String], has_args: bool) -> String {
    let (selected, option) = match has_args {
        true => (" selected by the arguments after `--`", "`--ignored`"),
        false => ("", "`-- --ignored`"),
    };
    let number = tests.len();
    format!(
        "the only {}{selected}, {}, {} ignored; add {option} to run {}",
        agree(number, "test", "tests"),
        names(tests),
        agree(number, "is", "are"),
        agree(number, "it", "them")
    )
}

/// The effect of the patch in one line: `a different condition here makes tests::a and 2 others pass`.
pub fn headline(patch: &PatchReport) -> String {
    let what = match patch.kind {
        "precondition" if removes(patch) => "removing this",
        "precondition" => "doing this only under a condition",
        "guard" if asserts(patch) => "an assertion before this",
        "guard" => "an early exit before this",
        _ if patch.edits.len() > 1 => &format!("a change at {}", count(patch.edits.len(), "place")),
        "expression" if is_new_statement(patch) => "another statement here",
        "expression" | "arithmetic" => "a different expression here",
        _ if adds_branch(patch) => "another branch here",
        _ if narrows(patch) => "a condition for this pattern",
        _ if adds_operand(patch) => "another condition before this",
        _ => "a different condition here",
    };
    match (patch.evidence, &*patch.fixes) {
        (Assurance::Asserted, _) => format!("{what} meets the specification"),
        (Assurance::Edited, _) => format!("{what}, edited by hand"),
        (Assurance::Interpreted, []) => {
            format!("{what} makes the function correct, judged from the source alone")
        }
        (Assurance::Interpreted, fixes) => {
            format!(
                "{what} makes {} pass, judged from the source alone",
                some(fixes)
            )
        }
        (Assurance::Tested | Assurance::Together, fixes) => {
            format!("{what} makes {} pass", some(fixes))
        }
    }
}

/// The advice: `change it to n >= 2`.
pub fn advice(patch: &PatchReport) -> String {
    let conditions = patch.edits.iter().map(|edit| code(&edit.condition));
    let conditions = conditions.collect::<Vec<String>>().join(" and ");
    match patch.kind {
        "precondition" if removes(patch) => "remove it".to_owned(),
        "precondition" => format!("do this only if {conditions}"),
        "guard" if asserts(patch) => format!("assert that {conditions}"),
        "guard" => format!("{} if {conditions}", leaves(patch)),
        _ if adds_branch(patch) => format!("add a branch for {conditions}"),
        _ if narrows(patch) => format!("match this only if {conditions}"),
        _ if adds_operand(patch) => format!("require {conditions} first"),
        _ if patch.edits.len() > 1 => format!("change them to {conditions}"),
        _ => format!("change it to {conditions}"),
    }
}

/// Whether the early exit of the patch is an assertion, which exits if its condition does not hold.
fn asserts(patch: &PatchReport) -> bool {
    let is_assertion = |text: &str| text.trim_start().starts_with("assert!(");
    patch.edits.iter().all(|edit| is_assertion(&edit.after))
}

/// How the early exit of the patch leaves, from the first word of its block.
fn leaves(patch: &PatchReport) -> &'static str {
    let exits = patch.edits.iter().filter_map(block);
    let is_letter = |letter: char| letter.is_ascii_alphabetic();
    let words = exits.filter_map(|block| block.split(|letter| !is_letter(letter)).next());
    let exits: BTreeSet<&str> = words.collect();
    match exits.first() {
        _ if exits.len() != 1 => "leave early",
        Some(&"return") => "return early",
        Some(&"continue") => "skip this iteration",
        Some(&"break") => "leave the loop",
        _ => "leave early",
    }
}

/// The statements of the early exit or branch that the patch inserts, if they are more than a word: `return None;`.
pub fn inserted(patch: &PatchReport) -> Option<String> {
    let [edit] = &*patch.edits else { return None };
    if patch.kind != "guard" && !adds_branch(patch) || asserts(patch) {
        return None;
    }
    let statements = block(edit)?;
    (statements.contains(char::is_whitespace) && !statements.contains('{'))
        .then(|| statements.to_owned())
}

/// The statements that an edit inserts after its condition: those in braces, or in C one statement without braces.
/// A formatted edit contains existing text after them.
fn block(edit: &EditReport) -> Option<&str> {
    let after = edit.after.split_once(&edit.condition);
    let statement = after.and_then(|(_, after)| after.trim_start().strip_prefix(')'));
    if let Some(statement) = statement.map(str::trim_start)
        && !statement.starts_with('{')
    {
        return Some(first_statement(statement));
    }
    let after = after.map_or(&*edit.after, |(_, after)| after);
    let (_, block) = after.split_once('{')?;
    let (statements, _) = block.split_once('}')?;
    Some(statements.trim())
}

/// The text up to its first semicolon that is not in a literal.
fn first_statement(text: &str) -> &str {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ';') => return &text[..=at],
            _ => {}
        }
    }
    text
}

/// Whether the patch only inserts statements.
fn is_new_statement(patch: &PatchReport) -> bool {
    let is_it = |edit: &EditReport| {
        edit.marked().1.trim().is_empty() && edit.after.trim_end().ends_with(';')
    };
    patch.edits.iter().all(is_it)
}

/// Whether all edits, before formatting, only insert text that starts with `start`.
fn inserts(patch: &PatchReport, start: &str) -> bool {
    let is_it = |edit: &EditReport| {
        let (_, marked) = edit.marked();
        let after = edit.after.trim_start();
        // A formatted edit may start with existing text.
        marked.is_empty()
            && (after.starts_with(start) || edit.mark.is_some() && after.contains(start))
    };
    patch.edits.iter().all(is_it)
}

/// Whether the patch adds a branch and leaves existing conditions unchanged.
fn adds_branch(patch: &PatchReport) -> bool {
    inserts(patch, "else if ")
}

/// Whether the patch adds a condition to a pattern, which stays unchanged.
fn narrows(patch: &PatchReport) -> bool {
    inserts(patch, "if ") || inserts(patch, "&& ")
}

/// Whether the patch adds an operand of `&&` before a condition, which stays unchanged.
fn adds_operand(patch: &PatchReport) -> bool {
    let is_it = |edit: &EditReport| edit.marked().1.is_empty() && edit.after.ends_with("&& ");
    patch.edits.iter().all(is_it)
}

/// Whether the patch only removes code.
fn removes(patch: &PatchReport) -> bool {
    // A statement whose condition is always false is removed; formatting may also replace the code around it.
    let is_never = |edit: &EditReport| edit.mark.is_some() && edit.condition == "false";
    let mut edits = patch.edits.iter();
    edits.all(|edit| edit.after.is_empty() || is_never(edit))
}

/// The confidence in words: `likely (80%)`, or `not rated` if no search ranked the patch.
pub fn sureness(patch: &PatchReport) -> String {
    match patch.evidence.is_ranked() {
        true => format!("{} ({})", patch.likelihood(), percent(patch.confidence)),
        false => patch.likelihood().to_owned(),
    }
}

/// What no alternative was: built by itself.
pub fn unbuilt(alternatives: usize) -> &'static str {
    agree(
        alternatives,
        "not built on its own",
        "not built on their own",
    )
}

/// A share from 0 to 1 as a percentage.
pub fn percent(share: f64) -> String {
    match share < 0.01 {
        true => "under 1%".to_owned(),
        false => format!("{:.0}%", share * 100.0),
    }
}

/// Everything that a reader needs to judge the patch, in sentences.
pub fn message(patch: &PatchReport) -> String {
    let caveat = patch.evidence.caveat();
    let unchecked = caveat.map_or_else(String::new, |caveat| format!(" Unchecked: {caveat}."));
    let doubt = patch.doubt();
    let doubt = doubt.map_or_else(String::new, |doubt| format!(" {}.", capitalized(&doubt)));
    format!(
        "{}: {}. {}, {}.{unchecked}{doubt}",
        capitalized(&headline(patch)),
        whole_advice(patch),
        capitalized(&sureness(patch)),
        patch.why
    )
}

/// The advice, and what an early exit or a branch consists of.
pub fn whole_advice(patch: &PatchReport) -> String {
    let inserted = inserted(patch).map_or_else(String::new, |it| format!(": {}", code(&it)));
    advice(patch) + &inserted
}

/// What a heading says of the patch: its change, or the new condition.
pub fn heading(patch: &PatchReport) -> String {
    match patch.why.starts_with("new condition") {
        true => capitalized(&whole_advice(patch)),
        false => capitalized(&patch.why),
    }
}

/// A list of test names in backticks.
pub fn names<T: AsRef<str>>(tests: &[T]) -> String {
    let names: Vec<String> = tests.iter().map(|test| code(test.as_ref())).collect();
    listed(&names)
}

/// The same after a negation: `a`, `a or b`, `a, b or c`.
pub fn any_name<T: AsRef<str>>(tests: &[T]) -> String {
    let names: Vec<String> = tests.iter().map(|test| code(test.as_ref())).collect();
    joined(&names, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[impl AsRef<str>]) -> String {
    joined(items, "and")
}

fn joined(items: &[impl AsRef<str>], word: &str) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match &*items {
        [before @ .., one, last] => {
            let last = format!("{one} {word} {last}");
            [before, &[last.as_str()]].concat().join(", ")
        }
        _ => items.concat(),
    }
}

/// The text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A message as a sentence: with a full stop, and with a capital letter unless it begins with a name or code.
pub fn sentence(message: &str) -> String {
    let first = message.split(' ').next().unwrap_or_default();
    let is_word = first.chars().all(|letter| letter.is_ascii_lowercase());
    let text = match is_word {
        true => capitalized(message),
        false => message.to_owned(),
    };
    match text.contains('\n') || text.ends_with(['.', ':', '?', '!']) {
        true => text,
        false => text + ".",
    }
}

/// The first name, and the number of the others.
pub(super) fn some(names: &[String]) -> String {
    match names {
        [] => "the failing tests".to_owned(),
        [one] => code(one),
        [first, others @ ..] => {
            format!("{} and {}", code(first), count(others.len(), "other test"))
        }
    }
}

//! Writes changes of a routine as changes of its source, each as small as it can be.

use nopol_program::ir::{Dialect, Scalar, Span};
use nopol_scalar::CmpOp;

use super::dialect::TAKING;
use super::ir::{Atom, Compared, Kind, Removal, Routine, Slot, Type};
use super::patch::Change;

#[cfg(test)]
mod tests;

/// A replacement of a part of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementEdit {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// The changes as edits of the files' texts, in the order of the source.
pub fn edits(routine: &Routine, texts: &[String], changes: &[Change]) -> Vec<StatementEdit> {
    let mut edits: Vec<StatementEdit> = changes
        .iter()
        .flat_map(|change| edit(routine, texts, change).unwrap_or_default())
        .collect();
    edits.sort_by_key(|edit| edit.span);
    // What is inserted at one place is inserted at once.
    let mut joined: Vec<StatementEdit> = Vec::new();
    for edit in edits {
        match joined.last_mut() {
            Some(last) if last.span == edit.span && edit.span.start == edit.span.end => {
                last.text.push_str(&edit.text);
            }
            _ => joined.push(edit),
        }
    }
    joined
}

/// The texts with these edits.
pub fn rewritten(texts: &[String], edits: &[StatementEdit]) -> Vec<String> {
    let mut texts = texts.to_vec();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        if let Some(text) = texts.get_mut(edit.span.file as usize)
            && text.get(range.clone()).is_some()
        {
            text.replace_range(range, &edit.text);
        }
    }
    texts
}

/// A change as edits; none if it has no place in the source.
fn edit(routine: &Routine, texts: &[String], change: &Change) -> Option<Vec<StatementEdit>> {
    match change {
        Change::Leaf {
            statement,
            leaf,
            atom,
        } => {
            let statement = &routine.statements[*statement];
            let span = statement.leaves[*leaf].span?;
            // A condition `p` is about pointers and numbers only.
            let text = match atom {
                Atom::Number(number) if *number < 0 => format!("({number})"),
                Atom::Number(number) if is_wide(routine, *number, statement.leaves[*leaf].ty) => {
                    format!("{number}u")
                }
                Atom::Read(path) if *leaf == 0 && statement.kind == Kind::Assignment => {
                    routine.written_target(path)
                }
                // What was taken is still taken, wherever it is.
                Atom::Read(path) if is_taken(texts, span) => {
                    format!("{}{TAKING}", routine.written_target(path))
                }
                atom => {
                    routine.written_as(atom, statement.leaves[*leaf].access, text_of(texts, span)?)
                }
            };
            Some(vec![StatementEdit { span, text }])
        }
        Change::Comparison {
            statement,
            number,
            comparison,
        } => {
            let compared = routine.statements[*statement].comparisons[*number];
            compare(texts, compared, *comparison)
        }
        Change::Skip(statement) => {
            let statement = &routine.statements[*statement];
            match statement.removal {
                Removal::No => None,
                Removal::Goes(span) => Some(vec![without(text_of(texts, span)?, span)]),
                // No warning about an empty body, as a semicolon would give.
                Removal::Emptied => Some(vec![StatementEdit {
                    span: statement.whole,
                    text: "{}".to_owned(),
                }]),
            }
        }
        Change::Insert(insertion) => {
            let slot = &routine.slots[insertion.slot];
            let access = routine.access(&insertion.target);
            let statement = format!(
                "{} = {};",
                routine.written_target(&insertion.target),
                routine.written_as(&insertion.value, access, text_of(texts, slot.at)?)
            );
            Some(vec![insert(text_of(texts, slot.at)?, slot, &statement)])
        }
    }
}

/// Whether what is written there moves something out of an option.
fn is_taken(texts: &[String], span: Span) -> bool {
    let text = text_of(texts, span);
    let text = text.and_then(|text| text.get(span.start as usize..span.end as usize));
    text.is_some_and(|text| text.ends_with(TAKING))
}

/// Whether a literal would have a wider type than what it stands for.
fn is_wide(routine: &Routine, number: i128, ty: Type) -> bool {
    let is_unsigned = matches!(ty, Type::Number(Scalar::Int(kind)) if !kind.signed);
    routine.dialect == Dialect::C && is_unsigned && number > i128::from(i32::MAX)
}

fn text_of(texts: &[String], span: Span) -> Option<&str> {
    texts.get(span.file as usize).map(String::as_str)
}

/// Another operator; where none is written, `!` before what is tested.
fn compare(texts: &[String], compared: Compared, comparison: CmpOp) -> Option<Vec<StatementEdit>> {
    if let Some(span) = compared.operator {
        let text = comparison.token().to_owned();
        return Some(vec![StatementEdit { span, text }]);
    }
    let at = |start: u32, end: u32, text: &str| StatementEdit {
        span: Span {
            start,
            end,
            ..compared.span
        },
        text: text.to_owned(),
    };
    let Span { start, end, .. } = compared.span;
    let text = text_of(texts, compared.span)?;
    let before = text.get(..start as usize)?;
    if before.ends_with('!') {
        return Some(vec![at(start - 1, start, "")]);
    }
    // `!` binds more strongly than what is between two operands.
    let tested = text.get(start as usize..end as usize)?.replace("->", ".");
    let is_plain = |char: char| char.is_alphanumeric() || "_.*()".contains(char);
    Some(match tested.chars().all(is_plain) {
        true => vec![at(start, start, "!")],
        false => vec![at(start, start, "!("), at(end, end, ")")],
    })
}

/// A statement removed: with its line, if nothing else is there.
fn without(text: &str, whole: Span) -> StatementEdit {
    let (start, end) = (whole.start as usize, whole.end as usize);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let is_alone =
        text[line_start..start].trim().is_empty() && text[end..line_end].trim().is_empty();
    let (start, end) = match is_alone {
        true => (line_start, line_end),
        false => (start, end),
    };
    StatementEdit {
        span: Span {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
            ..whole
        },
        text: String::new(),
    }
}

/// A statement more, on a line of its own if what follows begins one.
fn insert(text: &str, slot: &Slot, statement: &str) -> StatementEdit {
    let at = slot.at.start as usize;
    let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let indentation = &text[line_start..at];
    if !indentation.trim().is_empty() {
        return StatementEdit {
            span: slot.at,
            text: format!("{statement} "),
        };
    }
    // Before a brace, as the line above is indented.
    let above = text[..line_start].trim_end();
    let above = &above[above.rfind('\n').map_or(0, |at| at + 1)..];
    let width = above.len() - above.trim_start().len();
    let deeper = match (slot.is_last, above.ends_with('{')) {
        (false, _) => indentation.to_owned(),
        (true, false) if width > indentation.len() => above[..width].to_owned(),
        (true, _) if indentation.contains('\t') => format!("{indentation}\t"),
        (true, _) => format!("{indentation}    "),
    };
    let line_start = u32::try_from(line_start).unwrap_or(u32::MAX);
    StatementEdit {
        span: Span {
            start: line_start,
            end: line_start,
            ..slot.at
        },
        text: format!("{deeper}{statement}\n"),
    }
}

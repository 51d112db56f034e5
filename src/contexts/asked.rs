//! Queries on recorded texts that distinguish those with one outcome from those with the other: `name.starts_with('-')`.
//! There are two sources of them: what the subject asks of any text, anywhere, and marks that stand at an end of several
//! of the recorded texts, even if no literal has them, or of one, if the function has the mark as a literal.

use std::collections::BTreeSet;

use nopol_expr::{Access, Origin, Pool, Reading, Term, TextPart, Type, Value};
use nopol_source::Language;
use nopol_source::rust::asked::asked;

use super::mined::Values;
use super::operands::Conversions;

/// Questions about one text.
const MOST_QUESTIONS: usize = 6;
/// Texts that must share a mark that no literal has: one alone has any.
const FEWEST: usize = 2;

/// Terms for the texts of a pool.
pub(super) fn terms(at: &Conversions, pool: &Pool) -> Vec<Term> {
    let is_text = |term: &&Term| {
        term.ty == Type::Str
            && term.constant.is_none()
            && term.reading == Reading::Exact
            && term.origin <= Origin::Query
    };
    let texts: Vec<&Term> = pool.terms.iter().filter(is_text).collect();
    let mut terms = Vec::new();
    if texts.is_empty() {
        return terms;
    }
    let files = at.sources.files.iter();
    let literals: BTreeSet<(TextPart, &str)> = files.flat_map(asked).collect();
    let literals: Vec<(TextPart, &str, String)> = literals
        .into_iter()
        .filter_map(|(part, literal)| Some((part, literal, content(at.sources.language, literal)?)))
        .collect();
    let function = &at.sources.functions[at.site.function];
    let own = function.literals.iter();
    let own: Vec<String> = own
        .filter_map(|literal| content(at.sources.language, literal))
        .collect();
    for text in texts {
        let values = Values::of(text, at.recorded, at.captures);
        let of = text.access.without_derefs();
        let known = literals
            .iter()
            .filter(|(part, _, other)| separates(&values, 1, |text| part.has(text, other)))
            .map(|(part, literal, _)| (*part, (*literal).to_owned()));
        let marks = [TextPart::Start, TextPart::End]
            .into_iter()
            .flat_map(|part| {
                let marks = marks(&values, part, &own).into_iter();
                marks.map(move |mark| (part, Value::Char(mark).to_string()))
            });
        let mut questions: Vec<(TextPart, String)> = known.collect();
        questions.extend(marks);
        let questions = questions.into_iter().take(MOST_QUESTIONS);
        terms.extend(questions.map(|(part, literal)| question(of, part, literal)));
    }
    terms
}

/// The term of a question to a text.
fn question(text: &Access, part: TextPart, literal: String) -> Term {
    let arguments = vec![Access::literal(literal)];
    let access = Access::Method(Box::new(text.clone()), part.method().to_owned(), arguments);
    Term {
        reading: Reading::Asked(part),
        ..Term::new(access, Type::Bool, Origin::Guessed)
    }
}

/// The text that a literal of a text or of a character stands for; `None` for other literals and the empty text.
fn content(language: Language, literal: &str) -> Option<String> {
    let text = match language.constant(literal, Type::Str) {
        Some(Value::Str(text)) => text.to_string(),
        _ => match language.constant(literal, Type::Char)? {
            Value::Char(character) => character.to_string(),
            _ => return None,
        },
    };
    (!text.is_empty()).then_some(text)
}

/// The marks that several texts share at an end and that separate them, and those among `known` that one has. Letters and
/// digits are a text's own.
fn marks(values: &Values, part: TextPart, known: &[String]) -> Vec<char> {
    let at_end = |value: &Value| match (value, part) {
        (Value::Str(text), TextPart::End) => text.chars().next_back(),
        (Value::Str(text), _) => text.chars().next(),
        _ => None,
    };
    let all = values.changed.iter().chain(&values.kept).flatten();
    let mut marks: Vec<char> = Vec::new();
    for mark in all.filter_map(at_end) {
        let is_mark = mark.is_ascii_punctuation() || mark == ' ';
        let mut utf8 = [0; 4];
        let text: &str = mark.encode_utf8(&mut utf8);
        let fewest = match known.iter().any(|known| known == text) {
            true => 1,
            false => FEWEST,
        };
        if is_mark
            && !marks.contains(&mark)
            && separates(values, fewest, |value| part.has(value, text))
        {
            marks.push(mark);
        }
    }
    marks
}

/// Whether at least `fewest` texts say yes that have, or get, one outcome, and none of those that get, or have, the other
/// one.
fn separates(values: &Values, fewest: usize, says_yes: impl Fn(&str) -> bool) -> bool {
    let yes = |values: &[Value]| {
        let texts = values.iter().filter_map(|value| match value {
            Value::Str(text) => Some(&**text),
            _ => None,
        });
        texts.filter(|text| says_yes(text)).count()
    };
    [false, true].into_iter().any(|outcome| {
        let changed = &values.changed[usize::from(outcome)];
        let others = &values.kept[usize::from(!outcome)];
        // Not all need to say yes: where every outcome is forced, some change that need not.
        match yes(changed) {
            _ if changed.is_empty() => false,
            0 => yes(others) >= fewest,
            some => some >= fewest && yes(others) == 0,
        }
    })
}

/// The text that a term asks about.
pub(super) fn text_of(term: &Term) -> Option<&Access> {
    match &term.access {
        Access::Method(text, ..) => Some(text),
        _ => None,
    }
}

/// What a term asks for.
pub(super) fn wanted(language: Language, term: &Term) -> Option<String> {
    match &term.access {
        Access::Method(_, _, arguments) => match &arguments[..] {
            [Access::Literal(literal)] => content(language, &literal.text),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(changed: &[&str], kept: &[&str]) -> Values {
        let texts = |all: &[&str]| {
            let text = |text: &&str| Value::Str((*text).into());
            all.iter().map(text).collect()
        };
        Values {
            changed: [texts(changed), vec![]],
            kept: [vec![], texts(kept)],
        }
    }

    #[test]
    fn marks_that_several_texts_share_on_one_side_decide() {
        let signed = values(&["142"], &["-12", "-7", "33"]);
        assert_eq!(marks(&signed, TextPart::Start, &[]), vec!['-']);
        assert_eq!(marks(&signed, TextPart::End, &[]), Vec::<char>::new());
        let comments = values(&["#a", "# b"], &["c", "d;"]);
        assert_eq!(marks(&comments, TextPart::Start, &[]), vec!['#']);
    }

    #[test]
    fn one_text_alone_and_letters_decide_nothing() {
        let alone = values(&["#a;"], &["c", "d", "e"]);
        let letters = values(&["ab"], &["ba", "bb"]);
        for values in [alone, letters] {
            assert_eq!(marks(&values, TextPart::Start, &[]), Vec::<char>::new());
        }
    }

    #[test]
    fn a_mark_that_the_function_has_may_decide_for_one_text() {
        let alone = values(&["?a;"], &["/c", "/d"]);
        let known = ["?".to_owned(), "/".to_owned()];
        assert_eq!(marks(&alone, TextPart::Start, &known), vec!['?', '/']);
        assert_eq!(marks(&alone, TextPart::End, &known), Vec::<char>::new());
    }

    #[test]
    fn what_is_asked_anywhere_may_decide_for_one_text() {
        let hexadecimal = values(&["0x12"], &["012", "x"]);
        assert!(separates(&hexadecimal, 1, |text| text.starts_with("0x")));
        assert!(!separates(&hexadecimal, 1, |text| text.starts_with('0')));
    }
}

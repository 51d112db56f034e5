//! Comparisons that a compiler accepts and that nobody writes: an unsigned operand with a number below zero, and an enumerator
//! with something of another type.

use nopol_expr::CmpOp;

use crate::condition::Node;
use crate::words::words;
use crate::{Site, Sources};

/// The number of such comparisons in a condition at a site.
pub fn comparisons(sources: &Sources, site: &Site, tree: &Node) -> usize {
    let compared = tree.compared();
    let is_strange = |(_, op, a, b): &&(&Node, CmpOp, &Node, &Node)| {
        is_below_zero(sources, site, *op, [a, b])
            || [(a, b), (b, a)].into_iter().any(|(operand, other)| {
                mixes_enumerators(sources, site, *op, &operand.text, &other.text)
            })
    };
    compared.iter().filter(is_strange).count()
}

/// Whether an unsigned operand is ordered with 0 or less. `0 < n` and `n > 0` are what people write.
fn is_below_zero(sources: &Sources, site: &Site, op: CmpOp, [a, b]: [&Node; 2]) -> bool {
    let is_usual = match op {
        CmpOp::Gt => &*b.text == "0",
        CmpOp::Lt => &*a.text == "0",
        _ => false,
    };
    let is_low = |text: &str| text.starts_with('-') || text == "0";
    let asks = |operand: &Node, other: &Node| {
        is_low(other.text.trim_matches(['(', ')']))
            && declared_type(sources, site, &operand.text).is_some_and(is_unsigned)
    };
    op.orders() && !is_usual && (asks(a, b) || asks(b, a))
}

/// Whether an operand is compared with an enumerator of a type that it does not have. Numbers of all sizes hold enumerators, but
/// a size is none; and only enumerators that bound something are asked for their order.
fn mixes_enumerators(
    sources: &Sources,
    site: &Site,
    op: CmpOp,
    operand: &str,
    other: &str,
) -> bool {
    let mut constants = sources.constants.iter();
    let owner = constants.find_map(|it| (it.name == other).then_some(it.owner.as_ref()?));
    let (Some(owner), Some(ty)) = (owner, declared_type(sources, site, operand)) else {
        return false;
    };
    let has_word = |word: &str| ty.split_whitespace().any(|it| it == word);
    let name = owner.trim_start_matches("enum").trim();
    let is_bound = match is_length(operand) {
        // Arrays have as many elements as a type has enumerators; texts have not.
        true => is_of_no_type(owner),
        false => bounds_something(sources, owner, other),
    };
    if has_word(name) || ty.contains(['*', '[']) || is_bound {
        return false;
    }
    let is_size = ["size_t", "ssize_t", "float", "double", "bool", "_Bool"];
    let is_number = ["char", "short", "int", "long", "unsigned"];
    let is_sized =
        |word: &str| (word.starts_with("uint") || word.starts_with("int")) && word.ends_with("_t");
    let is_size = is_size.into_iter().any(has_word);
    let is_number = is_number.into_iter().any(has_word) || ty.split_whitespace().any(is_sized);
    is_size || is_number && op.orders()
}

/// Whether an enumerator is a number of things: it is the last of its type, or its type has no name, or the program compares by order with it, or has
/// an array of so many elements.
fn bounds_something(sources: &Sources, owner: &str, name: &str) -> bool {
    let is_last = sources.last_enumerators.contains(name);
    let is_compared = |text: &str| {
        words(text)
            .into_iter()
            .filter(|at| &text[at.clone()] == name)
            .any(|at| {
                let before = text[..at.start].trim_end();
                let after = text[at.end..].trim_start();
                before.ends_with(['<', '>', '['])
                    || before.ends_with("<=")
                    || before.ends_with(">=")
                    || after.starts_with(['<', '>'])
            })
    };
    is_last || is_of_no_type(owner) || sources.files.iter().any(|file| is_compared(&file.text))
}

/// Whether a constant stands in an `enum` without a name, as constants do that are no kinds of anything.
fn is_of_no_type(owner: &str) -> bool {
    owner.starts_with("enum at ")
}

/// Whether an operand is the length of a text.
fn is_length(operand: &str) -> bool {
    let lengths = [
        "strlen", "strnlen", "strspn", "strcspn", "wcslen", "wcsnlen",
    ];
    let called = operand.split_once('(').map(|(called, _)| called.trim());
    operand.ends_with(')') && called.is_some_and(|called| lengths.contains(&called))
}

fn is_unsigned(ty: &str) -> bool {
    let mut words = ty.split_whitespace();
    words.any(|word| word == "unsigned" || word == "size_t" || word.starts_with("uint"))
        && !ty.contains(['*', '['])
}

/// The type of a variable, or that of its last member if all members of that name have the same, or that of a text's length.
fn declared_type<'s>(sources: &'s Sources, site: &'s Site, operand: &str) -> Option<&'s str> {
    if let Some(name) = site.names.iter().find(|name| name.text == operand) {
        return Some(&name.ty.as_ref()?.plain);
    }
    if is_length(operand) {
        return Some("size_t");
    }
    let member = operand.rsplit(['.', '>']).next()?;
    if member.len() == operand.len() {
        return None;
    }
    let fields = sources.types.iter().flat_map(|ty| &ty.fields);
    let mut types = fields
        .filter(|(name, _)| name == member)
        .map(|(_, ty)| ty.plain.as_str());
    let first = types.next()?;
    types.all(|ty| ty == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::Language;
    use crate::c::language::Files;

    #[test]
    fn what_nobody_compares_is_counted() {
        let text = "typedef unsigned long size_t;\nenum color { RED, GREEN, BLUE, COLORS };\nenum { LONGEST = 9 };\nstruct s { size_t size; enum color color; int n; unsigned char small; };\n\
                    int f(struct s *s, const char *name)\n{\n    if (s->size > 0)\n        return 1;\n    return 0;\n}\n";
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.c"), text).unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let sources = crate::c::read(root, &Files::new(vec!["a.c".into()]), &|_| true);
        let site = sources
            .sites
            .iter()
            .find(|site| site.text.starts_with("s->size"))
            .unwrap();
        let number = |text: &str| comparisons(&sources, site, &Language::C.parse(text).unwrap());
        for usual in [
            "s->size > 0",
            "s->size > 1",
            "s->n > -1",
            "s->color == BLUE",
            "s->color < BLUE",
            "s->n == RED",
            "s->small == BLUE",
            "s->size < COLORS",
            "s->n >= COLORS",
            "other > RED",
            "strlen(name) > 0",
            "strlen(name) == LONGEST",
            "strlen(name) == (size_t)s->n",
        ] {
            assert_eq!(number(usual), 0, "{usual}");
        }
        for strange in [
            "s->size > -1",
            "s->size >= 0",
            "s->size > BLUE",
            "RED == s->size",
            "s->n > RED",
            "s->small > GREEN",
            "strlen(name) == BLUE",
            "strlen(name) != COLORS",
            "strlen(name) >= 0",
        ] {
            assert_eq!(number(strange), 1, "{strange}");
        }
    }
}

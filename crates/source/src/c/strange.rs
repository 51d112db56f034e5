//! Comparisons that a compiler accepts and that nobody writes: an unsigned operand with a number below zero, and an enumerator
//! with something of another type.

use nopol_expr::CmpOp;

use crate::condition::Node;
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

/// Whether an operand is compared with an enumerator of a type that it does not have. In an `int` there may be one, but nobody
/// asks for its order.
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
    let is_number = [
        "char", "short", "long", "float", "double", "size_t", "ssize_t", "bool", "_Bool",
    ];
    let is_number = is_number.into_iter().any(has_word)
        || ty
            .split_whitespace()
            .any(|it| (it.starts_with("uint") || it.starts_with("int")) && it.ends_with("_t"));
    let is_plain = ["int", "unsigned"].into_iter().any(has_word);
    let name = owner.trim_start_matches("enum").trim();
    !has_word(name) && (is_number || is_plain && op.orders())
}

fn is_unsigned(ty: &str) -> bool {
    let mut words = ty.split_whitespace();
    words.any(|word| word == "unsigned" || word == "size_t" || word.starts_with("uint"))
        && !ty.contains(['*', '['])
}

/// The type of a variable, or that of its last member if all members of that name have the same.
fn declared_type<'s>(sources: &'s Sources, site: &'s Site, operand: &str) -> Option<&'s str> {
    if let Some(name) = site.names.iter().find(|name| name.text == operand) {
        return Some(&name.ty.as_ref()?.plain);
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
        let text = "typedef unsigned long size_t;\nenum color { RED, BLUE };\nstruct s { size_t size; enum color color; int n; };\n\
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
            "other > RED",
        ] {
            assert_eq!(number(usual), 0, "{usual}");
        }
        for strange in [
            "s->size > -1",
            "s->size >= 0",
            "s->size > BLUE",
            "RED == s->size",
            "s->n > RED",
        ] {
            assert_eq!(number(strange), 1, "{strange}");
        }
    }
}

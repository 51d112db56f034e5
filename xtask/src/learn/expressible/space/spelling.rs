//! Conditions as texts: spellings that mean the same, and what one condition has besides another.

use std::collections::BTreeSet;

use cargo_nopol::rank::canonical::canonical;
use nopol_expr::Type;
use nopol_source::Language;
use nopol_source::condition::{Node, Shape};
use nopol_source::words::words;

/// A condition with `a == B || a == C` in place of `matches!(a, B | C)`, which says the same of what has no content.
pub(super) fn without_matches(condition: &str) -> Option<String> {
    let start = condition.find("matches!(")?;
    let inside = &condition[start + "matches!(".len()..];
    let end = inside.find(')')?;
    let (of, patterns) = inside[..end].split_once(',')?;
    let of = of.trim();
    let is_plain = |text: &str| !text.contains(['(', '{', '.']);
    let patterns = patterns.split('|').map(str::trim);
    let clauses = patterns.map(|one| is_plain(one).then(|| format!("{of} == {one}")));
    let clauses = clauses.collect::<Option<Vec<_>>>()?.join(" || ");
    Some(format!(
        "{}({clauses}){}",
        &condition[..start],
        &inside[end + 1..]
    ))
}

/// Whether it is the least or the largest value of an integer type.
pub(super) fn is_extreme(text: &str) -> bool {
    let parts = text.rsplit_once("::");
    parts.is_some_and(|(ty, name)| {
        matches!(name, "MAX" | "MIN") && Type::from_name(ty).is_some_and(|ty| ty != Type::F64)
    })
}

/// A condition with `i < v.len() && v[i] == x` in place of `v.get(i) == Some(&x)`, where the old one had `v[i] == x`.
pub(super) fn without_get(old: &str, new: &str) -> Option<String> {
    let (list, rest) = new.split_once(".get(")?;
    let (index, rest) = rest.split_once(") == Some(&")?;
    let (value, rest) = rest.split_once(')')?;
    // Back to the parenthesis around the list, or to what separates it from another operand.
    let mut depth = 0_usize;
    let start = list.rfind(|c| {
        match c {
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            ' ' | '!' | '(' if depth == 0 => return true,
            _ => {}
        }
        false
    });
    let start = start.map_or(0, |at| at + 1);
    let (before, list) = list.split_at(start);
    let element = format!("{list}[{index}] == {value}");
    let is_same = bare(old).contains(&bare(&element));
    is_same.then(|| format!("{before}{index} < {list}.len() && {element}{rest}"))
}

/// Names before a parenthesis: of functions, methods and macros.
pub(super) fn called(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices('(') {
        let head = text[..at].trim_end_matches('!');
        let start = head
            .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
            .len();
        let is_name = head[start..].starts_with(|c: char| c.is_lowercase() || c == '_');
        if is_name {
            names.insert(head[start..].to_owned());
        }
    }
    names
}

/// Without white space, without the references before it, and with `it` for the parameter of each closure.
pub(super) fn bare(text: &str) -> String {
    let text = with_it(text.split_whitespace().collect());
    // The same, where a variant has one field.
    let text = text.replace("(_)", "(..)");
    let bare = text.trim_start_matches(['&', '*']);
    match bare
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inside) if !inside.contains(['(', ')']) => bare_owned(inside),
        _ => bare.to_owned(),
    }
}

/// A text with `it` for the parameter of each closure that has one.
fn with_it(text: String) -> String {
    let mut text = text;
    let mut from = 0;
    while let Some(start) = text[from..].find('|').map(|at| from + at + 1) {
        from = start;
        let end = text[start..].find('|').map(|at| start + at);
        let Some(name) = end.map(|end| text[start..end].to_owned()) else {
            break;
        };
        let is_name = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            continue;
        }
        for range in words(&text[start..]).into_iter().rev() {
            let range = start + range.start..start + range.end;
            if text[range.clone()] == name {
                text.replace_range(range, "it");
            }
        }
        from = start + "it|".len();
    }
    text
}

fn bare_owned(text: &str) -> String {
    text.trim_start_matches(['&', '*']).to_owned()
}

/// One spelling for conditions that mean the same.
pub(super) fn spelled(text: &str) -> String {
    canonical(Language::Rust, &text.into())
}

/// The clauses of a condition, whatever joins them.
pub(super) fn atoms<'t>(node: &'t Node, found: &mut Vec<&'t Node>) {
    match &node.shape {
        Shape::Not(inner) => atoms(inner, found),
        Shape::And(a, b) | Shape::Or(a, b) => {
            atoms(a, found);
            atoms(b, found);
        }
        _ => found.push(node),
    }
}

/// The clauses that the new condition has besides the old one, or in place of one of its parts; `None` if it is not the
/// old one otherwise.
pub(super) fn added<'t>(old: &Node, new: &'t Node) -> Option<Vec<&'t Node>> {
    if spelled(&old.text) == spelled(&new.text) {
        return Some(Vec::new());
    }
    if let (Shape::Not(a), Shape::Not(b)) = (&old.shape, &new.shape) {
        return added(a, b);
    }
    for is_and in [true, false] {
        let (before, after) = (old.clauses(is_and), new.clauses(is_and));
        if after.len() < 2 && before.len() < 2 {
            continue;
        }
        let mut gone: Vec<&Node> = Vec::new();
        let mut fresh: Vec<&'t Node> = after.clone();
        for clause in &before {
            match fresh
                .iter()
                .position(|other| spelled(&other.text) == spelled(&clause.text))
            {
                Some(at) => _ = fresh.remove(at),
                None => gone.push(clause),
            }
        }
        match (&gone[..], &fresh[..]) {
            ([], [_, ..]) => return Some(fresh),
            ([one], [_, ..]) if before.len() > 1 || after.len() > 1 => {
                let inside = fresh.iter().enumerate().find_map(|(at, clause)| {
                    let mut of_one = added(one, clause)?;
                    let others = fresh.iter().enumerate().filter(|(nth, _)| *nth != at);
                    of_one.extend(others.map(|(_, clause)| *clause));
                    Some(of_one)
                });
                if inside.is_some() {
                    return inside;
                }
                // One part is replaced.
                if before.len() > 1 {
                    return Some(fresh);
                }
            }
            _ => {}
        }
    }
    // One operand is replaced.
    match (&old.shape, &new.shape) {
        (Shape::Cmp(p, a, b), Shape::Cmp(q, c, d)) => {
            let is_same = |a: &Node, b: &Node| bare(&a.text) == bare(&b.text);
            let is_kept = p == q && (is_same(a, c) || is_same(b, d))
                || p.mirrored() == *q && (is_same(a, d) || is_same(b, c));
            is_kept.then(|| vec![new])
        }
        _ => None,
    }
}

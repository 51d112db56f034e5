//! The source text of an array element to which an assignment would have to be made.

/// The element with this number of the array that the statement assigns to, as in `t[3]`; `expression` is what the statement
/// computes: what is assigned, or, as in `t[i]++`, all of it.
pub fn element(statement: &str, expression: &str, index: i128) -> String {
    let target = target(statement, expression);
    match target.and_then(array) {
        Some(array) => format!("{array}[{index}]"),
        None => format!("element {index}"),
    }
}

/// The text up to the end of what is assigned to.
fn target<'t>(statement: &'t str, expression: &'t str) -> Option<&'t str> {
    let steps = ["++", "--"];
    if let Some(target) = steps.iter().find_map(|step| expression.strip_suffix(step)) {
        return Some(target.trim_end());
    }
    if let Some(target) = steps.iter().find_map(|step| expression.strip_prefix(step)) {
        return Some(target);
    }
    let (before, _) = statement.rsplit_once(expression)?;
    let before = before.trim_end().strip_suffix('=')?;
    let is_operator = |c: char| "+-*/%&|^<>".contains(c);
    Some(before.trim_end_matches(is_operator).trim_end())
}

/// What is indexed at the end of a text that ends with an index: `p->t` of `x = 1, p->t[i + 1]`.
fn array(target: &str) -> Option<&str> {
    let array = &target[..opening(target)?];
    let mut start = array.len();
    while let Some(last) = array[..start].chars().next_back() {
        let before = &array[..start];
        start = match last {
            ']' | ')' => opening(before)?,
            '>' if before.ends_with("->") => start - 2,
            '.' | '_' => start - 1,
            _ if last.is_alphanumeric() => start - last.len_utf8(),
            _ => break,
        };
    }
    let array = &array[start..];
    (!array.is_empty()).then_some(array)
}

/// Where the bracket or parenthesis opens that ends a text.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' | ')' => depth += 1,
            '[' | '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at + 1 < text.len()).then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::element;

    #[test]
    fn an_element_is_written_as_the_source_does() {
        for (statement, expression, wanted) in [
            ("t[i] = x + 1;", "x + 1", "t[3]"),
            ("t[t[0] + (i)] += 2;", "2", "t[3]"),
            ("p->rows[i][j] = 0;", "0", "p->rows[i][3]"),
            ("t[n]++;", "t[n]++", "t[3]"),
            ("--(*p).t[n];", "--(*p).t[n]", "(*p).t[3]"),
            ("for (i = 0, t[n] = 7; i < n; i++)", "7", "t[3]"),
            ("self.cells[at] = self.next;", "self.next", "self.cells[3]"),
            ("PUT(t, 5);", "5", "element 3"),
            ("*p = 5;", "5", "element 3"),
        ] {
            assert_eq!(element(statement, expression, 3), wanted, "{statement}");
        }
    }
}

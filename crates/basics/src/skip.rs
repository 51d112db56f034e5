//! The comment by which a user excludes code from every search.

/// Whether a line directly above an item, or among its attributes, is the comment `// nopol: skip`. The item begins at
/// `start`; its own text, without its body, ends at `end_of_head`.
pub fn is_marked_skip(text: &str, start: usize, end_of_head: usize) -> bool {
    let marked = |line: &str| {
        line.trim()
            .strip_prefix("//")
            .is_some_and(|comment| comment.trim_start_matches('/').trim() == "nopol: skip")
    };
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    text[..line_start]
        .lines()
        .rev()
        .take_while(|line| {
            line.trim_start().starts_with("//") || line.trim_start().starts_with('#')
        })
        .any(marked)
        || text[line_start..end_of_head.max(line_start)]
            .lines()
            .any(marked)
}

#[cfg(test)]
mod tests {
    use super::is_marked_skip;

    #[test]
    fn a_comment_above_an_item_or_among_its_attributes_marks_it() {
        let is_marked = |text: &str| {
            let head = text.find("fn").unwrap();
            let start = text.find("#[").map_or(head, |at| at.min(head));
            is_marked_skip(text, start, head)
        };
        assert!(is_marked("// nopol: skip\nfn f() {}"));
        assert!(is_marked("/// Text.\n// nopol: skip\n/// Text.\nfn f() {}"));
        assert!(is_marked("#[inline]\n// nopol: skip\nfn f() {}"));
        assert!(!is_marked("// nopol: skip\n\nfn f() {}"));
        assert!(!is_marked("// nopol: skipped\nfn f() {}"));
    }
}

//! Program text and sentences in Markdown: whatever stands in them, it ends neither the code nor the page around it.

/// As code in a line: between more backticks than there are in a row in it.
pub fn code(text: &str) -> String {
    let fence = "`".repeat(longest_row(text) + 1);
    // A backtick at an end would be read as one of the fence.
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// As a block of its own, in this language; without a newline at its end.
pub fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_row(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A sentence, of which what stands between single backticks is code; the rest is not read as HTML.
pub fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let last = text.matches('`').count();
    let parts = parts.map(|(nth, part)| match nth % 2 == 1 && nth < last {
        true => part.to_owned(),
        false => escaped(part),
    });
    parts.collect::<Vec<String>>().join("`")
}

/// As no HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The most backticks in a row.
fn longest_row(text: &str) -> usize {
    let rows = text.split(|letter| letter != '`').map(str::len);
    rows.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_code() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("c == '`'"), "``c == '`'``");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(fenced("diff", "+a"), "```diff\n+a\n```");
        assert_eq!(fenced("diff", " ```\n ~~~"), "````diff\n ```\n ~~~\n````");
        assert_eq!(fenced("", "``````"), "```````\n``````\n```````");
    }

    #[test]
    fn html_is_escaped_outside_of_code() {
        assert_eq!(
            prose("`a < b` is <b> & `c`"),
            "`a < b` is &lt;b&gt; &amp; `c`"
        );
        // A backtick that nothing ends is no code.
        assert_eq!(prose("a ` <img>"), "a ` &lt;img&gt;");
    }
}

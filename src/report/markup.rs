//! Program text and sentences in Markdown. No text can end its code span or block, or change the page around it.

/// An inline code span, fenced by one backtick more than the longest row of backticks in the text. Line breaks become
/// spaces, because a new line could start a block.
pub fn code(text: &str) -> String {
    let words: Vec<&str> = text.lines().map(str::trim).collect();
    let text = words.join(" ");
    let text = text.as_str();
    let fence = "`".repeat(longest_row(text) + 1);
    // A backtick at either end would otherwise join the fence.
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// A code block in this language, without a newline at its end.
pub fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_row(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A paragraph. Text between two rows of equally many backticks is code; in the rest, HTML is escaped. No line of it
/// can start a code block.
pub fn prose(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        result += &escaped(&rest[..start]);
        rest = &rest[start..];
        let row = rest.len() - rest.trim_start_matches('`').len();
        let (fence, after) = rest.split_at(row);
        match closing(after, row) {
            Some(end) => {
                let inside = after[..end].replace('\n', " ");
                result += &format!("{fence}{inside}{fence}");
                rest = &after[end + row..];
            }
            None => {
                // A row of backticks without a closing row is text.
                result += &"\\`".repeat(row);
                rest = after;
            }
        }
    }
    result + &escaped(rest)
}

/// The byte of the next row of exactly this many backticks.
fn closing(text: &str, row: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`') {
        let start = at + start;
        let len = text[start..].len() - text[start..].trim_start_matches('`').len();
        if len == row {
            return Some(start);
        }
        at = start + len;
    }
    None
}

/// Escapes HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The length of the longest row of backticks.
fn longest_row(text: &str) -> usize {
    let rows = text.split(|letter| letter != '`').map(str::len);
    rows.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_own_code() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("c == '`'"), "``c == '`'``");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(fenced("diff", "+a"), "```diff\n+a\n```");
        assert_eq!(fenced("diff", " ```\n ~~~"), "````diff\n ```\n ~~~\n````");
        assert_eq!(fenced("", "``````"), "```````\n``````\n```````");
    }

    #[test]
    fn html_is_escaped_outside_code() {
        assert_eq!(
            prose("`a < b` is <b> & `c`"),
            "`a < b` is &lt;b&gt; &amp; `c`"
        );
        // A backtick without a closing one is not code.
        assert_eq!(prose("a ` <img>"), "a \\` &lt;img&gt;");
    }

    #[test]
    fn a_line_of_backticks_in_code_starts_no_block() {
        let text = "a != \"\n```\n<img src=x>\n\"";
        assert_eq!(code(text), "````a != \" ``` <img src=x> \"````");
        let sentence = format!("change it to {} <b>", code(text));
        assert_eq!(
            prose(&sentence),
            "change it to ````a != \" ``` <img src=x> \"```` &lt;b&gt;"
        );
        assert_eq!(prose("```\n<b>"), "\\`\\`\\`\n&lt;b&gt;");
    }
}

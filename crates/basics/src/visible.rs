//! Text of others, such as names, messages and source lines, as people and logs may see it: nothing in it moves the cursor,
//! turns the direction of what follows, or is read as a command.

/// What stands for a character that is not shown.
const INSTEAD: char = char::REPLACEMENT_CHARACTER;

/// Whether a reader does not see a character that may change how others are seen: controls but tab and the ends of lines, what
/// turns the direction of text, and what XML cannot hold.
pub fn is_hidden(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{fffe}' | '\u{ffff}' => true,
        letter => letter.is_control(),
    }
}

/// A text of several lines: a replacement character stands for each hidden one, and all lines end with a newline.
pub fn text(text: &str) -> String {
    let shown = text.replace("\r\n", "\n");
    let shown = shown.chars().map(|letter| match letter {
        '\r' => INSTEAD,
        letter if is_hidden(letter) => INSTEAD,
        letter => letter,
    });
    shown.collect()
}

/// A name, in one line: hidden characters and ends of lines are escaped as in a string of Rust.
pub fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(letter) || matches!(letter, '\t' | '\n' | '\r') {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}

/// As [`text`], of a text with colours and weights of our own (`ESC [ … m`), which stay.
pub fn styled(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut parts = text.split('\u{1b}');
    shown += &self::text(parts.next().unwrap_or_default());
    for part in parts {
        let style = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let is_style = |codes: &str| {
            codes
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b';')
        };
        match style.filter(|(codes, _)| is_style(codes)) {
            Some((codes, rest)) => {
                shown += "\u{1b}[";
                shown += codes;
                shown.push('m');
                shown += &self::text(rest);
            }
            None => {
                shown.push(INSTEAD);
                shown += &self::text(part);
            }
        }
    }
    shown
}

/// A text whose lines GitHub Actions does not read as commands (`::error::…`, `##[error]…`), as its log would otherwise.
pub fn uncommanding(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start();
        shown += &line[..line.len() - rest.len()];
        if rest.starts_with("::") {
            shown.push(INSTEAD);
        }
        shown += &rest.replace("##[", "#\u{fffd}#[");
    }
    shown
}

/// What goes to a terminal or a log for people, styles included.
pub fn for_people(text: &str) -> String {
    let shown = styled(text);
    match std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true") {
        true => uncommanding(&shown),
        false => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: [char; 12] = [
        '\u{0}', '\u{7}', '\u{8}', '\u{b}', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{200f}',
        '\u{202e}', '\u{2066}', '\u{2028}',
    ];

    #[test]
    fn nothing_hidden_is_left_and_everything_else_is() {
        for bad in BAD {
            let given = format!("a{bad}b\tc\r\nd\re");
            assert_eq!(text(&given), "a\u{fffd}b\tc\nd\u{fffd}e");
            assert_eq!(styled(&given), text(&given));
            assert!(
                !line(&given)
                    .chars()
                    .any(|letter| is_hidden(letter) || letter.is_control())
            );
        }
        assert_eq!(line("ä\n\u{1b}[2K`x`"), "ä\\n\\u{1b}[2K`x`");
        assert_eq!(text("ä → 漢字 🦀\n"), "ä → 漢字 🦀\n");
    }

    #[test]
    fn only_styles_stay_of_escape_sequences() {
        let given = "\u{1b}[1m\u{1b}[38;5;10mbold\u{1b}[0m\u{1b}[2K\u{1b}]0;title\u{7}\u{1b}[1A";
        let shown =
            "\u{1b}[1m\u{1b}[38;5;10mbold\u{1b}[0m\u{fffd}[2K\u{fffd}]0;title\u{fffd}\u{fffd}[1A";
        assert_eq!(styled(given), shown);
    }

    #[test]
    fn no_line_is_a_command_of_github_actions() {
        let given = "a ::b\n  ::stop-commands::x\n::add-mask::y\nx ##[error]z\n+::w\n";
        let shown = uncommanding(given);
        let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
        assert!(!shown.lines().any(is_command), "{shown}");
        assert_eq!(shown.lines().count(), 5);
        assert!(
            shown.contains("a ::b\n") && shown.ends_with("\n+::w\n"),
            "{shown}"
        );
    }
}

//! Text of others, such as names, messages and source lines, as people and logs may see it: nothing in it moves the cursor,
//! turns the direction of what follows, or is read as a command.

/// Whether a reader does not see a character that may change how others are seen: controls but tab and newline, and what
/// turns the direction of text.
pub fn is_hidden(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        letter => letter.is_control(),
    }
}

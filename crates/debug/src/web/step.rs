//! A step of a session, and its form for the page. All sizes are bounded.

use serde_json::json;

/// The most bytes of text, and of a line of source.
const TEXT: usize = 64 << 10;
const LINE: usize = 500;

/// The most bytes of a picture; a larger one is left out.
const PICTURE: usize = 4 << 20;

/// Lines of source that are shown before and after the current one.
const AROUND: usize = 100;

/// A command and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What the user typed.
    pub command: String,
    /// What the session answered: plain text, which may contain diffs.
    pub text: String,
    /// Where the program is, if that changed or is to be shown again.
    pub place: Option<SourceLine>,
    /// The heap as an SVG file, if it is shown.
    pub picture: Option<String>,
}

/// A line of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as it is shown to the user.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The text of the whole file. Only the part around the line is kept.
    pub source: String,
}

impl Step {
    /// What the page gets.
    pub(super) fn json(&self, number: usize) -> String {
        let picture = self.picture.as_deref();
        json!({
            "number": number,
            "command": cut(&self.command, LINE),
            "text": cut(&self.text, TEXT),
            "place": self.place.as_ref().map(SourceLine::json),
            "picture": picture.filter(|picture| picture.len() <= PICTURE),
            "tooLarge": picture.is_some_and(|picture| picture.len() > PICTURE),
        })
        .to_string()
    }
}

impl SourceLine {
    fn json(&self) -> serde_json::Value {
        let line = usize::try_from(self.line).unwrap_or(usize::MAX);
        let before = line.saturating_sub(AROUND + 1);
        let lines = self.source.lines().skip(before).take(2 * AROUND + 1);
        json!({
            "file": cut(&self.file, LINE),
            "line": self.line,
            "first": before + 1,
            "lines": lines.map(|line| cut(line, LINE)).collect::<Vec<_>>(),
        })
    }
}

/// The text, or as much of its beginning as is allowed.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at));
    format!("{}…", &text[..end.unwrap_or_default()])
}

//! Describes a change in a few words: the new text, its extent and its place. Different changes have different
//! descriptions.

use nopol_source::{Form, Site, Sources};

use super::comments::line_start;

/// Most characters shown of the program text that a change encloses or precedes.
const MOST_TEXT: usize = 60;

/// The description of a condition at a site: `` `if n == 0 { return; }` before line 7 ``.
pub fn change(sources: &Sources, site: &Site, condition: &str) -> String {
    let file = &sources.files[site.file];
    let place = SiteText {
        text: &file.text,
        site,
    };
    let condition = &*in_one_line(condition);
    let text = in_one_line(&site.template.line(site, condition));
    match site.kind.form() {
        Form::Replace | Form::Compute => format!("`{condition}` on {}", place.line()),
        Form::Narrow => format!("`{text}` on {}, column {}", place.line(), site.column),
        Form::Branch => format!("`{text}` after {}", place.line()),
        Form::Leave => match site.assertion() {
            Some((assertion, message)) => {
                format!(
                    "`{}` {}",
                    assertion.text(condition, message),
                    place.before()
                )
            }
            None => format!("`{text}` {}", place.before()),
        },
        Form::Wrap => {
            let inside = in_one_line(&site.text);
            let inside = match inside.chars().count() > MOST_TEXT {
                true => "…",
                false => &inside,
            };
            match condition == sources.language.truth(file, false) {
                true => format!("`{inside}` removed, {}", place.lines()),
                false => {
                    let frame = site.template.frame(site);
                    let parts = [
                        &*frame.before,
                        condition,
                        &frame.after,
                        inside,
                        &frame.at_end,
                    ];
                    format!(
                        "`{}` in place of {}",
                        in_one_line(&parts.concat()),
                        place.lines()
                    )
                }
            }
        }
    }
}

/// The place of a site in its file.
struct SiteText<'a> {
    /// The text of its file.
    text: &'a str,
    site: &'a Site,
}

impl SiteText<'_> {
    fn line(&self) -> String {
        format!("line {}", self.site.line)
    }

    /// The lines of the site's own text.
    fn lines(&self) -> String {
        let first = self.site.line;
        match self.site.text.matches('\n').count() {
            0 => self.line(),
            more => format!("lines {first} to {}", first + more),
        }
    }

    /// `before line 7`. If other code precedes the site on its line, also the text after the insertion.
    fn before(&self) -> String {
        let at = self.site.span.start;
        let before = self.text[line_start(self.text, at)..at].trim();
        if before.is_empty() {
            return format!("before {}", self.line());
        }
        let rest = self.text[at..].lines().next().unwrap_or_default();
        let rest: String = rest.trim_end().chars().take(MOST_TEXT).collect();
        format!("before `{rest}` on {}", self.line())
    }
}

/// A text joined into one line, without indentation.
fn in_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    lines.join(" ")
}

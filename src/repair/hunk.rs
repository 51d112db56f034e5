//! The lines that an edit changes.

use nopol_source::Sources;

use super::fix::SiteEdit;
use crate::patch::edit::Edit;

/// The lines of a file that an edit replaces, and their replacement. Lines that do not change are in neither.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hunk<'t> {
    /// The file before the replaced lines.
    pub before: &'t str,
    /// The replaced lines. Empty if lines are only inserted.
    pub old: &'t str,
    /// The file after the replaced lines.
    pub after: &'t str,
    /// The new lines.
    pub new: String,
}

/// The hunk of an edit.
pub fn hunk<'t>(sources: &'t Sources, edit: &SiteEdit) -> Hunk<'t> {
    let site = &sources.sites[edit.site];
    let text: &str = &sources.files[site.file].text;
    let edit = Edit::at(sources, site, &edit.condition);
    let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[edit.span.end..]
        .find('\n')
        .map_or(text.len(), |at| edit.span.end + at + 1);
    let new = [
        &text[start..edit.span.start],
        &edit.after,
        &text[edit.span.end..end],
    ]
    .concat();
    let old = &text[start..end];
    let same = |a: &[&str], b: &[&str]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let mut lines = [old, &new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let head = same(&lines[0], &lines[1]);
    let before = length(&lines[0][..head]);
    for lines in &mut lines {
        lines.drain(..head);
        lines.reverse();
    }
    let tail = same(&lines[0], &lines[1]);
    let after = length(&lines[0][..tail]);
    Hunk {
        before: &text[..start + before],
        old: &text[start + before..end - after],
        after: &text[end - after..],
        new: new[before..new.len() - after].to_owned(),
    }
}

//! A patch in the style of rustc's messages.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use nopol_basics::visible;

use super::phrases::{advice, headline, sureness};
use super::{EditReport, PatchReport};

/// The patch as a compiler message, without colours.
pub fn plain(patch: &PatchReport) -> String {
    let title = headline(patch);
    let id = format!("nopol::{}", patch.kind);
    let first = Group::with_title(Level::WARNING.primary_title(&*title).id(&*id));
    let note = format!("{}: {}", sureness(patch), patch.why);
    render(patch, first, &[note], &Renderer::plain())
}

/// The patch for people, with ANSI colours: titled with its number, with its confidence and notes below it.
pub fn styled(patch: &PatchReport, notes: &[String]) -> String {
    let mut all = vec![format!("{}: {}", sureness(patch), patch.why)];
    all.extend_from_slice(notes);
    named(patch, &format!("patch {}", patch.rank), &all)
}

/// The patch for people who review all patches one by one. `number` is the number of patches. Only these notes are
/// below it.
pub fn one_of(patch: &PatchReport, number: usize, notes: &[String]) -> String {
    named(patch, &format!("patch {} of {number}", patch.rank), notes)
}

/// The patch for people, while the search goes on.
pub fn so_far(patch: &PatchReport) -> String {
    named(
        patch,
        "so far",
        &[format!("{}: {}", sureness(patch), patch.why)],
    )
}

fn named(patch: &PatchReport, name: &str, notes: &[String]) -> String {
    let title = headline(patch);
    let first = Group::with_title(Level::NOTE.with_name(name).primary_title(&*title));
    render(patch, first, notes, &Renderer::styled().term_width(width()))
}

/// The width of the terminal. If there is no terminal, wide enough for most lines of code.
pub fn width() -> usize {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((terminal_size::Width(columns), _)) => usize::from(columns).max(40),
        None => 140,
    }
}

fn render<'a>(
    patch: &'a PatchReport,
    mut first: Group<'a>,
    notes: &'a [String],
    renderer: &Renderer,
) -> String {
    let mut files: BTreeMap<&str, Vec<&EditReport>> = BTreeMap::new();
    for edit in &patch.edits {
        files.entry(&edit.file).or_default().push(edit);
    }
    let advice = advice(patch);
    let mut second = Group::with_title(Level::HELP.secondary_title(&*advice));
    for (file, edits) in &files {
        let text = &*edits[0].original;
        let marks = edits
            .iter()
            .map(|edit| AnnotationKind::Primary.span(marked(edit)));
        first = first.element(Snippet::source(text).path(*file).annotations(marks));
        let patches = edits
            .iter()
            .map(|edit| Patch::new(edit.span.clone(), &*edit.after));
        second = second.element(Snippet::source(text).path(*file).patches(patches));
    }
    for note in notes {
        first = first.element(Level::NOTE.message(&**note));
    }
    visible::styled(&renderer.render(&[first, second])) + "\n"
}

/// The bytes to mark: the replaced text without line ends and spaces around it.
fn marked(edit: &EditReport) -> Range<usize> {
    let (Range { start, end }, before) = edit.marked();
    let leading = before.len() - before.trim_start().len();
    let trailing = before.len() - before.trim_end().len();
    match before.trim().is_empty() {
        true => start..end,
        false => start + leading..end - trailing,
    }
}

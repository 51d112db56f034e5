//! A patch in the style of rustc's own messages.

use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::phrases::{advice, headline, sureness};
use super::{EditReport, PatchReport};

/// Without colours.
pub fn plain(patch: &PatchReport) -> String {
    render(patch, &Renderer::plain())
}

/// With ANSI colours, for lines of so many columns.
pub fn styled(patch: &PatchReport, width: usize) -> String {
    render(patch, &Renderer::styled().term_width(width))
}

fn render(patch: &PatchReport, renderer: &Renderer) -> String {
    let mut files: BTreeMap<&str, Vec<&EditReport>> = BTreeMap::new();
    for edit in &patch.edits {
        files.entry(&edit.file).or_default().push(edit);
    }
    let title = headline(patch);
    let id = format!("nopol::{}", patch.kind);
    let mut first = Group::with_title(Level::WARNING.primary_title(&*title).id(&*id));
    let note = format!("{}: {}", sureness(patch), patch.why);
    let advice = advice(patch);
    let mut second = Group::with_title(Level::HELP.secondary_title(&*advice));
    for (file, edits) in &files {
        let text = &*edits[0].original;
        let marks = edits
            .iter()
            .map(|edit| AnnotationKind::Primary.span(edit.span.clone()));
        first = first.element(Snippet::source(text).path(*file).annotations(marks));
        let patches = edits
            .iter()
            .map(|edit| Patch::new(edit.span.clone(), &*edit.after));
        second = second.element(Snippet::source(text).path(*file).patches(patches));
    }
    first = first.element(Level::NOTE.message(&*note));
    renderer.render(&[first, second]) + "\n"
}

//! The file format of the patches that were written into the subject, so that they can be taken back. The format is
//! private to the tool.

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use super::patching::Change;

/// Incremented with every change of the format; files of other versions are not read.
const VERSION: u32 = 3;
/// Patches that can be taken back.
const MOST: usize = 20;

/// A patch that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The patch as the user named it, its rank or that of an alternative, and what came with it.
    pub name: String,
    /// The tests that it fixes.
    pub fixes: Vec<String>,
    /// What it changed.
    pub changes: Vec<Change>,
}

impl Applied {
    /// The patch or the alternative and what came with it, as a sentence names them.
    pub fn named(&self) -> String {
        self.kind().to_owned() + &self.name
    }

    /// The same without what came with it.
    pub fn patch(&self) -> String {
        self.kind().to_owned() + self.rank()
    }

    fn kind(&self) -> &'static str {
        match self.rank().contains('.') {
            true => "alternative ",
            false => "patch ",
        }
    }

    fn rank(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

/// The patches that made an old text of a file the one it has now, in the order in which they were applied, and what each
/// changed there; none if both are alike, `None` if they differ otherwise.
pub fn since<'p>(
    patches: &'p [Applied],
    path: &Utf8Path,
    old: &str,
    now: &str,
) -> Option<Vec<(&'p Applied, &'p Change)>> {
    let (mut text, mut since) = (now, Vec::new());
    let mut changes = patches.iter().rev().flat_map(|patch| {
        let of_file = patch.changes.iter().filter(|change| change.path == path);
        of_file.map(move |change| (patch, change))
    });
    while text != old {
        let (patch, change) = changes.find(|(_, change)| change.after == text)?;
        since.insert(0, (patch, change));
        text = &change.before;
    }
    Some(since)
}

#[derive(Serialize, Deserialize)]
struct Stack {
    version: u32,
    patches: Vec<Applied>,
}

/// The latest patches, the last one last, as the text of a file.
pub fn render(patches: &[Applied]) -> Option<String> {
    let stack = Stack {
        version: VERSION,
        patches: patches[patches.len().saturating_sub(MOST)..].to_vec(),
    };
    serde_json::to_string(&stack).ok()
}

/// Parses the result of [`render`]; nothing of any other text.
pub fn parse(text: &str) -> Vec<Applied> {
    let stack: Option<Stack> = serde_json::from_str(text).ok();
    stack
        .filter(|stack| stack.version == VERSION)
        .map_or_else(Vec::new, |stack| stack.patches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::patching::Presence;

    #[test]
    fn the_latest_patches_are_read_as_they_were_written() {
        let patch = |nth: usize| Applied {
            name: nth.to_string(),
            fixes: vec!["t".to_owned()],
            changes: vec![Change {
                path: "/a".into(),
                before: "b".to_owned(),
                after: "c".to_owned(),
                presence: Presence::Stays,
            }],
        };
        let all: Vec<Applied> = (0..30).map(patch).collect();
        assert_eq!(parse(&render(&all).unwrap()), all[10..]);
        assert_eq!(parse("{}"), []);
    }

    #[test]
    fn it_is_known_which_patches_changed_a_text() {
        let patch = |name: &str, path: &str, before: &str, after: &str| Applied {
            name: name.to_owned(),
            fixes: Vec::new(),
            changes: vec![Change {
                path: path.into(),
                before: before.to_owned(),
                after: after.to_owned(),
                presence: Presence::Stays,
            }],
        };
        let patches = [
            patch("1", "/a", "one", "two"),
            patch("2", "/b", "one", "two"),
            patch("3", "/a", "two", "three"),
        ];
        let names = |old: &str, now: &str| -> Option<Vec<&str>> {
            let since = since(&patches, "/a".into(), old, now)?;
            Some(since.iter().map(|(patch, _)| &*patch.name).collect())
        };
        assert_eq!(names("one", "three"), Some(vec!["1", "3"]));
        assert_eq!(names("two", "three"), Some(vec!["3"]));
        assert_eq!(names("x", "x"), Some(vec![]));
        assert_eq!(names("one", "edited"), None);
        assert_eq!(names("three", "one"), None);
    }
}

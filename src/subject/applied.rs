//! The file format of the patches that were written into the subject, so that they can be taken back. The format is
//! private to the tool.

use serde::{Deserialize, Serialize};

use super::patching::Change;

/// Incremented with every change of the format; files of other versions are not read.
const VERSION: u32 = 2;
/// Patches that can be taken back.
const MOST: usize = 20;

/// A patch that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The patch as the user named it, its rank or that of an alternative, and what came with it.
    pub name: String,
    /// What it changed.
    pub changes: Vec<Change>,
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

    #[test]
    fn the_latest_patches_are_read_as_they_were_written() {
        let patch = |nth: usize| Applied {
            name: nth.to_string(),
            changes: vec![Change {
                path: "/a".into(),
                before: "b".to_owned(),
                after: "c".to_owned(),
            }],
        };
        let all: Vec<Applied> = (0..30).map(patch).collect();
        assert_eq!(parse(&render(&all).unwrap()), all[10..]);
        assert_eq!(parse("{}"), []);
    }
}

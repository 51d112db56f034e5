//! Whether the documentation in a source may have doctests.

use syn::visit::Visit;
use syn::{Attribute, Expr, ExprLit, Lit, Macro, Meta};

/// Whether a source text may have an example in its documentation: a fence or an indented block in a comment, or
/// documentation from elsewhere. True if the text cannot be parsed.
pub fn may_have_examples(text: &str) -> bool {
    let has_marks = ["```", "~~~", "/**", "/*!", "doc"]
        .iter()
        .any(|mark| text.contains(mark))
        || text.lines().any(|line| {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            comment.is_some_and(is_indented)
        });
    has_marks
        && syn::parse_file(text).map_or(true, |file| {
            let mut documentation = Documentation::default();
            documentation.visit_file(&file);
            documentation.has_example
        })
}

/// Whether a line of a comment is indented like code, after the blank that follows the comment marker.
fn is_indented(line: &str) -> bool {
    line.starts_with("     ") || line.starts_with('\t') || line.starts_with(" \t")
}

/// Searches for examples.
#[derive(Default)]
struct Documentation {
    has_example: bool,
}

impl<'ast> Visit<'ast> for Documentation {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.has_example |= match &attribute.meta {
            Meta::NameValue(given) if given.path.is_ident("doc") => match &given.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => has_block(&text.value()),
                // The documentation is included from elsewhere, or composed.
                _ => true,
            },
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                list.tokens.to_string().contains("doc")
            }
            _ => false,
        };
    }

    fn visit_macro(&mut self, of: &'ast Macro) {
        // The output of a macro may have documentation from its input.
        let text = of.tokens.to_string();
        self.has_example |= text.contains("doc") && (has_fence(&text) || text.contains("     "));
    }
}

/// Whether a documentation comment, or one line of it, may have a code block.
fn has_block(text: &str) -> bool {
    let lines = || text.lines().map(str::trim_end);
    // A comment of several lines usually has a star on each line, or all lines are indented alike.
    let unstarred = |line: &str| match line.trim_start().strip_prefix('*') {
        Some(rest) => rest.to_owned(),
        None => line.to_owned(),
    };
    let mut rest = lines().skip(1).filter(|line| !line.trim().is_empty());
    let is_starred = rest.clone().all(|line| line.trim_start().starts_with('*'));
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let common = match is_starred {
        true => 0,
        false => rest.by_ref().map(indentation).min().unwrap_or(0),
    };
    has_fence(text)
        || lines().enumerate().any(|(number, line)| {
            let line = match is_starred {
                true => unstarred(line),
                false if number == 0 => line.to_owned(),
                // Rustdoc sees the line as if one blank preceded it.
                false => format!(" {}", line.get(common..).unwrap_or_default()),
            };
            !line.trim().is_empty() && is_indented(&line)
        })
}

fn has_fence(text: &str) -> bool {
    text.contains("```") || text.contains("~~~")
}

#[cfg(test)]
mod tests {
    use super::may_have_examples;

    #[test]
    fn examples_are_found_where_rustdoc_would_find_some() {
        for without in [
            "/** Adds one. */\npub fn f() {}\n",
            "/**\n * Adds one.\n *\n * To a number.\n */\npub fn f() {}\n",
            "/**\n    Adds one.\n    To a number.\n*/\npub fn f() {}\n",
            "fn f() -> bool { \"/**\".starts_with('/') } // ``` is no fence here\n",
            "/// Adds one: `n + 1`.\npub fn f() { let doc = \"```\"; }\n",
        ] {
            assert!(!may_have_examples(without), "{without}");
        }
        for with in [
            "/// ```\n/// f();\n/// ```\npub fn f() {}\n",
            "///     f();\npub fn f() {}\n",
            "/** ```\nf();\n``` */\npub fn f() {}\n",
            "/**\n * Adds one.\n *\n *     f();\n */\npub fn f() {}\n",
            "/**\n  Adds one.\n\n      f();\n*/\npub fn f() {}\n",
            "#![doc = include_str!(\"../README.md\")]\n",
            "#[cfg_attr(all(), doc = \"```\")]\npub fn f() {}\n",
            "m! {\n    /// ```\n    /// f();\n    /// ```\n    pub fn f() {}\n}\n",
            "/// ```\nfn (\n",
        ] {
            assert!(may_have_examples(with), "{with}");
        }
    }
}

//! The names of other files in `#line`, as generators of C write them. Compilers report errors under these names.

use std::ops::Range;

use super::branches::without_comments;

/// Where these names are in a text: what follows the number in `#line 3 "gen.y"` and `# 3 "gen.y" 1`.
pub fn line_names(text: &str) -> Vec<Range<usize>> {
    let mut names = Vec::new();
    let (mut start, mut is_in_comment) = (0, false);
    for line in text.split_inclusive('\n') {
        let name = name(line).filter(|_| !is_in_comment);
        names.extend(name.map(|name| start + name.start..start + name.end));
        without_comments(line, &mut is_in_comment);
        start += line.len();
    }
    names
}

fn name(line: &str) -> Option<Range<usize>> {
    let code = line.trim_end();
    let rest = code.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = after.trim_start();
    // What is masked by a comment must not end it.
    let is_name = after.len() < rest.len() && name.starts_with('"') && !name.contains("*/");
    is_name.then(|| code.len() - name.len()..code.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_line_directives_are_found() {
        let text = "#line 1 \"a.y\"\r\n # 22 \"b c.y\" 1\n#line 3\n/*\n# 4 \"d.y\"\n*/\n#include \"e.h\"\n\
                    char *s = \"# 5 \\\"f.y\\\"\";\n#line 6 /* g */ \"g.y\"\n";
        let names: Vec<&str> = line_names(text)
            .into_iter()
            .map(|name| &text[name])
            .collect();
        assert_eq!(names, ["\"a.y\"", "\"b c.y\" 1"]);
    }
}

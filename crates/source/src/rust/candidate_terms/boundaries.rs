//! Candidate terms that test whether a string can be split where the function splits it: `s.is_char_boundary(n)` for
//! `&s[..n]`. Other slices are guarded by comparing a position with a length, which every search tries.

use super::{Generator, guess};
use crate::candidate_terms::TermText;
use crate::words::words;

impl Generator<'_> {
    /// Tests whether there is a character boundary where the function splits a string.
    pub(super) fn boundaries(&self) -> Vec<TermText> {
        let is_visible = |text: &str| {
            let words = words(text);
            let root = words.first().map(|word| text[word.clone()].to_owned());
            root.is_some_and(|name| self.is_visible(&name))
        };
        let may_be_text = |text: &str| {
            let mut known = self.operands.iter().filter(|it| it.text == text);
            let ty = known.find_map(|it| it.ty.as_ref());
            ty.is_none_or(|ty| matches!(&*ty.plain, "str" | "String"))
        };
        let fits = |[of, at]: &&[String; 2]| {
            let is_constant = !at.contains(char::is_lowercase);
            may_be_text(of) && is_visible(of) && (is_constant || is_visible(at))
        };
        let fitting = self.function.splits.iter().filter(fits);
        fitting
            .map(|[of, at]| guess(format!("{of}.is_char_boundary({at})")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate_terms;
    use crate::rust::read_text;

    #[test]
    fn a_split_string_is_tested_for_a_boundary() {
        let text =
            "const TAG: usize = 4; fn f(text: &str, bytes: &[u8], n: usize) -> (&str, &[u8]) {
            if text.len() < TAG { return (text, bytes); }
            g(text.split_at(TAG)); (&text[n..], &bytes[..n])
        }";
        let sources = read_text(text);
        let mut sites = sources.sites.iter();
        let site = sites.find(|site| site.text == "text.len() < TAG").unwrap();
        let terms = candidate_terms::at(&sources, site).into_iter();
        let asked: Vec<String> = terms
            .map(|term| term.text)
            .filter(|text| text.contains("boundary"))
            .collect();
        assert_eq!(
            asked,
            ["text.is_char_boundary(TAG)", "text.is_char_boundary(n)"]
        );
    }
}

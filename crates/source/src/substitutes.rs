//! Replacements for a variable, a field or a function: others of the same type. If the source does not spell out a
//! type, the compiler decides.

use std::ops::Range;

use super::words::words;
use super::{DeclaredType, Function, Name, Site, Sources};

/// Most substitutes for one name.
const MOST: usize = 16;
/// Most substitutes of unknown type among them.
const MOST_UNTYPED: usize = 4;

/// The context of a site.
#[derive(Clone, Copy, Debug)]
pub struct Substitutes<'a> {
    /// The subject's declarations.
    pub sources: &'a Sources,
    /// The site that contains the name.
    pub site: &'a Site,
}

impl Substitutes<'_> {
    /// Names that could replace a word of an expression, nearest first. The word must be outside the brackets of the
    /// text.
    pub fn of(&self, text: &str, word: &Range<usize>) -> Vec<String> {
        let name = &text[word.clone()];
        let before = text[..word.start].trim_end();
        let after = text[word.end..].trim_start();
        let is_path = before.ends_with("::") || after.starts_with("::") || after.starts_with('!');
        let found = if after.starts_with('(') {
            self.functions(name)
        } else if is_path {
            Vec::new()
        } else if let Some(base) = before.strip_suffix("->").or(before.strip_suffix('.')) {
            self.fields(base, name)
        } else {
            self.variables(name)
        };
        found.into_iter().take(MOST).collect()
    }

    /// The other visible variables, first those of the same type.
    fn variables(&self, name: &str) -> Vec<String> {
        let Some(own) = self.visible(name) else {
            return Vec::new();
        };
        let others = self.site.names.iter().rev();
        let others: Vec<&Name> = others
            .filter(|other| other.text != name && other.text != "self")
            .collect();
        let text = |other: &&Name| other.text.clone();
        let alike = others
            .iter()
            .filter(|other| own.ty.is_some() && other.ty == own.ty)
            .map(text);
        let is_open = |other: &&&Name| other.ty.is_none() || own.ty.is_none();
        let untyped = others.iter().filter(is_open).map(text).take(MOST_UNTYPED);
        alike.chain(untyped).collect()
    }

    fn visible(&self, name: &str) -> Option<&Name> {
        self.site.names.iter().find(|known| known.text == name)
    }

    /// The other fields of a variable that have the same type.
    fn fields(&self, base: &str, name: &str) -> Vec<String> {
        let Some(base) = words(base)
            .pop()
            .filter(|word| word.end == base.len())
            .map(|word| &base[word])
        else {
            return Vec::new();
        };
        let ty = self.visible(base).and_then(|base| base.ty.as_ref());
        let plain = ty.map_or("", |ty| ty.plain.trim_end_matches('*'));
        let head = plain.split('<').next().unwrap_or_default();
        let mut types = self.sources.types.iter();
        let known = types.find(|known| known.name == plain || known.name == head);
        let fields = known.map_or(&[][..], |known| &known.fields);
        let own = fields.iter().find(|(field, _)| field == name);
        let is_like = |(field, ty): &&(String, DeclaredType)| {
            own.is_some_and(|(_, own)| own == ty) && field != name
        };
        let alike = fields.iter().filter(is_like);
        alike.map(|(field, _)| field.clone()).collect()
    }

    /// The other functions with the same signature.
    fn functions(&self, name: &str) -> Vec<String> {
        let all = &self.sources.functions;
        let called = all.iter().filter(|it| last_name(it) == name);
        let mut found: Vec<String> = Vec::new();
        for called in called {
            for other in all.iter().filter(|other| is_alike(called, other)) {
                let other = last_name(other);
                if other != name && other != "main" && !found.iter().any(|known| known == other) {
                    found.push(other.to_owned());
                }
            }
        }
        found
    }
}

fn last_name(function: &Function) -> &str {
    function.name.rsplit("::").next().unwrap_or_default()
}

/// Whether two functions have the same signature.
fn is_alike(a: &Function, b: &Function) -> bool {
    let types = |of: &Function| -> Vec<Option<DeclaredType>> {
        of.parameters.iter().map(|name| name.ty.clone()).collect()
    };
    a.owner == b.owner && a.returns.is_some() && a.returns == b.returns && types(a) == types(b)
}

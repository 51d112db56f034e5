//! Operands of Rust: the value of a written operand is the recorded value.

use camino::Utf8Path;

use super::operands::Operands;
use crate::source::{DataType, Site, Sources};
use crate::spec::{Access, Pool, TermId, Type};

/// The operands of Rust.
pub struct Rust;

impl Operands for Rust {
    /// A field that only another module sees cannot be named.
    fn is_expressible(&self, sources: &Sources, site: &Site, access: &Access) -> bool {
        let is_hidden = |step: &Access| match step.plain() {
            Access::Field(_, _, field) => is_hidden(sources, site, field),
            _ => false,
        };
        !access.spine().any(is_hidden)
    }

    /// The only term of the expected type. In generic code a name may have several types; the condition then
    /// has no single meaning.
    fn choose(
        &self,
        _: &Pool,
        found: &[(TermId, Type)],
        expected: Option<Type>,
    ) -> Option<(TermId, Type)> {
        let is_expected =
            |(_, ty): &&(TermId, Type)| expected.is_none_or(|expected| *ty == expected);
        let mut found = found.iter().filter(is_expected);
        let one = found.next()?;
        found.next().is_none().then_some(*one)
    }
}

/// Whether all structs of the subject with this field keep it from the site's module.
fn is_hidden(sources: &Sources, site: &Site, field: &str) -> bool {
    let path = &sources.files[site.file].path;
    let mut owners = sources
        .types
        .iter()
        .filter(|ty| ty.fields.iter().any(|(name, _)| name == field))
        .peekable();
    let is_kept = |ty: &DataType| {
        let module = &sources.files[ty.file].path;
        ty.private_fields.contains(field) && !is_in_module(path, module)
    };
    owners.peek().is_some() && owners.all(is_kept)
}

/// Whether a file belongs to the module of another one, or to a module in it.
fn is_in_module(file: &Utf8Path, module: &Utf8Path) -> bool {
    let stem = module.file_stem().unwrap_or_default();
    let parent = module.parent().unwrap_or(Utf8Path::new(""));
    let below = match stem {
        "lib" | "main" | "mod" => parent.to_owned(),
        stem => parent.join(stem),
    };
    file == module || file.starts_with(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_sees_its_own_files_and_those_above() {
        for (file, module, wanted) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a/b.rs", "src/a.rs", true),
            ("src/a/b.rs", "src/a/mod.rs", true),
            ("src/a.rs", "src/lib.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src/a.rs", "src/a/b.rs", false),
            ("src/a/c.rs", "src/a/b.rs", false),
        ] {
            let is_in = is_in_module(Utf8Path::new(file), Utf8Path::new(module));
            assert_eq!(is_in, wanted, "{file} in {module}");
        }
    }
}

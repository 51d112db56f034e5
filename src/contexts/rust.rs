//! Operands of Rust: the value of a written operand is the recorded value.

use camino::Utf8Path;
use nopol_expr::{Access, Pool, Term, TermId, Type};
use nopol_source::{DataType, Site, Sources};

use super::asked;
use super::operands::{Conversions, Operands};

/// The operands of Rust.
pub struct Rust;

impl Operands for Rust {
    /// A field that only another module sees cannot be named.
    fn is_expressible(&self, sources: &Sources, site: &Site, access: &Access) -> bool {
        let is_hidden = |step: &Access| match step.plain() {
            Access::Field(of, _, field) => is_hidden(sources, site, of, field),
            _ => false,
        };
        !access.spine().any(is_hidden)
    }

    /// What texts start and end with.
    fn conversions(&self, at: &Conversions, pool: &mut Pool) -> Vec<Term> {
        asked::terms(at, pool)
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

/// Whether a field belongs to structs of the subject that keep it from the site's module: to the declared type of
/// the variable, or, if that is not known, to all structs with such a field. Fields of tuples and ranges have the
/// names of many others.
fn is_hidden(sources: &Sources, site: &Site, of: &Access, field: &str) -> bool {
    const COMMON: [&str; 2] = ["start", "end"];
    let of = match of.without_derefs() {
        Access::Variable(name) => site.names.iter().find(|known| known.text == *name),
        _ => None,
    };
    let declared = of.and_then(|name| name.ty.as_ref());
    let declared = declared.map(|ty| ty.plain.split('<').next().unwrap_or_default());
    let declared = declared.filter(|ty| *ty != "Self");
    let is_common = field.starts_with(|c: char| c.is_ascii_digit()) || COMMON.contains(&field);
    if declared.is_none() && is_common {
        return false;
    }
    let path = &sources.files[site.file].path;
    let mut owners = sources
        .types
        .iter()
        .filter(|ty| declared.is_none_or(|declared| ty.name == declared))
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
    use nopol_source::Language;
    use nopol_source::rust::{CrateRoot, read};

    use super::*;

    #[test]
    fn private_fields_of_other_modules_are_hidden_and_those_of_tuples_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let inner = "pub struct Inner { cap: u32, pub len: u32 } pub struct Pair(u32, u32);";
        let lib = "mod inner; mod other;";
        let other = "fn f(inner: Inner, pair: (u32, u32), own: Pair) -> u32 { if inner.len > 3 { 1 } else { 2 } }";
        for (name, text) in [("lib.rs", lib), ("inner.rs", inner), ("other.rs", other)] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let crates = [CrateRoot {
            path: "lib.rs".into(),
            is_test: false,
            edition_2015: false,
            has_chains: true,
        }];
        let sources = read(root, &crates, &|_| true);
        let site = sources
            .sites
            .iter()
            .find(|site| site.text == "inner.len > 3")
            .unwrap();
        for (text, wanted) in [
            ("inner.cap", false),
            ("inner.len", true),
            ("pair.0", true),
            ("own.0", false),
            ("unknown.0", true),
            ("unknown.cap", false),
            ("unknown.start", true),
        ] {
            let access = Language::Rust.access(text);
            assert_eq!(
                Rust.is_expressible(&sources, site, &access),
                wanted,
                "{text}"
            );
        }
    }

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

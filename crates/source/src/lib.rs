//! Program text: finds the sites, the names visible at each, and the expressions that could be used there, and splices
//! text into files. This crate knows neither processes nor what the sites are used for.

pub mod c;
pub mod candidate_terms;
pub mod clauses;
pub mod condition;
mod declarations;
pub mod idle;
pub mod inputs;
pub mod kind;
pub mod language;
pub mod layout;
pub mod one_step;
pub mod parentheses;
mod parsed;
pub mod policies;
pub mod runs;
pub mod rust;
mod site;
pub mod splice;
pub mod standing;
pub mod substitutes;
pub mod template;
pub mod unknown;
pub mod vary;
pub mod words;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
pub use nopol_basics::index::SiteIndex;
use typed_index_collections::TiVec;

pub use self::declarations::{
    Callable, Constant, DataType, DeclaredType, ExitSnippet, Function, Harvested, HarvestedKind,
    Name, Variant,
};
pub use self::kind::{Form, PatchKind, SiteKind};
pub use self::language::Language;
pub use self::parsed::Condition;
pub use self::rust::nearby;
pub use self::site::{BodyOrigin, Site};

nopol_basics::index! {
    /// A file of the subject, in [`Sources::files`].
    FileIndex
}

nopol_basics::index! {
    /// A function of the subject, in [`Sources::functions`].
    FunctionIndex
}
/// The tree of what an expression reads. Captures and candidate terms have one.
pub use nopol_expr::{Access, NullTest};

/// A file of the subject.
#[derive(Clone, Debug)]
pub struct File {
    /// Relative to the workspace root.
    pub path: Utf8PathBuf,
    /// The whole text.
    pub text: String,
    /// Literals outside of test code, without duplicates.
    pub literals: Vec<String>,
    /// Constants that the file imports by name.
    pub imported: Vec<String>,
    /// C: names of variables, fields and functions that the file uses as truth values without a comparison, whatever
    /// their type.
    pub truths: BTreeSet<String>,
    /// C: the usual form of null tests in the file.
    pub null_test: NullTest,
    /// Whether the file knows `true` and `false`. C files know them with `stdbool.h`, or since C23.
    pub has_truth_names: bool,
    /// C: variables that the file uses as array indices.
    pub indices: BTreeSet<String>,
    /// The loop bodies.
    pub loops: Vec<Loop>,
    /// The byte at which an `extern crate` item must be added, if this is the root of an edition 2015 crate.
    pub needs_extern_crate: Option<usize>,
}

/// The body of a loop. The fuel counter is inserted at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The first byte at which code can be inserted in the body.
    pub start: usize,
    /// The end of the body, if it is a single statement without braces.
    pub end: Option<usize>,
}

/// Everything that was found in the subject's sources.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The language of all files.
    pub language: Language,
    /// The files.
    pub files: TiVec<FileIndex, File>,
    /// The functions that have sites.
    pub functions: TiVec<FunctionIndex, Function>,
    /// The sites. An outer site comes before those nested in it.
    pub sites: TiVec<SiteIndex, Site>,
    /// Structs and enums.
    pub types: Vec<DataType>,
    /// C: the typedefs of pointers.
    pub pointer_types: BTreeSet<String>,
    /// C: the names of variables, parameters and fields that are pointers.
    pub pointers: BTreeSet<String>,
    /// C: the last enumerator of each enum, which is often their number.
    pub last_enumerators: BTreeSet<String>,
    /// Pairs of a trait and a type that implements it, also by `derive`, named without paths and arguments.
    pub implementations: BTreeSet<(String, String)>,
    /// Functions that can be called without side effects.
    pub callables: Vec<Callable>,
    /// How often functions call each name, by the last segment of the name.
    pub asked: BTreeMap<String, usize>,
    /// Named constants.
    pub constants: Vec<Constant>,
    /// Files, or parts of files, that could not be read or parsed. They have no sites.
    pub skipped: Vec<Skipped>,
    /// Parts of files that are not tests but are compiled only for tests, with their places, for a message. They have
    /// no sites.
    pub for_tests: Vec<String>,
    /// C: whether the result depends on branches of `#if` while it is not known which of them the compiler takes.
    pub is_undecided: bool,
}

/// Something that could not be read or parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file, relative to the root.
    pub file: Utf8PathBuf,
    /// The place in the file, and the reason.
    pub reason: String,
    /// What therefore has no sites: `this file`, or a part of it.
    pub what: &'static str,
}

impl Skipped {
    /// A whole file.
    pub fn file(file: Utf8PathBuf, reason: String) -> Self {
        Self {
            file,
            reason,
            what: "this file",
        }
    }
}

impl Sources {
    /// The texts whose documentation may contain doctests. Packages outside the workspace are excluded.
    pub fn documented(&self) -> impl Iterator<Item = &str> + Clone {
        let inside = self
            .files
            .iter()
            .filter(|file| !file.path.starts_with(".."));
        inside.map(|file| &*file.text)
    }

    /// Gives every assertion the panic message that a test expects.
    pub fn panic_with(&mut self, message: &str) {
        for site in &mut self.sites {
            if let Some((assertion, _)) = site.assertion() {
                site.body = assertion.body_with(message);
            }
        }
    }
}

//! Program text: where the sites are, what is visible there, and how text is spliced in. Knows
//! nothing of processes or of what happens to the sites it finds.

pub mod c;
pub mod condition;
pub mod kind;
pub mod language;
pub mod layout;
pub mod offer;
pub mod offers;
pub mod policies;
pub mod rust;
pub mod splice;
pub mod template;
pub mod write;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::Utf8PathBuf;
use typed_index_collections::TiVec;

pub use self::kind::{Form, PatchKind, SiteKind};
pub use self::language::Language;
use self::template::{Assertion, Template};
pub use crate::index::{FileIndex, FunctionIndex, SiteIndex};
/// What an expression reads: the tree that is captured and offered.
pub use crate::spec::Access;
use crate::spec::Binding;

/// A place in the subject where a patch can go.
#[derive(Clone, Debug)]
pub struct Site {
    /// Stable between runs: a hash of file, function, kind and text, and the how-many-th of these.
    pub id: String,
    pub kind: SiteKind,
    /// Index into [`Sources::files`].
    pub file: FileIndex,
    /// Bytes of the condition or statement; empty where something new would stand.
    pub span: Range<usize>,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The text of `span`.
    pub text: String,
    /// What stands in the new branch, statements as text; empty unless there would be one.
    pub body: String,
    /// Where that comes from.
    pub body_origin: BodyOrigin,
    /// How many checks that panic on purpose it decides, or stands right before.
    pub checks: u32,
    /// How tightly the text around holds an expression here.
    pub least: Binding,
    /// What stands around a condition here, in an instrumented build and in a patch.
    pub template: Template,
    /// The enclosing function: index into [`Sources::functions`].
    pub function: FunctionIndex,
    /// Names visible here, outermost first, each once.
    pub names: Arc<[Name]>,
    /// Whether evaluating the condition leaves no trace, where the text tells; otherwise the compiler
    /// does.
    pub is_pure: Option<bool>,
}

/// Where the body of something new comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodyOrigin {
    /// The function has it already, or it says nothing but where to go on.
    #[default]
    Own,
    /// A function like this one.
    Sibling,
    /// A value that the type suggests.
    Obvious,
    /// A parameter of the type that is returned.
    Parameter,
    /// A value of the type that is made from nothing.
    Constructor,
    /// A run of statements that leaves.
    Run,
    Break,
    LabelledContinue,
    LabelledBreak,
    Panic,
}

impl Site {
    /// What a patch here is written as, if it is an assertion, and with what message, as a literal or
    /// empty.
    pub fn assertion(&self) -> Option<(Assertion, &str)> {
        let assertion = self.template.assertion?;
        Some((assertion, assertion.message(&self.body)?))
    }

    /// Whether a patch here is an assertion.
    pub fn asserts(&self) -> bool {
        self.assertion().is_some()
    }

    /// Where it is; several ways out may share a place.
    pub fn place(&self) -> (FileIndex, usize, SiteKind) {
        (self.file, self.span.start, self.kind)
    }
}

/// A local variable or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    /// Its type where that is written down.
    pub ty: Option<DeclaredType>,
}

/// A type as it is written, by what is behind its references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredType {
    /// Without references, lifetimes and white space.
    pub plain: String,
    pub is_reference: bool,
}

/// A function with sites.
#[derive(Clone, Debug)]
pub struct Function {
    /// Path of names inside the file, e.g. `tests::helper` or `Stack::push`.
    pub name: String,
    pub file: FileIndex,
    /// The type whose `impl`, or the trait, it stands in.
    pub owner: Option<String>,
    /// The type it returns as it is written; `None` for a function without a value.
    pub returns: Option<String>,
    /// What it returns at its ends, in order, each text once.
    pub exits: Vec<Exit>,
    /// Short runs of its statements that end by leaving it or a loop.
    pub runs: Vec<Exit>,
    /// Names and types of its parameters, `self` first if it has one.
    pub parameters: Vec<Name>,
    /// Literals of its body as they are written, in order, each once.
    pub literals: Vec<String>,
    /// Paths of constants it uses, in order, each once; in C all names.
    pub constants: Vec<String>,
    /// What it computes that only reads.
    pub expressions: Vec<Harvested>,
}

/// A value that some function returns, or statements that leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// On one line.
    pub text: String,
    /// The names it reads, which must be visible where it is to serve.
    pub names: Vec<String>,
}

/// An expression of some function that may serve at another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harvested {
    /// On one line.
    pub text: String,
    pub binding: Binding,
    pub kind: HarvestedKind,
    /// The names it reads, which must be visible where it is to serve.
    pub names: Vec<String>,
    /// Bytes of the places that are receivers or arguments of calls in it: others may stand there.
    pub holes: Vec<Range<usize>>,
    /// What it calls: paths of functions, and methods as `.name`.
    pub calls: Vec<String>,
    /// The methods it calls on variables, their fields and elements.
    pub asked: Vec<String>,
}

/// What a harvested expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HarvestedKind {
    /// Arithmetic, a cast.
    Value,
    /// An element.
    Index,
    /// `==` or `!=`.
    Equality,
    Call,
}

/// A function of the subject that can be asked for a scalar without leaving a trace.
#[derive(Clone, Debug)]
pub struct Callable {
    pub file: FileIndex,
    pub name: String,
    /// The type or trait it belongs to.
    pub owner: Option<String>,
    pub is_method: bool,
    /// It takes `self` and not a reference.
    pub takes_value: bool,
    /// Types of its parameters other than `self`; `None` for what fits several types.
    pub parameters: Vec<Option<DeclaredType>>,
    /// The scalar's type.
    pub returns: String,
}

/// A constant of the subject.
#[derive(Clone, Debug)]
pub struct Constant {
    pub file: FileIndex,
    pub name: String,
    /// The type or trait it belongs to.
    pub owner: Option<String>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: String,
    /// What follows the name in a pattern that matches any content.
    pub rest: &'static str,
}

/// A struct or enum of the subject, for which reading its parts can be generated.
#[derive(Clone, Debug)]
pub struct DataType {
    pub file: FileIndex,
    /// Without parameters.
    pub name: String,
    /// Where the generated text goes: the end of the item.
    pub at: usize,
    /// Its `#[cfg(…)]` attributes.
    pub cfg: String,
    /// The generic parameters of an `impl`, e.g. `< 'a , T : Ord >`.
    pub parameters: String,
    /// The type, e.g. `Stack < 'a , T >`.
    pub ty: String,
    /// The `where` clause, or nothing.
    pub bounds: String,
    /// Names or indices of its fields.
    pub fields: Vec<(String, DeclaredType)>,
    pub variants: Vec<Variant>,
    /// Whether two values can be compared with `==`.
    pub is_comparable: bool,
    /// Whether values are copied and not moved.
    pub is_copy: bool,
}

/// A file of the subject.
#[derive(Clone, Debug)]
pub struct File {
    /// Relative to the workspace root.
    pub path: Utf8PathBuf,
    pub text: String,
    /// Literals outside of test code, each once.
    pub literals: Vec<String>,
    /// Constants it imports by name.
    pub imported: Vec<String>,
    /// What its truth is asked for somewhere without a comparison, though it need not be boolean.
    pub truths: BTreeSet<String>,
    /// Variables that are used as an index somewhere.
    pub indices: BTreeSet<String>,
    /// The loop bodies.
    pub loops: Vec<Loop>,
    /// Where an `extern crate` item must be added, if this is the root of an edition 2015 crate.
    pub needs_extern_crate: Option<usize>,
}

/// The body of a loop: where something can be put first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    pub start: usize,
    /// Where it ends, if it is a statement without braces.
    pub end: Option<usize>,
}

/// Everything found in the subject's sources.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub language: Language,
    pub files: TiVec<FileIndex, File>,
    pub functions: TiVec<FunctionIndex, Function>,
    pub sites: TiVec<SiteIndex, Site>,
    pub types: Vec<DataType>,
    pub callables: Vec<Callable>,
    pub constants: Vec<Constant>,
    /// Files that could not be read or parsed, with the reason; they have no sites.
    pub skipped: Vec<(Utf8PathBuf, String)>,
}

impl Sources {
    /// The texts whose documentation may have examples that are run: not those of packages outside of the
    /// workspace.
    pub fn documented(&self) -> impl Iterator<Item = &str> + Clone {
        let inside = self
            .files
            .iter()
            .filter(|file| !file.path.starts_with(".."));
        inside.map(|file| &*file.text)
    }

    /// Makes every assertion panic with a message that is asked for.
    pub fn panic_with(&mut self, message: &str) {
        for site in &mut self.sites {
            if let Some((assertion, _)) = site.assertion() {
                site.body = assertion.body_with(message);
            }
        }
    }

    /// `FILE:LINE:COLUMN` of a site.
    pub fn place(&self, site: &Site) -> String {
        format!(
            "{}:{}:{}",
            self.files[site.file].path, site.line, site.column
        )
    }
}

//! What differs between the languages that subjects are written in, one trait a concern. Each language
//! has its answers in one value, [`Concerns`], which `rust/language.rs` and `c/language.rs` define;
//! [`Language::concerns`] is the only place here that tells languages apart. The texts that are spliced
//! in differ, too; they are told by `probe::dialect`, for they belong to the instrumentation.

use camino::Utf8Path;

use super::condition::Node;
use super::layout::Layout;
use super::offer::Guess;
use super::policies::Policies;
use super::template::Template;
use super::{Site, SiteKind, Sources, c, rust};
use crate::spec::{Access, Binding, Type, Value};

/// What a subject is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Rust,
    C,
}

/// Everything that a language answers for itself. Without a default, so that a new one has to answer
/// it all.
pub struct Concerns {
    pub syntax: &'static dyn Syntax,
    pub conversions: &'static dyn Conversions,
    pub offering: &'static dyn Offering,
    pub layout: &'static dyn Layout,
    pub panics: &'static dyn Panics,
    pub policies: &'static Policies,
    /// How a condition is written at each kind of site; `None` for a kind that the language does not
    /// have.
    pub template: fn(SiteKind) -> Option<Template>,
}

/// The files of a subject that are to be read, as the subject knows them.
pub trait Readable {
    /// Reads them, and finds the functions, types and sites. `root` is the directory all paths are
    /// relative to; `wanted` tells whether a file may have sites.
    fn read(&self, root: &Utf8Path, wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources;
}

/// The texts of expressions, read.
pub trait Syntax {
    /// Parses a condition; `None` if it is not an expression on its own.
    fn parse(&self, text: &str) -> Option<Node>;

    /// What an expression reads, as a tree.
    fn access(&self, text: &str) -> Access;

    /// What a method without arguments reads of a value.
    fn method(&self, of: Access, name: &str) -> Access;

    /// Whether evaluating a condition surely has no effect, as far as its syntax tells.
    fn is_surely_pure(&self, text: &str) -> bool;

    /// How tightly a whole condition's text holds together.
    fn binding_of(&self, text: &str) -> Binding;

    /// The text of a comparison with the opposite operator; `None` for anything else and for orders,
    /// which NaN or an order of one's own may upset.
    fn opposite(&self, text: &str) -> Option<String>;

    /// The value of a literal as a constant of the given type, if it can be one. `text` may start
    /// with a minus sign.
    fn constant(&self, text: &str, ty: Type) -> Option<Value>;
}

/// What operands are converted to.
pub trait Conversions {
    /// The type that operands of two types are converted to; `None` where they are not.
    fn common_type(&self, a: Type, b: Type) -> Option<Type>;
}

/// What may be said at a site beyond the values of its variables.
pub trait Offering {
    /// Guesses, the nearest group first, each with how many of it are taken at most.
    fn groups(&self, sources: &Sources, site: &Site) -> Vec<(Vec<Guess>, usize)>;
}

/// Tests that pass only if the subject panics.
pub trait Panics {
    /// Whether a failing test says that a panic was missing.
    fn is_missing(&self, output: &str) -> bool;

    /// Whether a test in this file may pass because of a panic without saying so when it fails.
    fn may_be_caught(&self, text: &str) -> bool;

    /// The message that the test of this name, in some file below the directory, expects of its panic.
    fn message(&self, root: &Utf8Path, test: &str) -> Option<String>;
}

impl Language {
    /// The language's answers.
    fn concerns(self) -> &'static Concerns {
        match self {
            Self::Rust => &rust::language::CONCERNS,
            Self::C => &c::language::CONCERNS,
        }
    }

    /// How the search treats subjects of this language.
    pub fn policies(self) -> &'static Policies {
        self.concerns().policies
    }

    /// How its files are laid out.
    pub fn layout(self) -> &'static dyn Layout {
        self.concerns().layout
    }

    /// Its tests that expect a panic.
    pub fn panics(self) -> &'static dyn Panics {
        self.concerns().panics
    }

    /// What is offered at its sites.
    pub fn offering(self) -> &'static dyn Offering {
        self.concerns().offering
    }

    /// How it writes a condition at a site of this kind; `None` if it has none.
    pub fn template(self, kind: SiteKind) -> Option<Template> {
        (self.concerns().template)(kind)
    }

    /// See [`Syntax::parse`].
    pub fn parse(self, text: &str) -> Option<Node> {
        self.concerns().syntax.parse(text)
    }

    /// See [`Syntax::access`].
    pub fn access(self, text: &str) -> Access {
        self.concerns().syntax.access(text)
    }

    /// See [`Syntax::method`].
    pub fn method(self, of: Access, name: &str) -> Access {
        self.concerns().syntax.method(of, name)
    }

    /// See [`Syntax::is_surely_pure`].
    pub fn is_surely_pure(self, text: &str) -> bool {
        self.concerns().syntax.is_surely_pure(text)
    }

    /// See [`Syntax::binding_of`].
    pub fn binding_of(self, text: &str) -> Binding {
        self.concerns().syntax.binding_of(text)
    }

    /// See [`Syntax::opposite`].
    pub fn opposite(self, text: &str) -> Option<String> {
        self.concerns().syntax.opposite(text)
    }

    /// See [`Syntax::constant`].
    pub fn constant(self, text: &str, ty: Type) -> Option<Value> {
        self.concerns().syntax.constant(text, ty)
    }

    /// See [`Conversions::common_type`].
    pub fn common_type(self, a: Type, b: Type) -> Option<Type> {
        self.concerns().conversions.common_type(a, b)
    }
}

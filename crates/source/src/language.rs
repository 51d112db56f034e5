//! What differs between the languages of subjects: one trait per concern. `rust/language.rs` and `c/language.rs` each
//! define one [`Concerns`] value. [`Language::concerns`] is the only place in this crate that distinguishes languages.
//! The code that instrumentation inserts differs, too, but belongs to `probe::dialect`.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use nopol_expr::{Access, Binding, Type, Value};

use super::candidate_terms::TermText;
use super::condition::Node;
use super::layout::Layout;
use super::policies::Policies;
use super::template::Template;
use super::{File, FunctionIndex, Site, SiteKind, Sources, c, rust};

/// The language of a subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Rust.
    #[default]
    Rust,
    /// C.
    C,
}

/// Everything that a language defines. It has no default, so a new language must define all of it.
pub struct Concerns {
    /// See [`Syntax`].
    pub syntax: &'static dyn Syntax,
    /// See [`Conversions`].
    pub conversions: &'static dyn Conversions,
    /// See [`CandidateTerms`].
    pub candidate_terms: &'static dyn CandidateTerms,
    /// See [`Layout`].
    pub layout: &'static dyn Layout,
    /// See [`Panics`].
    pub panics: &'static dyn Panics,
    /// See [`Generators`].
    pub generators: &'static dyn Generators,
    /// See [`Policies`].
    pub policies: &'static Policies,
    /// How a condition is written at each kind of site; `None` for a kind that the language lacks.
    pub template: fn(SiteKind) -> Option<Template>,
}

/// The source files of a subject, ready to be read.
pub trait Readable {
    /// Reads the files and finds functions, types and sites. All paths are relative to `root`; `wanted` decides whether
    /// a file may have sites.
    fn read(&self, root: &Utf8Path, wanted: &dyn Fn(&Utf8Path) -> bool) -> Sources;
}

/// Parses the texts of expressions.
pub trait Syntax {
    /// Parses a condition; `None` if the text is not a complete expression.
    fn parse(&self, text: &str) -> Option<Node>;

    /// The tree of what an expression reads.
    fn access(&self, text: &str) -> Access;

    /// The access of calling a method without arguments on a value.
    fn method(&self, of: Access, name: &str) -> Access;

    /// Whether the syntax of a condition guarantees that evaluating it has no side effects.
    fn is_surely_pure(&self, text: &str) -> bool;

    /// The binding strength of the condition's outermost operator.
    fn binding_of(&self, text: &str) -> Binding;

    /// The text of an equality with the opposite operator. `None` for anything else: ordered comparisons are excluded,
    /// because `!(a < b)` is not `a >= b` for NaN or a user-defined partial order.
    fn opposite(&self, text: &str) -> Option<String>;

    /// Joins two pattern matches of the same value into one with the alternatives of both.
    fn with_joined_patterns(&self, text: String) -> String {
        text
    }

    /// The value of a literal as a constant of the given type. `None` if it cannot have that type. `text` may start
    /// with a minus sign.
    fn constant(&self, text: &str, ty: Type) -> Option<Value>;

    /// The spelling of a constant condition in a file.
    fn truth(&self, file: &File, value: bool) -> &'static str;

    /// Whether a function, given by its text, only prints the value of this variable.
    fn is_only_printed(&self, function: &str, name: &str) -> bool;

    /// The number of comparisons in a condition at a site that a compiler accepts and that nobody writes.
    fn strange_comparisons(&self, _: &Sources, _: &Site, _: &Node) -> usize {
        0
    }
}

/// Implicit conversions of operands.
pub trait Conversions {
    /// The type that operands of two types are converted to; `None` if they are not converted.
    fn common_type(&self, a: Type, b: Type) -> Option<Type>;
}

/// Collects the candidate terms of a site.
pub trait CandidateTerms {
    /// Groups of candidate terms, the nearest group first, each with the maximum number to use.
    fn groups(&self, sources: &Sources, site: &Site) -> Vec<(Vec<TermText>, usize)>;

    /// The parts of a condition to which alternatives can be added.
    fn lists(&self, sources: &Sources, site: &Site) -> Vec<Listing>;
}

/// A part of a condition that tests for alternatives, or for one value: `matches!(x, A | B)`, `x == A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its text.
    pub call: String,
    /// Tests for another alternative, likeliest first: `matches!(x, A | B | C)`, `x == C`.
    pub wider: Vec<String>,
}

/// How tests fail, including tests that pass only if the subject panics.
pub trait Panics {
    /// How a test fails that does not panic: it returns an error or ends the process. To follow the test's name; `None`
    /// if its output does not show it.
    fn silent(&self, output: &str) -> Option<String>;

    /// The place of the test with this name, as `FILE:LINE` below the directory. `None` unless there is exactly one
    /// such place.
    fn place(&self, root: &Utf8Path, test: &str) -> Option<String>;

    /// Whether the output of a failing test says that an expected panic is missing.
    fn is_missing(&self, output: &str) -> bool;

    /// How a test fails that expects a panic: there was none, or one with another message. To follow the test's name;
    /// `None` if its output does not show it.
    fn complaint(&self, output: &str) -> Option<String>;

    /// Whether a test in this file may pass because of a panic, without its output saying so when it fails.
    fn may_be_caught(&self, text: &str) -> bool;

    /// The panic message that the test with this name expects, from a file below the directory.
    fn message(&self, root: &Utf8Path, test: &str) -> Option<String>;

    /// The conditions that prevent the expression at a line and column of a file, both counted from 1, from panicking
    /// with this message.
    fn prevented(&self, text: &str, line: usize, column: usize, message: &str) -> Vec<Prevented>;

    /// The pointers that may be null where a test crashes in a function, as texts without white space, each with the function
    /// in which it is written.
    fn null_pointers(&self, _: &Sources, _: FunctionIndex) -> BTreeSet<(FunctionIndex, String)> {
        BTreeSet::new()
    }
}

/// A condition that prevents an expression from panicking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prevented {
    /// The condition.
    pub holds: String,
    /// Its negation.
    pub fails: String,
}

/// Input for which a test with generated input fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The patterns that the values are bound to. `None` if the test's parameters give them.
    pub names: Option<Vec<String>>,
    /// The values as the test printed them.
    pub values: Vec<String>,
}

/// How to write printed values as expressions, since the output does not show all of their types.
#[derive(Clone, Debug)]
pub struct Writing {
    /// The enum of each variant.
    pub enums: BTreeMap<String, String>,
    /// The form of lists.
    pub lists: Lists,
}

/// The expression for a printed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// As a `Vec`.
    Vectors,
    /// As an array.
    Arrays,
    /// As any collection that its elements can be collected into.
    Collected,
}

/// Tests with randomly generated input.
pub trait Generators {
    /// The counterexample in a failing test's output.
    fn counterexample(&self, output: &str) -> Option<Counterexample>;

    /// A file of tests in which this test runs on a counterexample if an environment variable has its number, counted
    /// from 1. Lines keep their numbers. `None` if the file has no such test.
    fn replaying(
        &self,
        text: &str,
        test: &str,
        inputs: &[Counterexample],
        variable: &str,
        writing: &Writing,
    ) -> Option<String>;

    /// The variants that a file defines, each with its enum.
    fn variants(&self, text: &str) -> Vec<(String, String)>;
}

impl Language {
    /// The definitions of the language.
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

    /// Its tests with generated input.
    pub fn generators(self) -> &'static dyn Generators {
        self.concerns().generators
    }

    /// How the candidate terms of its sites are collected.
    pub fn candidate_terms(self) -> &'static dyn CandidateTerms {
        self.concerns().candidate_terms
    }

    /// How it writes a condition at a site of this kind; `None` if it lacks the kind.
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

    /// See [`Syntax::with_joined_patterns`].
    pub fn with_joined_patterns(self, text: String) -> String {
        self.concerns().syntax.with_joined_patterns(text)
    }

    /// See [`Syntax::constant`].
    pub fn constant(self, text: &str, ty: Type) -> Option<Value> {
        self.concerns().syntax.constant(text, ty)
    }

    /// See [`Syntax::strange_comparisons`].
    pub fn strange_comparisons(self, sources: &Sources, site: &Site, tree: &Node) -> usize {
        let syntax = self.concerns().syntax;
        syntax.strange_comparisons(sources, site, tree)
    }

    /// See [`Syntax::truth`].
    pub fn truth(self, file: &File, value: bool) -> &'static str {
        self.concerns().syntax.truth(file, value)
    }

    /// See [`Syntax::is_only_printed`].
    pub fn is_only_printed(self, function: &str, name: &str) -> bool {
        self.concerns().syntax.is_only_printed(function, name)
    }

    /// See [`Conversions::common_type`].
    pub fn common_type(self, a: Type, b: Type) -> Option<Type> {
        self.concerns().conversions.common_type(a, b)
    }
}

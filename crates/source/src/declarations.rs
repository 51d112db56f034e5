//! What the subject declares: functions, types, constants, and what each function's body contributes to
//! other sites.

use std::collections::BTreeSet;
use std::ops::Range;

use nopol_expr::{Binding, Type};

use super::FileIndex;

/// A local variable or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The declared type, if the source spells it out.
    pub ty: Option<DeclaredType>,
}

/// A type as written in the source, without its references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredType {
    /// Without references, lifetimes and white space.
    pub plain: String,
    /// Whether it is a reference.
    pub is_reference: bool,
}

/// A function with sites.
#[derive(Clone, Debug)]
pub struct Function {
    /// Path of names inside the file, e.g. `tests::helper` or `Stack::push`.
    pub name: String,
    /// The file that has it.
    pub file: FileIndex,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// The bytes of the word by which it may be evaluated at compile time. While it is instrumented, it cannot.
    pub constness: Option<Range<usize>>,
    /// The type of the enclosing `impl`, or the enclosing trait.
    pub owner: Option<String>,
    /// Rust: what must hold for it to be compiled, as in `cfg(…)`.
    pub cfgs: BTreeSet<String>,
    /// The return type as written; `None` if the function returns no value.
    pub returns: Option<String>,
    /// The values that the function returns, in source order, without duplicates.
    pub returned_values: Vec<ExitSnippet>,
    /// Short lists of its statements that end with a `return`, `break` or `continue`.
    pub exit_statements: Vec<ExitSnippet>,
    /// Names and types of its parameters; `self` comes first.
    pub parameters: Vec<Name>,
    /// Literals of its body as written, in source order, without duplicates.
    pub literals: Vec<String>,
    /// Paths of the constants it uses, in source order, without duplicates; in C all identifiers.
    pub constants: Vec<String>,
    /// What it splits that may be a text, each with the place, in source order, without duplicates.
    pub splits: Vec<[String; 2]>,
    /// The expressions of its body that could be evaluated elsewhere.
    pub expressions: Vec<Harvested>,
}

/// Text that the body of an early exit can repeat: a returned value, or statements that leave the function
/// or loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitSnippet {
    /// On one line.
    pub text: String,
    /// The names it reads, which must be visible wherever it is inserted.
    pub names: Vec<String>,
}

/// An expression of some function that may be useful at another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harvested {
    /// On one line.
    pub text: String,
    /// How tightly it binds.
    pub binding: Binding,
    /// What it is.
    pub kind: HarvestedKind,
    /// The names it reads, which must be visible wherever it is used.
    pub names: Vec<String>,
    /// Bytes of the variables and fields that are receivers or arguments of its calls: holes that other
    /// variables can fill.
    pub holes: Vec<Range<usize>>,
    /// What it calls: paths of functions, and methods as `.name`.
    pub calls: Vec<String>,
    /// Bytes of the getters and elements that are receivers or arguments of calls: `a.b()` in `a.b().f(c)`.
    pub getters: Vec<Range<usize>>,
    /// The methods it calls on variables, their fields and elements.
    pub receiver_methods: Vec<String>,
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
    /// A call.
    Call,
}

/// A function of the subject that returns a scalar and has no side effects.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The file that has it.
    pub file: FileIndex,
    /// Its name.
    pub name: String,
    /// The type or trait it belongs to.
    pub owner: Option<String>,
    /// Whether it takes `self`.
    pub is_method: bool,
    /// It takes `self` by value.
    pub takes_value: bool,
    /// Types of its parameters other than `self`; `None` for a generic one.
    pub parameters: Vec<Option<DeclaredType>>,
    /// Their names; empty for a pattern.
    pub names: Vec<String>,
    /// The type it returns: a scalar's, or an `Option` or a `Result`.
    pub returns: String,
    /// Rust: what must hold for it to be compiled, as in `cfg(…)`.
    pub cfgs: BTreeSet<String>,
}

impl Callable {
    /// Whether it returns a scalar.
    pub fn returns_scalar(&self) -> bool {
        Type::from_name(&self.returns).is_some()
    }
}

/// A constant of the subject.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The file that has it.
    pub file: FileIndex,
    /// Its name.
    pub name: String,
    /// The type or trait it belongs to.
    pub owner: Option<String>,
    /// Rust: what must hold for it to be compiled, as in `cfg(…)`.
    pub cfgs: BTreeSet<String>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The text after the name in a pattern that matches any content.
    pub rest: &'static str,
    /// Names or indices of its fields, with their types.
    pub fields: Vec<(String, DeclaredType)>,
}

/// A struct or enum of the subject. An `Observe` impl that reads its parts can be generated for it.
#[derive(Clone, Debug)]
pub struct DataType {
    /// The file that has it.
    pub file: FileIndex,
    /// Without parameters.
    pub name: String,
    /// Where the generated impl is inserted: after the last item of the module, so that no other item moves.
    pub at: usize,
    /// Its `#[cfg(…)]` attributes.
    pub cfg: String,
    /// What must hold for it to be compiled: in these and in the attributes of what it is in.
    pub cfgs: BTreeSet<String>,
    /// The generic parameters of an `impl`, e.g. `< 'a , T : Ord >`.
    pub parameters: String,
    /// The type, e.g. `Stack < 'a , T >`.
    pub ty: String,
    /// The `where` clause, or nothing.
    pub bounds: String,
    /// Names or indices of its fields.
    pub fields: Vec<(String, DeclaredType)>,
    /// Names of those fields that are visible in its own module only, and in modules below.
    pub private_fields: BTreeSet<String>,
    /// The variants of an enum.
    pub variants: Vec<Variant>,
    /// Whether two values can be compared with `==`.
    pub is_comparable: bool,
    /// Whether values are copied rather than moved.
    pub is_copy: bool,
}

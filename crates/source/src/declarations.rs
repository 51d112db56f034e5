//! The subject's declarations: functions, types, constants, and what each function's body offers to other sites.

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
    /// The type without references, lifetimes and white space.
    pub plain: String,
    /// Whether it is a reference.
    pub is_reference: bool,
}

/// A function with sites.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, with the names of what contains it in the file, e.g. `tests::helper` or `Stack::push`.
    pub name: String,
    /// The file that contains it.
    pub file: FileIndex,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// The bytes of the keyword that allows evaluation at compile time. It is removed for instrumentation.
    pub constness: Option<Range<usize>>,
    /// The type of the enclosing `impl`, or the enclosing trait.
    pub owner: Option<String>,
    /// Rust: the conditions under which it is compiled, as in `cfg(…)`.
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
    /// Paths of the constants that it uses, in source order, without duplicates. In C: all identifiers.
    pub constants: Vec<String>,
    /// Expressions that it splits and that may be strings, each with the position of the split, in source order,
    /// without duplicates.
    pub splits: Vec<[String; 2]>,
    /// The expressions of its body that could be evaluated elsewhere.
    pub expressions: Vec<Harvested>,
}

/// Text that the body of an early exit can repeat: a returned value, or statements that leave the function
/// or loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitSnippet {
    /// The text on one line.
    pub text: String,
    /// The names it reads, which must be visible wherever it is inserted.
    pub names: Vec<String>,
}

/// An expression of some function that may be useful at another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harvested {
    /// The text on one line.
    pub text: String,
    /// How tightly it binds.
    pub binding: Binding,
    /// The kind of expression.
    pub kind: HarvestedKind,
    /// The names it reads, which must be visible wherever it is used.
    pub names: Vec<String>,
    /// Bytes of the variables and fields that are receivers or arguments of its calls. They are holes that other
    /// variables can fill.
    pub holes: Vec<Range<usize>>,
    /// What it calls: paths of functions, and methods as `.name`.
    pub calls: Vec<String>,
    /// Bytes of the getters and elements that are receivers or arguments of calls: `a.b()` in `a.b().f(c)`.
    pub getters: Vec<Range<usize>>,
    /// The methods it calls on variables, their fields and elements.
    pub receiver_methods: Vec<String>,
}

/// The kind of a harvested expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HarvestedKind {
    /// Arithmetic, or a cast.
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
    /// The file that contains it.
    pub file: FileIndex,
    /// Its name.
    pub name: String,
    /// The type or trait that it belongs to.
    pub owner: Option<String>,
    /// Whether it takes `self`.
    pub is_method: bool,
    /// Whether it takes `self` by value.
    pub takes_value: bool,
    /// Types of its parameters other than `self`; `None` for a generic type.
    pub parameters: Vec<Option<DeclaredType>>,
    /// Names of its parameters other than `self`; empty for a pattern.
    pub names: Vec<String>,
    /// Its return type: a scalar, an `Option` or a `Result`.
    pub returns: String,
    /// C: whether only its file can call it.
    pub is_static: bool,
    /// Rust: whether it is of a trait that its `impl` names by a path, so that the trait may not be in scope.
    pub is_of_distant_trait: bool,
    /// Rust: the conditions under which it is compiled, as in `cfg(…)`.
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
    /// The file that contains it.
    pub file: FileIndex,
    /// Its name.
    pub name: String,
    /// The type or trait that it belongs to.
    pub owner: Option<String>,
    /// Rust: the conditions under which it is compiled, as in `cfg(…)`.
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
    /// The file that contains it.
    pub file: FileIndex,
    /// Its name without generic parameters.
    pub name: String,
    /// The byte at which the generated impl is inserted: after the last item of the module, so that no other item
    /// moves.
    pub at: usize,
    /// Its `#[cfg(…)]` attributes.
    pub cfg: String,
    /// The conditions under which it is compiled: those of these attributes and of the enclosing items.
    pub cfgs: BTreeSet<String>,
    /// The generic parameters of an `impl`, e.g. `< 'a , T : Ord >`.
    pub parameters: String,
    /// The type, e.g. `Stack < 'a , T >`.
    pub ty: String,
    /// The `where` clause, or nothing.
    pub bounds: String,
    /// Names or indices of its fields.
    pub fields: Vec<(String, DeclaredType)>,
    /// Names of the fields that are visible only in its own module and the modules in it.
    pub private_fields: BTreeSet<String>,
    /// The variants of an enum.
    pub variants: Vec<Variant>,
    /// Whether two values can be compared with `==`.
    pub is_comparable: bool,
    /// Whether values are copied rather than moved.
    pub is_copy: bool,
}

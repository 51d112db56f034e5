//! Which expressions yield an integer, judging by their syntax and the names declared in the subject. The compiler has
//! the last word.

use syn::{Expr, Lit, UnOp};

use super::by_type::ByType;
use super::types::{declared, is_constant_name};
use crate::DeclaredType;

/// Methods of std that return an integer.
const COUNTS: [&str; 12] = [
    "len",
    "count",
    "capacity",
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "trailing_zeros",
    "len_utf8",
    "ilog2",
    "ilog10",
    "isqrt",
    "abs_diff",
];

/// Methods of std that return an integer if they are called on one.
const OF_INTEGERS: [&str; 8] = [
    "abs",
    "pow",
    "min",
    "max",
    "rem_euclid",
    "div_euclid",
    "signum",
    "clone",
];

/// Prefixes of further such names.
const ARITHMETIC: [&str; 3] = ["saturating_", "wrapping_", "rotate_"];

const TYPES: [&str; 12] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

/// The certainty that an expression yields an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It yields no integer, or nothing suggests one.
    Unlikely,
    /// Its type is not spelled out.
    Possible,
    /// It yields an integer.
    Sure,
}

/// The functions and fields that the subject declares, by name.
#[derive(Debug)]
pub struct Integers(ByType);

impl Default for Integers {
    fn default() -> Self {
        Self(ByType::new(|ty| is_integer(&declared(ty))))
    }
}

impl Integers {
    /// Adds the declarations of a file.
    pub fn add(&mut self, file: &syn::File) {
        self.0.add(file);
    }

    /// Whether an expression yields an integer. `ty` returns `None` for a name that is not a variable, and otherwise
    /// the variable's type if it is declared.
    pub fn certainty(
        &self,
        expr: &Expr,
        ty: &dyn Fn(&str) -> Option<Option<DeclaredType>>,
    ) -> Certainty {
        use Certainty::{Possible, Sure, Unlikely};
        let of = |expr: &Expr| self.certainty(expr, ty);
        match expr {
            Expr::Paren(inner) => of(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) if !number.suffix().starts_with('f') => Sure,
                _ => Unlikely,
            },
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => of(&unary.expr),
                UnOp::Deref(_) => match is_path(&unary.expr) {
                    true => Possible,
                    false => Unlikely,
                },
                _ => Unlikely,
            },
            Expr::Cast(cast) => match is_integer(&declared(&cast.ty)) {
                true => Sure,
                false => Unlikely,
            },
            Expr::Binary(binary) if computes(&binary.op) => {
                let (left, right) = (of(&binary.left), of(&binary.right));
                match is_of_another_type(&binary.left) || is_of_another_type(&binary.right) {
                    true => Unlikely,
                    false => left.max(right),
                }
            }
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => match ty(&name.to_string()) {
                    Some(Some(ty)) if is_integer(&ty) => Sure,
                    Some(Some(_)) => Unlikely,
                    Some(None) => Possible,
                    None if is_constant_name(&name.to_string()) => Possible,
                    None => Unlikely,
                },
                None => Unlikely,
            },
            Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => match self.0.of_field(&name.to_string()) {
                    (true, false) => Sure,
                    (true, true) => Possible,
                    (false, _) => Unlikely,
                },
                syn::Member::Unnamed(_) => Possible,
            },
            Expr::Index(index) => match &*index.index {
                Expr::Range(_) => Unlikely,
                _ => Possible,
            },
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                match self.0.of_call(&name) {
                    (true, false) => Sure,
                    (true, true) => Possible,
                    (false, _) if COUNTS.contains(&&*name) => Sure,
                    (false, true) => Unlikely,
                    (false, false) => {
                        let is_arithmetic = ARITHMETIC.iter().any(|start| name.starts_with(start));
                        match is_arithmetic || OF_INTEGERS.contains(&&*name) {
                            true => of(&call.receiver),
                            false => Unlikely,
                        }
                    }
                }
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let last = path.path.segments.last();
                    let name = last.map_or_else(String::new, |last| last.ident.to_string());
                    match self.0.of_call(&name) {
                        (true, false) => Sure,
                        (true, true) => Possible,
                        (false, _) => Unlikely,
                    }
                }
                _ => Unlikely,
            },
            _ => Unlikely,
        }
    }
}

/// Whether a type is an integer type.
pub fn is_integer(ty: &DeclaredType) -> bool {
    !ty.is_reference && TYPES.contains(&&*ty.plain)
}

/// Whether an operator yields a number or bits.
pub fn computes(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(
        op,
        Add(_)
            | Sub(_)
            | Mul(_)
            | Div(_)
            | Rem(_)
            | BitXor(_)
            | BitAnd(_)
            | BitOr(_)
            | Shl(_)
            | Shr(_)
    )
}

/// Whether an operand shows that its operator has another type, such as string or float.
fn is_of_another_type(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_of_another_type(&inner.expr),
        Expr::Reference(_) | Expr::Closure(_) | Expr::Macro(_) => true,
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.suffix().starts_with('f'),
            _ => true,
        },
        Expr::Binary(binary) => {
            is_of_another_type(&binary.left) || is_of_another_type(&binary.right)
        }
        _ => false,
    }
}

fn is_path(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certainty(expr: &str) -> Certainty {
        let mut integers = Integers::default();
        let file = "struct S { n: u8, on: bool } impl S { fn size(&self) -> usize { 0 } }";
        integers.add(&syn::parse_file(file).unwrap());
        let ty = |plain: &str| {
            Some(Some(DeclaredType {
                plain: plain.to_owned(),
                is_reference: false,
            }))
        };
        let known = |name: &str| match name {
            "i" => ty("usize"),
            "text" => ty("String"),
            "open" => Some(None),
            _ => None,
        };
        integers.certainty(&syn::parse_str(expr).unwrap(), &known)
    }

    #[test]
    fn declared_integers_and_counts_are_integers() {
        for expr in [
            "1",
            "i",
            "-i",
            "s.n",
            "s.size()",
            "v.len() - 1",
            "x as u32",
            "i.min(x)",
        ] {
            assert_eq!(certainty(expr), Certainty::Sure, "{expr}");
        }
        for expr in ["open", "v[i]", "*p", "open & MASK", "pair.0"] {
            assert_eq!(certainty(expr), Certainty::Possible, "{expr}");
        }
        for expr in [
            "text",
            "1.0 + x",
            "s.on",
            "&i",
            "f(i)",
            "v[..i]",
            "None",
            "\"a\".to_owned() + b",
        ] {
            assert_eq!(certainty(expr), Certainty::Unlikely, "{expr}");
        }
    }
}

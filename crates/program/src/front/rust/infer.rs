//! Types that are not known where they are needed: a literal, `None`, a `let` without a type. Such a type is open. When
//! it meets a known one, that is remembered as the type at this origin, and the function is translated again; a type
//! about which nothing is known in the end is `i32`, as in the language.

use std::collections::HashMap;
use std::rc::Rc;

use super::types::{Origin, Type};

/// What is known of the types at origins.
#[derive(Default)]
pub(super) struct Guesses {
    known: HashMap<Origin, Type>,
}

impl Guesses {
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The type at an origin; open if nothing is known.
    pub fn at(&self, origin: Origin, is_int: bool) -> Type {
        match self.known.get(&origin) {
            Some(known) => self.resolved(known),
            None => Type::Open { origin, is_int },
        }
    }

    /// The type with everything that is known by now.
    pub fn resolved(&self, ty: &Type) -> Type {
        let inner = |ty: &Rc<Type>| Rc::new(self.resolved(ty));
        match ty {
            Type::Open { origin, is_int } => self.at(*origin, *is_int),
            Type::Tuple(of) => Type::Tuple(of.iter().map(|ty| self.resolved(ty)).collect()),
            Type::Array(of, length) => Type::Array(inner(of), *length),
            Type::Slice(of) => Type::Slice(inner(of)),
            Type::Reference(to) => Type::Reference(inner(to)),
            Type::Raw(to) => Type::Raw(inner(to)),
            Type::Box(of) => Type::Box(inner(of)),
            Type::Borrowed(of) => Type::Borrowed(inner(of)),
            Type::Option(of) => Type::Option(inner(of)),
            _ => ty.clone(),
        }
    }

    /// Whether both can be the same type, which they are from now on.
    pub fn unify(&mut self, a: &Type, b: &Type) -> bool {
        match (self.resolved(a), self.resolved(b)) {
            (Type::Never, _) | (_, Type::Never) => true,
            (
                Type::Open {
                    origin: a,
                    is_int: is_a,
                },
                Type::Open {
                    origin: b,
                    is_int: is_b,
                },
            ) => {
                match (is_a, is_b) {
                    _ if a == b => {}
                    (false, _) => self.learn(
                        a,
                        Type::Open {
                            origin: b,
                            is_int: is_b,
                        },
                    ),
                    (_, false) => self.learn(
                        b,
                        Type::Open {
                            origin: a,
                            is_int: is_a,
                        },
                    ),
                    // When one of them is known, so is the other the next time.
                    (true, true) => {}
                }
                true
            }
            (Type::Open { origin, is_int }, ty) | (ty, Type::Open { origin, is_int }) => {
                let is_possible = !is_int || matches!(ty, Type::Int(_));
                if is_possible {
                    self.learn(origin, ty);
                }
                is_possible
            }
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(&*b).all(|(a, b)| self.unify(a, b))
            }
            (Type::Array(a, of_a), Type::Array(b, of_b)) => of_a == of_b && self.unify(&a, &b),
            (Type::Slice(a), Type::Slice(b))
            | (Type::Reference(a), Type::Reference(b))
            | (Type::Raw(a), Type::Raw(b))
            | (Type::Box(a), Type::Box(b))
            | (Type::Borrowed(a), Type::Borrowed(b))
            | (Type::Option(a), Type::Option(b)) => self.unify(&a, &b),
            (a, b) => a == b,
        }
    }

    fn learn(&mut self, origin: Origin, ty: Type) {
        self.known.entry(origin).or_insert(ty);
    }
}

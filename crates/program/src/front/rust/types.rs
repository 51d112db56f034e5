//! The types of the subset and their cells.

use std::fmt;
use std::rc::Rc;

use nopol_scalar::{IntKind, IntType};

use crate::ir::{PointerKind, Scalar};

/// The integer type with this name, if the subset has it.
pub(super) fn int_named(name: &str) -> Option<IntType> {
    IntType::from_name(name).filter(|int| int.bits() <= 64 && !int.wraps())
}

/// What stands for a type that is not known yet: where it is asked for.
pub(super) type Origin = u32;

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Int(IntType),
    Bool,
    Char,
    /// What has no value, because it never comes back.
    Never,
    /// A string, which occurs in messages only.
    Str,
    /// The empty one is `()`.
    Tuple(Rc<[Type]>),
    Array(Rc<Type>, u32),
    /// Behind references only.
    Slice(Rc<Type>),
    /// Whether it is mutable does not matter to a program that the compiler accepts.
    Reference(Rc<Type>),
    /// A raw pointer.
    Raw(Rc<Type>),
    Box(Rc<Type>),
    /// A reference to a box of this, which is the pointer that is in the box: where the box is, is not known.
    Borrowed(Rc<Type>),
    Option(Rc<Type>),
    Struct(Rc<Struct>),
    /// A structure behind a pointer in a declaration, by its name: it may contain the pointer.
    Named(Rc<str>),
    Enum(Rc<Enum>),
    /// Not known yet: an integer of 32 bits if nothing else says what it is.
    Open {
        origin: Origin,
        is_int: bool,
    },
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Array(a, of_a), Self::Array(b, of_b)) => of_a == of_b && a == b,
            (Self::Slice(a), Self::Slice(b))
            | (Self::Reference(a), Self::Reference(b))
            | (Self::Raw(a), Self::Raw(b))
            | (Self::Box(a), Self::Box(b))
            | (Self::Borrowed(a), Self::Borrowed(b))
            | (Self::Option(a), Self::Option(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            (Self::Named(a), Self::Named(b)) => a == b,
            (Self::Named(name), Self::Struct(of)) | (Self::Struct(of), Self::Named(name)) => {
                *of.name == **name
            }
            (Self::Enum(a), Self::Enum(b)) => a == b,
            (
                Self::Open { origin, is_int },
                Self::Open {
                    origin: other,
                    is_int: is_other_int,
                },
            ) => origin == other && is_int == is_other_int,
            _ => {
                let plain = |ty: &Self| {
                    matches!(ty, Self::Bool | Self::Char | Self::Never | Self::Str)
                        .then(|| std::mem::discriminant(ty))
                };
                plain(self).is_some() && plain(self) == plain(other)
            }
        }
    }
}

/// A structure.
#[derive(Debug)]
pub(super) struct Struct {
    pub name: String,
    pub fields: Vec<Field>,
    pub derives: Vec<String>,
}

/// A field of a structure; of a tuple the name is its number.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    pub ty: Type,
    /// The number of its first cell.
    pub offset: u32,
}

impl PartialEq for Struct {
    // Names are unique, or the program is outside of the subset.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// An enumeration without data.
#[derive(Debug)]
pub(super) struct Enum {
    pub name: String,
    pub variants: Vec<(String, i128)>,
    pub derives: Vec<String>,
}

impl PartialEq for Enum {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Enum {
    /// The smallest integer that holds all of its values.
    pub fn scalar(&self) -> Scalar {
        let fits = |kind: &IntKind| {
            let range = kind.least::<i128>()..=kind.greatest();
            self.variants.iter().all(|(_, value)| range.contains(value))
        };
        let mut small = [IntKind::U8, IntKind::I8].into_iter();
        Scalar::Int(small.find(fits).unwrap_or(IntKind::I64))
    }

    /// What `cmp` returns.
    pub fn ordering() -> Self {
        let variants = [("Less", -1), ("Equal", 0), ("Greater", 1)];
        let derives = ["PartialEq", "Clone", "Copy", "PartialOrd"];
        Self {
            name: "Ordering".to_owned(),
            variants: variants
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            derives: derives.map(str::to_owned).into(),
        }
    }
}

impl Type {
    pub fn unit() -> Self {
        Self::Tuple(Rc::new([]))
    }

    pub fn is_unit(&self) -> bool {
        matches!(self, Self::Tuple(of) if of.is_empty())
    }

    pub fn option(of: Self) -> Self {
        Self::Option(Rc::new(of))
    }

    pub fn reference(to: Self) -> Self {
        Self::Reference(Rc::new(to))
    }

    pub const USIZE: Self = Self::Int(IntType::Usize);

    /// What its cell holds, if it has one cell.
    pub fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Self::Int(int) => Scalar::from(*int),
            Self::Bool => Scalar::Bool,
            Self::Char => Scalar::UINT,
            Self::Open { .. } => Scalar::INT,
            Self::Enum(of) => of.scalar(),
            Self::Reference(to) if !matches!(**to, Self::Slice(_)) => Scalar::Pointer,
            Self::Raw(_) | Self::Box(_) | Self::Borrowed(_) => Scalar::Pointer,
            Self::Option(of) if of.is_niche() => Scalar::Pointer,
            _ => return None,
        })
    }

    /// The integer type of a value to calculate with.
    pub fn int(&self) -> Option<IntType> {
        match self {
            Self::Int(int) => Some(*int),
            Self::Open { .. } => Some(IntType::I32),
            _ => None,
        }
    }

    /// What its cells hold.
    pub fn cells(&self) -> Vec<Scalar> {
        let mut cells = Vec::new();
        self.add_cells(&mut cells);
        cells
    }

    fn add_cells(&self, cells: &mut Vec<Scalar>) {
        match self {
            Self::Tuple(of) => of.iter().for_each(|ty| ty.add_cells(cells)),
            Self::Struct(of) => of.fields.iter().for_each(|field| field.ty.add_cells(cells)),
            Self::Array(of, length) => {
                let of = of.cells();
                (0..*length).for_each(|_| cells.extend(&of));
            }
            Self::Option(of) if !of.is_niche() => {
                cells.push(Scalar::Bool);
                of.add_cells(cells);
            }
            // A slice: a pointer to its first element, and how many there are.
            Self::Reference(to) if matches!(**to, Self::Slice(_)) => {
                cells.extend([Scalar::Pointer, Scalar::SIZE]);
            }
            _ => cells.extend(self.scalar()),
        }
    }

    /// How many cells it has.
    pub fn size(&self) -> u32 {
        match self {
            Self::Array(of, length) => of.size() * length,
            _ => super::source::number(self.cells().len()),
        }
    }

    /// Whether values of it are in memory, so that a function writes those that it returns.
    pub fn is_in_memory(&self) -> bool {
        self.scalar().is_none() && self.size() > 0
    }

    /// Whether an option of it is a pointer, and `None` the null pointer.
    pub fn is_niche(&self) -> bool {
        match self {
            Self::Box(_) | Self::Borrowed(_) => true,
            Self::Reference(to) => matches!(**to, Self::Struct(_) | Self::Named(_)),
            _ => false,
        }
    }

    /// What a pointer of any kind points to, and of which kind it is.
    pub fn target(&self) -> Option<(&Self, PointerKind)> {
        match self {
            Self::Raw(to) => Some((to, PointerKind::Raw)),
            Self::Reference(to) | Self::Borrowed(to) => Some((to, PointerKind::Reference)),
            Self::Box(to) => Some((to, PointerKind::Owned)),
            Self::Option(of) if of.is_niche() => {
                let (to, access) = of.target()?;
                let access = match access {
                    PointerKind::Owned => PointerKind::OptionalOwned,
                    _ => PointerKind::OptionalReference,
                };
                Some((to, access))
            }
            _ => None,
        }
    }

    /// Whether it is the reference to a slice.
    pub fn is_slice_reference(&self) -> bool {
        matches!(self, Self::Reference(to) if matches!(**to, Self::Slice(_)))
    }

    /// Whether a value of it may be wrong in a way that another value of the type is right.
    pub fn is_value(&self) -> bool {
        self.scalar()
            .is_some_and(|scalar| scalar != Scalar::Pointer)
    }

    /// Whether what is assigned to it is a place: also where a structure is linked to others.
    pub fn is_place(&self) -> bool {
        self.is_value() || matches!(self, Self::Raw(_) | Self::Box(_)) || self.is_link()
    }

    /// How the source names its values, if they are not numbers.
    pub fn value_names(&self) -> Vec<(i128, String)> {
        match self {
            Self::Bool => vec![(0, "false".to_owned()), (1, "true".to_owned())],
            Self::Enum(of) => {
                let variants = of.variants.iter();
                let named = variants.map(|(name, value)| (*value, format!("{}::{name}", of.name)));
                named.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it is an option that is a pointer.
    pub fn is_link(&self) -> bool {
        matches!(self, Self::Option(of) if of.is_niche())
    }

    /// Whether it is an enumeration or contains one.
    pub fn has_enum(&self) -> bool {
        match self {
            Self::Enum(_) => true,
            Self::Tuple(of) => of.iter().any(Self::has_enum),
            Self::Struct(of) => of.fields.iter().any(|field| field.ty.has_enum()),
            Self::Option(of)
            | Self::Reference(of)
            | Self::Box(of)
            | Self::Borrowed(of)
            | Self::Array(of, _) => of.has_enum(),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => f.write_str(int.name()),
            Self::Bool => f.write_str("bool"),
            Self::Char => f.write_str("char"),
            Self::Never => f.write_str("!"),
            Self::Str => f.write_str("str"),
            Self::Tuple(of) => {
                let of: Vec<_> = of.iter().map(ToString::to_string).collect();
                write!(f, "({})", of.join(", "))
            }
            Self::Array(of, length) => write!(f, "[{of}; {length}]"),
            Self::Slice(of) => write!(f, "[{of}]"),
            Self::Reference(to) => write!(f, "&{to}"),
            Self::Raw(to) => write!(f, "*mut {to}"),
            Self::Box(of) => write!(f, "Box<{of}>"),
            Self::Borrowed(of) => write!(f, "&Box<{of}>"),
            Self::Named(name) => f.write_str(name),
            Self::Option(of) => write!(f, "Option<{of}>"),
            Self::Struct(of) => f.write_str(&of.name),
            Self::Enum(of) => f.write_str(&of.name),
            Self::Open { is_int, .. } => f.write_str(if *is_int { "i32" } else { "_" }),
        }
    }
}

//! Types: how large they are, and which cells they consist of.

use std::rc::Rc;

use nopol_scalar::IntKind;

use crate::ir::Scalar;

/// A type of C. Qualifiers do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type; of an enumeration with its members.
    Int(IntKind, Members),
    /// A pointer.
    Pointer(Rc<Self>),
    /// An array, of this many elements if that is known.
    Array(Rc<Self>, Option<u32>),
    /// A structure: its index in [`Types`].
    Struct(usize),
    /// A function.
    Function(Rc<Prototype>),
    /// Bytes from `malloc` before they have a type.
    Memory,
}

/// The values and names of an enumeration's members. They do not matter for what a type is.
#[derive(Clone, Debug, Default)]
pub(super) struct Members(Option<Rc<[(i128, String)]>>);

impl PartialEq for Members {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Members {}

/// What is known of a function from a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prototype {
    /// The type of its result.
    pub(super) result: Type,
    /// Its parameters, with the names they have. `None` if it does not say.
    pub(super) parameters: Option<Vec<(String, Type)>>,
}

impl Type {
    /// `int`
    pub(super) const INT: Self = Self::integer(32, true);
    /// `char`
    pub(super) const CHAR: Self = Self::integer(8, true);
    /// `long`, also the difference of pointers
    pub(super) const LONG: Self = Self::integer(64, true);
    /// `size_t`
    pub(super) const SIZE: Self = Self::integer(64, false);

    /// An integer type.
    pub(super) const fn integer(bits: u8, signed: bool) -> Self {
        Self::Int(IntKind::new(bits, signed), Members(None))
    }

    /// An enumeration, which is `unsigned int` for gcc unless it has something negative.
    pub(super) fn enumeration(members: Vec<(i128, String)>) -> Self {
        let signed = members.iter().any(|(value, _)| *value < 0);
        Self::Int(IntKind::new(32, signed), Members(Some(members.into())))
    }

    /// The values and names of an enumeration's members.
    pub(super) fn members(&self) -> Vec<(i128, String)> {
        match self {
            Self::Int(_, Members(Some(members))) => members.to_vec(),
            _ => Vec::new(),
        }
    }

    /// A pointer to this.
    pub(super) fn pointer(self) -> Self {
        Self::Pointer(Rc::new(self))
    }

    /// The one cell it has, if it is a scalar.
    pub(super) const fn scalar(&self) -> Option<Scalar> {
        match *self {
            Self::Bool => Some(Scalar::Bool),
            Self::Int(kind, _) => Some(Scalar::Int(kind)),
            Self::Pointer(_) | Self::Memory => Some(Scalar::Pointer),
            Self::Void | Self::Array(..) | Self::Struct(_) | Self::Function(_) => None,
        }
    }

    /// Whether it is a number.
    pub(super) const fn is_number(&self) -> bool {
        matches!(self, Self::Bool | Self::Int(..))
    }

    /// The type after the integer promotions.
    pub(super) fn promoted(&self) -> Self {
        match self {
            Self::Bool => Self::INT,
            Self::Int(kind, _) if kind.bits < 32 => Self::INT,
            Self::Int(kind, _) => Self::integer(kind.bits, kind.signed),
            _ => self.clone(),
        }
    }

    /// The common type of two numbers after the usual arithmetic conversions. As `long` and `long long` have the same
    /// width, the wider type has all values of the other.
    pub(super) fn common(&self, other: &Self) -> Self {
        let (left, right) = (self.promoted(), other.promoted());
        match (&left, &right) {
            (Self::Int(kind, _), Self::Int(other, _)) => {
                if kind.bits > other.bits
                    || kind.bits == other.bits && (!kind.signed || other.signed)
                {
                    left
                } else {
                    right
                }
            }
            _ => left,
        }
    }
}

/// A structure.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// Its tag; if it has none, something that no other has.
    pub(super) tag: String,
    /// The first name that a `typedef` gives it.
    pub(super) alias: Option<String>,
    /// Its fields, once they are known.
    pub(super) fields: Option<Vec<Field>>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its name.
    pub(super) name: String,
    /// Its type.
    pub(super) ty: Type,
    /// How many cells are before it.
    pub(super) offset: u32,
}

/// The most cells that one object may have.
const MOST_CELLS: u32 = 1 << 24;

/// All structures of a program.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// The structures.
    pub(super) structures: Vec<Structure>,
}

impl Types {
    /// A new structure whose fields are not known yet.
    pub(super) fn structure(&mut self, tag: String) -> usize {
        self.structures.push(Structure {
            tag,
            alias: None,
            fields: None,
        });
        self.structures.len() - 1
    }

    /// A `typedef` gives a type a name. That of a structure is shown if it has no tag.
    pub(super) fn named(&mut self, ty: &Type, name: &str) {
        if let Type::Struct(index) = ty {
            let alias = &mut self.structures[*index].alias;
            alias.get_or_insert_with(|| name.to_owned());
        }
    }

    /// How many cells a value has. `None` if that is not known, or if they are too many.
    pub(super) fn cells(&self, ty: &Type) -> Option<u32> {
        let cells = match ty {
            Type::Array(element, length) => self.cells(element)?.checked_mul((*length)?)?,
            Type::Struct(index) => {
                let fields = self.structures.get(*index)?.fields.as_ref()?;
                fields
                    .iter()
                    .try_fold(0_u32, |sum, field| sum.checked_add(self.cells(&field.ty)?))?
            }
            _ => ty.scalar().map(|_| 1)?,
        };
        (cells <= MOST_CELLS).then_some(cells)
    }

    /// The cells of a value.
    pub(super) fn scalars(&self, ty: &Type) -> Option<Vec<Scalar>> {
        self.cells(ty)?;
        match ty {
            Type::Array(element, length) => {
                let element = self.scalars(element)?;
                Some(element.repeat((*length)? as usize))
            }
            Type::Struct(index) => {
                let fields = self.structures.get(*index)?.fields.as_ref()?;
                let mut scalars = Vec::new();
                for field in fields {
                    scalars.extend(self.scalars(&field.ty)?);
                }
                Some(scalars)
            }
            _ => Some(vec![ty.scalar()?]),
        }
    }

    /// The size in bytes and the alignment.
    pub(super) fn layout(&self, ty: &Type) -> Option<(u64, u64)> {
        match ty {
            Type::Bool => Some((1, 1)),
            Type::Int(kind, _) => Some((u64::from(kind.bits / 8), u64::from(kind.bits / 8))),
            Type::Pointer(_) | Type::Memory => Some((8, 8)),
            Type::Array(element, length) => {
                let (size, alignment) = self.layout(element)?;
                Some((size.checked_mul(u64::from((*length)?))?, alignment))
            }
            Type::Struct(index) => {
                let (mut size, mut most) = (0_u64, 1);
                for field in self.structures.get(*index)?.fields.as_ref()? {
                    let (bytes, alignment) = self.layout(&field.ty)?;
                    size = size.next_multiple_of(alignment).checked_add(bytes)?;
                    most = most.max(alignment);
                }
                Some((size.next_multiple_of(most), most))
            }
            Type::Void | Type::Function(_) => None,
        }
    }

    /// Whether a pointer to one may point to the other.
    pub(super) fn are_compatible(&self, left: &Type, right: &Type) -> bool {
        match (left, right) {
            (Type::Pointer(left), Type::Pointer(right)) => self.are_compatible(left, right),
            (Type::Array(left, some), Type::Array(right, other)) => {
                (some == other || some.is_none() || other.is_none())
                    && self.are_compatible(left, right)
            }
            // Each file that includes a header has structures of its own.
            (Type::Struct(some), Type::Struct(other)) => {
                some == other
                    || self.structures[*some].tag == self.structures[*other].tag
                        && (self.structures[*some].fields.is_none()
                            || self.structures[*other].fields.is_none()
                            || self.scalars(left) == self.scalars(right))
            }
            _ => left == right,
        }
    }

    /// The type as it is written in C, for messages.
    pub(super) fn name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Bool => "_Bool".to_owned(),
            Type::Int(kind, _) => {
                let name = match kind.bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                if kind.signed {
                    name.to_owned()
                } else {
                    format!("unsigned {name}")
                }
            }
            Type::Pointer(target) => format!("{} *", self.name(target)),
            Type::Array(element, _) => format!("{}[]", self.name(element)),
            Type::Struct(index) => match &self.structures[*index] {
                // A tag that is not in the source has a character that no tag has.
                Structure { tag, .. } if !tag.contains(':') => format!("struct {tag}"),
                Structure { alias, .. } => alias.clone().unwrap_or_else(|| "struct".to_owned()),
            },
            Type::Function(_) => "function".to_owned(),
            Type::Memory => "void *".to_owned(),
        }
    }
}

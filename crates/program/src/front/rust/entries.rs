//! Functions as they are called from outside, with numbers: an entry of a function takes the cells of its arguments, and
//! returns one number.
//!
//! Within the program a value of several cells is behind a pointer, whether it is passed or returned. The entry has the
//! cells as its own parameters and passes their addresses on. The cells that it gets back it returns one after another in
//! the bits of a number. Numbers that no caller can pass do not count: those that are no variant of an enumeration, and no
//! character.

use std::rc::Rc;

use nopol_scalar::IntKind;

use super::Front;
use super::body::Body;
use super::build::{
    address, both, cast, compare, constant, either, field, load, not, nowhere, truth, wrapping,
};
use super::infer::Guesses;
use super::items::Function;
use super::source::span_of;
use super::types::Type;
use crate::ir::{
    self, BinaryOp, Dialect, Expr, ExprKind, FunctionId, Lvalue, Outside, Scalar, Span, Statement,
};
use crate::text;

/// Of an array with more elements, those that are equal at its end are shown once.
const MOST_SHOWN: usize = 16;

/// Most bits of a result of several cells that are compared.
const MOST_BITS: u32 = 64;

/// A function that can be called with a number for each cell of its arguments.
#[derive(Clone, Debug)]
pub struct Callable {
    /// What is called: the function, or the entry that stands for it and has its name.
    pub entry: FunctionId,
    parameters: Vec<Type>,
    result: Type,
}

impl Callable {
    /// Whether it takes a pointer or a reference.
    pub fn takes_pointer(&self) -> bool {
        self.parameters.iter().any(has_pointer)
    }

    /// The type of what it returns, if that is more than can be compared: it contains a pointer or reference, or has more
    /// than 64 bits.
    pub fn incomparable(&self) -> Option<String> {
        (!is_comparable(&self.result)).then(|| self.result.to_string())
    }

    /// What the cells of its result hold.
    pub fn result_cells(&self) -> Vec<Scalar> {
        self.result.cells()
    }

    /// The arguments with these cells, as Rust writes them.
    pub fn arguments(&self, cells: &[i128]) -> Vec<String> {
        let cells = &mut cells.iter().copied();
        let parameters = self.parameters.iter();
        parameters.map(|ty| written(ty, cells)).collect()
    }

    /// The result that the entry returns as this number, as Rust writes it.
    pub fn result(&self, number: i128) -> String {
        let mut cells = Vec::new();
        match self.result.scalar() {
            Some(_) => cells.push(number),
            None => {
                let mut rest = number;
                for scalar in self.result.cells().into_iter().rev() {
                    cells.push(scalar.wrap(rest));
                    rest >>= scalar.bits();
                }
                cells.reverse();
            }
        }
        written(&self.result, &mut cells.into_iter())
    }
}

impl<'a> Front<'a> {
    /// The function with its entry.
    pub fn callable(&mut self, function: &Rc<Function<'a>>) -> Result<Callable, Outside> {
        let span = span_of(function.file, &function.sig.ident);
        let id = self.function(function, span)?;
        let (parameters, result) = self.signature(function)?;
        let parameters: Vec<Type> = parameters.into_iter().map(|(_, ty)| ty).collect();
        // Any cells that these have are values that they have.
        let is_plain = |ty: &Type| {
            let is_any = matches!(ty, Type::Int(_) | Type::Bool);
            is_any || ty.size() == 0 && ty.scalar().is_none()
        };
        let is_its_own = parameters.iter().any(has_pointer)
            || parameters.iter().all(is_plain)
                && !result.is_in_memory()
                && result.scalar() != Some(Scalar::Pointer);
        let entry = if is_its_own {
            id
        } else {
            let mut body = Body::new(self, &function.home(), Guesses::default());
            // What it does is in no source, and so never wrong.
            body.is_fixed = true;
            let entry = body.entry((id, function.name()), &parameters, &result, nowhere(span));
            self.state.program.functions.push_and_get_key(entry)
        };
        Ok(Callable {
            entry,
            parameters,
            result,
        })
    }
}

impl Body<'_, '_> {
    fn entry(
        &mut self,
        (function, name): (FunctionId, String),
        types: &[Type],
        result: &Type,
        span: Span,
    ) -> ir::Function {
        let mut given = Vec::new();
        let target = result
            .is_in_memory()
            .then(|| Lvalue::Variable(self.temporary(result)));
        given.extend(target.clone().map(|target| address(target, span)));
        let mut parameters = Vec::new();
        for ty in types.iter().filter(|ty| ty.size() > 0) {
            let parameter = self.variable("#argument", ty);
            parameters.push(parameter);
            let at = Lvalue::Variable(parameter);
            for condition in self.possible(ty, &at, span) {
                self.out.push(Statement::Assume(condition));
            }
            given.push(match ty.scalar() {
                Some(scalar) => load(at, scalar, span),
                None => address(at, span),
            });
        }
        let call = Expr {
            kind: ExprKind::Call(self.node(), function, given),
            ty: result.scalar().unwrap_or(Scalar::INT),
            span,
        };
        let value = match result.scalar() {
            Some(_) if is_comparable(result) => Some(call),
            _ => {
                self.out.push(Statement::Eval(call));
                let target = target.filter(|_| is_comparable(result));
                target.map(|target| self.packed(result, &target, span))
            }
        };
        let returned = value.as_ref().map(|value| value.ty);
        if value.is_some() {
            self.out.push(Statement::Return { place: None, value });
        }
        ir::Function {
            name,
            parameters,
            result: returned,
            result_points_to: None,
            body: std::mem::take(&mut self.out),
        }
    }

    /// What holds of the cells of every value of a type.
    fn possible(&mut self, ty: &Type, at: &Lvalue, span: Span) -> Vec<Expr> {
        let number = |scalar| load(at.clone(), scalar, span);
        let is = |op, scalar, value| compare(op, number(scalar), constant(value, scalar, span));
        match ty {
            Type::Char => {
                let below = is(BinaryOp::Lt, Scalar::UINT, 0xd800);
                let above = is(BinaryOp::Gt, Scalar::UINT, 0xdfff);
                let last = is(BinaryOp::Le, Scalar::UINT, 0x0010_ffff);
                vec![both(either(below, above), last)]
            }
            Type::Enum(of) => {
                let variants = of.variants.iter();
                let variants = variants.map(|(_, value)| is(BinaryOp::Eq, of.scalar(), *value));
                vec![
                    variants
                        .reduce(either)
                        .unwrap_or_else(|| truth(false, span)),
                ]
            }
            Type::Option(of) => {
                let inner = self.possible(of, &field(at.clone(), 1), span);
                let inner = inner.into_iter();
                inner
                    .map(|inner| either(not(number(Scalar::Bool)), inner))
                    .collect()
            }
            _ => {
                let parts = parts(ty).into_iter();
                let parts =
                    parts.map(|(offset, ty)| self.possible(&ty, &field(at.clone(), offset), span));
                parts.flatten().collect()
            }
        }
    }

    /// The cells of a value one after another in the bits of a number; the cells of what is not there are 0.
    fn packed(&mut self, ty: &Type, at: &Lvalue, span: Span) -> Expr {
        if let Some(scalar) = ty.scalar() {
            let number = load(at.clone(), scalar, span);
            let number = match scalar {
                Scalar::Int(kind) => cast(number, Scalar::Int(IntKind::new(kind.bits, false))),
                _ => number,
            };
            return cast(number, Scalar::SIZE);
        }
        let mut all: Option<Expr> = None;
        for (offset, part) in parts(ty) {
            let bits = bits(&part);
            if bits == 0 {
                continue;
            }
            let mut packed = self.packed(&part, &field(at.clone(), offset), span);
            if matches!(ty, Type::Option(_)) && offset > 0 {
                let is_some = load(at.clone(), Scalar::Bool, span);
                packed = self.choose(is_some, packed, constant(0, Scalar::SIZE, span));
            }
            all = Some(match all {
                None => packed,
                Some(before) => {
                    let by = constant(bits.into(), Scalar::SIZE, span);
                    let before = wrapping(BinaryOp::Shl, before, by);
                    wrapping(BinaryOp::Or, before, packed)
                }
            });
        }
        all.unwrap_or_else(|| constant(0, Scalar::SIZE, span))
    }
}

/// The values in one of several, each with the number of its first cell.
fn parts(ty: &Type) -> Vec<(u32, Type)> {
    match ty {
        Type::Tuple(of) => {
            let mut offset = 0;
            let parts = of.iter().map(|ty| {
                let at = offset;
                offset += ty.size();
                (at, ty.clone())
            });
            parts.collect()
        }
        Type::Struct(of) => {
            let fields = of.fields.iter();
            fields
                .map(|field| (field.offset, field.ty.clone()))
                .collect()
        }
        Type::Array(of, length) => {
            let size = of.size();
            (0..*length)
                .map(|nth| (nth * size, (**of).clone()))
                .collect()
        }
        Type::Option(of) if !of.is_niche() => vec![(0, Type::Bool), (1, (**of).clone())],
        _ => Vec::new(),
    }
}

fn bits(ty: &Type) -> u32 {
    let cells = ty.cells().into_iter();
    cells.map(|scalar| u32::from(scalar.bits())).sum()
}

fn has_pointer(ty: &Type) -> bool {
    ty.cells().contains(&Scalar::Pointer)
}

fn is_comparable(ty: &Type) -> bool {
    !has_pointer(ty) && bits(ty) <= MOST_BITS
}

/// A value as Rust writes it, which takes its cells from these.
fn written(ty: &Type, cells: &mut dyn Iterator<Item = i128>) -> String {
    let all = |cells: &mut dyn Iterator<Item = i128>| {
        let parts = parts(ty).into_iter();
        let parts: Vec<String> = parts.map(|(_, part)| written(&part, cells)).collect();
        parts
    };
    match ty {
        Type::Tuple(of) => match &*all(cells) {
            [only] if of.len() == 1 => format!("({only},)"),
            parts => format!("({})", parts.join(", ")),
        },
        Type::Array(..) => {
            let mut elements = all(cells);
            let length = elements.len();
            while elements.len() > MOST_SHOWN
                && matches!(&*elements, [.., before, last] if before == last)
            {
                elements.pop();
            }
            if elements.len() < length {
                elements.push("…".to_owned());
            }
            format!("[{}]", elements.join(", "))
        }
        Type::Struct(of) => {
            let parts = all(cells);
            let is_tuple = of.fields.first().is_some_and(|field| field.name == "0");
            match (parts.is_empty(), is_tuple) {
                (true, _) => of.name.clone(),
                (_, true) => format!("{}({})", of.name, parts.join(", ")),
                _ => {
                    let names = of.fields.iter().map(|field| &field.name);
                    let named = names.zip(parts);
                    let named = named.map(|(name, part)| format!("{name}: {part}"));
                    let named: Vec<String> = named.collect();
                    format!("{} {{ {} }}", of.name, named.join(", "))
                }
            }
        }
        Type::Option(of) => {
            let is_some = cells.next() == Some(1);
            let inner = written(of, cells);
            match is_some {
                true => format!("Some({inner})"),
                false => "None".to_owned(),
            }
        }
        _ if ty.scalar().is_none() => "_".to_owned(),
        _ => {
            let number = cells.next().unwrap_or_default();
            let named = ty.value_names().into_iter();
            let mut named = named.filter(|(value, _)| *value == number);
            let character = (*ty == Type::Char)
                .then(|| text::character(Dialect::Rust, number))
                .flatten();
            let named = named.next().map(|(_, name)| name);
            named.or(character).unwrap_or_else(|| number.to_string())
        }
    }
}

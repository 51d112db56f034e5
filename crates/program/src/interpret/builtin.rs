//! What languages bring along.

use std::borrow::Cow;

use super::format::{self, Decimal};
use super::value::{Address, Value};
use super::{End, Flow, Interpreter, Jump};
use crate::ir::{
    Builtin, Conversion, Expr, FaultKind, Initially, MOST_CELLS, MOST_ROW, Scalar, Span,
};
use crate::text;

/// Most bytes of output that are kept; more is dropped.
const MOST_OUTPUT: usize = 1 << 20;

impl<'p> Interpreter<'p, '_> {
    /// Calls a builtin.
    pub fn builtin(
        &mut self,
        builtin: &'p Builtin,
        arguments: &'p [Expr],
        span: Span,
    ) -> Flow<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let argument = |at: usize| values.get(at).copied().unwrap_or(Value::Number(0));
        Ok(match builtin {
            Builtin::Allocate(cells, initially) if values.is_empty() => {
                Value::Pointer(Some(self.new_object(Cow::Borrowed(cells), *initially)?))
            }
            Builtin::Allocate(cells, initially) => {
                let most = i128::from(MOST_CELLS) / cells.len().max(1) as i128;
                let count = usize::try_from(argument(0).number()).ok();
                match count.filter(|count| *count as i128 <= most) {
                    Some(count) => {
                        let cells = Cow::Owned(cells.repeat(count));
                        Value::Pointer(Some(self.new_object(cells, *initially)?))
                    }
                    None => {
                        self.fault(FaultKind::TooMuch, span)?;
                        Value::Pointer(None)
                    }
                }
            }
            Builtin::Row(cells) => {
                let most = i128::from(MOST_ROW) / cells.len().max(1) as i128;
                let count = usize::try_from(argument(0).number()).ok();
                let count = count.filter(|count| (1..=most).contains(&(*count as i128)));
                Value::Pointer(match count {
                    Some(count) => {
                        let cells = Cow::Owned(cells.repeat(count));
                        Some(self.shared_object(cells, Initially::Unset)?)
                    }
                    None => {
                        self.fault(FaultKind::Length, span)?;
                        None
                    }
                })
            }
            Builtin::ParseInt => Value::Number(self.parse(argument(0).address(), span)?),
            Builtin::Scan(conversions) => Value::Number(self.scan(conversions, &values, span)?),
            Builtin::ReadByte => Value::Number(self.input.next().map_or(-1, i128::from)),
            Builtin::ReadLine => {
                let (buffer, size) = (argument(0).address(), argument(1).number());
                Value::bool(self.read_line(buffer, size, span)?)
            }
            Builtin::Print(conversions) => Value::Number(self.print(conversions, &values, span)?),
            Builtin::Free => {
                if let Some(address) = argument(0).address() {
                    if !self.memory.is_allocated(address) {
                        self.fault(FaultKind::NotAllocated, span)?;
                    }
                    if self.memory.is_freed(address.object) {
                        self.fault(FaultKind::Freed, span)?;
                    }
                    self.memory.give_back(address.object);
                }
                Value::Number(0)
            }
            Builtin::Apart => {
                let (to, from) = (argument(0), argument(2));
                let (cells, others) = (argument(1).number(), argument(3).number());
                Value::bool(are_apart(to.address(), cells, from.address(), others))
            }
            Builtin::Exit => return Err(Jump::Exit(argument(0).number())),
        })
    }

    /// A new object that the program allocates: there are pointers to it.
    pub fn new_object(&mut self, cells: Cow<'p, [Scalar]>, initially: Initially) -> Flow<Address> {
        let address = self.shared_object(cells, initially)?;
        self.memory.allocated(address.object);
        Ok(address)
    }

    /// A new object with pointers to it.
    fn shared_object(&mut self, cells: Cow<'p, [Scalar]>, initially: Initially) -> Flow<Address> {
        self.spend(u64::try_from(cells.len() / 64).unwrap_or(u64::MAX))?;
        let object = self
            .memory
            .allocate(cells, initially)
            .ok_or(Jump::End(End::Steps))?;
        self.memory.share(object);
        Ok(Address::new(object, 0))
    }

    fn parse(&mut self, string: Option<Address>, span: Span) -> Flow<i128> {
        let mut number = Decimal::default();
        let mut at = 0;
        while number.take(self.byte(string, at, span)?) {
            at += 1;
        }
        Ok(text::fitted(number.value(), Scalar::LONG))
    }

    /// A byte of a string.
    fn byte(&mut self, string: Option<Address>, at: i128, span: Span) -> Flow<u8> {
        let (byte, is_set) = self.read_at(string, at, Scalar::CHAR, span)?;
        if !is_set {
            self.fault(FaultKind::Unset, span)?;
        }
        let byte = byte.number();
        Ok(u8::try_from(byte & 0xff).unwrap_or(0))
    }

    /// The number of assigned targets, as C's `scanf` gives it.
    fn scan(&mut self, conversions: &'p [Conversion], targets: &[Value], span: Span) -> Flow<i128> {
        let mut done = 0;
        for conversion in conversions {
            let target = usize::try_from(done)
                .ok()
                .and_then(|at| targets.get(at)?.address());
            let matches = match conversion {
                Conversion::Space => {
                    self.input.skip_space();
                    continue;
                }
                Conversion::Text(text) => {
                    let matching = text
                        .iter()
                        .take_while(|byte| self.input.next_if(**byte))
                        .count();
                    if matching == text.len() {
                        continue;
                    }
                    false
                }
                Conversion::Int { ty, .. } => {
                    let mut number = Decimal::default();
                    self.input.take_while(usize::MAX, |byte| number.take(byte));
                    if number.has_digits {
                        let value = Value::Number(text::fitted(number.value(), *ty));
                        self.write_at(target, 0, value, span)?;
                    } else if number.has_begun {
                        return Ok(done);
                    }
                    number.has_digits
                }
                Conversion::Char => match self.input.next() {
                    Some(byte) => {
                        self.write_at(target, 0, Value::Number(i128::from(byte)), span)?;
                        true
                    }
                    None => false,
                },
                Conversion::Str | Conversion::Word(_) => {
                    self.input.skip_space();
                    let most = match conversion {
                        Conversion::Word(most) => usize::from(*most),
                        _ => usize::MAX,
                    };
                    let word = self.input.take_while(most, |byte| !format::is_space(byte));
                    if !word.is_empty() {
                        self.write_string(target, word, span)?;
                    }
                    !word.is_empty()
                }
            };
            if !matches {
                let is_end = done == 0 && self.input.peek().is_none();
                return Ok(if is_end { -1 } else { done });
            }
            done += 1;
        }
        Ok(done)
    }

    /// Writes bytes and the 0 after them.
    pub fn write_string(&mut self, target: Option<Address>, bytes: &[u8], span: Span) -> Flow<()> {
        let bytes = bytes.iter().copied().chain([0]);
        for (at, byte) in (0_i128..).zip(bytes) {
            self.write_at(target, at, Value::Number(i128::from(byte)), span)?;
        }
        Ok(())
    }

    /// As C's `fgets`: without anything to read, the buffer stays as it is.
    fn read_line(&mut self, buffer: Option<Address>, size: i128, span: Span) -> Flow<bool> {
        let most = usize::try_from(size.saturating_sub(1)).unwrap_or(0);
        let mut is_over = false;
        let line = self
            .input
            .take_while(most, |byte| !std::mem::replace(&mut is_over, byte == b'\n'));
        if !line.is_empty() {
            self.write_string(buffer, line, span)?;
        }
        Ok(!line.is_empty())
    }

    /// How many bytes were printed.
    fn print(&mut self, conversions: &'p [Conversion], values: &[Value], span: Span) -> Flow<i128> {
        let mut values = values.iter().copied();
        let mut value = || values.next().unwrap_or(Value::Number(0));
        let mut bytes = Vec::new();
        for conversion in conversions {
            match conversion {
                Conversion::Text(text) => bytes.extend_from_slice(text),
                Conversion::Space => {}
                Conversion::Int {
                    ty,
                    width,
                    zeros,
                    left,
                } => {
                    let number = ty.wrap(value().number());
                    bytes.extend_from_slice(
                        format::integer(number, *width, *zeros, *left).as_bytes(),
                    );
                }
                Conversion::Char => bytes.push(u8::try_from(value().number() & 0xff).unwrap_or(0)),
                Conversion::Str | Conversion::Word(_) => {
                    let string = value().address();
                    for at in 0.. {
                        match self.byte(string, at, span)? {
                            0 => break,
                            byte => bytes.push(byte),
                        }
                    }
                }
            }
        }
        self.spend(u64::try_from(bytes.len() / 64).unwrap_or(u64::MAX))?;
        let room = MOST_OUTPUT.saturating_sub(self.output.len());
        self.output.extend(bytes.iter().take(room));
        Ok(i128::try_from(bytes.len()).unwrap_or(0))
    }
}

/// Whether areas of so many cells have nothing in common.
fn are_apart(to: Option<Address>, cells: i128, from: Option<Address>, others: i128) -> bool {
    let (Some(to), Some(from)) = (to, from) else {
        return true;
    };
    let distance = i128::from(from.cell) - i128::from(to.cell);
    to.object != from.object || distance >= cells || -distance >= others
}

//! What a language brings along, as circuits. Input is known text, so reading it is tabulated by where the run is in it.

use std::rc::Rc;

use nopol_program::ir::{
    Builtin, Conversion, Expr, FaultKind, Initially, MOST_CELLS, MOST_ROW, Scalar, Span,
};
use nopol_program::text::{self, Scanned};

use super::addresses::Located;
use super::memory::{INDEX_BITS, Part, Target, Value};
use super::stream::{Output, Progress};
use super::{Bit, Encoder, ObjectId, Result, constant, index_word};
use crate::circuit::word::{self, Word};

/// Longest string that is read.
const LONGEST: usize = 4096;

impl Encoder<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: &Builtin,
        arguments: &[Expr],
        ty: Scalar,
        span: Span,
    ) -> Result<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        match (builtin, &*values) {
            (Builtin::Allocate(cells, initially), []) => {
                let object = self.new_object(cells.len(), *initially);
                self.memory.objects[object].is_allocated = true;
                Ok(Value::pointer(object, index_word(0)))
            }
            (Builtin::Allocate(cells, initially), [Value::Bits(count)]) => {
                Ok(self.row(cells.len(), &count.clone(), *initially, true))
            }
            (Builtin::Row(cells), [Value::Bits(count)]) => {
                Ok(self.row(cells.len(), &count.clone(), Initially::Unset, false))
            }
            (Builtin::ParseInt, [Value::Pointer(from)]) => {
                let number = match &**from {
                    [only] if only.when == Bit::TRUE => {
                        let bytes = self.known_string(from);
                        bytes.map(|bytes| parsed(&bytes, ty))
                    }
                    all => self.one_of(all, ty),
                };
                match number {
                    Some(number) => Ok(Value::Bits(number)),
                    None => self.stop(
                        span,
                        "`atoi` is called on a string with characters that depend on a changed value",
                    ),
                }
            }
            (Builtin::Scan(conversions), targets) => self.scan(conversions, targets, ty, span),
            (Builtin::ReadByte, _) => {
                let stdin = Rc::clone(&self.stdin);
                let mut value = constant(ty, -1);
                let mut after = Vec::new();
                for &(at, bit) in self.state.input.clone().iter() {
                    if let Some(byte) = stdin.get(at) {
                        let byte = constant(ty, i128::from(*byte));
                        value = self.circuit.choose(bit, &byte, &value);
                    }
                    after.push(((at + 1).min(stdin.len()), bit));
                }
                self.state.input = self.progress(after);
                Ok(Value::Bits(value))
            }
            (Builtin::ReadLine, [Value::Pointer(buffer), Value::Bits(size)]) => {
                self.read_line(&buffer.clone(), &size.clone(), span)
            }
            (Builtin::Print(conversions), values) => {
                self.print(conversions, values, span)?;
                Ok(Value::zero(ty))
            }
            (Builtin::Free, [Value::Pointer(targets)]) => {
                self.give_back(&Rc::clone(targets));
                Ok(Value::zero(ty))
            }
            (
                Builtin::Apart,
                [
                    Value::Pointer(to),
                    Value::Bits(cells),
                    Value::Pointer(from),
                    Value::Bits(others),
                ],
            ) => {
                let apart = self.are_apart((to, cells), (from, others));
                Ok(Value::bit(apart))
            }
            (Builtin::Exit, [code @ Value::Bits(_)]) => {
                let code = code.clone();
                let state = self.departing();
                self.exited = Some(match self.exited.take() {
                    None => (state, code),
                    Some((other, old)) => {
                        let code = Value::choose(self.circuit, other.live, &old, &code);
                        (self.join(other, state), code)
                    }
                });
                Ok(Value::zero(ty))
            }
            _ => self.stop(
                span,
                "a library function is called with arguments of unsupported types",
            ),
        }
    }

    /// A new object of this many times these cells, or null if that is too many.
    fn row(
        &mut self,
        cells: usize,
        count: &Word,
        initially: Initially,
        is_allocated: bool,
    ) -> Value {
        let each = cells.max(1) as i128;
        let most = if is_allocated { MOST_CELLS } else { MOST_ROW };
        let most = word::constant(i128::from(most) / each, count.len());
        let mut fits = !self.circuit.less(&most, count, false);
        let mut kind = FaultKind::TooMuch;
        if !is_allocated {
            let any = self.circuit.nonzero(count);
            fits = self.circuit.and(fits, any);
            kind = FaultKind::Length;
        }
        self.fault(kind, !fits);
        let each = word::constant(each, INDEX_BITS);
        let (length, _) = self.circuit.mul(&count[..INDEX_BITS], &each, false);
        let object = self.memory.object(length, initially);
        self.memory.objects[object].is_allocated = is_allocated;
        self.contents(object);
        let row = Value::pointer(object, index_word(0));
        Value::choose(self.circuit, fits, &row, &Value::null())
    }

    /// How many bytes a string can have, if the sizes of the objects that it may be in are known and not large: outside of
    /// them there are only zeros.
    fn longest(&self, string: &[Target]) -> Option<usize> {
        let objects = string.iter().filter_map(|target| target.address.as_ref());
        let mut lengths =
            objects.map(|(object, _)| word::known(&self.memory.objects[*object].length));
        let longest = lengths.try_fold(0, |most, length| Some(length?.max(most)))?;
        usize::try_from(longest)
            .ok()
            .filter(|longest| *longest < LONGEST)
    }

    /// The number of that one of several strings where a pointer leads, if all of them are known, as in `atoi(argv[i])`.
    fn one_of(&mut self, from: &[Target], ty: Scalar) -> Option<Word> {
        let mut number = constant(ty, 0);
        for target in from {
            let Some((object, cell)) = &target.address else {
                self.fault(FaultKind::NullPointer, target.when);
                continue;
            };
            let bytes = self.known_text(*object, word::known(cell)?, target.part.as_ref())?;
            let of_target = parsed(&bytes, ty);
            number = self.circuit.choose(target.when, &of_target, &number);
        }
        Some(number)
    }

    /// The bytes of an object from a cell up to the ending 0, if all are known and reading them is not a fault.
    pub(super) fn known_text(
        &mut self,
        object: ObjectId,
        start: u64,
        part: Option<&Part>,
    ) -> Option<Vec<u8>> {
        let mut length = word::known(&self.memory.objects[object].length)?;
        if let Some(part) = part {
            if part.is_missing != Bit::FALSE || word::known(&part.start)? > start {
                return None;
            }
            length = length.min(word::known(&part.start)? + u64::from(part.cells));
        }
        if self.was_freed(object) != Bit::FALSE {
            return None;
        }
        let mut bytes = Vec::new();
        for cell in start..length {
            match self.known_byte(object, cell)? {
                0 => return Some(bytes),
                byte => bytes.push(byte),
            }
        }
        None
    }

    /// All bytes of an array of characters, if they are known.
    pub(super) fn known_bytes(&mut self, object: ObjectId) -> Option<Vec<u8>> {
        let length = word::known(&self.memory.objects[object].length)?;
        (0..length)
            .map(|cell| self.known_byte(object, cell))
            .collect()
    }

    fn known_byte(&mut self, object: ObjectId, cell: u64) -> Option<u8> {
        let target = Target {
            when: Bit::TRUE,
            address: Some((object, index_word(cell.into()))),
            part: None,
        };
        let located = Located::of([target].into());
        match self.carried_from(&located, Scalar::CHAR) {
            (Value::Bits(byte), unset) if unset == Bit::FALSE => {
                u8::try_from(word::known(&byte)?).ok()
            }
            _ => None,
        }
    }

    /// The bytes up to the ending 0 of a string, if all are known.
    fn known_string(&mut self, from: &Rc<[Target]>) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            let at = self.moved(from, &index_word(bytes.len() as i128));
            let Value::Bits(byte) = self.read(&Located::of(at), Scalar::CHAR) else {
                return None;
            };
            match u8::try_from(word::known(&byte)?).ok()? {
                0 => return Some(bytes),
                byte => bytes.push(byte),
            }
        }
        None
    }

    /// Joins equal positions.
    fn progress(&mut self, mut all: Vec<(usize, Bit)>) -> Progress {
        all.sort_unstable();
        let mut joined: Vec<(usize, Bit)> = Vec::new();
        for (at, bit) in all {
            match joined.last_mut() {
                Some((last, sum)) if *last == at => *sum = self.circuit.or(*sum, bit),
                _ => joined.push((at, bit)),
            }
        }
        joined.into()
    }

    fn scan(
        &mut self,
        conversions: &[Conversion],
        targets: &[Value],
        ty: Scalar,
        span: Span,
    ) -> Result<Value> {
        let stdin = Rc::clone(&self.stdin);
        let here = self.state.input.clone();
        let mut count = constant(ty, 0);
        let mut after = Vec::new();
        let mut runs: Vec<(Bit, Vec<Scanned>)> = Vec::new();
        for &(at, bit) in here.iter() {
            let scan = text::scan(&stdin, at, conversions);
            let number = constant(ty, scan.result);
            count = self.circuit.choose(bit, &number, &count);
            after.push((scan.end, bit));
            runs.push((bit, scan.values));
        }
        self.state.input = self.progress(after);
        for (number, target) in targets.iter().enumerate() {
            let Value::Pointer(target) = target else {
                return self.stop(span, "the target of an input conversion is not an address");
            };
            for (bit, values) in &runs {
                match values.get(number) {
                    None => {}
                    Some(Scanned::Number(ty, value)) => {
                        let value = Value::Bits(constant(*ty, *value));
                        self.write_when(*bit, target, (&value, *ty));
                    }
                    Some(Scanned::Word(bytes)) => {
                        for (at, byte) in bytes.iter().chain([&0]).enumerate() {
                            let to = self.moved(target, &index_word(at as i128));
                            let value = Value::Bits(constant(Scalar::CHAR, i128::from(*byte)));
                            self.write_when(*bit, &to, (&value, Scalar::CHAR));
                        }
                    }
                }
            }
        }
        Ok(Value::Bits(count))
    }

    fn write_when(&mut self, when: Bit, to: &[Target], (value, ty): (&Value, Scalar)) {
        let mut narrowed = Vec::with_capacity(to.len());
        for target in to {
            let when = self.circuit.and(when, target.when);
            narrowed.push(Target {
                when,
                ..target.clone()
            });
        }
        self.write_to(&Located::of(narrowed.into()), value, ty);
    }

    fn read_line(&mut self, buffer: &Rc<[Target]>, size: &Word, span: Span) -> Result<Value> {
        let Some(size) = word::known(size) else {
            return self.stop(
                span,
                "the size of the buffer for a line of input is not a known constant",
            );
        };
        let most = usize::try_from(size).unwrap_or(0).saturating_sub(1);
        let stdin = Rc::clone(&self.stdin);
        let mut any = Bit::FALSE;
        let mut after = Vec::new();
        for &(at, bit) in self.state.input.clone().iter() {
            let line = text::line(&stdin, at, most);
            after.push((at + line.len(), bit));
            if !line.is_empty() {
                any = self.circuit.or(any, bit);
                for (at, byte) in line.iter().chain([&0]).enumerate() {
                    let to = self.moved(buffer, &index_word(at as i128));
                    let value = Value::Bits(constant(Scalar::CHAR, i128::from(*byte)));
                    self.write_when(bit, &to, (&value, Scalar::CHAR));
                }
            }
        }
        self.state.input = self.progress(after);
        Ok(Value::bit(any))
    }

    fn print(&mut self, conversions: &[Conversion], values: &[Value], span: Span) -> Result<()> {
        let output = self.stdout.clone();
        let output = output.as_deref();
        let mut values = values.iter();
        for conversion in conversions {
            let from = self.state.output.clone();
            self.state.output = match conversion {
                Conversion::Text(bytes) => match output {
                    Some(output) => output.text(self.circuit, &from, bytes),
                    None => from,
                },
                Conversion::Space => from,
                Conversion::Int { ty, .. } => {
                    let Some(Value::Bits(value)) = values.next() else {
                        return self.stop(span, "the value printed as a number is not a number");
                    };
                    match output {
                        Some(output) => self.print_number(output, &from, conversion, *ty, value),
                        None => from,
                    }
                }
                Conversion::Char => {
                    let Some(Value::Bits(value)) = values.next() else {
                        return self.stop(span, "the value printed as a character is not a number");
                    };
                    match output {
                        Some(output) => self.print_byte(output, &from, value),
                        None => from,
                    }
                }
                Conversion::Str | Conversion::Word(_) => {
                    let Some(Value::Pointer(string)) = values.next() else {
                        return self.stop(span, "the value printed as a string is not a pointer");
                    };
                    self.print_string(output, from, &string.clone(), span)?
                }
            };
        }
        Ok(())
    }

    fn print_number(
        &mut self,
        output: &Output,
        from: &Progress,
        conversion: &Conversion,
        ty: Scalar,
        value: &Word,
    ) -> Progress {
        let value = word::resized(value, usize::from(ty.bits()), ty.is_signed());
        let shown = |number| text::shown(conversion, number);
        match word::known(&value) {
            Some(known) => output.text(self.circuit, from, &shown(ty.value(known))),
            None => output.number(self.circuit, from, &shown, &mut |circuit, number| match ty
                .wrap(number)
                == number
            {
                true => circuit.equal(&value, &constant(ty, number)),
                false => Bit::FALSE,
            }),
        }
    }

    fn print_byte(&mut self, output: &Output, from: &Progress, value: &Word) -> Progress {
        let low = word::resized(value, 8, false);
        match word::known(&low) {
            Some(byte) => output.text(self.circuit, from, &[byte as u8]),
            None => output.byte(self.circuit, from, &mut |circuit, byte| {
                circuit.equal(&low, &word::constant(i128::from(byte), 8))
            }),
        }
    }

    /// Prints a string, byte by byte, up to the first 0. Without an output it is only read: that may be a fault.
    fn print_string(
        &mut self,
        output: Option<&Output>,
        mut from: Progress,
        string: &Rc<[Target]>,
        span: Span,
    ) -> Result<Progress> {
        let before = self.state.live;
        // Those that print too much: they fail, whatever comes then.
        let mut beyond = Bit::FALSE;
        let longest = self.longest(string);
        for at in 0..=longest.unwrap_or(LONGEST) {
            let here = self.moved(string, &index_word(at as i128));
            let Value::Bits(byte) = self.read(&Located::of(here), Scalar::CHAR) else {
                break;
            };
            // A run that came to the end of the string reads and prints no more of it.
            let goes_on = self.circuit.nonzero(&byte);
            self.state.live = self.circuit.and(self.state.live, goes_on);
            if self.state.live == Bit::FALSE || longest == Some(at) {
                break;
            }
            if at == LONGEST || output.is_some() && from.is_empty() {
                beyond = self.state.live;
                if at == LONGEST {
                    self.cut(Bit::TRUE);
                }
                break;
            }
            self.check_limits(span)?;
            if let Some(output) = output {
                let printed = self.print_byte(output, &from, &byte);
                let live = self.state.live;
                from = super::stream::choose(self.circuit, live, &printed, &from);
            }
        }
        self.state.live = self.circuit.and(before, !beyond);
        Ok(from)
    }
}

/// What `atoi` and its like make of a text.
fn parsed(bytes: &[u8], ty: Scalar) -> Word {
    let number = text::fitted(text::parse_int(bytes), Scalar::LONG);
    constant(ty, ty.wrap(number))
}

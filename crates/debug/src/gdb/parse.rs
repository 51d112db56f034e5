//! Reads lines of gdb's machine interface. Total: any bytes give a record, and nothing makes it panic or recurse
//! without bound.
//!
//! It is a little more generous than the grammar in gdb's manual, as gdb itself does not keep to that: lists may mix
//! values with results, and so may tuples. What the records mean is left to others.

use super::mi::{AsyncKind, Item, Message, Record, StreamKind};

/// How deep values may be nested. gdb's own records stay below ten.
const DEPTH: usize = 100;

/// The record a line holds, [`Record::Unreadable`] if it holds none.
pub(super) fn record(line: &[u8]) -> Record {
    let mut end = line.len();
    while end > 0 && matches!(line[end - 1], b'\n' | b'\r') {
        end -= 1;
    }
    let line = &line[..end];
    let mut reader = Reader {
        bytes: line,
        position: 0,
    };
    reader
        .record()
        .filter(|_| reader.position == line.len())
        .unwrap_or_else(|| Record::Unreadable(String::from_utf8_lossy(line).into_owned()))
}

struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    /// Passes this byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    fn record(&mut self) -> Option<Record> {
        if self.bytes.trim_ascii_end() == b"(gdb)" {
            self.position = self.bytes.len();
            return Some(Record::Prompt);
        }
        let token = self.token()?;
        let mark = self.next()?;
        let stream = match mark {
            b'~' => Some(StreamKind::Console),
            b'@' => Some(StreamKind::Target),
            b'&' => Some(StreamKind::Log),
            _ => None,
        };
        if let Some(kind) = stream {
            // Text answers no command.
            return token
                .is_none()
                .then(|| self.text())?
                .map(|text| Record::Stream(kind, text));
        }
        let kind = match mark {
            b'^' => None,
            b'*' => Some(AsyncKind::Exec),
            b'+' => Some(AsyncKind::Status),
            b'=' => Some(AsyncKind::Notify),
            _ => return None,
        };
        let class = self.word()?;
        let mut results = Vec::new();
        while self.take(b',') {
            results.push(self.result(0)?);
        }
        let message = Message {
            token,
            class,
            results,
        };
        Some(match kind {
            None => Record::Result(message),
            Some(kind) => Record::Async(kind, message),
        })
    }

    /// The digits at the start of a line. The outer option is empty for a number beyond any that we send.
    fn token(&mut self) -> Option<Option<u64>> {
        let mut token = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let number: u64 = token.unwrap_or(0);
            token = Some(
                number
                    .checked_mul(10)?
                    .checked_add(u64::from(digit - b'0'))?,
            );
            self.position += 1;
        }
        Some(token)
    }

    /// A class, or the name of a result.
    fn word(&mut self) -> Option<String> {
        let start = self.position;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        {
            self.position += 1;
        }
        (self.position > start)
            .then(|| String::from_utf8_lossy(&self.bytes[start..self.position]).into_owned())
    }

    /// A result. A value alone gets an empty name.
    fn result(&mut self, depth: usize) -> Option<(String, Item)> {
        if matches!(self.peek()?, b'"' | b'{' | b'[') {
            return Some((String::new(), self.item(depth)?));
        }
        let name = self.word()?;
        if !self.take(b'=') {
            return None;
        }
        Some((name, self.item(depth)?))
    }

    fn item(&mut self, depth: usize) -> Option<Item> {
        if depth >= DEPTH {
            return None;
        }
        match self.peek()? {
            b'"' => self.text().map(Item::Text),
            b'{' => self.results(b'}', depth).map(Item::Tuple),
            b'[' => {
                let results = self.results(b']', depth)?;
                Some(if results.iter().all(|(name, _)| name.is_empty()) {
                    Item::List(results.into_iter().map(|(_, item)| item).collect())
                } else {
                    Item::Results(results)
                })
            }
            _ => None,
        }
    }

    /// What stands between brackets, which it passes.
    fn results(&mut self, close: u8, depth: usize) -> Option<Vec<(String, Item)>> {
        self.position += 1;
        let mut results = Vec::new();
        if self.take(close) {
            return Some(results);
        }
        loop {
            results.push(self.result(depth + 1)?);
            if self.take(close) {
                return Some(results);
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    /// A c-string.
    fn text(&mut self) -> Option<String> {
        if !self.take(b'"') {
            return None;
        }
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' => bytes.push(self.escape()?),
                byte => bytes.push(byte),
            }
        }
        // Only the whole is text: gdb writes one character as several octal escapes.
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The byte an escape stands for, after its backslash.
    fn escape(&mut self) -> Option<u8> {
        Some(match self.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'v' => 0x0b,
            b'e' => 0x1b,
            b'x' => {
                let high = self.hexadecimal()?;
                match self.hexadecimal() {
                    Some(low) => high << 4 | low,
                    None => high,
                }
            }
            digit @ b'0'..=b'7' => {
                let mut number = digit - b'0';
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    // A number beyond a byte wraps, as it does in C.
                    number = number.wrapping_shl(3) | (digit - b'0');
                    self.position += 1;
                }
                number
            }
            // A quote, a backslash, and whatever gdb may come to escape.
            other => other,
        })
    }

    fn hexadecimal(&mut self) -> Option<u8> {
        let digit = char::from(self.peek()?).to_digit(16)?;
        self.position += 1;
        u8::try_from(digit).ok()
    }
}

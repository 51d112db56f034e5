//! What a text needs so that its evaluation does not fail, as far as its tokens show: indices within bounds, divisors
//! other than 0, pointers that are not null, and existing payloads.

use nopol_source::Language;

/// `plus - minus + number`. Operands are source text without white space, except between words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    pub plus: Option<String>,
    pub minus: Option<String>,
    pub number: i128,
}

/// A condition that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// `plus - minus >= number`.
    AtLeast(Linear),
    /// The index plus this number is at most the length of an array whose length has no name.
    Below(String, i128),
    /// The divisor or pointer is not 0.
    NotZero(String),
    /// The value has the payload that is taken out.
    Holds(String),
}

impl Need {
    /// Whether a guard can be too strong or too weak for this need. The need that an index is not negative does not
    /// explain a guard such as `i > 0`.
    pub fn has_bound(&self) -> bool {
        match self {
            Self::AtLeast(it) => it.minus.is_some() || it.number > 0,
            Self::Below(..) | Self::NotZero(_) | Self::Holds(_) => true,
        }
    }

    /// The number by which needs of the same operands are compared.
    pub fn number(&self) -> i128 {
        match self {
            Self::AtLeast(it) => it.number,
            Self::Below(_, number) => *number,
            Self::NotZero(_) | Self::Holds(_) => 0,
        }
    }
}

/// The needs of a text. With `checks_differences`, differences must not be negative.
pub fn of(language: Language, code: &str, checks_differences: bool) -> Vec<Need> {
    let code = plain(code);
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'[' => index(language, &code, at, &mut found),
            b'/' | b'%' if bytes.get(at + 1) != Some(&b'=') => {
                let of = operand_after(&code[at + 1..]);
                let is_name = |text: &&str| !text.starts_with(|c: char| c.is_ascii_digit());
                found.extend(
                    Some(of)
                        .filter(is_name)
                        .filter(|it| !it.is_empty())
                        .map(|it| Need::NotZero(it.to_owned())),
                );
            }
            b'-' if code[at..].starts_with("->") => {
                let of = operand_before(&code[..at]);
                if language == Language::C && !of.is_empty() {
                    found.push(Need::NotZero(of.to_owned()));
                }
            }
            b'-' if checks_differences => {
                let a = operand_before(&code[..at]);
                let b = match code[at + 1..].strip_prefix('=') {
                    Some(value) => &value[..value.find(';').unwrap_or(value.len())],
                    None => operand_after(&code[at + 1..]),
                };
                let both = Linear::read(a).zip(Linear::read(b));
                if let Some(it) = both
                    .and_then(|(a, b)| a.minus(&b))
                    .filter(|it| it.plus.is_some())
                {
                    found.push(Need::AtLeast(Linear {
                        number: -it.number,
                        ..it
                    }));
                }
            }
            b'*' if language == Language::C => {
                // After an operand, `*` multiplies.
                let is_prefix = operand_before(&code[..at]).is_empty();
                let of = operand_after(&code[at + 1..]);
                if is_prefix && !of.is_empty() {
                    found.push(Need::NotZero(of.to_owned()));
                }
            }
            b'.' if code[at..].starts_with(".unwrap()") || code[at..].starts_with(".expect(") => {
                let of = operand_before(&code[..at]);
                if !of.is_empty() {
                    found.push(Need::Holds(of.to_owned()));
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the needs of an index or range in brackets, which open at the byte `open`.
fn index(language: Language, code: &str, open: usize, found: &mut Vec<Need>) {
    let of = operand_before(&code[..open]);
    let Some(close) = closing(&code[open..]) else {
        return;
    };
    let inside = &code[open + 1..open + close];
    if of.is_empty() || inside.is_empty() {
        return;
    }
    let length = match language {
        Language::Rust => Some(format!("{of}.len()")),
        Language::C => None,
    };
    if let Some((from, to)) = inside.split_once("..") {
        let (to, is_inclusive) = match to.strip_prefix('=') {
            Some(to) => (to, 1),
            None => (to, 0),
        };
        let (from, to) = (Linear::read(from), Linear::read(to));
        if let Some(it) = to
            .clone()
            .zip(from.clone())
            .and_then(|(to, from)| to.minus(&from))
        {
            found.push(Need::AtLeast(Linear {
                number: -it.number - is_inclusive,
                ..it
            }));
        }
        let end = to.or(from).map(|it| Linear {
            number: it.number + is_inclusive,
            ..it
        });
        below(length, end, 0, found);
        return;
    }
    let Some(index) = Linear::read(inside) else {
        return;
    };
    if index.plus.is_some() {
        found.push(Need::AtLeast(Linear {
            number: -index.number,
            ..index.clone()
        }));
    }
    below(length, Some(index), 1, found);
}

/// Adds the need that `index + more` is at most `length`.
fn below(length: Option<String>, index: Option<Linear>, more: i128, found: &mut Vec<Need>) {
    let Some(index) = index.filter(|it| it.minus.is_none()) else {
        return;
    };
    let number = index.number + more;
    match (length, index.plus) {
        (None, Some(index)) => found.push(Need::Below(index, number)),
        (None, None) => {}
        // An index from the end, such as `v[v.len() - 1]`, only needs an element to exist.
        (Some(length), Some(index)) if index == length => {}
        (length, index) => found.push(Need::AtLeast(Linear {
            plus: length,
            minus: index,
            number,
        })),
    }
}

impl Linear {
    /// Reads `a`, `a + 1`, `a - 1`, `a - b` and `3`. `None` for any other expression.
    pub fn read(text: &str) -> Option<Self> {
        let text = unwrapped(text);
        let mut it = Self::default();
        let mut rest = text;
        let mut is_negative = false;
        if rest.is_empty() {
            return None;
        }
        loop {
            let end = next_sign(rest);
            let part = unwrapped(&rest[..end]);
            match number(part) {
                Some(value) if is_negative => it.number -= value,
                Some(value) => it.number += value,
                None => {
                    let place = if is_negative {
                        &mut it.minus
                    } else {
                        &mut it.plus
                    };
                    let is_one = !part.is_empty() && place.is_none() && is_operand(part);
                    if !is_one {
                        return None;
                    }
                    *place = Some(part.to_owned());
                }
            }
            if end == rest.len() {
                return Some(it);
            }
            is_negative = rest.as_bytes()[end] == b'-';
            rest = &rest[end + 1..];
        }
    }

    /// The difference of two expressions. `None` if it would have two operands on one side.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let one = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(_), Some(_)) => None,
            (a, b) => Some(a.clone().or_else(|| b.clone())),
        };
        Some(Self {
            plus: one(&self.plus, &other.minus)?,
            minus: one(&self.minus, &other.plus)?,
            number: self.number - other.number,
        })
    }
}

/// The byte of the next `+` or `-` between operands. The length of the text if there is none.
fn next_sign(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'-' if text[at..].starts_with("->") => {}
            b'+' | b'-' if depth == 0 && at > 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn number(text: &str) -> Option<i128> {
    let (text, sign) = match text.strip_prefix('-') {
        Some(text) => (text, -1),
        None => (text, 1),
    };
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '_')
        .unwrap_or(text.len());
    let is_suffix = text[digits..].chars().all(|c| c.is_ascii_alphanumeric());
    let value: Option<i128> = text[..digits].replace('_', "").parse().ok();
    value
        .filter(|_| is_suffix && text.starts_with(|c: char| c.is_ascii_digit()))
        .map(|it| sign * it)
}

/// Whether a text is a single operand: a name, a field, a call or an element.
fn is_operand(text: &str) -> bool {
    operand_after(text).len() == text.len()
}

/// Removes parentheses around the whole text, and casts, which do not change small numbers.
fn unwrapped(text: &str) -> &str {
    let mut text = text;
    loop {
        let inner = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        text = match inner {
            Some(inner) if closing(text) == Some(text.len() - 1) => inner,
            _ => match text.rsplit_once(" as ") {
                Some((value, ty)) if ty.chars().all(|c| c.is_ascii_alphanumeric()) => value,
                _ => return text,
            },
        };
    }
}

/// The byte of the bracket that closes the one at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The operand at the start of a text. Empty if there is none.
fn operand_after(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' => match closing(&text[at..]) {
                Some(end) => at += end + 1,
                None => break,
            },
            b'-' if at > 0 && text[at..].starts_with("->") => at += 2,
            b'.' if text[at..].starts_with("..") => break,
            b'.' | b':' if at > 0 => at += 1,
            byte if is_word(*byte) => at += 1,
            _ => break,
        }
    }
    &text[..at]
}

/// The operand at the end of a text. Empty if there is none.
fn operand_before(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = bytes.len();
    while at > 0 {
        match bytes[at - 1] {
            b')' | b']' => match opening(&text[..at]) {
                Some(start) => at = start,
                None => break,
            },
            b'>' if text[..at].ends_with("->") => at -= 2,
            b'.' if text[..at].ends_with("..") => break,
            b'.' | b':' => at -= 1,
            byte if is_word(byte) => at -= 1,
            _ => break,
        }
    }
    let operand = &text[at..];
    match operand {
        "return" | "if" | "while" | "in" | "else" | "case" => "",
        _ => operand,
    }
}

fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' | b']' => depth += 1,
            b'(' | b'[' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The text without white space, except between words, and without comments and the contents of literals.
pub fn squeezed(text: &str) -> String {
    plain(text)
}

/// A text without comments, without the contents of literals, and without white space except between words.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => {
                out.push('_');
                quoted(rest, '"')
            }
            '\'' if is_character(rest) => {
                out.push('_');
                quoted(rest, '\'')
            }
            first if first.is_whitespace() => {
                let after = rest.trim_start();
                let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                if word(out.chars().next_back()) && word(after.chars().next()) {
                    out.push(' ');
                }
                rest.len() - after.len()
            }
            first => {
                out.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

/// Whether a quote starts a character literal rather than a lifetime.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    match (characters.next(), characters.next()) {
        (Some('\\'), _) => true,
        (_, second) => second == Some('\''),
    }
}

/// The length in bytes of the quoted literal at the start of a text.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

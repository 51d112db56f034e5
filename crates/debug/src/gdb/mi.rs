//! The records of gdb's machine interface, version 3: what gdb says, as values with typed access.
//!
//! It also prints records the way gdb does. Reading them from text is left to [`super::parse`], sending commands and
//! waiting for answers to [`super::process`].

use std::fmt;

use super::parse;

/// A value in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A c-string, without quotes and escapes. Bytes that are not UTF-8 are replaced.
    Text(String),
    /// A tuple: `{name="value",…}`. A value without a name, which gdb prints for some lists, has an empty name.
    Tuple(Vec<(String, Item)>),
    /// A list of values: `["a","b"]`.
    List(Vec<Item>),
    /// A list of results, which usually have equal names: `[frame={…},frame={…}]`.
    Results(Vec<(String, Item)>),
}

impl Item {
    /// The first result with this name in a tuple or a list of results.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Tuple(results) | Self::Results(results) => find(results, name),
            Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The text of a c-string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Tuple(_) | Self::List(_) | Self::Results(_) => None,
        }
    }

    /// The c-string with this name in a tuple.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The values of a list, of either kind. Nothing for any other value.
    pub fn elements(&self) -> Vec<&Self> {
        match self {
            Self::List(items) => items.iter().collect(),
            Self::Results(results) => results.iter().map(|(_, item)| item).collect(),
            Self::Text(_) | Self::Tuple(_) => Vec::new(),
        }
    }
}

/// The kinds of records that come unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncKind {
    /// `*`: the subject runs or has stopped.
    Exec,
    /// `+`: how far a slow operation got.
    Status,
    /// `=`: anything else that happened.
    Notify,
}

/// The kinds of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// `~`: what a command would print at gdb's own console.
    Console,
    /// `@`: what the subject printed, for some remote targets.
    Target,
    /// `&`: messages of gdb about itself.
    Log,
}

/// The class of a record and its results: `done,value="3"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The number of the command it answers.
    pub token: Option<u64>,
    /// What happened: `done`, `error`, `stopped`.
    pub class: String,
    /// The results, in their order.
    pub results: Vec<(String, Item)>,
}

impl Message {
    /// The first result with this name.
    pub fn get(&self, name: &str) -> Option<&Item> {
        find(&self.results, name)
    }

    /// The c-string with this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }
}

/// One line of gdb's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// `^`: the answer to a command.
    Result(Message),
    /// A record that comes unasked.
    Async(AsyncKind, Message),
    /// A piece of text.
    Stream(StreamKind, String),
    /// `(gdb)`: gdb waits for a command.
    Prompt,
    /// A line that is none of these, as it is. Bytes that are not UTF-8 are replaced.
    Unreadable(String),
}

impl Record {
    /// Reads one line of gdb's output, with or without its end of line. Every line is some record.
    pub fn parse(line: &[u8]) -> Self {
        parse::record(line)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quote(text)),
            Self::Tuple(results) => {
                f.write_str("{")?;
                write_results(f, results)?;
                f.write_str("}")
            }
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Results(results) => {
                f.write_str("[")?;
                write_results(f, results)?;
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class)?;
        if !self.results.is_empty() {
            f.write_str(",")?;
        }
        write_results(f, &self.results)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, message) = match self {
            Self::Result(message) => ('^', message),
            Self::Async(AsyncKind::Exec, message) => ('*', message),
            Self::Async(AsyncKind::Status, message) => ('+', message),
            Self::Async(AsyncKind::Notify, message) => ('=', message),
            Self::Stream(kind, text) => {
                let mark = match kind {
                    StreamKind::Console => '~',
                    StreamKind::Target => '@',
                    StreamKind::Log => '&',
                };
                return write!(f, "{mark}{}", quote(text));
            }
            Self::Prompt => return f.write_str("(gdb)"),
            Self::Unreadable(line) => return f.write_str(line),
        };
        if let Some(token) = message.token {
            write!(f, "{token}")?;
        }
        write!(f, "{mark}{message}")
    }
}

/// A text as a c-string with its quotes. gdb's commands take their arguments in this form too.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // The others have letters in C that not every reader knows.
            control if control.is_ascii_control() => {
                quoted.push_str(&format!("\\{:03o}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn find<'a>(results: &'a [(String, Item)], name: &str) -> Option<&'a Item> {
    results
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, item)| item)
}

fn write_results(f: &mut fmt::Formatter<'_>, results: &[(String, Item)]) -> fmt::Result {
    for (index, (name, item)) in results.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        if !name.is_empty() {
            write!(f, "{name}=")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

//! Calls functions of the subject by hand: registers are set and put back one by one ([`super::registers`]), since gdb's own
//! calls fail where it cannot write all registers at once. What an expression calls is found by [`super::expression`].
//!
//! A function gets and gives integers and pointers. It runs on the stack beyond that of the innermost frame, with breakpoints
//! off, and returns to the entry point of the program, which is reached in no other way.

use std::time::Duration;

use super::expression::tokens;
use super::mi::{Record, StreamKind};
use super::registers::{Convention, GO_ON, Registers};
use super::stop::{self, Stop, Why};
use super::subject::Subject;
use super::types::printed_type;
use super::{Error, Result};

/// Functions of the library, which has no debug information; none of them keeps a text that it gets.
const LIBRARY: [(&str, &str); 21] = [
    ("malloc", "void *(unsigned long)"),
    ("calloc", "void *(unsigned long, unsigned long)"),
    ("realloc", "void *(void *, unsigned long)"),
    ("free", "void (void *)"),
    ("printf", "int (const char *, ...)"),
    ("puts", "int (const char *)"),
    ("putchar", "int (int)"),
    ("exit", "void (int)"),
    ("abs", "int (int)"),
    ("labs", "long (long)"),
    ("llabs", "long long (long long)"),
    ("isalnum", "int (int)"),
    ("isalpha", "int (int)"),
    ("isdigit", "int (int)"),
    ("islower", "int (int)"),
    ("ispunct", "int (int)"),
    ("isspace", "int (int)"),
    ("isupper", "int (int)"),
    ("isxdigit", "int (int)"),
    ("tolower", "int (int)"),
    ("toupper", "int (int)"),
];

/// What a function takes and gives, as C spells types.
#[derive(Debug, PartialEq, Eq)]
struct Prototype {
    result: String,
    parameters: Vec<String>,
    /// Whether more arguments may follow.
    is_open: bool,
}

/// How a value of some type is passed.
enum Passing {
    /// In a general register: its size.
    Word(u64),
    /// The same, as an address.
    Address,
    Nothing,
    /// In no general register: what it is.
    Otherwise(&'static str),
}

/// What a function gets.
enum Argument {
    Word(u64),
    /// The address of these bytes, as long as the call takes.
    Text(Vec<u8>),
}

impl Subject {
    /// Calls a function, an expression without calls, with these arguments, which are expressions without calls too. What it
    /// returns, as an expression.
    ///
    /// # Errors
    /// [`Error::Uncallable`] if it cannot be called; [`Error::Call`] if it does not return. The subject then stands where it
    /// stood, if there still is one.
    pub(super) fn call(
        &mut self,
        function: &str,
        arguments: &[String],
        limit: Duration,
    ) -> Result<String> {
        let refused = |reason: String| Error::Uncallable {
            function: function.to_owned(),
            reason,
        };
        let library = LIBRARY.iter().find(|(name, _)| *name == function);
        let spelled = match (self.function_type(function)?, library) {
            (Some(spelled), _) => spelled,
            (None, Some((_, spelled))) => (*spelled).to_owned(),
            (None, None) => {
                let reason = "there is no debug information about its type";
                return Err(refused(reason.to_owned()));
            }
        };
        let prototype = prototype(&spelled)
            .ok_or_else(|| refused(format!("its type `{spelled}` is not supported")))?;
        let result = match self.passing(&prototype.result)? {
            Passing::Word(size) => Some(size),
            Passing::Address => Some(8),
            Passing::Nothing => None,
            Passing::Otherwise(what) => {
                return Err(refused(format!(
                    "it returns {what}, and only integers and pointers are supported"
                )));
            }
        };
        let least = prototype.parameters.len();
        if arguments.len() < least || (arguments.len() > least && !prototype.is_open) {
            return Err(refused(format!(
                "it takes {}, but gets {}",
                nopol_basics::count(least, "argument"),
                arguments.len()
            )));
        }
        let mut words = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            if argument.starts_with('"') {
                // Others might keep the address, where something else lies afterwards.
                if library.is_none() {
                    let reason = "it gets a string, and the string would have to stay in memory";
                    return Err(refused(reason.to_owned()));
                }
                words
                    .push(Argument::Text(text(argument).ok_or_else(|| {
                        refused(format!("`{argument}` cannot be read"))
                    })?));
                continue;
            }
            let parameter = prototype.parameters.get(number);
            let c_type = parameter.map_or(argument, |parameter| parameter);
            let c_type = match (self.passing(c_type)?, parameter) {
                (Passing::Otherwise(what), _) => {
                    return Err(refused(format!(
                        "it gets {what}, and only integers and pointers are supported"
                    )));
                }
                (_, Some(parameter)) => parameter,
                // An array or a function is its address.
                (Passing::Address, None) => "void *",
                (Passing::Word(_) | Passing::Nothing, None) => "long",
            };
            let value = format!("(unsigned long) ({c_type}) ({argument})");
            words.push(Argument::Word(self.number(&value)?));
        }
        let address = self.number(&format!("(unsigned long) ({function})"))?;
        let returned = self.call_at(function, address, words, limit)?;
        Ok(match result {
            None => "((void) 0)".to_owned(),
            Some(size) => {
                // What is beyond the type's size means nothing.
                let word = match size {
                    0..8 => returned & ((1 << (8 * size)) - 1),
                    _ => returned,
                };
                format!("(({}) {word:#x})", prototype.result)
            }
        })
    }

    fn number(&mut self, expression: &str) -> Result<u64> {
        let printed = self.gdb.evaluate(expression)?;
        printed.parse().map_err(|_| Error::Unexpected {
            command: expression.to_owned(),
        })
    }

    /// The type of a function or of a pointer to one. Nothing without debug information.
    fn function_type(&mut self, function: &str) -> Result<Option<String>> {
        let mut spelled = printed_type(&mut self.gdb, function)?.unwrap_or_default();
        // A pointer to a function may have a name by `typedef`.
        for _ in 0..8 {
            if spelled.is_empty() || spelled.contains('(') || spelled.starts_with('<') {
                break;
            }
            spelled = printed_type(&mut self.gdb, &spelled)?.unwrap_or_default();
        }
        Ok(spelled.contains('(').then_some(spelled))
    }

    /// How a value is passed, by its type or an expression of that type.
    fn passing(&mut self, c_type: &str) -> Result<Passing> {
        let printed = self.gdb.console(&format!("ptype {c_type}"))?;
        let whole = printed.trim().trim_start_matches("type = ");
        let is = |word: &str| {
            let mut words = whole.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|other| other == word)
        };
        if whole.ends_with(['*', ']', ')']) {
            return Ok(Passing::Address);
        }
        Ok(match whole {
            "void" => Passing::Nothing,
            _ if whole.starts_with("struct") => Passing::Otherwise("a structure"),
            _ if whole.starts_with("union") => Passing::Otherwise("a union"),
            _ if is("float") || is("double") || is("complex") || whole.starts_with("_Float") => {
                Passing::Otherwise("a floating-point number")
            }
            _ => match self.number(&format!("sizeof ({c_type})"))? {
                size @ 1..=8 => Passing::Word(size),
                _ => Passing::Otherwise("a large number"),
            },
        })
    }

    /// Calls the function at an address. What it leaves in the register of results.
    fn call_at(
        &mut self,
        function: &str,
        address: u64,
        arguments: Vec<Argument>,
        limit: Duration,
    ) -> Result<u64> {
        if !self.is_between_statements()? {
            return Err(Error::Uncallable {
                function: function.to_owned(),
                reason: "the program is in the middle of a statement: use `next` to reach the next one first"
                    .to_owned(),
            });
        }
        let Some(convention) = self.convention()? else {
            return Err(Error::Uncallable {
                function: function.to_owned(),
                reason: "the calling convention of this processor is not known".to_owned(),
            });
        };
        let level = self.frame()?.level;
        let pending = self.pending.clone();
        let registers = self.registers(convention)?;
        let entry = self.entry()?;
        // A function that stopped at a breakpoint would leave its frame on the stack.
        self.enable_breakpoints(false)?;
        let outcome = self
            .prepare(convention, &registers, address, arguments, entry)
            .and_then(|top| self.run_to(convention, &registers, entry, top, limit));
        let is_over = matches!(&outcome, Ok((stop, _)) if !stop.is_alive());
        if !is_over {
            self.put_back(convention, &registers)?;
            if let Some(signal) = pending {
                self.gdb.console(&format!("queue-signal {signal}"))?;
                self.pending = Some(signal);
            }
            self.select_frame(level)?;
        }
        self.enable_breakpoints(true)?;
        let (stop, result) = outcome?;
        result.ok_or_else(|| Error::Call {
            function: function.to_owned(),
            how: not_returned(&stop, limit),
        })
    }

    /// Sets the stack and the registers for a call that returns to `entry`. Where the stack is when it has returned.
    fn prepare(
        &mut self,
        convention: &Convention,
        registers: &Registers,
        address: u64,
        arguments: Vec<Argument>,
        entry: u64,
    ) -> Result<u64> {
        let mut top = registers.get(convention.stack) - convention.red_zone;
        let mut words = Vec::new();
        for argument in arguments {
            words.push(match argument {
                Argument::Word(word) => word,
                Argument::Text(bytes) => {
                    top -= bytes.len() as u64;
                    self.write_memory(top, &bytes)?;
                    top
                }
            });
        }
        let on_stack = words.split_off(words.len().min(convention.arguments.len()));
        top -= 8 * on_stack.len() as u64;
        top &= !15;
        let bytes = on_stack.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        self.write_memory(top, &bytes)?;
        let returned = top;
        match convention.link {
            Some(link) => self.set_register(registers.thread, link, entry)?,
            None => {
                top -= 8;
                self.write_memory(top, &entry.to_le_bytes())?;
            }
        }
        for (name, value) in convention.others {
            let value = u64::from_ne_bytes(value.to_ne_bytes());
            self.set_register(registers.thread, name, value)?;
        }
        for (name, word) in convention.arguments.iter().zip(words) {
            self.set_register(registers.thread, name, word)?;
        }
        self.set_register(registers.thread, convention.stack, top)?;
        self.set_register(registers.thread, convention.next, address)?;
        Ok(returned)
    }

    /// Runs a call that is prepared to its end. How it stopped, and what it returned if it did.
    fn run_to(
        &mut self,
        convention: &Convention,
        registers: &Registers,
        entry: u64,
        top: u64,
        limit: Duration,
    ) -> Result<(Stop, Option<u64>)> {
        let target = self.set_breakpoint(&format!("-t *{entry:#x}"))?.number;
        let stop = self.execute(GO_ON, limit);
        let stop = self.reach(target, stop)?;
        if stop.why != Why::Reached || self.register(registers.thread, convention.stack)? != top {
            return Ok((stop, None));
        }
        let result = self.register(registers.thread, convention.result)?;
        Ok((stop, Some(result)))
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let contents: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let command = format!("-data-write-memory-bytes {address:#x} {contents}");
        self.gdb.command(&command)?;
        Ok(())
    }

    /// Where the program begins.
    fn entry(&mut self) -> Result<u64> {
        let command = "info auxv";
        let text = self.gdb.console(command)?;
        let mut lines = text.lines();
        let line = lines.find(|line| line.contains("AT_ENTRY"));
        let entry = line.and_then(stop::address);
        entry.ok_or_else(|| Error::Unexpected {
            command: command.to_owned(),
        })
    }
}

/// How a call ended that did not return.
fn not_returned(stop: &Stop, limit: Duration) -> String {
    let undone = "; it was abandoned, but its writes to memory stay";
    match &stop.why {
        Why::Exited { code } => format!("ended the program with exit code {code}"),
        Why::Killed { name, meaning } => format!("ended the program by {name} ({meaning})"),
        Why::Signal { name, meaning } => format!("got {name} ({meaning}){undone}"),
        Why::OutOfTime => format!("took longer than {} s{undone}", limit.as_secs_f64()),
        Why::WaitsForInput => format!("waits for input{undone}"),
        Why::Interrupted => format!("was interrupted{undone}"),
        _ => format!("did not return{undone}"),
    }
}

/// The bytes of texts as C writes them, with the zero at their end. gdb's machine interface has the same escapes.
fn text(literals: &str) -> Option<Vec<u8>> {
    let mut whole = String::new();
    for literal in tokens(literals) {
        match Record::parse(format!("~{literal}").as_bytes()) {
            Record::Stream(StreamKind::Console, text) => whole += &text,
            _ => return None,
        }
    }
    whole.push('\0');
    Some(whole.into_bytes())
}

/// Reads the type of a function, or of a pointer to one: `struct node *(struct node *, int)`, `int (*)(int)`.
fn prototype(spelled: &str) -> Option<Prototype> {
    let inner = spelled.strip_suffix(')')?;
    let mut depth = 1;
    let open = inner.char_indices().rev().find(|(_, character)| {
        depth += match character {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth == 0
    });
    let (open, _) = open?;
    let result = inner[..open].trim();
    let result = result.strip_suffix("(*)").unwrap_or(result).trim();
    if result.is_empty() || result.contains('(') {
        return None;
    }
    let mut parameters: Vec<String> = Vec::new();
    let mut depth = 0;
    let mut parameter = String::new();
    for character in inner[open + 1..].chars().chain([',']) {
        match character {
            ',' if depth == 0 => parameters.push(std::mem::take(&mut parameter).trim().to_owned()),
            _ => {
                depth += i32::from(character == '(') - i32::from(character == ')');
                parameter.push(character);
            }
        }
    }
    let is_open = match parameters.last().map(String::as_str) {
        // Nothing is known of the parameters.
        Some("") => true,
        Some("...") => true,
        Some("void") => {
            parameters.clear();
            return Some(Prototype {
                result: result.to_owned(),
                parameters,
                is_open: false,
            });
        }
        _ => false,
    };
    if is_open {
        parameters.pop();
    }
    Some(Prototype {
        result: result.to_owned(),
        parameters,
        is_open,
    })
}

#[cfg(test)]
mod tests {
    use super::{prototype, text};

    #[test]
    fn types_of_functions_are_read_as_gdb_prints_them() {
        let read = |spelled: &str| {
            let found = prototype(spelled).unwrap();
            (found.result, found.parameters, found.is_open)
        };
        let strings = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            read("struct node *(struct node *, int (*)(int, int))"),
            (
                "struct node *".to_owned(),
                strings(&["struct node *", "int (*)(int, int)"]),
                false
            )
        );
        assert_eq!(read("void (void)"), ("void".to_owned(), vec![], false));
        assert_eq!(read("int ()"), ("int".to_owned(), vec![], true));
        assert_eq!(
            read("int (*)(const char *, ...)"),
            ("int".to_owned(), strings(&["const char *"]), true)
        );
        assert_eq!(prototype("int (*(int))(char)"), None);
        assert_eq!(prototype("int"), None);
    }

    #[test]
    fn texts_end_with_zero() {
        assert_eq!(text(r#""a\n\"%d""#), Some(b"a\n\"%d\0".to_vec()));
        assert_eq!(text(r#""a" "b""#), Some(b"ab\0".to_vec()));
        assert_eq!(text(r#""a" + 1"#), None);
    }
}

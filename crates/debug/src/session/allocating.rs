//! What statements allocate and free in a program whose blocks cannot be observed: which node `free(pointer);` frees, and whether
//! a statement may get memory that was freed before, so that a freed node may have become another one. A function that is
//! followed knows; elsewhere the calls in the text decide.

use nopol_heap::load::Loaded;
use nopol_heap::state::{NodeId, Value};

use super::command::Named;
use super::{DebugSession, Done, found, said};
use crate::gdb::Stop;

/// Words before a parenthesis that call nothing, and functions that keep no memory of the sizes of nodes.
const KNOWN: [&str; 26] = [
    "if", "while", "for", "switch", "return", "sizeof", "assert", "abs", "atoi", "exit", "free",
    "fprintf", "fputc", "fputs", "memcpy", "memset", "printf", "putc", "putchar", "puts", "strcat",
    "strchr", "strcmp", "strcpy", "strlen", "strncmp",
];

/// What the text says of the statement that comes next.
#[derive(Default)]
pub(super) struct Guess {
    may_allocate: bool,
    freed: Option<NodeId>,
}

impl DebugSession {
    /// Executes the next statement as it was compiled.
    pub(super) fn plain_next(&mut self) -> Done<Stop> {
        let guess = self.guess();
        let stop = self.subject.next(self.settings.limit).map_err(said)?;
        self.believe(guess);
        Ok(stop)
    }

    /// What the statement where the program is may do to blocks; nothing where they are observed.
    pub(super) fn guess(&mut self) -> Guess {
        if self.subject.unobserved().is_none() {
            return Guess::default();
        }
        let (may_allocate, pointer) = match self.here() {
            Some((tracked, at)) => {
                let routine = &tracked.loaded.routine;
                (routine.may_allocate(at), routine.freed_at(at))
            }
            None => (self.may_allocate(), self.freed_here()),
        };
        Guess {
            may_allocate,
            freed: self.pointed_to(pointer),
        }
    }

    /// The statement was executed.
    pub(super) fn believe(&mut self, guess: Guess) {
        if guess.may_allocate {
            self.may_have_allocated();
        }
        if let Some(node) = guess.freed {
            self.names.mark_freed(node);
        }
    }

    /// Code was executed that may have got memory that was freed.
    pub(super) fn may_have_allocated(&mut self) {
        if self.subject.unobserved().is_some() {
            self.names.forget_freed();
        }
    }

    /// The node that a pointer, if there is one, leads to.
    fn pointed_to(&mut self, pointer: Option<String>) -> Option<NodeId> {
        let named = self.resolved(&Named::Variable(pointer?)).ok()?;
        let state = self.holding(&named).ok()?;
        match found(&state, &named) {
            Ok(Value::Node(node)) => Some(node),
            _ => None,
        }
    }

    /// The pointer that the line where the program is frees, if it does nothing else.
    fn freed_here(&self) -> Option<String> {
        let frame = self.stop.as_ref()?.frame.as_ref()?;
        let (path, line) = (frame.full_path.as_ref()?, frame.line?);
        let (_, text) = self.files.iter().find(|(file, _)| path.ends_with(file))?;
        freed(text.lines().nth(line as usize - 1)?).map(str::to_owned)
    }

    /// Whether the statement where the program is may get memory that was freed.
    fn may_allocate(&self) -> bool {
        let frame = self.stop.as_ref().and_then(|stop| stop.frame.as_ref());
        let Some((path, line)) =
            frame.and_then(|frame| Some((frame.full_path.as_ref()?, frame.line?)))
        else {
            return true;
        };
        let mut files = self.files.iter();
        let Some((_, text)) = files.find(|(file, _)| path.ends_with(file)) else {
            return true;
        };
        let is_harmless = |name: &&str| {
            KNOWN.contains(name)
                || Loaded::leniently(&self.files, name)
                    .is_ok_and(|loaded| !loaded.routine.allocates())
        };
        !calls(text, line as usize).iter().all(is_harmless)
    }
}

/// The pointer in `free(pointer);`: a variable, or a field that it leads to.
fn freed(line: &str) -> Option<&str> {
    let call = line.trim().strip_prefix("free")?.trim_start();
    let pointer = call.strip_prefix('(')?.strip_suffix(");")?.trim();
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '>' | '.');
    pointer.chars().all(is_path).then_some(pointer)
}

/// The names before parentheses in the statement that begins at a line, counted from 1.
fn calls(text: &str, line: usize) -> Vec<&str> {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &text[start..];
    let mut names = Vec::new();
    let mut word = 0..0;
    let mut quote = None;
    let mut is_escaped = false;
    let mut depth = 0_u32;
    for (at, c) in rest.char_indices() {
        if let Some(open) = quote {
            if !is_escaped && c == open {
                quote = None;
            }
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' => {
                depth += 1;
                if !word.is_empty() {
                    names.push(&rest[word]);
                }
                word = 0..0;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                word = 0..0;
            }
            ';' | '{' | '}' if depth == 0 => break,
            _ if c.is_alphanumeric() || c == '_' => {
                let start = if word.end == at { word.start } else { at };
                let start = if word.is_empty() { at } else { start };
                word = start..at + c.len_utf8();
            }
            _ if c.is_whitespace() => {}
            _ => word = 0..0,
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{calls, freed};

    #[test]
    fn the_pointer_that_a_line_frees_is_found() {
        assert_eq!(freed("    free(list->next);"), Some("list->next"));
        assert_eq!(freed("free (n);"), Some("n"));
        for line in [
            "free(f(n));",
            "free(n); n = m;",
            "freed(n);",
            "if (n) free(n);",
        ] {
            assert_eq!(freed(line), None, "{line}");
        }
    }

    #[test]
    fn the_calls_of_a_statement_are_found() {
        let text = "int a;\n  x = f (g(1),\n    \"h(\") + sizeof(int);\nk();\nif (a == p(2)) {\n  q(); }\n}\n";
        assert_eq!(calls(text, 2), ["f", "g", "sizeof"]);
        assert_eq!(calls(text, 4), ["k"]);
        assert_eq!(calls(text, 5), ["if", "p"]);
        assert!(calls(text, 7).is_empty());
        assert!(calls(text, 90).is_empty());
    }
}

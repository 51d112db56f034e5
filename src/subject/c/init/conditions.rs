//! Which commands of a `CMakeLists.txt` CMake executes: the blocks around them, as far as their conditions are known.

use std::collections::BTreeMap;

/// What is known of a condition.
type Truth = Option<bool>;

/// Whether CMake executes a command, here and without options on its command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    Always,
    /// A condition around it is not known.
    Perhaps,
    /// As often as its loop or function says.
    Repeatedly,
    Never,
}

#[derive(Debug)]
enum Block {
    /// A branch of an `if`: whether it is taken, and whether it or a branch before it is.
    Branch(Truth, Truth),
    /// A loop, or the definition of a function.
    Body,
}

/// The blocks around a command.
#[derive(Debug, Default)]
pub struct Conditions {
    blocks: Vec<Block>,
    options: BTreeMap<String, bool>,
}

impl Conditions {
    /// How many blocks are open.
    pub fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// Closes blocks until only this many are open, as at the end of a file.
    pub fn close(&mut self, depth: usize) {
        self.blocks.truncate(depth);
    }

    /// Whether a command here is executed.
    pub fn executed(&self) -> Executed {
        let is = |block: fn(&Block) -> bool| self.blocks.iter().any(block);
        match () {
            () if is(|block| matches!(block, Block::Branch(Some(false), _))) => Executed::Never,
            () if is(|block| matches!(block, Block::Body)) => Executed::Repeatedly,
            () if is(|block| matches!(block, Block::Branch(None, _))) => Executed::Perhaps,
            () => Executed::Always,
        }
    }

    /// Notes a command that opens or closes a block, or gives an option its value.
    pub fn note(&mut self, command: &str, words: &[String]) {
        match command {
            "if" => {
                let holds = self.holds(words);
                self.blocks.push(Block::Branch(holds, holds));
            }
            "elseif" | "else" => {
                let holds = match command {
                    "else" => Some(true),
                    _ => self.holds(words),
                };
                if let Some(Block::Branch(now, before)) = self.blocks.last_mut() {
                    *now = and(before.map(|before| !before), holds);
                    *before = or(*before, holds);
                }
            }
            "foreach" | "while" | "function" | "macro" => self.blocks.push(Block::Body),
            "endif" | "endforeach" | "endwhile" | "endfunction" | "endmacro" => {
                self.blocks.pop();
            }
            // It defines this option.
            "include" if words.first().is_some_and(|module| module == "CTest") => {
                self.option("BUILD_TESTING", Some(true));
            }
            "option" => {
                if let Some(name) = words.first() {
                    let value = words.get(2).map_or(Some(false), |value| constant(value));
                    self.option(name, value);
                }
            }
            _ => {}
        }
    }

    /// The first value of an option remains.
    fn option(&mut self, name: &str, value: Truth) {
        if let (Executed::Always, Some(value)) = (self.executed(), value) {
            self.options.entry(name.to_owned()).or_insert(value);
        }
    }

    fn holds(&self, words: &[String]) -> Truth {
        let joined = |operator: &str| {
            let operators = words.iter().skip(1).step_by(2);
            words.len() % 2 == 1 && operators.clone().all(|word| word == operator)
        };
        let operands = words.iter().step_by(2).map(|word| self.named(word));
        match words {
            [not, name] if not == "NOT" => self.named(name).map(|holds| !holds),
            _ if joined("AND") => operands.fold(Some(true), and),
            _ if joined("OR") => operands.fold(Some(false), or),
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Truth {
        let system = match name {
            "UNIX" => Some(cfg!(unix)),
            "APPLE" => Some(cfg!(target_os = "macos")),
            "LINUX" => Some(cfg!(target_os = "linux")),
            "WIN32" | "MSVC" | "MINGW" | "CYGWIN" | "MSYS" => Some(cfg!(windows)),
            _ => None,
        };
        let option = || self.options.get(name).copied();
        system.or_else(|| constant(name)).or_else(option)
    }
}

/// What a constant stands for.
fn constant(word: &str) -> Truth {
    match word.to_ascii_uppercase().as_str() {
        "1" | "ON" | "YES" | "TRUE" | "Y" => Some(true),
        "0" | "OFF" | "NO" | "FALSE" | "N" => Some(false),
        _ => None,
    }
}

fn and(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(one: Truth, other: Truth) -> Truth {
    and(one.map(|one| !one), other.map(|other| !other)).map(|neither| !neither)
}

#[cfg(test)]
mod tests {
    use super::{Conditions, Executed};

    /// Whether a command behind these is executed.
    fn behind(lines: &[&str]) -> Executed {
        let mut conditions = Conditions::default();
        for line in lines {
            let mut words = line.split(' ').map(str::to_owned);
            let command = words.next().unwrap();
            conditions.note(&command, &words.collect::<Vec<_>>());
        }
        conditions.executed()
    }

    #[test]
    fn the_branches_of_a_known_condition_are_known() {
        for (lines, executed) in [
            (&["if WIN32"][..], Executed::Never),
            (&["if NOT WIN32"], Executed::Always),
            (&["if WIN32", "else"], Executed::Always),
            (&["if WIN32 OR MSVC", "elseif UNIX"], Executed::Always),
            (&["if UNIX", "elseif A"], Executed::Never),
            (&["if A", "elseif UNIX", "else"], Executed::Never),
            (&["if A", "else"], Executed::Perhaps),
            (&["if A AND WIN32"], Executed::Never),
            (&["if A AND UNIX"], Executed::Perhaps),
            (&["if A", "endif"], Executed::Always),
            (&["if A", "foreach x", "if WIN32"], Executed::Never),
            (&["function f"], Executed::Repeatedly),
            (&["option A text", "if A"], Executed::Never),
            (&["option A text ON", "if A"], Executed::Always),
            (
                &["if B", "option A text", "endif", "if A"],
                Executed::Perhaps,
            ),
            (&["include CTest", "if BUILD_TESTING"], Executed::Always),
        ] {
            assert_eq!(behind(lines), executed, "{lines:?}");
        }
    }
}

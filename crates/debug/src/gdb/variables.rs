//! Which variables there are: those in scope at the current line, and the program's own globals.
//!
//! gdb lists all variables of the blocks around the current instruction, also those whose declaration is still to come.
//! gdb's Python, where it has one, knows where they are declared. Reading their values is left to [`super::memory`].

use std::collections::{HashMap, HashSet};

use super::mi::quote;
use super::subject::Subject;
use super::{Error, Result};

/// A global variable of the program, or one that is global in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type, as gdb prints it.
    pub c_type: String,
    /// The file that declares it.
    pub file: String,
    /// The line that declares it.
    pub line: u32,
}

/// A variable of the selected frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) c_type: String,
    /// What it holds, as gdb prints it. Nothing for structures and arrays.
    pub(super) value: Option<String>,
}

/// Tells for each variable of the selected frame the line of its declaration, the innermost block first, after a line
/// with the current line and whether its first piece of code is still running. A loop comes back to the line of its
/// variable, but to another piece of code.
const DECLARATIONS: &str = "\
f = gdb.selected_frame()
s = f.find_sal()
b = f.block()
o = b
while o.function is None:
    o = o.superblock
started = False
end = o.end
for e in s.symtab.linetable():
    if o.start <= e.pc < o.end:
        if e.line == s.line:
            started = True
        elif started:
            end = e.pc
            break
print('at', s.line, int(f.pc() < end))
while True:
    for v in b:
        if v.is_argument or v.is_variable:
            print(v.name, v.line, int(v.is_argument))
    if b.function is not None:
        break
    b = b.superblock
";

/// Where a variable is declared.
struct Declaration {
    line: u32,
    is_argument: bool,
}

impl Subject {
    /// The program's own variables that are global, or global in their file, and have debug information: by file and
    /// line.
    pub fn globals(&self) -> &[Global] {
        &self.globals
    }

    pub(super) fn find_globals(&mut self) -> Result<Vec<Global>> {
        let command = "-symbol-info-variables";
        let answer = match self.gdb.command(command) {
            Ok(answer) => answer,
            // An old gdb.
            Err(Error::Refused { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut globals = Vec::new();
        let Some(files) = answer.item("symbols", command)?.get("debug") else {
            return Ok(globals);
        };
        for file in files.elements() {
            let Some(symbols) = file.get("symbols") else {
                continue;
            };
            globals.extend(symbols.elements().into_iter().filter_map(|symbol| {
                Some(Global {
                    name: symbol.text("name")?.to_owned(),
                    c_type: symbol.text("type")?.to_owned(),
                    file: file.text("filename")?.to_owned(),
                    line: symbol.text("line")?.parse().ok()?,
                })
            }));
        }
        globals.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
        globals.dedup();
        Ok(globals)
    }

    /// The variables of the selected frame that can be named at the current line: arguments first, then in the order
    /// of their declaration. There are none without a process or debug information.
    pub(super) fn locals(&mut self) -> Result<Vec<Local>> {
        let command = "-stack-list-variables --simple-values";
        let answer = match self.gdb.command(command) {
            Ok(answer) => answer,
            Err(Error::Refused { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let declarations = self.declarations()?;
        let mut locals = Vec::new();
        let mut seen_names = HashSet::new();
        let mut passed: HashMap<&str, usize> = HashMap::new();
        for (index, variable) in answer
            .item("variables", command)?
            .elements()
            .into_iter()
            .enumerate()
        {
            let (Some(name), Some(c_type)) = (variable.text("name"), variable.text("type")) else {
                continue;
            };
            // Both lists start with the innermost block, so that equal names come in the same order.
            let nth = passed.entry(name).or_default();
            let declaration = match &declarations {
                Some(by_name) => by_name.get(name).and_then(|found| found.get(*nth)),
                None => None,
            };
            *nth += 1;
            let is_argument = variable.text("arg") == Some("1");
            let line = match declaration {
                Some(Some(declaration)) => declaration.line,
                Some(None) => continue,
                // After those in front of it.
                None => u32::MAX,
            };
            // An outer one with the same name cannot be named.
            if !seen_names.insert(name) {
                continue;
            }
            let local = Local {
                name: name.to_owned(),
                c_type: c_type.to_owned(),
                value: variable.text("value").map(str::to_owned),
            };
            locals.push((!is_argument, line, index, local));
        }
        locals.sort_by_key(|(is_local, line, index, _)| (*is_local, *line, *index));
        Ok(locals.into_iter().map(|(.., local)| local).collect())
    }

    /// The declarations by name, the innermost first, with nothing for those still to come. Nothing if gdb cannot
    /// tell.
    fn declarations(&mut self) -> Result<Option<HashMap<String, Vec<Option<Declaration>>>>> {
        // As a literal of Python, which knows the same escapes.
        let command = format!("python exec({})", quote(DECLARATIONS));
        let text = match self.gdb.console(&command) {
            Ok(text) => text,
            Err(Error::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut lines = text.lines();
        let Some((current, is_first)) = lines.next().and_then(|line| {
            let (current, is_first) = line.strip_prefix("at ")?.split_once(' ')?;
            Some((current.parse::<u32>().ok()?, is_first == "1"))
        }) else {
            return Ok(None);
        };
        let mut by_name: HashMap<String, Vec<Option<Declaration>>> = HashMap::new();
        for line in lines {
            let mut words = line.split(' ');
            let (Some(name), Some(line), Some(is_argument)) =
                (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let declaration = Declaration {
                line: line.parse().unwrap_or(0),
                is_argument: is_argument == "1",
            };
            let is_to_come = !declaration.is_argument
                && (declaration.line > current || (declaration.line == current && is_first));
            by_name
                .entry(name.to_owned())
                .or_default()
                .push((!is_to_come).then_some(declaration));
        }
        Ok(Some(by_name))
    }
}

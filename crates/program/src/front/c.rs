//! The front end for C: preprocesses and parses the files of a program ([`preprocess`], [`source`]) and translates
//! the trees. Declarations at file level come first, then the bodies of all functions, so that every call knows what
//! it calls.
//!
//! What of C's library has no [`Builtin`](super::super::ir::Builtin) is C text that is translated along ([`library`]).

use std::collections::{HashMap, HashSet, VecDeque};

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;

use self::scopes::{Routine, Scope, Symbol};
use self::source::{Source, Syntax};
use self::statements::Jump;
use self::types::{Type, Types};
use super::super::ir::{
    Expr, ExprKind, FunctionId, Lvalue, Outside, Program, Scalar, Span, Statement, VariableId,
};
use super::super::visit;
use super::super::written::Owner;

mod arguments;
mod arithmetic;
mod assignments;
mod attributes;
mod build;
mod calls;
mod completion;
mod condition;
mod constants;
pub mod counted;
mod declarations;
mod declarators;
mod expressions;
mod formats;
mod functions;
mod initializers;
mod inventory;
mod lex;
mod library;
mod literals;
mod macros;
mod memory;
mod names;
mod places;
mod postfix;
mod preprocess;
mod records;
mod scopes;
mod source;
mod spelled;
mod statements;
mod streams;
mod switches;
mod types;
mod unread;
mod unspecified;

#[cfg(test)]
mod tests;

/// The result of a translation.
type Translated<T> = Result<T, Outside>;

/// Reads a program: the path and the text of every source file. Headers are read where they are included; other files
/// are translation units.
///
/// A function that formulas cannot be made of has an [`Statement::Opaque`] body, or is in [`Program::unread`].
///
/// # Errors
/// If something else has what formulas cannot be made of, and cannot be left out.
pub fn read(files: &[(Utf8PathBuf, String)]) -> Result<Program, Outside> {
    read_until(files, Deadline::Never)
}

/// The same until a deadline: few lines with macros may stand for very many.
///
/// # Errors
/// The same, or if the time is over.
pub fn read_until(files: &[(Utf8PathBuf, String)], deadline: Deadline) -> Result<Program, Outside> {
    read_by(files, false, deadline)
}

/// Reads a program for a caller that knows from elsewhere what its statements do: what formulas cannot be made of is
/// [`Statement::Opaque`].
///
/// # Errors
/// If it cannot be parsed.
pub fn read_leniently(files: &[(Utf8PathBuf, String)]) -> Result<Program, Outside> {
    read_by(files, true, Deadline::Never)
}

fn read_by(
    files: &[(Utf8PathBuf, String)],
    is_lenient: bool,
    deadline: Deadline,
) -> Result<Program, Outside> {
    let mut left_out = unread::Bodies::new();
    loop {
        let (program, more) = read_without(files, &left_out, is_lenient, deadline)?;
        if more.is_empty() {
            return Ok(program);
        }
        left_out.extend(more);
    }
}

/// Reads a program without these bodies of functions, and says which others are not supported.
fn read_without(
    files: &[(Utf8PathBuf, String)],
    left_out: &unread::Bodies,
    is_lenient: bool,
    deadline: Deadline,
) -> Result<(Program, unread::Bodies), Outside> {
    let mut translator = Translator {
        is_lenient,
        deadline,
        ..Translator::new(files)
    };
    let mut sources = Vec::new();
    for (file, (path, _)) in files.iter().enumerate() {
        if path.extension() == Some("h") {
            continue;
        }
        let source = preprocess::unit(files, file, is_lenient, deadline)
            .map(|tokens| Source::new(&tokens, false, deadline));
        let source = source.map_err(|(span, reason)| translator.error_at(span, reason))?;
        let start = lex::span(u32::try_from(file).unwrap_or(u32::MAX), 0, 0);
        sources.push(source.ok_or_else(|| {
            translator.error_at(start, "the parser cannot read this file".to_owned())
        })?);
    }
    let library = Source::new(&lex::tokens(library::TEXT, 0), true, Deadline::Never);
    let library = library.ok_or_else(|| {
        translator.error_at(
            Span::default(),
            "the parser cannot read this file".to_owned(),
        )
    })?;
    translator.library(&library)?;
    for source in &sources {
        translator.program.repeated.extend(source.repeated());
        translator.unit(source)?;
    }
    let more = translator.bodies(left_out)?;
    let members = translator.typed.iter().map(|(id, ty)| (*id, ty.members()));
    let members = members.filter(|(_, members)| !members.is_empty()).collect();
    translator.program.members = members;
    translator.records();
    for fixed in std::mem::take(&mut translator.fixed) {
        translator.program.written.fix(fixed);
    }
    let mut program = translator.program;
    let mut characters = Vec::new();
    visit::values(&program, &mut |place, value| {
        if is_character(value, files) {
            characters.push(place);
        }
    });
    for place in characters {
        program.places[place].is_character = true;
    }
    Ok((program, more))
}

/// Whether a value is a character: by its type before it became an `int`, or as it is written.
fn is_character(value: &Expr, files: &[(Utf8PathBuf, String)]) -> bool {
    match &value.kind {
        _ if value.ty == Scalar::CHAR => true,
        ExprKind::Cast(inner) => value.ty != Scalar::Bool && is_character(inner, files),
        ExprKind::Conditional(_, _, then, otherwise) => {
            is_character(then, files) && is_character(otherwise, files)
        }
        ExprKind::Constant(_) => {
            let text = files.get(value.span.file as usize).map(|(_, text)| text);
            let rest = text.and_then(|text| text.get(value.span.start as usize..));
            rest.is_some_and(|rest| rest.starts_with('\''))
        }
        _ => false,
    }
}

/// The macros that are variables of a program because they stand for a constant, with their values, if these are made of
/// numbers alone. `texts` are the texts of the program's files. No statement can assign to them, and no debugger knows them.
pub fn macro_constants(program: &Program, texts: &[String]) -> Vec<(VariableId, Option<i128>)> {
    let defined = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| {
            let directive = line.trim_start().strip_prefix('#')?.trim_start();
            let name = directive.strip_prefix("define")?.trim_start();
            name.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
        });
    let defined: HashSet<&str> = defined.collect();
    let initialized = program
        .globals
        .iter()
        .filter_map(|statement| match statement {
            Statement::Assign {
                target: Lvalue::Variable(id),
                value,
                ..
            } if defined.contains(&*program.variables[*id].name) => {
                Some((*id, constants::fold(value)))
            }
            _ => None,
        });
    initialized.collect()
}

/// A text as a debugger reads it that knows no macros: as if it were written at this place, with all macros replaced, also
/// those of C's library, and without comments.
///
/// # Errors
/// If a macro there is not supported, with the reason.
pub fn expanded(
    files: &[(Utf8PathBuf, String)],
    place: Span,
    text: &str,
) -> Result<String, String> {
    let units = files.iter().enumerate();
    let mut units = units.filter(|(_, (path, _))| path.extension() != Some("h"));
    let found = units.find_map(|(file, _)| {
        preprocess::expanded(files, file, place, text)
            .map_err(|(_, reason)| reason)
            .transpose()
    });
    let tokens = found.ok_or("no file of the program includes this one")??;
    let words = tokens.iter().map(|token| match &*token.text {
        _ if token.kind == lex::TokenKind::Quoted => token.text.to_string(),
        "NULL" | "nullptr" => "0".to_owned(),
        name => match names::constant(name) {
            Some((value, _)) if value < 0 => format!("({value})"),
            Some((value, _)) => value.to_string(),
            None => name.to_owned(),
        },
    });
    Ok(words.collect::<Vec<_>>().join(" "))
}

/// The function that a program begins with.
pub fn main_of(program: &Program) -> Option<FunctionId> {
    program
        .functions
        .iter_enumerated()
        .find(|(_, function)| function.name == "main")
        .map(|(id, _)| id)
}

/// Translates.
struct Translator<'s> {
    files: &'s [(Utf8PathBuf, String)],
    program: Program,
    types: Types,
    /// The scopes around what is being translated; the first one is the file's.
    scopes: Vec<Scope>,
    /// The scopes of the units.
    units: Vec<Scope>,
    /// All functions that are declared.
    routines: Vec<Routine<'s>>,
    /// What all files know by its name.
    externals: HashMap<String, Symbol>,
    /// The string literals.
    literals: HashMap<Vec<u8>, VariableId>,
    /// The functions of the library's text.
    library: HashMap<String, usize>,
    /// The functions whose bodies are still to be translated.
    queue: VecDeque<usize>,
    /// The macros that are constants, by their directives.
    constants: HashMap<Span, (VariableId, Type)>,
    /// The function that is being translated.
    function: Option<Inside>,
    /// Where `break` and `continue` go to.
    jumps: Vec<Jump>,
    /// The variables of the blocks around, the innermost last.
    declared: Vec<VariableId>,
    /// The types of the declared variables.
    typed: Vec<(VariableId, Type)>,
    /// The statement, or its header, that is being translated.
    statement: Span,
    /// What a constant on which a type depends names or is.
    fixed: Vec<Span>,
    /// The initializers of constant variables.
    initializers: HashMap<VariableId, Span>,
    /// What is being translated.
    owner: Option<Owner>,
    /// Whether only a compile-time value or a type is wanted.
    is_folding: bool,
    /// Whether what is not supported is opaque.
    is_lenient: bool,
    /// The names of declarations that are not supported.
    unread: unread::Names,
    /// When to give up.
    deadline: Deadline,
}

/// Why there is no program after the deadline.
const LATE: &str = "the time for reading the program is over";

/// Why a file cannot be parsed.
const UNREADABLE: &str = "this cannot be parsed: it is not C, or it is C that formulas do not support, such as `va_arg` or an old-style (K&R) function definition";

/// The function that is being translated.
struct Inside {
    id: FunctionId,
    result: Type,
    /// The program's arguments, in `main`.
    arguments: Option<VariableId>,
}

impl<'s> Translator<'s> {
    fn new(files: &'s [(Utf8PathBuf, String)]) -> Self {
        let program = Program {
            files: files.iter().map(|(path, _)| path.clone()).collect(),
            ..Program::default()
        };
        Self {
            files,
            program,
            types: Types::default(),
            scopes: Vec::new(),
            units: Vec::new(),
            routines: Vec::new(),
            externals: HashMap::new(),
            literals: HashMap::new(),
            library: HashMap::new(),
            queue: VecDeque::new(),
            constants: HashMap::new(),
            function: None,
            jumps: Vec::new(),
            declared: Vec::new(),
            typed: Vec::new(),
            statement: Span::default(),
            fixed: Vec::new(),
            initializers: HashMap::new(),
            owner: None,
            is_folding: false,
            is_lenient: false,
            unread: unread::Names::default(),
            deadline: Deadline::Never,
        }
    }

    /// Reads the declarations of the library's text.
    fn library(&mut self, source: &'s Source) -> Translated<()> {
        self.unit(source)?;
        for (name, symbol) in std::mem::take(&mut self.externals) {
            if let Symbol::Routine(routine) = symbol {
                self.library.insert(name, routine);
            }
        }
        Ok(())
    }

    /// Reads the declarations of a file.
    fn unit(&mut self, source: &'s Source) -> Translated<()> {
        let root = source.root();
        let mut parts = root.parts().into_iter();
        let error = parts.find_map(|part| part.error().filter(|_| !self.is_body(part)));
        if let Some(error) = error {
            return self.outside(error, UNREADABLE);
        }
        self.scopes = vec![Scope::default()];
        for item in root.children() {
            self.statement = item.span();
            let done = match item.error() {
                Some(error) => self.outside(error, UNREADABLE),
                None => self.item(item),
            };
            match done {
                Err(outside) if self.is_lenient => self.note_unread(item, &outside),
                Err(outside) => self.leave_out(item, outside)?,
                Ok(()) => {}
            }
        }
        self.units.append(&mut self.scopes);
        Ok(())
    }

    /// Whether this is a function of which the head can be parsed, and which may be left out.
    fn is_body(&self, part: Syntax<'_>) -> bool {
        let is_readable = |head: Syntax<'_>| head.error().is_none();
        !self.is_lenient
            && part.kind() == "function_definition"
            && part.field("declarator").is_some_and(is_readable)
    }

    /// Reads what is in no function.
    fn item(&mut self, item: Syntax<'s>) -> Translated<()> {
        if item.kind() == "function_definition" {
            return self.define_function(item);
        }
        let mut statements: Vec<Statement> = Vec::new();
        if !self.declaration(item, &mut statements)? {
            return self.outside(item, "this is not supported outside functions");
        }
        self.program.globals.append(&mut statements);
        Ok(())
    }
}

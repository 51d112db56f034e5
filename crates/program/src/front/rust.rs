//! Rust: crates whose tests need integers, arrays, structures and options only. What the tests call is translated, and
//! nothing else matters.
//!
//! Values with one cell are expressions; others are in memory, and a function writes such a result through a hidden
//! pointer, its first parameter. A reference to a slice is two cells, a pointer and a length, and so it is two
//! parameters.

mod aggregates;
mod arithmetic;
mod assignments;
mod blocks;
mod body;
mod branches;
mod build;
mod calls;
mod cfg;
mod characters;
mod compare;
mod constants;
mod declarations;
mod entries;
mod expressions;
mod imports;
mod infer;
mod integers;
mod inventory;
mod items;
mod lengths;
mod literals;
mod loops;
mod macros;
mod matches;
mod methods;
mod options;
mod outline;
mod patterns;
mod places;
mod pointers;
mod powers;
mod ranges;
mod records;
mod shifts;
mod slices;
mod source;
#[cfg(test)]
mod tests;
mod types;
mod unread;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use camino::Utf8PathBuf;
use syn::ReturnType;
use syn::visit::Visit;

use self::body::Body;
pub use self::cfg::Features;
pub use self::entries::Callable;
use self::imports::Conditional;
use self::infer::Guesses;
use self::items::{Function, Items};
use self::source::{Source, span_of};
use self::types::Type;
use crate::ir::{
    self, Dialect, Entry, FunctionId, Outside, Program, RecordId, Span, Test, VariableId,
};
use crate::written::Owner;

/// Reads the `#[test]` functions with these paths (such as `tests::works`, relative to the crate) and whatever they
/// call, directly or not. The files are all source files of the crate.
///
/// # Errors
/// If something that a test reaches is outside of the subset.
pub fn read(
    files: &[(Utf8PathBuf, String)],
    tests: &[String],
) -> Result<(Program, Vec<Test>), Outside> {
    let sources = Source::all(files, None)?;
    let items = Items::of(&sources);
    let mut front = Front::new(&sources, &items);
    let read = tests.iter().map(|name| front.test(name));
    let read = read.collect::<Result<Vec<_>, _>>()?;
    while let Some((id, function)) = front.state.waiting.pop_front() {
        front.translate(id, &function)?;
    }
    Ok((front.finished(), read))
}

/// What [`read_all`] found.
#[derive(Clone, Debug, Default)]
pub struct ReadTests {
    /// What the tests call.
    pub program: Program,
    /// The tests that are in the subset.
    pub tests: Vec<Test>,
    /// The paths of the others, each with what it reaches outside of the subset.
    pub outside: Vec<(String, Outside)>,
    /// The paths of those that do not count, though the user names them, and why.
    pub passed_over: Vec<(String, &'static str)>,
}

/// Whether a test counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It does not, and the user is to know why.
    LeftOut(&'static str),
}

/// Whether a test counts: by its path, and whether it has `#[ignore]`.
type IsWanted<'a> = &'a dyn Fn(&str, bool) -> Wanted;

/// Reads all tests of a crate that `is_wanted` picks and that are in the subset, in the order of their paths.
///
/// # Errors
/// If a file cannot be parsed.
pub fn read_all(
    files: &[(Utf8PathBuf, String)],
    features: Option<&Features>,
    is_wanted: IsWanted<'_>,
) -> Result<ReadTests, Outside> {
    let sources = Source::all(files, features)?;
    let items = Items::of(&sources);
    let front = Front::new(&sources, &items);
    Ok(front.all_tests(is_wanted))
}

/// Reads all tests that `is_wanted` picks and that are in the subset, and the functions with these names (`None` for a name
/// that no function has).
///
/// # Errors
/// If a file cannot be parsed, or something that one of the functions reaches is outside of the subset.
pub fn read_with(
    files: &[(Utf8PathBuf, String)],
    features: Option<&Features>,
    is_wanted: IsWanted<'_>,
    names: &[&str],
) -> Result<(ReadTests, Vec<Option<FunctionId>>), Outside> {
    let sources = Source::all(files, features)?;
    let items = Items::of(&sources);
    let mut front = Front::new(&sources, &items);
    let ids = front.named_functions(names)?;
    let all = front.all_tests(is_wanted);
    Ok((all, ids))
}

/// Reads the functions with these names (a method is `Type::method`) to be called with any arguments, and whatever they
/// call, directly or not. `None` for a name that no function has.
///
/// # Errors
/// If something that they reach is outside of the subset.
pub fn read_functions(
    files: &[(Utf8PathBuf, String)],
    features: Option<&Features>,
    names: &[&str],
) -> Result<(Program, Vec<Option<Callable>>), Outside> {
    let sources = Source::all(files, features)?;
    let items = Items::of(&sources);
    let mut front = Front::new(&sources, &items);
    let mut callables = Vec::new();
    for name in names {
        let found = front.function_named(name)?;
        let callable = found.map(|function| front.callable(&function));
        callables.push(callable.transpose()?);
    }
    front.translate_waiting()?;
    Ok((front.finished(), callables))
}

/// What has been translated so far.
#[derive(Clone, Default)]
struct State<'a> {
    program: Program,
    functions: HashMap<Span, FunctionId>,
    constants: HashMap<Span, VariableId>,
    /// The structures that have a record, by their names.
    records: HashMap<String, RecordId>,
    /// What is being translated, unless it is for tests.
    owner: Option<Owner>,
    /// The functions that are called, but not yet translated.
    waiting: VecDeque<(FunctionId, Rc<Function<'a>>)>,
}

/// Translates a crate.
struct Front<'a> {
    sources: &'a [Source],
    items: &'a Items<'a>,
    state: State<'a>,
    /// The types with names that have been met.
    types: HashMap<String, Type>,
    /// The names of the types and constants whose declarations are being read.
    open: Vec<String>,
}

/// Where names are looked up.
#[derive(Clone, Debug)]
struct Home {
    file: usize,
    /// What `Self` is.
    owner: Option<String>,
}

impl<'a> Front<'a> {
    fn new(sources: &'a [Source], items: &'a Items<'a>) -> Self {
        let ordering = Type::Enum(Rc::new(types::Enum::ordering()));
        let mut state = State::default();
        state.program.files = sources.iter().map(|source| source.path.clone()).collect();
        state.program.dialect = Dialect::Rust;
        Self {
            sources,
            items,
            state,
            types: HashMap::from([("Ordering".to_owned(), ordering)]),
            open: Vec::new(),
        }
    }

    /// The functions with these names, and all that they call.
    fn named_functions(&mut self, names: &[&str]) -> Result<Vec<Option<FunctionId>>, Outside> {
        let mut ids = Vec::new();
        for name in names {
            ids.push(match self.function_named(name)? {
                Some(function) => {
                    let span = span_of(function.file, &function.sig.ident);
                    Some(self.function(&function, span)?)
                }
                None => None,
            });
        }
        self.translate_waiting()?;
        Ok(ids)
    }

    fn function_named(&self, name: &str) -> Result<Option<Rc<Function<'a>>>, Outside> {
        let full = self.items.full_name(name);
        let found = self.items.function(full.as_deref().unwrap_or(name));
        found.map_err(|reason| self.outside(Span::default(), reason))
    }

    fn translate_waiting(&mut self) -> Result<(), Outside> {
        while let Some((id, function)) = self.state.waiting.pop_front() {
            self.translate(id, &function)?;
        }
        Ok(())
    }

    /// All tests that are wanted, as far as they are in the subset.
    fn all_tests(mut self, is_wanted: IsWanted<'_>) -> ReadTests {
        let items = self.items;
        let mut all = ReadTests::default();
        for name in items.tests() {
            match is_wanted(name, items.is_ignored(name)) {
                Wanted::Yes => {}
                Wanted::No => continue,
                Wanted::LeftOut(reason) => {
                    all.passed_over.push((name.to_owned(), reason));
                    continue;
                }
            }
            // What a test that is outside has added is taken back.
            let before = self.state.clone();
            let translated = self.test(name).and_then(|test| {
                self.translate_waiting()?;
                Ok(test)
            });
            match translated {
                Ok(test) => all.tests.push(test),
                Err(outside) => {
                    self.state = before;
                    self.open.clear();
                    all.outside.push((name.to_owned(), outside));
                }
            }
        }
        for test in items.unread() {
            if is_wanted(&test.path, false) == Wanted::Yes {
                let outside = self.outside(test.at, &*test.reason);
                all.outside.push((test.path.clone(), outside));
            }
        }
        all.program = self.finished();
        all
    }

    /// The program with its outline.
    fn finished(self) -> Program {
        let mut program = self.state.program;
        let outlines = self.sources.iter().enumerate();
        let outlines = outlines.flat_map(|(file, source)| outline::outline(file, source));
        program.outline = outlines.collect();
        program
    }

    fn outside(&self, span: Span, reason: impl Into<String>) -> Outside {
        let source = &self.sources[span.file as usize];
        Outside {
            file: source.path.clone(),
            line: source.line(span.start),
            reason: reason.into(),
        }
    }

    /// Whether the library has code that its own tests are compiled without.
    fn has_code_without_test(&self) -> bool {
        let mut library = self.sources.iter().filter(|of| !of.is_for_tests());
        library.any(Source::has_code_without_test)
    }

    fn test(&mut self, name: &str) -> Result<Test, Outside> {
        let nowhere = |reason| Outside {
            file: self
                .sources
                .first()
                .map(|of| of.path.clone())
                .unwrap_or_default(),
            line: 1,
            reason,
        };
        let missing = || nowhere(format!("no test is named `{name}`"));
        let function = self
            .items
            .test(name)
            .map_err(nowhere)?
            .ok_or_else(missing)?;
        let span = span_of(function.file, &function.sig.ident);
        if self.sources[function.file].is_for_tests() && self.has_code_without_test() {
            let reason = "tests outside of the library are compiled without its `cfg(test)`, and it has code under `cfg(not(test))`";
            return Err(self.outside(span, reason));
        }
        let panics = |attr: &syn::Attribute| attr.path().is_ident("should_panic");
        if function.attrs.iter().any(panics) {
            return Err(self.outside(span, "tests that expect a panic are not supported"));
        }
        if !function.sig.inputs.is_empty() || !matches!(function.sig.output, ReturnType::Default) {
            let reason = "tests with parameters or a result are not supported";
            return Err(self.outside(span, reason));
        }
        let id = self.function(&function, span)?;
        Ok(Test {
            name: name.to_owned(),
            entry: Entry::Function(id),
        })
    }

    /// The function in the program; it is translated later. `from` is where it is needed.
    fn function(&mut self, function: &Rc<Function<'a>>, from: Span) -> Result<FunctionId, Outside> {
        let span = span_of(function.file, &function.sig.ident);
        if let Some(known) = self.state.functions.get(&span) {
            return Ok(*known);
        }
        let name = function.name();
        if let Some(problem) = &function.context.problem {
            return Err(self.outside(span, format!("`{name}` is used, but {problem}")));
        }
        if function.context.is_of_trait {
            return Err(self.outside(
                from,
                format!("`{name}` is a method of a trait, and traits are not supported"),
            ));
        }
        let sig = function.sig;
        let is_plain = sig.asyncness.is_none() && sig.abi.is_none() && sig.variadic.is_none();
        if !is_plain {
            let reason = format!("`{name}` is `async` or `extern`, which is not supported");
            return Err(self.outside(span, reason));
        }
        self.check_conditions(function.file, |conditional| {
            conditional.visit_block(function.block);
        })?;
        let id = self.state.program.functions.push_and_get_key(ir::Function {
            name,
            parameters: Vec::new(),
            result: None,
            result_points_to: None,
            body: Vec::new(),
        });
        self.state.functions.insert(span, id);
        self.state.waiting.push_back((id, Rc::clone(function)));
        Ok(id)
    }

    /// Makes sure that nothing is compiled only sometimes.
    fn check_conditions<'s>(
        &self,
        file: usize,
        visit: impl FnOnce(&mut Conditional<'s>),
    ) -> Result<(), Outside> {
        let mut conditional = Conditional::default();
        visit(&mut conditional);
        match conditional.found {
            Some(found) => {
                let span = span_of(file, found);
                Err(self.outside(span, "conditional compilation is not supported"))
            }
            None => Ok(()),
        }
    }

    fn translate(&mut self, id: FunctionId, function: &Rc<Function<'a>>) -> Result<(), Outside> {
        let is_fixed = function.context.is_fixed;
        self.state.owner = (!is_fixed).then_some(Owner::Function(id));
        let translated = self.settle(|front, guesses| {
            let mut body = Body::new(front, &function.home(), guesses);
            body.function = Some(id);
            body.is_fixed = function.context.is_fixed;
            let translated = body.function(function);
            (translated, body.guesses)
        })?;
        self.state.program.functions[id] = translated;
        if !function.context.is_fixed {
            let owner = Owner::Function(id);
            let written = &mut self.state.program.written;
            inventory::note_block(written, function.file, function.block, owner);
            let mut lengths = Vec::new();
            inventory::lengths_in_signature(function.sig, &mut lengths);
            self.note_fixed(&function.home(), &lengths, owner);
        }
        Ok(())
    }

    /// Translates again as long as that says more about the types that were not known.
    fn settle<T>(
        &mut self,
        attempt: impl Fn(&mut Self, Guesses) -> (Result<T, Outside>, Guesses),
    ) -> Result<T, Outside> {
        let mut guesses = Guesses::default();
        loop {
            let before = self.state.clone();
            let known = guesses.len();
            let (result, now) = attempt(self, guesses);
            if now.len() == known {
                return result;
            }
            guesses = now;
            self.state = before;
        }
    }
}

impl Function<'_> {
    /// Its name, with the one of its type.
    fn name(&self) -> String {
        let name = &self.sig.ident;
        match &self.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name.to_string(),
        }
    }

    fn home(&self) -> Home {
        Home {
            file: self.file,
            owner: self.owner.clone(),
        }
    }
}

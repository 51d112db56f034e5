//! The function that must be right for all arguments, and the one that it is held against: how they are called.

use nopol_basics::deadline::Deadline;
use nopol_basics::nearest::did_you_mean;
use nopol_formula::mutate::specification::cells;
use nopol_program::front;
use nopol_program::front::rust::Callable;
use nopol_program::ir::{Dialect, FunctionId, PlaceKind, Program, Scalar};
use nopol_program::text;
use nopol_program::visit::reached;
use nopol_source::Language;

use crate::formula::load::Refusal;
use crate::formula::read::function_named;
use crate::subject::ecosystem::ProgramText;

/// A function that is called with any arguments.
pub(super) struct Called {
    /// What is called.
    pub id: FunctionId,
    /// What is known of it in Rust.
    callable: Option<Callable>,
}

impl Called {
    /// Whether another function has the same parameters and result, by their cells.
    pub fn is_alike(&self, other: &Self, program: &Program) -> bool {
        let of = |called: &Self| {
            let result = called.callable.as_ref().map(Callable::result_cells);
            let function = &program.functions[called.id];
            (cells(program, called.id), function.result, result)
        };
        of(self) == of(other)
    }

    /// Arguments with these cells as the language writes them.
    pub fn arguments(&self, program: &Program, numbers: &[i128]) -> Vec<String> {
        match &self.callable {
            Some(callable) => callable.arguments(numbers),
            None => {
                let types = cells(program, self.id);
                let cells = types.iter().zip(members(program, self.id)).zip(numbers);
                let written = cells.map(|((ty, names), number)| c_number(names, *number, *ty));
                written.collect()
            }
        }
    }

    /// What is returned as the language writes it.
    pub fn result(&self, program: &Program, number: i128) -> String {
        match (&self.callable, program.functions[self.id].result) {
            (Some(callable), _) => callable.result(number),
            (None, Some(ty)) => c_number(members_of_result(program, self.id), number, ty),
            (None, None) => number.to_string(),
        }
    }

    /// Makes sure that its arguments can be made up, and its results compared if they are.
    pub fn check(&self, program: &Program, is_compared: bool) -> Result<(), Refusal> {
        let name = &program.functions[self.id].name;
        let takes_pointer = match &self.callable {
            Some(callable) => callable.takes_pointer(),
            None => cells(program, self.id).contains(&Scalar::Pointer),
        };
        if takes_pointer {
            return Err(Refusal::Outside(format!(
                "`{name}` takes a pointer or a reference to memory that is not known: name a function without such parameters"
            )));
        }
        let incomparable = self.callable.as_ref().and_then(Callable::incomparable);
        match incomparable.filter(|_| is_compared) {
            Some(ty) => Err(Refusal::Outside(format!(
                "`{name}` returns `{ty}`, and only results of at most 64 bits without pointers and references are compared: name a function \
                 that calls `{name}` and returns such a part of its result, and a reference that does the same"
            ))),
            None => Ok(()),
        }
    }
}

/// A program, with a function of it and the one that it is held against.
pub(super) type WithFunctions = (Program, Called, Option<Called>);

/// The functions with these names. What is read of Rust cannot leave its thread, so that only the deadline of C holds.
///
/// # Errors
/// If there are none, something that they reach is outside of the subset, or the time is over.
pub(super) fn functions(
    whole: &ProgramText,
    function: &str,
    reference: Option<&str>,
    deadline: Deadline,
) -> Result<WithFunctions, Refusal> {
    let names: Vec<&str> = [function].into_iter().chain(reference).collect();
    let (program, called): (Program, Vec<Option<Called>>) = match whole.language {
        Language::C => {
            let program = front::c::read_until(&whole.files, deadline)?;
            let ids = names.iter().map(|name| function_named(&program, name));
            let ids = ids.collect::<Result<Vec<_>, _>>()?;
            let named = ids.iter().flatten().copied().collect();
            let reached = reached(&program, named).functions;
            let mut functions = program.functions.keys().filter(|id| reached.contains(id));
            let unread = names.iter().find_map(|name| program.unread.get(*name));
            if let Some(outside) = functions.find_map(|id| program.opaque(id)).or(unread) {
                return Err(outside.clone().into());
            }
            let ids = ids.into_iter();
            let called = |id| Called { id, callable: None };
            (program, ids.map(|id| id.map(called)).collect())
        }
        Language::Rust => {
            let (program, callables) =
                front::rust::read_functions(&whole.files, whole.features.as_ref(), &names)?;
            let called = callables.into_iter().map(|callable| {
                callable.map(|callable| Called {
                    id: callable.entry,
                    callable: Some(callable),
                })
            });
            (program, called.collect())
        }
    };
    if let Some((name, _)) = names.iter().zip(&called).find(|(_, it)| it.is_none()) {
        let known = program.functions.iter();
        let near = did_you_mean(name, known.map(|function| &*function.name));
        return Err(Refusal::Usage(format!(
            "there is no function `{name}`{near}"
        )));
    }
    let mut called = called.into_iter().flatten();
    match (called.next(), called.next()) {
        (Some(function), reference) => Ok((program, function, reference)),
        _ => Err(Refusal::Usage("no function was named".to_owned())),
    }
}

/// The values and names of the enumeration's members, for each cell of a function's parameters.
fn members(program: &Program, function: FunctionId) -> Vec<&[(i128, String)]> {
    let parameters = program.functions[function].parameters.iter();
    let of = parameters.flat_map(|parameter| {
        let members = program.members.get(parameter).map(Vec::as_slice);
        let cells = program.variables[*parameter].cells.iter();
        cells.map(move |_| members.unwrap_or_default())
    });
    of.collect()
}

/// The same for its result.
fn members_of_result(program: &Program, function: FunctionId) -> &[(i128, String)] {
    let mut places = program.places.iter();
    let returned =
        places.find(|place| place.kind == PlaceKind::Return && place.function == Some(function));
    returned.map_or(&[], |place| &place.names)
}

/// A number of this type as C writes it: a member of an enumeration by its name.
fn c_number(names: &[(i128, String)], number: i128, ty: Scalar) -> String {
    let named = names.iter().find(|(value, _)| *value == number);
    let name = named.map(|(_, name)| name.clone());
    let character = || {
        let character = (ty == Scalar::CHAR).then(|| text::character(Dialect::C, number));
        character.flatten()
    };
    let written = name.or_else(character);
    written.unwrap_or_else(|| number.to_string())
}

//! A program and what it must do: tests that pass, or a function that goes right for all arguments.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;
use nopol_basics::times;
use nopol_formula::encode::Extent;
use nopol_formula::mutate::space::Unmutated;
use nopol_formula::mutate::specification::{Check, cells};
use nopol_formula::mutate::{Level, MutateOutcome, MutateRepairs, Specification};
use nopol_program::front;
use nopol_program::interpret::End;
use nopol_program::ir::{Dialect, Entry, FunctionId, Made, PlaceKind, Program, Scalar};
use nopol_program::position::Positions;
use nopol_program::text;
use nopol_program::visit::{Needs, may_repeat, needs, reached};
use nopol_source::Language;

use super::{MutateRequest, Mutation};
use crate::formula::at_most;
use crate::formula::left_out::LeftOut;
use crate::formula::load::{Loaded, Refusal, RunBounds, function_named};
use crate::formula::localization::Failing;
use crate::report::Ended;
use crate::subject::ecosystem::ProgramText;

/// How far a function is followed by default.
const BOUND: u32 = 8;

/// A program and what it must do.
pub(super) struct Goal {
    pub(super) program: Program,
    pub(super) texts: Vec<String>,
    pub(super) kept: Unmutated,
    pub(super) specification: Specification,
    pub(super) bound: u32,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) failing: Vec<Failing>,
    pub(super) passing: Vec<String>,
    /// How suspicious each place is, if there are tests.
    pub(super) loaded: Option<Loaded>,
}

impl Goal {
    /// Reads the program and runs its tests, until the deadline.
    pub(super) fn new(
        whole: &ProgramText,
        request: &MutateRequest,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        match &request.function {
            Some(function) => Self::of_function(whole, function, request),
            None => Self::of_tests(whole, request, deadline),
        }
    }

    fn of_tests(
        whole: &ProgramText,
        request: &MutateRequest,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        let bounds = RunBounds {
            deadline,
            ..RunBounds::new(request.bound, request.implicit)
        };
        let loaded = Loaded::new(whole, &request.tests, bounds)?;
        let ends = loaded.tests.iter().zip(&loaded.ends);
        let failing = ends.filter(|(_, end)| **end != End::Passed);
        let failing: Vec<Failing> = failing
            .map(|(test, end)| Failing {
                name: test.name.clone(),
                reason: loaded.reason(end),
            })
            .collect();
        let ends = loaded.tests.iter().zip(&loaded.ends);
        let passing = ends.filter(|(_, end)| **end == End::Passed);
        let passing = passing.map(|(test, _)| test.name.clone());
        let entries = loaded.tests.iter().map(|test| match test.entry {
            Entry::Main { main, .. } => main,
            Entry::Function(function) => function,
        });
        let kept = Unmutated {
            reached: reached_of(&loaded.program, entries.collect()),
            ..Unmutated::default()
        };
        Ok(Self {
            program: loaded.program.clone(),
            texts: loaded.texts.clone(),
            kept,
            specification: Specification::Tests(loaded.tests.clone()),
            bound: loaded.bound_of_all,
            left_out: loaded.left_out.clone(),
            passing: passing.collect(),
            failing,
            loaded: Some(loaded),
        })
    }

    fn of_function(
        whole: &ProgramText,
        function: &str,
        request: &MutateRequest,
    ) -> Result<Self, Refusal> {
        let reference = request.reference.as_deref();
        let (program, function, reference) =
            functions(&whole.files, whole.language, function, reference)?;
        for id in [Some(function), reference].into_iter().flatten() {
            if cells(&program, id).contains(&Scalar::Pointer) {
                let name = &program.functions[id].name;
                return Err(Refusal::Outside(format!(
                    "`{name}` takes a pointer or a reference, and the memory behind it is not known: name a function that takes only numbers and calls `{name}`"
                )));
            }
        }
        let mut kept = Unmutated {
            types: true,
            reached: reached_of(&program, vec![function]),
            ..Unmutated::default()
        };
        if let Some(reference) = reference {
            let alike = |id: FunctionId| (cells(&program, id), program.functions[id].result);
            if alike(function) != alike(reference) {
                return Err(Refusal::Usage(format!(
                    "`{}` and `{}` do not have the same parameters and result",
                    program.functions[function].name, program.functions[reference].name,
                )));
            }
            let needs = needs(&program, reference);
            kept.functions = needs.functions;
            kept.variables = needs.variables;
        }
        let texts = program.files.iter().map(|path| {
            let file = whole.files.iter().find(|(other, _)| other == path);
            file.map_or_else(String::new, |(_, text)| text.clone())
        });
        Ok(Self {
            texts: texts.collect(),
            kept,
            specification: Specification::Function {
                function,
                reference,
            },
            bound: request.bound.unwrap_or(BOUND),
            left_out: Vec::new(),
            failing: Vec::new(),
            passing: Vec::new(),
            loaded: None,
            program,
        })
    }

    /// The global and static variables that the function or its reference names, itself or by what it calls, in the order
    /// of their names.
    pub(super) fn globals(&self) -> Vec<String> {
        let Specification::Function {
            function,
            reference,
        } = self.specification
        else {
            return Vec::new();
        };
        let both = [Some(function), reference].into_iter().flatten();
        let named = both.flat_map(|id| needs(&self.program, id).variables);
        let variables = named.map(|id| &self.program.variables[id]);
        let globals =
            variables.filter(|variable| variable.is_global && !variable.name.starts_with('#'));
        let names: BTreeSet<String> = globals
            .map(|variable| format!("`{}`", variable.name))
            .collect();
        names.into_iter().collect()
    }

    /// In which runs of tests repairs are looked for, as the end of a sentence; nothing if no run can go beyond the bound.
    pub(super) fn within(&self) -> String {
        let Specification::Tests(tests) = &self.specification else {
            return String::new();
        };
        let entries = tests.iter().map(|test| match test.entry {
            Entry::Main { main, .. } => main,
            Entry::Function(function) => function,
        });
        let functions = reached(&self.program, entries.collect()).functions;
        match may_repeat(&self.program, &functions) {
            true => format!(
                " in runs in which no loop iterates more than {}",
                times(self.bound as usize)
            ),
            false => String::new(),
        }
    }

    /// What the outcome means.
    pub(super) fn explain(
        &self,
        request: &MutateRequest,
        found: &MutateRepairs,
        shown: &mut Mutation,
    ) {
        let bound = self.bound;
        if let Specification::Function { function, .. } = self.specification
            && let Some(
                check @ Check::Call {
                    arguments,
                    expected,
                },
            ) = found.inputs.first()
        {
            let extent = Extent::new(bound, request.implicit);
            let fault = self.specification.fault(&self.program, check, extent);
            let name = &self.program.functions[function].name;
            let types = cells(&self.program, function);
            let arguments = types.iter().zip(self.members(function)).zip(arguments);
            let arguments = arguments.map(|((ty, names), argument)| {
                named(names, *argument, self.number(*argument, *ty))
            });
            let arguments: Vec<String> = arguments.collect();
            let result = self.program.functions[function].result;
            shown.failing.push(Failing {
                name: format!("{name}({})", arguments.join(", ")),
                reason: match (fault, expected) {
                    (Some(fault), _) => fault.to_string(),
                    (None, Some(expected)) => format!(
                        "it does not return {}",
                        named(
                            self.members_of_result(function),
                            *expected,
                            result.map_or_else(
                                || expected.to_string(),
                                |ty| self.number(*expected, ty)
                            ),
                        )
                    ),
                    (None, None) => {
                        "an assertion does not hold, or the run fails otherwise".to_owned()
                    }
                },
            });
        }
        let tried = match shown.is_complete {
            true => "",
            false => " that was tried",
        };
        let (outcome, message) = match found.outcome {
            MutateOutcome::Repaired => (Ended::Repaired, None),
            MutateOutcome::None => (Ended::None, Some(none(found, shown, request.level))),
            MutateOutcome::Limit => (
                Ended::Limit,
                Some(format!(
                    "{}; {}",
                    match request.stop.is_wanted() {
                        true => "the search was interrupted".to_owned(),
                        false => crate::formula::late(request.time_limit, "the search"),
                    },
                    match (found.complete_to, found.repairs.is_empty()) {
                        (0, _) => "not all changes of a single statement were tried".to_owned(),
                        (size, true) => {
                            format!(
                                "no change of {}{tried} repairs it{}",
                                at_most(size, "statement"),
                                shown.within
                            )
                        }
                        (size, false) => format!(
                            "every repair that changes {}{tried} was found{}",
                            at_most(size, "statement"),
                            match shown.within.is_empty() {
                                true => String::new(),
                                false => format!(" that works{}", shown.within),
                            }
                        ),
                    },
                )),
            ),
            MutateOutcome::Vacuous => (
                Ended::None,
                Some(format!(
                    "no arguments meet the assumptions, so nothing constrains `{}`",
                    request.function.as_deref().unwrap_or_default()
                )),
            ),
            MutateOutcome::Unjudged => (
                Ended::Unjudged,
                Some(format!(
                    "no run of `{}` was judged, because none that meets all assumptions ends within the bound of {bound}: a larger --bound \
                     follows longer runs",
                    request.function.as_deref().unwrap_or_default()
                )),
            ),
            MutateOutcome::Right { is_unbounded } => match (&self.loaded, is_unbounded) {
                (Some(loaded), _) => {
                    let (outcome, message) = loaded.nothing("repair", request.time_limit);
                    (outcome, Some(message))
                }
                (None, true) => (
                    Ended::Correct,
                    Some(format!(
                        "no run violates the specification{}: there is nothing to repair",
                        shown.initially()
                    )),
                ),
                (None, false) => (
                    Ended::Unjudged,
                    Some(format!(
                        "no run in which loops iterate at most {} violates the specification{}; whether a longer run does is not known: a \
                         larger --bound follows longer runs",
                        times(bound as usize),
                        shown.initially()
                    )),
                ),
            },
        };
        shown.outcome = outcome;
        shown.message = message;
    }

    /// The values and names of the enumeration's members, for each cell of a function's parameters.
    fn members(&self, function: FunctionId) -> Vec<&[(i128, String)]> {
        let parameters = self.program.functions[function].parameters.iter();
        let of = parameters.flat_map(|parameter| {
            let members = self.program.members.get(parameter).map(Vec::as_slice);
            let cells = self.program.variables[*parameter].cells.iter();
            cells.map(move |_| members.unwrap_or_default())
        });
        of.collect()
    }

    /// The same for its result.
    fn members_of_result(&self, function: FunctionId) -> &[(i128, String)] {
        let mut places = self.program.places.iter();
        let returned = places
            .find(|place| place.kind == PlaceKind::Return && place.function == Some(function));
        returned.map_or(&[], |place| &place.names)
    }

    /// A number of this type as the language writes it.
    fn number(&self, number: i128, ty: Scalar) -> String {
        let dialect = self.program.dialect;
        let written = match (dialect, ty) {
            (Dialect::C, Scalar::CHAR) => text::character(dialect, number),
            (Dialect::Rust, Scalar::Bool) => Some((number != 0).to_string()),
            _ => None,
        };
        written.unwrap_or_else(|| number.to_string())
    }

    /// Whether the patched source is right, read again.
    pub(super) fn confirm(
        &self,
        whole: &ProgramText,
        texts: &[String],
        found: &MutateRepairs,
        extent: Extent,
        request: &MutateRequest,
    ) -> Confirmed {
        let confirmed = |holds: bool| match holds {
            _ if extent.deadline.is_over() => Confirmed::Late,
            true => Confirmed::Holds,
            false => Confirmed::Fails,
        };
        let text = |path: &Utf8PathBuf, text: &String| {
            let known = self.program.files.iter().position(|other| other == path);
            known.map_or_else(|| text.clone(), |at| texts[at].clone())
        };
        let files = whole.files.iter();
        let files: Vec<_> = files
            .map(|(path, old)| (path.clone(), text(path, old)))
            .collect();
        match &self.specification {
            Specification::Tests(tests) => {
                let whole = ProgramText {
                    files,
                    ..whole.clone()
                };
                let bounds = RunBounds {
                    deadline: extent.deadline,
                    ..RunBounds::new(Some(self.bound), request.implicit)
                };
                let passes = |loaded: &Loaded, name: &str| {
                    let ends = loaded.tests.iter().zip(&loaded.ends);
                    let mut ends = ends.filter(|(test, _)| test.name == name);
                    ends.next().is_some_and(|(_, end)| *end == End::Passed)
                };
                // What was left out is not asked either.
                let loaded = Loaded::new(&whole, &request.tests, bounds);
                confirmed(loaded.is_ok_and(|loaded| {
                    let mut tests = tests.iter();
                    tests.all(|test| passes(&loaded, &test.name))
                }))
            }
            Specification::Function { .. } => {
                let name = request.function.as_deref().unwrap_or_default();
                let reference = request.reference.as_deref();
                let Ok((program, function, reference)) =
                    functions(&files, whole.language, name, reference)
                else {
                    return Confirmed::Fails;
                };
                let specification = Specification::Function {
                    function,
                    reference,
                };
                confirmed(found.inputs.iter().all(|check| {
                    let positions = &mut Positions::default();
                    specification
                        .judge(&program, &Made::new(), check, extent, positions)
                        .holds
                }))
            }
        }
    }
}

/// What is known of a repair that was written into the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmed {
    /// The program is right with it.
    Holds,
    /// It is not.
    Fails,
    /// Nothing: the time was over.
    Late,
}

/// What runs that begin at these functions may come to. Of Rust nothing else is translated.
fn reached_of(program: &Program, entries: Vec<FunctionId>) -> Option<Needs> {
    (program.dialect == Dialect::C).then(|| reached(program, entries))
}

/// What it means that no repair was found.
fn none(found: &MutateRepairs, shown: &Mutation, level: Level) -> String {
    let tried = match shown.is_complete {
        true => "",
        false => " that were tried",
    };
    let what = match found.is_exhausted {
        true => format!("no combination of the changes of this level{tried}"),
        false => format!(
            "none of the changes of {}{tried}",
            at_most(found.complete_to, "statement")
        ),
    };
    let more = [
        (level < Level::Three).then_some("a higher --level, up to 3, tries more kinds of changes"),
        (!found.is_exhausted).then_some("a larger --size changes more statements at once"),
        (!shown.within.is_empty()).then_some("a larger --bound follows longer runs"),
    ];
    let more: Vec<&str> = more.into_iter().flatten().collect();
    let within = &shown.within;
    match more.split_last() {
        None => format!("{what} repairs it{within}"),
        Some((only, [])) => format!("{what} repairs it{within}; {only}"),
        Some((last, others)) => {
            format!(
                "{what} repairs it{within}; {}, and {last}",
                others.join(", ")
            )
        }
    }
}

/// How the source names a number, or else how it is written.
fn named(names: &[(i128, String)], number: i128, written: String) -> String {
    let named = names.iter().find(|(value, _)| *value == number);
    named.map_or(written, |(_, name)| name.clone())
}

/// A program, with a function of it and the one that it is held against.
type WithFunctions = (Program, FunctionId, Option<FunctionId>);

fn functions(
    files: &[(Utf8PathBuf, String)],
    language: Language,
    function: &str,
    reference: Option<&str>,
) -> Result<WithFunctions, Refusal> {
    let names: Vec<&str> = [function].into_iter().chain(reference).collect();
    let (program, ids) = match language {
        Language::C => {
            let program = front::c::read(files)?;
            let ids = names.iter().map(|name| function_named(&program, name));
            let ids = ids.collect::<Result<Vec<_>, _>>()?;
            (program, ids)
        }
        Language::Rust => front::rust::read_functions(files, &names)?,
    };
    if let Some((name, _)) = names.iter().zip(&ids).find(|(_, id)| id.is_none()) {
        return Err(Refusal::Usage(format!("there is no function `{name}`")));
    }
    let mut ids = ids.into_iter().flatten();
    match (ids.next(), ids.next()) {
        (Some(function), reference) => Ok((program, function, reference)),
        _ => Err(Refusal::Usage("no function was named".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nopol_formula::mutate::must::Prune;
    use nopol_process::run::command::{Case, Command, Comparison, Input};

    use super::*;
    use crate::formula::UserStop;
    use crate::subject::Project;
    use crate::subject::c::options::COptions;

    const LONG: &str = "int main(void) {\n    int sum = 0;\n    for (int i = 0; i < 20000; i++)\n        sum = sum + i % 2;\n    \
                        return sum != 10000;\n}\n";

    fn whole() -> ProgramText {
        let case = Case {
            name: "long".to_owned(),
            command: Command::Words(vec!["./p".to_owned()]),
            cwd: Utf8PathBuf::new(),
            stdin: Input::default(),
            exit: 0,
            stdout: None,
            comparison: Comparison::default(),
            timeout: None,
        };
        ProgramText {
            language: Language::C,
            files: vec![("p.c".into(), LONG.to_owned())],
            cases: vec![case],
            test_args: Vec::new(),
            may_have_examples: false,
        }
    }

    #[test]
    fn a_repair_is_confirmed_only_by_runs_that_came_to_their_end_in_time() {
        let request = MutateRequest {
            project: Project::C(COptions::default()),
            tests: Vec::new(),
            function: None,
            reference: None,
            level: Level::Two,
            size: 1,
            bound: None,
            implicit: true,
            prune: Prune::Slice,
            time_limit: Some(Duration::from_secs(60)),
            stop: UserStop::default(),
        };
        let (whole, texts) = (whole(), [LONG.to_owned()]);
        let goal = Goal::new(&whole, &request, Deadline::Never).unwrap();
        let found = MutateRepairs {
            outcome: MutateOutcome::Repaired,
            repairs: Vec::new(),
            complete_to: 1,
            is_exhausted: false,
            is_sampled: false,
            has_odd_numbers: false,
            examined: 0,
            asked: 0,
            inputs: Vec::new(),
            total: Duration::ZERO,
        };
        let of = |questions| {
            let extent = Extent {
                deadline: Deadline::after_questions(questions),
                ..Extent::new(goal.bound, true)
            };
            goal.confirm(&whole, &texts, &found, extent, &request)
        };
        let is_read = |questions: &u64| {
            let deadline = Deadline::after_questions(*questions);
            front::c::read_until(&whole.files, deadline).is_ok()
        };
        let reading = (0..).find(is_read).unwrap();
        assert_eq!(of(3), Confirmed::Late);
        assert_eq!(of(reading + 3), Confirmed::Late);
        assert_eq!(of(1_000_000), Confirmed::Holds);
        let late = Loaded::new(
            &whole,
            &[],
            RunBounds {
                deadline: Deadline::after_questions(reading + 3),
                ..RunBounds::new(None, true)
            },
        );
        assert_eq!(late.unwrap().nothing("repair", None).0, Ended::Limit);
    }
}

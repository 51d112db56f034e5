//! A program and what it must do: tests that pass, or a function that goes right for all arguments.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;
use nopol_formula::encode::Extent;
use nopol_formula::mutate::space::Unmutated;
use nopol_formula::mutate::specification::Check;
use nopol_formula::mutate::{Level, MutateOutcome, MutateRepairs, Specification};
use nopol_program::front::c::macro_constants;
use nopol_program::interpret::End;
use nopol_program::ir::{Dialect, FunctionId, Made, Program, VariableId};
use nopol_program::order::unsequenced;
use nopol_program::position::Positions;
use nopol_program::visit::{Needs, Repeats, needs, reached, repeats};

use super::called::{Called, functions};
use super::{MutateRequest, Mutation, in_order};
use crate::formula::left_out::LeftOut;
use crate::formula::load::{Loaded, Refusal, RunBounds};
use crate::formula::localization::Failing;
use crate::formula::{at_most, bounds};
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
    /// The function that must be right for all arguments, if there is one.
    called: Option<Called>,
}

impl Goal {
    /// Reads the program and runs its tests, until the deadline.
    pub(super) fn new(
        whole: &ProgramText,
        request: &MutateRequest,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        match &request.function {
            Some(function) => Self::of_function(whole, function, request, deadline),
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
            .map(|(test, end)| loaded.failing_test(test, end))
            .collect();
        let ends = loaded.tests.iter().zip(&loaded.ends);
        let passing = ends.filter(|(_, end)| **end == End::Passed);
        let passing = passing.map(|(test, _)| test.name.clone());
        let entries = loaded.tests.iter().map(|test| test.entry.function());
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
            called: None,
            loaded: Some(loaded),
        })
    }

    fn of_function(
        whole: &ProgramText,
        function: &str,
        request: &MutateRequest,
        deadline: Deadline,
    ) -> Result<Self, Refusal> {
        let reference = request.reference.as_deref();
        let (program, called, reference) = functions(whole, function, reference, deadline)?;
        for called in [Some(&called), reference.as_ref()].into_iter().flatten() {
            called.check(&program, reference.is_some())?;
        }
        let mut kept = Unmutated {
            types: true,
            reached: reached_of(&program, vec![called.id]),
            ..Unmutated::default()
        };
        if let Some(reference) = &reference {
            if !called.is_alike(reference, &program) {
                return Err(Refusal::Usage(format!(
                    "`{}` and `{}` do not have the same parameters and result",
                    program.functions[called.id].name, program.functions[reference.id].name,
                )));
            }
            let needs = needs(&program, reference.id);
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
                function: called.id,
                reference: reference.map(|reference| reference.id),
            },
            bound: request.bound.unwrap_or(BOUND),
            left_out: Vec::new(),
            failing: Vec::new(),
            passing: Vec::new(),
            loaded: None,
            called: Some(called),
            program,
        })
    }

    /// The global and static variables that the function or its reference names, itself or by what it calls, in the order
    /// of their names.
    pub(super) fn globals(&self) -> Vec<String> {
        // What formulas cover of Rust are constants and statics that nothing can change.
        if self.program.dialect == Dialect::Rust {
            return Vec::new();
        }
        let named = self.called().into_iter();
        let named = named.flat_map(|id| needs(&self.program, id).variables);
        let macros = macro_constants(&self.program, &self.texts);
        let is_macro = |id: &VariableId| macros.iter().any(|(other, _)| other == id);
        let named = named.filter(|id| !is_macro(id));
        let variables = named.map(|id| &self.program.variables[id]);
        let globals =
            variables.filter(|variable| variable.is_global && !variable.name.starts_with('#'));
        let names: BTreeSet<String> = globals
            .map(|variable| format!("`{}`", variable.name))
            .collect();
        names.into_iter().collect()
    }

    /// Whether the function or its reference reads standard input, itself or by what it calls.
    pub(super) fn reads_input(&self) -> bool {
        let called = self.called().into_iter();
        called
            .map(|id| needs(&self.program, id))
            .any(|it| it.is_reader)
    }

    /// Where the order matters in which C leaves operands to be evaluated, in the function, its reference and the functions that
    /// they call: files and lines. The program may be a mutated one.
    pub(super) fn unsequenced(&self, program: &Program) -> Vec<String> {
        let called = self.called().into_iter();
        let needed: BTreeSet<FunctionId> =
            called.flat_map(|id| needs(program, id).functions).collect();
        // Rust says in which order operands are evaluated.
        if needed.is_empty() || program.dialect == Dialect::Rust {
            return Vec::new();
        }
        let places = unsequenced(program, needed).into_iter();
        let mut places: Vec<String> = places.map(|span| self.place(span)).collect();
        places.dedup();
        places
    }

    /// The function and its reference, if the specification is one.
    fn called(&self) -> Vec<FunctionId> {
        match self.specification {
            Specification::Function {
                function,
                reference,
            } => [Some(function), reference].into_iter().flatten().collect(),
            Specification::Tests(_) => Vec::new(),
        }
    }

    /// In which runs of tests repairs are looked for, as the end of a sentence; empty if no run can go beyond the bound.
    pub(super) fn within(&self) -> String {
        match &self.specification {
            Specification::Tests(_) => bounds::within(self.repeats(), self.bound),
            _ => String::new(),
        }
    }

    /// What the runs that count may do several times.
    pub(super) fn repeats(&self) -> Repeats {
        let entries = match &self.specification {
            Specification::Tests(tests) => tests.iter().map(|test| test.entry.function()).collect(),
            Specification::Function {
                function,
                reference,
            } => [Some(*function), *reference]
                .into_iter()
                .flatten()
                .collect(),
        };
        repeats(&self.program, &reached(&self.program, entries).functions)
    }

    /// What the outcome means.
    pub(super) fn explain(
        &self,
        request: &MutateRequest,
        found: &MutateRepairs,
        shown: &mut Mutation,
    ) {
        let bound = self.bound;
        if let Some(called) = &self.called
            && let Some(
                check @ Check::Call {
                    arguments,
                    expected,
                    ..
                },
            ) = found.inputs.first()
        {
            let extent = Extent::new(bound, request.implicit);
            let fault = self.specification.fault(&self.program, check, extent);
            let name = &self.program.functions[called.id].name;
            let arguments = called.arguments(&self.program, arguments);
            let expected = expected.map(|expected| called.result(&self.program, expected));
            shown.failing.push(Failing {
                name: format!("{name}({})", arguments.join(", ")),
                reason: match (fault, expected) {
                    (Some(fault), _) => fault.to_string(),
                    (None, Some(expected)) => format!("it does not return {expected}"),
                    (None, None) => "it ends the program".to_owned(),
                },
                may_not_end: false,
            });
        }
        let tried = match shown.is_complete {
            true => "",
            false => " that can be tried",
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
                        (0, _) => format!(
                            "not all level-{} changes of a single statement were tried",
                            shown.level
                        ),
                        (size, true) => {
                            format!(
                                "no patch found among the level-{} changes of {}{tried}{}",
                                shown.level,
                                at_most(size, "statement"),
                                shown.within
                            )
                        }
                        (size, false) => format!(
                            "all level-{} changes of {}{tried} were examined{}",
                            shown.level,
                            at_most(size, "statement"),
                            shown.within
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
            MutateOutcome::Unjudged { is_unbounded } => (
                Ended::Unjudged,
                Some(unjudged(request, bound, is_unbounded)),
            ),
            MutateOutcome::Right { is_unbounded } => match (&self.loaded, is_unbounded) {
                (Some(loaded), _) => {
                    let (outcome, message) = loaded.nothing("repair", request.time_limit);
                    (outcome, Some(message))
                }
                (None, true) => (
                    Ended::Correct,
                    Some(format!(
                        "no run violates the specification{}{}: there is nothing to repair",
                        shown.initially(),
                        in_order(&shown.unsequenced)
                    )),
                ),
                (None, false) => (
                    Ended::Unjudged,
                    Some(format!(
                        "no run violates the specification{}{}, as long as {}; longer runs were not examined: a larger --bound \
                         examines them",
                        shown.initially(),
                        in_order(&shown.unsequenced),
                        bounds::as_long_as(shown.repeats, bound)
                    )),
                ),
            },
        };
        shown.outcome = outcome;
        shown.message = message;
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
        let whole = ProgramText {
            files,
            // They were run without the changes.
            passes: BTreeMap::new(),
            reasons: BTreeMap::new(),
            ..whole.clone()
        };
        match &self.specification {
            Specification::Tests(tests) => {
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
                let read = functions(&whole, name, reference, extent.deadline);
                let Ok((program, function, reference)) = read else {
                    return confirmed(false);
                };
                let specification = Specification::Function {
                    function: function.id,
                    reference: reference.map(|reference| reference.id),
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

/// Why no run of a function was judged. `is_unbounded`: no run goes beyond the bound.
fn unjudged(request: &MutateRequest, bound: u32, is_unbounded: bool) -> String {
    let function = request.function.as_deref().unwrap_or_default();
    let longer = "a larger --bound follows longer runs";
    match &request.reference {
        Some(reference) if is_unbounded => format!(
            "no run of `{function}` was judged, because `{reference}` goes wrong for all arguments that meet the assumptions"
        ),
        Some(reference) => format!(
            "no run of `{function}` was judged, because there are no arguments that meet the assumptions and for which both `{function}` and `{reference}` \
             return within the bound of {bound}: {longer}"
        ),
        None => format!(
            "no run of `{function}` was judged, because none that meets all assumptions ends within the bound of {bound}: {longer}"
        ),
    }
}

/// What was tried in vain, and what would try more.
fn none(found: &MutateRepairs, shown: &Mutation, level: Level) -> String {
    let all = match shown.is_complete {
        true => "all",
        false => "some",
    };
    let what = match found.is_exhausted {
        true => format!("{all} combinations of level-{} changes", shown.level),
        false => format!(
            "{all} level-{} changes of {}",
            shown.level,
            at_most(found.complete_to, "statement")
        ),
    };
    let more = [
        (level < Level::Three).then_some("--level (up to 3, more kinds of changes)"),
        (!found.is_exhausted).then_some("--size (more statements at once)"),
        (!shown.within.is_empty()).then_some("--bound (longer runs)"),
    ];
    let more: Vec<&str> = more.into_iter().flatten().collect();
    let raise = match &*more {
        [] => String::new(),
        [before @ .., one, last] => {
            let last = format!("{one} or {last}");
            let all = [before, &[last.as_str()]].concat();
            format!(" To search further, raise {}.", all.join(", "))
        }
        [one] => format!(" To search further, raise {one}."),
    };
    format!("No patch found. Tried: {what}{}.{raise}", shown.within)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nopol_formula::mutate::must::Prune;
    use nopol_process::run::command::{Case, Command, Comparison, Input};
    use nopol_source::Language;

    use nopol_program::front;

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
            part: None,
        };
        ProgramText {
            language: Language::C,
            files: vec![("p.c".into(), LONG.to_owned())],
            cases: vec![case],
            test_args: Vec::new(),
            features: None,
            may_have_examples: false,
            passes: BTreeMap::new(),
            reasons: BTreeMap::new(),
            is_unbuilt: false,
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

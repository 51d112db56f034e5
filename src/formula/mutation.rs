//! `cargo nopol mutate`: what is searched, and what was found in the user's terms.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde::Serialize;

use super::encode::Extent;
use super::front;
use super::interpret::End;
use super::ir::{FunctionId, Made, Program, Scalar, Span};
use super::load::{Loaded, Refusal};
use super::localization::{Failing, Phase};
use super::mutate::must::Prune;
use super::mutate::space::Kept;
use super::mutate::specification::{Check, Trouble, cells};
use super::mutate::{self, Edit, Found, Level, Outcome, Repair, Space, Specification};
use super::position::Positions;
use super::visit::needs;
use crate::patch::diff;
use crate::source::Language;
use crate::subject::ecosystem::Whole;
use crate::subject::{Project, Subject};

/// What to repair.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program.
    pub project: Project,
    /// The tests that count; all if none is named.
    pub tests: Vec<String>,
    /// A function that must be right whatever its arguments are, instead of tests.
    pub function: Option<String>,
    /// The function that it must equal.
    pub reference: Option<String>,
    /// How many mutations there are.
    pub level: Level,
    /// Most statements that a repair changes.
    pub size: usize,
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: Option<u32>,
    /// Whether overflow, division by zero and the like are faults.
    pub implicit: bool,
    /// How programs are ruled out.
    pub prune: Prune,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// What a search for repairs found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mutation {
    /// `repaired`, `none`, `limit` or `outside`.
    pub outcome: &'static str,
    /// Why it ended so, if that needs words.
    pub message: Option<String>,
    /// What the user should know besides, a sentence each.
    pub warnings: Vec<String>,
    /// The failing tests, or the function that is wrong, with the reason.
    pub failing: Vec<Failing>,
    /// How many tests pass.
    pub passing: usize,
    /// Most iterations of a loop, and most activations of a function at once.
    pub bound: u32,
    /// The largest size that was searched completely.
    pub complete_to: usize,
    /// Whether larger ones would find nothing more.
    pub is_exhausted: bool,
    /// The repairs, the likeliest first.
    pub repairs: Vec<ShownRepair>,
    /// How many mutations there are, and of how many statements.
    pub mutations: usize,
    /// The statements that may be changed.
    pub statements: usize,
    /// How many mutated programs were examined.
    pub examined: usize,
    /// How many of them a solver had to judge.
    pub checks: usize,
    /// What was done, and how long it took.
    pub phases: Vec<Phase>,
    /// The texts of the files, by their paths; for who applies a repair.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
}

impl Mutation {
    /// What is said of a program that is outside of the subset, for this reason.
    pub fn outside(reason: String) -> Self {
        Self {
            outcome: "outside",
            message: Some(reason),
            ..Self::default()
        }
    }
}

/// A minimal repair.
#[derive(Clone, Debug, Serialize)]
pub struct ShownRepair {
    /// How many statements it changes.
    pub size: usize,
    /// The changes, in the order of the source.
    pub edits: Vec<ShownEdit>,
    /// What it is proved for: `tests`, `bound` (all arguments, up to the bound) or `all` (all arguments: no run comes to
    /// the bound).
    pub proved: &'static str,
    /// The bound, if that is what it is proved to.
    pub proved_to: Option<u32>,
    /// Seconds after which it was found.
    pub after: f64,
    /// The same as a unified diff.
    pub diff: String,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownEdit {
    /// The file, relative to the subject's root.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The expression that is changed.
    pub before: String,
    /// What it becomes.
    pub after: String,
    /// The bytes of the file that are replaced, and by what.
    pub span: std::ops::Range<usize>,
    /// What they are replaced by.
    pub text: String,
}

/// How far a function is followed if it is not said.
const BOUND: u32 = 8;

/// Most gates of a formula: about 2 GB.
const GATES: usize = 30_000_000;

/// Finds every minimal repair by mutations.
///
/// # Errors
/// If the program cannot be read, is outside of the subset, or the search goes wrong.
pub fn repair(request: &Request) -> Result<Mutation, Refusal> {
    let started = Instant::now();
    let usage = |error: crate::subject::SubjectError| Refusal::Usage(error.to_string());
    let subject = Subject::load(&request.project).map_err(usage)?;
    let whole = subject.ecosystem.whole(&subject.root).map_err(usage)?;
    let goal = Goal::new(&whole, request)?;
    let mutations = (request.level, request.prune == Prune::Run);
    let space = Space::new(&goal.program, &goal.texts, &goal.kept, mutations);
    let read = started.elapsed();
    let options = mutate::Options {
        extent: Extent {
            bound: goal.bound,
            implicit: request.implicit,
            gates: GATES,
            deadline: request.timeout.map(|timeout| started + timeout),
        },
        size: request.size,
        prune: request.prune,
    };
    let found = mutate::repairs(&space, &goal.specification, options)
        .map_err(|trouble| refusal(&goal, trouble))?;
    let mut shown = Mutation {
        bound: goal.bound,
        complete_to: found.complete_to,
        is_exhausted: found.is_exhausted,
        mutations: space.choices.len(),
        statements: space.locations.len(),
        examined: found.examined,
        checks: found.asked,
        warnings: goal.set_aside.clone(),
        failing: goal.failing.clone(),
        passing: goal.passing,
        ..Mutation::default()
    };
    let files = goal.program.files.iter().map(ToString::to_string);
    shown.texts = files.zip(goal.texts.iter().cloned()).collect();
    goal.explain(request, &found, &mut shown);
    if found.is_sampled {
        shown.warnings.push(
            "only some of the numbers that a constant may become were tried: the runs are too large for formulas"
                .to_owned(),
        );
    }
    let mut ordered: Vec<&Repair> = found.repairs.iter().collect();
    ordered.sort_by_cached_key(|repair| goal.order(&space, repair));
    for repair in ordered {
        let edits: Vec<Edit> = repair
            .made
            .iter()
            .map(|(choice, number)| space.edit(*choice, *number))
            .collect();
        let texts = patched(&goal.texts, &edits);
        if goal.holds(&whole, &texts, &found, options.extent, request) {
            let shown_repair = goal.shown(&space, repair, &edits, &texts, &subject);
            shown.repairs.push(shown_repair);
        } else {
            let place = goal.shown_edits(&space, repair, &edits);
            let place = place.first().map_or_else(String::new, |edit| {
                format!(
                    "`{}` for `{}` at {}:{}",
                    edit.after, edit.before, edit.file, edit.line
                )
            });
            shown.warnings.push(format!(
                "{place} is left out: written into the source it does not hold"
            ));
        }
    }
    if shown.repairs.is_empty() && shown.outcome == "repaired" {
        shown.outcome = "none";
    }
    shown.phases = vec![
        Phase {
            name: "reading",
            seconds: read.as_secs_f64(),
        },
        Phase {
            name: "searching",
            seconds: found.total.as_secs_f64(),
        },
        Phase {
            name: "all",
            seconds: started.elapsed().as_secs_f64(),
        },
    ];
    Ok(shown)
}

/// A program and what it must do.
struct Goal {
    program: Program,
    texts: Vec<String>,
    kept: Kept,
    specification: Specification,
    bound: u32,
    set_aside: Vec<String>,
    failing: Vec<Failing>,
    passing: usize,
    /// How suspicious each place is, if there are tests.
    loaded: Option<Loaded>,
}

impl Goal {
    fn new(whole: &Whole, request: &Request) -> Result<Self, Refusal> {
        match &request.function {
            Some(function) => Self::of_function(whole, function, request),
            None => Self::of_tests(whole, request),
        }
    }

    fn of_tests(whole: &Whole, request: &Request) -> Result<Self, Refusal> {
        let loaded = Loaded::new(whole, &request.tests, request.bound, request.implicit)?;
        let ends = loaded.tests.iter().zip(&loaded.ends);
        let failing = ends.filter(|(_, end)| **end != End::Passed);
        let failing: Vec<Failing> = failing
            .map(|(test, end)| Failing {
                name: test.name.clone(),
                reason: loaded.reason(end),
            })
            .collect();
        Ok(Self {
            program: loaded.program.clone(),
            texts: loaded.texts.clone(),
            kept: Kept::default(),
            specification: Specification::Tests(loaded.tests.clone()),
            bound: loaded.bound,
            set_aside: loaded.set_aside.clone(),
            passing: loaded.tests.len() - failing.len(),
            failing,
            loaded: Some(loaded),
        })
    }

    fn of_function(whole: &Whole, function: &str, request: &Request) -> Result<Self, Refusal> {
        let reference = request.reference.as_deref();
        let (program, function, reference) =
            functions(&whole.files, whole.language, function, reference)?;
        for id in [Some(function), reference].into_iter().flatten() {
            if cells(&program, id).contains(&Scalar::Pointer) {
                let name = &program.functions[id].name;
                return Err(Refusal::Outside(format!(
                    "`{name}` takes a pointer or a reference, and there is no telling to what: name a function that takes numbers and calls it"
                )));
            }
        }
        let mut kept = Kept::default();
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
            set_aside: Vec::new(),
            failing: Vec::new(),
            passing: 0,
            loaded: None,
            program,
        })
    }

    /// What the outcome means.
    fn explain(&self, request: &Request, found: &Found, shown: &mut Mutation) {
        let bound = self.bound;
        if let Specification::Function { function, .. } = self.specification
            && let Some(Check::Call {
                arguments,
                expected,
            }) = found.inputs.first()
        {
            let name = &self.program.functions[function].name;
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            shown.failing.push(Failing {
                name: format!("{name}({})", arguments.join(", ")),
                reason: match expected {
                    Some(expected) => format!("it does not return {expected}"),
                    None => "an assertion does not hold, or it goes wrong otherwise".to_owned(),
                },
            });
        }
        let (outcome, message) = match found.outcome {
            Outcome::Repaired => ("repaired", None),
            Outcome::None if found.is_exhausted => (
                "none",
                Some("no mutations of this level repair it, however many statements they change (--level)".to_owned()),
            ),
            Outcome::None => (
                "none",
                Some(format!(
                    "no mutations of up to {} repair it (--level, --size)",
                    crate::report::count(found.complete_to, "statement"),
                )),
            ),
            Outcome::Limit => (
                "limit",
                Some(format!(
                    "the time limit ended the search; all repairs of up to {} are known",
                    crate::report::count(found.complete_to, "statement"),
                )),
            ),
            Outcome::Vacuous => (
                "none",
                Some(format!(
                    "no arguments meet the assumptions, so nothing constrains `{}`",
                    request.function.as_deref().unwrap_or_default()
                )),
            ),
            Outcome::Right => (
                "none",
                Some(match &self.specification {
                    Specification::Tests(tests) if tests.is_empty() && self.set_aside.is_empty() => {
                        "there are no tests".to_owned()
                    }
                    Specification::Tests(tests) if tests.is_empty() => {
                        "every test needs something that formulas do not have".to_owned()
                    }
                    Specification::Tests(_) => "all tests pass".to_owned(),
                    Specification::Function { .. } => {
                        format!("no run within the bound of {bound} violates the specification (--bound)")
                    }
                }),
            ),
        };
        shown.outcome = outcome;
        shown.message = message;
        if let Specification::Tests(tests) = &self.specification
            && tests.is_empty()
            && !self.set_aside.is_empty()
        {
            shown.outcome = "outside";
        }
    }

    /// Smaller repairs first, then lower levels, then suspicious places.
    fn order(
        &self,
        space: &Space,
        repair: &Repair,
    ) -> (usize, Vec<Level>, i64, Vec<(Span, String)>) {
        let choices: Vec<_> = repair
            .made
            .keys()
            .map(|choice| &space.choices[*choice])
            .collect();
        let levels = choices.iter().map(|choice| choice.level).collect();
        let edits = repair.made.iter().map(|(choice, number)| {
            let edit = space.edit(*choice, *number);
            (edit.span, edit.text)
        });
        let edits = edits.collect();
        let scores = choices.iter().map(|choice| match &self.loaded {
            Some(loaded) => {
                let span = space.locations[choice.location];
                let places = self.program.places.iter_enumerated();
                let place = places
                    .filter(|(_, place)| place.span == span)
                    .map(|(id, _)| id)
                    .next();
                place.map_or(0.0, |place| loaded.suspiciousness(place))
            }
            None => 0.0,
        });
        // In thousandths, as floats have no order.
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        let score = (scores.fold(1.0, f64::min) * 1000.0) as i64;
        (repair.made.len(), levels, -score, edits)
    }

    /// Whether the patched source is right, read again.
    fn holds(
        &self,
        whole: &Whole,
        texts: &[String],
        found: &Found,
        extent: Extent,
        request: &Request,
    ) -> bool {
        let text = |path: &Utf8PathBuf, text: &String| {
            let known = self.program.files.iter().position(|other| other == path);
            known.map_or_else(|| text.clone(), |at| texts[at].clone())
        };
        let files = whole.files.iter();
        let files: Vec<_> = files
            .map(|(path, old)| (path.clone(), text(path, old)))
            .collect();
        match &self.specification {
            Specification::Tests(_) => {
                let whole = Whole {
                    language: whole.language,
                    files,
                    cases: whole.cases.clone(),
                };
                let bound = Some(self.bound);
                Loaded::new(&whole, &request.tests, bound, request.implicit)
                    .is_ok_and(|loaded| loaded.ends.iter().all(|end| *end == End::Passed))
            }
            Specification::Function { .. } => {
                let name = request.function.as_deref().unwrap_or_default();
                let reference = request.reference.as_deref();
                let Ok((program, function, reference)) =
                    functions(&files, whole.language, name, reference)
                else {
                    return false;
                };
                let specification = Specification::Function {
                    function,
                    reference,
                };
                found.inputs.iter().all(|check| {
                    let positions = &mut Positions::default();
                    specification
                        .judge(&program, &Made::new(), check, extent, positions)
                        .holds
                })
            }
        }
    }

    fn shown(
        &self,
        space: &Space,
        repair: &Repair,
        edits: &[Edit],
        texts: &[String],
        subject: &Subject,
    ) -> ShownRepair {
        let is_of_tests = matches!(self.specification, Specification::Tests(_));
        let changed = self.program.files.iter().zip(self.texts.iter().zip(texts));
        let diffs = changed.filter(|(_, (before, after))| before != after).map(
            |(file, (before, after))| diff::unified(&subject.path_in_diffs(file), before, after),
        );
        ShownRepair {
            size: repair.made.len(),
            edits: self.shown_edits(space, repair, edits),
            proved: match (is_of_tests, repair.is_unbounded) {
                (true, _) => "tests",
                (false, true) => "all",
                (false, false) => "bound",
            },
            proved_to: (!is_of_tests && !repair.is_unbounded).then_some(self.bound),
            after: repair.after.as_secs_f64(),
            diff: diffs.collect(),
        }
    }

    fn shown_edits(&self, space: &Space, repair: &Repair, edits: &[Edit]) -> Vec<ShownEdit> {
        let changes = repair.made.keys().zip(edits).map(|(choice, edit)| {
            let location = space.locations[space.choices[*choice].location];
            let span = edit.span;
            let is_within = location.file == span.file
                && location.start <= span.start
                && span.end <= location.end;
            let whole = if is_within { location } else { span };
            let text = &self.texts[span.file as usize];
            let (start, end) = (whole.start as usize, whole.end as usize);
            let (from, to) = (span.start as usize, span.end as usize);
            let before = text.get(start..end).unwrap_or_default();
            let after = [&text[start..from], &edit.text, &text[to..end]].concat();
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            ShownEdit {
                file: self.program.files[span.file as usize].to_string(),
                line: text[..start].matches('\n').count() + 1,
                column: text[line_start..start].chars().count() + 1,
                before: on_one_line(before),
                after: on_one_line(&after),
                span: from..to,
                text: edit.text.clone(),
            }
        });
        let mut changes: Vec<ShownEdit> = changes.collect();
        changes.sort_by(|a, b| (&a.file, a.span.start).cmp(&(&b.file, b.span.start)));
        changes
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
            let named = |name: &&str| {
                let mut functions = program.functions.iter_enumerated();
                functions
                    .find(|(_, function)| function.name == *name)
                    .map(|(id, _)| id)
            };
            let ids: Vec<Option<FunctionId>> = names.iter().map(named).collect();
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

/// The texts with these edits.
fn patched(texts: &[String], edits: &[Edit]) -> Vec<String> {
    let mut texts = texts.to_vec();
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    for edit in edits {
        let span = edit.span.start as usize..edit.span.end as usize;
        texts[edit.span.file as usize].replace_range(span, &edit.text);
    }
    texts
}

fn refusal(goal: &Goal, trouble: Trouble) -> Refusal {
    match trouble {
        Trouble::Stop(stop) => {
            Refusal::Outside(super::located(&goal.program, &goal.texts, stop).to_string())
        }
        Trouble::Disagreement => {
            Refusal::Internal("the formula and the interpreter disagree".to_owned())
        }
        Trouble::Late => Refusal::Internal("the solver gave up".to_owned()),
    }
}

//! The machine against the interpreter of formulas, on random functions over numbers of all types, and on random functions
//! that build and rewire a list.

use camino::Utf8PathBuf;
use nopol_basics::deadline::Deadline;
use nopol_program::interpret::{self, End, Limits, call};
use nopol_program::ir::FaultKind;
use nopol_program::position::Positions;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::{Fault, Machine};
use crate::load::Loaded;
use crate::machine::Point;
use crate::memory::Memory;
use crate::state::Value;

const TYPES: [&str; 11] = [
    "int",
    "unsigned",
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "size_t",
    "_Bool",
    "signed char",
];

const LITERALS: [&str; 14] = [
    "0",
    "1",
    "2",
    "5",
    "-1",
    "127",
    "128",
    "255",
    "65535",
    "2147483647",
    "4000000000u",
    "4000000000",
    "3u",
    "'a'",
];

const OPERATORS: [&str; 16] = [
    "+", "-", "*", "<", "<=", "==", "/", "%", ">", ">=", "!=", "&", "|", "^", "<<", ">>",
];

/// Reads a program off a list of choices; after its end every choice is the first one.
struct Choices {
    picked: std::vec::IntoIter<u16>,
    /// What numbers can be read from.
    numbers: &'static [&'static str],
}

/// The numbers of a program with one node.
const OF_ONE: [&str; 5] = ["a", "b", "c", "n->f", "n->g"];

/// The numbers of a program with a list. Some pointers may be null.
const OF_LIST: [&str; 9] = [
    "a",
    "b",
    "c",
    "n->f",
    "p->g",
    "q->f",
    "k",
    "p->next->f",
    "n->other->g",
];

/// The pointers of a program with a list.
const POINTERS: [&str; 9] = [
    "n",
    "p",
    "q",
    "n->next",
    "p->next",
    "q->other",
    "p->other",
    "n->next->other",
    "0",
];

/// Pointers that can be assigned to.
const POINTER_PLACES: [&str; 7] = [
    "p",
    "q",
    "p->next",
    "q->other",
    "n->other",
    "n->next->next",
    "q->next",
];

/// Numbers that can be assigned to.
const NUMBER_PLACES: [&str; 7] = ["p->f", "q->g", "n->f", "a", "b", "c", "p->next->g"];

impl Choices {
    fn new(picked: Vec<u16>, numbers: &'static [&'static str]) -> Self {
        Self {
            picked: picked.into_iter(),
            numbers,
        }
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.picked.next().unwrap_or(0)) % count
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    fn expression(&mut self, depth: u32) -> String {
        let kind = match depth {
            0 => self.below(2),
            _ => self.below(9),
        };
        let deeper = depth.saturating_sub(1);
        match kind {
            0 => self.of(self.numbers).to_owned(),
            1 => self.of(&LITERALS).to_owned(),
            2 => format!("({})({})", self.of(&TYPES), self.expression(deeper)),
            3 => format!(
                "({}({}))",
                self.of(&["-", "~", "!"]),
                self.expression(deeper)
            ),
            4 => format!(
                "(({}) ? ({}) : ({}))",
                self.expression(deeper),
                self.expression(deeper),
                self.expression(deeper)
            ),
            5 => format!(
                "(({}) {} ({}))",
                self.expression(deeper),
                self.of(&["&&", "||"]),
                self.expression(deeper)
            ),
            _ => format!(
                "(({}) {} ({}))",
                self.expression(deeper),
                self.of(&OPERATORS),
                self.expression(deeper)
            ),
        }
    }

    /// A function over numbers and the fields of one node.
    fn program(&mut self) -> String {
        let [r, a, b, c, f, g] = [(); 6].map(|()| self.of(&TYPES));
        let [one, two, three, four, five] = [(); 5].map(|()| self.expression(2));
        format!(
            "#include <stdlib.h>
struct cell {{ {f} f; {g} g; struct cell *next; }};
{r} work({a} a, {b} b, {c} c) {{
    struct cell *n = malloc(sizeof *n);
    n->f = a;
    n->g = b;
    n->g = {one};
    if ({two}) {{
        n->f = {three};
    }} else {{
        c = {four};
    }}
    return {five};
}}
int main(void) {{ return work(1, 2, 3) != 0; }}
"
        )
    }

    fn condition(&mut self) -> String {
        match self.below(5) {
            0 => self.of(&POINTERS[..8]).to_owned(),
            1 => format!("!{}", self.of(&POINTERS[..8])),
            2 => format!("({}) < ({})", self.expression(1), self.expression(1)),
            kind => {
                let equal = if kind == 3 { "==" } else { "!=" };
                format!("{} {equal} {}", self.of(&POINTERS[..8]), self.of(&POINTERS))
            }
        }
    }

    fn statement(&mut self) -> String {
        match self.below(6) {
            0 | 1 => format!("{} = {};", self.of(&POINTER_PLACES), self.of(&POINTERS)),
            2 | 3 => format!("{} = {};", self.of(&NUMBER_PLACES), self.expression(2)),
            4 => format!(
                "if ({}) {{ {} = {}; }}",
                self.condition(),
                self.of(&POINTER_PLACES),
                self.of(&POINTERS)
            ),
            _ => format!(
                "if ({} {} {}) {{ {} = {}; }} else {{ {} = {}; }}",
                self.condition(),
                self.of(&["&&", "||"]),
                self.condition(),
                self.of(&NUMBER_PLACES),
                self.expression(1),
                self.of(&POINTER_PLACES),
                self.of(&POINTERS)
            ),
        }
    }

    /// A function that builds a list of up to three nodes, and goes through it while it changes it. Its loops end.
    fn list_program(&mut self) -> String {
        let [r, a, b, c, f, g] = [(); 6].map(|()| self.of(&TYPES));
        let length = self.below(4);
        let [one, two, three, four] = [(); 4].map(|()| self.statement());
        let result = self.expression(2);
        format!(
            "#include <stdlib.h>
struct cell {{ {f} f; {g} g; struct cell *next; struct cell *other; }};
{r} work({a} a, {b} b, {c} c) {{
    struct cell *n = 0;
    struct cell *p = 0;
    struct cell *q = 0;
    int k = 0;
    while (k < {length}) {{
        p = malloc(sizeof *p);
        p->f = a;
        p->g = k;
        p->next = n;
        p->other = q;
        q = n;
        n = p;
        k = k + 1;
    }}
    k = 0;
    while (p != 0 && k < 6) {{
        {one}
        {two}
        if (p) {{
            p = p->next;
        }}
        k = k + 1;
    }}
    {three}
    {four}
    return {result};
}}
int main(void) {{ return work(1, 2, 3) != 0; }}
"
        )
    }
}

/// What the machine makes of a call.
fn run(loaded: &Loaded, arguments: &[i128]) -> Result<Value, Fault> {
    let routine = &loaded.routine;
    let mut memory = Memory::new(routine);
    for (id, number) in routine.parameters.iter().zip(arguments) {
        memory.variables[*id] = routine.variables[*id].ty.fit(Value::Number(*number));
    }
    let mut machine = Machine::new(routine, memory);
    while let Point::Head(_) = machine.advance(None)? {
        machine.decide(None)?;
    }
    let result = routine.result.map(|id| machine.memory.variables[id]);
    Ok(result.unwrap_or(Value::Unknown))
}

/// Whether both agree; none if the program is not of both, or its behaviour is undefined.
fn agree(text: &str, arguments: &[i128]) -> Option<Result<(), String>> {
    let files = [(Utf8PathBuf::from("a.c"), text.to_owned())];
    let loaded = Loaded::new(&files, "work").ok()?;
    let limits = Limits {
        bound: 10,
        steps: 10_000,
        implicit: true,
        deadline: Deadline::Never,
    };
    let arguments: Vec<i128> = loaded
        .routine
        .parameters
        .iter()
        .zip(arguments)
        .map(
            |(id, number)| match loaded.routine.variables[*id].ty.fit(Value::Number(*number)) {
                Value::Number(number) => number,
                _ => 0,
            },
        )
        .collect();
    let mut positions = Positions::default();
    let (expected, result) = call(
        &loaded.program,
        loaded.function,
        &arguments,
        &limits,
        &mut positions,
        &std::collections::HashMap::new(),
    );
    let found = run(&loaded, &arguments);
    let is_same = match (&expected.end, result, &found) {
        (End::Passed, Some(interpret::Value::Number(one)), Ok(Value::Number(other))) => {
            one == *other
        }
        (End::Fault(FaultKind::DivisionByZero, _), _, Err(Fault::Division(_)))
        | (End::Fault(FaultKind::Shift, _), _, Err(Fault::Shift(_)))
        | (End::Fault(FaultKind::Overflow, _), _, Err(Fault::Overflow(_)))
        | (End::Fault(FaultKind::NullPointer, _), _, Err(Fault::Null(_))) => true,
        _ => false,
    };
    let difference = || format!("{:?} {result:?} but {found:?}:\n{text}", expected.end);
    Some(is_same.then_some(()).ok_or_else(difference))
}

/// Compares both on so many programs that `write` makes of choices.
fn compare(cases: u32, write: impl Fn(Vec<u16>) -> String) {
    COMPARED.with(|count| count.set(0));
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    // The same programs in every run.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let strategy = (vec(any::<u16>(), 0..120), vec(any::<i64>(), 3));
    let done = runner.run(&strategy, |(choices, arguments)| {
        let text = write(choices);
        // Numbers near the ends of types, and small ones.
        for shift in [0, 31, 32, 56, 62] {
            let arguments: Vec<i128> = arguments.iter().map(|of| i128::from(of >> shift)).collect();
            match agree(&text, &arguments) {
                Some(Ok(())) => COMPARED.with(|count| count.set(count.get() + 1)),
                Some(Err(difference)) => {
                    return Err(TestCaseError::fail(format!("{arguments:?} {difference}")));
                }
                None => {}
            }
        }
        Ok(())
    });
    let compared = COMPARED.with(std::cell::Cell::get);
    assert!(done.is_ok(), "{}", done.unwrap_err());
    // Most programs are within both, and defined.
    assert!(compared > cases, "only {compared} runs were compared");
}

thread_local! {
    /// How many runs were compared.
    static COMPARED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[test]
fn the_machine_and_the_interpreter_agree_on_numbers_of_all_types() {
    compare(60, of_numbers);
}

#[test]
#[ignore = "as above, with many programs"]
fn the_machine_and_the_interpreter_agree_on_many_programs() {
    compare(2000, of_numbers);
    compare(2000, of_lists);
}

#[test]
fn the_machine_and_the_interpreter_agree_on_lists() {
    compare(100, of_lists);
}

fn of_numbers(picked: Vec<u16>) -> String {
    Choices::new(picked, &OF_ONE).program()
}

fn of_lists(picked: Vec<u16>) -> String {
    Choices::new(picked, &OF_LIST).list_program()
}

#[test]
fn unsigned_numbers_are_compared_divided_and_shifted_as_such() {
    let work = |ty: &str, body: &str| {
        format!("{ty} work({ty} a) {{ {body} }}\nint main(void) {{ return work(1) != 0; }}\n")
    };
    for (ty, body, argument, result) in [
        ("unsigned", "return a + 1 <= 5;", 4_000_000_000_i128, 0),
        ("unsigned", "return a / 2;", 4_000_000_000, 2_000_000_000),
        ("unsigned", "return a >> 1;", 4_000_000_000, 2_000_000_000),
        ("unsigned", "return a - 5 > 5;", 0, 1),
        ("unsigned", "return a > -1;", 7, 0),
        ("int", "return a > -1;", 7, 1),
        ("size_t", "return a - 1;", 0, u64::MAX.into()),
        ("unsigned char", "return a + 1;", 255, 0),
        ("char", "return a;", 200, -56),
        ("_Bool", "return a + 1;", 1, 1),
        ("short", "return a * 2;", 20_000, -25_536),
    ] {
        let text = work(ty, body);
        let files = [(
            Utf8PathBuf::from("a.c"),
            format!("#include <stddef.h>\n{text}"),
        )];
        let loaded = Loaded::new(&files, "work").unwrap_or_else(|outside| panic!("{outside}"));
        assert_eq!(
            run(&loaded, &[argument]),
            Ok(Value::Number(result)),
            "{text}"
        );
    }
}

#[test]
fn only_what_was_allocated_is_freed_and_only_once() {
    let program = |body: &str| {
        format!(
            "#include <stdlib.h>\nstruct n {{ struct n *next; }};\nstatic struct n fixed;\nstatic struct n *kept;\n\
             int f(int a) {{ {body} return a; }}\nint main(void) {{ kept = &fixed; return f(1); }}\n"
        )
    };
    for (body, wanted) in [
        ("struct n *m = malloc(sizeof *m); free(m);", true),
        ("free(NULL);", true),
        ("struct n *m = malloc(sizeof *m); free(m); free(m);", false),
        (
            "struct n *m = malloc(sizeof *m); m->next = m; free(m); m->next = NULL;",
            false,
        ),
        ("free(kept);", false),
    ] {
        let files = [(Utf8PathBuf::from("a.c"), program(body))];
        let loaded = Loaded::new(&files, "f").unwrap();
        let entered = loaded.entries(&[]);
        let mut machine = Machine::new(&loaded.routine, entered[0].clone());
        assert_eq!(machine.advance(None).is_ok(), wanted, "{body}");
    }
}

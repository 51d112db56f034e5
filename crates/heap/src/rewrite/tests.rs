//! What is written against what was judged, on random functions whose branches and loops have bodies without braces.

use camino::Utf8PathBuf;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::{edits, rewritten};
use crate::fate::to_end;
use crate::ir::{Removal, Routine, VariableId};
use crate::load::Loaded;
use crate::machine::Machine;
use crate::memory::{Memory, Node};
use crate::narrow::{all_insertions, single_changes};
use crate::patch::{Change, patched};
use crate::space::Space;
use crate::state::Value;

/// Reads a function off a list of choices; after its end every choice is the first one.
struct Choices(std::vec::IntoIter<u16>);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % count
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    fn pointer(&mut self) -> &'static str {
        self.of(&[
            "head",
            "last",
            "n",
            "p",
            "p->next",
            "n->next",
            "last->next",
            "NULL",
        ])
    }

    fn place(&mut self) -> &'static str {
        self.of(&["last", "head", "p", "n->next", "p->next"])
    }

    fn number(&mut self) -> &'static str {
        self.of(&["a", "b", "n->f", "p->f", "1", "0"])
    }

    fn simple(&mut self) -> String {
        match self.below(13) {
            9 => format!("n->next = NEXT({});", self.of(&["p", "n", "p->next"])),
            10 => format!(
                "{{ struct cell *q = {}, *r = q; {} = r; }}",
                self.pointer(),
                self.place()
            ),
            11 => format!("b = MOST({}, {});", self.number(), self.number()),
            12 => self
                .of(&[
                    "LINK(p, n);",
                    "LINK(n->next, last);",
                    "LINK(p, p);",
                    "CUT(n);",
                    "CUT(p->next);",
                    "SWAP(p, last);",
                    "b = DOUBLE(a);",
                    "a = NEG(b);",
                    "a = LESS_ONE;",
                    "p = ALIAS;",
                    "b = ALIAS->f;",
                    "ALIAS = n;",
                    "for (struct cell *s = head; s && k < 7; s = s->next, k++) s->f = a;",
                ])
                .to_owned(),
            0..=3 => format!("{} = {};", self.place(), self.pointer()),
            4 => format!("{} = {};", self.of(&["a", "n->f"]), self.number()),
            5 => format!("{} = {} = {};", self.place(), self.place(), self.pointer()),
            6 => format!(
                "{} = {}, {} = {};",
                self.place(),
                self.pointer(),
                self.of(&["a", "b"]),
                self.number()
            ),
            7 => format!("{} = after({});", self.place(), self.pointer()),
            _ => format!(
                "{};",
                self.of(&[
                    "a++",
                    "n->f += b",
                    "b = a++",
                    "a = b -= n->f",
                    "b = ++p->f",
                    "p = last ? p : n",
                    "p = after(last = p)",
                    ""
                ])
            ),
        }
    }

    fn condition(&mut self) -> String {
        match self.below(9) {
            6 => format!("NEXT({}) != {}", self.of(&["p", "n"]), self.pointer()),
            8 => self
                .of(&[
                    "IS_END(p)",
                    "!IS_END(p)",
                    "AT(n->next)",
                    "!NEXT(n)",
                    "NEXT(p)",
                    "NO(p)",
                    "NEG(a)",
                    "!(p == last)",
                    "LESS_ONE == 0",
                ])
                .to_owned(),
            7 => format!("(a = {}) < MOST({}, 2)", self.number(), self.number()),
            0 => self.pointer().replace("NULL", "head"),
            1 => format!("{} - {}", self.number(), self.number()),
            2 => format!("{} < {}", self.number(), self.number()),
            3 => format!("({} = {}) != NULL", self.place(), self.pointer()),
            4 => format!(
                "!{} || {} == {}",
                self.of(&["p", "last"]),
                self.pointer(),
                self.pointer()
            ),
            _ => format!(
                "{} != NULL && {} > {}",
                self.of(&["p", "last"]),
                self.number(),
                self.number()
            ),
        }
    }

    /// The body of a branch or a loop.
    fn body(&mut self, depth: u32, indent: &str) -> String {
        let deeper = format!("{indent}    ");
        match self.below(6) {
            0 => format!(
                " {{\n{deeper}{}\n{deeper}{}\n{indent}}}\n{indent}",
                self.statement(depth, &deeper),
                self.statement(depth, &deeper)
            ),
            1 => format!(" {}\n{indent}", self.statement(depth, &deeper)),
            2 => format!(
                " // or else\n{deeper}{}\n{indent}",
                self.statement(depth, &deeper)
            ),
            3 => format!(" {} ", self.statement(depth, &deeper)),
            _ => format!("\n{deeper}{}\n{indent}", self.statement(depth, &deeper)),
        }
    }

    fn statement(&mut self, depth: u32, indent: &str) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return self.simple();
        };
        match self.below(11) {
            9 => format!(
                "do{}while (k++ < 3 && {});",
                self.body(depth, indent),
                self.condition()
            ),
            10 => format!(
                "while (k++ < 5) {{\n{indent}    {}\n{indent}    if ({}) {};\n{indent}}}",
                self.statement(depth, indent),
                self.condition(),
                self.of(&["break", "continue", "return"])
            ),
            0 | 1 => self.simple(),
            2 | 3 => format!("if ({}){}", self.condition(), self.body(depth, indent)),
            4..=6 => format!(
                "if ({}){}{}else{}",
                self.condition(),
                self.body(depth, indent),
                self.of(&["", "/* not */ "]),
                self.body(depth, indent)
            ),
            7 => format!(
                "while (k++ < 3 && {}){}",
                self.condition(),
                self.body(depth, indent)
            ),
            _ => {
                let update = self.of(&["p = p->next", "p = p->next, k++", "p = last = p->next"]);
                format!(
                    "for (p = head; p != NULL && k < 5; {update}){}",
                    self.body(depth, indent)
                )
            }
        }
    }

    fn program(&mut self) -> String {
        let [one, two, three] = [(); 3].map(|()| self.statement(3, "    "));
        format!(
            "#include <stdlib.h>
struct cell {{ int f; struct cell *next; }};
#define NEXT(of) ((of)->next)
#define CUT(of) (of)->next = NULL
#define SWAP(one, other) do {{ struct cell *t = one; one = other; other = t; }} while (0)
#define DOUBLE(x) ((x) + (x))
#define NEG(x) (-(x))
#define LESS_ONE (a - 1)
#define ALIAS p
#define AT(of) of == last
#define IS_END(of) ((of)->next == NULL)
#define NO(of) (!(of))
#define MOST(one, other) ((one) > (other) ? (one) : (other))
#define LINK(one, other) do {{ (one)->next = (other); last = (one); }} while (0)
static struct cell *head, *last;
static struct cell *after(struct cell *of) {{ return of == NULL ? head : of->next; }}
static void work(int a, int b) {{
    struct cell *n = malloc(sizeof *n);
    struct cell *p = head;
    int k = 0;
    n->f = a;
    n->next = head;
    {one}
    {two}
    {three}
    if (head == NULL) head = n;
}}
int main(void) {{ work(1, 2); work(3, 1); work(2, 2); return 0; }}
"
        )
    }
}

fn loaded(text: &str) -> Option<Loaded> {
    let files = [(Utf8PathBuf::from("a.c"), text.to_owned())];
    Loaded::new(&files, "work").ok()
}

/// The variables that a source has, which are the same with every change. The others depend on how it is translated.
fn named(routine: &Routine) -> impl Iterator<Item = VariableId> {
    let all = routine.variables.iter_enumerated();
    let named = all.filter(|(_, of)| !of.is_hidden);
    named.map(|(id, _)| id)
}

/// What a call with this memory of another routine leaves behind; nothing if it faults.
fn behaviour(
    routine: &Routine,
    (of, before): (&Routine, &Memory),
) -> Option<(Vec<Value>, Vec<Node>)> {
    let mut memory = Memory::new(routine);
    memory.nodes.clone_from(&before.nodes);
    for (own, other) in named(routine).zip(named(of)) {
        memory.variables[own] = before.variables[other];
    }
    let mut machine = Machine::new(routine, memory);
    to_end(&mut machine).ok()?;
    let after = machine.memory;
    let values = named(routine).map(|id| after.variables[id]).collect();
    Some((values, after.nodes))
}

/// Whether the function with these changes, written and read again, is the one that is judged: so many calls are compared.
fn is_as_judged(of: &Loaded, calls: &[Memory], changes: &[Change]) -> Result<usize, String> {
    let judged = patched(&of.routine, changes);
    let edits = edits(&of.routine, &of.texts, changes);
    let text = rewritten(&of.texts, &edits).remove(0);
    let difference = |what: &str| {
        format!(
            "{what}: {changes:?}\nof\n{}\nis written\n{text}",
            of.texts[0]
        )
    };
    let written = loaded(&text).ok_or_else(|| difference("cannot be read"))?;
    for before in calls {
        let before = (&of.routine, before);
        if behaviour(&judged, before) != behaviour(&written.routine, before) {
            return Err(difference("differs"));
        }
    }
    Ok(calls.len())
}

/// Compares so many functions, each with all statements that can be removed and some of the other changes, alone and two at
/// once. Says how many calls were compared in which a statement is removed as the body of a branch or a loop.
fn compare(cases: u32) -> usize {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 100,
        ..Config::default()
    };
    // The same functions in every run.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let compared = std::cell::Cell::new(0);
    let done = runner.run(&(vec(any::<u16>(), 0..160), any::<u16>()), |(choices, picked)| {
        let text = Choices(choices.into_iter()).program();
        let Some(of) = loaded(&text) else {
            return Ok(());
        };
        let calls = of.entries(&[]);
        let space = Space::whole(&of.routine);
        let (skips, others): (Vec<Change>, Vec<Change>) = single_changes(&space)
            .into_iter()
            .partition(|change| matches!(change, Change::Skip(_)));
        let insertions = all_insertions(&of.routine, &space.insertions).map(Change::Insert);
        let others: Vec<Change> = others.into_iter().chain(insertions).collect();
        let some = others.iter().skip(usize::from(picked) % 97).step_by(97);
        let mut all: Vec<Vec<Change>> = skips.iter().chain(some).map(|change| vec![change.clone()]).collect();
        all.extend(skips.windows(2).map(<[Change]>::to_vec));
        all.extend(skips.iter().zip(others.iter().rev().step_by(53)).map(|(one, other)| vec![other.clone(), one.clone()]));
        // A statement that goes cannot be changed as well.
        all.retain(|changes| match changes.as_slice() {
            [one, other] => one.statement() != other.statement(),
            _ => true,
        });
        for changes in all {
            let calls = is_as_judged(&of, &calls, &changes).map_err(TestCaseError::fail)?;
            let is_body = |change: &Change| matches!(change, Change::Skip(id) if of.routine.statements[*id].removal != Removal::Goes(of.routine.statements[*id].whole));
            if changes.iter().any(is_body) {
                compared.set(compared.get() + calls);
            }
        }
        Ok(())
    });
    assert!(done.is_ok(), "{}", done.unwrap_err());
    compared.get()
}

#[test]
fn what_is_written_is_what_was_judged() {
    assert!(compare(12) > 30);
}

#[test]
#[ignore = "as above, with many programs"]
fn what_is_written_is_what_was_judged_in_many_programs() {
    assert!(compare(150) > 250);
}

/// What becomes of this function without the statement.
fn without(body: &str, statement: &str) -> Option<String> {
    let text = format!(
        "#include <stdlib.h>\nstruct cell {{ int f; struct cell *next; }};\nstatic struct cell *head, *last;\n\
         static struct cell *after(struct cell *of) {{ return of->next; }}\n\
         void work(int a) {{\n{body}\n}}\nint main(void) {{ work(1); return 0; }}\n"
    );
    let of = loaded(&text).unwrap();
    let mut all = of.routine.statements.iter_enumerated();
    let (id, found) = all
        .find(|(_, of)| !of.is_locked && of.text == statement)
        .unwrap();
    if found.removal == Removal::No {
        return None;
    }
    let edits = edits(&of.routine, &of.texts, &[Change::Skip(id)]);
    let text = rewritten(&of.texts, &edits).remove(0);
    let start = text.find("(int a) {\n").unwrap() + "(int a) {\n".len();
    let end = text.find("\n}\nint main").unwrap();
    Some(text[start..end].to_owned())
}

#[test]
fn a_body_that_is_removed_leaves_an_empty_one() {
    for (body, statement, wanted) in [
        (
            "if (a)\n    last = head;\nhead = NULL;",
            "last = head;",
            "if (a)\n    {}\nhead = NULL;",
        ),
        (
            "if (a)\n    last = head;\nelse\n    last = NULL;\nhead = NULL;",
            "last = NULL;",
            "if (a)\n    last = head;\nhead = NULL;",
        ),
        (
            "if (a)\n    last = head;\nelse\n    last = NULL;\nhead = NULL;",
            "last = head;",
            "if (a)\n    {}\nelse\n    last = NULL;\nhead = NULL;",
        ),
        (
            "if (a) last = head; else last = NULL;\nhead = NULL;",
            "last = NULL;",
            "if (a) last = head;\nhead = NULL;",
        ),
        (
            "while (last)\n    last = last->next;\nhead = NULL;",
            "last = last->next;",
            "while (last)\n    {}\nhead = NULL;",
        ),
        (
            "do last = last->next; while (last);",
            "last = last->next;",
            "do {} while (last);",
        ),
        (
            "for (; last; last = last->next)\n    a = 1;",
            "last = last->next",
            "for (; last; )\n    a = 1;",
        ),
        // Another `else` would take its place.
        (
            "if (a)\n    if (last) last = head; else last = NULL;\nelse\n    head = NULL;",
            "last = NULL;",
            "if (a)\n    if (last) last = head; else {}\nelse\n    head = NULL;",
        ),
        (
            "if (a)\n    last = head;\nelse // or not\n    last = NULL;\nhead = NULL;",
            "last = NULL;",
            "if (a)\n    last = head;\nelse // or not\n    {}\nhead = NULL;",
        ),
        (
            "if (a) // or else\n    last = NULL;\nhead = NULL;",
            "last = NULL;",
            "if (a) // or else\n    {}\nhead = NULL;",
        ),
    ] {
        assert_eq!(without(body, statement).as_deref(), Some(wanted), "{body}");
    }
}

#[test]
fn a_statement_with_which_more_would_go_stays() {
    for (body, statement) in [
        ("last = head, a = 2;", "last = head, a = 2;"),
        ("head = last = NULL;", "head = last = NULL;"),
        ("head = after(last);", "head = after(last);"),
        (
            "for (; last; a = 1, last = last->next)\n    a = 1;",
            "last = last->next",
        ),
    ] {
        assert_eq!(without(body, statement), None, "{body}");
    }
}

/// The leaves of these statements that a patch may replace, as they are written.
fn open_leaves(body: &str) -> Vec<String> {
    let text = format!(
        "#include <stdlib.h>\nstruct cell {{ int f; struct cell *next; }};\nstatic struct cell *head, *last;\n\
         #define NEXT(of) ((of)->next)\n#define DOUBLE(x) ((x) + (x))\n#define LESS(x) ((x) - 1)\n#define LESS_A (a - 1)\n\
         #define LINK(one, other) do {{ (one)->next = (other); last = (one); }} while (0)\n\
         static struct cell *after(struct cell *of) {{ return of->next; }}\n\
         void work(int a) {{\n{body}\n}}\nint main(void) {{ work(1); return 0; }}\n"
    );
    let of = loaded(&text).unwrap().routine;
    let own = of.statements.iter().filter(|of| !of.is_locked);
    let spans = own.flat_map(|of| of.leaves.iter().filter_map(|leaf| leaf.span));
    let written = spans.map(|span| text[span.start as usize..span.end as usize].to_owned());
    written.collect()
}

#[test]
fn what_is_written_once_and_stands_for_two_stays() {
    for (body, open) in [
        ("a += head->f;", &["head->f"][..]),
        ("a = DOUBLE(head->f);", &["a"]),
        ("a = LESS(head->f);", &["a", "head->f"]),
        ("a = LESS_A;", &["a"]),
        ("LINK(head, last);", &["last"]),
        ("head = NEXT(last);", &["head", "NEXT(last)"]),
        ("head = last->next = NULL;", &["head", "NULL"]),
        (
            "while ((head = last) != NULL) a = 0;",
            &["last", "NULL", "a", "0"],
        ),
        ("head = after(last->next);", &["head", "last->next"]),
    ] {
        let mut found = open_leaves(body);
        found.sort();
        let mut open = open.to_vec();
        open.sort_unstable();
        assert_eq!(found, open, "{body}");
    }
}

#[test]
fn a_variable_of_a_block_or_a_loop_is_named_only_there() {
    let text = "#include <stdlib.h>
struct cell { int f; struct cell *next; };
static struct cell *head;
void work(void) {
    struct cell *p = head;
    { struct cell *q = p; head = q; }
    for (struct cell *s = head; s; s = s->next) s->f = 1;
    p = head;
}
int main(void) { work(); return 0; }
";
    let of = loaded(text).unwrap().routine;
    let names_at = |written: &str| {
        let mut all = of.statements.iter();
        let statement = all.find(|of| of.text == written).unwrap();
        let names = statement.scope.iter().map(|id| &*of.variables[*id].name);
        names.collect::<Vec<_>>()
    };
    assert_eq!(names_at("head = q;"), ["head", "p", "q"]);
    assert_eq!(names_at("s->f = 1;"), ["head", "p", "s"]);
    assert_eq!(names_at("p = head;"), ["head", "p"]);
    assert_eq!(of.slots.iter().last().unwrap().scope.len(), 2);
}

//! What Rust functions are lowered to: the same wherever an arm stands, and what `take()` moves is one operand.

use nopol_program::front::rust;

use crate::effect::Effects;
use crate::ir::{Atom, Routine};
use crate::load::Loaded;
use crate::machine::Point;
use crate::narrow::{single_changes, tried};
use crate::notation::parse;
use crate::patch::Change;
use crate::problem::{Control, Triple};
use crate::rewrite::{edits, rewritten};
use crate::space::Space;
use crate::until::Until;

const TREE: &str = "
pub struct Tree { left: Option<Box<Tree>>, right: Option<Box<Tree>> }
";

/// A function of trees `t`.
fn loaded(body: &str) -> Loaded {
    let text = format!("{TREE}pub fn turn(mut t: Box<Tree>) -> Box<Tree> {{\n{body}\n}}\n");
    let files = [("src/lib.rs".into(), text)];
    let (program, _) =
        rust::read_functions(&files, None, &["turn"]).unwrap_or_else(|outside| panic!("{outside}"));
    let [(_, text)] = files;
    Loaded::of(program, vec![text], "turn").unwrap_or_else(|outside| panic!("{outside}"))
}

/// The states of trees before and after a call.
fn triple(routine: &Routine, before: &str, after: &str) -> Triple {
    let state = |text| parse(routine, text).unwrap_or_else(|message| panic!("{message}"));
    Triple {
        from: Point::Start,
        before: state(before),
        control: Control::Free,
        to: Point::End,
        after: state(after),
        effects: Effects::new(),
    }
}

const SOME: &str = "Some(mut r) => { t.right = r.right.take(); r.left = Some(t); r }";

/// The same `match` with its arms in both orders, as a block or as a value.
fn orders() -> Vec<Loaded> {
    let none = ["None => t,", "None => { t }"];
    let orders = none.iter().flat_map(|none| {
        let first = format!("match t.right.take() {{ {none}\n{SOME} }}");
        let last = format!("match t.right.take() {{ {SOME}\n{none} }}");
        [loaded(&first), loaded(&last)]
    });
    orders.collect()
}

#[test]
fn another_operand_of_take_is_one_change_in_any_order_of_the_arms() {
    for loaded in orders() {
        let routine = &loaded.routine;
        let before = "t = n1; n1.left = null; n1.right = n2; n2.left = n3; n2.right = n4; \
                      n3.left = null; n3.right = null; n4.left = null; n4.right = null";
        let after = "return = n2; n2.left = n1; n2.right = n4; n1.left = null; n1.right = n3";
        let triple = triple(routine, before, after);
        let space = Space::whole(routine);
        let Some(change) = tried(routine, &[triple], &space, Until::default()) else {
            panic!("no change of {}", loaded.texts[0]);
        };
        let edits = edits(routine, &loaded.texts, &[change]);
        let changed = loaded.texts[0].replace("r.right.take()", "r.left.take()");
        assert_eq!(rewritten(&loaded.texts, &edits), [changed]);
    }
}

#[test]
fn statements_can_be_inserted_in_an_arm_in_any_order_of_the_arms() {
    let places = orders().into_iter().map(|loaded| {
        let slots = loaded.routine.slots.iter();
        let followed = slots.map(|slot| {
            let rest = &loaded.texts[0][slot.at.start as usize..];
            rest.split([';', '}']).next().unwrap_or_default().to_owned()
        });
        followed.filter(|text| text.contains("r")).count()
    });
    // Before each of the two assignments, before the value, and before the `match`.
    assert_eq!(places.collect::<Vec<_>>(), [4; 4]);
}

#[test]
fn an_empty_arm_takes_statements_and_a_guarded_one_only_behind_its_guard() {
    let slots = |arms: &str| {
        let loaded = loaded(&format!("match &t.left {{ {arms} }}\nt"));
        let slots = loaded.routine.slots.iter();
        slots.filter(|slot| slot.is_last).count()
    };
    assert_eq!(slots("Some(_) => {} None => {}"), 2);
    assert_eq!(slots("None => {} Some(_) => {}"), 2);
    assert_eq!(slots("None => (), Some(_) => {}"), 1);
    let guarded = "Some(l) if l.left.is_none() => { t.right = None; } _ => {}";
    assert_eq!(slots(guarded), 1);
}

#[test]
fn what_is_taken_can_be_null_or_another_field_but_stays_taken() {
    let loaded = loaded("t.left = t.right.take();\nt");
    let space = Space::whole(&loaded.routine);
    let changes = single_changes(&space).into_iter();
    let taken = changes.filter(|change| matches!(change, Change::Leaf { leaf: 1, atom, .. } if *atom == Atom::Null || matches!(atom, Atom::Read(path) if path.fields.len() == 1)));
    let written = taken.map(|change| {
        let edits = edits(&loaded.routine, &loaded.texts, &[change]);
        let text = rewritten(&loaded.texts, &edits).remove(0);
        let lines = text.lines();
        lines
            .filter(|line| line.contains(" = "))
            .collect::<String>()
    });
    assert_eq!(
        written.collect::<Vec<_>>(),
        ["t.left = t.left.take();", "t.left = None;"]
    );
}

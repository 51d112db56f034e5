//! In which order changes are tried.

use std::cell::RefCell;

use nopol_program::front::c;
use nopol_program::ir::{Entry, Expected, Test};

use super::{Heard, Trial};

/// Two functions, both called by the test that fails: one change of `push` repairs it, and no single change of `first` does.
const TWO: &str = "
#include <stdio.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
struct node *head;
int first(void) {
    struct node *walk = head;
    int key = 0;
    if (walk) key = walk->key;
    return key;
}
void push(int key) {
    struct node *made = malloc(sizeof *made);
    made->key = key;
    made->next = head;
    head = made->next;
}
int main(int argc, char **argv) {
    int before = first();
    push(5);
    printf(\"%d %d\\n\", before, first());
    return 0;
}
";

#[test]
fn single_changes_of_all_functions_come_before_pairs() {
    let files = [("two.c".into(), TWO.to_owned())];
    let program = c::read(&files).unwrap_or_else(|outside| panic!("{outside}"));
    let test = Test {
        name: "push".to_owned(),
        entry: Entry::Main {
            main: c::main_of(&program).unwrap(),
            arguments: vec![b"two".to_vec()],
            input: Vec::new(),
            output: Some(Expected {
                bytes: b"0 5\n".to_vec(),
                words: false,
            }),
            exit: 0,
        },
    };
    let order = RefCell::new(Vec::new());
    let heard = |heard: Heard<'_>| {
        if let Heard::Finished { function, .. } = heard {
            order.borrow_mut().push(function.to_owned());
        }
    };
    let trial = Trial {
        program: &program,
        texts: &[TWO.to_owned()],
        tests: &[test],
        wanted: &[],
        is_over: &|| false,
        heard: &heard,
    };
    let tried = trial.search(None);
    assert_eq!(*order.borrow(), ["first", "push"]);
    assert_eq!(tried.looked[1], 0, "a single change repairs it");
    let found = tried.found.iter();
    let names: Vec<&str> = found.map(|found| &*found.loaded.routine.name).collect();
    assert!(!names.is_empty() && names.iter().all(|name| *name == "push"));
}

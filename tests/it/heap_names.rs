//! Sessions of `cargo nopol c debug` in programs as they are written: names that hide types, helpers that get memory, loops on
//! one line.

use insta::assert_snapshot;

use crate::common::Subject;
use crate::heap::{debug, patch};

/// A list that is appended to, by functions whose variables have the names of types.
const APPENDING: &str = "\
#include <stdlib.h>
typedef struct list list;
struct list { int value; list *next; };
static void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) exit(1);
    return p;
}
static list *list_new(int value)
{
    list *l = xmalloc(sizeof *l);
    l->value = value;
    l->next = NULL;
    return l;
}
list *append(list *list, int value)
{
    struct list *new = list_new(value), *l = list;
    if (!list) return new;
    while (l->next) l = l->next;
    list->next = new;
    return list;
}
int main(void)
{
    list *l = NULL;
    for (int i = 1; i < 4; i++) l = append(l, i);
    return 0;
}
";

#[test]
fn a_variable_with_the_name_of_its_type_and_one_of_an_unmodelled_declaration_are_known() {
    let subject = Subject::new(&[("append.c", APPENDING)]);
    // The type is first seen where a variable hides it, and gdb passes the loop without a stop.
    let script = "break append; start; continue; continue; continue; spec; finish; change l->next n3; \
                  change list->next n2; spec; repair";
    let run = debug(&subject, script, "append.c");
    assert!(!run.stdout.contains("cannot be read"), "{}", run.stdout);
    assert!(!run.stdout.contains("neither a number"), "{}", run.stdout);
    assert_snapshot!(patch(&run), @"
    -    list->next = new;
    +    l->next = new;
    ");
}

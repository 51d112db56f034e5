//! What sessions of `cargo nopol c debug` say of memory that the program frees, also where nobody steps through it.

use std::process::Command;

use crate::common::Subject;
use crate::heap::debug;

const STOCK: &str = "\
#include <stdlib.h>
struct entry { int price; struct entry *below; };
static struct entry *top;
static struct entry *made(int price, struct entry *below)
{
    struct entry *e = malloc(sizeof *e);
    e->price = price;
    e->below = below;
    return e;
}
static void sell(int most)
{
    while (top && top->price <= most) {
        struct entry *e = top;
        top = e->below;
        free(e);
    }
}
static int total(struct entry *e)
{
    int sum = 0;
    while (e) {
        sum += e->price;
        e = NULL;
    }
    return sum;
}
int main(void)
{
    top = made(1, made(2, made(9, NULL)));
    struct entry *second = top->below;
    sell(5);
    int sum = total(second);
    struct entry *next = made(4, NULL);
    sum += total(next);
    return sum < 0;
}
";

#[test]
fn what_is_freed_before_a_breakpoint_is_shown_so_and_its_use_is_named() {
    let subject = Subject::new(&[("stock.c", STOCK)]);
    let script = "break total; start; continue\nnext; next; next; next\ncontinue\nprint";
    let run = debug(&subject, script, "stock.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (before, after) = run.stdout.split_once("(nopol) next; next").unwrap();
    assert!(before.contains("n2 (freed)"), "{}", run.stdout);
    // What `top` leads to was seen first.
    assert!(
        before.contains("n1* ") && !before.contains("n1 (freed)"),
        "{}",
        run.stdout
    );
    assert!(
        after.contains("stock.c:23 uses n2, which was freed"),
        "{}",
        run.stdout
    );
    // Memory that is allocated again belongs to a new node.
    let (_, last) = run.stdout.rsplit_once("(nopol) continue").unwrap();
    assert!(
        last.contains("price 4") && !last.contains("freed"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_a_called_function_frees_is_freed_until_the_session_goes_back() {
    let subject = Subject::new(&[("stock.c", STOCK)]);
    let script = "break sell; start; continue; spec\nfinish; finish\nresume 0";
    let run = debug(&subject, script, "stock.c");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (freed, again) = run.stdout.split_once("(nopol) resume 0").unwrap();
    assert!(freed.contains("(freed)"), "{}", run.stdout);
    assert!(
        again.contains("price 2") && !again.contains("freed"),
        "{}",
        run.stdout
    );
    // Stepping over the call.
    let run = debug(&subject, "start; next; next; next\nprint\nquit", "stock.c");
    assert!(run.stdout.contains("n2 (freed)"), "{}", run.stdout);
}

#[test]
fn a_program_whose_blocks_cannot_be_observed_is_said_to_be_one() {
    let subject = Subject::new(&[("stock.c", STOCK)]);
    let build = "cc -g -O0 -fsanitize=address -o stock stock.c";
    let built = Command::new("sh")
        .args(["-c", build])
        .current_dir(&subject.root)
        .status();
    assert!(built.unwrap().success());
    let run = debug(&subject, "start", "stock");
    let sentence = "freed memory is noticed only in statements that you step through, because it is built with a sanitizer";
    assert!(run.stdout.contains(sentence), "{}", run.stdout);
    let own = STOCK.replace(
        "static struct entry *top;",
        "static struct entry *top;\nstatic char pool[4096];\nstatic size_t used;\n\
         void *malloc(size_t size) { used += (size + 15) / 16 * 16; return pool + used; }\n\
         void free(void *pointer) { (void)pointer; }",
    );
    let subject = Subject::new(&[("stock.c", &own)]);
    let run = debug(&subject, "start", "stock.c");
    assert!(
        run.stdout
            .contains("because it has an allocator of its own"),
        "{}",
        run.stdout
    );
}

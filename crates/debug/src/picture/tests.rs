//! Pictures of known states.

use insta::assert_snapshot;
use nopol_heap::state::State;

use super::samples::*;
use super::{draw, svg, words};

fn plain(state: &State) -> String {
    draw(state, None, 80, false)
}

#[test]
fn empty() {
    assert_snapshot!(plain(&state("")), @"no variables, no nodes");
    assert_snapshot!(words(&state("")), @"no nodes");
}

#[test]
fn scalars_only() {
    assert_snapshot!(plain(&state("size=4 p=null x=? q=n9")), @"size = 4   p = null   x = ?   q ▸ n9");
}

#[test]
fn singly_linked() {
    assert_snapshot!(plain(&singly()), @r#"
    temp = null   size = 4

    node: list along next
      head                          current
      ▼                             ▼
    ┌─ n4 ───┐     ┌─ n3 ───┐     ┌─ n2 ───┐     ┌─ n1 ───┐
    │ data 4 │ ──▶ │ data 3 │ ──▶ │ data 2 │ ──▶ │ data 1 │ ──▶ ∅
    └────────┘     └────────┘     └────────┘     └────────┘
    "#);
    assert_snapshot!(words(&singly()), @"head → n4 → n3 → n2 → n1 → null; current → n2; temp → null");
}

#[test]
fn doubly_linked() {
    assert_snapshot!(plain(&doubly()), @r#"
    dnode: list along next
      head                                  tail
      ▼                                     ▼
    ┌─ n1 ────────┐     ┌─ n2 ──────┐     ┌─ n3 ──────┐
    │ data 10     │ ──▶ │ data 20   │ ──▶ │ data 30   │ ──▶ ∅
    │ prev ▸ null │     │ prev ▸ n1 │     │ prev ▸ n2 │
    └─────────────┘     └───────────┘     └───────────┘
    "#);
    assert_snapshot!(words(&doubly()), @"head → n1 → n2 → n3 → null; tail → n3");
}

#[test]
fn circular_list() {
    assert_snapshot!(plain(&circular()), @r#"
    node: list along next
      last
      ▼
    ┌─ n3 ───┐     ┌─ n1 ───┐     ┌─ n2 ───┐
    │ data 3 │ ──▶ │ data 1 │ ──▶ │ data 2 │ ──▶ n3
    └────────┘     └────────┘     └────────┘
    "#);
    assert_snapshot!(words(&circular()), @"last → n3 → n1 → n2 → n3");
}

#[test]
fn shared_tail() {
    assert_snapshot!(plain(&shared()), @r#"
    node: list along next
      a
      ▼
    ┌─ n1 ───┐     ┌─ n2 ───┐     ┌─ n5 ───┐     ┌─ n6 ───┐
    │ data 1 │ ──▶ │ data 2 │ ──▶ │ data 5 │ ──▶ │ data 6 │ ──▶ ∅
    └────────┘     └────────┘     └────────┘     └────────┘
      b
      ▼
    ┌─ n3 ───┐     ┌─ n4 ───┐
    │ data 3 │ ──▶ │ data 4 │ ──▶ n5
    └────────┘     └────────┘
    "#);
    assert_snapshot!(words(&shared()), @"a → n1 → n2 → n5 → n6 → null; b → n3 → n4 → n5");
}

#[test]
fn list_with_a_holder() {
    assert_snapshot!(plain(&holder()), @r#"
    list, item: list along next
      list
      ▼
    ┌─ n1 list ──┐
    │ first ▸ n2 │
    │ last ▸ n4  │
    │ count 3    │
    └────────────┘
                          it
                          ▼
    ┌─ n2 item ───┐     ┌─ n3 item ───┐     ┌─ n4 item ─────┐
    │ word 7      │ ──▶ │ word 8      │ ──▶ │ word 9        │ ──▶ ∅
    │ random ▸ n4 │     │ random ▸ n2 │     │ random ▸ null │
    └─────────────┘     └─────────────┘     └───────────────┘
    "#);
    assert_snapshot!(words(&holder()), @"list → n1; n2 → n3 → n4 → null; it → n3");
}

#[test]
fn binary_tree() {
    assert_snapshot!(plain(&binary()), @r#"
    tree: tree along left, right
    n1  key 50  parent ▸ null  ◂ root
    ├─ left ─▶ n2  key 30  parent ▸ n1
    │  ├─ left ─▶ n4  key 20  left ▸ null  right ▸ null  parent ▸ n2  ◂ cur
    │  └─ right ─▶ n5  key 40  left ▸ null  right ▸ null  parent ▸ n2
    └─ right ─▶ n3  key 70  left ▸ null  right ▸ null  parent ▸ n1
    "#);
    assert_snapshot!(words(&binary()), @"root → n1 (left: n2 (left: n4, right: n5), right: n3); cur → n4");
    assert_snapshot!(draw(&binary(), None, 40, false), @r#"
    tree: tree along left, right
    n1  key 50  parent ▸ null  ◂ root
    ├─ left ─▶ n2  key 30  parent ▸ n1
    │  ├─ left ─▶ n4  key 20  left ▸ null
    │  │     right ▸ null  parent ▸ n2
    │  │     ◂ cur
    │  └─ right ─▶ n5  key 40  left ▸ null
    │        right ▸ null  parent ▸ n2
    └─ right ─▶ n3  key 70  left ▸ null
          right ▸ null  parent ▸ n1
    "#);
}

#[test]
fn tree_with_a_missing_and_a_shared_child() {
    let state = state(
        "root=n1\nn1 tree left=n2 right=n3\nn2 tree left=null right=n3\nn3 tree left=n1 right=?",
    );
    assert_snapshot!(plain(&state), @r#"
    tree: tree along left, right
    n1  ◂ root
    ├─ left ─▶ n2
    │  ├─ left ─▶ ∅
    │  └─ right ─▶ n3
    │     ├─ left ─▶ n1 (above)
    │     └─ right ─▶ ?
    └─ right ─▶ n3 (above)
    "#);
    assert_snapshot!(words(&state), @"root → n1 (left: n2 (right: n3 (left: n1)), right: n3)");
}

#[test]
fn network_as_a_table() {
    assert_snapshot!(plain(&network()), @r#"
    vertex: nodes
    n1  id 1   a ▸ n2    b ▸ n3  c ▸ n4    ◂ start
    n2  id 2   a ▸ n3    b ▸ n4  c ▸ null
    n3  id 3   a ▸ n4    b ▸ n1  c ▸ n3
    n4  id 44  a ▸ null  b ▸ n4  c ▸ n1    ◂ goal
    "#);
    assert_snapshot!(words(&network()), @"start → n1 (a n2, b n3, c n4); n2 (a n3, b n4); n3 (a n4, b n1, c n3); goal → n4 (b n4, c n1)");
}

#[test]
fn self_loop() {
    assert_snapshot!(plain(&state("p=n1\nn1 node next=n1")), @r#"
    node: list along next
      p
      ▼
    ┌─ n1 ─┐
    │      │ ──▶ n1
    └──────┘
    "#);
}

#[test]
fn long_names() {
    let state = state(
        "the_first_node=n1 another_long_name=n1 p=n2\nn1 node x=1 next=n2\nn2 node x=2 next=null",
    );
    assert_snapshot!(plain(&state), @r#"
    node: list along next
      the_first_node
      another_long_name       p
      ▼                       ▼
    ┌─ n1 ─┐                ┌─ n2 ─┐
    │ x 1  │ ─────────────▶ │ x 2  │ ──▶ ∅
    └──────┘                └──────┘
    "#);
}

#[test]
fn freed_and_unknown() {
    let state =
        state("x=? p=n1\nn1 node data=? next=?\nn2 node! data=1 next=n1\nn3 node data=2 next=n9");
    assert_snapshot!(plain(&state), @r#"
    x = ?

    node: list along next
                           p
                           ▼
    ┌╌ n2 (freed) ╌┐     ┌─ n1 ───┐
    ╎ data 1       ╎ ──▶ │ data ? │ ──▶ ?
    └╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘     └────────┘
    ┌─ n3 ───┐
    │ data 2 │ ──▶ n9
    └────────┘
    "#);
    assert_snapshot!(words(&state), @"n2 (freed) → n1 → ?; p → n1; n3 → n9; x → ?");
}

#[test]
fn hidden_nodes() {
    let mut state = state("head=n1\nn1 node data=1 next=n2");
    state.hidden = 4;
    assert_snapshot!(plain(&state), @r#"
    node: list along next
      head
      ▼
    ┌─ n1 ───┐
    │ data 1 │ ──▶ n2
    └────────┘

    … and at least 4 more nodes
    "#);
    assert_snapshot!(words(&state), @"head → n1 → n2; … and at least 4 more nodes");
}

#[test]
fn arrays_of_numbers_are_one_row() {
    assert_snapshot!(plain(&arrays()), @r#"
    size = 2   t = [7, ?]

    cat: list along next
      head
      ▼
    ┌─ n1 ──────────┐     ┌─ n2 ────────┐     ┌╌ n3 (freed) ╌┐
    │ name "mow"    │ ──▶ │ name "purr" │ ──▶ ╎ name ?       ╎ ──▶ ?
    │ a [3, 1, -4]  │     │ a [3, ?, 5] │     ╎ a ?          ╎
    │ kin[0] ▸ n2   │     │ kin[0] ?    │     ╎ kin[0] ?     ╎
    │ kin[1] ▸ null │     │ kin[1] ?    │     ╎ kin[1] ?     ╎
    └───────────────┘     └─────────────┘     └╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘
    "#);
    assert_snapshot!(words(&arrays()), @"head → n1 → n2 → n3 (freed) → ?");
    assert_snapshot!(words(&state("t[0]=? t[1]=?")), @"t → ?");
    let picture = svg(&arrays(), None, "arrays");
    assert!(picture.contains(">&quot;mow&quot;</text>"));
    assert!(picture.contains(">[3, 1, -4]</text>"));
    assert!(!picture.contains("name[0]"));
    // The arrow of `kin[0]` begins in its own row.
    assert!(picture.contains(">kin[0]</text>"));
}

#[test]
fn long_arrays_are_cut() {
    let elements: Vec<String> = (0..20).map(|index| format!("a[{index}]={index}")).collect();
    assert_snapshot!(plain(&state(&elements.join(" "))), @"a = [0, 1, 2, 3, 4, 5, 6, …]");
}

#[test]
fn arrays_of_arrays_are_one_row_each() {
    let state = state("m[0][0]=1 m[0][1]=2 m[1][0]=3 m[1][1]=4 in[0].x=5 in[1].x=6");
    assert_snapshot!(plain(&state), @"m[0] = [1, 2]   m[1] = [3, 4]   in[0].x = 5   in[1].x = 6");
}

#[test]
fn sixty_nodes() {
    let text = plain(&long(60));
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    let first: Vec<&str> = text.lines().take(9).collect();
    assert_snapshot!(first.join("\n"), @r#"
    node: list along next
      head
      ▼
    ┌─ n1 ───┐     ┌─ n2 ───┐     ┌─ n3 ────┐     ┌─ n4 ────┐     ┌─ n5 ────┐
    │ data 0 │ ──▶ │ data 7 │ ──▶ │ data 14 │ ──▶ │ data 21 │ ──▶ │ data 28 │ ──▶
    └────────┘     └────────┘     └─────────┘     └─────────┘     └─────────┘
        ┌─ n6 ────┐     ┌─ n7 ────┐     ┌─ n8 ────┐     ┌─ n9 ────┐
    ──▶ │ data 35 │ ──▶ │ data 42 │ ──▶ │ data 49 │ ──▶ │ data 56 │ ──▶
        └─────────┘     └─────────┘     └─────────┘     └─────────┘
    "#);
    let last: Vec<&str> = text.lines().skip(text.lines().count() - 3).collect();
    assert_snapshot!(last.join("\n"), @r#"
        ┌─ n58 ────┐     ┌─ n59 ────┐     ┌─ n60 ────┐
    ──▶ │ data 399 │ ──▶ │ data 406 │ ──▶ │ data 413 │ ──▶ ∅
        └──────────┘     └──────────┘     └──────────┘
    "#);
}

#[test]
fn svg_says_what_it_is() {
    let (before, after) = freeing();
    let picture = svg(&after, Some(&before), "free(<temp>) & more");
    assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(picture.contains("role=\"img\" aria-label=\"temp → n4 (freed) → n3 → n2 → n1 → null;"));
    assert!(picture.contains("<title>free(&lt;temp&gt;) &amp; more</title>"));
    assert!(picture.contains("class=\"box freed changed\""));
    assert!(picture.contains("class=\"pill changed\""));
    assert_eq!(picture.matches("marker-end=\"url(#heap-tip)\"").count(), 3);
    assert_eq!(picture, svg(&after, Some(&before), "free(<temp>) & more"));
}

#[test]
fn svg_of_many_nodes_is_bounded() {
    let picture = svg(&long(300), None, "long");
    assert!(picture.contains("… and at least 100 more nodes"));
    assert!(picture.len() < 300_000);
    let width = picture
        .split("width=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    assert!(width.parse::<f64>().unwrap() < 1600.0);
}

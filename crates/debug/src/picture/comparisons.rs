//! Pictures of two known states and what is different between them.

use insta::assert_snapshot;

use super::samples::*;
use super::{beside, draw, svg};

#[test]
fn changes() {
    let (before, after) = freeing();
    assert_snapshot!(draw(&after, Some(&before), 80, false), @r#"
    size = 4

    node: list along next
      temp*                 head*          current
      ▼                     ▼              ▼
    ┌╌ n4 (freed)* ╌┐     ┌─ n3 ───┐     ┌─ n2 ───┐     ┌─ n1 ───┐
    ╎ data 4        ╎ ──▶ │ data 3 │ ──▶ │ data 2 │ ──▶ │ data 1 │ ──▶ ∅
    └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘     └────────┘     └────────┘     └────────┘
    "#);
    let mut longer =
        state("head=n5 current=n2 size=5\nn5 node data=9 next=n4\nn6 tree left=null right=null");
    longer.nodes.splice(0..0, singly().nodes);
    longer.nodes[0].fields[0].value = value("8");
    longer.nodes[1].fields[1].value = value("n3");
    assert_snapshot!(draw(&longer, Some(&before), 80, false), @r#"
    size = 5*

    node: list along next
      head*                                        current
      ▼                                            ▼
    ┌─ n5* ──┐     ┌─ n4 ───┐     ┌─ n3 ───┐     ┌─ n2 ───┐
    │ data 9 │ ──▶ │ data 4 │ ──▶ │ data 3 │ ──▶ │ data 2 │ ─*▶ n3
    └────────┘     └────────┘     └────────┘     └────────┘
    ┌─ n1 ────┐
    │ data 8* │ ──▶ ∅
    └─────────┘

    tree: tree along left, right
    n6*  left ▸ null  right ▸ null

    no longer there: temp*
    "#);
    let mut pruned = binary();
    pruned.nodes[1].fields[2].value = value("null");
    pruned.nodes.pop();
    assert_snapshot!(draw(&pruned, Some(&binary()), 80, false), @r#"
    tree: tree along left, right
    n1  key 50  parent ▸ null  ◂ root
    ├─ left ─▶ n2  key 30  parent ▸ n1
    │  ├─ left ─▶ n4  key 20  left ▸ null  right ▸ null  parent ▸ n2  ◂ cur
    │  └─ right* ─▶ ∅
    └─ right ─▶ n3  key 70  left ▸ null  right ▸ null  parent ▸ n1

    nothing shown points to it any more: n5*
    "#);
}

#[test]
fn an_array_is_changed_when_an_element_is() {
    let (before, mut after) = (arrays(), arrays());
    after.variables.truncate(2);
    after.nodes[0].fields[2].value = value("98");
    after.nodes[1].fields[6].value = value("6");
    assert_snapshot!(draw(&after, Some(&before), 80, false), @r#"
    size = 2

    cat: list along next
      head
      ▼
    ┌─ n1 ──────────┐     ┌─ n2 ─────────┐     ┌╌ n3 (freed) ╌┐
    │ name "mob"*   │ ──▶ │ name "purr"  │ ──▶ ╎ name ?       ╎ ──▶ ?
    │ a [3, 1, -4]  │     │ a [3, ?, 6]* │     ╎ a ?          ╎
    │ kin[0] ▸ n2   │     │ kin[0] ?     │     ╎ kin[0] ?     ╎
    │ kin[1] ▸ null │     │ kin[1] ?     │     ╎ kin[1] ?     ╎
    └───────────────┘     └──────────────┘     └╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘

    no longer there: t*
    "#);
    let text = beside(&before, &after, ("before", "after"), 140, false);
    assert_eq!(text.matches("name \"mow\"*").count(), 1);
    assert_eq!(text.matches("name \"mob\"*").count(), 1);
    assert_eq!(text.matches("t = [7, ?]*").count(), 1);
    let picture = svg(&after, Some(&before), "arrays");
    assert!(picture.contains("class=\"new\">&quot;mob&quot;</text>"));
}

#[test]
fn colours() {
    let (before, after) = freeing();
    let text = draw(&after, Some(&before), 80, true);
    assert!(text.contains("\u{1b}[1m\u{1b}[33mtemp\u{1b}[0m"));
    assert!(!text.contains('*'));
    let mut stripped = String::new();
    let mut is_code = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => is_code = true,
            'm' if is_code => is_code = false,
            c if !is_code => stripped.push(c),
            _ => {}
        }
    }
    let lines = |text: &str| {
        text.lines()
            .map(|line| line.trim_end().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&stripped), lines(&draw(&after, None, 80, false)));
}

#[test]
fn beside_each_other() {
    let (before, after) = freeing();
    let titles = ("what the program did", "what you want");
    assert_snapshot!(beside(&after, &before, titles, 110, false), @r#"
    what the program did                                  │ what you want
    ────────────────────                                  │ ─────────────
    size = 4                                              │ temp = null*   size = 4
                                                          │
    node: list along next                                 │ node: list along next
      temp*                 head*          current        │   head*                         current
      ▼                     ▼              ▼              │   ▼                             ▼
    ┌╌ n4 (freed)* ╌┐     ┌─ n3 ───┐     ┌─ n2 ───┐       │ ┌─ n4* ──┐     ┌─ n3 ───┐     ┌─ n2 ───┐
    ╎ data 4        ╎ ──▶ │ data 3 │ ──▶ │ data 2 │ ──▶   │ │ data 4 │ ──▶ │ data 3 │ ──▶ │ data 2 │ ──▶
    └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘     └────────┘     └────────┘       │ └────────┘     └────────┘     └────────┘
        ┌─ n1 ───┐                                        │     ┌─ n1 ───┐
    ──▶ │ data 1 │ ──▶ ∅                                  │ ──▶ │ data 1 │ ──▶ ∅
        └────────┘                                        │     └────────┘
    "#);
    assert_snapshot!(beside(&after, &before, titles, 40, false), @r#"
    what the program did
    ────────────────────
    size = 4

    node: list along next
      temp*                 head*
      ▼                     ▼
    ┌╌ n4 (freed)* ╌┐     ┌─ n3 ───┐
    ╎ data 4        ╎ ──▶ │ data 3 │ ──▶
    └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘     └────────┘
          current
          ▼
        ┌─ n2 ───┐     ┌─ n1 ───┐
    ──▶ │ data 2 │ ──▶ │ data 1 │ ──▶ ∅
        └────────┘     └────────┘

    what you want
    ─────────────
    temp = null*   size = 4

    node: list along next
      head*
      ▼
    ┌─ n4* ──┐     ┌─ n3 ───┐
    │ data 4 │ ──▶ │ data 3 │ ──▶
    └────────┘     └────────┘
          current
          ▼
        ┌─ n2 ───┐     ┌─ n1 ───┐
    ──▶ │ data 2 │ ──▶ │ data 1 │ ──▶ ∅
        └────────┘     └────────┘
    "#);
}

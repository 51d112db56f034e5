//! Pointers, boxes and options of them mean what they mean in the language.

use super::{end, read};
use crate::interpret::End;
use crate::ir::{PointerKind, Shape};

const NODE: &str = "
    use std::ptr;
    struct Node { value: i32, next: *mut Node, link: Option<Box<Node>> }
    fn node(value: i32) -> *mut Node {
        Box::into_raw(Box::new(Node { value, next: ptr::null_mut(), link: None }))
    }
";

fn passes(body: &str) {
    let text = format!("{NODE}\n#[test] fn t() {{ unsafe {{ {body} }} }}");
    assert_eq!(end(&text), End::Passed, "{body}");
}

#[test]
fn raw_pointers_are_followed_compared_and_cast() {
    passes("let p = node(3); assert!(!p.is_null()); assert_eq!((*p).value, 3);");
    passes(
        "let p = node(3); (*p).value += 4; let n = &mut *p; n.value *= 2; assert_eq!((*p).value, 14);",
    );
    passes(
        "let p = node(1); (*p).next = node(2); let q = (*p).next; assert!(p != q); assert_eq!((*(*p).next).value, 2);",
    );
    passes(
        "let mut n = Node { value: 1, next: ptr::null_mut(), link: None }; let p = &mut n as *mut Node; (*p).value = 9; assert_eq!(n.value, 9);",
    );
    passes(
        "let mut n = Node { value: 1, next: ptr::null_mut(), link: None }; let p = &raw mut n; (*p).value = 9; assert_eq!(n.value, 9);",
    );
    passes(
        "let p: *const Node = ptr::null(); assert!(p.is_null()); assert!(p.as_ref().is_none());",
    );
    passes("let p = node(1); let b = Box::from_raw(p); assert_eq!(b.value, 1); drop(b);");
}

#[test]
fn a_null_pointer_is_not_followed() {
    let text = format!(
        "{NODE}\n#[test] fn t() {{ let p: *mut Node = ptr::null_mut(); unsafe {{ (*p).value = 1; }} }}"
    );
    assert!(matches!(end(&text), End::Fault(..)));
}

#[test]
fn options_of_boxes_are_taken_matched_and_borrowed() {
    let list = "let mut n = Node { value: 1, next: ptr::null_mut(), link: None };
        n.link = Some(Box::new(Node { value: 2, next: ptr::null_mut(), link: None }));";
    let passes = |body: &str| passes(&format!("{list} {body}"));
    passes(
        "let taken = n.link.take(); assert!(n.link.is_none()); assert_eq!(taken.unwrap().value, 2);",
    );
    passes(
        "if let Some(m) = &mut n.link { m.value = 5; } assert_eq!(n.link.as_ref().unwrap().value, 5);",
    );
    passes(
        "if let Some(ref mut m) = n.link { m.value = 5; } assert_eq!(n.link.unwrap().value, 5);",
    );
    passes("match n.link { None => panic!(), Some(m) => assert_eq!(m.value, 2) }");
    passes(
        "let mut sum = 0; let mut at = Some(&n); while let Some(m) = at { sum += m.value; at = m.link.as_deref(); } assert_eq!(sum, 3);",
    );
    passes(
        "let mut end = &mut n.link; while let Some(m) = end { end = &mut m.link; } *end = Some(Box::new(Node { value: 7, next: ptr::null_mut(), link: None })); assert_eq!(n.link.unwrap().link.unwrap().value, 7);",
    );
}

#[test]
fn variables_say_which_structures_they_point_to() {
    let text = format!(
        "{NODE}\nfn f(a: &mut Node, b: *mut Node, c: Option<Box<Node>>, d: i32) {{}}
        #[test] fn t() {{ let p = node(1); unsafe {{ f(&mut *p, p, None, 2) }} }}"
    );
    let (program, _) = read(&text, &["t"]).unwrap();
    let function = program.functions.iter().find(|of| of.name == "f").unwrap();
    let shapes: Vec<_> = function
        .parameters
        .iter()
        .map(|id| (program.variables[*id].shape, program.variables[*id].access))
        .collect();
    let node = match shapes[0].0 {
        Shape::Pointer(record) => record,
        shape => panic!("{shape:?}"),
    };
    assert_eq!(shapes[0].1, PointerKind::Reference);
    assert_eq!(shapes[1], (Shape::Pointer(node), PointerKind::Raw));
    assert_eq!(
        shapes[2],
        (Shape::Pointer(node), PointerKind::OptionalOwned)
    );
    assert_eq!(shapes[3].0, Shape::Other);
    let fields = &program.records[node].fields;
    let names: Vec<_> = fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["value", "next", "link"]);
    assert_eq!(fields[1].points_to, Some(node));
}

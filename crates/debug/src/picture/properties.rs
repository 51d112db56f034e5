//! What holds for pictures of all states, also of those that no program makes.

use nopol_heap::state::{Node, NodeId, State, Value, Variable};
use proptest::prelude::*;

use super::{beside, draw, svg, words};

const WIDTH: usize = 80;

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => Just(Value::Null),
        6 => (0_u32..14).prop_map(|id| Value::Node(NodeId(id))),
        1 => any::<i64>().prop_map(|number| Value::Number(number.into())),
        1 => Just(Value::Unknown),
    ]
}

fn variable(names: &'static str) -> impl Strategy<Value = Variable> {
    (names, values()).prop_map(|(name, value)| Variable::new(name, value))
}

/// The elements of an array.
fn array() -> impl Strategy<Value = Vec<Variable>> {
    let values = proptest::collection::vec(values(), 1..6);
    (values, any::<bool>()).prop_map(|(values, is_character)| {
        let elements = values.into_iter().enumerate();
        let element = |(index, value)| Variable {
            is_character,
            ..Variable::new(format!("t[{index}]"), value)
        };
        elements.map(element).collect()
    })
}

fn nodes() -> impl Strategy<Value = Node> {
    let fields = prop_oneof![
        3 => (values(), values()).prop_map(|(one, other)| {
            vec![Variable::new("data", one), Variable::new("next", other)]
        }),
        2 => (values(), values(), values()).prop_map(|(key, left, right)| {
            vec![Variable::new("key", key), Variable::new("left", left), Variable::new("right", right)]
        }),
        2 => proptest::collection::vec(variable("[a-dn]{1,2}|prev|next|parent|left|right"), 0..5),
        1 => (array(), values()).prop_map(|(mut fields, next)| {
            fields.push(Variable::new("next", next));
            fields
        }),
    ];
    (0_u32..12, "[ABC<&\"]|node", fields, any::<bool>()).prop_map(
        |(id, record, fields, is_freed)| Node {
            id: NodeId(id),
            record,
            fields,
            is_freed,
            is_fixed: false,
        },
    )
}

fn states() -> impl Strategy<Value = State> {
    let variables = proptest::collection::vec(variable("[a-z_]{1,8}|[<>&'\"é\u{7}]{1,3}"), 0..6);
    (
        variables,
        proptest::collection::vec(nodes(), 0..14),
        0_usize..3,
    )
        .prop_map(|(variables, nodes, hidden)| State {
            variables,
            nodes,
            hidden,
        })
}

/// The text as it is shown: characters that would move the cursor are replaced.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// How often a word stands in a text, not as a part of a longer word.
fn count(text: &str, word: &str) -> usize {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .filter(|(at, _)| {
            !is_part(text[..*at].chars().next_back())
                && !is_part(text[at + word.len()..].chars().next())
        })
        .count()
}

/// Looks at an attribute: its text must be escaped, and its numbers must be numbers.
fn check(
    attribute: Result<
        quick_xml::events::attributes::Attribute<'_>,
        quick_xml::events::attributes::AttrError,
    >,
) {
    let attribute = attribute.expect("an attribute");
    let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
    let value = value.expect("an escaped value");
    let is_words = attribute.key.as_ref() == b"aria-label";
    assert!(
        is_words || !value.contains("NaN") && !value.contains("inf"),
        "{value}"
    );
}

/// Reads an XML file, and gives back the names of its elements and all of its text.
fn read(xml: &str) -> (Vec<String>, String) {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut elements, mut text, mut depth) = (Vec::new(), String::new(), 0);
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => break,
            Event::Start(start) => {
                depth += 1;
                start.attributes().for_each(|attribute| {
                    check(attribute);
                });
                elements.push(String::from_utf8_lossy(start.name().as_ref()).to_string());
            }
            Event::Empty(start) => {
                start.attributes().for_each(|attribute| {
                    check(attribute);
                });
                elements.push(String::from_utf8_lossy(start.name().as_ref()).to_string());
            }
            Event::End(_) => depth -= 1,
            Event::Text(more) => {
                text.push_str(&more.decode().expect("text"));
            }
            Event::GeneralRef(reference) => {
                text.push_str(match reference.decode().expect("text").as_ref() {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("an unknown reference {other}"),
                });
            }
            other => panic!("unexpected {other:?}"),
        }
        assert!(depth <= 8);
    }
    assert_eq!(depth, 0);
    (elements, text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn text_tells_everything(state in states(), before in states()) {
        let text = draw(&state, None, WIDTH, false);
        for line in text.lines() {
            prop_assert!(line.chars().count() <= WIDTH, "{}", text);
        }
        for variable in &state.variables {
            prop_assert!(text.contains(&shown(&variable.name)), "{} in\n{}", variable.name, text);
        }
        for node in &state.nodes {
            prop_assert!(count(&text, &node.id.to_string()) > 0, "{} in\n{}", node.id, text);
            for field in &node.fields {
                let array = field.name.split('[').next().unwrap_or_default();
                prop_assert!(count(&text, array) > 0, "{} in\n{}", array, text);
                if field.name.contains('[') {
                    // It may be an element of a row, which may be cut.
                    continue;
                }
                match field.value {
                    Value::Null => prop_assert!(text.contains('∅') || count(&text, "null") > 0),
                    Value::Unknown => prop_assert!(text.contains('?')),
                    value => prop_assert!(text.contains(&value.to_string()), "{} in\n{}", value, text),
                }
            }
        }
        let freed = state.nodes.iter().filter(|node| node.is_freed).count();
        prop_assert_eq!(text.matches("(freed)").count(), freed);
        prop_assert_eq!(&draw(&state, Some(&state), WIDTH, false), &text);
        prop_assert_eq!(draw(&state, Some(&before), WIDTH, false), draw(&state, Some(&before), WIDTH, false));
        draw(&state, Some(&before), WIDTH, true);
        words(&state);
    }

    #[test]
    fn any_width_will_do(state in states(), before in states(), width in 0_usize..200) {
        draw(&state, Some(&before), width, false);
        let text = beside(&state, &before, ("one", "the other"), width, false);
        prop_assert!(text.contains("one") && text.contains("the"));
        if width >= 50 {
            for line in text.lines() {
                prop_assert!(line.chars().count() <= width, "{}", text);
            }
        }
    }

    #[test]
    fn svg_is_well_formed(state in states(), before in proptest::option::of(states()), title in "[ -~]{0,30}") {
        let picture = svg(&state, before.as_ref(), &title);
        let (elements, text) = read(&picture);
        prop_assert_eq!(elements.first().map(String::as_str), Some("svg"));
        prop_assert_eq!(elements.get(1).map(String::as_str), Some("title"));
        for node in &state.nodes {
            prop_assert!(count(&text, &node.id.to_string()) > 0);
        }
        for variable in &state.variables {
            prop_assert!(text.contains(&shown(&variable.name)));
        }
        prop_assert_eq!(picture, svg(&state, before.as_ref(), &title));
    }
}

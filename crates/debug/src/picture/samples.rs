//! States for the tests.

use nopol_heap::state::{Node, NodeId, State, Value, Variable};

/// A value from short text: `null`, `?`, `n3` or a number.
pub fn value(text: &str) -> Value {
    match text {
        "null" => Value::Null,
        "?" => Value::Unknown,
        _ => match text.strip_prefix('n') {
            Some(number) => Value::Node(NodeId(number.parse::<u32>().unwrap() - 1)),
            None => Value::Number(text.parse().unwrap()),
        },
    }
}

/// Variables from text such as `head=n1 size=3`.
pub fn variables(text: &str) -> Vec<Variable> {
    let variable = |word: &str| {
        let (name, held) = word.split_once('=').unwrap();
        Variable::new(name, value(held))
    };
    text.split_whitespace().map(variable).collect()
}

/// A state from text: a line of variables, then a line `n1 record field=value …` for each node. A record with `!` at
/// its end is freed.
pub fn state(text: &str) -> State {
    let mut lines = text.lines().map(str::trim);
    let variables_line = lines.next().unwrap_or_default();
    let nodes = lines.filter(|line| !line.is_empty()).map(|line| {
        let mut words = line.splitn(3, ' ');
        let Value::Node(id) = value(words.next().unwrap()) else {
            panic!("{line}")
        };
        let record = words.next().unwrap();
        let fields = variables(words.next().unwrap_or_default());
        Node {
            id,
            record: record.trim_end_matches('!').to_string(),
            fields,
            is_freed: record.ends_with('!'),
            is_fixed: false,
        }
    });
    State {
        variables: variables(variables_line),
        nodes: nodes.collect(),
        hidden: 0,
    }
}

pub fn singly() -> State {
    state(
        "head=n4 current=n2 temp=null size=4
         n1 node data=1 next=null
         n2 node data=2 next=n1
         n3 node data=3 next=n2
         n4 node data=4 next=n3",
    )
}

pub fn doubly() -> State {
    state(
        "head=n1 tail=n3
         n1 dnode data=10 prev=null next=n2
         n2 dnode data=20 prev=n1 next=n3
         n3 dnode data=30 prev=n2 next=null",
    )
}

pub fn circular() -> State {
    state("last=n3\n n1 node data=1 next=n2\n n2 node data=2 next=n3\n n3 node data=3 next=n1")
}

pub fn shared() -> State {
    state(
        "a=n1 b=n3
         n1 node data=1 next=n2
         n2 node data=2 next=n5
         n3 node data=3 next=n4
         n4 node data=4 next=n5
         n5 node data=5 next=n6
         n6 node data=6 next=null",
    )
}

pub fn binary() -> State {
    state(
        "root=n1 cur=n4
         n1 tree key=50 left=n2 right=n3 parent=null
         n2 tree key=30 left=n4 right=n5 parent=n1
         n3 tree key=70 left=null right=null parent=n1
         n4 tree key=20 left=null right=null parent=n2
         n5 tree key=40 left=null right=null parent=n2",
    )
}

pub fn network() -> State {
    state(
        "start=n1 goal=n4
         n1 vertex id=1 a=n2 b=n3 c=n4
         n2 vertex id=2 a=n3 b=n4 c=null
         n3 vertex id=3 a=n4 b=n1 c=n3
         n4 vertex id=44 a=null b=n4 c=n1",
    )
}

pub fn holder() -> State {
    state(
        "list=n1 it=n3
         n1 list first=n2 last=n4 count=3
         n2 item word=7 next=n3 random=n4
         n3 item word=8 next=n4 random=n2
         n4 item word=9 next=null random=null",
    )
}

/// A list of nodes with this many nodes.
pub fn long(count: u32) -> State {
    let mut state = state("head=n1");
    for number in 0..count {
        let next = if number + 1 < count {
            Value::Node(NodeId(number + 1))
        } else {
            Value::Null
        };
        let fields = vec![
            Variable::new("data", Value::Number(i128::from(number) * 7)),
            Variable::new("next", next),
        ];
        state.nodes.push(Node {
            id: NodeId(number),
            record: "node".to_string(),
            fields,
            is_freed: false,
            is_fixed: false,
        });
    }
    state
}

/// A list whose nodes have arrays: a text, numbers and pointers.
pub fn arrays() -> State {
    let mut state = state(
        "head=n1 size=2 t[0]=7 t[1]=?
         n1 cat name[0]=109 name[1]=111 name[2]=119 name[3]=0 a[0]=3 a[1]=1 a[2]=-4 kin[0]=n2 kin[1]=null next=n2
         n2 cat name[0]=112 name[1]=117 name[2]=114 name[3]=114 a[0]=3 a[1]=? a[2]=5 kin[0]=? kin[1]=? next=n3
         n3 cat! name[0]=? name[1]=? name[2]=? name[3]=? a[0]=? a[1]=? a[2]=? kin[0]=? kin[1]=? next=?",
    );
    for node in &mut state.nodes {
        for field in &mut node.fields {
            field.is_character = field.name.starts_with("name");
        }
    }
    state
}

/// [`singly`] and what it was before its first node was freed.
pub fn freeing() -> (State, State) {
    let before = singly();
    let mut after = singly();
    after.nodes[3].is_freed = true;
    after.variables[0].value = value("n3");
    after.variables[2].value = value("n4");
    (before, after)
}

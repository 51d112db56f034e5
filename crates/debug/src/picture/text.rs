//! Draws a memory graph for a terminal: variables, then one part for each group of nodes.
//!
//! [`draw`] puts the parts together; the shapes themselves are drawn by [`super::list`] and [`super::tree`] with the
//! words that [`Pen`] gives them, so that a value looks the same everywhere.

use nopol_heap::state::{State, Value};

use super::arrays::Held;
use super::block::{Block, Ink, Phrase};
use super::changes::Changes;
use super::list;
use super::shape::{Graph, Group, Shape, groups};
use super::tree;

/// The widths that are drawn for. What is asked beyond them is brought within.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=1000;

/// Draws a state in lines of at most `width` columns, unless a single box is wider.
///
/// What is different from `before` is drawn in another colour, or marked with a star when `color` is false.
pub fn draw(state: &State, before: Option<&State>, width: usize, color: bool) -> String {
    picture(state, &Changes::new(state, before), width, color, true).render(color)
}

/// Draws a state with its changes, and if wanted also names what is gone.
pub fn picture(
    state: &State,
    changes: &Changes,
    width: usize,
    color: bool,
    tell_gone: bool,
) -> Block {
    let width = width.clamp(*WIDTHS.start(), *WIDTHS.end());
    let graph = Graph::new(state);
    let groups = groups(&graph);
    let pen = Pen {
        graph: &graph,
        changes,
        width,
        color,
    };
    let mut block = Block::default();

    let scalars: Vec<Phrase> = graph
        .scalars()
        .into_iter()
        .map(|place| pen.scalar(place))
        .collect();
    block.add(0, &Block::flow(&scalars, width, 3, 2));
    for group in &groups {
        block.gap();
        block.add(0, &Block::flow(&caption(group), width, 1, 2));
        let part = match &group.shape {
            Shape::List(along) => list::draw(&pen, group, along.as_deref()),
            Shape::Tree(children) => tree::draw(&pen, group, children),
            Shape::Table => tree::table(&pen, group),
        };
        block.add(0, &part);
    }
    if state.hidden > 0 {
        block.gap();
        block.add(
            0,
            &Block::flow(
                &[Phrase::new(hidden(state.hidden), Ink::Faint)],
                width,
                0,
                0,
            ),
        );
    }
    if block.height() == 0 {
        block.put(0, 0, "no variables, no nodes", Ink::Faint);
    }
    if tell_gone {
        for (what, names) in changes.missing() {
            block.gap();
            let names = names.iter();
            let names = names.map(|name| Phrase::new(name, Ink::Plain).changed(true, color));
            let phrases: Vec<Phrase> = [Phrase::new(what, Ink::Faint)]
                .into_iter()
                .chain(names)
                .collect();
            block.add(0, &Block::flow(&phrases, width, 1, 2));
        }
    }
    block
}

/// Says that nodes are not drawn: those that are drawn lead to this many others.
pub fn hidden(count: usize) -> String {
    format!(
        "… and at least {count} more node{}",
        if count == 1 { "" } else { "s" }
    )
}

/// Says what a group is.
fn caption(group: &Group) -> Vec<Phrase> {
    let (kind, fields) = match &group.shape {
        Shape::List(Some(along)) => ("list along", vec![along.as_str()]),
        Shape::Tree(children) => ("tree along", children.iter().map(String::as_str).collect()),
        Shape::List(None) | Shape::Table => ("nodes", Vec::new()),
    };
    let names = |names: Vec<&str>, end: &str| {
        let last = names.len().saturating_sub(1);
        let comma = move |place: usize| {
            if place == last {
                end.to_string()
            } else {
                ",".to_string()
            }
        };
        names
            .into_iter()
            .enumerate()
            .map(|(place, name)| Phrase::new(format!("{name}{}", comma(place)), Ink::Faint))
            .collect::<Vec<_>>()
    };
    let mut phrases = names(group.records.iter().map(String::as_str).collect(), ":");
    phrases.push(Phrase::new(kind, Ink::Faint));
    phrases.extend(names(fields, ""));
    phrases
}

/// What the shapes are drawn with.
pub struct Pen<'a> {
    /// The state.
    pub graph: &'a Graph<'a>,
    /// What is different from before.
    pub changes: &'a Changes,
    /// The columns that there are.
    pub width: usize,
    /// Whether changes are shown in colour.
    pub color: bool,
}

impl Pen<'_> {
    /// A variable that points to no node, with its value.
    fn scalar(&self, place: usize) -> Phrase {
        let variable = &self.graph.variables[place];
        let arrow = match variable.held {
            Held::Value(Value::Node(_)) => " ▸ ",
            Held::Value(_) | Held::Array(_) => " = ",
        };
        let (text, ink) = self.held(&variable.held);
        Phrase::new(&variable.name, Ink::Variable)
            .and(arrow, Ink::Faint)
            .and(text, ink)
            .changed(self.changes.variable(place), self.color)
    }

    /// The names of the variables that point to a node.
    pub fn labels(&self, node: usize) -> Vec<Phrase> {
        let variables = &self.graph.variables;
        let label = |&place: &usize| {
            Phrase::new(&variables[place].name, Ink::Variable)
                .changed(self.changes.variable(place), self.color)
        };
        self.graph.labels[node].iter().map(label).collect()
    }

    /// The name of a node, with the tag of its record where the group has several.
    pub fn name(&self, place: usize, group: &Group) -> Phrase {
        let node = self.graph.node(place);
        let mut phrase = Phrase::new(node.id.to_string(), Ink::Name);
        if group.records.len() > 1 {
            phrase = phrase.and(format!(" {}", node.record), Ink::Faint);
        }
        if node.is_freed {
            phrase = phrase.and(" (freed)", Ink::Bad);
        }
        phrase.changed(self.changes.node(place), self.color)
    }

    /// A row of a node, with what it holds.
    pub fn row(&self, node: usize, place: usize) -> Phrase {
        let field = &self.graph.rows(node)[place];
        let arrow = match field.held {
            Held::Value(Value::Null | Value::Node(_)) => " ▸ ",
            Held::Value(Value::Number(_) | Value::Unknown) | Held::Array(_) => " ",
        };
        let (text, ink) = self.held(&field.held);
        Phrase::new(&field.name, Ink::Plain)
            .and(arrow, Ink::Faint)
            .and(text, ink)
            .changed(self.changes.row(node, place), self.color)
    }

    /// The text of what a row holds, and its colour.
    fn held(&self, held: &Held) -> (String, Ink) {
        match held {
            Held::Value(value) => self.value(*value),
            Held::Array(_) => (held.to_string(), Ink::Plain),
        }
    }

    /// The text of a value, and its colour.
    pub fn value(&self, value: Value) -> (String, Ink) {
        let ink = match value {
            Value::Null => Ink::Faint,
            Value::Number(_) => Ink::Plain,
            Value::Unknown => Ink::Bad,
            Value::Node(_) => match self.graph.target(value) {
                Some(target) if self.graph.node(target).is_freed => Ink::Bad,
                _ => Ink::Name,
            },
        };
        (value.to_string(), ink)
    }
}

//! Draws trees for a terminal as indented lines, and whatever has no shape as a table of nodes.
//!
//! Each node has its line at one place only. Where a field leads to a node that has its line elsewhere, its name is
//! written with a hint at where to look. The words in the lines come from [`Pen`].

use nopol_heap::state::Value;

use super::block::{Block, Ink, Phrase};
use super::shape::{Group, tree_starts};
use super::text::Pen;

/// The columns by which children are indented.
const INDENT: usize = 3;

/// The columns between the parts of a line.
const GAP: usize = 2;

/// Draws the trees of a group along the fields that lead to children.
pub fn draw(pen: &Pen<'_>, group: &Group, children: &[String]) -> Block {
    let mut forest = Forest {
        pen,
        group,
        children,
        met: vec![false; pen.graph.state.nodes.len()],
        block: Block::default(),
    };
    for start in tree_starts(pen.graph, &group.members, children) {
        if !forest.met[start] {
            forest.node(start, "", "", None);
        }
    }
    forest.block
}

/// Trees while they are drawn.
struct Forest<'a> {
    pen: &'a Pen<'a>,
    group: &'a Group,
    children: &'a [String],
    met: Vec<bool>,
    block: Block,
}

impl Forest<'_> {
    /// Draws a node and what is below it: `first` comes before its line, `rest` before all lines below.
    fn node(&mut self, node: usize, first: &str, rest: &str, lead: Option<Phrase>) {
        self.met[node] = true;
        let rows = self.pen.graph.rows(node);
        let mut branches: Vec<(usize, Value)> = Vec::new();
        for name in self.children {
            let found = rows.iter().position(|row| row.name == *name);
            branches.extend(found.and_then(|place| Some((place, rows[place].value()?))));
        }
        branches.retain(|(_, value)| !matches!(value, Value::Number(_)));
        if branches
            .iter()
            .all(|&(_, value)| self.pen.graph.target(value).is_none())
        {
            // A leaf: what its fields hold is short enough for its own line.
            branches.clear();
        }

        let mut parts = Vec::new();
        let mut name = self.pen.name(node, self.group);
        if let Some(lead) = lead {
            name = lead.joined(name);
        }
        parts.push(name);
        parts.extend(
            (0..rows.len())
                .filter(|place| branches.iter().all(|(branch, _)| branch != place))
                .map(|place| self.pen.row(node, place)),
        );
        parts.extend(self.pen.labels(node).into_iter().map(pointed));
        self.line(&parts, first, rest, !branches.is_empty());

        for (place, &(row, value)) in branches.iter().enumerate() {
            let is_last = place + 1 == branches.len();
            let first = format!("{rest}{}", if is_last { "└─ " } else { "├─ " });
            let rest = format!("{rest}{}", if is_last { "   " } else { "│  " });
            self.branch(node, row, value, &first, &rest);
        }
    }

    /// Draws a field that leads to a child, with the child.
    fn branch(&mut self, node: usize, row: usize, value: Value, first: &str, rest: &str) {
        let pen = self.pen;
        let is_changed = pen.changes.row(node, row);
        let lead = Phrase::new(&pen.graph.rows(node)[row].name, Ink::Plain)
            .changed(is_changed, pen.color)
            .and(" ─▶ ", if is_changed { Ink::Changed } else { Ink::Plain });
        let is_deep = rest.chars().count() > pen.width / 2;
        match pen.graph.target(value) {
            Some(child) if !self.met[child] && !is_deep => {
                self.node(child, first, rest, Some(lead));
            }
            target => {
                let (text, ink) = match value {
                    Value::Null => ("∅".to_string(), Ink::Plain),
                    value => pen.value(value),
                };
                let hint = match target {
                    Some(child) if self.met[child] => " (above)",
                    Some(_) => " (below)",
                    None => "",
                };
                self.line(
                    &[lead.and(text, ink).and(hint, Ink::Faint)],
                    first,
                    rest,
                    false,
                );
            }
        }
    }

    /// Adds a line, broken into several where it is too long.
    fn line(&mut self, parts: &[Phrase], first: &str, rest: &str, has_children: bool) {
        let indent = first.chars().count();
        let text = Block::flow(parts, self.pen.width.saturating_sub(indent), GAP, INDENT);
        let top = self.block.height();
        for line in 0..text.height() {
            let lines = if line == 0 { first } else { rest };
            self.block.put(0, top + line, lines, Ink::Faint);
        }
        self.block.stamp(indent, top, &text);
        for line in 1..text.height() {
            if has_children {
                self.block.put(indent, top + line, "│", Ink::Faint);
            }
        }
    }
}

/// Draws a table with a line for each node. The nodes of one record have their fields below each other.
pub fn table(pen: &Pen<'_>, group: &Group) -> Block {
    let mut block = Block::default();
    for record in &group.records {
        let lines: Vec<Vec<Phrase>> = group
            .members
            .iter()
            .filter(|&&node| pen.graph.node(node).record == *record)
            .map(|&node| {
                let rows = (0..pen.graph.rows(node).len()).map(|place| pen.row(node, place));
                std::iter::once(pen.name(node, group)).chain(rows).collect()
            })
            .collect();
        let members = group
            .members
            .iter()
            .filter(|&&node| pen.graph.node(node).record == *record);
        let columns = lines.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                lines
                    .iter()
                    .filter_map(|line| line.get(column))
                    .map(Phrase::width)
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        for (mut line, &node) in lines.into_iter().zip(members) {
            let labels: Vec<Phrase> = pen.labels(node).into_iter().map(pointed).collect();
            let beyond: usize = labels.iter().map(|label| label.width() + GAP).sum();
            let is_narrow =
                widths.iter().map(|width| width + GAP).sum::<usize>() + beyond <= pen.width + GAP;
            if is_narrow && line.len() == columns {
                line = line
                    .into_iter()
                    .zip(&widths)
                    .map(|(part, &width)| part.padded(width))
                    .collect();
            }
            line.extend(labels);
            block.add(0, &Block::flow(&line, pen.width, GAP, INDENT));
        }
    }
    block
}

/// The name of a variable beside the node that it points to.
fn pointed(name: Phrase) -> Phrase {
    Phrase::new("◂ ", Ink::Variable).joined(name)
}

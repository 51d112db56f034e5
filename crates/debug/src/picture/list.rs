//! Draws lists for a terminal: boxes in rows, joined by arrows along one field.
//!
//! Rows are broken at the width. A chain ends in what its last node holds: null, or the name of a node that is drawn
//! elsewhere. The words in the boxes come from [`Pen`].

use nopol_heap::state::Value;

use super::block::{Block, Ink, Phrase};
use super::shape::{Chain, Group, chains};
use super::text::Pen;

/// The columns that an arrow takes between two boxes.
const ARROW: usize = 5;

/// The columns between two single nodes in one row.
const GAP: usize = 3;

/// One node in a row.
struct Cell {
    /// The variables that point to it, above the box.
    labels: Block,
    /// The box.
    frame: Block,
    /// What comes after the box.
    tail: Phrase,
    /// Whether the next node of the chain comes after the tail.
    is_joined: bool,
    /// Whether an arrow from the row above leads to it.
    is_continued: bool,
}

impl Cell {
    /// The columns of the box and its labels.
    fn width(&self) -> usize {
        self.labels.width().max(self.frame.width())
    }

    /// The column after the tail, for a cell at column 0.
    fn end(&self) -> usize {
        self.width().max(self.frame.width() + self.tail.width())
    }
}

/// Draws the chains of a group along a field.
pub fn draw(pen: &Pen<'_>, group: &Group, along: Option<&str>) -> Block {
    let mut block = Block::default();
    let mut row: Vec<(usize, Cell)> = Vec::new();
    let mut end = 0;
    let mut was_single = false;
    for chain in chains(pen.graph, &group.members, along) {
        let is_single = chain.nodes.len() == 1;
        let cells = cells(pen, group, along, &chain);
        let first = cells.first().map_or(0, Cell::end);
        if !(was_single && is_single && end + GAP + first <= pen.width) {
            finish(&mut block, &mut row);
            end = 0;
        }
        was_single = is_single;
        for (place, mut cell) in cells.into_iter().enumerate() {
            let mut column = match (end, place) {
                (0, _) => 0,
                (_, 0) => end + GAP,
                (_, _) => end + 1,
            };
            if place > 0 && column + cell.end() > pen.width {
                finish(&mut block, &mut row);
                cell.is_continued = true;
                column = ARROW - 1;
            }
            end = column
                + if cell.is_joined {
                    cell.width() + cell.tail.width()
                } else {
                    cell.end()
                };
            row.push((column, cell));
        }
    }
    finish(&mut block, &mut row);
    block
}

/// Adds the row to the block, and begins a new one.
fn finish(block: &mut Block, row: &mut Vec<(usize, Cell)>) {
    let top = block.height();
    let above = row
        .iter()
        .map(|(_, cell)| cell.labels.height())
        .max()
        .unwrap_or_default();
    for (column, cell) in row.drain(..) {
        block.stamp(column, top + above - cell.labels.height(), &cell.labels);
        block.stamp(column, top + above, &cell.frame);
        let edge = column + cell.frame.width();
        let after = if cell.is_joined {
            column + cell.width()
        } else {
            edge
        };
        block.write(after, top + above + 1, &cell.tail);
        if after > edge {
            // The arrow begins at the box, however wide the labels above it are.
            block.put(
                edge,
                top + above + 1,
                &format!(" {}", "─".repeat(after - edge)),
                Ink::Plain,
            );
        }
        if cell.is_continued {
            block.put(0, top + above + 1, "──▶", Ink::Plain);
        }
    }
}

/// The cells of a chain.
fn cells(pen: &Pen<'_>, group: &Group, along: Option<&str>, chain: &Chain) -> Vec<Cell> {
    let last = chain.nodes.len().saturating_sub(1);
    let cell = |(place, &node): (usize, &usize)| {
        let is_joined = place < last;
        let mut is_drawn = false;
        let mut rows = Vec::new();
        let mut tail = Phrase::default();
        for (place, row) in pen.graph.rows(node).iter().enumerate() {
            let is_along = !is_drawn && along == Some(row.name.as_str());
            match row.value() {
                Some(value) if is_along && !matches!(value, Value::Number(_)) => {
                    is_drawn = true;
                    tail = arrow(pen, value, is_joined, pen.changes.row(node, place));
                }
                _ => rows.push(pen.row(node, place)),
            }
        }
        let frame = frame(
            &pen.name(node, group),
            &rows,
            pen.graph.node(node).is_freed,
            pen.changes.node(node),
        );
        let labels = labels(&pen.labels(node), frame.width());
        Cell {
            labels,
            frame,
            tail,
            is_joined,
            is_continued: false,
        }
    };
    chain.nodes.iter().enumerate().map(cell).collect()
}

/// An arrow to the next node, or to what the chain ends in.
fn arrow(pen: &Pen<'_>, value: Value, is_joined: bool, is_changed: bool) -> Phrase {
    let line = if is_changed && !pen.color {
        " ─*▶"
    } else {
        " ──▶"
    };
    let phrase = Phrase::new(line, if is_changed { Ink::Changed } else { Ink::Plain });
    if is_joined {
        return phrase;
    }
    let (text, ink) = match value {
        Value::Null => ("∅".to_string(), Ink::Plain),
        value => pen.value(value),
    };
    phrase
        .and(" ", Ink::Plain)
        .and(text, if is_changed { Ink::Changed } else { ink })
}

/// A box with a name in its upper edge. The edges of a freed node are broken.
fn frame(name: &Phrase, rows: &[Phrase], is_freed: bool, is_changed: bool) -> Block {
    let (across, down) = if is_freed {
        ("╌", "╎")
    } else {
        ("─", "│")
    };
    let ink = match (is_changed, is_freed) {
        (true, _) => Ink::Changed,
        (false, true) => Ink::Bad,
        (false, false) => Ink::Plain,
    };
    let inner = rows
        .iter()
        .map(Phrase::width)
        .max()
        .unwrap_or_default()
        .max(name.width() + 2);
    let edge = across.repeat(inner + 2);
    let mut block = Block::default();
    block.put(0, 0, &format!("┌{edge}┐"), ink);
    block.put(2, 0, " ", ink);
    block.write(3, 0, name);
    block.put(3 + name.width(), 0, " ", ink);
    // Even an empty box needs a line for the arrow.
    for line in 1..=rows.len().max(1) {
        block.put(0, line, down, ink);
        if let Some(row) = rows.get(line - 1) {
            block.write(2, line, row);
        }
        block.put(inner + 3, line, down, ink);
    }
    block.put(0, block.height(), &format!("└{edge}┘"), ink);
    block
}

/// The names of variables with an arrow head below them.
fn labels(names: &[Phrase], width: usize) -> Block {
    let mut block = Block::default();
    if !names.is_empty() {
        block.add(2, &Block::flow(names, width.saturating_sub(2), 1, 0));
        block.put(2, block.height(), "▼", Ink::Variable);
    }
    block
}

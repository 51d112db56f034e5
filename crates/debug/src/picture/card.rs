//! The box of a node in the SVG: its size, its rows, and the labels of the variables that point to it.
//!
//! A [`Card`] is measured first, then placed by [`super::layout`], and painted last. Arrows between boxes are left to
//! [`super::arrow`].

use nopol_heap::state::{Node, Value};

use super::arrays::Held;
use super::changes::Changes;
use super::layout::Point;
use super::paint::{Paint, number, text_width};
use super::shape::Graph;

/// The height of the header.
const HEADER: f64 = 24.0;

/// The height of a row.
const ROW: f64 = 21.0;

/// The space below the last row.
const FOOT: f64 = 3.0;

/// The space left and right of text.
const PAD: f64 = 10.0;

/// The height of a label.
const PILL: f64 = 20.0;

/// The space between a label and the box.
const LEAD: f64 = 16.0;

/// The space between two labels.
const BETWEEN: f64 = 6.0;

/// The box of a node.
pub struct Card {
    /// The place of the node in the state.
    pub node: usize,
    /// The size of the box, without the labels.
    pub size: Point,
    /// The middle of the box.
    pub middle: Point,
    /// The labels, with their widths.
    labels: Vec<(usize, f64)>,
    /// Whether the labels are left of the box, and not above it.
    is_beside: bool,
}

impl Card {
    /// Measures the box of a node. Labels are above it, or left of it where arrows come from above.
    pub fn new(graph: &Graph<'_>, node: usize, is_beside: bool) -> Self {
        let (name, record) = header(graph.node(node));
        let mut width = text_width(&name) + text_width(&record) + 3.2 * PAD;
        for row in graph.rows(node) {
            width = width.max(text_width(&row.name) + held_width(&row.held) + 3.5 * PAD);
        }
        let rows: f64 = graph.rows(node).iter().map(|_| ROW).sum();
        let label = |&place: &usize| (place, text_width(&graph.variables[place].name) + 1.6 * PAD);
        let labels = graph.labels[node].iter().map(label).collect();
        let size = (width.max(64.0), HEADER + rows + FOOT);
        Self {
            node,
            size,
            middle: (0.0, 0.0),
            labels,
            is_beside,
        }
    }

    /// The size with the labels. The box is in the middle of it, so that the boxes of a list are in one line.
    pub fn outer(&self) -> Point {
        if self.labels.is_empty() {
            return self.size;
        }
        if self.is_beside {
            return (self.size.0 + 2.0 * (self.label_width() + LEAD), self.size.1);
        }
        (
            self.size.0.max(self.label_width()),
            self.size.1 + 2.0 * (PILL + LEAD),
        )
    }

    /// The width of all labels.
    fn label_width(&self) -> f64 {
        self.labels
            .iter()
            .map(|(_, width)| width + BETWEEN)
            .sum::<f64>()
            - BETWEEN
    }

    /// The left edge.
    pub fn left(&self) -> f64 {
        self.middle.0 - self.size.0 / 2.0
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.middle.0 + self.size.0 / 2.0
    }

    /// The upper edge.
    pub fn top(&self) -> f64 {
        self.middle.1 - self.size.1 / 2.0
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.middle.1 + self.size.1 / 2.0
    }

    /// The upper edge of what belongs to the box, labels included.
    pub fn crown(&self) -> f64 {
        let is_above = !self.labels.is_empty() && !self.is_beside;
        self.top() - if is_above { PILL + LEAD + 1.0 } else { 0.0 }
    }

    /// The left edge of what belongs to the box, labels included.
    pub fn flank(&self) -> f64 {
        match (self.labels.is_empty(), self.is_beside) {
            (true, _) => self.left(),
            (false, true) => self.left() - self.label_width() - LEAD,
            (false, false) => self.left().min(self.middle.0 - self.label_width() / 2.0),
        }
    }

    /// The middle of a row.
    pub fn row(&self, place: usize) -> f64 {
        let above: f64 = (0..place).map(|_| ROW).sum();
        self.top() + HEADER + above + ROW / 2.0
    }

    /// Paints the box and its labels.
    pub fn paint(&self, paint: &mut Paint, graph: &Graph<'_>, changes: &Changes) {
        let node = graph.node(self.node);
        let state = match (changes.node(self.node), node.is_freed) {
            (true, true) => " freed changed",
            (true, false) => " changed",
            (false, true) => " freed",
            (false, false) => "",
        };
        let corner = (self.left(), self.top());
        paint.rect(corner, self.size, 6.0, &format!("box{state}"));
        paint.rect(
            (corner.0 + 1.5, corner.1 + 1.5),
            (self.size.0 - 3.0, HEADER - 2.0),
            4.5,
            &format!("top{state}"),
        );
        let (name, record) = header(node);
        let base = corner.1 + HEADER - 7.5;
        paint.text(
            (corner.0 + PAD, base),
            "start",
            if node.is_freed { "bad" } else { "name" },
            &name,
        );
        paint.text((self.right() - PAD, base), "end", "faint", &record);
        for (place, field) in graph.rows(self.node).iter().enumerate() {
            let middle = self.row(place);
            let is_changed = changes.row(self.node, place);
            let (left, right) = (number(self.left() + 1.0), number(self.right() - 1.0));
            if is_changed {
                let size = (self.size.0 - 3.0, ROW - 1.0);
                paint.rect(
                    (self.left() + 1.5, middle - ROW / 2.0 + 0.5),
                    size,
                    2.0,
                    "row changed",
                );
            }
            if place > 0 {
                paint.path(
                    &format!("M{left} {}H{right}", number(middle - ROW / 2.0)),
                    "rule",
                    None,
                );
            }
            let class = |class| if is_changed { "new" } else { class };
            paint.text(
                (self.left() + PAD, middle + 4.5),
                "start",
                class("text"),
                &field.name,
            );
            let end = (self.right() - PAD, middle + 4.5);
            match &field.held {
                Held::Value(Value::Null) => {
                    let class = if is_changed {
                        "ground changed"
                    } else {
                        "ground"
                    };
                    paint.ground((self.right() - PAD, middle), class);
                }
                Held::Value(Value::Node(id)) if graph.target(Value::Node(*id)).is_none() => {
                    paint.text(end, "end", class("bad"), &format!("→ {id}"));
                }
                Held::Value(Value::Node(id)) => {
                    paint.text(end, "end", class("faint"), &id.to_string());
                }
                Held::Value(Value::Number(value)) => {
                    paint.text(end, "end", class("text"), &value.to_string());
                }
                Held::Value(Value::Unknown) => paint.text(end, "end", class("bad"), "?"),
                Held::Array(text) => paint.text(end, "end", class("text"), text),
            }
        }
        self.paint_labels(paint, graph, changes);
    }

    /// Paints the labels, each with an arrow to the box or to the label that is nearer to it.
    fn paint_labels(&self, paint: &mut Paint, graph: &Graph<'_>, changes: &Changes) {
        let (mut left, top) = if self.is_beside {
            (
                self.left() - LEAD - self.label_width(),
                self.top() + (HEADER - PILL) / 2.0,
            )
        } else {
            let first = self.labels.first().map_or(0.0, |label| label.1);
            // A single label is above the name of the node; several are above the middle.
            let left = if self.labels.len() == 1 && first <= self.size.0 {
                self.left()
            } else {
                self.middle.0 - self.label_width() / 2.0
            };
            (left, self.top() - LEAD - PILL)
        };
        for (place, &(variable, width)) in self.labels.iter().enumerate() {
            let is_changed = changes.variable(variable);
            let (class, line, tip) = if is_changed {
                ("pill changed", "line var changed", "tip-changed")
            } else {
                ("pill", "line var", "tip-var")
            };
            let is_last = place + 1 == self.labels.len();
            let path = if self.is_beside {
                let reach = if is_last { LEAD } else { BETWEEN };
                format!(
                    "M{} {}h{}",
                    number(left + width),
                    number(top + PILL / 2.0),
                    number(reach)
                )
            } else {
                let from = left + width / 2.0;
                let to = from.clamp(self.left() + 8.0, self.right() - 8.0);
                format!(
                    "M{} {}L{} {}",
                    number(from),
                    number(top + PILL),
                    number(to),
                    number(self.top())
                )
            };
            paint.path(&path, line, (is_last || !self.is_beside).then_some(tip));
            pill(
                paint,
                (left, top),
                width,
                class,
                &graph.variables[variable].name,
            );
            left += width + BETWEEN;
        }
    }
}

/// Paints a label.
fn pill(paint: &mut Paint, at: Point, width: f64, class: &str, text: &str) {
    paint.rect(at, (width, PILL), PILL / 2.0, class);
    paint.text((at.0 + width / 2.0, at.1 + 14.5), "middle", "text", text);
}

/// The name of a node and the tag of its record.
fn header(node: &Node) -> (String, String) {
    let name = if node.is_freed {
        format!("{} freed", node.id)
    } else {
        node.id.to_string()
    };
    (name, node.record.clone())
}

/// The width that a row needs for what it holds.
fn held_width(held: &Held) -> f64 {
    match held {
        Held::Value(Value::Null) => 14.0,
        Held::Value(Value::Node(id)) => text_width(&format!("→ {id}")),
        held => text_width(&held.to_string()),
    }
}

//! Draws a memory graph as one SVG file that needs nothing else.
//!
//! The groups are laid out one by one and put below each other, after a line with the variables that point to no node.
//! At most [`MOST`] nodes are drawn; a note says how many are left out. What a box, an arrow and a colour look like is
//! left to [`super::card`], [`super::arrow`] and [`super::paint`]; where they are, to [`super::place`].

use nopol_heap::state::{State, Value};

use super::arrays::Held;
use super::arrow::{self, Look};
use super::changes::Changes;
use super::layout::Point;
use super::paint::{CHAR, Paint, STYLE, escape, number, text_width, tips};
use super::place::{Drawing, place};
use super::shape::{Graph, Group, Shape, groups};
use super::text::hidden;
use super::words::words;

/// The most nodes that are drawn.
const MOST: usize = 200;

/// The space around everything.
const BORDER: f64 = 20.0;

/// The space between parts.
const SPACE: f64 = 28.0;

/// The width at which the line of variables is broken.
const LINE: f64 = 900.0;

/// The number of letters at which other lines are broken.
const LETTERS: usize = 90;

/// The most characters of the description for those who cannot see the picture.
const DESCRIPTION: usize = 1000;

/// Draws a state as a standalone SVG file. What is different from `before` has another colour.
pub fn svg(state: &State, before: Option<&State>, title: &str) -> String {
    let mut shown = state.clone();
    shown.nodes.truncate(MOST);
    shown.hidden = shown
        .hidden
        .saturating_add(state.nodes.len() - shown.nodes.len());
    let changes = Changes::new(&shown, before);
    let graph = Graph::new(&shown);

    let mut paint = Paint::default();
    let mut size: Point = (0.0, 0.0);
    for line in lines(title) {
        paint.words((BORDER, BORDER + size.1 + 14.0), "head", &line);
        size = (
            size.0.max(line.chars().map(|_| CHAR * 1.16).sum()),
            size.1 + 22.0,
        );
    }
    let scalars = scalars(&mut paint, &graph, &changes, BORDER + size.1 + 8.0);
    size = (size.0.max(scalars.0), size.1 + scalars.1);
    for group in groups(&graph) {
        let top = BORDER + size.1 + SPACE / 2.0;
        let part = paint_group(&mut paint, &graph, &changes, &group, top);
        size = (size.0.max(part.0), size.1 + part.1 + SPACE);
    }
    let mut notes = Vec::new();
    if shown.hidden > 0 {
        notes.push((hidden(shown.hidden), "faint"));
    }
    if shown.variables.is_empty() && shown.nodes.is_empty() && shown.hidden == 0 {
        notes.push(("no variables, no nodes".to_string(), "faint"));
    }
    if shown.hidden == state.hidden {
        let missing = changes.missing();
        notes.extend(missing.map(|(what, names)| (format!("{what} {}", names.join(", ")), "new")));
    }
    for (note, class) in notes {
        for line in lines(&note) {
            size.1 += 20.0;
            size.0 = size.0.max(line.chars().map(|_| CHAR).sum());
            paint.words((BORDER, BORDER + size.1 - 4.0), class, &line);
        }
    }
    let size = (size.0.max(160.0) + 2.0 * BORDER, size.1 + 2.0 * BORDER);
    frame(&paint.into_string(), size, title, &words(&shown))
}

/// Puts the elements into a file with its size, colours and description.
fn frame(elements: &str, size: Point, title: &str, description: &str) -> String {
    let mut label: String = description.chars().take(DESCRIPTION).collect();
    if label.len() < description.len() {
        label.push('…');
    }
    let (width, height) = (number(size.0.ceil()), number(size.1.ceil()));
    let (title, label) = (escape(title), escape(&label));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heap\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n{}<rect width=\"{width}\" height=\"{height}\" class=\"back\"/>\n{elements}</svg>\n",
        tips()
    )
}

/// Paints the variables that point to no node. Gives back the size of the lines.
fn scalars(paint: &mut Paint, graph: &Graph<'_>, changes: &Changes, top: f64) -> Point {
    let (mut x, mut y, mut widest) = (0.0, 0.0, 0.0_f64);
    let places = graph.scalars();
    for &place in &places {
        let variable = &graph.variables[place];
        let text = match &variable.held {
            Held::Value(Value::Node(id)) => format!("→ {id}"),
            Held::Value(Value::Null) => String::new(),
            held => held.to_string(),
        };
        let width = text_width(&variable.name)
            + if text.is_empty() {
                14.0
            } else {
                text_width(&text)
            }
            + 38.0;
        if x > 0.0 && x + width > LINE {
            x = 0.0;
            y += 28.0;
        }
        let is_changed = changes.variable(place);
        let left = BORDER + x;
        paint.rect(
            (left, top + y),
            (width, 22.0),
            11.0,
            if is_changed { "pill changed" } else { "pill" },
        );
        paint.text(
            (left + 10.0, top + y + 15.5),
            "start",
            if is_changed { "new" } else { "text" },
            &variable.name,
        );
        let end = (left + width - 11.0, top + y + 15.5);
        match variable.held {
            Held::Value(Value::Null) => paint.ground(
                (end.0, end.1 - 4.5),
                if is_changed {
                    "ground changed"
                } else {
                    "ground"
                },
            ),
            Held::Value(Value::Number(_)) | Held::Array(_) => {
                paint.text(end, "end", "name", &text);
            }
            Held::Value(Value::Node(_) | Value::Unknown) => paint.text(end, "end", "bad", &text),
        }
        x += width + 8.0;
        widest = widest.max(x - 8.0);
    }
    if places.is_empty() {
        (0.0, 0.0)
    } else {
        (widest, y + 36.0)
    }
}

/// Lays out a group and paints it. Gives back its size.
fn paint_group(
    paint: &mut Paint,
    graph: &Graph<'_>,
    changes: &Changes,
    group: &Group,
    top: f64,
) -> Point {
    let is_down = matches!(group.shape, Shape::Tree(_));
    let Drawing {
        mut cards,
        arrows,
        size,
    } = place(graph, group);
    let corner = (BORDER, top);
    for card in &mut cards {
        card.middle = (card.middle.0 + corner.0, card.middle.1 + corner.1);
    }
    let mut width = size.0;
    for mut arrow in arrows {
        arrow.route.shift(corner);
        let (from, to) = (&cards[arrow.from], &cards[arrow.to]);
        let is_changed = changes.row(from.node, arrow.row);
        let look = Look {
            is_changed,
            is_main: arrow.is_main,
            is_down,
        };
        arrow::paint(paint, from, arrow.row, to, &arrow.route, look);
        // Arrows that bend at the right need room there.
        width = width.max(from.right().max(to.right()) + 36.0 - corner.0);
    }
    for card in &cards {
        card.paint(paint, graph, changes);
    }
    (width, size.1)
}

/// Breaks text into lines.
fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 || last + 1 + word.chars().count() <= LETTERS => {
                if last > 0 {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

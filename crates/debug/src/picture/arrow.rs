//! The arrows between the boxes of the SVG: where they begin and end, and the curves between.
//!
//! An arrow begins in the row of its field, at the side that is nearer to its end. The way between boxes comes from
//! [`super::layout`].

use super::card::Card;
use super::layout::{Point, Route};
use super::paint::{Paint, number};

/// How an arrow looks.
#[derive(Clone, Copy)]
pub struct Look {
    /// Whether its field has changed.
    pub is_changed: bool,
    /// Whether it carries the structure.
    pub is_main: bool,
    /// Whether the layers are below each other.
    pub is_down: bool,
}

/// Paints the arrow from a field of a box to a box.
pub fn paint(paint: &mut Paint, from: &Card, field: usize, to: &Card, route: &Route, look: Look) {
    let row = from.row(field);
    let (path, start) = if from.node == to.node {
        loop_path(from, row)
    } else if look.is_down {
        down_path(from, row, to, route)
    } else {
        across_path(from, row, to, route)
    };
    let class = match (look.is_main, look.is_changed) {
        (true, false) => "line",
        (true, true) => "line changed",
        (false, false) => "line side",
        (false, true) => "line side changed",
    };
    paint.path(
        &path,
        class,
        Some(if look.is_changed {
            "tip-changed"
        } else {
            "tip"
        }),
    );
    paint.dot(
        start,
        if look.is_changed {
            "dot changed"
        } else {
            "dot"
        },
    );
}

/// An arrow from a box to itself: out at the right, and back into the header.
fn loop_path(card: &Card, row: f64) -> (String, Point) {
    let (x, end) = (card.right(), card.top() + 12.0);
    let reach = x + 34.0;
    let path = format!(
        "M{} {}{}",
        number(x),
        number(row),
        cubic((reach, row + 6.0), (reach, end - 6.0), (x, end))
    );
    (path, (x, row))
}

/// An arrow where the layers are from left to right.
fn across_path(from: &Card, row: f64, to: &Card, route: &Route) -> (String, Point) {
    match *route {
        Route::Around {
            right,
            line,
            left,
            is_back,
        } => {
            let height = entry(to, row - from.middle.1 + to.middle.1);
            let (start, end, near, far) = if is_back {
                ((from.left(), row), (to.right(), height), left, right)
            } else {
                ((from.right(), row), (to.left(), height), right, left)
            };
            let corners = [(near, row), (near, line), (far, line), (far, height)];
            return (rounded(start, &corners, end), start);
        }
        Route::Under { out, line, aside } => {
            let start = (if out < 0.0 { from.left() } else { from.right() }, row);
            let end = (to.middle.0 + aside, to.bottom());
            let corners = [(start.0 + out, row), (start.0 + out, line), (end.0, line)];
            return (rounded(start, &corners, end), start);
        }
        Route::Curve(_) => {}
    }
    let points: &[Point] = match route {
        Route::Curve(points) => points,
        Route::Around { .. } | Route::Under { .. } => &[],
    };
    let (is_right, is_left) = (to.left() >= from.right(), to.right() <= from.left());
    if !is_right && !is_left {
        // The boxes are above each other: out at the right and in at the right.
        let start = (from.right(), row);
        let end = (to.right(), entry(to, row));
        let reach = start.0.max(end.0) + 40.0;
        return (
            format!(
                "{}{}",
                begin(start),
                cubic((reach, start.1), (reach, end.1), end)
            ),
            start,
        );
    }
    let (start, target) = if is_right {
        (from.right(), to.left())
    } else {
        (from.left(), to.right())
    };
    let end = (
        target,
        entry(to, points.last().map_or(row, |point| point.1)),
    );
    let mut path = begin((start, row));
    let mut here = (start, row);
    for &next in points.iter().chain([&end]) {
        let half = (next.0 - here.0) / 2.0;
        path.push_str(&cubic(
            (here.0 + half, here.1),
            (next.0 - half, next.1),
            next,
        ));
        here = next;
    }
    (path, (start, row))
}

/// An arrow where the layers are below each other: out at a side, and in from above or from below.
fn down_path(from: &Card, row: f64, to: &Card, route: &Route) -> (String, Point) {
    let points: &[Point] = match route {
        Route::Curve(points) => points,
        Route::Around { .. } | Route::Under { .. } => &[],
    };
    let toward = points.first().map_or(to.middle.0, |point| point.0);
    let is_left = toward < from.middle.0;
    let start = (if is_left { from.left() } else { from.right() }, row);
    let is_below = to.top() > from.bottom();
    let is_above = to.bottom() < from.top();
    if !is_below && !is_above {
        // In the same layer: straight across, or around from the nearer side.
        let end = (if is_left { to.right() } else { to.left() }, entry(to, row));
        let half = (end.0 - start.0) / 2.0;
        return (
            format!(
                "{}{}",
                begin(start),
                cubic((start.0 + half, start.1), (end.0 - half, end.1), end)
            ),
            start,
        );
    }
    let side = if is_left { -1.0 } else { 1.0 };
    let end = if is_above {
        // What comes back up ends beside the middle, away from what leads down.
        let aside = (from.middle.0 - to.middle.0).clamp(-to.size.0 / 6.0, to.size.0 / 6.0);
        (to.middle.0 + aside, to.bottom())
    } else if points.is_empty() && from.left() < to.middle.0 && to.middle.0 < from.right() {
        // A box that is right below is entered at the side where the arrow comes down.
        (
            (start.0 + side * 12.0).clamp(to.left() + 12.0, to.right() - 12.0),
            to.top(),
        )
    } else {
        (to.middle.0, to.top())
    };
    let mut path = begin(start);
    let mut here = start;
    for (place, &next) in points.iter().chain([&end]).enumerate() {
        let half = (next.1 - here.1) / 2.0;
        let out = (
            here.0 + side * 24.0f64.max((next.0 - here.0).abs() * 0.8),
            here.1,
        );
        let leave = if place == 0 {
            out
        } else {
            (here.0, here.1 + half)
        };
        path.push_str(&cubic(leave, (next.0, next.1 - half), next));
        here = next;
    }
    (path, start)
}

/// Where an arrow enters a box at its side: as near to a height as the box allows.
pub fn entry(card: &Card, height: f64) -> f64 {
    height.clamp(card.top() + 11.0, card.bottom() - 8.0)
}

/// The beginning of a path.
fn begin(at: Point) -> String {
    format!("M{} {}", number(at.0), number(at.1))
}

/// A curve with its two handles and its end.
fn cubic(first: Point, second: Point, end: Point) -> String {
    let [a, b, c, d, e, f] = [first.0, first.1, second.0, second.1, end.0, end.1].map(number);
    format!("C{a} {b} {c} {d} {e} {f}")
}

/// Straight lines with rounded corners.
fn rounded(start: Point, corners: &[Point], end: Point) -> String {
    let mut path = begin(start);
    let mut here = start;
    for (place, &corner) in corners.iter().enumerate() {
        let next = corners.get(place + 1).copied().unwrap_or(end);
        let before = toward(corner, here);
        let after = toward(corner, next);
        let [a, b, c, d, e, f] =
            [before.0, before.1, corner.0, corner.1, after.0, after.1].map(number);
        path.push_str(&format!("L{a} {b}Q{c} {d} {e} {f}"));
        here = corner;
    }
    path.push_str(&format!("L{} {}", number(end.0), number(end.1)));
    path
}

/// A point near another, on the way to a third.
fn toward(from: Point, to: Point) -> Point {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y);
    if length < 0.1 {
        return from;
    }
    let part = (length / 2.0).min(8.0) / length;
    (from.0 + x * part, from.1 + y * part)
}

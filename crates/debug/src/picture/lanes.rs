//! Ways below the boxes of the SVG, for arrows that would otherwise cross boxes.
//!
//! Each row of boxes gets as many lanes below it as it needs, and the rows below move down. Arrows that can go
//! straight, or have a way from the layout, keep it.

use super::arrow::entry;
use super::card::Card;
use super::layout::Route;
use super::place::Arrow;

/// The space between two lanes.
const LANE: f64 = 8.0;

/// The space between a row and its first lane.
const FIRST: f64 = 14.0;

/// The greatest distance of neighbours.
const NEAR: f64 = 200.0;

/// A row of boxes that are beside each other.
struct Row {
    top: f64,
    bottom: f64,
    /// What is taken on each lane, from left to right.
    lanes: Vec<Vec<(f64, f64)>>,
}

/// Gives lanes to the arrows that need one, and makes room for them.
pub fn assign(cards: &mut [Card], arrows: &mut [Arrow]) {
    let mut rows = rows(cards);
    let mut leaving = vec![0.0; cards.len()];
    let mut coming = vec![0.0; cards.len()];
    let needing: Vec<usize> = (0..arrows.len())
        .filter(|&place| needs_lane(cards, arrows, place))
        .collect();
    let mut chosen = Vec::new();
    for &place in &needing {
        let is_left = leaves_left(cards, arrows, place);
        let arrow = &mut arrows[place];
        let (from, to) = (&cards[arrow.from], &cards[arrow.to]);
        let distance = 14.0 + (6.0 * leaving[arrow.from]) % 30.0;
        let out = if is_left { -distance } else { distance };
        let aside = (8.0 * coming[arrow.to]) % (to.size.0 / 2.0 - 8.0).max(8.0);
        leaving[arrow.from] += 1.0;
        coming[arrow.to] += 1.0;
        let ends = (
            if is_left { from.left() } else { from.right() } + out,
            to.middle.0 + aside,
        );
        let extent = (ends.0.min(ends.1) - 4.0, ends.0.max(ends.1) + 4.0);
        let Some(number) = rows
            .iter()
            .position(|row| row.top <= to.middle.1 && to.middle.1 <= row.bottom)
        else {
            continue;
        };
        let lane = free_lane(&mut rows[number], extent);
        let depth: f64 = FIRST + (0..lane).map(|_| LANE).sum::<f64>();
        arrow.route = Route::Under {
            out,
            line: rows[number].bottom + depth,
            aside,
        };
        chosen.push(place);
    }
    move_down(cards, arrows, &rows, &chosen);
}

/// The first lane of a row on which an extent is free. It is taken.
fn free_lane(row: &mut Row, extent: (f64, f64)) -> usize {
    let free = row.lanes.iter().position(|lane| {
        lane.iter()
            .all(|taken| taken.1 < extent.0 || extent.1 < taken.0)
    });
    let number = free.unwrap_or(row.lanes.len());
    match row.lanes.get_mut(number) {
        Some(lane) => lane.push(extent),
        None => row.lanes.push(vec![extent]),
    }
    number
}

/// Makes room below each row for its lanes.
fn move_down(cards: &mut [Card], arrows: &mut [Arrow], rows: &[Row], on_lanes: &[usize]) {
    let by = |y: f64| -> f64 {
        let above = rows.iter().filter(|row| row.bottom < y);
        above.flat_map(|row| &row.lanes).map(|_| LANE).sum()
    };
    for (place, arrow) in arrows.iter_mut().enumerate() {
        match &mut arrow.route {
            Route::Curve(points) => points.iter_mut().for_each(|point| point.1 += by(point.1)),
            Route::Around { line, .. } => *line += by(*line),
            // A lane moves with the row that it is below.
            Route::Under { line, .. } if on_lanes.contains(&place) => {
                *line += by(cards[arrow.to].middle.1);
            }
            Route::Under { .. } => {}
        }
    }
    for card in cards.iter_mut() {
        card.middle.1 += by(card.middle.1);
    }
}

/// The rows, from above to below. Boxes that are partly beside each other are in one row.
fn rows(cards: &[Card]) -> Vec<Row> {
    let mut extents: Vec<(f64, f64)> = cards
        .iter()
        .map(|card| (card.top(), card.bottom()))
        .collect();
    extents.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut rows: Vec<Row> = Vec::new();
    for (top, bottom) in extents {
        match rows.last_mut() {
            Some(row) if top <= row.bottom => row.bottom = row.bottom.max(bottom),
            _ => rows.push(Row {
                top,
                bottom,
                lanes: Vec::new(),
            }),
        }
    }
    rows
}

/// Whether an arrow leads back, or across boxes, and has no way around them.
fn needs_lane(cards: &[Card], arrows: &[Arrow], place: usize) -> bool {
    let arrow = &arrows[place];
    let (from, to) = (&cards[arrow.from], &cards[arrow.to]);
    let Route::Curve(points) = &arrow.route else {
        return false;
    };
    if arrow.from == arrow.to {
        return false;
    }
    if is_ahead(from, to) {
        return points.is_empty() && is_blocked(cards, arrow);
    }
    if !is_ahead(to, from) {
        return true;
    }
    // What leads back goes straight only where no arrow begins at its end.
    let meets = |other: &Arrow| {
        let is_return = matches!(other.route, Route::Around { is_back: true, .. });
        let is_right = other.is_main || is_ahead(to, &cards[other.to]);
        other.from == arrow.to && other.row == arrow.row && is_right && !is_return
    };
    let gap = from.left() - to.right();
    let start = from.row(arrow.row);
    gap > NEAR
        || (start - entry(to, start)).abs() > 1.0
        || is_blocked(cards, arrow)
        || arrows.iter().any(meets)
}

/// Whether an arrow on a lane leaves at the left: what only leads back does, so that it does not meet what comes back,
/// unless an arrow of the same row comes from the left.
fn leaves_left(cards: &[Card], arrows: &[Arrow], place: usize) -> bool {
    let arrow = &arrows[place];
    let from = &cards[arrow.from];
    let comes = |other: &Arrow| {
        other.to == arrow.from && other.row == arrow.row && is_ahead(&cards[other.from], from)
    };
    !arrow.is_main && is_ahead(&cards[arrow.to], from) && !arrows.iter().any(comes)
}

/// Whether a box is right of another.
fn is_ahead(from: &Card, to: &Card) -> bool {
    from.right() <= to.left()
}

/// Whether there are boxes on the straight way of an arrow.
fn is_blocked(cards: &[Card], arrow: &Arrow) -> bool {
    let (from, to) = (&cards[arrow.from], &cards[arrow.to]);
    let start = from.row(arrow.row);
    let end = entry(to, start);
    let (high, low) = (start.min(end), start.max(end));
    let between = if is_ahead(to, from) {
        (to.right(), from.left())
    } else {
        (from.right(), to.left())
    };
    cards.iter().any(|card| {
        card.node != from.node
            && card.node != to.node
            && card.left() < between.1
            && card.right() > between.0
            && card.top() < low + 1.0
            && card.bottom() > high - 1.0
    })
}

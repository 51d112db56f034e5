//! Decides which boxes and arrows a group of nodes has in the SVG, and where they are.
//!
//! Lists lie in straight rows: only the links of a chain have a say in the places, and what leads elsewhere goes along
//! lanes below the boxes. Trees grow downwards, with gaps where children are missing. The places themselves come from
//! [`super::layout`] and [`super::lanes`].

use std::collections::BTreeSet;

use nopol_heap::state::Value;

use super::card::Card;
use super::lanes;
use super::layout::{Link, Point, Route, layout};
use super::shape::{Graph, Group, Shape, chains, tree_starts};

/// The greatest number of boxes for which all links are laid out; with more, only one to each box is.
const THOROUGH: usize = 40;

/// The room for a child that is missing.
const GAP: Point = (30.0, 10.0);

/// An arrow between two boxes.
pub struct Arrow {
    /// The box where it begins.
    pub from: usize,
    /// The row where it begins.
    pub row: usize,
    /// The box where it ends.
    pub to: usize,
    /// Whether it carries the structure.
    pub is_main: bool,
    /// Its way.
    pub route: Route,
}

/// The boxes and arrows of a group, from (0, 0).
pub struct Drawing {
    /// The boxes.
    pub cards: Vec<Card>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
    /// The size of the whole.
    pub size: Point,
}

/// Gives the boxes and arrows of a group their places.
pub fn place(graph: &Graph<'_>, group: &Group) -> Drawing {
    let is_down = matches!(group.shape, Shape::Tree(_));
    let order = order(graph, group);
    let mut cards: Vec<Card> = order
        .iter()
        .map(|&(node, _)| Card::new(graph, node, is_down))
        .collect();
    let mut sizes: Vec<Point> = cards.iter().map(Card::outer).collect();
    let (links, rows) = links(graph, group, &order, &mut sizes);

    let placed = layout(&sizes, &links, is_down);
    for (card, &middle) in cards.iter_mut().zip(&placed.middles) {
        card.middle = middle;
    }
    let mut arrows: Vec<Arrow> = Vec::new();
    for ((link, row), route) in links.iter().zip(rows).zip(placed.routes) {
        // A link without a row leads to a gap.
        if let Some(row) = row {
            arrows.push(Arrow {
                from: link.from,
                row,
                to: link.to,
                is_main: link.is_main,
                route,
            });
        }
    }
    if !is_down {
        lanes::assign(&mut cards, &mut arrows);
    }
    let size = trim(&mut cards, &mut arrows);
    Drawing {
        cards,
        arrows,
        size,
    }
}

/// The nodes of a group, each with the number of its chain or tree. Those of one chain follow each other.
fn order(graph: &Graph<'_>, group: &Group) -> Vec<(usize, usize)> {
    match &group.shape {
        Shape::List(along) => chains(graph, &group.members, along.as_deref())
            .into_iter()
            .enumerate()
            .flat_map(|(number, chain)| chain.nodes.into_iter().map(move |node| (node, number)))
            .collect(),
        Shape::Tree(children) => {
            let mut order = Vec::new();
            let mut met = BTreeSet::new();
            for (number, start) in tree_starts(graph, &group.members, children)
                .into_iter()
                .enumerate()
            {
                let mut todo = vec![start];
                while let Some(node) = todo.pop() {
                    if met.insert(node) {
                        order.push((node, number));
                        todo.extend(
                            children
                                .iter()
                                .rev()
                                .filter_map(|name| graph.follow(node, name)),
                        );
                    }
                }
            }
            order
        }
        Shape::Table => group.members.iter().map(|&node| (node, 0)).collect(),
    }
}

/// The links between the boxes, each with its row. Sizes are added for gaps, which have links without a row.
fn links(
    graph: &Graph<'_>,
    group: &Group,
    order: &[(usize, usize)],
    sizes: &mut Vec<Point>,
) -> (Vec<Link>, Vec<Option<usize>>) {
    let mains: &[String] = match &group.shape {
        Shape::List(along) => along.as_slice(),
        Shape::Tree(children) => children,
        Shape::Table => &[],
    };
    let (mut links, mut rows) = (Vec::new(), Vec::new());
    let mut reached = BTreeSet::new();
    for (from, &(node, chain)) in order.iter().enumerate() {
        let has_child = mains.iter().any(|name| graph.follow(node, name).is_some());
        for (place, row) in graph.rows(node).iter().enumerate() {
            let Some(value) = row.value() else { continue };
            let target = graph.target(value);
            let to = target.and_then(|target| order.iter().position(|&(node, _)| node == target));
            let is_named = mains.contains(&row.name);
            let Some(to) = to else {
                let is_gap = matches!(group.shape, Shape::Tree(_)) && is_named && has_child;
                if is_gap && !matches!(value, Value::Number(_)) {
                    links.push(Link {
                        from,
                        to: sizes.len(),
                        is_main: true,
                        is_laid: true,
                    });
                    rows.push(None);
                    sizes.push(GAP);
                }
                continue;
            };
            let is_start = to == 0 || order[to - 1].1 != order[to].1;
            // What leads from elsewhere to the start of a chain puts the chain behind it.
            let is_lead = is_start && order[to].1 != chain && reached.insert(to);
            let (is_main, is_laid) = match &group.shape {
                Shape::List(_) => (
                    is_named,
                    is_lead || is_named && !(order[to].1 == chain && to <= from),
                ),
                Shape::Tree(_) => {
                    // In a large tree that is none, only one way to each box counts.
                    let is_only = order.len() <= THOROUGH || to != from && reached.insert(to);
                    (is_named, is_lead || is_named && is_only)
                }
                Shape::Table => {
                    let is_first = to != from && reached.insert(to);
                    (is_first, is_first || order.len() <= THOROUGH)
                }
            };
            links.push(Link {
                from,
                to,
                is_main,
                is_laid,
            });
            rows.push(Some(place));
        }
    }
    (links, rows)
}

/// Moves everything up and left as far as the labels allow, and measures it.
fn trim(cards: &mut [Card], arrows: &mut [Arrow]) -> Point {
    let mut least = (f64::MAX, f64::MAX);
    let mut most = (f64::MIN, f64::MIN);
    for card in cards.iter() {
        least = (least.0.min(card.flank()), least.1.min(card.crown()));
        most = (most.0.max(card.right()), most.1.max(card.bottom()));
    }
    for arrow in arrows.iter() {
        match &arrow.route {
            Route::Curve(points) => {
                for point in points {
                    least = (least.0.min(point.0), least.1.min(point.1));
                    most = (most.0.max(point.0), most.1.max(point.1));
                }
            }
            Route::Around { right, left, .. } => {
                least.0 = least.0.min(*left);
                most.0 = most.0.max(*right);
            }
            Route::Under { out, line, .. } => {
                most.1 = most.1.max(*line);
                least.0 = least.0.min(cards[arrow.from].left() + out);
            }
        }
    }
    if cards.is_empty() {
        return (0.0, 0.0);
    }
    let by = (-least.0, -least.1);
    for card in cards.iter_mut() {
        card.middle = (card.middle.0 + by.0, card.middle.1 + by.1);
    }
    for arrow in arrows.iter_mut() {
        arrow.route.shift(by);
    }
    (most.0 - least.0, most.1 - least.1)
}

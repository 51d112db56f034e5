//! Gives the boxes of one group their places in the SVG.
//!
//! The layers and the order within them come from the crate `dagre`: left to right, or downwards for trees. What is
//! too wide is folded into several bands, as lines of text are. Sizes are in pixels. What is in the boxes, and how an
//! arrow is drawn, is left to others.

use std::collections::{BTreeMap, BTreeSet};

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir};

/// A place or a distance.
pub type Point = (f64, f64);

/// The greatest width before boxes are folded.
const WIDEST: f64 = 1400.0;

/// The space between two bands.
const GUTTER: f64 = 44.0;

/// The space beside bands, for the arrows that lead from one to the next.
const MARGIN: f64 = 34.0;

/// An arrow between two boxes.
pub struct Link {
    /// The box where it begins.
    pub from: usize,
    /// The box where it ends.
    pub to: usize,
    /// Whether it carries the structure.
    pub is_main: bool,
    /// Whether it has a say in where the boxes are.
    pub is_laid: bool,
}

/// The way of an arrow, without its ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// A curve through these points.
    Curve(Vec<Point>),
    /// From the right edge of one band around to the left edge of the next, or back: the columns right and left, and
    /// the line between the bands.
    Around {
        right: f64,
        line: f64,
        left: f64,
        is_back: bool,
    },
    /// Down beside the box where it begins, along a line below the boxes, and up into the box where it ends: how far
    /// right of the one box (or left, below zero), which line, and how far from the middle of the other box.
    Under { out: f64, line: f64, aside: f64 },
}

impl Route {
    /// Moves the way by a distance.
    pub fn shift(&mut self, by: Point) {
        match self {
            Self::Curve(points) => points
                .iter_mut()
                .for_each(|point| *point = (point.0 + by.0, point.1 + by.1)),
            Self::Around {
                right, line, left, ..
            } => {
                *right += by.0;
                *left += by.0;
                *line += by.1;
            }
            Self::Under { line, .. } => *line += by.1,
        }
    }
}

/// The places of boxes and arrows.
pub struct Layout {
    /// The middle of each box.
    pub middles: Vec<Point>,
    /// The way of each link.
    pub routes: Vec<Route>,
}

/// Lays out boxes of these sizes.
pub fn layout(sizes: &[Point], links: &[Link], is_down: bool) -> Layout {
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(GraphOptions {
        directed: true,
        multigraph: true,
        compound: false,
    });
    for (place, &(width, height)) in sizes.iter().enumerate() {
        graph.set_node(
            place.to_string(),
            Some(NodeLabel {
                width,
                height,
                ..NodeLabel::default()
            }),
        );
    }
    let chosen = chosen(links);
    for &place in &chosen {
        let link = &links[place];
        let weight = if link.is_main { 8 } else { 1 };
        let label = EdgeLabel {
            weight,
            ..EdgeLabel::default()
        };
        graph.set_edge(
            link.from.to_string(),
            link.to.to_string(),
            Some(label),
            Some(&place.to_string()),
        );
    }
    let (rankdir, ranksep) = if is_down {
        (RankDir::TB, 46.0)
    } else {
        (RankDir::LR, 64.0)
    };
    let options = LayoutOptions {
        rankdir,
        ranksep,
        nodesep: if is_down { 50.0 } else { 26.0 },
        edgesep: 14.0,
        // Of equally good orders the first keeps the order of the links, so that left children are left.
        tie_keep_first: true,
        ..LayoutOptions::default()
    };
    dagre::layout(&mut graph, Some(options));

    let middle = |place: usize| {
        let node = graph.node(&place.to_string());
        (
            node.and_then(|node| node.x).unwrap_or_default(),
            node.and_then(|node| node.y).unwrap_or_default(),
        )
    };
    let middles: Vec<Point> = (0..sizes.len()).map(middle).collect();
    let layers = layers(&middles, sizes, is_down);
    let route = |place: usize| {
        let link = &links[place];
        let name = place.to_string();
        let edge = chosen
            .contains(&place)
            .then(|| graph.edge(&link.from.to_string(), &link.to.to_string(), Some(&name)))
            .flatten();
        let points: Vec<Point> = edge
            .map(|edge| edge.points.iter().map(|p| (p.x, p.y)).collect())
            .unwrap_or_default();
        // The first and the last are on the edges of the boxes; one between them is only the middle.
        match points.len() {
            0..4 => Vec::new(),
            count => straightened(&points[1..count - 1], &layers, is_down),
        }
    };
    let routes = (0..links.len())
        .map(|place| Route::Curve(route(place)))
        .collect();
    let mut layout = Layout { middles, routes };
    if !is_down {
        fold(&mut layout, sizes, links, &layers);
    }
    layout
}

/// Chooses the links to lay out. One that goes the same way as another, or back, needs no room of its own.
fn chosen(links: &[Link]) -> BTreeSet<usize> {
    let mut pairs = BTreeSet::new();
    let mut chosen = BTreeSet::new();
    for is_main in [true, false] {
        for (place, link) in links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.is_main == is_main)
        {
            let pair = (link.from.min(link.to), link.from.max(link.to));
            if link.from != link.to && link.is_laid && pairs.insert(pair) {
                chosen.insert(place);
            }
        }
    }
    chosen
}

/// The layers, from the first to the last, with where each begins and ends.
fn layers(middles: &[Point], sizes: &[Point], is_down: bool) -> Vec<(f64, f64)> {
    let mut ends: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for (middle, size) in middles.iter().zip(sizes) {
        let (at, extent) = if is_down {
            (middle.1, size.1)
        } else {
            (middle.0, size.0)
        };
        // Layers are further apart than a pixel.
        #[expect(clippy::cast_possible_truncation, reason = "places are small numbers")]
        let layer = ends
            .entry(at.round() as i64)
            .or_insert((f64::MAX, f64::MIN));
        *layer = (
            layer.0.min(at - extent / 2.0),
            layer.1.max(at + extent / 2.0),
        );
    }
    ends.into_values().collect()
}

/// Makes a way straight where it passes through a layer, so that it does not cut the corners of boxes.
fn straightened(points: &[Point], layers: &[(f64, f64)], is_down: bool) -> Vec<Point> {
    let along = |point: Point| if is_down { point.1 } else { point.0 };
    let is_rising = match points {
        [first, .., last] => along(*last) > along(*first),
        _ => true,
    };
    let mut straight = Vec::new();
    for &point in points {
        let at = along(point);
        let Some(&(begin, end)) = layers.iter().find(|(begin, end)| *begin < at && at < *end)
        else {
            continue;
        };
        let ends = if is_rising {
            [begin, end]
        } else {
            [end, begin]
        };
        straight.extend(ends.map(|end| {
            if is_down {
                (point.0, end)
            } else {
                (end, point.1)
            }
        }));
    }
    straight
}

/// Moves layers that would be too far right into bands below.
fn fold(layout: &mut Layout, sizes: &[Point], links: &[Link], layers: &[(f64, f64)]) {
    let mut bands: Vec<(f64, f64)> = Vec::new();
    for &(begin, end) in layers {
        match bands.last_mut() {
            Some(band) if end - band.0 <= WIDEST => band.1 = end,
            _ => bands.push((begin, end)),
        }
    }
    if bands.len() < 2 {
        return;
    }
    let tops = layout
        .middles
        .iter()
        .zip(sizes)
        .map(|(middle, size)| middle.1 - size.1 / 2.0);
    let top = tops.fold(f64::MAX, f64::min);
    let bottoms = layout
        .middles
        .iter()
        .zip(sizes)
        .map(|(middle, size)| middle.1 + size.1 / 2.0);
    let step = bottoms.fold(f64::MIN, f64::max) - top + GUTTER;
    let band_of = |at: f64| {
        bands
            .iter()
            .rposition(|band| band.0 <= at)
            .unwrap_or_default()
    };
    let mut below = Vec::new();
    let mut band = 0.0;
    for &(begin, _) in &bands {
        below.push((MARGIN - begin, band * step));
        band += 1.0;
    }
    let moved = |point: Point, band: usize| (point.0 + below[band].0, point.1 + below[band].1);

    let places: Vec<usize> = layout
        .middles
        .iter()
        .map(|middle| band_of(middle.0))
        .collect();
    let right = MARGIN + bands.iter().map(|band| band.1 - band.0).fold(0.0, f64::max);
    let mut lanes = vec![0.0; bands.len()];
    let is_return = |back: &Link| {
        links
            .iter()
            .any(|link| link.is_main && link.from == back.to && link.to == back.from)
    };
    for (link, route) in links.iter().zip(&mut layout.routes) {
        let (from, to) = (places[link.from], places[link.to]);
        *route = match route {
            Route::Curve(points)
                if from == to && points.iter().all(|point| band_of(point.0) == from) =>
            {
                Route::Curve(points.iter().map(|&point| moved(point, from)).collect())
            }
            _ if to == from + 1 && link.is_main || from == to + 1 && is_return(link) => {
                let lane: f64 = lanes[from.min(to)];
                lanes[from.min(to)] = (lane + 6.0) % (MARGIN / 2.0);
                let line = top + below[from.max(to)].1 - GUTTER / 2.0 - lane;
                let (right, left) = (right + MARGIN / 2.0 - lane, MARGIN / 2.0 + lane);
                Route::Around {
                    right,
                    line,
                    left,
                    is_back: to < from,
                }
            }
            _ => Route::Curve(Vec::new()),
        };
    }
    for (middle, &band) in layout.middles.iter_mut().zip(&places) {
        *middle = moved(*middle, band);
    }
}

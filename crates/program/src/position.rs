//! Where a run is: the calls it is in and the iterations of their loops. A place is evaluated at most once at a
//! position, so the two together are one instance of it, and the interpreter and the circuits mean the same
//! instance by the same pair.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use nopol_basics::index;
use typed_index_collections::TiVec;

use super::ir::{NodeId, PlaceId};

index! {
    /// A position, in [`Positions`].
    PositionId
}

/// What leads from a position to one within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into the function called there.
    Call(NodeId),
    /// Into this iteration of a loop, counted from 0. The iteration begins with the condition, and the last one may have
    /// nothing else.
    Iteration(NodeId, u32),
}

/// One evaluation of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// The place.
    pub place: PlaceId,
    /// When.
    pub position: PositionId,
}

/// All positions met so far: a tree.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    parents: TiVec<PositionId, (PositionId, Step)>,
    children: HashMap<(PositionId, Step), PositionId, FixedState>,
}

impl Positions {
    /// Where every run begins.
    pub const ROOT: PositionId = PositionId::new(0);

    /// The position that a step leads to.
    pub fn child(&mut self, parent: PositionId, step: Step) -> PositionId {
        if self.parents.is_empty() {
            // The root's own entry is never read.
            self.parents.push((Self::ROOT, step));
        }
        let parents = &mut self.parents;
        *self
            .children
            .entry((parent, step))
            .or_insert_with(|| parents.push_and_get_key((parent, step)))
    }

    /// The step that leads to a position, and from where; none leads to the root.
    pub fn last(&self, position: PositionId) -> Option<(PositionId, Step)> {
        (position != Self::ROOT).then(|| self.parents[position])
    }

    /// The steps that lead to a position, from the root.
    pub fn steps(&self, mut position: PositionId) -> Vec<Step> {
        let mut steps = Vec::new();
        while position != Self::ROOT {
            let (parent, step) = self.parents[position];
            steps.push(step);
            position = parent;
        }
        steps.reverse();
        steps
    }

    /// The most iterations of a loop or activations of a function on the way to a position.
    pub fn rounds(&self, position: PositionId) -> u32 {
        let mut calls: HashMap<NodeId, u32> = HashMap::new();
        let rounds = self.steps(position).into_iter().map(|step| match step {
            Step::Iteration(_, number) => number + 1,
            Step::Call(node) => {
                let times = calls.entry(node).or_default();
                *times += 1;
                *times + 1
            }
        });
        rounds.max().unwrap_or(0)
    }
}

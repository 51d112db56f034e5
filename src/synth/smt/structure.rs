//! φ_WFF of papers/nopol.txt §3.4.4: which wirings are expressions of the level, and which of those
//! that mean the same is looked at.

use super::{Encoding, Location, any};
use crate::spec::ArithOp;
use crate::synth::library::{Block, Needed};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use z3::ast::Bool;

impl Encoding<'_> {
    /// φ_WFF.
    pub(super) fn phi_wff(&mut self) {
        self.phi_fixed();
        self.phi_output();
        self.phi_input();
        self.phi_cons();
        self.phi_acyc();
        self.symmetry();
        self.usage();
        self.tiers();
    }

    /// φ_FIXED (§3.4.4): an input term's location is its index, so it needs no variable. l_r is
    /// free over the boolean locations.
    fn phi_fixed(&mut self) {
        self.result = self.location(self.library.result_domain());
    }

    /// φ_OUTPUT (§3.4.4): outputs are located behind the inputs, each kind in its own slots.
    fn phi_output(&mut self) {
        for slots in &self.library.slots {
            let location = self.location(slots.clone());
            self.outputs.push(location);
        }
    }

    /// φ_INPUT (§3.4.4): an input is located where something of its type is, and a comparison's
    /// two inputs where something of the same type is.
    fn phi_input(&mut self) {
        for (index, block) in self.library.blocks.iter().enumerate() {
            let domain = self.library.domain(index);
            let inputs: Vec<_> = (0..block.arity())
                .map(|_| self.location(domain.clone()))
                .collect();
            let mut operator = None;
            if *block == Block::Cmp {
                let (order, second) = (self.boolean(), self.boolean());
                let mut types: Vec<_> = domain
                    .iter()
                    .map(|place| self.library.type_at(*place))
                    .collect();
                types.dedup();
                types.sort();
                types.dedup();
                for ty in types {
                    let [a, b] = [&inputs[0], &inputs[1]]
                        .map(|input| input.among(|place| self.library.type_at(place) == ty));
                    self.solver.assert(a.iff(&b));
                    if !ty.ordered() {
                        self.solver.assert(a.implies(order.not()));
                    }
                }
                operator = Some((order, second));
            }
            self.inputs.push(inputs);
            self.operators.push(operator);
        }
    }

    /// φ_CONS (§3.4.4): no two outputs share a location.
    fn phi_cons(&self) {
        for (index, a) in self.outputs.iter().enumerate() {
            for b in &self.outputs[..index] {
                for (place, at) in &a.at {
                    self.solver.assert(at.implies(b.at(*place).not()));
                }
            }
        }
    }

    /// φ_ACYC (§3.4.4): inputs are located before the output.
    fn phi_acyc(&self) {
        for (inputs, output) in self.inputs.iter().zip(&self.outputs) {
            for (slot, at) in &output.at {
                for input in inputs {
                    self.solver
                        .assert(at.implies(input.among(|place| place < *slot)));
                }
            }
        }
    }

    /// Of expressions that mean the same by their form, all but one are excluded. `&&` and `||`
    /// stay ordered where something may be undefined, for there the left one guards.
    fn symmetry(&mut self) {
        let table = self.library.table;
        let total = self
            .library
            .inputs
            .iter()
            .all(|term| !table.is_partial(*term))
            && !self
                .library
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Arith(..)));
        let library = self.library;
        for (index, block) in library.blocks.iter().enumerate() {
            let inputs = &self.inputs[index];
            match block {
                Block::Not => {}
                Block::And | Block::Or => {
                    self.before(&inputs[0], &inputs[1], total, false, None);
                }
                Block::Arith(op, _) => {
                    if *op == ArithOp::Add {
                        self.before(&inputs[0], &inputs[1], true, true, None);
                    }
                    self.one_literal(inputs);
                }
                Block::Cmp => {
                    self.before(&inputs[0], &inputs[1], false, false, None);
                    if let Some((order, _)) = &self.operators[index] {
                        self.before(&inputs[0], &inputs[1], true, false, Some(&order.not()));
                    }
                    self.one_literal(inputs);
                }
            }
            if index > 0 && *block == Block::Cmp && library.blocks[index - 1] == Block::Cmp {
                self.before(&self.inputs[index - 1][0], &inputs[0], true, true, None);
            }
        }
    }

    /// Locations differ (unless `equal`), and `a` is the smaller one if `ordered`; all of this only
    /// under the condition, if there is one.
    fn before(&self, a: &Location, b: &Location, ordered: bool, equal: bool, when: Option<&Bool>) {
        for (place, at) in &b.at {
            let allowed = a.among(|other| match other.cmp(place) {
                Ordering::Less => true,
                Ordering::Equal => equal,
                Ordering::Greater => !ordered,
            });
            let rule = at.implies(&allowed);
            self.solver.assert(match when {
                Some(when) => when.implies(&rule),
                None => rule,
            });
        }
    }

    fn one_literal(&self, inputs: &[Location]) {
        let [a, b] = [&inputs[0], &inputs[1]]
            .map(|input| input.among(|place| self.library.is_constant(place)));
        self.solver.assert(Bool::or(&[a.not(), b.not()]));
    }

    /// The blocks that the level is about contribute to the result.
    fn usage(&mut self) {
        let used: Vec<Bool> = (0..self.library.blocks.len())
            .map(|_| self.boolean())
            .collect();
        for (block, is_used) in used.iter().enumerate() {
            let mut users = vec![self.connected(&self.result, block)];
            for (user, inputs) in self.inputs.iter().enumerate() {
                for input in inputs {
                    let connected = self.connected(input, block);
                    users.push(Bool::and(&[used[user].clone(), connected]));
                }
            }
            self.solver.assert(is_used.iff(any(users)));
        }
        match &self.library.needed {
            Needed::All(blocks) => {
                for block in blocks {
                    self.solver.assert(&used[*block]);
                }
            }
            Needed::Any(blocks) => {
                self.solver
                    .assert(any(blocks.iter().map(|block| used[*block].clone())));
            }
        }
    }

    fn tiers(&mut self) {
        for tier in 0..2 {
            let assumption = self.boolean();
            for input in self.inputs.iter().flatten().chain([&self.result]) {
                for (place, at) in &input.at {
                    if self.library.tier(*place) > tier {
                        self.solver.assert(assumption.implies(at.not()));
                    }
                }
            }
            self.tiers.push(assumption);
        }
    }

    fn location(&mut self, domain: Vec<usize>) -> Location {
        let at: BTreeMap<usize, Bool> = domain
            .into_iter()
            .map(|place| (place, self.boolean()))
            .collect();
        let places: Vec<Bool> = at.values().cloned().collect();
        self.solver.assert(any(places.clone()));
        let weighted: Vec<(&Bool, i32)> = places.iter().map(|place| (place, 1)).collect();
        if !weighted.is_empty() {
            self.solver.assert(Bool::pb_le(&weighted, 1));
        }
        Location { at }
    }
}

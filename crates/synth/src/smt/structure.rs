//! φ_WFF of the Nopol paper, §3.4.4: the wirings that are expressions of the level, one for each set of
//! wirings that are equivalent by their form.

use super::library::Block;
use super::{Encoding, Location, all, any};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use z3::ast::Bool;

impl Encoding<'_> {
    /// φ_WFF. Outputs have fixed places (φ_OUTPUT, φ_CONS), and the domains of inputs have only places before
    /// their block's output (φ_ACYC).
    pub(super) fn phi_wff(&mut self) {
        self.phi_fixed();
        self.phi_input();
        self.symmetry();
        self.usage();
        self.tiers();
    }

    /// φ_FIXED (§3.4.4): an input term's location is its index, so it needs no variable. l_r is
    /// the last block's output, or free over the booleans.
    fn phi_fixed(&mut self) {
        self.result = self.location(self.library.result_domain());
        self.negated = self.boolean();
        self.phi_negation(&self.result, &self.negated);
    }

    /// φ_INPUT (§3.4.4): an input is at a location of its type, and the two inputs of a comparison are at
    /// locations of one type.
    fn phi_input(&mut self) {
        let library = self.library;
        for (index, block) in library.blocks.iter().enumerate() {
            let domain = library.domain(index);
            let inputs = [0, 1].map(|_| self.location(domain.clone()));
            let choices: Vec<_> = (0..block.choices()).map(|_| self.boolean()).collect();
            match block {
                Block::Sum(_) => {}
                Block::Cmp => {
                    let mut types: Vec<_> =
                        domain.iter().map(|place| library.type_at(*place)).collect();
                    types.sort();
                    types.dedup();
                    for ty in types {
                        let [a, b] = [&inputs[0], &inputs[1]]
                            .map(|input| input.among(|place| library.type_at(place) == ty));
                        self.solver.assert(a.iff(&b));
                        if !ty.ordered() {
                            self.solver.assert(a.implies(choices[0].not()));
                        }
                    }
                }
                Block::Junction => {
                    for (input, negated) in inputs.iter().zip(&choices[1..]) {
                        self.phi_negation(input, negated);
                    }
                }
            }
            self.inputs.push(inputs);
            self.choices.push(choices);
        }
    }

    fn phi_negation(&self, location: &Location, negated: &Bool) {
        let useful = location.among(|place| self.library.may_be_negated(place));
        self.solver.assert(negated.implies(useful));
    }

    /// Symmetry breaking: excludes all but one of the expressions that are equivalent by their form. The operands
    /// of `&&` and `||` keep their order if one may be undefined, because the left operand is then a guard.
    fn symmetry(&self) {
        let library = self.library;
        let mut before: Option<(usize, Block)> = None;
        for (index, block) in library.blocks.iter().enumerate() {
            let [a, b] = &self.inputs[index];
            let choices = &self.choices[index];
            match block {
                Block::Junction => {
                    self.before(a, b, false, false, None);
                    let partial = any([a, b].map(|input| self.partial(input)));
                    self.before(a, b, true, false, Some(&partial.not()));
                }
                Block::Sum(_) => {
                    self.before(a, b, true, true, Some(&choices[0].not()));
                    self.before(a, b, false, false, Some(&choices[0]));
                    self.one_literal(a, b);
                }
                Block::Cmp => {
                    self.before(a, b, false, false, None);
                    self.before(a, b, true, false, Some(&choices[0].not()));
                    self.one_literal(a, b);
                }
            }
            // Two blocks of a kind are in the order of their inputs, unless they are nested.
            if let Some((other, Block::Cmp)) = before
                && *block == Block::Cmp
            {
                self.before(&self.inputs[other][0], a, true, true, None);
            }
            before = Some((index, *block));
        }
    }

    /// Whether the value at the location may be undefined.
    fn partial(&self, location: &Location) -> Bool {
        let library = self.library;
        any(location.at.iter().filter_map(|(place, at)| {
            let Some(block) = library.block_at(*place) else {
                return library.inputs[*place].is_partial.then(|| at.clone());
            };
            Some(match library.blocks[block] {
                Block::Sum(_) => at.clone(),
                _ => {
                    let parts = self.inputs[block].iter().map(|input| self.partial(input));
                    all([at.clone(), any(parts)])
                }
            })
        }))
    }

    /// Requires that locations differ (unless `equal`) and that `a` is the smaller one if `ordered`, under the
    /// condition if there is one.
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

    fn one_literal(&self, a: &Location, b: &Location) {
        let [a, b] = [a, b].map(|input| input.among(|place| self.library.is_literal(place)));
        self.solver.assert(any([a.not(), b.not()]));
    }

    /// Requires that the level's blocks contribute to the result: each is an input of a later one, and the last
    /// is the result.
    fn usage(&self) {
        for block in &self.library.needed {
            let output = self.library.output(*block);
            let later = self.inputs[block + 1..].iter().flatten();
            let users = later.chain([&self.result]);
            self.solver.assert(any(users.map(|input| input.at(output))));
        }
    }

    fn tiers(&mut self) {
        for tier in 0..2 {
            let assumption = self.boolean();
            for input in self.inputs.iter().flatten().chain([&self.result]) {
                for (place, at) in &input.at {
                    let of_place = self
                        .library
                        .inputs
                        .get(*place)
                        .map_or(0, |input| input.tier);
                    if of_place > tier {
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

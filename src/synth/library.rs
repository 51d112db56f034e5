//! Levels (papers/nopol.txt §3.4.5), the building blocks of each, where their inputs and outputs
//! may be located (§3.4.3), and the way back from locations to an expression (§3.5). Free of z3.
//!
//! Locations `0..n` are the inputs I₀ (the terms, sorted by type, so that each type is a range);
//! from `n` on come the outputs of arithmetic (by type), of comparisons and of connectives. A
//! comparison is one block with its operator (`<`, `<=`, `==`, `!=`) as a further choice, instead
//! of four blocks of which three are idle; `>` and `>=` are had by symmetry.

use super::atoms;
use super::rank;
use super::table::Table;
use crate::spec::{ArithOp, CmpOp, Expr, IntType, Origin, TermId, Type};
use std::collections::BTreeSet;

/// How many blocks of each kind an expression may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub name: &'static str,
    comparisons: usize,
    negations: usize,
    conjunctions: usize,
    disjunctions: usize,
    arithmetic: bool,
}

/// The levels in the order in which they are tried.
pub(super) const LEVELS: [Level; 7] = [
    Level {
        name: "a boolean or its negation",
        comparisons: 0,
        negations: 1,
        conjunctions: 0,
        disjunctions: 0,
        arithmetic: false,
    },
    Level {
        name: "one comparison",
        comparisons: 1,
        negations: 0,
        conjunctions: 0,
        disjunctions: 0,
        arithmetic: false,
    },
    Level {
        name: "at most one comparison with !, &&, ||",
        comparisons: 1,
        negations: 1,
        conjunctions: 1,
        disjunctions: 1,
        arithmetic: false,
    },
    Level {
        name: "two comparisons with !, &&, ||",
        comparisons: 2,
        negations: 1,
        conjunctions: 1,
        disjunctions: 1,
        arithmetic: false,
    },
    Level {
        name: "one comparison with one + and one - per integer type",
        comparisons: 1,
        negations: 0,
        conjunctions: 0,
        disjunctions: 0,
        arithmetic: true,
    },
    Level {
        name: "two comparisons with !, &&, || and one + and one - per integer type",
        comparisons: 2,
        negations: 1,
        conjunctions: 1,
        disjunctions: 1,
        arithmetic: true,
    },
    Level {
        name: "three comparisons with !, two && and two ||",
        comparisons: 3,
        negations: 1,
        conjunctions: 2,
        disjunctions: 2,
        arithmetic: false,
    },
];

/// A building block (§3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Cmp,
    Not,
    And,
    Or,
    Arith(ArithOp, IntType),
}

impl Block {
    /// Number of inputs.
    pub fn arity(self) -> usize {
        match self {
            Self::Not => 1,
            _ => 2,
        }
    }
}

/// What at least one, or each, of the blocks in a list must contribute, so that a level does not
/// find again what an earlier one has.
#[derive(Clone, Debug)]
pub(super) enum Needed {
    All(Vec<usize>),
    Any(Vec<usize>),
}

/// The inputs, blocks and locations of one level.
pub(super) struct Library<'a> {
    pub table: &'a Table<'a>,
    level: Level,
    /// I₀: the term at each input location.
    pub inputs: Vec<TermId>,
    pub blocks: Vec<Block>,
    /// Where each block's output may be.
    pub slots: Vec<Vec<usize>>,
    pub needed: Needed,
    has_nan: bool,
}

impl<'a> Library<'a> {
    /// The level's library for this spec; `None` if the level adds nothing here (no comparable
    /// term, no integer).
    pub fn new(level: Level, table: &'a Table<'a>) -> Option<Self> {
        let pool = table.pool;
        let mut inputs: Vec<TermId> = (0..pool.terms.len())
            .filter(|term| !table.is_opaque(*term))
            .filter(|term| pool.terms[*term].ty != Type::Bool || !atoms::is_constant(pool, *term))
            .collect();
        // A comparison has at most one literal, so literals alone are of no use.
        let lively: BTreeSet<Type> = inputs
            .iter()
            .filter(|term| !atoms::is_constant(pool, **term))
            .map(|term| pool.terms[*term].ty)
            .collect();
        inputs.retain(|term| lively.contains(&pool.terms[*term].ty));
        inputs.sort_by_key(|term| (pool.terms[*term].ty, *term));
        let types: BTreeSet<Type> = inputs.iter().map(|term| pool.terms[*term].ty).collect();
        let comparable = types.iter().any(|ty| *ty != Type::Bool);
        if level.comparisons > 0 && !comparable || level.comparisons == 0 && inputs.is_empty() {
            return None;
        }
        let mut blocks = Vec::new();
        let mut slots = Vec::new();
        let mut place = |group: Vec<Block>, fixed: bool| {
            let start = inputs.len() + blocks.len();
            let all: Vec<usize> = (start..start + group.len()).collect();
            for (index, block) in group.into_iter().enumerate() {
                blocks.push(block);
                slots.push(if fixed {
                    vec![start + index]
                } else {
                    all.clone()
                });
            }
        };
        if level.arithmetic {
            for ty in &types {
                if let Type::Int(int) = *ty {
                    let ops = [ArithOp::Add, ArithOp::Sub];
                    place(ops.map(|op| Block::Arith(op, int)).to_vec(), false);
                }
            }
        }
        place(vec![Block::Cmp; level.comparisons], true);
        let mut connectives = vec![Block::Not; level.negations];
        connectives.extend(vec![Block::And; level.conjunctions]);
        connectives.extend(vec![Block::Or; level.disjunctions]);
        place(connectives, false);
        let select = |wanted: &dyn Fn(Block) -> bool| -> Vec<usize> {
            (0..blocks.len())
                .filter(|block| wanted(blocks[*block]))
                .collect()
        };
        let needed = if level.arithmetic {
            Needed::Any(select(&|block| matches!(block, Block::Arith(..))))
        } else if level.comparisons == 1 && level.conjunctions > 0 {
            Needed::Any(select(&|block| block != Block::Cmp))
        } else {
            Needed::All(select(&|block| block == Block::Cmp))
        };
        if matches!(&needed, Needed::Any(any) if any.is_empty()) {
            return None;
        }
        let has_nan = inputs.iter().any(|term| table.has_nan(*term));
        Some(Self {
            table,
            level,
            inputs,
            blocks,
            slots,
            needed,
            has_nan,
        })
    }

    /// Whether values must be numbers and not merely ranks.
    pub fn level_is_arithmetic(&self) -> bool {
        self.level.arithmetic
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.inputs.len() + self.blocks.len()
    }

    /// The type of what is at a location. Outputs of one type share their slots, so the slot tells.
    pub fn type_at(&self, location: usize) -> Type {
        match self.inputs.get(location) {
            Some(term) => self.table.pool.terms[*term].ty,
            None => match self.blocks[location - self.inputs.len()] {
                Block::Arith(_, int) => Type::Int(int),
                _ => Type::Bool,
            },
        }
    }

    /// Where an input of the block may be located; φ_INPUT of §3.4.4 up to the condition that a
    /// comparison's two inputs are of one type.
    pub fn domain(&self, block: usize) -> Vec<usize> {
        // Without NaN the operators of comparisons negate each other, and where no two `&&` are
        // at hand a comparison and its negation in one expression can be had with fewer blocks.
        let both = self.has_nan || self.level.conjunctions > 1;
        let fits = |location: &usize| {
            let ty = self.type_at(*location);
            match self.blocks[block] {
                Block::Cmp => ty != Type::Bool,
                Block::Not => ty == Type::Bool && (both || !self.is_comparison(*location)),
                Block::And | Block::Or => ty == Type::Bool,
                Block::Arith(_, int) => ty == Type::Int(int),
            }
        };
        let last = self.slots[block].iter().max().copied().unwrap_or(0);
        (0..last).filter(fits).collect()
    }

    fn is_comparison(&self, location: usize) -> bool {
        let block = location.checked_sub(self.inputs.len());
        block.is_some_and(|block| self.blocks[block] == Block::Cmp)
    }

    /// Where the result may be: at any boolean location, a bare variable included.
    pub fn result_domain(&self) -> Vec<usize> {
        (0..self.locations())
            .filter(|at| self.type_at(*at) == Type::Bool)
            .collect()
    }

    /// Whether a location holds a literal.
    pub fn is_constant(&self, location: usize) -> bool {
        let term = self.inputs.get(location);
        term.is_some_and(|term| atoms::is_constant(self.table.pool, *term))
    }

    /// How readily a location is used: 0 for outputs, operands of the old condition and the
    /// simplest constants, 1 for whatever is in scope, 2 for literals from elsewhere.
    pub fn tier(&self, location: usize) -> u32 {
        let Some(term) = self.inputs.get(location) else {
            return 0;
        };
        match self.table.pool.terms[*term].origin {
            Origin::Old => 0,
            Origin::Constant if rank::term_cost(*term, self.table.pool) == 2 => 0,
            Origin::Variable | Origin::Field | Origin::Query | Origin::Constant => 1,
            _ => 2,
        }
    }
}

/// An assignment of the location variables: the structure of an expression.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    /// Location of each input of each block.
    pub inputs: Vec<Vec<usize>>,
    /// Location of each block's output.
    pub outputs: Vec<usize>,
    /// Each block's operator, where it is a comparison.
    pub operators: Vec<Option<CmpOp>>,
    /// Location of the result.
    pub result: usize,
}

impl Wiring {
    /// The block whose output is at a location; `None` for an input.
    pub fn block_at(&self, location: usize) -> Option<usize> {
        self.outputs.iter().position(|output| *output == location)
    }

    /// The blocks that contribute to the result.
    pub fn used(&self) -> BTreeSet<usize> {
        let mut used = BTreeSet::new();
        let mut open = vec![self.result];
        while let Some(location) = open.pop() {
            if let Some(block) = self.block_at(location)
                && used.insert(block)
            {
                open.extend(&self.inputs[block]);
            }
        }
        used
    }

    /// The expression, by backward traversal from the result (§3.5). Blocks that are wired but
    /// not connected to the result are left behind.
    pub fn expr(&self, library: &Library) -> Expr {
        self.expr_at(self.result, library)
    }

    fn expr_at(&self, location: usize, library: &Library) -> Expr {
        let Some(block) = self.block_at(location) else {
            return Expr::Term(library.inputs[location]);
        };
        let operand = |index: usize| self.expr_at(self.inputs[block][index], library);
        match library.blocks[block] {
            Block::Not => operand(0).not(),
            Block::And => operand(0).and(operand(1)),
            Block::Or => operand(0).or(operand(1)),
            Block::Arith(op, _) => operand(0).arith(op, operand(1)),
            Block::Cmp => {
                let op = self.operators[block].unwrap_or(CmpOp::Eq);
                match library.is_constant(self.inputs[block][0]) {
                    true => operand(1).cmp(op.mirrored(), operand(0)),
                    false => operand(0).cmp(op, operand(1)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Binding, Int, Pool, Row, Spec, Term, Value};

    #[test]
    fn blocks_that_are_wired_but_not_connected_are_left_behind() {
        // papers/nopol.txt §3.5: the result is the comparison's output, the negation is idle.
        let i32 = Type::Int(IntType::I32);
        let value = Some(Value::Int(IntType::I32, Int::from_i128(3)));
        let terms = ["a", "b"].map(|text| Term {
            text: text.to_owned(),
            ty: i32,
            origin: Origin::Variable,
            binding: Binding::Atom,
            constant: None,
            negation: None,
            seen_in: Vec::new(),
        });
        let pool = Pool {
            terms: terms.to_vec(),
        };
        let row = Row {
            values: vec![value.clone(), value],
            expected: true,
            hard: true,
            weight: 1,
        };
        let spec = Spec {
            rows: vec![row],
            ..Spec::default()
        };
        let table = Table::new(&spec, &pool);
        let Some(library) = Library::new(LEVELS[2], &table) else {
            panic!("the level applies");
        };
        assert_eq!(
            library.blocks,
            [Block::Cmp, Block::Not, Block::And, Block::Or]
        );
        assert_eq!(library.slots[0], [2]);
        assert_eq!(library.slots[1], [3, 4, 5]);
        let wiring = Wiring {
            inputs: vec![vec![0, 1], vec![5], vec![2, 5], vec![2, 4]],
            outputs: vec![2, 3, 4, 5],
            operators: vec![Some(CmpOp::Le), None, None, None],
            result: 2,
        };
        assert_eq!(
            wiring.expr(&library),
            Expr::Term(0).cmp(CmpOp::Le, Expr::Term(1))
        );
        assert_eq!(wiring.used(), BTreeSet::from([0]));
    }
}

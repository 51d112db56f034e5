//! Levels (the Nopol paper, §3.4.5), the building blocks of each, where their inputs may be located
//! (§3.4.3), and the way back from locations to an expression (§3.5). Free of z3.
//!
//! Locations `0..n` are the inputs I₀: the terms, sorted by type, so that each type is a range, and
//! with the booleans the original condition and its boolean parts, so that `old && X` is one connective
//! and one clause, however large `old` is. From `n` on comes one output per block.
//!
//! A block represents all operators of its kind, and its operator is a further choice: one comparison (`<`, `<=`,
//! `==`, `!=`; `>` and `>=` follow by symmetry) instead of four, three of them unused; one connective instead of
//! `&&` and `||`; one sum instead of `+` and `-`. A negation is a choice of a connective's input rather than a
//! block. So every block of a level has a fixed place, and no two blocks need to be ordered.

use std::collections::BTreeSet;

use nopol_expr::{ArithOp, CmpOp, Expr, Int, IntType, Origin, TermId, Type, Value};

use crate::atoms;
use crate::rank;
use crate::table::Table;

/// Number of blocks of each kind in an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    name: &'static str,
    /// Maximum number; the exact number if the other blocks need all of them.
    pub comparisons: usize,
    pub connectives: usize,
    pub sums: usize,
    /// The type of the sums.
    integer: Option<IntType>,
}

const fn level(name: &'static str, comparisons: usize, connectives: usize, sums: usize) -> Level {
    Level {
        name,
        comparisons,
        connectives,
        sums,
        integer: None,
    }
}

/// The levels tried, in order.
const SHAPES: [Level; 10] = [
    level("a boolean or its negation", 0, 0, 0),
    level("one comparison", 1, 0, 0),
    level("two clauses, at most one a comparison", 1, 1, 0),
    level("two comparisons", 2, 1, 0),
    level("one comparison with one sum", 1, 0, 1),
    level("three clauses, at most two of them comparisons", 2, 2, 0),
    level("two clauses, one a comparison with a sum", 1, 1, 1),
    level("two comparisons with one sum", 2, 1, 1),
    level("three comparisons", 3, 2, 0),
    level("one comparison with two sums", 1, 0, 2),
];

/// The levels in the order in which they are tried: those with sums for each integer type.
pub(crate) fn levels(table: &Table) -> Vec<Level> {
    let terms = table.pool.terms.iter();
    let integers: BTreeSet<IntType> = terms
        .filter_map(|term| match term.ty {
            Type::Int(int) => Some(int),
            _ => None,
        })
        .collect();
    let typed = |shape: Level| {
        let integers: Vec<_> = match shape.sums {
            0 => vec![None],
            _ => integers.iter().copied().map(Some).collect(),
        };
        let typed = integers.into_iter();
        typed.map(move |integer| Level { integer, ..shape })
    };
    SHAPES.into_iter().flat_map(typed).collect()
}

impl Level {
    /// The level in words.
    pub fn name(&self) -> String {
        match self.integer {
            Some(int) => format!("{} of {}", self.name, int.name()),
            None => self.name.to_owned(),
        }
    }

    /// Whether each comparison is needed for the clauses to suffice.
    pub fn needs_comparisons(&self) -> bool {
        self.sums > 0 || self.comparisons > self.connectives
    }
}

/// A building block (§3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// `+` or `-`; choices: is it `-`?
    Sum(IntType),
    /// Choices: is it `<`/`<=` rather than `==`/`!=`? Is it the second of the two?
    Cmp,
    /// `&&` or `||`; choices: is it `||`? Is the first, is the second input negated?
    Junction,
}

impl Block {
    /// Number of choices.
    pub fn choices(self) -> usize {
        match self {
            Self::Sum(_) => 1,
            Self::Cmp => 2,
            Self::Junction => 3,
        }
    }
}

/// One of I₀.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// A term, or a boolean part of the original condition.
    pub expr: Expr,
    pub ty: Type,
    pub is_literal: bool,
    /// Whether it is undefined in some row.
    pub is_partial: bool,
    /// Order of preference: 0 for parts of the original condition and the simplest constants, 1 for terms in
    /// scope, 2 for literals from elsewhere.
    pub tier: u32,
}

/// The inputs, blocks and locations of one level.
pub(crate) struct Library<'a> {
    pub table: &'a Table<'a>,
    pub inputs: Vec<Input>,
    pub blocks: Vec<Block>,
    /// The blocks that must contribute, so that no level repeats expressions of an earlier one.
    pub needed: Vec<usize>,
    pub has_nan: bool,
}

impl<'a> Library<'a> {
    /// The level's library for this spec; `None` if the level adds nothing here (no comparable
    /// term, no integer).
    pub fn new(level: Level, table: &'a Table<'a>) -> Option<Self> {
        let mut inputs = inputs(level, table);
        let is_bool = |input: &&Input| input.ty == Type::Bool;
        let booleans = inputs.iter().filter(is_bool).count();
        let comparisons = match booleans < inputs.len() {
            true => level.comparisons,
            false if level.needs_comparisons() => return None,
            false => 0,
        };
        if booleans + comparisons <= level.connectives {
            return None;
        }
        if level.connectives == 0 && level.comparisons > 0 {
            inputs.retain(|input| input.ty != Type::Bool);
        }
        let mut blocks = Vec::new();
        if let Some(int) = level.integer {
            if !inputs.iter().any(|input| input.ty == Type::Int(int)) {
                return None;
            }
            blocks.extend(vec![Block::Sum(int); level.sums]);
        }
        blocks.extend(vec![Block::Cmp; comparisons]);
        blocks.extend(vec![Block::Junction; level.connectives]);
        let is_needed = |block: Block| block != Block::Cmp || level.needs_comparisons();
        let needed = (0..blocks.len()).filter(|block| is_needed(blocks[*block]));
        Some(Self {
            table,
            needed: needed.collect(),
            has_nan: table.pool.terms.keys().any(|term| table.has_nan(term)),
            inputs,
            blocks,
        })
    }

    /// Number of sums. Without sums, ranks represent numbers.
    pub fn sums(&self) -> usize {
        let is_sum = |block: &&Block| matches!(block, Block::Sum(_));
        self.blocks.iter().filter(is_sum).count()
    }

    /// The location of a block's output: φ_OUTPUT and φ_CONS of §3.4.4.
    pub fn output(&self, block: usize) -> usize {
        self.inputs.len() + block
    }

    /// The block whose output is at a location; `None` for an input.
    pub fn block_at(&self, location: usize) -> Option<usize> {
        location.checked_sub(self.inputs.len())
    }

    /// The type of the value at a location.
    pub fn type_at(&self, location: usize) -> Type {
        match self.block_at(location) {
            None => self.inputs[location].ty,
            Some(block) => match self.blocks[block] {
                Block::Sum(int) => Type::Int(int),
                _ => Type::Bool,
            },
        }
    }

    /// The locations allowed for an input of the block: before its output (φ_ACYC of §3.4.4), and of its type
    /// (φ_INPUT, which also requires the two inputs of a comparison to have one type).
    pub fn domain(&self, block: usize) -> Vec<usize> {
        let fits = |location: &usize| {
            let ty = self.type_at(*location);
            match self.blocks[block] {
                Block::Cmp => ty != Type::Bool,
                Block::Junction => ty == Type::Bool,
                Block::Sum(int) => ty == Type::Int(int) && !self.is_zero(*location),
            }
        };
        (0..self.output(block)).filter(fits).collect()
    }

    /// The locations allowed for the result: the last block, since without it the level is an earlier one.
    pub fn result_domain(&self) -> Vec<usize> {
        match self.blocks.len() {
            0 => (0..self.inputs.len()).collect(),
            blocks => vec![self.output(blocks - 1)],
        }
    }

    /// Whether a negation at the location cannot be expressed by another operator.
    pub fn may_be_negated(&self, location: usize) -> bool {
        match self.block_at(location) {
            None => self.type_at(location) == Type::Bool,
            Some(block) => self.blocks[block] == Block::Cmp && self.has_nan,
        }
    }

    /// Whether a location holds a literal.
    pub fn is_literal(&self, location: usize) -> bool {
        let input = self.inputs.get(location);
        input.is_some_and(|input| input.is_literal)
    }

    fn is_zero(&self, location: usize) -> bool {
        let zero = Int::from_u128(0);
        let input = self.inputs.get(location).map(|input| &input.expr);
        matches!(input, Some(Expr::Term(term)) if matches!(
            &self.table.pool.terms[*term].constant,
            Some(Value::Int(_, value)) if *value == zero
        ))
    }
}

/// I₀ of a level.
fn inputs(level: Level, table: &Table) -> Vec<Input> {
    let pool = table.pool;
    let is_literal = |term: TermId| atoms::is_constant(pool, term);
    let mut terms: Vec<TermId> = pool
        .terms
        .keys()
        .filter(|term| !table.is_opaque(*term))
        .filter(|term| pool.terms[*term].ty != Type::Bool || !is_literal(*term))
        .collect();
    // A comparison has at most one literal, so a type with literals only is useless.
    let lively = terms.iter().filter(|term| !is_literal(**term));
    let mut types: BTreeSet<Type> = lively.map(|term| pool.terms[*term].ty).collect();
    if let (Some(int), 1) = (level.integer, level.comparisons) {
        types.retain(|ty| [Type::Bool, Type::Int(int)].contains(ty));
    }
    if level.comparisons == 0 {
        types.retain(|ty| *ty == Type::Bool);
    }
    terms.retain(|term| types.contains(&pool.terms[*term].ty));
    terms.sort_by_key(|term| (pool.terms[*term].ty, *term));
    let input = |term: TermId| Input {
        expr: Expr::Term(term),
        ty: pool.terms[term].ty,
        is_literal: is_literal(term),
        is_partial: table.is_partial(term),
        tier: match pool.terms[term].origin {
            Origin::Old => 0,
            Origin::Constant if rank::term_cost(term, pool) == 2 => 0,
            Origin::Variable | Origin::Field | Origin::Query | Origin::Constant => 1,
            _ => 2,
        },
    };
    let terms = terms.into_iter().map(input);
    let mut parts = Vec::new();
    if let Some(old) = &table.spec.old {
        boolean_parts(old, &mut parts);
    }
    let rows = &table.spec.rows;
    let part = |expr: &Expr| Input {
        expr: expr.clone(),
        ty: Type::Bool,
        is_literal: false,
        is_partial: rows.iter().any(|row| expr.eval_bool(row).is_none()),
        tier: 0,
    };
    let useful = |expr: &&Expr| {
        expr.ty(pool) == Some(Type::Bool) && rows.iter().any(|row| expr.eval_bool(row).is_some())
    };
    let parts = parts.iter().filter(useful).map(part);
    // The derived order of types has the booleans first.
    parts.chain(terms).collect()
}

/// The subexpressions of a condition that are comparisons or connectives, outermost first.
fn boolean_parts(expr: &Expr, parts: &mut Vec<Expr>) {
    if matches!(expr, Expr::And(..) | Expr::Or(..) | Expr::Cmp(..)) && !parts.contains(expr) {
        parts.push(expr.clone());
    }
    for child in expr.children() {
        boolean_parts(child, parts);
    }
}

/// An assignment of the location variables and choices: the structure of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    /// Location of each input of each block.
    pub inputs: Vec<[usize; 2]>,
    pub choices: Vec<Vec<bool>>,
    /// Location of the result.
    pub result: usize,
    pub negated: bool,
}

impl Wiring {
    /// The blocks that contribute to the result.
    pub fn used(&self, library: &Library) -> BTreeSet<usize> {
        let mut used = BTreeSet::new();
        let mut open = vec![self.result];
        while let Some(location) = open.pop() {
            if let Some(block) = library.block_at(location)
                && used.insert(block)
            {
                open.extend(&self.inputs[block]);
            }
        }
        used
    }

    /// The expression, by backward traversal from the result (§3.5). Blocks that are not connected to the result
    /// are dropped.
    pub fn expr(&self, library: &Library) -> Expr {
        negated(self.expr_at(self.result, library), self.negated)
    }

    fn expr_at(&self, location: usize, library: &Library) -> Expr {
        let Some(block) = library.block_at(location) else {
            return library.inputs[location].expr.clone();
        };
        let [a, b] = self.inputs[block].map(|input| self.expr_at(input, library));
        match (library.blocks[block], &self.choices[block][..]) {
            (Block::Sum(_), [minus, ..]) => {
                let op = if *minus { ArithOp::Sub } else { ArithOp::Add };
                a.arith(op, b)
            }
            (Block::Cmp, [order, second, ..]) => {
                let op = match (order, second) {
                    (true, false) => CmpOp::Lt,
                    (true, true) => CmpOp::Le,
                    (false, false) => CmpOp::Eq,
                    (false, true) => CmpOp::Ne,
                };
                match library.is_literal(self.inputs[block][0]) {
                    true => b.cmp(op.mirrored(), a),
                    false => a.cmp(op, b),
                }
            }
            (_, [or, first, second, ..]) => {
                let (a, b) = (negated(a, *first), negated(b, *second));
                if *or { a.or(b) } else { a.and(b) }
            }
            _ => a,
        }
    }
}

fn negated(expr: Expr, negated: bool) -> Expr {
    if negated { expr.not() } else { expr }
}

#[cfg(test)]
mod tests {
    use nopol_expr::{Access, Pool, Row, Spec, Term};

    use super::*;

    #[test]
    fn blocks_that_are_wired_but_not_connected_are_left_behind() {
        // the Nopol paper, §3.5: the second comparison is unused.
        let i32 = Type::Int(IntType::I32);
        let value = Some(Value::Int(IntType::I32, Int::from_i128(3)));
        let term = |name: &str| Term::new(Access::variable(name), i32, Origin::Variable);
        let terms = ["a", "b"].map(term);
        let pool = Pool {
            terms: terms.into_iter().collect(),
        };
        let row = Row {
            values: nopol_expr::Values::from(vec![value.clone(), value]).into(),
            expected: true,
            hard: true,
            weight: 1,
        };
        let [a, b] = [0, 1].map(|term| Expr::Term(TermId::new(term)));
        let spec = Spec {
            rows: vec![row],
            old: Some(a.clone().cmp(CmpOp::Eq, b.clone())),
            ..Spec::default()
        };
        let table = Table::new(&spec, &pool);
        let Some(library) = Library::new(levels(&table)[5], &table) else {
            panic!("the level applies");
        };
        assert_eq!(
            library.blocks,
            [Block::Cmp, Block::Cmp, Block::Junction, Block::Junction]
        );
        // I₀ is the original condition, `a` and `b`.
        assert_eq!(library.needed, [2, 3]);
        let wiring = Wiring {
            inputs: vec![[1, 2], [2, 1], [0, 3], [0, 5]],
            choices: vec![
                vec![true, true],
                vec![false, false],
                vec![false, true, false],
                vec![true, false, false],
            ],
            result: 6,
            negated: false,
        };
        let old = spec.old.clone().unwrap();
        let at_most = a.cmp(CmpOp::Le, b);
        assert_eq!(
            wiring.expr(&library),
            old.clone().or(old.not().and(at_most))
        );
        assert_eq!(wiring.used(&library), BTreeSet::from([0, 2, 3]));
    }
}

//! Edits of the original condition: every single edit, every clause added to any part of it, and, if few of
//! these explain the spec, a clause added on top of another edit.
//!
//! Added clauses are checked with [`Need`]: the outcomes that a node of the original condition may have are
//! computed once per node, so that checking each of thousands of clauses takes a few word operations.

use nopol_expr::{ArithOp, CmpOp, Expr, Pool, Reading, Type};

use super::alternatives::alternatives;
use super::grouping::regrouped;
use super::operands::operand;
use crate::atoms::{self, Atom};
use crate::collect::Collector;
use crate::kind::EditKind;
use crate::limits;
use crate::redundancy::same_operands;
use crate::table::{BoolOp, Need, Table};
use crate::weights::WEIGHTS;

/// An edited original condition.
pub(super) struct Edit {
    pub expr: Expr,
    pub cost: u32,
    pub kind: EditKind,
    /// Whether a clause may be added on top.
    pub extensible: bool,
}

/// The original condition, unless it is a constant: no part of `true` is worth keeping.
pub(super) fn edited<'t>(table: &Table<'t>) -> Option<&'t Expr> {
    let is_constant = |expr: &Expr| match expr {
        Expr::Term(term) => table.pool.terms[*term].constant.is_some(),
        _ => false,
    };
    table.spec.old.as_ref().filter(|old| !is_constant(old))
}

/// Offers every single edit of the spec's original condition that meets `need`. Returns false if there is no
/// condition to edit.
pub(crate) fn near(table: &Table, atoms: &[Atom], need: &Need, collector: &mut Collector) -> bool {
    let Some(old) = edited(table) else {
        return false;
    };
    let edits = edits(old, table);
    for edit in &edits {
        collector.offer_edit(&edit.expr, edit.cost, &edit.kind);
    }
    for (expr, cost, kind) in alternatives(old, table) {
        collector.offer_edit(&expr, cost, &kind);
    }
    let unchanged = |expr: Expr| expr;
    let position = Position {
        node: old,
        need: need.clone(),
        depth: 0,
        rebuild: &unchanged,
    };
    let addition = ClauseAddition {
        table,
        atoms,
        base: WEIGHTS.edit.clause,
        kind: &EditKind::ClauseAdded,
    };
    addition.everywhere(&position, collector);
    true
}

/// Offers clauses added on top of another edit of the original condition.
pub(crate) fn two_edits(table: &Table, atoms: &[Atom], need: &Need, collector: &mut Collector) {
    let Some(old) = edited(table) else {
        return;
    };
    let mut first = edits(old, table);
    first.retain(|edit| edit.extensible);
    first.sort_by_key(|edit| edit.cost);
    let before = collector.accepted();
    for edit in first.iter().take(limits::EXTENDED) {
        // The cheapest edits come first, and no more is kept than of these.
        if collector.accepted() - before > limits::MOST_OFFERED {
            return;
        }
        let kind = EditKind::AndClauseAdded(Box::new(edit.kind.clone()));
        let unchanged = |expr: Expr| expr;
        let position = Position {
            node: &edit.expr,
            need: need.clone(),
            depth: 0,
            rebuild: &unchanged,
        };
        let base = WEIGHTS.edit.clause + edit.cost;
        ClauseAddition {
            table,
            atoms,
            base,
            kind: &kind,
        }
        .everywhere(&position, collector);
    }
}

/// Offers the negation of an original condition with side effects. Besides adding a clause after it, this is
/// its only edit.
pub(crate) fn of_impure(old: &Expr, collector: &mut Collector) {
    collector.offer(
        &old.clone().not(),
        WEIGHTS.edit.negation,
        &EditKind::OldNegated,
    );
}

/// A boolean node of the original condition and its position in the whole.
struct Position<'a> {
    node: &'a Expr,
    /// The outcomes allowed in the node's place.
    need: Need,
    /// Number of connectives around the node.
    depth: u32,
    /// Builds the whole condition with another node in this place.
    rebuild: &'a dyn Fn(Expr) -> Expr,
}

/// The edits that add one clause.
struct ClauseAddition<'a> {
    table: &'a Table<'a>,
    atoms: &'a [Atom],
    base: u32,
    kind: &'a EditKind,
}

impl ClauseAddition<'_> {
    fn everywhere(&self, position: &Position, collector: &mut Collector) {
        self.here(position, collector);
        let rebuild = position.rebuild;
        match position.node {
            // `!a && !b` is what people write for `!(a || b)`, unless the old condition negates a group.
            Expr::Not(a) if matches!(**a, Expr::And(..) | Expr::Or(..)) => {
                let rebuild = |new: Expr| rebuild(new.not());
                let need = position.need.under_not();
                self.everywhere(
                    &Position {
                        node: a,
                        need,
                        depth: position.depth,
                        rebuild: &rebuild,
                    },
                    collector,
                );
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                let (op, join): (BoolOp, fn(Expr, Expr) -> Expr) = match position.node {
                    Expr::And(..) => (BoolOp::And, Expr::and),
                    _ => (BoolOp::Or, Expr::or),
                };
                self.both(position, (a, b), op, &join, collector);
            }
            Expr::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), a, b)
                if a.ty(self.table.pool) == Some(Type::Bool) =>
            {
                let join = |a: Expr, b: Expr| a.cmp(*op, b);
                self.both(
                    position,
                    (a, b),
                    BoolOp::Same(*op == CmpOp::Eq),
                    &join,
                    collector,
                );
            }
            _ => {}
        }
    }

    fn both(
        &self,
        position: &Position,
        (a, b): (&Expr, &Expr),
        op: BoolOp,
        join: &dyn Fn(Expr, Expr) -> Expr,
        collector: &mut Collector,
    ) {
        let depth = position.depth + 1;
        let need = position.need.of_left(op, &self.table.planes(b));
        let rebuild = |new: Expr| (position.rebuild)(join(new, b.clone()));
        self.everywhere(
            &Position {
                node: a,
                need,
                depth,
                rebuild: &rebuild,
            },
            collector,
        );
        let need = position.need.of_right(op, &self.table.planes(a));
        let rebuild = |new: Expr| (position.rebuild)(join(a.clone(), new));
        self.everywhere(
            &Position {
                node: b,
                need,
                depth,
                rebuild: &rebuild,
            },
            collector,
        );
    }

    fn here(&self, position: &Position, collector: &mut Collector) {
        let node = self.table.planes(position.node);
        let base = self.base + WEIGHTS.edit.deeper * position.depth.min(3);
        let before = collector.accepted();
        for atom in self.atoms {
            // The cheapest clauses come first, and one that replaces a part costs no less than this.
            let least = self.base.min(base) + atom.cost;
            let is_enough = collector.accepted() - before > limits::PER_POSITION;
            if is_enough || least > collector.bar() || collector.is_stopped() {
                return;
            }
            // Two clauses with the same operands are one comparison with another operator.
            if same_operands(position.node, &atom.expr) {
                continue;
            }
            for op in [BoolOp::And, BoolOp::Or] {
                let join = |a: Expr, b: Expr| match op {
                    BoolOp::And => a.and(b),
                    _ => a.or(b),
                };
                if position.need.met_by_pair(op, &node, &atom.planes) {
                    let new = join(position.node.clone(), atom.expr.clone());
                    collector.offer(&(position.rebuild)(new), base + atom.cost, self.kind);
                }
                if position.need.met_by_pair(op, &atom.planes, &node) {
                    let new = join(atom.expr.clone(), position.node.clone());
                    collector.offer(
                        &(position.rebuild)(new),
                        base + WEIGHTS.edit.prepended + atom.cost,
                        self.kind,
                    );
                }
            }
            if position.depth > 0 && position.need.met_by(&atom.planes) {
                let new = (position.rebuild)(atom.expr.clone());
                let cost = self.base + WEIGHTS.edit.substitute - WEIGHTS.edit.clause + atom.cost;
                collector.offer(&new, cost, &EditKind::ClauseReplaced);
            }
        }
    }
}

/// Every single edit that adds no clause.
fn edits(old: &Expr, table: &Table) -> Vec<Edit> {
    let mut edits = Vec::new();
    boolean(old, table, &|expr| expr, &mut edits);
    if !is_unidiomatic(old, table.pool) {
        edits.retain(|edit| !is_unidiomatic(&edit.expr, table.pool));
    }
    if !has_no_op_arithmetic(old, table.pool) {
        edits.retain(|edit| !has_no_op_arithmetic(&edit.expr, table.pool));
    }
    edits
}

/// Whether the expression has arithmetic without effect up to a sign, such as `x * 1` or `x + 0`, or with a
/// constant result, such as `x * 0`.
fn has_no_op_arithmetic(expr: &Expr, pool: &Pool) -> bool {
    let number = |expr: &Expr| match expr {
        Expr::Term(term) => pool.terms[*term].constant.as_ref().map(ToString::to_string),
        _ => None,
    };
    let own = match expr {
        Expr::Arith(op, a, b) => {
            let is_no_op = |expr: &Expr| match (op, number(expr).as_deref()) {
                (ArithOp::Add | ArithOp::Sub, Some("0" | "0.0")) => true,
                (ArithOp::Mul | ArithOp::Div | ArithOp::Rem, Some(number)) => {
                    matches!(number, "0" | "1" | "-1" | "0.0" | "1.0" | "-1.0")
                }
                _ => false,
            };
            is_no_op(a) || is_no_op(b)
        }
        _ => false,
    };
    own || expr
        .children()
        .any(|child| has_no_op_arithmetic(child, pool))
}

/// Builds the whole condition with another node in one place.
pub(super) type Rebuild<'a> = &'a dyn Fn(Expr) -> Expr;

/// Whether a clause may guard another one: both read the same variable or field.
fn is_guard(clause: &Expr, guarded: &Expr, pool: &Pool) -> bool {
    let names = |expr: &Expr| -> Vec<&str> {
        let terms = expr.terms().into_iter().map(|term| &pool.terms[term]);
        let terms = terms.filter(|term| term.constant.is_none());
        terms.flat_map(|term| term.access.names()).collect()
    };
    let guarded = names(guarded);
    names(clause).iter().any(|name| guarded.contains(name))
}

/// The negation of a clause, as people write it.
fn opposite(clause: &Expr, pool: &Pool) -> Expr {
    let is_float = |operand: &Expr| matches!(operand.ty(pool), Some(Type::F32 | Type::F64));
    match clause {
        Expr::Not(inner) => (**inner).clone(),
        Expr::Cmp(op, a, b) if !is_float(a) => Expr::Cmp(op.negated(), a.clone(), b.clone()),
        _ => clause.clone().not(),
    }
}

/// Edits of a boolean node.
fn boolean(node: &Expr, table: &Table, rebuild: Rebuild, edits: &mut Vec<Edit>) {
    let pool = table.pool;
    let mut push = |expr: Expr, cost: u32, kind: EditKind| {
        edits.push(Edit {
            expr: rebuild(expr),
            cost,
            kind,
            extensible: true,
        });
    };
    match node {
        Expr::Not(a) => {
            push(
                (**a).clone(),
                WEIGHTS.edit.negation,
                EditKind::NegationRemoved,
            );
            boolean(a, table, &|new| rebuild(new.not()), edits);
        }
        Expr::And(a, b) | Expr::Or(a, b) => {
            let conjunction = matches!(node, Expr::And(..));
            let (left, right) = ((**a).clone(), (**b).clone());
            let (swapped, kind) = match conjunction {
                true => (left.clone().or(right.clone()), EditKind::AndToOr),
                false => (left.clone().and(right.clone()), EditKind::OrToAnd),
            };
            push(swapped, WEIGHTS.edit.connective, kind);
            for expr in regrouped(node) {
                push(expr, WEIGHTS.edit.connective, EditKind::Regrouped);
            }
            if is_guard(&left, &right, pool) {
                let negated = opposite(&left, pool);
                let turned = match conjunction {
                    true => negated.or(right.clone()),
                    false => negated.and(right.clone()),
                };
                push(turned, WEIGHTS.edit.guard_turned, EditKind::GuardTurned);
            }
            push(
                node.clone().not(),
                WEIGHTS.edit.negation,
                EditKind::PartNegated,
            );
            for op in [CmpOp::Eq, CmpOp::Ne] {
                let expr = left.clone().cmp(op, right.clone());
                let kind = EditKind::ConnectiveToComparison(op);
                push(expr, WEIGHTS.edit.substitute, kind);
            }
            push(left.clone(), WEIGHTS.edit.dropped, EditKind::ClauseDropped);
            push(right.clone(), WEIGHTS.edit.dropped, EditKind::ClauseDropped);
            let join: fn(Expr, Expr) -> Expr = if conjunction { Expr::and } else { Expr::or };
            boolean(a, table, &|new| rebuild(join(new, right.clone())), edits);
            boolean(b, table, &|new| rebuild(join(left.clone(), new)), edits);
        }
        Expr::Cmp(old, a, b) => {
            let ty = a.ty(pool);
            // That `strcmp` finds two strings equal is rarely meant to become an order.
            let is_sign = |expr: &Expr| {
                let mut terms = expr.terms().into_iter();
                terms.any(|term| pool.terms[term].reading == Reading::Sign)
            };
            let has_mark = || {
                let mut terms = a.terms().into_iter().chain(b.terms());
                terms.any(|term| pool.terms[term].access.is_mark())
            };
            let ordered =
                ty.is_some_and(Type::ordered) && (old.orders() || !is_sign(a) && !has_mark());
            for op in CmpOp::ALL {
                if op != *old && (ordered || !op.orders()) {
                    let expr = Expr::Cmp(op, a.clone(), b.clone());
                    let kind = EditKind::Operator(*old, op);
                    push(expr, WEIGHTS.edit.operator(*old, op), kind);
                }
            }
            if matches!(ty, Some(Type::F32 | Type::F64)) {
                push(
                    node.clone().not(),
                    WEIGHTS.edit.negation,
                    EditKind::ComparisonNegated,
                );
            }
            let (left, right) = ((**a).clone(), (**b).clone());
            let with_left = |new: Expr| rebuild(new.cmp(*old, right.clone()));
            let with_right = |new: Expr| rebuild(left.clone().cmp(*old, new));
            if ty == Some(Type::Bool) {
                boolean(a, table, &with_left, edits);
                boolean(b, table, &with_right, edits);
            }
            let before = edits.len();
            operand(a, table, &with_left, edits);
            operand(b, table, &with_right, edits);
            // A limit is often off by one, whereas a constant tested for equality is seldom wrong.
            let is_constant =
                |expr: &Expr| matches!(expr, Expr::Term(term) if atoms::is_constant(pool, *term));
            if !old.orders() && (is_constant(a) || is_constant(b)) {
                for edit in &mut edits[before..] {
                    edit.cost += WEIGHTS.edit.equality_operand;
                }
            }
        }
        Expr::Term(_) => {
            push(
                node.clone().not(),
                WEIGHTS.edit.negation,
                EditKind::ConditionNegated,
            );
            operand(node, table, rebuild, edits);
        }
        Expr::Arith(..) => {}
    }
}

/// Whether the expression has a form that people avoid: a literal on the left, or an operand on both sides of
/// a comparison or twice in a sum.
fn is_unidiomatic(expr: &Expr, pool: &Pool) -> bool {
    let literal = |expr: &Expr| matches!(expr, Expr::Term(term) if atoms::is_constant(pool, *term));
    let repeats = |side: &Expr, other: &Expr| match side {
        Expr::Arith(_, p, q) => p == q || **p == *other || **q == *other,
        _ => false,
    };
    let own = match expr {
        Expr::Cmp(_, a, b) => literal(a) && !literal(b) || repeats(a, b) || repeats(b, a),
        _ => false,
    };
    own || expr.children().any(|child| is_unidiomatic(child, pool))
}

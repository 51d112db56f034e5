//! Near candidates: every single edit of the old condition, every clause added to any part of it,
//! and, if none of these explains the spec, a clause added on top of another edit.
//!
//! An added clause is checked through [`Need`]: what a node of the old condition would have to
//! yield in each row is computed once per node, after which thousands of clauses cost a few words
//! each.

use super::alternatives::alternatives;
use super::operands::operand;
use crate::spec::{ArithOp, CmpOp, Expr, Pool, Type};
use crate::synth::atoms::{self, Atom};
use crate::synth::collect::Collector;
use crate::synth::kind::EditKind;
use crate::synth::limits;
use crate::synth::rank;
use crate::synth::sense::same_operands;
use crate::synth::table::{BoolOp, Need, Table};
use crate::weights::WEIGHTS;

/// An expression near the old condition.
pub(super) struct Edit {
    pub expr: Expr,
    pub cost: u32,
    pub kind: EditKind,
    /// Whether a clause may be added on top.
    pub extensible: bool,
}

/// The old condition, if it says anything: of `true` nothing stays in a condition made from it.
fn edited<'t>(table: &Table<'t>) -> Option<&'t Expr> {
    let is_constant = |expr: &Expr| match expr {
        Expr::Term(term) => table.pool.terms[*term].constant.is_some(),
        _ => false,
    };
    table.spec.old.as_ref().filter(|old| !is_constant(old))
}

/// Offers every single edit of the spec's old condition that meets `need`; false if there is none
/// to edit.
pub(in crate::synth) fn near(
    table: &Table,
    atoms: &[Atom],
    need: &Need,
    collector: &mut Collector,
) -> bool {
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
    let site = Site {
        node: old,
        need: need.clone(),
        depth: 0,
        rebuild: &unchanged,
    };
    let added = Added {
        table,
        atoms,
        base: WEIGHTS.edit.clause,
        kind: &EditKind::ClauseAdded,
    };
    added.everywhere(&site, collector);
    true
}

/// Offers clauses added on top of another edit of the old condition.
pub(in crate::synth) fn two_edits(
    table: &Table,
    atoms: &[Atom],
    need: &Need,
    collector: &mut Collector,
) {
    let Some(old) = edited(table) else {
        return;
    };
    let mut first = edits(old, table);
    first.retain(|edit| edit.extensible);
    first.sort_by_key(|edit| edit.cost);
    for edit in first.iter().take(limits::EXTENDED) {
        let kind = EditKind::AndClauseAdded(Box::new(edit.kind.clone()));
        let unchanged = |expr: Expr| expr;
        let site = Site {
            node: &edit.expr,
            need: need.clone(),
            depth: 0,
            rebuild: &unchanged,
        };
        let base = WEIGHTS.edit.clause + edit.cost;
        Added {
            table,
            atoms,
            base,
            kind: &kind,
        }
        .everywhere(&site, collector);
    }
}

/// Offers what may be done with an old condition that must be evaluated once and first, other
/// than adding a clause found by synthesis: its negation.
pub(in crate::synth) fn of_impure(old: &Expr, collector: &mut Collector) {
    collector.offer(
        &old.clone().not(),
        WEIGHTS.edit.negation,
        &EditKind::OldNegated,
    );
}

/// A boolean node of the old condition in its surroundings.
struct Site<'a> {
    node: &'a Expr,
    /// What must stand in the node's place.
    need: Need,
    depth: u32,
    /// The whole condition with another node in this place.
    rebuild: &'a dyn Fn(Expr) -> Expr,
}

/// Adding one clause somewhere.
struct Added<'a> {
    table: &'a Table<'a>,
    atoms: &'a [Atom],
    base: u32,
    kind: &'a EditKind,
}

impl Added<'_> {
    fn everywhere(&self, site: &Site, collector: &mut Collector) {
        self.here(site, collector);
        let rebuild = site.rebuild;
        match site.node {
            Expr::Not(a) => {
                let rebuild = |new: Expr| rebuild(new.not());
                let need = site.need.under_not();
                // What is negated is a group that a clause may join.
                self.everywhere(
                    &Site {
                        node: a,
                        need,
                        depth: site.depth,
                        rebuild: &rebuild,
                    },
                    collector,
                );
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                let (op, join): (BoolOp, fn(Expr, Expr) -> Expr) = match site.node {
                    Expr::And(..) => (BoolOp::And, Expr::and),
                    _ => (BoolOp::Or, Expr::or),
                };
                self.both(site, (a, b), op, &join, collector);
            }
            Expr::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), a, b)
                if a.ty(self.table.pool) == Some(Type::Bool) =>
            {
                let join = |a: Expr, b: Expr| a.cmp(*op, b);
                self.both(
                    site,
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
        site: &Site,
        (a, b): (&Expr, &Expr),
        op: BoolOp,
        join: &dyn Fn(Expr, Expr) -> Expr,
        collector: &mut Collector,
    ) {
        let depth = site.depth + 1;
        let need = site.need.of_left(op, &self.table.planes(b));
        let rebuild = |new: Expr| (site.rebuild)(join(new, b.clone()));
        self.everywhere(
            &Site {
                node: a,
                need,
                depth,
                rebuild: &rebuild,
            },
            collector,
        );
        let need = site.need.of_right(op, &self.table.planes(a));
        let rebuild = |new: Expr| (site.rebuild)(join(a.clone(), new));
        self.everywhere(
            &Site {
                node: b,
                need,
                depth,
                rebuild: &rebuild,
            },
            collector,
        );
    }

    fn here(&self, site: &Site, collector: &mut Collector) {
        let node = self.table.planes(site.node);
        // A clause inside is as good as one outside where it means the same; say the outer one.
        let beside_group = u32::from(matches!(site.node, Expr::Not(_)));
        let edit = &WEIGHTS.edit;
        let base = self.base + edit.deeper * site.depth.min(3) + edit.beside_group * beside_group;
        for atom in self.atoms {
            // That is another operator, said in two clauses.
            if same_operands(site.node, &atom.expr) {
                continue;
            }
            for op in [BoolOp::And, BoolOp::Or] {
                let join = |a: Expr, b: Expr| match op {
                    BoolOp::And => a.and(b),
                    _ => a.or(b),
                };
                if site.need.met_by_pair(op, &node, &atom.planes) {
                    let new = join(site.node.clone(), atom.expr.clone());
                    collector.offer(&(site.rebuild)(new), base + atom.cost, self.kind);
                }
                if site.need.met_by_pair(op, &atom.planes, &node) {
                    let new = join(atom.expr.clone(), site.node.clone());
                    collector.offer(
                        &(site.rebuild)(new),
                        base + WEIGHTS.edit.first + atom.cost,
                        self.kind,
                    );
                }
            }
            if site.depth > 0 && site.need.met_by(&atom.planes) {
                let new = (site.rebuild)(atom.expr.clone());
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
    if !is_silly(old, table.pool) {
        edits.retain(|edit| !is_silly(&edit.expr, table.pool));
    }
    if !is_idle(old, table.pool) {
        edits.retain(|edit| !is_idle(&edit.expr, table.pool));
    }
    edits
}

/// Whether some arithmetic in the expression computes what was there without it, up to a sign:
/// nobody writes `x * 1` or `x + 0`.
fn is_idle(expr: &Expr, pool: &Pool) -> bool {
    let number = |expr: &Expr| match expr {
        Expr::Term(term) => pool.terms[*term].constant.as_ref().map(ToString::to_string),
        _ => None,
    };
    let own = match expr {
        Expr::Arith(op, a, b) => {
            let idle = |expr: &Expr| match (op, number(expr).as_deref()) {
                (ArithOp::Add | ArithOp::Sub, Some("0" | "0.0")) => true,
                (ArithOp::Mul | ArithOp::Div | ArithOp::Rem, Some(number)) => {
                    matches!(number, "0" | "1" | "-1" | "0.0" | "1.0" | "-1.0")
                }
                _ => false,
            };
            idle(a) || idle(b)
        }
        _ => false,
    };
    own || expr.children().any(|child| is_idle(child, pool))
}

pub(super) type Rebuild<'a> = &'a dyn Fn(Expr) -> Expr;

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
            let ordered = ty.is_some_and(Type::ordered);
            for op in CmpOp::ALL {
                if op != *old && (ordered || !op.orders()) {
                    let expr = Expr::Cmp(op, a.clone(), b.clone());
                    let kind = EditKind::Operator(*old, op);
                    push(expr, rank::operator_cost(*old, op), kind);
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
            // A limit may be one too high; what is asked for by name is seldom another.
            let is_constant =
                |expr: &Expr| matches!(expr, Expr::Term(term) if atoms::is_constant(pool, *term));
            if !old.orders() && (is_constant(a) || is_constant(b)) {
                for edit in &mut edits[before..] {
                    edit.cost += WEIGHTS.edit.equal;
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

/// Whether an edit is one that nobody makes: a literal to the left, or an operand that turns up on
/// both sides or twice in a sum.
fn is_silly(expr: &Expr, pool: &Pool) -> bool {
    let literal = |expr: &Expr| matches!(expr, Expr::Term(term) if atoms::is_constant(pool, *term));
    let repeats = |side: &Expr, other: &Expr| match side {
        Expr::Arith(_, p, q) => p == q || **p == *other || **q == *other,
        _ => false,
    };
    let own = match expr {
        Expr::Cmp(_, a, b) => literal(a) && !literal(b) || repeats(a, b) || repeats(b, a),
        _ => false,
    };
    own || expr.children().any(|child| is_silly(child, pool))
}

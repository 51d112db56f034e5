//! Where the order matters in which C leaves the operands and arguments to be evaluated (C11, 6.5): the IR evaluates them from left
//! to right, compilers as they like.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    BinaryOp, Builtin, Conversion, Expr, ExprKind, FunctionId, Lvalue, Overflow, Program, Scalar,
    Span, Statement, UnaryOp, VariableId,
};
use crate::visit::addressed;

/// The expressions in these functions with operands of which one may change what another one uses.
pub fn unsequenced(
    program: &Program,
    functions: impl IntoIterator<Item = FunctionId>,
) -> BTreeSet<Span> {
    let mut walk = Walk {
        program,
        addressed: addressed(program).into_iter().collect(),
        summaries: summaries(program),
        known: None,
        found: BTreeSet::new(),
    };
    for function in functions {
        walk.statements(&program.functions[function].body);
    }
    walk.found
}

/// The names of the variables of operands that the front end computes before the operation.
const OPERANDS: [&str; 7] = ["target", "to", "from", "memory", "count", "byte", "buffer"];

/// What evaluating something may use and change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effects {
    reads: Uses,
    writes: Uses,
    /// The variables that it writes itself, not in a function that it calls.
    assigned: BTreeSet<VariableId>,
    /// Whether it may end the program.
    ends: bool,
    /// Whether it may be a fault, or never come to its end.
    fails: bool,
}

/// What is read, or what is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Uses {
    variables: BTreeSet<VariableId>,
    /// What the cells hold where pointers lead.
    memory: BTreeSet<Scalar>,
    /// Standard input and output, and the end of the program.
    streams: bool,
    /// Which memory is allocated.
    heap: bool,
}

impl Uses {
    fn add(&mut self, other: &Self) {
        self.variables.extend(&other.variables);
        self.memory.extend(&other.memory);
        self.streams |= other.streams;
        self.heap |= other.heap;
    }

    /// Whether they may have something in common.
    fn meets(&self, other: &Self, walk: &Walk<'_>) -> bool {
        let is_led_to = |uses: &Self, memory: &Self| {
            let mut variables = uses.variables.intersection(&walk.addressed);
            let cells = |variable: &VariableId| &walk.program.variables[*variable].cells;
            variables.any(|it| cells(it).iter().any(|cell| memory.memory.contains(cell)))
        };
        !self.variables.is_disjoint(&other.variables)
            || !self.memory.is_disjoint(&other.memory)
            || is_led_to(self, other)
            || is_led_to(other, self)
            || self.streams && other.streams
            || self.heap && (other.heap || !other.memory.is_empty())
            || other.heap && !self.memory.is_empty()
    }
}

impl Effects {
    fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.assigned.extend(&other.assigned);
        self.ends |= other.ends;
        self.fails |= other.fails;
    }

    /// Whether the order of the two matters.
    fn disturbs(&self, other: &Self, walk: &Walk<'_>) -> bool {
        self.writes.meets(&other.reads, walk)
            || self.writes.meets(&other.writes, walk)
            || self.reads.meets(&other.writes, walk)
            || self.ends && (other.ends || other.fails)
            || self.fails && other.ends
    }
}

/// What the items do of the initializer that is being walked through.
#[derive(Default)]
struct Items {
    /// The list in braces.
    list: Option<Span>,
    before: Vec<Effects>,
}

/// What calls of the functions may use and change of what others see.
fn summaries(program: &Program) -> BTreeMap<FunctionId, Effects> {
    let mut all = BTreeMap::new();
    loop {
        let mut walk = Walk {
            program,
            addressed: BTreeSet::new(),
            summaries: all,
            known: None,
            found: BTreeSet::new(),
        };
        let mut next = BTreeMap::new();
        for (id, function) in program.functions.iter_enumerated() {
            let mut effects = walk.statements(&function.body);
            for uses in [&mut effects.reads, &mut effects.writes] {
                uses.variables
                    .retain(|variable| program.variables[*variable].is_global);
            }
            effects.assigned.clear();
            next.insert(id, effects);
        }
        if next == walk.summaries {
            return next;
        }
        all = next;
    }
}

struct Walk<'p> {
    program: &'p Program,
    /// The variables that pointers may lead to.
    addressed: BTreeSet<VariableId>,
    /// What is known of the functions.
    summaries: BTreeMap<FunctionId, Effects>,
    /// The operand that was computed last.
    known: Option<VariableId>,
    found: BTreeSet<Span>,
}

impl Walk<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Effects {
        let mut all = Effects::default();
        // What operands do that the front end has computed beforehand, one after another.
        let mut operands: Vec<Effects> = Vec::new();
        let mut items = Items::default();
        for statement in statements {
            let operand = match statement {
                Statement::Declare(_) => continue,
                Statement::Assign {
                    target: Lvalue::Variable(variable),
                    ..
                } => self.operand(*variable),
                _ => None,
            };
            self.known = operand.is_none().then_some(self.known).flatten();
            let mut effects = self.statement(statement);
            self.item(statement, &mut items);
            if let Statement::Assign { value, .. } = statement
                && !operands.is_empty()
            {
                // What is stored is stored after all of them.
                let value_effects = self.expr(value);
                if (operands.iter()).any(|other| value_effects.disturbs(other, self)) {
                    self.found.insert(value.span);
                }
            }
            all.add(&effects);
            match operand {
                None => operands.clear(),
                Some(operand) => {
                    // The operation reads the operand.
                    effects.writes.variables.remove(&operand);
                    operands.push(effects);
                    self.known = Some(operand);
                }
            }
        }
        self.known = None;
        all
    }

    /// Compares an item of an initializer with the items before it, if the statement initializes a part of a variable.
    fn item(&mut self, statement: &Statement, items: &mut Items) {
        let span = match statement {
            Statement::Assign { value, .. } => value.span,
            Statement::Copy { span, .. } => *span,
            _ => return,
        };
        let is_around = |list: &&Span| {
            list.file == span.file && list.start < span.start && span.end <= list.end
        };
        // Lists in a list belong to it, and it begins first.
        let list = self.program.lists.iter().find(is_around).copied();
        if list != items.list {
            *items = Items {
                list,
                before: Vec::new(),
            };
        }
        if list.is_some() {
            let own = match statement {
                Statement::Assign { value, .. } => self.expr(value),
                Statement::Copy { source, .. } => self.lvalue(source),
                _ => return,
            };
            if items.before.iter().any(|other| own.disturbs(other, self)) {
                self.found.insert(span);
            }
            items.before.push(own);
        }
    }

    /// The variable itself, if it holds an operand that is computed before the operation, such as the address of the target of `+=`.
    fn operand(&self, variable: VariableId) -> Option<VariableId> {
        let name = self.program.variables[variable].name.strip_prefix('#')?;
        OPERANDS.contains(&name).then_some(variable)
    }

    fn statement(&mut self, statement: &Statement) -> Effects {
        match statement {
            Statement::Declare(_) | Statement::Break(_) | Statement::Continue(_) => {
                Effects::default()
            }
            Statement::Opaque(..) => Effects {
                fails: true,
                ..Effects::default()
            },
            Statement::Assign { target, value, .. } => {
                let parts = [self.lvalue(target), self.expr(value)];
                let mut all = self.any_order(&parts, value.span);
                if let Lvalue::Variable(variable) = target {
                    // What a function does that is called there is done before.
                    if all.assigned.contains(variable) {
                        self.found.insert(value.span);
                    }
                    all.assigned.insert(*variable);
                }
                all.writes.add(&self.cell(target, value.ty));
                all
            }
            Statement::Copy {
                target,
                source,
                cells,
                span,
            } => {
                let parts = [self.lvalue(target), self.lvalue(source)];
                let mut all = self.any_order(&parts, *span);
                for cell in cells {
                    all.reads.add(&self.cell(source, *cell));
                    all.writes.add(&self.cell(target, *cell));
                }
                all
            }
            Statement::Eval(of) => self.expr(of),
            Statement::Assert(of, _) => {
                let mut all = self.expr(of);
                all.fails = true;
                all
            }
            // Where it does not hold, nothing that comes later counts.
            Statement::Assume(of) => {
                let mut all = self.expr(of);
                all.ends = true;
                all
            }
            Statement::If {
                condition,
                then: first,
                otherwise: second,
                ..
            }
            | Statement::Loop {
                condition,
                body: first,
                update: second,
                ..
            } => {
                let mut all = self.expr(condition);
                all.add(&self.statements(first));
                all.add(&self.statements(second));
                all.fails |= matches!(statement, Statement::Loop { .. });
                all
            }
            Statement::Breakable(_, body) | Statement::Scope(_, body) => self.statements(body),
            Statement::Return { value, .. } => value
                .as_ref()
                .map_or_else(Effects::default, |value| self.expr(value)),
        }
    }

    /// What evaluating these parts of an expression does, in any order.
    fn any_order(&mut self, parts: &[Effects], span: Span) -> Effects {
        let mut all = Effects::default();
        for (at, part) in parts.iter().enumerate() {
            if parts[..at].iter().any(|other| part.disturbs(other, self)) {
                self.found.insert(span);
            }
            all.add(part);
        }
        all
    }

    fn exprs(&mut self, parts: &[&Expr], span: Span) -> Effects {
        let parts: Vec<Effects> = parts.iter().map(|part| self.expr(part)).collect();
        self.any_order(&parts, span)
    }

    /// What evaluating an expression does, one operand after another.
    fn in_order(&mut self, parts: &[&Expr]) -> Effects {
        let mut all = Effects::default();
        for part in parts {
            all.add(&self.expr(part));
        }
        all
    }

    fn expr(&mut self, expr: &Expr) -> Effects {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Null => Effects::default(),
            ExprKind::Load(of) => {
                let mut all = self.lvalue(of);
                if !self.is_known(of) {
                    all.reads.add(&self.cell(of, expr.ty));
                }
                all
            }
            ExprKind::Address(of, _) => self.lvalue(of),
            ExprKind::Unary(op, a) => {
                let mut all = self.expr(a);
                all.fails |= matches!(op, UnaryOp::Neg(Overflow::Fault));
                all
            }
            ExprKind::Cast(a) => self.expr(a),
            ExprKind::Binary(op, overflow, a, b) => {
                let mut all = self.exprs(&[a, b], expr.span);
                all.fails |= *overflow == Overflow::Fault
                    || matches!(
                        op,
                        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr
                    )
                    || a.ty == Scalar::Pointer;
                all
            }
            ExprKind::Offset(a, b, _) | ExprKind::Distance(a, b, _) => {
                let mut all = self.exprs(&[a, b], expr.span);
                all.fails = true;
                all
            }
            ExprKind::Logical(_, _, a, b) => self.in_order(&[a, b]),
            ExprKind::Conditional(_, a, b, c) => self.in_order(&[a, b, c]),
            ExprKind::Call(_, function, arguments) => {
                let arguments: Vec<&Expr> = arguments.iter().collect();
                let mut all = self.exprs(&arguments, expr.span);
                if let Some(summary) = self.summaries.get(function) {
                    all.add(summary);
                }
                all
            }
            ExprKind::Builtin(_, builtin, arguments) => {
                let pointers: Vec<&Expr> = arguments.iter().collect();
                let mut all = self.exprs(&pointers, expr.span);
                all.fails |= !matches!(builtin, Builtin::ReadByte | Builtin::Exit | Builtin::Apart);
                match builtin {
                    Builtin::Allocate(..) | Builtin::Row(_) | Builtin::Apart => {}
                    Builtin::Free => all.writes.heap = true,
                    Builtin::ParseInt => {
                        all.reads.memory.insert(Scalar::CHAR);
                    }
                    Builtin::Scan(conversions) => {
                        all.writes.streams = true;
                        all.writes.memory.insert(Scalar::CHAR);
                        all.writes
                            .memory
                            .extend(conversions.iter().filter_map(Conversion::scalar));
                    }
                    Builtin::ReadLine => {
                        all.writes.streams = true;
                        all.writes.memory.insert(Scalar::CHAR);
                    }
                    Builtin::Print(_) => {
                        all.writes.streams = true;
                        all.reads.memory.insert(Scalar::CHAR);
                    }
                    Builtin::ReadByte => all.writes.streams = true,
                    Builtin::Exit => {
                        all.writes.streams = true;
                        all.ends = true;
                    }
                }
                all
            }
            ExprKind::Block(statements, value) => {
                let mut all = self.statements(statements);
                all.add(&self.expr(value));
                all
            }
            ExprKind::Choice(original, _) => self.expr(original),
        }
    }

    /// What finding a cell does.
    fn lvalue(&mut self, lvalue: &Lvalue) -> Effects {
        match lvalue {
            Lvalue::Variable(_) => Effects::default(),
            Lvalue::Deref(pointer) => {
                let mut all = self.expr(pointer);
                all.fails = true;
                all
            }
            Lvalue::Index { array, index, .. } => {
                let parts = [self.lvalue(array), self.expr(index)];
                let mut all = self.any_order(&parts, index.span);
                all.fails |= !matches!(index.kind, ExprKind::Constant(_));
                all
            }
            Lvalue::Field(structure, _) => self.lvalue(structure),
        }
    }

    /// Whether it is the cell with the address that was computed last: it is read after that.
    fn is_known(&self, lvalue: &Lvalue) -> bool {
        let Lvalue::Deref(pointer) = lvalue else {
            return false;
        };
        match &pointer.kind {
            ExprKind::Load(of) => matches!(**of, Lvalue::Variable(it) if Some(it) == self.known),
            _ => false,
        }
    }

    /// A cell of this type that is read or written.
    fn cell(&self, lvalue: &Lvalue, ty: Scalar) -> Uses {
        let mut uses = Uses::default();
        match crate::visit::variable_of(lvalue) {
            Some(variable) => uses.variables.extend([variable]),
            None => uses.memory.extend([ty]),
        }
        uses
    }
}

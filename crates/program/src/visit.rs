//! Walks over programs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ir::{
    Expr, ExprKind, FunctionId, Lvalue, PlaceId, Program, Scalar, Statement, VariableId,
};

/// What a function needs, directly or not.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The functions that it calls, and itself.
    pub functions: HashSet<FunctionId>,
    /// The variables that those name.
    pub variables: HashSet<VariableId>,
    /// Whether they read standard input.
    pub is_reader: bool,
}

/// What a function needs.
pub fn needs(program: &Program, function: FunctionId) -> Needs {
    let mut needs = Needs::default();
    needs.add(program, vec![function]);
    needs
}

/// What runs that begin at these functions may come to, also by the addresses in initializers.
pub fn reached(program: &Program, entries: Vec<FunctionId>) -> Needs {
    let mut reached = Needs::default();
    let mut open = entries;
    loop {
        let before = reached.variables.len();
        reached.add(program, std::mem::take(&mut open));
        for statement in &program.globals {
            // A statement that sets no variable of the program may set any.
            let set = match statement {
                Statement::Assign { target, .. } | Statement::Copy { target, .. } => {
                    variable_of(target)
                }
                _ => None,
            };
            if set.is_none_or(|set| reached.variables.contains(&set)) {
                let mut walk = Walk {
                    addressed: &mut HashSet::new(),
                    calls: &mut open,
                    variables: &mut reached.variables,
                    is_reader: &mut reached.is_reader,
                    loops: &mut 0,
                    value: &mut |_, _| {},
                };
                walk.statements(std::slice::from_ref(statement));
            }
        }
        open.retain(|function| !reached.functions.contains(function));
        if open.is_empty() && reached.variables.len() == before {
            return reached;
        }
    }
}

/// What a run may do several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Iterations of a loop.
    pub loops: bool,
    /// Nested calls of a function: it calls itself, if by way of others.
    pub calls: bool,
}

impl Repeats {
    /// Whether there is any of them.
    pub fn any(self) -> bool {
        self.loops || self.calls
    }
}

/// What a run of these functions may do several times.
pub fn repeats(program: &Program, functions: &HashSet<FunctionId>) -> Repeats {
    let mut calls: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    let mut loops = 0;
    for &function in functions {
        let mut walk = Walk {
            addressed: &mut HashSet::new(),
            calls: calls.entry(function).or_default(),
            variables: &mut HashSet::new(),
            is_reader: &mut false,
            loops: &mut loops,
            value: &mut |_, _| {},
        };
        walk.statements(&program.functions[function].body);
    }
    // What calls nothing that is left is no part of a circle.
    loop {
        let known: HashSet<FunctionId> = calls.keys().copied().collect();
        calls.retain(|_, called| called.iter().any(|function| known.contains(function)));
        if calls.len() == known.len() {
            return Repeats {
                loops: loops > 0,
                calls: !calls.is_empty(),
            };
        }
    }
}

/// The variable that an lvalue is a part of.
pub fn variable_of(lvalue: &Lvalue) -> Option<VariableId> {
    match lvalue {
        Lvalue::Variable(variable) => Some(*variable),
        Lvalue::Deref(_) => None,
        Lvalue::Index { array, .. } => variable_of(array),
        Lvalue::Field(structure, _) => variable_of(structure),
    }
}

impl Needs {
    fn add(&mut self, program: &Program, mut open: Vec<FunctionId>) {
        while let Some(function) = open.pop() {
            if !self.functions.insert(function) {
                continue;
            }
            let mut walk = Walk {
                addressed: &mut HashSet::new(),
                calls: &mut open,
                variables: &mut self.variables,
                is_reader: &mut self.is_reader,
                loops: &mut 0,
                value: &mut |_, _| {},
            };
            walk.statements(&program.functions[function].body);
        }
    }
}

/// The places at which pointers are computed: none of them is ever broken.
pub fn pointers(program: &Program) -> BTreeSet<PlaceId> {
    let scalars = scalars(program).into_iter();
    let pointers = scalars.filter(|(_, scalar)| *scalar == Scalar::Pointer);
    pointers.map(|(place, _)| place).collect()
}

/// What is computed at each place where a value is assigned or returned.
pub fn scalars(program: &Program) -> BTreeMap<PlaceId, Scalar> {
    let mut scalars = BTreeMap::new();
    values(program, &mut |place, value| {
        scalars.insert(place, value.ty);
    });
    scalars
}

/// Shows each value that is assigned or returned at a place.
pub fn values(program: &Program, show: &mut dyn FnMut(PlaceId, &Expr)) {
    let mut walk = Walk {
        addressed: &mut HashSet::new(),
        calls: &mut Vec::new(),
        variables: &mut HashSet::new(),
        is_reader: &mut false,
        loops: &mut 0,
        value: show,
    };
    walk.statements(&program.globals);
    for function in &program.functions {
        walk.statements(&function.body);
    }
}

/// The variables with an address that the program takes.
pub fn addressed(program: &Program) -> HashSet<VariableId> {
    let mut addressed = addressed_in(&program.globals);
    for function in &program.functions {
        addressed.extend(addressed_in(&function.body));
    }
    addressed
}

/// The variables with an address that these statements take.
pub fn addressed_in(statements: &[Statement]) -> HashSet<VariableId> {
    let mut addressed = HashSet::new();
    let mut walk = Walk {
        addressed: &mut addressed,
        calls: &mut Vec::new(),
        variables: &mut HashSet::new(),
        is_reader: &mut false,
        loops: &mut 0,
        value: &mut |_, _| {},
    };
    walk.statements(statements);
    addressed
}

struct Walk<'a> {
    addressed: &'a mut HashSet<VariableId>,
    calls: &'a mut Vec<FunctionId>,
    variables: &'a mut HashSet<VariableId>,
    is_reader: &'a mut bool,
    loops: &'a mut usize,
    value: &'a mut dyn FnMut(PlaceId, &Expr),
}

impl Walk<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            *self.loops += usize::from(matches!(statement, Statement::Loop { .. }));
            match statement {
                Statement::Declare(_) | Statement::Break(_) | Statement::Continue(_) => {}
                Statement::Assign {
                    place,
                    target,
                    value,
                } => {
                    self.place(*place, value);
                    self.lvalue(target);
                    self.expr(value);
                }
                Statement::Copy { target, source, .. } => {
                    self.lvalue(target);
                    self.lvalue(source);
                }
                Statement::Eval(of) | Statement::Assert(of, _) | Statement::Assume(of) => {
                    self.expr(of);
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
                    self.expr(condition);
                    self.statements(first);
                    self.statements(second);
                }
                Statement::Opaque(..) => {}
                Statement::Breakable(_, body) | Statement::Scope(_, body) => self.statements(body),
                Statement::Return { place, value } => {
                    if let Some(value) = value {
                        self.place(*place, value);
                        self.expr(value);
                    }
                }
            }
        }
    }

    fn place(&mut self, place: Option<PlaceId>, value: &Expr) {
        if let Some(place) = place {
            (self.value)(place, value);
        }
    }

    fn lvalue(&mut self, lvalue: &Lvalue) {
        match lvalue {
            Lvalue::Variable(variable) => {
                self.variables.insert(*variable);
            }
            Lvalue::Deref(pointer) => self.expr(pointer),
            Lvalue::Index { array, index, .. } => {
                self.lvalue(array);
                self.expr(index);
            }
            Lvalue::Field(structure, _) => self.lvalue(structure),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Null => {}
            ExprKind::Load(of) => self.lvalue(of),
            ExprKind::Address(of, _) => {
                self.addressed.extend(variable_of(of));
                self.lvalue(of);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Choice(a, _) => self.expr(a),
            ExprKind::Binary(_, _, a, b)
            | ExprKind::Logical(_, _, a, b)
            | ExprKind::Offset(a, b, _)
            | ExprKind::Distance(a, b, _) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(_, a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Call(_, function, arguments) => {
                self.calls.push(*function);
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Builtin(_, builtin, arguments) => {
                *self.is_reader |= builtin.reads_input();
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Block(statements, value) => {
                self.statements(statements);
                self.expr(value);
            }
        }
    }
}

/// Shows every condition of branches and loops among these statements.
pub fn conditions(statements: &[Statement], show: &mut dyn FnMut(&Expr)) {
    for statement in statements {
        match statement {
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                show(condition);
                conditions(then, show);
                conditions(otherwise, show);
            }
            Statement::Loop {
                condition,
                body,
                update,
                ..
            } => {
                show(condition);
                conditions(body, show);
                conditions(update, show);
            }
            Statement::Breakable(_, body) | Statement::Scope(_, body) => conditions(body, show),
            _ => {}
        }
    }
}

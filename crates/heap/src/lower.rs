//! Makes the heap's IR of a function that a front end has read: variables and paths instead of cells, instructions with
//! jumps instead of nested statements, and with calls inlined. Reports what the IR cannot express.

mod branches;
mod calls;
mod conditions;
mod removal;
mod statements;
mod terms;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use nopol_program::front::c::macro_constants;
use nopol_program::ir::{
    self, Expr, FunctionId, Lvalue, NodeId, Outside, PointerKind, Program, Scalar, Shape, Span,
    VariableId as Cell,
};

use super::ir::{
    Instruction, LoopId, Routine, Slot, SlotId, Statement, StatementId, Type, Variable, VariableId,
};
use super::outline::{Outline, contains};

/// How deep calls may be nested.
const DEEPEST_CALL: usize = 8;

/// Most instructions of a routine.
const MOST_INSTRUCTIONS: usize = 4000;

/// Lowers a function. `texts` are the texts of the program's files. With `is_lenient` a statement that is beyond pointers to
/// structures and numbers is [`Instruction::Concrete`], if control leaves it only at its end.
///
/// # Errors
/// If it has something else that is beyond them.
pub fn lower(
    program: &Program,
    texts: &[String],
    function: FunctionId,
    is_lenient: bool,
) -> Result<Routine, Outside> {
    let Some(of) = program.functions.get(function) else {
        return Err(Outside {
            file: Default::default(),
            line: 0,
            reason: "there is no such function".to_owned(),
        });
    };
    let mut lowering = Lowering {
        program,
        texts,
        outline: Outline::new(&program.outline),
        routine: Routine {
            name: of.name.clone(),
            dialect: program.dialect,
            records: program.records.clone(),
            variables: Vec::new().into(),
            parameters: Vec::new(),
            result: None,
            code: Vec::new(),
            statements: Vec::new().into(),
            slots: Vec::new().into(),
            loops: Vec::new().into(),
            jumps: BTreeMap::new(),
            insertions: Vec::new(),
            refused: Vec::new(),
            concrete: Vec::new(),
        },
        names: HashMap::new(),
        aliases: HashMap::new(),
        scope: Vec::new(),
        activations: Vec::new(),
        loops: HashMap::new(),
        written: None,
        targets: 0,
        pending: Vec::new(),
        function,
        is_value: false,
        operation: None,
        is_lenient,
    };
    lowering.globals();
    lowering.whole(function)?;
    lowering.shared();
    lowering.removals();
    Ok(lowering.routine)
}

/// A function that is being lowered.
#[derive(Clone)]
struct Lowering<'p> {
    program: &'p Program,
    texts: &'p [String],
    outline: Outline<'p>,
    routine: Routine,
    /// The variables of the program that are variables of the routine, by the cell in them.
    names: HashMap<(Cell, u32), VariableId>,
    /// The parameters that are the address of something.
    aliases: HashMap<Cell, Lvalue>,
    /// The variables that can be named here.
    scope: Vec<VariableId>,
    /// The functions that are being lowered, outermost first.
    activations: Vec<Activation>,
    /// Where `break` and `continue` go to.
    loops: HashMap<NodeId, Exits>,
    /// Where the statement that is lowered is written, if it is known.
    written: Option<Span>,
    /// How many places that come later there were.
    targets: usize,
    /// Jumps to places that come later.
    pending: Vec<(Target, usize)>,
    function: FunctionId,
    /// Whether what is lowered is a part of an expression that uses its value.
    is_value: bool,
    /// What is done with what is lowered, as it is written.
    operation: Option<Span>,
    is_lenient: bool,
}

/// A call that is being lowered.
#[derive(Clone, Debug)]
struct Activation {
    function: FunctionId,
    result: Option<VariableId>,
    end: Target,
}

/// Where a loop is left and continued.
#[derive(Clone, Copy, Debug)]
struct Exits {
    leave: Target,
    again: Target,
}

/// A place of the code that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target(usize);

impl<'p> Lowering<'p> {
    /// The function whose calls are lowered along.
    fn whole(&mut self, function: FunctionId) -> Result<(), Outside> {
        let of = &self.program.functions[function];
        let end = self.target();
        let result = match (of.result_points_to, of.result) {
            (Some(record), _) => Some(Type::Pointer(record)),
            (None, Some(scalar)) => number(scalar),
            (None, None) => None,
        };
        let result = result.map(|ty| self.hidden("result", ty));
        if let Some(result) = result {
            self.routine.variables[result].is_hidden = false;
            self.routine.variables[result].name = super::RESULT.to_owned();
        }
        self.routine.result = result;
        for parameter in &of.parameters {
            let before = self.scope.len();
            self.declare(*parameter, false);
            let declared = self.scope[before.min(self.scope.len())..].to_vec();
            self.routine.parameters.extend(declared);
        }
        self.activations.push(Activation {
            function,
            result,
            end,
        });
        self.body(&of.body)?;
        self.activations.pop();
        self.place(end);
        Ok(())
    }

    /// What is written once and stands for several leaves, as an argument that a macro uses twice, stays as it is.
    fn shared(&mut self) {
        let repeated = &self.program.repeated;
        let statements = &mut self.routine.statements;
        let mut times: HashMap<Span, usize> = HashMap::new();
        for span in statements
            .iter()
            .flat_map(|of| &of.leaves)
            .filter_map(|leaf| leaf.span)
        {
            *times.entry(span).or_default() += 1;
        }
        for leaf in statements.iter_mut().flat_map(|of| &mut of.leaves) {
            leaf.span = leaf.span.filter(|span| {
                times[span] == 1 && !repeated.iter().any(|part| contains(*span, *part))
            });
        }
    }

    fn globals(&mut self) {
        let macros = macro_constants(self.program, self.texts);
        for (id, variable) in self.program.variables.iter_enumerated() {
            if variable.is_global && !variable.name.starts_with('#') {
                let scope = self.scope.clone();
                self.declare(id, true);
                // A macro is read where it is written, and nowhere assigned to. A static variable of another function has no
                // name here.
                let is_elsewhere = variable.home.is_some_and(|home| home != self.function);
                if is_elsewhere || macros.iter().any(|(constant, _)| *constant == id) {
                    self.scope = scope;
                }
            }
        }
    }

    /// Gives a variable of the program its variables here: one, or one for each field.
    fn declare(&mut self, cell: Cell, is_global: bool) {
        let variable = &self.program.variables[cell];
        let is_hidden = self.activations.len() > 1 || variable.name.starts_with('#');
        let add = |this: &mut Self, offset: u32, name: String, ty: Type, access: PointerKind| {
            let id = this.routine.variables.push_and_get_key(Variable {
                name,
                ty,
                access,
                origin: Some((cell, offset)),
                is_global,
                is_hidden,
            });
            this.names.insert((cell, offset), id);
            if !is_hidden {
                this.scope.push(id);
            }
        };
        match variable.shape {
            Shape::Pointer(record) => {
                let ty = Type::Pointer(record);
                add(self, 0, variable.name.clone(), ty, variable.access);
            }
            Shape::Record(record) => {
                for field in &self.program.records[record].fields {
                    let ty = match field.points_to {
                        Some(record) => Some(Type::Pointer(record)),
                        None => number(field.scalar),
                    };
                    if let Some(ty) = ty {
                        let name = format!("{}.{}", variable.name, field.name);
                        add(self, field.offset, name, ty, field.access);
                    }
                }
            }
            Shape::Other => {
                if let [scalar] = variable.cells.as_slice()
                    && let Some(ty) = number(*scalar)
                {
                    add(self, 0, variable.name.clone(), ty, PointerKind::Raw);
                }
            }
        }
    }

    /// Gives a temporary pointer, of which the program does not say what it points to, the type of what is assigned to it.
    fn type_temporary(&mut self, target: &Lvalue, value: &Expr) {
        let Lvalue::Variable(cell) = target else {
            return;
        };
        if self.names.contains_key(&(*cell, 0)) {
            return;
        }
        let name = name_of(self.program, *cell);
        if let Some(ty) = self.pointer_type(value).filter(|_| name.starts_with('#')) {
            let variable = self.hidden(name.trim_start_matches('#'), ty);
            self.names.insert((*cell, 0), variable);
        }
    }

    /// A variable that the source does not have.
    fn hidden(&mut self, name: &str, ty: Type) -> VariableId {
        let number = self.routine.variables.len();
        self.routine.variables.push_and_get_key(Variable {
            name: format!("#{name}{number}"),
            ty,
            access: PointerKind::Raw,
            origin: None,
            is_global: false,
            is_hidden: true,
        })
    }

    /// The variables that can be named at the beginning of something.
    fn scope_at(&self, at: Span) -> Vec<VariableId> {
        let is_there = |variable: &VariableId| {
            let cell = self.routine.variables[*variable]
                .origin
                .map(|(cell, _)| cell);
            let within = cell.and_then(|cell| self.program.variables[cell].within);
            within.is_none_or(|within| contains(within, at) && within.start < at.start)
        };
        let mut scope: Vec<VariableId> = Vec::new();
        for variable in self.scope.iter().copied().filter(is_there) {
            scope.retain(|old| !self.routine.hides(variable, *old));
            scope.push(variable);
        }
        scope
    }

    fn emit(&mut self, instruction: Instruction) -> usize {
        self.routine.code.push(instruction);
        self.routine.code.len() - 1
    }

    /// A place that comes later.
    fn target(&mut self) -> Target {
        self.targets += 1;
        Target(self.targets)
    }

    /// The instruction goes to this place.
    fn goes_to(&mut self, instruction: usize, target: Target) {
        self.pending.push((target, instruction));
    }

    /// The place is here.
    fn place(&mut self, target: Target) {
        let here = self.routine.code.len();
        let code = &mut self.routine.code;
        self.pending.retain(|(to, instruction)| {
            if *to != target {
                return true;
            }
            if let Some(
                Instruction::Jump(to)
                | Instruction::Test(_, _, to)
                | Instruction::Head { exit: to, .. },
            ) = code.get_mut(*instruction)
            {
                *to = here;
            }
            false
        });
    }

    fn new_loop(&mut self, statement: StatementId) -> LoopId {
        self.routine.loops.push_and_get_key(statement)
    }

    fn new_statement(&mut self, statement: Statement) -> StatementId {
        self.routine.statements.push_and_get_key(statement)
    }

    fn new_slot(&mut self, slot: Slot) -> SlotId {
        self.routine.slots.push_and_get_key(slot)
    }

    /// Whether this is the function that is repaired, and not one that it calls.
    fn is_own(&self) -> bool {
        self.activations.len() == 1
    }

    /// The text at a span.
    fn text(&self, span: Span) -> &'p str {
        self.texts
            .get(span.file as usize)
            .and_then(|text| text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// The line of a byte, counted from 1.
    fn line(&self, span: Span) -> u32 {
        let text = self.texts.get(span.file as usize);
        let before = text.and_then(|text| text.as_bytes().get(..span.start as usize));
        let newlines = before.map_or(0, |before| {
            before.iter().filter(|byte| **byte == b'\n').count()
        });
        u32::try_from(newlines + 1).unwrap_or(u32::MAX)
    }

    fn outside<T>(&self, span: Span, reason: impl Into<String>) -> Result<T, Outside> {
        Err(Outside {
            file: self
                .program
                .files
                .get(span.file as usize)
                .cloned()
                .unwrap_or_default(),
            line: self.line(span),
            reason: reason.into(),
        })
    }
}

/// The type of a number.
fn number(scalar: Scalar) -> Option<Type> {
    match scalar {
        Scalar::Int(_) | Scalar::Bool => Some(Type::Number(scalar)),
        Scalar::Pointer => None,
    }
}

/// What a variable of the program is called.
fn name_of(program: &Program, variable: ir::VariableId) -> &str {
    program
        .variables
        .get(variable)
        .map_or("", |variable| &variable.name)
}

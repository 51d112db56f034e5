//! The variables that can be named where an expression stands.

use nopol_program::ir::{Program, Scalar, VariableId};

/// Variables in scope, the innermost last.
#[derive(Clone, Debug, Default)]
pub struct Scopes(Vec<VariableId>);

impl Scopes {
    /// How many there are; to be given to [`Self::leave`].
    pub fn enter(&self) -> usize {
        self.0.len()
    }

    /// Forgets what was declared since.
    pub fn leave(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// A variable is in scope from here on.
    pub fn declare(&mut self, variable: VariableId) {
        self.0.push(variable);
    }

    /// Whether a variable can be named.
    pub fn has(&self, program: &Program, variable: VariableId) -> bool {
        let name = &program.variables[variable].name;
        let mut inner = self.0.iter().rev();
        inner.find(|other| program.variables[**other].name == *name) == Some(&variable)
            && is_name(name)
    }

    /// Whether another variable that can be named holds the same: pointers may still point to values of different types.
    pub fn has_another(&self, program: &Program, variable: VariableId) -> bool {
        let own = &program.variables[variable];
        self.0.iter().any(|&other| {
            let of = &program.variables[other];
            other != variable && of.cells == own.cells && self.has(program, other)
        })
    }

    /// The variables of one cell of this type that have a name in the source, and those names.
    pub fn of_type<'p>(
        &'p self,
        program: &'p Program,
        ty: Scalar,
    ) -> impl Iterator<Item = (VariableId, &'p str)> {
        self.0.iter().enumerate().filter_map(move |(at, &id)| {
            let variable = &program.variables[id];
            let is_hidden = self.0[at + 1..]
                .iter()
                .any(|&other| program.variables[other].name == variable.name);
            let fits = variable.cells == [ty] && is_name(&variable.name) && !is_hidden;
            fits.then_some((id, &*variable.name))
        })
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

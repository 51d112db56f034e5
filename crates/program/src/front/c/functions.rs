//! Definitions of functions.

use super::declarators::Declared;
use super::scopes::{Scope, Symbol};
use super::source::Syntax;
use super::types::{Prototype, Type};
use super::unread::Bodies;
use super::{Inside, Translated, Translator, build};
use crate::ir::{Function, FunctionId, OutlineKind, Outlined, Scalar, Statement};
use crate::written::Owner;

impl<'s> Translator<'s> {
    /// Declares the function; its body is translated when all declarations are known.
    pub(super) fn define_function(&mut self, item: Syntax<'s>) -> Translated<()> {
        let is_static = self.is_static(item)?;
        let base = self.specified(item)?;
        let Some(declarator) = item.field("declarator") else {
            return self.outside(item, "this function has no name");
        };
        let Declared { name, ty } = self.declarator(declarator, base)?;
        let Type::Function(prototype) = ty else {
            return self.outside(item, format!("`{name}` is not a function"));
        };
        let mut prototype = (*prototype).clone();
        if prototype.parameters.is_none() {
            prototype.parameters = Some(self.old_parameters(item, declarator)?);
        }
        let by_value = |ty: &Type| matches!(ty, Type::Struct(_));
        let parameters = prototype.parameters.iter().flatten();
        let moves = match by_value(&prototype.result) {
            true => Some("returns"),
            false => parameters
                .clone()
                .any(|(_, ty)| by_value(ty))
                .then_some("takes"),
        };
        if let Some(moves) = moves {
            return self.outside(
                declarator,
                format!("`{name}` {moves} a structure by value, which is not supported"),
            );
        }
        let routine = self.declare_routine(&name, prototype.clone(), is_static);
        if self.routines[routine].definition.is_some() {
            return self.outside(declarator, format!("`{name}` is defined twice"));
        }
        let unit = self.units.len();
        self.routines[routine].definition = Some((item, unit));
        self.routines[routine].prototype = prototype;
        // What is in the library's text is translated only if it is called.
        if !item.source.is_library {
            self.function_of(routine);
        }
        Ok(())
    }

    /// The parameters of an old definition, whose types come after the list.
    fn old_parameters(
        &mut self,
        item: Syntax<'_>,
        declarator: Syntax<'_>,
    ) -> Translated<Vec<(String, Type)>> {
        let mut types = Vec::new();
        for declaration in item.children() {
            if declaration.kind() == "declaration" {
                let base = self.specified(declaration)?;
                for declarator in declaration.fields("declarator") {
                    types.push(self.parameter(declarator, base.clone())?);
                }
            }
        }
        let mut list = declarator;
        while let Some(inner) = list
            .field("declarator")
            .filter(|_| list.field("parameters").is_none())
        {
            list = inner;
        }
        let names = list
            .field("parameters")
            .map_or_else(Vec::new, Syntax::children);
        let names = names.into_iter().filter(|name| name.kind() == "identifier");
        Ok(names
            .map(|name| {
                let ty = types.iter().find(|declared| declared.name == name.text());
                (
                    name.text().to_owned(),
                    ty.map_or(Type::INT, |declared| declared.ty.clone()),
                )
            })
            .collect())
    }

    /// The function of a routine that is defined, which is translated then.
    pub(super) fn function_of(&mut self, routine: usize) -> FunctionId {
        if let Some(id) = self.routines[routine].id {
            return id;
        }
        let id = self.program.functions.push_and_get_key(Function {
            name: self.routines[routine].name.clone(),
            parameters: Vec::new(),
            result: self.routines[routine].prototype.result.scalar(),
            result_points_to: None,
            body: Vec::new(),
        });
        self.routines[routine].id = Some(id);
        self.queue.push_back(routine);
        id
    }

    /// Translates the bodies of all functions but those that are left out. Gives those that are to be left out, too.
    pub(super) fn bodies(&mut self, left_out: &Bodies) -> Translated<Bodies> {
        let mut more = Bodies::new();
        while let Some(routine) = self.queue.pop_front() {
            let Some((item, unit)) = self.routines[routine].definition else {
                continue;
            };
            if let Some(outside) = left_out.get(&routine) {
                self.without_body(routine, item, outside.clone());
                continue;
            }
            self.scopes = vec![std::mem::take(&mut self.units[unit]), Scope::default()];
            match self.body(routine, item) {
                Err(outside) if self.is_lenient => self.without_body(routine, item, outside),
                Err(outside) if !self.deadline.is_over() => {
                    more.insert(routine, outside);
                }
                done => done?,
            }
            self.function = None;
            self.scopes.truncate(1);
            if let Some(scope) = self.scopes.pop() {
                self.units[unit] = scope;
            }
        }
        Ok(more)
    }

    fn body(&mut self, routine: usize, item: Syntax<'s>) -> Translated<()> {
        let id = self.function_of(routine);
        let Prototype { result, parameters } = self.routines[routine].prototype.clone();
        let is_main = self.routines[routine].name == "main";
        let mut arguments = None;
        for (number, (name, ty)) in parameters.into_iter().flatten().enumerate() {
            let Some(scalar) = ty.scalar() else {
                return self.outside(item, format!("the parameter `{name}` is not supported"));
            };
            let variable = self.variable(&*name, vec![scalar], false);
            self.program.functions[id].parameters.push(variable);
            self.typed.push((variable, ty.clone()));
            if is_main && number == 1 {
                arguments = Some(variable);
            }
            let symbol = Symbol::Variable {
                id: variable,
                ty,
                constant: None,
            };
            self.bind(&name, symbol);
        }
        self.function = Some(Inside {
            id,
            result: result.clone(),
            arguments,
        });
        let mut statements = Vec::new();
        self.owner = Some(Owner::Function(id));
        if let Some(body) = item.field("body") {
            let arguments = arguments.map(|id| self.program.variables[id].name.clone());
            self.note_body(body, Owner::Function(id), arguments.as_deref());
            if !item.source.is_library {
                self.program.outline.push(Outlined {
                    span: body.span(),
                    kind: OutlineKind::Block,
                });
            }
            // What it declares ends with the function.
            let declared = self.declared.len();
            let done = self.scoped(|this| this.statements(body, &mut statements));
            self.declared.truncate(declared);
            done?;
        }
        if is_main && result == Type::INT {
            statements.push(Statement::Return {
                place: None,
                value: Some(build::constant(0, Scalar::INT, item.span())),
            });
        }
        self.function = None;
        self.owner = None;
        self.program.functions[id].body = statements;
        Ok(())
    }
}

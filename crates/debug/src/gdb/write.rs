//! Changes the subject: assigns to variables and fields, and evaluates expressions, which may call functions.
//!
//! All is done by expressions of C, which gdb evaluates in the selected frame; the functions that they call are called by hand
//! ([`super::call`]). Numbers and pointers are not mixed, nor pointers to different structures.

use std::time::Duration;

use nopol_heap::state::{NodeId, Value};

use super::layout;
use super::memory::shown_type;
use super::names::Names;
use super::subject::Subject;
use super::types::{Kind, Pointee, Type, printed_type};
use super::{Error, Result};

impl Subject {
    /// Assigns to a variable, or to any other expression that can be assigned to: `p`, `l.head`, `p->next`.
    ///
    /// # Errors
    ///
    /// If the value is unknown, of another kind, or its node is nowhere, or gdb refuses.
    pub fn set_variable(&mut self, variable: &str, value: Value, names: &Names) -> Result<()> {
        self.assign(variable, variable, value, names)
    }

    fn assign(&mut self, target: &str, shown: &str, value: Value, names: &Names) -> Result<()> {
        let kind = self.resolved(target)?.map(|found| found.kind);
        let holds = match (kind, value) {
            (Some(Kind::Other), _) => Some("neither a pointer nor an integer"),
            (Some(Kind::Pointer(_)), Value::Number(number)) if number != 0 => Some("a pointer"),
            (Some(Kind::Integer { .. }), Value::Null | Value::Node(_)) => Some("a number"),
            (Some(Kind::Pointer(Pointee::Node(c_type))), Value::Node(node))
                if names.c_type(node).is_some_and(|other| other != c_type) =>
            {
                Some("a pointer to another structure")
            }
            _ => None,
        };
        if let Some(holds) = holds {
            return Err(Error::Unfit {
                target: shown.to_owned(),
                holds,
                value,
            });
        }
        let value = written(value, names)?;
        self.gdb.evaluate(&format!("{target} = {value}"))?;
        Ok(())
    }

    /// Assigns to a field of a node, by its name in the graph.
    ///
    /// # Errors
    ///
    /// If there is no such node or field, the value is unknown, of another kind, or its node is nowhere, or gdb refuses.
    pub fn set_field(
        &mut self,
        node: NodeId,
        field: &str,
        value: Value,
        names: &Names,
    ) -> Result<()> {
        let target = field_expression(node, field, names)?;
        self.assign(&target, &format!("{node}->{field}"), value, names)
    }

    /// The value of a C expression, as gdb prints it. It may assign, and call functions; each of them may run for this long.
    ///
    /// # Errors
    ///
    /// If gdb refuses, or a function cannot be called or does not return.
    pub fn evaluate(&mut self, expression: &str, limit: Duration) -> Result<String> {
        let settled = self.settled(expression, limit)?;
        self.gdb.evaluate(&settled)
    }

    pub(super) fn enable_breakpoints(&mut self, is_on: bool) -> Result<()> {
        let verb = if is_on { "enable" } else { "disable" };
        if self.breakpoints.is_empty() {
            return Ok(());
        }
        let numbers: Vec<String> = self.breakpoints.iter().map(u32::to_string).collect();
        let command = format!("-break-{verb} {}", numbers.join(" "));
        self.gdb.command(&command)?;
        Ok(())
    }

    /// Which structure an expression points to by its type: the tag, as nodes have it. Nothing if it is not a pointer
    /// to a structure, or to a pointer to one.
    ///
    /// # Errors
    ///
    /// If gdb does not answer.
    pub fn pointee(&mut self, expression: &str) -> Result<Option<String>> {
        Ok(match self.resolved(expression)? {
            Some(Type {
                kind: Kind::Pointer(pointee),
                dimensions,
            }) if dimensions.is_empty() => shown_type(&pointee).map(str::to_owned),
            _ => None,
        })
    }

    /// Which structure a field of a node points to, as [`Subject::pointee`] tells it.
    ///
    /// # Errors
    ///
    /// If there is no such node, or gdb does not answer.
    pub fn field_pointee(
        &mut self,
        node: NodeId,
        field: &str,
        names: &Names,
    ) -> Result<Option<String>> {
        self.pointee(&field_expression(node, field, names)?)
    }

    /// The type of an expression, as gdb prints it. Nothing if it has none here.
    ///
    /// # Errors
    ///
    /// If gdb does not answer.
    pub fn type_of(&mut self, expression: &str) -> Result<Option<String>> {
        printed_type(&mut self.gdb, expression)
    }

    fn resolved(&mut self, expression: &str) -> Result<Option<Type>> {
        match printed_type(&mut self.gdb, expression)? {
            Some(text) => {
                let spelled = layout::type_name(&text);
                self.types.resolve(&mut self.gdb, &spelled).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// A field of a node as an expression.
fn field_expression(node: NodeId, field: &str, names: &Names) -> Result<String> {
    let pointer = pointer(node, names)?;
    Ok(match field {
        "*" => format!("*{pointer}"),
        _ => format!("({pointer})->{field}"),
    })
}

/// A pointer to a node as an expression.
fn pointer(node: NodeId, names: &Names) -> Result<String> {
    match (names.address(node), names.c_type(node)) {
        (Some(address), Some(c_type)) => Ok(format!("({c_type} *) {address:#x}")),
        _ => Err(Error::NoNode(node)),
    }
}

/// A value as an expression.
fn written(value: Value, names: &Names) -> Result<String> {
    match value {
        Value::Null => Ok("0".to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Node(node) => pointer(node, names),
        Value::Unknown => Err(Error::NotWritable(value)),
    }
}

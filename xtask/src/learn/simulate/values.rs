//! What contexts of a site say, whatever its language.

use nopol_expr::{Type, Value};
use nopol_process::run::trace::Read;
use nopol_source::condition::Node;
use nopol_source::{Language, Site, Sources};

use super::in_c::InC;
use super::known::Known;
use super::state::{Context, State, Variable};

/// The values at a site.
pub trait Values {
    /// The independent ones, in the order of a context.
    fn variables(&self) -> &[Variable];

    /// What a run would record, and the value of each in a context, if it has one.
    fn recorded(&self, context: &Context) -> Vec<(Read, Value)>;

    /// The outcome of a condition; `None` if it cannot be computed.
    fn outcome(&self, condition: &Node, context: &Context) -> Option<bool>;

    /// Whether a condition can be computed.
    fn is_readable(&self, condition: &Node) -> bool;

    /// Whether every function that a condition calls exists.
    fn names_callables(&self, condition: &Node) -> bool;

    /// Makes the operands of a condition readable, too.
    fn extend(&mut self, condition: &Node);
}

/// The values at a site of a program.
pub fn at<'s>(sources: &'s Sources, site: &'s Site) -> Box<dyn Values + 's> {
    match sources.language {
        Language::C => Box::new(InC::at(sources, site)),
        Language::Rust => {
            let mut known = Known::at(sources, site);
            let state = State::at(sources, site, &mut known);
            Box::new(InRust { known, state })
        }
    }
}

struct InRust<'s> {
    known: Known<'s>,
    state: State,
}

impl Values for InRust<'_> {
    fn variables(&self) -> &[Variable] {
        &self.state.variables
    }

    fn recorded(&self, context: &Context) -> Vec<(Read, Value)> {
        let values = self.state.recorded.iter().filter_map(|(text, tree)| {
            let value = self.state.value(tree, None, context).ok().flatten()?;
            let read = Read {
                captured: text.clone(),
                steps: Vec::new(),
            };
            Some((read, value))
        });
        values.collect()
    }

    fn outcome(&self, condition: &Node, context: &Context) -> Option<bool> {
        match self.state.value(condition, Some(Type::Bool), context) {
            Ok(Some(Value::Bool(outcome))) => Some(outcome),
            _ => None,
        }
    }

    fn is_readable(&self, condition: &Node) -> bool {
        self.state.is_readable(condition)
    }

    fn names_callables(&self, condition: &Node) -> bool {
        self.known.names_callables(condition)
    }

    fn extend(&mut self, condition: &Node) {
        self.state.extend(&mut self.known, condition);
    }
}

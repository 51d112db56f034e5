//! Operators and constants as the text of a program has them, for those who change them. A front end finds them in the
//! syntax of what it translates, not in what it makes of it: so it shows if one was lost on the way.

use std::collections::{BTreeMap, HashMap};

use super::ir::{BinaryOp, FunctionId, LogicalOp, Span, VariableId};

/// What is written in the functions and initializers of a program.
#[derive(Clone, Debug, Default)]
pub struct Written {
    items: BTreeMap<Span, Item>,
    operations: HashMap<Span, Operation>,
}

/// An operator or a constant.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The statement that it is a part of: what is computed there, or the definition of what has a name.
    pub statement: Span,
    /// Whether the statement is a definition that other statements use by its name, such as that of a macro.
    pub is_shared: bool,
    /// What it belongs to.
    pub owners: Vec<Owner>,
    /// Whether it stays as it is: it is a part of a type, or the compiler might reject another one.
    pub is_fixed: bool,
    /// Whether a type depends on it as well, such as the length of an array.
    pub is_of_type: bool,
    /// The numbers that it must not become: those of the other labels of a `switch`.
    pub not: Vec<i128>,
    /// What else it could mean, if it is in a comparison with a result of which the language leaves something open.
    pub limit: Option<Limit>,
}

/// Which mutations of a comparison mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// None: it is the 0 that a result is compared with.
    Zero,
    /// `==` and `!=`: all that is known is whether the result is 0.
    Equality,
}

/// What an operator or a constant belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A function, by its body.
    Function(FunctionId),
    /// A global variable, by its initializer.
    Variable(VariableId),
    /// The length of a global variable, which is an array.
    Length(VariableId),
    /// A type outside of functions: anything may depend on it.
    Type,
}

/// Kinds of operators and constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// An operator of two operands, also one that assigns, and `++` and `--`.
    Operator(BinaryOp),
    /// `&&` or `||`.
    Connective,
    /// An integer, or the 1 of `++` and `--`.
    Constant,
    /// An expression that C compares with 0, though that is not written.
    Truth,
}

/// An operator that is written between two operands, or that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// One that evaluates both operands.
    Binary(BinaryOp),
    /// One that does not.
    Logical(LogicalOp),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its operator.
    pub operator: Operator,
    /// Where that is.
    pub at: Span,
    /// Whether it also assigns.
    pub assigns: bool,
    /// Both operands, where the operator is written; `None` if one of them is written elsewhere.
    pub operands: Option<[Operand; 2]>,
    /// What it is if it is `++` or `--`.
    pub step: Option<Step>,
}

/// An operand as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Where, with the parentheses around it.
    pub span: Span,
    /// Whether it has no parentheses around it.
    pub is_bare: bool,
    /// Whether it ends with the type of a cast, after which Rust takes `<` for the beginning of a list of types.
    pub ends_with_type: bool,
}

/// `++` or `--`.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The whole of it.
    pub whole: Span,
    /// What is counted.
    pub target: Span,
    /// Whether its value is used, and which one that is.
    pub used: Used,
}

/// What becomes of the value of `++` or `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// Nothing.
    No,
    /// The new value is used.
    After,
    /// The old value is used.
    Before,
}

impl Written {
    /// Adds an operator or a constant; a known one gets another owner.
    pub fn add(&mut self, span: Span, item: Item) {
        if span.start >= span.end {
            return;
        }
        match self.items.get_mut(&span) {
            Some(known) => {
                let new = item
                    .owners
                    .iter()
                    .filter(|owner| !known.owners.contains(owner));
                let new: Vec<Owner> = new.copied().collect();
                known.owners.extend(new);
                known.is_fixed |= item.is_fixed;
                known.not.extend(item.not);
            }
            None => {
                self.items.insert(span, item);
            }
        }
    }

    /// A label of a `switch` must not become one of the others.
    pub fn forbid(&mut self, label: Span, others: impl IntoIterator<Item = i128>) {
        let others: Vec<i128> = others.into_iter().collect();
        self.within(label, |item| item.not.extend(others.iter().copied()));
    }

    /// Adds an operation: `whole` is where the expression is.
    pub fn add_operation(&mut self, whole: Span, operation: Operation) {
        self.operations.insert(whole, operation);
    }

    /// Little else means something in place of the operator or constant that is written there.
    pub fn limit(&mut self, at: Span, limit: Limit) {
        if let Some(item) = self.items.get_mut(&at) {
            item.limit = Some(limit);
        }
    }

    /// A type depends on what is written there.
    pub fn fix(&mut self, within: Span) {
        self.within(within, |item| item.is_of_type = true);
    }

    /// What is written there belongs to something more.
    pub fn own(&mut self, within: Span, owner: Option<Owner>) {
        self.within(within, |item| {
            let is_new = |owner: &Owner| !item.owners.contains(owner);
            if let Some(owner) = owner.filter(is_new) {
                item.owners.push(owner);
            }
        });
    }

    /// Something depends on the size of a variable.
    pub fn size(&mut self, variable: VariableId) {
        let of = Owner::Length(variable);
        for item in self.items.values_mut() {
            if item.owners.contains(&of) && !item.owners.contains(&Owner::Type) {
                item.owners.push(Owner::Type);
            }
        }
    }

    fn within(&mut self, within: Span, mut change: impl FnMut(&mut Item)) {
        let items = self.items.range_mut(Span { end: 0, ..within }..);
        for (span, item) in items {
            if span.file != within.file || span.start >= within.end {
                break;
            }
            if span.end <= within.end {
                change(item);
            }
        }
    }

    /// The operators and constants, in the order of the text.
    pub fn items(&self) -> impl Iterator<Item = (Span, &Item)> {
        self.items.iter().map(|(span, item)| (*span, item))
    }

    /// The operator or constant that is written there.
    pub fn item(&self, at: Span) -> Option<&Item> {
        self.items.get(&at)
    }

    /// The operation that is written there.
    pub fn operation(&self, whole: Span) -> Option<&Operation> {
        self.operations.get(&whole)
    }
}

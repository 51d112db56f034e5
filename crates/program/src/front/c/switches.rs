//! `switch`: a block that `break` leaves, and in it one branch for each group of statements with labels.

use super::source::Syntax;
use super::statements::Jump;
use super::types::Type;
use super::{Translated, Translator, build};
use crate::ir::{BinaryOp, Expr, ExprKind, LogicalOp, Lvalue, Scalar, Span, Statement, VariableId};

/// Statements and the labels before them.
struct Group {
    /// The values; `None` is the default.
    labels: Vec<Option<Label>>,
    body: Vec<Statement>,
    span: Span,
}

/// A label.
#[derive(Clone)]
struct Label {
    number: i128,
    /// How it is computed.
    value: Expr,
    /// Whether it is written as a character.
    is_character: bool,
    span: Span,
}

impl Translator<'_> {
    /// `switch`
    pub(super) fn switch(
        &mut self,
        syntax: Syntax<'_>,
        statements: &mut Vec<Statement>,
    ) -> Translated<()> {
        let (Some(scrutinee), Some(body)) = (syntax.field("condition"), syntax.field("body"))
        else {
            return self.outside(syntax, "this `switch` is not supported");
        };
        let inner = scrutinee.without_parentheses();
        let (value, place) = self.at_statement(syntax.span_to(scrutinee), |this| {
            let value = this.value(inner)?;
            let ty = value.ty.clone();
            let value = this.number(value, inner)?;
            let place = this.value_place(inner);
            this.note_type(place, &ty);
            Ok((value, place))
        })?;
        let scalar = value.expr.ty;
        let span = inner.span();
        let variable = self.variable("#switch", vec![scalar], false);
        statements.push(Statement::Declare(variable));
        statements.push(Statement::Assign {
            place,
            target: Lvalue::Variable(variable),
            value: value.expr,
        });
        let node = self.node();
        self.jumps.push(Jump {
            node,
            is_loop: false,
        });
        let outer = self.declared.len();
        let groups = self.scoped(|this| this.groups(body, &value.ty));
        let declared = self.declared.split_off(outer);
        let groups = groups?;
        self.check_labels(&groups)?;
        let mut labels = groups
            .iter()
            .flat_map(|group| group.labels.iter().flatten());
        if let Some(place) = place.filter(|_| labels.any(|label| label.is_character)) {
            self.program.places[place].is_character = true;
        }
        self.jumps.pop();
        let through = self.variable("#through", vec![Scalar::Bool], false);
        let scrutinee = build::load(Lvalue::Variable(variable), scalar, span);
        let mut inside = vec![Statement::Declare(through)];
        inside.extend(self.groups_in_order(groups, &scrutinee, through));
        statements.push(Statement::Breakable(node, self.ended(declared, inside)));
        Ok(())
    }

    /// The groups of a block.
    fn groups(&mut self, body: Syntax<'_>, ty: &Type) -> Translated<Vec<Group>> {
        let mut groups: Vec<Group> = Vec::new();
        if body.kind() != "compound_statement" {
            return self.outside(body, "`switch` without a block is not supported");
        }
        for item in body.children() {
            if item.kind() == "case_statement" {
                self.labelled(item, ty, &mut groups)?;
                continue;
            }
            match groups.last_mut() {
                Some(group) => {
                    let mut more = Vec::new();
                    self.statement(item, &mut more)?;
                    group.body.append(&mut more);
                }
                None => {
                    return self.outside(
                        item,
                        "statements of a `switch` before its first `case` are not supported",
                    );
                }
            }
        }
        Ok(groups)
    }

    fn label_number(&mut self, label: Syntax<'_>, ty: &Type) -> Translated<i128> {
        let (number, _) = self.constant(label)?;
        Ok(ty.scalar().unwrap_or(Scalar::INT).wrap(number))
    }

    /// Makes sure that all labels are different, as the compiler does.
    fn check_labels(&mut self, groups: &[Group]) -> Translated<()> {
        let labels = groups
            .iter()
            .flat_map(|group| group.labels.iter().flatten());
        let labels: Vec<&Label> = labels.collect();
        for (at, label) in labels.iter().enumerate() {
            let is_same = |other: &&&Label| other.number == label.number;
            if labels[..at].iter().any(|other| is_same(&other)) {
                let reason = format!("the value {} has two `case` labels", label.number);
                return Err(self.error_at(label.span, reason));
            }
            if self.keeps_constants() {
                let others = labels.iter().filter(|other| !is_same(other));
                let others = others.map(|other| other.number);
                self.program.written.forbid(label.span, others);
            }
        }
        Ok(())
    }

    /// The groups that one `case` begins: labels may follow each other as statements of the one before.
    fn labelled(&mut self, item: Syntax<'_>, ty: &Type, groups: &mut Vec<Group>) -> Translated<()> {
        let value = item.field("value");
        let label = match value {
            Some(value) => Some(Label {
                number: self.label_number(value, ty)?,
                value: self.computed(value, ty)?,
                is_character: value.without_parentheses().kind() == "char_literal",
                span: value.span(),
            }),
            None => None,
        };
        match groups.last_mut() {
            Some(group) if group.body.is_empty() => group.labels.push(label),
            _ => groups.push(Group {
                labels: vec![label],
                body: Vec::new(),
                span: item.span(),
            }),
        }
        for statement in item.children() {
            if value.is_some_and(|value| value.node.id() == statement.node.id()) {
                continue;
            }
            if statement.kind() == "case_statement" {
                self.labelled(statement, ty, groups)?;
                continue;
            }
            let mut more = Vec::new();
            self.statement(statement, &mut more)?;
            if let Some(group) = groups.last_mut() {
                group.body.append(&mut more);
            }
        }
        Ok(())
    }

    /// One branch for each group: it is entered if a label has the value, or if the group before falls through.
    fn groups_in_order(
        &mut self,
        groups: Vec<Group>,
        scrutinee: &Expr,
        through: VariableId,
    ) -> Vec<Statement> {
        let all: Vec<Label> = groups
            .iter()
            .flat_map(|group| group.labels.iter().flatten())
            .cloned()
            .collect();
        let mut statements = declared_for_all(&groups);
        let mut falls = false;
        for mut group in groups {
            let span = group.span;
            let has_default = group.labels.iter().any(Option::is_none);
            let labels: Vec<Label> = if has_default {
                let own = |label: &Label| {
                    let mut labels = group.labels.iter().flatten();
                    labels.any(|own| own.number == label.number)
                };
                all.iter().filter(|label| !own(label)).cloned().collect()
            } else {
                group.labels.iter().flatten().cloned().collect()
            };
            let is_any = self.is_any(scrutinee, labels, span);
            let mut condition = if has_default {
                build::not(is_any, span)
            } else {
                is_any
            };
            if falls {
                let falls = build::load(Lvalue::Variable(through), Scalar::Bool, span);
                condition = self.either(falls, condition, span);
            }
            falls = !ends(&group.body);
            if falls {
                let yes = build::constant(1, Scalar::Bool, span);
                group
                    .body
                    .insert(0, build::assign(Lvalue::Variable(through), yes));
            }
            statements.push(Statement::If {
                node: self.node(),
                place: None,
                condition,
                then: group.body,
                otherwise: Vec::new(),
            });
        }
        statements
    }

    fn either(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Logical(LogicalOp::Or, self.node(), Box::new(left), Box::new(right)),
            ty: Scalar::Bool,
            span,
        }
    }

    fn is_any(&mut self, scrutinee: &Expr, labels: Vec<Label>, span: Span) -> Expr {
        let mut any = None;
        for label in labels {
            let is_this = build::compare(BinaryOp::Eq, scrutinee.clone(), label.value, span);
            any = Some(match any {
                Some(before) => self.either(before, is_this, span),
                None => is_this,
            });
        }
        any.unwrap_or_else(|| build::constant(0, Scalar::Bool, span))
    }
}

/// Whether nothing can come after these statements.
fn ends(body: &[Statement]) -> bool {
    matches!(
        body.last(),
        Some(Statement::Break(_) | Statement::Continue(_) | Statement::Return { .. })
    )
}

/// Declares what is declared in one group: another one may use it.
fn declared_for_all(groups: &[Group]) -> Vec<Statement> {
    let before_last = groups.iter().rev().skip(1);
    before_last
        .flat_map(|group| &group.body)
        .filter(|statement| matches!(statement, Statement::Declare(_)))
        .cloned()
        .collect()
}

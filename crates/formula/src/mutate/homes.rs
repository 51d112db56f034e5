//! Choices and the statements that they change, and which operators and constants have none.

use std::collections::BTreeSet;

use nopol_program::ir::{ChoiceId, Expr, ExprKind, FunctionId, PlaceId, Span, VariableId, Variant};
use nopol_program::written::{Item, ItemKind, Limit, Owner};

use super::operators::{Level, level_of, others};
use super::space::{Choice, Home, LocationId, MutationEdit, Mutator, Unmutated};

impl Unmutated {
    /// Whether an operator or a constant belongs to what is searched.
    fn counts(&self, item: &Item) -> bool {
        let is_kept = |owner: &Owner| match owner {
            Owner::Function(function) => self.functions.contains(function),
            Owner::Variable(variable) => self.variables.contains(variable),
            Owner::Length(_) | Owner::Type => false,
        };
        let is_reached = |owner: &Owner| {
            self.reached.as_ref().is_none_or(|reached| match owner {
                Owner::Function(function) => reached.functions.contains(function),
                // A length on which a type depends is read and not computed.
                Owner::Variable(variable) => {
                    item.is_of_type || item.is_fixed || reached.variables.contains(variable)
                }
                Owner::Length(variable) => reached.variables.contains(variable),
                Owner::Type => true,
            })
        };
        item.owners.iter().any(is_reached) && !item.owners.iter().any(is_kept)
    }

    /// Whether the body of a function belongs to what is searched.
    pub(super) fn may_change_function(&self, function: FunctionId) -> bool {
        let reached = self.reached.as_ref();
        let is_reached = reached.is_none_or(|reached| reached.functions.contains(&function));
        is_reached && !self.functions.contains(&function)
    }

    /// The same of the initializer of a global variable.
    pub(super) fn may_change_variable(&self, variable: VariableId) -> bool {
        let reached = self.reached.as_ref();
        let is_reached = reached.is_none_or(|reached| reached.variables.contains(&variable));
        is_reached && !self.variables.contains(&variable)
    }

    fn may_change(&self, item: &Item) -> bool {
        let has_others = item.limit != Some(Limit::Zero);
        self.counts(item) && has_others && !item.is_fixed && !(item.is_of_type && self.types)
    }
}

impl Mutator<'_> {
    /// Puts these choices at an expression.
    pub(super) fn choose(&mut self, expr: &mut Expr, variants: Vec<(MutationEdit, Variant)>) {
        self.choose_at(expr, None, None, variants);
    }

    /// The same; `at` is the operator or constant that changes, and `level` the level that has the changes if it is not
    /// that of the variant.
    pub(super) fn choose_at(
        &mut self,
        expr: &mut Expr,
        at: Option<Span>,
        level: Option<Level>,
        variants: Vec<(MutationEdit, Variant)>,
    ) {
        let (ty, span) = (expr.ty, expr.span);
        let choices: Vec<_> = variants
            .into_iter()
            .filter_map(|(edit, variant)| {
                let level = level.unwrap_or_else(|| level_of(expr, &variant));
                Some((self.choice(edit, at, level)?, variant))
            })
            .collect();
        if choices.is_empty() {
            return;
        }
        self.tell_numbers_apart(expr, &choices);
        let original = std::mem::replace(
            expr,
            Expr {
                kind: ExprKind::Null,
                ty,
                span,
            },
        );
        expr.kind = ExprKind::Choice(Box::new(original), choices);
    }

    /// The choice that makes an edit. The same edit is the same choice, wherever its text is used.
    fn choice(&mut self, edit: MutationEdit, at: Option<Span>, level: Level) -> Option<ChoiceId> {
        if let Some(&known) = self.known.get(&edit) {
            self.tried.extend(at);
            return Some(known);
        }
        let location = self.location_of(edit.span, at)?;
        let choice = Choice {
            location,
            edit: edit.clone(),
            number: None,
            level,
        };
        let id = self.choices.push_and_get_key(choice);
        self.known.insert(edit, id);
        self.tried.extend(at);
        Some(id)
    }

    /// The statement that an edit changes; `None` if it cannot be wrong, or must not change. `at` is the operator or constant.
    fn location_of(&mut self, edit: Span, at: Option<Span>) -> Option<LocationId> {
        let original = self.original;
        let item = at.and_then(|at| original.written.item(at));
        if let Some(item) = item {
            if !self.kept.may_change(item) {
                return None;
            }
            if item.is_shared {
                return Some(self.location_at(item.statement));
            }
        }
        let contains = |span: &Span| {
            span.file == edit.file && span.start <= edit.start && edit.end <= span.end
        };
        let innermost = || self.places.iter().find(|(_, span)| contains(span));
        let place = match self.location {
            Home::Place(place) => Some(place),
            Home::Effect(_) | Home::Other => innermost().map(|(place, _)| *place),
        };
        match (place, self.location) {
            (Some(place), _) => Some(self.location_of_place(place)),
            (None, Home::Effect(span)) => Some(self.location_at(span)),
            (None, _) => item.map(|item| self.location_at(item.statement)),
        }
    }

    fn location_of_place(&mut self, place: PlaceId) -> LocationId {
        let locations = &mut self.locations;
        let span = self.original.places[place].span;
        let known = self.of_place.entry(place);
        *known.or_insert_with(|| locations.push_and_get_key(span))
    }

    /// The statement that is written there.
    fn location_at(&mut self, span: Span) -> LocationId {
        if let Some((place, _)) = self.places.iter().find(|(_, place)| *place == span) {
            return self.location_of_place(*place);
        }
        let locations = &mut self.locations;
        let known = self.of_span.entry(span);
        *known.or_insert_with(|| locations.push_and_get_key(span))
    }

    /// An operator or a constant has no other one that could take its place.
    pub(super) fn settled(&mut self, at: Span) {
        self.tried.insert(at);
    }

    /// The operators, constants and pointers that a level promises to change, and for which there is no choice.
    pub(super) fn untried(&self) -> Vec<Span> {
        let items = self.original.written.items();
        let untried = items.filter(|(at, item)| {
            let is_promised = match item.kind {
                ItemKind::Operator(op) => others(op, self.level).next().is_some(),
                ItemKind::Connective => true,
                ItemKind::Constant | ItemKind::Truth => self.level >= Level::Two,
            };
            // What a type depends on as well is tried, but not all of what it does is followed.
            let is_tried = self.tried.contains(at) && !item.is_of_type;
            let has_others = item.limit != Some(Limit::Zero);
            is_promised && has_others && !is_tried && self.kept.counts(item)
        });
        let untried: BTreeSet<Span> = untried.map(|(at, _)| at).collect();
        untried.union(&self.pointers).copied().collect()
    }
}

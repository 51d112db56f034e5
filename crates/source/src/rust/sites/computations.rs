//! Integer expressions, and assignments that compute: sites of small edits.

use syn::Expr;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::{Finder, Position};
use crate::SiteKind;
use crate::rust::condition;
use crate::rust::integers::Certainty;

impl Finder<'_> {
    /// Adds the site of an expression, if it computes an integer. Returns whether the expression is a site, or part of
    /// one.
    pub(super) fn computation(&mut self, expr: &Expr, at: Position) -> bool {
        if at.is_term {
            return true;
        }
        let (span, start) = (self.range(expr), expr.span().start());
        if let Expr::Binary(binary) = expr
            && condition::is_assignment(&binary.op)
            && self.certainty(&binary.right) > Certainty::Unlikely
        {
            self.site(SiteKind::Assignment, span, start);
            return false;
        }
        // A macro may take its argument by reference, so a value of unknown type must not be moved there.
        let least = match at.is_value {
            true => Certainty::Possible,
            false => Certainty::Sure,
        };
        let is_site = at.is_standalone && !at.is_covered && self.certainty(expr) >= least;
        if is_site {
            self.site(SiteKind::Integer, span, start);
        }
        is_site
    }

    /// Visits an operand of an integer expression that is a site.
    pub(super) fn visit_term(&mut self, expr: &Expr) {
        self.at.is_term = true;
        self.visit_expr(expr);
    }

    fn certainty(&self, expr: &Expr) -> Certainty {
        let ty = |name: &str| {
            let visible = self.scopes.visible();
            let known = visible.iter().find(|known| known.text == name)?;
            Some(known.ty.clone())
        };
        self.all.integers.certainty(expr, &ty)
    }
}

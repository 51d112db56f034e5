//! Alternatives to the method calls of a condition: another method of the same kind, on the same receiver and with the
//! same arguments.

use syn::Expr;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Groups of similar methods of std, which programmers confuse.
const GROUPS: [&[&str]; 9] = [
    &[
        "is_alphabetic",
        "is_alphanumeric",
        "is_numeric",
        "is_whitespace",
        "is_ascii_digit",
        "is_uppercase",
        "is_lowercase",
        "is_control",
    ],
    &[
        "is_ascii_alphabetic",
        "is_ascii_alphanumeric",
        "is_ascii_digit",
        "is_ascii_whitespace",
        "is_ascii_punctuation",
        "is_ascii_uppercase",
        "is_ascii_lowercase",
        "is_ascii_hexdigit",
        "is_ascii_graphic",
        "is_ascii_control",
    ],
    &["starts_with", "ends_with", "contains", "eq"],
    &["eq", "eq_ignore_ascii_case"],
    &["is_nan", "is_infinite", "is_finite", "is_normal"],
    &["is_sign_negative", "is_sign_positive"],
    &["is_positive", "is_negative"],
    &["is_file", "is_dir", "exists", "is_symlink"],
    &["first", "last"],
];

/// The calls of a condition, each with another method. `own` returns methods of the subject that are of the same kind
/// as the given one.
pub fn siblings(condition: &str, own: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let Ok(expr) = syn::parse_str::<Expr>(condition) else {
        return Vec::new();
    };
    let mut siblings = Siblings {
        text: condition,
        own,
        found: Vec::new(),
    };
    siblings.visit_expr(&expr);
    siblings.found
}

struct Siblings<'a> {
    text: &'a str,
    own: &'a dyn Fn(&str) -> Vec<String>,
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Siblings<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        let groups = GROUPS.iter().filter(|group| group.contains(&&*name));
        let of_std = groups.flat_map(|group| group.iter().map(ToString::to_string));
        for other in (self.own)(&name).into_iter().chain(of_std) {
            if other == name {
                continue;
            }
            let whole = call.span().byte_range();
            let method = call.method.span().byte_range();
            let text = format!(
                "{}{other}{}",
                &self.text[whole.start..method.start],
                &self.text[method.end..whole.end]
            );
            if !self.found.contains(&text) {
                self.found.push(text);
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_replaced_by_others_of_its_kind() {
        let own = |name: &str| match name {
            "is_open" => vec!["is_open".to_owned(), "is_ready".to_owned()],
            _ => Vec::new(),
        };
        assert_eq!(
            siblings("!gate.is_open(now) && n > 0", &own),
            ["gate.is_ready(now)"]
        );
        assert!(siblings("c.is_alphabetic()", &own).contains(&"c.is_alphanumeric()".to_owned()));
    }
}

//! Writes an access as program text. This is the only place that does so. A construct of only one language is written
//! in that language's syntax, so the language need not be passed.

use nopol_expr::Outline;
use nopol_expr::access::{Access, Payload, Prefix, Query, Reach};

/// The text of an access.
pub fn text(access: &Access) -> String {
    match access {
        Access::Variable(text) | Access::Written(text, _) | Access::Opaque(text, _) => text.clone(),
        Access::Literal(literal) => literal.text.clone(),
        Access::Field(of, Reach::Direct, name) => format!("{}.{name}", text(of)),
        Access::Field(of, Reach::Through, name) => format!("{}->{name}", text(of)),
        Access::Query(of, Query::StringLength) => format!("strlen({})", text(of)),
        Access::Query(of, query) => format!("{}.{}()", text(of), method(*query)),
        Access::Method(of, name, arguments) => {
            format!("{}.{name}({})", text(of), list(arguments))
        }
        Access::Call(of, arguments) => format!("{}({})", text(of), list(arguments)),
        Access::Payload(of, payload) => format!("{}{}.unwrap()", text(of), borrow(*payload)),
        Access::Variant(of, pattern) => format!("matches!({}, {pattern})", text(of)),
        Access::Index(of, index) => format!("{}[{}]", text(of), text(index)),
        Access::Cast(of, ty) => format!("{} as {ty}", text(of)),
        Access::Prefix(prefix, of) => format!("{}{}", before(*prefix), text(of)),
        Access::Infix(op, a, b) => format!("{} {} {}", text(a), op.token(), text(b)),
        Access::Contents(of) => text(of),
        Access::Group(inner) => format!("({})", text(inner)),
    }
}

/// The tree of a text, as written. If the text differs from the tree's usual form only in white space, the tree keeps
/// that text. If it differs otherwise, the access is opaque.
pub fn as_written(tree: Access, own: &str) -> Access {
    let usual = text(&tree);
    if usual == own {
        return tree;
    }
    let is_mark = |c: &char| !c.is_whitespace();
    match usual
        .chars()
        .filter(is_mark)
        .eq(own.chars().filter(is_mark))
    {
        true => Access::Written(own.to_owned(), Box::new(tree)),
        false => opaque(own),
    }
}

/// An access of which only the text is known.
pub fn opaque(text: &str) -> Access {
    Access::Opaque(text.to_owned(), Outline::of_text(text))
}

fn list(arguments: &[Access]) -> String {
    let texts: Vec<String> = arguments.iter().map(text).collect();
    texts.join(", ")
}

fn borrow(payload: Payload) -> &'static str {
    match payload {
        Payload::Moved => "",
        Payload::Borrowed => ".as_ref()",
        Payload::BorrowedMutably => ".as_mut()",
    }
}

fn before(prefix: Prefix) -> &'static str {
    match prefix {
        Prefix::Deref => "*",
        Prefix::Reference => "&",
        Prefix::Not => "!",
        Prefix::Minus => "-",
        Prefix::Complement => "~",
    }
}

fn method(query: Query) -> &'static str {
    match query {
        Query::Len => "len",
        Query::IsEmpty => "is_empty",
        Query::IsSome => "is_some",
        Query::IsNone => "is_none",
        Query::IsOk => "is_ok",
        Query::IsErr => "is_err",
        Query::Capacity => "capacity",
        Query::StringLength => "strlen",
    }
}

//! Results of library functions of which C only says whether they are 0 (C11, 7.4) or how they compare with 0 (7.24.4). A
//! compiled program may get another number than the interpreter, so nothing may depend on more.

use super::source::Syntax;
use super::types::Type;
use super::{Translated, Translator, calls};

/// What C says of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Whether it is 0.
    Truth,
    /// Whether it is below 0, 0 or above 0.
    Sign,
}

impl Known {
    pub(super) fn of(function: &str) -> Option<Self> {
        match function {
            "isdigit" | "isupper" | "islower" | "isalpha" | "isalnum" | "isspace" | "isblank"
            | "isprint" | "isgraph" | "ispunct" | "iscntrl" | "isxdigit" => Some(Self::Truth),
            "strcmp" | "strncmp" | "memcmp" => Some(Self::Sign),
            _ => None,
        }
    }
}

impl Translator<'_> {
    /// Refuses a call of such a function if its result is used as a number. A sign may be stored, passed and returned.
    pub(super) fn check_use(&mut self, function: &str, call: Syntax<'_>) -> Translated<()> {
        let known = Known::of(function).filter(|_| !call.source.is_library && !self.is_folding);
        let Some(known) = known else {
            return Ok(());
        };
        if self.is_enough(known, call) {
            return Ok(());
        }
        let what = match known {
            Known::Truth => "whether its result is 0",
            Known::Sign => "how its result compares with 0",
        };
        self.outside(
            call,
            format!("`{function}` is used as a number, but C only says {what}"),
        )
    }

    /// Whether the code around an expression asks no more of its value than what is known.
    fn is_enough(&mut self, known: Known, of: Syntax<'_>) -> bool {
        let Some(around) = of.around() else {
            return false;
        };
        let is_field = |name: &str| around.field(name).is_some_and(|it| it.node == of.node);
        match around.kind() {
            "parenthesized_expression" => self.is_enough(known, around),
            "if_statement" | "while_statement" | "do_statement" => true,
            "for_statement" | "expression_statement" => true,
            "conditional_expression" => is_field("condition") || self.is_enough(known, around),
            "unary_expression" => around.operator() == "!",
            "binary_expression" => match around.operator() {
                "&&" | "||" => true,
                "==" | "!=" => is_beside_zero(around, of),
                "<" | ">" | "<=" | ">=" => known == Known::Sign && is_beside_zero(around, of),
                _ => false,
            },
            "comma_expression" => is_field("left") || self.is_enough(known, around),
            "cast_expression" => {
                let ty = around.field("type");
                let ty = ty.and_then(|ty| self.folding(|this| this.type_name(ty)).ok());
                known == Known::Sign || matches!(ty, Some(Type::Bool | Type::Void))
            }
            "argument_list" => {
                known == Known::Sign || around.around().is_some_and(takes_a_condition)
            }
            "return_statement" => {
                let function = self.function.as_ref();
                let is_bool = function.is_some_and(|inside| inside.result == Type::Bool);
                known == Known::Sign || is_bool
            }
            "init_declarator" => {
                let ty = around.around().and_then(|it| it.field("type"));
                let ty = ty.and_then(|ty| self.folding(|this| this.named(ty)).ok());
                known == Known::Sign || ty == Some(Type::Bool)
            }
            "assignment_expression" if around.operator() == "=" => {
                known == Known::Sign
                    || around.field("left").is_some_and(|left| {
                        let place = self.folding(|this| this.lvalue(left));
                        place.is_ok_and(|(_, ty)| ty == Type::Bool)
                    })
            }
            _ => false,
        }
    }
}

/// Whether the other side of a comparison is the number 0.
fn is_beside_zero(comparison: Syntax<'_>, of: Syntax<'_>) -> bool {
    let sides = ["left", "right"].map(|side| comparison.field(side));
    let mut others = sides
        .into_iter()
        .flatten()
        .filter(|side| side.node != of.node);
    others.any(|other| other.without_parentheses().text() == "0")
}

/// Whether a call takes a condition, as an assertion does, and a cast to `_Bool` that looks like a call.
fn takes_a_condition(call: Syntax<'_>) -> bool {
    let name = call.field("function").map_or("", Syntax::text);
    name == "assert" || calls::is_assumption(name) || calls::cast_to(call).is_some()
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;

    use super::super::read;

    /// Why a function with this text cannot be entered.
    fn reason(result: &str, body: &str) -> Option<String> {
        let text = format!(
            "#include <stdbool.h>\n{result} f(char *s, int c) {{ int n = 0; bool is = 0; {body} return c; }}\n\
             int g(char *s) {{ return f(s, s[0]); }}"
        );
        let program = read(&[(Utf8PathBuf::from("a.c"), text)]).unwrap();
        let mut functions = program.functions.keys();
        functions.find_map(|function| Some(program.opaque(function)?.reason.clone()))
    }

    #[test]
    fn whether_a_result_is_zero_may_be_asked() {
        for body in [
            "if (isdigit(c)) n++;",
            "while (isspace(*s) || !(isalpha(*s) && c)) s++;",
            "for (; isdigit(*s); s++) n++;",
            "n = isdigit(c) ? 1 : 2; isdigit(c);",
            "if (isdigit(c) != 0 && (0) == isupper(c)) n++;",
            "is = isdigit(c); bool was = isupper(c); n = (bool)isdigit(c) + (bool)(isdigit(c)) + was;",
            "if (c ? isdigit(c) : (n++, isupper(c))) n++;",
            "assert(isdigit(c));",
            "n = sizeof isdigit(c);",
            "n = strcmp(s, \"a\"); if (n < 0 || strncmp(s, \"b\", 1) >= 0) return memcmp(s, s, 1);",
        ] {
            assert_eq!(reason("int", body), None, "{body}");
        }
        assert_eq!(reason("bool", "return isdigit(c);"), None);
    }

    #[test]
    fn a_result_is_no_number() {
        let truth = "`isdigit` is used as a number, but C only says whether its result is 0";
        for body in [
            "n = isdigit(c);",
            "n = isdigit(c) + 1;",
            "if (isdigit(c) == 1) n++;",
            "if (isdigit(c) > 0) n++;",
            "if (isdigit(c) == isdigit(n)) n++;",
            "return isdigit(c);",
            "n = c ? isdigit(c) : 0;",
            "n = (n++, isdigit(c));",
            "int digit = isdigit(c);",
            "n = f(s, isdigit(c));",
        ] {
            assert_eq!(reason("int", body).as_deref(), Some(truth), "{body}");
        }
        let sign = "`strcmp` is used as a number, but C only says how its result compares with 0";
        for body in ["n = strcmp(s, s) + 1;", "if (strcmp(s, s) == -1) n++;"] {
            assert_eq!(reason("int", body).as_deref(), Some(sign), "{body}");
        }
    }
}

//! SyGuS-IF 2.1: one `synth-fun condition` over the variables, and one `constraint` per hard row.
//!
//! If every variable is defined in every row, the condition is a `Bool` of boolean variables, `<`, `<=` and `=`
//! of two operands of one type, `not`, `and` and `or`; an integer operand may be a sum or, if the type is signed,
//! a difference. Mathematical integers represent machine integers, so an answer might overflow; it is checked by
//! reading it back and evaluating it. Unsigned types have no difference because it is so often undefined, and
//! `a - b < c` is `a < b + c`.
//!
//! If a variable is undefined in some row, truth has three values: a condition is an `Int`, 0 for false, 1 for
//! true, 2 for undefined, and an undefined operand is a number beyond every value of its type. `lt_…`, `le_…` and
//! `eq_…` are undefined if an operand is, `add_…` and `sub_…` also if the result leaves the type, and `and3` and
//! `or3` short-circuit. Such a file is exact: a condition that evaluates an undefined operand without a guard is
//! not an answer.
//!
//! The file omits soft rows and the restrictions of an impure original condition.

use std::collections::BTreeSet;
use std::fmt::Write;

use nopol_basics::count;
use nopol_expr::{ArithOp, CmpOp, Expr, TermId, Type, Value};

use super::ProblemFile;
use super::sexpr::Sexpr;
use super::vocabulary::{Vocabulary, bounds, integer, sort};

/// An integer beyond the range of every type.
const UNDEFINED: &str = "340282366920938463463374607431768211456";

/// The problem as SyGuS-IF 2.1.
pub fn write(problem: &ProblemFile) -> String {
    let vocabulary = Vocabulary::new(problem);
    let sheet = Sheet {
        three: vocabulary.is_partial,
        vocabulary: &vocabulary,
    };
    let reals = vocabulary.terms.keys().any(|ty| sort(*ty) == "Real");
    format!(
        "; SyGuS-IF 2.1: a condition that explains {}\n{}\
         (set-logic {})\n{}(synth-fun condition ({})\n  {}{})\n{}(check-synth)\n",
        count(vocabulary.rows.len(), "context"),
        vocabulary.omissions(),
        if reals { "LIRA" } else { "LIA" },
        sheet.functions(),
        sheet.parameters(),
        sheet.truth(),
        sheet.grammar(),
        sheet.constraints(),
    )
}

struct Sheet<'a> {
    vocabulary: &'a Vocabulary<'a>,
    /// Conditions have three truth values.
    three: bool,
}

impl Sheet<'_> {
    /// The sort of a condition.
    fn truth(&self) -> &'static str {
        if self.three { "Int" } else { "Bool" }
    }

    fn sort(&self, ty: Type) -> &'static str {
        match ty {
            Type::Bool => self.truth(),
            ty => sort(ty),
        }
    }

    fn variables(&self) -> impl Iterator<Item = (Type, TermId)> {
        let terms = self.vocabulary.terms.iter();
        let all = terms.flat_map(|(ty, terms)| terms.iter().map(|term| (*ty, *term)));
        all.filter(|(_, term)| !self.vocabulary.is_literal(*term))
    }

    fn parameters(&self) -> String {
        let parameter =
            |(ty, term)| format!("({} {})", self.vocabulary.symbol(term), self.sort(ty));
        self.variables()
            .map(parameter)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The name of an operator for operands of a type.
    fn operator(&self, symbol: &str, ty: Type) -> String {
        let name = match (self.three, symbol) {
            (false, symbol) => return symbol.to_owned(),
            (true, "<") => "lt",
            (true, "<=") => "le",
            (true, "=") => "eq",
            (true, "+") => "add",
            (true, "-") => "sub",
            (true, symbol) => return format!("{symbol}3"),
        };
        format!("{name}_{}", ty.name())
    }

    /// The definitions of the three-valued operators, if they are needed.
    fn functions(&self) -> String {
        let mut text = String::new();
        if !self.three {
            return text;
        }
        text += "(define-fun and3 ((a Int) (b Int)) Int (ite (= a 1) b a))\n";
        text += "(define-fun or3 ((a Int) (b Int)) Int (ite (= a 0) b a))\n";
        text += "(define-fun not3 ((a Int)) Int (ite (= a 2) 2 (- 1 a)))\n";
        for ty in self.operands() {
            let (sort, undefined) = (sort(ty), undefined(ty));
            let either = format!("(= a {undefined}) (= b {undefined})");
            for symbol in comparisons(ty) {
                let name = self.operator(symbol, ty);
                let _ = writeln!(
                    text,
                    "(define-fun {name} ((a {sort}) (b {sort})) Int \
                     (ite (or {either}) 2 (ite ({symbol} a b) 1 0)))"
                );
            }
            let Some(int) = integer(ty) else { continue };
            let (low, high) = bounds(int);
            for symbol in arithmetic(ty) {
                let name = self.operator(symbol, ty);
                let result = format!("({symbol} a b)");
                let _ = writeln!(
                    text,
                    "(define-fun {name} ((a Int) (b Int)) Int \
                     (ite (or {either} (< {result} {low}) (> {result} {high})) {undefined} {result}))"
                );
            }
        }
        text
    }

    /// The types that are compared.
    fn operands(&self) -> impl Iterator<Item = Type> {
        let types = self.vocabulary.terms.keys().copied();
        types.filter(|ty| *ty != Type::Bool)
    }

    fn grammar(&self) -> String {
        let operands: Vec<(Type, String)> = self
            .operands()
            .map(|ty| (ty, format!("Of_{}", ty.name())))
            .collect();
        let mut truths = Vec::new();
        for (ty, term) in self.variables() {
            if ty == Type::Bool {
                truths.push(self.vocabulary.symbol(term));
            }
        }
        for (ty, operand) in &operands {
            for symbol in comparisons(*ty) {
                truths.push(format!(
                    "({} {operand} {operand})",
                    self.operator(symbol, *ty)
                ));
            }
        }
        for (symbol, arguments) in [
            ("not", "Truth"),
            ("and", "Truth Truth"),
            ("or", "Truth Truth"),
        ] {
            truths.push(format!(
                "({} {arguments})",
                self.operator(symbol, Type::Bool)
            ));
        }
        let mut names = format!("(Truth {})", self.truth());
        let mut rules = format!("\n   (Truth {} ({}))", self.truth(), truths.join(" "));
        for (ty, operand) in &operands {
            let mut choices: Vec<String> = Vec::new();
            for term in &self.vocabulary.terms[ty] {
                let text = match &self.vocabulary.problem.pool.terms[*term].constant {
                    Some(value) => self.vocabulary.constant(value),
                    None => self.vocabulary.symbol(*term),
                };
                // Two literals may have one value.
                if !choices.contains(&text) {
                    choices.push(text);
                }
            }
            for symbol in arithmetic(*ty) {
                choices.push(format!(
                    "({} {operand} {operand})",
                    self.operator(symbol, *ty)
                ));
            }
            let _ = write!(names, " ({operand} {})", sort(*ty));
            let _ = write!(
                rules,
                "\n   ({operand} {} ({}))",
                sort(*ty),
                choices.join(" ")
            );
        }
        format!("\n  ({names})\n  ({})", rules.trim_start())
    }

    fn constraints(&self) -> String {
        let spec = &self.vocabulary.problem.spec;
        let mut text = String::new();
        let mut told = BTreeSet::new();
        for row in (0..spec.rows.len()).filter(|row| spec.rows[*row].hard) {
            let holds = self.holds(row);
            // Rows that differ only in omitted variables have the same constraint.
            if told.insert(holds.clone()) {
                let _ = writeln!(text, "(constraint {holds})");
            }
        }
        for group in &spec.any_of {
            let holds: Vec<String> = group.iter().map(|row| self.holds(*row)).collect();
            let _ = writeln!(text, "(constraint (or false {}))", holds.join(" "));
        }
        text
    }

    /// The constraint that the condition has the expected outcome in a row.
    fn holds(&self, row: usize) -> String {
        let row = self.vocabulary.row(row);
        let value = |(ty, term): (Type, TermId)| match &row.values[term] {
            Some(Value::Bool(value)) => self.truth_value(*value),
            Some(value) => self.vocabulary.constant(value),
            None => undefined(ty).to_owned(),
        };
        let values: Vec<String> = self.variables().map(value).collect();
        let expected = self.truth_value(row.expected);
        format!("(= (condition {}) {expected})", values.join(" "))
    }

    fn truth_value(&self, value: bool) -> String {
        match self.three {
            true => u8::from(value).to_string(),
            false => value.to_string(),
        }
    }
}

fn undefined(ty: Type) -> String {
    match sort(ty) {
        // Beyond the number that represents infinity.
        "Real" => format!("3{}.0", "0".repeat(308)),
        _ if ty == Type::Bool => "2".to_owned(),
        _ => UNDEFINED.to_owned(),
    }
}

fn comparisons(ty: Type) -> &'static [&'static str] {
    if ty.ordered() {
        &["<", "<=", "="]
    } else {
        &["="]
    }
}

fn arithmetic(ty: Type) -> &'static [&'static str] {
    match integer(ty) {
        Some(int) if int.signed() => &["+", "-"],
        Some(_) => &["+"],
        None => &[],
    }
}

/// Reads a solver's answer, `(define-fun condition (…) … BODY)`, alone or in a list.
///
/// # Errors
/// If there is no such function, or its body is not an expression over the problem's terms.
pub fn read(answer: &[Sexpr], problem: &ProblemFile) -> Result<Expr, String> {
    let is_it = |list: &&[Sexpr]| {
        list.first().and_then(Sexpr::atom) == Some("define-fun") && list.len() == 5
    };
    let nested = answer.iter().filter_map(Sexpr::list).flatten();
    let mut lists = answer.iter().chain(nested).filter_map(Sexpr::list);
    let function = lists
        .find(is_it)
        .ok_or("there is no `(define-fun condition …)`")?;
    let vocabulary = Vocabulary::new(problem);
    Reader {
        vocabulary: &vocabulary,
    }
    .expr(&function[4].without_lets()?, Type::Bool)
}

struct Reader<'a> {
    vocabulary: &'a Vocabulary<'a>,
}

impl Reader<'_> {
    fn expr(&self, body: &Sexpr, ty: Type) -> Result<Expr, String> {
        let unknown = || format!("`{}` is no {} of this problem", body.text(), ty.name());
        if let Some(term) = self.leaf(body, ty) {
            return Ok(Expr::Term(term));
        }
        let Some([Sexpr::Atom(operator), arguments @ ..]) = body.list() else {
            return Err(unknown());
        };
        let symbol = operator.split('_').next().unwrap_or_default();
        let symbol = symbol.trim_end_matches('3');
        let all = |ty: Type| {
            arguments
                .iter()
                .map(move |argument| self.expr(argument, ty))
        };
        let fold = |ty: Type, join: &dyn Fn(Expr, Expr) -> Expr| {
            let joined = all(ty).reduce(|left, right| Ok(join(left?, right?)));
            joined.unwrap_or_else(|| Err(unknown()))
        };
        let compared = || {
            let ty = arguments.iter().find_map(|argument| self.type_of(argument));
            ty.ok_or_else(unknown)
        };
        let compare = |op: CmpOp| match arguments.len() {
            2 => fold(compared()?, &|a, b| a.cmp(op, b)),
            _ => Err(unknown()),
        };
        match symbol {
            "not" => Ok(all(Type::Bool).next().ok_or_else(unknown)??.not()),
            "and" => fold(Type::Bool, &Expr::and),
            "or" => fold(Type::Bool, &Expr::or),
            "=" | "eq" => compare(CmpOp::Eq),
            "distinct" => compare(CmpOp::Ne),
            "<" | "lt" => compare(CmpOp::Lt),
            "<=" | "le" => compare(CmpOp::Le),
            ">" => compare(CmpOp::Gt),
            ">=" => compare(CmpOp::Ge),
            "+" | "add" => fold(ty, &|a, b| a.arith(ArithOp::Add, b)),
            "-" | "sub" if arguments.len() > 1 => fold(ty, &|a, b| a.arith(ArithOp::Sub, b)),
            _ => Err(unknown()),
        }
    }

    /// The variable or literal of a type with this spelling.
    fn leaf(&self, body: &Sexpr, ty: Type) -> Option<TermId> {
        let text = body.text();
        let is_it = |term: &&TermId| match &self.vocabulary.problem.pool.terms[**term].constant {
            Some(value) => self.vocabulary.constant(value) == text,
            None => self.vocabulary.name(**term) == text,
        };
        self.vocabulary.terms.get(&ty)?.iter().find(is_it).copied()
    }

    /// The type of the first variable in it; a comparison or connective is boolean.
    fn type_of(&self, body: &Sexpr) -> Option<Type> {
        match body {
            Sexpr::Atom(text) => {
                let mut terms = self.vocabulary.terms.iter();
                let is_it = |term: &TermId| {
                    !self.vocabulary.is_literal(*term) && self.vocabulary.name(*term) == *text
                };
                terms
                    .find(|(_, terms)| terms.iter().any(is_it))
                    .map(|(ty, _)| *ty)
            }
            Sexpr::List(items) => {
                let operator = items.first()?.atom()?;
                let is_arithmetic = ["+", "-", "add", "sub"].contains(&operator.split('_').next()?);
                match is_arithmetic {
                    true => items[1..].iter().find_map(|item| self.type_of(item)),
                    false => Some(Type::Bool),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

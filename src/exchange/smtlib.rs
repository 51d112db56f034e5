//! SMT-LIB 2: the component-based encoding of the Nopol paper, §3.4 for one level, with every hard row asserted.
//! It is satisfiable iff some condition of the level explains the rows, and a model is such a condition.
//!
//! The level has two comparisons, one `!`, one `&&`, one `||`, and one `+` and one `-` per integer type; blocks may
//! be unused. The file is meant for readers and for any solver, so it has the paper's formulas over integers rather
//! than the propositional ones of `synth`, with the same corrections: l_r is free over the boolean locations, the
//! bounds of φ_OUTPUT are not strict, and φ_CONS ranges over outputs. φ_CONN is a function from locations to values
//! for each row and type. Each value has a definedness bit: a sum outside its type is undefined, and `&&` and `||`
//! short-circuit. This encoding is exact.
//!
//! The file omits soft rows and the restrictions of an impure original condition.

use std::collections::BTreeMap;
use std::fmt::Write;

use nopol_basics::count;
use nopol_expr::{ArithOp, CmpOp, Expr, IntType, TermId, Type};

use super::ProblemFile;
use super::sexpr::{MOST, Sexpr, TOO_LARGE};
use super::vocabulary::{Vocabulary, bounds, integer, sort};

/// Number of comparisons of the level.
const COMPARISONS: usize = 2;

/// A building block (§3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Arith(ArithOp, IntType),
    Cmp,
    Not,
    And,
    Or,
}

/// A block with its name and the first and last location allowed for its output.
struct Placed {
    block: Block,
    name: String,
    slots: (usize, usize),
}

impl Placed {
    fn ty(&self) -> Type {
        match self.block {
            Block::Arith(_, int) => Type::Int(int),
            _ => Type::Bool,
        }
    }

    /// The location variables of its inputs.
    fn inputs(&self) -> Vec<String> {
        let letters = if self.block == Block::Not { "a" } else { "ab" };
        letters
            .chars()
            .map(|letter| format!("l_{}_{letter}", self.name))
            .collect()
    }
}

/// The layout of locations: terms first, by type, then outputs.
struct Library<'a> {
    vocabulary: &'a Vocabulary<'a>,
    terms: Vec<(Type, TermId)>,
    blocks: Vec<Placed>,
}

impl<'a> Library<'a> {
    fn new(vocabulary: &'a Vocabulary<'a>) -> Self {
        let by_type = vocabulary.terms.iter();
        let terms: Vec<_> = by_type
            .flat_map(|(ty, terms)| terms.iter().map(|term| (*ty, *term)))
            .collect();
        let mut groups: Vec<Vec<(Block, String)>> = Vec::new();
        for int in vocabulary.terms.keys().filter_map(|ty| integer(*ty)) {
            let block = |op, name: &str| (Block::Arith(op, int), format!("{name}_{}", int.name()));
            groups.push(vec![
                block(ArithOp::Add, "plus"),
                block(ArithOp::Sub, "minus"),
            ]);
        }
        // Comparisons are interchangeable and not inputs of each other, so each has a fixed location.
        for number in 1..=COMPARISONS {
            groups.push(vec![(Block::Cmp, format!("cmp{number}"))]);
        }
        let connectives = [(Block::Not, "not"), (Block::And, "and"), (Block::Or, "or")];
        groups.push(
            connectives
                .map(|(block, name)| (block, name.to_owned()))
                .to_vec(),
        );
        let mut blocks = Vec::new();
        for group in groups {
            let first = terms.len() + blocks.len();
            let slots = (first, first + group.len() - 1);
            blocks.extend(
                group
                    .into_iter()
                    .map(|(block, name)| Placed { block, name, slots }),
            );
        }
        Self {
            vocabulary,
            terms,
            blocks,
        }
    }

    fn types(&self) -> impl Iterator<Item = Type> {
        let others = self.vocabulary.terms.keys().filter(|ty| **ty != Type::Bool);
        [Type::Bool].into_iter().chain(others.copied())
    }

    /// Every location variable of an output, with its block.
    fn variables(&self) -> Vec<String> {
        let mut names = vec!["l_r".to_owned()];
        for placed in &self.blocks {
            names.push(format!("l_{}", placed.name));
            names.extend(placed.inputs());
            if placed.block == Block::Cmp {
                names.push(format!("op_{}", placed.name));
            }
        }
        names
    }

    /// A legend of the locations and operators, for readers of a model.
    fn legend(&self) -> String {
        let mut text = String::from("; Locations:\n");
        for (location, (_, term)) in self.terms.iter().enumerate() {
            let _ = writeln!(text, ";   {location}  {}", self.vocabulary.label(*term));
        }
        let last = self.terms.len() + self.blocks.len() - 1;
        let _ = writeln!(
            text,
            ";   {} to {last}  the outputs l_BLOCK",
            self.terms.len()
        );
        text + "; A block BLOCK has its inputs at l_BLOCK_a and l_BLOCK_b; the result is at l_r.\n\
                ; Operators op_cmp: 0 is <, 1 is <=, 2 is ==, 3 is !=.\n"
    }

    /// `is_T`: the value at a location has the type.
    fn domains(&self) -> String {
        let mut text = String::new();
        for ty in self.types() {
            let of_type = |(_, (other, _)): &(usize, &(Type, TermId))| *other == ty;
            let places = self
                .terms
                .iter()
                .enumerate()
                .filter(of_type)
                .map(|(place, _)| place);
            let slots = self.blocks.iter().filter(|placed| placed.ty() == ty);
            let mut spans: Vec<(usize, usize)> = Vec::new();
            let all = places
                .map(|place| (place, place))
                .chain(slots.map(|placed| placed.slots));
            for (first, last) in all {
                match spans.last_mut() {
                    Some(span) if first <= span.1 + 1 => span.1 = last,
                    _ => spans.push((first, last)),
                }
            }
            let within = |(first, last): &(usize, usize)| format!("(<= {first} l {last})");
            let spans: Vec<String> = spans.iter().map(within).collect();
            let _ = writeln!(
                text,
                "(define-fun is_{} ((l Int)) Bool (or false {}))",
                ty.name(),
                spans.join(" ")
            );
        }
        text
    }

    /// φ_WFF (§3.4.4).
    fn well_formed(&self) -> String {
        let mut text = String::from("; phi_FIXED, but for l_r\n(assert (is_bool l_r))\n");
        for (index, placed) in self.blocks.iter().enumerate() {
            let (name, (first, last)) = (&placed.name, placed.slots);
            let _ = writeln!(text, "; {name}: phi_OUTPUT, phi_CONS, phi_INPUT, phi_ACYC");
            let _ = writeln!(text, "(assert (<= {first} l_{name} {last}))");
            for other in self.blocks[..index]
                .iter()
                .filter(|other| other.slots == placed.slots)
            {
                let _ = writeln!(text, "(assert (distinct l_{name} l_{}))", other.name);
            }
            let inputs = placed.inputs();
            for input in &inputs {
                let _ = writeln!(text, "(assert (< {input} l_{name}))");
                if placed.block != Block::Cmp {
                    let ty = placed.ty().name();
                    let _ = writeln!(text, "(assert (is_{ty} {input}))");
                }
            }
            if placed.block == Block::Cmp {
                let compared = self.types().filter(|ty| *ty != Type::Bool).map(|ty| {
                    let same = inputs
                        .iter()
                        .map(|input| format!("(is_{} {input})", ty.name()));
                    let unordered = format!("(>= op_{name} 2)");
                    let extra = (!ty.ordered()).then_some(unordered);
                    let all: Vec<String> = same.chain(extra).collect();
                    format!("(and {})", all.join(" "))
                });
                let compared: Vec<String> = compared.collect();
                let _ = writeln!(text, "(assert (<= 0 op_{name} 3))");
                let _ = writeln!(text, "(assert (or false {}))", compared.join(" "));
            }
        }
        text
    }

    /// φ_FUNC (§3.4.4) of a row, and `holds_ROW`: the result is the expected outcome.
    fn function(&self, row: usize) -> String {
        let mut text = format!("; Context {row}: phi_CONN\n");
        for placed in &self.blocks {
            let name = &placed.name;
            let _ = writeln!(text, "(declare-const v_{name}_{row} {})", sort(placed.ty()));
            let _ = writeln!(text, "(declare-const d_{name}_{row} Bool)");
        }
        let values = &self.vocabulary.row(row).values;
        let outputs = |ty: Option<Type>| {
            let wanted = move |placed: &&Placed| ty.is_none_or(|ty| placed.ty() == ty);
            self.blocks.iter().filter(wanted)
        };
        for ty in self.types() {
            // An undefined location may have any value, and the last case needs no condition.
            let mut body = if ty == Type::Bool { "false" } else { "0" }.to_owned();
            if sort(ty) == "Real" {
                body = "0.0".to_owned();
            }
            for placed in outputs(Some(ty)) {
                let name = &placed.name;
                body = format!("(ite (= l l_{name}) v_{name}_{row} {body})");
            }
            for (place, (other, term)) in self.terms.iter().enumerate() {
                if let Some(value) = values[*term].as_ref().filter(|_| *other == ty) {
                    let constant = self.vocabulary.constant(value);
                    body = format!("(ite (= l {place}) {constant} {body})");
                }
            }
            let (ty, sort) = (ty.name(), sort(ty));
            let _ = writeln!(text, "(define-fun {ty}_{row} ((l Int)) {sort} {body})");
        }
        let undefined = self
            .terms
            .iter()
            .enumerate()
            .filter(|(_, (_, term))| values[*term].is_none());
        let mut defined: Vec<String> = undefined
            .map(|(place, _)| format!("(distinct l {place})"))
            .collect();
        for Placed { name, .. } in outputs(None) {
            defined.push(format!("(or (distinct l l_{name}) d_{name}_{row})"));
        }
        let defined = defined.join(" ");
        let _ = writeln!(
            text,
            "(define-fun defined_{row} ((l Int)) Bool (and true {defined}))"
        );
        text += "; phi_LIB\n";
        for placed in &self.blocks {
            let (value, defined) = self.meaning(placed, row);
            let name = &placed.name;
            let _ = writeln!(text, "(assert (= v_{name}_{row} {value}))");
            let _ = writeln!(text, "(assert (= d_{name}_{row} {defined}))");
        }
        let expected = self.vocabulary.row(row).expected;
        let _ = writeln!(
            text,
            "(define-fun holds_{row} () Bool (and (defined_{row} l_r) (= (bool_{row} l_r) {expected})))"
        );
        text
    }

    /// The output of a block in a row, and when it is defined.
    fn meaning(&self, placed: &Placed, row: usize) -> (String, String) {
        let inputs = placed.inputs();
        let value = |ty: Type, input: usize| format!("({}_{row} {})", ty.name(), inputs[input]);
        let truth = |input| value(Type::Bool, input);
        let defined = |input: usize| format!("(defined_{row} {})", inputs[input]);
        match placed.block {
            Block::Not => (format!("(not {})", truth(0)), defined(0)),
            Block::And | Block::Or => {
                let (operator, decided) = match placed.block {
                    Block::And => ("and", format!("(not {})", truth(0))),
                    _ => ("or", truth(0)),
                };
                (
                    format!("({operator} {} {})", truth(0), truth(1)),
                    format!("(and {} (or {decided} {}))", defined(0), defined(1)),
                )
            }
            Block::Arith(op, int) => {
                let operator = if op == ArithOp::Add { "+" } else { "-" };
                let (ty, (low, high)) = (Type::Int(int), bounds(int));
                let result = format!("({operator} {} {})", value(ty, 0), value(ty, 1));
                let fits = format!("(<= {low} {result} {high})");
                let defined = format!("(and {} {} {fits})", defined(0), defined(1));
                (result, defined)
            }
            Block::Cmp => {
                let mut body = "false".to_owned();
                for ty in self.types().filter(|ty| *ty != Type::Bool) {
                    let name = ty.name();
                    let (a, b, op) = (value(ty, 0), value(ty, 1), &placed.name);
                    let compare = format!("(compare_{} op_{op} {a} {b})", sort(ty));
                    body = format!("(ite (is_{name} {}) {compare} {body})", inputs[0]);
                }
                (body, format!("(and {} {})", defined(0), defined(1)))
            }
        }
    }
}

/// The problem as SMT-LIB 2.
pub fn write(problem: &ProblemFile) -> String {
    let vocabulary = Vocabulary::new(problem);
    let library = Library::new(&vocabulary);
    let mut text = format!(
        "; SMT-LIB 2: is there a condition of this level that explains {}?\n{}{}\
         (set-option :produce-models true)\n(set-logic ALL)\n",
        count(vocabulary.rows.len(), "context"),
        vocabulary.omissions(),
        library.legend(),
    );
    let variables = library.variables();
    for name in &variables {
        let _ = writeln!(text, "(declare-const {name} Int)");
    }
    for sort in ["Int", "Real"] {
        let _ = writeln!(
            text,
            "(define-fun compare_{sort} ((op Int) (a {sort}) (b {sort})) Bool\n  \
             (ite (= op 0) (< a b) (ite (= op 1) (<= a b) (ite (= op 2) (= a b) (distinct a b)))))"
        );
    }
    text += &library.domains();
    text += &library.well_formed();
    for row in &vocabulary.rows {
        text += &library.function(*row);
    }
    text += "; phi_PATCH\n";
    let hard = vocabulary
        .rows
        .iter()
        .filter(|row| vocabulary.row(**row).hard);
    for row in hard {
        let _ = writeln!(text, "(assert holds_{row})");
    }
    for group in &problem.spec.any_of {
        let holds: Vec<String> = group.iter().map(|row| format!("holds_{row}")).collect();
        let _ = writeln!(text, "(assert (or false {}))", holds.join(" "));
    }
    let _ = writeln!(text, "(check-sat)\n(get-value ({}))", variables.join(" "));
    text
}

/// Reads a model, the answer to the file's `get-value`: ((l_r 12) …).
///
/// # Errors
/// If locations are missing or do not form a wiring.
pub fn read(answer: &[Sexpr], problem: &ProblemFile) -> Result<Expr, String> {
    let vocabulary = Vocabulary::new(problem);
    let library = Library::new(&vocabulary);
    let pairs = answer.iter().filter_map(Sexpr::list).flatten();
    let values: BTreeMap<&str, usize> = pairs
        .filter_map(|pair| match pair.list()? {
            [name, value] => Some((name.atom()?, value.atom()?.parse().ok()?)),
            _ => None,
        })
        .collect();
    let mut room = MOST;
    library.expr("l_r", &values, library.blocks.len() + 1, &mut room)
}

impl Library<'_> {
    /// Backward traversal from a location variable (§3.5). No path has more steps than there are blocks.
    /// `room` is what its size may still be: blocks that use others twice double it each.
    fn expr(
        &self,
        at: &str,
        values: &BTreeMap<&str, usize>,
        depth: usize,
        room: &mut usize,
    ) -> Result<Expr, String> {
        *room = room.checked_sub(1).ok_or(TOO_LARGE)?;
        let value = |name: &str| {
            let value = values.get(name).copied();
            value.ok_or_else(|| format!("the model has no value for `{name}`"))
        };
        let place = value(at)?;
        if let Some((_, term)) = self.terms.get(place) {
            return Ok(Expr::Term(*term));
        }
        let is_here = |placed: &&Placed| value(&format!("l_{}", placed.name)) == Ok(place);
        let placed = self.blocks.iter().find(is_here).filter(|_| depth > 0);
        let placed =
            placed.ok_or_else(|| format!("nothing is at location {place}, where `{at}` is"))?;
        let inputs = placed.inputs();
        let mut input = |index: usize| self.expr(&inputs[index], values, depth - 1, room);
        Ok(match placed.block {
            Block::Not => input(0)?.not(),
            Block::And => input(0)?.and(input(1)?),
            Block::Or => input(0)?.or(input(1)?),
            Block::Arith(op, _) => input(0)?.arith(op, input(1)?),
            Block::Cmp => {
                let op = match value(&format!("op_{}", placed.name))? {
                    0 => CmpOp::Lt,
                    1 => CmpOp::Le,
                    2 => CmpOp::Eq,
                    _ => CmpOp::Ne,
                };
                input(0)?.cmp(op, input(1)?)
            }
        })
    }
}

#[cfg(test)]
mod tests;

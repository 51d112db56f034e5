//! The terms of a problem file: its variables and literals, and the original condition in terms of them.

use std::collections::BTreeSet;

use nopol_expr::{Binding, Expr, Origin, Pool, Term, TermId, Type, Value};
use nopol_source::condition::{Leaf, LeafKind, Spelling};
use nopol_source::{Language, write};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use typed_index_collections::{TiSlice, TiVec};

use super::super::value;
use super::Wrong;
use crate::patch::render::Style;

/// The language of the expressions in problem files.
const LANGUAGE: Language = Language::Rust;

/// A variable of the file.
#[derive(Deserialize, Serialize)]
pub(super) struct Variable {
    pub name: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub optional: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<OriginName>,
}

/// A literal of one type of the file.
#[derive(Deserialize, Serialize)]
pub(super) struct Literal {
    text: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<OriginName>,
    /// The only variables that it is compared with; empty if it is compared with all.
    #[serde(rename = "seen_in", default, skip_serializing_if = "Vec::is_empty")]
    mined_from: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", remote = "Origin")]
enum OriginDef {
    Old,
    Variable,
    Field,
    Query,
    Constant,
    Named,
    FunctionLiteral,
    Harvested,
    Call,
    Guessed,
    FileLiteral,
    #[serde(rename = "seen")]
    Mined,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(transparent)]
struct OriginName(#[serde(with = "OriginDef")] Origin);

impl Variable {
    pub fn new(term: &Term, optional: bool) -> Self {
        Self {
            name: write::text(&term.access),
            ty: term.ty.name().to_owned(),
            optional,
            origin: Some(OriginName(term.origin)),
        }
    }
}

impl Literal {
    /// The literal as an object.
    pub fn json(term: &Term, pool: &Pool) -> Json {
        let names = term
            .mined_from
            .iter()
            .map(|seen| write::text(&pool.terms[*seen].access));
        let literal = Self {
            text: write::text(&term.access),
            ty: term.ty.name().to_owned(),
            value: term.constant.as_ref().map(value::to_json),
            origin: Some(OriginName(term.origin)),
            mined_from: names.collect(),
        };
        serde_json::to_value(literal).unwrap_or_default()
    }
}

/// Limits the length, the marks and the keywords of a text, because parsing is recursive.
fn limited(text: &str) -> Result<(), String> {
    const LONGEST: usize = 4096;
    const MOST_MARKS: usize = 256;
    /// Keywords before an expression or a part of one: `return return x`.
    const NESTING: &[&str] = &[
        "as", "async", "break", "const", "for", "if", "in", "let", "loop", "match", "move",
        "return", "static", "unsafe", "while", "yield",
    ];
    let marks = text.chars().filter(char::is_ascii_punctuation).count();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let keywords = words.filter(|word| NESTING.contains(word)).count();
    match text.len() <= LONGEST && marks + keywords <= MOST_MARKS {
        true => Ok(()),
        false => Err(format!(
            "{} bytes with {marks} punctuation marks and {keywords} keywords are too much for a condition or a part \
             of one; keep to {LONGEST} bytes and {MOST_MARKS} marks and keywords",
            text.len()
        )),
    }
}

/// The terms read so far.
#[derive(Default)]
pub(super) struct Terms {
    terms: TiVec<TermId, Term>,
    /// For each term, whether the file gives its origin.
    is_origin_given: TiVec<TermId, bool>,
}

impl Terms {
    fn position(&self, text: &str, ty: Type) -> Option<TermId> {
        let access = LANGUAGE.access(text);
        let is_it = |term: &Term| term.access == access && term.ty == ty;
        self.terms.position(is_it)
    }

    fn push(
        &mut self,
        text: &str,
        ty: Type,
        origin: Result<Origin, Origin>,
        constant: Option<Value>,
    ) -> TermId {
        self.is_origin_given.push(origin.is_ok());
        let origin = origin.unwrap_or_else(|guess| guess);
        self.terms.push_and_get_key(Term {
            binding: LANGUAGE.binding_of(text),
            constant,
            negation: LANGUAGE.opposite(text).map(|text| LANGUAGE.access(&text)),
            ..Term::new(LANGUAGE.access(text), ty, origin)
        })
    }

    /// Adds the variables.
    pub fn variables(&mut self, variables: &[Variable]) -> Result<(), Wrong> {
        for (index, variable) in variables.iter().enumerate() {
            let at = || format!("variables[{index}]");
            let ty = type_of(&variable.ty).map_err(|what| (format!("{}.type", at()), what))?;
            limited(&variable.name).map_err(|what| (format!("{}.name", at()), what))?;
            if self.position(&variable.name, ty).is_some() {
                let what = format!(
                    "variable `{}` of type {} is listed twice",
                    variable.name, variable.ty
                );
                return Err((at(), what));
            }
            let outline = LANGUAGE.access(&variable.name).outline();
            let guess = match () {
                () if outline.ends_in_call() => Origin::Query,
                () if outline.has_member() => Origin::Field,
                () => Origin::Variable,
            };
            let given = variable.origin.map(|origin| origin.0);
            self.push(&variable.name, ty, given.ok_or(guess), None);
        }
        Ok(())
    }

    /// Adds the literals: an object as one literal, a number as one literal of each numeric type.
    pub fn literals(&mut self, literals: &[Json]) -> Result<(), Wrong> {
        let types: BTreeSet<Type> = self.terms.iter().map(|term| term.ty).collect();
        for ty in types {
            for literal in literals.iter().filter(|literal| literal.is_number()) {
                let text = match ty {
                    Type::F32 | Type::F64 if literal.is_i64() => format!("{literal}.0"),
                    _ => literal.to_string(),
                };
                let simple = ["-1", "0", "1", "-1.0", "0.0", "1.0"].contains(&text.as_str());
                let guess = match simple {
                    true => Origin::Constant,
                    false => Origin::FunctionLiteral,
                };
                let is_new = self.position(&text, ty).is_none();
                if let Some(value) = LANGUAGE.constant(&text, ty).filter(|_| is_new) {
                    self.push(&text, ty, Err(guess), Some(value));
                }
            }
        }
        for (index, json) in literals.iter().enumerate() {
            let wrong = |what: String| (format!("literals[{index}]"), what);
            if json.is_number() {
                continue;
            }
            let literal: Literal = serde_path_to_error::deserialize(json).map_err(|error| {
                wrong(format!(
                    "{error}; write a number, or an object with `text` and `type`"
                ))
            })?;
            let ty = type_of(&literal.ty).map_err(wrong)?;
            let plain = LANGUAGE.constant(&literal.text, ty);
            if plain.is_none() {
                limited(&literal.text).map_err(wrong)?;
            }
            if self.position(&literal.text, ty).is_some() {
                let what = format!(
                    "literal `{}` of type {} is listed twice",
                    literal.text, literal.ty
                );
                return Err(wrong(what));
            }
            let value = match &literal.value {
                Some(value) => value::from_json(value, ty).map_err(wrong)?,
                None => plain.ok_or_else(|| {
                    wrong(format!(
                        "`{}` is not a literal of type {}; correct it, or give its `value`",
                        literal.text, literal.ty
                    ))
                })?,
            };
            let given = literal.origin.map(|origin| origin.0);
            let origin = given.ok_or(Origin::FunctionLiteral);
            let mut mined_from = Vec::new();
            for name in &literal.mined_from {
                limited(name).map_err(wrong)?;
                let seen = self.position(name, ty).ok_or_else(|| {
                    wrong(format!(
                        "`{name}` in `seen_in` is not a variable of type {}",
                        literal.ty
                    ))
                })?;
                mined_from.push(seen);
            }
            let term = self.push(&literal.text, ty, origin, Some(value));
            self.terms[term].mined_from = mined_from;
        }
        Ok(())
    }

    /// The original condition; literals in it that are not terms yet become terms.
    pub fn old(&mut self, original: &str) -> Result<Expr, Wrong> {
        let wrong = |what: String| ("original".to_owned(), what);
        limited(original).map_err(wrong)?;
        if let Some(whole) = self.position(original, Type::Bool) {
            return Ok(Expr::Term(whole));
        }
        let tree = LANGUAGE
            .parse(original)
            .ok_or_else(|| wrong(format!("`{original}` is not a Rust expression; correct it")))?;
        let mut missing = None;
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| {
            let found = self.find(leaf, expected);
            if found.is_none() {
                missing.get_or_insert_with(|| leaf.text.clone());
            }
            found
        };
        let converted = tree.to_expr(LANGUAGE, Some(Type::Bool), &mut lookup, &mut Vec::new());
        match (converted, missing) {
            (Some((expr, Type::Bool)), _) => Ok(expr),
            (_, Some(leaf)) => Err(wrong(format!(
                "`{leaf}` is not a variable of the type its place asks for; list it in `variables`, \
                 or make `original` null"
            ))),
            _ => Err(wrong(format!(
                "`{original}` is not a condition: its operands' types do not fit; correct it"
            ))),
        }
    }

    fn find(&mut self, leaf: &Leaf, expected: Option<Type>) -> Option<(TermId, Type)> {
        let is_it = |term: &Term| {
            term.access == leaf.access && expected.is_none_or(|expected| term.ty == expected)
        };
        let mut found = self.terms.iter_enumerated().filter(|(_, term)| is_it(term));
        match (found.next(), found.next()) {
            (Some((only, term)), None) => Some((only, term.ty)),
            (None, _) if leaf.kind == LeafKind::Literal => {
                let ty = expected?;
                let value = LANGUAGE.constant(&leaf.text, ty)?;
                let term = self.push(&leaf.text, ty, Err(Origin::Old), Some(value));
                Some((term, ty))
            }
            _ => None,
        }
    }

    /// The terms; those of the original condition are known as such.
    pub fn into_pool(mut self, old: Option<&Expr>) -> Pool {
        for term in old.map(Expr::terms).unwrap_or_default() {
            if !self.is_origin_given[term] {
                self.terms[term].origin = Origin::Old;
            }
        }
        Pool { terms: self.terms }
    }
}

fn type_of(name: &str) -> Result<Type, String> {
    Type::from_name(name).ok_or_else(|| {
        format!("`{name}` is not a type that can be observed; write an integer or float type, bool, char or str")
    })
}

/// The expression with its terms at other places: `order[new] == old`.
pub(super) fn renumbered(expr: &Expr, order: &TiSlice<TermId, TermId>) -> Expr {
    let again = |expr: &Expr| renumbered(expr, order);
    match expr {
        Expr::Term(old) => {
            let new = order.position(|term| term == old);
            Expr::Term(new.unwrap_or(*old))
        }
        Expr::Not(a) => again(a).not(),
        Expr::And(a, b) => again(a).and(again(b)),
        Expr::Or(a, b) => again(a).or(again(b)),
        Expr::Cmp(op, a, b) => again(a).cmp(*op, again(b)),
        Expr::Arith(op, a, b) => again(a).arith(*op, again(b)),
    }
}

/// The expression in Rust, negations as they are: what is read must be what was written.
pub(super) fn text(expr: &Expr, pool: &Pool) -> String {
    let mut negations = Vec::new();
    verbatim(expr, pool, &mut negations);
    style(pool, &negations).text(expr, Binding::Or)
}

/// The texts of the negations in an expression, innermost first.
fn verbatim(expr: &Expr, pool: &Pool, texts: &mut Vec<Spelling>) {
    for child in expr.children() {
        verbatim(child, pool, texts);
    }
    if let Expr::Not(inner) = expr {
        let inner = style(pool, texts).text(inner, Binding::Or);
        texts.push(Spelling {
            expr: expr.clone(),
            text: format!("!({inner})"),
            operands: None,
            is_null_test: false,
        });
    }
}

fn style<'a>(pool: &'a Pool, old: &'a [Spelling]) -> Style<'a> {
    Style {
        language: LANGUAGE,
        pool,
        old,
        suffixed: false,
    }
}

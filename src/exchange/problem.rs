//! Problem files: a synthesis problem as one JSON object. `value` handles its values and `terms` its terms.
//! `docs/reference.md` describes the format.

mod terms;

use std::fs;
use std::sync::Arc;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use typed_index_collections::TiVec;

use super::value;
use nopol_basics::count;
use nopol_basics::stack::on_large;
use nopol_expr::{Expr, Pool, Reading, Row, Spec, Term, TermId};
use terms::{Literal, Terms, Variable};

/// A synthesis problem of a file, with the known answer and the rows to check answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFile {
    /// Name of the problem.
    pub name: String,
    /// Variables first, then literals.
    pub pool: Pool,
    /// The rows to explain.
    pub spec: Spec,
    /// Rows that constrain nothing and measure how an answer generalizes.
    pub check: Vec<Row>,
    /// The original condition as written.
    pub original: Option<String>,
    /// The correct condition, in Rust.
    pub reference: Option<String>,
}

/// Why a problem file is unusable, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum ProblemFileError {
    /// The file cannot be read.
    #[error("cannot read the problem file {file}: {source}")]
    Unreadable {
        /// Path of the file.
        file: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file is not a valid problem.
    #[error("{file}: {}{what}", before(.at))]
    Malformed {
        /// Path of the file.
        file: String,
        /// A path into the JSON, such as `contexts[3].values[1]`; empty for the whole file.
        at: String,
        /// What is wrong, and what to write instead.
        what: String,
    },
}

/// A path into the JSON with a colon, before what is wrong there.
fn before(at: &str) -> String {
    match at {
        "" => String::new(),
        at => format!("{at}: "),
    }
}

/// A path into the JSON, and what is wrong there.
type Wrong = (String, String);

#[derive(Deserialize, Serialize)]
struct File {
    #[serde(default)]
    name: Option<String>,
    variables: Vec<Variable>,
    #[serde(default)]
    literals: Vec<Json>,
    #[serde(default)]
    original: Option<String>,
    #[serde(default)]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    impure: bool,
    contexts: Vec<Context>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    any_of: Vec<Vec<usize>>,
    #[serde(default)]
    check: Vec<Context>,
}

#[derive(Deserialize, Serialize)]
struct Context {
    /// Boxed, because a vector that grew has room for as many again.
    values: Box<[Json]>,
    expected: bool,
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    hard: bool,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    weight: u32,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn is_one(weight: &u32) -> bool {
    *weight == 1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl ProblemFile {
    /// The problem of a spec. Literals move behind the variables, which changes the indices of terms but not the
    /// meaning.
    pub fn new(name: &str, spec: &Spec, pool: &Pool) -> Self {
        let is_literal = |term: &TermId| pool.terms[*term].constant.is_some();
        // The original index of each term.
        let mut order: TiVec<TermId, TermId> = pool.terms.keys().collect();
        order.sort_by_key(is_literal);
        let place = |old: &TermId| order.position(|term| term == old);
        let moved = |term: &TermId| Term {
            mined_from: pool.terms[*term]
                .mined_from
                .iter()
                .filter_map(place)
                .collect(),
            // Definitions only help to compare conditions, which problem files do not need.
            definition: None,
            reading: Reading::Exact,
            parameter: None,
            ..pool.terms[*term].clone()
        };
        let pool = Pool {
            terms: order.iter().map(moved).collect(),
        };
        let moved = |row: &Row| Row {
            values: Arc::new(order.iter().map(|term| row.values[*term].clone()).collect()),
            ..row.clone()
        };
        let old = spec.old.as_ref().map(|old| terms::renumbered(old, &order));
        let spec = Spec {
            rows: spec.rows.iter().map(moved).collect(),
            any_of: spec.any_of.clone(),
            old,
            old_is_impure: spec.old_is_impure,
        };
        Self {
            name: name.to_owned(),
            original: spec.old.as_ref().map(|old| terms::text(old, &pool)),
            pool,
            spec,
            check: Vec::new(),
            reference: None,
        }
    }

    /// Reads a problem file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid problem: what is wrong, where, and what to do.
    pub fn read(path: &Utf8Path) -> Result<Self, ProblemFileError> {
        let file = path.to_string();
        let text = fs::read_to_string(path).map_err(|source| ProblemFileError::Unreadable {
            file: file.clone(),
            source,
        })?;
        Self::parse(&text, path.file_stem().unwrap_or("problem"))
            .map_err(|(at, what)| ProblemFileError::Malformed { file, at, what })
    }

    /// Reads a problem; `stem` is its name if it has none.
    pub(super) fn parse(text: &str, stem: &str) -> Result<Self, Wrong> {
        // Expressions are parsed recursively.
        on_large(|| Self::parse_here(text, stem))
    }

    fn parse_here(text: &str, stem: &str) -> Result<Self, Wrong> {
        let mut json = serde_json::Deserializer::from_str(text);
        let file: File = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let is_json = !error.inner().is_syntax() && !error.inner().is_eof();
            let at = match error.path().to_string().as_str() {
                _ if !is_json => "not valid JSON".to_owned(),
                "." | "?" => String::new(),
                path => path.to_owned(),
            };
            let what = format!(
                "{}; docs/reference.md (Synthesis problems) describes the format",
                error.inner()
            );
            (at, what)
        })?;
        let mut terms = Terms::default();
        terms.variables(&file.variables)?;
        terms.literals(&file.literals)?;
        let old = match &file.original {
            Some(original) => Some(terms.old(original)?),
            None => None,
        };
        let pool = terms.into_pool(old.as_ref());
        let constraints = rows(file.contexts, "contexts", &file.variables, &pool)?;
        let check = rows(file.check, "check", &file.variables, &pool)?;
        for (index, group) in file.any_of.iter().enumerate() {
            let at = format!("any_of[{index}]");
            if group.is_empty() {
                return Err((at, "an empty group can never hold; remove it".to_owned()));
            }
            if let Some(row) = group.iter().find(|row| **row >= constraints.len()) {
                let what = format!(
                    "there is no context {row}: give indices from 0, below {}",
                    constraints.len()
                );
                return Err((at, what));
            }
        }
        Ok(Self {
            name: file.name.unwrap_or_else(|| stem.to_owned()),
            pool,
            spec: Spec {
                rows: constraints,
                any_of: file.any_of,
                old,
                old_is_impure: file.impure,
            },
            check,
            original: file.original,
            reference: file.reference,
        })
    }

    /// The problem as JSON, one context per line. Reading it gives an equal problem.
    pub fn to_json(&self) -> String {
        let is_variable = |term: &Term| term.constant.is_none();
        let first_literal = self.pool.terms.partition_point(is_variable);
        let (variables, literals) = self.pool.terms.split_at(first_literal);
        let context = |row: &Row| Context {
            values: row.values[..first_literal]
                .iter()
                .map(|value| value.as_ref().map_or(Json::Null, value::to_json))
                .collect(),
            expected: row.expected,
            hard: row.hard,
            weight: row.weight,
        };
        let all = || self.spec.rows.iter().chain(&self.check);
        let is_optional = |term: TermId| all().any(|row| row.values[term].is_none());
        let file = File {
            name: Some(self.name.clone()),
            variables: variables
                .iter_enumerated()
                .map(|(index, term)| Variable::new(term, is_optional(index)))
                .collect(),
            literals: literals
                .iter()
                .map(|term| Literal::json(term, &self.pool))
                .collect(),
            original: self.original.clone(),
            reference: self.reference.clone(),
            impure: self.spec.old_is_impure,
            contexts: self.spec.rows.iter().map(context).collect(),
            any_of: self.spec.any_of.clone(),
            check: self.check.iter().map(context).collect(),
        };
        // Serialization cannot fail: every key is a string, and numbers that JSON lacks are strings.
        let text = serde_json::to_string(&file).unwrap_or_default();
        text.replace("},{\"values\"", "},\n{\"values\"") + "\n"
    }

    /// Whether an expression explains every hard row and each group.
    pub fn is_explained_by(&self, expr: &Expr) -> bool {
        let holds = |row: &Row| expr.eval_bool(row) == Some(row.expected);
        let rows = &self.spec.rows;
        rows.iter().filter(|row| row.hard).all(holds)
            && (self.spec.any_of.iter()).all(|group| group.iter().any(|row| holds(&rows[*row])))
    }
}

/// The rows of the contexts under a key.
fn rows(
    contexts: Vec<Context>,
    key: &str,
    variables: &[Variable],
    pool: &Pool,
) -> Result<Vec<Row>, Wrong> {
    let row = |(index, context): (usize, Context)| {
        let at = format!("{key}[{index}].values");
        if context.values.len() != variables.len() {
            let what = format!(
                "{} for {}; give one for each, in their order",
                count(context.values.len(), "value"),
                count(variables.len(), "variable")
            );
            return Err((at, what));
        }
        let mut values = TiVec::with_capacity(pool.terms.len());
        let terms = variables.iter().zip(&pool.terms);
        for (nth, (json, (variable, term))) in context.values.iter().zip(terms).enumerate() {
            let wrong = |what: String| {
                let at = format!("{at}[{nth}]");
                (at, format!("variable `{}`: {what}", variable.name))
            };
            values.push(match json {
                Json::Null if variable.optional => None,
                Json::Null => {
                    let what = "it is null, but not optional; write a value, or \"optional\": true \
                        at the variable";
                    return Err(wrong(what.to_owned()));
                }
                json => Some(value::from_json(json, term.ty).map_err(wrong)?),
            });
        }
        let literals = pool.terms.iter().skip(variables.len());
        values.extend(literals.map(|term| term.constant.clone()));
        Ok(Row {
            values: Arc::new(values),
            expected: context.expected,
            hard: context.hard,
            weight: context.weight,
        })
    };
    // Each context goes as its row comes: there may be hundreds of thousands.
    contexts.into_iter().enumerate().map(row).collect()
}

#[cfg(test)]
pub mod tests;

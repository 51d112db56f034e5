//! Captures of a site: each access with the names under which the runtime recorded it. This file alone maps
//! recorded reads to accesses, and terms back to their recorded values.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::FixedState;
use nopol_expr::access::{Infix, Prefix};
use nopol_expr::{Access, CmpOp, Pool, Query, Reading, Term, TermId, Type, Value, Values};
use nopol_process::run::trace::{Context, Read, Step};
use nopol_source::Language;
use typed_index_collections::TiVec;

use super::asked;

/// The reads at a site, by access.
#[derive(Clone, Debug, Default)]
pub struct Captures {
    language: Language,
    reads: BTreeMap<Access, Vec<Arc<Read>>>,
    /// The accesses that are pointers, of which was recorded whether they are null.
    pointers: BTreeSet<Access>,
}

/// The types and values recorded for an access.
#[derive(Default)]
pub struct Observed {
    /// The types of its values. Generic code may have several.
    pub types: BTreeSet<Type>,
    /// In how many contexts it was read.
    pub times: usize,
    /// Whether it is a pointer, whose value is whether it is not null.
    pub is_pointer: bool,
    values: HashSet<Value>,
    last: Option<Value>,
}

impl Observed {
    /// The value, if all contexts have the same.
    pub fn only_value(&self) -> Option<Value> {
        self.last.clone().filter(|_| self.values.len() == 1)
    }

    fn add(&mut self, value: &Value) {
        self.types.insert(value.ty());
        self.times += 1;
        if self.values.len() < 2 {
            self.values.insert(value.clone());
            self.last = Some(value.clone());
        }
    }
}

impl Captures {
    /// The captures in contexts of one site.
    pub fn of<'c>(language: Language, contexts: impl Iterator<Item = &'c Context>) -> Self {
        let mut known: BTreeMap<&Arc<Read>, ()> = BTreeMap::new();
        for (read, _) in contexts.flat_map(|context| context.values.iter()) {
            known.insert(read, ());
        }
        let mut roots: BTreeMap<&str, Access> = BTreeMap::new();
        let mut reads: BTreeMap<Access, Vec<Arc<Read>>> = BTreeMap::new();
        let mut pointers = BTreeSet::new();
        for read in known.into_keys() {
            let root = roots
                .entry(&read.captured)
                .or_insert_with(|| language.access(&read.captured));
            let access = read
                .steps
                .iter()
                .fold(root.clone(), |access, step| stepped(language, access, step));
            if read.steps.last() == Some(&Step::Presence) {
                pointers.insert(access.clone());
            }
            reads.entry(access).or_default().push(Arc::clone(read));
        }
        Self {
            language,
            reads,
            pointers,
        }
    }

    /// Each access that was read, with its types and values.
    pub fn observed<'c>(
        &self,
        contexts: impl Iterator<Item = &'c Context>,
    ) -> BTreeMap<&Access, Observed> {
        let mut by_read: BTreeMap<&Read, Observed> = BTreeMap::new();
        for (read, value) in contexts.flat_map(|context| context.values.iter()) {
            by_read.entry(read).or_default().add(value);
        }
        let mut seen: BTreeMap<&Access, Observed> = BTreeMap::new();
        for (access, reads) in &self.reads {
            let all = seen.entry(access).or_default();
            all.is_pointer = self.pointers.contains(access);
            for of_read in reads.iter().filter_map(|read| by_read.remove(&**read)) {
                all.types.extend(of_read.types);
                all.times += of_read.times;
                all.values.extend(of_read.values);
                all.last = of_read.last.or(all.last.take());
            }
        }
        seen
    }

    /// The column of a term.
    pub fn column(&self, term: &Term) -> Column {
        if let Some(value) = &term.constant {
            return Column::Constant(value.clone());
        }
        let reads = match term.reading {
            Reading::Quoted => self
                .reads
                .get(&Access::Contents(Box::new(term.access.clone()))),
            Reading::Asked(_) => asked::text_of(term).and_then(|text| self.reads_of(text)),
            _ => self.reads.get(&term.access),
        };
        Column::Read {
            reads: reads.cloned().unwrap_or_default(),
            reading: term.reading,
            wanted: asked::wanted(self.language, term),
            ty: term.ty,
        }
    }

    /// The reads of an access, whatever dereferences its values were recorded behind.
    fn reads_of(&self, access: &Access) -> Option<&Vec<Arc<Read>>> {
        let mut all = self.reads.iter();
        self.reads.get(access).or_else(|| {
            all.find(|(read, _)| read.without_derefs() == access)
                .map(|(_, reads)| reads)
        })
    }

    /// The columns of all terms; `whole` is the term that represents the whole original condition.
    pub fn columns(&self, pool: &Pool, whole: Option<TermId>) -> Columns {
        let column = |(id, term): (TermId, &Term)| match Some(id) == whole {
            true => Column::Old,
            false => self.column(term),
        };
        Columns::new(pool.terms.iter_enumerated().map(column).collect())
    }
}

/// The access after a recorded step.
fn stepped(language: Language, of: Access, step: &Step) -> Access {
    match step {
        Step::Deref => of.prefixed(Prefix::Deref),
        Step::StringLength => of.query(Query::StringLength),
        Step::Contents => Access::Contents(Box::new(of)),
        // Written as the pointer.
        Step::Presence => of,
        Step::Field(name) => of.field(name),
        Step::Method(name) => language.method(of, name),
        Step::Equal(variant) => of.infix(Infix::Compare(CmpOp::Eq), Access::variable(variant)),
        Step::Matches(pattern) => Access::Variant(Box::new(of), pattern.clone()),
    }
}

/// How to look up the value of one term in a context.
#[derive(Clone, Debug)]
pub enum Column {
    /// The same value in every context.
    Constant(Value),
    /// The outcome of the original condition.
    Old,
    /// A recorded value.
    Read {
        /// The names it may be recorded under.
        reads: Vec<Arc<Read>>,
        /// How the value follows from what was recorded.
        reading: Reading,
        /// What is asked for, of a question to a text.
        wanted: Option<String>,
        /// Type of the term.
        ty: Type,
    },
}

impl Column {
    /// The value in a context.
    pub fn value(&self, context: &Context) -> Option<Value> {
        match self {
            Self::Constant(value) => Some(value.clone()),
            Self::Old => context.old.map(Value::Bool),
            Self::Read {
                reads,
                reading,
                wanted,
                ty,
            } => reads.iter().find_map(|read| {
                let value = context.values.get(read)?;
                match *reading {
                    Reading::Exact | Reading::Quoted | Reading::Presence(_) => {
                        Some(value.clone()).filter(|value| value.ty() == *ty)
                    }
                    Reading::Asked(part) => match value {
                        Value::Str(text) => Some(Value::Bool(part.has(text, wanted.as_ref()?))),
                        _ => None,
                    },
                    _ => value.converted(*ty),
                }
            }),
        }
    }
}

/// The columns of all terms of a pool.
#[derive(Debug, Default)]
pub struct Columns {
    columns: TiVec<TermId, Column>,
    /// Everything that was looked up: thousands of contexts differ in what no term reads.
    known: Mutex<HashSet<Arc<Values>, FixedState>>,
}

impl Columns {
    fn new(columns: TiVec<TermId, Column>) -> Self {
        Self {
            columns,
            known: Mutex::default(),
        }
    }

    /// The value of each term in a context. Equal values are one allocation.
    pub fn values(&self, context: &Context) -> Arc<Values> {
        let columns = self.columns.iter();
        let values: Values = columns.map(|column| column.value(context)).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(&values) {
            return Arc::clone(same);
        }
        let values = Arc::new(values);
        known.insert(Arc::clone(&values));
        values
    }

    /// Adds the column of a constant.
    pub fn push_constant(&mut self, value: Value) {
        self.columns.push(Column::Constant(value));
        self.known = Mutex::default();
    }
}

impl Clone for Columns {
    fn clone(&self) -> Self {
        Self::new(self.columns.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_reads_and_source_text_have_the_same_access() {
        let method = |name: &str| Step::Method(name.to_owned());
        let field = |name: &str| Step::Field(name.to_owned());
        for (captured, steps, written) in [
            ("x", vec![method("len")], "x.len()"),
            ("v[i+1]", vec![method("is_empty")], "v[i+1].is_empty()"),
            (
                "self",
                vec![field("o"), method("as_ref"), method("unwrap"), Step::Deref],
                "*self.o.as_ref().unwrap()",
            ),
            ("c", vec![method("get")], "c.get()"),
            (
                "x",
                vec![Step::Deref, Step::Equal("A::B".into())],
                "*x == A::B",
            ),
            (
                "x",
                vec![Step::Matches("A::B(..)".into())],
                "matches!(x, A::B(..))",
            ),
            ("p", vec![field("0")], "p.0"),
        ] {
            let root = Language::Rust.access(captured);
            let read = steps
                .iter()
                .fold(root, |of, step| stepped(Language::Rust, of, step));
            assert_eq!(read, Language::Rust.access(written), "{written}");
        }
        for (steps, written) in [
            (vec![Step::Deref], "*p->s"),
            (vec![Step::StringLength], "strlen(p->s)"),
        ] {
            let root = Language::C.access("p->s");
            let read = steps
                .iter()
                .fold(root, |of, step| stepped(Language::C, of, step));
            assert_eq!(read, Language::C.access(written), "{written}");
        }
    }
}

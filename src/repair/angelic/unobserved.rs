//! Evidence for edits that were not observed: for which values their condition cannot be computed. It comes from the
//! text, with the types recorded at the site, or else the declared types.

use std::collections::BTreeSet;
use std::sync::Arc;

use nopol_expr::access::Prefix;
use nopol_expr::{Access, Expr, Origin, Pool, Row, Term, TermId, Type, Value, Values};
use nopol_source::condition::{Leaf, LeafKind, Node};
use nopol_source::{Condition, Language, Name, Site, Sources, inputs, write};

use super::cautions::Computed;
use super::evidence::Observed;
use super::lookups;
use crate::patch::render::Style;
use crate::repair::fix::Evidence;

/// The place of unobserved edits.
#[derive(Debug)]
pub struct Place {
    language: Language,
    names: Arc<[Name]>,
    /// The names of parameters that a caller may choose: see [`nopol_source::inputs`].
    chosen: Vec<String>,
    /// The expression computed there now, if any.
    old: Option<Condition>,
    /// Whether the place computes a number rather than a condition.
    computes: bool,
    observed: Option<Arc<Observed>>,
}

impl Place {
    /// The place of a site, with what was recorded there for other edits, if anything.
    pub fn new(sources: &Sources, site: &Site, observed: Option<&Arc<Observed>>) -> Self {
        let computes = site.kind.computes();
        let has_old = computes || site.kind.has_condition();
        Self {
            language: sources.language,
            names: Arc::clone(&site.names),
            chosen: inputs::of(sources, site),
            old: has_old.then(|| Condition::from(&*site.text)),
            computes,
            observed: observed.cloned(),
        }
    }
}

/// Warnings about values for which `new` cannot be computed, if whole comparisons in it were recorded but not their
/// operands.
pub fn cautions_of(observed: &Arc<Observed>, old: Option<&str>, new: &str) -> Vec<String> {
    let names = observed.inputs.iter().filter_map(|term| {
        let access = &observed.problem.pool.terms[*term].access;
        access.root().map(str::to_owned)
    });
    let at = Place {
        language: observed.language,
        names: Arc::new([]),
        chosen: names.collect(),
        old: old.map(Condition::from),
        computes: false,
        observed: Some(Arc::clone(observed)),
    };
    let unobserved = Unobserved {
        at: Arc::new(at),
        new: new.into(),
    };
    unobserved.cautions()
}

/// Evidence for an edit that was not observed.
#[derive(Debug)]
pub struct Unobserved {
    at: Arc<Place>,
    new: Condition,
}

impl Unobserved {
    /// The evidence for an edit that changes a place to `new`.
    pub fn at(at: &Arc<Place>, new: &Condition) -> Arc<dyn Evidence> {
        Arc::new(Self {
            at: Arc::clone(at),
            new: new.clone(),
        })
    }
}

impl Evidence for Unobserved {
    fn cautions(&self) -> Vec<String> {
        let at = &*self.at;
        if at.language != Language::Rust {
            return Vec::new();
        }
        let mut reading = Reading::new(at);
        let old = at.old.as_ref().and_then(|old| reading.read(old));
        let Some(new) = reading.read(&self.new) else {
            return Vec::new();
        };
        // An old condition that cannot be read cannot be compared with.
        let is_comparable = at.old.is_some() == old.is_some();
        let inputs = reading.inputs();
        let computed = Computed {
            style: Style {
                language: at.language,
                pool: &reading.pool,
                old: &[],
                suffixed: false,
            },
            rows: &reading.rows,
            inputs: &inputs,
            old: old.as_ref(),
        };
        let caution = is_comparable.then(|| match at.computes {
            // Nearly all arithmetic overflows with the greatest numbers, so warn only of values that can occur.
            true => computed.possible_caution(&new),
            false => computed.caution(&new),
        });
        // The old condition's accesses are known even if the types of its operands are not.
        let old = at.old.as_ref().and_then(|old| old.tree(at.language));
        let read = old.into_iter().flat_map(|old: &Node| old.leaves());
        let read = read.map(|leaf| &leaf.access);
        let lookups = lookups::unguarded(&new, read, &reading.pool).into_iter();
        let lookups = lookups.map(|access| lookups::warning(access, &write::text(access)));
        caution.flatten().into_iter().chain(lookups).collect()
    }
}

/// Reads texts as expressions and adds their terms to a pool.
struct Reading<'a> {
    at: &'a Place,
    pool: Pool,
    rows: Vec<Row>,
}

impl<'a> Reading<'a> {
    fn new(at: &'a Place) -> Self {
        let nothing = || Row {
            values: Arc::new(Values::new()),
            expected: true,
            hard: false,
            weight: 0,
        };
        match &at.observed {
            Some(observed) => Self {
                at,
                pool: observed.problem.pool.clone(),
                rows: observed.problem.rows().to_vec(),
            },
            None => Self {
                at,
                pool: Pool::default(),
                rows: vec![nothing()],
            },
        }
    }

    /// The expression of a text; `None` if the type of an operand is not known.
    fn read(&mut self, text: &Condition) -> Option<Expr> {
        let at = self.at;
        let tree: &Node = text.tree(at.language)?;
        let expected = (!at.computes).then_some(Type::Bool);
        let mut lookup = |leaf: &Leaf, expected: Option<Type>| self.term(leaf, expected);
        let read = tree.to_expr(at.language, expected, &mut lookup, &mut Vec::new());
        read.map(|(expr, _)| expr)
    }

    fn term(&mut self, leaf: &Leaf, expected: Option<Type>) -> Option<(TermId, Type)> {
        let terms = self.pool.terms.iter_enumerated();
        let mut known = terms.filter(|(_, term)| {
            term.access == leaf.access && expected.is_none_or(|ty| ty == term.ty)
        });
        if let Some((id, term)) = known.next() {
            // A literal may be known with several types.
            let is_one = known.next().is_none();
            return is_one.then_some((id, term.ty));
        }
        let (ty, constant) = match leaf.kind {
            LeafKind::Literal => {
                let ty = expected?;
                (ty, Some(self.at.language.constant(&leaf.text, ty)?))
            }
            _ => match self.at.declared(&leaf.access) {
                Some(ty) => (ty, None),
                // An operand computed with a number has the type of that number, or refers to it.
                None if is_number(expected) && is_place(&leaf.access) => (expected?, None),
                // An operand that is expected to be a truth value is one.
                None if expected == Some(Type::Bool) => (Type::Bool, None),
                None => return None,
            },
        };
        Some((self.add(&leaf.access, ty, constant), ty))
    }

    fn add(&mut self, access: &Access, ty: Type, constant: Option<Value>) -> TermId {
        for row in &mut self.rows {
            row.values_mut().push(constant.clone());
        }
        self.pool.terms.push_and_get_key(Term {
            constant,
            ..Term::new(access.clone(), ty, Origin::Old)
        })
    }

    fn inputs(&self) -> BTreeSet<TermId> {
        let is_chosen = |term: &Term| match term.access.without_derefs() {
            Access::Variable(name) => term.constant.is_none() && self.at.chosen.contains(name),
            _ => false,
        };
        let terms = self.pool.terms.iter_enumerated();
        let chosen = terms.filter(|(_, term)| is_chosen(term));
        chosen.map(|(id, _)| id).collect()
    }
}

fn is_number(ty: Option<Type>) -> bool {
    matches!(ty, Some(Type::Int(_)))
}

/// Whether an access is a variable, a field, or a dereference of one.
fn is_place(access: &Access) -> bool {
    match access.without_derefs() {
        Access::Variable(_) => true,
        Access::Field(of, ..) => is_place(of),
        _ => false,
    }
}

impl Place {
    /// The declared type of a variable, or of what it refers to.
    fn declared(&self, access: &Access) -> Option<Type> {
        let (of, is_behind) = match access.plain() {
            Access::Prefix(Prefix::Deref, of) => (of.plain(), true),
            other => (other, false),
        };
        let Access::Variable(name) = of else {
            return None;
        };
        // A shadowed name may have several types.
        let mut named = self.names.iter().filter(|known| known.text == *name);
        let ty = named.next()?.ty.as_ref()?;
        let ty = (ty.is_reference == is_behind).then(|| Type::from_name(&ty.plain))?;
        ty.filter(|_| named.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use nopol_source::DeclaredType;

    use super::*;

    fn cautions(old: &str, new: &str) -> Vec<String> {
        let name = |text: &str, ty: &str, is_reference| Name {
            text: text.to_owned(),
            ty: Some(DeclaredType {
                plain: ty.to_owned(),
                is_reference,
            }),
        };
        let place = Place {
            language: Language::Rust,
            names: [
                name("n", "u32", false),
                name("m", "u32", true),
                name("i", "usize", false),
            ]
            .into(),
            chosen: vec!["n".to_owned()],
            old: Some(old.into()),
            computes: false,
            observed: None,
        };
        Unobserved::at(&Arc::new(place), &new.into()).cautions()
    }

    #[test]
    fn declared_types_show_what_overflows() {
        let [caution] = &cautions("n > 3", "n * 2 > 4")[..] else {
            panic!("one caution");
        };
        assert!(
            caution.starts_with("computing `n * 2` overflows with `n` = 4294967295"),
            "{caution}"
        );
        let [caution] = &cautions("*m * *m < n", "*m * *m <= n")[..] else {
            panic!("one caution");
        };
        assert_eq!(
            caution,
            "computing `*m * *m` would overflow with `*m` = 65536; no values were recorded there, and it may be impossible; \
             the old condition fails there, too"
        );
        assert!(cautions("*m + 1 < n", "*m + 1 <= n").is_empty());
        // The type of `k` is not known.
        assert!(cautions("k * 2 < n", "k * 3 < n").is_empty());
    }

    #[test]
    fn an_index_that_only_the_edit_reads_is_named() {
        assert_eq!(
            cautions("n > 3", "n > 3 && v[i] > 2"),
            ["`v[i]` panics if the index is out of bounds"]
        );
        assert!(cautions("v[i] > 3", "v[i] >= 3").is_empty());
        assert!(cautions("v[i] > u && k(v[i])", "v[i] > 3").is_empty());
    }
}

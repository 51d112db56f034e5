//! Whether the generators would propose a condition at a place, given any tests: by an edit of the text, or by a
//! condition over terms that can be recorded there.

mod spelling;

use std::collections::BTreeSet;

use cargo_nopol::rank::change::number;
use nopol_expr::{Access, Type};
use nopol_source::clauses::{self, Around, Kin};
use nopol_source::condition::{Leaf, LeafKind, Node, Shape};
use nopol_source::one_step::borrowed::borrowed_edits;
use nopol_source::one_step::overflow::overflow_edits;
use nopol_source::one_step::{Nearby, one_step_edits};
use nopol_source::words::plain_names;
use nopol_source::{Form, Language, Site, Sources, candidate_terms, standing};

use self::spelling::{
    added, atoms, bare, called, is_extreme, spelled, without_get, without_matches,
};

/// Clauses of a new condition, and clauses that are added to an old one or replaced in it, at most.
const MOST_NEW: usize = 2;
/// Fields and calls after a name that are recorded.
const DEEPEST: usize = 2;

/// How a condition is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// By an edit of the text.
    Text,
    /// As an old condition with clauses added or replaced, over terms.
    Edit,
    /// As a new condition over terms.
    New,
}

/// Why a condition is not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miss {
    /// No parser reads it: a `let`, a block, a macro.
    Unparsed,
    /// More clauses change than the search changes.
    Large,
    /// The clauses are there, but not joined so.
    Shape,
    /// A literal that is not in the file and that no recorded value shows.
    Literal,
    /// A call of something that is called nearby, with other arguments.
    Arguments,
    /// A call that is not proposed.
    Call,
    /// A macro that is not proposed.
    Macro,
    /// A name that is not visible, or a constant from elsewhere.
    Name,
    /// A field or an element that is not recorded.
    Part,
    /// A closure, a block, a range, a cast or arithmetic that is not proposed.
    Expression,
    /// A guard: no such exit is proposed.
    Exit,
    /// Nothing can be inserted there.
    Place,
}

/// What the generators know at one site.
pub struct Space<'s> {
    sources: &'s Sources,
    site: &'s Site,
    kin: &'s Kin,
    /// Candidate terms, without white space and references.
    terms: BTreeSet<String>,
    /// Names of functions, methods and macros that are called in the file.
    called: BTreeSet<String>,
}

impl<'s> Space<'s> {
    /// The space at a site.
    pub fn at(sources: &'s Sources, site: &'s Site, kin: &'s Kin) -> Self {
        let offered = candidate_terms::at(sources, site).into_iter();
        let mut terms: BTreeSet<String> = offered.map(|term| bare(&term.text)).collect();
        if let Some(old) = Language::Rust.parse(&plain_names(&site.text)) {
            terms.extend(old.leaves().into_iter().map(|leaf| bare(&leaf.text)));
            let whole = old.compared().into_iter();
            terms.extend(whole.map(|(node, ..)| bare(&node.text)));
        }
        Self {
            sources,
            site,
            kin,
            terms,
            called: called(&sources.files[site.file].text),
        }
    }

    /// How an old condition becomes a new one.
    ///
    /// # Errors
    /// With the reason why it does not.
    pub fn edited(&self, old: &str, new: &str) -> Result<Way, Miss> {
        self.edited_so(old, new).or_else(|miss| {
            let matches = without_matches(new).filter(|_| !old.contains("matches!"));
            let spelled_out = matches.or_else(|| without_get(old, new));
            let way = spelled_out.and_then(|new| self.edited_so(old, &new).ok());
            way.ok_or(miss)
        })
    }

    fn edited_so(&self, old: &str, new: &str) -> Result<Way, Miss> {
        let (old, new) = (plain_names(old), plain_names(new));
        let Some(target) = Language::Rust.parse(&new) else {
            return Err(Miss::Unparsed);
        };
        let Some(tree) = Language::Rust.parse(&old) else {
            return self.new_condition(&target);
        };
        let wanted = spelled(&new);
        let function = &self.sources.functions[self.site.function];
        let file = &self.sources.files[self.site.file];
        let nearby = Nearby {
            literals: &function.literals,
            names: &file.text,
            around: Around {
                function: &file.text[function.span.clone()],
                file: &file.text,
                kin: self.kin,
                literals: [&function.literals, &file.literals],
            },
            pointers: &self.sources.pointers,
        };
        let mut edits = one_step_edits(&tree, &old, self.site.min_binding, nearby);
        edits.extend(overflow_edits(&tree, &old, Language::Rust));
        let standing = standing::clauses(self.sources, self.site);
        edits.extend(borrowed_edits(
            &tree,
            &old,
            self.site.min_binding,
            &standing,
        ));
        if edits.iter().any(|edit| spelled(&edit.text) == wanted) {
            return Ok(Way::Text);
        }
        let mut reason = None;
        let bases = std::iter::once((tree.clone(), MOST_NEW));
        let once_edited = edits
            .iter()
            .filter_map(|edit| Some((Language::Rust.parse(&edit.text)?, 1)));
        for (base, most) in bases.chain(once_edited) {
            let Some(clauses) = added(&base, &target) else {
                continue;
            };
            if clauses.len() > most {
                if most == MOST_NEW {
                    reason = Some(Miss::Large);
                }
                continue;
            }
            match self.clauses(&clauses) {
                Ok(()) => return Ok(Way::Edit),
                Err(miss) if most == MOST_NEW => reason = Some(miss),
                Err(_) => {}
            }
        }
        self.new_condition(&target)
            .map_err(|miss| reason.unwrap_or(miss))
    }

    /// Whether a condition is proposed where there was none.
    ///
    /// # Errors
    /// With the reason why it is not.
    pub fn fresh(&self, condition: &str) -> Result<Way, Miss> {
        if matches!(self.site.kind.form(), Form::Wrap | Form::Leave) {
            let nearby = standing::conditions(self.sources, self.site);
            let wanted = spelled(condition);
            let mut texts = nearby
                .iter()
                .flat_map(|(site, opposite)| [&site.text, opposite]);
            if texts.any(|text| spelled(text) == wanted) {
                return Ok(Way::Text);
            }
        }
        match Language::Rust.parse(&plain_names(condition)) {
            Some(target) => self.new_condition(&target),
            None => Err(Miss::Unparsed),
        }
    }

    fn new_condition(&self, target: &Node) -> Result<Way, Miss> {
        let mut clauses = Vec::new();
        atoms(target, &mut clauses);
        match clauses.len() > MOST_NEW + 1 {
            true => Err(Miss::Large),
            false => self.clauses(&clauses).map(|()| Way::New),
        }
    }

    fn clauses(&self, clauses: &[&Node]) -> Result<(), Miss> {
        let mut all = Vec::new();
        for clause in clauses {
            atoms(clause, &mut all);
        }
        all.into_iter().try_for_each(|atom| self.atom(atom))
    }

    /// Whether a clause is proposed.
    fn atom(&self, node: &Node) -> Result<(), Miss> {
        if self.terms.contains(&bare(&node.text)) {
            return Ok(());
        }
        match &node.shape {
            Shape::Not(inner) => self.atom(inner),
            Shape::And(..) | Shape::Or(..) => Err(Miss::Shape),
            Shape::Leaf(leaf) => self.leaf(leaf),
            Shape::Cmp(..) if self.prevents(&bare(&node.text)) => Ok(()),
            Shape::Cmp(_, a, b) => {
                let variant = [(a, b), (b, a)]
                    .into_iter()
                    .any(|(of, to)| self.is_variant(to) && self.operand(of).is_ok());
                if variant {
                    return Ok(());
                }
                for (side, other) in [(a, b), (b, a)] {
                    match &side.shape {
                        // What recorded values show, or one of the constants.
                        Shape::Leaf(leaf) if leaf.kind == LeafKind::Literal => {
                            self.literal(leaf, other)?;
                        }
                        // Recorded like any number.
                        Shape::Leaf(leaf) if is_extreme(&leaf.text) => {}
                        _ => self.operand(side)?,
                    }
                }
                Ok(())
            }
            Shape::Arith(..) => Err(Miss::Expression),
        }
    }

    /// Whether a clause keeps an element that the old condition reads from being out of bounds. Where that is how a test fails,
    /// the search reads the clause off the panic.
    fn prevents(&self, clause: &str) -> bool {
        let parts = clause.split_once('<').and_then(|(index, rest)| {
            let list = rest.strip_suffix(".len()")?;
            Some(format!("{list}[{index}]"))
        });
        parts.is_some_and(|element| bare(&self.site.text).contains(&element))
    }

    /// Whether something that is compared is proposed.
    fn operand(&self, node: &Node) -> Result<(), Miss> {
        if self.terms.contains(&bare(&node.text)) {
            return Ok(());
        }
        match &node.shape {
            Shape::Leaf(leaf) => self.leaf(leaf),
            // Sums of two, and one more or less.
            Shape::Arith(op, a, b) if matches!(op.token(), "+" | "-") => {
                self.operand(a).and_then(|()| self.operand(b))
            }
            _ => Err(Miss::Expression),
        }
    }

    /// Whether a literal is proposed next to an operand. A number or a mark is taken from recorded values; a text too, if it
    /// is the value itself.
    fn literal(&self, leaf: &Leaf, other: &Node) -> Result<(), Miss> {
        let function = &self.sources.functions[self.site.function].literals;
        let file = &self.sources.files[self.site.file].literals;
        let is_known = function.iter().chain(file).any(|known| *known == leaf.text);
        let is_mined = number(&leaf.text).is_some()
            || leaf.text.trim_start_matches('b').starts_with(['\'', '"'])
            || Language::Rust
                .constant(&leaf.text, Type::F64)
                .is_some_and(|_| matches!(other.shape, Shape::Leaf(_)));
        match is_known || is_mined {
            true => Ok(()),
            false => Err(Miss::Literal),
        }
    }

    /// Whether it is the variant of an enum of the file, or of the standard library.
    fn is_variant(&self, node: &Node) -> bool {
        let text = bare(&node.text);
        let head = text.split(['(', '{']).next().unwrap_or_default();
        let name = head.rsplit("::").next().unwrap_or_default();
        let types = &self.sources.types;
        head.contains("::")
            && types
                .iter()
                .any(|ty| ty.variants.iter().any(|variant| variant.name == name))
    }

    /// Whether a leaf can be recorded.
    fn leaf(&self, leaf: &Leaf) -> Result<(), Miss> {
        let text = bare(&leaf.text);
        if self.terms.contains(&text) || leaf.kind == LeafKind::Literal {
            return Ok(());
        }
        if text.contains('|') || text.contains("..") {
            return Err(self.call(&text, Miss::Expression));
        }
        if let Some((name, rest)) = text.split_once("!(") {
            let of = rest.split(',').next().unwrap_or_default();
            let is_read = self.path(&Language::Rust.access(of)).is_ok();
            let pattern = rest.split_once(',').map_or("", |(_, pattern)| pattern);
            let is_known = pattern
                .trim_end_matches(')')
                .split('|')
                .all(|one| self.names_variant(one));
            return match name == "matches" && is_read && is_known {
                true => Ok(()),
                false => Err(match self.called.contains(name) {
                    true => Miss::Arguments,
                    false => Miss::Macro,
                }),
            };
        }
        self.path(&Language::Rust.access(&text))
    }

    fn names_variant(&self, pattern: &str) -> bool {
        let head = pattern.split(['(', '{']).next().unwrap_or_default();
        let name = head.rsplit("::").next().unwrap_or_default();
        let types = &self.sources.types;
        types
            .iter()
            .any(|ty| ty.variants.iter().any(|variant| variant.name == name))
    }

    /// Whether an access is a visible name with a few fields and queries.
    fn path(&self, access: &Access) -> Result<(), Miss> {
        let access = access.without_derefs();
        let written = bare(&nopol_source::write::text(access));
        if self.terms.contains(&written) {
            return Ok(());
        }
        let steps: Vec<&Access> = access.spine().collect();
        for step in &steps {
            match step.plain() {
                Access::Variable(name) => {
                    let is_visible = self.site.names.iter().any(|known| known.text == *name);
                    if !is_visible {
                        return Err(Miss::Name);
                    }
                }
                Access::Field(..) | Access::Query(..) => {}
                Access::Method(_, method, arguments) if arguments.is_empty() => {
                    let all = &self.sources.callables;
                    let is_getter = all.iter().any(|callable| {
                        callable.is_method
                            && callable.name == *method
                            && callable.parameters.is_empty()
                    });
                    if !is_getter {
                        return Err(self.call(&written, Miss::Call));
                    }
                }
                Access::Method(..) | Access::Call(..) => {
                    return Err(self.call(&written, Miss::Call));
                }
                Access::Prefix(..) => {}
                _ => {
                    return Err(match written.contains('[') {
                        true => Miss::Part,
                        false => self.call(&written, Miss::Expression),
                    });
                }
            }
        }
        match steps.len() <= DEEPEST + 2 {
            true => Ok(()),
            false => Err(Miss::Part),
        }
    }

    /// The reason for a text with a call: whether what it calls is called in the file.
    fn call(&self, text: &str, otherwise: Miss) -> Miss {
        let names = called(text);
        match () {
            () if names.is_empty() => otherwise,
            () if names.iter().all(|name| self.called.contains(name)) => Miss::Arguments,
            () => Miss::Call,
        }
    }
}

/// Siblings of the fields and variants of a file.
pub fn kin(sources: &Sources) -> Kin {
    clauses::kin(sources)
}

#[cfg(test)]
mod tests {
    use super::super::super::edits::read;
    use super::*;

    const TEXT: &str = "
const LIMIT: usize = 7;
enum Kind { Open, Closed }
struct Item { kind: Kind, size: usize, name: String }
impl Item { fn is_small(&self) -> bool { self.size < 3 } }
fn f(item: &Item, text: &str, at: usize, other: usize) -> usize {
    if at < other { return g(text, at); }
    if text.starts_with(\"x\") || item.is_small() { return 2; }
    1
}
";

    fn way(condition: &str, new: &str) -> Result<Way, Miss> {
        let sources = read(TEXT).unwrap();
        let kin = kin(&sources);
        let site = sources.sites.iter().find(|site| site.text == condition);
        Space::at(&sources, site.unwrap(), &kin).edited(condition, new)
    }

    #[test]
    fn what_the_generators_propose_is_in_the_space() {
        let of = |new: &str| way("at < other", new);
        assert_eq!(of("at <= other"), Ok(Way::Text));
        assert_eq!(of("at < other && !text.is_empty()"), Ok(Way::Edit));
        assert_eq!(of("at < other && at < item.size"), Ok(Way::Edit));
        assert_eq!(of("at < other || item.kind == Kind::Open"), Ok(Way::Edit));
        assert_eq!(of("item.size > 3"), Ok(Way::New));
        assert_eq!(of("at < text.len()"), Ok(Way::Edit));
        assert_eq!(of("at < other && item.size == usize::MAX"), Ok(Way::Edit));
    }

    #[test]
    fn an_element_that_may_be_missing_is_compared_after_its_index() {
        let (old, new) = (
            "a && !(v.b()[i] == b'<')",
            "a && !(v.b().get(i) == Some(&b'<'))",
        );
        let spelled_out = without_get(old, new);
        assert_eq!(
            spelled_out.as_deref(),
            Some("a && !(i < v.b().len() && v.b()[i] == b'<')")
        );
        assert_eq!(without_get("a", new), None);
        assert_eq!(
            bare("v.iter().all(|one| one.is_on(a | b))"),
            "v.iter().all(|it|it.is_on(a|b))"
        );
    }

    #[test]
    fn what_stands_nearby_is_in_the_space_of_a_new_if() {
        let sources = read(TEXT).unwrap();
        let kin = kin(&sources);
        let mut sites = sources.sites.iter();
        let place = sites.rfind(|site| site.kind.is_early_exit()).unwrap();
        let space = Space::at(&sources, place, &kin);
        assert_eq!(space.fresh("at >= other"), Ok(Way::Text));
    }

    #[test]
    fn what_they_do_not_propose_has_a_reason() {
        let of = |new: &str| way("at < other", new);
        assert_eq!(of("at < other && unknown"), Err(Miss::Name));
        assert_eq!(
            of("at < other && g(text, other) == 1"),
            Err(Miss::Arguments)
        );
        assert_eq!(of("at < other && h(text)"), Err(Miss::Call));
        assert_eq!(
            of("at < other && text.chars().any(|c| c == 'x')"),
            Err(Miss::Call)
        );
        assert_eq!(of("at < other && a && b && c"), Err(Miss::Large));
        assert_eq!(
            of("at == 1 && (other == 2 || at == 3) && at != 9"),
            Err(Miss::Large)
        );
    }
}

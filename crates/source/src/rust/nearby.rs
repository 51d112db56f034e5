//! Variants of an existing test: the same statements up to an assertion, with one or two literals changed. A generated
//! function panics with the value that a variant computes. The new test then asserts that value.

use std::collections::BTreeMap;
use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Item, ItemFn, Macro, ReturnType, Stmt, Token, UnOp};

use super::modules::{self, is_test_code};
use crate::vary;

/// The marks around a value in the message of a panic.
const MARKS: [&str; 2] = ["nopol-value<", ">nopol-value"];
/// Most variants of one test.
const MOST_VARIANTS: usize = 120;
/// Most literals among which two are changed at once.
const MOST_PAIRED: usize = 5;
/// Most values of each of two literals.
const MOST_OF_PAIR: usize = 4;

/// A test in the text of a file.
#[derive(Debug)]
pub struct Test<'t> {
    text: &'t str,
    /// The byte at which the next item can be inserted.
    pub end: usize,
    indent: &'t str,
    name: String,
    /// Its return type, as written. Empty if it returns nothing.
    returns: String,
    /// Its tail expression, if it returns something.
    tail: Option<&'t str>,
    assertions: Vec<Assertion>,
    /// The expressions with which this test and its neighbours compare.
    pub expected: Vec<String>,
    /// What the tests of the file evaluate, as tokens: an asserted expression with the statements before it.
    asked: Vec<String>,
}

/// An assertion, and the statements before it that are not assertions.
#[derive(Debug)]
struct Assertion {
    before: Vec<Code>,
    asked: Code,
    form: Form,
}

/// A piece of code and the literals in it.
#[derive(Clone, Debug)]
struct Code {
    range: Range<usize>,
    literals: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// `assert!` of the expression, or of its negation.
    Holds,
    /// `assert_eq!` with the expression on the left or on the right.
    Equals { on_the_left: bool },
}

/// A variant of a test, up to the asserted expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The statements before the assertion.
    before: Vec<String>,
    /// The expression whose value is asserted.
    asked: String,
    form: Form,
    is_compared: bool,
}

impl<'t> Test<'t> {
    /// The test function with this name, which may include modules. `None` if the file does not have it, or it is not
    /// in a usual form.
    pub fn find(text: &'t str, name: &str) -> Option<Self> {
        let ast = modules::parse(text).ok()?;
        let finder = Finder {
            text,
            offset: ast.offset,
            name,
        };
        let mut test = finder.in_items(&ast.file.items, "")?;
        test.asked = finder.asked_in(&ast.file.items);
        Some(test)
    }

    /// Variants of the test, nearest first. Leaves out those that a test of the file already evaluates. `hints` are
    /// values worth trying, as written in reports.
    pub fn variants(&self, hints: &[String]) -> Vec<Variant> {
        let mut singles = Vec::new();
        let mut pairs = Vec::new();
        for assertion in &self.assertions {
            let literals = assertion.literals();
            let near = |literal: &Range<usize>| vary::literal(&self.text[literal.clone()], hints);
            for literal in &literals {
                let values = near(literal).into_iter();
                let of_one = values.map(|value| self.variant(assertion, &[(literal, &value)]));
                singles.push(of_one.collect::<Vec<_>>());
            }
            let few: Vec<_> = literals.iter().take(MOST_PAIRED).collect();
            for (nth, a) in few.iter().enumerate() {
                for b in &few[..nth] {
                    let values = [a, b]
                        .map(|at| near(at).into_iter().take(MOST_OF_PAIR).collect::<Vec<_>>());
                    for x in &values[0] {
                        let of_two = values[1]
                            .iter()
                            .map(|y| self.variant(assertion, &[(a, x), (b, y)]));
                        pairs.extend(of_two);
                    }
                }
            }
        }
        // First the nearest value of every literal, then the next ones.
        let longest = singles.iter().map(Vec::len).max().unwrap_or(0);
        let rounds = (0..longest).flat_map(|nth| singles.iter().filter_map(move |of| of.get(nth)));
        let mut all: Vec<Variant> = Vec::new();
        for variant in rounds.chain(&pairs) {
            let is_open = !self
                .asked
                .contains(&question(&variant.before, &variant.asked));
            if all.len() < MOST_VARIANTS && is_open && !all.contains(variant) {
                all.push(variant.clone());
            }
        }
        all
    }

    fn variant(&self, assertion: &Assertion, values: &[(&Range<usize>, &String)]) -> Variant {
        let written = |code: &Code| {
            let mut written = self.text[code.range.clone()].to_owned();
            let mut inside: Vec<_> = values
                .iter()
                .filter(|(at, _)| code.range.start <= at.start && at.end <= code.range.end)
                .collect();
            inside.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
            for (at, value) in inside {
                let start = code.range.start;
                written.replace_range(at.start - start..at.end - start, value);
            }
            written
        };
        let asked = written(&assertion.asked);
        Variant {
            before: assertion.before.iter().map(written).collect(),
            is_compared: syn::parse_str(&asked)
                .is_ok_and(|expr| matches!(expr, Expr::Binary(_) | Expr::Range(_) | Expr::Cast(_))),
            asked,
            form: assertion.form,
        }
    }

    /// A test function that panics with the value of a variant.
    pub fn asking(&self, variant: &Variant, name: &str) -> String {
        let Variant { before, asked, .. } = variant;
        let before = before.join("\n");
        self.function(
            name,
            &format!("{before}\nmatch &({asked}) {{ value => {} }}", shown()),
        )
    }

    /// A test function that panics with the value of an expression that other tests compare with.
    pub fn asking_expected(&self, expression: &str, name: &str) -> String {
        self.function(
            name,
            &format!("match &({expression}) {{ value => {} }}", shown()),
        )
    }

    fn function(&self, name: &str, body: &str) -> String {
        format!(
            "\n#[test] #[allow(warnings)] fn {name}() {} {{\n{body}\n}}\n",
            self.returns
        )
    }

    /// A name for the new test that does not occur in the file.
    pub fn new_name(&self) -> String {
        let base = format!("{}_nearby", self.name);
        let is_free = |name: &String| !self.text.contains(name.as_str());
        std::iter::once(base.clone())
            .chain((2..).map(|number| format!("{base}_{number}")))
            .find(is_free)
            .unwrap_or(base)
    }

    /// The test which asserts that a variant yields this value, in all spellings that may compile, best first. `known`
    /// maps values to expressions that other tests compare with.
    pub fn kept(
        &self,
        variant: &Variant,
        value: &str,
        known: &BTreeMap<String, String>,
        why: &str,
    ) -> Vec<String> {
        let Variant { asked, form, .. } = variant;
        let assertions = match form {
            Form::Holds => vec![match (value, variant.is_compared) {
                ("true", _) => format!("assert!({asked});"),
                (_, true) => format!("assert!(!({asked}));"),
                (_, false) => format!("assert!(!{asked});"),
            }],
            Form::Equals { on_the_left } => {
                let equal = |a: &str, b: &str| match on_the_left {
                    true => format!("assert_eq!({a}, {b});"),
                    false => format!("assert_eq!({b}, {a});"),
                };
                let as_known = known.get(value).map(|known| equal(asked, known));
                let itself = is_expression(value).then(|| equal(asked, value));
                let text = format!("format!(\"{{:?}}\", {asked})");
                let as_text = equal(&text, &format!("{value:?}"));
                as_known
                    .into_iter()
                    .chain(itself)
                    .chain([as_text])
                    .collect()
            }
        };
        let spelt = |assertion: String| {
            let indent = self.indent;
            let lines = variant.before.iter().chain([&assertion]);
            let lines = lines.map(String::as_str).chain(self.tail);
            let body: String = lines.map(|line| format!("{indent}    {line}\n")).collect();
            let returns = match &*self.returns {
                "" => String::new(),
                returns => format!(" {returns}"),
            };
            format!(
                "\n\n{indent}/// {why}\n{indent}#[test]\n{indent}fn {}(){returns} {{\n{body}{indent}}}",
                self.new_name()
            )
        };
        assertions.into_iter().map(spelt).collect()
    }
}

/// Statements and the expression after them as tokens, so that white space does not matter.
fn question(before: &[String], asked: &str) -> String {
    let text = format!("{}; {asked}", before.join("\n"));
    let tokens = text.parse().map(|tokens: TokenStream| tokens.to_string());
    tokens.unwrap_or(text)
}

/// The value in the output of a test function that panicked with it.
pub fn value(output: &str) -> Option<&str> {
    let (_, rest) = output.split_once(MARKS[0])?;
    rest.split_once(MARKS[1]).map(|(value, _)| value)
}

/// The panic that shows a value.
fn shown() -> String {
    format!("panic!(\"{}{{:?}}{}\", value)", MARKS[0], MARKS[1])
}

/// Whether the output of `Debug` is an expression for the same value in any context.
fn is_expression(shown: &str) -> bool {
    fn is_plain(expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_plain(&unary.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().all(is_plain),
            Expr::Array(array) => array.elems.iter().all(is_plain),
            Expr::Path(path) => path.path.is_ident("None"),
            Expr::Call(call) => {
                let is_known = |path: &syn::ExprPath| {
                    ["Some", "Ok", "Err"]
                        .iter()
                        .any(|name| path.path.is_ident(name))
                };
                matches!(&*call.func, Expr::Path(path) if is_known(path))
                    && call.args.iter().all(is_plain)
            }
            _ => false,
        }
    }
    syn::parse_str(shown).is_ok_and(|expr| is_plain(&expr))
}

/// Searches for a test function in a file.
struct Finder<'t, 'n> {
    text: &'t str,
    offset: usize,
    name: &'n str,
}

impl<'t> Finder<'t, '_> {
    fn in_items(&self, items: &[Item], modules: &str) -> Option<Test<'t>> {
        items.iter().find_map(|item| match item {
            Item::Mod(module) => {
                let (_, inner) = module.content.as_ref()?;
                self.in_items(inner, &format!("{modules}{}::", module.ident))
            }
            Item::Fn(function) if is_test_code(&function.attrs) => {
                let name = format!("{modules}{}", function.sig.ident);
                let is_it = self
                    .name
                    .strip_suffix(&name)
                    .is_some_and(|before| before.is_empty() || before.ends_with("::"));
                is_it.then(|| self.test(function, items)).flatten()
            }
            _ => None,
        })
    }

    fn test(&self, function: &ItemFn, neighbours: &[Item]) -> Option<Test<'t>> {
        let panics = |attr: &syn::Attribute| attr.path().is_ident("should_panic");
        if function.sig.asyncness.is_some()
            || !function.sig.inputs.is_empty()
            || function.attrs.iter().any(panics)
        {
            return None;
        }
        let range = self.range(function.span().byte_range());
        let line = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &self.text[line..range.start];
        let returns = match &function.sig.output {
            ReturnType::Default => String::new(),
            output @ ReturnType::Type(..) => {
                self.text[self.range(output.span().byte_range())].to_owned()
            }
        };
        let tail = match function.block.stmts.last() {
            Some(Stmt::Expr(tail, None)) if !returns.is_empty() => {
                Some(&self.text[self.range(tail.span().byte_range())])
            }
            _ => None,
        };
        let tests = neighbours.iter().filter_map(|item| match item {
            Item::Fn(function) if is_test_code(&function.attrs) => Some(function),
            _ => None,
        });
        let mut expected = Vec::new();
        for assertion in tests.flat_map(|test| self.assertions(test)) {
            if let (_, Some(other)) = assertion
                && !expected.contains(&other)
            {
                expected.push(other);
            }
        }
        let assertions = self.assertions(function).into_iter();
        Some(Test {
            text: self.text,
            end: range.end,
            indent: if indent.trim().is_empty() { indent } else { "" },
            name: function.sig.ident.to_string(),
            returns,
            tail,
            assertions: assertions.map(|(assertion, _)| assertion).collect(),
            expected,
            asked: Vec::new(),
        })
    }

    /// What the tests among these items, and in their modules, evaluate.
    fn asked_in(&self, items: &[Item]) -> Vec<String> {
        let mut asked = Vec::new();
        for item in items {
            match item {
                Item::Mod(module) => {
                    let inner = module
                        .content
                        .as_ref()
                        .map(|(_, inner)| self.asked_in(inner));
                    asked.extend(inner.into_iter().flatten());
                }
                Item::Fn(function) if is_test_code(&function.attrs) => {
                    let text = |code: &Code| self.text[code.range.clone()].to_owned();
                    asked.extend(self.assertions(function).iter().map(|(assertion, _)| {
                        let before: Vec<String> = assertion.before.iter().map(text).collect();
                        question(&before, &text(&assertion.asked))
                    }));
                }
                _ => {}
            }
        }
        asked
    }

    /// The assertions among the statements of a test, each with the expression it compares with.
    fn assertions(&self, function: &ItemFn) -> Vec<(Assertion, Option<String>)> {
        let mut before = Vec::new();
        let mut found = Vec::new();
        for statement in &function.block.stmts {
            let asserted = match statement {
                Stmt::Macro(statement) => assertion_in(&statement.mac),
                Stmt::Expr(Expr::Macro(statement), _) => assertion_in(&statement.mac),
                _ => None,
            };
            match asserted {
                Some(Asserted { asked, form, other }) => {
                    let assertion = Assertion {
                        before: before.clone(),
                        asked: self.code(&asked),
                        form,
                    };
                    let other = other
                        .map(|other| self.text[self.range(other.span().byte_range())].to_owned());
                    found.push((assertion, other));
                }
                None if is_assertion(statement) => {}
                None => before.push(self.code(statement)),
            }
        }
        found
    }

    fn code(&self, of: &(impl Spanned + ToTokens)) -> Code {
        let mut literals = Vec::new();
        collect(of.to_token_stream(), &mut literals);
        Code {
            range: self.range(of.span().byte_range()),
            literals: literals
                .into_iter()
                .map(|range| self.range(range))
                .collect(),
        }
    }

    fn range(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.offset..range.end + self.offset
    }
}

impl Assertion {
    /// The literals, last first, because earlier ones often only make the receiver.
    fn literals(&self) -> Vec<Range<usize>> {
        let code = std::iter::once(&self.asked).chain(self.before.iter().rev());
        code.flat_map(|code| code.literals.iter().rev().cloned())
            .collect()
    }
}

/// The expression that an assertion evaluates, and the one it is compared with.
struct Asserted {
    asked: Expr,
    form: Form,
    other: Option<Expr>,
}

fn assertion_in(call: &Macro) -> Option<Asserted> {
    let args = || {
        call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)
            .ok()
    };
    if call.path.is_ident("assert") {
        let mut asked = args()?.into_iter().next()?;
        while let Expr::Unary(unary) = &asked
            && matches!(unary.op, UnOp::Not(_))
        {
            asked = (*unary.expr).clone();
        }
        return Some(Asserted {
            asked,
            form: Form::Holds,
            other: None,
        });
    }
    if call.path.is_ident("assert_eq") {
        let mut args = args()?.into_iter();
        let (left, right) = (args.next()?, args.next()?);
        // The evaluated side usually has a call; the other side is a plain value.
        let on_the_left = calls(&left) || !calls(&right);
        let (asked, other) = match on_the_left {
            true => (left, right),
            false => (right, left),
        };
        return Some(Asserted {
            asked,
            form: Form::Equals { on_the_left },
            other: Some(other),
        });
    }
    None
}

/// Whether a statement is any kind of assertion. Assertions are not copied into a variant.
fn is_assertion(statement: &Stmt) -> bool {
    let of = |call: &Macro| {
        let last = call.path.segments.last();
        last.is_some_and(|last| last.ident.to_string().contains("assert"))
    };
    match statement {
        Stmt::Macro(statement) => of(&statement.mac),
        Stmt::Expr(Expr::Macro(statement), _) => of(&statement.mac),
        _ => false,
    }
}

/// Whether anything is called, other than constructors such as `Some(…)`.
fn calls(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(_) => true,
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                let last = path.path.segments.last();
                let is_constructor = last.is_some_and(|last| {
                    last.ident
                        .to_string()
                        .starts_with(|c: char| c.is_uppercase())
                });
                !is_constructor || call.args.iter().any(calls)
            }
            _ => true,
        },
        Expr::Reference(reference) => calls(&reference.expr),
        Expr::Unary(unary) => calls(&unary.expr),
        Expr::Paren(paren) => calls(&paren.expr),
        Expr::Field(field) => calls(&field.base),
        Expr::Index(index) => calls(&index.expr),
        Expr::Binary(binary) => calls(&binary.left) || calls(&binary.right),
        Expr::Await(_) | Expr::Try(_) => true,
        _ => false,
    }
}

fn collect(tokens: TokenStream, found: &mut Vec<Range<usize>>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => found.push(literal.span().byte_range()),
            TokenTree::Ident(ident) if ident == "true" || ident == "false" => {
                found.push(ident.span().byte_range());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
mod tests {
    use super::*;

    #[test]
    fn passes_at_the_limit() {
        let course = Course::new(60);
        assert!(course.is_open());
        assert_eq!(course.grade(60), Grade::Pass);
    }

    #[test]
    fn fails() {
        assert_eq!(Grade::Fail, Course::new(60).grade(10));
    }
}
"#;

    #[test]
    fn a_literal_of_the_assertion_or_of_an_earlier_statement_changes() {
        let test = Test::find(FILE, "grades::tests::passes_at_the_limit").expect("it is there");
        let variants = test.variants(&["40".to_owned()]);
        let asked = |asked: &str, before: &str| {
            let is_it = |variant: &&Variant| variant.asked == asked && variant.before == [before];
            variants.iter().position(|variant| is_it(&variant))
        };
        let near = asked("course.grade(61)", "let course = Course::new(60);");
        let hinted = asked("course.grade(40)", "let course = Course::new(60);");
        assert!(near < hinted && near.is_some(), "{near:?} {hinted:?}");
        assert!(asked("course.grade(60)", "let course = Course::new(59);").is_some());
        assert_eq!(test.expected, ["Grade::Pass", "Grade::Fail"]);
        assert!(Test::find(FILE, "passes").is_none());
    }

    #[test]
    fn variants_that_a_test_of_the_file_evaluates_are_left_out() {
        let file = "#[test] fn low() { assert_eq!(clamp(-100), -100); }\n\
                    #[test] fn mid() { assert_eq!(clamp(5), 5); }\n\
                    mod more { #[test] fn lower() { assert_eq!(-100, clamp( -101 )); } }\n";
        let asked = |name: &str| -> Vec<String> {
            let variants = Test::find(file, name).expect("it is there").variants(&[]);
            variants.into_iter().map(|variant| variant.asked).collect()
        };
        let asked = [asked("low"), asked("mid")].concat();
        assert!(asked.contains(&"clamp(-99)".to_owned()), "{asked:?}");
        assert!(asked.contains(&"clamp(6)".to_owned()), "{asked:?}");
        for known in ["clamp(-100)", "clamp(-101)", "clamp(5)"] {
            assert!(!asked.contains(&known.to_owned()), "{asked:?}");
        }
    }

    #[test]
    fn the_new_test_writes_the_value_like_other_tests() {
        let test = Test::find(FILE, "tests::fails").expect("it is there");
        let variant = &test.variants(&[])[0];
        let known = BTreeMap::from([("Pass".to_owned(), "Grade::Pass".to_owned())]);
        let kept = test.kept(variant, "Pass", &known, "Why.");
        let expected = "\n\n    /// Why.\n    #[test]\n    fn fails_nearby() {\n        \
                        assert_eq!(Grade::Pass, Course::new(60).grade(11));\n    }";
        assert_eq!(kept[0], expected);
        assert!(
            kept[1].contains("assert_eq!(\"Pass\", format!(\"{:?}\", Course::new(60).grade(11)));")
        );
        assert_eq!(
            value("panicked: nopol-value<Some(1)>nopol-value\n"),
            Some("Some(1)")
        );
        assert!(is_expression("Some((1, -2.5))") && !is_expression("Pass { a: 1 }"));
    }
}

//! The functions of a test program that are tests: those that `main` calls one after the other, that a macro such as
//! `RUN_TEST` or a table names, and those that a macro such as `START_TEST` defines. All frameworks of C have one of these
//! forms, and a program without a framework has the first.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::code::{code, end_before, parts, start_after, word_before};
use super::masks::is_part;

/// A function that is a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFunction {
    /// Its name, or what distinguishes it from others of the same name.
    pub name: String,
    /// The index of its file.
    pub file: usize,
    /// The byte after the brace that opens its body.
    pub start: usize,
    /// The statement that leaves it as if it had passed.
    pub exit: String,
}

/// Words in the names of functions and macros that check something.
const CHECKS: [&str; 9] = [
    "assert", "check", "expect", "require", "verify", "ensure", "fail", "equal", "cmp",
];
/// Names of functions that check something, which have no such word.
const SHORT_CHECKS: [&str; 6] = ["ok", "is", "lok", "is_str", "is_int", "pass"];
/// Words in the names of macros that define no test, although their names speak of one.
const NO_TESTS: [&str; 7] = [
    "suite", "runner", "setup", "tear", "group", "main", "fixture",
];
/// Words in the names of functions that prepare tests or tell about them.
const HELPERS: [&str; 8] = [
    "setup",
    "set_up",
    "teardown",
    "tear_down",
    "init",
    "usage",
    "cleanup",
    "report",
];
/// Words in the names of constants and macros that say that a test has passed.
const PASSED: [&str; 4] = ["pass", "ok", "success", "end"];

/// The tests of a program with these files, in their order there. None if there are fewer than two.
pub fn test_functions(files: &[&str]) -> Vec<TestFunction> {
    let program = Program::of(files);
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut left = program.roots();
    while let Some(runner) = left.pop() {
        if !seen.insert(runner) {
            continue;
        }
        for used in program.used_by(&program.definitions[runner]) {
            match program.role(used) {
                Role::Test => {
                    found.insert(used);
                }
                Role::Runner => left.push(used),
                Role::Other => {}
            }
        }
    }
    for used in program.in_tables.iter().copied() {
        if program.role(used) == Role::Test {
            found.insert(used);
        }
    }
    let by_macro = program.definitions.iter().enumerate();
    let by_macro = by_macro.filter(|(_, definition)| definition.is_by_macro);
    found.extend(by_macro.map(|(index, _)| index));
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let tests = found.iter().filter_map(|index| {
        let definition = &program.definitions[*index];
        let exit = definition.exit(&program.texts[definition.file])?;
        let times = names.entry(&definition.name).or_default();
        *times += 1;
        Some(TestFunction {
            name: match times {
                1 => definition.name.clone(),
                _ => format!("{}-{times}", definition.name),
            },
            file: definition.file,
            start: definition.body.start,
            exit,
        })
    });
    let tests: Vec<TestFunction> = tests.collect();
    match tests.len() {
        0 | 1 => Vec::new(),
        _ => tests,
    }
}

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Test,
    /// It runs tests.
    Runner,
    Other,
}

/// The definition of a function.
#[derive(Debug)]
struct Definition {
    name: String,
    file: usize,
    /// Its specifiers and its type.
    head: String,
    /// What is between its braces.
    body: Range<usize>,
    /// A macro call stands for all that comes before the body.
    is_by_macro: bool,
    /// Frameworks call tests without arguments, or with something of their own; only munit has two.
    takes_arguments: bool,
}

/// The functions of several files, and where they are named.
struct Program {
    texts: Vec<String>,
    definitions: Vec<Definition>,
    /// The definitions by name; static functions of several files may have the same.
    by_name: BTreeMap<String, Vec<usize>>,
    /// How often each definition is named, outside of declarations.
    uses: Vec<usize>,
    /// Those that an initializer outside of functions names.
    in_tables: Vec<usize>,
}

impl Program {
    fn of(files: &[&str]) -> Self {
        // One byte for each, so that all bytes stay where they are and each starts a character.
        let as_ascii = |byte: u8| char::from(if byte.is_ascii() { byte } else { b'_' });
        let texts = files.iter().map(|text| code(text));
        let texts: Vec<String> = texts
            .map(|code| code.into_iter().map(as_ascii).collect())
            .collect();
        let mut definitions = Vec::new();
        let mut tables = Vec::new();
        for (file, text) in texts.iter().enumerate() {
            scan(file, text.as_bytes(), &mut definitions, &mut tables);
        }
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, definition) in definitions.iter().enumerate() {
            let same = by_name.entry(definition.name.clone()).or_default();
            same.push(index);
        }
        let mut program = Self {
            uses: vec![0; definitions.len()],
            texts,
            definitions,
            by_name,
            in_tables: Vec::new(),
        };
        let in_bodies = program.definitions.iter();
        let in_bodies: Vec<usize> = in_bodies
            .flat_map(|definition| program.used_by(definition))
            .collect();
        let in_tables = tables.into_iter();
        program.in_tables = in_tables
            .flat_map(|(file, range)| program.named(file, range))
            .collect();
        for used in in_bodies.iter().chain(&program.in_tables) {
            program.uses[*used] += 1;
        }
        program
    }

    /// `main`; without one, all functions that nothing names.
    fn roots(&self) -> Vec<usize> {
        let all = 0..self.definitions.len();
        match self.by_name.get("main") {
            Some(mains) => mains.clone(),
            None => all.filter(|index| self.uses[*index] == 0).collect(),
        }
    }

    /// The functions that a body names, in their order, one as often as it is named.
    fn used_by(&self, definition: &Definition) -> Vec<usize> {
        self.named(definition.file, definition.body.clone())
    }

    /// The functions that a part of a file names.
    fn named(&self, file: usize, range: Range<usize>) -> Vec<usize> {
        let text = &self.texts[file];
        let used = words(text, range).filter_map(|word| {
            // A field has the name of a function by chance.
            let before = end_before(text.as_bytes(), word.start);
            let before = &text[..before];
            if before.ends_with('.') || before.ends_with("->") {
                return None;
            }
            let same = self.by_name.get(&text[word])?;
            let here = same.iter().find(|it| self.definitions[**it].file == file);
            here.or(same.first()).copied()
        });
        used.collect()
    }

    fn role(&self, index: usize) -> Role {
        let definition = &self.definitions[index];
        if definition.is_by_macro || definition.name == "main" {
            return Role::Other;
        }
        let name = definition.name.to_lowercase();
        let is_helper = HELPERS.iter().any(|word| name.contains(word));
        let used = self.used_by(definition);
        let runs = |used: &usize| {
            let other = &self.definitions[*used];
            self.uses[*used] == 1 && *used != index && self.speaks_of_tests(other)
        };
        let checks = self.checks(definition);
        if used.iter().any(runs) && !checks {
            return Role::Runner;
        }
        let can_be_test = self.uses[index] == 1 && !is_helper && !definition.takes_arguments;
        match can_be_test && (checks || name.contains("test")) {
            true => Role::Test,
            false => Role::Other,
        }
    }

    fn speaks_of_tests(&self, definition: &Definition) -> bool {
        definition.is_by_macro
            || definition.name.to_lowercase().contains("test")
            || self.checks(definition)
    }

    /// Whether a function itself checks something, other than what another function of the program returns.
    fn checks(&self, definition: &Definition) -> bool {
        let text = &self.texts[definition.file];
        words(text, definition.body.clone()).any(|word| {
            let name = text[word.clone()].to_lowercase();
            let is_check = CHECKS.iter().any(|check| name.contains(check))
                || SHORT_CHECKS.contains(&name.as_str());
            let open = start_after(text.as_bytes(), word.end);
            if !is_check || text.as_bytes().get(open) != Some(&b'(') {
                return false;
            }
            let close = closing(text.as_bytes(), open).unwrap_or(text.len());
            let named = self.named(definition.file, open..close);
            !named.iter().any(|used| self.uses[*used] == 1)
        })
    }
}

impl Definition {
    /// The statement that leaves it as if it had passed. `None` if it is not known.
    fn exit(&self, text: &str) -> Option<String> {
        let is_void = words(&self.head, 0..self.head.len()).any(|it| &self.head[it] == "void");
        if self.is_by_macro || is_void && !self.head.contains('*') {
            return Some("return;".to_owned());
        }
        let body = &text[self.body.clone()];
        let last = body.trim_end().strip_suffix(';')?;
        let start = last.rfind([';', '{', '}']).map_or(0, |at| at + 1);
        let last = last[start..].trim();
        let says_passed = |text: &str| {
            let text = text.to_lowercase();
            PASSED.iter().any(|word| text.contains(word))
        };
        let Some(value) = last.strip_prefix("return") else {
            let is_call = last.ends_with("()") || last.bytes().all(|it| is_part(char::from(it)));
            return (is_call && says_passed(last)).then(|| format!("{last};"));
        };
        let value = value.trim();
        let value = match value.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
            Some(inner) => inner.trim(),
            None => value,
        };
        if is_constant(value) {
            return Some(format!("return {value};"));
        }
        // What it is at first.
        let set = words(body, 0..body.len()).find_map(|word| {
            let rest = body[word.clone()].eq(value).then(|| &body[word.end..])?;
            let rest = rest.trim_start().strip_prefix('=')?;
            let (first, _) = rest.split_once([',', ';'])?;
            Some(first.trim())
        })?;
        is_constant(set).then(|| format!("return {set};"))
    }
}

/// Whether a text is a number, or a name as constants have.
fn is_constant(text: &str) -> bool {
    let is_word = !text.is_empty() && text.bytes().all(|byte| is_part(char::from(byte)));
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let is_name = !text.contains(|it: char| it.is_ascii_lowercase());
    is_word && (is_number || is_name || matches!(text, "true" | "false"))
}

/// Adds the definitions of a file, and the initializers outside of functions.
fn scan(
    file: usize,
    code: &[u8],
    definitions: &mut Vec<Definition>,
    tables: &mut Vec<(usize, Range<usize>)>,
) {
    let mut start = 0;
    let mut at = 0;
    while at < code.len() {
        match code[at] {
            b';' | b'}' => start = at + 1,
            b'{' => {
                let end = closing(code, at).unwrap_or(code.len());
                let body = at + 1..end;
                match definition(file, code, start..at, body.clone()) {
                    Some(found) => definitions.push(found),
                    None if is_linkage(code, start..at) => {
                        start = at + 1;
                        at += 1;
                        continue;
                    }
                    None => tables.push((file, body)),
                }
                at = end;
                start = (end + 1).min(code.len());
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether this is the start of `extern "C" {`.
fn is_linkage(code: &[u8], before: Range<usize>) -> bool {
    let word = word_before(
        code,
        code[before.clone()]
            .iter()
            .position(|it| *it == b'"')
            .map_or(before.start, |at| before.start + at),
    );
    word.is_some_and(|word| word.start >= before.start && &code[word] == b"extern")
}

/// The definition with this body, if what comes before it is the head of one.
fn definition(
    file: usize,
    code: &[u8],
    before: Range<usize>,
    body: Range<usize>,
) -> Option<Definition> {
    let end = end_before(code, before.end);
    if end <= before.start || code[end - 1] != b')' {
        return None;
    }
    let open = before.start + opening(&code[before.start..end])?;
    let name = word_before(code, open).filter(|name| name.start >= before.start)?;
    let text = |range: Range<usize>| String::from_utf8_lossy(&code[range]).trim().to_owned();
    let head = text(before.start..name.start);
    if head.contains('=') {
        return None;
    }
    let word = text(name.clone());
    // A macro without a semicolon, such as `END_TEST`, may stand before a definition.
    let own = code[before.start..name.start]
        .iter()
        .rposition(|it| *it == b'\n');
    let own = text(own.map_or(before.start, |at| before.start + at)..name.start);
    let lower = word.to_lowercase();
    let is_macro = own.is_empty() && word.starts_with(|first: char| first.is_ascii_uppercase());
    let name = match is_macro {
        false => word,
        true => {
            let is_name = |part: &Range<usize>| {
                !part.is_empty() && code[part.clone()].iter().all(|it| is_part(char::from(*it)))
            };
            let names = parts(code, open + 1..end - 1).into_iter().filter(is_name);
            let names: Vec<String> = names.map(text).collect();
            match names.is_empty() {
                true => return None,
                false => names.join("::"),
            }
        }
    };
    let is_other = NO_TESTS.iter().any(|it| lower.contains(it));
    let is_by_macro = is_macro && lower.contains("test") && !is_other;
    let parameters = parts(code, open + 1..end - 1);
    let is_of_munit = text(open + 1..end - 1).contains("MunitParameter");
    Some(Definition {
        takes_arguments: parameters.len() > 1 && !is_of_munit,
        name,
        file,
        head,
        body,
        is_by_macro,
    })
}

/// The first bracket of the last group of brackets, which ends the text.
fn opening(code: &[u8]) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The bracket that closes the one at the byte `open`.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The words in a part of a text.
fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        let is_word = |at: usize| is_part(char::from(bytes[at]));
        while at < range.end && !is_word(at) {
            at += 1;
        }
        let start = at;
        while at < range.end && is_word(at) {
            at += 1;
        }
        (start < at).then_some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Vec<String> {
        let tests = test_functions(files).into_iter().map(|test| {
            assert_eq!(files[test.file].as_bytes()[test.start - 1], b'{');
            format!("{}: {}", test.name, test.exit)
        });
        tests.collect()
    }

    #[test]
    fn functions_that_main_calls_one_after_the_other_are_tests() {
        let text = r#"
            #include <assert.h>
            static void check_sum(int a, int b) { assert(a == b); }
            static void test_add(void) { check_sum(add(1, 2), 3); check_sum(add(0, 0), 0); }
            static int test_two(int a, int b) { return a != b; }
            static int test_sub(void) { int bad = 0; if (sub(1, 2) != -1) bad++; return bad; }
            int test_mul() { mu_assert("no", mul(2, 3) == 6); return 0; }
            static void setup(void) { assert(init()); }
            static const char *words(int of) { return of ? "a" : "b"; }
            int main(void) {
                int failed = 0;
                setup();
                test_add();
                failed += test_sub();
                if (!test_mul()) failed++;
                if (test_two(1, 1)) failed++;
                puts(words(failed));
                return failed;
            }"#;
        assert_eq!(
            found(&[text]),
            [
                "test_add: return;",
                "test_sub: return 0;",
                "test_mul: return 0;"
            ]
        );
    }

    #[test]
    fn runners_are_followed_into_other_files_and_tables_name_tests() {
        let suite = "TEST is_empty(void) { ASSERT(empty(0)); PASS(); }
            TEST is_full(void) { ASSERT(!empty(1)); PASS(); }
            SUITE(all) { RUN_TEST(is_empty); RUN_TEST(is_full); }";
        let main = "int main(int argc, char **argv) { RUN_SUITE(all); }";
        let both = ["is_empty: PASS();", "is_full: PASS();"];
        assert_eq!(found(&[suite, main]), both);
        let runner = "static void a(void) { CU_ASSERT(f(1)); } void b(void) { CU_ASSERT(f(2)); }
            static void all_tests(void) { CU_add_test(suite, \"a\", a); CU_add_test(suite, \"b\", b); }
            int main(void) { all_tests(); return 0; }";
        assert_eq!(found(&[runner]), ["a: return;", "b: return;"]);
        let table = "static MunitResult one(const MunitParameter p[], void *d) { munit_assert(f(1)); return MUNIT_OK; }
            static MunitResult two(const MunitParameter p[], void *d) { munit_assert(f(2)); return MUNIT_OK; }
            static MunitTest tests[] = { { \"/one\", one, 0 }, { \"/two\", two, 0 } };
            int main(void) { return munit_suite_main(&suite, 0, 0, 0); }";
        let both = ["one: return MUNIT_OK;", "two: return MUNIT_OK;"];
        assert_eq!(found(&[table]), both);
    }

    #[test]
    fn a_macro_may_define_a_test() {
        let check = "START_TEST(first)\n{\n  ck_assert(f(1));\n}\nEND_TEST\n
            START_TEST(second)\n{\n  ck_assert(f(2));\n}\nEND_TEST\n
            Suite *suite(void) { tcase_add_test(tc, first); tcase_add_test(tc, second); return s; }";
        assert_eq!(found(&[check]), ["first: return;", "second: return;"]);
        let criterion = "Test(a, b) { cr_assert(f(1)); }\nTest(a, c) { cr_assert(f(2)); }";
        assert_eq!(found(&[criterion]), ["a::b: return;", "a::c: return;"]);
    }

    #[test]
    fn no_character_is_cut() {
        let text = "/* é */\n#if 0\nthat isn't it, né\n#endif\nstatic int é;\n\
            void test_ä(void) { assert(é == 0); }\nvoid test_b(void) { puts(\"ö\"); }\n\
            int main(void) { test_ä(); test_b(); }";
        assert_eq!(found(&[text]), ["test___: return;", "test_b: return;"]);
    }

    #[test]
    fn a_program_whose_functions_do_something_else_has_no_tests() {
        for text in [
            "int main(void) { assert(f(1)); assert(f(2)); return 0; }",
            "static int parse(int x) { return x; } static void show(int x) { printf(\"%d\", x); }
             int main(void) { show(parse(1)); return 0; }",
            "static void test_it(void) { assert(f()); } int main(void) { test_it(); }",
        ] {
            assert_eq!(found(&[text]), [""; 0], "{text}");
        }
    }
}

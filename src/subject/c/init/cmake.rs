//! What `CMakeLists.txt` builds and tests, as far as its text reveals it.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::build_info::{BuildInfo, CommandTest, invocation, line};
use super::conditions::{Conditions, Executed};
use super::listing::{Listing, is_test};
use super::variables::MOST;
use crate::subject::paths;
use crate::subject::paths::normal;

const LISTS: &str = "CMakeLists.txt";
/// Properties of tests that do not change when they pass.
const HARMLESS: [&str; 4] = ["TIMEOUT", "LABELS", "COST", "RUN_SERIAL"];

pub fn read(listing: &Listing) -> BuildInfo {
    // A CMake build directory cannot be moved: CMake refuses to use it in the working copy.
    let cache = listing.dir.join("build/CMakeCache.txt").is_file();
    let build = if cache { "nopol-build" } else { "build" };
    let mut reader = Reader {
        listing,
        build,
        variables: BTreeMap::new(),
        programs: BTreeMap::new(),
        tests: Vec::new(),
        special: BTreeSet::new(),
        conditional: BTreeSet::new(),
        conditions: Conditions::default(),
        seen: BTreeSet::new(),
    };
    for name in ["CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"] {
        reader.set(name, ".");
    }
    for name in ["CMAKE_BINARY_DIR", "PROJECT_BINARY_DIR"] {
        reader.set(name, build);
    }
    reader.directory(Utf8Path::new(""));
    let mut build_info = BuildInfo {
        command: format!("cmake -S . -B {build} -DCMAKE_BUILD_TYPE=Debug && cmake --build {build}"),
        from: LISTS.to_owned(),
        ..BuildInfo::default()
    };
    if cache {
        build_info
            .notes
            .push("The existing directory `build` is not used: CMake refuses its cache in the working copy.".to_owned());
    }
    let mut unsupported = Vec::new();
    for (name, command) in &reader.tests {
        match command.as_ref().filter(|_| !reader.special.contains(name)) {
            Some(test) => build_info.tests.push(reader.command_test(name, test)),
            None => unsupported.push(name.as_str()),
        }
    }
    if !unsupported.is_empty() {
        let names = unsupported.join(", ");
        build_info.todo.push(format!(
            "tests of {LISTS} that are more than a command are left out: {names}"
        ));
    }
    let included = build_info.tests.iter().map(|test| test.name.as_str());
    let conditional: BTreeSet<&str> = included
        .filter(|name| reader.conditional.contains(*name))
        .collect();
    if !conditional.is_empty() {
        let names: Vec<&str> = conditional.into_iter().collect();
        build_info.todo.push(format!(
            "tests of {LISTS} in an `if` are included, but its condition was not evaluated; delete those that CMake does not add: {}",
            names.join(", ")
        ));
    }
    let is_program = |name: &&String| !is_test(Utf8PathBuf::from(format!("{name}.c")).as_path());
    let programs = reader
        .programs
        .iter()
        .filter(|(name, place)| is_program(name) && !is_test(&place.join("x")));
    build_info.programs = programs
        .map(|(name, place)| invocation(place.join(name).as_str()))
        .collect();
    build_info
}

struct Reader<'a> {
    listing: &'a Listing,
    /// The build directory.
    build: &'a str,
    variables: BTreeMap<String, String>,
    /// The output directory of each program.
    programs: BTreeMap<String, Utf8PathBuf>,
    /// Tests, with their commands if these are known.
    tests: Vec<(String, Option<Test>)>,
    /// Tests whose result is not just their exit code.
    special: BTreeSet<String>,
    /// Tests that exist under a condition that is not known.
    conditional: BTreeSet<String>,
    /// What is known of the conditions here.
    conditions: Conditions,
    seen: BTreeSet<Utf8PathBuf>,
}

struct Test {
    words: Vec<String>,
    cwd: Option<String>,
}

impl Reader<'_> {
    fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    fn directory(&mut self, dir: &Utf8Path) {
        if !self.seen.insert(dir.to_owned()) {
            return;
        }
        let depth = self.conditions.depth();
        for (command, words) in commands(&self.listing.text(&dir.join(LISTS))) {
            self.set(
                "CMAKE_CURRENT_SOURCE_DIR",
                if dir.as_str().is_empty() {
                    "."
                } else {
                    dir.as_str()
                },
            );
            let binary = Utf8Path::new(self.build).join(dir);
            self.set(
                "CMAKE_CURRENT_BINARY_DIR",
                binary.as_str().trim_end_matches('/'),
            );
            let words: Vec<_> = words.iter().map(|word| self.expand(word)).collect();
            self.conditions.note(&command, &words);
            let executed = self.conditions.executed();
            if executed == Executed::Never {
                continue;
            }
            let Some((first, rest)) = words.split_first() else {
                continue;
            };
            match command.as_str() {
                "project" => self.set("PROJECT_NAME", first),
                "set" => self.set(first, rest.first().map_or("", String::as_str)),
                "add_subdirectory" => self.directory(&normal(&dir.join(first))),
                "add_executable"
                    if !rest
                        .iter()
                        .any(|word| word == "IMPORTED" || word == "ALIAS") =>
                {
                    let output_dir = self
                        .variables
                        .get("CMAKE_RUNTIME_OUTPUT_DIRECTORY")
                        .filter(|place| !place.is_empty());
                    let place = output_dir.map_or_else(|| binary.clone(), Utf8PathBuf::from);
                    self.programs.insert(first.clone(), place);
                }
                "add_test" => self.test(first, rest, executed),
                "set_tests_properties" => {
                    let (names, properties) = words.split_at(
                        words
                            .iter()
                            .position(|word| word == "PROPERTIES")
                            .unwrap_or(0),
                    );
                    let mut changed = properties.iter().skip(1).step_by(2);
                    if changed.any(|property| !HARMLESS.contains(&property.as_str())) {
                        self.special.extend(names.iter().cloned());
                    }
                }
                // `set_property(TEST x y PROPERTY WILL_FAIL TRUE)`.
                "set_property" if first == "TEST" => {
                    let mut parts = rest.splitn(2, |word| word == "PROPERTY");
                    let (names, property) = (parts.next(), parts.next().and_then(<[_]>::first));
                    if property.is_some_and(|property| !HARMLESS.contains(&property.as_str())) {
                        self.special.extend(names.into_iter().flatten().cloned());
                    }
                }
                _ => {}
            }
        }
        self.conditions.close(depth);
    }

    /// `add_test(NAME x COMMAND y args)`, or the old `add_test(x y args)`.
    fn test(&mut self, first: &str, rest: &[String], executed: Executed) {
        let (name, words) = match (first, rest) {
            ("NAME", [name, command, words @ ..]) if command == "COMMAND" => (name.clone(), words),
            ("NAME", [name, ..]) => return self.tests.push((name.clone(), None)),
            (name, words) => (name.to_owned(), words),
        };
        let is_option = |word: &&String| {
            matches!(
                word.as_str(),
                "WORKING_DIRECTORY" | "CONFIGURATIONS" | "COMMAND_EXPAND_LISTS"
            )
        };
        let (words, options) = words.split_at(
            words
                .iter()
                .position(|word| is_option(&word))
                .unwrap_or(words.len()),
        );
        let at = options.iter().position(|word| word == "WORKING_DIRECTORY");
        let cwd = at.and_then(|at| options.get(at + 1)).cloned();
        let mut others = words.iter().skip(1).chain(&cwd);
        let is_resolved = words
            .first()
            .is_some_and(|program| !program.contains('$') || target(program).is_some())
            && !others.any(|word| word.contains("${") || word.contains("$<"));
        let is_resolved = is_resolved && executed != Executed::Repeatedly;
        if executed == Executed::Perhaps {
            self.conditional.insert(name.clone());
        }
        let words = words.to_vec();
        self.tests
            .push((name, is_resolved.then_some(Test { words, cwd })));
    }

    /// A test with a command that is valid in the program's directory, or in the test's own working
    /// directory.
    fn command_test(&self, name: &str, test: &Test) -> CommandTest {
        let plain = |path: &str| paths::normal(Utf8Path::new(path));
        let cwd = test
            .cwd
            .as_deref()
            .map(plain)
            .filter(|cwd| !cwd.as_str().is_empty());
        let mut words = test.words.clone();
        let program = target(&words[0]).unwrap_or(&words[0]);
        let path = match self.programs.get(program) {
            Some(place) => plain(place.join(program).as_str()),
            None => plain(program),
        };
        if self.programs.contains_key(program) || self.listing.files.contains(&path) {
            let up = cwd.iter().flat_map(|cwd| cwd.components()).map(|_| "..");
            let up: Utf8PathBuf = up.collect();
            words[0] = invocation(up.join(path).as_str());
        }
        CommandTest {
            name: name.to_owned(),
            command: line(words.iter().map(String::as_str)),
            cwd: cwd.map(Utf8PathBuf::into_string),
        }
    }

    fn expand(&self, word: &str) -> String {
        let mut word = word.to_owned();
        for _ in 0..8 {
            let Some((start, name, end)) = word.find("${").and_then(|start| {
                let end = start + word[start..].find('}')?;
                Some((start, &word[start + 2..end], end))
            }) else {
                break;
            };
            // A variable that is set to itself several times multiplies with each command.
            let value = self.variables.get(name);
            let Some(value) = value.filter(|value| word.len() + value.len() < MOST) else {
                break;
            };
            word = format!("{}{value}{}", &word[..start], &word[end + 1..]);
        }
        word
    }
}

/// The program that a generator expression `$<TARGET_FILE:…>` stands for.
fn target(word: &str) -> Option<&str> {
    word.strip_prefix("$<TARGET_FILE:")?.strip_suffix('>')
}

/// All commands of a list file with their words, in order.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut name = String::new();
    // The words inside parentheses, and the nesting depth.
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0;
    let mut word = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '#' => match bracketed(chars.as_str()) {
                Some(end) => chars = chars.as_str()[end..].chars(),
                None => while chars.next().is_some_and(|char| char != '\n') {},
            },
            '(' if depth == 0 => depth = 1,
            '"' if depth > 0 => {
                let quoted: String = chars.by_ref().take_while(|char| *char != '"').collect();
                words.push(std::mem::take(&mut word) + &quoted);
                continue;
            }
            ')' if depth == 1 => depth = 0,
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            char if char.is_whitespace() || (char == ';' && depth > 0) => {}
            char if depth > 0 => {
                word.push(char);
                continue;
            }
            char => {
                name.push(char.to_ascii_lowercase());
                continue;
            }
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if depth == 0 && char == ')' {
            found.push((std::mem::take(&mut name), std::mem::take(&mut words)));
        }
    }
    found
}

/// Where a bracket comment ends, such as `#[=[ … ]=]`, of which this is what follows the `#`.
fn bracketed(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?.trim_start_matches('=');
    let equals = text.len() - inner.len() - 1;
    inner.strip_prefix('[')?;
    let end = format!("]{}]", "=".repeat(equals));
    let at = inner.find(&end);
    Some(at.map_or(text.len(), |at| text.len() - inner.len() + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed_with_their_words() {
        let read = commands(
            "# none(at all)\n#[=[ no(one)\n]] ]=]ADD_TEST(NAME \"a b\"\n  COMMAND x -1) # end\nif((A) AND B)\nendif()\n",
        );
        let texts: Vec<_> = read
            .iter()
            .map(|(name, words)| format!("{name}: {}", words.join("|")))
            .collect();
        assert_eq!(
            texts,
            ["add_test: NAME|a b|COMMAND|x|-1", "if: A|AND|B", "endif: "]
        );
    }
}

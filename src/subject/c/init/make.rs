//! What a makefile builds, as far as its text reveals it.

use std::collections::{BTreeMap, BTreeSet};

use super::build_info::{BuildInfo, invocation, line};
use super::listing::{Listing, is_test};
use super::variables::expand;

/// The most lines of a recipe that are quoted in a comment.
const MOST_RECIPE_LINES: usize = 8;

pub fn read(listing: &Listing, name: &str) -> BuildInfo {
    let makefile = Makefile::parse(&listing.text(name.as_ref()));
    let goal = makefile.goal(listing);
    let mut build_info = BuildInfo {
        command: "make".to_owned(),
        from: name.to_owned(),
        programs: makefile
            .programs(&goal)
            .iter()
            .map(|path| invocation(path))
            .collect(),
        ..BuildInfo::default()
    };
    if let Some(tests) = goal.tests {
        let mut targets = goal
            .linked
            .iter()
            .map(|(target, _)| target.as_str())
            .peekable();
        let and_so = match targets.peek() {
            Some(_) => {
                build_info.command = line(["make"].into_iter().chain(targets));
                "whose failure would end the build, so `build` leaves it out"
            }
            None => "whose failure would end the build",
        };
        build_info.todo.push(format!(
            "check `build`: plain `make` also builds the target `{tests}`, {and_so}"
        ));
    }
    let test = |rule: &&Rule| {
        rule.targets
            .iter()
            .any(|target| matches!(target.as_str(), "test" | "check"))
    };
    for rule in makefile
        .rules
        .iter()
        .filter(test)
        .filter(|rule| !rule.recipe.is_empty())
    {
        let target = rule.targets.join(" ");
        build_info.notes.push(format!(
            "The target `{target}` of {name} may show how to run the tests:"
        ));
        let lines = rule.recipe.iter().take(MOST_RECIPE_LINES);
        build_info
            .notes
            .extend(lines.map(|line| format!("    {}", makefile.expand(line))));
        build_info.todo.push(format!(
            "the target `{target}` of {name} may run tests; nopol.toml shows how as a comment: write each as a `[[c.test]]`"
        ));
    }
    build_info
}

#[derive(Debug, Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: Vec<Rule>,
}

/// What plain `make` makes.
#[derive(Debug, Default)]
struct Goal {
    /// The targets that link a program, each with the program.
    linked: Vec<(String, String)>,
    /// A target that runs tests.
    tests: Option<String>,
}

#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    fn parse(text: &str) -> Self {
        let mut makefile = Self {
            variables: BTreeMap::from([("CC".to_owned(), "cc".to_owned())]),
            rules: Vec::new(),
        };
        let mut is_rule = false;
        for line in text.replace("\\\n", " ").lines() {
            if let Some(command) = line.strip_prefix('\t') {
                if let Some(rule) = makefile.rules.last_mut().filter(|_| is_rule) {
                    rule.recipe.push(command.trim().to_owned());
                }
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            let word = line.split([' ', '\t', '(']).next().unwrap_or_default();
            // All branches of a conditional are read.
            if matches!(
                word,
                "" | "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif"
            ) {
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line);
            is_rule = !makefile.parse_assignment(line) && makefile.parse_rule(line);
        }
        let Self { variables, rules } = &mut makefile;
        for rule in rules {
            let words = |texts: &[String]| {
                let text = expand(variables, &texts.join(" "));
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            (rule.targets, rule.prerequisites) = (words(&rule.targets), words(&rule.prerequisites));
        }
        makefile
    }

    /// Parses an assignment; returns whether the line is one.
    fn parse_assignment(&mut self, line: &str) -> bool {
        let Some((before, value)) = line.split_once('=') else {
            return false;
        };
        let name = before.trim_end_matches([':', '?', '+', '!']);
        let operator = &before[name.len()..];
        let name = name.trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '$']) {
            return false;
        }
        let old = self.variables.entry(name.to_owned()).or_default();
        match operator {
            "+" => *old = format!("{old} {}", value.trim()),
            "?" if !old.is_empty() => {}
            _ => value.trim().clone_into(old),
        }
        true
    }

    /// Parses the first line of a rule; returns whether the line is one.
    fn parse_rule(&mut self, line: &str) -> bool {
        let mut depth = 0;
        let colon = line.char_indices().find(|(_, char)| {
            match char {
                '(' | '{' => depth += 1,
                ')' | '}' => depth -= 1,
                _ => {}
            }
            *char == ':' && depth == 0
        });
        let Some((at, _)) = colon else {
            return false;
        };
        let after = line[at + 1..].trim_start_matches(':');
        let (prerequisites, recipe) = after.split_once(';').unwrap_or((after, ""));
        // A target-specific variable, or a static pattern rule.
        let prerequisites = match prerequisites.contains(['=', ':']) && !prerequisites.contains('$')
        {
            true => "",
            false => prerequisites.split('|').next().unwrap_or_default(),
        };
        let recipe = recipe.trim();
        self.rules.push(Rule {
            targets: vec![line[..at].to_owned()],
            prerequisites: vec![prerequisites.to_owned()],
            recipe: (!recipe.is_empty())
                .then(|| recipe.to_owned())
                .into_iter()
                .collect(),
        });
        true
    }

    fn expand(&self, text: &str) -> String {
        expand(&self.variables, text)
    }

    fn targets(&self) -> impl Iterator<Item = &String> {
        self.rules.iter().flat_map(|rule| &rule.targets)
    }

    /// What plain `make` makes.
    fn goal(&self, listing: &Listing) -> Goal {
        let is_goal = |target: &&String| {
            !target.contains('%') && (!target.starts_with('.') || target.contains('/'))
        };
        let mut goal = Goal::default();
        if let Some(first) = self.targets().find(is_goal) {
            self.visit(first, listing, &mut BTreeSet::new(), &mut goal);
        }
        goal
    }

    /// The programs that plain `make` links; if there are none, those that any rule links, except for tests.
    fn programs(&self, goal: &Goal) -> Vec<String> {
        let linked = goal.linked.iter().map(|(_, program)| program.clone());
        let mut found: Vec<String> = linked.collect();
        if found.is_empty() {
            let others = self
                .targets()
                .filter(|target| !is_test(target.as_str().as_ref()));
            found.extend(others.filter_map(|target| self.linked_program(target)));
        }
        let mut seen = BTreeSet::new();
        found.retain(|program| seen.insert(program.clone()));
        found
    }

    fn visit(&self, target: &str, listing: &Listing, seen: &mut BTreeSet<String>, goal: &mut Goal) {
        if !seen.insert(target.to_owned()) {
            return;
        }
        if let Some(program) = self.linked_program(target) {
            goal.linked.push((target.to_owned(), program));
            return;
        }
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|other| other == target));
        let rules: Vec<_> = rules.collect();
        if rules.is_empty() && !target.contains('.') && listing.has(&format!("{target}.c")) {
            goal.linked.push((target.to_owned(), target.to_owned()));
        }
        let is_run = rules.iter().any(|rule| !rule.recipe.is_empty());
        if is_run && (target == "check" || is_test(target.as_ref())) {
            goal.tests.get_or_insert_with(|| target.to_owned());
        }
        for prerequisite in rules.iter().flat_map(|rule| &rule.prerequisites) {
            self.visit(prerequisite, listing, seen, goal);
        }
    }

    /// The program that is linked by the rules of this target.
    fn linked_program(&self, target: &str) -> Option<String> {
        let mut rules = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|other| other == target));
        rules.find_map(|rule| {
            let lines = rule.recipe.iter().map(|line| self.expand(line));
            // Make's implicit rule links an object file of the same name.
            let is_implied = rule.recipe.is_empty()
                && rule.prerequisites.iter().any(|need| {
                    need.strip_suffix(".o").or(need.strip_suffix(".c")) == Some(target)
                });
            let mut linked = lines.filter_map(|line| linker_output(&line, target));
            linked
                .next()
                .or_else(|| is_implied.then(|| target.to_owned()))
        })
    }
}

/// The program that a command links.
fn linker_output(line: &str, target: &str) -> Option<String> {
    let words: Vec<_> = line
        .trim_start_matches(['@', '-', '+', ' '])
        .split_whitespace()
        .collect();
    let compiler = words.first()?.rsplit('/').next()?;
    let is_compiler = compiler.ends_with("cc")
        || ["gcc", "clang", "c99", "c89", "ld"]
            .iter()
            .any(|name| compiler.contains(name));
    let is_other =
        |word: &str| matches!(word, "-c" | "-E" | "-S" | "-shared") || word.starts_with("-M");
    if !is_compiler || words.iter().any(|word| is_other(word)) {
        return None;
    }
    let name = match words.iter().position(|word| word.starts_with("-o")) {
        Some(at) if words[at] == "-o" => *words.get(at + 1)?,
        Some(at) => &words[at][2..],
        None if words
            .iter()
            .any(|word| word.ends_with(".c") || word.ends_with(".o")) =>
        {
            "a.out"
        }
        None => return None,
    };
    let name = name.replace("$@", target);
    let is_program = !name.contains('$')
        && ![".o", ".so", ".a", ".la"]
            .iter()
            .any(|end| name.ends_with(end));
    is_program.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(text: &str) -> Vec<String> {
        let listing = Listing {
            dir: "/nowhere".into(),
            files: BTreeSet::from(["tool.c".into(), "lib.c".into()]),
        };
        let makefile = Makefile::parse(text);
        makefile.programs(&makefile.goal(&listing))
    }

    #[test]
    fn the_program_is_what_plain_make_links() {
        assert_eq!(programs("calc: a.o b.o\n\t$(CC) -o $@ $^\n"), ["calc"]);
        assert_eq!(
            programs(
                ".PHONY: all\nBIN = bin\nall: ${BIN}/x\n$(BIN)/x: a.c\n\t@gcc a.c -o $(BIN)/x\n"
            ),
            ["bin/x"]
        );
        assert_eq!(
            programs(
                "OBJS := a.o \\\n  b.o\n%.o: %.c\n\tcc -c -o $@ $<\nt: $(OBJS)\n\tcc -ot $(OBJS) # it\n"
            ),
            ["t"]
        );
        assert_eq!(programs("calc: calc.o stack.o\ncalc.o: calc.h\n"), ["calc"]);
        assert_eq!(programs("all: tool\n"), ["tool"]);
        assert_eq!(programs("run:\n\tgcc a.c\n\t./a.out\n"), ["a.out"]);
        assert_eq!(
            programs("SRC = a.c b.c\nall: p\np: $(SRC:.c=.o)\n\tcc $^ -o p\n"),
            ["p"]
        );
        assert_eq!(
            programs("all: one two\none: a.c\n\tcc -o $@ a.c\ntwo: b.c\n\tcc -o $@ b.c\n"),
            ["one", "two"]
        );
    }

    #[test]
    fn unknown_programs_are_not_guessed() {
        assert!(programs("all:\n\t$(MAKE) -C src\n").is_empty());
        assert!(
            programs("NAME = $(shell basename $(CURDIR))\nall:\n\tcc -o $(NAME) a.c\n").is_empty()
        );
        assert!(
            programs("lib.a: lib.o\n\tar rcs $@ $^\nlib.o: lib.c\n\tcc -c lib.c -o lib.o\n")
                .is_empty()
        );
    }
}

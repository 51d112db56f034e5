//! What a makefile builds, as far as its text tells.

use std::collections::{BTreeMap, BTreeSet};

use super::building::{Building, started};
use super::listing::{Listing, is_test};
use super::variables::expand;

/// More lines of a recipe than a comment should have.
const SHOWN: usize = 8;

pub fn read(listing: &Listing, name: &str) -> Building {
    let makefile = Makefile::parse(&listing.text(name.as_ref()));
    let mut building = Building {
        command: "make".to_owned(),
        from: name.to_owned(),
        programs: makefile
            .programs(listing)
            .iter()
            .map(|path| started(path))
            .collect(),
        ..Building::default()
    };
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
        building.notes.push(format!(
            "The target `{target}` of {name} may tell how tests are run:"
        ));
        let lines = rule.recipe.iter().take(SHOWN);
        building
            .notes
            .extend(lines.map(|line| format!("    {}", makefile.expand(line, 0))));
        building.open.push(format!(
            "the target `{target}` of {name} may tell of tests; it is shown in the file"
        ));
    }
    building
}

#[derive(Debug, Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
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
            // Of a choice all sides are read.
            if matches!(
                word,
                "" | "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif"
            ) {
                continue;
            }
            let line = line.strip_prefix("export ").unwrap_or(line);
            is_rule = !makefile.assign(line) && makefile.begin(line);
        }
        let Self { variables, rules } = &mut makefile;
        for rule in rules {
            let words = |texts: &[String]| {
                let text = expand(variables, &texts.join(" "), 0);
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            (rule.targets, rule.needs) = (words(&rule.targets), words(&rule.needs));
        }
        makefile
    }

    /// Whether the line gives a variable a value.
    fn assign(&mut self, line: &str) -> bool {
        let Some((before, value)) = line.split_once('=') else {
            return false;
        };
        let name = before.trim_end_matches([':', '?', '+', '!']);
        let how = &before[name.len()..];
        let name = name.trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '$']) {
            return false;
        }
        let old = self.variables.entry(name.to_owned()).or_default();
        match how {
            "+" => *old = format!("{old} {}", value.trim()),
            "?" if !old.is_empty() => {}
            _ => value.trim().clone_into(old),
        }
        true
    }

    /// Whether the line begins a rule.
    fn begin(&mut self, line: &str) -> bool {
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
        let (needs, recipe) = after.split_once(';').unwrap_or((after, ""));
        // A variable of one target, or a pattern for several.
        let needs = match needs.contains(['=', ':']) && !needs.contains('$') {
            true => "",
            false => needs.split('|').next().unwrap_or_default(),
        };
        let recipe = recipe.trim();
        self.rules.push(Rule {
            targets: vec![line[..at].to_owned()],
            needs: vec![needs.to_owned()],
            recipe: (!recipe.is_empty())
                .then(|| recipe.to_owned())
                .into_iter()
                .collect(),
        });
        true
    }

    fn expand(&self, text: &str, depth: usize) -> String {
        expand(&self.variables, text, depth)
    }

    /// What plain `make` links; else what any rule does, tests aside.
    fn programs(&self, listing: &Listing) -> Vec<String> {
        let targets = || self.rules.iter().flat_map(|rule| &rule.targets);
        let is_goal = |target: &&String| {
            !target.contains('%') && (!target.starts_with('.') || target.contains('/'))
        };
        let mut found = Vec::new();
        if let Some(first) = targets().find(is_goal) {
            self.visit(first, listing, &mut BTreeSet::new(), &mut found);
        }
        if found.is_empty() {
            let others = targets().filter(|target| !is_test(target.as_str().as_ref()));
            found.extend(others.filter_map(|target| self.linked(target)));
        }
        let mut seen = BTreeSet::new();
        found.retain(|program| seen.insert(program.clone()));
        found
    }

    fn visit(
        &self,
        target: &str,
        listing: &Listing,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<String>,
    ) {
        if !seen.insert(target.to_owned()) {
            return;
        }
        if let Some(program) = self.linked(target) {
            found.push(program);
            return;
        }
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|other| other == target));
        let rules: Vec<_> = rules.collect();
        if rules.is_empty() && !target.contains('.') && listing.has(&format!("{target}.c")) {
            found.push(target.to_owned());
        }
        for need in rules.iter().flat_map(|rule| &rule.needs) {
            self.visit(need, listing, seen, found);
        }
    }

    /// The program that is linked where this target is made.
    fn linked(&self, target: &str) -> Option<String> {
        let mut rules = self
            .rules
            .iter()
            .filter(|rule| rule.targets.iter().any(|other| other == target));
        rules.find_map(|rule| {
            let lines = rule.recipe.iter().map(|line| self.expand(line, 0));
            // What make does by itself with an object of the same name.
            let is_implied = rule.recipe.is_empty()
                && rule.needs.iter().any(|need| {
                    need.strip_suffix(".o").or(need.strip_suffix(".c")) == Some(target)
                });
            let mut linked = lines.filter_map(|line| output(&line, target));
            linked
                .next()
                .or_else(|| is_implied.then(|| target.to_owned()))
        })
    }
}

/// The program that a command links.
fn output(line: &str, target: &str) -> Option<String> {
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
        Makefile::parse(text).programs(&listing)
    }

    #[test]
    fn what_plain_make_links_is_the_program() {
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
    fn what_is_not_told_is_not_made_up() {
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

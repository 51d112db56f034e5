//! The commands of a target that runs tests, as tests.

use camino::Utf8Path;

use super::build_info::{CommandTest, line};
use super::make::{commands, is_compiler};

/// Commands that prepare or report, and check nothing.
const NO_TESTS: [&str; 17] = [
    "echo", "printf", "mkdir", "rm", "cp", "mv", "ln", "touch", "true", ":", "cd", "chmod", "make",
    "gmake", "cmake", "install", "export",
];

/// What the commands of a target do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// Those that run something.
    pub tests: Vec<CommandTest>,
    /// Those that compile.
    pub builds: Vec<String>,
}

impl Recipe {
    /// Adds the commands that run in this directory, which is relative to the root.
    pub fn add(&mut self, dir: &Utf8Path, command: &str) {
        let whole = command.replace("\\\n", " ");
        for line in whole.lines().map(str::trim) {
            for line in unrolled(line) {
                self.add_line(dir, &line);
            }
        }
    }

    fn add_line(&mut self, dir: &Utf8Path, line: &str) {
        let mut words = commands(line).filter_map(|words| {
            let is_variable = |word: &&String| word.contains('=') && !word.contains('/');
            let program = words.into_iter().find(|word| !is_variable(&word));
            program.map(|program| program.rsplit('/').next().unwrap_or_default().to_owned())
        });
        let programs: Vec<String> = words.by_ref().filter(|it| !it.is_empty()).collect();
        let runs = |program: &String| {
            !compiles(program)
                && !matches!(program.as_str(), "ar" | "ranlib" | "exit")
                && !NO_TESTS.contains(&program.as_str())
        };
        if programs.iter().any(compiles) {
            let (builds, tests) = parted(line);
            self.builds.push(match dir.as_str() {
                "" => builds,
                dir => format!("(cd {dir} && {builds})"),
            });
            if let Some(tests) = tests {
                self.add_line(dir, &tests);
            }
            return;
        }
        let Some(first) = programs.iter().find(|program| runs(program)) else {
            return;
        };
        let (dir, command) = moved(dir, line);
        let stem = first.split('.').next().filter(|stem| !stem.is_empty());
        let stem = match stem.unwrap_or(first) {
            "sh" | "bash" | "env" | "python" | "python3" | "perl" | "valgrind" | "timeout" => {
                let files = line.split_whitespace().filter(|word| {
                    !word.starts_with('-') && word.contains(['.', '/']) && !word.contains('=')
                });
                let file = files
                    .filter_map(|word| Utf8Path::new(word).file_stem())
                    .next();
                file.unwrap_or(first)
            }
            stem => stem,
        };
        let is_taken = |name: &str| self.tests.iter().any(|test| test.name == name);
        let mut name = stem.to_owned();
        let mut times = 1;
        while is_taken(&name) {
            times += 1;
            name = format!("{stem}-{times}");
        }
        self.tests.push(CommandTest {
            name,
            command: command.to_owned(),
            cwd: dir,
            functions: Vec::new(),
        });
    }
}

/// Whether a program of this name compiles.
fn compiles(program: &String) -> bool {
    is_compiler(std::slice::from_ref(program))
}

/// The commands of a line up to the last one that compiles, and those after it.
fn parted(line: &str) -> (String, Option<String>) {
    let mut start = 0;
    for part in line.split("&&").flat_map(|part| part.split(';')) {
        let words = shlex::split(part).unwrap_or_default();
        let at = part.as_ptr() as usize - line.as_ptr() as usize;
        if is_compiler(&words) {
            start = at + part.len();
        }
    }
    // A compiler behind a pipe or a variable: what follows is not known.
    if start == 0 {
        return (line.trim().to_owned(), None);
    }
    let rest = line[start..].trim_start_matches(['&', ';', ' ']).trim();
    (
        line[..start].trim().to_owned(),
        (!rest.is_empty()).then(|| rest.to_owned()),
    )
}

/// The directory of `cd DIR && …` with what follows it, if nothing else is there.
fn moved<'l>(dir: &Utf8Path, line: &'l str) -> (Option<String>, &'l str) {
    let parts: Vec<&str> = line.split("&&").collect();
    let here = |dir: &Utf8Path| (!dir.as_str().is_empty()).then(|| dir.to_string());
    if let [cd, rest] = parts.as_slice()
        && let Some(to) = cd.trim().strip_prefix("cd ")
        && !to.contains(['$', '"', '\'', ';', ' '])
        && !rest.contains(';')
        && !to.starts_with('/')
    {
        return (here(&dir.join(to)), rest.trim());
    }
    (here(dir), line)
}

/// The commands of a loop over words, one for each word; another line is as it is.
fn unrolled(text: &str) -> Vec<String> {
    let unroll = || {
        let rest = text.strip_prefix("for ")?;
        let (variable, rest) = rest.split_once(" in ")?;
        let (words, rest) = rest.split_once(';')?;
        let body = rest.trim().strip_prefix("do")?.trim();
        let body = body.strip_suffix("done")?.trim().trim_end_matches(';');
        let variable = variable.trim();
        let words = words.split_whitespace();
        if words
            .clone()
            .any(|word| word.contains(['$', '*', '?', '`']))
        {
            return None;
        }
        let commands = words.map(|word| {
            let word = line([word]);
            let body = body.replace(&format!("${{{variable}}}"), &word);
            body.replace(&format!("${variable}"), &word)
                .trim()
                .to_owned()
        });
        Some(commands.collect())
    };
    unroll().unwrap_or_else(|| vec![text.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dir: &str, command: &str) -> (Vec<String>, Vec<String>) {
        let mut recipe = Recipe::default();
        recipe.add(dir.into(), command);
        let tests = recipe.tests.iter().map(|test| {
            let cwd = test.cwd.as_deref().unwrap_or_default();
            format!("{}: {cwd}: {}", test.name, test.command)
        });
        (tests.collect(), recipe.builds)
    }

    #[test]
    fn what_runs_a_program_is_a_test_and_what_compiles_is_not() {
        let (tests, builds) = read("", "echo run\n./run_tests -v\n");
        assert_eq!(
            (&*tests[0], builds.len()),
            ("run_tests: : ./run_tests -v", 0)
        );
        let (tests, builds) = read("", "cc -o t t.c a.o && ./t\nrm -f t");
        assert_eq!(
            (tests, builds),
            (
                vec!["t: : ./t".to_owned()],
                vec!["cc -o t t.c a.o".to_owned()]
            )
        );
        let (tests, builds) = read("sub", "cd out && ./a 1\nA=1 sh ../run.sh\ngcc b.c");
        assert_eq!(tests, ["a: sub/out: ./a 1", "run: sub: A=1 sh ../run.sh"]);
        assert_eq!(builds, ["(cd sub && gcc b.c)"]);
    }

    #[test]
    fn a_compiler_need_not_be_the_first_word() {
        for line in ["A=1 gcc -o t t.c && ./t", "echo x | gcc -x c -o t -"] {
            let (tests, builds) = read("", line);
            assert_eq!((tests.len(), &*builds[0]), (0, line), "{line}");
        }
    }

    #[test]
    fn a_loop_over_programs_is_a_test_for_each() {
        let (tests, _) = read("", "for t in a b/c; do \\\n  ./$t || exit 1; \\\ndone");
        assert_eq!(tests, ["a: : ./a || exit 1", "c: : ./b/c || exit 1"]);
        let (tests, _) = read("", "for t in *.sh; do sh $t; done");
        assert_eq!(tests.len(), 1);
    }
}

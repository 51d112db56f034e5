//! Detects tests in the files of a program: pairs of input and expected output, and test scripts.

use camino::{Utf8Path, Utf8PathBuf};

use super::build_info::line;
use super::listing::Listing;

/// Extensions of input files, and of files with the expected output.
const ENDINGS: [(&str, &[&str]); 6] = [
    (
        "in",
        &[
            "out", "expected", "exp", "ok", "ans", "sol", "expect", "ref",
        ],
    ),
    ("input", &["output", "out", "expected", "answer"]),
    ("stdin", &["stdout", "out", "expected"]),
    ("args", &["out", "expected", "exp", "stdout", "output"]),
    ("in.txt", &["out.txt", "expected.txt", "ok.txt", "ans.txt"]),
    ("input.txt", &["output.txt", "expected.txt"]),
];
/// The same for names of files or directories, and for prefixes and suffixes of names.
const NAMES: [(&str, &[&str]); 3] = [
    ("in", &["out", "expected", "exp", "ans"]),
    ("input", &["output", "expected", "answer"]),
    ("inputs", &["outputs", "expected", "answers"]),
];
/// Directories with programs of others, which have tests of their own.
const OF_OTHERS: [&str; 8] = [
    "contrib",
    "deps",
    "extern",
    "external",
    "misc",
    "third-party",
    "third_party",
    "vendor",
];
/// Directories in which test scripts are looked for, and their usual names.
const SCRIPT_DIRS: [&str; 3] = ["", "tests/", "test/"];
const SCRIPTS: [&str; 9] = [
    "test.sh",
    "tests.sh",
    "run_tests.sh",
    "run-tests.sh",
    "run_test.sh",
    "run-test.sh",
    "runtests.sh",
    "runtest.sh",
    "run.sh",
];

/// Input and output files as globs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pub input: String,
    pub output: String,
    /// The input files contain arguments instead of standard input.
    pub as_arguments: bool,
    pub count: usize,
    /// Some outputs do not end in a line feed, or contain carriage returns.
    pub has_odd_line_ends: bool,
    /// The inputs one by one, if there is one without an output: then the globs are not enough.
    pub apart: Vec<Apart>,
}

/// An input file, and what is known of its run.
#[derive(Debug, PartialEq, Eq)]
pub struct Apart {
    pub name: String,
    pub input: Utf8PathBuf,
    /// Its text, if that is the arguments and not standard input.
    pub arguments: Option<String>,
    /// What must be printed; without it, only the exit code counts.
    pub output: Option<Utf8PathBuf>,
}

/// A test script.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    pub command: String,
    /// The test names that occur in the script, if it takes a name as its argument.
    pub names: Option<Vec<String>>,
}

impl Script {
    /// The command that runs all tests.
    pub fn without_name(&self) -> &str {
        self.command
            .strip_suffix(" {name}")
            .unwrap_or(&self.command)
    }
}

/// A naming scheme for inputs and outputs within a directory: what comes before and after the `*`.
struct Style {
    input: (String, String),
    output: (String, String),
}

fn styles() -> Vec<Style> {
    let mut styles = Vec::new();
    let mut add = |input: (&str, &str), output: (&str, &str)| {
        let owned = |(before, after): (&str, &str)| (before.to_owned(), after.to_owned());
        styles.push(Style {
            input: owned(input),
            output: owned(output),
        });
    };
    for (one, others) in ENDINGS {
        for other in others {
            let (input, output) = (format!(".{one}"), format!(".{other}"));
            add(("", &input), ("", &output));
            for (from, to) in NAMES
                .iter()
                .flat_map(|(from, all)| all.iter().map(move |to| (from, to)))
            {
                add((&format!("{from}/"), &input), (&format!("{to}/"), &output));
            }
        }
    }
    for (one, other) in NAMES
        .iter()
        .flat_map(|(one, all)| all.iter().map(move |other| (one, other)))
    {
        let dir = |name: &str| format!("{name}/");
        add((&dir(one), ""), (&dir(other), ""));
        for end in ["", ".txt"] {
            add(
                ("", &format!("/{one}{end}")),
                ("", &format!("/{other}{end}")),
            );
            for between in ["-", "_", "."] {
                let named =
                    |name: &str| (format!("{name}{between}"), format!("{between}{name}{end}"));
                let ((a, b), (c, d)) = (named(one), named(other));
                add((&a, end), (&c, end));
                add(("", &b), ("", &d));
            }
            add((one, end), (other, end));
        }
    }
    styles
}

/// The scheme with the most inputs that all have outputs; failing that, one where most inputs have outputs, or none has one.
pub fn pairs(listing: &Listing) -> Option<Pairs> {
    let dirs = listing
        .files
        .iter()
        .flat_map(|path| path.ancestors().skip(1).map(Utf8Path::to_owned));
    let dirs: std::collections::BTreeSet<_> = dirs.collect();
    let styles = styles();
    let mut best: Option<(bool, usize, usize, Pairs)> = None;
    for dir in dirs
        .iter()
        .filter(|dir| !dir.as_str().contains(['*', '?', '[', ']', '{', '}', '\\']))
        .filter(|dir| {
            !dir.components()
                .any(|part| OF_OTHERS.contains(&part.as_str()))
        })
    {
        let start = match dir.as_str() {
            "" => String::new(),
            dir => format!("{dir}/"),
        };
        let below: Vec<_> = listing
            .files
            .iter()
            .filter_map(|path| path.as_str().strip_prefix(&start))
            .collect();
        for style in &styles {
            let Some((count, apart)) = matches(listing, &start, &below, style) else {
                continue;
            };
            let glob = |(before, after): &(String, String)| format!("{start}{before}*{after}");
            // Of two globs that match the same files, the longer one yields shorter test names.
            let rank = (apart.is_empty(), count, glob(&style.input).len());
            if best
                .as_ref()
                .is_some_and(|(whole, most, longest, _)| (*whole, *most, *longest) >= rank)
            {
                continue;
            }
            let pairs = Pairs {
                input: glob(&style.input),
                output: glob(&style.output),
                as_arguments: style.input.1 == ".args",
                count,
                has_odd_line_ends: false,
                apart,
            };
            best = Some((rank.0, rank.1, rank.2, pairs));
        }
    }
    let (.., mut pairs) = best?;
    let (before, after) = pairs.output.split_once('*').unwrap_or_default();
    let is_output =
        |path: &&Utf8PathBuf| path.as_str().starts_with(before) && path.as_str().ends_with(after);
    let mut texts = listing
        .files
        .iter()
        .filter(is_output)
        .map(|path| listing.text(path));
    pairs.has_odd_line_ends =
        texts.any(|text| text.contains('\r') || !(text.is_empty() || text.ends_with('\n')));
    Some(pairs)
}

/// The number of inputs with an output, and all inputs if some lack one. `None` unless most inputs have outputs, or all files of
/// this scheme can only be inputs, however few have outputs.
fn matches(
    listing: &Listing,
    start: &str,
    below: &[&str],
    style: &Style,
) -> Option<(usize, Vec<Apart>)> {
    let mut all = Vec::new();
    for path in below {
        let part = path
            .strip_prefix(&style.input.0)
            .and_then(|rest| rest.strip_suffix(&style.input.1));
        let Some(part) = part.filter(|part| !part.is_empty()) else {
            continue;
        };
        let output = format!("{start}{}{part}{}", style.output.0, style.output.1);
        all.push(Apart {
            name: part.to_owned(),
            input: format!("{start}{path}").into(),
            arguments: (style.input.1 == ".args").then(|| {
                let text = listing.text(Utf8Path::new(&format!("{start}{path}")));
                text.trim().to_owned()
            }),
            output: listing.has(&output).then(|| output.into()),
        });
    }
    let count = all.iter().filter(|one| one.output.is_some()).count();
    let are_inputs = !all.is_empty()
        && style.input.0.is_empty()
        && ENDINGS
            .iter()
            .any(|(end, _)| style.input.1 == format!(".{end}"))
        && all.iter().all(|one| !is_template(&one.input))
        && have_different_names(&all);
    if are_inputs || count > all.len() - count {
        if count == all.len() {
            all.clear();
        }
        return Some((count, all));
    }
    None
}

/// Whether no two inputs are files of one name, as `Config.in` in each directory.
fn have_different_names(inputs: &[Apart]) -> bool {
    let mut names: Vec<&str> = inputs
        .iter()
        .filter_map(|one| one.input.file_name())
        .collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

/// Whether a build may make another file of this one: `config.h.in`, `Makefile.in`.
fn is_template(path: &Utf8Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    path.extension() == Some("in")
        && (stem.contains('.') || matches!(stem, "Makefile" | "GNUmakefile" | "configure"))
}

/// The first test script found.
pub fn script(listing: &Listing) -> Option<Script> {
    let mut names = SCRIPT_DIRS
        .iter()
        .flat_map(|dir| SCRIPTS.iter().map(move |name| format!("{dir}{name}")));
    let path = names.find(|path| listing.has(path))?;
    let text = listing.text(Utf8Path::new(&path));
    let takes_name = ["$1", "${1", "$@", "$*"]
        .iter()
        .any(|argument| text.contains(argument));
    let shell = match text.lines().next() {
        Some(first) if first.starts_with("#!") && first.contains("bash") => "bash",
        _ => "sh",
    };
    let names = takes_name.then(|| text.lines().filter_map(label).collect());
    Some(Script {
        command: line([shell, &path]) + if takes_name { " {name}" } else { "" },
        names,
    })
}

/// The label of a branch of a `case` statement.
fn label(line: &str) -> Option<String> {
    let (name, _) = line.trim_start().split_once(')')?;
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Option<(String, String, usize)> {
        let listing = Listing {
            dir: "/nowhere".into(),
            files: files.iter().map(Utf8PathBuf::from).collect(),
        };
        let pairs = pairs(&listing)?;
        assert_eq!(pairs.apart, []);
        Some((pairs.input, pairs.output, pairs.count))
    }

    fn assert_found(files: &[&str], input: &str, output: &str, count: usize) {
        assert_eq!(
            found(files),
            Some((input.to_owned(), output.to_owned(), count)),
            "{files:?}"
        );
    }

    #[test]
    fn an_output_counts_where_only_one_of_several_inputs_has_one() {
        let files = ["t/x.in", "t/x.out", "t/y.in", "t/z.in", "a.c"];
        let listing = Listing {
            dir: "/nowhere".into(),
            files: files.iter().map(Utf8PathBuf::from).collect(),
        };
        let pairs = pairs(&listing).unwrap();
        assert_eq!((&*pairs.output, pairs.count), ("t/*.out", 1));
        let outputs = pairs.apart.iter().map(|one| one.output.as_deref());
        let expected = [Some(Utf8Path::new("t/x.out")), None, None];
        assert_eq!(outputs.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn common_names_of_inputs_and_outputs_are_recognized() {
        assert_found(
            &["input-1", "output-1", "input-2", "output-2", "a.c"],
            "input-*",
            "output-*",
            2,
        );
        assert_found(
            &["t/input1.txt", "t/output1.txt"],
            "t/input*.txt",
            "t/output*.txt",
            1,
        );
        assert_found(
            &["tests/a.in", "tests/a.out", "Makefile.in"],
            "tests/*.in",
            "tests/*.out",
            1,
        );
        assert_found(&["a.in", "a.expected"], "*.in", "*.expected", 1);
        assert_found(&["in/1", "out/1", "in/2", "out/2"], "in/*", "out/*", 2);
        assert_found(&["in/1.in", "out/1.out"], "in/*.in", "out/*.out", 1);
        assert_found(
            &["tests/1/input", "tests/1/expected"],
            "tests/*/input",
            "tests/*/expected",
            1,
        );
        assert_found(
            &["x/a.in", "x/a.out", "y/b.in", "y/b.out"],
            "*.in",
            "*.out",
            2,
        );
        assert_found(
            &["tests/a.args", "tests/a.out"],
            "tests/*.args",
            "tests/*.out",
            1,
        );
        assert_eq!(
            found(&["a.c", "config.h.in", "Makefile.in", "inner.c"]),
            None
        );
    }

    #[test]
    fn labels_are_names_of_tests() {
        assert_eq!(label("  seven) check 7 ;;").as_deref(), Some("seven"));
        assert_eq!(label("*) exit 2 ;;"), None);
        assert_eq!(label("x=$(cat a)"), None);
    }
}

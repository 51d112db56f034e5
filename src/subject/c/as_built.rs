//! Whether a build compiles what the sources say. Its compiler calls are known, so each is made again for the preprocessor: with its
//! own options, and with none but those for directories of headers, which is what formulas read. The program is another one if the
//! preprocessor passes on other lines, or defines other macros of which the program has the names; and if it passes on other lines
//! than those that formulas read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use super::calls::{self, Call};
use super::lines_read;
use super::other_program::Names;
use crate::subject::files;
use crate::subject::paths::normal;
use crate::subject::workspace::Workspace;

/// Options after which gcc computes otherwise than formulas, and what these assume.
const OTHER_MEANING: [(&str, &str); 14] = [
    ("-funsigned-char", "formulas assume that `char` is signed"),
    ("-fno-signed-char", "formulas assume that `char` is signed"),
    ("-fwrapv", "formulas take signed overflow for a failure"),
    (
        "-fno-strict-overflow",
        "formulas take signed overflow for a failure",
    ),
    (
        "-m32",
        "formulas assume that `long` and pointers have 64 bits",
    ),
    (
        "-mx32",
        "formulas assume that `long` and pointers have 64 bits",
    ),
    (
        "-m16",
        "formulas assume that `long` and pointers have 64 bits",
    ),
    (
        "-fshort-enums",
        "formulas assume that an enumeration has 32 bits",
    ),
    ("-fpack-struct", "formulas assume that structures have gaps"),
    (
        "-fshort-wchar",
        "formulas assume that `wchar_t` has 32 bits",
    ),
    (
        "-funsigned-bitfields",
        "formulas assume that bit-fields are signed",
    ),
    (
        "-finstrument-functions",
        "formulas do not follow the calls that it adds",
    ),
    ("-xc++", "formulas read C"),
    ("-x c++", "formulas read C"),
];
/// Trigraphs, which only some versions of C know.
const TRIGRAPHS: [&str; 9] = [
    "??=", "??/", "??'", "??(", "??)", "??!", "??<", "??>", "??-",
];

/// Whether the text of a source means something else in the version of C that an option asks for.
fn is_other_version(option: &str, text: &str) -> bool {
    let version = option.strip_prefix("-std=").unwrap_or_default();
    let is_strict = option == "-ansi" || version.starts_with('c') || version.starts_with("iso");
    let is_first =
        option == "-ansi" || ["c89", "c90", "iso9899:1990", "iso9899:199409"].contains(&version);
    is_first && text.contains("//*")
        || (is_strict || option == "-trigraphs") && TRIGRAPHS.iter().any(|it| text.contains(it))
}

/// Whether a compiler is one of C++.
fn is_of_cpp(compiler: &Utf8Path) -> bool {
    compiler.file_name().is_some_and(|name| name.contains("++"))
}

/// What the compiler calls of a build show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsBuilt {
    /// Nothing: none of them compiles a source.
    Unknown,
    /// The program is the one that its sources describe.
    Same,
    /// It is another one.
    Other(Difference),
}

/// Why a build makes another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// No source is compiled, but another file is.
    OtherSource(Utf8PathBuf),
    /// A source is compiled with this option, after which the program is another one.
    Option {
        /// The source, relative to the root.
        source: Utf8PathBuf,
        /// The option; `None` if several together are the reason.
        option: Option<String>,
        /// What formulas assume instead.
        why: &'static str,
    },
    /// Only the compiler reads this file, or only formulas do.
    File {
        /// The source, relative to the root.
        source: Utf8PathBuf,
        /// The file, relative to the root.
        file: Utf8PathBuf,
        /// Whether the compiler reads it.
        is_compiled: bool,
    },
    /// A line counts only for the compiler, or only in formulas.
    Line {
        /// The source, relative to the root.
        source: Utf8PathBuf,
        /// The file with the line, relative to the root.
        file: Utf8PathBuf,
        /// The number of the line.
        line: usize,
        /// Whether the compiler reads it.
        is_compiled: bool,
    },
    /// The linker is to bind calls to other functions.
    Linked(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherSource(file) => write!(
                out,
                "the build compiles {file} and none of the sources, so formulas would describe another program"
            ),
            Self::Option {
                source,
                option,
                why,
            } => {
                let option = match option {
                    Some(option) => format!("`{option}`"),
                    None => "other options than gcc has by itself".to_owned(),
                };
                write!(
                    out,
                    "the build compiles {source} with {option}: {why}, so they would describe another program"
                )
            }
            Self::File {
                source,
                file,
                is_compiled,
            } => {
                let with = match is_compiled {
                    true => format!("with {file}, which formulas do not read"),
                    false => format!("without {file}, which formulas read"),
                };
                write!(
                    out,
                    "the build compiles {source} {with}, so they would describe another program"
                )
            }
            Self::Line {
                source,
                file,
                line,
                is_compiled,
            } => {
                let with = match is_compiled {
                    true => format!("with line {line} of {file}, which formulas leave out"),
                    false => format!("without line {line} of {file}, which formulas read"),
                };
                write!(
                    out,
                    "the build compiles {source} {with} because of an `#if`, so they would describe another program"
                )
            }
            Self::Linked(option) => write!(
                out,
                "the build links with `{option}`: formulas do not know that calls go to other functions, so they would describe another program"
            ),
        }
    }
}

/// What is compiled instead of a file.
const STANDARD_INPUT: &str = "its standard input";

/// The lines of files below the root in preprocessed text, by file and number.
type Lines = BTreeMap<(Utf8PathBuf, usize), String>;

/// What the calls of a build in this copy show of these sources, whose paths are relative to the root.
///
/// # Errors
/// If a compiler cannot be started, or the run is stopped.
pub fn as_built(at: &Workspace, calls: &[Call], sources: &[Utf8PathBuf]) -> Result<AsBuilt> {
    let mut verdict = AsBuilt::Unknown;
    let mut other = None;
    let files = lines_read::texts(&at.subject.root, sources);
    for call in calls.iter().filter(|call| call.compiles()) {
        if let Some(option) = call.args.iter().find(|arg| binds_otherwise(arg)) {
            return Ok(AsBuilt::Other(Difference::Linked(option.clone())));
        }
        if call.args.iter().any(|arg| arg == "-") {
            other.get_or_insert_with(|| STANDARD_INPUT.into());
        }
        if let Some(passed) = call.args.iter().find(|arg| arg.ends_with(".i")) {
            other.get_or_insert_with(|| passed.into());
        }
        for source in call.sources() {
            let path = normal(&call.dir.join(source));
            let Ok(path) = path.strip_prefix(&at.root) else {
                continue;
            };
            if !call.can_be_repeated(source) {
                continue;
            }
            if !sources.iter().any(|known| known == path) {
                other.get_or_insert_with(|| path.to_owned());
                continue;
            }
            if let Some((option, why)) = difference(at, call, source)? {
                return Ok(AsBuilt::Other(Difference::Option {
                    source: path.to_owned(),
                    option,
                    why,
                }));
            }
            if let Some(difference) = lines_read::difference(at, call, (source, path), &files)? {
                return Ok(AsBuilt::Other(difference));
            }
            verdict = AsBuilt::Same;
        }
    }
    Ok(match (verdict, other) {
        (AsBuilt::Unknown, Some(file)) => AsBuilt::Other(Difference::OtherSource(file)),
        (verdict, _) => verdict,
    })
}

/// Whether an option makes the linker bind a call to another function than the one of its name.
fn binds_otherwise(option: &str) -> bool {
    const OPTIONS: [&str; 4] = ["-wrap", "-defsym", "muldefs", "-allow-multiple-definition"];
    let mut words = option.split([',', '=']);
    let is_for_linker = option.starts_with("-Wl,") || option.starts_with("--");
    (is_for_linker || option == "muldefs")
        && words.any(|word| {
            let word = word
                .strip_prefix('-')
                .filter(|word| word.starts_with('-'))
                .unwrap_or(word);
            OPTIONS.contains(&word)
        })
}

/// The option because of which a call compiles another program than the source says, and what formulas assume instead.
fn difference(
    at: &Workspace,
    call: &Call,
    source: &str,
) -> Result<Option<(Option<String>, &'static str)>> {
    const READ: &str = "formulas read the sources as gcc does without it";
    let options = options(&call.args_for(source), source);
    if is_of_cpp(&call.compiler) {
        let compiler = call.compiler.file_name().unwrap_or_default().to_owned();
        return Ok(Some((Some(compiler), "formulas read C")));
    }
    let text = files::text(&normal(&call.dir.join(source))).unwrap_or_default();
    let joined: Vec<String> = options.iter().map(|option| option.join(" ")).collect();
    for word in options.iter().flatten().chain(&joined) {
        if is_other_version(&word.replacen("--", "-", 1), &text) {
            return Ok(Some((Some(word.clone()), READ)));
        }
        // The compiler also takes `--wrapv`, and `--std=c99`.
        let short = match word.strip_prefix("--") {
            Some(name) => ["-f", "-"].map(|dash| format!("{dash}{name}")).to_vec(),
            None => Vec::new(),
        };
        let meaning = OTHER_MEANING.iter().find(|(option, _)| {
            word == option
                || short.iter().any(|short| short == option)
                || word
                    .strip_prefix(option)
                    .is_some_and(|it| it.starts_with('='))
        });
        if let Some((option, why)) = meaning {
            return Ok(Some((Some((*option).to_owned()), why)));
        }
    }
    let (paths, mut others): (Vec<_>, Vec<_>) =
        options.into_iter().partition(|it| is_for_headers(it));
    others.retain(|option| !is_harmless(option));
    if others.is_empty() {
        return Ok(None);
    }
    let ask = |options: &[Vec<String>], more: &[&str]| {
        let args = paths.iter().chain(options).flatten().cloned().collect();
        Ok::<_, anyhow::Error>(calls::repeated(at, call, args, more)?.0)
    };
    let macros = |options: &[Vec<String>]| -> Result<BTreeSet<String>> {
        let text = ask(options, &["-E", "-dM", "-x", "c", "/dev/null"])?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    // Macros stay as they are: those of system headers depend on options that do not matter.
    let passed = |options: &[Vec<String>]| -> Result<Lines> {
        let text = ask(options, &["-E", "-fdirectives-only", source])?;
        Ok(lines(&at.root, &call.dir, &text))
    };
    let (own_macros, own_lines) = (macros(&[])?, passed(&[])?);
    let read = own_lines.keys().map(|(file, _)| file);
    let read: BTreeSet<&Utf8PathBuf> = read.collect();
    let texts = read
        .into_iter()
        .filter_map(|file| Some((file.clone(), files::text(&at.root.join(file))?)));
    let texts: Vec<(Utf8PathBuf, String)> = texts.collect();
    let names = Names::of(&texts);
    let differs = |options: &[Vec<String>]| -> Result<bool> {
        let macros = macros(options)?;
        let mut other = macros.symmetric_difference(&own_macros);
        let is_named = |line: &String| {
            let name = line.strip_prefix("#define ").unwrap_or_default();
            names.has(name.split([' ', '(']).next().unwrap_or_default())
        };
        Ok(other.any(is_named) || passed(options)? != own_lines)
    };
    if !differs(&others)? {
        return Ok(None);
    }
    for option in others {
        let shown = option.join(" ");
        if differs(&[option])? {
            return Ok(Some((Some(shown), READ)));
        }
    }
    Ok(Some((None, READ)))
}

/// The options among arguments, each with its value.
fn options(args: &[String], source: &str) -> Vec<Vec<String>> {
    let mut args = args.iter().filter(|arg| *arg != source).cloned();
    let mut options = Vec::new();
    while let Some(arg) = args.next() {
        let has_value = calls::WITH_VALUE.contains(&&*arg) || TWO_WORDS.contains(&&*arg);
        let value = has_value.then(|| args.next()).flatten();
        options.push([arg].into_iter().chain(value).collect());
    }
    options
}

/// More options with a value of their own.
const TWO_WORDS: [&str; 7] = [
    "-Xpreprocessor",
    "-imacros",
    "--include",
    "--imacros",
    "--define-macro",
    "--undefine-macro",
    "-iprefix",
];

/// Whether an option says where headers are.
fn is_for_headers(option: &[String]) -> bool {
    const DIRECTORIES: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];
    let first = option.first().map_or("", String::as_str);
    DIRECTORIES.iter().any(|it| first.starts_with(it))
}

/// Whether an option concerns warnings, debug information or libraries only.
fn is_harmless(option: &[String]) -> bool {
    const STARTS: [&str; 7] = ["-W", "-w", "-g", "-l", "-L", "-pedantic", "-pipe"];
    let first = option.first().map_or("", String::as_str);
    STARTS.iter().any(|start| first.starts_with(start)) && !first.starts_with("-Wp,")
}

fn lines(root: &Utf8Path, dir: &Utf8Path, text: &str) -> Lines {
    let mut lines = Lines::new();
    calls::each_line(root, dir, text, |file, number, line| {
        // What the command line defines is in `<command-line>`.
        if !file.as_str().contains('<') {
            let known: &mut String = lines.entry((file.to_owned(), number)).or_default();
            known.extend(line.split_whitespace());
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_c_matters_if_the_text_shows_it() {
        let divided = "return a //**/ 2\n;";
        for option in ["-std=c89", "-ansi", "-std=iso9899:1990"] {
            assert!(is_other_version(option, divided), "{option}");
            assert!(!is_other_version(option, "return a / 2; // */"), "{option}");
        }
        for option in ["-std=c99", "-std=c17", "-trigraphs", "-ansi"] {
            assert!(is_other_version(option, "sizeof(\"??=\")"), "{option}");
        }
        for option in ["-std=gnu99", "-std=gnu89", "-O2"] {
            assert!(!is_other_version(option, "??= //**/"), "{option}");
        }
    }

    #[test]
    fn an_option_has_its_value() {
        let args = [
            "-O1",
            "-I",
            "x",
            "-Iy",
            "-D",
            "N=1",
            "--include",
            "c.h",
            "a.c",
        ];
        let args = args.map(str::to_owned);
        let found = options(&args, "a.c");
        let found: Vec<String> = found.iter().map(|option| option.join(" ")).collect();
        assert_eq!(found, ["-O1", "-I x", "-Iy", "-D N=1", "--include c.h"]);
        assert!(is_for_headers(&args[1..2]) && !is_for_headers(&args[..1]));
        for (option, expected) in [
            ("-Wall", true),
            ("-ggdb", true),
            ("-Wp,-DN=5", false),
            ("-O2", false),
        ] {
            assert_eq!(is_harmless(&[option.to_owned()]), expected, "{option}");
        }
    }
}

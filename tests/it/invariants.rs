//! What `docs/architecture.md` promises beyond what the compiler enforces between crates: who knows what inside a crate, and
//! that the files which the documents name exist.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Source files below a directory or at a path, relative to the repository, with their code
/// (comments and tests aside).
fn sources(below: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(root().join(below))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| !is_test(path))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no sources in {below}");
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default();
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let name = path
                .strip_prefix(root())
                .unwrap()
                .to_string_lossy()
                .into_owned();
            (name, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

/// The source files of the tool and of its crates.
fn all_sources() -> Vec<(String, String)> {
    let mut all = sources("src");
    all.extend(sources("crates"));
    all
}

/// Whether a file is compiled into tests only, by its name.
fn is_test(path: &Path) -> bool {
    let tests = ["tests", "tests.rs", "fixture.rs"];
    let mut parts = path.strip_prefix(root()).unwrap().iter();
    parts.any(|part| tests.iter().any(|test| part == *test))
}

/// Whether code names a crate or module by path, or imports it.
fn names(code: &str, module: &str) -> bool {
    code.match_indices(module).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + module.len()..]);
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_path = after.starts_with("::");
        let is_import = after.starts_with([';', ',', '}']) && before.ends_with("use ");
        (is_path || is_import) && !before.ends_with(|before: char| is_part(before) || before == ':')
            || is_path && before.ends_with(" ::")
    })
}

fn assert_only(module: &str, allowed: &[&str]) {
    for (file, code) in all_sources() {
        if names(&code, module) {
            assert!(
                allowed.iter().any(|place| file.starts_with(place)),
                "{file} names {module}, which only {allowed:?} may"
            );
        }
    }
}

fn assert_never(module: &str, modules: &[&str]) {
    // The tests of a module may know more than it does.
    let own = sources(module).into_iter();
    for (file, code) in own.filter(|(file, _)| !file.contains("/tests")) {
        for other in modules {
            assert!(!names(&code, other), "{file} names {other}");
        }
    }
}

/// Of a module, only some parts name these modules.
fn assert_only_in(module: &str, modules: &[&str], parts: &[&str]) {
    for (file, code) in sources(module) {
        // The weights are data.
        let code = code.replace("nopol_synth::weights", "");
        let is_part = parts.iter().any(|part| file.starts_with(part));
        for other in modules {
            assert!(is_part || !names(&code, other), "{file} names {other}");
        }
    }
}

#[test]
fn only_the_solver_knows_z3() {
    assert_only("z3", &["crates/synth/src/smt", "crates/heap/src/encode"]);
}

#[test]
fn only_clauses_know_the_sat_solver() {
    assert_only("rustsat", &["crates/formula/src/circuit/cnf.rs"]);
    assert_only("rustsat_batsat", &["crates/formula/src/circuit/cnf.rs"]);
}

#[test]
fn programs_formulas_and_heaps_are_pure() {
    // Only the benchmark reads files.
    let outside = ["std::fs", "std::process", "walkdir"];
    for module in [
        "crates/program/src",
        "crates/formula/src",
        "crates/debug/src/picture",
    ] {
        assert_never(module, &outside);
    }
    assert_only_in(
        "crates/heap/src",
        &outside,
        &["crates/heap/src/benchmark.rs"],
    );
    assert_never("crates/debug/src/gdb", &["nopol_program", "nopol_heap::ir"]);
    assert_never(
        "crates/debug/src/picture",
        &["nopol_program", "nopol_heap::ir"],
    );
}

/// The crates of this workspace that a crate depends on, by its manifest.
fn dependencies(of: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(of).join("Cargo.toml")).unwrap();
    let (_, after) = manifest.split_once("[dependencies]").unwrap();
    let own = after.split("\n[").next().unwrap_or_default();
    let named = own.lines().filter_map(|line| line.strip_prefix("nopol_"));
    let named = named.map(|line| line.split('.').next().unwrap_or_default().to_owned());
    named.collect()
}

#[test]
fn crates_depend_on_each_other_as_the_architecture_draws_it() {
    let drawn = [
        ("basics", &[][..]),
        ("scalar", &[]),
        ("expr", &["basics", "scalar"]),
        ("source", &["basics", "expr", "scalar"]),
        ("synth", &["expr"]),
        ("prior", &[]),
        ("process", &["basics", "expr", "instrument"]),
        ("program", &["basics", "scalar"]),
        ("formula", &["basics", "program", "scalar"]),
        ("heap", &["basics", "program", "scalar"]),
        ("debug", &["basics", "heap", "program"]),
    ];
    for (of, on) in drawn {
        assert_eq!(dependencies(of), on, "{of}");
    }
}

#[test]
fn only_rust_sources_and_the_probe_know_syn() {
    let front = "crates/program/src/front/rust";
    assert_only("syn", &["crates/source/src/rust/", "src/probe/", front]);
}

#[test]
fn only_the_report_and_the_exchange_of_problems_know_the_shape_of_their_json() {
    let own = ["src/report/format/", "src/exchange/", "src/formula/report/"];
    // The outcome of the last run and what was applied are written in a shape of their own, for nobody else.
    let kept = ["src/report/last.rs", "src/subject/applied.rs"];
    // What gcc and cargo-nextest say is JSON, too, and so are compilation databases and what the tool tells its warden.
    let others = [
        "src/subject/cargo/nextest.rs",
        "crates/process/src/run/wire.rs",
        "crates/heap/src/notation.rs",
        "crates/debug/src/web/step.rs",
        "src/subject/c/calls.rs",
        "src/subject/c/fresh.rs",
        "src/subject/c/diagnostics.rs",
        "src/subject/c/init/database.rs",
        "src/subject/c/init/cmake.rs",
        "src/subject/c/init/meson.rs",
        // What editors know of settings.
        "src/config/schema.rs",
    ];
    assert_only("serde_json", &[&own[..], &kept, &others].concat());
}

#[test]
fn command_lines_progress_bars_and_configuration_files_have_one_each() {
    assert_only("clap", &["src/cli/"]);
    assert_only("indicatif", &["src/report/terminal.rs"]);
    // The others look into a manifest, into the configuration of a test tool, write a list of words, and print what was read.
    let others = [
        "src/subject/cargo/added.rs",
        "src/subject/cargo/fuzz.rs",
        "src/subject/cargo/nextest.rs",
        "src/subject/cargo/outside.rs",
        "src/subject/cargo/unchecked.rs",
        "src/subject/c/init/text.rs",
        "src/subject/c/print.rs",
    ];
    assert_only("toml_edit", &[&["src/config/"], &others[..]].concat());
    // Who stands in for a compiler is told, so that the library works in any program.
    for (file, code) in all_sources() {
        // The test of a run does so.
        let is_told = file.starts_with("src/cli/") || file == "src/subject/cargo/run.rs";
        assert!(
            is_told || !code.contains("current_exe"),
            "{file} asks for the program it is in"
        );
    }
}

/// What a text of a program looks like, in code.
const SYNTAX: [&str; 22] = [
    ".text\n",
    ".text)",
    ".text,",
    ".text.",
    ".text;",
    ".text ",
    "write::text",
    "()\"",
    "(..)\"",
    "\"*\"",
    "\"->\"",
    "\".\"",
    "'.'",
    "'*'",
    "'['",
    "\"NULL\"",
    "\"strlen",
    "\" as \"",
    "unwrap()\"",
    "\"len",
    "\"is_",
    "rsplit",
];

#[test]
fn synthesis_reads_no_syntax_of_any_language() {
    for (file, code) in sources("crates/synth/src") {
        if file.contains("/tests") {
            continue;
        }
        for pattern in SYNTAX {
            assert!(!code.contains(pattern), "{file} reads syntax: {pattern}");
        }
        for guess in [
            "strip_prefix(",
            "strip_suffix(",
            "starts_with(",
            "ends_with(",
            "split_once(",
        ] {
            assert!(!code.contains(guess), "{file} guesses from a text: {guess}");
        }
    }
}

#[test]
fn languages_are_told_apart_in_one_place_of_a_module() {
    let told_apart = |below: &str| -> Vec<String> {
        let files = sources(below).into_iter();
        let files = files.filter(|(_, code)| code.contains("Language::C"));
        files.map(|(file, _)| file).collect()
    };
    assert_eq!(told_apart("src/contexts"), ["src/contexts/operands.rs"]);
    assert_eq!(told_apart("src/patch/render"), [""; 0]);
    assert_eq!(told_apart("crates/synth/src"), [""; 0]);
    assert_eq!(told_apart("crates/expr/src"), [""; 0]);
}

#[test]
fn all_costs_are_in_one_file() {
    // Nothing but the weights says what a term or an edit costs.
    for module in ["crates/source/src", "crates/synth/src", "src/contexts"] {
        for (file, code) in sources(module) {
            let is_cost = |line: &&str| line.contains("const ") && line.contains(": u32 =");
            for line in code.lines().filter(is_cost) {
                let is_bound = ["NO_VALUE", "NAN", "FURTHER", "RLIMIT"];
                let is_bound = is_bound.iter().any(|name| line.contains(name));
                assert!(is_bound, "{file} has a cost: {line}");
            }
        }
    }
}

#[test]
fn processes_signals_and_sandboxes_have_one_each() {
    let caught = [
        "crates/process/src/run/process.rs",
        "crates/process/src/run/warden",
        "crates/process/src/run/interrupt.rs",
    ];
    assert_only("signal_hook", &caught);
    assert_only("landlock", &["crates/process/src/run/sandbox.rs"]);
    // Outside of the working copies the tool writes where it was told to, and to its own places.
    let own = [
        "crates/process/src/copy/",
        "crates/process/src/run/",
        "src/subject/",
        "src/cli/apply.rs",
        "src/cli/debug.rs",
        "src/exchange/",
    ];
    assert_only("fs::write", &own);
}

#[test]
fn only_c_sources_know_tree_sitter() {
    let front = "crates/program/src/front/c";
    assert_only("tree_sitter", &["crates/source/src/c", front]);
    assert_only("tree_sitter_c", &["crates/source/src/c", front]);
}

#[test]
fn modules_of_the_tool_do_not_know_what_they_must_not() {
    let pipeline = ["crate::repair", "crate::cli", "crate::report"];
    let processes = ["std::process", "nopol_process", "crate::subject"];
    assert_never(
        "src/rank",
        &[
            &pipeline[..],
            &processes,
            &["nopol_synth", "crate::contexts", "std::fs"],
        ]
        .concat(),
    );
    assert_never("src/exchange", &[&pipeline[..], &processes].concat());
    assert_never(
        "src/localize",
        &[
            &pipeline[..],
            &["nopol_synth", "nopol_source::rust", "nopol_expr"],
        ]
        .concat(),
    );
    assert_never(
        "src/subject",
        &[
            &pipeline[..],
            &["nopol_synth", "crate::probe", "crate::localize"],
        ]
        .concat(),
    );
    assert_never(
        "src/probe",
        &[
            &pipeline[..],
            &["nopol_expr", "nopol_synth", "crate::localize"],
        ]
        .concat(),
    );
    assert_never(
        "src/patch",
        &[&pipeline[..], &processes, &["nopol_synth", "crate::check"]].concat(),
    );
    assert_never(
        "src/check",
        &[
            &pipeline[..],
            &["nopol_synth", "crate::contexts", "nopol_expr"],
        ]
        .concat(),
    );
    assert_never(
        "src/contexts",
        &[
            &pipeline[..],
            &[
                "std::process",
                "std::fs",
                "crate::subject",
                "nopol_process::run::process",
                "nopol_process::run::command",
                "crate::patch",
                "crate::check",
                "crate::probe",
                "nopol_synth",
            ],
        ]
        .concat(),
    );
    // The costs know nothing of what has them.
    assert_never("crates/synth/src/weights.rs", &["crate"]);
    assert_never("crates/synth/src", &["std::fs", "std::process"]);
    assert_never("crates/expr/src", &["std::fs"]);
    assert_never("crates/source/src", &["std::process"]);
    assert_never("crates/process/src/copy", &["crate::run", "std::process"]);
    assert_never("crates/basics/src/paths.rs", &["crate", "std::fs"]);
    // What an engine knows of expressions stays with the engine.
    assert_only_in(
        "src/repair",
        &["nopol_expr", "nopol_synth", "crate::contexts"],
        &["src/repair/angelic/", "src/repair/settings.rs"],
    );
    // Problems are collected for `--dump`, which `src/repair.rs` writes.
    assert_only_in(
        "src/repair",
        &["crate::exchange"],
        &["src/repair/angelic/", "src/repair/knowledge.rs"],
    );
    for module in ["src/repair.rs", "src/repair"] {
        assert_never(
            module,
            &[
                "crate::cli",
                "nopol_source::rust",
                "nopol_source::c",
                "std::process",
                "walkdir",
            ],
        );
    }
    // They read a diff, the tool itself, and another directory.
    let readers = ["hints", "identity", "reference"];
    let readers = readers.map(|name| format!("src/repair/{name}.rs"));
    let readers = readers.each_ref().map(String::as_str);
    assert_only_in("src/repair", &["std::fs"], &readers);
    assert_never(
        "src/report",
        &[
            "nopol_process",
            "crate::subject",
            "nopol_source",
            "nopol_synth",
            "crate::repair",
        ],
    );
    assert_never(
        "src/cli",
        &[
            "nopol_synth",
            "crate::localize",
            "crate::probe",
            "crate::patch",
            "nopol_expr",
        ],
    );
}

#[test]
fn the_runtime_has_no_dependencies() {
    let manifest = fs::read_to_string(root().join("instrument/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    assert_eq!(dependencies.trim(), "");
}

#[test]
fn every_file_says_what_it_is_for() {
    for below in ["src", "crates", "instrument/src", "xtask/src", "tests"] {
        for entry in walkdir::WalkDir::new(root().join(below)) {
            let path = entry.unwrap().into_path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.starts_with("//!"), "{} has no header", path.display());
            }
        }
    }
}

#[test]
fn the_documents_name_files_that_exist() {
    let below = walkdir::WalkDir::new(root().join("docs")).sort_by_file_name();
    let documents = below.into_iter().map(|entry| entry.unwrap().into_path());
    let documents = documents.filter(|path| path.extension().is_some_and(|it| it == "md"));
    // The changelog names files as they were called then.
    let documents = documents.filter(|path| !path.ends_with("changelog.md"));
    for document in documents.chain([root().join("README.md")]) {
        let text = fs::read_to_string(&document).unwrap();
        let document = document.display();
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = [
                "src/",
                "crates/",
                "instrument/",
                "tests/",
                "fixtures/",
                "docs/",
                "xtask/",
                ".ci/",
            ]
            .iter()
            .any(|top| quoted.starts_with(top));
            // In instructions NAME stands for a name to be chosen.
            let is_pattern = quoted.contains(['*', '<', '…', ' ', ':']) || quoted.contains("NAME");
            if is_path && !is_pattern {
                assert!(
                    root().join(quoted).exists(),
                    "{document} names {quoted}, which is not there"
                );
            }
        }
    }
}

/// Papers are cited by title and section: no reader has our copies.
#[test]
fn no_paper_is_cited_by_a_path() {
    let tops = ["src", "crates", "docs", "tests", "README.md"].map(|top| root().join(top));
    let all = tops.iter().flat_map(walkdir::WalkDir::new);
    let all = all.map(|entry| entry.unwrap().into_path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|it| it == "rs" || it == "md");
    for path in all.filter(is_text) {
        let text = fs::read_to_string(&path).unwrap();
        let ending = concat!(".", "pdf");
        assert!(
            !text.contains(ending),
            "{} names a {ending}",
            path.display()
        );
    }
}

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let path = root().join("docs/schema.json");
    let schema = cargo_nopol::report::format::json::schema().unwrap();
    if std::env::var_os("NOPOL_BLESS").is_some() {
        fs::write(&path, &schema).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        committed, schema,
        "run this test with NOPOL_BLESS=1 and commit docs/schema.json"
    );
}

/// Cargo starts rustdoc for each library, unless its manifest says that it has no examples to run.
#[test]
fn libraries_without_doctests_have_no_example_that_would_run() {
    let crates = walkdir::WalkDir::new(root().join("crates")).into_iter();
    let all = crates.chain(walkdir::WalkDir::new(root().join("instrument")));
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let mut examples = 0;
    for path in all
        .map(|entry| entry.unwrap().into_path())
        .filter(is_source)
    {
        let text = fs::read_to_string(&path).unwrap();
        let comments = text.lines().filter_map(|line| {
            let line = line.trim_start();
            line.strip_prefix("///").or(line.strip_prefix("//!"))
        });
        let fences = comments.filter_map(|line| line.trim_start().strip_prefix("```"));
        for language in fences.step_by(2) {
            examples += 1;
            assert!(
                ["text", "ignore"].contains(&language),
                "{}: no example in `{language}` is compiled, because of `doctest = false`",
                path.display()
            );
        }
    }
    assert!(examples > 0, "crates/debug has one");
}

#[test]
fn the_page_on_tests_names_every_module_of_the_integration_tests() {
    let page = fs::read_to_string(root().join("docs/testing.md")).unwrap();
    for entry in fs::read_dir(root().join("tests/it")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_named = name == "main.rs" || page.contains(&format!("`tests/it/{name}`"));
        assert!(is_named, "docs/testing.md lacks tests/it/{name}");
    }
}

/// Licences with which the tool can be published as it is.
const LICENCES: [&str; 8] = [
    "MIT",
    "Apache-2.0",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Zlib",
];

/// Whether an SPDX expression without nested parentheses can be met with these licences.
fn is_met(expression: &str) -> bool {
    let flat = expression.replace('/', " OR ").replace(['(', ')'], "");
    flat.split(" AND ").all(|part| {
        let mut choices = part.split(" OR ").map(str::trim);
        choices.any(|licence| LICENCES.contains(&licence))
    })
}

#[test]
fn every_dependency_has_a_licence_that_lets_the_tool_be_published() {
    let mut command = cargo_metadata::MetadataCommand::new();
    command
        .current_dir(root())
        .other_options(["--locked".to_owned()]);
    let packages = command.exec().unwrap().packages;
    assert!(packages.len() > 100, "{}", packages.len());
    for package in packages.iter().filter(|package| package.source.is_some()) {
        let licence = package.license.as_deref().unwrap_or_default();
        assert!(
            is_met(licence),
            "{} has the licence `{licence}`",
            package.name
        );
        // A registry, not somebody's branch.
        let source = package.source.as_ref().unwrap();
        assert!(
            source.is_crates_io(),
            "{} comes from {source}",
            package.name
        );
    }
    assert!(!is_met("GPL-3.0-only") && !is_met("MIT AND GPL-2.0-only"));
}

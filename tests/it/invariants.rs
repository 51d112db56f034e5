//! What `docs/architecture.md` promises of the house: who knows what, and that the files it and
//! the README name exist.

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

/// Whether a file is compiled into tests only, by its name.
fn is_test(path: &Path) -> bool {
    let tests = ["tests", "tests.rs", "fixture.rs"];
    let mut parts = path.strip_prefix(root()).unwrap().iter();
    parts.any(|part| tests.iter().any(|test| part == *test))
}

/// Whether code names a crate or module by path.
fn names(code: &str, module: &str) -> bool {
    code.match_indices(&format!("{module}::")).any(|(at, _)| {
        !code[..at]
            .ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
            || code[..at].ends_with(" ::")
    })
}

fn assert_only(module: &str, allowed: &[&str]) {
    for (file, code) in sources("src") {
        if names(&code, module) {
            assert!(
                allowed.iter().any(|room| file.starts_with(room)),
                "{file} names {module}, which only {allowed:?} may"
            );
        }
    }
}

fn assert_never(room: &str, modules: &[&str]) {
    // The tests of a room may know more than it does.
    let own = sources(room).into_iter();
    for (file, code) in own.filter(|(file, _)| !file.contains("/tests")) {
        for module in modules {
            assert!(!names(&code, module), "{file} names {module}");
        }
    }
}

/// Of a room, only some parts name these modules.
fn assert_only_in(room: &str, modules: &[&str], parts: &[&str]) {
    for (file, code) in sources(room) {
        let is_part = parts.iter().any(|part| file.starts_with(part));
        for module in modules {
            assert!(is_part || !names(&code, module), "{file} names {module}");
        }
    }
}

#[test]
fn only_the_solver_room_knows_z3() {
    assert_only("z3", &["src/synth/smt", "src/heap/encode"]);
}

#[test]
fn only_clauses_know_the_sat_solver() {
    assert_only("rustsat", &["src/formula/circuit/cnf.rs"]);
    assert_only("rustsat_batsat", &["src/formula/circuit/cnf.rs"]);
}

#[test]
fn formulas_know_programs_only_as_text() {
    let parts = [
        "circuit",
        "encode",
        "faults",
        "front",
        "interpret",
        "mutate",
    ];
    for part in parts {
        let rooms = [
            "crate::subject",
            "crate::run",
            "crate::repair",
            "crate::source",
            "std::fs",
            "std::process",
        ];
        assert_never(&format!("src/formula/{part}"), &rooms);
    }
}

#[test]
fn heaps_are_repaired_without_processes_and_files() {
    let parts = [
        "encode",
        "ir.rs",
        "localize.rs",
        "lower",
        "machine.rs",
        "memory.rs",
        "patch.rs",
        "picture",
        "problem.rs",
        "repair.rs",
        "rewrite.rs",
        "space.rs",
        "state.rs",
    ];
    for part in parts {
        let rooms = [
            "crate::subject",
            "crate::run",
            "crate::repair",
            "crate::source",
            "crate::heap::gdb",
            "std::fs",
            "std::process",
        ];
        assert_never(&format!("src/heap/{part}"), &rooms);
    }
    assert_never("src/heap/gdb", &["crate::formula", "crate::heap::ir"]);
}

#[test]
fn only_rust_sources_and_the_probe_know_syn() {
    let front = "src/formula/front/rust";
    assert_only("syn", &["src/source/rust/", "src/probe/", front]);
}

#[test]
fn only_the_report_and_the_exchange_of_problems_know_the_shape_of_their_json() {
    let own = ["src/report/format/", "src/exchange/", "src/formula/report/"];
    // The outcome of the last run and what was applied are written in a shape of their own, for nobody else.
    let kept = ["src/report/last.rs", "src/subject/applied.rs"];
    // What gcc and cargo-nextest say is JSON, too, and so are compilation databases and what the tool tells its warden.
    let others = [
        "src/subject/cargo/nextest.rs",
        "src/run/wire.rs",
        "src/heap/notation.rs",
        "src/heap/web/step.rs",
        "src/subject/c/calls.rs",
        "src/subject/c/diagnostics.rs",
        "src/subject/c/init/database.rs",
    ];
    assert_only("serde_json", &[&own[..], &kept, &others].concat());
}

#[test]
fn command_lines_progress_bars_and_configuration_files_have_one_room_each() {
    assert_only("clap", &["src/cli/"]);
    assert_only("indicatif", &["src/report/terminal.rs"]);
    // The others look into a manifest, into the configuration of a test tool, write a list of words, and print what was read.
    let others = [
        "src/subject/cargo/nextest.rs",
        "src/subject/cargo/outside.rs",
        "src/subject/c/init/text.rs",
        "src/subject/c/print.rs",
    ];
    assert_only("toml_edit", &[&["src/config/"], &others[..]].concat());
    // Who stands in for a compiler is told, so that the library works in any program.
    for (file, code) in sources("src") {
        let is_told = file.starts_with("src/cli/");
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
    for (file, code) in sources("src/synth") {
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
fn languages_are_told_apart_in_one_place_of_a_room() {
    let told_apart = |below: &str| -> Vec<String> {
        let files = sources(below).into_iter();
        let files = files.filter(|(_, code)| code.contains("Language::C"));
        files.map(|(file, _)| file).collect()
    };
    assert_eq!(told_apart("src/contexts"), ["src/contexts/operands.rs"]);
    assert_eq!(told_apart("src/patch/render"), [""; 0]);
    assert_eq!(told_apart("src/synth"), [""; 0]);
    assert_eq!(told_apart("src/spec"), [""; 0]);
}

#[test]
fn all_weights_stand_in_one_file() {
    // What sources find is priced by nobody but the weights.
    for room in ["src/source", "src/synth", "src/contexts"] {
        for (file, code) in sources(room) {
            let is_price = |line: &&str| line.contains("const ") && line.contains(": u32 =");
            for line in code.lines().filter(is_price) {
                let is_bound = ["NO_VALUE", "NAN", "FURTHER", "RLIMIT"];
                let is_bound = is_bound.iter().any(|name| line.contains(name));
                assert!(is_bound, "{file} has a weight: {line}");
            }
        }
    }
}

#[test]
fn processes_signals_and_sandboxes_have_one_room_each() {
    let caught = [
        "src/run/process.rs",
        "src/run/warden",
        "src/run/interrupt.rs",
    ];
    assert_only("signal_hook", &caught);
    assert_only("landlock", &["src/run/sandbox.rs"]);
    // Outside of the working copies the tool writes where it was told to, and to its own places.
    let own = [
        "src/copy/",
        "src/run/",
        "src/subject/",
        "src/cli/apply.rs",
        "src/cli/debug.rs",
        "src/exchange/",
    ];
    assert_only("fs::write", &own);
}

#[test]
fn only_c_sources_know_tree_sitter() {
    let front = "src/formula/front/c";
    assert_only("tree_sitter", &["src/source/c", front]);
    assert_only("tree_sitter_c", &["src/source/c", front]);
}

#[test]
fn rooms_do_not_know_what_they_must_not() {
    let pipeline = ["crate::repair", "crate::cli", "crate::report"];
    let processes = ["std::process", "crate::run", "crate::subject"];
    assert_never(
        "src/source",
        &[&pipeline[..], &processes, &["crate::synth", "crate::patch"]].concat(),
    );
    assert_never(
        "src/synth",
        &[&pipeline[..], &processes, &["crate::source", "std::fs"]].concat(),
    );
    assert_never(
        "src/weights.rs",
        &[
            &pipeline[..],
            &processes,
            &["crate::synth", "crate::contexts"],
        ]
        .concat(),
    );
    assert_never(
        "src/rank",
        &[
            &pipeline[..],
            &processes,
            &[
                "crate::synth",
                "crate::contexts",
                "crate::weights",
                "std::fs",
            ],
        ]
        .concat(),
    );
    assert_never(
        "src/spec",
        &["crate::synth", "crate::source", "crate::run", "std::fs"],
    );
    assert_never("src/exchange", &[&pipeline[..], &processes].concat());
    assert_never(
        "src/localize",
        &[
            &pipeline[..],
            &["crate::synth", "crate::source::rust", "crate::spec"],
        ]
        .concat(),
    );
    assert_never(
        "src/run",
        &[
            &pipeline[..],
            &["crate::synth", "crate::source", "crate::subject"],
        ]
        .concat(),
    );
    assert_never(
        "src/copy",
        &[
            &pipeline[..],
            &processes,
            &["crate::synth", "crate::source", "crate::spec"],
        ]
        .concat(),
    );
    assert_never("src/paths.rs", &["crate", "std::fs"]);
    assert_never(
        "src/subject",
        &[
            &pipeline[..],
            &["crate::synth", "crate::probe", "crate::localize"],
        ]
        .concat(),
    );
    assert_never(
        "src/probe",
        &[
            &pipeline[..],
            &["crate::spec", "crate::synth", "crate::localize"],
        ]
        .concat(),
    );
    assert_never(
        "src/patch",
        &[&pipeline[..], &processes, &["crate::synth", "crate::check"]].concat(),
    );
    assert_never(
        "src/check",
        &[
            &pipeline[..],
            &["crate::synth", "crate::contexts", "crate::spec"],
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
                "crate::run::process",
                "crate::run::command",
                "crate::patch",
                "crate::check",
                "crate::probe",
                "crate::synth",
            ],
        ]
        .concat(),
    );
    // What an engine knows of expressions stays with the engine.
    assert_only_in(
        "src/repair",
        &[
            "crate::spec",
            "crate::synth",
            "crate::contexts",
            "crate::exchange",
        ],
        &["src/repair/angelic/", "src/repair/settings.rs"],
    );
    for room in ["src/repair.rs", "src/repair"] {
        assert_never(
            room,
            &[
                "crate::cli",
                "crate::source::rust",
                "crate::source::c",
                "std::process",
                "std::fs",
                "walkdir",
            ],
        );
    }
    assert_never(
        "src/report",
        &[
            "crate::run",
            "crate::subject",
            "crate::source",
            "crate::synth",
            "crate::repair",
        ],
    );
    assert_never(
        "src/cli",
        &[
            "crate::synth",
            "crate::localize",
            "crate::probe",
            "crate::patch",
            "crate::spec",
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
    for below in ["src", "instrument/src", "xtask/src", "tests"] {
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
    for document in [
        "README.md",
        "docs/architecture.md",
        "docs/benchmarks.md",
        "docs/reference.md",
        "docs/reliability.md",
        "docs/testing.md",
    ] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = [
                "src/",
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

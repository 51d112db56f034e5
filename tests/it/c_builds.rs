//! C programs with builds that are out of the ordinary.

use std::process::Command;

use crate::c_header::narrow;
use crate::common::{Run, Subject};

/// `>` should be `>=`.
const ENOUGH_H: &str = r"#ifndef ENOUGH_H
#define ENOUGH_H
static inline int enough(int score, int needed)
{
    if (score > needed)
        return 1;
    return 0;
}
#endif
";

const TESTS: &str = r#"
[[c.test]]
name = "more"
command = "./grade 51 50"
stdout = "1\n"

[[c.test]]
name = "much-more"
command = "./grade 80 70"
stdout = "1\n"

[[c.test]]
name = "less"
command = "./grade 49 50"
stdout = "0\n"

[[c.test]]
name = "much-less"
command = "./grade 60 70"
stdout = "0\n"

[[c.test]]
name = "just-enough"
command = "./grade 50 50"
stdout = "1\n"
"#;

/// A program whose bug is in a header, with a makefile.
fn grading(makefile: &str, files: &[(&str, &str)]) -> Subject {
    let config = format!("[c]\nsources = [\"include/school/enough.h\"]\nbuild = \"make\"\n{TESTS}");
    let mut all = vec![
        ("Makefile", makefile),
        ("nopol.toml", &config),
        ("include/school/enough.h", ENOUGH_H),
    ];
    all.extend(files);
    Subject::new(&all)
}

/// The user's own build, which leaves object files behind.
fn make(subject: &Subject) {
    let made = Command::new("make").current_dir(&subject.root).output();
    let made: Run = made.unwrap().into();
    assert_eq!(made.code, 0, "{}", made.stderr);
}

/// The one right patch is first, and the subject is as it was.
fn is_repaired(subject: &Subject) {
    let before = subject.snapshot();
    let run = subject.nopol_c(&["--format", "json", "--no-cache"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let edit = &run.json()["patches"][0]["edits"][0];
    assert_eq!(edit["condition"], "score >= needed", "{edit}");
    assert!(subject.snapshot() == before, "the subject was changed");
}

const MAIN: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include "grade.h"
int main(int argc, char **argv)
{
    return argc != 3 || printf("%d\n", passes(atoi(argv[1]), atoi(argv[2]))) < 0;
}
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_of_a_header_is_judged_though_no_makefile_lists_headers() {
    // The header is included through another one, and objects have a directory of their own.
    let makefile = "OBJECTS = obj/main.o obj/other.o\ngrade: $(OBJECTS)\n\t$(CC) -o $@ $(OBJECTS)\n\
                    obj/%.o: src/%.c\n\t@mkdir -p obj\n\t$(CC) -Iinclude -c -o $@ $<\n";
    let subject = grading(
        makefile,
        &[
            ("src/main.c", MAIN),
            ("src/other.c", "#include <stdio.h>\nint other;\n"),
            (
                "include/grade.h",
                "#include <school/enough.h>\n#define passes(score, needed) enough(score, needed)\n",
            ),
        ],
    );
    is_repaired(&subject);
    make(&subject);
    is_repaired(&subject);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_of_a_header_reaches_a_library_that_a_makefile_below_builds() {
    // Only the library includes the header, which the makefile includes first.
    let below = "libgrade.a: grade.o\n\tar rcs $@ grade.o\n\
                 grade.o: grade.c\n\t$(CC) -include ../include/school/enough.h -c grade.c\n";
    let makefile = "grade: main.c lib\n\t$(CC) -o $@ -Ilib main.c lib/libgrade.a\n.PHONY: lib\nlib:\n\t$(MAKE) -C lib\n";
    let subject = grading(
        makefile,
        &[
            ("lib/Makefile", below),
            ("lib/grade.h", "int passes(int, int);\n"),
            (
                "lib/grade.c",
                "#include \"grade.h\"\nint passes(int score, int needed) { return enough(score, needed); }\n",
            ),
            ("main.c", MAIN),
        ],
    );
    make(&subject);
    is_repaired(&subject);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_patch_of_a_source_that_another_includes_is_judged() {
    let makefile = "grade: main.o\n\t$(CC) -o $@ main.o\n";
    let subject = grading(
        makefile,
        &[
            ("main.c", &MAIN.replace("grade.h", "grade.c")),
            (
                "grade.c",
                "#define ENOUGH \"include/school/enough.h\"\n#include ENOUGH\n#define passes enough\n",
            ),
        ],
    );
    make(&subject);
    is_repaired(&subject);
}

/// A program of two files whose bug is in `enough.c`, which its makefile or script does not list.
fn unlisted(build: &str, files: &[(&str, &str)]) -> Subject {
    let sources = "sources = [\"enough.c\", \"windows.c\"]";
    let config = format!("[c]\n{sources}\nbuild = \"{build}\"\n{TESTS}");
    let enough = ENOUGH_H.replace("static inline ", "");
    let main = MAIN.replace("#include \"grade.h\"", "int enough(int, int);");
    let main = main.replace("passes(", "enough(");
    let mut all = vec![
        ("nopol.toml", &*config),
        ("enough.c", &*enough),
        ("main.c", &*main),
        // No build reads it.
        ("windows.c", "void windows(void) {}\n"),
    ];
    all.extend(files);
    Subject::new(&all)
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_source_that_the_makefile_does_not_list_is_compiled_again() {
    for makefile in [
        "grade: main.c\n\t$(CC) -o $@ main.c enough.c\n",
        // One object in two programs, and a text that every call of make reads.
        "N := $(shell cat *.c | wc -l)\nall: grade other\ngrade other: main.c enough.o\n\t$(CC) -o $@ main.c enough.o\n\
         enough.o:\n\t$(CC) -c enough.c\n",
        "all: .stamp\n.stamp:\n\t$(CC) -c enough.c && ar rcs lib.a enough.o && $(CC) -o grade main.c lib.a && touch $@\n",
        // What is compiled is generated.
        "grade: main.c copy.c\n\t$(CC) -o $@ main.c copy.c\ncopy.c:\n\tsed s/never/again/ enough.c > $@\n",
    ] {
        let subject = unlisted("make", &[("Makefile", makefile)]);
        is_repaired(&subject);
        make(&subject);
        is_repaired(&subject);
    }
    let script = "[ -x out/grade ] && exit\nmkdir out && cc -o out/grade main.c enough.c && cp out/grade grade\n";
    is_repaired(&unlisted("sh build.sh", &[("build.sh", script)]));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_build_that_never_compiles_a_source_again_is_refused() {
    // The user has built it already.
    let script = "[ -f done ] || cc -o grade main.c enough.c && touch done\n";
    let subject = unlisted("sh build.sh", &[("build.sh", script)]);
    let made = Command::new("sh")
        .arg("build.sh")
        .current_dir(&subject.root)
        .status();
    assert!(made.unwrap().success());
    let before = subject.snapshot();
    let run = subject.nopol_c(&[]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let words = "`sh build.sh` does not compile `enough.c` and `windows.c` again when they change";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(subject.snapshot() == before, "the subject was changed");
}

/// The tests of a program `grade` that is in another directory.
fn tests_in(dir: &str) -> String {
    let command = "command = \"./grade ";
    TESTS.replace(command, &format!("cwd = \"{dir}\"\n{command}"))
}

/// A program of one file whose bug is in it.
fn whole(build: &str, tests: &str, files: &[(&str, &str)]) -> Subject {
    let source = MAIN.replace("#include \"grade.h\"\n", ENOUGH_H);
    let source = source.replace("passes(", "enough(");
    let config = format!("[c]\nsources = [\"grade.c\"]\nbuild = {build:?}\n{tests}");
    let mut all = vec![("grade.c", &*source), ("nopol.toml", &config)];
    all.extend(files);
    Subject::new(&all)
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_runs_in_a_directory_that_only_the_build_makes() {
    let build = "mkdir -p out/bin && cc -o out/bin/grade grade.c";
    is_repaired(&whole(build, &tests_in("out/bin"), &[]));
    // One that asks the shell is no different.
    let tests = tests_in("out/bin").replace("./grade", "cat /dev/null; ./grade");
    is_repaired(&whole(build, &tests, &[]));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_is_a_script_for_a_program_that_is_not_there_is_named() {
    let tests = format!("{TESTS}\n[[c.test]]\nname = \"odd\"\ncommand = \"./odd.sh\"\n");
    let build = "cc -o grade grade.c && chmod +x odd.sh";
    for (first, program) in [
        ("#!/usr/nowhere/bash -e\n", "/usr/nowhere/bash"),
        ("#! /bin/sh\r\n", "/bin/sh\\r"),
    ] {
        let script = format!("{first}./grade 51 50\n");
        let subject = whole(build, &tests, &[("odd.sh", &script)]);
        let run = subject.nopol_c(&[]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        let told =
            format!("test `odd`: `./odd.sh` is a script for `{program}`, which does not exist");
        assert!(run.stderr.contains(&told), "{}", run.stderr);
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_test_that_is_a_script_for_a_program_of_the_build_runs() {
    // In the user's directory, where a failing test is run once more, nothing was built.
    let main = "#include <stdio.h>\n#include \"grade.h\"\nint main(int argc, char **argv)\n{\n    \
                FILE *script = argc > 1 ? fopen(argv[1], \"r\") : 0;\n    int score, needed, expected;\n    \
                if (!script)\n        return 2;\n    while (fgetc(script) != '\\n')\n        ;\n    \
                if (fscanf(script, \"%d %d %d\", &score, &needed, &expected) != 3)\n        return 2;\n    \
                return passes(score, needed) != expected;\n}\n";
    let scripts = [
        ("more", "51 50 1"),
        ("less", "49 50 0"),
        ("much-less", "2 70 0"),
        ("enough", "50 50 1"),
        ("none", "0 0 1"),
    ];
    let tests: String = scripts
        .iter()
        .map(|(name, _)| format!("[[c.test]]\nname = \"{name}\"\ncommand = \"./{name}.grade\"\n"))
        .collect();
    let config = format!(
        "[c]\nsources = [\"include/school/enough.h\"]\n\
         build = \"cc -Iinclude -o grade main.c && chmod +x *.grade\"\n{tests}"
    );
    let scripts =
        scripts.map(|(name, text)| (format!("{name}.grade"), format!("#! ./grade\n{text}\n")));
    let mut files = vec![
        ("nopol.toml", config.as_str()),
        ("include/school/enough.h", ENOUGH_H),
        (
            "grade.h",
            "#include <school/enough.h>\n#define passes(score, needed) enough(score, needed)\n",
        ),
        ("main.c", main),
    ];
    files.extend(
        scripts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    is_repaired(&Subject::new(&files));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_header_that_a_compiler_without_the_runtime_includes_is_left_as_it_is() {
    // As that of C++, which does not take what is written for C.
    let tool = "#include <stdio.h>\n#include \"most.h\"\nint main(void)\n{\n    \
                return printf(\"#define MOST %d\\n\", most(1)) < 0;\n}\n";
    let most =
        "static int most(int large)\n{\n    if (large)\n        return 100;\n    return 10;\n}\n";
    let config = format!(
        "[c]\nsources = [\"include/school/enough.h\", \"most.h\"]\n\
         build = \"env -u C_INCLUDE_PATH cc -o tool tool.c && ./tool > made.h && cc -Iinclude -o grade main.c\"\n{TESTS}"
    );
    is_repaired(&Subject::new(&[
        ("nopol.toml", &config),
        ("include/school/enough.h", ENOUGH_H),
        (
            "grade.h",
            "#include <school/enough.h>\n#include \"made.h\"\n\
             #define passes(score, needed) (score <= MOST && enough(score, needed))\n",
        ),
        ("main.c", MAIN),
        ("most.h", most),
        ("tool.c", tool),
    ]));
}

#[test]
#[ignore = "make test-full: it takes long"]
fn errors_under_another_name_are_traced_to_the_file() {
    // Some of what the tool adds does not compile: it takes fields for variables and enumerators for types.
    let program = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum size { SMALL, LARGE = 4 };
struct box { char label[8]; int weight; enum size size; };
static enum size size_of(const struct box *box)
{
    if (box->weight > 10 && box->label[0] != '-')
        return LARGE;
    return SMALL;
}
int main(int argc, char **argv)
{
    struct box box;
    if (argc != 3)
        return 9;
    strncpy(box.label, argv[1], sizeof box.label - 1);
    box.label[sizeof box.label - 1] = 0;
    box.weight = atoi(argv[2]);
    box.size = size_of(&box);
    printf("%s %d\n", box.label, box.size);
    return 0;
}
"#;
    let tests = [("a 10", 4), ("b 12", 4), ("c 9", 0), ("-x 99", 0)].map(|(arguments, size)| {
        let label = arguments.split(' ').next().unwrap();
        format!(
            "[[c.test]]\nname = \"{label}\"\ncommand = \"./p {arguments}\"\nstdout = \"{label} {size}\\n\"\n"
        )
    });
    let config = format!(
        "[c]\nsources = [\"p.c\"]\nbuild = \"cc -w -o p p.c\"\n{}",
        tests.concat()
    );
    let named = format!("#line 1 \"p.y\"\n{program}");
    let linked = Subject::new(&[("real/core.c", program), ("nopol.toml", &config)]);
    std::os::unix::fs::symlink("real/core.c", linked.root.join("p.c")).unwrap();
    for subject in [
        linked,
        Subject::new(&[("p.c", &named), ("nopol.toml", &config)]),
    ] {
        let run = subject.nopol_c(&["--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report = run.json();
        assert_eq!(report["warnings"], serde_json::json!([]), "{}", run.stdout);
        let first = &report["patches"][0]["edits"][0]["condition"];
        assert_eq!(first, "box->weight >= 10 && box->label[0] != '-'");
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_configure_asks_of_the_compiler_is_not_asked_again() {
    // `configure` tries the compiler on files that it removes, in a directory that it removes.
    let configure = "#!/bin/sh\nmkdir conftest.dir && cd conftest.dir || exit 1\n\
                     echo 'int main(void) { return 0; }' > conftest.c\n\
                     cc -o conftest conftest.c && cc -c $PWD/conftest.c && cd .. && rm -r conftest.dir || exit 1\n\
                     printf 'grade: grade.c\\n\\tcc -o grade grade.c\\n' > Makefile\n";
    let build = "test -f Makefile || sh ./configure; make";
    let subject = whole(build, TESTS, &[("configure", configure)]);
    // What is cut through a brace is asked of the preprocessor.
    let source = subject.read("grade.c");
    let cut = "#ifdef STRICT\n    if (score > needed + 1) {\n#else\n    if (score > needed) {\n#endif\n        return 1;\n    }\n";
    let source = source.replace("    if (score > needed)\n        return 1;\n", cut);
    assert!(source.contains("STRICT"));
    std::fs::write(subject.root.join("grade.c"), source).unwrap();
    is_repaired(&subject);
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_build_that_runs_failing_tests_is_told_from_one_that_does_not_compile() {
    let told = |build: &str, makefile: &str, tests: &str| {
        let run = whole(build, tests, &[("Makefile", makefile)]).nopol_c(&[]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        run.stderr
    };
    let makefile = "all: grade check\ngrade: grade.c\n\t$(CC) -o grade grade.c\n\
                    check: grade\n\ttest \"$$(./grade 50 50)\" = 1\n";
    let words = "`make` fails at the target `check`. If it runs tests, give";
    for tests in ["", TESTS] {
        let text = told("make", makefile, tests);
        assert!(text.contains(words), "{text}");
    }
    let script = "cc -o grade grade.c && test \"$(./grade 50 50)\" = 1";
    let text = told(script, "", TESTS);
    let words = "fails after it has made the programs that the tests start";
    assert!(text.contains(words), "{text}");
    // Here the compiler, the linker or the shell is at fault.
    for (build, makefile) in [
        (
            "make",
            "all: check\ncheck:\n\t$(CC) -o grade -DMAIN=1 -include none.h grade.c\n",
        ),
        (
            "make",
            "all: check\ncheck:\n\t$(CC) -o grade -Dputs=none -Dprintf=none grade.c\n",
        ),
        ("cc -o grade grad.c", ""),
        ("make", "grade: grad.o\n"),
    ] {
        let text = told(build, makefile, TESTS);
        let words = format!("Make `{build}` succeed first; nothing was changed.");
        assert!(
            text.contains(&words) && !text.contains("If it runs tests"),
            "{text}"
        );
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_program_for_32_bits_is_repaired() {
    for compiler in narrow() {
        is_repaired(&whole(
            &format!("{compiler} -m32 -o grade grade.c"),
            TESTS,
            &[],
        ));
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn a_program_that_its_own_build_sanitizes_has_the_addresses_that_it_needs() {
    is_repaired(&whole("cc -fsanitize=address -o grade grade.c", TESTS, &[]));
}

/// In place of valgrind: cannot watch a program with AddressSanitizer, as the real one, and finds something in what a patch does.
const VALGRIND: &str = r#"#!/bin/sh
for arg; do
    case $arg in --xml-file=*) report=${arg#--xml-file=} ;; esac
done
grep -q __asan_init grade && exit 1
{
    echo '<status><state>RUNNING</state></status>'
    test "$(./grade 50 50)" = 1 && echo "<error><kind>UninitValue</kind><stack>\
<frame><obj>$PWD/grade</obj><fn>main</fn></frame></stack></error>"
} > "$report"
"#;

#[test]
#[ignore = "make test-full: it takes long"]
fn valgrind_watches_programs_without_their_sanitizers_or_the_report_says_that_it_did_not() {
    use std::os::unix::fs::PermissionsExt;
    let report = |build: &str| {
        let subject = whole(build, TESTS, &[]);
        let bin = subject.beside("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("valgrind"), VALGRIND).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bin.join("valgrind"), mode).unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = subject.c_command(&["--sanitize", "--format", "json"]);
        command.env("PATH", format!("{}:{path}", bin.display()));
        Run::from(command.output().unwrap()).json()
    };
    let watched = report("cc -o grade grade.c");
    let found = "valgrind finds: `main` uses an uninitialized value";
    assert_eq!(watched["patches"][0]["doubts"][0], found, "{watched:#}");
    let told = |report: &serde_json::Value, why: &str| {
        let mut warnings = report["warnings"].as_array().into_iter().flatten();
        let is_it = |it: &serde_json::Value| {
            let text = it.as_str().unwrap();
            text.starts_with("no patch was run under valgrind: ") && text.contains(why)
        };
        warnings.any(is_it)
    };
    assert!(!told(&watched, ""), "{watched:#}");
    for (build, why) in [
        (
            "cc -fsanitize=address -o grade grade.c",
            "its build adds a sanitizer",
        ),
        (
            "cc -o grade grade.c && grep -q __asan_init grade",
            "does not build without the sanitizers",
        ),
    ] {
        let report = report(build);
        assert!(told(&report, why), "{report:#}");
        let patch = &report["patches"][0];
        assert!(patch.is_object() && patch["doubts"].is_null(), "{report:#}");
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn what_a_sanitizer_reports_is_said() {
    let program = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int last = atoi(argv[1]);
    int *all = malloc(4 * sizeof *all);
    for (int i = 0; i <= last; i++)
        all[i] = i;
    printf("%d\n", all[last - 1]);
    free(all);
    return last / (argc - 1);
}
"#;
    let described = "[c]\nsources = [\"a.c\"]\nbuild = \"cc -g -o a a.c\"\nsanitize = true\n\
        [[c.test]]\nname = \"three\"\ncommand = \"./a 3\"\nexit = 3\n\
        [[c.test]]\nname = \"four\"\ncommand = \"./a 4\"\nexit = 4\n\
        [[c.test]]\nname = \"far\"\ncommand = \"./a 99\"\n\
        [[c.test]]\nname = \"wrong\"\ncommand = \"./a 1\"\n";
    let subject = Subject::new(&[("a.c", program), ("nopol.toml", described)]);
    let run = subject.nopol(&["c", "--quick", "--format", "junit"]);
    for wanted in [
        "name=\"four\">\n            <failure message=\"fails because AddressSanitizer reports an error: heap-buffer-overflow\"",
        "name=\"far\">\n            <failure message=\"fails because AddressSanitizer reports an error: heap-buffer-overflow\"",
        "message=\"exits with 1 instead of 0 and prints",
    ] {
        assert!(run.stdout.contains(wanted), "{}{}", run.stdout, run.stderr);
    }
    assert!(!run.stdout.contains("99 instead"), "{}", run.stdout);
}

#[test]
fn a_build_that_notes_where_the_compiler_is_works_in_every_working_copy() {
    let source = "#include <stdlib.h>\n\nint main(int argc, char **argv)\n{\n    int n = argc > 1 ? atoi(argv[1]) : 0;\n    \
        if (n > 5)\n        return 1;\n    return 0;\n}\n";
    let test = |n: i32, exit: i32| {
        format!("\n[[c.test]]\nname = \"{n}\"\ncommand = \"./p {n}\"\nexit = {exit}\n")
    };
    // As CMake and configure scripts do.
    let config = "[c]\nsources = [\"p.c\"]\nbuild = \"[ -f at ] || command -v cc > at; $(cat at) -o p p.c\"\n".to_owned()
        + &test(5, 1)
        + &test(4, 0)
        + &test(6, 1);
    let subject = Subject::new(&[("p.c", source), ("nopol.toml", &config)]);
    let args = ["--no-cache", "--jobs", "2", "--format", "json"];
    let runs = [subject.nopol_c(&args), subject.nopol_c(&args)];
    let patches = runs.each_ref().map(|run| {
        let patches = &run.json()["patches"];
        let diffs = patches.as_array().unwrap().iter();
        diffs
            .map(|patch| patch["diff"].to_string())
            .collect::<Vec<_>>()
    });
    assert!(patches[0].len() > 1, "{patches:?}");
    assert_eq!(patches[0], patches[1]);
    for run in &runs {
        assert!(!run.stderr.contains("valgrind"), "{}", run.stderr);
    }
}

/// Prints its first argument by way of a temporary file, or `none`.
const TEMPORARY: &str = r#"#include <stdio.h>

int main(int argc, char **argv)
{
    char line[20];
    FILE *file = tmpfile();
    if (!file)
        return 9;
    if (argc > 2)
        fputs(argv[1], file);
    rewind(file);
    puts(fgets(line, sizeof line, file) ? line : "none");
    return 0;
}
"#;

#[test]
#[cfg(target_os = "linux")]
fn a_temporary_file_of_the_library_is_in_the_directory_of_the_test() {
    let toml = "[c]\nsources = [\"t.c\"]\nbuild = \"cc -o t t.c\"\n\
        [[c.test]]\nname = \"one\"\ncommand = \"./t word\"\nstdout = \"word\\n\"\n\
        [[c.test]]\nname = \"none\"\ncommand = \"./t\"\nstdout = \"none\\n\"\n";
    let subject = Subject::new(&[("t.c", TEMPORARY), ("nopol.toml", toml)]);
    let run = subject.nopol(&["c", "localize"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 pass, 1 fail"), "{}", run.stderr);
    assert!(run.stdout.contains("t.c:9"), "{}", run.stdout);
}

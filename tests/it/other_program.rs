//! Programs that the build makes otherwise than their text says, and tests of which it is not known whether they fail.

use crate::common::Subject;

const SIZED: &str = "#include <assert.h>\n#include <stdio.h>\n#ifndef N\n#define N 3\n#endif\n\
                     int main(int argc, char **argv)\n{\n    assert(argc < 9 && argv);\n    printf(\"%d\\n\", N);\n    return 0;\n}\n";

fn sized(build: &str) -> Subject {
    let manifest = format!(
        "[c]\nsources = [\"p.c\"]\nbuild = \"{build}\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"5\\n\"\n"
    );
    Subject::new(&[("p.c", SIZED), ("nopol.toml", &manifest)])
}

#[test]
fn formulas_are_not_made_of_a_program_whose_build_defines_macros_that_it_has() {
    for (build, option) in [
        ("cc -DN=5 -o p p.c", "-DN=5"),
        ("cc -DNDEBUG -o p p.c", "-DNDEBUG"),
    ] {
        let subject = sized(build);
        for command in ["faults", "mutate"] {
            let run = subject.nopol(&["c", command]);
            assert_eq!(run.code, 4, "{}", run.stdout);
            let said = format!(
                "the build compiles p.c with `{option}`: formulas read the sources as gcc does without it"
            );
            assert!(run.stderr.contains(&said), "{}", run.stderr);
        }
    }
    let run = sized("cc -DM=5 -o p p.c").nopol(&["c", "faults"]);
    assert!(run.stdout.contains("`t` fails"), "{}", run.stdout);
}

#[test]
fn what_a_build_compiles_is_asked_of_its_compiler_calls() {
    let with = |build: &str, files: &[(&str, &str)]| {
        let manifest = format!(
            "[c]\nsources = [\"p.c\"]\nbuild = \"{build}\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"5\\n\"\n"
        );
        let own = [("p.c", SIZED), ("nopol.toml", &manifest)];
        Subject::new(&[&own[..], files].concat()).nopol(&["c", "faults"])
    };
    let below = [("sub/Makefile", "all:\n\tcc -DN=5 -o ../p ../p.c\n")];
    for (build, files, words) in [
        (
            "make -C sub",
            &below[..],
            "the build compiles p.c with `-DN=5`",
        ),
        (
            "cc -o p @opts p.c",
            &[("opts", "-D N=5\n")],
            "the build compiles p.c with `@opts`",
        ),
        (
            "cc -fwrapv -o p p.c",
            &[],
            "the build compiles p.c with `-fwrapv`: formulas take signed overflow for a failure",
        ),
        (
            "sed 's/N 3/N 5/' p.c > q.c && cc -o p q.c",
            &[],
            "the build compiles q.c and none of the sources",
        ),
        (
            "sed 's/N 3/N 5/' p.c | gcc -x c -o p -",
            &[],
            "the build compiles its standard input and none of the sources",
        ),
        (
            "cc -fpack-struct=1 -o p p.c",
            &[],
            "the build compiles p.c with `-fpack-struct`: formulas assume that structures have gaps",
        ),
        (
            "cc -x c++ -o p p.c",
            &[],
            "the build compiles p.c with `-x c++`: formulas read C",
        ),
        (
            "g++ -o p p.c",
            &[],
            "the build compiles p.c with `g++`: formulas read C",
        ),
    ] {
        let run = with(build, files);
        assert_eq!(run.code, 4, "{build}: {}", run.stdout);
        assert!(run.stderr.contains(words), "{build}: {}", run.stderr);
    }
    for (build, words) in [
        (
            "cc -Wl,--wrap=f -o p p.c",
            "the build links with `-Wl,--wrap=f`: formulas do not know that calls go to other functions",
        ),
        (
            "cc -c p.c && cc -Wl,--defsym,it=main -o p p.o",
            "the build links with `-Wl,--defsym,it=main`",
        ),
        (
            "cc --unsigned-char -o p p.c",
            "with `-funsigned-char`: formulas assume that `char` is signed",
        ),
        (
            "cc -E p.c > q.i && cc -o p q.i",
            "the build compiles q.i and none of the sources",
        ),
    ] {
        let run = with(build, &[]);
        assert_eq!(run.code, 4, "{build}: {}", run.stdout);
        assert!(run.stderr.contains(words), "{build}: {}", run.stderr);
    }
    // What a build file says beside that does not matter.
    let makefile = "# CFLAGS = -DN=5\n-include none.d\np: p.c\n\tcc -DM=5 -o p p.c\nother:\n\tcc -DN=5 -o p p.c\n";
    let run = with("make p", &[("Makefile", makefile)]);
    assert!(
        run.stdout.contains("`t` fails"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// Adds `STEP` twice, and asks for a macro of the system.
const STEPPED: &str = "#include <limits.h>\n#include <stdio.h>\n#include <config.h>\n#ifndef STEP\n#define STEP 2\n#endif\n\
    int f(unsigned char x) { return x * STEP + 2; }\nint ref(unsigned char x) { return x * 3 + 1; }\n\
    int main(void) { printf(\"%d\\n\", f(1) == ref(1)); return 0; }\n";

#[test]
fn formulas_read_the_lines_and_headers_that_the_compiler_reads() {
    let with = |text: &str, build: &str, more: &[(&str, &str)]| {
        let manifest = format!(
            "[c]\nsources = [\"p.c\"]\nbuild = \"{build}\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"1\\n\"\n"
        );
        let own = [("p.c", text), ("nopol.toml", &manifest)];
        let subject = Subject::new(&[&own[..], more].concat());
        subject.nopol(&[
            "c",
            "mutate",
            "--function",
            "f",
            "--reference-function",
            "ref",
        ])
    };
    let header = [("build/config.h", "#define STEP 3\n")];
    let run = with(STEPPED, "cc -Ibuild -o p p.c", &header);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("becomes  x * STEP + 1"),
        "{}",
        run.stdout
    );
    let made = "mkdir -p build && echo '#define STEP 3' > build/config.h && cc -Ibuild -o p p.c";
    let limit = STEPPED.replace("#ifndef STEP", "#ifndef PATH_MAX");
    let named = limit.replacen('\n', "\n#line 100 \"p.y\"\n", 1);
    let other = [("config.h", ""), ("build/config.h", "#define STEP 3\n")];
    for (text, build, more, words) in [
        (
            STEPPED,
            made,
            &[][..],
            "the build compiles p.c with build/config.h, which formulas do not read",
        ),
        (
            &limit,
            "cc -Ibuild -o p p.c",
            &header[..],
            "without line 5 of p.c, which formulas read because of an `#if`",
        ),
        (
            &named,
            "cc -Ibuild -o p p.c",
            &header[..],
            "without line 6 of p.c, which formulas read because of an `#if`",
        ),
        (
            STEPPED,
            "cc -Ibuild -o p p.c",
            &other[..],
            "it is not known whether the build includes `build/config.h` or `config.h`",
        ),
    ] {
        let run = with(text, build, more);
        assert_eq!(run.code, 4, "{words}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn a_test_that_ends_otherwise_in_the_built_program_is_left_out() {
    let run = |text: &str, stdout: &str| {
        let manifest = format!(
            "[c]\nsources = [\"p.c\"]\nbuild = \"cc -w -o p p.c\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"{stdout}\\n\"\n"
        );
        Subject::new(&[("p.c", text), ("nopol.toml", &manifest)]).nopol(&["c", "faults"])
    };
    // gcc computes 1, libraries the difference of the characters.
    let letters = "#include <stdio.h>\n#include <string.h>\nint main(void)\n{\n    int sign = strcmp(\"c\", \"a\");\n    \
                   printf(\"%d\\n\", sign == 2);\n    return 0;\n}\n";
    let unchecked = "#define NDEBUG\n#include <assert.h>\n#include <stdio.h>\nint main(void)\n{\n    assert(0);\n    printf(\"1\\n\");\n    return 0;\n}\n";
    for (text, stdout, how) in [
        (
            letters,
            "1",
            "it fails in the built program but passes in the interpreter",
        ),
        (
            letters,
            "0",
            "it passes in the built program but fails in the interpreter",
        ),
        (unchecked, "1", "`#define NDEBUG` is not supported"),
        (
            &letters.replace("sign == 2", "sign"),
            "5",
            "it fails in another way in the built program than in the interpreter",
        ),
    ] {
        if cfg!(not(target_env = "gnu")) {
            continue;
        }
        let run = run(text, stdout);
        assert_eq!(run.code, 4, "{}", run.stdout);
        let printed = run.stdout + &run.stderr;
        assert!(printed.contains(how), "{printed}");
    }
    // Both agree that it fails. A fault counts whatever the program does after it.
    for (text, stdout) in [
        (SIZED, "5"),
        (
            "#include <stdio.h>\nint main(void)\n{\n    int t[2] = { 1, 2 }, n = 2147483647;\n    printf(\"%d\\n\", n + t[0] < 0);\n    return 0;\n}\n",
            "1",
        ),
    ] {
        let run = run(text, stdout);
        assert!(
            run.stdout.contains("`t` fails"),
            "{}{}",
            run.stdout,
            run.stderr
        );
    }
    let broken = Subject::new(&[
        ("p.c", SIZED),
        (
            "nopol.toml",
            "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c && false\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"5\\n\"\n",
        ),
    ]);
    let run = broken.nopol(&["c", "faults"]);
    let printed = run.stdout + &run.stderr;
    assert!(printed.contains("`t` fails"), "{printed}");
    let reason = "the build in a working copy failed or did not end in time";
    assert!(printed.contains(reason), "{printed}");
}

#[test]
fn a_header_that_may_be_either_of_two_is_not_guessed() {
    let text = "#include <stdio.h>\n#include \"cfg.h\"\nint main(void)\n{\n    printf(\"%d\\n\", K);\n    return 0;\n}\n";
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -Iinc2 -o p p.c\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p\"\nstdout = \"20\\n\"\n";
    let subject = Subject::new(&[
        ("p.c", text),
        ("inc1/cfg.h", "#define K 10\n"),
        ("inc2/cfg.h", "#define K 20\n"),
        ("nopol.toml", manifest),
    ]);
    let run = subject.nopol(&["c", "faults"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let said = "it is not known whether the build includes `inc1/cfg.h` or `inc2/cfg.h` as `cfg.h`";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

#[test]
fn formulas_are_not_made_of_a_crate_without_the_checks_of_tests() {
    let text = "pub fn f(x: i32) -> i32 { debug_assert!(x < 9); x + 1 }\n#[test]\nfn g() { assert_eq!(f(9), 10); }\n";
    let subject = Subject::lib(text);
    for command in ["faults", "mutate"] {
        let run = subject.nopol(&[command, "--release"]);
        assert_eq!(run.code, 4, "{}", run.stderr);
        assert!(
            run.stderr.contains("`--release` chooses another profile"),
            "{}",
            run.stderr
        );
    }
    let manifest = subject.read("Cargo.toml") + "\n[profile.dev]\ndebug-assertions = false\n";
    std::fs::write(subject.root.join("Cargo.toml"), manifest).unwrap();
    let run = subject.nopol(&["faults"]);
    let said = "Cargo.toml has `debug-assertions = false` in `[profile.dev]`";
    assert!(run.code == 4 && run.stderr.contains(said), "{}", run.stderr);
}

#[test]
fn a_long_loop_is_left_out_if_another_test_fails_and_may_not_end_otherwise() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[1]), s = 0, i;\n    \
                for (i = 0; i < n; i++)\n        s = (s + i) % 7;\n    printf(\"%d\\n\", n > 2 ? s : -1);\n    return argc == 0;\n}\n";
    let tests = |short: &str| {
        format!(
            "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c\"\n\n[[c.test]]\nname = \"long\"\ncommand = \"./p 140000\"\nstdout = \"0\\n\"\n\
             \n[[c.test]]\nname = \"short\"\ncommand = \"./p 2\"\nstdout = \"{short}\\n\"\n"
        )
    };
    let with = |short| Subject::new(&[("p.c", text), ("nopol.toml", &tests(short))]);
    let run = with("1").nopol(&["c", "faults", "--size", "1"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("`short` fails") && !run.stdout.contains("`long` fails"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("p.c:8"), "{}", run.stdout);
    let run = with("-1").nopol(&["c", "faults", "--size", "1"]);
    let said = "`long` may not end: a loop or recursion repeats more than 100000 times";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

#[test]
fn tests_that_formulas_cannot_follow_are_left_out() {
    let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -o p p.c && cc -o r r.c\"\n\n[[c.test]]\nname = \"own\"\ncommand = \"./p\"\nstdout = \"p\\n\"\n\
                    \n[[c.test]]\nname = \"other\"\ncommand = \"./r\"\nstdout = \"r\\n\"\n";
    let prints = |text| {
        format!(
            "#include <stdio.h>\nint main(void)\n{{\n    puts(\"{text}\");\n    return 0;\n}}\n"
        )
    };
    let subject = Subject::new(&[
        ("p.c", &prints("p")),
        ("r.c", &prints("r")),
        ("nopol.toml", manifest),
    ]);
    let run = subject.nopol(&["c", "faults"]);
    assert!(!run.stdout.contains("fails"), "{}", run.stdout);
    assert!(
        run.stdout.contains("the command runs another program"),
        "{}",
        run.stdout
    );

    let text = "#[cfg(test)]\npub fn k() -> i32 { 1 }\n#[cfg(not(test))]\npub fn k() -> i32 { 2 }\n\
                #[test]\n#[cfg_attr(feature = \"slow\", ignore)]\nfn inside() { assert_eq!(k(), 2); }\n";
    let subject = Subject::lib(text);
    let manifest = subject.read("Cargo.toml") + "\n[features]\nslow = []\n";
    std::fs::write(subject.root.join("Cargo.toml"), manifest).unwrap();
    std::fs::create_dir(subject.root.join("tests")).unwrap();
    let name = subject.read("Cargo.toml");
    let (_, name) = name.split_once("name = \"").unwrap();
    let (name, _) = name.split_once('"').unwrap();
    let outside = format!(
        "#[test]\nfn outside() {{ assert_eq!({}::k(), 2); }}\n",
        name.replace('-', "_")
    );
    std::fs::write(subject.root.join("tests/it.rs"), outside).unwrap();
    let run = subject.nopol(&["faults"]);
    assert!(
        run.stdout.contains("`inside` fails") && !run.stdout.contains("`outside` fails"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("without its `cfg(test)`"),
        "{}",
        run.stdout
    );
    let run = subject.nopol(&["faults", "--features", "slow"]);
    assert!(!run.stdout.contains("fails"), "{}", run.stdout);
}

#[test]
fn what_is_no_more_there_or_never_changes_is_not_written_and_not_read() {
    let head = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n";
    let fails = |text: &str, why: &str| {
        let manifest = "[c]\nsources = [\"p.c\"]\nbuild = \"cc -w -o p p.c\"\n\n[[c.test]]\nname = \"t\"\ncommand = \"./p 4\"\nstdout = \"7\\n\"\n";
        let subject = Subject::new(&[("p.c", &format!("{head}{text}")), ("nopol.toml", manifest)]);
        let run = subject.nopol(&["c", "faults", "--size", "1"]);
        assert!(run.stdout.contains(why), "{}{}", run.stdout, run.stderr);
        subject
    };
    fails(
        "int main(void)\n{\n    char *s = \"6\";\n    s[0] = '7';\n    puts(s);\n    return 0;\n}\n",
        "`t` fails: a string literal is written to at p.c:7",
    );
    fails(
        "static int *at(int x) { int y = x; return &y; }\nint main(void)\n{\n    int *p = at(7);\n    printf(\"%d\\n\", *p);\n    return 0;\n}\n",
        "`t` fails: a variable is used after its block or function has ended at p.c:8",
    );
    fails(
        "int main(void)\n{\n    int a[2], b[3] = { 7, 7, 7 };\n\n    memcpy(a, b, sizeof b);\n    printf(\"%d\\n\", a[1]);\n    return 0;\n}\n",
        "`t` fails: an index is out of bounds at p.c:8",
    );
    // Neither is a repair after which that happens.
    let subject = fails(
        "static void up(char *s) { *s = '7'; }\nint main(int argc, char **argv)\n{\n    int n = atoi(argv[1]);\n    char *s = \"6\";\n    \
         if (n >= 5)\n        up(s);\n    puts(s);\n    return 0;\n}\n",
        "`t` fails",
    );
    let run = subject.nopol(&["c", "mutate", "--size", "1"]);
    assert!(!run.stdout.contains("`n >= 4`"), "{}", run.stdout);
    assert_eq!(run.code, 1, "{}", run.stdout);
}

//! The scalars of `nopol_scalar` against rustc and gcc: every operator on the numbers at the ends of every type, and how
//! operators group without parentheses.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use nopol_scalar::arithmetic::{Fault, Total, binary};
use nopol_scalar::{
    ArithOp, BinaryOp, CmpOp, Grammar, Int, IntKind, IntType, LogicalOp, Number, Overflow,
    Precedence,
};

/// Numbers at which something changes, without duplicates.
fn numbers(kind: IntKind) -> Vec<Int> {
    let [least, greatest] = [kind.least::<Int>(), kind.greatest()];
    let one = Int::from_i128(1);
    let within = [
        Some(least),
        least.exact(ArithOp::Add, one),
        greatest.exact(ArithOp::Sub, one),
        Some(greatest),
    ];
    let width = i128::from(kind.bits);
    let small = [-3, -1, 0, 1, 2, 7, width - 1, width].map(Int::from_i128);
    let all = within.into_iter().flatten().chain(small);
    let mut all: Vec<Int> = all
        .filter(|number| *number >= least && *number <= greatest)
        .collect();
    all.sort();
    all.dedup();
    all
}

/// The result, which both ways to keep numbers agree on.
fn computed(op: BinaryOp, overflow: Overflow, kind: IntKind, a: Int, b: Int) -> Total<Int> {
    let (result, fault) = binary(op, overflow, kind, a, b);
    if kind.bits < 128 {
        let [a, b] = [a, b].map(|number| number.to_i128().unwrap());
        let narrow = binary(op, overflow, kind, a, b);
        assert_eq!(
            (result.to_i128(), fault),
            (Some(narrow.0), narrow.1),
            "{a} {op:?} {b}"
        );
    }
    (result, fault)
}

/// Compiles a program with this command and returns what it prints.
fn printed(program: &str, name: &str, compiler: &str, options: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let (source, binary) = (dir.path().join(name), dir.path().join("program"));
    std::fs::write(&source, program).unwrap();
    let mut command = Command::new(compiler);
    let compiled = command.args(options).arg("-o").args([&binary, &source]);
    let compiled = compiled.output().unwrap();
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{messages}");
    let run = Command::new(Path::new(&binary)).output().unwrap();
    assert!(run.status.success(), "{:?}", run.status);
    String::from_utf8(run.stdout).unwrap()
}

fn of_rust(program: &str) -> String {
    let options = [
        "--edition",
        "2021",
        "-C",
        "overflow-checks=on",
        "-C",
        "opt-level=0",
    ];
    printed(program, "program.rs", "rustc", &options)
}

#[test]
fn operators_compute_what_rustc_makes_of_them() {
    let types = IntType::ALL.into_iter().filter(|int| !int.wraps());
    let mut program = String::from(
        "#![allow(warnings)]\nuse std::panic::catch_unwind as caught;\n\
         trait Shown { fn shown(self) -> String; }\n\
         impl Shown for bool { fn shown(self) -> String { u8::from(self).to_string() } }\n\
         macro_rules! shown { ($($t:ty)*) => { $(impl Shown for $t { fn shown(self) -> String { self.to_string() } })* } }\n\
         shown!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);\n\
         fn show<T: Shown>(of: std::thread::Result<T>) { match of { Ok(of) => println!(\"{}\", of.shown()), Err(_) => println!(\"-\") } }\n\
         macro_rules! table { ($v:expr, $($op:tt)*) => { $(for &a in $v { for &b in $v { show(caught(|| a $op b)); } })* } }\n\
         macro_rules! wrapped { ($v:expr, $($name:ident)*) => { $(for &a in $v { for &b in $v { show(caught(|| a.$name(b))); } })* } }\n\
         fn main() { std::panic::set_hook(Box::new(|_| {}));\n",
    );
    let mut expected = Vec::new();
    let wrapping = [
        (BinaryOp::Add, "wrapping_add"),
        (BinaryOp::Sub, "wrapping_sub"),
        (BinaryOp::Mul, "wrapping_mul"),
        (BinaryOp::Div, "wrapping_div"),
        (BinaryOp::Rem, "wrapping_rem"),
    ];
    for ty in types {
        let kind = ty.kind();
        let numbers = numbers(kind);
        let literal = |number: &Int| format!("{number}{}", ty.name());
        let literals: Vec<String> = numbers.iter().map(literal).collect();
        let list = format!("&[{}]", literals.join(", "));
        let tokens = BinaryOp::ALL.map(BinaryOp::token).join(" ");
        let names = wrapping.map(|(_, name)| name).join(" ");
        writeln!(
            program,
            "table!({list}, {tokens}); wrapped!({list}, {names});"
        )
        .unwrap();
        let checked = BinaryOp::ALL.map(|op| match op {
            // Rust lets the highest bits go.
            BinaryOp::Shl => (op, Overflow::Wraps),
            _ => (op, Overflow::Fault),
        });
        let wrapped = wrapping.map(|(op, _)| (op, Overflow::Wraps));
        for (op, overflow) in checked.into_iter().chain(wrapped) {
            for a in &numbers {
                for b in &numbers {
                    let text = match computed(op, overflow, kind, *a, *b) {
                        (result, None) => result.to_string(),
                        // The smallest number divided by -1.
                        (result, Some(Fault::Overflow)) if overflow == Overflow::Wraps => {
                            result.to_string()
                        }
                        (_, Some(_)) => "-".to_owned(),
                    };
                    expected.push((format!("{a} {} {b} of {}", op.token(), ty.name()), text));
                }
            }
        }
    }
    program += "}\n";
    compare(&of_rust(&program), &expected);
}

#[test]
fn operators_compute_what_gcc_makes_of_them() {
    let types = [
        ("int", IntKind::I32),
        ("unsigned", IntKind::U32),
        ("long", IntKind::I64),
        ("unsigned long", IntKind::U64),
    ];
    let mut program = String::from(
        "#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\nstatic sigjmp_buf out;\n\
         static void trapped(int signal) { (void)signal; siglongjmp(out, 1); }\n\
         #define EACH(TOKEN, FORMAT) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { \
         if (sigsetjmp(out, 1)) puts(\"-\"); else printf(FORMAT, v[i] TOKEN v[j]); }\n\
         int main(void) {\n\
         signal(SIGILL, trapped); signal(SIGFPE, trapped); signal(SIGTRAP, trapped);\n",
    );
    let mut expected = Vec::new();
    for (name, kind) in types {
        let numbers = numbers(kind);
        let overflow = match kind.signed {
            true => Overflow::Fault,
            false => Overflow::Wraps,
        };
        let literal = |number: &Int| match *number == kind.least() && kind.signed {
            true => format!("({} - 1)", kind.least::<i128>() + 1),
            false => number.to_string() + if kind.signed { "" } else { "U" },
        };
        let literals: Vec<String> = numbers.iter().map(literal).collect();
        writeln!(
            program,
            "{{ enum {{ N = {} }}; static volatile {name} v[N] = {{ {} }};",
            numbers.len(),
            literals.join(", ")
        )
        .unwrap();
        for op in BinaryOp::ALL {
            let format = match (op.comparison(), name) {
                (Some(_), _) | (_, "int") => "%d",
                (_, "unsigned") => "%u",
                (_, "long") => "%ld",
                _ => "%lu",
            };
            writeln!(program, "EACH({}, \"{format}\\n\")", op.token()).unwrap();
            for a in &numbers {
                for b in &numbers {
                    let text = match computed(op, overflow, kind, *a, *b) {
                        (result, None) => result.to_string(),
                        (_, Some(_)) => "-".to_owned(),
                    };
                    expected.push((format!("{a} {} {b} of {name}", op.token()), text));
                }
            }
        }
        program += "}\n";
    }
    program += "return 0; }\n";
    let options = [
        "-std=gnu11",
        "-O0",
        "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift",
        "-fsanitize-undefined-trap-on-error",
    ];
    compare(&printed(&program, "program.c", "gcc", &options), &expected);
}

fn compare(lines: &str, expected: &[(String, String)]) {
    assert_eq!(lines.lines().count(), expected.len());
    for (line, (what, text)) in lines.lines().zip(expected) {
        assert_eq!(line, text, "{what}");
    }
    // Results and faults both occur.
    let faults = expected.iter().filter(|(_, text)| text == "-").count();
    assert!(faults > 100 && faults < expected.len() / 2, "{faults}");
}

/// A binary operator or a connective.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Logical(LogicalOp),
}

impl Infix {
    fn all() -> impl Iterator<Item = Self> {
        let logical = [LogicalOp::And, LogicalOp::Or].map(Self::Logical);
        BinaryOp::ALL.into_iter().map(Self::Binary).chain(logical)
    }

    fn token(self) -> &'static str {
        match self {
            Self::Binary(op) => op.token(),
            Self::Logical(op) => op.token(),
        }
    }

    fn level(self, grammar: Grammar) -> u8 {
        let precedence = match self {
            Self::Binary(op) => Precedence::of(op),
            Self::Logical(op) => Precedence::of_logical(op),
        };
        precedence.level(grammar)
    }

    /// The result on `int`s, if it is defined.
    fn apply(self, a: i128, b: i128) -> Option<i128> {
        match self {
            Self::Binary(op) => match binary(op, Overflow::Fault, IntKind::I32, a, b) {
                (result, None) => Some(result),
                (_, Some(_)) => None,
            },
            Self::Logical(LogicalOp::And) => Some((a != 0 && b != 0).into()),
            Self::Logical(LogicalOp::Or) => Some((a != 0 || b != 0).into()),
        }
    }
}

#[test]
fn operators_group_as_gcc_groups_them() {
    let mut program = String::from("#include <stdio.h>\nint main(void) {\n");
    let mut expected = Vec::new();
    let mut pairs = 0;
    for first in Infix::all() {
        for second in Infix::all() {
            let mut decides = false;
            for [a, b, c] in [
                [7, 2, 3],
                [1, 6, 4],
                [5, 0, 2],
                [3, 3, 1],
                [12, 10, 9],
                [0, 4, 5],
            ] {
                let left = first.apply(a, b).and_then(|left| second.apply(left, c));
                let right = second.apply(b, c).and_then(|right| first.apply(a, right));
                let groups_right = second.level(Grammar::C) > first.level(Grammar::C);
                let value = if groups_right { right } else { left };
                decides |= left != right;
                if let Some(value) = value {
                    let text = format!("{a} {} {b} {} {c}", first.token(), second.token());
                    writeln!(program, "printf(\"%d\\n\", {text});").unwrap();
                    expected.push((text, value.to_string()));
                }
            }
            pairs += usize::from(decides);
        }
    }
    program += "return 0; }\n";
    let lines = printed(&program, "program.c", "gcc", &["-std=gnu11", "-O0", "-w"]);
    assert_eq!(lines.lines().count(), expected.len());
    for (line, (text, value)) in lines.lines().zip(&expected) {
        assert_eq!(line, value, "{text}");
    }
    // Nearly all pairs have numbers that show how they group.
    assert!(pairs > 280, "{pairs}");
}

#[test]
fn operators_group_as_rustc_groups_them() {
    let traits = [
        ("Add", "add", BinaryOp::Add),
        ("Sub", "sub", BinaryOp::Sub),
        ("Mul", "mul", BinaryOp::Mul),
        ("Div", "div", BinaryOp::Div),
        ("Rem", "rem", BinaryOp::Rem),
        ("BitAnd", "bitand", BinaryOp::And),
        ("BitOr", "bitor", BinaryOp::Or),
        ("BitXor", "bitxor", BinaryOp::Xor),
        ("Shl", "shl", BinaryOp::Shl),
        ("Shr", "shr", BinaryOp::Shr),
    ];
    // Operands that say how they were put together. A comparison gives a bool, so it notes that beside.
    let mut program = String::from(
        "#![allow(warnings)]\nuse std::cell::RefCell;\nuse std::cmp::Ordering;\n\
         thread_local! { static COMPARED: RefCell<[String; 2]> = RefCell::default(); }\n\
         #[derive(Clone)] struct Of(String);\n\
         fn of(text: &str) -> Of { Of(text.to_owned()) }\n\
         trait Shown { fn shown(self, token: &str) -> String; }\n\
         impl Shown for Of { fn shown(self, _: &str) -> String { self.0 } }\n\
         impl Shown for bool { fn shown(self, token: &str) -> String { COMPARED.with_borrow(|[a, b]| format!(\"({a}{token}{b})\")) } }\n\
         fn note(a: &Of, b: &Of) { COMPARED.set([a.0.clone(), b.0.clone()]); }\n\
         impl PartialEq for Of { fn eq(&self, other: &Of) -> bool { note(self, other); true } }\n\
         impl PartialOrd for Of { fn partial_cmp(&self, other: &Of) -> Option<Ordering> { note(self, other); None } }\n",
    );
    for (name, method, op) in traits {
        let token = op.token();
        writeln!(
            program,
            "impl std::ops::{name} for Of {{ type Output = Of; fn {method}(self, b: Of) -> Of {{ Of(format!(\"({{}}{token}{{}})\", self.0, b.0)) }} }}\n\
             impl std::ops::{name}<Of> for bool {{ type Output = Of; fn {method}(self, b: Of) -> Of {{ of(\"left\") }} }}\n\
             impl std::ops::{name}<bool> for Of {{ type Output = Of; fn {method}(self, b: bool) -> Of {{ of(\"right\") }} }}"
        )
        .unwrap();
    }
    program += "fn main() { let (a, b, c) = (of(\"a\"), of(\"b\"), of(\"c\"));\n";
    let mut expected = Vec::new();
    for first in BinaryOp::ALL {
        for second in BinaryOp::ALL {
            let compared = first.comparison().or(second.comparison());
            // Comparisons cannot be chained.
            if first.comparison().is_some() && second.comparison().is_some() {
                continue;
            }
            let (one, other) = (first.token(), second.token());
            let token = compared.map_or("", CmpOp::token);
            writeln!(
                program,
                "{{ let (a, b, c) = (a.clone(), b.clone(), c.clone()); println!(\"{{}}\", (a {one} b {other} c).shown(\"{token}\")); }}"
            )
            .unwrap();
            let level = |op| Precedence::of(op).level(Grammar::Rust);
            expected.push(match level(second) > level(first) {
                true => format!("(a{one}(b{other}c))"),
                false => format!("((a{one}b){other}c)"),
            });
        }
    }
    program += "}\n";
    let printed = of_rust(&program);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines, expected);
}

//! The C runtime, `instrument/c/nopol.h`: what programs that include it leave in their trace files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nopol_expr::Value;
use nopol_process::run::trace::{Counter, Read, Step, Trace};
use nopol_source::SiteIndex;

const SITES: usize = 20;

pub fn header() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instrument/c/nopol.h")
}

fn has(compiler: &str) -> bool {
    Command::new(compiler)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// A program made of C sources that begin with the header, as instrumented files do.
pub struct Program {
    dir: tempfile::TempDir,
}

/// How a run went.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub trace: Trace,
}

impl Program {
    pub fn new(source: &str) -> Self {
        Self::build("cc", &[], &header(), &[source]).unwrap_or_else(|errors| panic!("{errors}"))
    }

    pub fn build(
        compiler: &str,
        flags: &[&str],
        header: &Path,
        sources: &[&str],
    ) -> Result<Self, String> {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(compiler);
        command.current_dir(dir.path()).args(flags);
        for (number, source) in sources.iter().enumerate() {
            let name = format!("part{number}.c");
            let head = format!("#include \"{}\"\n#line 1 \"{name}\"\n", header.display());
            fs::write(dir.path().join(&name), head + source).unwrap();
            command.arg(name);
        }
        let output = command.args(["-pthread", "-o", "program"]).output();
        let output = output.unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.success() && printed.is_empty() {
            true => Ok(Self { dir }),
            false => Err(format!("{compiler} {flags:?}: {printed}")),
        }
    }

    /// Runs it with what is asked of it, such as `CAPTURE=0`.
    pub fn run(&self, asked: &[&str]) -> Ran {
        let traces = self.dir.path().join("traces");
        let _ = fs::remove_dir_all(&traces);
        fs::create_dir(&traces).unwrap();
        let mut command = Command::new(self.dir.path().join("program"));
        command
            .current_dir(&traces)
            .env("NOPOL_TRACE", traces.join("trace"))
            .env("NOPOL_SITES", SITES.to_string())
            .env("NOPOL_LOG", "1000000");
        for pair in asked {
            let (name, value) = pair.split_once('=').unwrap();
            command.env(format!("NOPOL_{name}"), value);
        }
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            trace: Trace::read_dir(&traces, SITES).unwrap(),
        }
    }

    pub fn prints(&self, asked: &[&str]) -> String {
        let ran = self.run(asked);
        assert_eq!(ran.code, Some(0), "{asked:?}");
        ran.stdout.trim().to_string()
    }
}

impl Ran {
    /// The values of the only row of a site, with the types of integers.
    pub fn values(&self, site: u32) -> BTreeMap<String, String> {
        let mut rows = self
            .trace
            .contexts
            .iter()
            .filter(|row| row.site.number() == site);
        let row = rows.next().expect("a row");
        assert!(rows.next().is_none(), "{:?}", self.trace.contexts);
        let values = row.values.iter().map(|(name, value)| {
            let text = match value {
                Value::Int(ty, value) => format!("{value} {}", ty.name()),
                value => value.to_string(),
            };
            (written(name), text)
        });
        values.collect()
    }

    pub fn counter(&self, site: u32) -> [u64; 3] {
        let Counter {
            entered,
            falses,
            trues,
        } = self
            .trace
            .counters
            .get(&SiteIndex::new(site))
            .copied()
            .unwrap_or_default();
        [entered, falses, trues]
    }

    /// Of the rows of a site: outcome, the subject's own outcome, count.
    pub fn rows(&self, site: u32) -> Vec<(bool, Option<bool>, u32)> {
        let rows = self
            .trace
            .contexts
            .iter()
            .filter(|row| row.site.number() == site);
        rows.map(|row| (row.outcome, row.old, row.count)).collect()
    }
}

/// What was read, as an expression of C; a string as a whole in quotes.
fn written(read: &Read) -> String {
    let text = &read.captured;
    match &read.steps[..] {
        [] => text.clone(),
        [Step::Presence] => format!("{text} != 0"),
        [Step::Deref] => format!("*{text}"),
        [Step::StringLength] => format!("strlen({text})"),
        [Step::Contents] => format!("\"{text}\""),
        steps => panic!("{text}: {steps:?}"),
    }
}

pub fn assert_values(values: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    let expected: BTreeMap<String, String> = expected
        .iter()
        .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
        .collect();
    assert_eq!(*values, expected);
}

/// Values of every type, pointers of every kind, strings.
pub const VALUES: &str = r#"
#include <stdio.h>
#include <errno.h>
struct node { int v; struct node *next; char name[8]; const char *label; unsigned bits : 3; int low : 4; };
enum color { RED, GREEN };
enum below { NONE = -1, SOME };
static int twice(int x) { return NOPOL_COND(9, , x > 100) ? 0 : 2 * x; }
int main(int argc, char **argv)
{
    signed char sc = -3; unsigned char uc = 200; short sh = -5; unsigned short us = 6; int i = -7; unsigned u = 4000000000u;
    long l = -9; unsigned long ul = ~0ul; __extension__ long long ll = -11; __extension__ unsigned long long ull = 12;
    float f = 1.5f; double d = 2.5; long double ld = 3.5L;
    __extension__ _Bool b = 1; char c = 'x'; enum color color = GREEN; enum below below = NONE; const int ci = 4; volatile int vi = 5;
    const char *text = "hi\n"; char buf[16] = "buffer"; char *null = 0; int arr[3] = {1, 2, 3}; int grid[2][2] = {{1, 2}, {3, 4}};
    int (*fp)(int) = twice; void *vp = &i; const char *const ctext = "";
    register int reg = 3;
    struct node n = {1, 0, "n", "lab", 5, -2}, *p = &n;
    struct node *bad = (struct node *)8, *wild = (struct node *)0x100000;
    __extension__ _Complex double z = 1;
    int s;
    n.next = &n;
    errno = 77;
    s = NOPOL_COND(0,
        NOPOL_SEE("sc", sc) NOPOL_SEE("uc", uc) NOPOL_SEE("sh", sh) NOPOL_SEE("us", us) NOPOL_SEE("i", i) NOPOL_SEE("u", u)
        NOPOL_SEE("l", l) NOPOL_SEE("ul", ul) NOPOL_SEE("ll", ll) NOPOL_SEE("ull", ull)
        NOPOL_SEE("f", f) NOPOL_SEE("d", d) NOPOL_SEE("ld", ld) NOPOL_SEE("b", b) NOPOL_SEE("c", c)
        NOPOL_SEE("color", color) NOPOL_SEE("below", below) NOPOL_SEE("ci", ci) NOPOL_SEE("vi", vi) NOPOL_SEE("reg", reg) NOPOL_SEE("z", z)
        NOPOL_SEE("n", n) NOPOL_SEE("n.v", n.v) NOPOL_SEE("n.low", n.low) NOPOL_SEE("arr", arr),
        i < 0 ? twice(argc) : 0, argc > 0);
    printf("%d %d\n", s, errno);
    s = NOPOL_COND(1,
        NOPOL_SEE("null", null) NOPOL_SEE("fp", fp) NOPOL_SEE("vp", vp) NOPOL_SEE("argv", argv) NOPOL_SEE("wild", wild)
        NOPOL_FIELD("p->v", p, v) NOPOL_FIELD("p->next", p, next) NOPOL_FIELD("bad->v", bad, v) NOPOL_FIELD("wild->name", wild, name)
        NOPOL_FIELD("p->next->next->v", NOPOL_GET(NOPOL_GET(p, next), next), v)
        NOPOL_FIELD("wild->next->v", NOPOL_GET(wild, next), v)
        NOPOL_BITS("p->low", p, low) NOPOL_BITS("wild->low", wild, low)
        NOPOL_ELEMENT("arr[2]", arr, 2) NOPOL_ELEMENT("arr[3]", arr, 3) NOPOL_ELEMENT("arr[i]", arr, i)
        NOPOL_ELEMENT("arr[u]", arr, u) NOPOL_ELEMENT("grid[1][1]", grid[1], 1) NOPOL_ELEMENT("*null", null, 0) NOPOL_ELEMENT("*wild", wild, 0)
        NOPOL_ELEMENT("*(&i)", &i, 0) NOPOL_ELEMENT("text[1]", text, 1ul)
        NOPOL_VALUE("twice(i)", twice(i)) NOPOL_VALUE("wild->v", wild->v) NOPOL_VALUE("i / 0", i / (vi - 5))
        NOPOL_VALUE("p->next->v", p->next->v) NOPOL_VALUE("p->next->low", p->next->low),
        1);
    printf("%d %d\n", s, errno);
    s = NOPOL_COND(2,
        NOPOL_SEE("text", text) NOPOL_SEE("ctext", ctext) NOPOL_SEE("buf", buf) NOPOL_FIELD("p->name", p, name) NOPOL_FIELD("p->label", p, label),
        0);
    printf("%d %d\n", s, errno);
    return 0;
}
"#;

pub fn check_values(program: &Program) {
    let ran = program.run(&["CAPTURE=0,1,2"]);
    assert_eq!(ran.stdout, "1 77\n1 77\n0 77\n");
    assert_eq!(ran.counter(0), [1, 0, 1]);
    assert_eq!(ran.counter(2), [1, 1, 0]);
    assert_eq!(ran.counter(9), [1, 1, 0]);
    assert_values(
        &ran.values(0),
        &[
            ("sc", "-3 i8"),
            ("uc", "200 u8"),
            ("sh", "-5 i16"),
            ("us", "6 u16"),
            ("i", "-7 i32"),
            ("u", "4000000000 c_uint"),
            ("l", "-9 i64"),
            ("ul", "18446744073709551615 c_ulong"),
            ("ll", "-11 i64"),
            ("ull", "12 c_ulong"),
            ("f", "1.5"),
            ("d", "2.5"),
            ("ld", "3.5"),
            ("b", "true"),
            ("c", "120 i8"),
            ("color", "1 c_uint"),
            ("below", "-1 i32"),
            ("ci", "4 i32"),
            ("vi", "5 i32"),
            ("reg", "3 i32"),
            ("n.v", "1 i32"),
            ("n.low", "-2 i32"),
        ],
    );
    assert_values(
        &ran.values(1),
        &[
            ("null != 0", "false"),
            ("fp != 0", "true"),
            ("vp != 0", "true"),
            ("argv != 0", "true"),
            ("wild != 0", "true"),
            ("p->v", "1 i32"),
            ("p->next != 0", "true"),
            ("p->next->next->v", "1 i32"),
            ("p->low", "-2 i32"),
            ("arr[2]", "3 i32"),
            ("grid[1][1]", "4 i32"),
            ("*(&i)", "-7 i32"),
            ("text[1]", "105 i8"),
            ("twice(i)", "-14 i32"),
            ("p->next->v", "1 i32"),
            ("p->next->low", "-2 i32"),
        ],
    );
    assert_values(
        &ran.values(2),
        &[
            ("text != 0", "true"),
            ("\"text\"", "\"hi\\n\""),
            ("strlen(text)", "3 c_ulong"),
            ("*text", "104 i8"),
            ("ctext != 0", "true"),
            ("\"ctext\"", "\"\""),
            ("strlen(ctext)", "0 c_ulong"),
            ("*ctext", "0 i8"),
            ("\"buf\"", "\"buffer\""),
            ("strlen(buf)", "6 c_ulong"),
            ("*buf", "98 i8"),
            ("\"p->name\"", "\"n\""),
            ("strlen(p->name)", "1 c_ulong"),
            ("*p->name", "110 i8"),
            ("p->label != 0", "true"),
            ("\"p->label\"", "\"lab\""),
            ("strlen(p->label)", "3 c_ulong"),
            ("*p->label", "108 i8"),
        ],
    );
}

#[test]
#[ignore = "make test-full: it takes long"]
fn values_of_every_type_under_every_standard_without_a_warning() {
    let strict = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow"];
    // Of the program itself.
    let own = ["-Werror", "-Wno-unused-value", "-Wno-long-long"];
    let levels = ["-O0", "-O1", "-O2", "-O3"];
    let standards = ["c99", "c11", "c17", "gnu89", "gnu99", "gnu17", "c2x"];
    // There is always a `cc`: without one the test fails.
    let clang = has("clang").then_some("clang");
    for compiler in ["cc"].into_iter().chain(clang) {
        for (number, standard) in standards.iter().enumerate() {
            let standard = format!("-std={standard}");
            let mut flags = vec![standard.as_str(), levels[number % levels.len()]];
            flags.extend(strict.iter().chain(&own));
            let program = Program::build(compiler, &flags, &header(), &[VALUES]);
            check_values(&program.unwrap_or_else(|errors| panic!("{errors}")));
        }
    }
}

/// The compilers that make programs for 32 bits here.
pub fn narrow() -> Vec<&'static str> {
    let links = |compiler: &&str| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("a.c"),
            "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n",
        )
        .unwrap();
        let script = format!("{compiler} -m32 a.c && ./a.out");
        let run = Command::new("sh")
            .args(["-c", &script])
            .current_dir(dir.path())
            .output();
        run.is_ok_and(|output| output.status.success())
    };
    let found: Vec<&str> = ["gcc", "clang"].into_iter().filter(links).collect();
    if found.is_empty() {
        eprintln!("skipped: no compiler here links with -m32 (gcc-multilib)");
    }
    found
}

#[test]
fn a_program_for_32_bits_is_traced() {
    for compiler in narrow() {
        for flags in [&["-m32"][..], &["-m32", "-O2", "-fPIC"]] {
            let mut flags = flags.to_vec();
            flags.push("-w");
            let program = Program::build(compiler, &flags, &header(), &[VALUES]);
            let program = program.unwrap_or_else(|errors| panic!("{errors}"));
            let ran = program.run(&["CAPTURE=0,1,2"]);
            assert_eq!(ran.stdout, "1 77\n1 77\n0 77\n", "{compiler} {flags:?}");
            assert_eq!(ran.counter(0), [1, 0, 1]);
            let values = [ran.values(0), ran.values(1), ran.values(2)];
            for (number, name, value) in [
                (0, "l", "-9 i32"),
                (0, "ul", "4294967295 c_uint"),
                (0, "ll", "-11 i64"),
                (1, "p->next->next->v", "1 i32"),
                (1, "twice(i)", "-14 i32"),
                (2, "\"text\"", "\"hi\\n\""),
                (2, "strlen(text)", "3 c_uint"),
            ] {
                assert_eq!(values[number][name], value, "{compiler} {flags:?}: {name}");
            }
            assert!(!values[1].contains_key("wild->v"), "{values:?}");
            assert_eq!(program.run(&["FORCE=2=t"]).counter(2), [1, 0, 1]);
            let spent = program.run(&["FUEL=2"]);
            assert!(spent.code == Some(86) && spent.trace.out_of_fuel);
        }
    }
}

#[test]
#[ignore = "make test-full: it takes long"]
fn the_assembly_beside_the_header_does_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("nopol.h");
    fs::copy(header(), &copy).unwrap();
    let output = Command::new("cc")
        .args([
            "-O2",
            "-fno-builtin",
            "-fno-tree-loop-distribute-patterns",
            "-fPIC",
            "-g0",
            "-fno-asynchronous-unwind-tables",
        ])
        .args(["-DNOPOL_ASSEMBLE", "-w", "-S", "-x", "c", "-o", "-"])
        .arg(&copy)
        .output()
        .unwrap();
    assert!(output.status.success());
    let assembly: String = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter(|line| {
            let left_out = ["\t.file", "\t.ident", "\t.section\t.note.GNU-stack"];
            !left_out.iter().any(|start| line.starts_with(start))
        })
        .map(|line| line.replace(".L", ".Lnopol") + "\n")
        .collect();
    fs::write(dir.path().join("nopol.h.s"), assembly).unwrap();
    for flags in [
        &["-O0"][..],
        &["-O2", "-flto"],
        &["-fsanitize=address,undefined"],
    ] {
        let other = "int other(int x) { return NOPOL_COND(5, , x); }";
        let program = Program::build("cc", flags, &copy, &[VALUES, other]);
        check_values(&program.unwrap_or_else(|errors| panic!("{errors}")));
    }
}

#[test]
fn without_being_asked_the_program_is_as_it_was() {
    let program = Program::new(VALUES);
    let output = Command::new(program.dir.path().join("program"))
        .env("NOPOL_CAPTURE", "0,1,2")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "1 77\n1 77\n0 77\n"
    );
}

#[test]
fn the_site_entered_last_is_noted_until_the_program_ends_by_itself() {
    let program = Program::new(
        r#"
        #include <stdlib.h>
        static int at(const int *p)
        {
            if (NOPOL_BEGIN(3) 1 NOPOL_THEN(3) NOPOL_END(3))
                return *p;
            return 0;
        }
        int main(void)
        {
            int one = 1;
            const char *how = getenv("NOPOL_HOW");
            if (NOPOL_BEGIN(2) at(&one) NOPOL_THEN(2) NOPOL_END(2))
                one = 2;
            switch (how[0]) {
            case 'c': return at((const int *)8);
            case 'e': exit(7);
            case 'a': abort();
            default: return 0;
            }
        }
        "#,
    );
    for (how, crashes) in [
        ("crash", true),
        ("abort", true),
        ("exit", false),
        ("return", false),
    ] {
        let ran = program.run(&[&format!("HOW={how}")]);
        let site = Some(SiteIndex::new(3));
        let [crashed, ended] = match crashes {
            true => [site, None],
            false => [None, site],
        };
        assert_eq!(ran.trace.last, crashed, "{how}");
        assert_eq!(ran.trace.last_of_ended, ended, "{how}");
    }
}

#[test]
fn long_and_unreadable_strings() {
    let program = Program::new(
        r#"
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    static char longer[300], longest[70000];
    char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *end = page + 4096 - 3;
    const char *latin = "caf\xe9", *inside = page + 4096 - 10;
    memset(longer, 'a', 299), memset(longest, 'a', 69999), memset(page, 'b', 4096);
    mprotect(page + 4096, 4096, PROT_NONE);
    page[4096 - 8] = 0;
    NOPOL_COND(0, NOPOL_SEE("longer", longer) NOPOL_SEE("longest", longest) NOPOL_SEE("end", end) NOPOL_SEE("latin", latin) NOPOL_SEE("inside", inside), 1);
    return 0;
}
"#,
    );
    assert_values(
        &program.run(&["CAPTURE=0"]).values(0),
        &[
            ("strlen(longer)", "299 c_ulong"),
            ("*longer", "97 i8"),
            ("*longest", "97 i8"),
            ("end != 0", "true"),
            ("*end", "98 i8"),
            ("latin != 0", "true"),
            ("strlen(latin)", "4 c_ulong"),
            ("*latin", "99 i8"),
            ("inside != 0", "true"),
            ("strlen(inside)", "2 c_ulong"),
            ("*inside", "98 i8"),
            ("\"inside\"", "\"bb\""),
        ],
    );
}

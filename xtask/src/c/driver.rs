//! Whether two versions of TCAS do the same on a million inputs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::programs::{Run, compile};

/// How many inputs.
const INPUTS: usize = 1_000_000;

/// Calls the program's `main` in a loop, so that a patch in there is met, too. Half of the quantities
/// are from all of their range; the others are where a comparison may turn: at a constant of the program,
/// or at one of the quantities drawn before. A few command lines are too short or too long.
const DRIVER: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf driver_ended;

#define exit(code) longjmp(driver_ended, (code) + 1)
#define main tcas_main
#include "tcas.c"
#undef main
#undef exit

static unsigned long long driver_state = SEEDULL;
static char driver_texts[4096][8];
static char *driver_words[32];
static int driver_argc, driver_round, driver_code;

static unsigned driver_below(unsigned bound)
{
    unsigned long long mixed = driver_state += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return (unsigned)((mixed ^ (mixed >> 31)) >> 33) % bound;
}

static int driver_quantity(int most, const int *drawn, int count)
{
    static const int constants[] = {300, 400, 500, 600, 640, 740};
    int value;
    switch (driver_below(count ? 4 : 3)) {
    case 2:
        value = constants[driver_below(6)] + (int)driver_below(3) - 1;
        break;
    case 3:
        value = drawn[driver_below(count)] + ((int)driver_below(3) - 1) * 100 + (int)driver_below(3) - 1;
        break;
    default:
        value = driver_below(most + 1);
    }
    return value < 0 ? 0 : value;
}

static void driver_draw(void)
{
    int tall[5], word[13], k;
    for (k = 0; k < 5; k++)
        tall[k] = driver_quantity(2000, tall, k);
    word[1] = tall[0];
    word[2] = driver_below(4) > 0;
    word[3] = driver_below(2);
    word[4] = tall[1];
    word[5] = driver_quantity(1300, tall, 0);
    word[6] = tall[2];
    word[7] = driver_below(4);
    word[8] = tall[3];
    word[9] = tall[4];
    word[10] = driver_below(3);
    word[11] = 1 + driver_below(2);
    word[12] = driver_below(2);
    driver_words[0] = "./tcas";
    for (k = 1; k <= 12; k++)
        driver_words[k] = driver_texts[word[k]];
    driver_argc = 13;
    if (driver_below(128) == 0)
        driver_argc = 1 + driver_below(15);
    for (k = 13; k < driver_argc; k++)
        driver_words[k] = driver_texts[1];
    driver_words[driver_argc] = 0;
}

int main(void)
{
    int k;
    for (k = 0; k < 4096; k++)
        sprintf(driver_texts[k], "%d", k);
    for (driver_round = 0; driver_round < ROUNDS; driver_round++) {
        driver_draw();
        driver_code = setjmp(driver_ended);
        if (driver_code == 0)
            driver_code = ((int (*)(int, char **))tcas_main)(driver_argc, driver_words) + 1;
        printf("=%d\n", driver_code - 1);
    }
    return 0;
}
"#;

/// What the program in a file prints, and how it exits, for each of the inputs that the seed stands for;
/// `None` if it breaks off.
///
/// # Errors
/// If it cannot be compiled.
pub fn answers(compiler: &[&str], source: &Path, seed: u64) -> Result<Option<Vec<u8>>> {
    let dir = tempfile::tempdir()?;
    let (file, program) = (dir.path().join("driver.c"), dir.path().join("driver"));
    fs::copy(source, dir.path().join("tcas.c"))
        .with_context(|| format!("cannot copy {}", source.display()))?;
    let text = DRIVER.replace("SEED", &seed.to_string());
    fs::write(&file, text.replace("ROUNDS", &INPUTS.to_string()))?;
    anyhow::ensure!(
        compile(compiler, &file, &program)?,
        "the driver of {} does not compile",
        source.display()
    );
    let run = Run {
        program: &program,
        name: "./driver",
        args: &[],
        stdin: None,
        limit: Duration::from_secs(120),
        most: 1 << 28,
    };
    let ended = run.run()?;
    Ok((ended.code == Some(0)).then_some(ended.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_at_a_boundary_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.c");
        let answers = |usage: &str, condition: &str| {
            let text = format!(
                "#include <stdlib.h>\n#include <stdio.h>\n\
                 main(argc, argv) int argc; char *argv[]; {{\n\
                 if ({usage}) exit(1);\n\
                 int up = atoi(argv[8]), down = atoi(argv[9]);\n\
                 printf(\"%d\\n\", {condition}); exit(0); }}\n"
            );
            fs::write(&file, text).unwrap();
            let answers = super::answers(&["cc", "-w"], &file, 1).unwrap();
            answers.map(|bytes| String::from_utf8(bytes).unwrap())
        };
        let original = answers("argc < 13", "up + 100 > down").unwrap();
        assert!(original.contains("1\n=0\n0\n=0\n") && original.contains("=1\n"));
        assert_eq!(original.matches('=').count(), INPUTS);
        let is_same = |usage, condition| answers(usage, condition).as_ref() == Some(&original);
        assert!(is_same("argc <= 12", "down < up + 100"));
        assert!(!is_same("argc < 13", "up + 100 >= down"));
        assert!(!is_same("argc != 13", "up + 100 > down"));
        assert!(!is_same("argc < 12", "up + 100 > down"));
    }
}

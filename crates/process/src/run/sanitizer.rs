//! What a sanitizer or valgrind reports of a program on its standard error.

/// What valgrind's errors begin with.
const OF_VALGRIND: [&str; 8] = [
    "Invalid ",
    "Conditional jump or move depends on",
    "Use of uninitialised",
    "Syscall param",
    "Source and destination overlap",
    "Mismatched ",
    "Jump to the invalid address",
    "Argument ",
];

/// The sanitizers that name themselves in their reports.
const NAMED: [&str; 4] = [
    "AddressSanitizer",
    "LeakSanitizer",
    "MemorySanitizer",
    "ThreadSanitizer",
];

/// The first report, as a clause: who reports what, without addresses and process numbers, which change from run to run.
pub fn report(printed: &str) -> Option<String> {
    printed.lines().find_map(of_line)
}

fn of_line(line: &str) -> Option<String> {
    if let Some((place, what)) = line.split_once(": runtime error: ") {
        let place = place.rsplit('/').next().unwrap_or(place);
        return Some(format!(
            "UndefinedBehaviorSanitizer reports an error: {place}: {}",
            without_addresses(what)
        ));
    }
    let (process, rest) = match line.strip_prefix("==") {
        Some(rest) => rest.split_once("==")?,
        None => ("", line),
    };
    if !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start();
    let of_valgrind = OF_VALGRIND.iter().any(|start| rest.starts_with(start));
    if !process.is_empty() && of_valgrind {
        return Some(format!("valgrind reports an error: {rest}"));
    }
    let kinds = ["ERROR: ", "WARNING: ", "SUMMARY: "];
    let rest = kinds
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))
        .or_else(|| (!process.is_empty()).then_some(rest))?;
    NAMED.iter().find_map(|name| {
        let what = rest.strip_prefix(name)?;
        let what = what.trim_start_matches([':', ' ']);
        // What follows an address is where else the report looked.
        let what = what.split(" 0x").next().unwrap_or(what);
        let what = what.split(" (p").next().unwrap_or(what);
        let what = what.trim_end_matches(" on address").trim_end_matches(" on");
        Some(format!("{name} reports an error: {what}"))
    })
}

fn without_addresses(text: &str) -> String {
    let words = text.split(' ').filter(|word| !word.starts_with("0x"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_found_among_other_output_and_read_alike_in_each_run() {
        for (printed, wanted) in [
            (
                "hello\n=================\n==71==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020 at pc 0x55 bp 0x7f sp 0x7f\nWRITE of size 4\n",
                "AddressSanitizer reports an error: heap-buffer-overflow",
            ),
            (
                "==71==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x5 bp 0x7 sp 0x7 T0)",
                "AddressSanitizer reports an error: SEGV on unknown address",
            ),
            (
                "==71==ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in thread T0:",
                "AddressSanitizer reports an error: attempting double-free",
            ),
            (
                "/tmp/copy/src/a.c:7:12: runtime error: load of misaligned address 0x7ffd for type 'int', which requires 4 byte alignment",
                "UndefinedBehaviorSanitizer reports an error: a.c:7:12: load of misaligned address for type 'int', which requires 4 byte alignment",
            ),
            (
                "==8==ERROR: LeakSanitizer: detected memory leaks",
                "LeakSanitizer reports an error: detected memory leaks",
            ),
            (
                "==8==LeakSanitizer has encountered a fatal error.",
                "LeakSanitizer reports an error: has encountered a fatal error.",
            ),
            (
                "WARNING: ThreadSanitizer: data race (pid=88)",
                "ThreadSanitizer reports an error: data race",
            ),
            (
                "==9== Memcheck, a memory error detector\n==9== Command: ./a\n==9== \n==9== Invalid write of size 4\n==9==    at 0x10: main (a.c:3)",
                "valgrind reports an error: Invalid write of size 4",
            ),
        ] {
            assert_eq!(report(printed).as_deref(), Some(wanted));
        }
        for printed in [
            "",
            "==x==ERROR: AddressSanitizer: a",
            "error: 0x12",
            "== Invalid ==",
            "Invalid input",
        ] {
            assert_eq!(report(printed), None, "{printed}");
        }
    }
}

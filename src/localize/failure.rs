//! Failure signatures: where and with what message a test failed, to detect whether a forced outcome changed
//! the failure.

/// Where and how a test failed. Empty if it did not panic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureSignature {
    /// Where it panicked.
    pub location: String,
    /// What it said.
    pub message: String,
}

impl FailureSignature {
    /// The signature found in the end of a test's output.
    pub fn of(output: &str) -> Self {
        let mut lines = output
            .lines()
            .skip_while(|line| !line.contains("panicked at"));
        let location = lines.next().unwrap_or_default();
        // The text before "panicked at" may contain a thread number that differs between runs.
        let location = location
            .split_once("panicked at")
            .map_or("", |(_, location)| location);
        let message: Vec<&str> = lines
            .take_while(|line| !line.starts_with("note:"))
            .collect();
        Self {
            location: location.to_owned(),
            message: message.join("\n"),
        }
    }

    /// It in one line, as what follows a test's name: `panics at src/lib.rs:3:5: …`; `None` if it did not panic. For the test
    /// that `--run` makes: the panic of the program, or how it ended.
    pub fn sentence(&self) -> Option<String> {
        let location = self.location.trim().trim_end_matches(':');
        if location.is_empty() {
            return None;
        }
        // The test that `--run` makes, which the user does not have: the program may have panicked.
        let is_run = location.contains("nopol_run.rs:");
        if is_run && let Some(panic) = Self::of(&self.message).sentence() {
            let status = self.message.lines().next().unwrap_or_default();
            return Some(format!("{panic} ({status})"));
        }
        if is_run && let Some((printed, expected)) = self.compared() {
            let text = format!("prints {printed} instead of {expected}");
            return Some(cut(&text));
        }
        // The counts of runs below proptest's counterexample say nothing of the failure.
        let (message, _) = self
            .message
            .split_once("\n\tsuccesses:")
            .unwrap_or((&self.message, ""));
        let lines = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let text = lines.fold(String::new(), |text, line| {
            let separator = match text.is_empty() {
                true => "",
                false
                    if text.ends_with([',', '(', '[', '{'])
                        || line.starts_with([')', ']', '}']) =>
                {
                    " "
                }
                false => ", ",
            };
            text + separator + line
        });
        let text = cut(&text);
        Some(match is_run {
            true => format!("fails: {text}"),
            false => format!("panics at {location}: {text}"),
        })
    }

    /// The two values that an `assert_eq!` found different, as it prints them.
    fn compared(&self) -> Option<(&str, &str)> {
        let message = self.message.trim_start();
        let values = message.strip_prefix("assertion `left == right` failed")?;
        let mut lines = values.lines().map(str::trim_start);
        let left = lines.find_map(|line| line.strip_prefix("left: "))?;
        let right = lines.find_map(|line| line.strip_prefix("right: "))?;
        Some((left, right))
    }
}

/// Characters of a message in a sentence.
const MOST_LETTERS: usize = 300;

/// The beginning of a long text.
fn cut(text: &str) -> String {
    let cut: String = text.chars().take(MOST_LETTERS).collect();
    let more = if cut.len() < text.len() { " …" } else { "" };
    format!("{cut}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_location_and_message_of_a_panic() {
        let output =
            "\nthread 't' (7) panicked at src/lib.rs:3:5:\nassertion failed: a\nnote: run\n";
        let signature = FailureSignature::of(output);
        assert_eq!(signature.location, " src/lib.rs:3:5:");
        assert_eq!(signature.message, "assertion failed: a");
        let sentence = signature.sentence().unwrap();
        assert_eq!(sentence, "panics at src/lib.rs:3:5: assertion failed: a");
        let output = "panicked at src/lib.rs:23:5:\nTest failed: no.\nminimal failing input: a = [\n    1,\n], b = 2\n\tsuccesses: 3\n\tlocal rejects: 0\n";
        let sentence = FailureSignature::of(output).sentence().unwrap();
        let told =
            "panics at src/lib.rs:23:5: Test failed: no., minimal failing input: a = [ 1, ], b = 2";
        assert_eq!(sentence, told);
        let output = "panicked at tests/nopol_run.rs:13:5:\nexit status: 101\n\nthread 'main' (3) panicked at src/main.rs:5:5:\nout of bounds\nnote: run\n";
        let sentence = FailureSignature::of(output).sentence().unwrap();
        assert_eq!(
            sentence,
            "panics at src/main.rs:5:5: out of bounds (exit status: 101)"
        );
        let output = "panicked at tests/nopol_run.rs:13:5:\nexit status: 1\nno file\n";
        let sentence = FailureSignature::of(output).sentence().unwrap();
        assert_eq!(sentence, "fails: exit status: 1, no file");
        let output = "panicked at tests/nopol_run.rs:14:5:\nassertion `left == right` failed\n  left: \"3\\n\"\n right: \"7\\n\"\nnote: run\n";
        let sentence = FailureSignature::of(output).sentence().unwrap();
        assert_eq!(sentence, "prints \"3\\n\" instead of \"7\\n\"");
        assert_eq!(FailureSignature::of("aborted"), FailureSignature::default());
        assert_eq!(FailureSignature::default().sentence(), None);
    }
}

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
        assert_eq!(FailureSignature::of("aborted"), FailureSignature::default());
    }
}

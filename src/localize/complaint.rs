//! What a failing test said last: whether a forced outcome changed it.

/// What a failing test said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    /// Where it panicked.
    pub place: String,
    pub message: String,
}

impl Complaint {
    /// From the end of what the test printed.
    pub fn of(output: &str) -> Self {
        let mut lines = output
            .lines()
            .skip_while(|line| !line.contains("panicked at"));
        let place = lines.next().unwrap_or_default();
        // The thread's name may have a number of its own.
        let place = place
            .split_once("panicked at")
            .map_or("", |(_, place)| place);
        let message: Vec<&str> = lines
            .take_while(|line| !line.starts_with("note:"))
            .collect();
        Self {
            place: place.to_owned(),
            message: message.join("\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_where_and_what_a_test_panicked_with() {
        let output =
            "\nthread 't' (7) panicked at src/lib.rs:3:5:\nassertion failed: a\nnote: run\n";
        let complaint = Complaint::of(output);
        assert_eq!(complaint.place, " src/lib.rs:3:5:");
        assert_eq!(complaint.message, "assertion failed: a");
        assert_eq!(Complaint::of("aborted"), Complaint::default());
    }
}

//! Which tests of a crate the arguments after `--` select, as its test binaries read them.

/// What the arguments ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    names: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    ignored: Ignored,
}

/// What becomes of tests with `#[ignore]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ignored {
    #[default]
    Skipped,
    Included,
    Only,
}

/// Options that say how tests run, or how that is printed.
const IDLE: [&str; 9] = [
    "--nocapture",
    "--no-capture",
    "--show-output",
    "--quiet",
    "-q",
    "--test",
    "--report-time",
    "--shuffle",
    "--force-run-in-process",
];

/// The same with a value.
const IDLE_WITH_VALUE: [&str; 6] = [
    "--test-threads",
    "--color",
    "--format",
    "--logfile",
    "--shuffle-seed",
    "-Z",
];

impl Chosen {
    /// Reads the arguments.
    ///
    /// # Errors
    /// A sentence if one of them is unknown.
    pub fn new(arguments: &[String]) -> Result<Self, String> {
        let mut chosen = Self::default();
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            let (option, mut value) = match argument.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ => (argument, None),
            };
            let mut needs_value = || match value.take().or_else(|| arguments.next()) {
                Some(value) => Ok(value.to_owned()),
                None => Err(format!("`{option}` after `--` needs a value")),
            };
            match option {
                "--skip" => chosen.skipped.push(needs_value()?),
                "--exact" => chosen.is_exact = true,
                "--ignored" => chosen.ignored = Ignored::Only,
                "--include-ignored" => chosen.ignored = Ignored::Included,
                idle if IDLE_WITH_VALUE.contains(&idle) => {
                    needs_value()?;
                }
                idle if IDLE.contains(&idle) => {}
                unknown if unknown.starts_with('-') => {
                    return Err(format!(
                        "`{unknown}` is not allowed after `--`: give names, --exact, --skip, --ignored or \
                         --include-ignored"
                    ));
                }
                name => chosen.names.push(name.to_owned()),
            }
        }
        Ok(chosen)
    }

    /// Why a test is not chosen; `None` if it is.
    pub fn why_not(&self, test: &str, is_ignored: bool) -> Option<&'static str> {
        let fits = |name: &String| match self.is_exact {
            true => test == name,
            false => test.contains(name.as_str()),
        };
        let is_named = self.names.is_empty() || self.names.iter().any(fits);
        if !is_named || self.skipped.iter().any(fits) {
            return Some("the arguments after `--` do not select it");
        }
        match (self.ignored, is_ignored) {
            (Ignored::Skipped, true) => {
                Some("it is marked `#[ignore]`; `-- --include-ignored` includes it")
            }
            (Ignored::Only, false) => Some("it is not marked `#[ignore]`"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Chosen;

    fn chosen(arguments: &str) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let chosen = Chosen::new(&arguments).unwrap();
        let tests = [("a::one", false), ("a::once", false), ("b::slow", true)];
        let tests = tests.into_iter();
        let picked = tests.filter(|(test, is_ignored)| chosen.why_not(test, *is_ignored).is_none());
        picked.map(|(test, _)| test).collect()
    }

    #[test]
    fn names_are_parts_of_paths_unless_they_are_exact() {
        assert_eq!(chosen(""), ["a::one", "a::once"]);
        assert_eq!(chosen("on"), ["a::one", "a::once"]);
        assert_eq!(chosen("--exact a::one on"), ["a::one"]);
        assert_eq!(
            chosen("once nothing --nocapture --test-threads 1"),
            ["a::once"]
        );
        assert_eq!(chosen("--skip once"), ["a::one"]);
        assert_eq!(chosen("--skip=one --color=never"), ["a::once"]);
    }

    #[test]
    fn ignored_tests_are_chosen_if_they_are_asked_for() {
        assert_eq!(chosen("--ignored"), ["b::slow"]);
        assert_eq!(
            chosen("--include-ignored"),
            ["a::one", "a::once", "b::slow"]
        );
        assert_eq!(chosen("slow"), [""; 0]);
    }

    #[test]
    fn what_chooses_nothing_is_refused() {
        let refused = |argument: &str| Chosen::new(&[argument.to_owned()]).unwrap_err();
        assert!(refused("--nosuch").starts_with("`--nosuch` is not allowed after `--`"));
        assert_eq!(refused("--skip"), "`--skip` after `--` needs a value");
    }
}

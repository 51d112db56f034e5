//! Names and calls with opposite meanings.

use crate::words::mentions;

/// Methods of the standard library with opposite results.
const METHODS: [(&str, &str); 10] = [
    ("is_some", "is_none"),
    ("is_ok", "is_err"),
    ("is_some_and", "is_none_or"),
    ("starts_with", "ends_with"),
    ("first", "last"),
    ("front", "back"),
    ("any", "all"),
    ("min", "max"),
    ("floor", "ceil"),
    ("is_lowercase", "is_uppercase"),
];

/// Functions of the C library, each with another one of the same header that is easily taken for it.
const FUNCTIONS: [(&str, &str); 12] = [
    ("isalpha", "isalnum"),
    ("isdigit", "isalnum"),
    ("isxdigit", "isalnum"),
    ("isdigit", "isxdigit"),
    ("isdigit", "isalpha"),
    ("isalpha", "islower"),
    ("isalpha", "isupper"),
    ("islower", "isupper"),
    ("isspace", "isblank"),
    ("isprint", "isgraph"),
    ("tolower", "toupper"),
    ("strchr", "strrchr"),
];

/// Words of names with opposite meanings.
const WORDS: [(&str, &str); 22] = [
    ("left", "right"),
    ("start", "end"),
    ("begin", "end"),
    ("first", "last"),
    ("front", "back"),
    ("head", "tail"),
    ("prev", "next"),
    ("previous", "next"),
    ("min", "max"),
    ("low", "high"),
    ("lower", "upper"),
    ("lo", "hi"),
    ("src", "dst"),
    ("source", "target"),
    ("lhs", "rhs"),
    ("old", "new"),
    ("width", "height"),
    ("row", "col"),
    ("open", "close"),
    ("before", "after"),
    ("inner", "outer"),
    ("len", "capacity"),
];

/// The call with the opposite result, such as `is_none` for `is_some`.
pub fn opposite_call(call: &str) -> Option<String> {
    let pairs = [(".is_some()", ".is_none()"), (".is_ok()", ".is_err()")];
    let both = pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let mut ends = both.filter_map(|(from, to)| Some(format!("{}{to}", call.strip_suffix(from)?)));
    ends.next()
}

/// Whether two names are methods of the standard library with opposite results.
pub fn are_opposite(a: &str, b: &str) -> bool {
    METHODS.contains(&(a, b)) || METHODS.contains(&(b, a))
}

/// Names with the opposite meaning: methods of the standard library, and names that occur in the text `occur_in`; of a
/// function of the C library, those for which it is easily taken.
pub(super) fn opposites(name: &str, occur_in: &str) -> Vec<String> {
    let other = |pairs: &[(&str, &str)], word: &str| -> Vec<String> {
        let both = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        let of_it = both.filter(|(from, _)| *from == word);
        of_it.map(|(_, to)| to.to_owned()).collect()
    };
    let mut found = other(&METHODS, name);
    found.extend(other(&FUNCTIONS, name));
    let parts: Vec<&str> = name.split('_').collect();
    for (nth, part) in parts.iter().enumerate() {
        for to in other(&WORDS, part) {
            let mut parts = parts.clone();
            parts[nth] = &to;
            let new = parts.join("_");
            if !found.contains(&new) && mentions(occur_in, &new) {
                found.push(new);
            }
        }
    }
    found
}

//! Names of the standard library, by what they say of types.

/// Types with a length.
pub(super) const SIZED: [&str; 14] = [
    "Vec",
    "VecDeque",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "IndexMap",
    "IndexSet",
    "FxHashMap",
    "FxHashSet",
    "SmallVec",
    "ThinVec",
    "ArrayVec",
    "Bytes",
];
/// Types that are what they contain.
pub(super) const TRANSPARENT: [&str; 7] = ["Box", "Rc", "Arc", "Cow", "RefCell", "Cell", "Mutex"];
/// Methods of the standard library that conditions call.
pub(super) const STANDARD: [&str; 34] = [
    "len",
    "count",
    "is_empty",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "contains",
    "contains_key",
    "starts_with",
    "ends_with",
    "eq_ignore_ascii_case",
    "is_ascii",
    "is_ascii_digit",
    "is_ascii_alphabetic",
    "is_ascii_alphanumeric",
    "is_ascii_uppercase",
    "is_ascii_lowercase",
    "is_ascii_punctuation",
    "is_ascii_whitespace",
    "is_alphabetic",
    "is_alphanumeric",
    "is_numeric",
    "is_whitespace",
    "is_uppercase",
    "is_lowercase",
    "is_nan",
    "is_finite",
    "is_infinite",
    "is_char_boundary",
    "get",
    "first",
    "last",
    "Some",
];

/// Those of texts.
pub(super) const TEXT: [&str; 6] = [
    "len",
    "is_empty",
    "contains",
    "starts_with",
    "ends_with",
    "is_char_boundary",
];

/// Methods that answer yes or no, by what their names begin with.
pub(super) const QUESTIONS: [&str; 14] = [
    "is_",
    "has_",
    "can_",
    "should_",
    "contains",
    "starts_with",
    "ends_with",
    "any",
    "all",
    "eq",
    "matches",
    "needs_",
    "supports_",
    "intersects",
];

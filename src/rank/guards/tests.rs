//! Guards and what they protect, in both languages.

use super::*;

fn parse(language: Language, text: &str) -> Node {
    language.parse(text).unwrap()
}

fn misfits(language: Language, condition: &str, code: &str, reaches: bool) -> usize {
    let guards = Guards {
        language,
        checks_differences: true,
    };
    guards.misfits(&parse(language, condition), code, reaches, &|_| false)
}

#[test]
fn a_guard_demands_exactly_what_the_access_needs() {
    for (right, wrong) in [
        ("i > 0 && v[i - 1] == b'['", "i > 1 && v[i - 1] == b'['"),
        ("i >= 1 && v[i - 1] == 2", "i >= 2 && v[i - 1] == 2"),
        ("i != 0 && v[i - 1] == 2", "i != 1 && v[i - 1] == 2"),
        ("i > 1 && v[i - 2] < v[i]", "i > 0 && v[i - 2] < v[i]"),
        (
            "i >= 2 && v[i - 2] < v[i - 1]",
            "i >= 1 && v[i - 2] < v[i - 1]",
        ),
        ("i < v.len() && v[i] == 2", "i != v.len() && v[i] == 2"),
        ("v.len() > i && v[i] == 2", "v.len() > i + 1 && v[i] == 2"),
        (
            "i + 1 < v.len() && v[i] == v[i + 1]",
            "i < v.len() && v[i] == v[i + 1]",
        ),
        ("!v.is_empty() && v[0] == 2", "v.len() > 1 && v[0] == 2"),
        (
            "v.len() > 0 && v[v.len() - 1] == 2",
            "v.len() > 1 && v[v.len() - 1] == 2",
        ),
        ("n != 0 && m / n > 2", "n > 1 && m / n > 2"),
        ("a >= b && a - b > 2", "a > b && a - b > 2"),
        ("a <= b && s[a..b] == t", "a < b && s[a..b] == t"),
        ("i == 0 || v[i - 1] == 2", "i <= 1 || v[i - 1] == 2"),
        (
            "self.at > 0 && self.all[self.at - 1]",
            "self.at > 1 && self.all[self.at - 1]",
        ),
    ] {
        let rust = |text| misfits(Language::Rust, text, "", true);
        assert_eq!(rust(right), 0, "{right}");
        assert_eq!(rust(wrong), 1, "{wrong}");
    }
    for (right, wrong) in [
        ("i > 0 && v[i - 1] == '['", "i > 1 && v[i - 1] == '['"),
        ("i < n && v[i] == 2", "i <= n && v[i] == 2"),
        ("i + 1 < n && v[i] == v[i + 1]", "i < n && v[i] == v[i + 1]"),
        ("n && m % n == 0", "n > 1 && m % n == 0"),
    ] {
        let c = |text| misfits(Language::C, text, "", true);
        assert_eq!(c(right), 0, "{right}");
        assert_eq!(c(wrong), 1, "{wrong}");
    }
}

#[test]
fn a_clause_about_something_else_is_no_guard() {
    for condition in [
        "n > 1 && v[i - 1] == 2",
        "i > 5 && w.contains(i)",
        "i > 1 && v[i] == 2",
        "v.len() > 2 || v[i] == 2",
        "i > 1 && c == '['",
    ] {
        assert_eq!(
            misfits(Language::Rust, condition, "", true),
            0,
            "{condition}"
        );
    }
}

#[test]
fn code_after_a_condition_is_protected_as_well() {
    let rust = |condition, code, reaches| misfits(Language::Rust, condition, code, reaches);
    // First for the statement under a condition, then for one after an early exit.
    assert_eq!(rust("i > 0", "x = v[i - 1];", true), 0);
    assert_eq!(rust("i > 1", "x = v[i - 1];", true), 1);
    assert_eq!(rust("i == 0", "x = v[i - 1];", false), 0);
    assert_eq!(rust("i < 2", "x = v[i - 1];", false), 1);
    assert_eq!(rust("i < 2 && a", "x = v[i - 1];", false), 0);
    // Comments and strings need nothing.
    assert_eq!(rust("i > 1", "x = \"v[i - 1]\"; // v[i - 1]", true), 0);
}

#[test]
fn a_guard_that_demands_exactly_what_is_needed_is_recognized() {
    let guards = Guards {
        language: Language::Rust,
        checks_differences: true,
    };
    let exact = |condition, code, reaches| {
        guards.has_exact(&parse(Language::Rust, condition), code, reaches, &|_| false)
    };
    let code = "self.all[from] -= amount; self.all[to] += amount;";
    assert!(exact("self.all[from] < amount", code, false));
    assert!(exact("amount <= self.all[from]", code, true));
    assert!(exact("from >= self.all.len()", code, false));
    assert!(exact("n == 0", "at = n - 1;", false));
    for other in [
        "from > 0",
        "self.all[to] < amount",
        "self.all[from] <= amount",
    ] {
        assert!(!exact(other, code, false), "{other}");
    }
    assert!(!exact("self.all[from] < amount", code, true));
    // A new clause that only another new clause needs.
    assert!(!exact("x.is_none() || x.unwrap() > 4", "f();", false));
}

#[test]
fn a_guard_is_recognized_by_the_code_it_protects() {
    let protects = |language: Language, clause: &str, outcome: bool, code: &str| {
        let guards = Guards {
            language,
            checks_differences: false,
        };
        guards.protects(&parse(language, clause), outcome, code)
    };
    for (clause, outcome, code) in [
        ("end != 0", true, "s[end - 1] == '.'"),
        ("end > 0", true, "s[end - 1] == '.'"),
        ("i >= 0", true, "s[i] == '.'"),
        ("i < n", true, "s[i] == '.'"),
        ("i >= n", false, "s[i] == '.'"),
        ("p", true, "p->value > 2"),
        ("!p", false, "p->value > 2"),
        ("p != NULL", true, "*p == 2"),
        ("p->next != NULL", true, "p->next->value == 2"),
        ("d != 0", true, "n / d > 2"),
    ] {
        assert!(protects(Language::C, clause, outcome, code), "{clause}");
    }
    for (clause, outcome, code) in [
        ("s[end - 1] == '.'", true, "end != 0"),
        ("i < n", false, "s[i] == '.'"),
        ("p", true, "q->value > 2"),
        ("n", true, "n * 2 > 3"),
        ("x == 3", true, "s[x] == '/'"),
    ] {
        assert!(!protects(Language::C, clause, outcome, code), "{clause}");
    }
    let rust = |clause, code| protects(Language::Rust, clause, true, code);
    assert!(rust("x.is_some()", "x.unwrap() > 2"));
    assert!(rust("!v.is_empty()", "v[0] > 2"));
    assert!(!rust("v.is_empty()", "v[0] > 2"));
}

//! The borrow checker's errors. They depend on where something stands, not only on what it says: a capture that the borrow
//! checker refuses at one place may be fine elsewhere in the function.

/// Whether an error with this code is the borrow checker's.
pub(super) fn is_borrow_check(code: &str) -> bool {
    const OTHERS: [&str; 11] = [
        "E0373", "E0507", "E0509", "E0510", "E0515", "E0521", "E0594", "E0596", "E0597", "E0713",
        "E0716",
    ];
    is_flow(code) || OTHERS.contains(&code)
}

/// Whether what an earlier statement did to a variable is against using it.
pub(super) fn is_flow(code: &str) -> bool {
    matches!(code, "E0381" | "E0382" | "E0384") || is_collision(code)
}

/// Whether a variable is used while it is borrowed otherwise.
pub(super) fn is_collision(code: &str) -> bool {
    const COLLISIONS: [&str; 8] = [
        "E0499", "E0500", "E0501", "E0502", "E0503", "E0505", "E0506", "E0524",
    ];
    COLLISIONS.contains(&code)
}

//! The macros spliced into the subject. Their expansion must compile in any crate. It uses full paths, puts no
//! closure around the subject's code (so that `?`, `return`, `break` and `.await` keep working), and keeps
//! nothing alive across the condition that is not `Send`.

/// A condition site: `cond!(ID, [SEE, …], COND)` has the value of `COND`, or the forced one.
///
/// The snapshot is taken after `COND` is evaluated. If `COND` has side effects, a new condition can only come
/// after it; if it has none, the order makes no difference. There are thousands of these in a build, so the
/// expansions are as small as they can be.
#[macro_export]
macro_rules! cond {
    ($id:literal, [], true) => {
        $crate::constant($id, true)
    };
    ($id:literal, [], false) => {
        $crate::constant($id, false)
    };
    ($id:literal, [], $cond:expr) => {
        match $crate::ask($id) {
            ask => ask.settle(ask.is_blind() || $cond),
        }
    };
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let ask = $crate::ask($id);
        let value: bool = ask.is_blind() || $cond;
        ask.settle_at(value, $crate::snapshot!($id, [$($see),+]))
    }};
}

/// A condition site whose condition is always evaluated, because it initializes or moves variables that later
/// code relies on.
#[macro_export]
macro_rules! cond_eager {
    ($id:literal, [], $cond:expr) => {
        match $crate::ask($id) {
            ask => ask.settle_eager($cond, $crate::Snapshot::NONE),
        }
    };
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let ask = $crate::ask($id);
        let value: bool = $cond;
        ask.settle_eager(value, $crate::snapshot!($id, [$($see),+]))
    }};
}

/// The site of an expression that is not a condition: `value!(ID, EXPR)` has its value, and the evaluation is counted.
#[macro_export]
macro_rules! value {
    ($id:literal, $value:expr) => {
        match $crate::constant($id, true) {
            _ => $value,
        }
    };
}

/// Whether the plan of this process names any site in a range of consecutive insertion points. If it names
/// none, these sites change nothing, and the visit is counted for the first only.
#[macro_export]
macro_rules! here {
    ($first:literal, $last:literal) => {
        $crate::here($first, $last)
    };
}

/// A condition site that directly follows another one, `LEADER`, and shares its snapshot.
#[macro_export]
macro_rules! cond_again {
    ($id:literal, $leader:literal, $cond:expr) => {{
        let ask = $crate::ask($id);
        let value: bool = ask.is_blind() || $cond;
        ask.settle_at(value, $crate::again($id, $leader))
    }};
}

/// A snapshot of the values visible here, if this evaluation is recorded.
#[doc(hidden)]
#[macro_export]
macro_rules! snapshot {
    ($id:literal, [$($see:expr),+]) => {
        if $crate::wants($id) {
            $crate::ways!();
            $crate::open();
            $($see;)+
            $crate::close($id)
        } else {
            $crate::Snapshot::NONE
        }
    };
}

/// A statement site: `if keep!(ID, [SEE, …]) { STATEMENT }`.
#[macro_export]
macro_rules! keep {
    ($id:literal, [$($see:expr),* $(,)?]) => {
        $crate::cond!($id, [$($see),*], true)
    };
}

/// Every candidate of a site behind a run-time switch; the old condition if none is chosen.
#[macro_export]
macro_rules! select {
    ($id:literal, $old:expr, [$($number:literal => $candidate:expr),* $(,)?]) => {
        match $crate::selected($id) {
            $($number => $candidate,)*
            _ => $old,
        }
    };
}

/// The ways in which [`see!`] reads a value. In scope once for all captures of a place: each import costs the
/// compiler more than a capture does.
#[doc(hidden)]
#[macro_export]
macro_rules! ways {
    () => {
        #[allow(unused_imports)]
        use $crate::ladder::{ViaAny as _, ViaObserve as _, ViaShape as _};
    };
}

/// Captures the value of a variable or field, by the best probe for its type.
#[macro_export]
macro_rules! see {
    ($place:expr) => {
        (&&&$crate::Probe(&$place)).root(stringify!($place))
    };
}

/// Captures the value of a variable or field by its dynamic type only, where type inference cannot resolve
/// [`see!`].
#[macro_export]
macro_rules! see_any {
    ($place:expr) => {
        $crate::variable(&$place, stringify!($place))
    };
}

/// Captures the value of an expression. The closure must be `Fn`, which serves as the purity oracle: an
/// expression that changes a captured variable does not compile here.
#[macro_export]
macro_rules! see_value {
    ($text:literal, $value:expr) => {
        $crate::value($text, &|path| (&&&$crate::Probe(&$value)).see(path))
    };
}

/// Captures an element, such as `v[i]`, which may panic when read.
#[macro_export]
macro_rules! see_place {
    ($text:literal, $place:expr) => {
        $crate::place($text, &|path| (&&&$crate::Probe(&&$place)).see(path))
    };
}

/// In an `Observe` impl: captures a field of the value.
#[macro_export]
macro_rules! see_field {
    ($path:expr, $name:literal, $field:expr) => {
        $crate::field($path, $name, &|path| (&&&$crate::Probe(&$field)).see(path))
    };
}

/// In an `Observe` impl: captures what a method of the value returns.
#[macro_export]
macro_rules! see_method {
    ($path:expr, $name:literal, $call:expr) => {
        $crate::method($path, $name, &|path| (&&&$crate::Probe(&$call)).see(path))
    };
}

/// Compiles only if evaluating the expression changes no captured variable; never evaluates it.
#[macro_export]
macro_rules! pure {
    ($value:expr) => {
        if false {
            $crate::pure(&|| $value)
        }
    };
}

/// The first statement of every loop body: burns fuel for the iteration.
#[macro_export]
macro_rules! tick {
    () => {
        $crate::tick()
    };
}

//! The macros spliced into the subject. Their expansion must compile in any crate: full paths,
//! no closures around the subject's code (so that `?`, `return`, `break` and `.await` keep
//! working), nothing that is not `Send` alive across the condition.

/// A condition site: `cond!(ID, [SEE, …], COND)` has the value of `COND`, or the forced one.
#[macro_export]
macro_rules! cond {
    ($id:literal, [], $cond:expr) => {
        match $crate::ask($id) {
            ask if ask.is_blind() => ask.skip($crate::Snapshot::NONE),
            ask => ask.settle($cond, $crate::Snapshot::NONE),
        }
    };
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let snapshot = if $crate::wants($id) {
            $crate::open();
            $($see;)+
            $crate::close()
        } else {
            $crate::Snapshot::NONE
        };
        match $crate::ask($id) {
            ask if ask.is_blind() => ask.skip(snapshot),
            ask => ask.settle($cond, snapshot),
        }
    }};
}

/// A condition site whose condition is always evaluated, for conditions that initialize or move
/// what the code after them relies on.
#[macro_export]
macro_rules! cond_eager {
    ($id:literal, [], $cond:expr) => {{
        let ask = $crate::ask($id);
        ask.settle($cond, $crate::Snapshot::NONE)
    }};
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let snapshot = if $crate::wants($id) {
            $crate::open();
            $($see;)+
            $crate::close()
        } else {
            $crate::Snapshot::NONE
        };
        let ask = $crate::ask($id);
        ask.settle($cond, snapshot)
    }};
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

/// Captures the value of a place, by the best probe its type has.
#[macro_export]
macro_rules! see {
    ($place:expr) => {
        $crate::see!($place, &$crate::Path::root(stringify!($place)))
    };
    ($place:expr, $path:expr) => {{
        #[allow(unused_imports)]
        use $crate::ladder::{ViaAny as _, ViaObserve as _, ViaShape as _};
        (&&&$crate::Probe(&$place)).see($path)
    }};
}

/// Captures the value of a place by its dynamic type only, where inference leaves [`see!`] open.
#[macro_export]
macro_rules! see_any {
    ($place:expr) => {{
        use $crate::ladder::ViaAny as _;
        $crate::Probe(&$place).see(&$crate::Path::root(stringify!($place)))
    }};
}

/// Captures the value of an expression. That the closure must be `Fn` is the purity oracle: an
/// expression that changes what it captures does not compile here.
#[macro_export]
macro_rules! see_value {
    ($text:literal, $value:expr) => {
        if let Some(value) = $crate::call(|| $value) {
            $crate::see!(value, &$crate::Path::root($text))
        }
    };
}

/// Captures a place whose reading may panic, such as `v[i]`.
#[macro_export]
macro_rules! see_place {
    ($text:literal, $place:expr) => {
        if let Some(value) = $crate::call(|| &$place) {
            $crate::see!(value, &$crate::Path::behind($text))
        }
    };
}

/// Compiles only if evaluating the expression changes nothing it can see; never evaluates it.
#[macro_export]
macro_rules! pure {
    ($value:expr) => {
        if false {
            let _ = $crate::call(|| $value);
        }
    };
}

/// The first statement of every loop body: pays for the iteration.
#[macro_export]
macro_rules! tick {
    () => {
        $crate::tick()
    };
}

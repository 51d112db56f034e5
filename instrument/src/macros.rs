//! The macros spliced into the subject. Their expansion must compile in any crate: full paths,
//! no closures around the subject's code (so that `?`, `return`, `break` and `.await` keep
//! working), nothing that is not `Send` alive across the condition.

/// A condition site: `cond!(ID, [SEE, …], COND)` has the value of `COND`, or the forced one.
///
/// The snapshot is taken after `COND` was evaluated. Where that has effects, a new condition can
/// only follow it; where it has none, it makes no difference.
#[macro_export]
macro_rules! cond {
    ($id:literal, [], $cond:expr) => {
        match $crate::ask($id) {
            ask if ask.is_blind() => ask.settle(None, $crate::Snapshot::NONE),
            ask => ask.settle(Some($cond), $crate::Snapshot::NONE),
        }
    };
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let ask = $crate::ask($id);
        let value = if ask.is_blind() { None } else { Some::<bool>($cond) };
        let snapshot = $crate::snapshot!($id, [$($see),+]);
        ask.settle(value, snapshot)
    }};
}

/// A condition site whose condition is always evaluated, for conditions that initialize or move
/// what the code after them relies on.
#[macro_export]
macro_rules! cond_eager {
    ($id:literal, [], $cond:expr) => {{
        let ask = $crate::ask($id);
        ask.settle(Some($cond), $crate::Snapshot::NONE)
    }};
    ($id:literal, [$($see:expr),+ $(,)?], $cond:expr) => {{
        let ask = $crate::ask($id);
        let value = Some::<bool>($cond);
        let snapshot = $crate::snapshot!($id, [$($see),+]);
        ask.settle(value, snapshot)
    }};
}

/// Whether any of the sites in a range, which stand one behind the other here and change nothing as
/// long as nothing is asked of them, has something to do. The visit is counted for the first.
#[macro_export]
macro_rules! here {
    ($first:literal, $last:literal) => {
        $crate::here($first, $last)
    };
}

/// A condition site right behind another one, `LEADER`, whose snapshot is also its own.
#[macro_export]
macro_rules! cond_again {
    ($id:literal, $leader:literal, $cond:expr) => {{
        let ask = $crate::ask($id);
        let value = if ask.is_blind() {
            None
        } else {
            Some::<bool>($cond)
        };
        ask.settle(value, $crate::again($id, $leader))
    }};
}

/// The values visible here, if they are wanted.
#[doc(hidden)]
#[macro_export]
macro_rules! snapshot {
    ($id:literal, [$($see:expr),+]) => {
        if $crate::wants($id) {
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

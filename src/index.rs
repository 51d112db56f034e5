//! Typed indices: one type per kind of item, so that the compiler rejects mix-ups. Collections indexed by
//! one of them are [`TiVec`](typed_index_collections::TiVec)s.

use std::fmt;

/// Defines a 32-bit index.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The index with this number.
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number of the index.
            pub const fn number(self) -> u32 {
                self.0
            }
        }

        impl From<usize> for $name {
            /// # Panics
            /// If the number does not fit in 32 bits, which no subject reaches.
            fn from(number: usize) -> Self {
                match u32::try_from(number) {
                    Ok(number) => Self(number),
                    Err(_) => panic!("{number} does not fit a {}", stringify!($name)),
                }
            }
        }

        impl From<$name> for usize {
            fn from(index: $name) -> Self {
                index.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index! {
    /// A file of the subject, in [`Sources::files`](crate::source::Sources::files).
    FileIndex
}

index! {
    /// A function of the subject, in [`Sources::functions`](crate::source::Sources::functions).
    FunctionIndex
}

index! {
    /// A site, in [`Sources::sites`](crate::source::Sources::sites) and in traces.
    SiteIndex
}

index! {
    /// A test, in [`Suite::tests`](crate::run::suite::Suite::tests).
    TestIndex
}

index! {
    /// A term of a pool, in [`Pool::terms`](crate::spec::Pool::terms).
    TermId
}

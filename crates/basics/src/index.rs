//! Typed indices, so that an index of one collection cannot be used with another. The indexed collections are
//! [`TiVec`](typed_index_collections::TiVec)s.

/// Defines a 32-bit index type.
#[macro_export]
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
            /// If the number does not fit into 32 bits, which happens for no subject.
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

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index! {
    /// A site of the subject: in the sources and in traces.
    SiteIndex
}

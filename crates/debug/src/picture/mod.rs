//! Pictures of memory graphs.
//!
//! The graph is read once (`shape`, with the rows of its boxes in `arrays`), compared with an older one (`changes`), and then drawn for a terminal
//! ([`draw`] and [`beside()`]), as SVG ([`svg()`]) or in words ([`words()`]). Where a state comes from is not a concern of
//! these modules, and they read and write nothing: each gives back a string.
//!
//! All of them are deterministic: equal states give equal pictures.

mod arrays;
mod arrow;
mod beside;
mod block;
mod card;
mod changes;
#[cfg(test)]
mod comparisons;
mod lanes;
mod layout;
mod list;
mod paint;
mod place;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
mod shape;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod words;

pub use arrays::array;
pub use beside::beside;
pub use svg::svg;
pub use text::draw;
pub use words::words;

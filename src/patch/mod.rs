//! The text of a patch: the rendered expression, the edit and the diff. Knows neither processes nor how the
//! expression was found.

pub mod comments;
pub mod edit;
pub mod render;
pub mod words;

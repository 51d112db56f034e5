//! The text of a patch: the rendered expression, the edit and the diff. It knows neither processes nor how an
//! expression was found.

pub mod comments;
pub mod edit;
pub mod render;
pub mod words;

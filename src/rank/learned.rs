//! The weights in use.

use super::features::Feature;
use super::model::Learned;

/// For Rust.
pub const RUST: Learned = Learned {
    weights: &[(Feature::Cost, -1.0)],
    calibration: (1.0, 0.0),
};

/// For C.
pub const C: Learned = Learned {
    weights: &[(Feature::Cost, -1.0)],
    calibration: (1.0, 0.0),
};

//! x
pub mod engines;
pub mod indel;
pub mod tally;

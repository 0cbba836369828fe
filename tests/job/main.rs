//! The job over many machines.

mod hybrid_job;
mod scale;
mod window_job;

#[path = "../common/mod.rs"]
mod common;

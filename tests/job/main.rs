//! The job over many machines.

mod hybrid_job;
mod scale;

#[path = "../common/mod.rs"]
mod common;

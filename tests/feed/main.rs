//! Feeds, signals, crashes, damage and hostile inputs: what happens while the program runs.

mod answered;
mod clients;
mod crash;
mod feeds;
mod followed;
mod fuzz;
mod hostile;
mod metrics;
mod recount;
mod repaired;
mod rude;
mod served;
mod service;
mod state;
mod stream;

#[path = "../common/mod.rs"]
mod common;

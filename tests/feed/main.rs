//! Feeds, signals, crashes, damage and enemies: what goes on while the program runs.

mod clients;
mod crash;
mod feeds;
mod fuzz;
mod hostile;
mod metrics;
mod recount;
mod rude;
mod repaired;
mod served;
mod service;
mod state;
mod stream;

#[path = "../common/mod.rs"]
mod common;

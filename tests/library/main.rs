//! Tests of the library and of the layout of its code.

mod additions;
mod corpus;
mod ends;
mod events;
mod facts;
mod families;
mod house;
mod imports;
mod inside;
mod licences;
mod opposites;
mod overlap;
mod promises;
mod references;
mod retold;
mod rule;
mod signatures;
mod titles;

#[path = "../common/mod.rs"]
mod common;

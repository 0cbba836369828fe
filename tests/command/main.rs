//! Each command over whole files: what goes in, what comes out.

mod against;
mod arrow;
mod chinese;
mod clusters;
mod compression;
mod config;
mod encoding;
mod evaluate;
mod evaluate_page;
mod evaluate_tables;
mod evaluate_truth;
mod explain;
mod explain_file;
mod fields;
mod files;
mod formats;
mod input;
mod keep;
mod methods;
mod named_files;
mod output;
mod overview;
mod paper;
mod parquet;
mod parquet_refused;
mod plain_words;
mod readme;
mod represent;
mod reproduce;
mod same_output;
mod scope;
mod screen;
mod tune;
mod window;

#[path = "../common/mod.rs"]
mod common;

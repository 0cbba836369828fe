//! `quchong decide`: which messages are dropped.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use quchong::pipeline::lines::MAX_LINE;
use quchong::pipeline::source::{Format, Source};
use quchong::scale::decide::{decide, read};

use super::inputs;

/// Decide from pairs which messages are dropped, and what each of them repeats
///
/// Reads pairs as `quchong edges` writes them, in any order, all of them into memory (24 bytes each). Writes
/// `{"pos":17,"of":3,"distance":4}` for each message that is dropped, by rising position: `of` is the earliest kept message that
/// it is near to. What is not named is kept.
#[derive(clap::Args)]
pub struct Args {
    /// Files to read; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let edges = read(Source::new(inputs(&args.files).0, Format::Jsonl, MAX_LINE)?)?;
    let pairs = edges.len();
    let repeats = decide(edges);
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    repeats.iter().try_for_each(|repeat| writeln!(out, "{repeat}")).and_then(|()| out.flush()).context("<stdout>")?;
    tracing::info!("{pairs} pairs, {} dropped", repeats.len());
    Ok(ExitCode::SUCCESS)
}

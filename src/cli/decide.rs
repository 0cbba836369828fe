//! `quchong decide`: which messages are dropped.

use std::path::PathBuf;
use std::process::ExitCode;

use quchong::scale::decide::{decide, read};
use quchong::scale::rows::Rows;

use super::format::RowsArgs;
use super::{inputs, unwritten};

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

    #[command(flatten)]
    rows: RowsArgs,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let edges = read(Rows::new(inputs(&args.files).0, args.rows.format()))?;
    let pairs = edges.len();
    let repeats = decide(edges);
    let mut out = args.rows.stdout().map_err(unwritten)?;
    repeats.iter().try_for_each(|repeat| out.row(repeat)).and_then(|()| out.finish().map(drop)).map_err(unwritten)?;
    tracing::info!("{pairs} pairs, {} dropped", repeats.len());
    Ok(ExitCode::SUCCESS)
}

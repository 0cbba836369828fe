//! `quchong edges`: which fingerprints are near.

use std::path::PathBuf;
use std::process::ExitCode;

use quchong::config::Config;
use quchong::config::units::count;
use quchong::scale::edges::edges;
use quchong::scale::rows::Rows;
use quchong::scale::tables::Tables;

use super::format::RowsArgs;
use super::{inputs, print, unwritten};

/// Find the pairs of near fingerprints in sorted rows, each pair once
///
/// Reads rows `{"table":0,"simhash":"cee730181f492a0a","pos":3}`: each fingerprint once for each table, sorted by table and
/// key, which is the fingerprint with the bits of the table's mask alone. Writes pairs `{"a":3,"b":17,"distance":4}`, `a` the
/// earlier. Rows of one key must come in one run; keys may be spread over any number of runs. A bucket that grows hot is cut
/// again by other bits, and nothing is left out.
#[derive(clap::Args)]
pub struct Args {
    /// Files to read, in this order; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Largest Hamming distance of two near repeats' fingerprints
    #[arg(long, value_name = "BITS", default_value_t = 4)]
    max_distance: u32,

    /// Distinct fingerprints of the whole job: decides which tables there are
    #[arg(long, value_name = "N", value_parser = count)]
    expected: u64,

    /// Read nothing, only list the masks of the tables: one JSON list of 16 hexadecimal digits each
    #[arg(long, conflicts_with = "files")]
    masks: bool,

    #[command(flatten)]
    rows: RowsArgs,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    Config { max_distance: args.max_distance, ..Config::default() }.validate()?;
    let tables = Tables::choose(args.max_distance, args.expected);
    if args.masks {
        let masks: Vec<String> = tables.masks().iter().map(|mask| format!("\"{mask:016x}\"")).collect();
        return print(format!("[{}]\n", masks.join(",")));
    }
    let rows = Rows::new(inputs(&args.files).0, args.rows.format());
    let mut out = args.rows.stdout().map_err(unwritten)?;
    let mut pairs = 0_u64;
    let rows = edges(rows, tables, args.max_distance, |edge| {
        pairs += 1;
        out.row(&edge).map_err(unwritten)
    })?;
    out.finish().map_err(unwritten)?;
    tracing::info!("{rows} rows, {pairs} pairs");
    Ok(ExitCode::SUCCESS)
}

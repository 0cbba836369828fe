//! `quchong decide`: decides which messages are dropped.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Pos;
use crate::config::units;
use crate::scale::decide::{Plan, decide, read};
use crate::scale::rows::JobRows;

use super::files::refuse_own_input;
use super::format::RowsArgs;
use super::{inputs, unwritten};
use crate::locale::tr;

/// Decide from pairs which messages are dropped, and which kept message each of them repeats
///
/// Reads pairs as `quchong edges` writes them, in any order, and keeps them in memory (32 bytes each). Writes
/// `{"pos":17,"of":3,"distance":4}` for each message that is dropped, by rising position. `of` is the earliest kept message that
/// is near to it. A message without such a row is kept. `"same":true` marks a pair whose fingerprints or texts are equal: what comes after
/// both and is near to the earlier one is near to the later one, too. What comes before both needs a pair with each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files to read; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// As for `quchong dedup --near hybrid`. Pairs up to N positions apart count by similarity, others by distance [default: all count]
    #[arg(long, value_name = "N", value_parser = positions)]
    verify_window: Option<u64>,

    /// As for `quchong dedup`, as a number of messages. Pairs further apart do not count. A pair without similarity and distance is then
    /// one of equal messages
    #[arg(long, value_name = "N", value_parser = positions)]
    window: Option<u64>,

    /// Decide from this position on. An earlier message counts as kept if it is `b` of a pair with `"same":true` (`a` may be the same
    /// message); all other earlier messages count as dropped
    #[arg(long, value_name = "POS", default_value_t = 0)]
    from: u64,

    #[command(flatten)]
    rows: RowsArgs,
}

/// Reads a number of positions, at least 1.
fn positions(text: &str) -> Result<u64, String> {
    match units::count(text)? {
        0 => Err(tr!("write a number from 1 on")),
        positions => Ok(positions),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let plan = Plan { verify_window: args.verify_window, window: args.window, from: Pos(args.from) };
    refuse_own_input(&args.files)?;
    let edges = read(JobRows::new(inputs(&args.files).0, args.rows.format()), plan)?;
    let pairs = edges.len();
    let repeats = decide(edges, plan);
    let mut out = args.rows.stdout().map_err(unwritten)?;
    repeats.iter().try_for_each(|repeat| out.row(repeat)).and_then(|()| out.finish().map(drop)).map_err(unwritten)?;
    tracing::info!("{}", tr!("pairs: {pairs}, dropped: {}", repeats.len(), pairs));
    Ok(ExitCode::SUCCESS)
}

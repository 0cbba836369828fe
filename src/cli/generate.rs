//! `quchong generate`: labelled posts for trying things out.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use crate::config::units::count;
use crate::generate::{Generator, Recipe, write_jsonl};

/// Write seeded microblog-style posts with labels, as JSONL
///
/// Fields: `id`, `text`, `kind` (fresh, exact, canonical, wrapped, edited1, edited2, facts) and `of`, the id of the post that
/// it repeats. A post of kind facts differs from an earlier one only in a number, so it is no repeat; `decoy_of` is the id of that
/// post. The same seed gives the same bytes on every machine.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  quchong generate --lines 20k --seed 7 | quchong dedup --summary totals.json > kept.jsonl")]
pub(crate) struct Args {
    /// How many posts
    #[arg(short = 'n', long, value_name = "N", value_parser = count, default_value = "1000")]
    lines: u64,

    /// Seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Repeats among 1000 posts
    #[arg(long, value_name = "N", default_value_t = Recipe::default().repeats)]
    repeats: u32,

    /// Posts among 1000 that differ from an earlier one in a number alone
    #[arg(long, value_name = "N", default_value_t = Recipe::default().decoys)]
    decoys: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = Recipe { repeats: args.repeats, decoys: args.decoys, ..Recipe::default() };
    let posts = Generator::new(args.seed, options)?.zip(0..args.lines).map(|(post, _)| post);
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    match write_jsonl(posts, &mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(anyhow::Error::new(error).context("<stdout>")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

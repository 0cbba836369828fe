//! `quchong edges`: finds pairs of near fingerprints or of texts that repeat each other.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::scale::edges::edges;
use crate::scale::rows::JobRows;
use crate::scale::tables::Tables;
use crate::scale::texts;
use crate::{Error, Pos};
use anyhow::bail;

use super::files::refuse_own_input;
use super::format::RowsArgs;
use super::settings::{JobNearArgs, Typed};
use super::{inputs, positive_count, print, unwritten};
use crate::locale::tr;

/// Find the pairs of near fingerprints, or the pairs of texts in which the later one repeats the earlier one
///
/// With --expected: reads rows `{"table":0,"simhash":"cee730181f492a0a","pos":3}`, one for each fingerprint and table. The rows are sorted
/// by table and key. The key is the fingerprint with all bits outside the table's mask set to 0. Writes pairs
/// `{"a":3,"b":17,"distance":4}`, each once; `a` is the earlier one. All rows of one key must be in the same run. Different keys may be
/// split over any number of runs.
///
/// With --from, under --near hybrid: reads texts `{"pos":3,"text":"…"}` by rising position. For each text from that position on, writes
/// pairs `{"a":3,"b":17,"similarity":812}` with the texts of its window that it repeats. Among equal texts only the first one is named,
/// and pairs with `"same":true` say which are equal. Pairs that cannot change a verdict are left out: those whose earlier text is certainly
/// dropped, and those after the first whose earlier text is certainly kept. `"old":false` beside a text says that no fingerprint can drop
/// it. The options are those of `quchong sketch`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    /// Files to read, in this order; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    what: What,

    /// Read nothing, only list the masks of the tables: one JSON list of 16 hexadecimal digits each
    #[arg(long, conflicts_with_all = ["files", "from"])]
    masks: bool,

    #[command(flatten)]
    near: JobNearArgs,

    #[command(flatten)]
    rows: RowsArgs,
}

/// The kind of rows that are read, fingerprints or texts.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Distinct fingerprints of the whole job. The number decides which tables there are
    #[arg(long, value_name = "N", value_parser = positive_count)]
    expected: Option<u64>,

    /// Read texts. Those before this position are only compared with later ones
    #[arg(long, value_name = "POS")]
    from: Option<u64>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.typed.refuse_idle("edges")?;
    let given = args.typed.given.0.of_stages();
    let idle = given.names().find(|name| args.what.expected.is_some() && *name != "max-distance");
    if let Some(name) = idle {
        let reason = tr!(
            "does nothing with --expected, which reads fingerprints; of the near stage's options only --max-distance counts for them"
        );
        bail!(Error::config(name, reason));
    }
    let config = given.config()?;
    config.validate()?;
    let tables = args.what.expected.map(|expected| Tables::choose(config.max_distance, expected));
    if let Some(tables) = tables.as_ref().filter(|_| args.masks) {
        let masks: Vec<String> = tables.masks().iter().map(|mask| format!("\"{mask:016x}\"")).collect();
        return print(format!("[{}]\n", masks.join(",")));
    }
    refuse_own_input(&args.files)?;
    let rows = JobRows::new(inputs(&args.files).0, args.rows.format());
    let mut out = args.rows.stdout().map_err(unwritten)?;
    let mut pairs = 0_u64;
    let each = |edge| {
        pairs += 1;
        out.row(&edge).map_err(unwritten)
    };
    let rows = match tables {
        Some(tables) => edges(rows, tables, config.max_distance, each)?,
        None => texts::edges(rows, &config, Pos(args.what.from.unwrap_or(0)), each)?,
    };
    out.finish().map_err(unwritten)?;
    tracing::info!("{}", tr!("rows: {rows}, pairs: {pairs}", rows, pairs));
    Ok(ExitCode::SUCCESS)
}

//! The option for reporting how often kept messages have been repeated.

use crate::config::units::duration;
use crate::formats::source::{Format, Input};
use crate::locale::tr;
use crate::run::recount::Pace;
use anyhow::bail;

/// How often counts are reported.
#[derive(clap::Args)]
pub(crate) struct RecountArgs {
    #[arg(long, value_parser = stretch)]
    recount: Option<u64>,
}

fn stretch(text: &str) -> Result<u64, String> {
    match duration(text)? {
        0 => Err(tr!("write a length of time that is not nothing: 30s, 10m, 1h")),
        length => Ok(length),
    }
}

impl RecountArgs {
    /// Whether counts are reported.
    pub(crate) fn any(&self) -> bool {
        self.recount.is_some()
    }

    /// How often counts are reported for these inputs: by the times of the messages if all inputs are files, or else by the clock.
    pub(crate) fn pace(&self, files_only: bool) -> Option<Pace> {
        self.recount.map(if files_only { Pace::MessageTimes } else { Pace::WallClock })
    }

    /// Refuses inputs whose outputs have no place for counts.
    ///
    /// # Errors
    /// An input is a table, whose outputs cannot hold JSON objects.
    pub(crate) fn check(&self, inputs: &[Input], format: Format) -> anyhow::Result<()> {
        if !self.any() {
            return Ok(());
        }
        let is_table = |input: &&Input| matches!(format.of(input), Format::Csv | Format::Tsv | Format::Parquet);
        if let Some(table) = inputs.iter().find(is_table) {
            bail!(tr!(
                "--recount: writes counts as JSON objects, and {} is a table; name JSONL or lines, or leave it out",
                table.name()
            ));
        }
        Ok(())
    }
}

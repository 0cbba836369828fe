//! The option that tells how often kept messages have been repeated since.

use anyhow::{bail, ensure};
use quchong::config::units::duration;
use quchong::formats::source::{Format, Input};
use quchong::run::recount::Pace;

/// How often counts are told.
#[derive(clap::Args)]
pub struct RecountArgs {
    /// --output annotated: every so often (30s, 10m, 1h), write for each kept message that has been repeated since a record of its own,
    /// {"quchong":{"verdict":"recount","of":ID,"count":N,"exact":N,"near":N}}; count is of all, the kept one too. A feed goes by the
    /// wall clock; files go by their messages' times (--time-field). What is untold is told at the end, and when the message leaves
    /// the --window. A --state must have been made with it
    #[arg(long, value_name = "TIME", value_parser = stretch, help_heading = "Output", conflicts_with = "represent")]
    recount: Option<u64>,
}

fn stretch(text: &str) -> Result<u64, String> {
    match duration(text)? {
        0 => Err("write a length of time that is not nothing: 30s, 10m, 1h".to_owned()),
        length => Ok(length),
    }
}

impl RecountArgs {
    /// Whether counts are told.
    pub fn any(&self) -> bool {
        self.recount.is_some()
    }

    /// How often, for these inputs.
    pub fn pace(&self, files_only: bool) -> Option<Pace> {
        self.recount.map(if files_only { Pace::MessageTimes } else { Pace::WallClock })
    }

    /// Refuses what has no place for counts.
    ///
    /// # Errors
    /// The output is not annotated, or an input gives rows, which have columns.
    pub fn check(&self, is_annotated: bool, inputs: &[Input], format: Format) -> anyhow::Result<()> {
        if !self.any() {
            return Ok(());
        }
        ensure!(is_annotated, "--recount writes counts among annotated records; add --output annotated");
        let is_table = |input: &&Input| matches!(format.of(input), Format::Csv | Format::Tsv | Format::Parquet);
        if let Some(table) = inputs.iter().find(is_table) {
            bail!("--recount writes counts as JSON objects, and {} is a table; it takes JSONL or lines", table.name());
        }
        Ok(())
    }

    /// What a run that goes on with another must have as well.
    pub fn note(&self) -> [(&'static str, String); 1] {
        [("--recount", self.recount.map_or_else(|| "-".to_owned(), |length| format!("{length}ms")))]
    }
}

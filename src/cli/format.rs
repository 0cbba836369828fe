//! Options for the formats of inputs and of rows between the steps of a job, and checks of the names of outputs.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::formats::compression::Compression;
use crate::formats::source::{Format, Input};
use crate::locale::tr;
use crate::scale::rows::{RowFormat, RowOut, RowsWriter};
use anyhow::bail;
use clap::ValueEnum;

/// Refuses an output whose extension does not fit the format in which the records of these inputs are written.
///
/// # Errors
/// The message names the option and a fitting extension.
pub(crate) fn check_name(option: &str, output: &Path, inputs: &[Input], format: Format) -> anyhow::Result<()> {
    check_packed(option, output)?;
    let Some(input) = inputs.first() else { return Ok(()) };
    let (comes, named) = (format.of(input), Format::Auto.by_extension(output));
    let format = match (comes, named) {
        (Format::Csv, Format::Tsv | Format::Jsonl | Format::Parquet) => tr!("CSV; name it .csv"),
        (Format::Tsv, Format::Csv | Format::Jsonl | Format::Parquet) => tr!("TSV; name it .tsv"),
        (Format::Parquet, Format::Csv | Format::Tsv) => tr!("Parquet; name it .parquet, or .jsonl for JSON objects"),
        (Format::Parquet, Format::Parquet) if Compression::of_path(output).is_some() => {
            tr!("Parquet, which is compressed in itself; name it .parquet")
        }
        (Format::Auto, Format::Parquet) if *input == Input::Stdin => {
            bail!(tr!(
                "{option} {}: Parquet cannot be read from a pipe, nor written for one; name the file",
                output.display(),
                option
            ))
        }
        (Format::Auto | Format::Lines | Format::Jsonl, Format::Parquet) => tr!("one record a line; name it .jsonl"),
        (Format::Jsonl, Format::Csv | Format::Tsv) => tr!("JSON objects; name it .jsonl"),
        _ => return Ok(()),
    };
    bail!(tr!("{option} {}: the output of {} is {format}", output.display(), input.name(), option, format))
}

/// Does the same for an output of JSON objects.
///
/// # Errors
/// As [`check_name`].
pub(crate) fn check_json_name(option: &str, output: &Path) -> anyhow::Result<()> {
    check_packed(option, output)?;
    match Format::Auto.by_extension(output) {
        Format::Csv | Format::Tsv | Format::Parquet => {
            bail!(tr!("{option} {}: the output is JSON objects; name it .jsonl", output.display(), option))
        }
        _ => Ok(()),
    }
}

/// Refuses an output that is named for a compression or an archive that is not written.
///
/// # Errors
/// The message names the option and a fitting extension.
pub(crate) fn check_packed(option: &str, output: &Path) -> anyhow::Result<()> {
    const NOT_WRITTEN: [&str; 12] =
        ["lz4", "zip", "7z", "rar", "tar", "tgz", "tbz", "tbz2", "txz", "br", "lzma", "xlsx"];
    let unpacked = Compression::of_path(output).and_then(|_| output.file_stem()).map_or(output, Path::new);
    let extension = unpacked.extension().unwrap_or_default();
    match NOT_WRITTEN.iter().find(|name| extension.eq_ignore_ascii_case(name)) {
        Some(name) => bail!(tr!(
            "{option} {}: .{name} files are not written; leave .{name} out, and end the name in .gz, .zst, .bz2 or .xz to compress it",
            output.display(),
            option,
            name
        )),
        None => Ok(()),
    }
}

/// A set of formats that an option can name for the input.
pub(crate) trait Chosen: Copy + Send + Sync + 'static {
    /// Every format and its name.
    fn words() -> &'static [(&'static str, Self)];
}

impl Chosen for Format {
    fn words() -> &'static [(&'static str, Self)] {
        &Self::NAMED
    }
}

/// The format of the input of `quchong sketch`.
#[derive(Clone, Copy)]
pub(crate) enum SketchedArg {
    Records(Format),
    Arrow,
}

impl Chosen for SketchedArg {
    fn words() -> &'static [(&'static str, Self)] {
        const NAMED: [(&str, SketchedArg); Format::NAMED.len() + 1] = {
            let mut named = [("arrow", SketchedArg::Arrow); Format::NAMED.len() + 1];
            let mut at = 0;
            while at < Format::NAMED.len() {
                named[at] = (Format::NAMED[at].0, SketchedArg::Records(Format::NAMED[at].1));
                at += 1;
            }
            named
        };
        &NAMED
    }
}

/// The option for the format of rows.
#[derive(clap::Args)]
pub(crate) struct RowsArgs {
    /// How rows are read and written: one JSON object a line, or one stream of Arrow IPC
    #[arg(long, value_enum, default_value_t = RowsArg::Jsonl)]
    rows: RowsArg,
}

impl RowsArgs {
    /// A writer of rows to standard output.
    pub(crate) fn stdout<R: RowOut>(&self) -> io::Result<RowsWriter<R, impl Write>> {
        RowsWriter::new(BufWriter::with_capacity(1 << 18, io::stdout().lock()), self.format())
    }

    pub(crate) fn format(&self) -> RowFormat {
        match self.rows {
            RowsArg::Jsonl => RowFormat::Jsonl,
            RowsArg::Arrow => RowFormat::Arrow,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum RowsArg {
    Jsonl,
    Arrow,
}

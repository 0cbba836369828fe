//! Hands over lines or whole files one after another, for commands that read all their input before they report anything.

#[cfg(feature = "lab")]
use std::sync::Arc;

use super::batch::{Batch, Layout, Line, Part};
#[cfg(feature = "lab")]
use super::fields::BOM;
use super::fields::line_content;
#[cfg(feature = "lab")]
use super::input::Format;
use super::source::Source;
use crate::error::{Error, Result};
use crate::locale::tr;

/// The longest line, in bytes, of such inputs.
pub const MAX_LINE: usize = 16 << 20;

/// The place of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location<'p> {
    /// The file as the user named it.
    pub(crate) file: &'p str,
    /// 1-based line number in it.
    pub(crate) line: u64,
}

impl Location<'_> {
    /// Makes an error that names the place.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Unmeasurable { path: self.file.to_owned(), line: self.line, reason: reason.into() }
    }

    /// Checks that layout can be undone in the record, if `reflow` asks for it.
    ///
    /// # Errors
    /// [`Error::Unmeasurable`] if `reflow` is set but each line is a message of its own.
    #[cfg(feature = "lab")]
    pub(crate) fn has_layout(&self, layout: Layout<'_>, reflow: bool) -> Result<()> {
        match reflow && matches!(layout, Layout::Lines) {
            true => {
                Err(self.error(tr!("--reflow: each line is a message of its own; --whole-files takes files whole")))
            }
            false => Ok(()),
        }
    }
}

/// Calls `take` with each line that is not blank, until it returns `false`. For a line that is too long or not in the encoding of
/// its file, `take` gets the error instead.
///
/// # Errors
/// [`Error::Io`] if reading fails, and those of `take`.
pub(crate) fn each_line(
    mut source: Source,
    mut take: impl FnMut(&Location<'_>, Result<&[u8]>, Layout<'_>) -> Result<bool>,
) -> Result<()> {
    while let Some(batch) = source.next_batch()? {
        for line in &batch.lines {
            let place = Location { file: &batch.file, line: line.number };
            let bytes = line_content(&batch.bytes[line.start..line.end]);
            let bytes = match readable(&batch, line, &place) {
                Ok(()) if line.part != Part::Whole || bytes.trim_ascii().is_empty() => continue,
                readable => readable.map(|()| bytes),
            };
            if !take(&place, bytes, batch.layout())? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Calls `take` with the name and the text of each file that is not blank, until it returns `false`. A byte-order mark is left out.
///
/// # Errors
/// [`Error::Unmeasurable`] for a file that is not in its encoding, or has a line that is too long; [`Error::Io`] if reading fails,
/// and those of `take`.
#[cfg(feature = "lab")]
pub(crate) fn each_file(mut source: Source, mut take: impl FnMut(&str, &str) -> Result<bool>) -> Result<()> {
    let mut open: Option<(Arc<str>, u32, Vec<u8>)> = None;
    loop {
        let batch = source.next_batch()?;
        let goes_on = |input: u32| batch.as_ref().is_some_and(|batch| batch.end.input == input);
        if let Some((name, _, bytes)) = open.take_if(|(_, input, _)| !goes_on(*input)) {
            let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
            let text = str::from_utf8(bytes).map_err(|error| {
                let breaks = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
                Location { file: &name, line: breaks as u64 + 1 }
                    .error(tr!("not UTF-8; --encoding names another encoding"))
            })?;
            if !text.trim().is_empty() && !take(&name, text)? {
                return Ok(());
            }
        }
        let Some(batch) = batch else { return Ok(()) };
        if batch.format == Format::Parquet {
            return Err(Error::invalid(
                &*batch.file,
                tr!("is Parquet, whose rows are the messages; leave --whole-files out"),
            ));
        }
        for line in &batch.lines {
            readable(&batch, line, &Location { file: &batch.file, line: line.number })?;
        }
        let (.., bytes) = open.get_or_insert_with(|| (batch.file.clone(), batch.end.input, Vec::new()));
        bytes.extend_from_slice(&batch.bytes);
    }
}

/// Checks that a line is complete and in its encoding.
fn readable(batch: &Batch, line: &Line, place: &Location<'_>) -> Result<()> {
    match line.part {
        Part::TooLong => {
            Err(place.error(tr!("the line is too long: more than {} MiB; cut it into messages", MAX_LINE >> 20)))
        }
        Part::Undecodable => {
            Err(place.error(tr!("the line is not {}; --encoding names another encoding", batch.encoding())))
        }
        Part::Misquoted => Err(place.error(tr!(
            "the row has a quote that is not closed, or text behind one; double quotes that are part of the text"
        ))),
        Part::Whole | Part::TooLongRest | Part::Header | Part::HeaderAgain | Part::HeaderRow => Ok(()),
    }
}

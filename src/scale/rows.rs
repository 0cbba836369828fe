//! Rows that an engine hands from step to step.

use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::pipeline::lines::each_line;
use crate::pipeline::source::Source;

/// Reads each line of `source` as a JSON object and hands it to `take`.
///
/// # Errors
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) for a line that is no such object or that `take` refuses with a reason:
/// a row that was left out would be a pair that is lost. [`Error::Io`](crate::Error::Io) if reading fails.
pub fn each_row<R: DeserializeOwned>(
    source: Source,
    mut take: impl FnMut(R) -> std::result::Result<(), String>,
) -> Result<()> {
    each_line(source, |place, line, _| {
        let row = serde_json::from_slice(line?).map_err(|error| place.error(format!("not a row: {error}")))?;
        take(row).map_err(|reason| place.error(reason))?;
        Ok(true)
    })
}

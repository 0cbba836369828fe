//! Conversion between values and bytes.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Encodes a value that is stored beside the entries.
///
/// # Errors
/// [`Error::State`]; no case is known.
pub(crate) fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|error| Error::state("state", error.to_string()))
}

/// Decodes the bytes that [`to_bytes`] returned.
///
/// # Errors
/// [`Error::State`] if the bytes do not encode such a value.
pub(crate) fn from_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| Error::state("state", error.to_string()))
}

/// Decodes a value from the start of `bytes`. Returns it with the bytes after it.
///
/// # Errors
/// As [`from_bytes`].
pub(crate) fn begin_of_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<(T, &'b [u8])> {
    postcard::take_from_bytes(bytes).map_err(|error| Error::state("state", error.to_string()))
}

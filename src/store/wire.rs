//! Values as bytes.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Bytes of what is written down beside the entries.
///
/// # Errors
/// [`Error::State`]; none is known.
pub(crate) fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|error| Error::state("state", error.to_string()))
}

/// The inverse of [`to_bytes`].
///
/// # Errors
/// [`Error::State`] if these bytes were not made by it.
pub(crate) fn from_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| Error::state("state", error.to_string()))
}

/// The same of bytes that begin with the value, and what is behind it.
///
/// # Errors
/// As [`from_bytes`].
pub(crate) fn begin_of_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<(T, &'b [u8])> {
    postcard::take_from_bytes(bytes).map_err(|error| Error::state("state", error.to_string()))
}

//! Helpers that read and write the values of settings.

/// Stores a value that was read.
pub(super) fn put<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|read| *place = read)
}

/// The message for a text that is no whole number.
pub(super) const NO_NUMBER: &str = "write a whole number";

/// Reads a whole number.
pub(super) fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| NO_NUMBER.to_owned())
}

/// Returns the word for a value.
pub(super) fn word<T: Copy + PartialEq>(named: &[(&str, T)], value: T) -> Option<String> {
    named.iter().find(|(_, named)| *named == value).map(|(word, _)| (*word).to_owned())
}

//! How values of settings are read and told.

/// Puts what was read in its place.
pub(super) fn put<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|read| *place = read)
}

/// What is said of what is no whole number.
pub(super) const NO_NUMBER: &str = "write a whole number";

/// A whole number.
pub(super) fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| NO_NUMBER.to_owned())
}

/// The word of a value.
pub(super) fn word<T: Copy + PartialEq>(named: &[(&str, T)], value: T) -> Option<String> {
    named.iter().find(|(_, named)| *named == value).map(|(word, _)| (*word).to_owned())
}

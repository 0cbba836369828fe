//! Cleans text for pages.

use std::borrow::Cow;

/// Replaces control characters, which pages and XML may not contain, by U+FFFD, line ends included.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => text.replace(char::is_control, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// [Cleans](clean) text but keeps its line ends.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

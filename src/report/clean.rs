//! Text for pages.

use std::borrow::Cow;

/// Text without the characters that pages and XML may not hold: U+FFFD stands for each. Line ends become one, too.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => text.replace(char::is_control, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// [Clean](clean) text that keeps its lines.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

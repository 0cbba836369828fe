//! The canonical form: everything that a reader would not call content is levelled.

/// Version of the canonical and body forms; state made under another version is not comparable.
pub const VERSION: u32 = 1;

/// Writes the canonical form of `text` into `out`, whatever was in it.
pub fn canonical_into(text: &str, out: &mut String) {
    out.clear();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.to_lowercase());
    }
}

/// The canonical form of `text`.
pub fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    canonical_into(text, &mut out);
    out
}

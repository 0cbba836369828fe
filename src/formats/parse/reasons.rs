//! Explains why a line cannot be judged.

use crate::formats::batch::Layout;
use crate::locale::tr;

/// A line without the byte-order mark and blanks that may precede its record.
pub(super) fn content(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim_start()
}

/// Whether a line is an array, or the beginning of an array that spans several lines.
pub(super) fn is_array(line: &str) -> bool {
    content(line).starts_with('[')
}

/// Explains why a line is not JSON, and what to do if that shows.
pub(super) fn not_json(line: &str, error: &serde_json::Error) -> String {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<serde::de::IgnoredAny>();
    let is_whole = values.next().is_some_and(|value| value.is_ok());
    match (line.get(values.byte_offset()..).unwrap_or_default().trim(), content(line).starts_with('{')) {
        (",", true) if is_whole => {
            tr!("a comma follows the object, and each line must be one object: `sed 's/,[[:space:]]*$//' FILE` cuts it")
        }
        (rest, true) if is_whole && rest.starts_with('{') => {
            tr!("several objects on one line, and each line must be one object: `jq -c . FILE` puts each on its own")
        }
        (rest, true) if is_whole && rest.starts_with('\0') => {
            tr!("NUL stands between the objects, and each line must be one object: `tr '\\0' '\\n' < FILE` splits it")
        }
        _ if line.contains("}\u{1e}") => {
            tr!(
                "the separator RS stands between the objects, and each line must be one object: `tr '\\036' '\\n' < FILE` splits it"
            )
        }
        (_, true) if content(line)[1..].trim_start().starts_with('\'') => tr!(
            "a dictionary as Python prints it, and each line must be a JSON object: write it with json.dumps(…, ensure_ascii=False)"
        ),
        (_, true) if is_unquoted(line) => {
            tr!("not JSON: {}; names and texts need straight double quotes: {{\"text\":\"…\"}}", without_line(error))
        }
        (_, true) if !content(line)[1..].trim_start().starts_with(['"', '}']) => {
            tr!("not JSON: {}; if each line is a message, add --format lines", without_line(error))
        }
        (_, false) => tr!(
            "not JSON: {}; if this is a table, add --format csv or tsv, and if each line is a message, --format lines",
            without_line(error)
        ),
        _ => tr!("not JSON: {}", without_line(error)),
    }
}

/// Whether an object has a name without quotes, or with others than JSON has: `{text: …`, `{“text”: …`.
fn is_unquoted(line: &str) -> bool {
    let inside = content(line)[1..].trim_start();
    let name = inside.trim_start_matches(['“', '”', '\\', '"']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
    let is_quoted = inside.starts_with('"');
    !is_quoted && end > 0 && name[end..].trim_start_matches(['“', '”', '\\', '"', ' ']).starts_with([':', '：'])
}

/// Explains what is wrong with a line that is no object.
pub(super) fn no_record(line: &str) -> String {
    match is_array(line) {
        true => tr!("begins a JSON array, and each line must be one object: `jq -c '.[]' FILE` splits it"),
        false => tr!("not a JSON object, which a record is"),
    }
}

/// Explains what is wrong with the quotes of a row.
pub(super) fn misquoted(row: &[u8], layout: Layout<'_>) -> String {
    let row = row.trim_ascii_end();
    let is_open = matches!(layout, Layout::Table(table) if table.is_open(&String::from_utf8_lossy(row)));
    let reason = match is_open {
        true => {
            tr!("a field begins with a quote that is not closed; close it, or double it where it is part of the text")
        }
        false => tr!("text stands behind the last quote of a field; double the quotes that are part of the text"),
    };
    match memchr::memchr_iter(b'\n', row).count() {
        0 => reason,
        1 => tr!("{reason}; the line behind it is taken for part of it", reason),
        lines => tr!("{reason}; {lines} lines behind it are taken for part of it", reason, lines),
    }
}

/// The error's message without "line 1", which would be taken for a line of the file.
pub(crate) fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

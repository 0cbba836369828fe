//! Where values stand in a record, what is read there, and what can be wrong with it.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::locale::tr;

/// A text of an input, as a message shows it: the first characters of its first line, and whether there are more.
pub(crate) fn shortened(text: &str) -> String {
    let mut ends = text.char_indices().enumerate().filter(|(at, (_, c))| *at == SHOWN || *c == '\n');
    match ends.next() {
        Some((_, (end, _))) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The names of columns, as a message shows them.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.map(shortened);
    let mut listed = names.by_ref().take(LISTED).collect::<Vec<_>>();
    let more = names.count();
    listed.extend((more > 0).then(|| tr!("{more} more", more)));
    listed.join(", ")
}

/// Characters of a text, and columns, that a message shows.
const SHOWN: usize = 80;
const LISTED: usize = 40;

/// What can be wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The line is not UTF-8.
    InvalidUtf8,
    /// The line is not JSON.
    InvalidJson,
    /// The JSON has no such field.
    MissingField,
    /// The field is there and is not a string.
    NotAString,
    /// The line is longer than the limit.
    LineTooLong,
    /// The line is not in the encoding of the input, which is not UTF-8.
    InvalidEncoding,
    /// The row's last field begins with a quote and does not end.
    InvalidCsv,
}

impl FaultKind {
    /// Every kind, with its name in output.
    pub(crate) const NAMED: [(&'static str, Self); 7] = [
        ("invalid-utf8", Self::InvalidUtf8),
        ("invalid-json", Self::InvalidJson),
        ("missing-field", Self::MissingField),
        ("not-a-string", Self::NotAString),
        ("line-too-long", Self::LineTooLong),
        ("invalid-encoding", Self::InvalidEncoding),
        ("invalid-csv", Self::InvalidCsv),
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

/// What is wrong with a record, and in which words to say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind it is counted under.
    pub kind: FaultKind,
    /// The whole reason.
    pub reason: String,
}

/// A record as it stands in its line.
#[derive(Debug, PartialEq, Eq)]
pub struct Parsed<'l> {
    /// The message.
    pub text: Cow<'l, str>,
    /// JSON text of its id, if it has one that is a string or a number.
    pub id: Option<Cow<'l, str>>,
    /// Whether something else stands in its place: an object, a list, or a truth value.
    pub(crate) has_other_id: bool,
    /// When it was said, in milliseconds since 1970, if it has such a time.
    pub time: Option<i64>,
    /// Its number in the feed, if it has one.
    pub seq: Option<u64>,
    /// JSON text of what stands in [`Further::value`].
    pub value: Option<Cow<'l, str>>,
    /// The values in [`Further::scope`], written as one text; none where no such field is named.
    pub scope: Option<String>,
    /// Whether one of these fields has no value.
    pub(crate) lacks_scope: bool,
    /// Whether a part of a message of several fields is null or empty.
    pub(crate) lacks_part: bool,
}

/// Where a value stands in a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    spelled: String,
    keys: Vec<String>,
}

impl FieldPath {
    /// Reads a dotted path (`user.text`) or a JSON pointer (`/user/text`, `/items/0`, `~1` for `/` and `~0` for `~`).
    ///
    /// # Errors
    /// [`Error::Config`] for `option` if the path is empty.
    pub fn parse(option: &'static str, path: &str) -> Result<Self> {
        let keys: Vec<String> = match path.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect(),
            None if path.split('.').any(str::is_empty) => {
                return Err(Error::config(
                    option,
                    tr!("`{path}` is no path; use a name, a.b.c or a JSON pointer like /a/b", path),
                ));
            }
            None => path.split('.').map(str::to_owned).collect(),
        };
        Ok(Self { spelled: path.to_owned(), keys })
    }

    /// Reads several, with commas between them, or `,/` between JSON pointers, whose names can have commas in them.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); too many.
    #[cfg(feature = "cli")]
    pub(crate) fn parse_all(option: &'static str, paths: &str) -> Result<Vec<Self>> {
        let all: Vec<Self> = match paths.strip_prefix('/') {
            Some(pointers) => {
                pointers.split(",/").map(|pointer| Self::parse(option, &format!("/{pointer}"))).collect::<Result<_>>()
            }
            None => paths.split(',').map(|path| Self::parse(option, path)).collect::<Result<_>>(),
        }?;
        if all.len() > Further::MOST {
            return Err(Error::config(option, tr!("`{paths}` are too many; name at most {}", Further::MOST, paths)));
        }
        Ok(all)
    }

    /// Whether `other` is inside what this path names.
    #[cfg(feature = "cli")]
    pub(crate) fn is_above(&self, other: &Self) -> bool {
        self.keys.len() < other.keys.len() && other.keys.starts_with(&self.keys)
    }

    /// The keys on the way, from the outermost; at least one.
    pub(crate) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The path as it was given.
    pub fn spelled(&self) -> &str {
        &self.spelled
    }
}

/// Reads records from lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parser {
    /// Where the message stands in a JSONL record; of a table, the name or the number of its column.
    pub field: FieldPath,
    /// Where its id stands.
    pub id_field: FieldPath,
    /// Where its time stands, if that is asked for; see [`time`](super::time).
    pub time_field: Option<FieldPath>,
    /// Where its number in the feed stands, if it is asked for: an integer, or a string of digits.
    pub seq_field: Option<FieldPath>,
    /// What else is read.
    pub further: Further,
}

/// Fields that few ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Further {
    /// Where a value stands by which one of several messages is chosen.
    pub value: Option<FieldPath>,
    /// Where the values stand within which messages repeat each other, at most 8 fields.
    pub scope: Vec<FieldPath>,
    /// Where the message goes on, behind [`Parser::field`], at most 8 fields: their texts are joined by line ends.
    pub also: Vec<FieldPath>,
}

impl Further {
    /// Most fields of one kind.
    pub(crate) const MOST: usize = 8;
}

/// What joins the parts of a message: a blank to every rule, and never a part of one.
pub(super) const BETWEEN: &str = "\n";

/// The values of a scope, each given as JSON text, are written as one text.
#[derive(Default)]
struct ScopeOf {
    written: String,
    is_lacking: bool,
}

impl ScopeOf {
    /// Adds a value. One that is not there, is null or is empty is a value of its own.
    ///
    /// # Errors
    /// The [`Fault`] of a record that has an object or a list there.
    fn add(&mut self, field: &FieldPath, value: Option<&str>) -> std::result::Result<(), Fault> {
        let value = value.filter(|value| *value != "null");
        if value.is_some_and(|value| value.starts_with(['{', '['])) {
            let reason = tr!("field `{}` (--scope) is no string, number, true or false", field.spelled());
            return Err(Fault { kind: FaultKind::NotAString, reason });
        }
        // 7 and "7" are the same: a table does not tell them apart.
        let value = value.map(|value| serde_json::from_str::<String>(value).unwrap_or_else(|_| number(value)));
        self.write(value.as_deref());
        Ok(())
    }

    /// Writes a value as a text.
    fn write(&mut self, value: Option<&str>) {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.written.push_str(&format!("{}:{value}", value.len())),
            None => {
                self.is_lacking = true;
                self.written.push('-');
            }
        }
    }
}

/// The scope of these values, each given as a text; none if there are none.
pub(crate) fn scope_of_values<'v>(values: impl Iterator<Item = Option<&'v str>>) -> Option<String> {
    let mut scope = ScopeOf::default();
    values.for_each(|value| scope.write(value));
    Some(scope.written).filter(|written| !written.is_empty())
}

/// The values of a scope that was written as one text, as a message shows them.
#[cfg(feature = "cli")]
pub(crate) fn shown_scope(mut written: &str) -> String {
    let mut values = Vec::new();
    while !written.is_empty() {
        let value = written.split_once(':').and_then(|(length, rest)| rest.split_at_checked(length.parse().ok()?));
        values.push(value.map_or_else(|| tr!("(none)"), |(value, _)| format!("`{}`", shortened(value))));
        written = value.map_or(&written[1..], |(_, rest)| rest);
    }
    values.join(", ")
}

/// A number in JSON as it is written most simply: 1.0 and 1e0 as 1, -0 as 0. Anything else, and one that is too large, as it is.
fn number(value: &str) -> String {
    let is_whole = value != "-0" && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number = value.parse::<f64>().ok().filter(|number| !is_whole && number.is_finite());
    // Minus nought is nought.
    number.map_or_else(|| value.to_owned(), |number| (number + 0.0).to_string())
}

impl Parser {
    /// The scope of a record with these values in its fields, and whether one is lacking; none if there are no such fields.
    pub(super) fn scope<'v>(
        &self,
        values: impl Iterator<Item = Option<Cow<'v, str>>>,
    ) -> std::result::Result<(Option<String>, bool), Fault> {
        if self.further.scope.is_empty() {
            return Ok((None, false));
        }
        let mut scope = ScopeOf::default();
        self.further.scope.iter().zip(values).try_for_each(|(field, value)| scope.add(field, value.as_deref()))?;
        Ok((Some(scope.written), scope.is_lacking))
    }

    /// The fields that a table must have, each with the option that names it.
    pub(super) fn needed(&self) -> impl Iterator<Item = (&'static str, &FieldPath)> {
        let scope = self.further.scope.iter().map(|field| ("--scope", field));
        self.message_fields().map(|field| ("--field", field)).chain(scope)
    }

    /// Where the parts of the message stand.
    pub(crate) fn message_fields(&self) -> impl Iterator<Item = &FieldPath> + Clone {
        std::iter::once(&self.field).chain(&self.further.also)
    }

    /// All fields, none for one that is not asked for: the message, the id, the time, the number, and the further ones.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Option<&FieldPath>> {
        let Self { field, id_field, time_field, seq_field, further: Further { value, scope, also } } = self;
        let single = [Some(field), Some(id_field), time_field.as_ref(), seq_field.as_ref(), value.as_ref()];
        single.into_iter().chain(scope.iter().chain(also).map(Some))
    }
}

/// What of the rows of Parquet is needed.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "nothing reads it then"))]
pub(crate) struct Columns {
    pub(crate) parser: Parser,
    pub(crate) whole: Whole,
}

/// What of a row is needed beside what is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Nothing: the other columns are not read.
    Not,
    /// The row, for an output in Parquet.
    Row,
    /// The row, and its line with all columns, for an output in JSONL.
    RowAndLine,
}

/// A line without its line end, and without the byte-order mark that editors put before a file's first line: before any line,
/// since files may have been joined.
pub(crate) fn line_content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_prefix(BOM).unwrap_or(line)
}

/// The same of a line of text.
pub(super) fn text_content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.strip_prefix('\u{feff}').unwrap_or(line)
}

/// The byte-order mark that some editors put before the first line.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

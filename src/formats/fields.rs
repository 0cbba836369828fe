//! The fields of a record: where they are, what is read from them, and what can be wrong with them.

use std::borrow::Cow;

use crate::config::settings::TIME_FIELD;
use crate::error::{Error, Result};
use crate::locale::tr;

/// Shortens a text of an input for a message: the first characters of its first line, with `…` if there are more.
pub(crate) fn shortened(text: &str) -> String {
    let mut ends = text.char_indices().enumerate().filter(|(at, (_, c))| *at == SHOWN || *c == '\n');
    match ends.next() {
        Some((_, (end, _))) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Lists the names of columns for a message.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.map(shortened);
    let mut listed = names.by_ref().take(LISTED).collect::<Vec<_>>();
    let more = names.count();
    listed.extend((more > 0).then(|| tr!("{more} more", more)));
    listed.join(", ")
}

/// A remark on a record without the field: which object above it is null, or else which fields the record has.
pub(super) fn instead_of(field: &FieldPath, line: &str) -> String {
    let Ok(record) = serde_json::from_str::<serde_json::Value>(line) else { return String::new() };
    let mut value = Some(&record);
    for (depth, key) in field.keys().iter().enumerate() {
        value = value.and_then(|value| value.get(key));
        if value.is_some_and(serde_json::Value::is_null) {
            return tr!(": `{}` is null", field.keys()[..=depth].join("."));
        }
    }
    let names = record.as_object().into_iter().flat_map(|record| record.keys());
    let names = listed(names.map(String::as_str));
    if names.is_empty() { names } else { tr!(", but {names}", names) }
}

/// The JSON pointer to the field of a record whose name is this path, dots included; `None` if the record has no such field.
pub(super) fn pointer_to_literal(field: &FieldPath, line: &str) -> Option<String> {
    let record: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let name = field.spelled();
    (field.keys().len() > 1 && record.contains_key(name))
        .then(|| format!("/{}", name.replace('~', "~0").replace('/', "~1")))
}

/// Most characters of a text, and most columns, that a message shows.
const SHOWN: usize = 80;
const LISTED: usize = 40;

/// What can be wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The line, in an input that should be UTF-8, is not UTF-8.
    InvalidUtf8,
    /// The line is not JSON, or not an object.
    InvalidJson,
    /// The record has no such field.
    MissingField,
    /// The field of the message is not a string, or a scope field holds an object or a list.
    NotAString,
    /// The line is longer than the limit.
    LineTooLong,
    /// The line is not in the encoding of the input, which is another than UTF-8.
    InvalidEncoding,
    /// The row has wrong quotes or more fields than the header, or an earlier run could not read it.
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

/// What is wrong with a record, with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind under which the fault is counted.
    pub kind: FaultKind,
    /// The whole message.
    pub reason: String,
}

/// A record as it was read from its line.
#[derive(Debug, PartialEq, Eq)]
pub struct Parsed<'l> {
    /// The message.
    pub text: Cow<'l, str>,
    /// The JSON text of its id, if it has one that is a string or a number.
    pub id: Option<Cow<'l, str>>,
    /// Whether its id field holds something else: an object, a list, or a truth value.
    pub(crate) has_other_id: bool,
    /// When the message was sent, in milliseconds since 1970, if the record has such a time.
    pub time: Option<i64>,
    /// Its number in the feed, if it has one.
    pub seq: Option<u64>,
    /// The JSON text of the value at [`Further::value`].
    pub value: Option<Cow<'l, str>>,
    /// The values at [`Further::scope`], written as one text; `None` if no scope is asked for.
    pub scope: Option<String>,
    /// Whether one of the scope fields has no value.
    pub(crate) lacks_scope: bool,
    /// Whether the message has several fields, and one of them is null or empty.
    pub(crate) lacks_part: bool,
}

/// The place of a value in a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    spelled: String,
    keys: Vec<String>,
}

impl FieldPath {
    /// Parses a dotted path (`user.text`) or a JSON pointer (`/user/text`, `/items/0`, with `~1` for `/` and `~0` for `~`).
    ///
    /// # Errors
    /// [`Error::Config`] for `option` if the path, or a step of it, is empty.
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

    /// Parses several paths. They are separated by commas, or, since the names in JSON pointers may contain commas, by `,/`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); also if there are too many paths.
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

    /// Whether `other` names something inside the value at this path.
    #[cfg(feature = "cli")]
    pub(crate) fn is_above(&self, other: &Self) -> bool {
        self.keys.len() < other.keys.len() && other.keys.starts_with(&self.keys)
    }

    /// The keys of the path, from the outermost; at least one.
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
    /// Where the message is in a JSONL record; for a table, the name or the number of its column.
    pub field: FieldPath,
    /// Where the id is.
    pub id_field: FieldPath,
    /// Where the time is, if it is asked for; see [`time`](super::time).
    pub time_field: Option<FieldPath>,
    /// Where the number in the feed is, if it is asked for: an integer, or a string of digits.
    pub seq_field: Option<FieldPath>,
    /// Further fields to read.
    pub further: Further,
}

/// Fields that are seldom asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Further {
    /// Where the value is by which one of several messages is chosen.
    pub value: Option<FieldPath>,
    /// Where the values of the scope are, at most 8 fields. Messages repeat each other only within one scope.
    pub scope: Vec<FieldPath>,
    /// Where the message continues after [`Parser::field`], at most 8 fields. The texts are joined by line ends.
    pub also: Vec<FieldPath>,
}

impl Further {
    /// Most fields of one kind.
    pub(crate) const MOST: usize = 8;
}

/// The separator between the parts of a message. Every rule treats it as a blank, and no rule counts it as content.
pub(super) const BETWEEN: &str = "\n";

/// Writes the values of a scope, each given as JSON text, as one text.
#[derive(Default)]
struct ScopeOf {
    written: String,
    is_lacking: bool,
}

impl ScopeOf {
    /// Adds a value. A missing, null or empty value counts as a value of its own.
    ///
    /// # Errors
    /// The [`Fault`] of a record whose field holds an object or a list.
    fn add(&mut self, field: &FieldPath, value: Option<&str>) -> std::result::Result<(), Fault> {
        let value = value.filter(|value| *value != "null");
        if value.is_some_and(|value| value.starts_with(['{', '['])) {
            let reason = tr!("field `{}` (--scope) is no string, number, true or false", field.spelled());
            return Err(Fault { kind: FaultKind::NotAString, reason });
        }
        self.write(value.and_then(plain).as_deref());
        Ok(())
    }

    /// Adds a value that is given as plain text.
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

/// Writes these values, each given as plain text, as one scope; `None` if there are none.
pub(crate) fn scope_of_values<'v>(values: impl Iterator<Item = Option<&'v str>>) -> Option<String> {
    let mut scope = ScopeOf::default();
    values.for_each(|value| scope.write(value));
    Some(scope.written).filter(|written| !written.is_empty())
}

/// Lists the values of a scope, which was written as one text, for a message.
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

/// Writes a value, given as JSON text, as plain text: a string, a number, `true` or `false`. `None` for any other. 7, 7.0 and "7" are
/// the same, because a table does not distinguish them.
pub(crate) fn plain(value: &str) -> Option<String> {
    let is_plain = value != "null" && !value.starts_with(['{', '[']);
    is_plain.then(|| serde_json::from_str::<String>(value).unwrap_or_else(|_| number(value)))
}

/// Writes a JSON number in its simplest form: 1.0 and 1e0 become 1, -0 becomes 0. Any other text, and a number that is too large,
/// stays unchanged.
fn number(value: &str) -> String {
    let is_whole = value != "-0" && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number = value.parse::<f64>().ok().filter(|number| !is_whole && number.is_finite());
    // Adding 0.0 turns -0 into 0.
    number.map_or_else(|| value.to_owned(), |number| (number + 0.0).to_string())
}

impl Parser {
    /// The scope of a record with these values in its scope fields, and whether one of them is missing; `None` if no scope is asked
    /// for.
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

    /// The fields that a table must have, each with its option: all that the user has named, except the id.
    pub(super) fn needed(&self) -> impl Iterator<Item = (&'static str, &FieldPath)> {
        let time = self.time_field.iter().filter(|field| field.spelled() != TIME_FIELD);
        self.message_fields()
            .map(|field| ("--field", field))
            .chain(self.further.scope.iter().map(|field| ("--scope", field)))
            .chain(time.map(|field| ("--time-field", field)))
            .chain(self.seq_field.iter().map(|field| ("--seq-field", field)))
            .chain(self.further.value.iter().map(|field| ("--represent", field)))
    }

    /// Where the parts of the message are.
    pub(crate) fn message_fields(&self) -> impl Iterator<Item = &FieldPath> + Clone {
        std::iter::once(&self.field).chain(&self.further.also)
    }

    /// All fields in this order: message, id, time, number, and the further ones. A field that is not asked for is `None`.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Option<&FieldPath>> {
        let Self { field, id_field, time_field, seq_field, further: Further { value, scope, also } } = self;
        let single = [Some(field), Some(id_field), time_field.as_ref(), seq_field.as_ref(), value.as_ref()];
        single.into_iter().chain(scope.iter().chain(also).map(Some))
    }
}

/// Which columns of Parquet rows are needed.
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "nothing reads it then"))]
pub(crate) struct Columns {
    pub(crate) parser: Parser,
    pub(crate) whole: Whole,
}

/// What is needed of a row besides the parsed fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Nothing: the other columns are not read.
    Not,
    /// The row, for output in Parquet.
    Row,
    /// The row, and a line with all its columns, for output in JSONL.
    RowAndLine,
}

/// A line without its line end, and without the byte-order mark that editors put before the first line of a file. The mark is
/// removed from every line, because files may have been joined. So is the record separator that JSON text sequences (RFC 7464) put
/// before each object.
pub(crate) fn line_content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(BOM).unwrap_or(line);
    line.strip_prefix(b"\x1e").unwrap_or(line)
}

/// The same for a line that is already known to be text.
pub(super) fn text_content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    line.strip_prefix('\u{1e}').unwrap_or(line)
}

/// The byte-order mark that some editors put before the first line.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

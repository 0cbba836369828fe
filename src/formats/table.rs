//! CSV and TSV: rows whose fields may hold line ends. Rows are found in the bytes as they come, so that they can leave as they came;
//! readers of CSV give fields.
//!
//! Quoting is RFC 4180's, as spreadsheets, databases and pandas write it, in TSV too: a field that begins with `"` ends at the
//! next one that is not doubled; anywhere else a quote is itself. Rows end with `\n` or `\r\n`; a lone `\r` ends nothing. Rows may be
//! shorter than the header. A longer one cannot be judged: most likely its message holds a delimiter that nobody quoted; but empty fields
//! behind the others are nothing. Blank lines between rows are no rows. What is kept leaves as it came, byte for byte, behind the
//! header; where rows are annotated, the verdict stands in one more column, `quchong`, as the JSON text that JSONL has, in place of an
//! older one.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::fields::{BOM, Fault, FaultKind, FieldPath, Parsed, Parser, line_content};
use super::time::milliseconds;

/// The name of the column with the verdict.
pub(crate) const COLUMN: &str = "quchong";

/// How the rows of an input are read.
#[derive(Debug, Clone)]
pub struct Table {
    delimiter: u8,
    /// Names of the columns; none if there is no header.
    names: Vec<String>,
}

impl Table {
    /// A table without a header.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, names: Vec::new() }
    }

    /// The table with this row for its header.
    pub(crate) fn with_header(mut self, row: &[u8]) -> Self {
        let row = String::from_utf8_lossy(line_content(row));
        self.names = self.fields(&row).map(|field| unquoted(field).into_owned()).collect();
        self
    }

    /// Whether both have the same columns in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.names == other.names
    }

    /// The fields of a row without its line end, as they stand there.
    fn fields<'r>(&self, row: &'r str) -> Fields<'r> {
        Fields { delimiter: self.delimiter, rest: Some(row) }
    }

    /// Which column, from 0, has this name, or this number from 1.
    fn column(&self, field: &FieldPath) -> Option<usize> {
        let number = || field.spelled().parse::<usize>().ok()?.checked_sub(1);
        self.names.iter().position(|name| name == field.spelled()).or_else(number)
    }

    /// Says so if the header names no such column: no row could have it.
    pub(crate) fn check(&self, field: &FieldPath) -> Result<(), String> {
        match self.column(field) {
            Some(column) if column < self.names.len() => Ok(()),
            _ => Err(self.no_column(field)),
        }
    }

    fn no_column(&self, field: &FieldPath) -> String {
        let names = self.names.join(", ");
        format!("no column `{}`, but {names} (--field names one, or is its number)", field.spelled())
    }

    /// The record in a row without its line end.
    pub(crate) fn parse<'l>(&self, row: &str, parser: &Parser) -> Result<Parsed<'l>, Fault> {
        let missing = |reason| Fault { kind: FaultKind::MissingField, reason };
        let field = parser.field.spelled();
        let text = self.column(&parser.field).ok_or_else(|| missing(self.no_column(&parser.field)))?;
        let id = self.column(&parser.id_field);
        let time = parser.time_field.as_ref().and_then(|field| self.column(field));
        let seq = parser.seq_field.as_ref().and_then(|field| self.column(field));
        let fields: Vec<&str> = self.fields(row).collect();
        let found = fields.len();
        if fields.iter().skip(self.names.len()).any(|field| !field.is_empty()) && !self.names.is_empty() {
            let names = self.names.len();
            let reason = format!(
                "the row has {found} fields, and the header {names}; a field with the delimiter in it needs quotes"
            );
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        let value = |column: usize| fields.get(column).map(|field| unquoted(field));
        let older = self.names.iter().position(|name| name == COLUMN).and_then(value);
        if older.is_some_and(|older| {
            serde_json::from_str::<serde_json::Value>(&older).is_ok_and(|note| note.get("raw").is_some())
        }) {
            let reason =
                "an earlier run could not read the row, and left it under `raw` in column `quchong`".to_owned();
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        let id = id.and_then(value).filter(|id| !id.is_empty()).map(|id| Cow::Owned(json(&id)));
        let time = time.and_then(|time| milliseconds(value(time)?.trim()));
        let seq = seq.and_then(|seq| value(seq)?.trim().parse().ok());
        match value(text) {
            Some(text) => Ok(Parsed { text: Cow::Owned(text.into_owned()), id, time, seq }),
            None => {
                Err(missing(format!("the row has {found} fields, and column `{field}` would be number {}", text + 1)))
            }
        }
    }

    /// Appends the header with the column that annotated rows have.
    pub(crate) fn annotate_header(&self, header: &str, out: &mut String) {
        self.without_verdict(header, out);
        out.push(char::from(self.delimiter));
        out.push_str(COLUMN);
    }

    /// Appends the fields of a row but for those without a name, which are empty, and for an older verdict; how many they are.
    fn without_verdict(&self, row: &str, out: &mut String) -> usize {
        let most = if self.names.is_empty() { usize::MAX } else { self.names.len() };
        let is_verdict = |column: usize| self.names.get(column).is_some_and(|name| name == COLUMN);
        let fields = self.fields(row).take(most).enumerate().filter(|(column, _)| !is_verdict(*column));
        fields.fold(0, |before, (_, field)| {
            if before > 0 {
                out.push(char::from(self.delimiter));
            }
            out.push_str(field);
            before + 1
        })
    }

    /// Appends a row with `note` in the last column, behind as many fields as the header has. A row that cannot be read
    /// (`is_whole` is false) gives no fields; it then stands in the note.
    pub(crate) fn annotate(&self, row: &str, is_whole: bool, note: &str, out: &mut String) {
        let fields = if is_whole { self.without_verdict(row, out) } else { 1 };
        let columns = self.names.iter().filter(|name| *name != COLUMN).count();
        out.extend(std::iter::repeat_n(char::from(self.delimiter), columns.saturating_sub(fields) + 1));
        out.push('"');
        if is_whole {
            out.push_str(&note.replace('"', "\"\""));
        } else {
            let members = note.strip_suffix('}').unwrap_or(note);
            let raw = serde_json::Value::from(row);
            out.push_str(&format!(r#"{members},"raw":{raw}}}"#).replace('"', "\"\""));
        }
        out.push('"');
    }
}

/// The fields of a row, quotes and all.
struct Fields<'r> {
    delimiter: u8,
    rest: Option<&'r str>,
}

impl<'r> Iterator for Fields<'r> {
    type Item = &'r str;

    fn next(&mut self) -> Option<&'r str> {
        let row = self.rest?;
        let quoted = row.strip_prefix('"').map_or(0, |quoted| 1 + end_of_quotes(quoted).unwrap_or(quoted.len()));
        let end = memchr::memchr(self.delimiter, &row.as_bytes()[quoted..]).map(|end| quoted + end);
        self.rest = end.map(|end| &row[end + 1..]);
        Some(&row[..end.unwrap_or(row.len())])
    }
}

/// Behind the quote that ends a field, the first one that is not doubled; none if it never ends.
fn end_of_quotes(quoted: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        from += memchr::memchr(b'"', &quoted.as_bytes()[from..])? + 1;
        if quoted.as_bytes().get(from) != Some(&b'"') {
            return Some(from);
        }
        from += 1;
    }
}

/// What a field says: what stands in its quotes, doubled ones as one, and what stands behind them.
fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(quoted) = field.strip_prefix('"') else { return Cow::Borrowed(field) };
    let (inside, behind) = end_of_quotes(quoted).map_or((quoted, ""), |end| (&quoted[..end - 1], &quoted[end..]));
    Cow::Owned(inside.replace("\"\"", "\"") + behind)
}

/// JSON text of an id: a number if it is a whole one, written as numbers are. Others, such as 1e5 and 1.50, would come back from readers
/// of JSON as something else than what stands in the row.
fn json(id: &str) -> String {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
    if id == "0" || is_number && !digits.starts_with('0') {
        id.to_owned()
    } else {
        serde_json::Value::from(id).to_string()
    }
}

/// Finds where rows end, however reads cut them.
#[derive(Debug)]
pub(crate) struct Rows {
    delimiter: u8,
    at: At,
    /// Behind the line ends of the rows in hand, in order.
    ends: VecDeque<usize>,
}

/// What comes next in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// A byte of the byte-order mark, if the input begins with one.
    Mark(usize),
    /// A field.
    Field,
    /// More of a field, in which quotes are nothing special.
    Plain,
    /// More of a field in quotes.
    Quoted,
    /// What shows whether the quote before it ended the field.
    Quote,
}

impl Rows {
    /// The rows of an input from its beginning.
    pub fn new(delimiter: u8) -> Self {
        Self { delimiter, at: At::Mark(0), ends: VecDeque::new() }
    }

    /// Looks at the bytes in hand from `from`, behind those that it looked at before.
    pub fn look(&mut self, bytes: &[u8], from: usize) {
        let mut next = from;
        while let Some(byte) = bytes.get(next).copied() {
            let rest = &bytes[next..];
            let (at, length) = match self.at {
                At::Mark(known) if byte == BOM[known] => {
                    (if known + 1 == BOM.len() { At::Field } else { At::Mark(known + 1) }, 1)
                }
                At::Field | At::Mark(0) if byte == b'"' => (At::Quoted, 1),
                At::Quote if byte == b'"' => (At::Quoted, 1),
                At::Quoted => memchr::memchr(b'"', rest).map_or((At::Quoted, rest.len()), |at| (At::Quote, at + 1)),
                _ => match memchr::memchr2(self.delimiter, b'\n', rest) {
                    Some(at) => (At::Field, at + 1),
                    None => (At::Plain, rest.len()),
                },
            };
            (self.at, next) = (at, next + length);
            if at == At::Field && bytes[next - 1] == b'\n' {
                self.ends.push_back(next);
            }
        }
    }

    /// Behind the last row that has ended.
    pub fn last_end(&self) -> usize {
        self.ends.back().copied().unwrap_or(0)
    }

    /// Behind the row that `from` is in, if it has ended.
    pub fn end_after(&self, from: usize) -> Option<usize> {
        self.ends.get(self.ends.partition_point(|end| *end <= from)).copied()
    }

    /// The first `length` bytes have gone on.
    pub fn advance(&mut self, length: usize) {
        self.ends.drain(..self.ends.partition_point(|end| *end <= length));
        self.ends.iter_mut().for_each(|end| *end -= length);
    }

    /// Whether the bytes looked at end within quotes.
    pub fn is_quoted(&self) -> bool {
        self.at == At::Quoted
    }
}

#[cfg(test)]
mod tests;

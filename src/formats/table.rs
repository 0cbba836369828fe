//! CSV and TSV: tables whose fields may hold line ends. The ends of rows are found in the bytes as they are read, so that rows can be
//! written back unchanged; a CSV library would only return the fields.
//!
//! Quoting follows RFC 4180, as spreadsheets, databases and pandas write it, in TSV too. A field that begins with `"` ends at the next
//! `"` that is not doubled, and only blanks may come after that. Anywhere else a quote is an ordinary character. A row with other quotes
//! cannot be judged.
//!
//! Rows end with `\n` or `\r\n`; a lone `\r` ends nothing. A row may be shorter than the header. A longer row cannot be judged, because
//! most likely its message holds an unquoted delimiter; additional empty fields at its end are ignored. Blank lines between rows are no
//! rows.
//!
//! Kept rows leave byte for byte as they came, after the header. In annotated rows the verdict is in an additional last column,
//! `quchong`, as the same JSON text as in JSONL. It replaces an older verdict.

mod header;
mod likeness;
mod row;
mod rows;

use std::borrow::Cow;

use super::fields::{BETWEEN, Fault, FaultKind, FieldPath, Parsed, Parser, line_content};
use super::time::milliseconds;
use crate::locale::tr;
pub(super) use likeness::{ROWS_FROM, likely_table};
use row::{Fields, count_fields, end_of_quotes};
pub(crate) use rows::{LINES, RowSplitter, names_delimiter};

/// The name of the column for the verdict.
pub(crate) const COLUMN: &str = "quchong";

/// How the rows of an input are read.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    delimiter: u8,
    /// The names of the columns; empty if there is no header.
    names: Vec<String>,
    /// The line end of the header; `\n` without a header.
    line_end: &'static str,
    /// The header without its line end; empty if there is none.
    header: Vec<u8>,
}

impl Table {
    /// Makes a table without a header.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, names: Vec::new(), line_end: "\n", header: Vec::new() }
    }

    /// Makes this row the header.
    pub(crate) fn with_header(mut self, row: &[u8]) -> Self {
        if row.ends_with(b"\r\n") {
            self.line_end = "\r\n";
        }
        self.header = line_content(row).to_vec();
        let row = String::from_utf8_lossy(line_content(row));
        // People put blanks around names: `id , text`.
        self.names = self.fields(&row).map(|field| unquoted(field).trim().to_owned()).collect();
        self
    }

    /// Whether both tables have the same columns in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.names == other.names
    }

    /// Whether a line is the header once more.
    pub(crate) fn is_header(&self, line: &[u8]) -> bool {
        // A line of another length is no header; 5 bytes are a byte-order mark and a line end.
        let length = self.header.len();
        length > 0 && (length..=length + 5).contains(&line.len()) && line_content(line) == self.header
    }

    /// Whether a column has this name.
    pub(crate) fn names(&self, field: &FieldPath) -> bool {
        self.names.iter().any(|name| name == field.spelled())
    }

    /// The fields of a row without its line end, each with its quotes.
    fn fields<'r>(&self, row: &'r str) -> Fields<'r> {
        Fields { delimiter: self.delimiter, rest: Some(row) }
    }

    /// Whether the quotes of a row's last field are not closed.
    pub(crate) fn is_open(&self, row: &str) -> bool {
        count_fields(self.delimiter, row).is_err()
    }

    /// The index, from 0, of the column with this name, or else with this 1-based number.
    fn column(&self, field: &FieldPath) -> Option<usize> {
        let number = || field.spelled().parse::<usize>().ok()?.checked_sub(1);
        self.names.iter().position(|name| name == field.spelled()).or_else(number)
    }

    /// The line end of its rows, judged by the header.
    pub(crate) fn line_end(&self) -> &'static str {
        self.line_end
    }

    /// The names of the columns; empty if there is no header.
    #[cfg(feature = "cli")]
    pub(crate) fn header(&self) -> &[String] {
        &self.names
    }

    /// The values of a row without its line end, each under the name of its column.
    ///
    /// # Errors
    /// The [`Fault`] of a row with more fields than the header.
    #[cfg(feature = "lab")]
    pub(crate) fn record(&self, row: &str) -> Result<serde_json::Map<String, serde_json::Value>, Fault> {
        let fields = self.fields_of_record(row)?;
        Ok(self.names.iter().zip(fields).map(|(name, field)| (name.clone(), unquoted(field).into())).collect())
    }

    /// The fields of a row, each with its quotes.
    fn fields_of_record<'r>(&self, row: &'r str) -> Result<Vec<&'r str>, Fault> {
        let fields: Vec<&str> = self.fields(row).collect();
        if fields.iter().skip(self.names.len()).any(|field| !field.is_empty()) && !self.names.is_empty() {
            let names = self.names.len();
            let reason = tr!(
                "the row has {}, and the header {names}; put a field with the delimiter in it in quotes",
                counted(fields.len()),
                names
            );
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        Ok(fields)
    }

    /// Parses the record in a row without its line end.
    pub(crate) fn parse<'l>(&self, row: &str, parser: &Parser) -> Result<Parsed<'l>, Fault> {
        let missing = |reason| Fault { kind: FaultKind::MissingField, reason };
        let field = parser.field.spelled();
        let text = self.column(&parser.field).ok_or_else(|| missing(self.no_column("--field", &parser.field)))?;
        let id = self.column(&parser.id_field);
        let time = parser.time_field.as_ref().and_then(|field| self.column(field));
        let seq = parser.seq_field.as_ref().and_then(|field| self.column(field));
        let fields = self.fields_of_record(row)?;
        let found = fields.len();
        let value = |column: usize| fields.get(column).map(|field| unquoted(field));
        let older = self.names.iter().position(|name| name == COLUMN).and_then(value);
        if older.is_some_and(|older| {
            serde_json::from_str::<serde_json::Value>(&older).is_ok_and(|note| note.get("raw").is_some())
        }) {
            let reason = tr!("an earlier run could not read the row, and left it under `raw` in column `quchong`");
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        let id = id.and_then(value).and_then(as_id).map(Cow::Owned);
        let time = time.and_then(|time| milliseconds(value(time)?.trim()));
        let seq = seq.and_then(|seq| value(seq)?.trim().parse().ok());
        let further = |field: &FieldPath| {
            let value = value(self.column(field)?).filter(|value| !value.is_empty())?;
            Some(Cow::Owned(json(&value)))
        };
        let of = parser.further.value.as_ref().and_then(further);
        let (scope, lacks_scope) = parser.scope(parser.further.scope.iter().map(further))?;
        let mut also = Vec::new();
        for field in &parser.further.also {
            let part = self.column(field).and_then(value);
            also.push(part.ok_or_else(|| missing(self.no_column("--field", field)))?);
        }
        let joined = |text: Cow<'_, str>| match also.is_empty() {
            true => text.into_owned(),
            false => [&[text], &also[..]].concat().join(BETWEEN),
        };
        match value(text) {
            Some(text) => {
                let lacks_part = !also.is_empty() && (text.is_empty() || also.iter().any(|part| part.is_empty()));
                let text = Cow::Owned(joined(text));
                Ok(Parsed { text, id, has_other_id: false, time, seq, value: of, scope, lacks_scope, lacks_part })
            }
            None => Err(missing(tr!(
                "the row has {}, and column `{field}` would be number {}",
                counted(found),
                text + 1,
                field
            ))),
        }
    }

    /// The id of a row, as JSON text, even if the row cannot be judged.
    #[cfg(feature = "cli")]
    pub(crate) fn id(&self, row: &str, id_field: &FieldPath) -> Option<String> {
        as_id(unquoted(self.fields(row).nth(self.column(id_field)?)?))
    }

    /// Appends the header with the additional column of annotated rows.
    pub(crate) fn annotate_header(&self, header: &str, out: &mut String) {
        self.without_verdict(header, out);
        out.push(char::from(self.delimiter));
        out.push_str(COLUMN);
    }

    /// Appends the fields of a row, except an older verdict and the empty fields beyond the header. Returns how many were appended.
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

    /// Appends a row with `note` in its last column; missing fields before it are filled up as empty ones.
    pub(crate) fn annotate(&self, row: &str, note: &str, out: &mut String) {
        let fields = self.without_verdict(row, out);
        self.last_column(fields, note, out);
    }

    /// Appends a row that cannot be read: its fields are empty, and the JSON members `raw` are added to the note.
    pub(crate) fn annotate_unread(&self, raw: &str, note: &str, out: &mut String) {
        let members = note.strip_suffix('}').unwrap_or(note);
        self.last_column(1, &format!("{members},{raw}}}"), out);
    }

    fn last_column(&self, fields: usize, note: &str, out: &mut String) {
        let columns = self.names.iter().filter(|name| *name != COLUMN).count();
        out.extend(std::iter::repeat_n(char::from(self.delimiter), columns.saturating_sub(fields) + 1));
        out.push('"');
        out.push_str(&note.replace('"', "\"\""));
        out.push('"');
    }
}

fn counted(fields: usize) -> String {
    tr!("{n} field" | "{n} fields" % fields)
}

/// The value of a field: the text within its quotes, with doubled quotes as single ones, and the text after them.
fn unquoted(field: &str) -> Cow<'_, str> {
    let Some(quoted) = field.strip_prefix('"') else { return Cow::Borrowed(field) };
    let (inside, behind) = end_of_quotes(quoted).map_or((quoted, ""), |end| (&quoted[..end - 1], &quoted[end..]));
    Cow::Owned(inside.replace("\"\"", "\"") + behind)
}

/// The id in a field that has one.
fn as_id(field: Cow<'_, str>) -> Option<String> {
    (!field.is_empty()).then(|| json(&field))
}

/// The JSON text of an id: a number if it is a whole number in its usual form. Other numbers, such as 1e5 and 1.50, become strings,
/// because readers of JSON could return them in another form than the row's.
fn json(id: &str) -> String {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
    if id == "0" || is_number && !digits.starts_with('0') {
        id.to_owned()
    } else {
        serde_json::Value::from(id).to_string()
    }
}

#[cfg(test)]
mod tests;

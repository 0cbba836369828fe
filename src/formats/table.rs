//! CSV and TSV: rows whose fields may hold line ends. Rows are found in the bytes as they come, so that they can leave as they came;
//! readers of CSV give fields.
//!
//! Quoting is RFC 4180's, as spreadsheets, databases and pandas write it, in TSV too: a field that begins with `"` ends at the
//! next one that is not doubled, and has nothing but blanks behind it; anywhere else a quote is itself. A row with other quotes
//! cannot be judged. Rows end with `\n` or `\r\n`; a lone `\r` ends nothing. Rows may be
//! shorter than the header. A longer one cannot be judged: most likely its message holds a delimiter that nobody quoted; but empty fields
//! behind the others are nothing. Blank lines between rows are no rows. What is kept leaves as it came, byte for byte, behind the
//! header; where rows are annotated, the verdict stands in one more column, `quchong`, as the JSON text that JSONL has, in place of an
//! older one.

mod row;
mod rows;

use std::borrow::Cow;

use super::fields::{BETWEEN, Fault, FaultKind, FieldPath, Parsed, Parser, line_content, listed};
use super::time::milliseconds;
use crate::locale::tr;
use row::{Fields, count_fields, end_of_quotes};
pub(crate) use rows::{LINES, RowSplitter};

/// The name of the column with the verdict.
pub(crate) const COLUMN: &str = "quchong";

/// How the rows of an input are read.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    delimiter: u8,
    /// Names of the columns; none if there is no header.
    names: Vec<String>,
    /// What ends the header; `\n` without one.
    line_end: &'static str,
}

impl Table {
    /// A table without a header.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, names: Vec::new(), line_end: "\n" }
    }

    /// The table with this row for its header.
    pub(crate) fn with_header(mut self, row: &[u8]) -> Self {
        if row.ends_with(b"\r\n") {
            self.line_end = "\r\n";
        }
        let row = String::from_utf8_lossy(line_content(row));
        self.names = self.fields(&row).map(|field| unquoted(field).into_owned()).collect();
        self
    }

    /// Whether both have the same columns in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.names == other.names
    }

    /// Whether a column has this name.
    pub(crate) fn names(&self, field: &FieldPath) -> bool {
        self.names.iter().any(|name| name == field.spelled())
    }

    /// The fields of a row without its line end, as they stand there.
    fn fields<'r>(&self, row: &'r str) -> Fields<'r> {
        Fields { delimiter: self.delimiter, rest: Some(row) }
    }

    /// Whether the quotes of a row's last field do not end.
    pub(crate) fn is_open(&self, row: &str) -> bool {
        count_fields(self.delimiter, row).is_err()
    }

    /// Which column, from 0, has this name, or this number from 1.
    fn column(&self, field: &FieldPath) -> Option<usize> {
        let number = || field.spelled().parse::<usize>().ok()?.checked_sub(1);
        self.names.iter().position(|name| name == field.spelled()).or_else(number)
    }

    /// What ends its rows, going by the header.
    pub(crate) fn line_end(&self) -> &'static str {
        self.line_end
    }

    /// The names of the columns; none if there is no header.
    #[cfg(feature = "cli")]
    pub(crate) fn header(&self) -> &[String] {
        &self.names
    }

    /// Says so if the header names no such column: no row could have it.
    pub(crate) fn check(&self, option: &str, field: &FieldPath) -> Result<(), String> {
        match self.column(field) {
            Some(column) if column < self.names.len() => Ok(()),
            _ => Err(self.no_column(option, field)),
        }
    }

    fn no_column(&self, option: &str, field: &FieldPath) -> String {
        let names = listed(self.names.iter().map(String::as_str));
        tr!(
            "no column `{}`, but {names}; {option} takes one of these names, or a number",
            field.spelled(),
            names,
            option
        )
    }

    /// The record in a row without its line end.
    pub(crate) fn parse<'l>(&self, row: &str, parser: &Parser) -> Result<Parsed<'l>, Fault> {
        let missing = |reason| Fault { kind: FaultKind::MissingField, reason };
        let field = parser.field.spelled();
        let text = self.column(&parser.field).ok_or_else(|| missing(self.no_column("--field", &parser.field)))?;
        let id = self.column(&parser.id_field);
        let time = parser.time_field.as_ref().and_then(|field| self.column(field));
        let seq = parser.seq_field.as_ref().and_then(|field| self.column(field));
        let fields: Vec<&str> = self.fields(row).collect();
        let found = fields.len();
        if fields.iter().skip(self.names.len()).any(|field| !field.is_empty()) && !self.names.is_empty() {
            let names = self.names.len();
            let reason = tr!(
                "the row has {}, and the header {names}; put a field with the delimiter in it in quotes",
                counted(found),
                names
            );
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        let value = |column: usize| fields.get(column).map(|field| unquoted(field));
        let older = self.names.iter().position(|name| name == COLUMN).and_then(value);
        if older.is_some_and(|older| {
            serde_json::from_str::<serde_json::Value>(&older).is_ok_and(|note| note.get("raw").is_some())
        }) {
            let reason = tr!("an earlier run could not read the row, and left it under `raw` in column `quchong`");
            return Err(Fault { kind: FaultKind::InvalidCsv, reason });
        }
        let id = id.and_then(value).filter(|id| !id.is_empty()).map(|id| Cow::Owned(json(&id)));
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

    /// Appends a row with `note` in the last column, behind as many fields as the header has.
    pub(crate) fn annotate(&self, row: &str, note: &str, out: &mut String) {
        let fields = self.without_verdict(row, out);
        self.last_column(fields, note, out);
    }

    /// Appends a row that cannot be read: without fields, and with the members `raw` of JSON in the note.
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

#[cfg(test)]
mod tests;

//! Parses a line into a record, the text to judge and its id, or into the fault that keeps it from being judged.

mod path_finder;
mod reasons;
mod surrogate;

use std::borrow::Cow;

use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::batch::{Batch, Layout, Line, Part};
use super::encoding::Encoding;
#[cfg(feature = "cli")]
pub(crate) use super::fields::BOM;
#[cfg(feature = "lab")]
pub(crate) use super::fields::plain;
#[cfg(feature = "cli")]
pub(crate) use super::fields::shown_scope;
use super::fields::text_content;
use super::fields::{BETWEEN, instead_of, pointer_to_literal};
pub use super::fields::{Fault, FaultKind, FieldPath, Further, Parsed, Parser};
pub(crate) use super::fields::{line_content, scope_of_values, shortened};
use super::time::milliseconds;
use crate::locale::tr;
use path_finder::{Found, PathFinder};
pub(crate) use reasons::without_line;
use reasons::{content, is_array, misquoted, no_record, not_json};
pub(crate) use surrogate::half_surrogate;

/// How many fields a parser names one of each, and how many of these suffice if no further fields are asked for.
const SINGLE: usize = 5;
const FEW: usize = 4;

impl Parser {
    /// Returns the records of a batch in order: `None` for a blank line, and a [`Fault`] for a line that cannot be judged.
    ///
    /// ```
    /// use quchong::formats::lines::MAX_LINE;
    /// use quchong::formats::parse::{FieldPath, Further, Parser};
    /// use quchong::formats::source::{Format, Input, Source};
    ///
    /// let path = |path| FieldPath::parse("--field", path);
    /// let parser = Parser { field: path("text")?, id_field: path("id")?, time_field: None, seq_field: None, further: Further::default() };
    /// let mut source = Source::new(vec![Input::File("data/posts.jsonl".into())], Format::Auto, MAX_LINE)?;
    /// let mut posts = 0;
    /// while let Some(batch) = source.next_batch()? {
    ///     for record in parser.records(&batch) {
    ///         posts += usize::from(record.is_ok_and(|record| record.is_some_and(|record| !record.text.is_empty())));
    ///     }
    /// }
    /// assert!(posts > 100);
    /// # Ok::<(), quchong::Error>(())
    /// ```
    pub fn records<'b>(&self, batch: &'b Batch) -> impl Iterator<Item = Result<Option<Parsed<'b>>, Fault>> {
        let text = as_text(batch);
        batch.lines.iter().filter(|line| line.part.is_record()).map(move |line| self.read(batch, text, line))
    }

    /// Parses the record in a line of a batch that [begins one](Part::is_record); `None` if the line is blank. `text` is the batch [as
    /// text](as_text).
    ///
    /// # Errors
    /// The [`Fault`] that keeps the line from being judged.
    pub(crate) fn read<'b>(
        &self,
        batch: &'b Batch,
        text: Option<&'b str>,
        line: &Line,
    ) -> Result<Option<Parsed<'b>>, Fault> {
        let fault = |kind, reason: &str| Err(Fault { kind, reason: reason.to_owned() });
        match line.part {
            Part::Undecodable => {
                let reason = tr!("not {} (--encoding names another encoding)", batch.encoding());
                fault(FaultKind::InvalidEncoding, &reason)
            }
            Part::Misquoted => {
                fault(FaultKind::InvalidCsv, &misquoted(&batch.bytes[line.start..line.end], batch.layout()))
            }
            Part::TooLong => {
                fault(FaultKind::LineTooLong, &tr!("the line is too long to be judged (--max-line sets the limit)"))
            }
            Part::Whole | Part::TooLongRest | Part::Header | Part::HeaderAgain | Part::HeaderRow => {
                match text.and_then(|text| text.get(line.start..line.end)) {
                    Some(line) => self.parse_text(text_content(line), batch.layout()),
                    None => self.parse(&batch.bytes[line.start..line.end], batch.layout()),
                }
            }
        }
    }

    /// Parses the record in a line, with or without its line end; `None` if the line is blank.
    ///
    /// # Errors
    /// The [`Fault`] that keeps the line from being judged.
    pub(crate) fn parse<'l>(&self, line: &'l [u8], layout: Layout<'_>) -> Result<Option<Parsed<'l>>, Fault> {
        let content = line_content(line);
        let text = quickly_text(content).map_or_else(|| std::str::from_utf8(content), Ok).map_err(|error| Fault {
            kind: FaultKind::InvalidUtf8,
            reason: match Encoding::may_be_gb18030(content) {
                true => tr!(
                    "not UTF-8 at byte {} of the line, which looks like GB18030 (--encoding gb18030 reads that)",
                    error.valid_up_to() + 1
                ),
                false => tr!(
                    "not UTF-8 at byte {} of the line (another encoding? --encoding names it)",
                    error.valid_up_to() + 1
                ),
            },
        })?;
        self.parse_text(text, layout)
    }

    /// The same for the content of a line.
    fn parse_text<'l>(&self, text: &'l str, layout: Layout<'_>) -> Result<Option<Parsed<'l>>, Fault> {
        match layout {
            Layout::Table(_) if text.is_empty() => Ok(None),
            Layout::Table(table) => table.parse(text, self).map(Some),
            _ if text.trim_start().is_empty() => Ok(None),
            Layout::Jsonl => self.parse_json(text).map(Some),
            Layout::Lines => {
                let text = text.into();
                let (id, time, seq, value, scope) = (None, None, None, None, None);
                let (lacks_scope, lacks_part) = (false, false);
                Ok(Some(Parsed { text, id, has_other_id: false, time, seq, value, scope, lacks_scope, lacks_part }))
            }
        }
    }

    /// The id in a line of JSON, as JSON text, even if the message in the line cannot be judged.
    #[cfg(feature = "serve")]
    pub(crate) fn id<'l>(&self, line: &'l [u8]) -> Option<&'l str> {
        let [_, id, ..] = self.find::<FEW>(std::str::from_utf8(line_content(line)).ok()?).ok()?;
        id.map(RawValue::get).and_then(as_id)
    }

    /// The id in a line, as JSON text, as far as it can be read if the record is broken.
    #[cfg(feature = "cli")]
    pub(crate) fn id_of_broken(&self, line: &str, layout: Layout<'_>) -> Option<String> {
        match layout {
            Layout::Table(table) => table.id(line, &self.id_field),
            Layout::Jsonl => {
                let ([_, id, ..], _) = self.look::<FEW>(line);
                id.map(RawValue::get).and_then(as_id).map(str::to_owned)
            }
            Layout::Lines => None,
        }
    }

    fn parse_json<'l>(&self, line: &'l str) -> Result<Parsed<'l>, Fault> {
        // The fewer fields are looked for, the faster.
        let mut found = [None; SINGLE + 2 * Further::MOST];
        if self.further == Further::default() {
            found[..FEW].copy_from_slice(&self.find::<FEW>(line)?);
        } else {
            found = self.find(line)?;
        }
        let ([text, id, time, seq, value], others) = found.split_first_chunk().unwrap_or((&[None; SINGLE], &[]));
        let also = others.iter().skip(self.further.scope.len());
        let mut lacks_part = false;
        let text = if self.further.also.is_empty() {
            part_of(&self.field, *text, line)?
        } else {
            let mut parts = Vec::new();
            for (field, part) in self.message_fields().zip(std::iter::once(text).chain(also)) {
                // For example, a post without a title has null there.
                if part.is_none_or(|part| part.get() != "null") {
                    parts.push(part_of(field, *part, line)?);
                }
                lacks_part |= part.is_some_and(|part| matches!(part.get(), "null" | "\"\""));
            }
            // A record without any of the parts is treated like one without the message.
            if parts.is_empty() { part_of(&self.field, *text, line)? } else { Cow::Owned(parts.join(BETWEEN)) }
        };
        let there = id.map(RawValue::get).filter(|id| *id != "null");
        let id = there.and_then(as_id);
        let has_other_id = there.is_some() && id.is_none();
        let time = time.and_then(|time| milliseconds(time.get()));
        let seq = seq.and_then(|seq| seq.get().trim_matches('"').parse().ok());
        let value = value.map(|value| Cow::Borrowed(value.get()));
        let (scope, lacks_scope) =
            self.scope(others.iter().map(|value| value.map(|value| Cow::Borrowed(value.get()))))?;
        Ok(Parsed { text, id: id.map(Cow::Borrowed), has_other_id, time, seq, value, scope, lacks_scope, lacks_part })
    }

    /// Finds the values of the first `N` fields in a line.
    fn find<'l, const N: usize>(&self, line: &'l str) -> Result<Found<'l, N>, Fault> {
        let (found, read) = self.look(line);
        read.map_err(|error| Fault {
            kind: FaultKind::InvalidJson,
            reason: match is_array(line) {
                true => no_record(line),
                false if error.is_eof() && content(line).trim_end() == "{" => {
                    tr!("begins an object of several lines, and each line must be one object: `jq -c . FILE` joins its lines")
                }
                false => not_json(line, &error),
            },
        })?;
        Ok(found)
    }

    /// The same, with the values that stand before an error, if there is one.
    fn look<'l, const N: usize>(&self, line: &'l str) -> (Found<'l, N>, serde_json::Result<()>) {
        let mut found = [None; N];
        let mut json = serde_json::Deserializer::from_str(line);
        let mut all = self.fields();
        let paths = std::array::from_fn(|_| all.next().flatten().map(FieldPath::keys));
        let read = PathFinder { paths, found: &mut found }.deserialize(&mut json).and_then(|()| json.end());
        (found, read)
    }
}

/// The bytes as text; `None` if they are not UTF-8. This is several times as fast as the standard library, which is then used to find the
/// faulty byte.
fn quickly_text(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// All lines of a batch as one text; `None` if any line is not UTF-8. One check of all lines is faster than a check of each.
pub(crate) fn as_text(batch: &Batch) -> Option<&str> {
    quickly_text(&batch.bytes)
}

/// The value, if it is a string or a number.
fn as_id(value: &str) -> Option<&str> {
    value.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()).then_some(value)
}

/// Reads the message, or a part of it, from a line.
fn part_of<'l>(field: &FieldPath, text: Option<&'l RawValue>, line: &str) -> Result<Cow<'l, str>, Fault> {
    let name = field.spelled();
    let Some(text) = text else {
        let is_object = content(line).starts_with('{');
        if !(is_object || is_array(line) && name.starts_with('/')) {
            return Err(Fault { kind: FaultKind::InvalidJson, reason: no_record(line) });
        }
        let reason = match pointer_to_literal(field, content(line)) {
            Some(pointer) => tr!(
                "`{name}` means a field inside `{}`, and there is none; the record has a field whose name has the dots in it: write --field {pointer}",
                field.keys()[0],
                name,
                pointer
            ),
            None => tr!("no field `{name}`{} (--field names another)", instead_of(field, line), name),
        };
        return Err(Fault { kind: FaultKind::MissingField, reason });
    };
    if text.get() == "null" {
        let reason = tr!("field `{name}` is null, and a message is a string", name);
        return Err(Fault { kind: FaultKind::NotAString, reason });
    }
    if !text.get().starts_with('"') {
        return Err(Fault { kind: FaultKind::NotAString, reason: tr!("field `{name}` is not a string", name) });
    }
    json_str(text.get()).map_err(|error| Fault {
        kind: FaultKind::InvalidJson,
        reason: match half_surrogate(text.get()) {
            Some(half) => tr!(
                "field `{name}` is not text: {half} is half of a surrogate pair, as a cut in the middle of an emoji leaves it; cut texts between \
                 characters",
                name,
                half
            ),
            None => tr!("field `{name}` is not text: {}", without_line(&error), name),
        },
    })
}

/// Decodes a JSON string; borrows it if it has no escapes.
fn json_str(json: &str) -> serde_json::Result<Cow<'_, str>> {
    #[derive(serde::Deserialize)]
    struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Borrowed<'_>>(json).map(|Borrowed(text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser(field: &str) -> Parser {
        Parser {
            field: FieldPath::parse("--field", field).unwrap(),
            id_field: FieldPath::parse("--id-field", "id").unwrap(),
            time_field: Some(FieldPath::parse("--time-field", "at").unwrap()),
            seq_field: Some(FieldPath::parse("--seq-field", "n").unwrap()),
            further: Further::default(),
        }
    }

    fn parse(field: &str, line: &str) -> Result<(String, Option<String>), FaultKind> {
        match parser(field).parse(line.as_bytes(), Layout::Jsonl) {
            Ok(parsed) => Ok(parsed.map(|p| (p.text.into_owned(), p.id.map(Cow::into_owned))).unwrap_or_default()),
            Err(fault) => Err(fault.kind),
        }
    }

    #[test]
    fn records() {
        let deep = format!("{{\"x\":{}1{},\"text\":\"去重\"}}", "[".repeat(100_000), "]".repeat(100_000));
        let cases = [
            ("text", r#"{"id":7,"text":"你好"}"#, Ok(("你好", Some("7")))),
            ("text", "\u{feff}{\"id\":\"a\",\"text\":\"a\\nb\"}\r\n", Ok(("a\nb", Some("\"a\"")))),
            ("text", r#"{"text":"first","text":"last","id":null}"#, Ok(("last", None))),
            ("a.b", r#"{"a":{"b":"x","id":1},"id":2.5}"#, Ok(("x", Some("2.5")))),
            ("/a~1b/1/t", r#"{"a/b":[0,{"t":"x"}],"id":{"no":"id"}}"#, Ok(("x", None))),
            ("id", r#"{"id":"both"}"#, Ok(("both", Some("\"both\"")))),
            ("text", &deep, Ok(("去重", None))),
            ("text", r#"{"n":1e400,"text":"x"}"#, Ok(("x", None))),
            ("text", r#"{"text":"\ud83d\ude00"}"#, Ok(("😀", None))),
            ("text", "  ", Ok(("", None))),
            ("text", r#"{"text":"\ud83d"}"#, Err(FaultKind::InvalidJson)),
            ("text", r#"{"text":"cut"#, Err(FaultKind::InvalidJson)),
            ("text", r#"{"text":"x"} {"#, Err(FaultKind::InvalidJson)),
            ("text", r#"{"other":"x"}"#, Err(FaultKind::MissingField)),
            ("text", r#"["text"]"#, Err(FaultKind::InvalidJson)),
            ("/1", r#"["text"]"#, Err(FaultKind::MissingField)),
            ("/0", r#"["text"]"#, Ok(("text", None))),
            ("text", "\u{feff} null", Err(FaultKind::InvalidJson)),
            ("text", "17", Err(FaultKind::InvalidJson)),
            ("a.b", r#"{"a":"b"}"#, Err(FaultKind::MissingField)),
            ("text", r#"{"text":17}"#, Err(FaultKind::NotAString)),
            ("text", r#"{"text":null}"#, Err(FaultKind::NotAString)),
            ("text", r#"{"text":{"text":"x"}}"#, Err(FaultKind::NotAString)),
        ];
        for (field, line, expected) in cases {
            let expected = expected.map(|(text, id): (&str, Option<&str>)| (text.to_owned(), id.map(str::to_owned)));
            assert_eq!(parse(field, line), expected, "{field} of {}", line.chars().take(60).collect::<String>());
        }
    }

    #[test]
    fn times() {
        for (line, time) in [
            (r#"{"at":"2018-10-31T12:00:00+08:00","text":"x"}"#, Some(1_540_958_400_000)),
            (r#"{"text":"x","at":1,"at":2}"#, Some(2000)),
            (r#"{"text":"x","at":"soon"}"#, None),
            (r#"{"text":"x"}"#, None),
        ] {
            assert_eq!(parser("text").parse(line.as_bytes(), Layout::Jsonl).unwrap().unwrap().time, time, "{line}");
        }
    }

    #[test]
    fn numbers_in_the_feed() {
        for (line, seq) in [
            (r#"{"n":17,"text":"x"}"#, Some(17)),
            (r#"{"n":"18446744073709551615","text":"x"}"#, Some(u64::MAX)),
            (r#"{"n":-1,"text":"x"}"#, None),
            (r#"{"n":1.5,"text":"x"}"#, None),
            (r#"{"n":null,"text":"x"}"#, None),
            (r#"{"text":"x"}"#, None),
        ] {
            assert_eq!(parser("text").parse(line.as_bytes(), Layout::Jsonl).unwrap().unwrap().seq, seq, "{line}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let fault = parser("text").parse("中".as_bytes().get(..2).unwrap(), Layout::Lines).unwrap_err();
        assert_eq!((fault.kind, fault.reason.contains("byte 1")), (FaultKind::InvalidUtf8, true));
    }

    #[test]
    fn paths_that_cannot_work() {
        for path in ["", "a..b", "."] {
            assert!(FieldPath::parse("--field", path).is_err(), "{path:?}");
        }
    }
}

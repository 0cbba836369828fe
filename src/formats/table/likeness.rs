//! Whether plain lines look like rows of a table, whose format nobody named.

use super::row::{Fields, count_fields};
use super::unquoted;
use crate::formats::input::Format;

/// How many rows are looked at, after the header.
const LOOKED_AT: usize = 20;

/// This many rows at least must have as many fields as the header.
const ROWS_FROM: usize = 2;

/// Names of columns have at most this many characters.
const NAME_UPTO: usize = 24;

/// Returns the format of the table whose rows these lines look like: the first line has names of columns, and nine of ten of the next rows
/// have as many fields.
pub(crate) fn likely_table(lines: &str) -> Option<Format> {
    [Format::Csv, Format::Tsv].into_iter().find(|format| {
        format.delimiter().is_some_and(|delimiter| {
            let mut lines = lines.lines().filter(|line| !line.trim().is_empty());
            let Some(columns) = lines.next().and_then(|header| names(delimiter, header)) else { return false };
            let counts: Vec<usize> = rows(delimiter, lines).take(LOOKED_AT).collect();
            let alike = counts.iter().filter(|count| **count == columns).count();
            alike >= ROWS_FROM && alike * 10 >= counts.len() * 9
        })
    })
}

/// Returns how many columns a header has; `None` if it has one, or a field that is no name.
fn names(delimiter: u8, header: &str) -> Option<usize> {
    let names: Vec<_> = Fields { delimiter, rest: Some(header) }.map(unquoted).collect();
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '(' | ')' | '（' | '）' | '\u{feff}');
    let is_name = |name: &str| {
        name.chars().any(char::is_alphabetic) && name.chars().count() <= NAME_UPTO && name.chars().all(is_part)
    };
    (names.len() > 1 && names.iter().all(|name| is_name(name))).then_some(names.len())
}

/// Returns the number of fields of each row. A row whose last field is in quotes may take several lines.
fn rows<'l>(delimiter: u8, mut lines: impl Iterator<Item = &'l str>) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let mut row = lines.next()?.to_owned();
        for _ in 0..LOOKED_AT {
            match count_fields(delimiter, &row) {
                Ok(count) => return Some(count),
                Err(_) => row = format!("{row}\n{}", lines.next()?),
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_and_rows_of_as_many_fields_are_likely_a_table() {
        let csv = "id,内容\n1,今天天气好\n2,\"你好，\n明天见\"\n3,再见\n";
        assert_eq!(likely_table(csv), Some(Format::Csv));
        assert_eq!(likely_table("编号\t发布时间\t正文\n1\t8:00\t早\n2\t9:00\t好\n"), Some(Format::Tsv));
    }

    #[test]
    fn messages_are_no_table() {
        for lines in [
            "早上好\n吃了吗\n再见\n",
            "id,内容\n1,今天\n",
            "验证码1234,请勿泄露。\n验证码5678,请勿泄露。\n验证码9012,请勿泄露。\n",
            "你好,世界!\n再见,世界!\n晚安,世界!\n",
            "早,晚\n今天天气好\n明天,见,面\n后天见\n",
            "{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n",
            "",
        ] {
            assert_eq!(likely_table(lines), None, "{lines}");
        }
    }
}

//! Whether plain lines look like rows of a table, whose format nobody named.

use super::row::{Fields, count_fields};
use super::unquoted;
use crate::formats::input::Format;

/// How many rows are looked at, after the header.
const LOOKED_AT: usize = 20;

/// This many rows at least must have as many fields as the header.
pub(crate) const ROWS_FROM: usize = 3;

/// Names of columns have at most this many characters.
const NAME_UPTO: usize = 24;

/// A header of two columns has one of these names. 好的,收到 may be a message.
const KNOWN_NAMES: [&str; 24] = [
    "id", "text", "content", "message", "body", "title", "name", "user", "time", "date", "label", "url", "编号",
    "序号", "内容", "文本", "正文", "消息", "标题", "姓名", "用户", "时间", "日期", "标签",
];

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
    let header = header.trim_start_matches('\u{feff}');
    let names: Vec<_> = Fields { delimiter, rest: Some(header) }.map(unquoted).collect();
    let says_more =
        |c: char| matches!(c, '，' | '。' | '！' | '？' | '；' | '…' | '!' | ';' | '"' | '{' | '“' | '\u{fffd}');
    let is_name = |name: &str| {
        let is_word = name.chars().any(char::is_alphabetic) && name.trim() == name && name.chars().count() <= NAME_UPTO;
        is_word && !name.chars().any(says_more)
    };
    // The index of a data frame has no name.
    let named = if names.len() > 2 && names[0].is_empty() { &names[1..] } else { &names[..] };
    let is_header = named.iter().all(|name| is_name(name))
        && (named.len() > 2 || named.iter().any(|name| KNOWN_NAMES.contains(&&*name.to_lowercase())));
    (names.len() > 1 && is_header).then_some(names.len())
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
        let csv = "id,内容\n1,今天天气好\n2,\"你好，\n明天见\"\n3,再见\n4,晚安\n";
        assert_eq!(likely_table(csv), Some(Format::Csv));
        assert_eq!(likely_table("编号\t发布时间\t正文\n1\t8:00\t早\n2\t9:00\t好\n3\t9:30\t走\n"), Some(Format::Tsv));
        let rows = "0,a,1\n1,b,2\n2,c,3\n";
        for header in [
            ",id,text",
            "\u{feff}\"id\",\"time\",\"text\"",
            "日期/时间,价格(元/斤),涨幅%",
            "@timestamp,no. #,author's name",
        ] {
            assert_eq!(likely_table(&format!("{header}\n{rows}")), Some(Format::Csv), "{header}");
        }
    }

    #[test]
    fn messages_are_no_table() {
        for lines in [
            "早上好\n吃了吗\n再见\n",
            "id,内容\n1,今天\n2,明天\n",
            "床前明月光,疑是地上霜\n举头望明月,低头思故乡\n春眠不觉晓,处处闻啼鸟\n夜来风雨声,花落知多少\n",
            "好的,收到\n收到,谢谢\n嗯,知道了\n早,早\n",
            "hi, are you there, my friend\nyes, what is up, then\nno, wait, wait\nsee, I told, you\n",
            "INFO\tservice started\nINFO\tservice ready\nWARN\tslow\nINFO\tdone\n",
            "验证码1234,请勿泄露。\n验证码5678,请勿泄露。\n验证码9012,请勿泄露。\n",
            "你好,世界!\n再见,世界!\n晚安,世界!\n",
            "今天,#,再见\n0,a,1\n1,b,2\n2,c,3\n",
            "早,晚\n今天天气好\n明天,见,面\n后天见\n",
            "{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n",
            "",
        ] {
            assert_eq!(likely_table(lines), None, "{lines}");
        }
    }
}

//! What the first lines of an input look like that is read as plain lines.

use super::batch::{Batch, Likely, Line};
use super::input::Format;
use super::table::{ROWS_FROM, likely_table};
use memchr::memmem;

/// So many bytes of the first lines are kept at most.
const BYTES_UPTO: usize = 64 << 10;

/// So many lines are searched for the annotations of dropped records, at least and at most.
const DROPPED: [usize; 2] = [10, 100];

/// How many lines are searched for JSON.
const LOOKED_AT: usize = 20;

/// The first lines of an input of plain lines, which may come in several batches.
#[derive(Default)]
pub(crate) struct Beginning(Option<String>);

impl Beginning {
    /// Looks at the next batch of the input. Returns what its first lines look like, once that shows.
    pub(crate) fn look(&mut self, batch: &Batch) -> Option<Likely> {
        if batch.lines.first().is_some_and(|line| line.number == 1) {
            self.0 = Some(String::new());
            if batch.format == Format::Jsonl && are_dropped(batch) {
                return Some(Likely::Dropped);
            }
        }
        let mut lines = self.0.take().filter(|_| batch.format == Format::Lines)?;
        lines.push_str(&String::from_utf8_lossy(&batch.bytes[..batch.bytes.len().min(BYTES_UPTO)]));
        let are_enough = lines.lines().count() > ROWS_FROM || lines.len() >= BYTES_UPTO;
        let found = likely_separator(&lines).map(Likely::Separated).or_else(|| likely_json(&lines, are_enough));
        if found.is_some() || are_enough {
            return found.or_else(|| likely_table(&lines).map(Likely::Table));
        }
        self.0 = Some(lines);
        None
    }
}

/// Whether the first lines are records that a run of quchong dropped and annotated. An annotated output has kept ones among them.
fn are_dropped(batch: &Batch) -> bool {
    let is_dropped = |line: &Line| {
        let line = &batch.bytes[line.start..line.end];
        [r#""quchong":{"verdict":"exact""#, r#""quchong":{"verdict":"near""#]
            .iter()
            .any(|note| memmem::find(line, note.as_bytes()).is_some())
    };
    batch.lines.len() >= DROPPED[0] && batch.lines.iter().take(DROPPED[1]).all(is_dropped)
}

/// The character that seems to separate messages: NUL or CR, if the lines have three or more of it, and ten times as many as line ends.
fn likely_separator(lines: &str) -> Option<char> {
    let ends = lines.matches('\n').count();
    let lone = lines.matches('\r').count() - lines.matches("\r\n").count();
    let found = [('\0', lines.matches('\0').count()), ('\r', lone)];
    found.into_iter().find(|(_, count)| *count >= 3.max(10 * ends)).map(|(separator, _)| separator)
}

/// What server-sent events have on lines of their own, besides their data.
const EVENT_FIELDS: [&str; 4] = ["event:", "id:", "retry:", ":"];

/// Whether all of these lines end in an object of JSON, at least two of them. Of `enough` lines one or two may be others: a program also
/// logs its start.
fn likely_json(lines: &str, enough: bool) -> Option<Likely> {
    let is_event = |line: &&str| EVENT_FIELDS.iter().any(|field| line.starts_with(field)) && !line.ends_with('}');
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty() && !is_event(line));
    let starts: Vec<Option<usize>> = lines.take(LOOKED_AT).map(start_of_json).collect();
    let found = starts.iter().flatten().count();
    let others = if enough { starts.len() / 10 } else { 0 };
    (found > 1 && found + others >= starts.len())
        .then(|| Likely::Json { prefixed: starts.iter().flatten().any(|start| *start > 0) })
}

/// Where the object begins in which a line ends, if it does.
fn start_of_json(line: &str) -> Option<usize> {
    let is_object =
        |start: &usize| serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&line[*start..]).is_ok();
    line.ends_with('}').then(|| line.match_indices("{\"").map(|(start, _)| start).find(is_object))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_end_in_json_are_likely_records() {
        let prefixed = Some(Likely::Json { prefixed: true });
        for prefix in [
            "2026-11-30T08:00:00Z INFO ",
            "data: ",
            "web-1  | ",
            "<134>Nov 30 08:00:00 web app: ",
            "[main] {} - ",
            "{app=\"x\"} ",
        ] {
            let lines =
                format!("{prefix}{{\"id\":1,\"text\":\"早\"}}\r\n\n{prefix}{{\"id\":2,\"in\":{{\"x\":\"晚\"}}}}\n");
            assert_eq!(likely_json(&lines, false), prefixed, "{lines}");
        }
        assert_eq!(likely_json("{\"a\":1}\n{\"a\":2}\n", false), Some(Likely::Json { prefixed: false }));
        let events = "event: post\nid: 1\ndata: {\"a\":1}\n\n: ping\n\nevent: post\nid: 2\ndata: {\"a\":2}\n\n";
        assert_eq!(likely_json(events, true), prefixed);
        let log = "started\n".to_owned() + &"INFO {\"a\":1}\n".repeat(15);
        assert_eq!([likely_json(&log, true), likely_json(&log, false)], [prefixed, None]);
    }

    #[test]
    fn three_separators_without_a_line_end_are_told() {
        for (lines, separator) in [
            ("早\0晚\0好\0", Some('\0')),
            ("早\r晚\r好\r", Some('\r')),
            ("早\r晚\r好\r再见", Some('\r')),
            (&"早\0".repeat(10), Some('\0')),
            (&("早\r".repeat(11) + "\n"), Some('\r')),
            (&("早\r".repeat(10) + "\n"), None),
            (&"早\r\n".repeat(9), None),
            ("早\0晚\0", None),
            ("早\n", None),
            ("", None),
        ] {
            assert_eq!(likely_separator(lines), separator, "{lines:?}");
        }
    }

    #[test]
    fn messages_are_no_records() {
        for lines in [
            "",
            "早上好\n吃了吗\n",
            "x {\"a\":1}\n",
            "x {\"a\":1}\n早上好\n吃了吗\n晚安\n",
            "好的{笑}\n收到{笑}\n",
            "你看 {\"a\":1}\n配置是 {\"port\":8080}\n改成 {\"port\":8081}\n好\n",
            "{\"a\":1} 好\n{\"a\":2} 好\n",
            "x {}\nx {}\n",
            "x {\"a\"}\nx {\"b\"}\n",
        ] {
            assert_eq!(likely_json(lines, true), None, "{lines}");
        }
    }
}

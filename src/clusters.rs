//! What repeats: each kept message with the messages that repeat it.
//!
//! A cluster is a star: every repeat in it repeats the kept message itself, by the verdict that `quchong dedup` gives. Of a chain
//! A ~ B ~ C with A unlike C, B is in A's cluster, and C has its own.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::config::Config;
use crate::dedup::Deduplicator;
use crate::error::Result;
use crate::pipeline::parse::Parser;
use crate::pipeline::source::{Line, Source};
use crate::pipeline::time::rfc3339;
use crate::record::{Pos, Record, RecordId, Verdict};

/// A kept message and its repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The kept message's id, or its line number (`"file:line"` among several files).
    pub id: RecordId<'static>,
    /// Its text.
    pub text: String,
    /// Messages that repeat it exactly.
    pub exact: u64,
    /// Messages that repeat it nearly. What repeats one of these exactly is counted above.
    pub near: u64,
    /// The earliest and the latest time of all of them, in milliseconds since 1970; none if no message has one.
    pub times: Option<(i64, i64)>,
    /// Ids of the repeats, in the order of the input.
    pub repeats: Vec<RecordId<'static>>,
    /// The wording that most of them have, byte for byte, and how many do; of those that are equally frequent the earliest.
    pub variant: (String, u64),
}

impl Cluster {
    /// All messages of the cluster, the kept one included: at least 1.
    pub fn count(&self) -> u64 {
        1 + self.exact + self.near
    }
}

/// As a JSON object.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = |text: &str| serde_json::Value::from(text);
        let time = |time: Option<i64>| {
            time.and_then(rfc3339).map_or_else(|| "null".to_owned(), |time| json(&time).to_string())
        };
        let Self { id, exact, near, times, .. } = self;
        write!(f, r#"{{"id":{id},"count":{},"exact":{exact},"near":{near},"#, self.count())?;
        let (first, last) = (time(times.map(|(first, _)| first)), time(times.map(|(_, last)| last)));
        write!(f, r#""first":{first},"last":{last},"text":{},"#, json(&self.text))?;
        write!(f, r#""variant":{},"variant_count":{},"repeats":["#, json(&self.variant.0), self.variant.1)?;
        for (number, id) in self.repeats.iter().enumerate() {
            write!(f, "{}{id}", if number == 0 { "" } else { "," })?;
        }
        write!(f, "]}}")
    }
}

/// All clusters of an input, in the order of their kept messages.
#[derive(Debug, Default)]
pub struct Clusters {
    /// The clusters, those of one message among them.
    pub clusters: Vec<Cluster>,
    /// Exact repeats of what is not known: under `--exact bloom` or `paper-trie`.
    pub unknown: u64,
    /// Blank lines, which are kept.
    pub blank: u64,
    /// Records that could not be judged.
    pub errors: u64,
}

impl Clusters {
    /// Judges all of `source` as `quchong dedup` does, on one thread; memory holds every kept text, every other wording and all ids.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config), [`Error::Io`](crate::Error::Io), [`Error::Limit`](crate::Error::Limit).
    pub fn gather(config: &Config, mut source: Source, parser: &Parser, several_files: bool) -> Result<Self> {
        let mut dedup = Deduplicator::new(Config { remember_ids: false, explain: false, ..config.clone() })?;
        let mut gathered = Gathered::default();
        while let Some(batch) = source.next_batch()? {
            for line in batch.lines.iter().filter(|line| line.part.is_record()) {
                match parser.read(&batch, line) {
                    Err(_) => gathered.found.errors += 1,
                    Ok(None) => gathered.found.blank += 1,
                    Ok(Some(parsed)) => {
                        let id = id(&batch.file, line, parsed.id.as_deref(), several_files);
                        let record = Record { id, text: parsed.text, time: parsed.time };
                        let judged = dedup.judge(&record)?;
                        gathered.add(record, judged.pos, judged.verdict);
                    }
                }
            }
        }
        Ok(gathered.finish())
    }

    /// Puts the largest clusters first; of equal ones, the earlier.
    pub fn sort_by_size(&mut self) {
        self.clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.count()));
    }
}

/// As `quchong dedup` names a record.
fn id(file: &str, line: &Line, own: Option<&str>, several_files: bool) -> RecordId<'static> {
    match own {
        Some(own) => own.parse().map_or_else(|_| RecordId::Json(own.to_owned().into()), RecordId::Number),
        None if several_files => format!("{file}:{}", line.number).as_str().into(),
        None => line.number.into(),
    }
}

/// Clusters while they grow.
#[derive(Default)]
struct Gathered {
    found: Clusters,
    /// Which cluster each kept message has.
    at: HashMap<Pos, usize>,
    /// Of each wording but the kept message's: how often it came, and which came before others.
    wordings: BTreeMap<(usize, String), (u64, u64)>,
}

impl Gathered {
    fn add(&mut self, record: Record<'_>, pos: Pos, verdict: Verdict) {
        let text = record.text.into_owned();
        if verdict.is_kept() {
            self.at.insert(pos, self.found.clusters.len());
            self.found.clusters.push(Cluster {
                id: record.id.into_owned(),
                variant: (text.clone(), 1),
                text,
                exact: 0,
                near: 0,
                times: record.time.map(|time| (time, time)),
                repeats: Vec::new(),
            });
            return;
        }
        let Some(number) = verdict.of().and_then(|of| self.at.get(&of).copied()) else {
            self.found.unknown += 1;
            return;
        };
        let cluster = &mut self.found.clusters[number];
        match verdict {
            Verdict::Near { .. } => cluster.near += 1,
            _ => cluster.exact += 1,
        }
        if let Some(time) = record.time {
            let (first, last) = cluster.times.unwrap_or((time, time));
            cluster.times = Some((first.min(time), last.max(time)));
        }
        cluster.repeats.push(record.id.into_owned());
        if text == cluster.text {
            cluster.variant.1 += 1;
        } else {
            self.wordings.entry((number, text)).or_insert((0, pos.0)).0 += 1;
        }
    }

    fn finish(self) -> Clusters {
        let Self { mut found, wordings, .. } = self;
        // Until another wording is more frequent, the kept one is it, which came before all others.
        let mut since = vec![0; found.clusters.len()];
        for ((number, text), (count, pos)) in wordings {
            let variant = &mut found.clusters[number].variant;
            if count > variant.1 || count == variant.1 && pos < since[number] {
                *variant = (text, count);
                since[number] = pos;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Engine, Likeness};

    #[test]
    fn the_most_frequent_wording_and_the_times() {
        let mut gathered = Gathered::default();
        let near = Verdict::Near { of: Pos(0), engine: Engine::Overlap, by: Likeness::Similarity(900) };
        let exact = Verdict::Exact { of: Some(Pos(0)) };
        let cases =
            [("c", 5000, Verdict::Kept), ("b", 9000, near), ("a", 1000, exact), ("a", 4000, near), ("b", 0, exact)];
        for ((text, time, verdict), pos) in cases.into_iter().zip(0..) {
            gathered.add(Record::new(pos + 1, text).at(time), Pos(pos), verdict);
        }
        gathered.add(Record::new("x", "c"), Pos(5), Verdict::Exact { of: None });
        let found = gathered.finish();
        assert_eq!((found.unknown, found.clusters.len()), (1, 1));
        let expected = r#"{"id":1,"count":5,"exact":2,"near":2,"first":"1970-01-01T00:00:00Z","last":"1970-01-01T00:00:09Z","text":"c","variant":"b","variant_count":2,"repeats":[2,3,4,5]}"#;
        assert_eq!(found.clusters[0].to_string(), expected);
    }
}

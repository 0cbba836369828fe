//! Clusters: each kept message with the messages that repeat it.
//!
//! A cluster is a star: every repeat in it repeats the kept message itself, by the verdict of `quchong dedup`. In a chain A ~ B ~ C
//! where A is not like C, B is in A's cluster, and C has a cluster of its own.

pub(crate) mod page;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use crate::config::Config;
use crate::dedup::State;
use crate::error::Result;
use crate::fingerprint::{Printer, Scope};
use crate::formats::parse::{Fault, Parser, as_text};
use crate::formats::source::Source;
use crate::formats::time::rfc3339;
use crate::hash::HashMap;
use crate::record::{Naming, Pos, Record, RecordId, Verdict};
use crate::run::Sample;
use crate::run::printers::Printers;
use crate::run::represent::{Chooser, Lacks, Member, Represent};

/// A kept message and its repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// The kept message's id, or its line (with its file if there are several).
    pub(crate) id: RecordId<'static>,
    /// Its text.
    pub(crate) text: String,
    /// Messages that repeat it exactly.
    pub(crate) exact: u64,
    /// Messages that repeat it nearly. An exact copy of one of these counts as exact.
    pub(crate) near: u64,
    /// The earliest and the latest time in the cluster, in milliseconds since 1970; `None` if no message has a time.
    pub(crate) times: Option<(i64, i64)>,
    /// Ids of the repeats, in input order.
    pub(crate) repeats: Vec<RecordId<'static>>,
    /// Messages with exactly the bytes of the kept text, including the kept message.
    pub(crate) same: u64,
    /// The other texts, the most frequent first. Of equally frequent ones the earliest comes first.
    pub(crate) wordings: Vec<Wording>,
    /// The id and the text of the representative, if representatives are chosen.
    pub(crate) representative: Option<Named>,
}

/// The id and the text of a message.
pub(crate) type Named = (RecordId<'static>, String);

/// A text of repeats that differs from the kept text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    /// The text.
    pub(crate) text: String,
    /// Messages with exactly these bytes.
    pub(crate) count: u64,
    /// The id of the first of them.
    pub(crate) id: RecordId<'static>,
}

impl Cluster {
    /// Number of messages in the cluster, including the kept one: at least 1.
    pub(crate) fn count(&self) -> u64 {
        1 + self.exact + self.near
    }

    /// The most frequent text and its number of messages. Of equally frequent texts, the earliest.
    pub(crate) fn variant(&self) -> (&str, u64) {
        let other = self.wordings.first().filter(|other| other.count > self.same);
        other.map_or((&self.text, self.same), |other| (&other.text, other.count))
    }
}

/// As a JSON object.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = |text: &str| serde_json::Value::from(text);
        let time = |time: Option<i64>| {
            time.and_then(|time| rfc3339(time, 1000)).map_or_else(|| "null".to_owned(), |time| json(&time).to_string())
        };
        let (variant, variant_count) = self.variant();
        let Self { id, exact, near, times, .. } = self;
        write!(f, r#"{{"id":{id},"count":{},"exact":{exact},"near":{near},"#, self.count())?;
        let (first, last) = (time(times.map(|(first, _)| first)), time(times.map(|(_, last)| last)));
        write!(f, r#""first":{first},"last":{last},"text":{},"#, json(&self.text))?;
        write!(f, r#""variant":{},"variant_count":{variant_count},"repeats":["#, json(variant))?;
        for (number, id) in self.repeats.iter().enumerate() {
            write!(f, "{}{id}", if number == 0 { "" } else { "," })?;
        }
        match &self.representative {
            Some((id, text)) => write!(f, r#"],"representative":{{"id":{id},"text":{}}}}}"#, json(text)),
            None => write!(f, "]}}"),
        }
    }
}

/// Options for collecting clusters.
#[derive(Debug, Clone)]
pub(crate) struct Gathering {
    /// How to name records that have no id.
    pub(crate) naming: Naming,
    /// How to choose a representative, if one is wanted.
    pub(crate) represent: Option<Represent>,
    /// Threads for the steps that need no order, at least 1. The result is the same for any number.
    pub(crate) threads: usize,
}

/// All clusters of an input, in the order of their kept messages.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// The clusters, including those of a single message.
    pub(crate) clusters: Vec<Cluster>,
    /// Blank lines. They are kept.
    pub(crate) blank: u64,
    /// Records that could not be judged.
    pub(crate) errors: u64,
    /// All records, including blank lines.
    pub(crate) records: u64,
    /// Messages without a readable time.
    pub(crate) timeless: u64,
    /// Messages without an id of their own.
    pub(crate) nameless: u64,
    /// Messages without a value in a field of the scope.
    pub(crate) scopeless: u64,
    /// Messages without a value in the field by which the representative is chosen, if there is one.
    pub(crate) unranked: u64,
}

impl Clusters {
    /// Judges all of `source` as `quchong dedup` does. Memory holds every kept text, every other wording and all ids, and
    /// with `represent` also the text of each representative. `fault` receives the file, the line and the reason of each
    /// record that cannot be judged.
    ///
    /// # Errors
    /// Those of `fault`; [`Error::Config`](crate::Error::Config), [`Error::Io`](crate::Error::Io), [`Error::Limit`](crate::Error::Limit).
    pub(crate) fn gather(
        config: &Config,
        mut source: Source,
        parser: &Parser,
        how: &Gathering,
        mut fault: impl FnMut(&str, u64, &Fault) -> Result<()>,
    ) -> Result<Self> {
        let config = Config { remember_ids: false, explain: false, recount: false, ..config.clone() };
        let (mut state, mut printers) = (State::new(&config)?, Printers::new(Printer::new(&config), how.threads));
        let mut gathered = Gathered { chooser: how.represent.clone().map(Chooser::new), ..Gathered::default() };
        while let Some(batch) = source.next_batch()? {
            let text = as_text(&batch);
            let mut records = Vec::with_capacity(batch.lines.len());
            let before = gathered.found.records;
            gathered.found.records += batch.lines.iter().filter(|line| line.part.is_record()).count() as u64;
            for (line, pos) in batch.lines.iter().filter(|line| line.part.is_record()).zip(before..) {
                match parser.read(&batch, text, line) {
                    Err(found) => {
                        gathered.found.errors += 1;
                        fault(&batch.file, line.number, &found)?;
                        records.push(None);
                    }
                    Ok(None) => {
                        gathered.found.blank += 1;
                        records.push(None);
                    }
                    Ok(Some(parsed)) => {
                        gathered.found.nameless += u64::from(parsed.id.is_none());
                        let id = match parsed.id {
                            Some(own) => RecordId::of_json(own.into_owned().into()),
                            None => how.naming.name(&batch.file, line.number, Pos(pos), batch.could_have_ids()),
                        };
                        gathered.found.timeless += u64::from(parsed.time.is_none());
                        gathered.found.scopeless += u64::from(parsed.lacks_scope);
                        let by = how.represent.as_ref().filter(|by| by.field().is_some());
                        if let Some(by) = by {
                            gathered.lacks.add(by, parsed.time, parsed.value.as_deref());
                            gathered.found.unranked = gathered.lacks.count(by);
                        }
                        let scope = Scope::of(parsed.scope.as_deref());
                        records.push(Some((Record { id, text: parsed.text, time: parsed.time }, parsed.value, scope)));
                    }
                }
            }
            printers.print_all(
                &records,
                |record| record.as_ref().map(|(record, ..)| &*record.text),
                |record, printed| {
                    let (Some((record, value, scope)), Some(printed)) = (record, printed) else {
                        // In a window of messages these count, too.
                        state.skip_position();
                        return Ok(());
                    };
                    let (pos, verdict) = state.judge(&scope.prints(printed), record.time, || record.id.clone())?;
                    gathered.add(record, value.as_deref(), pos, verdict);
                    Ok(())
                },
            )?;
        }
        Ok(gathered.finish())
    }

    /// Sorts by size, the largest first. Of equally large clusters, the earlier comes first.
    pub(crate) fn sort_by_size(&mut self) {
        self.clusters.sort_by_key(|cluster| Reverse(cluster.count()));
    }
}

/// Clusters during collection.
#[derive(Default)]
struct Gathered {
    found: Clusters,
    /// The cluster of each kept message.
    at: HashMap<Pos, usize>,
    /// For each cluster and text: the number of messages, the first position, and the id there.
    wordings: BTreeMap<(usize, String), (u64, Pos, RecordId<'static>)>,
    chooser: Option<Chooser<Named>>,
    lacks: Lacks,
}

impl Gathered {
    fn add(&mut self, record: &Record<'_>, value: Option<&str>, pos: Pos, verdict: Verdict) {
        let (text, id) = (record.text.clone().into_owned(), record.id.clone().into_owned());
        if let Some(chooser) = &mut self.chooser {
            let what = (id.clone(), text.clone());
            let member = Member { pos, time: record.time, value, sample: &Sample::of(&text), what };
            match verdict.of() {
                None if verdict.is_kept() => chooser.keep(member),
                None => {}
                Some(of) => chooser.repeat(of, member),
            }
        }
        if verdict.is_kept() {
            self.at.insert(pos, self.found.clusters.len());
            self.found.clusters.push(Cluster {
                id,
                same: 1,
                wordings: Vec::new(),
                text,
                exact: 0,
                near: 0,
                times: record.time.map(|time| (time, time)),
                repeats: Vec::new(),
                representative: None,
            });
            return;
        }
        // Only exact modes that err do not know which message is repeated, and the command refuses these.
        let Some(number) = verdict.of().and_then(|of| self.at.get(&of).copied()) else { return };
        let cluster = &mut self.found.clusters[number];
        match verdict {
            Verdict::Near { .. } => cluster.near += 1,
            _ => cluster.exact += 1,
        }
        if let Some(time) = record.time {
            let (first, last) = cluster.times.unwrap_or((time, time));
            cluster.times = Some((first.min(time), last.max(time)));
        }
        if text == cluster.text {
            cluster.same += 1;
        } else {
            self.wordings.entry((number, text)).or_insert_with(|| (0, pos, id.clone())).0 += 1;
        }
        cluster.repeats.push(id);
    }

    fn finish(self) -> Clusters {
        let Self { mut found, wordings, chooser, .. } = self;
        let chosen = chooser.map_or_else(Vec::new, Chooser::into_chosen);
        for (cluster, chosen) in found.clusters.iter_mut().zip(chosen) {
            cluster.representative = Some(chosen);
        }
        let mut wordings: Vec<_> = wordings.into_iter().collect();
        wordings.sort_by_key(|((number, _), (count, pos, _))| (*number, Reverse(*count), *pos));
        for ((number, text), (count, _, id)) in wordings {
            found.clusters[number].wordings.push(Wording { text, count, id });
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
            gathered.add(&Record::new(pos + 1, text).at(time), None, Pos(pos), verdict);
        }
        let found = gathered.finish();
        assert_eq!(found.clusters.len(), 1);
        let expected = r#"{"id":1,"count":5,"exact":2,"near":2,"first":"1970-01-01T00:00:00Z","last":"1970-01-01T00:00:09Z","text":"c","variant":"b","variant_count":2,"repeats":[2,3,4,5]}"#;
        assert_eq!(found.clusters[0].to_string(), expected);
    }
}

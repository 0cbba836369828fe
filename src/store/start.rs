//! From a log that was read to a state that goes on.

use std::time::Instant;

use super::head::Head;
use super::log::{Log, delete_but};
use super::note::forget_note;
use super::open::{Opened, Point};
use super::segment::segments_in;
use super::{Commit, Header, Lock, Store, Sync};
use serde_json::Value;

use crate::config::{Config, ExactMode, NearMode, Rules, Span};
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::ALGORITHM;
use crate::text::lexicon;

/// The configuration as it is written down.
fn config_text(config: &Config) -> Result<String> {
    let text = |value: &Value| serde_json::to_string(value);
    let written = serde_json::to_value(config).and_then(|mut value| {
        if let (Value::Object(members), NearMode::Hybrid) = (&mut value, config.near) {
            members.insert("lexicon".to_owned(), Value::String(format!("{:08x}", lexicon::version())));
        }
        text(&value)
    });
    written.map_err(|error| Error::state("state", error.to_string()))
}

/// The members of a configuration that decide which messages are kept, as JSON.
fn deciding(config: &str) -> serde_json::Map<String, Value> {
    let mut members: serde_json::Map<_, _> = serde_json::from_str(config).unwrap_or_default();
    let free = ["max_memory", "on_full", "remember_ids", "explain"];
    let of_filter = ["capacity", "bloom", "bloom_rounds"];
    let by_filter = members.get("exact") == serde_json::to_value(ExactMode::Bloom).ok().as_ref();
    if members.get("near") == serde_json::to_value(NearMode::Hybrid).ok().as_ref() {
        members.entry("lexicon").or_insert(Value::Null);
    }
    members.retain(|name, _| !free.contains(&&**name) && (by_filter || !of_filter.contains(&&**name)));
    members
}

/// A member of a configuration as `quchong dedup` is told of it.
fn option(name: &str, value: &Value) -> String {
    let flag = name.replace('_', "-");
    match (name, value) {
        ("window", Value::Null) => "no --window".to_owned(),
        ("window", _) => match serde_json::from_value(value.clone()) {
            Ok(Span::Messages(messages)) => format!("--window {messages}"),
            Ok(Span::Time { length, lateness }) => {
                format!("--window {}s --lateness {}s", length as f64 / 1000.0, lateness as f64 / 1000.0)
            }
            Err(_) => format!("--window {value}"),
        },
        ("rules", _) => {
            let rules: Rules = serde_json::from_value(value.clone()).unwrap_or(Rules::NONE);
            format!("--normalise {rules}")
        }
        ("shingle", Value::Object(shingle)) => {
            let told = shingle.iter().map(|(of, length)| format!("{}:{length}", of.trim_end_matches('s')));
            format!("--shingle {}", told.collect::<String>())
        }
        ("similarity", _) => format!("--similarity {}", value.as_f64().unwrap_or_default() / 1000.0),
        ("recount", _) => (if *value == Value::Bool(true) { "--recount" } else { "no --recount" }).to_owned(),
        ("lexicon", Value::String(version)) => format!("version {version} of the lexicon"),
        ("lexicon", _) => "no lexicon".to_owned(),
        (_, Value::String(word)) => format!("--{flag} {}", word.replace("-hash", "hash")),
        _ => format!("--{flag} {value}"),
    }
}

impl Opened {
    /// Refuses a configuration under which other messages would have been kept.
    ///
    /// # Errors
    /// [`Error::State`] naming what differs.
    pub fn expect(&self, config: &Config) -> Result<()> {
        let Some(header) = &self.header else { return Ok(()) };
        let folder = self.folder.display().to_string();
        if header.algorithm != ALGORITHM {
            let reason = format!(
                "made by quchong {} with version {} of the fingerprints, not {ALGORITHM}; begin a new one",
                header.program, header.algorithm
            );
            return Err(Error::state(folder, reason));
        }
        let (old, new) = (deciding(&header.config), deciding(&config_text(config)?));
        for (name, new) in new {
            let old = old.get(&name).unwrap_or(&Value::Null);
            if *old != new {
                let (old, new) = (option(&name, old), option(&name, &new));
                let reason = format!("made with {old}, not {new}; use that, or begin another state");
                return Err(Error::state(folder, reason));
            }
        }
        Ok(())
    }

    /// Remembers all that is written down, and goes on writing there. What was [repaired](Self::repaired) must have been told.
    ///
    /// # Errors
    /// [`Error::State`] if the state was made under options that decide otherwise; [`Error::Io`]; those of
    /// [`State::restore`].
    pub fn start(self, lock: Lock, config: &Config, sync: Sync) -> Result<(Store, State)> {
        self.expect(config)?;
        let mut state = State::new(config)?;
        if let Some(Commit { next, clock, .. }) = self.last() {
            let oldest = next.0.saturating_sub(config.verify_window);
            self.replay(|pos| pos.0 >= oldest, |message| state.restore(message, *next))?;
            state.restored(*clock, *next);
        }
        let config = config_text(config)?;
        let run = self.last().map_or_else(Vec::new, |commit| commit.run.clone());
        let (head, log) = match (self.head, self.points.last()) {
            (Some(head), Some(Point { segment, end, sum, .. })) => {
                let now = Head { first: head.first, segment: *segment, length: *end, sum: *sum };
                let log = Log::go_on(&self.folder, now)?;
                delete_but(&self.folder, &now, &segments_in(&self.folder)?)?;
                (head, log)
            }
            _ => {
                let log = Log::begin(&self.folder, 1, &Header::new(0, config.clone(), Vec::new()))?;
                log.now.write(&self.folder).map_err(|error| Error::io(self.folder.display().to_string(), error))?;
                (log.now, log)
            }
        };
        let older = self.segments.iter().filter(|segment| segment.number < log.now.segment);
        let older = older.map(|segment| (segment.number, segment.end)).collect();
        if self.repaired().is_some() {
            forget_note(&self.folder)?;
        }
        let (part, first) = (state.clock().reach().part, state.next());
        let (entries, synced) = (Vec::new(), Instant::now());
        Ok((
            Store {
                folder: self.folder,
                _lock: lock,
                sync,
                head,
                log,
                config,
                run,
                entries,
                first,
                part,
                older,
                synced,
            },
            state,
        ))
    }
}

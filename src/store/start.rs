//! Turns a log that was read into a state that a run continues.

use std::time::Instant;

use super::copy;
use super::head::Head;
use super::log::{Log, delete_but};
use super::note::forget_note;
use super::open::{FrameEnd, Opened};
use super::segment::segments_in;
use super::{Commit, Header, Lock, Store, Sync};
use serde_json::Value;

use crate::config::settings::{self, Setting};
use crate::config::{Config, NearMode};
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::ALGORITHM;
use crate::locale::tr;
use crate::text::lexicon;

/// The member of the stored configuration that names the lexicon of the repeat rule.
const LEXICON: &str = "lexicon";

/// The configuration as it is stored, with the version of the lexicon if the repeat rule decides.
fn config_text(config: &Config) -> Result<String> {
    let written = serde_json::to_value(config).map(|mut value| {
        if let (Value::Object(members), NearMode::Hybrid) = (&mut value, config.near) {
            members.insert(LEXICON.to_owned(), Value::String(lexicon_version()));
        }
        value.to_string()
    });
    written.map_err(|error| Error::state("state", error.to_string()))
}

/// The version of this program's lexicon as it is stored.
fn lexicon_version() -> String {
    format!("{:08x}", lexicon::version())
}

/// A setting as the user would give it, such as `--window 7d`; `no --window` if it is not set.
fn spelled(setting: &Setting, config: &Config) -> String {
    match (setting.value_in)(config) {
        Some(value) => format!("--{} {value}", setting.name).trim_end().to_owned(),
        None => format!("no --{}", setting.name),
    }
}

impl Opened {
    /// The version of the lexicon that the state was made with, if the repeat rule decides.
    #[cfg(feature = "cli")]
    pub(crate) fn lexicon(&self) -> Option<String> {
        let written: Value = serde_json::from_str(&self.header.as_ref()?.config).ok()?;
        written[LEXICON].as_str().map(str::to_owned)
    }

    /// Refuses a configuration under which other messages would have been kept.
    ///
    /// # Errors
    /// [`Error::State`] naming what differs.
    pub(crate) fn expect(&self, config: &Config) -> Result<()> {
        self.refuse_other(config, &tr!("begin another state"))
    }

    /// Refuses a configuration under which other messages would be repeats of the remembered ones. The settings `window`,
    /// `seed`, `recount`, `keep` and `refresh` may differ.
    ///
    /// # Errors
    /// [`Error::State`] naming what differs.
    pub(crate) fn expect_archive(&self, config: &Config) -> Result<()> {
        let Config { window, seed, recount, keep, refresh, .. } = self.config()?;
        self.refuse_other(
            &Config { window, seed, recount, keep, refresh, ..config.clone() },
            &tr!("name another archive"),
        )
    }

    fn refuse_other(&self, config: &Config, otherwise: &str) -> Result<()> {
        let Some(header) = &self.header else { return Ok(()) };
        let folder = self.folder.display().to_string();
        if header.algorithm != ALGORITHM {
            let reason = tr!(
                "made by quchong {} with version {} of fingerprints and repeat rule, not {ALGORITHM}; begin a new one",
                header.program,
                header.algorithm,
                ALGORITHM
            );
            return Err(Error::state(folder, reason));
        }
        let written: Value = serde_json::from_str(&header.config).unwrap_or_default();
        let (old, new) = (written[LEXICON].as_str().unwrap_or("none"), lexicon_version());
        if config.near == NearMode::Hybrid && !written[LEXICON].is_null() && old != new {
            let reason = tr!("made with version {old} of the lexicon, not {new}; begin a new one", old, new);
            return Err(Error::state(folder, reason));
        }
        let made = self.config()?;
        for setting in settings::all().filter(|setting| (setting.decides)(config)) {
            let (old, new) = (spelled(setting, &made), spelled(setting, config));
            if old == new {
                continue;
            }
            let option = format!("--{}", setting.name);
            let reason = match ((setting.value_in)(&made), (setting.value_in)(config)) {
                (None, Some(_)) => tr!("made without {option}; leave it out, or {otherwise}", option, otherwise),
                (Some(_), None) => tr!("made with {old}; give it, or {otherwise}", old, otherwise),
                _ => tr!("made with {old}, not {new}; use that, or {otherwise}", old, new, otherwise),
            };
            return Err(Error::state(folder, reason));
        }
        Ok(())
    }

    /// Restores the state from all stored messages.
    ///
    /// # Errors
    /// Those of [`State::restore`]; [`Error::State`], [`Error::Io`] if the log changed since it was read.
    pub(crate) fn state(&self, config: &Config) -> Result<State> {
        let mut state = State::new(config)?;
        if let Some(Commit { next, clock, .. }) = self.last() {
            let oldest = next.0.saturating_sub(config.verify_window);
            self.replay(|pos| config.refresh || pos.0 >= oldest, |message| state.restore(message, *next))?;
            state.restored(*clock, *next);
        }
        Ok(state)
    }

    /// Restores the state and continues writing its log. What was [repaired](Self::repaired) must have been reported before.
    ///
    /// # Errors
    /// [`Error::State`] if the state was made under options that decide differently; [`Error::Io`]; those of
    /// [`State::restore`].
    pub fn start(self, lock: Lock, config: &Config, sync: Sync) -> Result<(Store, State)> {
        self.expect(config)?;
        let (state, answers) = (self.state(config)?, self.answers()?);
        let config = config_text(config)?;
        let run_note = self.last().map_or_else(Vec::new, |commit| commit.run_note.clone());
        let (head, log) = match (self.head, self.frame_ends.last()) {
            (Some(head), Some(FrameEnd { segment, end, sum, .. })) => {
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
        copy::keep(&self.folder, log.now.segment)?;
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
                run_note,
                entries,
                answered: Vec::new(),
                answers,
                first,
                part,
                older,
                synced,
            },
            state,
        ))
    }
}

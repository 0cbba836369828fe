//! Archives: states that a run searches for each message before judging it, and that it never changes.
//!
//! An archive is the folder of a state, or a set of files that are read before the run. A message repeats an archive if the
//! archive's state would drop it as its next message. So earlier messages of this run make no difference, and many threads
//! can ask at once. The archive's own window limits which of its messages count; the window of this run applies only to its
//! own messages.

use std::hash::Hasher;
use std::path::Path;

use super::printers::Printers;
use crate::config::Config;
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::{ExactHash, Printed, Printer, Scope};
use crate::formats::parse::{Fault, Parsed, Parser, as_text};
use crate::formats::source::Source;
use crate::hash::XxHash3_64;
use crate::locale::tr;
use crate::near::Searcher;
use crate::record::{Pos, Record, RecordId, Verdict};
use crate::store::open::Opened;
use crate::text::Clean;

/// The archives of a run, in the order in which they are searched.
#[derive(Default)]
pub struct Archives {
    all: Vec<Archive>,
    /// Checksum of their contents.
    sum: u64,
}

/// One archive: its state, and the names under which its messages are shown.
struct Archive {
    state: State,
    hash: ExactHash,
    /// The first position of each file with the file's name; or position 0 with the folder's name.
    names: Vec<(Pos, String)>,
}

/// The message of an archive that a message repeats.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArchiveHit {
    /// The archive's verdict. Its positions are not positions of this run.
    pub(crate) verdict: Verdict,
    /// The name of the archive's message, such as `{"against":"archive","id":7}`.
    pub(crate) of: RecordId<'static>,
    /// The differences, if asked for and known.
    pub(crate) differs: Option<Vec<[String; 2]>>,
}

/// The buffers with which one thread prints and searches.
pub(crate) struct Worker {
    pub(crate) clean: Clean,
    searchers: Vec<Option<Searcher>>,
}

impl Archives {
    /// Whether there are no archives.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds the state in a folder as it is at this moment. Another process may be writing to it.
    ///
    /// # Errors
    /// [`Error::State`] if there is no state, if it is damaged, or if its options decide differently; [`Error::Io`].
    pub fn add_folder(&mut self, folder: &Path, config: &Config) -> Result<()> {
        if !Opened::is_there(folder) {
            let reason = tr!("there is no state in this folder; name that of a --state, or files: 'archive/*.jsonl'");
            return Err(Error::state(folder.display().to_string(), reason));
        }
        let opened = Opened::read(folder)?;
        opened.expect_archive(config)?;
        let Config { remember_ids, explain, .. } = *config;
        let config = Config {
            remember_ids,
            explain,
            max_memory: None,
            recount: false,
            keep: 1,
            refresh: false,
            ..opened.config()?
        };
        let state = opened.state(&config)?;
        self.add_sum([config.seed, state.next().0].map(u64::to_le_bytes).as_flattened());
        self.all.push(Archive {
            state,
            hash: ExactHash::of(&config),
            names: vec![(Pos(0), folder.display().to_string())],
        });
        Ok(())
    }

    /// Adds the messages of files, printed on `threads` threads. `observe` is called for each record or fault.
    ///
    /// # Errors
    /// [`Error::Io`]; those of `observe`, of [`State::judge`], and of [`State::new`].
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reads files for it"))]
    pub(crate) fn add_files(
        &mut self,
        config: &Config,
        sources: Vec<Source>,
        parser: &Parser,
        threads: usize,
        mut observe: impl FnMut(&str, u64, std::result::Result<&Parsed<'_>, &Fault>) -> Result<()>,
    ) -> Result<()> {
        let config =
            Config { window: None, max_memory: None, recount: false, keep: 1, refresh: false, ..config.clone() };
        let (mut state, mut printers) = (State::new(&config)?, Printers::new(Printer::new(&config), threads));
        let mut names: Vec<(Pos, String)> = Vec::new();
        let mut sum = XxHash3_64::with_seed(0);
        for mut source in sources {
            while let Some(batch) = source.next_batch()? {
                sum.write(batch.bytes_read());
                if names.last().is_none_or(|(_, name)| **name != *batch.file) {
                    names.push((state.next(), batch.file.to_string()));
                }
                let text = as_text(&batch);
                let mut records = Vec::with_capacity(batch.lines.len());
                for line in batch.lines.iter().filter(|line| line.part.is_record()) {
                    match parser.read(&batch, text, line) {
                        Err(fault) => observe(&batch.file, line.number, Err(&fault))?,
                        Ok(None) => {}
                        Ok(Some(parsed)) => {
                            observe(&batch.file, line.number, Ok(&parsed))?;
                            let own = |id: std::borrow::Cow<'_, str>| RecordId::of_json(id.into_owned().into());
                            let id = parsed.id.map_or(RecordId::Line(line.number), own);
                            records.push((Record { id, text: parsed.text, time: None }, parsed.scope));
                        }
                    }
                }
                printers.print_all(
                    &records,
                    |(record, _)| Some(&record.text),
                    |(record, scope), printed| {
                        let Some(printed) = printed else { return Ok(()) };
                        let printed = Scope::of(scope.as_deref()).prints(printed);
                        state.judge(&printed, None, || record.id.clone()).map(drop)
                    },
                )?;
            }
        }
        self.add_sum(&sum.finish().to_le_bytes());
        self.all.push(Archive { state, hash: ExactHash::of(&config), names });
        Ok(())
    }

    fn add_sum(&mut self, bytes: &[u8]) {
        self.sum = XxHash3_64::oneshot_with_seed(self.sum, bytes);
    }

    /// A checksum of the contents of all archives.
    #[cfg(feature = "cli")]
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    /// Makes the buffers for one more thread.
    pub(crate) fn worker(&self) -> Worker {
        Worker { clean: Clean::default(), searchers: self.all.iter().map(|archive| archive.state.searcher()).collect() }
    }

    /// Makes the prints of a text, and finds what the text repeats in the first archive that has such a message.
    pub(crate) fn print(
        &self,
        printer: &Printer,
        text: &str,
        scope: Option<&str>,
        worker: &mut Worker,
    ) -> (Printed, Option<Box<ArchiveHit>>) {
        let scope = Scope::of(scope);
        let printed = scope.prints(printer.print_text(text, &mut worker.clean));
        let Worker { clean, searchers } = worker;
        let archive_hit = self.all.iter().zip(searchers).find_map(|(archive, searcher)| {
            let digest = printer.digest(text, clean, &archive.hash).map(|digest| scope.digest(digest));
            let verdict = archive.state.find(searcher.as_mut(), digest, &printed)?;
            let differs = archive.state.differences(&printed, verdict);
            Some(Box::new(ArchiveHit { verdict, of: archive.id_of(verdict.of()), differs }))
        });
        (printed, archive_hit)
    }
}

impl Archive {
    /// Names the message at `of` for a verdict: by its file or folder, and by its id, its line, or its number in the whole
    /// state.
    fn id_of(&self, of: Option<Pos>) -> RecordId<'static> {
        let at = of.map_or(1, |of| self.names.partition_point(|(first, _)| *first <= of));
        let name = self.names.get(at.saturating_sub(1)).map_or("", |(_, name)| name);
        let name = serde_json::Value::from(name);
        let id = of.and_then(|of| self.state.id(of)).map_or_else(String::new, |id| match id {
            RecordId::Line(line) => format!(r#","line":{line}"#),
            RecordId::Record(record) => format!(r#","record":{record}"#),
            id => format!(r#","id":{id}"#),
        });
        RecordId::of_json(format!(r#"{{"against":{name}{id}}}"#).into())
    }
}

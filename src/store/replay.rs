//! Reads the contents of a log that was opened.

use super::answers::Answers;
use super::frame::{Flaw, Frames};
use super::open::{Opened, Segment};
use super::segment::{batch_of, bytes_of, entries_of, header_of, name_of, no_state, refusal};
use super::{Commit, Header, Payload};
use crate::config::{Config, ExactMode};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::exact::ExactStage;
use crate::locale::tr;
use crate::reach::Clock;
use crate::record::Pos;

impl Opened {
    /// Cuts the log before the first batch that `is_good` rejects. It asks about the last batch that HEAD vouches for and all
    /// later ones; a batch is not good if what it wrote elsewhere is missing. Returns false if the last batch that HEAD
    /// vouches for is not good either.
    ///
    /// # Errors
    /// Those of `is_good`.
    pub(crate) fn go_back(&mut self, mut is_good: impl FnMut(&Commit) -> Result<bool>) -> Result<bool> {
        for (index, frame_end) in self.frame_ends.iter().enumerate() {
            if let Some(commit) = &frame_end.commit
                && !is_good(commit)?
            {
                self.frame_ends.truncate(index);
                return Ok(index > 0);
            }
        }
        Ok(true)
    }

    /// The configuration that the state was made with.
    ///
    /// # Errors
    /// [`Error::State`] if there is no state, or its configuration cannot be read.
    pub(crate) fn config(&self) -> Result<Config> {
        let folder = self.folder().display().to_string();
        let header = self.header().ok_or_else(|| no_state(self.folder()))?;
        parsed(&folder, header)
    }

    /// Calls `each` with all messages that still count, in order. Rewriting the log does not change which messages these are.
    ///
    /// # Errors
    /// Those of `each`; [`Error::State`], [`Error::Io`].
    pub(crate) fn each_that_counts(&self, mut each: impl FnMut(Remembered<'static>) -> Result<()>) -> Result<()> {
        let (config, Some(last)) = (self.config()?, self.last()) else { return Ok(()) };
        let mut clock = Clock::new(config.window);
        // A filter without a trie forgets its texts by generations. `generations` is only asked where they begin.
        let alone = config.exact.is_filter_alone();
        let mut generations = ExactStage::new(&Config { exact: ExactMode::None, ..config.clone() })?;
        self.replay(
            |_| false,
            |message| {
                clock.restore(message.pos, message.stamp);
                if message.of.is_none() {
                    clock.keep();
                }
                match message.printed.digest.filter(|_| alone) {
                    Some(digest) => generations.restore(digest, message.pos, message.pos, &clock.reach()),
                    None => Ok(()),
                }
            },
        )?;
        clock.resume(last.clock, last.next);
        let floor = clock.floor();
        generations.forget(floor);
        let first = generations.oldest().map_or(floor, |oldest| oldest.min(floor));
        let oldest = last.next.0.saturating_sub(config.verify_window);
        self.replay(
            |pos| config.refresh || pos.0 >= oldest,
            |message| {
                let counts = message.of.unwrap_or(message.pos) >= floor || alone && message.pos >= first;
                if counts { each(message) } else { Ok(()) }
            },
        )
    }

    /// Calls `each` with all remembered messages, in order. Their gists are decoded only where `whole` returns true.
    ///
    /// # Errors
    /// Those of `each`; [`Error::State`], [`Error::Io`] if the log changed since it was read.
    pub fn replay(
        &self,
        whole: impl Fn(Pos) -> bool,
        mut each: impl FnMut(Remembered<'static>) -> Result<()>,
    ) -> Result<()> {
        self.batches(|batch, refused| {
            entries_of(batch, &whole).try_for_each(|message| {
                each(message.map_err(|_| refused(tr!("a message in this frame cannot be read")))?)
            })
        })
    }

    /// Reads the latest answers of a service.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub(super) fn answers(&self) -> Result<Answers> {
        let mut answers = Answers::default();
        if self.has_answers {
            self.batches(|batch, refused| {
                answers.read(batch.answers).map_err(|_| refused(tr!("an answer in this frame cannot be read")))
            })?;
        }
        Ok(answers)
    }

    /// Calls `each` with every batch, in order, and with a function that turns a reason into the error that refuses the
    /// batch.
    fn batches(&self, mut each: impl FnMut(&Payload<'_>, &dyn Fn(String) -> Error) -> Result<()>) -> Result<()> {
        let Some(last) = self.frame_ends.last() else { return Ok(()) };
        for Segment { number, file, .. } in self.segments.iter().filter(|segment| segment.number <= last.segment) {
            let refused = |flaw: Flaw| refusal(&self.folder, &name_of(*number), &flaw);
            let bytes = bytes_of(file, &self.folder, *number)?;
            let mut frames = Frames::of(&bytes, *number).map_err(refused)?;
            header_of(&mut frames).map_err(refused)?;
            // The bytes after the end of the log are not read: they may be torn.
            while (*number < last.segment || frames.at() < last.end)
                && let Some(frame) = frames.next_frame().map_err(refused)?
            {
                let batch = batch_of(&frame).map_err(refused)?;
                let at = frame.end as usize - frame.payload.len();
                each(&batch, &|reason| refused(Flaw::new(at, reason)))?;
            }
        }
        Ok(())
    }
}

pub(super) fn parsed(folder: &str, header: &Header) -> Result<Config> {
    let unread = |error: serde_json::Error| {
        Error::state(
            folder,
            tr!("its configuration cannot be read: {error}; begin a new state, or restore a copy of this one", error),
        )
    };
    serde_json::from_str(&header.config).map_err(unread)
}

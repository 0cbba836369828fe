//! Reading a log: is it intact, where does it end, and what does it hold?
//!
//! Measured: `cargo bench --bench store`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::frame::{Flaw, Frame, Frames};
use super::head::Head;
use super::log::name_of;
use super::{Commit, Header, Payload, entry, from_bytes, lock};
use crate::dedup::Remembered;
use crate::error::{Error, Result};
use crate::record::Pos;

/// What was read, or what is wrong with the file.
pub(super) type Checked<T> = std::result::Result<T, Flaw>;

/// A log that was read and found intact.
pub struct Opened {
    pub(super) folder: PathBuf,
    pub(super) lock: fs::File,
    pub(super) head: Option<Head>,
    /// The segments, and the position behind each.
    pub(super) segments: Vec<(u64, Pos)>,
    pub(super) header: Option<Header>,
    /// Where the log may go on: the last place that HEAD vouches for, and all behind it.
    pub(super) points: Vec<Point>,
    torn: Option<String>,
}

/// A place between two frames.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub segment: u64,
    pub end: u64,
    pub sum: u64,
    /// Of the last batch before it; none before the first.
    pub commit: Option<Commit>,
}

/// Why a file is refused, and where.
pub(super) fn refusal(folder: &Path, name: &str, flaw: &Flaw) -> Error {
    let Flaw { at, reason } = flaw;
    let path = format!("{}: byte {at}", folder.join(name).display());
    Error::state(path, format!("{reason}; `quchong state repair {}` keeps what is intact", folder.display()))
}

/// The numbers of the segments in a folder, rising.
pub(super) fn segments_in(folder: &Path) -> Result<Vec<u64>> {
    let io = |error| Error::io(folder.display().to_string(), error);
    let mut numbers = Vec::new();
    for file in fs::read_dir(folder).map_err(io)? {
        let name = file.map_err(io)?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.strip_suffix(".log")?.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The bytes of a segment; none if it is not there.
pub(super) fn segment_bytes(folder: &Path, segment: u64) -> Result<Option<Vec<u8>>> {
    let path = folder.join(name_of(segment));
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path.display().to_string(), error)),
    }
}

/// The header in the first frame of a segment.
///
/// # Errors
/// The [`Flaw`] for which there is none.
pub(super) fn header_of(frames: &mut Frames<'_>) -> Checked<(Header, u64, u64)> {
    let at = super::frame::BEGINNING;
    let Frame { end, sum, payload } = frames.next_frame()?.ok_or_else(|| Flaw::new(at, "the file has no header"))?;
    let header = from_bytes::<Header>(payload).map_err(|_| Flaw::new(at, "the header cannot be read"))?;
    Ok((header, end, sum))
}

/// The batch in a frame.
pub(super) fn batch_of<'b>(frame: &Frame<'b>) -> Checked<Payload<'b>> {
    let at = frame.end as usize - frame.payload.len();
    from_bytes(frame.payload).map_err(|_| Flaw::new(at, "what the frame holds cannot be read"))
}

/// The entries of a batch.
pub(super) fn entries_of<'b>(
    batch: &Payload<'b>,
    whole: impl Fn(Pos) -> bool,
) -> impl Iterator<Item = postcard::Result<Remembered<'static>>> {
    let (mut entries, first) = (batch.entries, batch.first);
    std::iter::from_fn(move || (!entries.is_empty()).then(|| entry::read(&mut entries, first, &whole)))
}

impl Opened {
    /// Takes a folder for this process, made if it is not there, and reads the log in it.
    ///
    /// # Errors
    /// [`Error::State`] if another process has it, or if it is damaged, with file and offset; [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|error| Error::io(folder.display().to_string(), error))?;
        let lock = lock(folder)?;
        let head = Head::read(folder)
            .map_err(|error| Error::io(folder.join(super::head::NAME).display().to_string(), error))?;
        let head = head.transpose().map_err(|flaw| refusal(folder, super::head::NAME, &flaw))?;
        let mut opened = Self {
            folder: folder.to_owned(),
            lock,
            head,
            segments: Vec::new(),
            header: None,
            points: Vec::new(),
            torn: None,
        };
        match head {
            Some(head) => opened.read_segments(head)?,
            None => opened.expect_nothing()?,
        }
        Ok(opened)
    }

    /// Without HEAD there is a state only if it was being made: a first segment without batches.
    fn expect_nothing(&mut self) -> Result<()> {
        for segment in segments_in(&self.folder)? {
            let bytes = segment_bytes(&self.folder, segment)?.unwrap_or_default();
            let mut frames = Frames::of(&bytes, segment);
            let batches = frames
                .as_mut()
                .is_ok_and(|frames| header_of(frames).is_ok() && frames.next_frame().is_ok_and(|next| next.is_some()));
            if segment != 1 || batches {
                return Err(refusal(&self.folder, super::head::NAME, &Flaw::new(0, "it is not there, and a log is")));
            }
        }
        Ok(())
    }

    fn read_segments(&mut self, head: Head) -> Result<()> {
        let mut before = None;
        for segment in head.first.. {
            let Some(bytes) = segment_bytes(&self.folder, segment)? else {
                if segment <= head.segment {
                    return Err(refusal(&self.folder, &name_of(segment), &Flaw::new(0, "it is not there")));
                }
                return Ok(());
            };
            // Up to here all must be intact.
            let must = match segment.cmp(&head.segment) {
                std::cmp::Ordering::Less => u64::MAX,
                std::cmp::Ordering::Equal => head.length,
                std::cmp::Ordering::Greater => 0,
            };
            let name = name_of(segment);
            match self.read_segment(&bytes, segment, before, must) {
                Ok(sum) if segment != head.segment || sum == Some(head.sum) => {}
                Ok(_) => {
                    let at = bytes.len().min(head.length as usize);
                    return Err(refusal(
                        &self.folder,
                        &name,
                        &Flaw::new(at, "the log is not the one that HEAD speaks of"),
                    ));
                }
                Err(flaw) if flaw.at < must => return Err(refusal(&self.folder, &name, &flaw)),
                Err(flaw) => {
                    let (file, lost) = (self.folder.join(name), bytes.len() as u64 - flaw.at);
                    let broken = "that were being written when the last run broke off are left out";
                    self.torn = Some(format!("{}: byte {}: {lost} bytes {broken}", file.display(), flaw.at));
                    return Ok(());
                }
            }
            before = self.points.last().map(|point| point.sum);
        }
        Ok(())
    }

    /// Reads a segment whose first frame continues `before`, and for which HEAD vouches up to the offset `must`; the checksum
    /// there, if a frame ends there.
    fn read_segment(&mut self, bytes: &[u8], segment: u64, before: Option<u64>, must: u64) -> Checked<Option<u64>> {
        let mut frames = Frames::of(bytes, segment)?;
        let (header, end, sum) = header_of(&mut frames)?;
        if before.is_some_and(|before| before != header.before) {
            return Err(Flaw::new(super::frame::BEGINNING, "this segment does not continue the one before"));
        }
        let mut run = header.run.clone();
        self.header = Some(header);
        let commit = self.points.last().and_then(|point| point.commit.clone());
        self.segments.push((segment, commit.as_ref().map_or(Pos(0), |commit| commit.next)));
        let mut vouched = Some(sum).filter(|_| end == must);
        self.add(Point { segment, end, sum, commit }, end <= must);
        while let Some(frame) = frames.next_frame()? {
            let batch = batch_of(&frame)?;
            if let Some(begun) = batch.run {
                run = begun.to_vec();
            }
            let next = Pos(batch.next);
            let commit = Commit { next, clock: batch.clock, progress: batch.progress.to_vec(), run: run.clone() };
            if let Some((_, end)) = self.segments.last_mut() {
                *end = next;
            }
            let Frame { end, sum, .. } = frame;
            vouched = vouched.or(Some(sum).filter(|_| end == must));
            self.add(Point { segment, end, sum, commit: Some(commit) }, end <= must);
        }
        Ok(vouched)
    }

    fn add(&mut self, point: Point, vouched: bool) {
        if vouched {
            self.points.clear();
        }
        self.points.push(point);
    }

    /// Where everything stood after the last batch; none before the first.
    pub fn last(&self) -> Option<&Commit> {
        self.points.last()?.commit.as_ref()
    }

    /// The header of the last segment; none if there is no state yet.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The segments, and the position behind each.
    pub fn segments(&self) -> &[(u64, Pos)] {
        &self.segments
    }

    /// What was cut off behind the end, to be told.
    pub fn torn(&self) -> Option<&str> {
        self.torn.as_deref()
    }

    /// Goes back to before the first batch that is not good: HEAD does not vouch for it, and what it wrote elsewhere is not
    /// there. False if the last batch that HEAD vouches for is not good either.
    ///
    /// # Errors
    /// Those of `is_good`.
    pub fn go_back(&mut self, mut is_good: impl FnMut(&Commit) -> Result<bool>) -> Result<bool> {
        for (index, point) in self.points.iter().enumerate() {
            if let Some(commit) = &point.commit
                && !is_good(commit)?
            {
                self.points.truncate(index);
                return Ok(index > 0);
            }
        }
        Ok(true)
    }

    /// Calls `each` with all messages that were remembered, in order; with what the repeat rule compares of them where `whole`
    /// says so.
    ///
    /// # Errors
    /// Those of `each`; [`Error::State`], [`Error::Io`] if the log changed since it was read.
    pub fn replay(
        &self,
        whole: impl Fn(Pos) -> bool,
        mut each: impl FnMut(Remembered<'static>) -> Result<()>,
    ) -> Result<()> {
        let Some(last) = self.points.last() else { return Ok(()) };
        for (segment, _) in self.segments.iter().filter(|(segment, _)| *segment <= last.segment) {
            let refused = |flaw: Flaw| refusal(&self.folder, &name_of(*segment), &flaw);
            let bytes = segment_bytes(&self.folder, *segment)?.unwrap_or_default();
            let mut frames = Frames::of(&bytes, *segment).map_err(refused)?;
            header_of(&mut frames).map_err(refused)?;
            // What is behind the end of the log is not looked at: it may be torn.
            while (*segment < last.segment || frames.at() < last.end)
                && let Some(frame) = frames.next_frame().map_err(refused)?
            {
                let batch = batch_of(&frame).map_err(refused)?;
                for message in entries_of(&batch, &whole) {
                    let at = frame.end as usize - frame.payload.len();
                    each(message.map_err(|_| refused(Flaw::new(at, "a message in this frame cannot be read")))?)?;
                }
            }
        }
        Ok(())
    }
}

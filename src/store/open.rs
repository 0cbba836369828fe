//! Reads a log: is it intact, where does it end, and what does it hold?
//!
//! `cargo bench --bench store` measures how long this takes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
#[cfg(feature = "cli")]
use std::{fs::OpenOptions, io::ErrorKind};

use super::found::damaged;
use super::frame::{Flaw, Frame, Frames};
use super::head::Head;
use super::note::{NO_BATCH_LEFT, note};
use super::segment::{Checked, batch_of, bytes_of, header_of, is_only_begun, name_of, segment_file, segments_in};
use super::{Commit, Header, Lock};
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::record::Pos;

/// A log that was read and found intact.
pub struct Opened {
    pub(super) folder: PathBuf,
    pub(super) head: Option<Head>,
    pub(super) segments: Vec<Segment>,
    pub(super) header: Option<Header>,
    /// The places where the log may be continued: the last one that HEAD vouches for, and every later one.
    pub(super) frame_ends: Vec<FrameEnd>,
    /// Whether a service wrote to this log.
    pub(super) has_answers: bool,
    torn: Option<String>,
    repaired: Option<String>,
}

/// A segment that was read.
pub(super) struct Segment {
    pub(crate) number: u64,
    /// The position after its last message.
    pub(crate) end: Pos,
    /// Kept open, so that the segment can be read again even after a writing process has deleted it.
    pub(crate) file: File,
}

/// A place between two frames.
#[derive(Debug, Clone)]
pub(super) struct FrameEnd {
    pub(crate) segment: u64,
    pub(crate) end: u64,
    pub(crate) sum: u64,
    /// The state after the last batch before this place; `None` before the first batch.
    pub(crate) commit: Option<Commit>,
}

/// The state in whose folder a folder lies, if there is one.
fn outer_state(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let real = fs::canonicalize(there).ok()?;
    let mut outer = real.ancestors().skip(usize::from(there == folder));
    outer.find(|outer| matches!(Head::read(outer), Ok(Some(Ok(_))))).map(Path::to_owned)
}

/// Makes the error that refuses a folder that cannot be made.
fn unmade(folder: &Path, error: &std::io::Error) -> Error {
    let reason = tr!("this folder cannot be made: {error}; name one in a folder where you may write", error);
    Error::state(folder.display().to_string(), reason)
}

/// Reads the HEAD of a folder; `None` if it is not there.
fn head_of(folder: &Path) -> Result<Option<Head>> {
    let name = super::head::NAME;
    let head = Head::read(folder).map_err(|error| Error::io(folder.join(name).display().to_string(), error))?;
    head.transpose().map_err(|flaw| damaged(folder, name, &flaw))
}

impl Opened {
    /// Locks a folder for this process, creating it if it is missing, and reads the log in it.
    ///
    /// # Errors
    /// [`Error::State`] if another process holds it, or if it is damaged, with file and offset; [`Error::Io`].
    pub fn take(folder: &Path) -> Result<(Lock, Self)> {
        Self::refuse_unfit(folder)?;
        fs::create_dir_all(folder).map_err(|error| unmade(folder, &error))?;
        let lock = Lock::take(folder)?;
        Ok((lock, Self::read(folder)?))
    }

    /// Refuses a path that exists and is not a folder, one that lies in another state, and a folder with other files and no state. Hidden
    /// files and the folder of a file system are no content.
    ///
    /// # Errors
    /// [`Error::State`].
    pub(crate) fn refuse_unfit(folder: &Path) -> Result<()> {
        if folder.exists() && !folder.is_dir() {
            let reason = tr!("is a file, and a state is a folder; name another one");
            return Err(Error::state(folder.display().to_string(), reason));
        }
        if let Some(outer) = outer_state(folder) {
            let reason = tr!("is in the folder of another state, {}; name a folder elsewhere", outer.display());
            return Err(Error::state(folder.display().to_string(), reason));
        }
        if Self::is_there(folder) {
            return Ok(());
        }
        // A run that was killed before its first note leaves LOCK and HEAD.new.
        let is_foreign = |name: &str| !name.starts_with('.') && !["LOCK", "HEAD.new", "lost+found"].contains(&name);
        let names =
            fs::read_dir(folder).into_iter().flatten().filter_map(|file| file.ok()?.file_name().into_string().ok());
        names.filter(|name| is_foreign(name)).min().map_or(Ok(()), |name| {
            let reason =
                tr!("holds no state but other files, such as {name}; name a folder that is new or empty", name);
            Err(Error::state(folder.display().to_string(), reason))
        })
    }

    /// Refuses a folder that cannot be made or written. A file is made there, and removed again.
    ///
    /// # Errors
    /// [`Error::State`], [`Error::Io`].
    #[cfg(feature = "cli")]
    pub(crate) fn refuse_unwritable(folder: &Path) -> Result<()> {
        let here = Path::new(".");
        let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(here);
        let probe = there.join(format!(".quchong-{}", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).open(&probe).and_then(|_| fs::remove_file(&probe));
        match made {
            Err(error) if there != folder => return Err(unmade(folder, &error)),
            Err(error) => return Err(Error::io(folder.display().to_string(), error)),
            Ok(()) if there != folder => return Ok(()),
            Ok(()) => {}
        }
        let last = segments_in(folder)?.last().map(|last| name_of(*last));
        for path in last.into_iter().chain(["LOCK".to_owned()]).map(|name| folder.join(name)) {
            match OpenOptions::new().write(true).open(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::io(path.display().to_string(), error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a folder holds a state, even a damaged one.
    pub(crate) fn is_there(folder: &Path) -> bool {
        folder.join(super::head::NAME).exists() || segments_in(folder).is_ok_and(|segments| !segments.is_empty())
    }

    /// Reads the log in a folder without writing anything. Another process may be writing to the log; the result is then the
    /// log as it was when it was read.
    ///
    /// # Errors
    /// [`Error::State`] if it is damaged, with file and offset; [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self> {
        loop {
            let head = head_of(folder)?;
            match Self::read_from(folder, head) {
                // A writing process has deleted a segment that this HEAD refers to, or has written the first HEAD.
                Err(_) if head_of(folder)? != head => {}
                read => return read,
            }
        }
    }

    fn read_from(folder: &Path, head: Option<Head>) -> Result<Self> {
        let mut opened = Self {
            folder: folder.to_owned(),
            head,
            segments: Vec::new(),
            header: None,
            frame_ends: Vec::new(),
            has_answers: false,
            torn: None,
            repaired: note(folder)?,
        };
        match head {
            Some(head) => opened.read_segments(head)?,
            None => opened.expect_nothing()?,
        }
        Ok(opened)
    }

    /// Accepts a folder without HEAD only if it holds no state or one whose creation was interrupted. HEAD is written before
    /// anything follows the first header. So anything more is a log that lost its HEAD, and a run that treated it as empty
    /// would overwrite it.
    fn expect_nothing(&self) -> Result<()> {
        for segment in segments_in(&self.folder)? {
            let file = segment_file(&self.folder, segment)?;
            let bytes = file.map(|file| bytes_of(&file, &self.folder, segment)).transpose()?.unwrap_or_default();
            match is_only_begun(&bytes, segment) {
                Ok(true) if segment == 1 => {}
                Err(flaw) if flaw.is_foreign => return Err(damaged(&self.folder, &name_of(segment), &flaw)),
                _ => {
                    let flaw = Flaw::new(0, tr!("it is missing, but the folder has the log that belongs to it"));
                    return Err(damaged(&self.folder, super::head::NAME, &flaw));
                }
            }
        }
        Ok(())
    }

    fn read_segments(&mut self, head: Head) -> Result<()> {
        let mut before = None;
        for segment in head.first.. {
            let Some(file) = segment_file(&self.folder, segment)? else {
                if segment <= head.segment && segments_in(&self.folder)?.is_empty() {
                    return Err(Error::state(self.folder.display().to_string(), tr!(NO_BATCH_LEFT)));
                }
                if segment <= head.segment {
                    return Err(damaged(&self.folder, &name_of(segment), &Flaw::new(0, tr!("it is not there"))));
                }
                return Ok(());
            };
            let bytes = bytes_of(&file, &self.folder, segment)?;
            // Everything up to this offset must be intact.
            let must = match segment.cmp(&head.segment) {
                std::cmp::Ordering::Less => u64::MAX,
                std::cmp::Ordering::Equal => head.length,
                std::cmp::Ordering::Greater => 0,
            };
            let name = name_of(segment);
            match self.read_segment(&bytes, file, segment, before, must) {
                Ok(sum) if segment != head.segment || sum == Some(head.sum) => {}
                Ok(_) => {
                    let at = bytes.len().min(head.length as usize);
                    return Err(damaged(
                        &self.folder,
                        &name,
                        &Flaw::new(at, tr!("the log is not the one that HEAD speaks of")),
                    ));
                }
                Err(flaw) if flaw.at < must => return Err(damaged(&self.folder, &name, &flaw)),
                Err(flaw) => {
                    let (file, lost) = (self.folder.join(name), bytes.len() as u64 - flaw.at);
                    self.torn = Some(tr!(
                        "{}: byte {}: the last {lost} bytes are incomplete: a run is writing them now, or broke off while it wrote them. They are left out; all before them is good",
                        file.display(),
                        flaw.at,
                        lost
                    ));
                    return Ok(());
                }
            }
            before = self.frame_ends.last().map(|frame_end| frame_end.sum);
        }
        Ok(())
    }

    /// Reads a segment whose first frame continues the checksum `before`. HEAD vouches for the segment up to the offset
    /// `must`. Returns the checksum of the frame that ends there, if one does.
    fn read_segment(
        &mut self,
        bytes: &[u8],
        file: File,
        segment: u64,
        before: Option<u64>,
        must: u64,
    ) -> Checked<Option<u64>> {
        let mut frames = Frames::of(bytes, segment)?;
        let (header, end, sum) = header_of(&mut frames)?;
        if before.is_some_and(|before| before != header.before) {
            return Err(Flaw::new(super::frame::BEGINNING, tr!("this segment does not continue the one before")));
        }
        let mut run_note = header.run_note.clone();
        self.header = Some(header);
        let commit = self.frame_ends.last().and_then(|frame_end| frame_end.commit.clone());
        let next = commit.as_ref().map_or(Pos(0), |commit| commit.next);
        self.segments.push(Segment { number: segment, end: next, file });
        let mut vouched = Some(sum).filter(|_| end == must);
        self.add(FrameEnd { segment, end, sum, commit }, end <= must);
        while let Some(frame) = frames.next_frame()? {
            let batch = batch_of(&frame)?;
            if let Some(begun) = batch.run_note {
                run_note = begun.to_vec();
            }
            self.has_answers |= !batch.answers.is_empty();
            let next = Pos(batch.next);
            let commit =
                Commit { next, clock: batch.clock, checkpoint: batch.checkpoint.to_vec(), run_note: run_note.clone() };
            if let Some(last) = self.segments.last_mut() {
                last.end = next;
            }
            let Frame { end, sum, .. } = frame;
            vouched = vouched.or(Some(sum).filter(|_| end == must));
            self.add(FrameEnd { segment, end, sum, commit: Some(commit) }, end <= must);
        }
        Ok(vouched)
    }

    fn add(&mut self, frame_end: FrameEnd, vouched: bool) {
        if vouched {
            self.frame_ends.clear();
        }
        self.frame_ends.push(frame_end);
    }

    /// The state after the last batch; `None` before the first batch.
    pub fn last(&self) -> Option<&Commit> {
        self.frame_ends.last()?.commit.as_ref()
    }

    /// The header of the last segment; `None` if there is no state yet.
    pub(crate) fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of segments of the log.
    #[cfg(feature = "cli")]
    pub(crate) fn segments(&self) -> usize {
        self.segments.len()
    }

    /// A message about the bytes after the end of the log that were left out, if there were any.
    pub fn torn(&self) -> Option<&str> {
        self.torn.as_deref()
    }

    /// What a [repair](mod@super::repair) lost, if no run has reported it yet.
    pub(crate) fn repaired(&self) -> Option<&str> {
        self.repaired.as_deref()
    }
}

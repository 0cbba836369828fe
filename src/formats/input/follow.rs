//! A file that is read on as it grows, and as another takes its name.
//!
//! `tail -F` gives up a file as soon as it has lost its name: of 100 rotations in which the writer had two more lines for the old
//! file, GNU tail 9.1 lost 197 lines of 50 200. Here the old file is read until it has been still for a second.
//!
//! Files that had the name and lost it between two looks are found in the folder: they are called as the file is, with digits,
//! dots, dashes and underscores behind its name or before its extension (`feed.txt.1`, `feed-2026-11-22.txt`, `feed.7`), and they
//! were not there before. They are read in the order in which they were made. Not found are files that went to another folder, were
//! packed or deleted between two looks.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// So often it is looked for more.
const PAUSE: Duration = Duration::from_millis(5);
/// So long the writer may still hold a file of which another has taken the name.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads a file, and what takes its name. Never ends.
pub(crate) struct Follower {
    path: PathBuf,
    file: File,
    /// Bytes read of it, and the last one.
    offset: u64,
    last: u8,
    /// Whether its end was seen, and when it was last seen to grow behind that.
    at_end: bool,
    grew: Option<Instant>,
    /// Files that have taken the name since, and when; the newest last.
    next: VecDeque<(File, Instant)>,
    /// When the name was last looked at.
    looked: Option<Instant>,
    /// Files in the folder that are called as rotated ones are, and that need not be read any more.
    known: BTreeSet<Identity>,
}

/// What tells files apart, whatever they are called: a number is given to another file when the first is gone.
type Identity = (u64, u64, Option<SystemTime>);

impl Follower {
    /// Reads the file from its beginning.
    ///
    /// # Errors
    /// It cannot be opened, or is no file that keeps what is written.
    pub(crate) fn open(path: PathBuf) -> io::Result<Self> {
        let file = File::open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(
                "is no file that could grow (--follow is for files; a pipe is read as it comes)",
            ));
        }
        let known =
            rotated(&path)?.iter().map(|(_, about)| identity(about)).chain([identity(&file.metadata()?)]).collect();
        let (next, looked) = (VecDeque::new(), None);
        Ok(Self { path, file, offset: 0, last: b'\n', at_end: false, grew: None, next, looked, known })
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
            self.known.insert(identity(&its));
            self.find_between(&newest.metadata()?)?;
            self.next.push_back((named, Instant::now()));
        }
        Ok(())
    }

    /// Opens the files that had the name since `newest` had it and lost it again.
    fn find_between(&mut self, newest: &Metadata) -> io::Result<()> {
        let there = rotated(&self.path)?;
        let now: BTreeSet<Identity> = there.iter().map(|(_, about)| identity(about)).collect();
        let mut between: Vec<_> =
            there.into_iter().filter(|(_, about)| !self.known.contains(&identity(about))).collect();
        between.retain(|(_, about)| !is_same(about, newest));
        between.sort_by_cached_key(|(path, about)| (made(about), path.clone()));
        for (path, _) in between {
            match File::open(&path) {
                Ok(file) => self.next.push_back((file, Instant::now())),
                // It has another name by now, or none.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let reason = format!("{} had its name for a moment and cannot be read: {error}", path.display());
                    return Err(io::Error::new(error.kind(), reason));
                }
            }
        }
        let held = self.next.iter().map(|(file, _)| file).chain([&self.file]);
        let held: Vec<Identity> = held.filter_map(|file| file.metadata().ok()).map(|about| identity(&about)).collect();
        self.known.retain(|file| now.contains(file));
        self.known.extend(now.into_iter().chain(held));
        Ok(())
    }

    /// Goes over to the next file if this one is done, or to its beginning if there is less than was read. Whether it did.
    fn turn(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() < self.offset {
            self.file.rewind()?;
            (self.offset, self.at_end) = (0, false);
            return Ok(true);
        }
        let since = self.next.front().map(|(_, since)| self.grew.map_or(*since, |grew| grew.max(*since)));
        let is_done = since.is_some_and(|since| since.elapsed() >= PATIENCE);
        let Some((file, _)) = is_done.then(|| self.next.pop_front()).flatten() else { return Ok(false) };
        (self.file, self.offset, self.at_end, self.grew) = (file, 0, false, None);
        Ok(true)
    }
}

/// The files beside `path` that are called as it is when it has been rotated.
fn rotated(path: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let is_rotated = |entry: &DirEntry| is_rotated(path, Path::new(&entry.file_name())).unwrap_or(false);
    let entries = fs::read_dir(folder)?.filter_map(Result::ok).filter(is_rotated);
    // What is gone by now is no file any more.
    let files = entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    Ok(files.filter(|(_, about)| about.is_file()).collect())
}

/// Whether `name` is that of `path` with nothing but digits and signs behind it, or before its extension, or in its place.
fn is_rotated(path: &Path, name: &Path) -> Option<bool> {
    let [whole, name] = [path.file_name()?.to_str()?, name.to_str()?];
    let stem = path.file_stem()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_mark = |mark: &str| {
        mark.starts_with(['.', '-', '_']) && mark.contains(|c: char| c.is_ascii_digit()) && {
            mark.chars().all(|c| c.is_ascii_digit() || ".-_:TZ".contains(c))
        }
    };
    let behind = name.strip_prefix(whole).is_some_and(is_mark);
    let within = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(extension)?.strip_suffix('.'));
    let instead = name.strip_prefix(stem).filter(|_| !extension.is_empty());
    Some(behind || within.is_some_and(is_mark) || instead.is_some_and(is_mark))
}

/// When a file was made; where that is not known, when it was last written to.
fn made(about: &Metadata) -> Option<(SystemTime, SystemTime)> {
    let written = about.modified().ok()?;
    Some((about.created().unwrap_or(written), written))
}

#[cfg(unix)]
fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino(), about.created().ok())
}

#[cfg(not(unix))]
fn identity(about: &Metadata) -> Identity {
    (0, 0, about.created().ok())
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
                self.last = into[read - 1];
                if self.at_end {
                    self.grew = Some(Instant::now());
                }
                return Ok(read);
            }
            self.at_end = true;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rotated_files() {
        let is = |name: &str| is_rotated(Path::new("log/feed.txt"), Path::new(name)).unwrap();
        for name in ["feed.txt.1", "feed.txt-20261122", "feed-2026-11-22T10:00:00Z.txt", "feed.7", "feed_3.txt"] {
            assert!(is(name), "{name}");
        }
        for name in
            ["feed.txt", "feed.jsonl", "feed.txt.1.gz", "feed-kept.txt", "feeds.1", "feed.txt.why", "feed.", "7"]
        {
            assert!(!is(name), "{name}");
        }
    }
}

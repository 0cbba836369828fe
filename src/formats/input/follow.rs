//! A file that is read on as it grows, and as another takes its name.
//!
//! `tail -F` gives up a file as soon as it has lost its name: of 100 rotations in which the writer had two more lines for the old
//! file, GNU tail 9.1 lost 197 lines of 50 200. Here the old file is read until it has been still for a second.
//!
//! Files that had the name and lost it between two looks are found in the folder: they are called as the file is, with digits,
//! dots, dashes and underscores behind its name or before its extension (`feed.txt.1`, `feed-2026-11-22.txt`, `feed.7`), and they
//! were not there before. They are read in the order in which they were made. Those that went to another folder, were packed or
//! deleted between two looks cannot be read. How many they were is told: Linux keeps account of what takes a name.
//!
//! A file that was cut is known by its length, or, if it has grown since, by the last 4 KiB that were read of it: they stand there no
//! longer. It is read from its beginning, behind the rest of its copy if one is found in the folder (`copytruncate`), and it is told
//! what is not known.

mod arrivals;
#[cfg_attr(not(target_os = "linux"), path = "follow/watch/absent.rs")]
mod watch;

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use arrivals::{Account, Arrived, Missing};
use watch::Watch;

/// So often it is looked for more.
const PAUSE: Duration = Duration::from_millis(5);
/// So long the writer may still hold a file of which another has taken the name.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes before the place that has been read to, by which a file is known to be the same.
const TAIL: usize = 4096;

/// Hears, in words, what of a file cannot be read.
pub(crate) type Told = Arc<dyn Fn(&str) + Send + Sync>;

/// Reads a file, and what takes its name. Never ends.
pub(crate) struct Follower {
    path: PathBuf,
    told: Told,
    file: File,
    /// Bytes read of it, and the last of them.
    offset: u64,
    tail: Vec<u8>,
    /// The most bytes that it was seen to have.
    length: u64,
    /// Whether its end was seen, and when it was last seen to grow behind that.
    at_end: bool,
    grew: Option<Instant>,
    /// Files that have taken the name since, and when; the newest last.
    next: VecDeque<(File, Instant)>,
    /// When the name was last looked at.
    looked: Option<Instant>,
    /// Files in the folder that are called as rotated ones are, and that need not be read any more.
    known: BTreeSet<Identity>,
    /// How many files took the name.
    watch: Watch,
    account: Account,
}

/// What tells files apart, whatever they are called: a number is given to another file when the first is gone.
type Identity = (u64, u64, Option<SystemTime>);

impl Follower {
    /// Reads the file from its beginning; `told` hears what cannot be read.
    ///
    /// # Errors
    /// It cannot be opened, or is no file that keeps what is written.
    pub(crate) fn open(path: PathBuf, told: Told) -> io::Result<Self> {
        let watch = Watch::begin(folder_of(&path));
        let file = File::open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(
                "is no file that could grow (--follow is for files; a pipe is read as it comes)",
            ));
        }
        let known =
            rotated(&path)?.iter().map(|(_, about)| identity(about)).chain([identity(&file.metadata()?)]).collect();
        Ok(Self {
            path,
            told,
            file,
            offset: 0,
            tail: Vec::new(),
            length: 0,
            at_end: false,
            grew: None,
            next: VecDeque::new(),
            looked: None,
            known,
            watch,
            account: Account::default(),
        })
    }

    /// Looks, every now and then, whether another file has the name: it is opened at once, or it could be gone when its turn comes.
    fn look(&mut self) -> io::Result<()> {
        let since = self.looked.map(|looked| looked.elapsed());
        if since.is_some_and(|since| since < PAUSE) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        let arrived = self.watch.arrived(&self.path);
        let have_come = self.account.arrived(arrived);
        let named = File::open(&self.path).and_then(|file| Ok((file.metadata()?, file)));
        let named = named.ok().filter(|(its, _)| its.is_file());
        let newest = self.next.back().map_or(&self.file, |(file, _)| file).metadata()?;
        let other = named.as_ref().filter(|(its, _)| !is_same(its, &newest));
        let mut found = 0;
        // Either another file has the name, or one had it and nothing is in its place yet.
        if other.is_some() || named.is_none() && have_come {
            self.known.extend(other.map(|(its, _)| identity(its)));
            found = self.find_between(&newest)?;
        }
        if let Some((_, file)) = named.filter(|(its, _)| !is_same(its, &newest)) {
            self.next.push_back((file, Instant::now()));
            found += 1;
        }
        let missing = match arrived {
            Arrived::Unknown => since.filter(|since| found > 0 && *since > PATIENCE).map(|_| Missing::Unknown),
            _ => self.account.found(found, arrived),
        };
        if let Some(missing) = missing {
            self.tell_missing(missing);
        }
        Ok(())
    }

    /// Tells of files that had the name and are not read.
    fn tell_missing(&self, missing: Missing) {
        let file = self.path.display();
        let which = match missing {
            Missing::Files(1) => "1 file that had this name while nobody could look is".to_owned(),
            Missing::Files(files) => format!("{files} files that had this name while nobody could look are"),
            Missing::Unknown => "for a while nobody could look, and files that had this name then may be".to_owned(),
        };
        (self.told)(&format!(
            "{file}: {which} not in its folder any more under a name like it, and not read: all of their lines are lost, how many is \
             not known; leave rotated files there, unpacked, until they are read"
        ));
    }

    /// Opens the files that had the name since `newest` had it and lost it again; how many.
    fn find_between(&mut self, newest: &Metadata) -> io::Result<i64> {
        let there = rotated(&self.path)?;
        let now: BTreeSet<Identity> = there.iter().map(|(_, about)| identity(about)).collect();
        let mut between: Vec<_> =
            there.into_iter().filter(|(_, about)| !self.known.contains(&identity(about))).collect();
        between.retain(|(_, about)| !is_same(about, newest));
        between.sort_by_cached_key(|(path, about)| (made(about), path.clone()));
        let mut found = 0;
        for (path, _) in between {
            match File::open(&path) {
                Ok(file) => {
                    self.next.push_back((file, Instant::now()));
                    found += 1;
                }
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
        Ok(found)
    }

    /// Goes over to the next file if this one is done. Whether it did.
    fn turn(&mut self) -> bool {
        let since = self.next.front().map(|(_, since)| self.grew.map_or(*since, |grew| grew.max(*since)));
        let is_done = since.is_some_and(|since| since.elapsed() >= PATIENCE);
        let Some((file, _)) = is_done.then(|| self.next.pop_front()).flatten() else { return false };
        self.file = file;
        self.begin();
        true
    }

    /// The file in hand is read from its beginning.
    fn begin(&mut self) {
        (self.offset, self.length, self.at_end, self.grew) = (0, 0, false, None);
        self.tail.clear();
    }

    /// Whether what was read last stands there no longer; the file is then where it was, or anywhere.
    fn is_cut(&mut self) -> io::Result<bool> {
        let length = self.file.metadata()?.len();
        self.length = self.length.max(length);
        Ok(length < self.offset || !continues(&mut self.file, self.offset, &self.tail)?)
    }

    /// Reads a file that was cut from its beginning, behind what its copy has beyond the place that was read to.
    fn start_over(&mut self) -> io::Result<()> {
        let (file, read) = (self.path.display().to_string(), self.offset);
        match self.copy()? {
            Some((path, copy)) => {
                (self.told)(&format!(
                    "{file}: was cut when {read} bytes of it were read; it is read on in its copy, {}, and then from its beginning; \
                     what was written between the copy and the cut is lost, how much is not known",
                    path.display()
                ));
                let mut cut = std::mem::replace(&mut self.file, copy);
                cut.rewind()?;
                self.next.push_front((cut, Instant::now()));
                (self.at_end, self.grew) = (false, None);
            }
            None => {
                let lost = match self.length.saturating_sub(read) {
                    0 => "what was written behind them is lost, if anything was, and how much is not known".to_owned(),
                    bytes => format!("at least {bytes} bytes behind them are lost"),
                };
                (self.told)(&format!(
                    "{file}: was cut when {read} bytes of it were read: {lost}; it is read from its beginning (rotate it by renaming, or keep \
                     its copy beside it)"
                ));
                self.file.rewind()?;
                self.begin();
            }
        }
        Ok(())
    }

    /// The copy of the file in hand as it was before it was cut, and at the place that was read to, if it is in the folder.
    fn copy(&mut self) -> io::Result<Option<(PathBuf, File)>> {
        if self.tail.is_empty() {
            return Ok(None);
        }
        for (path, about) in rotated(&self.path)? {
            if self.known.contains(&identity(&about)) || about.len() < self.offset {
                continue;
            }
            let Ok(mut file) = File::open(&path) else { continue };
            if continues(&mut file, self.offset, &self.tail)? {
                self.known.insert(identity(&about));
                return Ok(Some((path, file)));
            }
        }
        Ok(None)
    }

    /// These bytes were read.
    fn note(&mut self, read: &[u8]) {
        self.offset += read.len() as u64;
        let (kept, new) = (TAIL.saturating_sub(read.len()), read.len().min(TAIL));
        self.tail.drain(..self.tail.len().saturating_sub(kept));
        self.tail.extend_from_slice(&read[read.len() - new..]);
        if self.at_end {
            self.grew = Some(Instant::now());
        }
    }
}

/// Whether `tail` stands in a file before `offset`, where the file then is.
fn continues(file: &mut File, offset: u64, tail: &[u8]) -> io::Result<bool> {
    let mut there = [0; TAIL];
    let there = &mut there[..tail.len()];
    file.seek(SeekFrom::Start(offset - tail.len() as u64))?;
    match file.read_exact(there) {
        Ok(()) => Ok(there == tail),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The files beside `path` that are called as it is when it has been rotated.
fn rotated(path: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let is_rotated = |entry: &DirEntry| is_rotated(path, Path::new(&entry.file_name())).unwrap_or(false);
    let entries = fs::read_dir(folder_of(path))?.filter_map(Result::ok).filter(is_rotated);
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
            // What was read of a line that will not be completed is a line of its own.
            let is_open = self.tail.last().is_some_and(|last| *last != b'\n');
            let has_turned = if self.is_cut()? {
                self.start_over()?;
                self.offset == 0
            } else {
                let read = self.file.read(into)?;
                if read > 0 {
                    self.note(&into[..read]);
                    return Ok(read);
                }
                self.at_end = true;
                self.turn()
            };
            match into.first_mut() {
                Some(first) if has_turned && is_open => {
                    *first = b'\n';
                    return Ok(1);
                }
                _ if has_turned => {}
                _ => thread::sleep(PAUSE),
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

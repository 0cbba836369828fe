//! Follows a file as it grows, and goes on with the new file when another file takes its name.
//!
//! `tail -F` gives up a file as soon as it has lost its name. Over 100 rotations in which the writer had two more lines for the old file,
//! GNU tail 9.1 lost 197 of 50 200 lines. Here the old file is read until it has not grown for a second.
//!
//! Several files can have and lose the name between two looks. They are searched for in the folder as files that were not there before,
//! and whose names are the followed name with digits, dots, dashes and underscores after it or before its extension (`feed.txt.1`,
//! `feed-2026-11-22.txt`, `feed.7`). They are read in the order of their creation. Linux reports how many files took the name. If they
//! are more than were found, the rest is searched for among packed files: those with such a name followed by `.gz`, `.zst`, `.bz2` or
//! `.xz`, except packed versions of files that were already read, recognised by their last bytes. Files that were moved to another folder
//! or deleted between two looks cannot be read; their number is reported.
//!
//! A cut is recognised by the length of the file, or, if the file has grown again, because the last 4 KiB that were read are no longer in
//! their place. The file is then read from its beginning. Before that come the rest of its copy, if one is in the folder
//! (`copytruncate`), and the copies of what was written and cut since. A copy is a file with the name of a rotated file that is new or
//! has changed. It must not begin as the followed file does now: such a copy was made before a cut that is still to come. Losses of
//! unknown size and the number of missing copies are reported.
//!
//! A run that follows a file after another run ([`Followed`]) goes on where that run stopped. If the file was rotated since, it first
//! reads the rest of the rotated file, packed or not, and then the files created after it. Which packed files are newer is told by their
//! times, their names, or the endings of the files that were read; where nothing tells, they are read, and reported. A run that is asked
//! to stop first reads what is already there, and reports what it had no time for.

mod arrivals;
mod back;
mod beside;
mod copies;
mod cuts;
mod folder;
mod held;
mod late;
mod names;
mod packed;
mod tell;
mod trail;
#[cfg_attr(not(target_os = "linux"), path = "follow/watch/absent.rs")]
mod watch;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::super::compression::Compression;
use crate::locale::tr;
use arrivals::{Account, Arrived, Missing};
use copies::Ledger;
use folder::{Identity, Known, folder_of, identity, is_same, made, packed, rotated, stamp};
use held::{Ending, Held};
use late::Left;
pub(crate) use trail::{Followed, Following, Stop};
use watch::Watch;

/// The pause between two looks for more.
const PAUSE: Duration = Duration::from_millis(5);
/// How long a writer may keep writing to a file after another file has taken its name.
const OLD_FILE_GRACE: Duration = Duration::from_secs(1);
/// How long a run that is asked to stop may go on reading what is already there.
const LAST: Duration = Duration::from_millis(500);
/// How often the start is repeated if files are rotated during it.
const TRIES: usize = 20;

/// Reads a file, and the files that take its name. Never reports an end, except between two files if each of them is an input of its own.
pub(crate) struct Follower {
    path: PathBuf,
    following: Following,
    now: Held,
    /// Bytes read of all files together.
    total: u64,
    /// Files that are read after the current one, the newest last.
    next: VecDeque<Next>,
    /// When the name was last looked at.
    looked: Option<Instant>,
    /// Files in the folder with names of rotated files that need not be read any more.
    known: Known,
    /// Events in the folder.
    watch: Watch,
    /// Files that took the name and have not been accounted for.
    arrived: Arrived,
    account: Account,
    copies: Ledger,
    /// The endings of the files read last.
    read: VecDeque<Ending>,
    /// Files that were read to their ends, but may be written to once more.
    left: Left,
    /// When the request to stop was first seen.
    stopping: Option<Instant>,
}

/// A file that waits to be read.
struct Next {
    file: File,
    /// When it was found.
    since: Instant,
    /// Its path, if it is packed.
    packed: Option<PathBuf>,
    is_copy: bool,
    /// Whether it was cut while it was followed, and so may have been cut again.
    was_cut: bool,
}

impl Next {
    fn new(file: File) -> Self {
        Self { file, since: Instant::now(), packed: None, is_copy: false, was_cut: false }
    }
}

impl Follower {
    /// Opens the file at its beginning, or where another run has stopped. `following` receives messages about what cannot be read.
    ///
    /// # Errors
    /// The file cannot be opened, or is no regular file.
    pub(crate) fn open(path: PathBuf, following: Following) -> io::Result<Self> {
        let mut tries = 0;
        loop {
            tries += 1;
            let (mut follower, about) = Self::begin(path.clone(), following.clone())?;
            let since = follower.following.since.clone();
            let found = since.as_ref().map_or(Ok(Vec::new()), |since| follower.go_back(since, &about));
            // If files lost their names during the start, they would be missed, or read in the wrong order.
            let is_named = || fs::metadata(&path).is_ok_and(|named| is_same(&named, &about));
            let found = match found {
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => continue,
                Ok(_) if since.is_some() && tries < TRIES && !is_named() => continue,
                found => found?,
            };
            found.iter().for_each(|message| (follower.following.report)(message));
            follower.remember_old()?;
            follower.tell_turn()?;
            return Ok(follower);
        }
    }

    fn begin(path: PathBuf, following: Following) -> io::Result<(Self, Metadata)> {
        let watch = Watch::begin(folder_of(&path));
        let file = File::open(&path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::other(tr!(
                "is no file that could grow (--follow is for files; a pipe is read as it comes)"
            )));
        }
        let mut following = following;
        // Offsets in decompressed data are no offsets in the file.
        following.is_noted = Compression::of_file(File::open(&path)?).is_none();
        let there = rotated(&path)?.into_iter().chain(packed(&path)?);
        let known = there.map(|(_, its)| (identity(&its), Some(stamp(&its)))).chain([(identity(&about), None)]);
        let follower = Self {
            following,
            now: Held::new(file, false),
            total: 0,
            next: VecDeque::new(),
            looked: None,
            known: known.collect(),
            watch,
            arrived: Arrived::Files(0),
            account: Account::default(),
            copies: Ledger::default(),
            read: VecDeque::new(),
            left: Left::default(),
            stopping: None,
            path,
        };
        Ok((follower, about))
    }

    /// Ends the reading if the run is asked to stop and its time is over.
    fn mind_stop(&mut self) {
        if self.stopping.is_none() && self.following.stop.is_asked() {
            (self.stopping, self.looked) = (Some(Instant::now()), None);
        }
        if self.stopping.is_some_and(|since| since.elapsed() > LAST) {
            self.tell_unread();
            self.mind_late(true);
            self.following.stop.report_drained_and_park();
        }
    }

    /// Records which file is read from here on.
    fn tell_turn(&self) -> io::Result<()> {
        self.following.turn(self.total, &self.now, &self.read)
    }

    /// Checks at intervals whether another file has the name. Such a file is opened at once, since it could be gone when its turn comes.
    fn look(&mut self) -> io::Result<()> {
        let since = self.looked.map(|looked| looked.elapsed());
        if since.is_some_and(|since| since < PAUSE) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        self.listen();
        let arrived = std::mem::replace(&mut self.arrived, Arrived::Files(0));
        let have_come = self.account.arrived(arrived);
        let named = File::open(&self.path).and_then(|file| Ok((file.metadata()?, file)));
        let named = named.ok().filter(|(its, _)| its.is_file());
        let newest = self.next.back().map_or(&self.now.file, |next| &next.file).metadata()?;
        let other = named.as_ref().filter(|(its, _)| !is_same(its, &newest));
        let mut between = Vec::new();
        // Either another file has the name, or a file had it for a while and nothing is in its place yet.
        if other.is_some() || named.is_none() && have_come {
            self.known.extend(other.map(|(its, _)| (identity(its), None)));
            between = self.find_between(&newest)?;
        }
        let named = named.filter(|(its, _)| !is_same(its, &newest)).map(|(_, file)| Next::new(file));
        let found = between.len() + usize::from(named.is_some());
        let mut missing = match arrived {
            Arrived::Unknown => since.filter(|since| found > 0 && *since > OLD_FILE_GRACE).map(|_| Missing::Unknown),
            _ => self.account.found(found as i64, arrived),
        };
        if let Some(missed) = missing {
            let packed = self.find_packed(&newest)?;
            missing = missed.but(packed.len());
            between.extend(packed);
            between.sort_by_key(|(made, _)| *made);
        }
        self.next.extend(between.into_iter().map(|(_, next)| next).chain(named));
        if let Some(missing) = missing {
            self.tell_missing(missing);
        }
        Ok(())
    }

    /// Collects what has happened in the folder.
    fn listen(&mut self) {
        let (arrived, closed) = self.watch.events(&self.path);
        self.arrived = self.arrived.and(arrived);
        // The writer of a file that had the name, or of a copy that has been found, may close it late.
        let is_known = |name: &OsString| {
            let about = fs::metadata(folder_of(&self.path).join(name)).ok();
            let known = about.and_then(|about| Some((*self.known.get(&identity(&about))?, stamp(&about))));
            known.is_some_and(|(known, stamp)| known.is_none_or(|known| known == stamp))
        };
        let names: BTreeSet<&OsString> = closed.iter().collect();
        let known = names.into_iter().filter(|name| is_known(name)).count();
        self.copies.closed(closed.len() - known);
    }

    /// Opens the files that had and lost the name since `newest` had it, each with its time of creation.
    fn find_between(&mut self, newest: &Metadata) -> io::Result<Vec<(Option<SystemTime>, Next)>> {
        let there = rotated(&self.path)?;
        let is_new = |about: &Metadata| !self.known.contains_key(&identity(about)) && !is_same(about, newest);
        let mut found = Vec::new();
        for (path, about) in there.iter().filter(|(_, about)| is_new(about)) {
            match File::open(path) {
                Ok(file) => found.push((made(about).map(|(made, _)| made), Next::new(file))),
                // It has been renamed or deleted.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let reason = tr!("{} had its name for a moment and cannot be read: {error}", path.display(), error);
                    return Err(io::Error::new(error.kind(), reason));
                }
            }
        }
        let now: BTreeSet<Identity> = there.iter().map(|(_, about)| identity(about)).collect();
        let packed: BTreeSet<Identity> = packed(&self.path)?.iter().map(|(_, about)| identity(about)).collect();
        let held = self.next.iter().map(|next| &next.file).chain([&self.now.file]);
        let held: Vec<Identity> = held.filter_map(|file| file.metadata().ok()).map(|about| identity(&about)).collect();
        self.known.retain(|file, _| now.contains(file) || packed.contains(file));
        self.known.extend(now.into_iter().chain(held).map(|file| (file, None)));
        Ok(found)
    }

    /// Goes on to the next file if the current one is done. Returns whether it did.
    fn turn(&mut self) -> io::Result<bool> {
        let Some(next) = self.next.front() else { return Ok(false) };
        let since = self.now.grew.map_or(next.since, |grew| grew.max(next.since));
        let is_still = self.now.is_final || self.stopping.is_some() || since.elapsed() >= OLD_FILE_GRACE;
        let is_done = self.now.is_given_up || self.now.at_end && is_still;
        if !is_done {
            return Ok(false);
        }
        if next.was_cut {
            let live = next.file.metadata()?;
            let found = self.copies_of(&live, false)?;
            self.tell_later(&found);
            self.queue(found);
        }
        let Some(next) = self.next.pop_front() else { return Ok(false) };
        if !next.was_cut {
            self.copies.clear();
        }
        self.read.truncate(packed::READ - 1);
        self.read.push_front(self.now.ending());
        let now = Held::begin(next.file, next.packed, next.is_copy)?;
        let before = std::mem::replace(&mut self.now, now);
        // A file that was cut is still being read.
        if !is_same(&before.file.metadata()?, &self.now.file.metadata()?) {
            self.left.add(before);
        }
        self.tell_turn()?;
        Ok(true)
    }
}

impl Read for Follower {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.mind_stop();
            self.look()?;
            self.mind_late(false);
            if !self.now.is_given_up {
                self.mind_cuts()?;
            }
            if !self.now.is_given_up {
                let read = match self.now.read(into) {
                    Err(error) if self.now.packed.is_some() => {
                        self.tell_damaged(&error);
                        self.now.is_given_up = true;
                        0
                    }
                    read => read?,
                };
                self.total += read as u64;
                if read > 0 {
                    return Ok(read);
                }
            }
            // An unfinished line at the end of a file becomes a line of its own.
            let line_end = self.now.line_end(self.following.encoding);
            let is_open = !self.now.tail.is_empty() && !self.now.tail.ends_with(line_end);
            if !self.turn()? {
                if self.stopping.is_some() && self.next.is_empty() {
                    self.mind_late(true);
                    self.following.stop.report_drained_and_park();
                }
                thread::sleep(PAUSE);
                continue;
            }
            if self.following.in_parts {
                return Ok(0);
            }
            if let Some(end) = into.get_mut(..line_end.len()).filter(|_| is_open) {
                end.copy_from_slice(line_end);
                self.total += line_end.len() as u64;
                self.following.shift(line_end.len() as u64);
                return Ok(line_end.len());
            }
        }
    }
}

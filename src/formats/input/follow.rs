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
//! longer. It is read from its beginning, behind the rest of its copy if one is found in the folder (`copytruncate`), and behind the
//! copies of what was written and cut since. Copies are files that are called as rotated ones are, are new or have changed, and do
//! not begin as the file itself does: that would be a copy behind which it was not cut yet. It is told what is not known, and how
//! many copies are not there any more.
//!
//! A run that follows a file after another run ([`Followed`]) reads first what that one has left of a file that was rotated since,
//! and the files that were made after it.

mod arrivals;
mod copies;
mod folder;
mod held;
mod tell;
mod trail;
#[cfg_attr(not(target_os = "linux"), path = "follow/watch/absent.rs")]
mod watch;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::super::compression::Compression;
use arrivals::{Account, Arrived, Missing};
use copies::{Copies, Ledger, copies};
use folder::{Identity, Known, folder_of, identity, is_same, rotated, stamp};
use held::Held;
pub(crate) use trail::{Followed, Following};
use watch::Watch;

/// So often it is looked for more.
const PAUSE: Duration = Duration::from_millis(5);
/// So long the writer may still hold a file of which another has taken the name.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads a file, and what takes its name. Never ends, but for a moment between two files if these are inputs of their own.
pub(crate) struct Follower {
    path: PathBuf,
    following: Following,
    now: Held,
    /// Bytes read of all files.
    total: u64,
    /// Files that are read behind it, the newest last.
    next: VecDeque<Next>,
    /// When the name was last looked at.
    looked: Option<Instant>,
    /// Files in the folder that are called as rotated ones are, and that need not be read any more.
    known: Known,
    /// What happens in the folder, and how many files took the name that were not accounted for.
    watch: Watch,
    arrived: Arrived,
    account: Account,
    copies: Ledger,
}

/// A file whose turn will come.
struct Next {
    file: File,
    /// When it was found.
    since: Instant,
    is_copy: bool,
    /// Whether it was cut, and may have been again.
    was_cut: bool,
}

impl Next {
    fn new(file: File) -> Self {
        Self { file, since: Instant::now(), is_copy: false, was_cut: false }
    }
}

impl Follower {
    /// Reads the file from its beginning, behind what another run has left; `following` hears what cannot be read.
    ///
    /// # Errors
    /// It cannot be opened, or is no file that keeps what is written.
    pub(crate) fn open(path: PathBuf, following: Following) -> io::Result<Self> {
        let watch = Watch::begin(folder_of(&path));
        let file = File::open(&path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::other(
                "is no file that could grow (--follow is for files; a pipe is read as it comes)",
            ));
        }
        let mut following = following;
        // What is compressed has other places than those of the file.
        following.is_noted = Compression::of_file(File::open(&path)?).is_none();
        let there = rotated(&path)?;
        let known = there.iter().map(|(_, its)| (identity(its), Some(stamp(its)))).chain([(identity(&about), None)]);
        let mut follower = Self {
            path,
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
        };
        if let Some(since) = follower.following.since {
            follower.go_back(&since, &about, there)?;
        }
        follower.tell_turn()?;
        Ok(follower)
    }

    /// Begins with what a run before has left of a file that was rotated since, or cut, and with those that came after it.
    fn go_back(&mut self, since: &Followed, about: &Metadata, there: Vec<(PathBuf, Metadata)>) -> io::Result<()> {
        let is_named = since.is(&identity(about));
        if is_named && since.stands_in(&mut self.now.file)? {
            // Each run begins with the first record of the file that has the name.
            return self.now.file.rewind();
        }
        let mut left = None;
        for (at, (path, its)) in there.iter().enumerate() {
            let may_be = since.is(&identity(its)) || is_named && since.is_known();
            if may_be
                && let Ok(mut file) = File::open(path)
                && since.stands_in(&mut file)?
            {
                left = Some((at, file));
                break;
            }
        }
        let (path, behind) = (self.path.display(), since.offset);
        if left.is_none() {
            (self.following.told)(&format!(
                "{path}: the run before had read {behind} bytes of a file that had this name, and neither it nor a copy of it is in the \
                 folder any more under a name like it: what was written to it since is lost, how much is not known; leave rotated files \
                 there, unpacked, until they are read"
            ));
        }
        let first = left.as_ref().map(|(at, _)| *at);
        let is_later = |(at, (_, its)): &(usize, (PathBuf, Metadata))| match first {
            Some(first) => *at > first,
            None => since.is_before(its),
        };
        for (_, (path, its)) in
            there.into_iter().enumerate().filter(is_later).filter(|(_, (_, its))| !is_same(its, about))
        {
            self.next.extend(File::open(path).ok().map(|file| Next { is_copy: is_named, ..Next::new(file) }));
            self.known.insert(identity(&its), Some(stamp(&its)));
        }
        self.next.push_back(Next { was_cut: is_named, ..Next::new(self.now.file.try_clone()?) });
        match left {
            Some((_, mut file)) => {
                if is_named {
                    (self.following.told)(&format!(
                        "{path}: was cut since the run before had read {behind} bytes of it: it is read on in its copy, and then from its \
                         beginning; what was written between the copy and the cut is lost, how much is not known"
                    ));
                }
                // A header stands at the beginning.
                let offset = if self.following.in_parts { 0 } else { behind };
                file.seek(io::SeekFrom::Start(offset))?;
                self.now = Held::new(file, is_named);
                self.now.offset = offset;
            }
            None => self.now.is_over = true,
        }
        Ok(())
    }

    /// Notes which file is read from here on.
    fn tell_turn(&self) -> io::Result<()> {
        self.following.turn(self.total, identity(&self.now.file.metadata()?), self.now.offset);
        Ok(())
    }

    /// Looks, every now and then, whether another file has the name: it is opened at once, or it could be gone when its turn comes.
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
        let mut found = 0;
        // Either another file has the name, or one had it and nothing is in its place yet.
        if other.is_some() || named.is_none() && have_come {
            self.known.extend(other.map(|(its, _)| (identity(its), None)));
            found = self.find_between(&newest)?;
        }
        if let Some((_, file)) = named.filter(|(its, _)| !is_same(its, &newest)) {
            self.next.push_back(Next::new(file));
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

    /// Takes note of what has happened in the folder.
    fn listen(&mut self) {
        let (arrived, closed) = self.watch.events(&self.path);
        self.arrived = self.arrived.and(arrived);
        // Who wrote to a file that had the name, or to a copy that has been found, may close it late.
        let is_known = |name: &OsString| {
            let about = fs::metadata(folder_of(&self.path).join(name)).ok();
            let known = about.and_then(|about| Some((*self.known.get(&identity(&about))?, stamp(&about))));
            known.is_some_and(|(known, stamp)| known.is_none_or(|known| known == stamp))
        };
        let names: BTreeSet<&OsString> = closed.iter().collect();
        let known = names.into_iter().filter(|name| is_known(name)).count();
        self.copies.closed(closed.len() - known);
    }

    /// Opens the files that had the name since `newest` had it and lost it again; how many.
    fn find_between(&mut self, newest: &Metadata) -> io::Result<i64> {
        let there = rotated(&self.path)?;
        let now: BTreeSet<Identity> = there.iter().map(|(_, about)| identity(about)).collect();
        let is_new = |about: &Metadata| !self.known.contains_key(&identity(about)) && !is_same(about, newest);
        let between: Vec<_> = there.iter().filter(|(_, about)| is_new(about)).map(|(path, _)| path).collect();
        let mut found = 0;
        for path in between {
            match File::open(path) {
                Ok(file) => {
                    self.next.push_back(Next::new(file));
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
        let held = self.next.iter().map(|next| &next.file).chain([&self.now.file]);
        let held: Vec<Identity> = held.filter_map(|file| file.metadata().ok()).map(|about| identity(&about)).collect();
        self.known.retain(|file, _| now.contains(file));
        self.known.extend(now.into_iter().chain(held).map(|file| (file, None)));
        Ok(found)
    }

    /// Goes over to the next file if this one is done. Whether it did.
    fn turn(&mut self) -> io::Result<bool> {
        let Some(next) = self.next.front() else { return Ok(false) };
        let since = self.now.grew.map_or(next.since, |grew| grew.max(next.since));
        let is_done = self.now.is_over || self.now.at_end && (self.now.is_copy || since.elapsed() >= PATIENCE);
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
        let mut file = next.file;
        file.rewind()?;
        self.now = Held::new(file, next.is_copy);
        self.tell_turn()?;
        Ok(true)
    }

    /// Copies beside the file that has the name, which is `live`; of what is being read, if it was cut.
    fn copies_of(&mut self, live: &Metadata, is_cut: bool) -> io::Result<Copies> {
        self.listen();
        let now = Some(&self.now).filter(|_| is_cut);
        Ok(copies(&self.path, live, now, &mut self.known, &mut self.copies)?.unwrap_or_default())
    }

    /// Copies are read before all that waits.
    fn queue(&mut self, found: Copies) {
        for (_, file) in found.later.into_iter().rev() {
            self.next.push_front(Next { is_copy: true, ..Next::new(file) });
        }
    }

    /// Looks whether the file that is being read was cut, and if so makes ready to read its copies, and then what stands there. Nothing of
    /// it may have been read: then whatever lies beside it was written and cut before.
    fn mind_cuts(&mut self) -> io::Result<()> {
        let about = self.now.file.metadata()?;
        let is_first = self.now.offset == 0 && !self.now.is_copy && self.next.is_empty();
        if is_first && self.now.seen != Some(stamp(&about)) {
            self.now.seen = Some(stamp(&about));
            let found = self.copies_of(&about, false)?;
            self.tell_later(&found);
            if !found.later.is_empty() {
                self.start_over(found)?;
            }
        } else if self.now.is_cut()? {
            if self.now.is_copy {
                self.tell_copy_cut();
                self.now.is_over = true;
                return Ok(());
            }
            let found = self.copies_of(&about, true)?;
            self.tell_cut(&found);
            self.start_over(found)?;
        } else if self.next.is_empty() && self.copies.is_open() {
            let there = rotated(&self.path)?;
            self.listen();
            if !self.now.is_cut()? {
                self.copies.is_uncut(&there);
            }
        }
        Ok(())
    }

    /// The file in hand is read from its beginning, behind its copies.
    fn start_over(&mut self, mut found: Copies) -> io::Result<()> {
        let rest = found.rest.take().and_then(|(_, _, file)| file);
        let cut = match rest {
            Some(copy) => {
                let cut = self.now.go_on_in(copy);
                self.tell_turn()?;
                cut
            }
            None => {
                self.now.is_over = true;
                self.now.file.try_clone()?
            }
        };
        self.next.push_front(Next { was_cut: true, ..Next::new(cut) });
        self.queue(found);
        Ok(())
    }
}

impl Read for Follower {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.look()?;
            if !self.now.is_over {
                self.mind_cuts()?;
            }
            if !self.now.is_over {
                let read = self.now.read(into)?;
                self.total += read as u64;
                if read > 0 {
                    return Ok(read);
                }
            }
            // What was read of a line that will not be completed is a line of its own.
            let is_open = self.now.tail.last().is_some_and(|last| *last != b'\n');
            if !self.turn()? {
                thread::sleep(PAUSE);
                continue;
            }
            if self.following.in_parts {
                return Ok(0);
            }
            if let Some(first) = into.first_mut().filter(|_| is_open) {
                *first = b'\n';
                self.total += 1;
                self.following.shift();
                return Ok(1);
            }
        }
    }
}

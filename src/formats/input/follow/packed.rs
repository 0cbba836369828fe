//! Finds rotated files that were packed before they were found.

use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::Path;
use std::time::SystemTime;

use super::folder::{Identity, end_of_second, identity, made, packed, rotated, stamp};
use super::held::Ending;
use super::{Follower, Next};
use crate::locale::tr;

/// How many of the files that were read are remembered, to recognise them when they are packed.
pub(super) const READ: usize = 4096;

impl Follower {
    /// Remembers the endings of the rotated files that are not read by this run, so that they are recognised when they are packed. The
    /// files that were read last come first.
    pub(super) fn remember_old(&mut self) -> io::Result<()> {
        let held = self.next.iter().map(|next| &next.file).chain([&self.now.file]);
        let held: Vec<Identity> = held.filter_map(|file| file.metadata().ok()).map(|about| identity(&about)).collect();
        let old = rotated(&self.path)?.into_iter().rev().filter(|(_, about)| !held.contains(&identity(about)));
        for (path, _) in old.take(READ) {
            // A file that cannot be read is not recognised later.
            let ending = File::open(path).and_then(|mut file| Ending::of(&mut file));
            self.read.extend(ending.ok().filter(|ending| !self.read.contains(ending)));
        }
        self.read.truncate(READ);
        Ok(())
    }

    /// Opens the files that were packed since `newest` had the name, each with the time when it was last written to. Leaves out files
    /// that were read or that wait.
    pub(super) fn find_packed(&mut self, newest: &Metadata) -> io::Result<Vec<(Option<SystemTime>, Next)>> {
        let begun = made(newest).map(|(made, _)| made);
        let mut found = Vec::new();
        for (path, its) in packed(&self.path)? {
            let key = (identity(&its), Some(stamp(&its)));
            let last = its.modified().ok().map(end_of_second);
            let is_known = self.known.insert(key.0, key.1).is_some_and(|known| known.is_none() || known == key.1);
            if is_known || last < begun {
                continue;
            }
            let Ok(file) = File::open(&path) else { continue };
            if !self.has_packed(&file, &path)? {
                found.push((last, Next { packed: Some(path), ..Next::new(file) }));
            }
        }
        Ok(found)
    }

    /// Whether a packed file is one of those that were read or that wait. A file that cannot be unpacked is taken for none of them.
    fn has_packed(&mut self, file: &File, path: &Path) -> io::Result<bool> {
        let Some(all) = Ending::unpacked(file.try_clone()?, path)? else { return Ok(false) };
        let mut has = self.read.contains(&all);
        for file in self.next.iter_mut().filter(|next| next.packed.is_none()).map(|next| &mut next.file) {
            has |= Ending::of(file)? == all;
        }
        if self.now.packed.is_none() {
            has |= Ending::of(&mut self.now.file)? == all;
            self.now.file.seek(io::SeekFrom::Start(self.now.offset))?;
        }
        Ok(has)
    }

    /// Reports that a packed file cannot be unpacked any further.
    pub(super) fn tell_damaged(&self, error: &io::Error) {
        let path = self.now.packed.as_ref().map(|(path, _)| path.display().to_string()).unwrap_or_default();
        let (file, read) = (self.path.display(), self.now.offset);
        (self.following.report)(&tr!(
            "{file}: {path} cannot be unpacked behind the first {read} bytes in it ({error}): the lines behind them are lost, how many is \
             not known",
            file,
            path,
            read,
            error
        ));
    }
}

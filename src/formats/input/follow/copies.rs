//! Finds copies of a file that was cut (`copytruncate`).

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use super::folder::{Identity, Known, Stamp, identity, is_same, rotated, stamp};
use super::held::{Held, Likeness, continues, is_begin_of};

/// The copies found for a file that was cut.
#[derive(Default)]
pub(super) struct Copies {
    /// The copy of what was being read: its path and length. The file itself is given if it holds unread bytes, at the place where they
    /// begin.
    pub(crate) rest: Option<(PathBuf, u64, Option<File>)>,
    /// Copies of what was written and cut since, in order, each at its beginning.
    pub(crate) later: Vec<(PathBuf, File)>,
    /// How many copies were made but are gone or have been replaced.
    pub(crate) missing: usize,
}

/// Counts copies, to know how many were made but not found.
#[derive(Default)]
pub(super) struct Ledger {
    /// How many unknown files with names of copies were written and closed.
    closed: usize,
    /// The files that lay there when the file was last seen uncut. One of them may be its copy.
    before: BTreeSet<(Identity, Stamp)>,
}

impl Ledger {
    /// Counts files that were written and closed.
    pub(crate) fn closed(&mut self, files: usize) {
        self.closed += files;
    }

    /// Whether files were closed that have not been found.
    pub(crate) fn is_open(&self) -> bool {
        self.closed > 0
    }

    /// Records that the file had not been cut when these files lay beside it. The system has reported all of them. One of them may be the
    /// copy before the next cut; the others are unrelated.
    pub(crate) fn note_uncut(&mut self, there: &[(PathBuf, Metadata)]) {
        self.closed = 0;
        self.before = there.iter().map(|(_, about)| (identity(about), stamp(about))).collect();
    }

    /// Forgets everything, because another file is read now.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes off the files that were found. Returns how many are missing.
    fn found(&mut self, files: usize) -> usize {
        std::mem::take(&mut self.closed).saturating_sub(files)
    }
}

/// Looks for copies of `live`, the file that has the name. `now` is what was read of it before it was cut, if anything was. Returns
/// `None` if another file has the name.
pub(super) fn copies(
    path: &Path,
    live: &Metadata,
    now: Option<&Held>,
    known: &mut Known,
    ledger: &mut Ledger,
) -> io::Result<Option<Copies>> {
    let is_new = |about: &Metadata| {
        known.get(&identity(about)).is_none_or(|known| known.is_some_and(|known| known != stamp(about)))
    };
    let mut there = rotated(path)?;
    there.retain(|(_, about)| !is_same(about, live) && is_new(about));
    let Ok(mut file) = File::open(path) else { return Ok(None) };
    if !is_same(&file.metadata()?, live) {
        return Ok(None);
    }
    let (live, mut copies, mut found) = (&mut file, Copies::default(), Vec::new());
    for (path, about) in there {
        let Ok(mut file) = File::open(&path) else { continue };
        let key = (identity(&about), stamp(&about));
        found.extend(Some(key).filter(|key| !ledger.before.contains(key)));
        let likeness = now.map_or(Ok(Likeness::Other), |now| now.likeness(&mut file))?;
        match (likeness, now) {
            (Likeness::Copy(length), Some(now)) => {
                let is_longer = copies.rest.as_ref().is_none_or(|(_, before, _)| *before < length);
                let has_more = length > now.offset && continues(&mut file, now.offset, &now.tail)?;
                if is_longer {
                    copies.rest = Some((path, length, has_more.then_some(file)));
                }
            }
            // The copy holds what is still in the file.
            _ if about.len() > 0 && is_begin_of(&mut file, live)? => {
                ledger.before.insert(key);
                continue;
            }
            _ => {
                file.rewind()?;
                copies.later.push((path, file));
            }
        }
        known.insert(key.0, Some(key.1));
    }
    copies.missing = ledger.found(found.len());
    Ok(Some(copies))
}

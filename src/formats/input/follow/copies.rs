//! Copies of a file that was cut, found beside it (`copytruncate`).

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use super::folder::{Identity, Known, Stamp, identity, is_same, rotated, stamp};
use super::held::{Held, Likeness, continues, is_begin_of};

/// What was found beside a file that was cut.
#[derive(Default)]
pub(super) struct Copies {
    /// The copy of what was being read, and how many bytes it has; the file, if it has more than was read, at the place behind that.
    pub(crate) rest: Option<(PathBuf, u64, Option<File>)>,
    /// Copies of what was written and cut since, in order, at their beginnings.
    pub(crate) later: Vec<(PathBuf, File)>,
    /// Copies that were made and are not there any more, or have been replaced.
    pub(crate) missing: i64,
}

/// Counts copies, to know of those that were made and are not found.
#[derive(Default)]
pub(super) struct Ledger {
    /// Files called as copies are that were written and closed, less those that were found.
    closed: i64,
    /// Those that lay there when the file was last seen uncut: one of them may be its copy.
    before: BTreeSet<(Identity, Stamp)>,
}

impl Ledger {
    /// So many files called as copies are were written and closed.
    pub(crate) fn closed(&mut self, files: usize) {
        self.closed += i64::try_from(files).unwrap_or(i64::MAX);
    }

    /// The file has not been cut: what lies beside it is a copy that it may be cut behind, or another matter.
    pub(crate) fn is_uncut(&mut self, path: &Path) -> io::Result<()> {
        if self.closed != 0 {
            self.closed = 0;
            self.before = rotated(path)?.iter().map(|(_, about)| (identity(about), stamp(about))).collect();
        }
        Ok(())
    }

    /// Another file is read.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// So many files were found. How many are missing.
    fn found(&mut self, files: usize) -> i64 {
        self.closed -= i64::try_from(files).unwrap_or(i64::MAX);
        let missing = self.closed.max(0);
        self.closed = self.closed.min(0);
        missing
    }
}

/// Looks for copies of the file that has the name, which is `live`; `now` was read of it before it was cut, if anything was. None if
/// another file has the name.
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
            // It is a copy of what is still there.
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

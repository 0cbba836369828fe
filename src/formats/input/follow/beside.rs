//! Tells which rotated files are older than a file that was read, and which are newer.
//!
//! A renamed file keeps its time of creation. A packed file has two times: that of the file itself, and perhaps one in its header (gzip).
//! What it holds was last written to before both. Some tools keep the time of the original (`gzip`), others keep it only in the header (`gzip -c FILE`), or nowhere (`gzip -n -c FILE`). Whether it was
//! kept can be seen: no file is changed before it is created.

use std::cmp::Ordering;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Next;
use super::folder::{end_of_second, is_same, mark_in, packed, rotated};
use super::names::{Mark, Rule};

/// A rotated file, in the folder of the followed file.
pub(super) struct Beside {
    pub(crate) path: PathBuf,
    pub(crate) about: Metadata,
    pub(crate) is_packed: bool,
    mark: Option<Mark>,
    /// When the log was created, if that is known. If no file has such a time, the time of the last change counts.
    pub(crate) made: Option<SystemTime>,
    /// For a packed file, a time after which what it holds was not written to.
    latest: Option<SystemTime>,
    /// The last time it was written to, perhaps in whole seconds, if packing has kept that time.
    earliest: Option<SystemTime>,
}

/// How old a file is, compared with the one that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// It is older: it was read, or was rotated before anything was read.
    Older,
    Newer,
    Unknown,
}

impl Beside {
    fn of(followed: &Path, path: PathBuf, about: Metadata, is_packed: bool) -> Self {
        let mark = path.file_name().and_then(|name| mark_in(followed, Path::new(name))).map(Mark::of);
        let (born, changed) = (about.created().ok(), about.modified().ok());
        if !is_packed {
            return Self { path, about, is_packed, mark, made: born.or(changed), latest: None, earliest: None };
        }
        let noted = noted_in(&path);
        let latest = changed.into_iter().chain(noted).map(end_of_second).min();
        // A time before the packed file was created is that of the original. The header has whole seconds.
        let kept = [changed, noted.filter(|noted| Some(end_of_second(*noted)) < born)].into_iter().flatten();
        let earliest = kept.filter(|time| Some(*time) < born && Some(*time) <= latest).max();
        Self { path, about, is_packed, mark, made: None, latest, earliest }
    }

    /// The sort key of the file: its age, then its name.
    fn key(&self) -> (Option<SystemTime>, Option<SystemTime>, usize, PathBuf) {
        let changed = if self.is_packed { self.latest } else { self.about.modified().ok() };
        (self.made.or(self.latest), changed, self.path.as_os_str().len(), self.path.clone())
    }

    /// Whether times alone show that this file is older than another one.
    fn is_before(&self, other: &Self) -> bool {
        let written = self.latest.filter(|_| self.earliest.is_some());
        match (self.made, other.made) {
            (Some(made), Some(other)) => made < other,
            (None, Some(made)) => written.is_some_and(|written| written < made),
            (None, None) => written.zip(other.earliest).is_some_and(|(one, other)| one < other),
            (Some(_), None) => false,
        }
    }

    /// Whether the file is packed, and may hold what was written after `since`.
    pub(crate) fn may_be_packed_after(&self, since: Option<SystemTime>) -> bool {
        self.is_packed && self.latest >= since
    }

    /// The age by times alone. `since` is when the last file was created, and `noted` when it was last read.
    pub(crate) fn age(&self, since: Option<SystemTime>, noted: Option<SystemTime>) -> Age {
        let known = if self.is_packed { self.latest } else { self.made };
        match known.zip(since) {
            Some((known, since)) if known < since => Age::Older,
            Some(_) if !self.is_packed => Age::Newer,
            Some(_) if self.earliest.zip(noted).is_some_and(|(earliest, noted)| earliest > noted) => Age::Newer,
            _ => Age::Unknown,
        }
    }

    /// The age by the names of other files whose age is known; that of the last file itself is `None`.
    pub(crate) fn age_by_name(&self, rule: Rule, known: &[(&Self, Option<Age>)]) -> Age {
        let order = |other: &Self| rule.compare(self.mark.as_ref()?, other.mark.as_ref()?);
        let is = |age, order_to| {
            known.iter().any(|(other, its)| its.is_none_or(|its| its == age) && order(other) == Some(order_to))
        };
        match (is(Age::Older, Ordering::Less), is(Age::Newer, Ordering::Greater)) {
            (true, false) => Age::Older,
            (false, true) => Age::Newer,
            _ => Age::Unknown,
        }
    }

    pub(crate) fn next(&self, is_copy: bool) -> io::Result<Next> {
        let packed = self.is_packed.then(|| self.path.clone());
        Ok(Next { is_copy, packed, ..Next::new(File::open(&self.path)?) })
    }
}

/// The files beside `path` with the name of a rotated file, packed or not, except `live`, which has the name.
pub(super) fn all_beside(path: &Path, live: &Metadata) -> io::Result<Vec<Beside>> {
    let there = rotated(path)?.into_iter().map(|file| (file, false));
    let there = there.chain(packed(path)?.into_iter().map(|file| (file, true)));
    let others = there.filter(|((_, about), _)| !is_same(about, live));
    Ok(others.map(|((its, about), is_packed)| Beside::of(path, its, about, is_packed)).collect())
}

/// Sorts files, the oldest first: by their names if these tell the order of all of them, otherwise by their times. Returns what names tell.
pub(super) fn sort(files: &mut [Beside]) -> Rule {
    let pairs = files.iter().flat_map(|one| files.iter().map(move |other| [one, other]));
    let pairs = pairs.filter(|[one, other]| one.is_before(other));
    let rule = Rule::of(pairs.filter_map(|[one, other]| Some([one.mark.as_ref()?, other.mark.as_ref()?])));
    files.sort_by_cached_key(Beside::key);
    let order = |one: &Beside, other: &Beside| rule.compare(one.mark.as_ref()?, other.mark.as_ref()?);
    let is_told = files.iter().enumerate().all(|(at, one)| files[..at].iter().all(|other| order(one, other).is_some()));
    if is_told {
        files.sort_by(|one, other| order(one, other).unwrap_or(Ordering::Equal));
    }
    rule
}

/// The time in the header of a gzip file, in whole seconds, if it has one: that of the original, or that of packing.
fn noted_in(path: &Path) -> Option<SystemTime> {
    let mut header = [0; 8];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let [0x1f, 0x8b, _, _, time @ ..] = header else { return None };
    let seconds = u32::from_le_bytes(time);
    (seconds > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into()))
}

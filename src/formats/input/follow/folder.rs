//! Lists the files beside the followed file that had its name, and tells files apart.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::formats::compression::Compression;

/// What identifies a file whatever its name: device, inode and time of creation. The inode alone is not enough: when a file is gone,
/// another file may get its number.
pub(super) type Identity = (u64, u64, Option<SystemTime>);

/// What changes when a file is written to: its length and the time of the last change.
pub(super) type Stamp = (u64, Option<SystemTime>);

/// Files that need not be read any more. A file with `None` had the name and never needs to be read again. A file with a stamp need not
/// be read as long as its stamp is the same.
pub(super) type Known = BTreeMap<Identity, Option<Stamp>>;

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The files beside `path` with the name of a rotated file, in the order of their creation.
pub(super) fn rotated(path: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut files = beside(path, |name| is_rotated(path, name) == Some(true))?;
    files.sort_by_cached_key(|(path, about)| (made(about), path.clone()));
    Ok(files)
}

/// The rotated files that have been packed since, in any order. While the plain file still exists, the packed one is unfinished and not
/// listed.
pub(super) fn packed(path: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let is_whole = |name: &Path| packed_from(path, name).is_some_and(|plain| !folder_of(path).join(plain).exists());
    beside(path, is_whole)
}

fn beside(path: &Path, is_one: impl Fn(&Path) -> bool) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let entries = fs::read_dir(folder_of(path))?.filter_map(Result::ok);
    let named = entries.filter(|entry| is_one(Path::new(&entry.file_name())));
    // Files that are gone by now are left out.
    let files = named.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    Ok(files.filter(|(_, about)| about.is_file()).collect())
}

/// The name of the rotated file that was packed into the file `name`.
fn packed_from<'n>(path: &Path, name: &'n Path) -> Option<&'n Path> {
    Compression::of_path(name)?;
    let plain = Path::new(name.file_stem()?);
    (is_rotated(path, name) == Some(false) && is_rotated(path, plain)?).then_some(plain)
}

/// Whether `name` is the name of `path` with nothing but digits and signs after it, before its extension, or in place of the extension.
pub(super) fn is_rotated(path: &Path, name: &Path) -> Option<bool> {
    [path.file_name()?, name.as_os_str()].iter().all(|name| name.to_str().is_some()).then(|| mark(path, name).is_some())
}

/// The digits and signs that `name`, the name of a rotated file, has beside the name of `path`.
fn mark<'n>(path: &Path, name: &'n Path) -> Option<&'n str> {
    let (whole, name) = (path.file_name()?.to_str()?, name.to_str()?);
    let stem = path.file_stem()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_mark = |mark: &&str| {
        mark.starts_with(['.', '-', '_']) && mark.contains(|c: char| c.is_ascii_digit()) && {
            mark.chars().all(|c| c.is_ascii_digit() || ".-_:TZ".contains(c))
        }
    };
    let behind = name.strip_prefix(whole).filter(is_mark);
    let within = || name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(extension)?.strip_suffix('.'));
    let instead = || name.strip_prefix(stem).filter(|_| !extension.is_empty());
    behind.or_else(|| within().filter(is_mark)).or_else(|| instead().filter(is_mark))
}

/// The digits and signs in the name of a rotated file, packed or not.
pub(super) fn mark_in<'n>(path: &Path, name: &'n Path) -> Option<&'n str> {
    mark(path, name).or_else(|| mark(path, packed_from(path, name)?))
}

/// When a file was created (or, if that is unknown, last written to), and when it was last written to.
pub(super) fn made(about: &Metadata) -> Option<(SystemTime, SystemTime)> {
    let written = about.modified().ok()?;
    Some((about.created().unwrap_or(written), written))
}

/// The end of the second of a time in whole seconds: some programs that pack files keep only these. Another time is returned as it is.
pub(super) fn end_of_second(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let is_whole = since.is_ok_and(|since| since.subsec_nanos() == 0);
    if is_whole { time + Duration::from_nanos(999_999_999) } else { time }
}

#[cfg(unix)]
pub(super) fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino(), about.created().ok())
}

#[cfg(not(unix))]
pub(super) fn identity(about: &Metadata) -> Identity {
    (0, 0, about.created().ok())
}

pub(super) fn stamp(about: &Metadata) -> Stamp {
    (about.len(), about.modified().ok())
}

#[cfg(unix)]
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// On systems without inode numbers, a file keeps its name for as long as it is open.
#[cfg(not(unix))]
pub(super) fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
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
        let from = |name| packed_from(Path::new("log/feed.txt"), Path::new(name)).map(|plain| plain.to_str().unwrap());
        assert_eq!(from("feed.txt.1.gz"), Some("feed.txt.1"));
        assert_eq!(from("feed-20261122.txt.zst"), Some("feed-20261122.txt"));
        assert_eq!([from("feed.txt.1"), from("feed.txt.gz"), from("feeds.1.gz")], [None; 3]);
        assert_eq!(packed_from(Path::new("feed.gz"), Path::new("feed.1.gz")), None);
    }
}

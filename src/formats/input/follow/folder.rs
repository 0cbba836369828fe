//! The files beside one that is followed: which of them had its name, and what tells files apart.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What tells files apart, whatever they are called: a number is given to another file when the first is gone.
pub(super) type Identity = (u64, u64, Option<SystemTime>);

/// What changes when a file is written to: its length, and when that was.
pub(super) type Stamp = (u64, Option<SystemTime>);

/// Files that need not be read any more: those that had the name, which never need to be again; others as long as they stay as they
/// are.
pub(super) type Known = BTreeMap<Identity, Option<Stamp>>;

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The files beside `path` that are called as it is when it has been rotated, in the order in which they were made.
pub(super) fn rotated(path: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let is_rotated = |entry: &DirEntry| is_rotated(path, Path::new(&entry.file_name())).unwrap_or(false);
    let entries = fs::read_dir(folder_of(path))?.filter_map(Result::ok).filter(is_rotated);
    // What is gone by now is no file any more.
    let files = entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
    let mut files: Vec<_> = files.filter(|(_, about)| about.is_file()).collect();
    files.sort_by_cached_key(|(path, about)| (made(about), path.clone()));
    Ok(files)
}

/// Whether `name` is that of `path` with nothing but digits and signs behind it, or before its extension, or in its place.
pub(super) fn is_rotated(path: &Path, name: &Path) -> Option<bool> {
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
pub(super) fn made(about: &Metadata) -> Option<(SystemTime, SystemTime)> {
    let written = about.modified().ok()?;
    Some((about.created().unwrap_or(written), written))
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

/// Where files have no number, a file keeps its name for as long as it is open.
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
    }
}

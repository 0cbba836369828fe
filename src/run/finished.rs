//! Which files the runs of a state have read to their end, so that none is read again by mistake: nearly all that it would
//! write are repeats of what it wrote before.
//!
//! A file is known by its name without folders and by its first 4 KiB, so that one that has grown since is the same file, and
//! another day's file of the same name is not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use twox_hash::XxHash3_64;

/// Bytes from the beginning of a file that it is known by.
const BEGINNING: usize = 4096;

/// Files that are remembered: the last ones.
const MOST: usize = 1000;

/// Marks of files, one a line: the length of a beginning, its hash, and the file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Files(Vec<String>);

impl Files {
    /// These files, as far as they are files that can be read.
    pub(crate) fn of(paths: &[String]) -> Self {
        Self(paths.iter().filter_map(|path| mark(path.as_ref(), BEGINNING)).collect())
    }

    /// The files in a text of [`text`](Self::text).
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    /// All of them, one a line.
    pub(crate) fn text(&self) -> String {
        self.0.join("\n")
    }

    /// The same, with those.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.0.retain(|file| !others.0.contains(file));
        self.0.extend(others.0);
        self.0.drain(..self.0.len().saturating_sub(MOST));
        self
    }

    /// The first of these paths that is one of the files.
    pub(crate) fn first_of<'p>(&self, paths: &'p [String]) -> Option<&'p str> {
        let is_known = |path: &&String| {
            self.0.iter().any(|known| {
                let length = known.split(' ').next().and_then(|length| length.parse().ok()).unwrap_or(0);
                length > 0 && mark(path.as_ref(), length).as_ref() == Some(known)
            })
        };
        paths.iter().find(is_known).map(String::as_str)
    }
}

/// What a file is known by, of so many bytes at its beginning or all that there are.
fn mark(path: &Path, length: usize) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().replace('\n', " ");
    let mut beginning = Vec::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    file.take(length as u64).read_to_end(&mut beginning).ok()?;
    Some(format!("{} {:016x} {name}", beginning.len(), XxHash3_64::oneshot(&beginning)))
}

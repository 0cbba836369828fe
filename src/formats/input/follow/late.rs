//! Reports rotated files that are written to after they have been read.

use std::collections::VecDeque;
use std::fs::File;
use std::time::{Duration, Instant};

use super::Follower;
use super::folder::{identity, rotated};
use super::held::Held;
use crate::locale::tr;

/// How many files are watched, the last ones.
const KEPT: usize = 8;
/// The time between two checks.
const EVERY: Duration = Duration::from_secs(1);

/// Files that have been read to their ends.
#[derive(Default)]
pub(super) struct Left {
    files: VecDeque<Behind>,
    looked: Option<Instant>,
}

struct Behind {
    file: File,
    /// Bytes that were read of it.
    read: u64,
    /// How many of the unread bytes have been reported.
    reported: u64,
}

impl Left {
    /// Adds a file that has been read to its end.
    pub(super) fn add(&mut self, held: Held) {
        if held.packed.is_none() && !held.is_final {
            self.files.truncate(KEPT - 1);
            self.files.push_front(Behind { file: held.file, read: held.offset, reported: 0 });
        }
    }
}

impl Follower {
    /// Reports every second which of these files have grown. A file that goes on growing is reported again when twice as many bytes are
    /// unread, and at the end (`at_end`) if any more are.
    pub(super) fn mind_late(&mut self, at_end: bool) {
        let is_early = self.left.looked.is_some_and(|looked| looked.elapsed() < EVERY);
        if self.left.files.is_empty() || is_early && !at_end {
            return;
        }
        self.left.looked = Some(Instant::now());
        for left in &mut self.left.files {
            let Ok(about) = left.file.metadata() else { continue };
            let unread = about.len().saturating_sub(left.read);
            if unread <= left.reported || unread < 2 * left.reported && !at_end {
                continue;
            }
            left.reported = unread;
            let there = rotated(&self.path).unwrap_or_default();
            let name = there.iter().find(|(_, its)| identity(its) == identity(&about));
            let name = name.map_or_else(|| tr!("a rotated file"), |(path, _)| path.display().to_string());
            (self.following.report)(&tr!(
                "{}: {name} was written to more than a second after another file took the name: {unread} bytes of it are not read; have \
                 its writer open the new file sooner, and feed these lines to a run of their own",
                self.path.display(),
                name,
                unread
            ));
        }
    }
}

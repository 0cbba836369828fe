//! The events of a folder that Linux reports: which names come, even while nobody looks.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use super::arrivals::Arrived;
use super::folder::is_rotated;

/// A watched folder.
pub(super) struct Watch(Option<OwnedFd>);

impl Watch {
    /// Watches a folder from now on, if the system can.
    pub(crate) fn begin(folder: &Path) -> Self {
        let watch = || {
            let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            // The system merges equal events that follow each other into one. Other events between two arrivals, or between two copies,
            // keep them apart.
            let leaves = WatchFlags::MOVED_FROM | WatchFlags::DELETE;
            let copies = WatchFlags::CLOSE_WRITE | WatchFlags::CLOSE_NOWRITE;
            add_watch(&watch, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO | leaves | copies)?;
            Ok::<_, Errno>(watch)
        };
        Self(watch().ok())
    }

    /// Returns how many files have taken the name of `path` since the last call. Also returns the names of rotated files (or copies) that
    /// were written to and then closed.
    pub(crate) fn events(&mut self, path: &Path) -> (Arrived, Vec<OsString>) {
        let unknown = (Arrived::Unknown, Vec::new());
        let (Some(watch), Some(name)) = (&self.0, path.file_name()) else { return unknown };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(watch, &mut buffer);
        let (mut files, mut closed, mut all) = (0, Vec::new(), true);
        loop {
            match events.next() {
                Ok(event) => {
                    all &= !event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                    let comes = event.events().intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
                    let is_it = event.file_name().is_some_and(|is| is.to_bytes() == name.as_bytes());
                    files += i64::from(comes && is_it);
                    let closes = event.events().contains(ReadFlags::CLOSE_WRITE);
                    let its = event.file_name().filter(|_| closes).map(|name| OsStr::from_bytes(name.to_bytes()));
                    let rotated = its.filter(|its| is_rotated(path, Path::new(its)) == Some(true));
                    closed.extend(rotated.map(OsStr::to_owned));
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if all => return (Arrived::Files(files), closed),
                Err(Errno::WOULDBLOCK) => return (Arrived::TooMany, Vec::new()),
                Err(_) => break,
            }
        }
        self.0 = None;
        unknown
    }
}

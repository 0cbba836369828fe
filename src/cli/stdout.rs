//! The standard streams that a shell opened for this process: which file a stream is, whether other processes write it, and whether
//! anybody reads it.

#[cfg(target_os = "linux")]
use std::fs::TryLockError;
use std::fs::{File, Metadata};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(unix)]
use std::sync::OnceLock;

use super::console::Teller;
use crate::file::{file_id, last_byte};
use crate::formats::compression::{HEADER, first_line_of};
use crate::locale::tr;
use tracing::warn;

/// A file that a shell opened for standard output.
pub(crate) struct Shell {
    /// The device and inode numbers of the file.
    pub(crate) id: String,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// Whether writes only append to the file (`>>`).
    pub(crate) adds: bool,
}

impl Shell {
    /// Returns the file; `None` if standard output is anything else, or if this system cannot tell which file it is.
    pub(crate) fn find() -> Option<Self> {
        let about = stream(1).filter(Metadata::is_file)?;
        let (device, inode) = file_id(&about)?;
        Some(Self { id: format!("{device}:{inode}"), length: about.len(), adds: stdout_adds() })
    }

    /// The first line of a file that is only added to, if it can be read.
    pub(crate) fn first_line(&self) -> Option<Vec<u8>> {
        use std::io::Read as _;
        let mut start = Vec::new();
        // Rows behind a compressed header would be unreadable, so this is read as it is.
        File::open("/dev/stdout").ok().filter(|_| self.adds)?.take(HEADER as u64).read_to_end(&mut start).ok()?;
        first_line_of(&start)
    }

    /// The last byte of the file; `None` if the file is empty or cannot be read.
    pub(crate) fn last_byte(&self) -> Option<u8> {
        last_byte("/dev/stdout".as_ref()).ok()?
    }
}

/// Standard output as a run writes it: it says once if the file that the shell opened for it was removed, since then nobody can read what
/// is written.
///
/// Its `flush` fails with [`io::ErrorKind::BrokenPipe`] once its reader has gone, even if nothing was written since. A feed of nothing but
/// repeats writes nothing, and would otherwise run on although nobody reads it.
pub(super) struct Stdout {
    /// Whether something was written since the last flush. Such a write fails by itself if nobody reads.
    written_since_flush: bool,
    teller: Teller,
    /// Whether it was said that the file was removed.
    told_removed: bool,
}

impl Stdout {
    pub(super) fn new(teller: Teller) -> Self {
        Self { written_since_flush: false, teller, told_removed: false }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written_since_flush = true;
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()?;
        let has_written = std::mem::take(&mut self.written_since_flush);
        if !has_written && is_abandoned() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if has_written && !self.told_removed && is_removed() {
            self.told_removed = true;
            self.teller.insist(|| {
                warn!(
                    "{}",
                    tr!(
                        "standard output: the file that the shell opened (> or >>) was removed, and what is written there from now on is lost. \
                         Start again; with -o FILE --append the records go on in a new file"
                    )
                );
            });
        }
        Ok(())
    }
}

/// Whether the last line of an output with this last byte may be broken off. A JSON object that is complete only lacks its line end.
pub(super) fn is_broken_off(last: Option<u8>) -> bool {
    last.is_some_and(|last| !matches!(last, b'\n' | b'}'))
}

/// Whether standard output is a file that has no name any more.
#[cfg(unix)]
fn is_removed() -> bool {
    use std::os::unix::fs::MetadataExt;
    stream(1).is_some_and(|about| about.is_file() && about.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed() -> bool {
    false
}

/// Whether standard output is a pipe or a socket that nobody reads any more.
#[cfg(target_os = "linux")]
fn is_abandoned() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let polled = poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    polled.is_ok() && asked.iter().any(|asked| asked.revents().contains(PollFlags::ERR))
}

#[cfg(not(target_os = "linux"))]
fn is_abandoned() -> bool {
    false
}

/// A duplicate of standard input (0), output (1) or error (2). The duplicate stays open: if a process closes any of its descriptors of a
/// file, it loses its own locks on that file.
#[cfg(unix)]
fn opened(number: u8) -> Option<&'static File> {
    static OPENED: [OnceLock<Option<File>>; 3] = [const { OnceLock::new() }; 3];
    let open = || {
        let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
        let stream = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()][usize::from(number)];
        stream.try_clone_to_owned().ok().map(File::from)
    };
    OPENED.get(usize::from(number))?.get_or_init(open).as_ref()
}

/// The metadata of standard input (0), standard output (1) or standard error (2).
#[cfg(unix)]
pub(super) fn stream(number: u8) -> Option<Metadata> {
    opened(number)?.metadata().ok()
}

#[cfg(not(unix))]
pub(super) fn stream(_: u8) -> Option<Metadata> {
    None
}

/// Locks standard output if it is a file. Returns false if another process writes there. There are two locks:
/// - The first belongs to the file as the shell opened it, and ends with that. Processes can share this lock if all of them only append
///   to the file.
/// - The second belongs to this process. If a shell gave the same opened file to several processes, as after `exec >> file`, only one
///   writes at a time.
#[cfg(target_os = "linux")]
pub(super) fn lock_stdout() -> bool {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    let Some(file) = opened(1).filter(|file| file.metadata().is_ok_and(|about| about.is_file())) else { return true };
    let lock = if stdout_adds() { file.try_lock_shared() } else { file.try_lock() };
    let own = || fcntl_lock(file, FlockOperation::NonBlockingLockExclusive);
    !matches!(lock, Err(TryLockError::WouldBlock)) && !matches!(own(), Err(Errno::ACCESS | Errno::AGAIN))
}

/// Whether writes to standard output only append.
#[cfg(target_os = "linux")]
fn stdout_adds() -> bool {
    rustix::fs::fcntl_getfl(io::stdout()).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::APPEND))
}

#[cfg(not(target_os = "linux"))]
fn stdout_adds() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(super) fn lock_stdout() -> bool {
    true
}

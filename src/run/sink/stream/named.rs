//! Files that are written under their names: if a name goes to another file, as in log rotation, the records go on there, or the run
//! fails.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Stream, To, Written};
use crate::file::{file_id, is_elsewhere, last_byte};
use crate::formats::compression::first_line;
use crate::locale::tr;

/// The name of a file, and which file had it.
pub(super) struct Named {
    path: PathBuf,
    /// The device and inode numbers.
    file: (u64, u64),
}

impl Named {
    /// The name of this open file; `None` if it is no regular file, or if this system does not tell files apart.
    fn of(path: PathBuf, file: &File) -> Option<Self> {
        let about = file.metadata().ok().filter(Metadata::is_file)?;
        Some(Self { path, file: file_id(&about)? })
    }

    /// Opens the file that has the name now, if that is another one. It is made if there is none.
    fn reopened(&mut self) -> io::Result<Option<File>> {
        let found = match std::fs::metadata(&self.path) {
            Ok(about) if !about.is_file() => return Err(io::Error::other(tr!("is no file any more"))),
            Ok(about) => file_id(&about),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if found == Some(self.file) {
            return Ok(None);
        }
        let file = File::options().append(true).create(true).open(&self.path)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(io::Error::other(tr!("another run writes this file")));
        }
        self.file = file_id(&file.metadata()?).unwrap_or(self.file);
        Ok(Some(file))
    }

    /// Whether the file ends with a line end. True if it cannot be read.
    fn ends_a_line(&self) -> bool {
        last_byte(&self.path).map_or(true, |last| last.is_none_or(|last| last == b'\n'))
    }
}

/// Fails if a file that was written is not under its name any more. If `has_state`, a state knows the messages that were written.
///
/// # Errors
/// Says what to do.
fn check_name(file: &File, name: &Path, has_state: bool) -> io::Result<()> {
    if !is_elsewhere(file, name) {
        return Ok(());
    }
    Err(io::Error::other(match has_state {
        true => tr!(
            "was moved away or removed while it was written, so what was written is not there; move it back and go on by --resume, or run \
             again with another --state"
        ),
        false => {
            tr!(
                "was moved away or removed while it was written, so what was written is not there; move it back, or run again"
            )
        }
    }))
}

impl Stream {
    /// Goes on in a new file whenever the file of this name was moved away or removed.
    #[must_use]
    pub fn following_name(mut self) -> Self {
        if let To::File(file) = &self.to {
            self.named = Named::of(PathBuf::from(&self.name), file);
        }
        self
    }

    /// Fails at its end if the file is not under its name any more.
    #[must_use]
    #[cfg(feature = "cli")]
    pub(crate) fn keeping_name(self) -> Self {
        Self { keeps_name: true, ..self }
    }

    /// Fails if the file is to keep its name, and has lost it.
    pub(super) fn check_name(&self) -> io::Result<()> {
        match &self.to {
            To::File(file) if self.keeps_name => check_name(file, self.name.as_ref(), self.members),
            _ => Ok(()),
        }
    }

    /// Turns to the file that has the name now, if that is another one, before pending text is written. A line is not split between
    /// files, and a table's new file begins with the header.
    pub(super) fn follow_name(&mut self) -> io::Result<()> {
        let (Some(named), To::File(old)) = (&mut self.named, &mut self.to) else { return Ok(()) };
        if self.pending.is_empty() || !self.was_line_ended {
            return Ok(());
        }
        let Some(new) = named.reopened()? else {
            return if old.metadata()?.len() < self.written.length { self.go_on_behind_cut() } else { Ok(()) };
        };
        if let Some(packer) = &mut self.packer {
            packer.end()?;
            old.write_all(&packer.take())?;
        }
        if self.is_summed {
            old.sync_data()?;
        }
        let length = new.metadata()?.len();
        self.to = To::File(new);
        self.has_moved = true;
        self.go_on_behind(length);
        Ok(())
    }

    /// Goes on in a file that another program has cut, as a rotation by `copytruncate` does.
    fn go_on_behind_cut(&mut self) -> io::Result<()> {
        // With `members` each batch is packed by itself.
        if self.packer.is_some() && !self.members {
            return Err(io::Error::other(tr!(
                "was cut while it was written, and a compressed file cannot go on behind a cut; rotate it by renaming"
            )));
        }
        let To::File(file) = &self.to else { return Ok(()) };
        let length = file.metadata()?.len();
        self.go_on_behind(length);
        Ok(())
    }

    /// Adds to a file of this length that others have written or cut: a table's header if the file is empty, and a line end behind a last
    /// line that lacks it.
    fn go_on_behind(&mut self, length: u64) {
        self.written = Written { line_ended: self.written.line_ended, ..Written::after(length, true) };
        // A header that is pending itself is not written twice.
        if length == 0 && !self.pending.starts_with(&self.header.line) {
            self.pending.splice(0..0, self.header.line.iter().copied());
        }
        if length > 0 && self.packer.is_none() {
            let begin = self.named.as_ref().and_then(|named| first_line(&named.path));
            self.header.is_behind(begin.as_deref());
        }
        if length > 0 && self.packer.is_none() && !self.named.as_ref().is_some_and(|named| named.ends_a_line()) {
            self.pending.insert(0, b'\n');
        }
    }
}

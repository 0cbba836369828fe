//! Files on disk: which one it is, and how it ends.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The device and inode numbers of a file, which change if another file takes its name. `None` if this system does not tell files apart.
#[cfg(unix)]
pub(crate) fn file_id(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
pub(crate) fn file_id(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Whether the name of an open file leads to another file now, or to none. False if this system does not tell files apart.
pub(crate) fn is_elsewhere(file: &File, name: &Path) -> bool {
    let about = file.metadata().ok().filter(Metadata::is_file);
    let Some(id) = about.and_then(|about| file_id(&about)) else { return false };
    match std::fs::metadata(name) {
        Ok(about) => file_id(&about) != Some(id),
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

/// The last byte of a file; `None` if the file is empty.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn last_byte(path: &Path) -> io::Result<Option<u8>> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    let mut byte = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut byte)?;
    Ok(Some(byte[0]))
}

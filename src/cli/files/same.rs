//! Whether two files or streams are the same.

#[cfg(unix)]
use std::fs;
use std::fs::Metadata;

/// Whether both are the same regular file.
#[cfg(unix)]
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
pub(super) fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Whether both are the same pipe, socket or terminal. Never true of `/dev/null`, which takes any number of outputs.
#[cfg(unix)]
pub(super) fn is_same_stream(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let same = |a: &Metadata, b: &Metadata| match a.file_type().is_char_device() && b.file_type().is_char_device() {
        true => a.rdev() == b.rdev(),
        false => (a.dev(), a.ino()) == (b.dev(), b.ino()),
    };
    same(a, b) && !fs::metadata("/dev/null").is_ok_and(|null| same(a, &null))
}

#[cfg(not(unix))]
pub(super) fn is_same_stream(_: &Metadata, _: &Metadata) -> bool {
    false
}

//! Whether two files or streams are the same.

#[cfg(unix)]
use std::fs;
use std::fs::Metadata;

use crate::file::file_id;

/// Whether both are the same regular file.
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.is_file() && file_id(a).is_some_and(|id| file_id(b) == Some(id))
}

/// Whether both are the same pipe, socket or terminal. Never true of `/dev/null`, which takes any number of outputs.
#[cfg(unix)]
pub(super) fn is_same_stream(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let same = |a: &Metadata, b: &Metadata| match a.file_type().is_char_device() && b.file_type().is_char_device() {
        true => a.rdev() == b.rdev(),
        false => file_id(a) == file_id(b),
    };
    same(a, b) && !fs::metadata("/dev/null").is_ok_and(|null| same(a, &null))
}

#[cfg(not(unix))]
pub(super) fn is_same_stream(_: &Metadata, _: &Metadata) -> bool {
    false
}

//! In place of what Linux tells of a folder, where another system runs: nothing.

use std::ffi::OsString;
use std::path::Path;

use super::arrivals::Arrived;

/// A folder of which nothing is told.
pub(super) struct Watch;

impl Watch {
    pub(crate) fn begin(_: &Path) -> Self {
        Self
    }

    pub(crate) fn events(&mut self, _: &Path) -> (Arrived, Vec<OsString>) {
        (Arrived::Unknown, Vec::new())
    }
}

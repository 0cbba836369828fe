//! Stands in for the events of a folder on other systems than Linux, and reports nothing.

use std::ffi::OsString;
use std::path::Path;

use super::arrivals::Arrived;

/// A folder without events.
pub(super) struct Watch;

impl Watch {
    pub(crate) fn begin(_: &Path) -> Self {
        Self
    }

    pub(crate) fn events(&mut self, _: &Path) -> (Arrived, Vec<OsString>) {
        (Arrived::Unknown, Vec::new())
    }
}

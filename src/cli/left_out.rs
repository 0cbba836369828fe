//! Records that are too long to be judged, and whose content is in no output.

use tracing::warn;

use crate::formats::parse::{Fault, FaultKind};
use crate::locale::tr;

/// How many records are reported with their places.
const TOLD: u64 = 5;

/// Counts such records, and collects the places of the first ones.
#[derive(Default)]
pub(crate) struct LeftOut {
    records: u64,
    places: Vec<String>,
}

impl LeftOut {
    /// Counts a record that cannot be judged, if the reason is its length.
    pub(crate) fn fault(&mut self, file: &str, line: u64, fault: &Fault) {
        if fault.kind == FaultKind::LineTooLong {
            self.records += 1;
            if self.records <= TOLD {
                self.places.push(format!("{file}:{line}"));
            }
        }
    }

    /// Reports such records, if there are any.
    pub(crate) fn tell(&self) {
        if self.records > 0 {
            let more = if self.records > TOLD { ", …" } else { "" };
            warn!(
                "{}",
                tr!(
                    "warning: --max-line: {} record was longer, and no output has its content: {}{more}; raise --max-line to have it judged"
                        | "warning: --max-line: {} records were longer, and no output has their content: {}{more}; raise --max-line to have them judged"
                            % self.records,
                    self.records,
                    self.places.join(&tr!(", ")),
                    more
                )
            );
        }
    }
}

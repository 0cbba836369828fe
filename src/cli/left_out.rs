//! Records that are too long to be judged, where outputs name them and none has what they say.

use tracing::error;

use crate::formats::parse::{Fault, FaultKind};
use crate::locale::tr;

/// So many are told with their places.
const TOLD: u64 = 5;

/// Counts them, and knows where the first stand.
#[derive(Default)]
pub(crate) struct LeftOut {
    records: u64,
    places: Vec<String>,
}

impl LeftOut {
    /// A record cannot be judged.
    pub(crate) fn fault(&mut self, file: &str, line: u64, fault: &Fault) {
        if fault.kind == FaultKind::LineTooLong {
            self.records += 1;
            if self.records <= TOLD {
                self.places.push(format!("{file}:{line}"));
            }
        }
    }

    /// Tells of them, if there are any: what they say is lost to whoever reads the outputs.
    pub(crate) fn tell(&self) {
        if self.records > 0 {
            let more = if self.records > TOLD { ", …" } else { "" };
            error!(
                "{}",
                tr!(
                    "--max-line: what longer records say is in no output, {} of them: {}{more}; raise it to have them judged",
                    self.records,
                    self.places.join(&tr!(", ")),
                    more
                )
            );
        }
    }
}

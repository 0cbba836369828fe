//! The data about each message that an observer receives.

use crate::hash::XxHash3_64;

use crate::record::{Pos, RecordId, Verdict};
use crate::rule::difference::cut;

/// A message that was judged.
pub struct Observed<'a> {
    /// Its position.
    pub pos: Pos,
    /// Its id.
    pub id: &'a RecordId<'a>,
    /// Its event time, in milliseconds since 1970, if known.
    pub time: Option<i64>,
    /// JSON text of the value at [`Further::value`](crate::formats::parse::Further::value).
    pub value: Option<&'a str>,
    /// The decision.
    pub verdict: Verdict,
    /// The id of the kept message that it repeats, if ids are remembered.
    pub of: Option<&'a RecordId<'a>>,
    /// Whether the repeated message is in an archive. The position in the verdict is then not a position of this run.
    pub in_archive: bool,
    /// A sample of its text.
    pub sample: &'a Sample,
}

/// The data about a text that an observer receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its length in characters.
    pub characters: u32,
    /// Hash of its bytes. Equal texts have equal hashes; two others share one by chance with probability 2^-64.
    pub hash: u64,
    /// Its beginning: at most 60 characters, the last of them an ellipsis if the text is longer.
    pub text: String,
}

/// Most characters of a sample.
pub(crate) const SAMPLE: usize = 60;

impl Sample {
    /// The sample of a text.
    pub(crate) fn of(text: &str) -> Self {
        let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self { characters, hash: XxHash3_64::oneshot(text.as_bytes()), text: cut(text, SAMPLE) }
    }
}

//! What an observer hears of each message.

use crate::hash::XxHash3_64;

use crate::record::{Pos, RecordId, Verdict};
use crate::rule::difference::cut;

/// A message that was judged.
pub struct Observed<'a> {
    /// Its position.
    pub pos: Pos,
    /// Its id.
    pub id: &'a RecordId<'a>,
    /// When it was said, in milliseconds since 1970, if that is known.
    pub time: Option<i64>,
    /// JSON text of what stands in [`Further::value`](crate::formats::parse::Further::value).
    pub value: Option<&'a str>,
    /// What was decided.
    pub verdict: Verdict,
    /// The id of the kept message that it repeats, if ids are remembered.
    pub of: Option<&'a RecordId<'a>>,
    /// Whether that message is one of an archive: its position is none of this run.
    pub is_held: bool,
    /// Of its text.
    pub sample: &'a Sample,
}

/// What is told of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// How long it is.
    pub characters: u32,
    /// Of its bytes: equal for equal texts; that two others have one hash is left to chance (2^-64).
    pub hash: u64,
    /// How it begins: at most 60 characters, the last of them an ellipsis if it is longer.
    pub text: String,
}

/// Characters that are told of a text.
pub(crate) const SAMPLE: usize = 60;

impl Sample {
    /// The sample of a text.
    pub(crate) fn of(text: &str) -> Self {
        let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self { characters, hash: XxHash3_64::oneshot(text.as_bytes()), text: cut(text, SAMPLE) }
    }
}

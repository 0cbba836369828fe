//! Options of the laboratory's commands that do something only beside others. They are no settings of `quchong dedup`, and so no
//! rows of [`all`](super::all), but are refused in the same words.

use super::When;

/// Truths that say how messages are drawn.
const DRAWN: &[&str] = &["cluster", "edits"];

/// Truths of messages: labelled pairs stand in fields of their own and are measured whole.
const OF_MESSAGES: &[&str] = &["cluster", "indel", "levenshtein", "pooled", "edits"];

/// The truth that goes without `--truth`.
pub(in crate::config) const TRUTH: &str = "pairs";

/// A command, an option of it, and what must be so for the option to do something.
pub(in crate::config) const LAB: &[(&str, &str, When)] = &[
    ("evaluate", "min-precision", When::With("sweep")),
    ("evaluate", "seed", When::Is("truth", DRAWN)),
    ("evaluate", "sample", When::Is("truth", OF_MESSAGES)),
    ("evaluate", "field", When::Is("truth", OF_MESSAGES)),
    ("evaluate", "field", When::Without("whole-files")),
    ("sign", "field", When::Without("whole-files")),
    ("sign", "id-field", When::Without("whole-files")),
    ("reproduce", "field", When::Without("whole-files")),
];

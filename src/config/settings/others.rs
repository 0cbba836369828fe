//! Options of other commands than `quchong dedup` that do something only beside others of the command. They are no settings, and so no
//! rows of [`all`](super::all), but are refused in the same words.

use super::When;

/// Truths that say how messages are drawn.
const DRAWN: &[&str] = &["cluster", "edits"];

/// Truths of messages: labelled pairs stand in fields of their own and are measured whole.
const OF_MESSAGES: &[&str] = &["cluster", "indel", "levenshtein", "pooled", "edits"];

/// The truth that goes without `--truth`.
pub(in crate::config) const TRUTH: &str = "pairs";

/// Sketches are made.
const SKETCHED: When = When::Without("settings");

/// Texts are read, and not made.
const READ: When = When::Without("generate");

/// A command, an option of it, and what must be so for the option to do something.
pub(in crate::config) const OTHERS: &[(&str, &str, When)] = &[
    ("evaluate", "min-precision", When::With("sweep")),
    ("evaluate", "seed", When::Is("truth", DRAWN)),
    ("evaluate", "sample", When::Is("truth", OF_MESSAGES)),
    ("evaluate", "field", When::Is("truth", OF_MESSAGES)),
    ("evaluate", "field", When::Without("whole-files")),
    ("sign", "field", When::Without("whole-files")),
    ("sign", "id-field", When::Without("whole-files")),
    ("reproduce", "field", When::Without("whole-files")),
    ("tune", "field", READ),
    ("tune", "format", READ),
    ("tune", "encoding", READ),
    ("explain", "input-format", When::With("file")),
    ("explain", "encoding", When::With("file")),
    ("explain", "field", When::With("file")),
    ("explain", "id-field", When::With("file")),
    ("explain", "no-header", When::With("file")),
    ("explain", "scope", When::With("file")),
    ("sketch", "files-from", SKETCHED),
    ("sketch", "format", SKETCHED),
    ("sketch", "encoding", SKETCHED),
    ("sketch", "no-header", SKETCHED),
    ("sketch", "field", SKETCHED),
    ("sketch", "on-error", SKETCHED),
    ("sketch", "max-line", SKETCHED),
    ("sketch", "pos-field", SKETCHED),
    ("sketch", "first-pos", SKETCHED),
    ("sketch", "output-file", SKETCHED),
    ("sketch", "quiet", SKETCHED),
    ("sketch", "rows", SKETCHED),
    ("edges", "rows", When::Without("masks")),
    ("edges", "shingle", When::Without("from")),
    ("edges", "weights", When::Without("from")),
    ("edges", "max-distance", When::Without("from")),
];

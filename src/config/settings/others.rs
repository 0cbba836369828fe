//! Options of commands other than `quchong dedup` that have an effect only with other options of the command. They are no settings,
//! so they are no rows of [`all`](super::all), but they are refused with the same words.

use super::When;

/// Truths for which messages are drawn at random.
const DRAWN: &[&str] = &["cluster", "edits"];

/// Truths about messages. Labelled pairs have their own fields, and are always measured as a whole.
const OF_MESSAGES: &[&str] = &["cluster", "indel", "levenshtein", "pooled", "edits"];

/// The truth in effect without `--truth`.
pub(in crate::config) const TRUTH: &str = "pairs";

/// Sketches are made.
const SKETCHED: When = When::Without("settings");

/// Texts are read, not generated.
const READ: When = When::Without("generate");

/// A command, an option of it, and the condition under which the option has an effect.
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

//! What is odd in an input, though it can be judged.

use crate::formats::source::Likely;

/// A problem with the ids, the numbers or the layout of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A record has no id that is a string or a number, so its line names it. Other records have ids, or the user named their field.
    NoId,
    /// A record has the id of an earlier one.
    SameId(String),
    /// A record has no number in the feed, or a value that is not a number.
    NoNumber,
    /// A number in the feed is not above the one before, or not above the last one of an earlier run.
    LateNumber {
        /// The number.
        number: u64,
        /// The number before it.
        last: u64,
    },
    /// A record was skipped because of its number in the feed, and its text is not known: it was forgotten, or is new.
    Skipped {
        /// The number.
        number: u64,
        /// The last number that an earlier run recorded.
        last: u64,
    },
    /// A number in the feed is implausibly far ahead, was not confirmed by later ones, and was not recorded.
    WrongNumber(u64),
    /// A row of a table equals its header, and is left out.
    HeaderRow,
    /// A table row has a quoted field whose lines look like rows: an unclosed quote may have joined them.
    JoinedRows,
    /// The first lines of an input that is read as plain lines look like rows of a table.
    LikeTable {
        /// The value of `--format` with which they would be read as rows.
        format: &'static str,
    },
    /// The first lines of an input that is read as plain lines end in JSON objects.
    LikeJson {
        /// Whether something stands before the objects.
        prefixed: bool,
    },
    /// An input that is read as plain lines has hardly any line ends, but many of this character.
    Separated(char),
    /// The first records are repeats that a run of quchong dropped and annotated.
    Dropped,
    /// A number in the feed is far ahead, and later numbers confirmed it.
    MovedOn {
        /// The last number before it; `None` if no number was ever recorded.
        from: Option<u64>,
        /// The number.
        to: u64,
    },
}

#[cfg(feature = "cli")]
impl Notice {
    /// Whether the input is most likely not what it was read as.
    pub(crate) fn is_of_input(&self) -> bool {
        match self {
            Self::LikeTable { .. } | Self::LikeJson { .. } | Self::Separated(_) | Self::Dropped => true,
            Self::NoId
            | Self::SameId(_)
            | Self::NoNumber
            | Self::LateNumber { .. }
            | Self::Skipped { .. }
            | Self::WrongNumber(_)
            | Self::HeaderRow
            | Self::JoinedRows
            | Self::MovedOn { .. } => false,
        }
    }

    /// Whether messages may be lost, so that the notice is reported even under `--quiet`.
    pub(crate) fn is_urgent(&self) -> bool {
        self.is_of_input() || matches!(self, Self::JoinedRows | Self::Skipped { .. })
    }
}

impl Notice {
    /// The notice about an input that looks like something else.
    pub(crate) fn of(likely: Likely) -> Self {
        match likely {
            Likely::Table(format) => Self::LikeTable { format: format.name() },
            Likely::Json { prefixed } => Self::LikeJson { prefixed },
            Likely::Separated(separator) => Self::Separated(separator),
            Likely::Dropped => Self::Dropped,
        }
    }
}

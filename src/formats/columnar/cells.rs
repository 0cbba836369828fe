//! Rows as programs hand them to each other: typed columns, and what stands in them.

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers with a sign, 32 bits.
    Int32,
    /// Whole numbers with a sign, 64 bits.
    Int64,
    /// 16 bytes, in a column of bytes of any length.
    Bytes16,
    /// Text.
    Text,
    /// Yes or no.
    Bool,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column<'n> {
    /// How it is called.
    pub(crate) name: &'n str,
    /// What stands in it.
    pub(crate) kind: Kind,
    /// What need not be in it.
    pub(crate) gaps: Gaps,
}

/// What need not be in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// Each row has something there.
    None,
    /// Rows may have nothing there.
    Cells,
    /// As [`Cells`](Self::Cells), and the column may be left out where rows are read.
    All,
}

impl<'n> Column<'n> {
    /// A column.
    pub(crate) const fn new(name: &'n str, kind: Kind, gaps: Gaps) -> Self {
        Self { name, kind, gaps }
    }
}

/// What stands in a row and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell<'c> {
    /// Nothing.
    Null,
    /// A number, of 32 bits or of 64.
    Int(i64),
    /// 16 bytes.
    Bytes16([u8; 16]),
    /// Text.
    Text(&'c str),
    /// Yes or no.
    Bool(bool),
}

impl Cell<'_> {
    /// The number.
    pub(crate) fn int(self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl<T: Into<i64>> From<Option<T>> for Cell<'_> {
    fn from(number: Option<T>) -> Self {
        number.map_or(Self::Null, |number| Self::Int(number.into()))
    }
}

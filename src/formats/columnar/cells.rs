//! Typed columns and cells, for rows that one program hands to another.

/// The type of a column's values.
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
    /// The name of the column.
    pub(crate) name: &'n str,
    /// The type of its values.
    pub(crate) kind: Kind,
    /// Whether values, or the whole column, may be missing.
    pub(crate) gaps: Gaps,
}

/// What may be missing from a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// No row may be without a value.
    None,
    /// Rows may be without a value.
    Cells,
    /// As [`Cells`](Self::Cells), and an input may also be without the whole column.
    All,
}

impl<'n> Column<'n> {
    /// Makes a column.
    pub(crate) const fn new(name: &'n str, kind: Kind, gaps: Gaps) -> Self {
        Self { name, kind, gaps }
    }
}

/// The value of a row in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell<'c> {
    /// No value.
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
    /// The number, if the cell is one.
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

//! How many files have taken a name, held against those that were found.

/// How many files have taken the name since it was looked at last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    /// So many.
    Files(i64),
    /// The system kept no account of all.
    TooMany,
    /// Nobody tells.
    Unknown,
}

impl Arrived {
    /// These, and then those.
    pub(crate) fn and(self, then: Self) -> Self {
        match (self, then) {
            (Self::Files(files), Self::Files(more)) => Self::Files(files + more),
            (Self::TooMany, _) | (_, Self::TooMany) => Self::TooMany,
            _ => Self::Unknown,
        }
    }
}

/// Files that had the name and cannot be read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// So many.
    Files(i64),
    /// Nobody knows how many, or whether any.
    Unknown,
}

impl Missing {
    /// What is missing if so many are found after all.
    pub(crate) fn but(self, found: usize) -> Option<Self> {
        match self {
            Self::Files(files) => Some(files - found as i64).filter(|files| *files > 0).map(Self::Files),
            Self::Unknown => Some(self),
        }
    }
}

/// Holds the files that took the name against those that were found.
///
/// A file can be found a moment before the system tells of it, so that the account may be short by one until the next look.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Files that took the name less those that were found.
    open: i64,
    /// Whether the look before found any.
    found_before: bool,
}

impl Account {
    /// The system has told of what came up to here. Whether files have come that were not found yet.
    pub(crate) fn arrived(&mut self, arrived: Arrived) -> bool {
        if let Arrived::Files(files) = arrived {
            // What was found a look ago has been told by now; what is still ahead never had the name.
            self.open = (self.open + files).max(0);
        }
        self.open > 0
    }

    /// So many files were found that had the name, or have it. What is missing.
    pub(crate) fn found(&mut self, files: i64, arrived: Arrived) -> Option<Missing> {
        self.open -= files;
        // The same file has the name again.
        let came_back = files == 0 && !self.found_before;
        let missing = self.open.max(0) - i64::from(came_back && self.open > 0);
        self.open = self.open.min(0);
        self.found_before = files > 0;
        match arrived {
            Arrived::TooMany => Some(Missing::Unknown),
            _ => (missing > 0).then_some(Missing::Files(missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is missing after looks at which so many had arrived, and so many were found.
    fn missing(looks: &[(i64, i64)]) -> Vec<Option<i64>> {
        let mut account = Account::default();
        let mut look = |(arrived, found)| {
            account.arrived(Arrived::Files(arrived));
            account.found(found, Arrived::Files(arrived)).map(|missing| match missing {
                Missing::Files(files) => files,
                Missing::Unknown => unreachable!(),
            })
        };
        looks.iter().map(|each| look(*each)).collect()
    }

    #[test]
    fn what_took_the_name_and_was_not_found_is_missing() {
        assert_eq!(missing(&[(0, 0), (1, 1), (20, 20), (3, 1)]), [None, None, None, Some(2)]);
        // Found before it was told, and another one that was never found.
        assert_eq!(missing(&[(0, 1), (1, 0), (0, 1), (2, 0)]), [None, None, None, Some(1)]);
        // A file that was found and never had the name counts for nothing later.
        assert_eq!(missing(&[(1, 2), (0, 0), (2, 1)]), [None, None, Some(1)]);
        // A file that lost its name and has it again.
        assert_eq!(missing(&[(0, 0), (1, 0), (2, 0)]), [None, None, Some(1)]);
    }
}

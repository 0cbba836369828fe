//! Compares how many files have taken a name with how many were found.

/// How many files have taken the name since the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    /// This many.
    Files(i64),
    /// The system did not report all of them.
    TooMany,
    /// The system reports nothing.
    Unknown,
}

impl Arrived {
    /// Adds the files that came later.
    pub(crate) fn and(self, then: Self) -> Self {
        match (self, then) {
            (Self::Files(files), Self::Files(more)) => Self::Files(files + more),
            (Self::TooMany, _) | (_, Self::TooMany) => Self::TooMany,
            _ => Self::Unknown,
        }
    }
}

/// Files that had the name and can no longer be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// This many.
    Files(i64),
    /// An unknown number, possibly none.
    Unknown,
}

impl Missing {
    /// What is still missing if `found` files have been found after all.
    pub(crate) fn but(self, found: usize) -> Option<Self> {
        match self {
            Self::Files(files) => Some(files - found as i64).filter(|files| *files > 0).map(Self::Files),
            Self::Unknown => Some(self),
        }
    }
}

/// Compares the files that took the name with those that were found.
///
/// A file may be found a moment before the system reports it. The account may therefore be one short until the next look.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Files that took the name, minus those that were found.
    open: i64,
    /// Whether the look before found any file.
    found_before: bool,
}

impl Account {
    /// Adds the files that the system has reported up to now. Returns whether some of them have not been found yet.
    pub(crate) fn arrived(&mut self, arrived: Arrived) -> bool {
        if let Arrived::Files(files) = arrived {
            // Files found at the look before have been reported by now. If the balance is still negative, some of them never had
            // the name.
            self.open = (self.open + files).max(0);
        }
        self.open > 0
    }

    /// Subtracts the files that were found to have, or to have had, the name. Returns what is missing.
    pub(crate) fn found(&mut self, files: i64, arrived: Arrived) -> Option<Missing> {
        self.open -= files;
        // If no new file was found, the old one may have its name back.
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

    /// What is missing after a series of looks, each with the number of files that had arrived and the number found.
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
        // Found before it was reported; later another file that was never found.
        assert_eq!(missing(&[(0, 1), (1, 0), (0, 1), (2, 0)]), [None, None, None, Some(1)]);
        // A file that was found and never had the name counts for nothing later.
        assert_eq!(missing(&[(1, 2), (0, 0), (2, 1)]), [None, None, Some(1)]);
        // A file that lost its name and got it back.
        assert_eq!(missing(&[(0, 0), (1, 0), (2, 0)]), [None, None, Some(1)]);
    }
}

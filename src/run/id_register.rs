//! Checks whether ids identify records: counts records without an id, and ids that come twice.
//!
//! A table of 131 072 places (1 MiB) holds hashes of ids; each place holds the last hash that fell there. An id that comes
//! again is recognized if its hash is still there. So nearly all ids that come again within some ten thousand others are
//! noticed, and nearly none that come again after a million others: the count is a lower bound. Two different ids share a
//! hash by chance with probability 2^-64.

use super::Portion;
use crate::hash::XxHash3_64;

/// Places of the table.
const PLACES: usize = 1 << 17;

/// Counts of ids that do not identify one record each, in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct IdCounts {
    /// Records with an id.
    #[serde(skip)]
    pub present: u64,
    /// Records without an id: their lines name them.
    pub missing: u64,
    /// Records whose id came before; a lower bound.
    pub duplicate: u64,
}

/// Checks the ids of records as they come.
#[derive(Debug, Default)]
pub(super) struct Register {
    pub(crate) counts: IdCounts,
    hashes: Vec<u64>,
    /// Whether ids are shown anywhere.
    is_needed: bool,
    /// Whether the user named the field of ids.
    is_named: bool,
}

impl Register {
    /// Makes a register. It checks nothing unless ids are needed or the user named their field.
    pub(crate) fn new(is_needed: bool, is_named: bool) -> Self {
        Self { is_needed: is_needed || is_named, is_named, ..Self::default() }
    }

    /// Whether ids are checked.
    pub(crate) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Counts a record without an id. Returns whether that should be reported: if other records have ids, if the user named
    /// the field, or if this record has another value in its place.
    pub(crate) fn add_missing(&mut self, has_other: bool) -> bool {
        self.counts.missing += 1;
        has_other || self.is_named || self.counts.present > 0
    }

    /// Records without an id, if there are any and the user named the field of ids.
    pub(crate) fn unnamed(&self) -> Option<Portion> {
        let IdCounts { present, missing, .. } = self.counts;
        (self.is_named && missing > 0).then_some(Portion { count: missing, of: present + missing })
    }

    /// Counts a record with this id, in JSON. Returns whether an earlier record had the same id.
    pub(crate) fn add(&mut self, id: &[u8]) -> bool {
        self.counts.present += 1;
        if self.hashes.is_empty() {
            self.hashes = vec![0; PLACES];
        }
        let hash = XxHash3_64::oneshot(id);
        let place = &mut self.hashes[hash as usize % PLACES];
        let is_known = std::mem::replace(place, hash) == hash;
        self.counts.duplicate += u64::from(is_known);
        is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_come_again() {
        let mut register = Register::default();
        let ids = (0..10_000).chain(5000..5100);
        let known = ids.filter(|id: &u32| register.add(id.to_string().as_bytes())).count();
        assert!((80..=100).contains(&known), "{known}");
        assert_eq!((register.counts.present, register.counts.duplicate), (10_100, known as u64));
    }
}

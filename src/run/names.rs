//! Whether ids name records: those without one are counted, and those that come twice.
//!
//! An id that comes again is known by its hash in a table of 131 072 places (1 MiB), each of which has the last hash that fell
//! there. So of ids that come again after fewer than some ten thousand others nearly all are noticed, of those that come
//! after a million others nearly none: the count is a lower bound. Two ids with one hash are left to chance (2^-64).

use super::Portion;
use crate::hash::XxHash3_64;

/// Places of the table.
const PLACES: usize = 1 << 17;

/// Ids that do not name one record each, in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Names {
    /// Records with an id.
    #[serde(skip)]
    pub present: u64,
    /// Records without one: they go by their lines.
    pub missing: u64,
    /// Records whose id came before, at least.
    pub duplicate: u64,
}

/// Looks at ids as they come.
#[derive(Debug, Default)]
pub(super) struct Register {
    pub(crate) counts: Names,
    hashes: Vec<u64>,
    /// Whether ids are shown anywhere, and whether the user said where they stand.
    is_needed: bool,
    is_named: bool,
}

impl Register {
    /// A register that is needed, or looks at nothing; of ids whose place the user named, which is a need, or not.
    pub(crate) fn new(is_needed: bool, is_named: bool) -> Self {
        Self { is_needed: is_needed || is_named, is_named, ..Self::default() }
    }

    /// Whether it is needed.
    pub(crate) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// A record has no id; whether that is worth a word: others have one, or were said to, or this one has something else in its place.
    pub(crate) fn add_missing(&mut self, has_other: bool) -> bool {
        self.counts.missing += 1;
        has_other || self.is_named || self.counts.present > 0
    }

    /// Records without an id, if there are any and the user named the place of ids.
    pub(crate) fn unnamed(&self) -> Option<Portion> {
        let Names { present, missing, .. } = self.counts;
        (self.is_named && missing > 0).then_some(Portion { count: missing, of: present + missing })
    }

    /// A record has this id, in JSON; whether another had it before.
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

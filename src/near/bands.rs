//! Permuted-band tables.

/// Placeholder: the linear scan.
pub struct BandTables {
    max_distance: u32,
    fingerprints: Vec<u64>,
}

impl BandTables {
    /// Empty tables, complete for `max_distance`, shaped for about `expected` fingerprints.
    pub fn new(max_distance: u32, _expected: u64) -> Self {
        Self { max_distance, fingerprints: Vec::new() }
    }

    /// Stores a fingerprint under `number`; numbers must rise.
    pub fn insert(&mut self, fingerprint: u64, _number: u32) {
        self.fingerprints.push(fingerprint);
    }

    /// The smallest number whose fingerprint is within the distance, and that distance.
    pub fn earliest(&self, fingerprint: u64) -> Option<(u32, u32)> {
        self.fingerprints.iter().enumerate().find_map(|(number, stored)| {
            let distance = (stored ^ fingerprint).count_ones();
            (distance <= self.max_distance).then_some((number as u32, distance))
        })
    }

    /// Heap bytes in use.
    pub fn bytes(&self) -> usize {
        self.fingerprints.capacity() * 8
    }
}

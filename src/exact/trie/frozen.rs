//! The layers that are only read, and the piecemeal work that makes them.
//!
//! Digests in order, and nothing else: hashed digests have no common beginnings or ends that a denser structure could share
//! (a minimal automaton of them takes 31 bytes each and 2.3 µs to make), and as they are spread evenly, where one must stand
//! follows from its value.

use super::live::Live;

/// A digest, in halves so that it takes 24 bytes with its value and not 32.
pub struct Entry {
    high: u64,
    low: u64,
    value: u64,
}

impl Entry {
    fn key(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// An immutable layer: digests with the same first digit in rising order, and their values.
pub struct Frozen {
    entries: Vec<Entry>,
    /// How often its oldest digests were merged: what decides when they are merged again.
    pub level: u32,
}

impl Frozen {
    /// The value of `key`: looked for where it should stand, then in steps that double, then between the last two. Digests that
    /// are not spread evenly cost more steps, of which there are never more than twice the logarithm of their number.
    pub fn get(&self, key: u128) -> Option<u64> {
        let entries = &self.entries[..];
        // The digits behind the first, as a share of all that they could be.
        let share = ((key << 4) >> 64) as u64;
        let guess = ((u128::from(share) * entries.len() as u128) >> 64) as usize;
        let (mut from, mut to, mut step) = (guess, guess, 8);
        while from > 0 && entries[from].key() > key {
            to = from;
            from = from.saturating_sub(step);
            step *= 2;
        }
        while to < entries.len() && entries[to].key() <= key {
            from = to;
            to = (to + step).min(entries.len());
            step *= 2;
        }
        let at = entries[from..to].binary_search_by_key(&key, Entry::key).ok()?;
        Some(entries[from + at].value)
    }

    /// Digests held.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Heap bytes.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    /// What is in it, to be given back to the allocator piece by piece.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}

/// Work in progress: a sealed live layer and the newest few frozen ones become one frozen layer, a few digests at a time.
pub struct Merge {
    merged: Vec<Entry>,
    /// How far each frozen layer is read.
    read: Vec<usize>,
    /// The sealed layer's next digest.
    head: Option<(u128, u64)>,
    level: u32,
    total: usize,
}

impl Merge {
    /// Prepares to merge `sealed` with `layers`, oldest first, into a layer of `level`.
    pub fn new(sealed: &Live, layers: &[Frozen], level: u32) -> Self {
        let total = sealed.len() + layers.iter().map(Frozen::len).sum::<usize>();
        // Reserved at once, taken from the system as it is written: growing would copy everything in a single insertion.
        let merged = Vec::with_capacity(total);
        Self { merged, read: vec![0; layers.len()], head: sealed.at_or_after(0), level, total }
    }

    /// Frozen layers that go into it.
    pub fn layers(&self) -> usize {
        self.read.len()
    }

    /// Digests that go into it.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Heap bytes.
    pub fn bytes(&self) -> usize {
        self.merged.capacity() * size_of::<Entry>()
    }

    /// Takes over up to `digests` more, from the same layers as at the start; true if there were none.
    pub fn advance(&mut self, sealed: &Live, layers: &[Frozen], digests: usize) -> bool {
        for turn in 0..digests {
            let next = |(read, layer): (&usize, &Frozen)| layer.entries.get(*read).map(Entry::key);
            let heads = self.read.iter().zip(layers).filter_map(next);
            let Some(least) = heads.chain(self.head.map(|(key, _)| key)).min() else { return turn == 0 };
            let mut newest = 0;
            // Oldest first, so the last one to hold this digest is the newest.
            for (read, layer) in self.read.iter_mut().zip(layers) {
                if let Some(entry) = layer.entries.get(*read)
                    && entry.key() == least
                {
                    newest = entry.value;
                    *read += 1;
                }
            }
            if let Some((key, value)) = self.head
                && key == least
            {
                newest = value;
                self.head = key.checked_add(1).and_then(|next| sealed.at_or_after(next));
            }
            self.merged.push(Entry { high: (least >> 64) as u64, low: least as u64, value: newest });
        }
        false
    }

    /// The merged layer.
    pub fn finish(mut self) -> Frozen {
        self.merged.shrink_to_fit();
        Frozen { entries: self.merged, level: self.level }
    }
}

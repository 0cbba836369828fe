//! The layer that is written to: an arena trie over hexadecimal digits.

use crate::hash::memory::{LEAST_GROWTH, make_room};

/// Digits that the root spans at once, after the digit that chose the [shard](super). A full layer of a shard holds 2^17 digests or more,
/// 16^4.25: the root saves three look-ups, and nearly all of its 4096 slots (16 KiB) are used.
const ROOT_DIGITS: u32 = 3;
/// Digits of a digest.
const DIGITS: u32 = 32;
/// Marks a slot that has the number of a leaf. Without the mark, a slot is 1 + the number of a node, or 0 if it is empty.
const LEAF: u32 = 1 << 31;

/// A trie of digests with 16-way nodes. A leaf is at the digit where its digest first differs from all others. So n random digests
/// take n / ln 16 ≈ 0.36 n nodes of 64 bytes and n leaves of 24 bytes. Nodes and leaves are in two vectors. Nothing is ever removed. All
/// digests must have the same first digit. There can be 2^31 − 1 leaves.
#[derive(Default)]
pub(crate) struct Live {
    root: Vec<u32>,
    nodes: Vec<[u32; 16]>,
    leaves: Vec<Leaf>,
}

/// A digest and its value. The digest is in halves, so that a leaf takes 24 bytes and not 32.
struct Leaf {
    high: u64,
    low: u64,
    value: u64,
}

impl Leaf {
    fn key(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// Digit `at` of 32, the first being the most significant.
fn digit(key: u128, at: u32) -> usize {
    (key >> (4 * (DIGITS - 1 - at)) & 15) as usize
}

fn root_slot(key: u128) -> usize {
    (key >> (4 * (DIGITS - 1 - ROOT_DIGITS))) as usize & ((1 << (4 * ROOT_DIGITS)) - 1)
}

impl Live {
    /// How many digests the layer has.
    pub(crate) fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether the layer holds `limit` digests or has as many nodes. Digests with long common prefixes take up to 28 nodes each, but a
    /// keyed hash does not produce them.
    pub(crate) fn is_full(&self, limit: usize) -> bool {
        self.leaves.len().max(self.nodes.len()) >= limit
    }

    /// Heap bytes, including unused capacity.
    pub(crate) fn bytes(&self) -> usize {
        self.root.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<[u32; 16]>()
            + self.leaves.capacity() * size_of::<Leaf>()
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: u128) -> Option<u64> {
        let mut slot = *self.root.get(root_slot(key))?;
        let mut at = 1 + ROOT_DIGITS;
        while slot != 0 && slot & LEAF == 0 {
            slot = self.nodes[slot as usize - 1][digit(key, at)];
            at += 1;
        }
        if slot == 0 {
            return None;
        }
        let leaf = &self.leaves[(slot ^ LEAF) as usize];
        (leaf.key() == key).then_some(leaf.value)
    }

    /// Sets the value of `key`. Returns true if this layer did not hold it.
    pub(crate) fn insert(&mut self, key: u128, value: u64) -> bool {
        if self.root.is_empty() {
            self.root = vec![0; 1 << (4 * ROOT_DIGITS)];
        }
        // The place of the slot: in the root, or in a node.
        let (mut node, mut index) = (None, root_slot(key));
        let mut at = 1 + ROOT_DIGITS;
        loop {
            let slot = match node {
                None => self.root[index],
                Some(node) => self.nodes[node as usize][index],
            };
            if slot != 0 && slot & LEAF == 0 {
                (node, index) = (Some(slot - 1), digit(key, at));
                at += 1;
                continue;
            }
            let put = if slot == 0 {
                make_room(&mut self.leaves, LEAST_GROWTH);
                self.leaves.push(Leaf { high: (key >> 64) as u64, low: key as u64, value });
                LEAF | (self.leaves.len() - 1) as u32
            } else {
                let leaf = &mut self.leaves[(slot ^ LEAF) as usize];
                if leaf.key() == key {
                    leaf.value = value;
                    return false;
                }
                // The other leaf moves one digit down. The next turn of the loop goes there.
                let mut children = [0; 16];
                children[digit(leaf.key(), at)] = slot;
                make_room(&mut self.nodes, LEAST_GROWTH);
                self.nodes.push(children);
                self.nodes.len() as u32
            };
            match node {
                None => self.root[index] = put,
                Some(node) => self.nodes[node as usize][index] = put,
            }
            if slot == 0 {
                return true;
            }
        }
    }

    /// Returns the least digest ≥ `key`, with its value. Asking again from its successor walks the trie in order.
    pub(crate) fn at_or_after(&self, key: u128) -> Option<(u128, u64)> {
        let top = root_slot(key);
        let mut slot = *self.root.get(top)?;
        let mut path = [(0u32, 0usize); DIGITS as usize];
        let mut depth = 0;
        while slot != 0 && slot & LEAF == 0 {
            let index = digit(key, 1 + ROOT_DIGITS + depth as u32);
            path[depth] = (slot - 1, index);
            depth += 1;
            slot = self.nodes[slot as usize - 1][index];
        }
        if slot != 0 {
            let leaf = &self.leaves[(slot ^ LEAF) as usize];
            if leaf.key() >= key {
                return Some((leaf.key(), leaf.value));
            }
        }
        // All digests below the path to `key` are smaller. The next one is in the nearest slot to the right of the path, lowest level
        // first.
        let right = |slots: &[u32]| slots.iter().copied().find(|slot| *slot != 0);
        let in_nodes = path[..depth].iter().rev().find_map(|&(node, i)| right(&self.nodes[node as usize][i + 1..]));
        let mut slot = in_nodes.or_else(|| right(&self.root[top + 1..]))?;
        while slot & LEAF == 0 {
            slot = right(&self.nodes[slot as usize - 1])?;
        }
        let leaf = &self.leaves[(slot ^ LEAF) as usize];
        Some((leaf.key(), leaf.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_sorted_map(keys in prop::collection::vec((prop_oneof![0u128..40, any::<u128>(), any::<u128>().prop_map(|k| k & 0xF << 60)], any::<u64>()), 0..200)) {
            let (mut live, mut map) = (Live::default(), BTreeMap::new());
            for (key, value) in keys {
                let key = key & u128::MAX >> 4;
                prop_assert_eq!(live.insert(key, value), map.insert(key, value).is_none());
                prop_assert_eq!(live.at_or_after(key ^ 5), map.range(key ^ 5..).next().map(|(k, v)| (*k, *v)));
            }
            let mut next = 0;
            for (key, value) in &map {
                prop_assert_eq!(live.get(*key), Some(*value));
                prop_assert_eq!(live.at_or_after(next), Some((*key, *value)));
                next = key + 1;
            }
            prop_assert_eq!(live.at_or_after(next), None);
            prop_assert_eq!(live.len(), map.len());
        }
    }
}

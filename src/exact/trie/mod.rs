//! The digest trie (Gao & Li 2014, stage 1b): it maps the digits of a text's hash to the number of the kept message.
//!
//! A trie over Chinese characters would have thousands of branches. So the paper hashes a text to 32 bits, squares the number, and inserts
//! its decimal digits into a trie of ten-way nodes. It calls that 100 % accurate, but a 32-bit hash is not: among the paper's 2.5·10^6
//! texts, about 2.5·10^6² / 2^33 ≈ 730 pairs of different texts are expected to share a hash. Squaring does not separate equal hashes, and
//! makes some squares prefixes of others: see [`paper::trie`](super::paper::trie). Here the digits are the 32 hexadecimal ones of a 128-bit
//! keyed hash.
//!
//! The first digit chooses one of 16 shards. In each shard, new digests go to a live trie. When the live trie is full, it is sealed and
//! turned into an immutable, compact frozen layer. Every 4th, 16th, … time, the frozen layers of the last 3, 15, … times are merged with
//! it. So a digest is rewritten once per power of 4, and a look-up asks few layers. Each insertion does the work for a few digests, without
//! threads. So no message waits for it, and the same insertions always leave the same layers. Newer layers are asked first, so the last
//! value wins.
//!
//! The shards begin at different fractions of a full layer and with different counts. So few of them hold a digest twice at the same time
//! (in the layers being merged and in the layer being made).

mod frozen;
mod live;

use frozen::{Frozen, Merge};
use live::Live;

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::fingerprint::Digest;
use crate::parallel::at_once;

/// Digests in all live layers together before they are sealed. More would take more memory (50 bytes per digest in a live layer, 31
/// in a frozen one). Fewer would be rewritten more often.
const LIMIT: usize = 1 << 21;
/// Beyond 2^21 · 32 digests in all, a live layer holds this share of its shard, so that rewriting everything keeps its pace.
const SHARE: usize = 32;
/// Fewest digests that an insertion merges, while there is something to merge.
const PACE: usize = 64;
/// Bytes of dead layers that an insertion gives back. The system takes a millisecond for some tens of megabytes.
const GIVE_BACK: usize = 1 << 18;
/// How many frozen layers are merged at a time.
const FAN_IN: u32 = 4;

/// A map from digests to numbers. It is exact and takes about 40 bytes per digest. No insertion takes more than about a millisecond.
///
/// ```
/// use quchong::exact::trie::DigestTrie;
/// use quchong::fingerprint::Digest;
///
/// let mut trie = DigestTrie::new();
/// let digest = |text: &str| Digest::of(text.as_bytes(), 1);
/// trie.insert(digest("武汉加油"), 7);
/// assert_eq!((trie.get(digest("武汉加油")), trie.get(digest("中国加油"))), (Some(7), None));
/// ```
pub struct DigestTrie {
    shards: [Shard; 16],
    len: usize,
}

/// The digests with the same first digit.
struct Shard {
    live: Live,
    /// The live layer before `live`, while `merge` reads it.
    sealed: Option<Live>,
    merge: Option<Merge>,
    /// The oldest first.
    layers: Vec<Frozen>,
    /// The bytes of merged layers, which are returned to the allocator in pieces.
    dead: Vec<Vec<u8>>,
    /// How many layers were sealed, counted from a different start in each shard.
    sealings: u32,
    /// Digests in the current live layer when it is full.
    limit: usize,
    /// The least limit of later layers.
    least_limit: usize,
    pace: usize,
    /// Digests from [`DigestTrie::load`], not yet in a layer.
    loading: Vec<(u128, u64)>,
}

impl Default for DigestTrie {
    fn default() -> Self {
        Self::with_limit(LIMIT, PACE)
    }
}

impl DigestTrie {
    /// An empty trie.
    pub fn new() -> Self {
        Self::default()
    }

    fn with_limit(limit: usize, pace: usize) -> Self {
        let least_limit = (limit / 16).max(1);
        let shard = |i: usize| Shard {
            live: Live::default(),
            sealed: None,
            merge: None,
            layers: Vec::new(),
            dead: Vec::new(),
            // The starts are different modulo 16, and spread modulo 64.
            sealings: (i + i % 4 * 16) as u32,
            limit: (least_limit * (i + 1) / 16).max(1),
            least_limit,
            pace,
            loading: Vec::new(),
        };
        Self { shards: std::array::from_fn(shard), len: 0 }
    }

    /// Returns the value last inserted for `digest`.
    pub fn get(&self, digest: Digest) -> Option<u64> {
        let shard = &self.shards[shard_of(digest)];
        shard.live.get(digest.0).or_else(|| shard.get_older(digest.0))
    }

    /// Sets the value for `digest`. The last value wins.
    pub fn insert(&mut self, digest: Digest, value: u64) {
        let shard = &mut self.shards[shard_of(digest)];
        if shard.live.insert(digest.0, value) && shard.get_older(digest.0).is_none() {
            self.len += 1;
        }
        shard.work();
    }

    /// Takes one of many digests with which an empty trie is to begin. They are in the trie after [`loaded`](Self::loaded). This is much
    /// faster than inserting each of them.
    pub(crate) fn load(&mut self, digest: Digest, value: u64) {
        self.shards[shard_of(digest)].loading.push((digest.0, value));
    }

    /// Inserts the [loaded](Self::load) digests, on all cores. The last value of a digest wins.
    pub(crate) fn loaded(&mut self) {
        if self.shards.iter().all(|shard| shard.loading.is_empty()) {
            return;
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let waiting: Vec<Mutex<&mut Shard>> = self.shards.iter_mut().map(Mutex::new).collect();
        // Each lock is taken once.
        let load =
            |(): &mut (), shard: &Mutex<&mut Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).loaded();
        at_once(&waiting, 1, &mut vec![(); threads], load);
        self.len = self.shards.iter().map(|shard| shard.live.len()).sum();
    }

    /// How many distinct digests the trie has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Heap bytes in use, including reserved capacity that is not yet filled.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }
}

fn shard_of(digest: Digest) -> usize {
    (digest.0 >> 124) as usize
}

impl Shard {
    /// Inserts the loaded digests in order. Neighbours are near in memory, so each takes a tenth of the time. The live layer may then be
    /// much more than full. It is sealed at the next insertion, and merged as any other.
    fn loaded(&mut self) {
        let mut loading = std::mem::take(&mut self.loading);
        // Equal digests stay in their order: the last value wins.
        loading.sort_by_key(|(key, _)| *key);
        for (key, value) in loading {
            self.live.insert(key, value);
        }
    }

    fn get_older(&self, key: u128) -> Option<u64> {
        let sealed = self.sealed.as_ref().and_then(|sealed| sealed.get(key));
        sealed.or_else(|| self.layers.iter().rev().find_map(|layer| layer.get(key)))
    }

    fn bytes(&self) -> usize {
        self.live.bytes()
            + self.sealed.as_ref().map_or(0, Live::bytes)
            + self.merge.as_ref().map_or(0, Merge::bytes)
            + self.layers.iter().map(|layer| layer.bytes() + size_of::<Frozen>()).sum::<usize>()
            + self.dead.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Does one insertion's share of the upkeep.
    fn work(&mut self) {
        if let Some(bytes) = self.dead.last_mut() {
            let left = bytes.len().saturating_sub(GIVE_BACK);
            bytes.truncate(left);
            bytes.shrink_to_fit();
            if left == 0 {
                self.dead.pop();
            }
        } else if let Some((merge, sealed)) = self.merge.as_mut().zip(self.sealed.as_ref()) {
            let from = self.layers.len() - merge.layers();
            // The merge is done by the time that the live layer is half full.
            let digests = self.pace.max(2 * merge.total() / self.limit);
            match merge.advance(sealed, &self.layers[from..], digests) {
                Ok(false) => {}
                Ok(true) => self.finish(from),
                Err(_) => self.merge = None,
            }
        } else if self.sealed.is_none() && self.live.is_full(self.limit) {
            self.seal();
        }
    }

    /// Seals the live layer and begins to merge it.
    fn seal(&mut self) {
        self.sealings += 1;
        let mut level = 0;
        while self.sealings.is_multiple_of(FAN_IN.pow(level + 1)) {
            level += 1;
        }
        let from = self.layers.iter().rposition(|layer| layer.level >= level).map_or(0, |at| at + 1);
        let sealed = std::mem::take(&mut self.live);
        let held = sealed.len() + self.layers.iter().map(Frozen::len).sum::<usize>();
        self.limit = self.least_limit.max(held / SHARE);
        self.merge = Merge::new(&sealed, &self.layers[from..], level).ok();
        self.sealed = Some(sealed);
    }

    /// Puts the merged layer in the place of those that went into it. If fst ever refused its own automaton, the sealed layer would stay as
    /// it is, and nothing would be merged again. The answers would still be right, and only memory would be lost.
    fn finish(&mut self, from: usize) {
        if let Some(Ok(merged)) = self.merge.take().map(Merge::finish) {
            self.dead.extend(self.layers.drain(from..).map(Frozen::into_bytes));
            self.layers.push(merged);
            self.sealed = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Random keys, few keys that often repeat, keys equal in 31 digits, and keys in one shard at each end of the range.
    fn key() -> impl Strategy<Value = u128> {
        let shared = 0x0123_4567_89ab_cdef_0123_4567_89ab_cde0;
        prop_oneof![
            any::<u128>(),
            (0u128..50).prop_map(|i| i.wrapping_mul(u128::MAX / 49)),
            (0u128..16).prop_map(move |i| shared | i),
            0u128..100,
            (0u128..100).prop_map(|i| u128::MAX - i),
        ]
    }

    proptest! {
        // A merge costs fst a millisecond at any size. So there are fewer cases, with hundreds of merges each.
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_is_a_map(
            limit in prop_oneof![Just(1usize), 16usize..200],
            pace in 1usize..4,
            steps in prop::collection::vec((key(), any::<u64>(), key()), 0..600),
        ) {
            let (mut trie, mut map) = (DigestTrie::with_limit(limit, pace), HashMap::new());
            for (key, value, asked) in steps {
                trie.insert(Digest(key), value);
                map.insert(key, value);
                prop_assert_eq!(trie.get(Digest(key)), Some(value));
                prop_assert_eq!(trie.get(Digest(asked)), map.get(&asked).copied());
                prop_assert_eq!(trie.len(), map.len());
            }
            for (key, value) in map {
                prop_assert_eq!(trie.get(Digest(key)), Some(value));
            }
        }
    }

    proptest! {
        #[test]
        fn loading_is_inserting(
            limit in prop_oneof![Just(1usize), 16usize..200],
            loaded in prop::collection::vec((key(), any::<u64>()), 0..300),
            inserted in prop::collection::vec((key(), any::<u64>()), 0..300),
        ) {
            let (mut trie, mut map) = (DigestTrie::with_limit(limit, 2), HashMap::new());
            for (key, value) in loaded {
                trie.load(Digest(key), value);
                map.insert(key, value);
            }
            trie.loaded();
            prop_assert_eq!(trie.len(), map.len());
            for (key, value) in inserted {
                trie.insert(Digest(key), value);
                map.insert(key, value);
            }
            prop_assert_eq!(trie.len(), map.len());
            for (key, value) in map {
                prop_assert_eq!(trie.get(Digest(key)), Some(value));
            }
        }
    }

    #[test]
    fn many_layers_stay_few_and_small() {
        let mut trie = DigestTrie::with_limit(1 << 10, 4);
        let digest = |i: u64| Digest::of(&i.to_le_bytes(), 3);
        for i in 0..60_000 {
            trie.insert(digest(i), i);
            trie.insert(digest(i / 2), i);
        }
        assert_eq!(trie.len(), 60_000);
        assert!((0..30_000).all(|i| trie.get(digest(i)) == Some(2 * i + 1)));
        assert!((30_000..60_000).all(|i| trie.get(digest(i)) == Some(i)));
        assert!((60_000..90_000).all(|i| trie.get(digest(i)).is_none()));
        assert!(trie.shards.iter().all(|shard| (1..16).contains(&shard.layers.len())));
    }

    /// Pairs that differ only in their last digit, all in one shard: the worst shape for a trie of digits.
    #[test]
    fn long_common_prefixes_take_bounded_memory() {
        let mut trie = DigestTrie::new();
        let digest = |i: u64| Digest(Digest::of(&(i / 2).to_le_bytes(), 3).0 >> 4 & !1 | u128::from(i & 1));
        for i in 0..100_000 {
            trie.insert(digest(i), i);
        }
        assert_eq!(trie.len(), 100_000);
        assert!((0..100_000).all(|i| trie.get(digest(i)) == Some(i)));
        assert!(trie.bytes() < 100 * 100_000, "{} bytes", trie.bytes());
    }
}

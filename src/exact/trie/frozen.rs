//! The layers that are only read, and the work that makes them piece by piece. The only file that knows the crate `fst`.

use std::collections::VecDeque;

use fst::{IntoStreamer, Map, MapBuilder, Streamer};

use super::live::Live;

/// Digests that are read from a frozen layer at a time. Opening a stream costs about as much as reading some ten digests.
const BLOCK: usize = 64;
/// Bytes reserved per digest of a live layer. Measured: 31 with values below 2^21, 37 with values of 61 bits.
const BYTES_PER_DIGEST: usize = 40;
/// Heap bytes of a builder besides its output: fst's registry of 20 000 recent nodes, each with 48 bytes and a transition of 24.
const REGISTRY_BYTES: usize = 20_000 * (48 + 24);

/// An immutable layer: a minimal acyclic automaton from the 16 big-endian bytes of a digest to its value. `Map` takes any
/// `AsRef<[u8]>`, so a mapped file could replace the vector.
pub(crate) struct Frozen {
    map: Map<Vec<u8>>,
    /// How often its oldest digests were merged. This decides when they are merged again.
    pub(crate) level: u32,
}

impl Frozen {
    /// The value of `key`.
    pub(crate) fn get(&self, key: u128) -> Option<u64> {
        self.map.get(key.to_be_bytes())
    }

    /// How many digests the layer has.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// Heap bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.map.as_fst().as_inner().capacity()
    }

    /// Returns the automaton's bytes, so that they can be given back to the allocator piece by piece.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.map.into_fst().into_inner()
    }

    /// Reads the next block of digests greater than `after`.
    fn read(&self, after: Option<u128>, block: &mut VecDeque<(u128, u64)>) {
        let range = self.map.range();
        let range = if let Some(after) = after { range.gt(after.to_be_bytes()) } else { range };
        let mut stream = range.into_stream();
        while block.len() < BLOCK
            && let Some((key, value)) = stream.next()
        {
            block.push_back((key.try_into().map_or(0, u128::from_be_bytes), value));
        }
    }
}

/// How far a frozen layer was read.
#[derive(Default)]
struct Reader {
    block: VecDeque<(u128, u64)>,
    last: Option<u128>,
    ended: bool,
}

impl Reader {
    fn peek(&mut self, layer: &Frozen) -> Option<u128> {
        if self.block.is_empty() && !self.ended {
            layer.read(self.last, &mut self.block);
            self.last = self.block.back().map(|(key, _)| *key);
            self.ended = self.block.is_empty();
        }
        self.block.front().map(|(key, _)| *key)
    }
}

/// A merge in progress: a sealed live layer and the newest few frozen layers become one frozen layer, a few digests at a time.
pub(crate) struct Merge {
    builder: MapBuilder<Vec<u8>>,
    readers: Vec<Reader>,
    /// The sealed layer's next digest.
    head: Option<(u128, u64)>,
    level: u32,
    total: usize,
}

impl Merge {
    /// Prepares to merge `sealed` with `layers`, oldest first, into a layer of `level`.
    ///
    /// # Errors
    /// None is known: memory takes every write.
    pub(crate) fn new(sealed: &Live, layers: &[Frozen], level: u32) -> fst::Result<Self> {
        // Reserved at once, and allocated by the system as it is written: growing would copy everything in a single insertion.
        let room = layers.iter().map(Frozen::bytes).sum::<usize>() + (1 + sealed.len()) * BYTES_PER_DIGEST;
        Ok(Self {
            builder: MapBuilder::new(Vec::with_capacity(room))?,
            readers: layers.iter().map(|_| Reader::default()).collect(),
            head: sealed.at_or_after(0),
            level,
            total: sealed.len() + layers.iter().map(Frozen::len).sum::<usize>(),
        })
    }

    /// How many frozen layers go into it.
    pub(crate) fn layers(&self) -> usize {
        self.readers.len()
    }

    /// How many digests go into it.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Heap bytes.
    pub(crate) fn bytes(&self) -> usize {
        let blocks: usize = self.readers.iter().map(|reader| reader.block.capacity() * size_of::<(u128, u64)>()).sum();
        self.builder.get_ref().capacity() + REGISTRY_BYTES + blocks
    }

    /// Merges up to `digests` more, from the same layers as at the start. Returns true if there was none left to merge.
    ///
    /// # Errors
    /// An error of fst, if the digests were not ascending. They are.
    pub(crate) fn advance(&mut self, sealed: &Live, layers: &[Frozen], digests: usize) -> fst::Result<bool> {
        for turn in 0..digests {
            let heads = self.readers.iter_mut().zip(layers).filter_map(|(reader, layer)| reader.peek(layer));
            let Some(least) = heads.chain(self.head.map(|(key, _)| key)).min() else { return Ok(turn == 0) };
            let mut newest = 0;
            // The layers come oldest first, so the last one that holds this digest is the newest.
            for reader in &mut self.readers {
                if let Some(&(key, value)) = reader.block.front()
                    && key == least
                {
                    newest = value;
                    reader.block.pop_front();
                }
            }
            if let Some((key, value)) = self.head
                && key == least
            {
                newest = value;
                self.head = key.checked_add(1).and_then(|next| sealed.at_or_after(next));
            }
            self.builder.insert(least.to_be_bytes(), newest)?;
        }
        Ok(false)
    }

    /// Returns the merged layer. The checksum was computed along the way. This still takes a millisecond at every size, because fst frees
    /// the 20 000 nodes of its registry. No other step of an insertion takes as long.
    ///
    /// # Errors
    /// An error of fst, if its own output were malformed.
    pub(crate) fn finish(self) -> fst::Result<Frozen> {
        let mut bytes = self.builder.into_inner()?;
        bytes.shrink_to_fit();
        Ok(Frozen { map: Map::new(bytes)?, level: self.level })
    }
}

//! The exact stage: has this text been seen before?
//!
//! Two structures answer, alone or together ([`ExactMode`]). The Bloom filter ([`bloom`]) never forgets and sometimes
//! errs; the digest trie ([`trie`]) never errs and knows which message was repeated. Together, the filter's "surely new"
//! spares the trie a look-up, and the trie's word settles the filter's "perhaps".

pub mod bloom;
pub mod paper;
pub mod trie;

use crate::config::{Config, ExactMode};
use crate::error::Result;
use crate::fingerprint::Digest;
use crate::record::Pos;
use bloom::Filter;
use paper::trie::{PaperTrie, Path};
use trie::DigestTrie;

/// The exact stage's state: one owner, no locks.
pub struct ExactStage {
    filter: Option<Filter>,
    trie: Option<Trie>,
}

enum Trie {
    Digest(DigestTrie),
    Paper(PaperTrie),
}

/// The 32-bit hash of the paper's trie. Any part of the digest is as good a hash as another.
fn short(digest: Digest) -> u32 {
    digest.0 as u32
}

/// What the exact stage knows of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Surely, or by the filter's word, not seen before.
    New,
    /// Seen before. `of` is what was [remembered](ExactStage::remember) with it; the filter alone remembers nothing, and
    /// the paper's trie cannot tell whose beginning a path is.
    Before {
        /// The kept message that the text repeats.
        of: Option<Pos>,
    },
}

impl ExactStage {
    /// An empty stage.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if the filter cannot be made in the size asked for.
    pub fn new(config: &Config) -> Result<Self> {
        let filter = matches!(config.exact, ExactMode::Verified | ExactMode::Bloom);
        let trie = match config.exact {
            ExactMode::Verified | ExactMode::Trie => Some(Trie::Digest(DigestTrie::new())),
            ExactMode::PaperTrie => Some(Trie::Paper(PaperTrie::new())),
            ExactMode::Bloom | ExactMode::None => None,
        };
        Ok(Self { filter: if filter { Some(Filter::new(config)?) } else { None }, trie })
    }

    /// Looks a text up. The filter has seen it from now on; the trie only once it is [remembered](Self::remember).
    pub fn look_up(&mut self, digest: Digest) -> Seen {
        let perhaps = self.filter.as_mut().is_none_or(|filter| filter.insert(digest));
        match &self.trie {
            _ if !perhaps => Seen::New,
            Some(Trie::Digest(trie)) => trie.get(digest).map_or(Seen::New, |of| Seen::Before { of: Some(Pos(of)) }),
            Some(Trie::Paper(trie)) => match trie.get(short(digest)) {
                Path::Broken => Seen::New,
                Path::Within => Seen::Before { of: None },
                Path::To(of) => Seen::Before { of: Some(Pos(of)) },
            },
            None if self.filter.is_some() => Seen::Before { of: None },
            None => Seen::New,
        }
    }

    /// Remembers that a text belongs to the kept message `of`: itself if it was kept, or the one that it nearly repeats.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) if the paper's trie is full.
    pub fn remember(&mut self, digest: Digest, of: Pos) -> Result<()> {
        match &mut self.trie {
            Some(Trie::Digest(trie)) => trie.insert(digest, of.0),
            Some(Trie::Paper(trie)) => trie.insert(short(digest), of.0)?,
            None => {}
        }
        Ok(())
    }

    /// The filter, for its health.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Heap bytes of the trie; 0 without one.
    pub fn trie_bytes(&self) -> usize {
        match &self.trie {
            Some(Trie::Digest(trie)) => trie.bytes(),
            Some(Trie::Paper(trie)) => trie.bytes(),
            None => 0,
        }
    }
}

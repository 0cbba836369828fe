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
use trie::DigestTrie;

/// The exact stage's state: one owner, no locks.
pub struct ExactStage {
    filter: Option<Filter>,
    trie: Option<DigestTrie>,
}

/// What the exact stage knows of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Surely, or by the filter's word, not seen before.
    New,
    /// Seen before. `of` is what was [remembered](ExactStage::remember) with it; the filter alone remembers nothing.
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
        let (filter, trie) = match config.exact {
            ExactMode::Verified => (true, true),
            ExactMode::Bloom => (true, false),
            ExactMode::Trie => (false, true),
            ExactMode::None => (false, false),
        };
        Ok(Self { filter: if filter { Some(Filter::new(config)?) } else { None }, trie: trie.then(DigestTrie::new) })
    }

    /// Looks a text up. The filter has seen it from now on; the trie only once it is [remembered](Self::remember).
    pub fn look_up(&mut self, digest: Digest) -> Seen {
        let perhaps = self.filter.as_mut().is_none_or(|filter| filter.insert(digest));
        match &self.trie {
            _ if !perhaps => Seen::New,
            Some(trie) => trie.get(digest).map_or(Seen::New, |of| Seen::Before { of: Some(Pos(of)) }),
            None if self.filter.is_some() => Seen::Before { of: None },
            None => Seen::New,
        }
    }

    /// Remembers that a text belongs to the kept message `of`: itself if it was kept, or the one that it nearly repeats.
    pub fn remember(&mut self, digest: Digest, of: Pos) {
        if let Some(trie) = &mut self.trie {
            trie.insert(digest, of.0);
        }
    }

    /// The filter, for its health.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// The trie, for its size.
    pub fn trie(&self) -> Option<&DigestTrie> {
        self.trie.as_ref()
    }
}

//! The exact stage: has this text been seen before?
//!
//! Two structures answer, alone or together ([`ExactMode`]). The Bloom filter ([`bloom`]) never forgets and sometimes
//! errs; the digest trie ([`trie`]) never errs and knows which message was repeated. Together, the filter's "surely new"
//! spares the trie a look-up, and the trie's word settles the filter's "perhaps". For the reproduction there is the paper's
//! own trie ([`paper::trie`]), which errs.
//!
//! # What they cost
//! Distinct generated texts of 100 bytes, 10^6 / 10^7 of them; bytes per text, by the allocator's count, at the end; ns per
//! text without its digest (26 ns): a new text added, a repeat looked up, a new text looked up. Lost: new texts taken for
//! repeats while the structure filled. Quickest of three runs of `cargo bench --bench exact_table`, on two shared cores of
//! 2 GHz; single runs were up to 1.8 times slower.
//!
//! | mode | bytes | insert | hit | miss | lost |
//! |---|---|---|---|---|---|
//! | `bloom` (10^-6) | 3.6 / 3.6 | 315 / 444 | 170 / 212 | 72 / 183 | 1 / 0 |
//! | its filter at 10^-2 | 1.2 / 1.2 | 109 / 181 | 54 / 98 | 55 / 91 | 1590 / 16 717 |
//! | `verified` | 36.9 / 38.6 | 2487 / 6690 | 727 / 2193 | 66 / 140 | 0 / 0 |
//! | `trie` | 35.7 / 37.4 | 2376 / 6725 | 653 / 1965 | 493 / 1786 | 0 / 0 |
//! | `paper-trie` | 645.9 / 605.4 | 843 / 2007 | 1450 / 1978 | 360 / 789 | 132 / 12 919 |
//! | std's `HashSet` of digests | 35.7 / 28.5 | 79 / 133 | 94 / 173 | 38 / 77 | 0 / 0 |
//! | std's `HashSet` of texts | 157.3 / 147.8 | 490 / 650 | 522 / 738 | 91 / 193 | 0 / 0 |
//!
//! Within a factor of 1.15 these bytes are also the most ever held, but for the `HashSet`s (53.5 / 42.8 and 175.4 / 147.8
//! bytes), which double at once and tell nobody which message was repeated. What the trie's insertions pay for is that no
//! growing or merging ever holds a message up by more than a millisecond (see [`trie`]).
//!
//! So the default is `verified`: it loses nothing, names the message that is repeated, and stays below 40 bytes a text. The
//! filter's 1.2 bytes make "surely new" 7 to 13 times quicker than the trie's; as every new text is then inserted, adding it
//! takes as long as under `trie`. `bloom` is for memory that must not grow, `paper-trie` for comparing with the paper.
//!
//! # What is not there yet
//! State lives in memory and ends with the run. A frozen layer of the trie is one byte string, and `fst` reads maps from
//! anything that is `AsRef<[u8]>`, so layers could be mapped from files as they are; nothing is saved or mapped today.

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
    Digest(Box<DigestTrie>),
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
            ExactMode::Verified | ExactMode::Trie => Some(Trie::Digest(Box::default())),
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

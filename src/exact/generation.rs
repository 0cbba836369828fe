//! The texts of a stretch of messages, in a filter, a trie, or both.

use super::filter::ExactFilter;
#[cfg(feature = "lab")]
use super::paper::trie::{PaperTrie, Path, error};
use super::trie::DigestTrie;
use crate::config::{Config, ExactMode, TrieHash};
use crate::error::Result;
use crate::fingerprint::Digest;
use crate::record::Pos;

/// What the exact stage knows of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Not seen before, or too long ago to count.
    New,
    /// Seen before. `of` is the message that was [remembered](super::ExactStage::remember) with it. It is `None` if only the filter knows
    /// the text, or if the paper's trie has its path only as the beginning of longer ones.
    Before {
        /// The kept message that the text repeats.
        of: Option<Pos>,
    },
}

/// The texts of a stretch of messages.
pub(super) struct Generation {
    /// The part of the window to which the texts belong.
    pub(super) part: i64,
    /// Whether the generation began with a message whose time the clock did not believe.
    pub(super) leapt: bool,
    /// The message with which its first text came.
    pub(super) first: Pos,
    /// The message with which its last text came.
    pub(super) last: Pos,
    pub(super) texts: u64,
    pub(super) filter: Option<ExactFilter>,
    pub(super) trie: Option<Trie>,
}

pub(super) enum Trie {
    Digest(Box<DigestTrie>),
    #[cfg(feature = "lab")]
    Paper(PaperTrie),
}

/// Makes a [`Trie::Paper`], if it was built.
fn paper_trie() -> Result<Trie> {
    #[cfg(feature = "lab")]
    let trie = Ok(Trie::Paper(PaperTrie::new()));
    #[cfg(not(feature = "lab"))]
    let trie = Err(crate::error::Error::config(
        "--exact",
        crate::locale::tr!(
            "paper-trie is of the laboratory, without which this quchong was built (its feature `lab`); use trie"
        ),
    ));
    trie
}

/// The 32-bit hash for the paper's trie. Any part of the digest is as good a hash as another.
#[cfg(feature = "lab")]
fn short(digest: Digest) -> u32 {
    digest.0 as u32
}

impl Generation {
    pub(super) fn new(config: &Config, part: i64, leapt: bool) -> Result<Self> {
        let trie = match config.exact {
            ExactMode::Verified | ExactMode::Trie => Some(Trie::Digest(Box::default())),
            ExactMode::PaperTrie => Some(paper_trie()?),
            ExactMode::Bloom | ExactMode::PaperBloom | ExactMode::None => None,
        };
        let filter = ExactFilter::of(config)?;
        Ok(Self { part, leapt, first: Pos(0), last: Pos(0), texts: 0, filter, trie })
    }

    /// Counts a text that came with the message at `pos`.
    fn count(&mut self, pos: Pos) {
        if self.texts == 0 {
            self.first = pos;
        }
        (self.last, self.texts) = (pos, self.texts + 1);
    }

    /// Remembers that a text belongs to the kept message `of`. The filter has it already.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) if the paper's trie is full.
    pub(super) fn remember(&mut self, digest: Digest, of: Pos, pos: Pos) -> Result<()> {
        self.count(pos);
        match &mut self.trie {
            Some(Trie::Digest(trie)) => trie.insert(digest, of.0),
            #[cfg(feature = "lab")]
            Some(Trie::Paper(trie)) => trie.insert(short(digest), of.0)?,
            None => {}
        }
        Ok(())
    }

    /// Remembers a text of an earlier message again. It can be looked up after [`restored`](Self::restored).
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    pub(super) fn restore(&mut self, digest: Digest, of: Pos, pos: Pos) -> Result<()> {
        if let Some(filter) = &mut self.filter {
            filter.insert(digest);
        }
        let Some(Trie::Digest(trie)) = &mut self.trie else { return self.remember(digest, of, pos) };
        trie.load(digest, of.0);
        self.count(pos);
        Ok(())
    }

    /// Ends the restoring of texts.
    pub(super) fn restored(&mut self) {
        if let Some(Trie::Digest(trie)) = &mut self.trie {
            trie.loaded();
        }
    }

    /// Heap bytes of the trie; 0 without one.
    pub(super) fn trie_bytes(&self) -> usize {
        self.trie.as_ref().map_or(0, Trie::bytes)
    }

    pub(super) fn holds(&self, digest: Digest) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.holds(digest))
    }

    /// The probability that the paper's filter or trie takes a new text for a repeat.
    pub(super) fn error(&self, hash: TrieHash) -> f64 {
        let trie = self.trie.as_ref().map_or(0.0, |trie| trie.error(hash));
        1.0 - (1.0 - trie) * (1.0 - self.filter.as_ref().map_or(0.0, ExactFilter::error))
    }

    pub(super) fn get(&self, digest: Digest) -> Seen {
        self.trie.as_ref().filter(|_| self.holds(digest)).map_or(Seen::New, |trie| trie.get(digest))
    }

    /// The same, but a filter without a trie may answer "seen before", too.
    pub(super) fn find(&self, digest: Digest) -> Seen {
        match (&self.trie, &self.filter) {
            (None, Some(filter)) if filter.holds(digest) => Seen::Before { of: None },
            _ => self.get(digest),
        }
    }
}

impl Trie {
    pub(super) fn get(&self, digest: Digest) -> Seen {
        match self {
            Self::Digest(trie) => trie.get(digest).map_or(Seen::New, |of| Seen::Before { of: Some(Pos(of)) }),
            #[cfg(feature = "lab")]
            Self::Paper(trie) => match trie.get(short(digest)) {
                Path::Broken => Seen::New,
                Path::Within => Seen::Before { of: None },
                Path::To(of) => Seen::Before { of: Some(Pos(of)) },
            },
        }
    }

    /// The probability that a new text is taken for a repeat, if the hash is even. 0 for the digest trie.
    #[cfg_attr(not(feature = "lab"), allow(unused_variables, reason = "only the laboratory has the paper's trie"))]
    fn error(&self, hash: TrieHash) -> f64 {
        match self {
            Self::Digest(_) => 0.0,
            #[cfg(feature = "lab")]
            Self::Paper(trie) => error(trie.len(), hash.values()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Digest(trie) => trie.bytes(),
            #[cfg(feature = "lab")]
            Self::Paper(trie) => trie.bytes(),
        }
    }
}

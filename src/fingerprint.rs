//! Fingerprints. The exact stage compares a 128-bit digest. The near stage compares a 64-bit SimHash or a
//! [MinHash signature](minhash).
//!
//! # Which shingles, which weights
//! The default is pairs of characters that count once (`char:2`, `once`). It was chosen on real posts. At distance 4 it drops no
//! post by mistake, and of the shingles that drop none it finds the most posts with one changed character. See
//! `benches/RESULTS.md`, *Shingles and weights*.
//!
//! *Once* is needed for streams. Take posts of "哈哈哈哈哈哈": under `count`, such a shingle outvotes all others, and posts with
//! nothing else in common get one fingerprint. For pairs of characters or words, `once` costs hardly any F1 at equal
//! distance, and it leaves room for a larger distance.
//!
//! *Inverse frequency*, the paper's future work, was tried and left out: at equal precision it gains nothing.
//!
//! Under SimHash alone, two texts with near fingerprints are not compared themselves. The hybrid compares the texts, for as many messages
//! as it keeps texts of. It gives the rule every candidate that the rule could accept, not only those within a Hamming distance.

pub mod minhash;
mod shorten;
mod simhash;
#[cfg(feature = "lab")]
pub(crate) mod textbook;

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::hash::XxHash3_128;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::config::Settings;
#[cfg(feature = "lab")]
use crate::config::TrieHash;
use crate::config::{Config, ExactMode, ExactOn, NearMode, Shingle, Weights};
use crate::error::Result;
use crate::record::Record;
use crate::text::mask::mask;
use crate::text::normalise::is_blank;
use crate::text::{Analyser, Clean, Gist, html};
use minhash::{Orders, Signature};
use shorten::{PIECE, Shortener};
pub use simhash::simhash;

/// Version of everything that decides which texts are alike: the canonical form, bodies, tokens, shingles, hashes and the
/// repeat rule. Raise it with any change of these. A state of another version is refused.
pub const ALGORITHM: u32 = 43;

/// The fingerprints of a message. They depend on no state and can be computed on any thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Printed {
    /// Digest of the text that the exact stage compares; `None` if there is nothing to compare: an empty canonical form, or a
    /// blank text under [`ExactOn::Raw`], or no exact stage.
    pub digest: Option<Digest>,
    /// SimHash of the body, for [`NearMode::SimHash`] and [`NearMode::Hybrid`]. The hybrid XORs a mask of the facts into it.
    /// `None` if the body is empty, so that two messages of nothing but wrapping are not alike.
    pub simhash: Option<u64>,
    /// MinHash signature of the body, for [`NearMode::MinHash`]; `None` if the body is empty.
    pub signature: Option<Signature>,
    /// The form that the repeat rule compares, for [`NearMode::Hybrid`]; `None` if the message is nothing but wrapping.
    pub gist: Option<Box<Gist>>,
    /// The body, for [`State::differences`](crate::State::differences) under [`Config::explain`] and [`NearMode::Hybrid`].
    pub body: Option<Box<str>>,
}

impl Printed {
    /// Whether no stage compares it: it is kept, however often it comes.
    pub(crate) fn is_blank(&self) -> bool {
        let Self { digest, simhash, signature, gist, .. } = self;
        digest.is_none() && simhash.is_none() && signature.is_none() && gist.is_none()
    }
}

/// A hash of the scope of a message: the values of fields that two messages must share to repeat each other. It is XORed into everything
/// that the stages compare, so to them equal texts of two scopes are as unlike as unrelated texts, and no structure exists per scope.
/// Equal texts of two scopes share a digest with probability 2^-127. They share a slot of their signatures with probability 2^-32, and
/// half of the slots would have to agree. Their SimHashes are within 4 bits with probability 2^-44, like those of unrelated texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scope(u128);

impl Scope {
    /// Returns the scope of these values, written as one text. Without values, the scope of all messages.
    pub(crate) fn of(values: Option<&str>) -> Self {
        // One bit is set, so that no scope equals that of all messages.
        Self(values.map_or(0, |values| Digest::keyed(values.as_bytes(), 0).0 | 1))
    }

    /// Puts a digest into this scope.
    pub(crate) fn digest(self, digest: Digest) -> Digest {
        Digest(digest.0 ^ self.0)
    }

    /// Puts the prints of a message into this scope.
    pub(crate) fn prints(self, mut printed: Printed) -> Printed {
        if self == Self::default() {
            return printed;
        }
        printed.digest = printed.digest.map(|digest| self.digest(digest));
        printed.simhash = printed.simhash.map(|simhash| simhash ^ (self.0 >> 64) as u64);
        printed.signature.iter_mut().flatten().for_each(|slot| *slot ^= (self.0 >> 64) as u32);
        if let Some(gist) = &mut printed.gist {
            gist.scope = self.0 as u64;
        }
        printed
    }
}

/// The second half of the key of a digest. The first half is [`Config::seed`].
const KEY_REST: u64 = u64::from_le_bytes(*b"quchong2");
/// The same for long texts, which are shortened first, and for the words of the shortener's key.
const LONG_REST: u64 = u64::from_le_bytes(*b"quchong3");
const WORD_REST: u64 = u64::from_le_bytes(*b"quchong4");

/// Texts of at most this many bytes are hashed faster without shortening.
const SHORT: usize = 128;

/// A seed that nobody can predict, for [`Config::seed`].
pub(crate) fn random_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// Makes the configuration from these options. Without a `seed` option the seed is [random](random_seed), so that nobody can construct
/// texts with the digest of another text. If the seed could change verdicts, or what a memory limit has to forget, it is 0.
///
/// # Errors
/// Those of [`Settings::config`].
pub(crate) fn seeded(options: &Settings) -> Result<Config> {
    let config = options.config()?;
    let decides = config.exact.errs() || config.max_memory.is_some();
    let seed = match options.get("seed") {
        Some("random") => random_seed(),
        None if !decides => random_seed(),
        _ => config.seed,
    };
    Ok(Config { seed, ..config })
}

/// A 128-bit digest of a text. Among 10^9 different texts, some two share a digest with probability 10^-21.
///
/// ```
/// use quchong::fingerprint::Digest;
/// assert_eq!(Digest::of("你好".as_bytes(), 7), Digest::of("你好".as_bytes(), 7));
/// assert_ne!(Digest::of("你好".as_bytes(), 7), Digest::of("您好".as_bytes(), 7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u128);

impl Digest {
    /// XXH3 of `bytes` under `seed`. It is fast and well mixed, but an attacker can construct two texts with one digest.
    pub fn of(bytes: &[u8], seed: u64) -> Self {
        Self(XxHash3_128::oneshot_with_seed(seed, bytes))
    }

    /// SipHash-1-3 of `bytes` (Aumasson & Bernstein, *SipHash: a fast short-input PRF*, 2012). Without the `key`, nobody can
    /// find two texts with one digest by more than chance.
    pub(crate) fn keyed(bytes: &[u8], key: u64) -> Self {
        Self(SipHasher13::new_with_keys(key, KEY_REST).hash(bytes).as_u128())
    }
}

/// [`Digest::keyed`] for texts. Long texts are [shortened](shorten) first under the same key, which makes it no easier to find two texts
/// with one digest.
pub(crate) struct TextHash {
    key: u64,
    shortener: Shortener,
}

impl TextHash {
    pub(crate) fn new(key: u64) -> Self {
        let words = SipHasher13::new_with_keys(key, WORD_REST);
        Self { key, shortener: Shortener::new(|i| words.hash(&i.to_le_bytes()).as_u128() as u64) }
    }

    pub(crate) fn digest(&self, text: &[u8]) -> Digest {
        if text.len() <= SHORT {
            return Digest::keyed(text, self.key);
        }
        let (mut hasher, length) = (SipHasher13::new_with_keys(self.key, LONG_REST), (text.len() as u64).to_le_bytes());
        if text.len() <= PIECE {
            let mut short = [0; 40];
            short[..32].copy_from_slice(&self.shortener.shorten(text));
            short[32..].copy_from_slice(&length);
            return Digest(hasher.hash(&short).as_u128());
        }
        text.chunks(PIECE).for_each(|piece| hasher.write(&self.shortener.shorten(piece)));
        hasher.write(&length);
        Digest(hasher.finish128().as_u128())
    }
}

/// Makes the fingerprint for the engine of the near stage.
enum NearPrinter {
    Hybrid,
    SimHash,
    MinHash(Orders),
    None,
}

/// The hash of the exact stage.
pub(crate) enum ExactHash {
    /// 128 bits under a key.
    Keyed(Box<TextHash>),
    /// The marks of the paper's filter.
    #[cfg(feature = "lab")]
    Marks,
    /// The hash that the paper's trie squares.
    #[cfg(feature = "lab")]
    Csharp(fn(&str) -> u32),
}

impl ExactHash {
    /// The hash for a configuration.
    #[cfg(feature = "lab")]
    pub(crate) fn of(config: &Config) -> Self {
        use textbook::{csharp_x64, csharp_x86};
        match (config.exact, config.trie_hash) {
            (ExactMode::PaperBloom, _) => Self::Marks,
            (ExactMode::PaperTrie, TrieHash::CsharpX86) => Self::Csharp(|text| csharp_x86(text).unsigned_abs()),
            (ExactMode::PaperTrie, TrieHash::CsharpX64) => Self::Csharp(|text| csharp_x64(text).unsigned_abs()),
            (ExactMode::PaperTrie, TrieHash::CsharpX86Unsigned) => Self::Csharp(|text| csharp_x86(text) as u32),
            (ExactMode::PaperTrie, TrieHash::CsharpX64Unsigned) => Self::Csharp(|text| csharp_x64(text) as u32),
            _ => Self::Keyed(Box::new(TextHash::new(config.seed))),
        }
    }

    /// The hash for a configuration.
    #[cfg(not(feature = "lab"))]
    pub(crate) fn of(config: &Config) -> Self {
        Self::Keyed(Box::new(TextHash::new(config.seed)))
    }

    fn digest(&self, text: &str) -> Digest {
        match self {
            Self::Keyed(hash) => hash.digest(text.as_bytes()),
            #[cfg(feature = "lab")]
            Self::Marks => textbook::marks(text.as_bytes()),
            #[cfg(feature = "lab")]
            Self::Csharp(hash) => Digest(hash(text).into()),
        }
    }
}

/// Makes fingerprints: an [`Analyser`] makes the forms of a text, then this hashes them.
///
/// ```
/// use quchong::{Config, fingerprint::Printer, text::Clean};
///
/// let (printer, mut clean) = (Printer::new(&Config::default()), Clean::default());
/// let [a, b] = ["今天武汉的樱花开了!", "今天武漢的櫻花開了！"].map(|text| printer.print_text(text, &mut clean));
/// assert_eq!(a.digest, b.digest);
/// assert_eq!(a.simhash, b.simhash);
/// ```
pub struct Printer {
    analyser: Analyser,
    near: NearPrinter,
    html: bool,
    exact: Option<ExactOn>,
    hash: ExactHash,
    /// Seed of the digests under which fingerprints are cached. Each kind of features has its own.
    recent_seed: u64,
    explain: bool,
}

impl Printer {
    /// A printer for these settings. Loads jieba's dictionary if word shingles are asked for.
    pub fn new(config: &Config) -> Self {
        Self {
            analyser: Analyser::new(config),
            near: match config.near {
                NearMode::Hybrid => NearPrinter::Hybrid,
                NearMode::SimHash => NearPrinter::SimHash,
                NearMode::MinHash => NearPrinter::MinHash(Orders::new(config.permutations)),
                NearMode::None => NearPrinter::None,
            },
            html: config.html,
            exact: (config.exact != ExactMode::None).then_some(config.exact_on),
            hash: ExactHash::of(config),
            recent_seed: match (config.shingle, config.weights == Weights::Once) {
                (Shingle::Words(length), once) => (length as u64) << 2 | u64::from(once),
                (Shingle::Chars(length), once) => (length as u64) << 2 | 2 | u64::from(once),
            },
            explain: config.explain && config.near == NearMode::Hybrid,
        }
    }

    /// The shingles of a body, see [`Analyser::shingles`].
    pub fn shingles(&self, body: &str) -> Vec<String> {
        self.analyser.shingles(body)
    }

    /// As [`print_text`](Self::print_text), for the text of a record.
    pub fn print(&self, record: &Record<'_>, clean: &mut Clean) -> Printed {
        self.print_text(&record.text, clean)
    }

    /// Makes the fingerprints of `text`. Afterwards `clean` holds the forms of the text. It also holds the features, unless the SimHash
    /// came from the cache of recent bodies. The cache pays: a quarter of the bodies of a feed, mostly reposts, are among the last
    /// thousands.
    pub fn print_text(&self, text: &str, clean: &mut Clean) -> Printed {
        let plain = self.plain(text);
        self.analyser.forms(&plain, clean);
        let digest = self.digest_plain(&plain, clean, &self.hash);
        let body = self.explain.then(|| clean.body.text.as_str().into());
        let mut printed = Printed { digest, simhash: None, signature: None, gist: None, body };
        match &self.near {
            NearPrinter::Hybrid => {
                let gist = clean.gist();
                let mask = mask(&gist.body.list);
                printed.gist = (!gist.is_empty()).then(|| Box::new(gist));
                // A message without a gist repeats no message within the window, and must not repeat one beyond it.
                let simhash = self.simhash(clean).filter(|_| printed.gist.is_some());
                printed.simhash = simhash.map(|simhash| simhash ^ mask);
            }
            NearPrinter::SimHash => printed.simhash = self.simhash(clean),
            NearPrinter::MinHash(orders) => {
                self.analyser.features(clean);
                printed.signature = orders.sign(&clean.features);
            }
            NearPrinter::None => {}
        }
        printed
    }

    /// The text without its markup.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.html { html::plain(text) } else { Cow::Borrowed(text) }
    }

    /// Hashes `text`, whose forms are in `clean`, with `hash`.
    pub(crate) fn digest(&self, text: &str, clean: &Clean, hash: &ExactHash) -> Option<Digest> {
        self.digest_plain(&self.plain(text), clean, hash)
    }

    /// As [`digest`](Self::digest), for a text without markup. A text without visible characters is no message: blank lines do not repeat
    /// each other.
    fn digest_plain(&self, text: &str, clean: &Clean, hash: &ExactHash) -> Option<Digest> {
        match self.exact? {
            ExactOn::Canonical => (!clean.canonical.is_empty()).then(|| hash.digest(&clean.canonical)),
            ExactOn::Raw => (!is_blank(text)).then(|| hash.digest(text)),
        }
    }

    /// The SimHash of the body in `clean`.
    fn simhash(&self, clean: &mut Clean) -> Option<u64> {
        let body = Digest::of(clean.body.text.as_bytes(), self.recent_seed).0;
        if let Some(known) = clean.recent.get(body) {
            return Some(known);
        }
        self.analyser.features(clean);
        let simhash = simhash(&clean.features)?;
        clean.recent.put(body, simhash);
        Some(simhash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembering_changes_nothing() {
        let texts =
            ["今天武汉的樱花开了", "转发微博 //@小王: 今天武汉的樱花开了", "", "哈哈哈哈", "今天武汉的樱花开了"];
        let mut shared = Clean::default();
        for near in [NearMode::SimHash, NearMode::Hybrid] {
            for shingle in [Shingle::Words(2), Shingle::Chars(2), Shingle::Chars(3)] {
                for weights in [Weights::Count, Weights::Once] {
                    let printer = Printer::new(&Config { near, shingle, weights, ..Config::default() });
                    for text in texts {
                        let fresh = printer.print_text(text, &mut Clean::default());
                        assert_eq!(
                            printer.print_text(text, &mut shared),
                            fresh,
                            "{text} {near:?} {shingle:?} {weights:?}"
                        );
                    }
                }
            }
        }
    }
    #[test]
    fn every_byte_and_the_length_are_in_a_digest() {
        let (hash, other) = (TextHash::new(7), TextHash::new(8));
        for length in [0, 1, 127, 128, 129, 144, 145, 1023, 1024, 1025, 3000] {
            let text: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            let digest = hash.digest(&text);
            assert_eq!(digest, TextHash::new(7).digest(&text));
            let mut others = vec![other.digest(&text), hash.digest(&[&text[..], &[0]].concat())];
            for at in (0..length).step_by(1 + length / 300) {
                let mut changed = text.clone();
                changed[at] ^= 1 << (at % 8);
                others.push(hash.digest(&changed));
            }
            assert!(!others.contains(&digest), "{length} bytes");
        }
    }
}

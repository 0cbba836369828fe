//! Fingerprints: the 128-bit digest that the exact stage compares, and what the near stage compares: the 64-bit SimHash, or the
//! [MinHash signature](minhash).
//!
//! # Which shingles, which weights
//! Measured on real posts (`../shared/data`), k the Hamming distance. F1 on the 418 decided pairs of `weibo-dev-pairs.jsonl`
//! and precision on the 328 of `mixed-dev-pairs.jsonl`, each the mean over 16 hash functions, because one alone is up to
//! 0.03 off; the share of posts found again after one character was changed, at 21–40 / 41–80 / 81–140 characters (1000
//! each); near repeats dropped from the 300 000 posts of `weibo-dev.jsonl`, and among them those that share less than 30 % of
//! their bigrams with what they are said to repeat, false drops all. Weights: `count` as often as a shingle occurs, `once`.
//!
//! | shingle | weights | F1 k = 4 / 6 / 8 / 10 | P mixed k = 4 / 8 | edits found k = 4 | k = 8 | dropped, false k = 4 |
//! |---|---|---|---|---|---|---|
//! | `word:1` | count | 0.66 / 0.73 / 0.81 / 0.86 | 0.68 / 0.60 | 15 / 42 / 64 % | 61 / 87 / 96 % | 57 953, 1633 |
//! | `word:1` | once | 0.66 / 0.71 / 0.79 / 0.84 | 0.81 / 0.70 | 10 / 26 / 53 % | 55 / 79 / 92 % | 56 012, 104 |
//! | `word:2` (the paper's) | count | 0.64 / 0.68 / 0.75 / 0.80 | 0.87 / 0.72 | 3 / 12 / 32 % | 23 / 58 / 87 % | 54 457, 324 |
//! | `word:2` | once | 0.63 / 0.68 / 0.74 / 0.80 | 0.88 / 0.75 | 2 / 9 / 27 % | 22 / 56 / 82 % | 53 904, 2 |
//! | `char:1` | once | 0.68 / 0.74 / 0.81 / 0.86 | 0.58 / 0.57 | 37 / 64 / 81 % | 91 / 98 / 99 % | 57 190, 213 |
//! | `char:2` | count | 0.65 / 0.72 / 0.79 / 0.84 | 0.66 / 0.63 | 15 / 41 / 71 % | 68 / 91 / 98 % | 56 094, 699 |
//! | **`char:2`** | **once** | 0.64 / 0.71 / 0.77 / 0.83 | 0.78 / 0.69 | 13 / 33 / 62 % | 66 / 89 / 97 % | 54 813, **0** |
//! | `char:3` | count | 0.64 / 0.69 / 0.75 / 0.81 | 0.71 / 0.65 | 6 / 21 / 46 % | 44 / 76 / 93 % | 54 910, 531 |
//! | `char:3` | once | 0.64 / 0.70 / 0.75 / 0.81 | 0.85 / 0.72 | 5 / 20 / 43 % | 42 / 74 / 92 % | 54 295, 0 |
//!
//! *Once* is what a stream needs: shingles said over and over ("哈哈哈哈哈哈") outvote all others, so that under `count` posts
//! with nothing else in common are one post. For pairs of characters or words it costs at most 0.02 of F1 at equal k, and it
//! leaves room for a larger k: `char:2`, once, drops 57 655 at k = 6 with 5 false ones, 61 012 at k = 8 with 84, 65 517 at
//! k = 10 with 1203.
//!
//! *Inverse frequency*, the paper's future work, was tried and left out. The logarithm of total over frequency, in sixteenths
//! of a bit, from jieba's dictionary (the sum or the least over a shingle's words or characters), moves F1 on posts by −0.02
//! to +0.02 (`char:2` k = 4 / 6 / 8: sum +0.014 / +0.017 / 0.000, least +0.011 / +0.009 / −0.003), costs up to 0.2 of precision
//! on the mixed pairs, and makes 1.4 (`char:3`) to 14 times (`word:1`) as many random pairs of posts near at k = 4. From the
//! counts of the stream's first 100 000 posts it finds fewer edits: `char:2`, k = 8, 21–40 characters, 41 % instead of 69 %. At
//! equal precision nothing is won.
//!
//! The tables' finds are not compared text by text. The hybrid does that, for as many messages as it keeps texts of: it puts all that the
//! rule could accept before the rule, not only what lies within a Hamming distance.

pub mod minhash;
mod mix;
#[cfg(feature = "lab")]
pub(crate) mod textbook;

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};

use siphasher::sip128::{Hasher128, SipHasher13};
use twox_hash::XxHash3_128;

use crate::config::Settings;
#[cfg(feature = "lab")]
use crate::config::TrieHash;
use crate::config::{Config, ExactMode, ExactOn, NearMode, Shingle, Weights};
use crate::error::Result;
use crate::record::Record;
use crate::text::normalise::is_blank;
use crate::text::{Analyser, Clean, Gist, facts, html};
use minhash::{Orders, Signature};
pub(crate) use mix::finish;

/// Version of everything that decides which texts are alike: the canonical form, bodies, tokens, shingles, hashes and the
/// repeat rule. To be raised with any change of it; state of another version is refused.
pub const ALGORITHM: u32 = 5;

/// What the stages need to know of a message. Computed without any state, on any thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Printed {
    /// Digest of the text as the exact stage sees it; `None` if there is nothing to compare (an empty canonical form).
    pub digest: Option<Digest>,
    /// SimHash of the body, for [`NearMode::SimHash`] and, set apart by facts, [`NearMode::Hybrid`]; `None` if
    /// the body is empty, so that two messages of nothing but wrapping are not alike.
    pub simhash: Option<u64>,
    /// MinHash signature of the body, for [`NearMode::MinHash`]; `None` if the body is empty.
    pub signature: Option<Signature>,
    /// What the repeat rule compares, for [`NearMode::Hybrid`]; `None` if the message is nothing but wrapping.
    pub gist: Option<Gist>,
    /// The body, for [`State::differences`](crate::State::differences) under [`Config::explain`] and [`NearMode::Hybrid`].
    pub body: Option<Box<str>>,
}

/// The values within which messages repeat each other, as what the stages compare takes them up: equal texts of two scopes are to them as
/// unlike as unrelated ones, and nothing is kept for each scope. Of two scopes, equal texts have one digest by chance once in 2^128; their
/// signatures share a slot once in 2^32 (and need half of them); their fingerprints, as those of unrelated texts, are within 4 bits once in
/// 2^44.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scope(u128);

impl Scope {
    /// The scope of these values, written as one; without values, that of all messages.
    pub(crate) fn of(values: Option<&str>) -> Self {
        // One bit is set, so that no scope is taken for that of all.
        Self(values.map_or(0, |values| Digest::keyed(values.as_bytes(), 0).0 | 1))
    }

    /// A digest of a message in this scope.
    pub(crate) fn digest(self, digest: Digest) -> Digest {
        Digest(digest.0 ^ self.0)
    }

    /// The prints of a message in this scope.
    pub(crate) fn prints(self, mut printed: Printed) -> Printed {
        printed.digest = printed.digest.map(|digest| self.digest(digest));
        printed.simhash = printed.simhash.map(|simhash| simhash ^ (self.0 >> 64) as u64);
        printed.signature.iter_mut().flatten().for_each(|slot| *slot ^= (self.0 >> 64) as u32);
        if let Some(gist) = &mut printed.gist {
            gist.scope = self.0 as u64;
        }
        printed
    }
}

/// The second half of the keys of digests; the first is a [`Config::seed`].
const KEY_REST: u64 = u64::from_le_bytes(*b"quchong2");

/// A seed that nobody can foresee, for [`Config::seed`].
pub(crate) fn random_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// The configuration of these options. A seed that they do not name is [random](random_seed), so that nobody can make texts that
/// are taken for another, but 0 where it could decide what is dropped.
///
/// # Errors
/// Those of [`Settings::config`].
pub(crate) fn seeded(options: &Settings) -> Result<Config> {
    let config = options.config()?;
    let decides = config.exact.errs();
    let seed = match options.get("seed") {
        Some("random") => random_seed(),
        None if !decides => random_seed(),
        _ => config.seed,
    };
    Ok(Config { seed, ..config })
}

/// 128 bits that stand for a text. Among 10^9 different texts two are expected to share one with probability 10^-21.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u128);

impl Digest {
    /// XXH3 of `bytes` under `seed`: well mixed, quick, and no match for somebody who looks for two texts with one digest.
    pub fn of(bytes: &[u8], seed: u64) -> Self {
        Self(XxHash3_128::oneshot_with_seed(seed, bytes))
    }

    /// SipHash-1-3 of `bytes` (Aumasson & Bernstein, *SipHash: a fast short-input PRF*, 2012): nobody who does not know the
    /// `key` can find two texts with one digest by anything better than chance.
    pub(crate) fn keyed(bytes: &[u8], key: u64) -> Self {
        let mut hasher = SipHasher13::new_with_keys(key, KEY_REST);
        hasher.write(bytes);
        Self(hasher.finish128().as_u128())
    }
}

/// What the engine of the near stage compares.
enum NearPrinter {
    Hybrid,
    SimHash,
    MinHash(Orders),
    None,
}

/// What the exact stage knows a text by.
pub(crate) enum ExactHash {
    /// 128 bits under a key.
    Keyed(u64),
    /// The marks of the paper's filter.
    #[cfg(feature = "lab")]
    Marks,
    /// The hash that the paper's trie squares.
    #[cfg(feature = "lab")]
    Csharp(fn(&str) -> u32),
}

impl ExactHash {
    /// That of a configuration.
    #[cfg(feature = "lab")]
    pub(crate) fn of(config: &Config) -> Self {
        use textbook::{csharp_x64, csharp_x86};
        match (config.exact, config.trie_hash) {
            (ExactMode::PaperBloom, _) => Self::Marks,
            (ExactMode::PaperTrie, TrieHash::CsharpX86) => Self::Csharp(|text| csharp_x86(text).unsigned_abs()),
            (ExactMode::PaperTrie, TrieHash::CsharpX64) => Self::Csharp(|text| csharp_x64(text).unsigned_abs()),
            (ExactMode::PaperTrie, TrieHash::CsharpX86Unsigned) => Self::Csharp(|text| csharp_x86(text) as u32),
            (ExactMode::PaperTrie, TrieHash::CsharpX64Unsigned) => Self::Csharp(|text| csharp_x64(text) as u32),
            _ => Self::Keyed(config.seed),
        }
    }

    /// That of a configuration.
    #[cfg(not(feature = "lab"))]
    pub(crate) fn of(config: &Config) -> Self {
        Self::Keyed(config.seed)
    }

    fn digest(&self, text: &str) -> Digest {
        match self {
            Self::Keyed(seed) => Digest::keyed(text.as_bytes(), *seed),
            #[cfg(feature = "lab")]
            Self::Marks => textbook::marks(text.as_bytes()),
            #[cfg(feature = "lab")]
            Self::Csharp(hash) => Digest(hash(text).into()),
        }
    }
}

/// Prints messages: [`Analyser`], then the hashes.
pub struct Printer {
    analyser: Analyser,
    near: NearPrinter,
    html: bool,
    exact: Option<ExactOn>,
    hash: ExactHash,
    /// Of the digests by which fingerprints are remembered: another for each kind of features.
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

    /// See [`Analyser::shingles`].
    pub fn shingles(&self, body: &str) -> Vec<String> {
        self.analyser.shingles(body)
    }

    /// As [`print_text`](Self::print_text), of a record's text.
    pub fn print(&self, record: &Record<'_>, clean: &mut Clean) -> Printed {
        self.print_text(&record.text, clean)
    }

    /// The fingerprints of `text`; `clean` holds its forms afterwards, and its features unless its SimHash was remembered from an
    /// equal body: a quarter of the bodies of a feed are among the last thousands, reposts most of them.
    pub fn print_text(&self, text: &str, clean: &mut Clean) -> Printed {
        self.analyser.forms(&self.plain(text), clean);
        let digest = self.digest(text, clean, &self.hash);
        let body = self.explain.then(|| clean.body.text.as_str().into());
        let mut printed = Printed { digest, simhash: None, signature: None, gist: None, body };
        match &self.near {
            NearPrinter::Hybrid => {
                let gist = clean.gist();
                let mask = facts::mask(&gist.body.list);
                printed.gist = Some(gist).filter(|gist| !gist.is_empty());
                // What has no gist is nobody's repeat beyond the window either.
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

    /// The text without its markup, if it has some.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.html { html::plain(text) } else { Cow::Borrowed(text) }
    }

    /// The digest by this hash of `text`, whose forms are in `clean`. Nothing visible is no message: blank lines are not repeats of each
    /// other.
    pub(crate) fn digest(&self, text: &str, clean: &Clean, hash: &ExactHash) -> Option<Digest> {
        match self.exact? {
            ExactOn::Canonical => (!clean.canonical.is_empty()).then(|| hash.digest(&clean.canonical)),
            ExactOn::Raw => {
                let text = self.plain(text);
                (!is_blank(&text)).then(|| hash.digest(&text))
            }
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

/// 64-bit SimHash of hashed features, each of weight 1 (Gao & Li 2014): bit i is 1 if and only if more features have bit i
/// than have it not. `None` for no features.
///
/// Counts 64 bits at once: plane p holds bit p of each of 64 counters. Eight features at a time go through carry-save adders
/// into planes 0 to 2, and only what is carried out of these ripples through the higher planes.
///
/// ```
/// use quchong::fingerprint::simhash;
/// assert_eq!(simhash(&[0b0011, 0b0101, 0b1001]), Some(0b0001));
/// assert_eq!(simhash(&[0b01, 0b10]), Some(0)); // a tie is no majority
/// assert_eq!(simhash(&[]), None);
/// ```
pub fn simhash(features: &[u64]) -> Option<u64> {
    if features.is_empty() {
        return None;
    }
    let mut planes = [0u64; usize::BITS as usize];
    let (eights, rest) = features.as_chunks::<8>();
    for [a, b, c, d, e, f, g, h] in eights {
        let (ones, twos_a) = add(planes[0], *a, *b);
        let (ones, twos_b) = add(ones, *c, *d);
        let (twos, fours_a) = add(planes[1], twos_a, twos_b);
        let (ones, twos_a) = add(ones, *e, *f);
        let (ones, twos_b) = add(ones, *g, *h);
        let (twos, fours_b) = add(twos, twos_a, twos_b);
        let (fours, carry) = add(planes[2], fours_a, fours_b);
        [planes[0], planes[1], planes[2]] = [ones, twos, fours];
        ripple(&mut planes[3..], carry);
    }
    rest.iter().for_each(|feature| ripple(&mut planes, *feature));
    // Which of the 64 counters exceed half the features: compared from the highest plane down.
    let half = features.len() / 2;
    // No counter exceeds the number of features.
    let used = (usize::BITS - features.len().leading_zeros()) as usize;
    let (mut above, mut equal) = (0u64, u64::MAX);
    for (plane, bits) in planes[..used].iter().enumerate().rev() {
        let half_bit = if half >> plane & 1 == 1 { u64::MAX } else { 0 };
        above |= equal & bits & !half_bit;
        equal &= !(bits ^ half_bit);
    }
    Some(above)
}

/// Sum and carry of 64 counters' three bits.
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let odd = a ^ b;
    (odd ^ c, a & b | odd & c)
}

/// Adds a bit to each of 64 counters of which `planes` are the bits.
fn ripple(planes: &mut [u64], mut carry: u64) {
    for plane in planes {
        if carry == 0 {
            break;
        }
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The paper's words, bit by bit.
    fn slow_simhash(features: &[u64]) -> Option<u64> {
        let mut v = [0i64; 64];
        for feature in features {
            for (i, v) in v.iter_mut().enumerate() {
                *v += if feature >> i & 1 == 1 { 1 } else { -1 };
            }
        }
        (!features.is_empty()).then(|| (0..64).filter(|&i| v[i] > 0).fold(0, |bits, i| bits | 1 << i))
    }

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

    proptest! {
        #[test]
        fn the_sliced_counters_count(features in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4, Just(u64::MAX)], 0..300)) {
            prop_assert_eq!(simhash(&features), slow_simhash(&features));
        }
    }
}

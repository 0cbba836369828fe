//! Every tunable, its default, and the paper or measurement that the default comes from.

mod given;
mod names;
mod paper;
mod policy;
mod rules;
pub mod settings;
pub(crate) mod units;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
pub use given::Settings;
pub(crate) use given::no_format;
pub use paper::{BloomRule, TrieHash};
pub use policy::{Guard, Policy, Remarks, Templates};
pub use rules::{Rule, Rules};

/// What a [`Deduplicator`](crate::Deduplicator) does. [`Config::default`] is what `quchong dedup` does without options.
///
/// ```
/// use quchong::Config;
/// use quchong::config::{NearMode, Preset, Span};
///
/// let day = Span::Time { length: 24 * 3_600_000, lateness: 60_000 };
/// let config = Config { window: Some(day), max_distance: 3, ..Config::of(NearMode::SimHash) };
/// config.validate()?;
/// assert!(Config { max_distance: 99, ..config }.validate().is_err());
/// assert_eq!(Preset::Weibo.config(), Config::default());
/// # Ok::<(), quchong::Error>(())
/// ```
// A state of an earlier version lacks what is new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Whether [HTML](crate::text::html) is taken out of a text before any stage sees it. Default false.
    pub html: bool,
    /// Which wrapping is taken off a text before the near stage sees it. Default: all of it.
    pub rules: Rules,
    /// The exact stage. Default [`ExactMode::Verified`].
    pub exact: ExactMode,
    /// What "equal" means to the exact stage. Default [`ExactOn::Canonical`].
    pub exact_on: ExactOn,
    /// Size of the Bloom filter that [`ExactMode::Bloom`] and [`ExactMode::Verified`] use.
    pub bloom: BloomSize,
    /// When [`ExactMode::PaperBloom`] calls a message a repeat. Default [`BloomRule::Any`], as the paper says.
    pub bloom_rule: BloomRule,
    /// The hash whose square is a path in [`ExactMode::PaperTrie`]. Default [`TrieHash::CsharpX86`].
    pub trie_hash: TrieHash,
    /// Bloom filters asked one after another, each with another seed, 1..=[`MAX_ROUNDS`] (1 or 2 under
    /// [`ExactMode::PaperBloom`]): a message is a repeat only if all
    /// say so (Gao & Li 2014, "filter cyclically"). Default 1: for the same bits, more are no more accurate and slower, see
    /// [`exact::bloom`](crate::exact::bloom).
    pub bloom_rounds: u32,
    /// Distinct messages expected, 1..=2^32. Sizes the Bloom filter; exceeding it costs speed, and under [`ExactMode::Bloom`]
    /// messages. Default 10 million.
    pub capacity: u64,
    /// Features of the fingerprint. Default `char:2`, the paper's is `word:2`; [`fingerprint`](crate::fingerprint) has the
    /// table.
    pub shingle: Shingle,
    /// How often a feature counts that a text has several times. Default [`Weights::Once`], the paper's is
    /// [`Weights::Count`].
    pub weights: Weights,
    /// The near stage. Default [`NearMode::Hybrid`].
    pub near: NearMode,
    /// Largest Hamming distance of two near duplicates' fingerprints, 0..=[`MAX_DISTANCE`]. Default 4: the paper's "< 5".
    pub max_distance: u32,
    /// Least similarity of two near duplicates in thousandths, 1..=1000: under [`NearMode::Hybrid`] the rule's, default 620 (see
    /// [`near::verify`](crate::near::verify)); under [`NearMode::MinHash`] the features' Jaccard similarity, default 500 (see
    /// [`near::minhash`](crate::near::minhash)). Both by F1 on labelled pairs.
    pub similarity: u32,
    /// Whether a message whose facts differ is no repeat, under [`NearMode::Hybrid`]. Default [`Guard::Facts`].
    pub guard: Guard,
    /// What a remark of one's own is, on a message that is passed on, under [`NearMode::Hybrid`]. Default [`Remarks::Fold`].
    pub remarks: Remarks,
    /// What one template with another filling is, under [`NearMode::Hybrid`]. Default [`Templates::Keep`].
    pub templates: Templates,
    /// Positions back to which [`NearMode::Hybrid`] decides by the rule, 1..=[`MAX_WINDOW`]. Default 200 000.
    pub verify_window: u64,
    /// Slots of a MinHash signature, 16..=[`MAX_PERMUTATIONS`]. Default 128, as in datasketch: 256 and 512 have no
    /// better F1 on the labelled pairs, 64 have 0.02 less.
    pub permutations: usize,
    /// Seed of the hashes of the exact stage. Default 0, which everybody knows: where texts come from those who would have others
    /// dropped, take a random one. The output is the same for any seed under
    /// [`ExactMode::Verified`] and [`ExactMode::Trie`], but for one time in 2^128 for two texts; the filter alone and the paper's
    /// trie drop other texts by mistake under another seed.
    pub seed: u64,
    /// How far back a message can repeat another. Default: as far as the input goes; what is remembered then grows with it.
    pub window: Option<Span>,
    /// Bytes that the process may have resident: 30 MB are set aside for the program, 35 MB for jieba's dictionary, and what is remembered is
    /// measured, not estimated. At least what the options need before the first message. Default: no limit.
    pub max_memory: Option<u64>,
    /// What happens when that is not enough. Default [`OnFull::ExpireOldest`].
    pub on_full: OnFull,
    /// Whether the ids of kept messages are remembered, so that a verdict can name the message that is repeated: up to 16
    /// bytes and the id's length for each kept message. Default true.
    pub remember_ids: bool,
    /// Whether the bodies of the kept messages of the window are remembered, so that [`State::differences`](crate::State::differences) can
    /// tell what differs: the body's bytes and about 40 for each. Only under [`NearMode::Hybrid`]. Default false.
    pub explain: bool,
    /// Names of the fields, with commas, within whose values messages repeat each other: `author`. Only a [run](crate::run) reads fields.
    /// Default: none, so that any message can repeat any other.
    pub scope: String,
    /// How many messages of a cluster go on, 1 to 2^32: the kept one, and the first that repeat it. More than one counts repeats, as
    /// [`recount`](Self::recount) does. Default 1.
    pub keep: u64,
    /// Whether repeats are counted, so that a run can tell how often each kept message has been
    /// repeated: about 60 bytes for each that has been and still can be. Only under [`ExactMode::Verified`], [`ExactMode::Trie`] and
    /// [`ExactMode::None`], which know what is repeated. Default false.
    pub recount: bool,
}

/// Of [`Config::max_memory`], what is not for messages: the program and the batches under way. Measured on 100 000 real posts,
/// `--near none --exact none -j4 --dropped F --output annotated`: 16.6 MB; the rest is for gists under way and for what the
/// allocator cannot give back. The README has what whole runs take.
pub(crate) const PROGRAM_BYTES: u64 = 30_000_000;

/// The same for jieba's dictionary, where fingerprints are made of words: 33 MB were measured.
pub(crate) const DICTIONARY_BYTES: u64 = 35_000_000;

/// Largest [`Config::bloom_rounds`].
pub const MAX_ROUNDS: u32 = 16;

/// Largest [`Config::bloom_rounds`] under [`ExactMode::PaperBloom`]: a digest has room for the marks of two.
pub(crate) const PAPER_ROUNDS: u32 = 2;

/// Bits of the filter of [`ExactMode::PaperBloom`] where [`Config::bloom`] states none: the largest of Gao & Li 2014, of which they
/// report an accuracy of 100 % for 500 000 texts, of which 50 000 differ.
pub(crate) const PAPER_BITS: u64 = 20_000_000;

/// Largest [`Config::max_distance`]. At 12 a query among 300 000 takes 150 times as long as at 0, and fingerprints of unrelated
/// short texts come within reach.
pub const MAX_DISTANCE: u32 = 12;

/// Default of [`Config::similarity`] under [`NearMode::Hybrid`]: on the labelled pairs F1 stays within 0.002 (posts) and 0.011
/// (headlines, reposts, SMS) from 580 to 660.
pub const SIMILARITY: u32 = 620;

/// Default of [`Config::similarity`] under [`NearMode::MinHash`].
pub const MINHASH_SIMILARITY: u32 = 500;

/// Largest [`Config::verify_window`]: a quarter of what the length of a list of the overlap engine can count, so that no list
/// outgrows it.
pub const MAX_WINDOW: u64 = 1 << 25;

/// Largest [`Config::permutations`]. The estimate's standard deviation is then 0.016.
pub const MAX_PERMUTATIONS: usize = 1024;

impl Default for Config {
    fn default() -> Self {
        Self {
            html: false,
            rules: Rules::ALL,
            exact: ExactMode::Verified,
            exact_on: ExactOn::Canonical,
            bloom: BloomSize::default(),
            bloom_rule: BloomRule::Any,
            trie_hash: TrieHash::CsharpX86,
            bloom_rounds: 1,
            capacity: 10_000_000,
            shingle: Shingle::Chars(2),
            weights: Weights::Once,
            near: NearMode::Hybrid,
            max_distance: 4,
            similarity: SIMILARITY,
            guard: Guard::Facts,
            remarks: Remarks::Fold,
            templates: Templates::Keep,
            verify_window: 200_000,
            permutations: 128,
            seed: 0,
            window: None,
            max_memory: None,
            on_full: OnFull::ExpireOldest,
            remember_ids: true,
            explain: false,
            recount: false,
            keep: 1,
            scope: String::new(),
        }
    }
}

impl Config {
    /// The defaults with an engine of one's choice.
    pub fn of(near: NearMode) -> Self {
        let similarity = if near == NearMode::MinHash { MINHASH_SIMILARITY } else { SIMILARITY };
        Self { near, similarity, ..Self::default() }
    }

    /// Bytes of [`max_memory`](Self::max_memory) for what is remembered; none if there is no limit.
    pub(crate) fn memory_for_messages(&self) -> Option<u64> {
        let has_words = self.near != NearMode::None && matches!(self.shingle, Shingle::Words(_));
        let program = PROGRAM_BYTES + if has_words { DICTIONARY_BYTES } else { 0 };
        self.max_memory.map(|most| most.saturating_sub(program))
    }

    /// Refuses a scope where texts are handed over, which have no fields.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn refuse_scope(&self) -> Result<()> {
        match self.scope.is_empty() {
            true => Ok(()),
            false => Err(Error::config("--scope", "names fields of records, and texts have none; use `quchong dedup`")),
        }
    }

    /// Refuses values that cannot work, naming the setting.
    ///
    /// # Errors
    /// [`Error::Config`] for the first value out of its range.
    pub fn validate(&self) -> Result<()> {
        for setting in settings::all() {
            if let Some((range, _)) = setting.range.filter(|(_, holds)| !holds(self)) {
                let value = (setting.tell)(self).filter(|value| !value.is_empty());
                let value = value.map_or_else(String::new, |value| format!("{value} is out of range; "));
                return Err(Error::config(setting.name, format!("{value}use {range}")));
            }
        }
        Ok(())
    }
}

/// A length of the stream. An edge between a kept message and a later one counts only within it; [`reach`](crate::reach) has
/// the rules of event time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// Of so many messages, by position, 1..=2^40: the message before is 1 away.
    Messages(u64),
    /// Of event time, in milliseconds.
    Time {
        /// The window's length, 1 ms to [`MAX_TIME`].
        length: u64,
        /// How far messages may come behind the latest one, 0 to [`MAX_TIME`].
        lateness: u64,
    },
}

/// What happens when [`Config::max_memory`] is not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFull {
    /// The oldest kept messages are forgotten, an eighth at a time.
    ExpireOldest,
    /// The run ends with an error; what was judged before is written.
    Stop,
}

/// Longest [`Span::Time`], in milliseconds: a hundred years.
pub const MAX_TIME: u64 = 100 * 366 * 86_400_000;

/// Longest shingle, in words or characters. A shingle as long as the text makes every edit a different fingerprint.
pub const MAX_SHINGLE: usize = 16;

/// A named set of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Gao & Li 2014 to the letter, on texts as they came: their Bloom filter, then SimHash over pairs of words, counted, H < 5. It
    /// drops new messages: see [`exact::paper`](crate::exact).
    Paper,
    /// The paper's SimHash behind the exact stage that loses nothing, wrapping taken off: pairs of words, counted, H < 5.
    Simhash,
    /// Weibo posts and reposts: the defaults.
    Weibo,
    /// Headlines and flashes, without [Weibo's residue](Rules::WEIBO), which elsewhere may be what a message says. The similarity is the
    /// default's: five-fold cross-validation on the labelled headlines chose no other in 100 folds.
    Headline,
    /// SMS and chat, without [Weibo's residue](Rules::WEIBO). The similarity is the default's, too: chosen in 86 of 100 folds on the
    /// labelled SMS.
    Sms,
    /// Archives and legal holds: precision first. [`Guard::Careful`] and [`Remarks::Keep`].
    Careful,
}

impl Preset {
    /// Every preset and its name.
    pub(crate) const NAMED: [(&'static str, Self); 6] = [
        ("paper", Self::Paper),
        ("simhash", Self::Simhash),
        ("weibo", Self::Weibo),
        ("headline", Self::Headline),
        ("sms", Self::Sms),
        ("careful", Self::Careful),
    ];

    /// The options.
    pub fn config(self) -> Config {
        match self {
            Self::Paper => Config {
                rules: Rules::RAW,
                exact: ExactMode::PaperBloom,
                exact_on: ExactOn::Raw,
                bloom: BloomSize::Bits { bits: PAPER_BITS, hashes: None },
                ..Self::Simhash.config()
            },
            Self::Simhash => {
                Config { shingle: Shingle::Words(2), weights: Weights::Count, ..Config::of(NearMode::SimHash) }
            }
            Self::Weibo => Config::default(),
            Self::Headline | Self::Sms => Config { rules: Rules::ALL.minus(Rules::WEIBO), ..Config::default() },
            Self::Careful => Config { guard: Guard::Careful, remarks: Remarks::Keep, ..Config::default() },
        }
    }
}

/// How exact repeats are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactMode {
    /// The Bloom filter answers "surely new", the digest trie settles "perhaps": no unique message is lost.
    Verified,
    /// The Bloom filter alone (Gao & Li 2014): bounded memory, and a stated share of unique messages is lost.
    Bloom,
    /// The digest trie alone.
    Trie,
    /// The trie of Gao & Li 2014 alone, for the reproduction: 32-bit hashes, so that unique messages are lost (129 of 10^6, 12 925 of
    /// 10^7, of a signed hash twice as many), and some 600 bytes a message. See [`exact::paper::trie`](crate::exact::paper::trie).
    PaperTrie,
    /// The Bloom filter of Gao & Li 2014 alone, for the reproduction: BKDR and AP hash, and [their rule](Config::bloom_rule), by which
    /// most unique messages are lost as it fills. See [`exact::paper`](crate::exact::paper).
    PaperBloom,
    /// No exact stage.
    None,
}

impl ExactMode {
    /// Whether a filter decides, without a trie: it names no message, and remembers none.
    pub(crate) fn is_filter_alone(self) -> bool {
        matches!(self, Self::Bloom | Self::PaperBloom)
    }

    /// Whether what it drops by mistake depends on how it fills.
    pub(crate) fn errs(self) -> bool {
        self.is_filter_alone() || self == Self::PaperTrie
    }
}

/// Which form of the text the exact stage compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactOn {
    /// The canonical form: width, case, blanks and script do not count.
    Canonical,
    /// The text as it came, byte for byte.
    Raw,
}

/// Size of the Bloom filter: from the wanted error, or stated outright.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BloomSize {
    /// The smallest filters whose false-positive rate, of all rounds together, at [`Config::capacity`] messages is at most this, in
    /// (0, 1). They keep a text's bits in two cache lines, which takes 1 to 16 % more bits than the standard filter, down to an error of 10^-8.
    /// `None` is [`BLOOM_ERROR`], or [`VERIFIED_BLOOM_ERROR`] where a trie settles what the filter says.
    Error(Option<f64>),
    /// The standard filter, of so many bits (rounded up to whole bytes) and hash functions (1..=64) in each round.
    Bits {
        /// Bits of the filter, 8..=2^40.
        bits: u64,
        /// Hash functions; `None` is the best number for [`Config::capacity`].
        hashes: Option<u32>,
    },
}

/// False-positive rate of the filter when it decides alone: at 10 million messages, ten are lost.
pub const BLOOM_ERROR: f64 = 1e-6;

/// False-positive rate of the filter when a trie settles what it says. A false positive then costs one look-up of the trie,
/// so the filter can be a third of the size and take a third of the time.
pub const VERIFIED_BLOOM_ERROR: f64 = 1e-2;

impl Default for BloomSize {
    fn default() -> Self {
        Self::Error(None)
    }
}

/// What a fingerprint is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shingle {
    /// So many consecutive words of jieba's cut (Gao & Li 2014). Loads jieba's dictionary.
    Words(usize),
    /// So many consecutive characters.
    Chars(usize),
}

/// What a feature weighs in a SimHash fingerprint. [`fingerprint`](crate::fingerprint) says what was measured; MinHash knows
/// sets only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// As often as it occurs (Gao & Li 2014).
    Count,
    /// Once, however often it occurs: what is said over and over does not drown the rest.
    Once,
}

/// How near repeats are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearMode {
    /// The last [`Config::verify_window`] messages by the repeat rule on the texts themselves, all older ones by SimHash
    /// fingerprints and facts.
    Hybrid,
    /// 64-bit SimHash fingerprints within [`Config::max_distance`], found through permuted-band tables.
    SimHash,
    /// MinHash signatures whose estimated Jaccard similarity is at least [`Config::similarity`], found by their bands.
    MinHash,
    /// No near stage.
    None,
}

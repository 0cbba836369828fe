//! All options, their defaults, and the paper or measurement behind each default.

mod choices;
mod given;
mod idle;
mod names;
mod paper;
mod policy;
mod rules;
pub mod settings;
pub(crate) mod units;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::locale::tr;
pub use choices::{
    BLOOM_ERROR, BloomSize, ExactMode, ExactOn, NearMode, OnFull, Shingle, VERIFIED_BLOOM_ERROR, Weights,
};
pub use given::Settings;
pub(crate) use given::no_format;
#[cfg(feature = "cli")]
pub(crate) use given::refuse_idle;
#[cfg(feature = "cli")]
pub(crate) use idle::Offers;
pub use paper::{BloomRule, TrieHash};
pub use policy::{Guard, Policy, Remarks, Templates};
pub use rules::{Rule, Rules};

/// The settings of a [`Deduplicator`](crate::Deduplicator). [`Config::default`] is `quchong dedup` without options.
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
// The state of an earlier version lacks newer fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Whether [HTML](crate::text::html) is removed from a text before any stage sees it. Default false.
    pub html: bool,
    /// Which wrapping is removed from a text before the near stage sees it. Default: all of it.
    pub rules: Rules,
    /// The exact stage. Default [`ExactMode::Verified`].
    pub exact: ExactMode,
    /// Which form of the text the exact stage compares. Default [`ExactOn::Canonical`].
    pub exact_on: ExactOn,
    /// Size of the Bloom filter that [`ExactMode::Bloom`] and [`ExactMode::Verified`] use.
    pub bloom: BloomSize,
    /// When [`ExactMode::PaperBloom`] calls a message a repeat. Default [`BloomRule::Any`], the rule of the paper.
    pub bloom_rule: BloomRule,
    /// The hash whose square is a path in [`ExactMode::PaperTrie`]. Default [`TrieHash::CsharpX86`].
    pub trie_hash: TrieHash,
    /// Number of Bloom filters, 1..=[`MAX_ROUNDS`] (1 or 2 under [`ExactMode::PaperBloom`]). Each has its own seed, and a
    /// message is a repeat only if all filters say so (Gao & Li 2014, "filter cyclically"). Default 1: with the same bits in
    /// total, more filters are slower and no more accurate, see [`exact::bloom`](crate::exact::bloom).
    pub bloom_rounds: u32,
    /// Expected number of distinct messages, 1..=2^32. It sets the size of the Bloom filter. With more messages than that, a
    /// run is slower, and under [`ExactMode::Bloom`] it loses more new messages. Default 10 million.
    pub capacity: u64,
    /// Features of the fingerprint. Default `char:2`; the paper's is `word:2`. See [`fingerprint`](crate::fingerprint) for
    /// the choice.
    pub shingle: Shingle,
    /// How often a feature counts that occurs several times in a text. Default [`Weights::Once`]; the paper's is
    /// [`Weights::Count`].
    pub weights: Weights,
    /// The near stage. Default [`NearMode::Hybrid`].
    pub near: NearMode,
    /// Largest Hamming distance between the fingerprints of near duplicates, 0..=[`MAX_DISTANCE`]. Default 4: the paper's "<
    /// 5".
    pub max_distance: u32,
    /// Least similarity of near duplicates in thousandths, 1..=1000. Under [`NearMode::Hybrid`] it is the repeat rule's
    /// similarity, default 620 (see [`rule`](crate::rule)). Under [`NearMode::MinHash`] it is the Jaccard
    /// similarity of the features, default 500 (see [`near::minhash`](crate::near::minhash)). Both defaults were chosen by F1
    /// on labelled pairs. [`Config::of`] sets the default of a near stage; `Config { near, ..Config::default() }` leaves 620.
    pub similarity: u32,
    /// Whether different facts keep a message, under [`NearMode::Hybrid`]. Default [`Guard::Facts`].
    pub guard: Guard,
    /// Whether a user's own remark on a forwarded message keeps it, under [`NearMode::Hybrid`]. Default [`Remarks::Fold`].
    pub remarks: Remarks,
    /// Whether messages from one template with different fillings are kept, under [`NearMode::Hybrid`]. Default
    /// [`Templates::Keep`].
    pub templates: Templates,
    /// Number of last positions for which [`NearMode::Hybrid`] decides by the repeat rule, 1..=[`MAX_WINDOW`]. Default 200
    /// 000.
    pub verify_window: u64,
    /// Slots of a MinHash signature, 16..=[`MAX_PERMUTATIONS`]. Default 128, as in datasketch: more have no better F1
    /// on the labelled pairs, fewer have less.
    pub permutations: usize,
    /// Seed of the hashes of the exact stage. Default 0, which everybody knows. Use a random seed if those who write the
    /// texts may want to have other messages dropped. Under [`ExactMode::Verified`] and [`ExactMode::Trie`] the output does
    /// not depend on the seed, except with a probability of 2^-128 for two texts. The filter alone and the paper's trie drop
    /// different messages by mistake under different seeds.
    pub seed: u64,
    /// How far back a message can repeat another. Default: the whole input; memory then grows with it.
    pub window: Option<Span>,
    /// Bytes of memory that the process may have resident. Set aside are 30 MB for the program, 6 MB for the repeat rule under
    /// [`NearMode::Hybrid`], and 35 MB for jieba's dictionary under [`Shingle::Words`]. The memory of messages is measured, not
    /// estimated. The limit must be at least the bytes that the options need before the first message. Default: no limit.
    pub max_memory: Option<u64>,
    /// What happens when that memory is full. Default [`OnFull::ExpireOldest`].
    pub on_full: OnFull,
    /// Whether to remember the ids of kept messages, so that a verdict can name the kept message. This takes up to 16 bytes
    /// and the id's length for each kept message. Default true.
    pub remember_ids: bool,
    /// Whether to remember the bodies of the kept messages of the window, so that
    /// [`State::differences`](crate::State::differences) can show what differs. This takes the body's bytes and about 40 more
    /// for each. Only under [`NearMode::Hybrid`]. Default false.
    pub explain: bool,
    /// Names of the fields, with commas, within whose values messages repeat each other: `author`. Only a [run](crate::run)
    /// reads fields. Default: none, so that any message can repeat any other.
    pub scope: String,
    /// How many messages of a cluster are kept, 1 to 2^32: the first message, and the first ones that repeat it. Above 1, repeats are
    /// counted, which takes memory as [`recount`](Self::recount) does. Default 1.
    pub keep: u64,
    /// Whether a repeat renews the kept message that it repeats, so that the kept message leaves the window only after it has not been
    /// repeated for the window's length. Only with a window, and under [`ExactMode::Verified`], [`ExactMode::Trie`] and
    /// [`ExactMode::None`]. It takes the memory of the messages' prints once more. Default false.
    pub refresh: bool,
    /// Whether to count repeats, so that a run can report how often each kept message has been repeated. This takes about 60
    /// bytes for each kept message that has been repeated and still can be. Only under [`ExactMode::Verified`],
    /// [`ExactMode::Trie`] and [`ExactMode::None`], which know the kept message behind each repeat. Default false.
    pub recount: bool,
}

/// The part of [`Config::max_memory`] that is not for messages: the program, the batches in work, and memory that the
/// allocator cannot give back. See `benches/RESULTS.md`, *Memory of the program*.
pub(crate) const PROGRAM_BYTES: u64 = 30_000_000;

/// The same for the word lists of the repeat rule, and for what threads compare texts with. See `benches/RESULTS.md`,
/// *Memory of the program*.
pub(crate) const RULE_BYTES: u64 = 6_000_000;

/// The same for jieba's dictionary, for fingerprints of words. See `benches/RESULTS.md`, *Memory of the program*.
pub(crate) const DICTIONARY_BYTES: u64 = 35_000_000;

/// Largest [`Config::bloom_rounds`].
pub const MAX_ROUNDS: u32 = 16;

/// Largest [`Config::bloom_rounds`] under [`ExactMode::PaperBloom`]: a digest has room for the marks of two rounds.
pub(crate) const PAPER_ROUNDS: u32 = 2;

/// Bits of the filter of [`ExactMode::PaperBloom`] if [`Config::bloom`] sets no size. It is the largest filter of Gao & Li
/// 2014, who report an accuracy of 100 % with it for 500 000 texts, of which 50 000 differ.
pub(crate) const PAPER_BITS: u64 = 20_000_000;

/// Largest [`Config::max_distance`]. Beyond it, fingerprints of unrelated short texts come within the distance. Queries are
/// slow already.
pub const MAX_DISTANCE: u32 = 12;

/// Default of [`Config::similarity`] under [`NearMode::Hybrid`]: on the labelled pairs F1 hardly changes
/// with values around it.
pub const SIMILARITY: u32 = 620;

/// Default of [`Config::similarity`] under [`NearMode::MinHash`].
pub const MINHASH_SIMILARITY: u32 = 500;

/// Largest [`Config::verify_window`]: a quarter of the longest list that the overlap engine can count, so that no list
/// overflows.
pub const MAX_WINDOW: u64 = 1 << 25;

/// Largest [`Config::permutations`]. The standard deviation of the estimate is then 0.016.
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
            refresh: false,
            recount: false,
            keep: 1,
            scope: String::new(),
        }
    }
}

impl Config {
    /// The defaults with this engine.
    pub fn of(near: NearMode) -> Self {
        let similarity = if near == NearMode::MinHash { MINHASH_SIMILARITY } else { SIMILARITY };
        Self { near, similarity, ..Self::default() }
    }

    /// The part of [`max_memory`](Self::max_memory) that is for messages, in bytes; `None` if there is no limit.
    pub(crate) fn memory_for_messages(&self) -> Option<u64> {
        let has_words = self.near != NearMode::None && matches!(self.shingle, Shingle::Words(_));
        let lists = if self.near == NearMode::Hybrid { RULE_BYTES } else { 0 };
        let dictionary = if has_words { DICTIONARY_BYTES } else { 0 };
        self.max_memory.map(|most| most.saturating_sub(PROGRAM_BYTES + lists + dictionary))
    }

    /// Refuses a scope, because the caller has only texts, which have no fields.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn refuse_scope(&self) -> Result<()> {
        match self.scope.is_empty() {
            true => Ok(()),
            false => {
                Err(Error::config("--scope", tr!("names fields of records, and texts have none; use `quchong dedup`")))
            }
        }
    }

    /// Refuses values that cannot work, and names the setting.
    ///
    /// # Errors
    /// [`Error::Config`] for the first value out of its range.
    pub fn validate(&self) -> Result<()> {
        for setting in settings::all() {
            if let Some((range, _)) = setting.range.filter(|(_, holds)| !holds(self)) {
                let value = (setting.value_in)(self).filter(|value| !value.is_empty());
                let reason = match value {
                    Some(value) => tr!("{value} is out of range; use {}", tr!(range), value),
                    None => tr!("use {}", tr!(range)),
                };
                return Err(Error::config(setting.name, reason));
            }
        }
        Ok(())
    }
}

/// The length of a window. A kept message counts for a later one only within it; [`reach`](crate::reach) has the rules for
/// event time.
///
/// ```
/// use quchong::config::Span;
/// use quchong::{Config, Deduplicator, Record};
///
/// // A message counts for the next two messages.
/// let mut dedup = Deduplicator::new(Config { window: Some(Span::Messages(2)), ..Config::default() })?;
/// let kept: Vec<bool> = ["早上好", "今天下雨了", "早上好", "带伞了吗", "今天下雨了"]
///     .into_iter()
///     .zip(1..)
///     .map(|(text, id)| Ok(dedup.judge(&Record::new(id, text))?.verdict.is_kept()))
///     .collect::<quchong::Result<_>>()?;
/// assert_eq!(kept, [true, true, false, true, true]);
/// # Ok::<(), quchong::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// This many messages, by position, 1..=2^40. The message just before is 1 away.
    Messages(u64),
    /// A length of event time, in milliseconds.
    Time {
        /// The window's length, 1 ms to [`MAX_TIME`].
        length: u64,
        /// How far a message's time may lie before the clock of [`reach`](crate::reach), 0 to [`MAX_TIME`].
        lateness: u64,
    },
}

/// Longest [`Span::Time`], in milliseconds: a hundred years.
pub const MAX_TIME: u64 = 100 * 366 * 86_400_000;

/// Longest shingle, in words or characters. A shingle as long as the text makes every edit a different fingerprint.
pub const MAX_SHINGLE: usize = 16;

/// A named set of options.
///
/// ```
/// use quchong::config::{Guard, Preset};
/// assert_eq!(Preset::Careful.config().guard, Guard::Careful);
/// assert_eq!(Preset::Weibo.config(), quchong::Config::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Gao & Li 2014 to the letter, on raw texts: their Bloom filter, then SimHash over pairs of words, counted, H < 5. It
    /// drops new messages: see [`exact::paper`](crate::exact).
    Paper,
    /// The paper's SimHash on texts without wrapping, after the exact stage that loses nothing: pairs of words, counted, H <
    /// 5.
    Simhash,
    /// Weibo posts and reposts: the defaults.
    Weibo,
    /// Headlines and flashes. [Weibo's residue](Rules::WEIBO) stays, because elsewhere it may be content. The similarity is
    /// the default: five-fold cross-validation on the labelled headlines chose no other in 100 folds.
    Headline,
    /// SMS and chat. [Weibo's residue](Rules::WEIBO) stays, too. The similarity is the default: cross-validation on the
    /// labelled SMS chose it in 86 of 100 folds.
    Sms,
    /// Archives and legal holds, where a dropped new message is worse than a kept repeat: [`Guard::Careful`] and
    /// [`Remarks::Keep`].
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

//! The properties of a word, packed into 64 bits.

/// The value of a word in the map: its frequency, its part of speech, its other properties, and the place of its senses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(pub(super) u64);

/// Part of speech, as finely as the rule needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    /// Not in the dictionary, only in other lists.
    None,
    /// Nouns.
    Noun,
    /// Verbs.
    Verb,
    /// Adjectives and attributes.
    Adjective,
    /// Adverbs, pronouns, prepositions, particles, conjunctions, interjections.
    Function,
    /// Numerals and measure words.
    Count,
    /// Time words.
    Time,
    /// Places.
    Place,
    /// Organisations.
    Organisation,
    /// Other proper names.
    Name,
    /// Phrases and idioms.
    Phrase,
}

impl Tag {
    /// Whether this is a noun or a proper name.
    pub(crate) fn is_noun(self) -> bool {
        matches!(self, Self::Noun | Self::Place | Self::Organisation | Self::Name)
    }
}

/// All tags, in the order of their numbers.
const TAGS: [Tag; 11] = [
    Tag::None,
    Tag::Noun,
    Tag::Verb,
    Tag::Adjective,
    Tag::Function,
    Tag::Count,
    Tag::Time,
    Tag::Place,
    Tag::Organisation,
    Tag::Name,
    Tag::Phrase,
];

/// The kind of group that a sense belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A class whose members exclude each other.
    Class,
    /// A pair of opposites.
    Opposite,
    /// Words that may stand for each other.
    Synonym,
    /// Characters that sound alike.
    Sound,
    /// Characters that begin alike and sound nearly alike.
    Near,
    /// Characters that look alike.
    Look,
}

impl Kind {
    /// Whether the group relates the meanings of words, not the shapes and sounds of characters.
    pub(crate) fn is_of_words(self) -> bool {
        matches!(self, Self::Class | Self::Opposite | Self::Synonym)
    }
}

/// A word as a member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sense {
    /// The kind of the group.
    pub(crate) kind: Kind,
    /// The number of the group.
    pub(crate) group: u16,
    /// The number of the member. Words with the same number mean the same.
    pub(crate) member: u16,
}

const TAG: u32 = 5;
const FLAGS: u32 = 9;
const SENSES: u32 = 26;

/// May be added or left out without a change of meaning.
pub(crate) const FILLER: u64 = 1 << FLAGS;
/// Negates what follows.
pub(crate) const NEGATION: u64 = 1 << (FLAGS + 1);
/// Changes a title: 副 前 代.
pub(crate) const RANK: u64 = 1 << (FLAGS + 2);
/// Refutes a claim.
pub(crate) const REFUTATION: u64 = 1 << (FLAGS + 3);
/// Contains a character of negation, but negates nothing.
pub(crate) const IDIOM: u64 = 1 << (FLAGS + 4);
/// A surname.
pub(crate) const SURNAME: u64 = 1 << (FLAGS + 5);
/// Comes before a name.
pub(crate) const CUE_BEFORE: u64 = 1 << (FLAGS + 6);
/// Comes after a name.
pub(crate) const CUE_AFTER: u64 = 1 << (FLAGS + 7);
/// At the beginning of a text, says that the text corrects an earlier one: 更正.
pub(crate) const ERRATUM: u64 = 1 << (FLAGS + 8);
/// A class member or opposite of one character that counts by itself, as longer words do.
pub(crate) const CHARACTER: u64 = 1 << (FLAGS + 9);

/// Part of the advert or source at the end of a text: 点击, 记者.
pub(crate) const TAIL: u64 = 1 << (FLAGS + 10);
/// In a remark, says that the post it passes on is wrong or over: 已找到.
pub(crate) const CORRECTION: u64 = 1 << (FLAGS + 11);
/// Says how much, how surely or of which kind: 部分, 可能, 零下, Pro.
pub(crate) const QUALIFIER: u64 = 1 << (FLAGS + 12);
/// Civility, or part of an advert or a source.
pub(crate) const CIVIL: u64 = 1 << (FLAGS + 13);
/// May come with civility: 我们, 工作.
pub(crate) const BESIDE: u64 = 1 << (FLAGS + 14);
/// A character of given names: 红, 刚.
pub(crate) const GIVEN: u64 = 1 << (FLAGS + 15);
/// In an added clause, or before a repost, tells more about the event: 无人受伤, 恢复.
pub(crate) const TOLD: u64 = 1 << (FLAGS + 16);

impl Entry {
    /// Packs these properties. `senses` is the place of the senses, counted in numbers of two bytes.
    pub(super) fn new(log_frequency: u32, tag: Tag, flags: u64, senses: Option<usize>) -> Self {
        let log = u64::from(log_frequency.min(31));
        Self(log | (tag as u64) << TAG | flags | senses.map_or(0, |at| (at as u64 + 1) << SENSES))
    }

    /// Returns the binary logarithm of the word's frequency in the dictionary's corpus.
    pub(crate) fn log_frequency(self) -> u32 {
        (self.0 & 31) as u32
    }

    /// Returns the part of speech.
    pub(crate) fn tag(self) -> Tag {
        TAGS.get((self.0 >> TAG & 15) as usize).copied().unwrap_or(Tag::None)
    }

    /// Whether the word has at least one of these flags.
    pub(crate) fn is(self, flags: u64) -> bool {
        self.0 & flags != 0
    }

    /// Whether the word has no properties but these flags: it is a phrase of a list, and no word of the language.
    pub(crate) fn is_only(self, flags: u64) -> bool {
        let all = (1 << SENSES) - (1 << FLAGS);
        self.tag() == Tag::None && !self.has_senses() && self.0 & all & !flags == 0
    }

    /// Returns the place of the senses.
    pub(super) fn senses(self) -> Option<usize> {
        ((self.0 >> SENSES) as usize).checked_sub(1)
    }

    /// Whether the word belongs to a class, a pair of opposites, or synonyms, or the character to a group of sounds or looks.
    pub(crate) fn has_senses(self) -> bool {
        self.0 >> SENSES != 0
    }
}

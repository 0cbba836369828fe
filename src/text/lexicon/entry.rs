//! What is known of a word, in 64 bits.

/// A word's value in the map: how frequent it is, its part of speech, what else it is, and where its senses stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(pub(super) u64);

/// Part of speech, as far as the rule cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    /// Not in the dictionary: of the lists only.
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
    /// Whether it is a noun or a proper name.
    pub(crate) fn is_noun(self) -> bool {
        matches!(self, Self::Noun | Self::Place | Self::Organisation | Self::Name)
    }
}

/// All tags, by their number.
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

/// What a sense is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A class of which one member excludes the others.
    Class,
    /// A pair of opposites.
    Opposite,
    /// Words that may stand for each other.
    Synonym,
    /// Characters that sound alike.
    Sound,
    /// Characters that begin and sound nearly alike.
    Near,
    /// Characters that look alike.
    Look,
}

impl Kind {
    /// Whether it is of words, not of single characters' shapes and sounds.
    pub(crate) fn is_of_words(self) -> bool {
        matches!(self, Self::Class | Self::Opposite | Self::Synonym)
    }
}

/// A word as a member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sense {
    /// What the group is.
    pub(crate) kind: Kind,
    /// Number of the group.
    pub(crate) group: u16,
    /// Number of the member: words with one number are the same.
    pub(crate) member: u16,
}

const TAG: u32 = 5;
const FLAGS: u32 = 9;
const SENSES: u32 = 26;

/// Put in or left out without a change of what is said.
pub(crate) const FILLER: u64 = 1 << FLAGS;
/// Negates what follows.
pub(crate) const NEGATION: u64 = 1 << (FLAGS + 1);
/// Changes a title: 副 前 代.
pub(crate) const RANK: u64 = 1 << (FLAGS + 2);
/// Refutes a claim.
pub(crate) const REFUTATION: u64 = 1 << (FLAGS + 3);
/// Has a character of negation, and negates nothing.
pub(crate) const IDIOM: u64 = 1 << (FLAGS + 4);
/// A surname.
pub(crate) const SURNAME: u64 = 1 << (FLAGS + 5);
/// A name follows.
pub(crate) const CUE_BEFORE: u64 = 1 << (FLAGS + 6);
/// A name stands before.
pub(crate) const CUE_AFTER: u64 = 1 << (FLAGS + 7);
/// Says at the beginning of a text that it corrects an earlier one: 更正.
pub(crate) const ERRATUM: u64 = 1 << (FLAGS + 8);
/// Stands alone between others as a class or opposite of one character.
pub(crate) const CHARACTER: u64 = 1 << (FLAGS + 9);

/// Part of an advert's or a source's tail: 点击, 记者.
pub(crate) const TAIL: u64 = 1 << (FLAGS + 10);
/// Says in a remark that what is passed on is wrong, or over: 已找到.
pub(crate) const CORRECTION: u64 = 1 << (FLAGS + 11);
/// Says how much, how surely or of which kind: 部分, 可能, 零下, Pro.
pub(crate) const QUALIFIER: u64 = 1 << (FLAGS + 12);
/// Civility, an advert, a source.
pub(crate) const CIVIL: u64 = 1 << (FLAGS + 13);
/// Stands beside civility: 我们, 工作.
pub(crate) const BESIDE: u64 = 1 << (FLAGS + 14);
/// A character of given names: 红, 刚.
pub(crate) const GIVEN: u64 = 1 << (FLAGS + 15);
/// Tells more of what happened, in a clause that is added: 无人受伤, 恢复.
pub(crate) const TOLD: u64 = 1 << (FLAGS + 16);

impl Entry {
    /// The value of these parts; `senses` is the place of its senses, in numbers of two bytes.
    pub(super) fn new(frequency: u64, tag: Tag, flags: u64, senses: Option<usize>) -> Self {
        let log = u64::from((frequency + 1).ilog2().min(31));
        Self(log | (tag as u64) << TAG | flags | senses.map_or(0, |at| (at as u64 + 1) << SENSES))
    }

    /// Logarithm to base 2 of how often the word is in the dictionary's corpus.
    pub(crate) fn log_frequency(self) -> u32 {
        (self.0 & 31) as u32
    }

    /// Part of speech.
    pub(crate) fn tag(self) -> Tag {
        TAGS.get((self.0 >> TAG & 15) as usize).copied().unwrap_or(Tag::None)
    }

    /// Whether it has one of these flags.
    pub(crate) fn is(self, flags: u64) -> bool {
        self.0 & flags != 0
    }

    /// Whether it is nothing but what these flags say: a phrase of a list, and no word of the language.
    pub(crate) fn is_only(self, flags: u64) -> bool {
        let all = (1 << SENSES) - (1 << FLAGS);
        self.tag() == Tag::None && !self.has_senses() && self.0 & all & !flags == 0
    }

    /// Where its senses stand.
    pub(super) fn senses(self) -> Option<usize> {
        ((self.0 >> SENSES) as usize).checked_sub(1)
    }

    /// Whether it is a member of a class, a pair of opposites, or synonyms (of a character: or sounds).
    pub(crate) fn has_senses(self) -> bool {
        self.0 >> SENSES != 0
    }
}

//! Equal wordings: words that are always read as another word. 今日 is 今天, 中国人民银行 is 央行.
//!
//! The groups are the lines of the section `[everywhere]` of `data/lexicon/synonyms.txt`. Each word is read as the first word of
//! its group. The other synonyms of that list keep their spelling, and are looked up if two texts differ.

use std::sync::LazyLock;

use super::Tokens;
use crate::hash::HashMap;
use crate::text::beginnings::Beginnings;
use crate::text::clock::PARTS;
use crate::text::common_chars::CharSet;
use crate::text::lists::section;
use crate::text::numerals::may_begin;

/// The list of synonyms.
pub(crate) static SYNONYMS: &str = include_str!("../../../data/lexicon/synonyms.txt");

/// The words with another reading, and that reading.
pub(super) struct Wordings {
    beginnings: Beginnings,
    /// The characters that neither a word nor a number begins with.
    no_beginning: Box<CharSet>,
    /// The words by their first two characters, longer words first.
    words: HashMap<(char, char), Vec<(&'static str, Tokens)>>,
}

static WORDINGS: LazyLock<Wordings> = LazyLock::new(|| Wordings::of(SYNONYMS));

/// The characters that a number in words begins with.
const NUMERALS: &str = "零一二两三四五六七八九十百";

/// Whether the character is an ideograph of the usual block that no number begins with, as nearly all are.
#[inline(always)]
pub(super) fn is_plain(code: u16) -> bool {
    (0x4e00..=0x9fff).contains(&code) && !may_begin(code.into()) && code != '日' as u16
}

/// The words that are compiled into the program.
pub(super) fn wordings() -> &'static Wordings {
    &WORDINGS
}

impl Wordings {
    fn of(list: &'static str) -> Self {
        let mut all = Self {
            beginnings: Beginnings::default(),
            no_beginning: Box::new(CharSet::of("")),
            words: HashMap::default(),
        };
        let mut roots = HashMap::<&str, &str>::default();
        for line in section(list, "everywhere") {
            let Some(first) = line.split_whitespace().next() else { continue };
            let root = *roots.entry(first).or_insert(first);
            line.split_whitespace().for_each(|word| {
                roots.entry(word).or_insert(root);
            });
        }
        // The first word of a group is read as itself, because it may contain another word: 火车站 contains 车站.
        for (word, root) in roots.into_iter().filter(|(word, root)| word != root || word.chars().nth(1).is_some()) {
            let mut tokens = Tokens::default();
            tokens.read_plain(root);
            let (first, second) = pair(word);
            all.beginnings.add(first.into(), second.into());
            all.words.entry((first, second)).or_default().push((word, tokens));
        }
        all.words
            .values_mut()
            .for_each(|words| words.sort_unstable_by_key(|(word, _)| (usize::MAX - word.len(), *word)));
        for part in PARTS {
            let (first, second) = pair(part);
            all.beginnings.add(first.into(), second.into());
        }
        // 负5度 is a number, so 负 and a digit begin one.
        let digits = ('0'..='9').chain(NUMERALS.chars());
        digits.for_each(|digit| all.beginnings.add('负'.into(), digit.into()));
        for code in (0x4e00..=0x9fff).filter(|code| is_plain(*code) && !all.beginnings.has_first((*code).into())) {
            all.no_beginning.insert(code.into());
        }
        all
    }

    /// Whether the character of this code begins neither a word nor a number.
    #[inline(always)]
    pub(super) fn begins_nothing(&self, code: u16) -> bool {
        self.no_beginning.has(code.into())
    }

    /// Whether a word or a number may begin with the character of this code before the text `rest`.
    #[inline(always)]
    pub(super) fn may_begin(&self, code: u16, rest: &[u8]) -> bool {
        if !self.beginnings.has_first(code.into()) {
            return false;
        }
        let next = match rest {
            [lead @ 0xe3..=0xe9, second, third, ..] => {
                u32::from(lead & 0xf) << 12 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f)
            }
            [lead @ 0..0x80, ..] => u32::from(*lead),
            _ => 0,
        };
        self.beginnings.has(code.into(), next)
    }

    /// Finds the longest word that `rest` begins with. Returns its bytes, and what it is read as.
    pub(super) fn at(&self, rest: &str) -> Option<(usize, &Tokens)> {
        let (first, second) = pair(rest);
        if !self.beginnings.has_first(first.into()) {
            return None;
        }
        let whole = |word: &str| {
            !word.ends_with(|c: char| c.is_ascii_alphanumeric())
                || !rest[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let found = |pair: (char, char)| {
            let words = self.beginnings.has_pair(pair.0.into(), pair.1.into()).then(|| self.words.get(&pair))??;
            words.iter().find(|(word, _)| rest.starts_with(word) && whole(word))
        };
        let (word, tokens) = found((first, second)).or_else(|| found((first, '\0')))?;
        Some((word.len(), tokens))
    }
}

fn pair(word: &str) -> (char, char) {
    let mut characters = word.chars();
    (characters.next().unwrap_or('\0'), characters.next().unwrap_or('\0'))
}

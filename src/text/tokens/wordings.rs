//! Equal wordings: words that are read as another one wherever they stand. 今日 is 今天, 中国人民银行 is 央行.
//!
//! The groups are those of the section `[everywhere]` of `data/lexicon/synonyms.txt`: each word is read as the first of its group.
//! The other synonyms of that list stay as they are spelled, and are known where two texts differ.

use std::sync::LazyLock;

use super::Tokens;
use crate::hash::HashMap;
use crate::text::numerals::PARTS;

/// The list of synonyms.
pub(crate) static SYNONYMS: &str = include_str!("../../../data/lexicon/synonyms.txt");

/// The words, and what they are read as.
pub(super) struct Wordings {
    /// Which characters begin a word, a bit each.
    first: Box<[u64; 1 << 10]>,
    /// Which two characters begin a word, by their hash; of a word of one character, it and a zero.
    pairs: Box<[u64; 1 << 10]>,
    /// The words by their first two characters, the longer ones first.
    words: HashMap<(char, char), Vec<(&'static str, Tokens)>>,
}

static WORDINGS: LazyLock<Wordings> = LazyLock::new(|| Wordings::of(SYNONYMS));

/// The words that the program carries.
pub(super) fn wordings() -> &'static Wordings {
    &WORDINGS
}

impl Wordings {
    fn of(list: &'static str) -> Self {
        let bits = || vec![0; 1 << 10].try_into().unwrap_or_else(|_| unreachable!());
        let mut all = Self { first: bits(), pairs: bits(), words: HashMap::default() };
        let mut roots = HashMap::<&str, &str>::default();
        let lines = list.lines().map(|line| line.split('#').next().unwrap_or_default());
        for line in lines.skip_while(|line| line.trim() != "[everywhere]").skip(1) {
            let Some(first) = line.split_whitespace().next() else { continue };
            let root = *roots.entry(first).or_insert(first);
            line.split_whitespace().for_each(|word| {
                roots.entry(word).or_insert(root);
            });
        }
        // The first of a group stands for itself: 火车站 has no 车站 in it.
        for (word, root) in roots.into_iter().filter(|(word, root)| word != root || word.chars().nth(1).is_some()) {
            let mut tokens = Tokens::default();
            tokens.read_plain(root);
            let (first, second) = pair(word);
            all.mark(first, second);
            all.words.entry((first, second)).or_default().push((word, tokens));
        }
        all.words
            .values_mut()
            .for_each(|words| words.sort_unstable_by_key(|(word, _)| (usize::MAX - word.len(), *word)));
        for part in PARTS {
            let (first, second) = pair(part);
            all.mark(first, second);
        }
        all
    }

    fn mark(&mut self, first: char, second: char) {
        let (at, pair) = (first as usize & 0xffff, hash(first as u32, second as u32));
        self.first[at >> 6] |= 1 << (at & 63);
        self.pairs[pair >> 6] |= 1 << (pair & 63);
    }

    /// Whether a word may begin with the character of this code, before the text `rest`.
    #[inline(always)]
    pub(super) fn may_begin(&self, code: u16, rest: &[u8]) -> bool {
        let at = usize::from(code);
        if self.first[at >> 6] >> (at & 63) & 1 == 0 {
            return false;
        }
        let next = match rest {
            [lead @ 0xe3..=0xe9, second, third, ..] => {
                u32::from(lead & 0xf) << 12 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f)
            }
            [lead @ 0..0x80, ..] => u32::from(*lead),
            _ => 0,
        };
        let has = |pair: usize| self.pairs[pair >> 6] >> (pair & 63) & 1 == 1;
        has(hash(code.into(), next)) || has(hash(code.into(), 0))
    }

    /// The longest word that `rest` begins with: its bytes, and what it is read as.
    pub(super) fn at(&self, rest: &str) -> Option<(usize, &Tokens)> {
        let (first, second) = pair(rest);
        if self.first[(first as usize & 0xffff) >> 6] >> (first as usize & 63) & 1 == 0 {
            return None;
        }
        let whole = |word: &str| {
            !word.ends_with(|c: char| c.is_ascii_alphanumeric())
                || !rest[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let found = |pair| {
            self.words.get(&pair).and_then(|words| words.iter().find(|(word, _)| rest.starts_with(word) && whole(word)))
        };
        let (word, tokens) = found((first, second)).or_else(|| found((first, '\0')))?;
        Some((word.len(), tokens))
    }
}

fn pair(word: &str) -> (char, char) {
    let mut characters = word.chars();
    (characters.next().unwrap_or('\0'), characters.next().unwrap_or('\0'))
}

fn hash(first: u32, second: u32) -> usize {
    (first.wrapping_mul(0x9e37_79b1) ^ second.wrapping_mul(0x85eb_ca6b)) as usize >> 7 & 0xffff
}

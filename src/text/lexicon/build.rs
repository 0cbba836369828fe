//! Makes the lexicon's file from the lists in `data/lexicon/`. `examples/lexicon.rs` runs it.

mod list;
mod opposites;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use fst::MapBuilder;

use super::entry::{self, Entry, Tag};
use super::{GOODS, HEAD, Key, LONGEST_WORD, MAGIC};
use crate::text::normalise::canonical;
use crate::text::tokens::{Token, Tokens};
pub use list::ListError;
use list::{Flaw, List, class};
use opposites::contrasts;

type Result<T> = std::result::Result<T, ListError>;

/// Returns the bytes of the lexicon's file, made from the lists in a folder.
///
/// # Errors
/// Fails if a list cannot be read, or if a line has no meaning in it: an unknown section, or a word that is too long.
pub fn build(folder: &Path) -> Result<Vec<u8>> {
    Lists::read(folder)?.build()
}

/// The lists that the lexicon is made from.
struct Lists {
    classes: List,
    /// Each line has two words that exclude each other, `|`, and a sentence to test them.
    opposites: List,
    synonyms: List,
    negation: List,
    filler: List,
    lookalikes: List,
    names: List,
    /// The dictionary.
    words: List,
    /// Each line has a syllable and the characters that are read so.
    sounds: List,
}

/// The sections of `negation.txt`, and the flags of their words.
const NEGATION: &[(&str, u64)] = &[
    ("prefix", entry::NEGATION),
    ("rank", entry::RANK),
    ("refute", entry::REFUTATION),
    ("correct", entry::CORRECTION),
    ("erratum", entry::ERRATUM),
    ("told", entry::TOLD),
    ("qualify", entry::QUALIFIER),
    ("idiom", entry::IDIOM),
];

/// The sections of `filler.txt`, and the flags of their words.
const FILLER: &[(&str, u64)] = &[
    ("particle", entry::FILLER),
    ("degree", entry::FILLER),
    ("politeness", entry::FILLER | entry::CIVIL),
    ("applause", entry::FILLER),
    ("source", entry::FILLER | entry::TAIL | entry::CIVIL),
    ("advert", entry::FILLER | entry::TAIL | entry::CIVIL),
    ("tail", entry::TAIL),
    ("heartfelt", entry::FILLER),
    ("civil", entry::CIVIL),
    ("beside", entry::BESIDE),
];

/// The sections of `names.txt`, and the flags of their words.
const NAMES: &[(&str, u64)] = &[
    ("surname", entry::SURNAME),
    ("given", entry::GIVEN),
    ("cue_before", entry::CUE_BEFORE),
    ("cue_after", entry::CUE_AFTER),
    ("title", entry::CUE_AFTER),
];

/// The parts of speech that the sections of `words.txt` name.
const TAGS: &[(&str, Tag)] = &[
    ("noun", Tag::Noun),
    ("verb", Tag::Verb),
    ("adjective", Tag::Adjective),
    ("function", Tag::Function),
    ("count", Tag::Count),
    ("time", Tag::Time),
    ("place", Tag::Place),
    ("organisation", Tag::Organisation),
    ("name", Tag::Name),
    ("phrase", Tag::Phrase),
];

/// Two characters that are both at least this frequent (log2) are often slips for each other, so they make no contrast: 里 / 上. Real
/// contrasts of such characters are listed: 上 / 下.
const COMMON: u32 = 14;

/// Two words that exclude each other.
type Pair<'l> = [&'l str; 2];

#[derive(Default)]
struct Word {
    log_frequency: u32,
    tag: Option<Tag>,
    flags: u64,
    senses: Vec<(u16, u16)>,
}

#[derive(Default)]
struct Words {
    known: BTreeMap<Vec<u8>, Word>,
    groups: u16,
}

/// Looks up a name.
fn named<T: Copy>(known: &[(&str, T)], name: &str) -> Option<T> {
    known.iter().find(|(of, _)| *of == name).map(|(_, what)| *what)
}

fn tokens(word: &str) -> Vec<Token> {
    let mut tokens = Tokens::default();
    tokens.read(&canonical(word));
    tokens.list
}

impl Lists {
    /// Reads the lists in a folder.
    fn read(folder: &Path) -> Result<Self> {
        let list = |name| List::read(folder, name);
        Ok(Self {
            classes: list("classes")?,
            opposites: list("opposites")?,
            synonyms: list("synonyms")?,
            negation: list("negation")?,
            filler: list("filler")?,
            lookalikes: list("lookalikes")?,
            names: list("names")?,
            words: list("words")?,
            sounds: list("sounds")?,
        })
    }

    /// The bytes of the lexicon's file.
    fn build(&self) -> Result<Vec<u8>> {
        self.check()?;
        let (opposites, [sounds, near]) = (opposites(&self.opposites)?, sounds(&self.sounds)?);
        let (mut words, mut ends) = (Words::default(), Vec::new());
        words.dictionary(&self.words)?;
        let synonyms = Synonyms::of(&self.synonyms);
        let names = words.classes(&self.classes, &synonyms)?;
        ends.push(words.groups);
        words.opposites(&opposites, &synonyms);
        let mut contrasts = contrasts(self, &opposites, &[&sounds[..], &near].concat());
        let mut is_common =
            |c: char| words.word(c.encode_utf8(&mut [0; 4])).is_some_and(|word| word.log_frequency >= COMMON);
        contrasts.retain(|(x, y)| !is_common(*x) || !is_common(*y));
        for (x, y) in contrasts {
            let group = words.group();
            words.sense(x.encode_utf8(&mut [0; 4]), group, 0, 0);
            words.sense(y.encode_utf8(&mut [0; 4]), group, 1, 0);
        }
        ends.push(words.groups);
        for line in self.synonyms.lines() {
            let group = words.group();
            line.words().for_each(|word| words.sense(word, group, 0, 0));
        }
        ends.push(words.groups);
        for groups in [sounds, near] {
            groups.into_iter().for_each(|characters| words.characters(characters));
            ends.push(words.groups);
        }
        self.lookalikes.lines().for_each(|line| words.characters(line.text));
        words.flag(&self.negation, NEGATION)?;
        words.flag(&self.filler, FILLER)?;
        words.flag(&self.names, NAMES)?;
        words.write(&names.join("\n"), &ends)
    }

    /// Refuses headings without an end, and words that are too long to be searched for.
    fn check(&self) -> Result<()> {
        let of_words =
            [&self.classes, &self.opposites, &self.synonyms, &self.negation, &self.filler, &self.names, &self.words];
        for list in of_words {
            for line in list.lines() {
                // The part after `|` is a sentence.
                for word in line.text.split('|').next().unwrap_or_default().split_whitespace() {
                    let length = tokens(word).len();
                    if length > LONGEST_WORD {
                        return Err(list.wrong(line, Flaw::Long(word.to_owned(), length)));
                    }
                }
            }
        }
        for list in of_words.into_iter().chain([&self.lookalikes, &self.sounds]) {
            if let Some(line) = list.lines().find(|line| line.text.starts_with('[')) {
                return Err(list.wrong(line, Flaw::Heading));
            }
        }
        Ok(())
    }
}

/// Returns the two words of a text of exactly two words.
fn two(text: &str) -> Option<[&str; 2]> {
    text.split_whitespace().collect::<Vec<_>>().try_into().ok()
}

/// Reads the pairs of the list of opposites.
fn opposites(list: &List) -> Result<Vec<Pair<'_>>> {
    let mut pairs = Vec::new();
    for line in list.lines() {
        let words = line.text.split_once('|').and_then(|(words, _)| two(words));
        pairs.push(words.ok_or_else(|| list.wrong(line, Flaw::Opposites))?);
    }
    Ok(pairs)
}

/// Returns groups of characters that sound alike, and groups of characters that sound nearly alike.
fn sounds(list: &List) -> Result<[Vec<&str>; 2]> {
    let mut groups = [Vec::new(), Vec::new()];
    for line in list.lines() {
        let Some([syllable, characters]) = two(line.text) else { return Err(list.wrong(line, Flaw::Sounds)) };
        groups[usize::from(syllable.starts_with('='))].push(characters);
    }
    Ok(groups)
}

impl Words {
    /// Returns the record of a word, which is new if the word is. Returns `None` for a sign alone, which has no token.
    fn word(&mut self, word: &str) -> Option<&mut Word> {
        let list = tokens(word);
        if list.is_empty() {
            return None;
        }
        let key = list.iter().flat_map(|token| Key::of(*token).bytes().to_vec()).collect();
        Some(self.known.entry(key).or_default())
    }

    fn sense(&mut self, word: &str, group: u16, member: u16, flags: u64) {
        if let Some(word) = self.word(word)
            && !word.senses.contains(&(group, member))
        {
            word.senses.push((group, member));
            word.flags |= flags;
        }
    }

    fn group(&mut self) -> u16 {
        self.groups += 1;
        self.groups - 1
    }

    /// Adds a group of characters that may stand for each other.
    fn characters(&mut self, characters: &str) {
        let group = self.group();
        for c in characters.chars().filter(|c| !c.is_whitespace()) {
            self.sense(c.encode_utf8(&mut [0; 4]), group, 0, 0);
        }
    }

    /// Gives the words of each section their flags.
    fn flag(&mut self, list: &List, sections: &[(&'static str, u64)]) -> Result<()> {
        for line in list.lines() {
            let Some(flags) = named(sections, line.section) else {
                let known = sections.iter().map(|(name, _)| *name).collect();
                return Err(list.wrong(line, Flaw::Section(known)));
            };
            for word in line.words() {
                if let Some(word) = self.word(word) {
                    word.flags |= flags;
                }
            }
        }
        Ok(())
    }

    /// Adds the classes, and returns their names by group. A synonym of a member becomes the same member, unless it is also a
    /// synonym of another member.
    fn classes(&mut self, list: &List, synonyms: &Synonyms<'_>) -> Result<Vec<String>> {
        let (mut groups, mut names) = (HashMap::<&str, (u16, u16, bool)>::new(), Vec::new());
        let mut members = BTreeMap::<u16, BTreeMap<&str, u16>>::new();
        for line in list.lines() {
            let Some((section, is_goods)) = class(line.section) else { return Err(list.wrong(line, Flaw::Class)) };
            let (group, member, was_goods) = groups.entry(section).or_insert_with(|| {
                let name = section.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches("_char");
                names.push(name.replace('_', " ") + if is_goods { GOODS } else { "" });
                (self.group(), 0, is_goods)
            });
            if *was_goods != is_goods {
                return Err(list.wrong(line, Flaw::Class));
            }
            *member += 1;
            let (group, member) = (*group, *member);
            let flags = if section.ends_with("_char") { entry::CHARACTER } else { 0 };
            line.words().for_each(|word| self.sense(word, group, member, flags));
            if flags == 0 {
                members.entry(group).or_default().extend(line.words().map(|word| (word, member)));
            }
        }
        for (group, members) in &members {
            for (word, member) in members {
                let is_only =
                    |other: &&str| synonyms.like(other).all(|like| members.get(like).is_none_or(|m| m == member));
                let new = synonyms.like(word).filter(|other| !members.contains_key(other)).filter(is_only);
                new.for_each(|other| self.sense(other, *group, *member, 0));
            }
        }
        Ok(names)
    }

    /// Adds the opposites, and the pairs that their synonyms make: 签署 / 解除 follows from 签订 / 解除.
    fn opposites(&mut self, opposites: &[Pair<'_>], synonyms: &Synonyms<'_>) {
        for [x, y] in opposites {
            let group = self.group();
            self.sense(x, group, 0, 0);
            self.sense(y, group, 1, 0);
            for (member, own, other) in [(0, x, y), (1, y, x)] {
                let is_other = |like: &&str| like != other && !synonyms.like(other).any(|of_other| of_other == *like);
                synonyms.like(own).filter(is_other).for_each(|like| self.sense(like, group, member, 0));
            }
        }
    }

    fn dictionary(&mut self, list: &List) -> Result<()> {
        for line in list.lines() {
            let parts = line.section.split_once(' ');
            let parts = parts.and_then(|(tag, log)| Some((named(TAGS, tag)?, log.parse::<u32>().ok()?)));
            let Some((tag, log)) = parts.filter(|(_, log)| *log < u32::BITS) else {
                return Err(list.wrong(line, Flaw::Frequency));
            };
            for word in line.words() {
                // 張 is read as 张. The more frequent of such spellings counts.
                if let Some(word) = self.word(word).filter(|word| word.tag.is_none() || word.log_frequency < log) {
                    (word.tag, word.log_frequency) = (Some(tag), log);
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of the lexicon's file. `names` are those of the classes, and `ends` has the number after the last group of
    /// each kind.
    fn write(&self, names: &str, ends: &[u16]) -> Result<Vec<u8>> {
        let unwritten = |error| ListError { place: "lexicon.bin".to_owned(), flaw: Flaw::Map(error) };
        let (mut map, mut senses) = (MapBuilder::memory(), Vec::<u16>::new());
        for (key, word) in &self.known {
            let at = (!word.senses.is_empty()).then_some(senses.len());
            if at.is_some() {
                senses.push(word.senses.len() as u16);
                senses.extend(word.senses.iter().flat_map(|(group, member)| [*group, *member]));
            }
            let entry = Entry::new(word.log_frequency, word.tag.unwrap_or(Tag::None), word.flags, at);
            map.insert(key, entry.0).map_err(unwritten)?;
        }
        let map = map.into_inner().map_err(unwritten)?;
        let mut out = MAGIC.to_vec();
        let head = [map.len(), names.len()].into_iter().chain(ends.iter().map(|end| usize::from(*end)));
        out.extend(head.flat_map(|number| (number as u32).to_le_bytes()));
        debug_assert_eq!(out.len(), HEAD);
        out.extend(map);
        out.extend(names.bytes());
        out.extend(senses.iter().flat_map(|number| number.to_le_bytes()));
        Ok(out)
    }
}

/// The synonyms of each word.
struct Synonyms<'a>(HashMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Synonyms<'a> {
    fn of(list: &'a List) -> Self {
        let mut known = HashMap::<&str, BTreeSet<&str>>::new();
        for line in list.lines() {
            for word in line.words() {
                known.entry(word).or_default().extend(line.words().filter(|other| *other != word));
            }
        }
        Self(known)
    }

    /// Returns the words that may stand for this one. Words of one character are left out, because they mean too many things.
    fn like(&self, word: &str) -> impl Iterator<Item = &'a str> + '_ {
        let is_whole = |word: &&str| word.chars().nth(1).is_some();
        let known = self.0.get(word).filter(|_| is_whole(&word));
        known.into_iter().flatten().copied().filter(is_whole)
    }
}

#[cfg(test)]
mod tests;

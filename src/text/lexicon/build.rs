//! Makes the lexicon's file from the lists in `data/lexicon/`. `examples/lexicon.rs` runs it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::{fs, io};

use fst::MapBuilder;

use super::entry::{self, Entry, Tag};
use super::{HAN, HEAD, Key, LONGEST, MAGIC};
use crate::text::normalise::canonical;
use crate::text::tokens::{Token, Tokens};

/// The lists, as the files say them, and the sounds of characters.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    /// `classes.txt`.
    pub(crate) classes: String,
    /// `opposites.txt`.
    pub(crate) opposites: String,
    /// `synonyms.txt`.
    pub(crate) synonyms: String,
    /// `negation.txt`.
    pub(crate) negation: String,
    /// `filler.txt`.
    pub(crate) filler: String,
    /// `lookalikes.txt`.
    pub(crate) lookalikes: String,
    /// `names.txt`.
    pub(crate) names: String,
    /// `words.txt`: the dictionary.
    pub(crate) words: String,
    /// A syllable, and the characters that are read so, a line each.
    pub(crate) sounds: String,
}

/// Reads the lists in a folder.
///
/// # Errors
/// A list that is not there, or cannot be read.
pub fn read(folder: &Path) -> io::Result<Lists> {
    let list = |name: &str| fs::read_to_string(folder.join(name).with_extension("txt"));
    Ok(Lists {
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

/// Lines without comments and blank ones, each with the section that it is in.
pub(crate) fn lines(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut section = "";
    list.lines().filter_map(move |line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = name.trim();
            return None;
        }
        (!line.is_empty()).then_some((section, line))
    })
}

/// The pairs of the list of opposites.
fn opposites(list: &str) -> impl Iterator<Item = [&str; 2]> {
    lines(list).filter_map(|(_, line)| {
        let mut words = line.split('|').next().unwrap_or_default().split_whitespace();
        let pair = [words.next()?, words.next()?];
        words.next().is_none().then_some(pair)
    })
}

fn tokens(word: &str) -> Vec<Token> {
    let mut tokens = Tokens::default();
    tokens.read(&canonical(word));
    tokens.list
}

impl Words {
    fn word(&mut self, word: &str) -> Option<&mut Word> {
        let list = tokens(word);
        if list.is_empty() || list.len() > LONGEST {
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

    fn flag(&mut self, list: &str, flag: impl Fn(&str) -> u64) {
        for (section, line) in lines(list) {
            for word in line.split_whitespace() {
                if let Some(word) = self.word(word) {
                    word.flags |= flag(section);
                }
            }
        }
    }

    /// The classes, and their names by group. What says the same as one member, and as no other, is that member.
    fn classes(&mut self, list: &str, synonyms: &Synonyms<'_>) -> Vec<String> {
        let (mut groups, mut names) = (HashMap::<&str, (u16, u16)>::new(), Vec::new());
        let mut members = BTreeMap::<u16, BTreeMap<&str, u16>>::new();
        for (section, line) in lines(list) {
            if !groups.contains_key(section) {
                let group = self.group();
                groups.insert(section, (group, 0));
                let name = section.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches("_char");
                names.push(name.replace('_', " "));
            }
            let flags = if section.ends_with("_char") { entry::CHARACTER } else { 0 };
            let Some((group, member)) = groups.get_mut(section) else { continue };
            *member += 1;
            let (group, member) = (*group, *member);
            line.split_whitespace().for_each(|word| self.sense(word, group, member, flags));
            if flags == 0 {
                members.entry(group).or_default().extend(line.split_whitespace().map(|word| (word, member)));
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
        names
    }

    /// The opposites, and what says the same as either: 签署 / 解除, as 签订 / 解除.
    fn opposites(&mut self, list: &str, synonyms: &Synonyms<'_>) {
        for [x, y] in opposites(list) {
            let group = self.group();
            self.sense(x, group, 0, 0);
            self.sense(y, group, 1, 0);
            for (member, own, other) in [(0, x, y), (1, y, x)] {
                let is_other = |like: &&str| *like != other && !synonyms.like(other).any(|of_other| of_other == *like);
                synonyms.like(own).filter(is_other).for_each(|like| self.sense(like, group, member, 0));
            }
        }
    }

    fn dictionary(&mut self, list: &str) {
        for (section, line) in lines(list) {
            let mut parts = section.split_whitespace();
            let tag = parts.next().and_then(tag).unwrap_or(Tag::Noun);
            let log: u32 = parts.next().and_then(|log| log.parse().ok()).unwrap_or(0);
            for word in line.split_whitespace() {
                // 張 is read as 张, and rarer.
                if let Some(word) = self.word(word).filter(|word| word.tag.is_none() || word.log_frequency < log) {
                    (word.tag, word.log_frequency) = (Some(tag), log);
                }
            }
        }
    }
}

/// The synonyms of each word.
struct Synonyms<'a>(HashMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Synonyms<'a> {
    fn of(list: &'a str) -> Self {
        let mut known = HashMap::<&str, BTreeSet<&str>>::new();
        for (_, line) in lines(list) {
            for word in line.split_whitespace() {
                known.entry(word).or_default().extend(line.split_whitespace().filter(|other| *other != word));
            }
        }
        Self(known)
    }

    /// Words that may stand for this one. One character alone means too many things.
    fn like(&self, word: &str) -> impl Iterator<Item = &'a str> + '_ {
        let is_whole = |word: &&str| word.chars().nth(1).is_some();
        let known = self.0.get(word).filter(|_| is_whole(&word));
        known.into_iter().flatten().copied().filter(is_whole)
    }
}

/// The tag that a section of `words.txt` names.
fn tag(name: &str) -> Option<Tag> {
    Some(match name {
        "noun" => Tag::Noun,
        "verb" => Tag::Verb,
        "adjective" => Tag::Adjective,
        "function" => Tag::Function,
        "count" => Tag::Count,
        "time" => Tag::Time,
        "place" => Tag::Place,
        "organisation" => Tag::Organisation,
        "name" => Tag::Name,
        "phrase" => Tag::Phrase,
        _ => return None,
    })
}

/// The bytes of the lexicon's file.
///
/// # Errors
/// The crate's; none is known, as words come in order and memory takes every write.
pub fn build(lists: &Lists) -> Result<Vec<u8>, fst::Error> {
    let mut words = Words::default();
    let mut ends = Vec::new();
    words.dictionary(&lists.words);
    let synonyms = Synonyms::of(&lists.synonyms);
    let names = words.classes(&lists.classes, &synonyms);
    ends.push(words.groups);
    words.opposites(&lists.opposites, &synonyms);
    let mut common = |c: char| words.word(c.encode_utf8(&mut [0; 4])).is_some_and(|word| word.log_frequency >= COMMON);
    let mut contrasts = contrasts(lists);
    contrasts.retain(|(x, y)| !common(*x) || !common(*y));
    for (x, y) in contrasts {
        let group = words.group();
        words.sense(x.encode_utf8(&mut [0; 4]), group, 0, 0);
        words.sense(y.encode_utf8(&mut [0; 4]), group, 1, 0);
    }
    ends.push(words.groups);
    for (_, line) in lines(&lists.synonyms) {
        let group = words.group();
        line.split_whitespace().for_each(|word| words.sense(word, group, 0, 0));
    }
    ends.push(words.groups);
    for (_, line) in lines(&lists.sounds).filter(|(_, line)| !line.starts_with('=')) {
        let group = words.group();
        for c in line.split_whitespace().nth(1).unwrap_or_default().chars() {
            words.sense(c.encode_utf8(&mut [0; 4]), group, 0, 0);
        }
    }
    ends.push(words.groups);
    for (_, line) in lines(&lists.sounds).filter(|(_, line)| line.starts_with('=')) {
        let group = words.group();
        for c in line.split_whitespace().nth(1).unwrap_or_default().chars() {
            words.sense(c.encode_utf8(&mut [0; 4]), group, 0, 0);
        }
    }
    ends.push(words.groups);
    for (_, line) in lines(&lists.lookalikes) {
        let group = words.group();
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            words.sense(c.encode_utf8(&mut [0; 4]), group, 0, 0);
        }
    }
    words.flag(&lists.negation, |section| match section {
        "prefix" => entry::NEGATION,
        "rank" => entry::RANK,
        "refute" => entry::REFUTATION,
        "correct" => entry::CORRECTION,
        "erratum" => entry::ERRATUM,
        "told" => entry::TOLD,
        "qualify" => entry::QUALIFIER,
        _ => entry::IDIOM,
    });
    words.flag(&lists.filler, |section| match section {
        "tail" => entry::TAIL,
        "source" | "advert" => entry::FILLER | entry::TAIL | entry::CIVIL,
        "politeness" => entry::FILLER | entry::CIVIL,
        "civil" => entry::CIVIL,
        "beside" => entry::BESIDE,
        _ => entry::FILLER,
    });
    words.flag(&lists.names, |section| match section {
        "surname" => entry::SURNAME,
        "given" => entry::GIVEN,
        "cue_before" => entry::CUE_BEFORE,
        "cue_after" | "title" => entry::CUE_AFTER,
        _ => 0,
    });
    write(&words, &names.join("\n"), &ends)
}

/// Classes with more members hold names, whose characters say nothing of others.
const FEW: usize = 60;
/// Longest word, in characters, whose characters are held against each other.
const WORD: usize = 5;
/// Characters that are both so frequent (log2) are slips for each other as often: 里 / 上. Where they are none, they are listed: 上 / 下.
const COMMON: u32 = 14;
/// Whom one speaks of depends on who speaks: 我 / 你 are no contrast.
const PRONOUNS: &str = "我你他她它您";

/// Pairs of characters in which opposites, or twice members of a class, differ: 初审 / 终审, 停牌 / 复牌. Where one stands for the other in a
/// word that no list has, as in 初试 / 终试, the words are others, too. Characters are none that look or sound alike, or make synonyms.
fn contrasts(lists: &Lists) -> BTreeSet<(char, char)> {
    let mut found: BTreeSet<(char, char)> = opposites(&lists.opposites).filter_map(|[x, y]| contrast(x, y)).collect();
    let mut once = BTreeSet::new();
    let mut classes = BTreeMap::<&str, Vec<&str>>::new();
    for (section, line) in lines(&lists.classes).filter(|(section, _)| !section.ends_with("_char")) {
        classes.entry(section).or_default().push(line);
    }
    for members in classes.values().filter(|members| members.len() <= FEW) {
        for (at, member) in members.iter().enumerate() {
            let words = member.split_whitespace();
            let others = || members[at + 1..].iter().flat_map(|other| other.split_whitespace());
            for pair in words.flat_map(|word| others().filter_map(move |other| contrast(word, other))) {
                if !once.insert(pair) {
                    found.insert(pair);
                }
            }
        }
    }
    let mut kinds = HashMap::<char, Vec<usize>>::new();
    let sounds = lines(&lists.sounds).map(|(_, line)| line.split_whitespace().nth(1).unwrap_or_default());
    let looks = lines(&lists.lookalikes).map(|(_, line)| line);
    for (kind, group) in sounds.chain(looks).enumerate() {
        group.chars().for_each(|c| kinds.entry(c).or_default().push(kind));
    }
    let kinds = |c: &char| kinds.get(c).map_or(&[][..], Vec::as_slice);
    found.retain(|(x, y)| !kinds(x).iter().any(|kind| kinds(y).contains(kind)));
    found.retain(|(x, y)| !PRONOUNS.contains(*x) && !PRONOUNS.contains(*y));
    for (_, line) in lines(&lists.synonyms) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            for pair in words[at + 1..].iter().filter_map(|other| contrast(word, other)) {
                found.remove(&pair);
            }
        }
    }
    found
}

/// The only characters in which two words of the same length differ, in their order.
fn contrast(x: &str, y: &str) -> Option<(char, char)> {
    let length = x.chars().count();
    let ideographs = |word: &str| word.chars().all(|c| HAN.contains(&Token::from(c)));
    if !(2..=WORD).contains(&length) || y.chars().count() != length || !ideographs(x) || !ideographs(y) {
        return None;
    }
    let mut differ = x.chars().zip(y.chars()).filter(|(x, y)| x != y);
    let (x, y) = differ.next()?;
    differ.next().is_none().then_some((x.min(y), x.max(y)))
}

fn write(words: &Words, names: &str, ends: &[u16]) -> Result<Vec<u8>, fst::Error> {
    let (mut map, mut senses) = (MapBuilder::memory(), Vec::<u16>::new());
    for (key, word) in &words.known {
        let at = (!word.senses.is_empty()).then_some(senses.len());
        if at.is_some() {
            senses.push(word.senses.len() as u16);
            senses.extend(word.senses.iter().flat_map(|(group, member)| [*group, *member]));
        }
        let frequency = (1_u64 << word.log_frequency) - 1;
        map.insert(key, Entry::new(frequency, word.tag.unwrap_or(Tag::None), word.flags, at).0)?;
    }
    let map = map.into_inner()?;
    let mut out = MAGIC.to_vec();
    let head = [map.len(), names.len()].into_iter().chain(ends.iter().map(|end| usize::from(*end)));
    out.extend(head.flat_map(|number| (number as u32).to_le_bytes()));
    debug_assert_eq!(out.len(), HEAD);
    out.extend(map);
    out.extend(names.bytes());
    out.extend(senses.iter().flat_map(|number| number.to_le_bytes()));
    Ok(out)
}

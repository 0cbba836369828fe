//! The word knowledge of the repeat rule: classes whose members exclude each other, opposites, synonyms, filler, negation, names,
//! sounds and look-alikes, and a dictionary that tells where words begin and end.
//!
//! Everything is in one file, `data/lexicon.bin`, that [`build`] makes from the lists in `data/lexicon/`. The file has a map of
//! words (an [`fst`]), and the senses. The value of a word has its properties and the place of its senses. Nothing is unpacked: the
//! file is read in place, so it costs no time at the start and no memory except its pages.

pub mod build;
mod entry;

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, OnceLock};

use crate::hash::XxHash3_64;
use crate::hash::mix::GOLDEN;
use fst::raw::{CompiledAddr, Fst, Node};

use super::cues;
use super::tokens::{SYNONYMS, Token, character};
pub(crate) use entry::{
    BESIDE, CHARACTER, CIVIL, CORRECTION, CUE_AFTER, CUE_BEFORE, ERRATUM, FILLER, GIVEN, IDIOM, NEGATION, QUALIFIER,
    RANK,
};
pub(crate) use entry::{Entry, Kind, Sense, Tag};
pub(crate) use entry::{REFUTATION, SURNAME, TAIL, TOLD};

static BYTES: &[u8] = include_bytes!("../../data/lexicon.bin");

/// The first bytes of the file.
const MAGIC: [u8; 8] = *b"qclexic1";
/// The magic and seven numbers.
const HEAD: usize = 8 + 7 * 4;
/// Marks a class in the file, after its name, as one of [brands of goods](Lexicon::is_of_goods).
const GOODS: &str = "\tgoods";
/// Longest word, in tokens.
pub(crate) const LONGEST_WORD: usize = 10;

/// The words and what is known of them.
pub(crate) struct Lexicon {
    words: Option<Fst<&'static [u8]>>,
    senses: &'static [u8],
    /// For each kind of group, in the order classes, opposites, synonyms, sounds, near sounds: the number after its last group.
    ends: [u16; 5],
    classes: Vec<Class>,
    /// Where each ideograph of the usual block, [`HAN`], leads to as the first of a word. This saves half of the steps through the
    /// map.
    starts: OnceLock<Vec<Place>>,
}

/// A class, whose members exclude each other.
struct Class {
    name: &'static str,
    is_of_goods: bool,
}

impl Class {
    /// Reads a class from its line in the file.
    fn of(line: &'static str) -> Self {
        let name = line.strip_suffix(GOODS);
        Self { name: name.unwrap_or(line), is_of_goods: name.is_some() }
    }
}

/// A place in the map, reached by some tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The address in the map, or [`NOWHERE`].
    at: u32,
    /// The sum of the values along the path.
    value: u64,
    /// The value that a word that ends here adds to the sum, or [`NO_END`] if no word ends here.
    end: u64,
}

/// An address that is no place: the map is smaller.
const NOWHERE: u32 = u32::MAX;
/// No value of a word: real ones are smaller, because their upper bits are places in a short list.
const NO_END: u64 = u64::MAX;

impl Place {
    const NONE: Self = Self { at: NOWHERE, value: 0, end: NO_END };

    fn of(node: &Node<'_>, value: u64) -> Self {
        Self { at: node.addr() as u32, value, end: if node.is_final() { node.final_output().value() } else { NO_END } }
    }
}

/// A step through the map, kept per thread: the address it starts from, the token, and the place that it leads to.
type Step = (u32, Token, Place);

/// Number of steps remembered, as a power of two. Messages that are compared have most words in common, and finding a step takes
/// long. The steps take 64 KB.
const STEPS: u32 = 11;

thread_local! {
    /// The steps found last, by a hash of address and token. No step starts at [`NOWHERE`], so the first entries match none.
    static LATELY: [Cell<Step>; 1 << STEPS] = const { [const { Cell::new((NOWHERE, 0, Place::NONE)) }; 1 << STEPS] };
}

/// Ideographs of the usual block.
const HAN: RangeInclusive<Token> = 0x4e00..=0x9fff;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(BYTES));

/// The lexicon that is compiled into the program.
pub(crate) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

/// The version of the lexicon: a hash of its bytes and of the lists that texts are read by. A changed list gives another version.
pub fn version() -> u32 {
    static VERSION: LazyLock<u32> = LazyLock::new(|| {
        let lists = [BYTES, SYNONYMS.as_bytes(), cues::LIST.as_bytes()];
        lists.into_iter().fold(0, |sum, list| sum ^ XxHash3_64::oneshot(list)) as u32
    });
    *VERSION
}

impl Lexicon {
    /// Reads a file that [`build`] made. For any other file the lexicon has no words.
    fn read(bytes: &'static [u8]) -> Self {
        let number = |at: usize| {
            let four = bytes.get(8 + at * 4..).and_then(<[u8]>::first_chunk);
            four.map_or(0, |four| u32::from_le_bytes(*four)) as usize
        };
        let (map, names) = (HEAD + number(0), HEAD + number(0) + number(1));
        let part = |range: std::ops::Range<usize>| bytes.get(range).unwrap_or_default();
        let known = bytes.starts_with(&MAGIC);
        Self {
            words: Fst::new(part(HEAD..map)).ok().filter(|_| known),
            classes: std::str::from_utf8(part(map..names)).unwrap_or_default().lines().map(Class::of).collect(),
            senses: part(names..bytes.len()),
            ends: std::array::from_fn(|at| number(at + 2) as u16),
            starts: OnceLock::new(),
        }
    }

    /// Returns the place that this token leads to as the first of a word.
    fn begin(&self, words: &Fst<&'static [u8]>, token: Token) -> Place {
        if !HAN.contains(&token) {
            return step(words, words.root().addr() as u32, token);
        }
        let starts = self.starts.get_or_init(|| starts(words));
        starts.get((token - HAN.start()) as usize).copied().unwrap_or(Place::NONE)
    }

    /// Calls `each` with the length, in tokens, and the entry of every word that begins at `at` in `list`, short words first.
    pub(crate) fn words_at(&self, list: &[Token], at: usize, mut each: impl FnMut(usize, Entry)) {
        let Some(words) = &self.words else { return };
        let Some((first, others)) = list.get(at..).and_then(<[Token]>::split_first) else { return };
        let (mut here, mut others) = (self.begin(words, *first), others.iter());
        for length in 1..=LONGEST_WORD {
            if here.end != NO_END {
                each(length, Entry(here.value + here.end));
            }
            let Some(token) = others.next().filter(|_| here.at != NOWHERE) else { return };
            let next = step(words, here.at, *token);
            here = Place { value: here.value + next.value, ..next };
        }
    }

    /// Returns the length, in tokens, of the longest word that begins at `at` in `list` and satisfies a condition on its length and its
    /// entry; 0 if there is none.
    pub(crate) fn longest_at(&self, list: &[Token], at: usize, is: impl Fn(usize, Entry) -> bool) -> usize {
        let mut longest = 0;
        self.words_at(list, at, |length, entry| longest = if is(length, entry) { length } else { longest });
        longest
    }

    /// Returns the entry of these tokens, if they are a word.
    pub(crate) fn get(&self, list: &[Token]) -> Option<Entry> {
        let mut found = None;
        self.words_at(list, 0, |length, entry| found = Some(entry).filter(|_| length == list.len()).or(found));
        found.filter(|_| !list.is_empty() && list.len() <= LONGEST_WORD)
    }

    /// Returns the groups that the word belongs to.
    pub(crate) fn senses(&self, entry: Entry) -> impl Iterator<Item = Sense> + '_ {
        let number = |at: usize| {
            let two = self.senses.get(2 * at..).and_then(<[u8]>::first_chunk);
            two.map_or(0, |two| u16::from_le_bytes(*two))
        };
        let at = entry.senses();
        let count = at.map_or(0, |at| usize::from(number(at)));
        let first = at.unwrap_or_default() + 1;
        (0..count).map(move |sense| {
            let (group, member) = (number(first + 2 * sense), number(first + 2 * sense + 1));
            Sense { kind: self.kind(group), group, member }
        })
    }

    fn kind(&self, group: u16) -> Kind {
        let kinds = [Kind::Class, Kind::Opposite, Kind::Synonym, Kind::Sound, Kind::Near];
        let found = kinds.iter().zip(self.ends).find(|(_, end)| group < *end);
        found.map_or(Kind::Look, |(kind, _)| *kind)
    }

    /// Returns the name of a class, such as `colour`. Opposites have none.
    pub(crate) fn name(&self, group: u16) -> &'static str {
        self.classes.get(usize::from(group)).map_or("opposite", |class| class.name)
    }

    /// Whether the group is a class of brands of goods (小熊). Brands whose names may also be other words, such as 日产, are in
    /// other classes.
    pub(crate) fn is_of_goods(&self, group: u16) -> bool {
        self.classes.get(usize::from(group)).is_some_and(|class| class.is_of_goods)
    }

    /// Returns the group in which the two words exclude each other: a class of which they are different members, or opposites.
    /// Returns `None` if they are also synonyms, or the same member of any class.
    pub(crate) fn conflict(&self, x: Entry, y: Entry) -> Option<u16> {
        let mut found = None;
        for a in self.senses(x) {
            for b in self.senses(y).filter(|b| b.group == a.group) {
                match a.kind {
                    Kind::Class | Kind::Opposite if a.member == b.member => return None,
                    Kind::Synonym => return None,
                    Kind::Class | Kind::Opposite => found = found.or(Some(a.group)),
                    Kind::Sound | Kind::Near | Kind::Look => {}
                }
            }
        }
        found
    }

    /// Whether the group is a pair of opposites that this word belongs to.
    pub(crate) fn is_of_opposites(&self, word: Entry, group: u16) -> bool {
        self.senses(word).any(|sense| sense.group == group && sense.kind == Kind::Opposite)
    }

    /// Whether the two words are listed as opposites.
    pub(crate) fn are_opposites(&self, x: Entry, y: Entry) -> bool {
        let is_other = |a: Sense, b: Sense| a.group == b.group && a.member != b.member;
        self.senses(x).any(|a| a.kind == Kind::Opposite && self.senses(y).any(|b| is_other(a, b)))
    }

    /// Whether the two words mean the same: they are synonyms, or the same member of a class.
    pub(crate) fn same(&self, x: Entry, y: Entry) -> bool {
        self.senses(x).any(|a| {
            let alike = |b: Sense| b.group == a.group && (a.kind == Kind::Synonym || b.member == a.member);
            a.kind.is_of_words() && self.senses(y).any(alike)
        })
    }

    /// Whether the characters are [confused](Self::confused), or begin alike and sound nearly alike, like jian and jie.
    pub(crate) fn resemble(&self, x: Token, y: Token) -> bool {
        self.share(x, y, |kind| !kind.is_of_words())
    }

    /// Whether one character is written for the other by mistake: they sound alike except for the tone, or look alike.
    pub(crate) fn confused(&self, x: Token, y: Token) -> bool {
        self.share(x, y, |kind| matches!(kind, Kind::Sound | Kind::Look))
    }

    /// Whether the characters sound alike except for the tone.
    pub(crate) fn sound_alike(&self, x: Token, y: Token) -> bool {
        self.share(x, y, |kind| kind == Kind::Sound)
    }

    fn share(&self, x: Token, y: Token, of: impl Fn(Kind) -> bool) -> bool {
        let entry = |token: Token| self.get(&[token]).filter(|_| character(token).is_some());
        let (Some(x), Some(y)) = (entry(x), entry(y)) else {
            // A character that is in no list is a variant or a slip, so it resembles any other.
            return character(x).is_some() && character(y).is_some();
        };
        let shares = |a: Sense| of(a.kind) && self.senses(y).any(|b| b.group == a.group);
        self.senses(x).any(shares)
    }
}

/// Computes where each ideograph of the usual block leads to from the root, through its three bytes.
fn starts(words: &Fst<&'static [u8]>) -> Vec<Place> {
    let mut starts = vec![Place::NONE; HAN.count()];
    for first in words.root().transitions() {
        for second in words.node(first.addr).transitions() {
            for third in words.node(second.addr).transitions() {
                let character =
                    std::str::from_utf8(&[first.inp, second.inp, third.inp]).ok().and_then(|key| key.chars().next());
                let at = character.and_then(|c| Token::from(c).checked_sub(*HAN.start()));
                if let Some(start) = at.and_then(|at| starts.get_mut(at as usize)) {
                    *start = Place::of(&words.node(third.addr), first.out.cat(second.out).cat(third.out).value());
                }
            }
        }
    }
    starts
}

/// Does the same as [`find`], using the remembered steps.
fn step(words: &Fst<&'static [u8]>, from: u32, token: Token) -> Place {
    let mixed = (u64::from(token) << 32 | u64::from(from)).wrapping_mul(GOLDEN);
    LATELY.with(|lately| {
        let known = &lately[(mixed >> (u64::BITS - STEPS)) as usize];
        let (of, by, place) = known.get();
        if (of, by) == (from, token) {
            return place;
        }
        let found = find(words, from, token).unwrap_or(Place::NONE);
        known.set((from, token, found));
        found
    })
}

/// Returns the place that a token leads to from an address of the map.
fn find(words: &Fst<&'static [u8]>, from: u32, token: Token) -> Option<Place> {
    let (mut node, mut key, mut value) = (words.node(from as CompiledAddr), Key::of(token), 0);
    for byte in key.bytes() {
        let transition = node.transition(node.find_input(*byte)?);
        value += transition.out.value();
        node = words.node(transition.addr);
    }
    Some(Place::of(&node, value))
}

/// A token as part of a key of the map. A character is its UTF-8. Any other token is its bytes, after a byte that UTF-8 never has.
struct Key {
    bytes: [u8; 5],
    length: usize,
}

impl Key {
    fn of(token: Token) -> Self {
        let mut bytes = [0xff; 5];
        let length = match character(token) {
            Some(c) => c.encode_utf8(&mut bytes).len(),
            None => {
                bytes[1..].copy_from_slice(&token.to_be_bytes());
                5
            }
        };
        Self { bytes, length }
    }

    fn bytes(&mut self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests;

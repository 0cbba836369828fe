//! Finds the slots of a body: the stretches that a template fills.
//!
//! Thousands of messages say 您的快递已到X门口的驿站, each with another X. Then the bigrams of the template are frequent among the kept bodies, and
//! the bigrams of X are not. So the slot is the stretch between frequent bigrams.

use std::ops::Range;

use super::features::{FeatureHasher, bigram_key};
use super::postings::{Key, Postings};
use crate::rule::bounds::{Bounds, LONG};
use crate::rule::facts::is_named;
use crate::rule::refill::{self, BRIEF, Passage, SHORTEST_FILL};
use crate::text::tokens::{Token, character};

/// The search for slots has three levels. At each level a bigram belongs to the template if the flood has it at least this often, judged by
/// the frequencies of the body's most frequent bigram and of its median bigram.
///
/// For example, many messages are 【菜鸟】您的快递已到X门口的驿站，Y, where X is a shop, and Y one of a few adverts with a name:
/// - The first level asks for most. It finds all between the parts that *every* message has: 【菜鸟】 and 您的快递已到 in several templates.
/// - The second finds the fills of this template, X.
/// - The third asks for least. It finds what follows a beginning that many fills share, the name in Y.
const LEVELS: [fn(usize, usize) -> usize; 3] = [|most, _| most / 2, |_, middle| middle / 2, |_, middle| middle / 32];
/// At every level, the flood must have a bigram of the template at least this often.
const LEAST_FREQUENCY: usize = 4;

/// A stretch of a body between passages of its template.
pub(super) struct Slot {
    pub(crate) at: Range<usize>,
    /// The passages before and after it.
    pub(crate) around: [Passage; 2],
    pub(crate) kind: Kind,
}

/// What is in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Words,
    /// Words up to the end.
    End,
    Name,
    /// Words of letters, perhaps with numbers.
    Code,
    /// Brief words. Only if two such slots differ are the texts two messages.
    Brief,
    /// Brief words that are a noun. One such slot is enough.
    Noun,
}

/// Finds slots, and keeps its buffers.
#[derive(Default)]
pub(super) struct Slots {
    /// The keys of the body's bigrams, by place.
    pub(crate) bigrams: Vec<Key>,
    frequencies: Vec<usize>,
    sorted: Vec<usize>,
}

impl Slots {
    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let places = self.frequencies.capacity() + self.sorted.capacity();
        self.bigrams.capacity() * size_of::<Key>() + places * size_of::<usize>()
    }

    /// Looks up the bigrams of a body.
    pub(crate) fn look_up(&mut self, tokens: &[Token], hasher: FeatureHasher, postings: &Postings) {
        self.bigrams.clear();
        self.bigrams.extend(tokens.windows(2).map(|two| postings.key(bigram_key(two, hasher))));
    }

    /// Returns the slots of a body at each level. Its bigrams must have been looked up.
    pub(crate) fn of(&mut self, tokens: &[Token], bounds: &Bounds, postings: &Postings) -> Vec<Slot> {
        self.frequencies.clear();
        self.frequencies.extend(self.bigrams.iter().map(|key| postings.count(*key)));
        let (mut before, mut behind, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        let is_long = tokens.len() >= LONG;
        let has_brief = bounds.slots && refill::has_brief_slots(tokens);
        for at in self.stretches(tokens) {
            let is_end = at.end == tokens.len();
            let name = (is_long && bounds.counts && is_named(tokens, &at)).then_some(Kind::Name);
            let words = (is_long && bounds.slots && at.len() >= SHORTEST_FILL).then_some(if is_end {
                Kind::End
            } else {
                Kind::Words
            });
            let code = (bounds.counts && refill::is_code(tokens, &at)).then_some(Kind::Code);
            let brief = (has_brief && refill::is_brief(&tokens[at.clone()])).then_some(Kind::Brief);
            let noun = brief.and_then(|_| refill::is_noun(tokens, &at).then_some(Kind::Noun));
            for kind in name.into_iter().chain(words).chain(code).chain(brief).chain(noun) {
                let around = if kind == Kind::End {
                    refill::before_end(tokens, at.start)
                } else if matches!(kind, Kind::Brief | Kind::Noun) {
                    refill::around_brief(tokens, &at)
                } else {
                    let start = match kind {
                        Kind::Code | Kind::Name if at.start < 2 => Some(refill::beginning(tokens, at.start)),
                        _ => once(&mut before, at.start, || refill::before(tokens, at.start)),
                    };
                    start.zip(once(&mut behind, at.end, || refill::behind(tokens, at.end))).map(<[Passage; 2]>::from)
                };
                slots.extend(around.map(|around| Slot { at: at.clone(), around, kind }));
            }
        }
        slots
    }

    /// The stretches between bigrams that are frequent in the flood.
    fn stretches(&mut self, tokens: &[Token]) -> Vec<Range<usize>> {
        self.sorted.clone_from(&self.frequencies);
        let place = self.sorted.len() / 2;
        let (_, middle, behind) = self.sorted.select_nth_unstable(place);
        let (middle, most) = (*middle, behind.iter().copied().max().unwrap_or(*middle));
        let mut slots: Vec<Range<usize>> = Vec::new();
        let mut add = |slot: Range<usize>| {
            let is_filled = slot.len() > 1 || slot.len() == 1 && character(tokens[slot.start]).is_none();
            if is_filled && !slots.contains(&slot) {
                slots.push(slot);
            }
        };
        for level in LEVELS {
            let least = level(most, middle).max(LEAST_FREQUENCY);
            let mut frequent = (0..self.frequencies.len()).filter(|at| self.frequencies[*at] >= least);
            let Some(mut last) = frequent.next() else { continue };
            // The text may begin with a code, a name or other brief words.
            let is_code = last > 0 && character(tokens[last - 1]).is_none();
            let starts = if is_code || last <= *BRIEF.end() + 1 { 0..2.min(last) } else { 0..0 };
            starts.for_each(|start| add(start..last));
            for at in frequent {
                add(std::mem::replace(&mut last, at) + 2..at);
            }
            add(last + 2..tokens.len());
        }
        slots
    }
}

impl Kind {
    /// Returns the parts of a fill. Each is looked up by itself:
    /// - of a name: its surname with its last character;
    /// - of words at the end: the characters;
    /// - of a code: all of it, and its two ends;
    /// - of brief words: the characters, and the groups of synonyms;
    /// - of a noun: also how its characters sound and look;
    /// - of other words, if they are few: the token in the middle.
    pub(crate) fn parts(self, fill: &[Token]) -> Vec<(Token, Token)> {
        match (self, fill) {
            (Self::End, _) => {
                fill.iter().filter(|token| refill::counts_at_end(**token)).map(|token| (0, *token)).collect()
            }
            (Self::Name, [surname, .., last]) => {
                vec![(*surname, *last)]
            }
            (Self::Words, _) => refill::centre(fill).map(|centre| (0, centre)).into_iter().collect(),
            (Self::Code, _) => refill::code_parts(fill).collect(),
            (Self::Brief, _) => refill::brief_parts(fill).collect(),
            (Self::Noun, _) => refill::noun_parts(fill).collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns what is known of a place, or finds it now and keeps it.
fn once(
    known: &mut Vec<(usize, Option<Passage>)>,
    at: usize,
    find: impl FnOnce() -> Option<Passage>,
) -> Option<Passage> {
    let found = known.iter().find(|(other, _)| *other == at).map(|(_, found)| *found);
    found.unwrap_or_else(|| {
        let found = find();
        known.push((at, found));
        found
    })
}

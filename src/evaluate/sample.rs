//! The data that engines are measured on: pairs of messages with their truth, and the stream of the messages.

use super::Experiment;
use super::indel::IndelBodies;
use super::tally::LengthIn;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::locale::{Bilingual, later};
use crate::report::numbered;
use crate::text::language::Language;
use crate::text::normalise::canonical;
use crate::text::words::Words;

/// Two messages, given by their positions; `a` is the earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The earlier message.
    pub(crate) a: usize,
    /// The later one.
    pub(crate) b: usize,
    /// Whether it repeats the earlier one.
    pub(crate) is_repeat: bool,
    /// The groups that the pair is counted in.
    pub(crate) groups: Vec<u16>,
}

/// A group of pairs or messages: those with one value of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// The field.
    pub(crate) field: String,
    /// Its value.
    pub(crate) value: String,
}

/// The field name of the groups of [edits](super::Truth::Edits).
pub(super) const EDIT: &str = later("edit");

impl Group {
    /// Returns the value in the user's language.
    pub(crate) fn localised_value(&self) -> String {
        let value = self.value.as_str();
        if self.field == EDIT { tr!(value) } else { value.to_owned() }
    }
}

/// The pairs of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pairs {
    /// Exactly these pairs.
    Listed(Vec<Pair>),
    /// Every pair of messages. The list holds, for each message, the later messages that repeat it, ascending.
    All(Vec<Vec<u32>>),
}

/// Messages, and which of them are repeats.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    /// The messages, in order.
    pub(crate) texts: Vec<String>,
    /// Their numbers among the messages that were read, from 1. Empty if no message was left out.
    pub(crate) numbers: Vec<usize>,
    /// Their lengths, in the unit of [`Experiment::length_in`].
    pub(crate) lengths: Vec<usize>,
    /// The pairs to judge.
    pub(crate) pairs: Pairs,
    /// The groups of pairs and messages.
    pub(crate) groups: Vec<Group>,
    /// The groups of each message, if messages are grouped. A pair has the groups of its later message.
    pub(crate) groups_of: Vec<Vec<u16>>,
    /// Whether each message repeats an earlier one. `None` if the messages are no stream.
    pub(crate) is_repeat_in_stream: Option<Vec<bool>>,
    /// A sentence that describes the sample.
    pub(crate) description: Bilingual,
}

impl Sample {
    /// Makes a sample of all messages that were read, without groups and without a stream.
    pub(super) fn of(texts: Vec<String>, lengths: Vec<usize>, pairs: Pairs, description: Bilingual) -> Self {
        let (numbers, groups, groups_of) = (Vec::new(), Vec::new(), Vec::new());
        Self { texts, numbers, lengths, pairs, groups, groups_of, is_repeat_in_stream: None, description }
    }

    /// Returns the band of a pair, which its shorter body decides; `None` if pairs of that length are not asked for.
    pub(crate) fn band(&self, a: usize, b: usize, options: &Experiment) -> Option<usize> {
        let length = self.lengths[a].min(self.lengths[b]);
        (options.length.0..=options.length.1).contains(&length).then(|| options.length_in.band(length))
    }

    /// Says how many pairs the asked length leaves, if one was asked for.
    ///
    /// # Errors
    /// [`Error::Config`] if none is left.
    pub(crate) fn limit(&mut self, options: &Experiment) -> Result<()> {
        if options.length == (0, usize::MAX) {
            return Ok(());
        }
        let (all, left) = match &self.pairs {
            Pairs::Listed(pairs) => {
                let left = pairs.iter().filter(|pair| self.band(pair.a, pair.b, options).is_some());
                (pairs.len(), left.count())
            }
            Pairs::All(_) => {
                // Each message is the shorter one of its pairs with all longer ones.
                let mut lengths = self.lengths.clone();
                lengths.sort_unstable_by(|a, b| b.cmp(a));
                let in_range = |length: &usize| (options.length.0..=options.length.1).contains(length);
                let left = lengths.iter().enumerate().filter(|(_, length)| in_range(length)).map(|(longer, _)| longer);
                (lengths.len() * (lengths.len().saturating_sub(1)) / 2, left.sum())
            }
        };
        if left == 0 {
            let pairs = plural(all as u64, "pair");
            let reason = tr!("of {pairs}, none has a shorter message of such a length; widen the range", pairs);
            return Err(Error::config("--length", reason));
        }
        self.description.add(|| tr!(" --length leaves {left} of {}.", plural(all as u64, "pair"), left));
        Ok(())
    }

    /// Returns the number of a message among those that were read, from 1.
    pub(crate) fn number(&self, at: usize) -> usize {
        self.numbers.get(at).copied().unwrap_or(at + 1)
    }

    /// Returns the group under which a misjudged pair is reported: its group of the first requested field, or its first group if no field
    /// was requested.
    pub(crate) fn reported_group(&self, groups: &[u16], options: &Experiment) -> Option<u16> {
        let asked = options.by.first();
        let is_asked = |group: &&u16| asked.is_none_or(|by| self.groups[usize::from(**group)].field == by.spelled());
        groups.iter().find(is_asked).copied()
    }

    /// The groups of a message.
    pub(crate) fn groups_of(&self, at: usize) -> &[u16] {
        self.groups_of.get(at).map_or(&[], Vec::as_slice)
    }
}

/// A count with its noun in the singular or plural.
pub(super) fn plural(count: u64, what: &str) -> String {
    numbered(&count.to_string(), count == 1, what)
}

/// Returns the lengths of the texts. `bodies` are their bodies.
pub(super) fn lengths(texts: &[String], bodies: &IndelBodies, length_in: LengthIn) -> Vec<usize> {
    match length_in {
        LengthIn::Characters => (0..bodies.len()).map(|at| bodies.characters(at)).collect(),
        LengthIn::Words => words_of(texts),
    }
}

/// Counts the words of each text, by the rules of its language.
pub(super) fn words_of(texts: &[String]) -> Vec<usize> {
    let words = Words::default();
    let count = |text: &String| {
        let mut count = 0;
        words.each(&canonical(text), Language::of(text), |_| count += 1);
        count
    };
    texts.iter().map(count).collect()
}

/// The bodies of texts.
pub(super) fn bodies(texts: &[String]) -> IndelBodies {
    IndelBodies::new(texts.iter().map(String::as_str))
}

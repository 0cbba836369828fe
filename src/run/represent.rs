//! Which message of a cluster stands for it, and a second pass over the input that keeps that one.
//!
//! The verdicts are those of one pass, as ever: each cluster is a star around the message that came first. Only when all of the
//! input is known can it be said which of them is the longest, the newest, or worded as most are; so the input is
//! [read again](Choice::write), and each chosen message leaves byte for byte at its own place.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use super::sink::Sink;
use super::{Observed, Sample, Totals};
use crate::error::{Error, Result};
use crate::formats::parse::Parser;
use crate::formats::source::{Part, Source};
use crate::record::{Pos, RecordId};

/// Which message of a cluster stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Represent {
    /// The first one, which the others repeat.
    First,
    /// The one of most characters; of those the first.
    Longest,
    /// The one with the latest time; of those, and where none has a time, the last.
    Newest,
    /// The first one of the wording that most have, byte for byte; of equally frequent wordings the one that came first.
    MostFrequent,
}

impl Represent {
    /// Every choice and its name.
    pub(crate) const NAMED: [(&'static str, Self); 4] = [
        ("first", Self::First),
        ("longest", Self::Longest),
        ("newest", Self::Newest),
        ("most-frequent", Self::MostFrequent),
    ];
}

/// A message of a cluster, as the choice sees it.
#[derive(Debug, Clone)]
pub(crate) struct Member<'s, T> {
    /// Its position.
    pub(crate) pos: Pos,
    /// When it was said, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
    /// Its text.
    pub(crate) sample: &'s Sample,
    /// What is to be known of it if it is chosen.
    pub(crate) what: T,
}

/// A cluster and its choice so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Star<T> {
    /// The kept message.
    pub(crate) kept: Pos,
    /// The chosen one.
    pub(crate) chosen: Pos,
    /// What is known of it.
    pub(crate) what: T,
    rank: i64,
}

/// Chooses while messages come. Holds 24 bytes and what is known of the chosen one for each kept message, and for the most
/// frequent wording about a hundred for each wording that is not alone.
#[derive(Debug, Clone)]
pub(crate) struct Chooser<T> {
    by: Represent,
    /// In the order of the kept messages.
    stars: Vec<Star<T>>,
    /// By the kept message and the text's hash: how many have it, the first of them, and what is known of that one.
    wordings: BTreeMap<(Pos, u64), (i64, Pos, T)>,
}

impl<T: Clone> Chooser<T> {
    /// A chooser that has seen nothing.
    pub(crate) fn new(by: Represent) -> Self {
        Self { by, stars: Vec::new(), wordings: BTreeMap::new() }
    }

    /// A message is kept. Positions must rise.
    pub(crate) fn keep(&mut self, member: Member<'_, T>) {
        let Member { pos, what, .. } = &member;
        let rank = match self.by {
            Represent::MostFrequent => {
                self.wordings.insert((*pos, member.sample.hash), (1, *pos, what.clone()));
                1
            }
            _ => self.rank(&member),
        };
        self.stars.push(Star { kept: *pos, chosen: *pos, what: member.what, rank });
    }

    /// A message repeats the one that was kept at `of`.
    pub(crate) fn repeat(&mut self, of: Pos, member: Member<'_, T>) {
        let Ok(at) = self.stars.binary_search_by_key(&of, |star| star.kept) else { return };
        let (rank, chosen, what) = match self.by {
            Represent::First => return,
            Represent::MostFrequent => {
                let key = (of, member.sample.hash);
                let wording = self.wordings.entry(key).or_insert_with(|| (0, member.pos, member.what));
                wording.0 += 1;
                wording.clone()
            }
            Represent::Longest | Represent::Newest => (self.rank(&member), member.pos, member.what),
        };
        let star = &mut self.stars[at];
        let better = match self.by {
            Represent::Newest => rank >= star.rank,
            _ => (rank, Reverse(chosen)) > (star.rank, Reverse(star.chosen)),
        };
        if better {
            *star = Star { kept: of, chosen, what, rank };
        }
    }

    fn rank(&self, member: &Member<'_, T>) -> i64 {
        match self.by {
            Represent::Longest => member.sample.characters.into(),
            Represent::Newest => member.time.unwrap_or(i64::MIN),
            Represent::First | Represent::MostFrequent => 0,
        }
    }

    /// What is known of the chosen ones, in the order of the kept messages.
    pub(crate) fn into_chosen(self) -> Vec<T> {
        self.stars.into_iter().map(|star| star.what).collect()
    }

    /// The cluster of the message that was kept at `kept`.
    pub(crate) fn star(&self, kept: Pos) -> Option<&Star<T>> {
        self.stars.binary_search_by_key(&kept, |star| star.kept).ok().map(|at| &self.stars[at])
    }
}

/// What a first pass found: who stands for each cluster. Takes 40 bytes for each repeat, beside what the [`Chooser`] takes.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    chooser: Chooser<Chosen>,
    /// In the order of their positions.
    repeats: Vec<Repeat>,
    /// Messages, and those without a time.
    messages: u64,
    timeless: u64,
}

#[derive(Debug, Clone)]
struct Chosen {
    id: RecordId<'static>,
    /// How it repeats the kept message, if it is another.
    verdict: &'static str,
}

#[derive(Debug, Clone)]
struct Repeat {
    pos: Pos,
    of: Option<Pos>,
    /// The message of an archive that it repeats.
    held: Option<RecordId<'static>>,
    verdict: &'static str,
}

impl Choice {
    /// A choice among nothing.
    pub(crate) fn new(by: Represent) -> Self {
        Self { chooser: Chooser::new(by), repeats: Vec::new(), messages: 0, timeless: 0 }
    }

    /// If times choose, and most messages have none: how many, of how many.
    pub(crate) fn untimed(&self) -> Option<(u64, u64)> {
        let is_untimed = self.chooser.by == Represent::Newest && self.timeless * 2 > self.messages;
        is_untimed.then_some((self.timeless, self.messages))
    }

    /// Takes a message that was judged.
    pub(crate) fn message(&mut self, seen: &Observed<'_>) {
        self.messages += 1;
        self.timeless += u64::from(seen.time.is_none());
        let Observed { pos, time, verdict, sample, .. } = *seen;
        let what = Chosen { id: seen.id.clone().into_owned(), verdict: verdict.name() };
        let member = Member { pos, time, sample, what };
        if verdict.is_kept() {
            self.chooser.keep(member);
            return;
        }
        let of = verdict.of().filter(|_| !seen.is_held);
        let held = seen.of.filter(|_| seen.is_held).map(|of| of.clone().into_owned());
        self.repeats.push(Repeat { pos, of, held, verdict: verdict.name() });
        if let Some(of) = of {
            self.chooser.repeat(of, member);
        }
    }

    /// Reads all of `source` again and writes the chosen messages, each at its own place, to `sink`, and the others to where
    /// dropped ones go: they name the chosen one, and not how alike they are, which was measured with the one that came first.
    /// `before` are the totals of the first pass.
    ///
    /// # Errors
    /// [`Error::Io`] if reading or writing fails, or if the input is not what it was.
    pub(crate) fn write(&self, mut source: Source, parser: &Parser, sink: &mut Sink, before: &Totals) -> Result<()> {
        let mut repeats = self.repeats.iter().peekable();
        let (mut pos, mut bytes) = (0, 0);
        while let Some(batch) = source.next_batch()? {
            sink.begin(&batch)?;
            for (index, line) in batch.lines.iter().enumerate() {
                let entry = batch.entry(index);
                match line.part {
                    Part::TooLongRest => sink.rest(entry),
                    Part::Header => sink.header(entry),
                    Part::HeaderAgain => {}
                    Part::Whole | Part::Undecodable | Part::TooLong | Part::Misquoted => {
                        let here = Pos(pos);
                        pos += 1;
                        match parser.read(&batch, line) {
                            Err(fault) => sink.fault(entry, &fault),
                            Ok(None) => sink.blank(entry),
                            Ok(Some(_)) => {
                                let repeat = repeats.next_if(|repeat| repeat.pos == here);
                                let star =
                                    self.chooser.star(repeat.map_or(Some(here), |repeat| repeat.of).unwrap_or(here));
                                let chosen = star.is_some_and(|star| star.chosen == here);
                                let verdict = repeat.map(|repeat| repeat.verdict);
                                let verdict = verdict.or(star.map(|star| star.what.verdict)).unwrap_or("kept");
                                let held = repeat.and_then(|repeat| repeat.held.as_ref());
                                sink.represented(entry, chosen, verdict, held.or(star.map(|star| &star.what.id)));
                            }
                        }
                    }
                }
            }
            bytes += batch.size();
            sink.flush()?;
        }
        sink.finish()?;
        if (pos, bytes) != (before.r#in, before.bytes_in) {
            let reason = "is not what it was in the first pass; what was written of it is wrong";
            return Err(Error::io("the input", io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        Ok(())
    }
}

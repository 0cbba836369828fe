//! Chooses the message that represents a cluster, and keeps that one in a second pass over the input.
//!
//! The verdicts are those of the first pass: each cluster is a star around the message that came first. Which message is the longest, the
//! newest, or has the most frequent wording is known only after the whole input. So the input is [read again](Choice::write), and each
//! chosen message is written unchanged at its own place.

mod lacks;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use super::sink::Sink;
use super::{Observed, Portion, Sample, Totals};
use crate::error::{Error, Result};
use crate::formats::parse::{FieldPath, Parser, as_text};
use crate::formats::source::{Part, Source};
use crate::formats::time::milliseconds;
use crate::locale::tr;
use crate::record::{Pos, RecordId};
pub(crate) use lacks::Lacks;

/// The message of a cluster that represents it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Represent {
    /// The first one, which the others repeat.
    First,
    /// The message with the most characters; among equals the first.
    Longest,
    /// The message with the latest time; among equals, and if no message has a time, the last.
    Newest,
    /// The first message with the most frequent wording, compared byte for byte. Of equally frequent wordings, the one that came first.
    MostFrequent,
    /// The message whose value in a field comes first in an order; among equals the first. One without a usable value only if no message
    /// has one.
    By(FieldPath, ValueOrder),
}

/// An order of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueOrder {
    /// The largest number, or the latest date.
    Largest,
    /// The smallest number, or the earliest date.
    Smallest,
    /// The order of the list.
    Listed(Vec<String>),
}

/// Ranks of numbers count in billionths, so whole numbers stay exact.
const SCALE: i128 = 1_000_000_000;

impl Represent {
    /// Parses `longest`, `largest:likes`, `listed:source=xinhua,weibo`.
    ///
    /// # Errors
    /// A message for the user that lists every possible form.
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let by = |field: &str, order| {
            let field = FieldPath::parse("--represent", field).map_err(|_| tr!("`{field}` is no field", field))?;
            Ok(Self::By(field, order))
        };
        match (name, rest.split_once('=')) {
            ("first", _) if rest.is_empty() => Ok(Self::First),
            ("longest", _) if rest.is_empty() => Ok(Self::Longest),
            ("newest", _) if rest.is_empty() => Ok(Self::Newest),
            ("most-frequent", _) if rest.is_empty() => Ok(Self::MostFrequent),
            ("largest", None) if !rest.is_empty() => by(rest, ValueOrder::Largest),
            ("smallest", None) if !rest.is_empty() => by(rest, ValueOrder::Smallest),
            ("listed", Some((field, list))) if !field.is_empty() && !list.is_empty() => {
                by(field, ValueOrder::Listed(list.split(',').map(|value| value.trim().to_owned()).collect()))
            }
            _ => Err(tr!("there are first, longest, newest, most-frequent, largest:FIELD, smallest:FIELD and \
                      listed:FIELD=A,B: for example largest:likes or listed:source=xinhua,weibo")),
        }
    }

    /// The field whose values choose.
    pub(crate) fn field(&self) -> Option<&FieldPath> {
        match self {
            Self::By(field, _) => Some(field),
            _ => None,
        }
    }
}

impl ValueOrder {
    /// The rank of a value, given as JSON text; a higher rank is better. `None` if the value has no rank.
    fn rank(&self, value: &str) -> Option<i128> {
        let text = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
        match self {
            Self::Largest => number(&text),
            Self::Smallest => number(&text).map(|number| -number),
            Self::Listed(list) => list.iter().position(|listed| *listed == text).map(|at| -(at as i128)),
        }
    }
}

/// Unit characters after a number and their factors, as web pages show them.
const UNITS: [(char, f64); 11] = [
    ('千', 1e3),
    ('万', 1e4),
    ('萬', 1e4),
    ('亿', 1e8),
    ('億', 1e8),
    ('k', 1e3),
    ('K', 1e3),
    ('w', 1e4),
    ('W', 1e4),
    ('m', 1e6),
    ('M', 1e6),
];

/// Reads a number in billionths, also as web pages show it (`12,345`, `1.2万`, `1.2w`, `10k+`, `１２３`), or a date in milliseconds since
/// 1970.
fn number(text: &str) -> Option<i128> {
    if let Ok(whole) = text.trim().parse::<i64>() {
        return Some(i128::from(whole) * SCALE);
    }
    let text: String = text.trim().chars().map(narrow).collect();
    let shown = text.trim_end_matches('+');
    let with_unit = UNITS.iter().find_map(|(unit, factor)| Some((shown.strip_suffix(*unit)?.trim_end(), *factor)));
    let (digits, factor) = with_unit.unwrap_or((shown, 1.0));
    match without_commas(digits).parse::<f64>() {
        // The clamp keeps every number above the rank of no number, which is `i128::MIN`.
        Ok(number) => number.is_finite().then_some(((number * factor).clamp(-1e27, 1e27) * SCALE as f64) as i128),
        Err(_) => milliseconds(&text).map(|time| i128::from(time) * SCALE),
    }
}

/// Turns a full-width character into its ASCII equivalent; leaves any other unchanged.
fn narrow(c: char) -> char {
    let twin = |c: char| char::from_u32(u32::from(c) - u32::from('！') + u32::from('!'));
    if ('！'..='～').contains(&c) { twin(c).unwrap_or(c) } else { c }
}

/// Turns `12,345.6` into `12345.6`; leaves anything else unchanged.
fn without_commas(text: &str) -> Cow<'_, str> {
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.trim_start_matches('-').split(',');
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = |group: &str| (1..=3).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit());
    match groups.next().is_some_and(is_first) && groups.all(is_group) {
        true => Cow::Owned(text.replace(',', "")),
        false => Cow::Borrowed(text),
    }
}

/// The data about a message of a cluster by which it can be chosen.
#[derive(Debug, Clone)]
pub(crate) struct Member<'s, T> {
    /// Its position.
    pub(crate) pos: Pos,
    /// Its event time, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
    /// JSON text of the value in [the field that chooses](Represent::field).
    pub(crate) value: Option<&'s str>,
    /// Its text.
    pub(crate) sample: &'s Sample,
    /// Data to return if it is chosen.
    pub(crate) what: T,
}

/// A cluster and the message chosen so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Star<T> {
    /// The kept message.
    pub(crate) kept: Pos,
    /// The chosen message.
    pub(crate) chosen: Pos,
    /// The data of the chosen message.
    pub(crate) what: T,
    rank: i128,
}

/// Chooses while messages come. Holds, for each kept message, 32 bytes and the data of the chosen one. For the most frequent wording it
/// also holds about a hundred bytes for each wording that is not alone.
#[derive(Debug, Clone)]
pub(crate) struct Chooser<T> {
    by: Represent,
    /// In the order of the kept messages.
    stars: Vec<Star<T>>,
    /// For each kept message and text hash: the first message with this wording. Its rank is the number of messages with this wording.
    wordings: BTreeMap<(Pos, u64), Star<T>>,
}

impl<T: Clone> Chooser<T> {
    /// Makes a chooser that has seen no message.
    pub(crate) fn new(by: Represent) -> Self {
        Self { by, stars: Vec::new(), wordings: BTreeMap::new() }
    }

    /// Adds a kept message. Positions must rise.
    pub(crate) fn keep(&mut self, member: Member<'_, T>) {
        let (pos, is_wording) = (member.pos, self.by == Represent::MostFrequent);
        let rank = if is_wording { 1 } else { self.rank(&member) };
        let star = Star { kept: pos, chosen: pos, what: member.what, rank };
        if is_wording {
            self.wordings.insert((pos, member.sample.hash), star.clone());
        }
        self.stars.push(star);
    }

    /// Adds a message that repeats the one kept at `of`.
    pub(crate) fn repeat(&mut self, of: Pos, member: Member<'_, T>) {
        let Ok(at) = self.stars.binary_search_by_key(&of, |star| star.kept) else { return };
        let rank = self.rank(&member);
        let mut own = Star { kept: of, chosen: member.pos, what: member.what, rank };
        match &self.by {
            Represent::First => return,
            Represent::MostFrequent => {
                let wording = self.wordings.entry((of, member.sample.hash)).or_insert(own);
                wording.rank += 1;
                own = wording.clone();
            }
            Represent::Longest | Represent::Newest | Represent::By(..) => {}
        }
        let star = &mut self.stars[at];
        let better = match &self.by {
            Represent::Newest => own.rank >= star.rank,
            _ => (own.rank, Reverse(own.chosen)) > (star.rank, Reverse(star.chosen)),
        };
        if better {
            *star = own;
        }
    }

    fn rank(&self, member: &Member<'_, T>) -> i128 {
        match &self.by {
            Represent::Longest => member.sample.characters.into(),
            Represent::Newest => member.time.map_or(i128::MIN, i128::from),
            Represent::By(_, order) => member.value.and_then(|value| order.rank(value)).unwrap_or(i128::MIN),
            Represent::First | Represent::MostFrequent => 0,
        }
    }

    /// Returns the data of the chosen messages, in the order of the kept messages.
    pub(crate) fn into_chosen(self) -> Vec<T> {
        self.stars.into_iter().map(|star| star.what).collect()
    }

    /// The cluster of the message that was kept at `kept`.
    pub(crate) fn star(&self, kept: Pos) -> Option<&Star<T>> {
        self.stars.binary_search_by_key(&kept, |star| star.kept).ok().map(|at| &self.stars[at])
    }
}

/// The result of a first pass: the representative of each cluster. Takes 64 bytes for each repeat, beside the [`Chooser`].
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    chooser: Chooser<Chosen>,
    /// In the order of their positions.
    repeats: Vec<Repeat>,
    /// Messages without a time or a value to choose by.
    lacks: Lacks,
}

#[derive(Debug, Clone)]
struct Chosen {
    id: RecordId<'static>,
    /// Its verdict in the first pass.
    verdict: &'static str,
}

#[derive(Debug, Clone)]
struct Repeat {
    pos: Pos,
    of: Option<Pos>,
    /// The message of an archive that it repeats.
    archived: Option<RecordId<'static>>,
    verdict: &'static str,
}

impl Choice {
    /// Makes an empty choice.
    pub(crate) fn new(by: Represent) -> Self {
        Self { chooser: Chooser::new(by), repeats: Vec::new(), lacks: Lacks::default() }
    }

    /// Messages without a time, if there are any and times choose.
    pub(crate) fn untimed(&self) -> Option<Portion> {
        let is_untimed = self.chooser.by == Represent::Newest && self.lacking().count > 0;
        is_untimed.then_some(self.lacking())
    }

    /// Messages without a usable value, if a field chooses.
    pub(crate) fn unranked(&self) -> Option<Portion> {
        self.chooser.by.field().map(|_| self.lacking())
    }

    fn lacking(&self) -> Portion {
        self.lacks.portion(&self.chooser.by)
    }

    /// Adds a judged message.
    pub(crate) fn message(&mut self, seen: &Observed<'_>) {
        let Observed { pos, time, value, verdict, sample, .. } = *seen;
        self.lacks.add(&self.chooser.by, time, value);
        let what = Chosen { id: seen.id.clone().into_owned(), verdict: verdict.name() };
        let member = Member { pos, time, value, sample, what };
        if verdict.is_kept() {
            self.chooser.keep(member);
            return;
        }
        let of = verdict.of().filter(|_| !seen.in_archive);
        let archived = seen.of.filter(|_| seen.in_archive).map(|of| of.clone().into_owned());
        self.repeats.push(Repeat { pos, of, archived, verdict: verdict.name() });
        if let Some(of) = of {
            self.chooser.repeat(of, member);
        }
    }

    /// Reads all of `source` again. Writes each chosen message to `sink` at its own place, and the others to the output for dropped
    /// records. Those name the chosen message; they show no similarity, because that was measured with the first message. `before` are
    /// the totals of the first pass.
    ///
    /// # Errors
    /// [`Error::Io`] if reading or writing fails, or if the input has changed.
    pub(crate) fn write(&self, mut source: Source, parser: &Parser, sink: &mut Sink, before: &Totals) -> Result<()> {
        let mut repeats = self.repeats.iter().peekable();
        let (mut pos, mut bytes) = (0, 0);
        while let Some(batch) = source.next_batch()? {
            sink.begin(&batch)?;
            let text = as_text(&batch);
            for (index, line) in batch.lines.iter().enumerate() {
                let entry = batch.entry(index);
                match line.part {
                    Part::TooLongRest => sink.rest(entry),
                    Part::Header => sink.header(entry)?,
                    Part::HeaderAgain | Part::HeaderRow => {}
                    Part::Whole | Part::Undecodable | Part::TooLong | Part::Misquoted => {
                        let here = Pos(pos);
                        pos += 1;
                        match parser.read(&batch, text, line) {
                            Err(fault) => sink.fault(entry, &fault),
                            Ok(None) => sink.blank(entry),
                            Ok(Some(_)) => {
                                let repeat = repeats.next_if(|repeat| repeat.pos == here);
                                let star =
                                    self.chooser.star(repeat.map_or(Some(here), |repeat| repeat.of).unwrap_or(here));
                                let chosen = star.is_some_and(|star| star.chosen == here);
                                let verdict = repeat.map(|repeat| repeat.verdict);
                                let verdict = verdict.or(star.map(|star| star.what.verdict)).unwrap_or("kept");
                                let archived = repeat.and_then(|repeat| repeat.archived.as_ref());
                                sink.represented(entry, chosen, verdict, archived.or(star.map(|star| &star.what.id)));
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
            let reason = tr!("is not what it was in the first pass; what was written of it is wrong");
            return Err(Error::io(tr!("the input"), io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

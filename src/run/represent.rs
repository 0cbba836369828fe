//! Which message of a cluster stands for it, and a second pass over the input that keeps that one.
//!
//! The verdicts are those of one pass, as ever: each cluster is a star around the message that came first. Only when all of the
//! input is known can it be said which of them is the longest, the newest, or worded as most are; so the input is
//! [read again](Choice::write), and each chosen message leaves byte for byte at its own place.

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

/// Which message of a cluster stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Represent {
    /// The first one, which the others repeat.
    First,
    /// The one of most characters; of those the first.
    Longest,
    /// The one with the latest time; of those, and where none has a time, the last.
    Newest,
    /// The first one of the wording that most have, byte for byte; of equally frequent wordings the one that came first.
    MostFrequent,
    /// The one whose value in a field comes first in an order; of those the first, and one without such a value only if none has one.
    By(FieldPath, ValueOrder),
}

/// An order of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueOrder {
    /// The largest number, or the latest date.
    Largest,
    /// The smallest number, or the earliest date.
    Smallest,
    /// As they are listed.
    Listed(Vec<String>),
}

/// Of a number, its billionths count: whole numbers are whole in any case.
const SCALE: i128 = 1_000_000_000;

impl Represent {
    /// Reads `longest`, `largest:likes`, `listed:source=xinhua,weibo`.
    ///
    /// # Errors
    /// In words, with all that can be written.
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
                by(field, ValueOrder::Listed(list.split(',').map(str::to_owned).collect()))
            }
            _ => Err(tr!("there are first, longest, newest, most-frequent, largest:FIELD, smallest:FIELD and \
                      listed:FIELD=A,B: for example largest:likes or listed:source=xinhua,weibo")),
        }
    }

    /// Whether a message has nothing that it could be chosen by: no value or no time, where these choose.
    pub(crate) fn lacks(&self, time: Option<i64>, value: Option<&str>) -> bool {
        match self {
            Self::By(_, order) => value.and_then(|value| order.rank(value)).is_none(),
            Self::Newest => time.is_none(),
            Self::First | Self::Longest | Self::MostFrequent => false,
        }
    }

    /// Where the values stand that choose.
    pub(crate) fn field(&self) -> Option<&FieldPath> {
        match self {
            Self::By(field, _) => Some(field),
            _ => None,
        }
    }
}

impl ValueOrder {
    /// The place of a value, given as JSON text: the higher the better; none if it has none.
    fn rank(&self, value: &str) -> Option<i128> {
        let text = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
        match self {
            Self::Largest => number(&text),
            Self::Smallest => number(&text).map(|number| -number),
            Self::Listed(list) => list.iter().position(|listed| *listed == text).map(|at| -(at as i128)),
        }
    }
}

/// What stands behind a number for a factor, as pages show it.
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

/// A number in billionths, also as pages show it (`12,345`, `1.2万`, `1.2w`, `10k+`, `１２３`), or a date in milliseconds since 1970.
fn number(text: &str) -> Option<i128> {
    if let Ok(whole) = text.trim().parse::<i64>() {
        return Some(i128::from(whole) * SCALE);
    }
    let text: String = text.trim().chars().map(narrow).collect();
    let shown = text.trim_end_matches('+');
    let with_unit = UNITS.iter().find_map(|(unit, factor)| Some((shown.strip_suffix(*unit)?.trim_end(), *factor)));
    let (digits, factor) = with_unit.unwrap_or((shown, 1.0));
    match without_commas(digits).parse::<f64>() {
        // No number is as little as none, which is `i128::MIN`.
        Ok(number) => number.is_finite().then_some(((number * factor).clamp(-1e27, 1e27) * SCALE as f64) as i128),
        Err(_) => milliseconds(&text).map(|time| i128::from(time) * SCALE),
    }
}

/// A character of full width as its twin in ASCII; any other as it is.
fn narrow(c: char) -> char {
    let twin = |c: char| char::from_u32(u32::from(c) - u32::from('！') + u32::from('!'));
    if ('！'..='～').contains(&c) { twin(c).unwrap_or(c) } else { c }
}

/// `12,345.6` as `12345.6`; anything else as it is.
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

/// A message of a cluster, as the choice sees it.
#[derive(Debug, Clone)]
pub(crate) struct Member<'s, T> {
    /// Its position.
    pub(crate) pos: Pos,
    /// When it was said, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
    /// JSON text of what stands in [the field that chooses](Represent::field).
    pub(crate) value: Option<&'s str>,
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
    rank: i128,
}

/// Chooses while messages come. Holds 32 bytes and what is known of the chosen one for each kept message, and for the most
/// frequent wording about a hundred for each wording that is not alone.
#[derive(Debug, Clone)]
pub(crate) struct Chooser<T> {
    by: Represent,
    /// In the order of the kept messages.
    stars: Vec<Star<T>>,
    /// By the kept message and the text's hash: the first message of this wording, ranked by how many have it.
    wordings: BTreeMap<(Pos, u64), Star<T>>,
}

impl<T: Clone> Chooser<T> {
    /// A chooser that has seen nothing.
    pub(crate) fn new(by: Represent) -> Self {
        Self { by, stars: Vec::new(), wordings: BTreeMap::new() }
    }

    /// A message is kept. Positions must rise.
    pub(crate) fn keep(&mut self, member: Member<'_, T>) {
        let (pos, is_wording) = (member.pos, self.by == Represent::MostFrequent);
        let rank = if is_wording { 1 } else { self.rank(&member) };
        let star = Star { kept: pos, chosen: pos, what: member.what, rank };
        if is_wording {
            self.wordings.insert((pos, member.sample.hash), star.clone());
        }
        self.stars.push(star);
    }

    /// A message repeats the one that was kept at `of`.
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
    /// Messages, and those without a time, or a value, to choose by.
    messages: u64,
    lacking: u64,
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
        Self { chooser: Chooser::new(by), repeats: Vec::new(), messages: 0, lacking: 0 }
    }

    /// Messages without a time, if there are any and times choose.
    pub(crate) fn untimed(&self) -> Option<Portion> {
        let is_untimed = self.chooser.by == Represent::Newest && self.lacking > 0;
        is_untimed.then_some(self.lacking())
    }

    /// Messages without a value that could choose, if a field chooses.
    pub(crate) fn unranked(&self) -> Option<Portion> {
        self.chooser.by.field().map(|_| self.lacking())
    }

    fn lacking(&self) -> Portion {
        Portion { count: self.lacking, of: self.messages }
    }

    /// Takes a message that was judged.
    pub(crate) fn message(&mut self, seen: &Observed<'_>) {
        self.messages += 1;
        let Observed { pos, time, value, verdict, sample, .. } = *seen;
        self.lacking += u64::from(self.chooser.by.lacks(time, value));
        let what = Chosen { id: seen.id.clone().into_owned(), verdict: verdict.name() };
        let member = Member { pos, time, value, sample, what };
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
            let text = as_text(&batch);
            for (index, line) in batch.lines.iter().enumerate() {
                let entry = batch.entry(index);
                match line.part {
                    Part::TooLongRest => sink.rest(entry),
                    Part::Header => sink.header(entry),
                    Part::HeaderAgain => {}
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
            let reason = tr!("is not what it was in the first pass; what was written of it is wrong");
            return Err(Error::io(tr!("the input"), io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_pages_show_them() {
        for (text, billionths) in [
            ("12000", 12_000 * SCALE),
            ("12,000", 12_000 * SCALE),
            ("-1,234.5", -1_234_500_000_000),
            ("1.2万", 12_000 * SCALE),
            ("3 億", 300_000_000 * SCALE),
            ("100万+", 1_000_000 * SCALE),
            ("1.2w", 12_000 * SCALE),
            ("10K+", 10_000 * SCALE),
            ("2.5 m", 2_500_000 * SCALE),
            ("3千", 3000 * SCALE),
            ("１２，３４５", 12_345 * SCALE),
            ("１.２Ｗ＋", 12_000 * SCALE),
            ("1e3", 1000 * SCALE),
        ] {
            assert_eq!(number(text), Some(billionths), "{text}");
        }
        for text in ["1,2", "12,00", ",123", "万", "", "inf", "多"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}

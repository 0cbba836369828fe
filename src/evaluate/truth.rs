//! Truth by similarity, for messages without labels: of all pairs, or of those that some method finds.

use super::finds::{MethodFinds, PairRow};
use super::indel::{IndelBodies, LcsComparer};
use super::read::{Messages, messages};
use super::rows::in_rows;
use super::sample::{Pairs, Sample, bodies, lengths, plural, words_of};
use super::truth_on::TruthOn;
use super::{Dataset, Experiment, OnProgress, Truth};
use crate::error::{Error, Result};
use crate::locale::Bilingual;
use crate::locale::tr;

/// Number of messages to compare all with all if `--sample` does not say: 5·10^7 pairs, half a minute for all engines on two cores.
const COMPARED: usize = 10_000;

/// The similarity that makes two messages repeats of each other.
struct Measure {
    /// Least similarity.
    least: f64,
    /// A lower bound for the Indel similarity of alike messages. It is quick to check.
    floor: f64,
    is_levenshtein: bool,
}

impl Measure {
    /// Indel similarity 2·LCS / (|a| + |b|) from `least` on.
    fn indel(least: f64) -> Self {
        Self { least, floor: least, is_levenshtein: false }
    }

    /// Levenshtein similarity 1 − distance / max(|a|, |b|) from t = `least` on. A distance of at most (1 − t)·max takes at most twice as
    /// many insertions and deletions, and |a| + |b| ≥ (1 + t)·max. Hence the Indel similarity is at least 1 − 2(1 − t)/(1 + t).
    fn levenshtein(least: f64) -> Self {
        let floor = (1.0 - 2.0 * (1.0 - least) / (1.0 + least) - 1e-9).max(f64::MIN_POSITIVE);
        Self { least, floor, is_levenshtein: true }
    }

    fn alike(&self, comparer: &mut LcsComparer<'_>, other: usize) -> bool {
        comparer.similarity(other, self.floor).is_some()
            && (!self.is_levenshtein || comparer.levenshtein(other) >= self.least)
    }

    fn description(&self, on: TruthOn) -> String {
        let (form, least) = (on.words(), self.least);
        match self.is_levenshtein {
            true => tr!("Levenshtein similarity 1 − distance/max(|a|,|b|) of {form} ≥ {least}", form, least),
            false => tr!("Indel similarity 2·LCS/(|a|+|b|) of {form} ≥ {least}", form, least),
        }
    }
}

/// Reads the first messages into a sample of all their pairs, none of which is judged yet.
pub(super) fn unjudged(input: Dataset, options: &Experiment) -> Result<Sample> {
    let most = options.sample.unwrap_or(COMPARED);
    let (Messages { mut texts, groups, mut groups_of, .. }, name) = messages(input, options, most)?;
    let (read, mut numbers) = (texts.len(), Vec::new());
    if options.least_words > 0 {
        let mut words = words_of(&texts).into_iter();
        let enough: Vec<bool> = words.by_ref().map(|words| words >= options.least_words).collect();
        numbers = (1..).zip(&enough).filter(|(_, enough)| **enough).map(|(number, _)| number).collect();
        let (mut of_texts, mut of_groups) = (enough.iter(), enough.iter());
        texts.retain(|_| of_texts.next().is_some_and(|enough| *enough));
        groups_of.retain(|_| of_groups.next().is_some_and(|enough| *enough));
    }
    if texts.is_empty() {
        let reason = tr!("none of the {read} messages has {} words; try fewer", options.least_words, read);
        return Err(Error::config("--least-words", reason));
    }
    let all = texts.len() as u64 * (texts.len() as u64 - 1) / 2;
    let description = Bilingual::new(|| {
        let messages = plural(texts.len() as u64, "message");
        let messages = if read == most { tr!("the first {messages}", messages) } else { messages };
        let of = match options.least_words {
            0 => String::new(),
            least => tr!(" of {least} words or more (of {read} read)", least, read),
        };
        tr!("{name}: {messages}{of}, all {all} pairs.", name, messages, of, all)
    });
    let lengths = lengths(&texts, &bodies(&texts), options.length_in);
    let pairs = Pairs::All(vec![Vec::new(); texts.len()]);
    Ok(Sample { numbers, groups, groups_of, ..Sample::of(texts, lengths, pairs, description) })
}

/// If the truth is a similarity, judges by it every pair of the sample, or only those that some method finds.
pub(super) fn judge(
    sample: &mut Sample,
    finds: &[MethodFinds],
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<()> {
    let (measure, is_pooled) = match options.truth {
        Truth::Indel(least) => (Measure::indel(least), false),
        Truth::Levenshtein(least) => (Measure::levenshtein(least), false),
        Truth::Pooled(least) => (Measure::indel(least), true),
        _ => return Ok(()),
    };
    let texts: Vec<_> = sample.texts.iter().map(|text| options.reading.unwrapped(text)).collect();
    let bodies = IndelBodies::on(options.truth_on, texts.iter().map(|text| &**text));
    let messages = sample.texts.len();
    let finds: Vec<&MethodFinds> = finds.iter().collect();
    let alike = match is_pooled {
        false => {
            alike(&bodies, &measure, options, progress, |_: &mut (), a, out| out.extend(a as u32 + 1..messages as u32))?
        }
        true => alike(&bodies, &measure, options, progress, |row: &mut PairRow, a, out| {
            row.read(&finds, a, messages, &[]);
            out.extend(row.entries().map(|(b, ..)| b));
            out.sort_unstable();
        })?,
    };
    let mut repeats = vec![false; messages];
    alike.iter().flatten().for_each(|other| repeats[*other as usize] = true);
    sample.description.add(|| {
        let how = match is_pooled {
            true => tr!("of the pairs that any method of the catalogue finds"),
            false => tr!("by brute force"),
        };
        tr!(
            " True: {}, {how}: {}. Stream: a message is a repeat if any earlier one is alike: {}.",
            measure.description(options.truth_on)
                + &if options.reading.html { tr!(", tags taken out") } else { String::new() },
            plural(alike.iter().map(|alike| alike.len() as u64).sum(), "pair"),
            plural(repeats.iter().filter(|is_repeat| **is_repeat).count() as u64, "message"),
            how
        )
    });
    sample.is_repeat_in_stream = Some(repeats);
    sample.pairs = Pairs::All(alike);
    Ok(())
}

/// For each message, the later messages that are alike, ascending. `candidates` writes the later messages to check.
fn alike<S: Default + Send>(
    bodies: &IndelBodies,
    measure: &Measure,
    options: &Experiment,
    progress: OnProgress<'_>,
    candidates: impl Fn(&mut S, usize, &mut Vec<u32>) + Sync,
) -> Result<Vec<Vec<u32>>> {
    let later = |(comparer, state): &mut (LcsComparer<'_>, S), a: usize| {
        let mut later = Vec::new();
        candidates(state, a, &mut later);
        comparer.set_pattern(a);
        later.retain(|other| measure.alike(comparer, *other as usize));
        later
    };
    let make = || (LcsComparer::new(bodies), S::default());
    let done = |done| progress("similarity of pairs", done, bodies.len());
    in_rows(bodies.len(), options.threads, make, later, &done).map(|(_, alike)| alike)
}

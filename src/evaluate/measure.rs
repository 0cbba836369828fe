//! Measures one engine, or all methods, on one sample.

use super::agreement::Agreement;
use super::engines::{self, Engine};
use super::finds::{self, MethodCounts, MethodFinds};
use super::pool;
use super::rows::in_rows;
use super::sample::{Pairs, Sample};
use super::tally::{BANDS, ByLength, Case, Counts, Grouped, LengthIn, Tally, total};
use super::wrong::Wrong;
use super::{EngineScores, Experiment, OnProgress, Slice, Sweep, SweepPoint};
use crate::compare::{Against, Comparer, Print, score_of};
use crate::config::{Config, NearMode};
use crate::dedup::Deduplicator;
use crate::error::Result;
use crate::near::banding::Banding;
use crate::record::Record;

/// Returns the results of an engine, and of each threshold to try.
pub(super) fn measure(
    engine: &Engine,
    sample: &Sample,
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<(EngineScores, Vec<SweepPoint>)> {
    let config = &engine.config;
    let mut comparer = Comparer::new(config)?;
    let prints: Vec<Print> = sample.texts.iter().map(|text| comparer.print(text)).collect();
    let thresholds = options.sweep.as_ref().map_or(Vec::new(), |sweep| thresholds(config, sweep));
    let bandings = bandings(config, &thresholds);
    let make = || (Tally::new(sample.groups.len(), bandings.len()), Wrong::new(options.misjudged));
    let judge = Judge { comparer, prints, sample, options, bandings: &bandings };
    let (mut pairs, mut wrong) = make();
    match &sample.pairs {
        Pairs::Listed(listed) => {
            for pair in listed {
                let mut against = judge.comparer.against(&judge.prints[pair.a]);
                let found = (&mut pairs, &mut wrong);
                judge.count(found, &mut against, (pair.a, pair.b), pair.is_repeat, &pair.groups);
            }
        }
        Pairs::All(repeats) => {
            let row = |(tally, wrong): &mut (Tally, Wrong), a: usize| {
                let mut repeats = repeats[a].iter().map(|b| *b as usize).peekable();
                let mut against = judge.comparer.against(&judge.prints[a]);
                for b in a + 1..sample.texts.len() {
                    let is_repeat = repeats.next_if_eq(&b).is_some();
                    judge.count((&mut *tally, &mut *wrong), &mut against, (a, b), is_repeat, sample.groups_of(b));
                }
            };
            let done = |done| progress(&engine.name, done, repeats.len());
            let (states, _) = in_rows(repeats.len(), options.threads, make, row, &done)?;
            for (tally, own) in states {
                pairs.merge(&tally);
                wrong.merge(own);
            }
        }
    }
    let repeats = sample.is_repeat_in_stream.as_ref();
    let stream = repeats.map(|repeats| stream(config.clone(), sample, repeats, options)).transpose()?;
    let slices = slices(sample, &pairs.counted, stream.as_ref(), options.length_in);
    let (tried, curve) = match config.near {
        NearMode::None => (Vec::new(), Vec::new()),
        NearMode::MinHash => {
            let (tried, curve) = pairs.tried.split_at(thresholds.len());
            (tried.to_vec(), curve.to_vec())
        }
        _ => (thresholds.iter().map(|(_, threshold)| pairs.at(*threshold)).collect(), pairs.curve()),
    };
    let sweep = settings(engine, thresholds, tried, options.min_precision);
    let misjudged = (options.misjudged > 0).then(|| wrong.explained(config, sample)).transpose()?;
    Ok((EngineScores { engine: engine.name.clone(), options: engine.options.clone(), slices, curve, misjudged }, sweep))
}

/// Returns the results of the methods, and how much they agree.
pub(super) fn measure_methods(
    finds: &[&MethodFinds],
    sample: &Sample,
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<(Vec<EngineScores>, Agreement)> {
    let judged = finds::judge(finds, sample, options, progress)?;
    let mut wrong = match options.misjudged {
        0 => Vec::new(),
        _ => pool::wrong(finds, sample, options)?.into_iter().map(|wrong| wrong.told_of_method(sample)).collect(),
    }
    .into_iter();
    let row = |(find, counts): (&&MethodFinds, &MethodCounts)| EngineScores {
        engine: find.method.id.into(),
        options: find.method.title.into(),
        slices: slices(sample, &counts.pairs, counts.stream.as_ref(), options.length_in),
        curve: Vec::new(),
        misjudged: wrong.next(),
    };
    let rows = finds.iter().zip(&judged.counts).map(row).collect();
    Ok((rows, Agreement::new(finds.iter().map(|find| find.method.id).collect(), &judged.together)))
}

/// Judges pairs of a sample.
struct Judge<'s> {
    comparer: Comparer,
    prints: Vec<Print>,
    sample: &'s Sample,
    options: &'s Experiment,
    /// Further bands to try, for MinHash.
    bandings: &'s [Banding],
}

impl Judge<'_> {
    /// Counts the pair of `a` and `b`; `against` belongs to `a`.
    fn count(
        &self,
        (tally, wrong): (&mut Tally, &mut Wrong),
        against: &mut Against<'_>,
        (a, b): (usize, usize),
        is_repeat: bool,
        groups: &[u16],
    ) {
        let Some(band) = self.sample.band(a, b, self.options) else { return };
        let found = against.judge(&self.prints[b]);
        let is_called = !found.verdict.is_kept();
        if is_called != is_repeat {
            wrong.add(is_repeat, self.sample.reported_group(groups, self.options), (a, b));
        }
        tally.add(Case { is_repeat, is_called, score: found.score, band, groups });
        for (banding, counts) in self.bandings.iter().zip(&mut tally.tried) {
            counts.add(is_repeat, against.is_repeat_by(banding, &self.prints[b], &found));
        }
    }
}

/// Judges message after message, as `quchong dedup` does.
fn stream(config: Config, sample: &Sample, repeats: &[bool], options: &Experiment) -> Result<Grouped> {
    let mut dedup = Deduplicator::new(Config { remember_ids: false, ..config })?;
    let mut counted = Grouped::new(sample.groups.len());
    for (at, ((text, length), is_repeat)) in sample.texts.iter().zip(&sample.lengths).zip(repeats).enumerate() {
        let judged = dedup.judge(&Record::new(at as u64 + 1, text.as_str()))?;
        if (options.length.0..=options.length.1).contains(length) {
            counted.add(*is_repeat, !judged.verdict.is_kept(), options.length_in.band(*length), sample.groups_of(at));
        }
    }
    Ok(counted)
}

/// Returns the slices of counts, in the order that all rows share.
fn slices(sample: &Sample, pairs: &Grouped, stream: Option<&Grouped>, length_in: LengthIn) -> Vec<Slice> {
    let names = length_in.bands().map(|(_, name)| name);
    let mut slices = Vec::new();
    for (of, counted) in [("pairs", Some(pairs)), ("stream", stream)] {
        let Some(counted) = counted else { continue };
        slice(of, ["", ""], &names, &counted.all, &mut slices);
        for (group, bands) in sample.groups.iter().zip(&counted.groups) {
            slice(of, [&group.field, &group.value], &names, bands, &mut slices);
        }
    }
    slices
}

/// Appends the slice of all cases, then one for each band that has cases.
fn slice(
    of: &'static str,
    [field, value]: [&str; 2],
    names: &[&'static str; BANDS],
    bands: &ByLength,
    out: &mut Vec<Slice>,
) {
    let named = names.iter().copied().zip(bands.iter().copied()).filter(|(name, _)| !name.is_empty());
    for (length, counts) in [("", total(bands))].into_iter().chain(named) {
        if length.is_empty() || counts.cases() > 0 {
            out.push(Slice { of, field: field.to_owned(), value: value.to_owned(), length, counts });
        }
    }
}

/// Returns the thresholds to try, the strictest first, each with its option.
fn thresholds(config: &Config, sweep: &Sweep) -> Vec<(String, f64)> {
    let mut thresholds: Vec<f64> = match sweep {
        Sweep::Distance(_) if config.near != NearMode::SimHash => Vec::new(),
        Sweep::Distance(distances) => distances.iter().map(|distance| score_of(*distance)).collect(),
        Sweep::Similarity(hundredths) => hundredths.iter().map(|hundredths| f64::from(*hundredths) / 100.0).collect(),
    };
    thresholds.sort_by(|a, b| b.total_cmp(a));
    let with_option = |threshold| Some((engines::option(config, threshold)?, threshold));
    let mut thresholds: Vec<(String, f64)> = thresholds.into_iter().filter_map(with_option).collect();
    // Thresholds that lead to the same option are tried once.
    thresholds.dedup_by(|next, last| next.0 == last.0);
    thresholds
}

/// Returns the bands of MinHash at each of these thresholds, then those of the curve, the loosest first; none for other engines.
fn bandings(config: &Config, thresholds: &[(String, f64)]) -> Vec<Banding> {
    if config.near != NearMode::MinHash {
        return Vec::new();
    }
    let tried = thresholds.iter().map(|(_, threshold)| (threshold * 1000.0).round() as u32);
    let curve = (1..=20).map(|twentieths| twentieths * 50);
    tried.chain(curve).map(|similarity| Banding::choose(config.permutations, similarity)).collect()
}

/// Returns the counts at these thresholds, the strictest first, with the recommended ones marked.
fn settings(
    engine: &Engine,
    thresholds: Vec<(String, f64)>,
    tried: Vec<Counts>,
    min_precision: f64,
) -> Vec<SweepPoint> {
    let point = |((option, threshold), counts)| {
        let engine = engine.name.clone();
        SweepPoint { engine, option, threshold, best: false, precise: false, counts }
    };
    let mut settings: Vec<SweepPoint> = thresholds.into_iter().zip(tried).map(point).collect();
    let f1 = |setting: &SweepPoint| setting.counts.f1().unwrap_or(0.0);
    let best = settings.iter().map(f1).fold(0.0, f64::max);
    // Without a repeat among the pairs every threshold has the same F1: none.
    if let Some(setting) = settings.iter_mut().find(|setting| f1(setting) == best && setting.counts.repeats() > 0) {
        setting.best = true;
    }
    let is_precise =
        |setting: &&mut SweepPoint| setting.counts.precision().is_some_and(|precision| precision >= min_precision);
    if let Some(setting) = settings.iter_mut().rev().find(is_precise) {
        setting.precise = true;
    }
    settings
}

//! Puts the papers' tables beside ours, on any collection: what `quchong reproduce` writes.
//!
//! ```text
//! files ─[read]─▶ texts ─[sign]─▶ finds of every method ─[pairs]─▶ who finds which pair, how similar it is
//!                                                                       ├─▶ tables: P, R, F1, pool, lengths, agreement
//!                                                                       ├─▶ claims: orderings, with a bootstrap over documents
//!                                                                       └─▶ ablations: the same under other readings
//! ```
//! The truth is that of the papers. Only pairs that some method of the [catalogue](crate::methods::CATALOGUE) finds are judged, on the
//! texts as they came. A pair is true if its Indel similarity is at least 0.8 (Zelenkov & Segalovich; Chala & Popadenko), or for Kosinov,
//! if its Levenshtein similarity is at least 0.85 to 1.00; there, both texts must have 20 words or more. Pairs that all methods miss are
//! unknown.
//!
//! A claim on an ordering is judged by the smallest difference between its methods.
//! - The claim *holds* if that difference is above 0 on this collection.
//! - It holds surely if the 95 % interval is above 0, too. The interval comes from a bootstrap: collections drawn from this one's
//!   documents, where a pair belongs to its earlier document.
//! - A drawn collection is skipped, and counted, if a method of the claim has no such rate there (no precision, since it finds nothing).
//!   If more than a twentieth are skipped, nothing is sure.
//!
//! Orders are compared in the same way, by τ, over the drawn collections that have one.

mod ablations;
mod pairs;
mod papers;
mod sums;
mod write;

use std::collections::HashMap;

use serde::Serialize;

use super::agreement::Agreement;
use super::finds::{self, MethodFinds};
use super::tally::{Counts, LengthIn};
use super::truth::unjudged;
use super::{Dataset, Experiment, OnProgress, Truth, TruthOn};
use crate::config::Rules;
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::locale::{Bilingual, later};
use crate::methods::{CATALOGUE, Reading};
use pairs::{LEVENSHTEIN, Pair, pairs};
use papers::{CLAIMS, KOSINOV, View, ZELENKOV};
use sums::{F1, Rates, Sums, interval, kendall, rates};

/// What to reproduce, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// How methods read messages.
    pub reading: Reading,
    /// Whether each file as a whole is one message.
    pub whole_files: bool,
    /// Number of first messages to use.
    pub sample: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Number of collections that the bootstrap draws, at least 1.
    pub replicates: usize,
    /// Whether to run the ablations.
    pub ablations: bool,
    /// Threads, at least 1. Apart from times, the report is the same for any number.
    pub threads: usize,
}

/// The reproduced tables.
#[derive(Debug, Serialize)]
pub struct Reproduced {
    /// A sentence that describes the collection.
    pub(crate) source: Bilingual,
    /// Number of pairs that any method finds, and number of those that are true.
    pub pool: [u64; 2],
    /// A row for each method.
    pub methods: Vec<MethodRow>,
    /// The papers' claims on orderings.
    pub claims: Vec<JudgedClaim>,
    /// The order of the methods here and in the papers.
    pub orders: Vec<Ranking>,
    /// F1 of some methods under other readings.
    pub ablations: Vec<Ablation>,
    /// How much the methods agree.
    pub agreement: Agreement,
    /// Microseconds that each method takes to sign a message. Left out of any output that must be reproducible.
    #[serde(skip)]
    pub signing: Vec<f64>,
}

/// The figures of a method here and in its paper.
#[derive(Debug, Serialize)]
pub struct MethodRow {
    /// Its name.
    pub method: &'static str,
    /// Precision, recall and F1 that its paper prints, if any.
    pub paper: Option<[f64; 3]>,
    /// Our precision, recall and F1; `None` if nothing is found, or nothing is true.
    pub here: [Option<f64>; 3],
    /// 95 % bootstrap interval of F1.
    pub f1_interval: Option<[f64; 2]>,
    /// Number of pairs that the method finds.
    pub found: u64,
    /// Number of pairs that no other method finds.
    pub alone: u64,
    /// F1 by words of the shorter text: up to 19, 20–50, 51–500, 501–5000, more; `None` if nothing is true or found.
    pub by_length: Vec<Option<f64>>,
    /// Precision, recall and F1 at Levenshtein similarities from 0.85, 0.90, 0.95 and 1.00 on, for texts of 20 words or more.
    pub levenshtein: Vec<[Option<f64>; 3]>,
}

/// A claim on an ordering, judged.
#[derive(Debug, Serialize)]
pub struct JudgedClaim {
    /// The claim, in words.
    pub claim: &'static str,
    /// The authors of the paper.
    pub paper: &'static str,
    /// The smallest difference between the rates in the claim: above 0 if the claim holds. `None` if one of the rates is undefined.
    pub difference: Option<f64>,
    /// 95 % bootstrap interval of the difference; `None` if all draws were skipped.
    pub interval: Option<[f64; 2]>,
    /// Number of drawn collections that were skipped, since one of the rates is undefined there.
    pub skipped: usize,
    /// `holds`, `holds, unsure`, `does not, unsure` or `does not`; `level` or `level, unsure` if the difference is always 0; `nothing to
    /// judge` if no such pair is true, or a method finds none.
    pub verdict: &'static str,
}

/// The order of methods here and in a paper.
#[derive(Debug, Serialize)]
pub struct Ranking {
    /// Which methods are ordered, and by which rate.
    pub of: &'static str,
    /// The methods, the best of the paper first.
    pub theirs: Vec<&'static str>,
    /// The methods, the best here first; empty if there is nothing to judge.
    pub ours: Vec<&'static str>,
    /// Kendall's τ-b of the two orders; `None` if no such pair is true, a method has no F1, or all methods have the same.
    pub tau: Option<f64>,
    /// 95 % bootstrap interval of τ; `None` if all draws were skipped.
    pub interval: Option<[f64; 2]>,
    /// Number of drawn collections that were skipped, since there is nothing to judge.
    pub skipped: usize,
}

/// F1 of some methods under another reading.
#[derive(Debug, Serialize)]
pub struct Ablation {
    /// The reading.
    pub reading: &'static str,
    /// F1 of each method that ablations measure.
    pub f1: Vec<(&'static str, Option<f64>)>,
}

/// The counts of one view of the pairs, and the rates of the drawn collections.
struct Seen {
    counts: Vec<Counts>,
    drawn: Vec<Vec<Rates>>,
}

impl Seen {
    /// Whether no pair of the view is true.
    fn is_empty(&self) -> bool {
        self.counts.iter().all(|counts| counts.repeats() == 0)
    }
}

/// Verdicts on claims that hold.
const HOLDS: &str = later("holds");
const HOLDS_UNSURE: &str = later("holds, unsure");

/// Warns that methods sign one form of the texts while the truth compares another.
const SIGNED: &str = " Methods sign canonical forms, in which width, case and script do not count (MinHash and quchong's presets: bodies); \
                      the truth is of the texts as they came.";

/// Makes the tables.
///
/// # Errors
/// [`Error::Unmeasurable`] naming a record that lacks a field, or the input if it has no message or no two are alike; [`Error::Io`] if
/// reading fails.
pub fn reproduce(input: Dataset, options: &Options, progress: OnProgress<'_>) -> Result<Reproduced> {
    let (experiment, name) = (options.experiment(), input.name.clone());
    let sample = unjudged(input, &experiment)?;
    let finds = finds::finds(CATALOGUE, &sample, &experiment, progress)?;
    let done = |done| progress("similarity of pairs", done, sample.texts.len());
    let rows = pairs(&finds, &sample.texts, (TruthOn::Raw, options.reading), true, options.threads, &done)?;
    let words = &sample.lengths;
    let shorter = |a: usize, pair: &Pair| words[a].min(words[pair.b as usize]);
    let seen = |is_true: &dyn Fn(usize, &Pair) -> Option<bool>| {
        let sums = Sums::of(&rows, finds.len(), is_true);
        Seen { counts: sums.counts(), drawn: sums.bootstrap(options.replicates, options.seed) }
    };
    let all = seen(&|_, pair| Some(pair.is_alike));
    let identical = |a: usize, pair: &Pair| (shorter(a, pair) >= 20).then_some(f64::from(pair.levenshtein) >= 1.0);
    let identical_seen = seen(&identical);
    let short = seen(&|a, pair| identical(a, pair).filter(|_| shorter(a, pair) <= 50));
    let at = |least: f64| {
        Sums::of(&rows, finds.len(), |a, pair| {
            (shorter(a, pair) >= 20).then_some(f64::from(pair.levenshtein) + 1e-6 >= least)
        })
    };
    let levenshtein: Vec<Vec<Counts>> = LEVENSHTEIN.iter().map(|least| at(*least).counts()).collect();
    let band = |band: usize| {
        let in_band = |a: usize, pair: &Pair| LengthIn::Words.band(shorter(a, pair)) == band;
        Sums::of(&rows, finds.len(), |a, pair| in_band(a, pair).then_some(pair.is_alike)).counts()
    };
    let bands: Vec<Vec<Counts>> = (0..5).map(band).collect();
    let candidates = rows.iter().flatten();
    let pool = [candidates.clone().count() as u64, candidates.clone().filter(|pair| pair.is_alike).count() as u64];
    if pool[1] == 0 {
        let reason =
            tr!("no two messages are alike, so that there is nothing to find; take a collection with near duplicates");
        return Err(Error::unmeasurable(name, reason));
    }
    let mut together = HashMap::new();
    candidates.for_each(|pair| *together.entry(pair.mask).or_insert(0) += 1);
    let views = [(View::All, &all), (View::Identical, &identical_seen), (View::Short, &short)];
    let row = |(at, find): (usize, &MethodFinds)| MethodRow {
        method: find.method.id,
        paper: ZELENKOV.iter().chain(&KOSINOV).find(|row| row.method == find.method.id).map(|row| row.rates),
        here: rates(&all.counts[at]).0,
        f1_interval: interval(all.drawn.iter().filter_map(|rates| rates[at].0[F1]).collect()),
        found: all.counts[at].tp + all.counts[at].fp,
        alone: together.get(&(1 << at)).copied().unwrap_or(0),
        by_length: bands.iter().map(|band| band[at].f1()).collect(),
        levenshtein: levenshtein.iter().map(|counts| rates(&counts[at]).0).collect(),
    };
    let micros = |find: &MethodFinds| 1e6 * find.signing.as_secs_f64() / sample.texts.len().max(1) as f64;
    let mut source = sample.description.clone();
    source.add(|| tr!(SIGNED));
    let Reading { rules, reflow, html, .. } = options.reading;
    let read_so = [
        (html, later(" Tags are taken out before.")),
        (reflow, later(" Layout is undone before.")),
        (![Rules::NONE, Rules::RAW].contains(&rules), later(" Methods sign what --normalise leaves.")),
    ];
    read_so.iter().filter(|(is_so, _)| *is_so).for_each(|&(_, words)| source.add(|| tr!(words)));
    source.add(|| {
        tr!(
            " True: of the {} pairs that any method finds, the {} whose texts as they came have an Indel similarity of 0.8 or more.",
            pool[0],
            pool[1]
        )
    });
    Ok(Reproduced {
        source,
        pool,
        methods: finds.iter().enumerate().map(row).collect(),
        claims: judged(&views),
        orders: orders(&all, &identical_seen),
        ablations: if options.ablations {
            ablations::all(&sample.texts, &rows, options, progress)?
        } else {
            Vec::new()
        },
        agreement: Agreement::new(finds.iter().map(|find| find.method.id).collect(), &together),
        signing: finds.iter().map(micros).collect(),
    })
}

impl Options {
    /// The experiment settings with which messages are read and signed.
    fn experiment(&self) -> Experiment {
        Experiment {
            truth: Truth::Pooled(pairs::INDEL),
            truth_on: TruthOn::Raw,
            further_thresholds: Vec::new(),
            least_words: 0,
            length_in: LengthIn::Words,
            by: Vec::new(),
            engines: Vec::new(),
            reading: self.reading,
            whole_files: self.whole_files,
            seed: self.seed,
            sample: Some(self.sample),
            length: (0, usize::MAX),
            misjudged: 0,
            sweep: None,
            min_precision: 0.0,
            threads: self.threads,
        }
    }
}

/// Returns the position of a method in the catalogue. The names in the papers' tables and claims are checked by the compiler.
const fn place(method: &str) -> usize {
    let mut at = 0;
    while at < CATALOGUE.len() && !papers::is_same(CATALOGUE[at].id, method) {
        at += 1;
    }
    at
}

/// Stops the compiler at a name that is not in the catalogue.
const fn check(methods: &[&str]) {
    let mut at = 0;
    while at < methods.len() {
        assert!(place(methods[at]) < CATALOGUE.len(), "no method is called so");
        at += 1;
    }
}

const _: () = {
    let mut at = 0;
    while at < CLAIMS.len() {
        check(CLAIMS[at].more);
        check(CLAIMS[at].less);
        at += 1;
    }
    let mut at = 0;
    while at < ZELENKOV.len() {
        check(&[ZELENKOV[at].method]);
        at += 1;
    }
    let mut at = 0;
    while at < KOSINOV.len() {
        check(&[KOSINOV[at].method]);
        at += 1;
    }
};

/// Judges the papers' claims.
fn judged(views: &[(View, &Seen)]) -> Vec<JudgedClaim> {
    let judge = |claim: &papers::Claim| {
        let (_, seen) = views.iter().find(|(view, _)| *view == claim.view)?;
        let least = |rates: &[Rates]| -> Option<f64> {
            let of = |methods: &[&str]| -> Option<Vec<f64>> {
                methods.iter().map(|id| rates[place(id)].0[claim.rate]).collect()
            };
            let (more, less) = (of(claim.more)?, of(claim.less)?);
            Some(more.into_iter().fold(f64::INFINITY, f64::min) - less.into_iter().fold(0.0, f64::max))
        };
        let is_empty = seen.is_empty();
        let difference = least(&seen.counts.iter().map(rates).collect::<Vec<Rates>>()).filter(|_| !is_empty);
        let drawn: Vec<f64> = seen.drawn.iter().filter(|_| !is_empty).filter_map(|rates| least(rates)).collect();
        let skipped = seen.drawn.len() - drawn.len();
        let (is_sure, interval) = (skipped * 20 <= seen.drawn.len(), interval(drawn));
        let verdict = match (difference, interval.unwrap_or_default()) {
            (None, _) => later("nothing to judge"),
            (Some(0.0), [0.0, 0.0]) if is_sure => later("level"),
            (Some(0.0), [0.0, 0.0]) => later("level, unsure"),
            (Some(difference), [low, _]) if difference > 0.0 && is_sure && low > 0.0 => HOLDS,
            (Some(difference), _) if difference > 0.0 => HOLDS_UNSURE,
            (_, [_, high]) if is_sure && high < 0.0 => later("does not"),
            _ => later("does not, unsure"),
        };
        Some(JudgedClaim { claim: claim.claim, paper: claim.paper, difference, interval, skipped, verdict })
    };
    CLAIMS.iter().filter_map(judge).collect()
}

/// Compares the papers' orders by F1 with ours.
fn orders(all: &Seen, identical: &Seen) -> Vec<Ranking> {
    let order = |of, printed: &[papers::Printed], seen: &Seen| {
        let printed: Vec<&papers::Printed> = printed.iter().filter(|row| papers::is_ranked(row.method)).collect();
        let theirs: Vec<f64> = printed.iter().map(|row| row.rates[F1]).collect();
        let ours = |rates: &[Rates]| -> Option<Vec<f64>> {
            printed.iter().map(|row| rates[place(row.method)].0[F1]).collect()
        };
        let here = ours(&seen.counts.iter().map(rates).collect::<Vec<Rates>>()).filter(|_| !seen.is_empty());
        let tau = here.as_ref().and_then(|here| kendall(&theirs, here));
        let drawn: Vec<f64> = seen.drawn.iter().filter_map(|rates| kendall(&theirs, &ours(rates)?)).collect();
        let sorted = |values: &[f64]| {
            let mut places: Vec<usize> = (0..printed.len()).collect();
            places.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
            places.into_iter().map(|at| printed[at].method).collect()
        };
        Ranking {
            of,
            tau,
            skipped: seen.drawn.len() - drawn.len(),
            interval: interval(drawn),
            theirs: sorted(&theirs),
            ours: here.filter(|_| tau.is_some()).map_or_else(Vec::new, |here| sorted(&here)),
        }
    };
    vec![
        order(later("the twelve of Zelenkov & Segalovich with printed figures, by F1"), &ZELENKOV, all),
        order(later("Kosinov's six, by F1 at Levenshtein similarity 1.00"), &KOSINOV, identical),
    ]
}

#[cfg(test)]
mod tests;

//! Measures how well an engine or method finds repeats in your own texts: precision, recall and F1.
//!
//! ```text
//! files ─[read]─▶ Sample ─[measure]─▶ Tally of each engine ─▶ Evaluation ─[write]─▶ Markdown, CSV, JSON, HTML
//! ```
//! [`engines::ENGINES`] lists the engines that can be measured. [`Truth`] says where the truth comes from. Pairs are judged one by one, by
//! a [`Comparer`](crate::compare::Comparer): would the later message be dropped as a repeat of the earlier? Streams are judged message
//! after message, by a [`Deduplicator`](crate::Deduplicator).
//!
//! # What is counted
//! *Precision* is the share of true repeats among all that an engine calls repeats. *Recall* is the share of the true repeats that it
//! finds. *F1* is their harmonic mean. The length of a pair is that of its shorter body in characters, without blanks. A threshold applies
//! to the [score](crate::compare::Comparison::score) of a pair.

pub mod agreement;
pub mod engines;
mod finds;
mod gather;
mod indel;
mod measure;
mod page;
mod pool;
mod read;
pub mod reproduce;
mod rows;
mod sample;
pub mod tally;
mod truth;
mod truth_on;
mod write;
mod wrong;

use std::borrow::Cow;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::formats::parse::FieldPath;
use crate::formats::source::Source;
use crate::locale::tr;
use crate::methods::{CATALOGUE, Reading};
use agreement::Agreement;
use finds::MethodFinds;
pub use pool::Pool;
use tally::{Counts, LengthIn};
pub use truth_on::TruthOn;

/// Where the truth comes from: which pairs really are repeats.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// [`Truth::Pairs`], if the first record is a labelled pair.
    PairsIfLabelled,
    /// Records `{"a","b","label"}`: label 1 if b repeats a, 0 if not, 2 if undecided. Pairs are also counted by `kind` and by `src`.
    Pairs,
    /// A field whose value (a string, a number or a boolean) is the same in messages that say the same. Pairs within a cluster are repeats. The
    /// others are pairs of a message and the most similar message of another cluster.
    Cluster(FieldPath),
    /// Two messages are repeats if their bodies have at least this Indel similarity, in (0, 1]. Compares all pairs by brute force.
    Indel(f64),
    /// The same with Levenshtein similarity, in (0, 1]. Compares all pairs by brute force (Kosinov: 0.85, 0.90, 0.95, 1.00).
    Levenshtein(f64),
    /// Indel similarity of the bodies, at least this, in (0, 1], but only of pairs that some method of the
    /// [catalogue](crate::methods::CATALOGUE) finds, even if that method is not measured (Zelenkov & Segalovich 2007: 0.80). Pairs that
    /// all methods miss are unknown, so recall is relative to the methods together.
    Pooled(f64),
    /// Edits of the input's own texts, made here from a seed.
    Edits,
}

/// The input of a measurement.
pub struct Dataset {
    /// The records.
    pub source: Source,
    /// The field of a JSONL record that holds the message. Not used for labelled pairs.
    pub field: FieldPath,
    /// Further fields whose texts are appended to the message.
    pub further_fields: Vec<FieldPath>,
    /// The name of the input in reports.
    pub name: String,
}

/// Thresholds to try on each engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Sweep {
    /// Hamming distances, for engines that compare fingerprints.
    Distance(Vec<u32>),
    /// Scores in hundredths, for every engine with a near stage.
    Similarity(Vec<u32>),
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Where the truth comes from.
    pub truth: Truth,
    /// Which form of the texts a similarity [`truth`](Self::truth) compares.
    pub truth_on: TruthOn,
    /// Further least similarities of a similarity truth, each in (0, 1]. The program makes a report of its own for each.
    pub further_thresholds: Vec<f64>,
    /// Under a similarity truth, only messages of at least this many words are used (Kosinov: 20).
    pub least_words: usize,
    /// The unit of lengths.
    pub length_in: LengthIn,
    /// Further fields to group the cases by; their values are strings, numbers or booleans. A pair of messages has the values of its later message.
    pub by: Vec<FieldPath>,
    /// What to measure: [engines](engines::ENGINES) and [methods](crate::methods::CATALOGUE) by name, and engines given as options of
    /// `quchong dedup` (`--guard careful --similarity 0.7`). If empty, all named engines.
    pub engines: Vec<String>,
    /// How methods read messages.
    pub reading: Reading,
    /// Whether each file as a whole is one message.
    pub whole_files: bool,
    /// Seed of all random draws.
    pub seed: u64,
    /// Number of texts to edit, or of pairs and messages to draw (2000 if `None`), or of first messages to compare all with all (10 000 if
    /// `None`).
    pub sample: Option<usize>,
    /// Shortest and longest length of a case, in [`length_in`](Self::length_in), both included. Other cases are not counted.
    pub length: (usize, usize),
    /// Misjudged pairs of each kind to show for each engine, for [`Evaluation::html`]; 0: none.
    pub misjudged: usize,
    /// Thresholds to try, if any.
    pub sweep: Option<Sweep>,
    /// Precision that a recommended threshold must reach, 0..=1.
    pub min_precision: f64,
    /// Threads that share the pairs, at least 1. The report is the same for any number.
    pub threads: usize,
}

/// Misjudged pairs of each kind that an HTML page shows.
pub const MISJUDGED: usize = 20;

/// Progress callback: gets the name of the current step, the amount done and the total.
pub type OnProgress<'p> = &'p (dyn Fn(&str, usize, usize) + Sync);

/// The results of a measurement.
#[derive(Debug, Serialize)]
pub struct Evaluation {
    /// A sentence that describes the data and the truth, in English.
    pub source: String,
    /// The same sentence in the user's language.
    #[serde(skip)]
    pub(crate) localised_source: String,
    /// The unit of lengths.
    pub length_in: LengthIn,
    /// A row for each engine, then for each method.
    pub engines: Vec<EngineScores>,
    /// The pairs that the methods find, and how many only one method finds. Present if all pairs are judged.
    pub pool: Option<Pool>,
    /// How much the methods agree, if there are at least two.
    pub agreement: Option<Agreement>,
    /// Microseconds that each method took to sign a message. Left out of any output that must be reproducible.
    #[serde(skip)]
    pub signing: Vec<(&'static str, f64)>,
    /// A row for each engine and threshold tried.
    pub sweep: Vec<SweepPoint>,
    /// Precision that [`SweepPoint::precise`] requires.
    pub min_precision: f64,
}

/// The results of one engine or method.
#[derive(Debug, Serialize)]
pub struct EngineScores {
    /// Its name.
    pub engine: Cow<'static, str>,
    /// The options of `quchong dedup` that make the engine; for a method, its title.
    pub options: Cow<'static, str>,
    /// Its counts. Every engine has the same slices in the same order.
    pub slices: Vec<Slice>,
    /// The precision–recall curve: the counts at every score that occurs as threshold, the loosest first; for MinHash, at every
    /// twentieth. Empty for a method.
    pub curve: Vec<Counts>,
    /// The misjudged pairs, if they were asked for.
    #[serde(skip)]
    pub misjudged: Option<Vec<Misjudged>>,
}

/// Pairs of one kind that an engine misjudges.
#[derive(Debug, Clone, PartialEq)]
pub struct Misjudged {
    /// Whether the pairs are repeats that the engine keeps; otherwise they are no repeats, and the engine drops them.
    pub is_repeat: bool,
    /// The value of the first field of `--by`, or without `--by`, of the first group of the pair. Empty if there is none.
    pub value: String,
    /// Number of these pairs.
    pub count: u64,
    /// The first of these pairs.
    pub pairs: Vec<Told>,
}

/// Two messages and why the later one is kept or dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The earlier message.
    pub a: String,
    /// The later message.
    pub b: String,
    /// The [reason](crate::explain::Explanation::reason).
    pub reason: String,
}

/// Counts of one group of cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// `pairs`, or `stream` for the messages of a stream.
    pub of: &'static str,
    /// Field that the cases are grouped by; empty: all cases.
    pub field: String,
    /// The field's value.
    pub value: String,
    /// Band of length; empty: all lengths.
    pub length: &'static str,
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
}

/// An engine at one threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepPoint {
    /// The engine's name.
    pub engine: Cow<'static, str>,
    /// The option of `quchong dedup` that sets this threshold.
    pub option: String,
    /// Smallest score of a repeat: the threshold.
    pub threshold: f64,
    /// Whether the point has the best F1 of the engine's thresholds (the strictest of equals).
    pub best: bool,
    /// Whether the point is the loosest that reaches the required precision.
    pub precise: bool,
    /// The counts of pairs at this threshold.
    #[serde(flatten)]
    pub counts: Counts,
}

impl Experiment {
    /// Checks that the options fit together.
    ///
    /// # Errors
    /// [`Error::Config`] naming the option whose value cannot work.
    pub(crate) fn validate(&self) -> Result<()> {
        let (_, methods) = engines::chosen(&self.engines)?;
        let refused = match self.truth {
            Truth::Indel(least) | Truth::Levenshtein(least) | Truth::Pooled(least)
                if !(least > 0.0 && least <= 1.0) =>
            {
                Some(("--truth", tr!("a similarity of {least} is out of range; use one above 0, up to 1", least)))
            }
            Truth::PairsIfLabelled | Truth::Pairs | Truth::Cluster(_) | Truth::Edits
                if self.truth_on != TruthOn::Body || self.least_words > 0 || !self.further_thresholds.is_empty() =>
            {
                let option = match self {
                    Self { least_words: 1.., .. } => "--least-words",
                    Self { truth_on: TruthOn::Raw | TruthOn::Canonical, .. } => "--truth-on",
                    _ => "--truth",
                };
                Some((
                    option,
                    tr!("does nothing without a truth by similarity; say --truth indel, levenshtein or pooled"),
                ))
            }
            _ if self.further_thresholds.iter().any(|least| !(*least > 0.0 && *least <= 1.0)) => {
                Some(("--truth", tr!("a similarity is out of range; use those above 0, up to 1")))
            }
            Truth::PairsIfLabelled | Truth::Pairs | Truth::Cluster(_) if self.whole_files => {
                Some(("--whole-files", tr!("files have no labels; say --truth indel:0.8, pooled:0.8 or edits")))
            }
            _ if methods.is_empty() && self.reading.is_of_methods() => {
                let option = if self.reading.language.is_some() { "--lang" } else { "--normalise" };
                Some((option, tr!("only methods read so; name some with --engine")))
            }
            _ if self.whole_files && !self.by.is_empty() => {
                Some(("--by", tr!("whole files have no fields to group by; leave out --by or --whole-files")))
            }
            _ if self.sample == Some(0) => Some(("--sample", tr!("0 texts are nothing to measure"))),
            _ if !(0.0..=1.0).contains(&self.min_precision) => {
                Some(("--min-precision", tr!("{} is out of range; use 0 to 1", self.min_precision)))
            }
            _ => None,
        };
        refused.map_or(Ok(()), |(option, reason)| Err(Error::config(option, reason)))
    }
}

impl Truth {
    /// Returns the same truth with another least similarity, if it has one.
    fn at(&self, least: f64) -> Self {
        match self {
            Self::Indel(_) => Self::Indel(least),
            Self::Levenshtein(_) => Self::Levenshtein(least),
            Self::Pooled(_) => Self::Pooled(least),
            other => other.clone(),
        }
    }
}

/// Measures every engine and method that was asked for.
///
/// # Errors
/// [`Error::Config`] naming an option that cannot work, [`Error::Unmeasurable`] naming a record that lacks something, or
/// the input if there is no message, [`Error::Io`] if reading fails.
pub fn evaluate(input: Dataset, options: &Experiment, progress: OnProgress<'_>) -> Result<Evaluation> {
    let options = Experiment { further_thresholds: Vec::new(), ..options.clone() };
    let found = evaluate_each(input, &options, progress, None)?.pop();
    found.ok_or_else(|| Error::config("--truth", tr!("nothing to measure")))
}

/// Evaluates under each least similarity of the truth; messages are read and signed only once. To `pairs`, writes a line of JSON for each
/// pair that a method finds or that is true under the first similarity: `{"a","b","true","methods"}`, with message numbers from 1.
///
/// # Errors
/// As [`evaluate`], and errors of writing; [`Error::Config`] if `pairs` is given but not all pairs are judged.
pub(crate) fn evaluate_each(
    input: Dataset,
    options: &Experiment,
    progress: OnProgress<'_>,
    mut pairs: Option<&mut dyn std::io::Write>,
) -> Result<Vec<Evaluation>> {
    options.validate()?;
    let (_, methods) = engines::chosen(&options.engines)?;
    let mut sample = gather::gather(input, options, progress)?;
    sample.limit(options)?;
    let pooled = if matches!(options.truth, Truth::Pooled(_)) { CATALOGUE } else { &methods };
    let finds = finds::finds(pooled, &sample, options, progress)?;
    let firsts = std::iter::once(options.truth.clone());
    let truths: Vec<Truth> =
        firsts.chain(options.further_thresholds.iter().map(|least| options.truth.at(*least))).collect();
    let mut reports = Vec::new();
    for truth in &truths {
        let options = Experiment { truth: truth.clone(), ..options.clone() };
        let mut sample = sample.clone();
        truth::judge(&mut sample, &finds, &options, progress)?;
        let measured: Vec<&MethodFinds> =
            finds.iter().filter(|find| methods.iter().any(|method| method.id == find.method.id)).collect();
        if let Some(out) = pairs.take() {
            pool::write(&measured, &sample, out)?;
        }
        reports.push(measured_on(&sample, &measured, &options, progress)?);
    }
    Ok(reports)
}

/// Measures the engines and these methods on a sample.
fn measured_on(
    sample: &sample::Sample,
    finds: &[&MethodFinds],
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<Evaluation> {
    let (engines, _) = engines::chosen(&options.engines)?;
    let signing = |find: &&MethodFinds| (find.method.id, 1e6 * find.signing.as_secs_f64() / sample.texts.len() as f64);
    let mut report = Evaluation {
        source: sample.description.english.clone(),
        localised_source: sample.description.localised.clone(),
        length_in: options.length_in,
        engines: Vec::new(),
        pool: None,
        agreement: None,
        signing: finds.iter().map(signing).collect(),
        sweep: Vec::new(),
        min_precision: options.min_precision,
    };
    // Engines, like methods, get the texts without tags and layout.
    let unwrapped = |text: &String| options.reading.unwrapped(text).into_owned();
    let plain = sample::Sample { texts: sample.texts.iter().map(unwrapped).collect(), ..sample.clone() };
    for engine in engines {
        let (row, sweep) = measure::measure(&engine, &plain, options, progress)?;
        report.engines.push(row);
        report.sweep.extend(sweep);
    }
    if !finds.is_empty() {
        let (rows, agreement) = measure::measure_methods(finds, sample, options, progress)?;
        report.engines.extend(rows);
        report.agreement = (finds.len() > 1).then_some(agreement);
        report.pool = Pool::of(finds, sample);
    }
    if options.sweep.is_some() && report.sweep.is_empty() {
        return Err(Error::config("--sweep", tr!("none of these engines can be set to any of these thresholds")));
    }
    Ok(report)
}

//! How many repeats an engine finds, and what else it takes for one: precision, recall and F1 on one's own texts.
//!
//! ```text
//! files ─[read]─▶ Sample ─[measure]─▶ Tally of each engine ─▶ Evaluation ─[write]─▶ Markdown, CSV, JSON, HTML
//! ```
//! [`engines::ENGINES`] is the list of what is measured, [`Truth`] says where the truth comes from. Pairs are judged alone, by a
//! [`Comparer`](crate::compare::Comparer): would the later message be dropped as a repeat of the earlier? Streams are judged by
//! a [`Deduplicator`](crate::Deduplicator), message after message.
//!
//! # What is counted
//! *Precision* is the share of repeats among what an engine calls repeats, *recall* the share of repeats that it calls so, *F1*
//! their harmonic mean. Length is that of the shorter body in characters, blanks not counted. A threshold is applied to the
//! [score](crate::compare::Comparison::score) of a pair.

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
use finds::Find;
pub use pool::Pool;
use tally::{Counts, LengthIn};
pub use truth_on::TruthOn;

/// Where the truth comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// [`Truth::Pairs`], if the first record is a labelled pair.
    Auto,
    /// Records `{"a","b","label"}`: label 1 if b repeats a, 0 if not, 2 if nobody can say. `kind` and `src` are told apart.
    Pairs,
    /// A field (a string or a number) that is the same in messages which say the same. Pairs within clusters are repeats; as
    /// others serve pairs of a message and the most alike one of another cluster.
    Cluster(FieldPath),
    /// Indel similarity of the bodies, at least this, in (0, 1]: all pairs by brute force.
    Indel(f64),
    /// Levenshtein similarity of the bodies, at least this, in (0, 1]: all pairs by brute force (Kosinov: 0.85, 0.90, 0.95, 1.00).
    Levenshtein(f64),
    /// Indel similarity of the bodies, at least this, in (0, 1], of the pairs that any method of the
    /// [catalogue](crate::methods::CATALOGUE) finds, whichever are measured (Zelenkov & Segalovich 2007: 0.80). What all of them
    /// miss is not known of, so that recall is that among each other.
    Pooled(f64),
    /// Seeded edits of the input's own texts.
    Edits,
}

/// What is read.
pub struct Dataset {
    /// The records.
    pub source: Source,
    /// Where the message stands in a JSONL record, but for labelled pairs.
    pub field: FieldPath,
    /// Further fields, whose texts the message goes on with.
    pub also: Vec<FieldPath>,
    /// How reports name the input.
    pub name: String,
}

/// Thresholds to try.
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
    /// Which form of the texts [`truth`](Self::truth) by similarity compares.
    pub truth_on: TruthOn,
    /// Further least similarities of a truth by similarity, each in (0, 1]: reports of their own from the program.
    pub further: Vec<f64>,
    /// Under a truth by similarity, only messages of so many words (Kosinov: 20).
    pub least_words: usize,
    /// What lengths are counted in.
    pub length_in: LengthIn,
    /// Further fields that cases are grouped by: strings or numbers. Of pairs of messages the later one decides.
    pub by: Vec<FieldPath>,
    /// [Engines](engines::ENGINES) and [methods](crate::methods::CATALOGUE) by name, and engines by options of `quchong dedup`
    /// (`--guard careful --similarity 0.7`); none: all engines with a name.
    pub engines: Vec<String>,
    /// How methods read messages.
    pub reading: Reading,
    /// Whether each file is one message, all its lines together.
    pub whole_files: bool,
    /// Seed of everything drawn.
    pub seed: u64,
    /// Texts to edit, pairs and messages to draw (2000 if `None`), or first messages to compare each with each (10 000).
    pub sample: Option<usize>,
    /// Only cases of such a length, in [`length_in`](Self::length_in), both ends included.
    pub length: (usize, usize),
    /// Wrongly judged pairs of each kind to tell of each engine, for [`Evaluation::html`]; 0: none.
    pub misjudged: usize,
    /// Thresholds to try.
    pub sweep: Option<Sweep>,
    /// Precision that a recommended threshold must have, 0..=1.
    pub min_precision: f64,
    /// Threads that pairs are split among, at least 1. The report is the same for any number.
    pub threads: usize,
}

/// Wrongly judged pairs of each kind that a page shows.
pub const MISJUDGED: usize = 20;

/// Is told what is being done, how much of it is done, and how much there is.
pub type OnProgress<'p> = &'p (dyn Fn(&str, usize, usize) + Sync);

/// What was found.
#[derive(Debug, Serialize)]
pub struct Evaluation {
    /// What was measured on, as a sentence.
    pub source: String,
    /// The same as people are told.
    #[serde(skip)]
    pub(crate) told: String,
    /// What lengths are counted in.
    pub length_in: LengthIn,
    /// A row for each engine, then for each method.
    pub engines: Vec<EngineScores>,
    /// The pairs that the methods find, and how many of them only one finds, where all pairs are judged.
    pub pool: Option<Pool>,
    /// How much the methods agree, if there are two.
    pub agreement: Option<Agreement>,
    /// Microseconds that each method took to sign a message. Not part of any output that is to be the same again.
    #[serde(skip)]
    pub signing: Vec<(&'static str, f64)>,
    /// A row for each engine and threshold tried.
    pub sweep: Vec<SweepPoint>,
    /// Precision that [`SweepPoint::precise`] asks for.
    pub min_precision: f64,
}

/// What was found of an engine.
#[derive(Debug, Serialize)]
pub struct EngineScores {
    /// Its name.
    pub engine: Cow<'static, str>,
    /// The options of `quchong dedup` that it is; of a method, its name in words.
    pub options: Cow<'static, str>,
    /// Its counts; the same slices in the same order for each engine.
    pub slices: Vec<Slice>,
    /// Precision and recall over the threshold: counts at every score that occurs, the loosest first.
    pub curve: Vec<Counts>,
    /// The pairs that it judges otherwise than they are, if they were asked for; `None` for a method.
    #[serde(skip)]
    pub misjudged: Option<Vec<Misjudged>>,
}

/// Pairs of one kind that an engine judges otherwise than they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Misjudged {
    /// Whether they are repeats, which the engine keeps, or others, which it drops.
    pub is_repeat: bool,
    /// The value of the first field of `--by`, or of the field that cases are grouped by anyway; empty without one.
    pub value: String,
    /// How many there are.
    pub count: u64,
    /// The first of them.
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

/// Counts of a part of the cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// `pairs`, or `stream` for messages of a stream.
    pub of: &'static str,
    /// Field that they are grouped by; empty: all.
    pub field: String,
    /// Its value.
    pub value: String,
    /// Band of length; empty: all.
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
    /// The option of `quchong dedup` that sets it so.
    pub option: String,
    /// Smallest score of a repeat.
    pub threshold: f64,
    /// Whether it has the best F1 of the engine's thresholds (the strictest of equals).
    pub best: bool,
    /// Whether it is the loosest with the precision that was asked for.
    pub precise: bool,
    /// The counts of the pairs.
    #[serde(flatten)]
    pub counts: Counts,
}

impl Experiment {
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
            Truth::Auto | Truth::Pairs | Truth::Cluster(_) | Truth::Edits
                if self.truth_on != TruthOn::Body || self.least_words > 0 || !self.further.is_empty() =>
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
            _ if self.further.iter().any(|least| !(*least > 0.0 && *least <= 1.0)) => {
                Some(("--truth", tr!("a similarity is out of range; use those above 0, up to 1")))
            }
            Truth::Auto | Truth::Pairs | Truth::Cluster(_) if self.whole_files => {
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
    /// The same with another least similarity, if it has one.
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
/// [`Error::Config`] naming an option that cannot work, [`Error::Unmeasurable`] naming a record that lacks something,
/// [`Error::Io`] if reading fails.
pub fn evaluate(input: Dataset, options: &Experiment, progress: OnProgress<'_>) -> Result<Evaluation> {
    let options = Experiment { further: Vec::new(), ..options.clone() };
    let found = evaluate_each(input, &options, progress, None)?.pop();
    found.ok_or_else(|| Error::config("--truth", tr!("nothing to measure")))
}

/// The same under each least similarity of the truth: messages are read and signed once. `pairs` is written a line of JSON for each pair
/// that a method finds or that is true under the first: `{"a","b","true","methods"}`, messages by their numbers from 1 on.
///
/// # Errors
/// As [`evaluate`], and of writing; [`Error::Config`] if pairs are asked for where not all are judged.
pub(crate) fn evaluate_each(
    input: Dataset,
    options: &Experiment,
    progress: OnProgress<'_>,
    mut pairs: Option<&mut dyn std::io::Write>,
) -> Result<Vec<Evaluation>> {
    options.validate()?;
    let (_, methods) = engines::chosen(&options.engines)?;
    let sample = gather::gather(input, options, progress)?;
    let pooled = if matches!(options.truth, Truth::Pooled(_)) { CATALOGUE } else { &methods };
    let finds = finds::finds(pooled, &sample, options, progress)?;
    let firsts = std::iter::once(options.truth.clone());
    let truths: Vec<Truth> = firsts.chain(options.further.iter().map(|least| options.truth.at(*least))).collect();
    let mut reports = Vec::new();
    for truth in &truths {
        let options = Experiment { truth: truth.clone(), ..options.clone() };
        let mut sample = sample.clone();
        truth::judge(&mut sample, &finds, &options, progress)?;
        let measured: Vec<&Find> =
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
    finds: &[&Find],
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<Evaluation> {
    let (engines, _) = engines::chosen(&options.engines)?;
    let signing = |find: &&Find| (find.method.id, 1e6 * find.signing.as_secs_f64() / sample.texts.len() as f64);
    let mut report = Evaluation {
        source: sample.words.english.clone(),
        told: sample.words.told.clone(),
        length_in: options.length_in,
        engines: Vec::new(),
        pool: None,
        agreement: None,
        signing: finds.iter().map(signing).collect(),
        sweep: Vec::new(),
        min_precision: options.min_precision,
    };
    // Tags and layout are no text to an engine either.
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

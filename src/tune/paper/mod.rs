//! Repeats the experiments of Gao & Li 2014, as far as the paper says how they were made.
//!
//! The paper does not define "accuracy". If it means the share of distinct texts that survive the exact stage, then Fig. 5 is met under
//! the standard rule. The paper's own rule (a repeat if *any* mark is set) gives far less. The 56 % of Fig. 4 is met by no reading that we
//! tried:
//! - survivors under either rule, with r as the share of new texts or of repeats;
//! - the full filter's 1 − error.
//!
//! Under the paper's rule, 20 000 distinct texts would give 56 % (r = 40 % of 5·10^4).
//!
//! A report opens with the paper's [claims](Claim), each with our result, whether it holds, and how we read what the paper leaves open.
//! The series of measurements follow.
//!
//! Our times are from another machine and decade than the paper's, so only growth and ratios can agree. Times are medians of three or five
//! runs. There is no verdict if it would depend on the chosen run ([`Finding::Unclear`]), nor for times on fewer texts than
//! the paper had ([`Finding::NeedsFull`]). All stages are timed with hashing.
//!
//! The paper's filter and [trie](crate::exact::paper::trie) are compared with ours, which share XXH3; byte-wise BKDR and AP cost more than
//! the filter itself. We also count the texts that the trie loses, which the paper calls 100 % accurate.

mod claims;
mod figures;
mod write;

use std::collections::HashSet;

use serde::Serialize;

use super::race::Hasher;
use super::texts::{Texts, Unread, nothing};
use crate::config::ExactOn;
use crate::error::Result;
use crate::exact::paper::BloomHash;
use crate::locale::tr;
use crate::locale::{Bilingual, later};
pub use claims::Claim;

/// A result of ours, with the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// Figure of the paper.
    pub figure: &'static str,
    /// What was varied, and under which reading.
    pub series: String,
    /// Texts (Figs. 3, 4, 6) or bits (Fig. 5).
    pub x: f64,
    /// Unit of the values below.
    pub unit: &'static str,
    /// The paper's value. `None` if its text states none; its plots are too coarse to read numbers from.
    pub paper: Option<f64>,
    /// Our value; of times, the median of the runs.
    pub ours: f64,
    /// The lowest value of the runs; equal to `ours` if nothing is timed.
    pub low: f64,
    /// The highest value of the runs.
    pub high: f64,
    /// Whether `ours` and `paper` agree.
    pub verdict: Finding,
}

/// Whether a result agrees with the paper: shares within 0.02, growth within a quarter, counts if equal, ratios within a factor of 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// All runs agree with the paper.
    Agrees,
    /// No run agrees.
    Differs,
    /// Some runs agree, others do not.
    Unclear,
    /// The paper's value is from more texts than were tried.
    NeedsFull,
    /// A time, measured by the paper on a machine of 2014. It is shown, but not judged.
    OtherMachine,
    /// The paper states no value.
    Unstated,
}

/// The results of all experiments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reproduction {
    /// The source of the texts.
    pub(crate) source: Bilingual,
    /// The records that could not be read.
    #[serde(skip)]
    pub(crate) unread: Unread,
    /// The paper's claims, and whether they hold here.
    pub claims: Vec<Claim>,
    /// The results that the claims are judged by, figure by figure.
    pub rows: Vec<Observation>,
}

const SHARE: &str = later("accuracy");
const GROWTH: &str = later("× time for 5 × texts");
const RATIO: &str = later("× time");
const TIME: &str = later("ms");
const PER_TEXT: &str = later("ns/text");
const LOST: &str = later("texts lost");

/// A value. If it was timed, also the lowest and the highest of the runs.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    middle: f64,
    low: f64,
    high: f64,
}

impl Value {
    fn exact(value: f64) -> Self {
        Self { middle: value, low: value, high: value }
    }

    fn scaled(self, factor: f64) -> Self {
        Self { middle: self.middle * factor, low: self.low * factor, high: self.high * factor }
    }

    fn over(self, other: Self) -> Self {
        Self { middle: self.middle / other.middle, low: self.low / other.high, high: self.high / other.low }
    }
}

/// The position of a result: figure, series, number of texts or bits, and unit.
struct Coordinate(&'static str, String, f64, &'static str);

impl Coordinate {
    fn is(self, paper: Option<f64>, ours: Value) -> Observation {
        let Self(figure, series, x, unit) = self;
        let near = |paper: f64, ours: f64| match unit {
            SHARE => (ours - paper).abs() <= 0.02,
            GROWTH => (ours / paper - 1.0).abs() <= 0.25,
            LOST => ours == paper,
            _ => (0.5..=2.0).contains(&(ours / paper)),
        };
        let verdict = match paper.map(|paper| [ours.low, ours.middle, ours.high].map(|ours| near(paper, ours))) {
            None => Finding::Unstated,
            Some(_) if [TIME, PER_TEXT].contains(&unit) => Finding::OtherMachine,
            Some([true, true, true]) => Finding::Agrees,
            // All runs are on one side of the paper's value. Otherwise that value is between them.
            Some([false, false, false]) if paper.is_some_and(|p| p < ours.low || p > ours.high) => Finding::Differs,
            Some(_) => Finding::Unclear,
        };
        Observation { figure, series, x, unit, paper, ours: ours.middle, low: ours.low, high: ours.high, verdict }
    }
}

/// Number of distinct texts that the experiments need. Figs. 4 and 5 always run at full size. Fig. 3 runs on 2.5·10^6 texts in full mode,
/// and on a tenth of that otherwise.
pub fn needed(full: bool) -> u64 {
    if full { 2_475_000 } else { 247_500 }
}

/// Runs all experiments on the distinct texts among `texts`. There must be at least 50 000; times are taken on up to [`needed`].
/// `progress` gets the name of the current step, the amount done and the total.
///
/// # Errors
/// [`Error::Unmeasurable`](crate::Error::Unmeasurable) if there are fewer; [`Error::Io`](crate::Error::Io) if reading fails.
pub fn run(texts: Texts, full: bool, progress: &dyn Fn(&str, usize, usize)) -> Result<Reproduction> {
    let (source, needed) = (texts.name(), needed(full) as usize);
    let mut hasher = Hasher::new(ExactOn::Raw, BloomHash::BkdrAp);
    let (mut seen, mut kept, mut items) = (HashSet::new(), Vec::new(), Vec::new());
    let unread = texts.each(|text| {
        if let Some(item) = hasher.item(text).filter(|item| seen.insert(item.digest.0)) {
            kept.push(text.to_owned());
            items.push(item);
            if kept.len().is_multiple_of(10_000) {
                progress("texts", kept.len(), needed);
            }
        }
        kept.len() < needed
    })?;
    drop(seen);
    if kept.is_empty() {
        return Err(unread.error(&source, nothing()));
    }
    if kept.len() < 50_000 {
        let reason = tr!("the paper's experiments need 50000 distinct texts, these are {}", kept.len());
        let reason = tr!("{reason}; without files they are generated", reason);
        return Err(unread.error(&source, reason));
    }
    let mut rows = Vec::new();
    figures::figure_3(&kept, full, progress, &mut rows)?;
    figures::trie_losses(&kept, &mut rows)?;
    figures::figures_4_and_5(&items, &mut rows)?;
    figures::figure_6(&kept, full, &mut rows)?;
    Ok(Reproduction { source, unread, claims: claims::claims(&rows), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict must not depend on which run is taken.
    #[test]
    fn what_runs_differ_about_is_not_judged() {
        let verdict = |paper, low, middle, high| {
            Coordinate("text", String::new(), 1.0, RATIO).is(paper, Value { middle, low, high }).verdict
        };
        assert_eq!(verdict(Some(10.0), 6.0, 9.0, 19.0), Finding::Agrees);
        assert_eq!(verdict(Some(10.0), 21.0, 22.0, 90.0), Finding::Differs);
        assert_eq!(verdict(Some(10.0), 15.0, 19.0, 21.0), Finding::Unclear);
        assert_eq!(verdict(Some(10.0), 1.0, 4.0, 90.0), Finding::Unclear);
        assert_eq!(verdict(None, 1.0, 1.0, 1.0), Finding::Unstated);
        let time = Coordinate("text", String::new(), 1.0, TIME).is(Some(1.0), Value::exact(1.0));
        assert_eq!(time.verdict, Finding::OtherMachine);
        assert_eq!(
            Coordinate("Fig. 4", String::new(), 1.0, SHARE).is(Some(0.9), Value::exact(0.915)).verdict,
            Finding::Agrees
        );
    }
}

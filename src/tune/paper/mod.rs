//! The experiments of Gao & Li 2014 again, as far as the paper tells how they were made.
//!
//! The paper does not define "accuracy". Read as the share of the distinct texts that survive the exact stage, under the
//! standard rule, its Fig. 5 is met; its own rule (a repeat if *any* mark is set) gives far less. The 56 % of Fig. 4 is met
//! by no reading tried: survivors under either rule, with r as the share of new texts or of repeats, and the full
//! filter's 1 − error; under the paper's rule 20 000 distinct texts would give it (r = 40 % of 5·10^4).
//!
//! Times are of another machine and decade: what can agree is how they grow and compare. All stages are timed with hashing.
//! The paper's filter and [trie](crate::exact::paper::trie) stand beside ours, which share XXH3; byte-wise BKDR and AP cost
//! more than the filter itself. The trie that the paper calls 100 % accurate is also asked how many texts it loses.

mod figures;
mod report;

use std::collections::HashSet;

use serde::Serialize;

use super::race::Hasher;
use super::texts::{Texts, nothing};
use crate::config::ExactOn;
use crate::error::{Error, Result};
use crate::exact::paper::BloomHash;

/// One result beside the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Figure of the paper.
    pub figure: &'static str,
    /// What was varied, and how it was read.
    pub series: String,
    /// Texts (Figs. 3, 4, 6) or bits (Fig. 5).
    pub x: f64,
    /// Unit of the two values that follow.
    pub unit: &'static str,
    /// The paper's figure; `None` where its text states none.
    pub paper: Option<f64>,
    /// Ours.
    pub ours: f64,
    /// Whether they agree: shares within 0.02, growth within a quarter, counts if equal, all else within a factor of 2.
    pub agrees: Option<bool>,
}

/// All experiments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Where the texts came from.
    pub source: String,
    /// The results, figure by figure.
    pub rows: Vec<Row>,
}

const SHARE: &str = "accuracy";
const GROWTH: &str = "× time for 5 × texts";
const TIME: &str = "ms";
const PER_TEXT: &str = "ns/text";
const LOST: &str = "texts lost";

fn row(
    figure: &'static str,
    series: impl Into<String>,
    x: f64,
    unit: &'static str,
    paper: Option<f64>,
    ours: f64,
) -> Row {
    let agrees = paper.map(|paper| match unit {
        SHARE => (ours - paper).abs() <= 0.02,
        GROWTH => (ours / paper - 1.0).abs() <= 0.25,
        LOST => ours == paper,
        _ => (0.5..=2.0).contains(&(ours / paper)),
    });
    Row { figure, series: series.into(), x, unit, paper, ours, agrees }
}

/// Distinct texts that the experiments need: of Figs. 4 and 5 at full size, and of Fig. 3, 2.5·10^6 texts in full and a
/// tenth of that otherwise.
pub fn needed(full: bool) -> u64 {
    if full { 2_475_000 } else { 247_500 }
}

/// Runs all experiments on the distinct texts among `texts`, of which there must be 50 000; times are taken on up to
/// [`needed`].
///
/// # Errors
/// [`Error::Config`] if there are fewer; [`Error::Io`] if reading fails.
pub fn run(texts: Texts, full: bool) -> Result<Report> {
    let (source, needed) = (texts.name(), needed(full) as usize);
    let mut hasher = Hasher::new(ExactOn::Raw, BloomHash::BkdrAp);
    let (mut seen, mut kept, mut items) = (HashSet::new(), Vec::new(), Vec::new());
    texts.each(|text| {
        if let Some(item) = hasher.item(text).filter(|item| seen.insert(item.digest.0)) {
            kept.push(text.to_owned());
            items.push(item);
        }
        kept.len() < needed
    })?;
    drop(seen);
    if kept.is_empty() {
        return Err(nothing("FILE"));
    }
    if kept.len() < 50_000 {
        let reason = format!("the paper's experiments need 50000 distinct texts, these are {}", kept.len());
        return Err(Error::config("FILE", format!("{reason}; without files they are generated")));
    }
    let mut rows = Vec::new();
    figures::figure_3(&kept, full, &mut rows)?;
    figures::trie_losses(&kept, &mut rows)?;
    figures::figures_4_and_5(&items, &mut rows)?;
    figures::figure_6(&kept, full, &mut rows)?;
    Ok(Report { source, rows })
}

//! The experiments of Gao & Li 2014 again, as far as the paper tells how they were made.
//!
//! The paper does not define "accuracy". Read as the share of the distinct texts that survive the exact stage, under the
//! standard rule, its Fig. 5 is met; its own rule (a repeat if *any* mark is set) gives far less. The 56 % of Fig. 4 is met
//! by no reading tried: survivors under either rule, with r as the share of new texts or of repeats, and the full
//! filter's 1 − error; under the paper's rule 20 000 distinct texts would give it (r = 40 % of 5·10^4). Times are of another machine and decade: what can agree is how they grow and compare. Both stages are timed with hashing; byte-wise BKDR and AP cost
//! more than the filter itself, so the filter is also timed with the trie's hash.

use std::collections::HashSet;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

use super::predict::rate_of_fill;
use super::sweep::{Contender, Hasher, Item, median};
use super::texts::{Texts, nothing};
use crate::config::{Config, ExactOn, NearMode};
use crate::error::{Error, Result};
use crate::exact::paper::{BloomHash, BloomRule};
use crate::exact::trie::DigestTrie;
use crate::fingerprint::{Digest, Printer};
use crate::near::bands::BandTables;
use crate::report::chart::{Axis, Chart, Point, Series, document, escape};
use crate::report::{html_table, json, markdown_table, page};
use crate::text::Clean;

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
    /// Whether they agree: shares within 0.02, growth within a quarter, all else within a factor of 2.
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
        _ => (0.5..=2.0).contains(&(ours / paper)),
    });
    Row { figure, series: series.into(), x, unit, paper, ours, agrees }
}

/// Distinct texts that the experiments need: of Figs. 4 and 5 at full size, and of Fig. 3, 2.5·10^6 texts in full and a
/// tenth of that otherwise.
pub fn needed(full: bool) -> u64 {
    if full { 2_475_000 } else { 247_500 }
}

/// Numbers of a stream of `n` texts of which `distinct` differ: each is new with the probability that leaves the rest as
/// many new ones as it needs, or else repeats any earlier one.
fn stream(n: usize, distinct: usize) -> Vec<usize> {
    let (mut state, mut seen) = (0x9e37_79b9_7f4a_7c15_u64, 0);
    let mut below = |bound: usize| {
        // SplitMix64; the bias of the remainder is below 2^-40.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound.max(1) as u64) as usize
    };
    (0..n)
        .map(|i| {
            if seen == 0 || below(n - i) < distinct - seen {
                seen += 1;
                seen - 1
            } else {
                below(seen)
            }
        })
        .collect()
}

/// Share of `distinct` texts among `n` that survive a filter of two hashes, and its error when full.
fn survivors(items: &[Item], n: usize, distinct: usize, bits: u64, rule: BloomRule) -> Result<(f64, f64)> {
    let mut filter = Contender::filter(rule, BloomHash::BkdrAp, bits, 2)?;
    // A repeat of a survivor never survives, and no text survives twice.
    let kept = stream(n, distinct).into_iter().filter(|&i| !filter.insert(&items[i])).count();
    Ok((kept as f64 / distinct as f64, rate_of_fill(rule, 2, filter.fill())))
}

fn milliseconds(runs: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let time = |_| {
        let start = Instant::now();
        run().map(|()| start.elapsed().as_secs_f64() * 1e3)
    };
    Ok(median((0..runs).map(time).collect::<Result<_>>()?))
}

fn figure_3(texts: &[String], full: bool, rows: &mut Vec<Row>) -> Result<()> {
    let runs = if full { 5 } else { 3 };
    let most = (texts.len() as f64 / 0.99) as usize;
    for repeats in [0.01, 0.5, 0.9] {
        let mut ends = Vec::new();
        for fifth in 1..=5 {
            let n = most * fifth / 5;
            let order = stream(n, ((n as f64 * (1.0 - repeats)) as usize).clamp(1, texts.len()));
            let bloom = |hash| {
                milliseconds(runs, || {
                    let mut filter = Contender::filter(BloomRule::All, hash, 16 * n as u64, 2)?;
                    let mut hasher = Hasher::new(ExactOn::Raw, hash);
                    let held = order.iter().filter_map(|&i| hasher.item(&texts[i])).filter(|item| filter.insert(item));
                    black_box(held.count());
                    Ok(())
                })
            };
            let (paper, bloom) = (bloom(BloomHash::BkdrAp)?, bloom(BloomHash::Xxh3)?);
            let trie = milliseconds(runs, || {
                let mut trie = DigestTrie::new();
                for &i in &order {
                    let digest = Digest::of(texts[i].as_bytes(), 0);
                    if trie.get(digest).is_none() {
                        trie.insert(digest, i as u64);
                    }
                }
                black_box(trie.len());
                Ok(())
            })?;
            let percent = repeats * 100.0;
            rows.push(row("Fig. 3", format!("Bloom BKDR AP, {percent} % repeats"), n as f64, TIME, None, paper));
            rows.push(row("Fig. 3", format!("Bloom XXH3, {percent} % repeats"), n as f64, TIME, None, bloom));
            rows.push(row("Fig. 3", format!("trie XXH3, {percent} % repeats"), n as f64, TIME, None, trie));
            ends.push((n as f64, paper, bloom, trie));
        }
        let (first, last) = (ends[0], ends[4]);
        let kinds =
            [("Bloom BKDR AP", first.1, last.1), ("Bloom XXH3", first.2, last.2), ("trie XXH3", first.3, last.3)];
        let percent = repeats * 100.0;
        for (kind, short, long) in kinds {
            rows.push(row("Fig. 3", format!("{kind}, {percent} % repeats"), last.0, GROWTH, Some(5.0), long / short));
        }
        if repeats == 0.01 {
            for (kind, _, time) in kinds {
                let paper = if kind.starts_with("trie") { 14429.8e6 / 2.5e6 } else { 3526.8e6 / 2.5e6 };
                rows.push(row(
                    "text",
                    format!("{kind}, 1 % repeats"),
                    last.0,
                    PER_TEXT,
                    Some(paper),
                    time * 1e6 / last.0,
                ));
            }
            for (kind, _, time) in &kinds[..2] {
                rows.push(row(
                    "text",
                    format!("trie XXH3 against {kind}"),
                    last.0,
                    "× time",
                    Some(4.09),
                    last.3 / time,
                ));
            }
        }
    }
    Ok(())
}

const RULES: [(BloomRule, &str); 2] = [(BloomRule::All, "all"), (BloomRule::Any, "any")];

fn figures_4_and_5(items: &[Item], rows: &mut Vec<Row>) -> Result<()> {
    for (rule, name) in RULES {
        for new in [10, 50, 100] {
            for n in [10_000, 20_000, 30_000, 40_000, 50_000] {
                let known = (new == 10 && n == 50_000).then_some(0.56);
                let (survive, error) = survivors(items, n, n * new / 100, 50_000, rule)?;
                rows.push(row("Fig. 4", format!("rule {name}, r = {new} %"), n as f64, SHARE, known, survive));
                if known.is_some() {
                    rows.push(row(
                        "Fig. 4",
                        format!("rule {name}, 1 − error when full"),
                        n as f64,
                        SHARE,
                        known,
                        1.0 - error,
                    ));
                    let (survive, _) = survivors(items, n, n * 9 / 10, 50_000, rule)?;
                    rows.push(row(
                        "Fig. 4",
                        format!("rule {name}, r read as repeats"),
                        n as f64,
                        SHARE,
                        known,
                        survive,
                    ));
                }
            }
        }
    }
    for (rule, name) in RULES {
        for bits in [10_000, 20_000, 50_000, 100_000, 160_000, 320_000, 1_000_000, 5_000_000, 20_000_000] {
            let known = match bits {
                160_000 => Some(0.90),
                20_000_000 => Some(1.0),
                _ => None,
            };
            let (survive, _) = survivors(items, 500_000, 50_000, bits, rule)?;
            rows.push(row("Fig. 5", format!("rule {name}"), bits as f64, SHARE, known, survive));
        }
    }
    Ok(())
}

fn figure_6(texts: &[String], full: bool, rows: &mut Vec<Row>) -> Result<()> {
    let config = Config { near: NearMode::SimHash, ..Config::default() };
    let printer = Printer::new(&config);
    let mut clean = Clean::default();
    let mut prints = |n: usize| -> Vec<u64> {
        texts[..n].iter().filter_map(|text| printer.print_text(text, &mut clean).simhash).collect()
    };
    prints(1);
    let sizes = [(100, Some(2_000.0)), (1_000, Some(60_000.0)), (10_000, None)];
    for (n, paper) in sizes.into_iter().filter(|(n, _)| *n <= texts.len() && (full || *n <= 1_000)) {
        let pairs = milliseconds(3, || {
            let prints = prints(n);
            let near = |(i, a): (usize, &u64)| prints[..i].iter().filter(|b| (a ^ **b).count_ones() < 5).count();
            black_box(prints.iter().enumerate().map(near).sum::<usize>());
            Ok(())
        })?;
        let bands = milliseconds(3, || {
            let mut tables = BandTables::new(config.max_distance, n as u64);
            for (print, number) in prints(n).into_iter().zip(0..) {
                if black_box(tables.earliest(print)).is_none() {
                    tables.insert(print, number);
                }
            }
            Ok(())
        })?;
        rows.push(row("Fig. 6", "SimHash, all pairs", n as f64, TIME, paper, pairs));
        rows.push(row("Fig. 6", "SimHash, band tables", n as f64, TIME, paper, bands));
    }
    Ok(())
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
    figure_3(&kept, full, &mut rows)?;
    figures_4_and_5(&items, &mut rows)?;
    figure_6(&kept, full, &mut rows)?;
    Ok(Report { source, rows })
}

const HEAD: [&str; 7] = ["figure", "what", "texts or bits", "unit", "paper", "ours", "agrees"];

fn cells(row: &Row) -> Vec<String> {
    let number = |value: f64| if row.unit == SHARE { format!("{value:.3}") } else { format!("{value:.1}") };
    let agrees = row.agrees.map_or("", |agrees| if agrees { "yes" } else { "no" });
    let paper = row.paper.map_or_else(String::new, number);
    let (figure, unit) = (row.figure.to_owned(), row.unit.to_owned());
    vec![figure, row.series.clone(), row.x.to_string(), unit, paper, number(row.ours), agrees.to_owned()]
}

impl Report {
    fn words(&self) -> String {
        let compared = self.rows.iter().filter_map(|row| row.agrees);
        let (all, agree) = (compared.clone().count(), compared.filter(|agrees| *agrees).count());
        format!("{}: of {all} figures that the paper states, {agree} agree.", self.source)
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        format!("{}\n\n{}", self.words(), markdown_table(&HEAD, self.rows.iter().map(cells)))
    }

    /// As CSV.
    pub fn csv(&self) -> String {
        let mut out = String::from("figure,series,x,unit,paper,ours,agrees\n");
        for r in &self.rows {
            let (paper, agrees) = (r.paper.map(|p| p.to_string()), r.agrees.map(|a| a.to_string()));
            let (paper, agrees) = (paper.unwrap_or_default(), agrees.unwrap_or_default());
            let _ = writeln!(out, "{},\"{}\",{},{},{paper},{},{agrees}", r.figure, r.series, r.x, r.unit, r.ours);
        }
        out
    }

    /// As JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// A picture for each figure; hollow points are the paper's.
    pub fn charts(&self) -> Vec<Chart> {
        let axis = |label: &str, log| Axis { label: label.to_owned(), log, ..Axis::default() };
        let chart = |figure: &str, unit, title: &str, x: Axis, y: Axis| {
            let rows = || self.rows.iter().filter(|row| row.figure == figure && row.unit == unit);
            let mut names: Vec<&str> = Vec::new();
            for row in rows() {
                if !names.contains(&&*row.series) {
                    names.push(&row.series);
                }
            }
            let count = names.len().max(2) as f64;
            let mut series: Vec<Series> = Vec::new();
            for name in &names {
                let line: Vec<_> = rows().filter(|row| row.series == *name).map(|row| (row.x, row.ours)).collect();
                let marks = line.iter().map(|&(x, y)| Point { x, y, ..Point::default() }).collect();
                let shade = series.len() as f64 / (count - 1.0);
                series.push(Series { name: (*name).to_owned(), shade, points: marks, line, ..Series::default() });
            }
            let paper =
                rows().filter_map(|row| Some(Point { x: row.x, y: row.paper?, hollow: true, ..Point::default() }));
            let paper: Vec<Point> = paper.collect();
            if !paper.is_empty() {
                series.push(Series { name: "paper 论文".into(), theirs: true, points: paper, ..Series::default() });
            }
            Chart { title: title.to_owned(), x, y, series, level: None }
        };
        let (n, share) = (|| axis("texts 文本数", false), || axis("accuracy 准确率", false));
        vec![
            chart("Fig. 3", TIME, "Fig. 3: time of the exact stage 精确去重耗时", n(), axis("ms 毫秒", false)),
            chart("Fig. 4", SHARE, "Fig. 4: accuracy at 50 000 bits 准确率", n(), share()),
            chart("Fig. 5", SHARE, "Fig. 5: accuracy at 500 000 texts 准确率", axis("bits 位数", true), share()),
            chart("Fig. 6", TIME, "Fig. 6: time of SimHash 耗时", axis("texts 文本数", true), axis("ms 毫秒", true)),
        ]
    }

    /// The pictures as one SVG document.
    pub fn svg(&self) -> String {
        document(&self.charts())
    }

    /// A page that needs nothing but itself.
    pub fn html(&self) -> String {
        let charts: String = self.charts().iter().map(Chart::svg).collect();
        let table = html_table(&HEAD, self.rows.iter().map(|row| (cells(row), false)));
        page("quchong tune paper", &format!("<p>{}</p>\n{charts}{table}", escape(&self.words())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_as_many_distinct_texts_as_asked_for() {
        for (n, distinct) in [(1, 1), (1000, 1), (1000, 100), (1000, 1000)] {
            let order = stream(n, distinct);
            assert_eq!((order.len(), order.iter().collect::<HashSet<_>>().len()), (n, distinct));
        }
    }

    /// The reading under which Fig. 5 is met, and the numbers that Fig. 4 gives under each.
    #[test]
    fn accuracies_are_those_of_theory() {
        let mut hasher = Hasher::new(ExactOn::Raw, BloomHash::BkdrAp);
        let mut seen = HashSet::new();
        let mut items = Vec::new();
        let texts = Texts::Generated { count: 200_000, seed: 1 };
        let each = texts.each(|text| {
            items.extend(hasher.item(text).filter(|item| seen.insert(item.digest.0)));
            items.len() < 50_000
        });
        each.unwrap();
        let mut rows = Vec::new();
        figures_4_and_5(&items, &mut rows).unwrap();
        let ours = |figure, series: &str, x| {
            rows.iter().find(|r| r.figure == figure && r.series == series && r.x == x).unwrap()
        };
        let point = ours("Fig. 5", "rule all", 160_000.0);
        assert!((0.90..0.92).contains(&point.ours) && point.agrees == Some(true), "{point:?}");
        assert!((ours("Fig. 5", "rule any", 160_000.0).ours - 0.615).abs() < 0.01);
        assert_eq!(ours("Fig. 5", "rule all", 2e7).agrees, Some(true));
        for row in rows.iter().filter(|row| row.figure == "Fig. 4" && row.paper.is_some()) {
            assert_eq!(row.agrees, Some(false), "56 % is met after all, say so: {row:?}");
        }
    }
}

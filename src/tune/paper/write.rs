//! Writes the results in words, tables and charts.

use std::fmt::Write;

use super::figures::COMPARING;
use super::{Claim, Finding, Observation, Reproduction, SHARE, TIME};
use crate::locale::later;
use crate::locale::tr;
use crate::report::chart::{Axis, Chart, Point, Series, document};

use crate::report::{grouped, headline, html, html_table, json, markdown_table, page, paragraph};

/// The introduction to the table of series.
const READ_SO: &str = "What the claims are judged by. –: the paper's text states no number, and its plots are too coarse to read one. \
                      Times are medians; runs are the quickest and the slowest. Times of the paper are of a machine of 2014, and not \
                      judged.";

/// The column heads of [`cells`].
fn heads() -> [String; 8] {
    let [figure, what, place, unit] = [tr!("figure"), tr!("what"), tr!("texts or bits"), tr!("unit")];
    [figure, what, place, unit, tr!("paper"), tr!("ours"), tr!("runs"), tr!("agrees")]
}

impl Finding {
    fn word(self) -> &'static str {
        match self {
            Self::Agrees => later("yes"),
            Self::Differs => later("no"),
            Self::Unclear => later("runs differ"),
            Self::NeedsFull => later("needs --full"),
            Self::OtherMachine => later("not judged"),
            Self::Unstated => "–",
        }
    }
}

fn cells(row: &Observation) -> Vec<String> {
    let number = |value: f64| if row.unit == SHARE { format!("{value:.3}") } else { format!("{value:.1}") };
    let paper = row.paper.map_or_else(|| "–".to_owned(), number);
    let runs = if row.low < row.high { format!("{}–{}", number(row.low), number(row.high)) } else { String::new() };
    let (unit, x, verdict) = (row.unit, grouped(row.x as u64), row.verdict.word());
    vec![told_figure(row.figure), told_series(&row.series), x, tr!(unit), paper, number(row.ours), runs, tr!(verdict)]
}

/// Translates a figure's name: `Fig. 3`, or the paper's text.
fn told_figure(figure: &str) -> String {
    figure.strip_prefix("Fig. ").map_or_else(|| tr!("its text"), |number| tr!("Fig. {number}", number))
}

/// Translates the name of a series, part by part.
fn told_series(series: &str) -> String {
    let hash = |hash: &str| match hash.strip_suffix(" unsigned") {
        Some(hash) => tr!("{hash} unsigned", hash),
        None => hash.to_owned(),
    };
    let stage = |stage: &str| {
        let [papers, ours] = ["paper trie ", "trie "].map(|kind| stage.strip_prefix(kind).map(hash));
        match (papers, ours) {
            (Some(hash), _) => tr!("paper trie {hash}", hash),
            (_, Some(hash)) => tr!("trie {hash}", hash),
            _ => stage.to_owned(),
        }
    };
    let part = |part: &str| {
        if let Some((trie, bloom)) = part.split_once(" against ") {
            return tr!("{} against {}", stage(trie), stage(bloom));
        }
        if let Some(share) = part.strip_suffix(" repeats").filter(|share| share.ends_with('%')) {
            return tr!("{share} repeats", share);
        }
        if let Some(count) = part.strip_suffix(" expected of an even hash") {
            return tr!("{count} expected of an even hash", count);
        }
        match part {
            "rule all" => tr!("rule all"),
            "rule any" => tr!("rule any"),
            "1 − error when full" => tr!("1 − error when full"),
            "r read as repeats" => tr!("r read as repeats"),
            "all pairs" => tr!("all pairs"),
            "band tables" => tr!("band tables"),
            COMPARING => tr!(COMPARING),
            _ => stage(part),
        }
    };
    series.split(", ").map(part).collect::<Vec<_>>().join(&tr!(", "))
}

/// The column heads of [`claim_cells`].
fn claim_heads() -> [String; 7] {
    let [figure, claim, paper] = [tr!("figure"), tr!("claim"), tr!("paper")];
    [figure, claim, paper, tr!("here"), tr!("holds"), tr!("tolerance"), tr!("read as")]
}

/// Returns a row of the table of claims.
fn claim_cells(claim: &Claim) -> Vec<String> {
    let Claim { figure, claim, paper, here, verdict, tolerance, reading } = claim;
    let holds = if *verdict == Finding::Unclear { later("in part") } else { verdict.word() };
    let here = here.localised.clone();
    vec![told_figure(figure), tr!(claim), tr!(paper), here, tr!(holds), tr!(tolerance), tr!(reading)]
}

impl Reproduction {
    fn words(&self) -> String {
        let count = |verdict| self.claims.iter().filter(|claim| claim.verdict == verdict).count() as u64;
        let [agree, differ, unclear, needs] =
            [Finding::Agrees, Finding::Differs, Finding::Unclear, Finding::NeedsFull].map(count);
        let judged = agree + differ + unclear + needs;
        tr!(
            "{}: {} of Gao & Li 2014; {agree} hold, {differ} do not, {unclear} in part, {needs} need as many texts as the paper had \
             (--full, 2.5 million).",
            self.source.localised,
            tr!("{n} claim" | "{n} claims" % judged),
            agree,
            differ,
            unclear,
            needs
        )
    }

    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let claims = markdown_table(&claim_heads().each_ref().map(String::as_str), self.claims.iter().map(claim_cells));
        let series = markdown_table(&heads().each_ref().map(String::as_str), self.rows.iter().map(cells));
        format!("{}\n\n{claims}\n## {}\n\n{}\n\n{series}", self.words(), tr!("Series"), tr!(READ_SO))
    }

    /// Returns the series as CSV.
    pub fn csv(&self) -> String {
        let mut out = String::from("figure,series,x,unit,paper,ours,low,high,verdict\n");
        for r in &self.rows {
            let (paper, verdict) = (r.paper.map_or_else(String::new, |paper| paper.to_string()), r.verdict.word());
            let _ = write!(out, "{},\"{}\",{},{},{paper},", r.figure, r.series, r.x, r.unit);
            let _ = writeln!(out, "{},{},{},{verdict}", r.ours, r.low, r.high);
        }
        out
    }

    /// Returns the headline: how many of the paper's claims hold, of those that can be judged.
    fn best(&self) -> (String, String) {
        let agree = self.claims.iter().filter(|claim| claim.verdict == Finding::Agrees).count();
        let judged = self.claims.iter().filter(|claim| claim.verdict != Finding::NeedsFull).count();
        (format!("{agree}/{judged}"), tr!("claims of the paper that can be judged hold here"))
    }

    /// Returns the headline in one line, for a terminal.
    #[cfg(feature = "cli")]
    pub(crate) fn lead(&self) -> String {
        let (number, words) = self.best();
        format!("{number} · {words}")
    }

    /// Returns the report as JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// Returns a chart for each figure; for Fig. 3 one for each share of repeats, for Fig. 4 one for each rule. Hollow points are the
    /// paper's.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let axis = |label: String, log| Axis { label, log, ..Axis::default() };
        let chart = |figure: &str, part: &str, unit, title: String, x: Axis, y: Axis| {
            let belongs = |row: &&Observation| row.figure == figure && row.unit == unit && row.series.contains(part);
            let rows = || self.rows.iter().filter(belongs);
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
                series.push(Series { name: told_series(name), shade, points: marks, line, ..Series::default() });
            }
            let paper =
                rows().filter_map(|row| Some(Point { x: row.x, y: row.paper?, hollow: true, ..Point::default() }));
            let paper: Vec<Point> = paper.collect();
            if !paper.is_empty() {
                series.push(Series { name: tr!("paper"), theirs: true, points: paper, ..Series::default() });
            }
            Chart { title, x, y, series, level: None }
        };
        let (n, share) = (|| axis(tr!("texts"), false), || axis(tr!("accuracy"), false));
        let (ms, bits) = (|log| axis(tr!("ms"), log), axis(tr!("bits"), true));
        let mut charts = Vec::new();
        for part in ["1 % repeats", "50 % repeats", "90 % repeats"] {
            let title = tr!("Fig. 3: time of the exact stage, {}", told_series(part));
            charts.push(chart("Fig. 3", part, TIME, title, n(), ms(false)));
        }
        for part in ["rule all", "rule any"] {
            let title = tr!("Fig. 4: accuracy at 50,000 bits, {}", told_series(part));
            charts.push(chart("Fig. 4", part, SHARE, title, n(), share()));
        }
        let title = tr!("Fig. 5: accuracy at 500,000 texts");
        charts.push(chart("Fig. 5", "", SHARE, title, bits, share()));
        let title = tr!("Fig. 6: time of SimHash");
        charts.push(chart("Fig. 6", "", TIME, title, axis(tr!("texts"), true), ms(true)));
        charts
    }

    /// Returns the charts as one SVG document.
    pub fn svg(&self) -> String {
        document(&self.charts())
    }

    /// Returns the report as a self-contained HTML page.
    pub fn html(&self) -> String {
        let ((number, words), claims) = (self.best(), claim_heads());
        let body = html! {
            (headline(&number, &words))
            (paragraph(&self.words()))
            (html_table(&claims.each_ref().map(String::as_str), self.claims.iter().map(|claim| (claim_cells(claim), claim.verdict == Finding::Agrees))))
            h2 { (tr!("Series")) } "\n"
            (paragraph(&tr!(READ_SO)))
            @for chart in self.charts() { (chart.html()) }
            (html_table(&heads().each_ref().map(String::as_str), self.rows.iter().map(|row| (cells(row), false))))
        };
        page("quchong tune paper", &body)
    }
}

//! Writes a report for people and for programs.

use std::fmt::Write;

use crate::locale::tr;

use super::agreement::Agreement;
use super::engines::is_options;
use super::pool::Pool;
use super::sample::EDIT;
use super::tally::{Counts, LengthIn};
use super::{EngineScores, Evaluation, Slice, SweepPoint, page};
use crate::report::chart::{Axis, Chart, Point, Series};
use crate::report::table::Table;
use crate::report::{Markup, headline, html, json, paragraph, styled_page};

/// Above this number, engines are rows of a table by length or by group, not columns.
const COLUMNS: usize = 12;
const MIXED: &str = "Precision / recall / F1. Rows with only repeats, or none, show the share that was called repeats.";

/// The column heads of [`rates`].
fn rate_heads() -> impl Iterator<Item = String> {
    let shares = [tr!("precision"), tr!("recall"), "F1".to_owned(), tr!("accuracy"), tr!("found")];
    shares.into_iter().chain(["tp", "fp", "fn", "tn"].map(str::to_owned))
}

/// Formats a rate with this many decimals. A rate below 1 is never rounded up to 1.
fn rate(rate: Option<f64>, digits: usize) -> String {
    let most = |rate: f64| if rate < 1.0 { rate.min(1.0 - 0.1f64.powi(digits as i32)) } else { rate };
    rate.map_or_else(|| "–".to_owned(), |rate| format!("{:.digits$}", most(rate)))
}

fn rates(counts: &Counts) -> Vec<String> {
    let shares = [counts.precision(), counts.recall(), counts.f1()].map(|share| rate(share, 3));
    let numbers = [counts.tp + counts.fp, counts.tp, counts.fp, counts.r#fn, counts.tn];
    let numbers = numbers.map(|number| number.to_string());
    shares.into_iter().chain([rate(counts.accuracy(), 5)]).chain(numbers).collect()
}

fn cell(counts: &Counts) -> String {
    if counts.repeats() == 0 || counts.others() == 0 {
        return counts.called().map_or_else(|| "–".to_owned(), |called| format!("{:.1} %", called * 100.0));
    }
    [counts.precision(), counts.recall(), counts.f1()].map(|share| rate(share, 2)).join(" / ")
}

/// The name of a grouping field in a report. The field of edits is translated.
fn told_field(field: &str) -> String {
    if field == EDIT { tr!(field) } else { field.to_owned() }
}

/// The value that the cases of a slice share, in a report.
fn told_value(slice: &Slice) -> String {
    let value = slice.value.as_str();
    if slice.field == EDIT { tr!(value) } else { value.to_owned() }
}

impl Slice {
    /// Whether the slice counts all cases of a kind (`pairs` or `stream`).
    pub(super) fn is_total(&self, of: &str) -> bool {
        self.of == of && self.field.is_empty() && self.length.is_empty()
    }
}

impl EngineScores {
    /// Formats the counts of a slice for a table cell.
    fn cell(&self, at: usize) -> String {
        self.slices.get(at).map_or_else(|| "–".to_owned(), |slice| cell(&slice.counts))
    }

    /// Returns the slice of all cases of a kind (`pairs` or `stream`).
    fn total(&self, of: &str) -> Option<&Slice> {
        self.slices.iter().find(|slice| slice.is_total(of))
    }
}

impl SweepPoint {
    fn words(&self) -> String {
        let shares = [self.counts.precision(), self.counts.recall(), self.counts.f1()];
        let [precision, recall, f1] = shares.map(|share| rate(share, 3));
        let option = &self.option;
        tr!("{option} (precision {precision}, recall {recall}, F1 {f1})", option, precision, recall, f1)
    }
}

impl Evaluation {
    /// Returns the best F1 on pairs, and a phrase with its engine, precision and recall; the first engine of equals. `None` if no engine
    /// has an F1, and for edits: there, the number of non-repeats depends only on the list of edits.
    pub(crate) fn best(&self) -> Option<(String, String)> {
        if self.engines.iter().any(|row| row.slices.iter().any(|slice| slice.field == EDIT)) {
            return None;
        }
        let rows = self.engines.iter().filter_map(|row| {
            let counts = &row.slices.iter().find(|slice| slice.is_total("pairs"))?.counts;
            Some((counts.f1()?, &*row.engine, counts))
        });
        let (_, engine, counts) = rows.reduce(|best, row| if row.0 > best.0 { row } else { best })?;
        let [f1, precision, recall] = [counts.f1(), counts.precision(), counts.recall()].map(|share| rate(share, 3));
        Some((f1, tr!("{}: precision {}, recall {}", engine, precision, recall)))
    }

    /// Returns the same in one line, for a terminal; empty if there is none.
    #[cfg(feature = "cli")]
    pub(crate) fn lead(&self) -> String {
        self.best().map_or_else(String::new, |(f1, words)| format!("F1 {f1} · {words}"))
    }

    /// Recommends thresholds, in one sentence for each engine that was swept.
    pub(crate) fn advice(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if !self.sweep.is_empty() && self.sweep.iter().all(|setting| setting.counts.repeats() == 0) {
            sentences.push(tr!(
                "None of the pairs is a repeat, so no threshold is better than another; to choose one, add pairs that are repeats."
            ));
        }
        for best in self.sweep.iter().filter(|setting| setting.best) {
            let precise = self.sweep.iter().find(|setting| setting.precise && setting.engine == best.engine);
            let precise = precise.map_or_else(|| tr!("none"), SweepPoint::words);
            let (name, least) = (&best.engine, self.min_precision);
            sentences.push(tr!(
                "{name}: best F1 with {}; loosest with precision ≥ {least}: {precise}.",
                best.words(),
                name,
                least,
                precise
            ));
        }
        sentences
    }

    /// Makes a table of the slices that `wanted` accepts. Slices come in the same order for each engine: first those of pairs, then those
    /// of the stream, which a method may lack.
    fn matrix(
        &self,
        title: String,
        name: &str,
        wanted: impl Fn(&Slice) -> bool,
        value: impl Fn(&Slice) -> String,
    ) -> Option<Table> {
        let first = self.engines.first()?;
        let numbers: Vec<usize> = (0..first.slices.len()).filter(|at| wanted(&first.slices[*at])).collect();
        if numbers.is_empty() {
            return None;
        }
        let of = |at: usize| &first.slices[at].counts;
        let (head, rows) = if self.engines.len() <= COLUMNS {
            let mut head = vec![name.to_owned(), tr!("repeats"), tr!("others")];
            head.extend(self.engines.iter().map(|row| row.engine.to_string()));
            let row = |at: usize| {
                let counts = [of(at).repeats().to_string(), of(at).others().to_string()];
                let cells = self.engines.iter().map(|row| row.cell(at));
                std::iter::once(value(&first.slices[at])).chain(counts).chain(cells).collect()
            };
            (head, numbers.into_iter().map(row).collect::<Vec<_>>())
        } else {
            let mut head = vec![name.to_owned()];
            head.extend(numbers.iter().map(|at| value(&first.slices[*at])));
            let mut rows = Vec::new();
            for (what, count) in
                [(tr!("repeats"), Counts::repeats as fn(&Counts) -> u64), (tr!("others"), Counts::others)]
            {
                let counts = numbers.iter().map(|at| count(of(*at)).to_string());
                rows.push(std::iter::once(what).chain(counts).collect());
            }
            for row in &self.engines {
                let cells = numbers.iter().map(|at| row.cell(*at));
                rows.push(std::iter::once(row.engine.to_string()).chain(cells).collect());
            }
            (head, rows)
        };
        let rows = rows.into_iter().map(|cells| (cells, false)).collect();
        Some(Table { title, words: tr!(MIXED), head, rows })
    }

    fn totals(&self, of: &str, title: String, words: String) -> Option<Table> {
        let rows = self.engines.iter().filter_map(|row| {
            let slice = row.total(of)?;
            let options = if row.options == row.engine { "" } else { &*row.options };
            let mut cells = vec![row.engine.to_string(), tr!(options)];
            cells.extend(rates(&slice.counts));
            Some((cells, false))
        });
        let head =
            [tr!("engine"), tr!("options of quchong dedup, or method")].into_iter().chain(rate_heads()).collect();
        let rows: Vec<_> = rows.collect();
        (!rows.is_empty()).then_some(Table { title, words, head, rows })
    }

    fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        let asked = tr!("Would the later be dropped as a repeat of the earlier?");
        tables.extend(self.totals("pairs", tr!("Pairs"), asked));
        let by_length = |of: &'static str| {
            move |slice: &Slice| slice.of == of && slice.field.is_empty() && !slice.length.is_empty()
        };
        let length = |slice: &Slice| slice.length.to_owned();
        let in_words = self.length_in == LengthIn::Words;
        let unit = if in_words { tr!("words") } else { tr!("characters") };
        tables.extend(self.matrix(tr!("Pairs by length of the shorter"), &unit, by_length("pairs"), length));
        let mut fields: Vec<&str> = Vec::new();
        for slice in self.engines.iter().take(1).flat_map(|row| &row.slices).filter(|slice| !slice.field.is_empty()) {
            if !fields.contains(&slice.field.as_str()) {
                fields.push(&slice.field);
            }
        }
        let by_field = |of: &'static str, title: String, field: &str| {
            let wanted = |slice: &Slice| slice.of == of && slice.field == field && slice.length.is_empty();
            self.matrix(title, &told_field(field), wanted, told_value)
        };
        let title = |field: &str| tr!("Pairs by {}", told_field(field));
        tables.extend(fields.iter().filter_map(|field| by_field("pairs", title(field), field)));
        let dropped = tr!("tp + fp messages are dropped, fp of them without an earlier one that they repeat.");
        tables.extend(self.totals("stream", tr!("Stream"), dropped));
        tables.extend(self.matrix(tr!("Stream by length"), &unit, by_length("stream"), length));
        let title = |field: &str| tr!("Stream by {}", told_field(field));
        tables.extend(fields.iter().filter_map(|field| by_field("stream", title(field), field)));
        tables.extend(self.pool.iter().map(Pool::table));
        tables.extend(self.agreement.iter().flat_map(Agreement::tables));
        if !self.sweep.is_empty() {
            let row = |setting: &SweepPoint| {
                let marks = [(setting.best, tr!("best F1")), (setting.precise, tr!("precise"))];
                let marks: Vec<String> = marks.into_iter().filter_map(|(is_so, mark)| is_so.then_some(mark)).collect();
                let mut cells = vec![setting.engine.to_string(), setting.option.clone()];
                cells.extend(rates(&setting.counts));
                cells.push(marks.join(&tr!(", ")));
                (cells, setting.best || setting.precise)
            };
            let head = [tr!("engine"), tr!("option")].into_iter().chain(rate_heads()).chain([tr!("recommended")]);
            let (head, rows) = (head.collect(), self.sweep.iter().map(row).collect());
            let words = tr!("Each row judges the pairs with its threshold.");
            tables.push(Table { title: tr!("Thresholds"), words, head, rows });
        }
        tables
    }

    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("{}\n", self.localised_source);
        out.extend(self.tables().iter().map(Table::markdown));
        out.extend(self.advice().iter().map(|sentence| format!("\n{sentence}\n")));
        out
    }

    /// Returns the report as CSV: a header, then a line for each engine and slice, and for each threshold tried.
    pub fn csv(&self) -> String {
        let mut out = String::from("of,engine,field,value,length,option,tp,fp,fn,tn,precision,recall,f1,accuracy\n");
        let quoted =
            |text: &str| if text.is_empty() { String::new() } else { format!("\"{}\"", text.replace('"', "\"\"")) };
        let mut line = |names: [&str; 6], counts: &Counts| {
            let [of, engine, field, value, length, option] = names;
            let [field, value, option] = [field, value, option].map(quoted);
            let engine = if is_options(engine) { quoted(engine) } else { engine.to_owned() };
            let Counts { tp, fp, r#fn, tn } = counts;
            let shares = [counts.precision(), counts.recall(), counts.f1(), counts.accuracy()];
            let [precision, recall, f1, accuracy] =
                shares.map(|share| share.map_or_else(String::new, |share| share.to_string()));
            let _ = writeln!(
                out,
                "{of},{engine},{field},{value},{length},{option},{tp},{fp},{fn},{tn},{precision},{recall},{f1},{accuracy}"
            );
        };
        for row in &self.engines {
            for slice in &row.slices {
                line([slice.of, &row.engine, &slice.field, &slice.value, slice.length, &row.options], &slice.counts);
            }
        }
        for setting in &self.sweep {
            line(["sweep", &setting.engine, "", "", "", &setting.option], &setting.counts);
        }
        out
    }

    /// Returns the report as JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// Returns the charts: precision over recall, with a point for each engine as configured, and recall by length.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let axis = |label: String| Axis { label, ..Axis::default() };
        let series = |points: &dyn Fn(&EngineScores) -> Vec<(f64, f64)>,
                      line: &dyn Fn(&EngineScores) -> Vec<(f64, f64)>|
         -> Vec<Series> {
            let of = |(number, row): (usize, &EngineScores)| Series {
                name: row.engine.to_string(),
                shade: number as f64 / self.engines.len().max(2).saturating_sub(1) as f64,
                points: points(row).into_iter().map(|(x, y)| Point { x, y, ..Point::default() }).collect(),
                line: line(row),
                ..Series::default()
            };
            self.engines.iter().enumerate().map(of).collect()
        };
        let place = |counts: &Counts| counts.recall().zip(counts.precision());
        let stands =
            |row: &EngineScores| row.total("pairs").and_then(|slice| place(&slice.counts)).into_iter().collect();
        let curve = |row: &EngineScores| row.curve.iter().filter_map(place).collect();
        let bands = self.length_in.bands();
        let by_length = |row: &EngineScores| -> Vec<(f64, f64)> {
            let slices = row.slices.iter().filter(|slice| slice.of == "pairs" && slice.field.is_empty());
            let place = |slice: &Slice| {
                let band = bands.iter().position(|(_, name)| *name == slice.length)?;
                Some((band as f64, slice.counts.recall()?))
            };
            slices.filter_map(place).collect()
        };
        let named = bands.iter().filter(|(_, name)| !name.is_empty());
        let names = named.map(|(_, name)| (*name).to_owned()).collect();
        vec![
            Chart {
                title: tr!("Precision and recall over the threshold"),
                x: axis(tr!("recall (points: as configured)")),
                y: axis(tr!("precision")),
                series: series(&stands, &curve),
                level: None,
            },
            Chart {
                title: tr!("Recall by length of the shorter"),
                x: Axis {
                    names,
                    ..axis(if self.length_in == LengthIn::Words { tr!("words") } else { tr!("characters") })
                },
                y: axis(tr!("recall")),
                series: series(&by_length, &by_length),
                level: None,
            },
        ]
    }

    /// Returns the report as a self-contained HTML page.
    pub fn html(&self) -> String {
        styled_page("quchong evaluate", page::STYLE, &self.body())
    }

    /// Returns several reports as one HTML page.
    #[cfg(feature = "cli")]
    pub(crate) fn page_of(reports: &[Self]) -> String {
        styled_page("quchong evaluate", page::STYLE, &html! { @for report in reports { (report.body()) } })
    }

    fn body(&self) -> Markup {
        let tables = self.tables();
        html! {
            @if let Some((f1, words)) = self.best() { (headline(&format!("F1 {f1}"), &words)) }
            (paragraph(&self.localised_source))
            @for sentence in self.advice() { (paragraph(&sentence)) }
            @for (number, found) in tables.iter().enumerate() {
                (found.html())
                @if number == 0 {
                    @for chart in self.charts() { (chart.html()) }
                    @for map in self.agreement.iter().flat_map(Agreement::heat_maps) { (map.html()) }
                }
            }
            (page::misjudged(&self.engines))
        }
    }
}

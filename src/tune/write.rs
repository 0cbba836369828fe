//! What a sweep found, as text for people and for programs. Writers return strings; none of them can fail on any report.

use std::fmt::Write;

use super::recommend::MOST_CONFIRMED;
use super::{BloomSweep, Confirmed, Measured, Recommended, Trial, predict};
use crate::config::ExactOn;
use crate::exact::paper::{BloomHash, BloomRule};
use crate::report::chart::{Axis, Chart, Point, Series, document};
use crate::report::{counted, grouped, html, html_table, json, markdown_table, page, paragraph, share};

const HEAD: [&str; 11] = [
    "bits",
    "k",
    "bytes",
    "false drops",
    "loss",
    "measured",
    "95 % interval",
    "predicted by size",
    "predicted by fill",
    "fill",
    "ns/text without hashing",
];

fn cells(row: &Trial) -> Vec<String> {
    vec![
        format!("{}{}", grouped(row.bits), if row.recommended { " ★" } else { "" }),
        row.hashes.to_string(),
        grouped(row.bytes),
        grouped(row.false_drops),
        share(row.loss),
        share(row.measured.rate),
        interval(row.measured),
        share(row.predicted),
        share(row.predicted_by_fill),
        share(row.fill),
        format!("{:.1}", row.ns_per_text),
    ]
}

fn interval(measured: Measured) -> String {
    format!("{}–{}", share(measured.low), share(measured.high))
}

/// A capacity of so many times the texts of the input is worth a word: it may be nobody's wish.
const FEW: u64 = 100;

impl BloomSweep {
    /// The sentences around the table, a paragraph each: what was read and asked for, how the table reads, what is
    /// recommended, and how the costs read.
    pub(crate) fn words(&self) -> [String; 4] {
        let probes = self.rows.first().map_or(0, |row| row.measured.probes);
        let (distinct, capacity) = (grouped(self.distinct), grouped(self.capacity));
        [
            format!(
                "{}: {}, {distinct} distinct, {} skipped. Rule {}, hash {} of the {} text, seed {}; capacity {capacity}, target \
                 {}.",
                self.source,
                counted(self.texts, "text"),
                grouped(self.skipped),
                self.rule.name(),
                self.hash.name(),
                self.exact_on.name(),
                self.seed,
                self.target,
            ),
            format!(
                "Each row is a filter that holds the {distinct} distinct texts of the input, the recommended size (★) too, and \
                 was asked for {}. False drops are distinct texts taken for repeats while it filled, loss is their share; the \
                 error is predicted by size (from texts × k ÷ bits) and by fill (from the bits that are set). Times leave \
                 hashing out.",
                counted(probes, "fresh post"),
            ),
            self.recommendation(),
            format!(
                "What the stages cost. Bytes at {} are of a filter's full size and a trie of so many texts (beyond 1,000,000 \
                 scaled up). Times, losses and misses are of the input{}.",
                counted(self.capacity, "text"),
                if self.distinct < 10_000 { ", which is too small for times to mean much" } else { "" },
            ),
        ]
    }

    fn recommendation(&self) -> String {
        let texts = counted(self.capacity, "distinct text");
        let Some(best) = &self.recommended else {
            let hash = self.hash.name();
            return format!(
                "No filter has an error of {} at {texts}: hash {hash} reaches 2^32 bits, and more would be needed. Try \
                 --hash xxh3, or a larger --target-error.",
                self.target
            );
        };
        let mut text = format!(
            "Recommended for {texts} and an error of {}: {} bits ({} bytes), {}; predicted {}",
            self.target,
            grouped(best.bits),
            grouped(best.bytes),
            counted(best.hashes.into(), "hash function"),
            share(best.predicted),
        );
        text += &match best.confirmed {
            Some(confirmed) => self.confirmation(confirmed),
            None => format!(", not measured: that is done for up to {} texts.", grouped(MOST_CONFIRMED)),
        };
        text += &self.options(best);
        if self.distinct.saturating_mul(FEW) < self.capacity {
            text += &format!(
                ". The input has only {}: the filter is sized for {}, which --capacity says; take what your feed will hold",
                counted(self.distinct, "distinct text"),
                grouped(self.capacity),
            );
        }
        text
    }

    /// What was measured at the capacity, and whether it can be chance that it is above the target.
    fn confirmation(&self, Confirmed { of_input, generated, measured, .. }: Confirmed) -> String {
        let (of_input, generated) = (counted(of_input, "text"), counted(generated, "generated post"));
        let mut text = format!(
            ", measured {} ({}) on {} when it held {of_input} of the input and {generated}.",
            share(measured.rate),
            interval(measured),
            counted(measured.probes, "fresh post"),
        );
        if predict::wilson(measured.false_positives, measured.probes, predict::Z999).0 > self.target {
            text +=
                " That is above the target, and no chance: this hash errs more often than theory says; take more bits.";
        }
        text
    }

    /// The options of `quchong dedup` that are the recommended filter, if it can be had there.
    fn options(&self, best: &Recommended) -> String {
        if (self.rule, self.hash) != (BloomRule::All, BloomHash::Xxh3) {
            return String::new();
        }
        let exact_on = match self.exact_on {
            ExactOn::Canonical => String::new(),
            ExactOn::Raw => format!(" --exact-on {}", self.exact_on.name()),
        };
        format!(
            " In quchong dedup: --exact bloom --capacity {} --bloom-bits {} --bloom-hashes {}{exact_on}",
            self.capacity, best.bits, best.hashes
        )
    }

    fn cost_head(&self) -> [String; 6] {
        let (capacity, distinct) = (counted(self.capacity, "text"), counted(self.distinct, "text"));
        let bytes = [format!("bytes at {capacity}"), format!("bytes at {distinct}")];
        let [at_capacity, measured] = bytes;
        let others = ["ns/text without hashing", "unique texts lost", "repeats missed"].map(str::to_owned);
        let [time, lost, missed] = others;
        ["--exact".to_owned(), at_capacity, measured, time, lost, missed]
    }

    fn cost_cells(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.costs.iter().map(|cost| {
            let time = format!("{:.1}", cost.ns_per_text);
            let [at_capacity, bytes, lost, missed] =
                [cost.bytes_at_capacity, cost.bytes, cost.false_drops, cost.missed].map(grouped);
            vec![cost.mode.to_owned(), at_capacity, bytes, time, lost, missed]
        })
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let ([what, how, best, costs], head) = (self.words(), self.cost_head());
        let table = markdown_table(&HEAD, self.rows.iter().map(cells));
        let cost_table = markdown_table(&head.each_ref().map(String::as_str), self.cost_cells());
        let lead = self.short_table();
        format!("{lead}{best}\n\n{what}\n\n{how}\n\n{table}\n{costs}\n\n{cost_table}")
    }

    /// The recommendation as a short table, which a report opens with; empty without one.
    fn short_table(&self) -> String {
        let Some(best) = &self.recommended else { return String::new() };
        let measured = best.confirmed.map_or_else(|| "–".to_owned(), |confirmed| share(confirmed.measured.rate));
        let cells = [grouped(self.capacity), grouped(best.bits), grouped(best.bytes), best.hashes.to_string()];
        let row = cells.into_iter().chain([share(best.predicted), measured]).collect();
        let head = ["recommended for", "bits", "bytes", "hash functions", "predicted error", "measured"];
        format!("{}\n", markdown_table(&head, std::iter::once(row)))
    }

    /// As CSV: a line for each setting under one of names.
    pub fn csv(&self) -> String {
        let mut out = String::from(
            "bits,hashes,bytes,distinct,false_drops,loss,predicted_loss,probes,false_positives,measured,low,high,predicted,\
             predicted_by_fill,fill,ns_per_text,recommended,rule,hash,exact_on,capacity,target,seed\n",
        );
        let (rule, hash, exact_on) = (self.rule.name(), self.hash.name(), self.exact_on.name());
        for r in &self.rows {
            let m = r.measured;
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.1},{},{rule},{hash},{exact_on},{},{},{}",
                r.bits,
                r.hashes,
                r.bytes,
                self.distinct,
                r.false_drops,
                r.loss,
                r.predicted_loss,
                m.probes,
                m.false_positives,
                m.rate,
                m.low,
                m.high,
                r.predicted,
                r.predicted_by_fill,
                r.fill,
                r.ns_per_text,
                r.recommended,
                self.capacity,
                self.target,
                self.seed,
            );
        }
        out
    }

    /// As JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// The pictures: measured error against predicted, then error, fill and time against bits. Each has a point for each row.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let floor = 0.3 / self.rows.first().map_or(1.0, |row| row.measured.probes as f64);
        let ks: Vec<u32> = {
            let mut ks: Vec<u32> = self.rows.iter().map(|row| row.hashes).collect();
            ks.dedup();
            ks
        };
        let series = |point: &dyn Fn(&Trial) -> Point, line: &dyn Fn(u32, f64) -> Option<f64>| -> Vec<Series> {
            let of = |(i, &k): (usize, &u32)| {
                let rows: Vec<&Trial> = self.rows.iter().filter(|row| row.hashes == k).collect();
                let (first, last) =
                    (rows.first().map_or(1, |r| r.bits) as f64, rows.last().map_or(1, |r| r.bits) as f64);
                let along = (0..=100).map(|i| first * (last / first).powf(f64::from(i) / 100.0));
                Series {
                    name: format!("k = {k}"),
                    shade: i as f64 / ks.len().max(2).saturating_sub(1) as f64,
                    points: rows.iter().map(|row| Point { marked: row.recommended, ..point(row) }).collect(),
                    line: along.filter_map(|bits| Some((bits, line(k, bits)?))).collect(),
                    theirs: false,
                }
            };
            ks.iter().enumerate().map(of).collect()
        };
        let error = |x: f64, row: &Trial| {
            let Measured { rate, low, high, .. } = row.measured;
            let interval = Some((low.max(floor), high.max(floor)));
            Point { x, y: rate.max(floor), interval, hollow: rate == 0.0, marked: false }
        };
        let axis = |label: &str, log| Axis { label: label.to_owned(), log, ..Axis::default() };
        let n = self.distinct as f64;
        let bits = || axis("bits 位数", true);
        let even = |m: f64| predict::even_bits(self.hash, m as u64);
        let expected = |k, m| Some(predict::rate(self.rule, k, n, even(m))).filter(|rate| *rate >= floor);
        // A recommended size is for the capacity, but here it holds what the others do.
        let held = format!("holding {}", counted(self.distinct, "text"));
        let mut diagonal = series(&|row| error(row.predicted.max(floor), row), &|_, _| None);
        diagonal.push(Series { line: vec![(floor, floor), (1.0, 1.0)], ..Series::default() });
        let plain =
            |y: fn(&Trial) -> f64| move |row: &Trial| Point { x: row.bits as f64, y: y(row), ..Point::default() };
        vec![
            Chart {
                title: format!("Measured against predicted error, {held} 实测误判率与预测误判率"),
                x: axis("predicted error 预测误判率 (hollow: none seen)", true),
                y: axis("measured error 实测误判率", true),
                series: diagonal,
                level: None,
            },
            Chart {
                title: format!("Error of a filter {held} 误判率"),
                x: bits(),
                y: axis("error 误判率 (points measured, lines predicted)", true),
                series: series(&|row| error(row.bits as f64, row), &expected),
                level: Some((self.target.max(floor), format!("target 目标 {}", self.target))),
            },
            Chart {
                title: format!("Share of bits set, {held} 填充率"),
                x: bits(),
                y: axis("fill 填充率", false),
                series: series(&plain(|row| row.fill), &|k, m| Some(predict::fill(self.rule, k, n, m as u64))),
                level: None,
            },
            Chart {
                title: "Time of the filter alone, without hashing 每条耗时（不含散列）".into(),
                x: bits(),
                y: axis("ns per text 纳秒/条", false),
                series: series(&plain(|row| row.ns_per_text), &|_, _| None),
                level: None,
            },
        ]
    }

    /// The pictures as one SVG document.
    pub fn svg(&self) -> String {
        document(&self.charts())
    }

    /// A page that needs nothing but itself.
    pub fn html(&self) -> String {
        let ([what, how, best, costs], head) = (self.words(), self.cost_head());
        let body = html! {
            @for words in [what, best, costs] { (paragraph(&words)) }
            (html_table(&head.each_ref().map(String::as_str), self.cost_cells().map(|row| (row, false))))
            @for chart in self.charts() { (chart.svg()) }
            (paragraph(&how))
            (html_table(&HEAD, self.rows.iter().map(|row| (cells(row), row.recommended))))
        };
        page("quchong tune bloom", &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::Cost;

    fn report() -> BloomSweep {
        let row = |bits: u64, hashes, hits, recommended| Trial {
            bits,
            hashes,
            bytes: bits / 8,
            false_drops: 3,
            loss: 0.003,
            predicted_loss: 0.003,
            measured: Measured::new(hits, 1000),
            predicted: 0.01,
            predicted_by_fill: 0.01,
            fill: 0.4,
            ns_per_text: 20.0,
            recommended,
        };
        let confirmed = Confirmed { of_input: 600, generated: 400, fill: 0.5, measured: Measured::new(9, 1000) };
        let recommended = Recommended { bits: 80, hashes: 2, bytes: 10, predicted: 0.01, confirmed: Some(confirmed) };
        BloomSweep {
            source: "微博<script>&.jsonl".into(),
            texts: 1200,
            distinct: 1000,
            skipped: 1,
            rule: BloomRule::All,
            hash: BloomHash::Xxh3,
            capacity: 1000,
            target: 0.01,
            exact_on: ExactOn::Raw,
            seed: 5,
            rows: vec![row(64, 1, 50, false), row(64, 2, 0, false), row(80, 2, 10, true)],
            recommended: Some(recommended),
            costs: vec![Cost {
                mode: "trie",
                bytes: 40_000,
                bytes_at_capacity: 400_000,
                ns_per_text: 90.0,
                false_drops: 0,
                missed: 0,
            }],
        }
    }

    #[test]
    fn every_form_has_every_row() {
        let report = report();
        let (csv, markdown, html) = (report.csv(), report.markdown(), report.html());
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.lines().all(|line| line.split(',').count() == 23), "{csv}");
        assert!(
            markdown.contains("| 80 ★ | 2 |")
                && markdown.contains("--exact bloom --capacity 1000 --bloom-bits 80 --bloom-hashes 2 --exact-on raw\n"),
            "{markdown}"
        );
        assert_eq!(html.matches("<circle class=\"pt").count(), 4 * 3);
        assert_eq!(html.matches("<tr class=\"recommended\">").count(), 1);
        assert!(html.contains("微博&lt;script&gt;&amp;.jsonl") && !html.contains("<script>") && !html.contains("NaN"));
        assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&json["rows"][2]["recommended"], &json["rule"]), (&true.into(), &"all".into()));
    }

    /// Who reads a report alone knows what was asked for, what was held, and what was scaled up.
    #[test]
    fn every_form_tells_what_was_asked_for() {
        let report = report();
        let asked = "Rule all, hash xxh3 of the raw text, seed 5; capacity 1,000, target 0.01.";
        for form in [report.markdown(), report.html()] {
            assert!(
                form.contains(asked) && form.contains("bytes at 1,000 texts") && form.contains("400,000"),
                "{form}"
            );
            assert!(form.contains("when it held 600 texts of the input and 400 generated posts."), "{form}");
        }
        assert!(report.csv().lines().skip(1).all(|line| line.ends_with(",all,xxh3,raw,1000,0.01,5")));
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        let names = ["rule", "hash", "exact_on", "capacity", "target", "seed"];
        assert!(names.iter().all(|name| !json[name].is_null()), "{json}");
    }

    #[test]
    fn a_target_that_is_missed_is_told() {
        let with = |hits| {
            let mut report = report();
            let best = report.recommended.as_mut().unwrap();
            let measured = Measured::new(hits, 100_000);
            best.confirmed = Some(Confirmed { of_input: 600, generated: 400, fill: 0.5, measured });
            report.markdown()
        };
        assert!(with(1_500).contains("above the target") && !with(1_030).contains("above the target"));
        let report = BloomSweep { hash: BloomHash::BkdrAp, recommended: None, ..report() };
        assert!(report.markdown().contains("hash bkdr-ap reaches 2^32 bits"));
    }
}

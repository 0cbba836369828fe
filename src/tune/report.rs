//! What a sweep found, as text for people and for programs. Writers return strings; none of them can fail on any report.

use std::fmt::Write;

use super::{Measured, Report, Row, predict};
use crate::report::chart::{Axis, Chart, Point, Series, document, escape};
use crate::report::{html_table, json, markdown_table, page, share};

const HEAD: [&str; 11] =
    ["bits", "k", "bytes", "false drops", "loss", "measured", "95 % interval", "(kn/m)", "(fill^k)", "fill", "ns/text"];
const COST_HEAD: [&str; 5] = ["--exact", "bytes", "ns/text", "unique texts lost", "repeats missed"];

fn cells(row: &Row) -> Vec<String> {
    let Measured { rate, low, high, .. } = row.measured;
    vec![
        format!("{}{}", row.bits, if row.recommended { " ★" } else { "" }),
        row.hashes.to_string(),
        row.bytes.to_string(),
        row.false_drops.to_string(),
        share(row.loss),
        share(rate),
        format!("{}–{}", share(low), share(high)),
        share(row.predicted),
        share(row.predicted_by_fill),
        share(row.fill),
        format!("{:.1}", row.ns_per_text),
    ]
}

impl Report {
    /// The sentences around the table, a paragraph each: what was read, and what is recommended.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![format!(
            "{}: {} texts, {} distinct, {} skipped. Errors are measured on {} fresh posts for each full filter.",
            self.source,
            self.texts,
            self.distinct,
            self.skipped,
            self.rows.first().map_or(0, |row| row.measured.probes),
        )];
        let Some(best) = &self.recommended else {
            words.push(format!(
                "No filter of up to 2^40 bits has an error of {} at {} texts.",
                self.target, self.capacity
            ));
            return words;
        };
        let mut text = format!(
            "Recommended for {} distinct texts and an error of {}: {} bits ({} bytes), {} hash functions; predicted {}",
            self.capacity,
            self.target,
            best.bits,
            best.bytes,
            best.hashes,
            share(best.predicted),
        );
        match best.confirmed {
            Some(Measured { rate, low, high, probes, .. }) => {
                let _ = write!(
                    text,
                    ", measured {} ({}–{}) on {probes} fresh posts when full.",
                    share(rate),
                    share(low),
                    share(high)
                );
            }
            None => text.push('.'),
        }
        if self.rule == crate::exact::paper::BloomRule::All && self.hash == crate::exact::paper::BloomHash::Xxh3 {
            let _ = write!(
                text,
                " In quchong dedup: --exact bloom --bloom-bits {} --bloom-hashes {}",
                best.bits, best.hashes
            );
        }
        words.push(text);
        words
    }

    fn cost_cells(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.costs.iter().map(|cost| {
            let numbers = [cost.false_drops, cost.missed].map(|n| n.to_string());
            let [lost, missed] = numbers;
            vec![cost.mode.to_owned(), cost.bytes.to_string(), format!("{:.1}", cost.ns_per_text), lost, missed]
        })
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let words = self.words();
        format!(
            "{}\n\n{}\n{}\n\n{}",
            words[0],
            markdown_table(&HEAD, self.rows.iter().map(cells)),
            words[1..].join("\n"),
            markdown_table(&COST_HEAD, self.cost_cells())
        )
    }

    /// As CSV: a line for each setting under one of names.
    pub fn csv(&self) -> String {
        let mut out = String::from(
            "bits,hashes,bytes,distinct,false_drops,loss,predicted_loss,probes,false_positives,measured,low,high,predicted,\
             predicted_by_fill,fill,ns_per_text,recommended\n",
        );
        for r in &self.rows {
            let m = r.measured;
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.1},{}",
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
                r.recommended
            );
        }
        out
    }

    /// As JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// The pictures: measured error against predicted, then error, fill and time against bits. Each has a point for each row.
    pub fn charts(&self) -> Vec<Chart> {
        let floor = 0.3 / self.rows.first().map_or(1.0, |row| row.measured.probes as f64);
        let ks: Vec<u32> = {
            let mut ks: Vec<u32> = self.rows.iter().map(|row| row.hashes).collect();
            ks.dedup();
            ks
        };
        let series = |point: &dyn Fn(&Row) -> Point, line: &dyn Fn(u32, f64) -> Option<f64>| -> Vec<Series> {
            let of = |(i, &k): (usize, &u32)| {
                let rows: Vec<&Row> = self.rows.iter().filter(|row| row.hashes == k).collect();
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
        let error = |x: f64, row: &Row| {
            let Measured { rate, low, high, .. } = row.measured;
            let interval = Some((low.max(floor), high.max(floor)));
            Point { x, y: rate.max(floor), interval, hollow: rate == 0.0, marked: false }
        };
        let axis = |label: &str, log| Axis { label: label.to_owned(), log, ..Axis::default() };
        let n = self.distinct as f64;
        let bits = || axis("bits 位数", true);
        let expected = |k, m: f64| Some(predict::rate(self.rule, k, n, m as u64)).filter(|rate| *rate >= floor);
        let mut diagonal = series(&|row| error(row.predicted.max(floor), row), &|_, _| None);
        diagonal.push(Series { line: vec![(floor, floor), (1.0, 1.0)], ..Series::default() });
        let plain = |y: fn(&Row) -> f64| move |row: &Row| Point { x: row.bits as f64, y: y(row), ..Point::default() };
        vec![
            Chart {
                title: "Measured against predicted error 实测误判率与预测误判率".into(),
                x: axis("predicted error 预测误判率 (hollow: none seen)", true),
                y: axis("measured error 实测误判率", true),
                series: diagonal,
                level: None,
            },
            Chart {
                title: format!("Error of the full filter, {} distinct texts 误判率", self.distinct),
                x: bits(),
                y: axis("error 误判率 (points measured, lines predicted)", true),
                series: series(&|row| error(row.bits as f64, row), &expected),
                level: Some((self.target.max(floor), format!("target 目标 {}", self.target))),
            },
            Chart {
                title: "Share of bits set 填充率".into(),
                x: bits(),
                y: axis("fill 填充率", false),
                series: series(&plain(|row| row.fill), &|k, m| Some(predict::fill(self.rule, k, n, m as u64))),
                level: None,
            },
            Chart {
                title: "Time of the filter alone 每条耗时".into(),
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
        let mut body: String = self.words().iter().map(|words| format!("<p>{}</p>\n", escape(words))).collect();
        body += &html_table(&COST_HEAD, self.cost_cells().map(|row| (row, false)));
        self.charts().iter().for_each(|chart| body += &chart.svg());
        body += &html_table(&HEAD, self.rows.iter().map(|row| (cells(row), row.recommended)));
        page("quchong tune bloom", &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::paper::{BloomHash, BloomRule};
    use crate::tune::{Cost, Recommended};

    fn report() -> Report {
        let row = |bits: u64, hashes, hits, recommended| Row {
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
        let recommended =
            Recommended { bits: 80, hashes: 2, bytes: 10, predicted: 0.01, confirmed: Some(Measured::new(9, 1000)) };
        Report {
            source: "微博<script>&.jsonl".into(),
            texts: 1200,
            distinct: 1000,
            skipped: 1,
            rule: BloomRule::All,
            hash: BloomHash::Xxh3,
            capacity: 1000,
            target: 0.01,
            rows: vec![row(64, 1, 50, false), row(64, 2, 0, false), row(80, 2, 10, true)],
            recommended: Some(recommended),
            costs: vec![Cost { mode: "trie", bytes: 40_000, ns_per_text: 90.0, false_drops: 0, missed: 0 }],
        }
    }

    #[test]
    fn every_form_has_every_row() {
        let report = report();
        let (csv, markdown, html) = (report.csv(), report.markdown(), report.html());
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.lines().all(|line| line.split(',').count() == 17), "{csv}");
        assert!(
            markdown.contains("| 80 ★ | 2 |") && markdown.contains("--bloom-bits 80 --bloom-hashes 2"),
            "{markdown}"
        );
        assert_eq!(html.matches("<circle class=\"pt").count(), 4 * 3);
        assert_eq!(html.matches("<tr class=\"recommended\">").count(), 1);
        assert!(html.contains("微博&lt;script&gt;&amp;.jsonl") && !html.contains("<script>") && !html.contains("NaN"));
        assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&json["rows"][2]["recommended"], &json["rule"]), (&true.into(), &"all".into()));
    }
}

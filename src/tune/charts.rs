//! Charts of a sweep.

use super::{BloomSweep, Measured, Trial, predict};
use crate::locale::tr;
use crate::report::chart::{Axis, Chart, Point, Series, document};
use crate::report::grouped;

impl BloomSweep {
    /// Returns the charts: measured against predicted error, then error, fill and time against bits. Each has a point for each row.
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
                    ..Series::default()
                }
            };
            ks.iter().enumerate().map(of).collect()
        };
        let error = |x: f64, row: &Trial| {
            let Measured { rate, low, high, .. } = row.measured;
            let interval = Some((low.max(floor), high.max(floor)));
            Point { x, y: rate.max(floor), interval, hollow: rate == 0.0, marked: false }
        };
        let axis = |label: String, log| Axis { label, log, ..Axis::default() };
        let n = self.distinct as f64;
        let bits = || axis(tr!("bits"), true);
        let even = |m: f64| predict::effective_bits(self.hash, m as u64);
        let expected = |k, m| Some(predict::rate(self.rule, k, n, even(m))).filter(|rate| *rate >= floor);
        // A recommended size is meant for the capacity, but here it holds the same texts as the others.
        let held = grouped(self.distinct);
        let mut diagonal = series(&|row| error(row.predicted.max(floor), row), &|_, _| None);
        diagonal.push(Series { line: vec![(floor, floor), (1.0, 1.0)], ..Series::default() });
        let plain =
            |y: fn(&Trial) -> f64| move |row: &Trial| Point { x: row.bits as f64, y: y(row), ..Point::default() };
        vec![
            Chart {
                title: tr!("Measured against predicted error, holding {} texts", held),
                x: axis(tr!("predicted error (hollow: none seen)"), true),
                y: axis(tr!("measured error"), true),
                series: diagonal,
                level: None,
            },
            Chart {
                title: tr!("Error of a filter holding {} texts", held),
                x: bits(),
                y: axis(tr!("error (points measured, lines predicted)"), true),
                series: series(&|row| error(row.bits as f64, row), &expected),
                level: Some((self.target.max(floor), tr!("target {}", self.target))),
            },
            Chart {
                title: tr!("Share of bits set, holding {} texts", held),
                x: bits(),
                y: axis(tr!("fill"), false),
                series: series(&plain(|row| row.fill), &|k, m| Some(predict::fill(self.rule, k, n, m as u64))),
                level: None,
            },
            Chart {
                title: tr!("Time of the filter alone, without hashing"),
                x: bits(),
                y: axis(tr!("ns per text"), false),
                series: series(&plain(|row| row.ns_per_text), &|_, _| None),
                level: None,
            },
        ]
    }

    /// Returns the charts as one SVG document.
    pub fn svg(&self) -> String {
        document(&self.charts())
    }
}

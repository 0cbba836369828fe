//! The results in words, tables and pictures.

use std::fmt::Write;

use super::{Report, Row, SHARE, TIME};
use crate::report::chart::{Axis, Chart, Point, Series, document, escape};
use crate::report::{html_table, markdown_table, page};

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
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
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

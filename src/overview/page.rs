//! Writes the overview as a page.

use maud::PreEscaped;

use super::{KINDS, Member, Overview, STEP, STEPS};
use crate::exact::bloom::FilterHealth;
use crate::formats::parse::FaultKind;
use crate::formats::time::rfc3339;
use crate::report::chart::{Axis, Chart, Point, Series};
use crate::report::{Markup, counted, grouped, html, html_table, paragraph, share, styled_page};
use crate::run::Totals;

/// Clusters on the page.
const SHOWN: usize = 25;

/// Marks before and after the part of the page that differs between two runs over the same input.
pub(crate) const TIMED: [&str; 2] = ["<!-- times: not reproducible -->", "<!-- end of times -->"];

const STYLE: &str = "h2{font-size:1.15rem;margin:2rem 0 .4rem}.soft{color:var(--soft);font-size:13px}\
                     .clusters th:last-child{text-align:left}.clusters td:last-child{white-space:normal;text-align:left;min-width:14rem;overflow-wrap:anywhere}\
                     .words td:first-child,.words th:first-child{text-align:left}";

impl Overview {
    /// A page that needs no other file. Outside the [marks](TIMED) it is the same for the same input, options and seed.
    /// `name` names the input, and `totals` are those of the finished run.
    pub(crate) fn html(&self, name: &str, totals: &Totals) -> String {
        let [kept, exact, near] = [self.verdicts[0], self.verdicts[1], self.verdicts[2..].iter().sum()];
        let errors = self.faults.iter().sum::<u64>();
        let [kept, exact, near, blank, errors] = [kept, exact, near, self.blank, errors].map(grouped);
        let records = counted(self.judged(), "record");
        let untimed = counted(self.untimed, "message");
        let body = html! {
            (paragraph(&format!(
                "{name}: {records} = kept {kept} + exact {exact} + near {near} + blank {blank} + errors {errors}."
            )))
            (self.shares())
            h2 { "Over time 随时间" } "\n"
            @if self.untimed > 0 {
                p class="soft" { (untimed) " without a time that can be read are not in this chart." } "\n"
            }
            (self.over_time().svg())
            h2 { "Lengths 长度" } "\n"
            (self.over_lengths().svg())
            (self.largest())
            @if let Some(health) = totals.filter { (filter(health)) }
            (PreEscaped(TIMED[0])) "\n"
            (self.throughput(totals))
            (PreEscaped(TIMED[1])) "\n"
        };
        styled_page("quchong dedup", STYLE, &body)
    }

    fn shares(&self) -> Markup {
        let all = self.judged();
        let row = |name: &str, count: u64| {
            let part = if all == 0 { 0.0 } else { 100.0 * count as f64 / all as f64 };
            (vec![name.to_owned(), grouped(count), format!("{part:.2} %")], false)
        };
        let verdicts = KINDS.iter().zip(self.verdicts).filter(|(_, count)| *count > 0);
        let faults = FaultKind::NAMED.iter().map(|(name, _)| format!("error 无法判断 ({name})"));
        let faults = faults.zip(self.faults).filter(|(_, count)| *count > 0);
        let blank = Some(("blank 空行", self.blank)).filter(|(_, count)| *count > 0);
        let rows = verdicts.map(|(name, count)| row(name, count));
        let rows = rows.chain(blank.map(|(name, count)| row(name, count)));
        let rows = rows.chain(faults.map(|(name, count)| row(&name, count)));
        let table = html_table(&["verdict 判定", "records 条数", "share 占比"], rows);
        html! { h2 { "Verdicts 判定" } "\n" div class="words" { (table) } }
    }

    fn over_time(&self) -> Chart {
        let (width, begin) = (self.course.width(), self.course.stretches().next().map_or(0, |(start, _)| start));
        let (unit, name) = match (self.timed, self.course.stretches().count() as u64 * width) {
            (false, _) => (1, "message"),
            (true, 0..600) => (1, "second"),
            (true, 600..36_000) => (60, "minute"),
            (true, 36_000..864_000) => (3600, "hour"),
            (true, _) => (86_400, "day"),
        };
        let since = if self.timed { rfc3339(begin, 1) } else { None };
        let since = since.map_or_else(String::new, |time| format!(" since {time}"));
        let length = width as f64 / f64::from(unit);
        let length = if length.fract() == 0.0 { grouped(length as u64) } else { format!("{length:.2}") };
        let plural = if length == "1" { "" } else { "s" };
        let names = ["kept 保留", "exact 相同", "near 近似"];
        let lines = names.iter().enumerate().map(|(kind, name)| {
            let place = |start: i64| (start - begin) as f64 / f64::from(unit);
            line(name, kind, self.course.stretches().map(|(start, counts)| (place(start), counts[kind] as f64)))
        });
        Chart {
            title: "Kept and repeated 保留与重复".to_owned(),
            x: axis(format!("{name}s{since} 先后")),
            y: axis(format!("messages in each {length} {name}{plural} 条数")),
            series: lines.collect(),
            level: None,
        }
    }

    fn over_lengths(&self) -> Chart {
        let last = self.lengths.iter().filter_map(|counts| counts.iter().rposition(|count| *count > 0)).max();
        let lines =
            ["kept 保留", "dropped 去掉"].iter().zip(&self.lengths).enumerate().map(|(kind, (name, counts))| {
                let shown = counts.iter().take(last.map_or(0, |last| last + 1)).enumerate();
                line(name, 2 * kind, shown.map(|(step, count)| (step as f64 * f64::from(STEP), *count as f64)))
            });
        let longest = (STEPS as u32 - 1) * STEP;
        Chart {
            title: "Lengths of messages 消息长度".to_owned(),
            x: axis(format!("characters 字数 (from; the point at {longest} is of all that are longer)")),
            y: axis(format!("messages in each {STEP} characters 条数")),
            series: lines.collect(),
            level: None,
        }
    }

    fn largest(&self) -> Markup {
        let rows = self.clusters.largest(SHOWN).map(|counted| {
            let Member { of, text } = &counted.value;
            let error =
                if counted.error == 0 { String::new() } else { format!(" (or {} less)", grouped(counted.error)) };
            (vec![grouped(counted.count) + &error, of.clone(), text.replace(['\n', '\r', '\t'], " ")], false)
        });
        let rows: Vec<_> = rows.collect();
        html! {
            h2 { "Largest clusters 最大的簇" } "\n"
            @if rows.is_empty() {
                (paragraph("No message repeats another that is known."))
            } @else {
                p class="soft" {
                    "Repeats of one kept message, and how the last of them begins; " code { "quchong clusters --html" }
                    " has all of their wordings."
                }
                "\n"
                div class="clusters" {
                    (html_table(&["repeats 重复", "kept 保留的编号", "such as 例如"], rows.into_iter()))
                }
            }
            @if self.unknown > 0 {
                p { (counted(self.unknown, "repeat")) " of what a Bloom filter does not know." } "\n"
            }
        }
    }

    fn throughput(&self, totals: &Totals) -> Markup {
        let stretches: Vec<_> = self.throughput.stretches().collect();
        let rates = rates(&stretches, self.throughput.width() as i64, (totals.seconds * 1e3) as i64, self.batches);
        let chart = Chart {
            title: "Throughput 吞吐量".to_owned(),
            x: axis("seconds since the start 秒".to_owned()),
            y: axis("records per second 条/秒".to_owned()),
            series: vec![line("", 0, rates.into_iter())],
            level: None,
        };
        let rate = self.judged() as f64 / totals.seconds.max(1e-9);
        let memory = totals.peak_memory_bytes;
        let memory =
            memory.map_or_else(String::new, |bytes| format!(", peak memory {} MB", grouped(bytes / 1_000_000)));
        let words = format!("{:.1} s, {} records/s{memory}.", totals.seconds, grouped(rate as u64));
        html! {
            h2 { "Throughput 吞吐量" } "\n"
            (paragraph(&format!("{words} This part is another one in each run.")))
            (chart.svg())
        }
    }
}

/// Fewest batches in a point of the throughput. With fewer, the points would show the ends of batches rather than the speed.
const BATCHES: u64 = 8;
/// Most points of the throughput.
const POINTS: u64 = 40;

/// For each point, the seconds since the start and the records per second until the next point. `stretches` are `width`
/// milliseconds long. The last point also takes the rest.
fn rates(stretches: &[(i64, [u64; 1])], width: i64, end: i64, batches: u64) -> Vec<(f64, f64)> {
    let whole = ((batches / BATCHES).clamp(1, POINTS) as usize).min(stretches.len()).max(1);
    let joined = stretches.len() / whole;
    let point = |number: usize| {
        let last = number + 1 == whole;
        let to = if last { stretches.len() } else { (number + 1) * joined };
        let counts = stretches.get(number * joined..to)?;
        let start = counts.first()?.0;
        let until = if last { end } else { start + joined as i64 * width };
        let records: u64 = counts.iter().map(|(_, [records])| records).sum();
        Some((start as f64 / 1e3, records as f64 * 1e3 / (until - start).max(1) as f64))
    };
    (0..whole).filter_map(point).collect()
}

/// The Bloom filter's health.
fn filter(health: FilterHealth) -> Markup {
    let FilterHealth { bits, hashes, rounds, capacity, inserted, fill, expected_error, .. } = health;
    let rows = [
        ("bits 位数", grouped(bits)),
        ("hash functions 散列函数", hashes.to_string()),
        ("rounds 轮数", rounds.to_string()),
        ("texts that it was sized for 设计容量", grouped(capacity)),
        ("texts in it 已有条数", grouped(inserted)),
        ("bits set 填充率", format!("{:.2} %", 100.0 * fill)),
        ("predicted error 预测误判率", share(expected_error)),
    ];
    let rows = rows.into_iter().map(|(name, value)| (vec![name.to_owned(), value], false));
    html! {
        h2 { "Filter 布隆过滤器" } "\n"
        @if inserted > capacity { (paragraph("It holds more than it was sized for.")) }
        div class="words" { (html_table(&["Bloom filter", ""], rows)) }
    }
}

fn axis(label: String) -> Axis {
    Axis { label, ..Axis::default() }
}

/// A series of points and a line through them.
fn line(name: &str, number: usize, places: impl Iterator<Item = (f64, f64)>) -> Series {
    let line: Vec<(f64, f64)> = places.collect();
    let points = line.iter().map(|(x, y)| Point { x: *x, y: *y, ..Point::default() }).collect();
    Series { name: name.to_owned(), shade: number as f64 / 2.0, points, line, theirs: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_level_where_batches_come_at_one_pace() {
        // A batch of 1000 records every 5 ms, in stretches of 1 ms, for 117 ms.
        let stretches: Vec<(i64, [u64; 1])> = (0..117).map(|at| (at, [if at % 5 == 4 { 1000 } else { 0 }])).collect();
        let found = rates(&stretches, 1, 118, 23);
        assert!(found.len() == 2 && found.iter().all(|(_, rate)| (180_000.0..220_000.0).contains(rate)), "{found:?}");
        assert_eq!(rates(&[], 1, 0, 0), []);
        assert_eq!(rates(&[(3, [7])], 1, 10, 1), [(0.003, 1000.0)]);
        // Even for many batches there are at most so many points, and they hold all records.
        let many: Vec<(i64, [u64; 1])> = (0..128).map(|at| (at * 64, [640])).collect();
        let found = rates(&many, 64, 128 * 64, 100_000);
        assert!(found.len() <= 40 && found.iter().all(|(_, rate)| (rate - 10_000.0).abs() < 1.0), "{found:?}");
    }
}

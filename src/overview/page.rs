//! Writes the overview as a page.

use maud::PreEscaped;

use super::top::Counted;
use super::{Member, Overview, Reason, Reasoned, STEP, STEPS, times};
use crate::exact::bloom::FilterHealth;
use crate::formats::parse::FaultKind;
use crate::formats::time::rfc3339;
use crate::report::chart::{Axis, Chart, Column, Point, Series};
use crate::report::{
    Markup, counted, grouped, headline, html, html_table, lines, paragraph, percent, share, styled_page,
};
use crate::run::Totals;

/// Clusters on the page.
const SHOWN: usize = 25;

/// The three kinds of messages, and their shades.
const KINDS: [(&str, f64); 3] = [("kept 保留", 0.15), ("exact 相同", 0.79), ("near 近似", 1.0)];

/// Marks before and after the part of the page that differs between two runs over the same input.
pub(crate) const TIMED: [&str; 2] = ["<!-- times: not reproducible -->", "<!-- end of times -->"];

const STYLE: &str = include_str!("page.css");

impl Overview {
    /// A page that needs no other file. Outside the [marks](TIMED) it is the same for the same input, options and seed.
    /// `name` names the input, and `totals` are those of the finished run.
    pub(crate) fn html(&self, name: &str, totals: &Totals) -> String {
        let [kept, exact, near] = [self.verdicts[0], self.verdicts[1], self.verdicts[2..].iter().sum()];
        let errors = self.faults.iter().sum::<u64>();
        let [kept, exact, near, blank, errors] = [kept, exact, near, self.blank, errors].map(grouped);
        let records = counted(self.judged(), "record");
        let untimed = counted(self.untimed, "message");
        let [dropped, messages] = [self.dropped(), self.dropped() + self.verdicts[0]];
        let body = html! {
            (headline(
                &percent(dropped, messages),
                &format!("{} of {} dropped 被去掉", grouped(dropped), counted(messages, "message")),
            ))
            (self.bar())
            (paragraph(&format!(
                "{name}: {records} = kept {kept} + exact {exact} + near {near} + blank {blank} + errors {errors}."
            )))
            (self.unjudged())
            h2 { "Over time 随时间" } "\n"
            @if self.untimed > 0 {
                p class="soft" { (untimed) " without a time that can be read are not in this chart." } "\n"
            }
            @for chart in self.over_time() { (chart.html()) }
            (self.why())
            (self.largest())
            h2 { "Lengths 长度" } "\n"
            (self.over_lengths().html())
            @if let Some(health) = totals.filter { (filter(health)) }
            (PreEscaped(TIMED[0])) "\n"
            (self.throughput(totals))
            (PreEscaped(TIMED[1])) "\n"
        };
        styled_page("quchong dedup", STYLE, &body)
    }

    fn dropped(&self) -> u64 {
        self.verdicts[1] + self.verdicts[2]
    }

    /// A bar of the kinds of messages, and a line for each.
    fn bar(&self) -> Markup {
        let all: u64 = self.verdicts.iter().sum();
        let kinds = || KINDS.iter().zip(self.verdicts);
        let look = |shade: f64| format!("--h:{:.0}", 290.0 - 265.0 * shade);
        html! {
            @if all > 0 {
                div class="shares" aria-hidden="true" {
                    @for ((_, shade), count) in kinds().filter(|(_, count)| *count > 0) {
                        span style={ (look(*shade)) ";flex-grow:" (count) } {}
                    }
                }
                "\n"
                ul class="keys" {
                    @for ((name, shade), count) in kinds() {
                        li { i style=(look(*shade)) {} (name) " " strong { (percent(count, all)) } " " (grouped(count)) }
                    }
                }
                "\n"
            }
        }
    }

    /// What is no message.
    fn unjudged(&self) -> Markup {
        let faults = FaultKind::NAMED.iter().map(|(name, _)| format!("error 无法判断 ({name})"));
        let blank = std::iter::once(("blank 空行".to_owned(), self.blank));
        let rows = faults.zip(self.faults).chain(blank).filter(|(_, count)| *count > 0);
        let rows: Vec<_> = rows.map(|(name, count)| (vec![name, grouped(count)], false)).collect();
        html! { @if !rows.is_empty() { (html_table(&["not judged 未判定", "records 条数"], rows.into_iter())) } }
    }

    /// Which share of the messages was kept and dropped at which time, and how many they were.
    fn over_time(&self) -> [Chart; 2] {
        let (width, stretches) = (self.course.width() as f64, self.course.stretches().collect::<Vec<_>>());
        let (first, last) =
            (stretches.first().map_or(0, |(start, _)| *start), stretches.last().map_or(0, |(start, _)| *start));
        let x = Axis {
            label: match rfc3339(first, 1).filter(|_| self.timed) {
                Some(first) => format!("time 时间 (UTC), from {first}"),
                None => "messages so far 先后".to_owned(),
            },
            ticks: if self.timed { times::ticks(first, last + self.course.width() as i64) } else { Vec::new() },
            ..Axis::default()
        };
        let series = |is_share: bool| {
            let of = |(kind, (name, shade)): (usize, &(&str, f64))| {
                let column = |(start, counts): &(i64, [u64; 3])| {
                    let all: u64 = counts.iter().sum();
                    let scale = if is_share { all as f64 } else { 1.0 };
                    let [low, high] = [kind, kind + 1].map(|kinds| counts[..kinds].iter().sum::<u64>() as f64 / scale);
                    let start = *start as f64;
                    (all > 0).then_some(Column { x: (start, start + width), y: (low, high) })
                };
                let area = stretches.iter().filter_map(column).collect();
                Series { name: (*name).to_owned(), shade: *shade, area, ..Series::default() }
            };
            KINDS.iter().enumerate().map(of).collect()
        };
        let shares = Axis { label: "share 占比".to_owned(), shares: true, ..Axis::default() };
        let counts = axis(format!("messages in each {} 条数", self.stretch()));
        [
            Chart {
                title: "Shares of kept and dropped messages 保留与去掉的占比".to_owned(),
                x: x.clone(),
                y: shares,
                series: series(true),
                level: None,
            },
            Chart {
                title: "Messages kept and dropped 保留与去掉的条数".to_owned(),
                x,
                y: counts,
                series: series(false),
                level: None,
            },
        ]
    }

    /// The length of a stretch of time, in words.
    fn stretch(&self) -> String {
        let width = self.course.width();
        let (unit, name) = match (self.timed, width) {
            (false, _) => (1, "message"),
            (true, 0..120) => (1, "second"),
            (true, 120..7200) => (60, "minute"),
            (true, 7200..172_800) => (3600, "hour"),
            (true, _) => (86_400, "day"),
        };
        let length = width as f64 / f64::from(unit);
        let length =
            if length < 10.0 && length.fract() > 0.0 { format!("{length:.1}") } else { grouped(length.round() as u64) };
        format!("{length} {name}{}", if length == "1" { "" } else { "s" })
    }

    /// The largest clusters, those with most repeats first.
    fn clusters(&self) -> Vec<&Counted<Member>> {
        self.clusters.largest(SHOWN).collect()
    }

    /// Why messages were dropped, with one for each reason, and a link to its cluster if that is on the page.
    fn why(&self) -> Markup {
        let place = |pos: u64| self.clusters().iter().position(|cluster| cluster.value.pos == pos);
        html! {
            @if !self.reasons.is_empty() {
                h2 { "Why messages were dropped 去掉的原因" } "\n"
                ol class="texts" {
                    "\n"
                    @for (reason, Reasoned { count, text, of, .. }) in &self.reasons {
                        li {
                            b { (percent(*count, self.dropped())) }
                            p { (reason.words()) ": " (grouped(*count)) }
                            span class="soft" {
                                "such as 例如 " q { (lines(text)) }
                                @if let Some((pos, id)) = of {
                                    " · repeats 重复了 " (lines(id))
                                    @if let Some(place) = place(*pos) {
                                        " · " a href={ "#k" (place + 1) } { "cluster 簇 " (place + 1) }
                                    }
                                }
                            }
                        }
                        "\n"
                    }
                }
                "\n"
            }
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
        let clusters = self.clusters();
        html! {
            h2 { "Largest clusters 最大的簇" } "\n"
            @if clusters.is_empty() {
                (paragraph("No message repeats another that is known."))
            } @else {
                p class="soft" {
                    "Repeats of one kept message, and how the last of them begins; " code { "quchong clusters --html" }
                    " has all of their wordings."
                }
                "\n"
                ol class="texts" {
                    "\n"
                    @for (number, found) in clusters.into_iter().enumerate() { (cluster(number + 1, found)) }
                }
                "\n"
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
            (chart.html())
        }
    }
}

/// A cluster with its number on the page.
fn cluster(number: usize, found: &Counted<Member>) -> Markup {
    let Counted { count, error, value: Member { of, text, exact, .. } } = found;
    let near = count - error - exact;
    html! {
        li id={ "k" (number) } {
            b { (grouped(*count)) " ×" }
            p dir="auto" { (lines(text)) }
            span class="soft" {
                "repeats of 重复了 " (lines(of)) " · exact 相同 " (grouped(*exact)) " · near 近似 " (grouped(near))
                @if *error > 0 { " (or " (grouped(*error)) " less)" }
            }
        }
        "\n"
    }
}

impl Reason {
    fn words(self) -> String {
        let tenths =
            |missing: u32| format!("{:.1} – {:.1}", f64::from(10 - missing) / 10.0, f64::from(11 - missing) / 10.0);
        match self {
            Self::Equal => "the same text 文字相同".to_owned(),
            Self::Rule(0) => "the same but for wrapping and punctuation 去掉包装和标点后相同".to_owned(),
            Self::Rule(missing) => format!("similarity 相似度 {}", tenths(missing)),
            Self::SimHash(bits) => format!("fingerprints differ in 指纹相差 {bits} bits 位"),
            Self::MinHash(0) => "estimated similarity 估计相似度 1.0".to_owned(),
            Self::MinHash(missing) => format!("estimated similarity 估计相似度 {}", tenths(missing)),
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
    Series { name: name.to_owned(), shade: number as f64 / 2.0, points, line, ..Series::default() }
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

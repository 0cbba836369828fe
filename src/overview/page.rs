//! Writes the overview as a page.

use crate::locale::tr;
use maud::PreEscaped;

use super::top::Counted;
use super::{Member, Overview, Reason, Reasoned, STEP, STEPS, times};
use crate::exact::bloom::FilterHealth;
use crate::formats::parse::FaultKind;
use crate::formats::time::rfc3339;
use crate::report::chart::{Axis, Chart, Column, Point, Series};
use crate::report::{Markup, grouped, headline, html, html_table, lines, paragraph, percent, share, styled_page};
use crate::run::Totals;

/// Clusters on the page.
const SHOWN: usize = 25;

/// The three kinds of messages, and their shades.
fn kinds() -> [(String, f64); 3] {
    [(tr!("kept"), 0.15), (tr!("exact"), 0.79), (tr!("near"), 1.0)]
}

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
        let records = grouped(self.judged());
        let [dropped, messages] = [self.dropped(), self.dropped() + self.verdicts[0]];
        let body = html! {
            (headline(
                &percent(dropped, messages),
                &tr!("messages dropped: {} of {}", grouped(dropped), grouped(messages)),
            ))
            (self.bar())
            (paragraph(&tr!(
                "{name}: records {records} = kept {kept} + exact {exact} + near {near} + blank {blank} + errors {errors}.",
                name,
                records,
                kept,
                exact,
                near,
                blank,
                errors
            )))
            @if totals.incomplete {
                (paragraph(&tr!("An output is incomplete: it failed, or its reader went away.")))
            }
            (self.unjudged())
            h2 { (tr!("Over time")) } "\n"
            @if self.untimed > 0 {
                p class="soft" { (tr!(
                    "{} message without a time that can be read is not in these charts."
                        | "{} messages without a time that can be read are not in these charts." % self.untimed,
                    grouped(self.untimed)
                )) } "\n"
            }
            @for chart in self.over_time() { (chart.html()) }
            (self.why())
            (self.largest())
            h2 { (tr!("Lengths")) } "\n"
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

    /// A bar of the kinds of messages, and a legend with a line for each.
    fn bar(&self) -> Markup {
        let all: u64 = self.verdicts.iter().sum();
        let kinds = || kinds().into_iter().zip(self.verdicts);
        let look = |shade: f64| format!("--h:{:.0}", 290.0 - 265.0 * shade);
        html! {
            @if all > 0 {
                div class="shares" aria-hidden="true" {
                    @for ((_, shade), count) in kinds().filter(|(_, count)| *count > 0) {
                        span style={ (look(shade)) ";flex-grow:" (count) } {}
                    }
                }
                "\n"
                ul class="keys" {
                    @for ((name, shade), count) in kinds() {
                        li { i style=(look(shade)) {} (name) " " strong { (percent(count, all)) } " " (grouped(count)) }
                    }
                }
                "\n"
            }
        }
    }

    /// A table of the records that are no messages.
    fn unjudged(&self) -> Markup {
        let faults = FaultKind::NAMED.iter().map(|(name, _)| tr!("error ({})", name));
        let blank = std::iter::once((tr!("blank"), self.blank));
        let rows = faults.zip(self.faults).chain(blank).filter(|(_, count)| *count > 0);
        let rows: Vec<_> = rows.map(|(name, count)| (vec![name, grouped(count)], false)).collect();
        let head = [tr!("not judged"), tr!("records")];
        html! { @if !rows.is_empty() { (html_table(&head.each_ref().map(String::as_str), rows.into_iter())) } }
    }

    /// Two charts over time: the shares of the messages that were kept and dropped, and their numbers.
    fn over_time(&self) -> [Chart; 2] {
        let (width, stretches) = (self.course.width() as f64, self.course.stretches().collect::<Vec<_>>());
        let (first, last) =
            (stretches.first().map_or(0, |(start, _)| *start), stretches.last().map_or(0, |(start, _)| *start));
        let x = Axis {
            label: match rfc3339(first, 1).filter(|_| self.timed) {
                Some(first) => tr!("time (UTC), from {}", first),
                None => tr!("messages so far"),
            },
            ticks: if self.timed { times::ticks(first, last + self.course.width() as i64) } else { Vec::new() },
            ..Axis::default()
        };
        let series = |is_share: bool| {
            let of = |(kind, (name, shade)): (usize, (String, f64))| {
                let column = |(start, counts): &(i64, [u64; 3])| {
                    let all: u64 = counts.iter().sum();
                    let scale = if is_share { all as f64 } else { 1.0 };
                    let [low, high] = [kind, kind + 1].map(|kinds| counts[..kinds].iter().sum::<u64>() as f64 / scale);
                    let start = *start as f64;
                    (all > 0).then_some(Column { x: (start, start + width), y: (low, high) })
                };
                let area = stretches.iter().filter_map(column).collect();
                Series { name, shade, area, ..Series::default() }
            };
            kinds().into_iter().enumerate().map(of).collect()
        };
        let shares = Axis { label: tr!("share"), shares: true, ..Axis::default() };
        let counts = axis(tr!("messages in each {}", self.stretch()));
        [
            Chart {
                title: tr!("Shares of kept and dropped messages"),
                x: x.clone(),
                y: shares,
                series: series(true),
                level: None,
            },
            Chart { title: tr!("Messages kept and dropped"), x, y: counts, series: series(false), level: None },
        ]
    }

    /// The length of a stretch of the charts over time, in words.
    fn stretch(&self) -> String {
        let width = self.course.width();
        let unit = match (self.timed, width) {
            (false, _) | (true, 0..120) => 1,
            (true, 120..7200) => 60,
            (true, 7200..172_800) => 3600,
            (true, _) => 86_400,
        };
        let length = width as f64 / f64::from(unit);
        let is_short = length < 10.0 && length.fract() > 0.0;
        let count = if is_short { 2 } else { length.round() as u64 };
        let length = if is_short { format!("{length:.1}") } else { grouped(count) };
        let name = match (self.timed, unit) {
            (false, _) => tr!("message" | "messages" % count),
            (true, 1) => tr!("second" | "seconds" % count),
            (true, 60) => tr!("minute" | "minutes" % count),
            (true, 3600) => tr!("hour" | "hours" % count),
            (true, _) => tr!("day" | "days" % count),
        };
        format!("{length} {name}")
    }

    /// The largest clusters, those with most repeats first.
    fn clusters(&self) -> Vec<&Counted<Member>> {
        self.clusters.largest(SHOWN).collect()
    }

    /// The reasons for which messages were dropped, each with an example, and with a link to its cluster if that is on the page.
    fn why(&self) -> Markup {
        let place = |pos: u64| self.clusters().iter().position(|cluster| cluster.value.pos == pos);
        html! {
            @if !self.reasons.is_empty() {
                h2 { (tr!("Why messages were dropped")) } "\n"
                ol class="texts" {
                    "\n"
                    @for (reason, Reasoned { count, text, of, .. }) in &self.reasons {
                        li {
                            b { (percent(*count, self.dropped())) }
                            p { (reason.words()) ": " (grouped(*count)) }
                            span class="soft" {
                                (tr!("such as")) " " q { (lines(text)) }
                                @if let Some((pos, id)) = of {
                                    " · " (tr!("kept: {}", lines(id)))
                                    @if let Some(place) = place(*pos) {
                                        " · " a href={ "#k" (place + 1) } { (tr!("cluster {}", place + 1)) }
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
            [tr!("kept"), tr!("dropped")].into_iter().zip(&self.lengths).enumerate().map(|(kind, (name, counts))| {
                let shown = counts.iter().take(last.map_or(0, |last| last + 1)).enumerate();
                line(&name, 2 * kind, shown.map(|(step, count)| (step as f64 * f64::from(STEP), *count as f64)))
            });
        let longest = (STEPS as u32 - 1) * STEP;
        Chart {
            title: tr!("Lengths of messages"),
            x: axis(tr!("characters (from; the point at {} is of all that are longer)", longest)),
            y: axis(tr!("messages in each {} characters", STEP)),
            series: lines.collect(),
            level: None,
        }
    }

    fn largest(&self) -> Markup {
        let clusters = self.clusters();
        html! {
            h2 { (tr!("Largest clusters")) } "\n"
            @if clusters.is_empty() {
                (paragraph(&tr!("No message repeats another that is known.")))
            } @else {
                p class="soft" {
                    (tr!("A kept message and its repeats, and how the last of them begins. `quchong clusters --html` has all of their wordings."))
                }
                "\n"
                ol class="texts" {
                    "\n"
                    @for (number, found) in clusters.into_iter().enumerate() { (cluster(number + 1, found)) }
                }
                "\n"
            }
            @if self.unknown > 0 {
                p { (tr!(
                    "{} repeat of what a Bloom filter does not know."
                        | "{} repeats of what a Bloom filter does not know." % self.unknown,
                    grouped(self.unknown)
                )) } "\n"
            }
        }
    }

    fn throughput(&self, totals: &Totals) -> Markup {
        let stretches: Vec<_> = self.throughput.stretches().collect();
        let rates = rates(&stretches, self.throughput.width() as i64, (totals.seconds * 1e3) as i64, self.batches);
        let chart = Chart {
            title: tr!("Throughput"),
            x: axis(tr!("seconds since the start")),
            y: axis(tr!("records per second")),
            series: vec![line("", 0, rates.into_iter())],
            level: None,
        };
        let rate = self.judged() as f64 / totals.seconds.max(1e-9);
        let memory = totals.peak_memory_bytes;
        let memory = memory
            .map_or_else(String::new, |bytes| tr!(", peak memory {}", format!("{} MB", grouped(bytes / 1_000_000))));
        let words = tr!(
            "{} s, {} records/s{}. This part is another one in each run.",
            format!("{:.1}", totals.seconds),
            grouped(rate as u64),
            memory
        );
        html! {
            h2 { (tr!("Throughput")) } "\n"
            (paragraph(&words))
            (chart.html())
        }
    }
}

/// A cluster, numbered as on the page.
fn cluster(number: usize, found: &Counted<Member>) -> Markup {
    let Counted { count, error, value: Member { of, text, exact, .. } } = found;
    let near = count - error - exact;
    html! {
        li id={ "k" (number) } {
            b { (grouped(count + 1)) " ×" }
            p dir="auto" { (lines(text)) }
            span class="soft" {
                (tr!("kept: {} · exact {} · near {}", lines(of), grouped(*exact), grouped(near)))
                @if *error > 0 { (tr!(" (or {} less)", grouped(*error))) }
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
            Self::Equal => tr!("as an earlier message, but for width, case, script and blanks"),
            Self::Rule(0) => tr!("the same but for wrapping and punctuation"),
            Self::Rule(missing) => tr!("similarity {}", tenths(missing)),
            Self::SimHash(bits) => tr!("fingerprints differ in {} bits", bits),
            Self::MinHash(0) => tr!("estimated similarity {}", "1.0"),
            Self::MinHash(missing) => tr!("estimated similarity {}", tenths(missing)),
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
        (tr!("bits"), grouped(bits)),
        (tr!("hash functions"), hashes.to_string()),
        (tr!("rounds"), rounds.to_string()),
        (tr!("texts that it was sized for"), grouped(capacity)),
        (tr!("texts in it"), grouped(inserted)),
        (tr!("bits set"), format!("{:.2} %", 100.0 * fill)),
        (tr!("predicted error"), share(expected_error)),
    ];
    let rows = rows.into_iter().map(|(name, value)| (vec![name, value], false));
    html! {
        h2 { (tr!("Filter")) } "\n"
        @if inserted > capacity { (paragraph(&tr!("It holds more than it was sized for."))) }
        div class="words" { (html_table(&[&tr!("Bloom filter"), ""], rows)) }
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
        // Even for many batches there are at most `POINTS` points, and together they hold all records.
        let many: Vec<(i64, [u64; 1])> = (0..128).map(|at| (at * 64, [640])).collect();
        let found = rates(&many, 64, 128 * 64, 100_000);
        assert!(found.len() <= 40 && found.iter().all(|(_, rate)| (rate - 10_000.0).abs() < 1.0), "{found:?}");
    }
}

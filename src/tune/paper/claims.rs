//! The claims of the paper, each with the result here. A report opens with this table.

use serde::Serialize;

use super::figures::{ALL_PAIRS, COMPARING, TEXT, stages};
use super::{Finding, GROWTH, LOST, Observation, RATIO, SHARE, TIME, Value};
use crate::locale::tr;
use crate::locale::{Bilingual, later};

/// A claim of the paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// The figure in which the paper makes the claim, or `text`.
    pub figure: &'static str,
    /// The claim, as a sentence.
    pub claim: &'static str,
    /// The paper's figure.
    pub paper: &'static str,
    /// Our figure.
    pub(crate) here: Bilingual,
    /// Whether the claim holds: [`Finding::Agrees`], [`Finding::Differs`], or why this cannot be said.
    pub verdict: Finding,
    /// The largest deviation that counts as agreement.
    pub tolerance: &'static str,
    /// How we read what the paper does not define.
    pub reading: &'static str,
}

const SURVIVORS: &str = later("accuracy: share of distinct texts that survive");
const ALL: &str = later("rule all; accuracy: share of distinct texts that survive");
const ANY: &str = later("rule any, as the paper writes it; accuracy as above");

/// Judges the claims, in the order of the paper.
pub(super) fn claims(rows: &[Observation]) -> Vec<Claim> {
    let mut claims = exact_stage(rows);
    claims.push(trie_is_exact(rows));
    claims.extend(accuracy(rows));
    claims.push(square(rows));
    claims
}

/// The range from the least to the greatest of some ratios.
fn span(low: f64, high: f64) -> Bilingual {
    let [low, high] = [low, high].map(|ratio| format!("{ratio:.2}"));
    Bilingual::new(|| tr!("× {low} to × {high}", low, high))
}

fn of<'r>(rows: &'r [Observation], figure: &'r str, unit: &'r str) -> impl Iterator<Item = &'r Observation> {
    rows.iter().filter(move |row| row.figure == figure && row.unit == unit)
}

/// A claim agrees if it holds in all of these cases, differs if in none, and is unclear otherwise.
fn all(held: impl IntoIterator<Item = bool>) -> Finding {
    let (mut yes, mut no) = (0, 0);
    held.into_iter().for_each(|held| *(if held { &mut yes } else { &mut no }) += 1);
    match (yes, no) {
        (0, 0) => Finding::Unstated,
        (_, 0) => Finding::Agrees,
        (0, _) => Finding::Differs,
        _ => Finding::Unclear,
    }
}

/// Judges whether one thing takes longer, from ratios of times at several sizes. Only sizes at which all runs agree count: the claim holds
/// if it does at all of them, and differs if at none.
fn longer(ratios: &[Value]) -> Finding {
    let clear = ratios.iter().filter(|ratio| ratio.low > 1.0 || ratio.high < 1.0);
    match all(clear.map(|ratio| ratio.low > 1.0)) {
        Finding::Unstated if !ratios.is_empty() => Finding::Unclear,
        finding => finding,
    }
}

/// Replaces a finding on times if there were too few texts to show it: other work on the machine could reverse it.
fn of_times(rows: &[Observation], finding: Finding) -> Finding {
    let needs_full = of(rows, "Fig. 3", GROWTH).any(|row| row.verdict == Finding::NeedsFull);
    if needs_full { Finding::NeedsFull } else { finding }
}

/// The claims of Fig. 3 and the text on times: growth, ratios and orders. These do not depend on the speed of the machine.
fn exact_stage(rows: &[Observation]) -> Vec<Claim> {
    let [bloom, trie] = stages();
    let growth: Vec<&Observation> = of(rows, "Fig. 3", GROWTH).filter(|row| row.paper.is_some()).collect();
    let (low, high) = growth
        .iter()
        .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), row| (low.min(row.ours), high.max(row.ours)));
    let judged = |finding| of_times(rows, finding);
    let series = |stage: &str, repeats: &str| -> Vec<&Observation> {
        let series = format!("{stage}, {repeats} % repeats");
        of(rows, "Fig. 3", TIME).filter(|row| row.series == series).collect()
    };
    // For each size, the ratio of one time to the other.
    let over = |one: Vec<&Observation>, other: Vec<&Observation>| -> Vec<Value> {
        let of = |row: &Observation| Value { middle: row.ours, low: row.low, high: row.high };
        one.iter().zip(&other).map(|(one, other)| of(one).over(of(other))).collect()
    };
    let slower: Vec<Value> =
        ["1", "50", "90"].iter().flat_map(|ratio| over(series(trie, ratio), series(bloom, ratio))).collect();
    let rising = [bloom, trie].map(|stage| over(series(stage, "90"), series(stage, "1")));
    let ends = |ratios: &[Value]| {
        let middles = || ratios.iter().map(|ratio| ratio.middle);
        span(middles().fold(f64::INFINITY, f64::min), middles().fold(0.0, f64::max))
    };
    let ratio = of(rows, TEXT, RATIO).find(|row| row.paper.is_some());
    vec![
        Claim {
            figure: "Fig. 3",
            claim: later("both stages take time linear in the texts"),
            paper: later("× 5 for 5 × texts"),
            here: span(low, high),
            verdict: judged(all(growth.iter().map(|row| (row.ours / 5.0 - 1.0).abs() <= 0.25))),
            tolerance: later("a quarter"),
            reading: later("Bloom: 16 bits a text"),
        },
        Claim {
            figure: "Fig. 3",
            claim: later("the trie is slower than the filter"),
            paper: later("at every ratio of repeats"),
            here: ends(&slower),
            verdict: judged(longer(&slower)),
            tolerance: later("none"),
            reading: later("trie: |C# hash| squared"),
        },
        Claim {
            figure: "Fig. 3",
            claim: later("more repeats make both slower"),
            paper: later("rising with the ratio"),
            here: Bilingual::new(|| {
                let [of_filter, of_trie] = [ends(&rising[0]).localised, ends(&rising[1]).localised];
                tr!("90 % for 1 %: filter {of_filter}, trie {of_trie}", of_filter, of_trie)
            }),
            verdict: judged(longer(&rising.concat())),
            tolerance: later("none"),
            reading: later("ratio: share of texts that repeat"),
        },
        Claim {
            figure: TEXT,
            claim: later("the trie takes 4.09 times as long as the filter"),
            paper: "14 429.8 ms / 3 526.8 ms",
            here: ratio.map_or_else(Bilingual::default, |row| {
                let [ours, low, high] = [row.ours, row.low, row.high].map(|ratio| format!("{ratio:.2}"));
                Bilingual::new(|| tr!("× {ours} ({low} to {high})", ours, low, high))
            }),
            verdict: ratio.map_or(Finding::Unstated, |row| row.verdict),
            tolerance: later("a factor of 2"),
            reading: later("1 % repeats; milliseconds of 2014 are not judged"),
        },
    ]
}

fn trie_is_exact(rows: &[Observation]) -> Claim {
    let lost: Vec<&Observation> = of(rows, TEXT, LOST).filter(|row| row.paper.is_some()).collect();
    let (least, most) =
        lost.iter().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), row| (low.min(row.ours), high.max(row.ours)));
    let of = lost.first().map_or(0.0, |row| row.x);
    Claim {
        figure: TEXT,
        claim: later("the trie is 100 % accurate"),
        paper: later("0 texts lost"),
        here: Bilingual::new(|| {
            let [least, most, of] = [least, most, of].map(|count| format!("{count:.0}"));
            tr!("{least} to {most} lost of {of}", least, most, of)
        }),
        verdict: all(lost.iter().map(|row| row.ours == 0.0)),
        tolerance: later("none"),
        reading: later("C# hash of 32 and of 64 bits, signed and unsigned"),
    }
}

/// The claims of Figs. 4 and 5 on the filter's accuracy, under both rules.
fn accuracy(rows: &[Observation]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let share = |rule: &str, ratio: &str, x: f64| {
        let series = format!("rule {rule}, r = {ratio} %");
        of(rows, "Fig. 4", SHARE).find(|row| row.series == series && row.x == x).map_or(f64::NAN, |row| row.ours)
    };
    let (ratios, sizes) = (["10", "50", "100"], [10_000.0, 20_000.0, 30_000.0, 40_000.0, 50_000.0]);
    let falls = |values: &[f64]| values.windows(2).all(|pair| pair[1] < pair[0]);
    let with_n = ["all", "any"]
        .iter()
        .flat_map(|rule| ratios.iter().map(|ratio| falls(&sizes.map(|n| share(rule, ratio, n)))).collect::<Vec<_>>());
    let with_r = ["all", "any"]
        .iter()
        .flat_map(|rule| sizes.iter().map(|n| falls(&ratios.map(|ratio| share(rule, ratio, *n)))).collect::<Vec<_>>());
    let ends = |rule: &str| {
        format!("{:.3} → {:.3} → {:.3}", share(rule, "10", 1e4), share(rule, "10", 5e4), share(rule, "100", 5e4))
    };
    claims.push(Claim {
        figure: "Fig. 4",
        claim: later("accuracy falls as texts grow"),
        paper: later("at every r"),
        here: Bilingual::new(|| tr!("all {}; any {} (r, n: 10 %, 10⁴; 10 %, 5·10⁴; 100 %)", ends("all"), ends("any"))),
        verdict: all(with_n),
        tolerance: later("none"),
        reading: SURVIVORS,
    });
    claims.push(Claim {
        figure: "Fig. 4",
        claim: later("accuracy falls as r grows"),
        paper: later("at every n"),
        here: Bilingual::new(|| tr!("as above")),
        verdict: all(with_r),
        tolerance: later("none"),
        reading: later("r: share of texts that are no repeats"),
    });
    let point = |figure, series: &str, x: f64| of(rows, figure, SHARE).find(|row| row.series == series && row.x == x);
    let stated: [(&'static str, &'static str, &'static str, f64, &str); 3] = [
        ("Fig. 4", later("accuracy at r = 10 %, n = 5·10⁴, m = 5·10⁴"), "0.56", 50_000.0, ", r = 10 %"),
        ("Fig. 5", later("accuracy at r = 10 %, n = 5·10⁵, m = 1.6·10⁵"), "0.90", 160_000.0, ""),
        ("Fig. 5", later("accuracy at r = 10 %, n = 5·10⁵, m = 2·10⁷"), "1.00", 20_000_000.0, ""),
    ];
    for (figure, claim, paper, x, more) in stated {
        for (rule, reading) in [("all", ALL), ("any", ANY)] {
            let found = point(figure, &format!("rule {rule}{more}"), x);
            claims.push(Claim {
                figure,
                claim,
                paper,
                here: found.map_or_else(Bilingual::default, |row| Bilingual::new(|| format!("{:.3}", row.ours))),
                verdict: found.map_or(Finding::Unstated, |row| row.verdict),
                tolerance: "0.02",
                reading,
            });
        }
    }
    claims
}

/// The claim of Fig. 6 on the second stage: quadratic time, judged by growth. The paper's 2 s and 1 min are of another machine.
fn square(rows: &[Observation]) -> Claim {
    let time = |series: &str, n: f64| {
        of(rows, "Fig. 6", TIME).find(|row| row.series == series && row.x == n).map_or(f64::NAN, |row| row.ours)
    };
    let growth = |series| time(series, 2_000.0) / time(series, 500.0);
    let comparing = growth(COMPARING);
    Claim {
        figure: "Fig. 6",
        claim: later("the second stage takes time as the square of the texts"),
        paper: later("100: 2 s, 1 000: 1 min"),
        here: Bilingual::new(|| {
            let [alone, all] = [comparing, growth(ALL_PAIRS)].map(|growth| format!("{growth:.1}"));
            tr!("500 → 2 000: comparing × {alone}, with fingerprints × {all}", alone, all)
        }),
        verdict: of_times(rows, all([(comparing / 16.0 - 1.0).abs() <= 0.5])),
        tolerance: later("half of × 16"),
        reading: later("all pairs compared; milliseconds of 2014 are not judged"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Coordinate;
    use super::*;

    #[test]
    fn times_are_judged_at_every_size_where_the_runs_agree() {
        let ratio = |low, high| Value { middle: 1.0, low, high };
        assert_eq!(longer(&[ratio(1.1, 1.4), ratio(0.9, 1.2)]), Finding::Agrees);
        assert_eq!(longer(&[ratio(0.4, 0.8), ratio(0.9, 1.2)]), Finding::Differs);
        assert_eq!(longer(&[ratio(0.4, 0.8), ratio(1.1, 1.2)]), Finding::Unclear);
        assert_eq!(longer(&[ratio(0.9, 1.2)]), Finding::Unclear);
        assert_eq!(longer(&[]), Finding::Unstated);
    }

    #[test]
    fn claims_are_judged_by_what_was_found() {
        let mut rows = Vec::new();
        for (rule, accuracy) in [("all", 0.9), ("any", 0.6)] {
            for (at, ratio) in ["10", "50", "100"].iter().enumerate() {
                for n in 1..=5 {
                    let share = accuracy - 0.01 * f64::from(n) - 0.1 * at as f64;
                    let place = Coordinate("Fig. 4", format!("rule {rule}, r = {ratio} %"), f64::from(n) * 1e4, SHARE);
                    rows.push(place.is((n == 5 && at == 0).then_some(0.56), Value::exact(share)));
                }
            }
        }
        let verdicts = |rows: &[Observation]| -> Vec<Finding> { accuracy(rows).iter().map(|c| c.verdict).collect() };
        use Finding::{Agrees, Differs, Unclear, Unstated};
        assert_eq!(verdicts(&rows), [Agrees, Agrees, Differs, Agrees, Unstated, Unstated, Unstated, Unstated]);
        rows[1].ours = 1.0;
        assert_eq!(verdicts(&rows)[..2], [Unclear, Agrees]);
        let square_of = |long| {
            let row = |n, ms| Coordinate("Fig. 6", COMPARING.to_owned(), n, TIME).is(None, Value::exact(ms));
            square(&[row(500.0, 1.0), row(2_000.0, long)]).verdict
        };
        assert_eq!([square_of(15.0), square_of(4.0)], [Agrees, Differs]);
    }
}

//! Writes the tables for people and for programs.

use crate::locale::tr;

use super::pairs::LEVENSHTEIN;
use super::{HOLDS, HOLDS_UNSURE, MethodRow, Reproduced};
use crate::evaluate::tally::LengthIn;
use crate::report::table::Table;
use crate::report::{counted, headline, html, json, page, paragraph};

/// Formats a rate with three decimals, without the zero before the point.
fn rate(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

/// Formats a value; – if there is none.
fn if_any(value: Option<f64>, spelled: fn(f64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), spelled)
}

fn three(rates: [Option<f64>; 3]) -> String {
    rates.map(|value| if_any(value, rate)).join("/")
}

/// Formats an interval, with the number of draws that were skipped.
fn between(interval: Option<[f64; 2]>, skipped: usize) -> String {
    let told = interval.map_or_else(|| "–".to_owned(), |[low, high]| tr!("{} to {}", signed(low), signed(high)));
    match skipped {
        0 => told,
        draws => tr!("{told}, {} skipped", counted(draws as u64, "draw"), told),
    }
}

fn signed(value: f64) -> String {
    format!("{value:+.4}")
}

impl Reproduced {
    /// The table of methods, with the papers' figures.
    fn methods_table(&self) -> Table {
        let dice = |at: usize| {
            let row = &self.agreement.dice[at];
            let others = (0..row.len()).filter(|other| *other != at);
            let nearest = others.max_by(|a, b| row[*a].total_cmp(&row[*b]).then(b.cmp(a)));
            nearest.map_or_else(String::new, |other| format!("{} {}", self.agreement.methods[other], rate(row[other])))
        };
        let row = |(at, row): (usize, &MethodRow)| {
            let cells = vec![
                row.method.to_owned(),
                row.paper.map_or_else(|| "–".to_owned(), |rates| three(rates.map(Some))),
                three(row.here),
                row.f1_interval.map_or_else(|| "–".to_owned(), |[low, high]| format!("{}–{}", rate(low), rate(high))),
                row.found.to_string(),
                row.alone.to_string(),
                dice(at),
                self.signing.get(at).map_or_else(String::new, |micros| format!("{micros:.0}")),
            ];
            (cells, false)
        };
        Table {
            title: tr!("Methods"),
            words: tr!(
                "Precision/recall/F1, the paper's and ours (Kosinov's are of identical texts: see below); the interval of F1 is of 95 % of \
                 collections drawn from this one's documents; nearest is the method of largest Dice coefficient."
            ),
            head: vec![
                tr!("method"),
                tr!("paper"),
                tr!("here"),
                "F1 95 %".to_owned(),
                tr!("pairs found"),
                tr!("by no other"),
                tr!("nearest"),
                tr!("signing, µs"),
            ],
            rows: self.methods.iter().enumerate().map(row).collect(),
        }
    }

    fn claims_table(&self) -> Table {
        let row = |claim: &super::JudgedClaim| {
            let (asserted, verdict) = (claim.claim, claim.verdict);
            let cells = vec![
                tr!(asserted),
                claim.paper.to_owned(),
                if_any(claim.difference, signed),
                between(claim.interval, claim.skipped),
                tr!(verdict),
            ];
            (cells, verdict == HOLDS)
        };
        Table {
            title: tr!("Claims on orderings"),
            words: tr!(
                "The difference is the least of those that the claim speaks of: it holds above 0, and surely where the whole interval is. A \
                 draw in which one of the methods finds nothing has no such precision: it is skipped, and where more than a twentieth \
                 are, nothing is sure."
            ),
            head: vec![tr!("claim"), tr!("paper"), tr!("difference"), "95 %".to_owned(), tr!("holds")],
            rows: self.claims.iter().map(row).collect(),
        }
    }

    fn orders_table(&self) -> Table {
        let row = |order: &super::Ranking| {
            let of = order.of;
            let cells = vec![
                tr!(of),
                order.theirs.join(" "),
                if order.tau.is_some() { order.ours.join(" ") } else { tr!("nothing to judge") },
                if_any(order.tau, signed),
                between(order.interval, order.skipped),
            ];
            (cells, false)
        };
        Table {
            title: tr!("Orders"),
            words: tr!(
                "Kendall's τ-b of the paper's order and ours: 1 is the same order, 0 none, −1 the reverse. Nothing is to be judged where no \
                 such pair is true, or all methods have one F1; such draws are skipped."
            ),
            head: vec![tr!("of"), tr!("paper, best first"), tr!("here, best first"), "τ".to_owned(), "95 %".to_owned()],
            rows: self.orders.iter().map(row).collect(),
        }
    }

    fn length_table(&self) -> Table {
        let names = LengthIn::Words.bands().map(|(_, name)| name);
        let bands = self.methods.first().map_or(0, |row| row.by_length.len());
        let row = |row: &MethodRow| {
            let cells = row.by_length.iter().map(|f1| if_any(*f1, rate));
            (std::iter::once(row.method.to_owned()).chain(cells).collect(), false)
        };
        Table {
            title: tr!("F1 by words of the shorter text"),
            words: tr!("–: no pair of that length is true or found."),
            head: std::iter::once(tr!("method")).chain(names.into_iter().take(bands).map(str::to_owned)).collect(),
            rows: self.methods.iter().map(row).collect(),
        }
    }

    fn kosinov_table(&self) -> Table {
        let rows = self.methods.iter().filter(|row| row.method.starts_with('K') || row.method == "A0");
        let row = |row: &MethodRow| {
            let own = row.levenshtein.iter().map(|rates| three(*rates));
            let paper = row.paper.filter(|_| row.method != "A0").map(|rates| three(rates.map(Some)));
            let paper = paper.unwrap_or_else(|| "–".to_owned());
            ([row.method.to_owned(), paper].into_iter().chain(own).collect(), false)
        };
        let least = LEVENSHTEIN.iter().map(|least| format!("{least:.2}"));
        Table {
            title: tr!("Kosinov's profiles by Levenshtein similarity"),
            words: tr!("Precision/recall/F1 over pairs of texts of 20 words or more; the paper's are of 1.00."),
            head: [tr!("method"), tr!("paper, 1.00")].into_iter().chain(least).collect(),
            rows: rows.map(row).collect(),
        }
    }

    fn ablations_table(&self) -> Option<Table> {
        let first = self.ablations.first()?;
        let row = |ablation: &super::Ablation| {
            let cells = ablation.f1.iter().map(|(_, f1)| if_any(*f1, rate));
            let reading = ablation.reading;
            (std::iter::once(tr!(reading)).chain(cells).collect(), false)
        };
        Some(Table {
            title: tr!("Ablations"),
            words: tr!("F1 where one thing is read otherwise."),
            head: std::iter::once(tr!("reading")).chain(first.f1.iter().map(|(id, _)| (*id).to_owned())).collect(),
            rows: self.ablations.iter().map(row).collect(),
        })
    }

    fn tables(&self) -> Vec<Table> {
        let tables =
            [self.claims_table(), self.orders_table(), self.methods_table(), self.kosinov_table(), self.length_table()];
        tables.into_iter().chain(self.ablations_table()).collect()
    }

    /// Returns the tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("{}\n", self.source.localised);
        out.extend(self.tables().iter().chain(&self.agreement.tables()).map(Table::markdown));
        out
    }

    /// Returns the headline: how many of the papers' claims on orderings hold here.
    fn best(&self) -> (String, String) {
        let count = |verdict| self.claims.iter().filter(|claim| claim.verdict == verdict).count();
        let (sure, unsure) = (count(HOLDS), count(HOLDS_UNSURE));
        let words = tr!("claims of the papers on orderings hold here, {unsure} of them unsure", unsure);
        (format!("{}/{}", sure + unsure, self.claims.len()), words)
    }

    /// Returns the headline in one line, for a terminal.
    #[cfg(feature = "cli")]
    pub(crate) fn lead(&self) -> String {
        let (number, words) = self.best();
        format!("{number} · {words}")
    }

    /// Returns the tables as JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// Returns the tables as a self-contained HTML page.
    pub fn html(&self) -> String {
        let (number, words) = self.best();
        let body = html! {
            (headline(&number, &words))
            (paragraph(&self.source.localised))
            @for table in self.tables() { (table.html()) }
            @for map in self.agreement.heat_maps() { (map.html()) }
        };
        page("quchong reproduce", &body)
    }
}

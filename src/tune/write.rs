//! Writes a sweep as text for people and for programs. The writers return strings and never fail.

use std::fmt::Write;

use crate::locale::tr;

use super::recommend::MOST_CONFIRMED;
use super::{BloomSweep, Confirmed, Measured, Recommended, Trial, predict};
use crate::config::ExactOn;
use crate::exact::paper::{BloomHash, BloomRule};
use crate::report::{counted, grouped, headline, html, html_table, json, markdown_table, page, paragraph, share};

/// The column heads of [`cells`].
fn heads() -> [String; 11] {
    [
        tr!("bits"),
        "k".to_owned(),
        tr!("bytes"),
        tr!("false drops"),
        tr!("loss"),
        tr!("measured"),
        tr!("95 % interval"),
        tr!("predicted by size"),
        tr!("predicted by fill"),
        tr!("fill"),
        tr!("ns/text without hashing"),
    ]
}

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

/// A capacity of more than this many times the input's distinct texts is pointed out: it may be a default that the user did not choose.
const FEW: u64 = 100;

impl BloomSweep {
    /// The paragraphs around the table: what was read and asked for, how to read the table, what is recommended, and how to read the
    /// costs.
    pub(crate) fn words(&self) -> [String; 4] {
        let probes = self.rows.first().map_or(0, |row| row.measured.probes);
        let (distinct, capacity) = (grouped(self.distinct), grouped(self.capacity));
        [
            tr!(
                "{}: {}, {distinct} distinct, {} skipped. Rule {}, hash {} of the {} text, seed {}; capacity {capacity}, target \
                 {}.",
                self.source.localised,
                counted(self.texts, "text"),
                grouped(self.skipped),
                self.rule.name(),
                self.hash.name(),
                self.exact_on.name(),
                self.seed,
                self.target,
                distinct,
                capacity
            ),
            tr!(
                "Each row is a filter that holds the {distinct} distinct texts of the input, the recommended size (★) too, and \
                 was asked for {}. False drops are distinct texts taken for repeats while it filled, loss is their share; the \
                 error is predicted by size (from texts × k ÷ bits) and by fill (from the bits that are set). Times leave \
                 hashing out.",
                counted(probes, "fresh post"),
                distinct
            ),
            self.recommendation(),
            tr!(
                "What the stages cost. Bytes at {} are of a filter's full size and a trie of so many texts (beyond 1,000,000 \
                 scaled up). Times, losses and misses are of the input{}.",
                counted(self.capacity, "text"),
                if self.distinct < 10_000 { tr!(", which is too small for times to mean much") } else { String::new() }
            ),
        ]
    }

    fn recommendation(&self) -> String {
        let texts = counted(self.capacity, "distinct text");
        let Some(best) = &self.recommended else {
            let hash = self.hash.name();
            return tr!(
                "No filter has an error of {} at {texts}: hash {hash} reaches 2^32 bits, and more would be needed. Try \
                 --hash xxh3, or a larger --target-error.",
                self.target,
                texts,
                hash
            );
        };
        let mut text = tr!(
            "Recommended for {texts} and an error of {}: {} bits ({} bytes), {}; predicted {}",
            self.target,
            grouped(best.bits),
            grouped(best.bytes),
            counted(best.hashes.into(), "hash function"),
            share(best.predicted),
            texts
        );
        text += &match best.confirmed {
            Some(confirmed) => self.confirmation(confirmed),
            None => tr!(", not measured: that is done for up to {} texts.", grouped(MOST_CONFIRMED)),
        };
        text + &self.options(best)
    }

    /// Describes the error measured at the capacity, and warns if it is above the target by more than chance.
    fn confirmation(&self, Confirmed { of_input, generated, measured, .. }: Confirmed) -> String {
        let (of_input, generated) = (counted(of_input, "text"), counted(generated, "generated post"));
        let mut text = tr!(
            ", measured {} ({}) on {} when it held {of_input} of the input and {generated}.",
            share(measured.rate),
            interval(measured),
            counted(measured.probes, "fresh post"),
            of_input,
            generated
        );
        if predict::wilson(measured.false_positives, measured.probes, predict::Z999).0 > self.target {
            text += &tr!(
                " That is above the target, and no chance: this hash errs more often than theory says; take more bits."
            );
        }
        text
    }

    /// Returns the options of `quchong dedup` that make the recommended filter; empty if `quchong dedup` has no such filter.
    fn options(&self, best: &Recommended) -> String {
        if (self.rule, self.hash) != (BloomRule::All, BloomHash::Xxh3) {
            return String::new();
        }
        let exact_on = match self.exact_on {
            ExactOn::Canonical => String::new(),
            ExactOn::Raw => format!(" --exact-on {}", self.exact_on.name()),
        };
        tr!(
            " In quchong dedup: --exact bloom --capacity {} --bloom-bits {} --bloom-hashes {}{exact_on}",
            self.capacity,
            best.bits,
            best.hashes,
            exact_on
        )
    }

    fn cost_head(&self) -> [String; 6] {
        let (capacity, distinct) = (counted(self.capacity, "text"), counted(self.distinct, "text"));
        let [at_capacity, measured] = [capacity, distinct].map(|texts| tr!("bytes at {texts}", texts));
        let [time, lost] = [tr!("ns/text without hashing"), tr!("unique texts lost")];
        ["--exact".to_owned(), at_capacity, measured, time, lost, tr!("repeats missed")]
    }

    fn cost_cells(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.costs.iter().map(|cost| {
            let time = format!("{:.1}", cost.ns_per_text);
            let [at_capacity, bytes, lost, missed] =
                [cost.bytes_at_capacity, cost.bytes, cost.false_drops, cost.missed].map(grouped);
            vec![cost.mode.to_owned(), at_capacity, bytes, time, lost, missed]
        })
    }

    /// Returns the report as Markdown: the recommendation first, then every setting.
    pub fn markdown(&self) -> String {
        let ([_, how, _, costs], head) = (self.words(), self.cost_head());
        let table = markdown_table(&heads().each_ref().map(String::as_str), self.rows.iter().map(cells));
        let cost_table = markdown_table(&head.each_ref().map(String::as_str), self.cost_cells());
        format!("{}\n{how}\n\n{table}\n{costs}\n\n{cost_table}", self.lead())
    }

    /// Returns the recommendation alone, with a hint how to get the full report.
    #[cfg(feature = "cli")]
    pub(crate) fn brief(&self) -> String {
        let tried = counted(self.rows.len() as u64, "setting");
        let rest = tr!("{tried} tried: --all prints a row for each; --csv, --json and --html FILE write them.", tried);
        format!("{}\n{rest}\n", self.lead())
    }

    /// The opening of every text report: the recommendation as a short table and in words, and the data it is based on.
    fn lead(&self) -> String {
        let [what, _, best, _] = self.words();
        let parts = [Some(best), self.extrapolation(), Some(what)];
        self.short_table() + &parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n") + "\n"
    }

    /// Returns the recommendation as a short table; empty if there is none.
    fn short_table(&self) -> String {
        let Some(best) = &self.recommended else { return String::new() };
        let measured = best.confirmed.map_or_else(|| "–".to_owned(), |confirmed| share(confirmed.measured.rate));
        let cells = [grouped(self.capacity), grouped(best.bits), grouped(best.bytes), best.hashes.to_string()];
        let row = cells.into_iter().chain([share(best.predicted), measured]).collect();
        let [asked, bits, bytes] = [tr!("recommended for"), tr!("bits"), tr!("bytes")];
        let [hashes, predicted, measured] = [tr!("hash functions"), tr!("predicted error"), tr!("measured")];
        let head = [&asked, &bits, &bytes, &hashes, &predicted, &measured].map(String::as_str);
        format!("{}\n", markdown_table(&head, std::iter::once(row)))
    }

    /// Warns if the input is only a small part of the texts that the filter is sized for.
    fn extrapolation(&self) -> Option<String> {
        let is_far = self.distinct.saturating_mul(FEW) < self.capacity;
        is_far.then(|| {
            tr!(
                "Extrapolated: the input has only {}, and the size is for {}; give --capacity the number that your feed will hold.",
                counted(self.distinct, "distinct text"),
                grouped(self.capacity),
            )
        })
    }

    /// Returns the report as CSV: a header, then a line for each setting.
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

    /// Returns the headline: the recommended size, and its purpose.
    fn best(&self) -> Option<(String, String)> {
        let best = self.recommended.as_ref()?;
        let (hashes, texts) = (best.hashes, grouped(self.capacity));
        let words =
            tr!("{hashes} hash functions, for {texts} distinct texts and an error of {}", self.target, hashes, texts);
        Some((tr!("{} bits", grouped(best.bits)), words))
    }

    /// Returns the report as JSON: this structure.
    pub fn json(&self) -> String {
        json(self)
    }

    /// Returns the report as a self-contained HTML page.
    pub fn html(&self) -> String {
        let ([what, how, best, costs], head) = (self.words(), self.cost_head());
        let body = html! {
            @if let Some((number, words)) = self.best() { (headline(&number, &words)) }
            @for words in [Some(best), self.extrapolation(), Some(what), Some(costs)].iter().flatten() { (paragraph(words)) }
            (html_table(&head.each_ref().map(String::as_str), self.cost_cells().map(|row| (row, false))))
            @for chart in self.charts() { (chart.html()) }
            (paragraph(&how))
            (html_table(&heads().each_ref().map(String::as_str), self.rows.iter().map(|row| (cells(row), row.recommended))))
        };
        page("quchong tune bloom", &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Bilingual;
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
            source: Bilingual::new(|| "微博<script>&.jsonl".to_owned()),
            texts: 1200,
            distinct: 1000,
            skipped: 1,
            unread: Default::default(),
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
        assert_eq!(html.matches("<path class=\"pt").count(), 4 * 3);
        assert_eq!(html.matches("<tr class=\"recommended\">").count(), 1);
        assert!(html.contains("微博&lt;script&gt;&amp;.jsonl") && !html.contains("<script>") && !html.contains("NaN"));
        assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"), "a page needs nothing but itself");
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&json["rows"][2]["recommended"], &json["rule"]), (&true.into(), &"all".into()));
    }

    /// A reader of the report alone knows the options, the texts held, and which figures were scaled up.
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

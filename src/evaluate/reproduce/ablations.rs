//! The results under other readings: changes, one at a time, what the papers leave open or say in two ways.

use std::collections::HashSet;

use super::pairs::{Pair, pairs};
use super::sums::{F1, Sums, rates};
use super::{Ablation, Options};
use crate::config::Rules;
use crate::error::Result;
use crate::evaluate::finds::{self, MethodFinds};
use crate::evaluate::sample::{Pairs, Sample};
use crate::evaluate::truth_on::TruthOn;
use crate::evaluate::{Experiment, OnProgress};
use crate::locale::{Bilingual, later};
use crate::methods::{CATALOGUE, Choices, Method, Reading};

/// The methods that ablations measure: those whose results a reading can change.
const METHODS: [&str; 12] = ["A0", "A1", "A2", "A3", "A4", "A6-36", "I-Match", "A8", "A10", "A11", "A12", "3+2-N2"];

/// A change to a reading.
type Change = fn(Reading) -> Reading;

/// The readings, by name.
const READINGS: [(&str, Change); 10] = [
    (later("as it is"), |reading| reading),
    (later("words of any length"), |reading| Reading { choices: Choices { letters: 1, ..reading.choices }, ..reading }),
    (later("words of more than three letters"), |reading| Reading {
        choices: Choices { letters: 4, ..reading.choices },
        ..reading
    }),
    (later("stop words kept"), |reading| Reading {
        choices: Choices { no_stop_words: false, ..reading.choices },
        ..reading
    }),
    (later("five frequent words"), |reading| Reading {
        choices: Choices { frequent: 5, ..reading.choices },
        ..reading
    }),
    (later("lexicon from N^0.0 to N^0.9"), |reading| Reading {
        choices: Choices { lexicon: [0.0, 0.9], ..reading.choices },
        ..reading
    }),
    (later("lexicon from N^0.2 to N^0.7"), |reading| Reading {
        choices: Choices { lexicon: [0.2, 0.7], ..reading.choices },
        ..reading
    }),
    (later("HTML taken out"), |reading| Reading { html: true, ..reading }),
    (later("layout undone"), |reading| Reading { reflow: true, ..reading }),
    (later("wrapping taken off"), |reading| Reading { rules: Rules::ALL, ..reading }),
];

/// Other forms of the texts that the truth can compare.
const FORMS: [(&str, TruthOn); 2] =
    [(later("truth on canonical forms"), TruthOn::Canonical), (later("truth on bodies"), TruthOn::Body)];

/// Computes F1 of each method under each reading. The true pairs are those of `rows`, and further ones that a reading finds. If the truth
/// compares another form of the texts, the true pairs are searched again.
pub(super) fn all(
    texts: &[String],
    rows: &[Vec<Pair>],
    options: &Options,
    progress: OnProgress<'_>,
) -> Result<Vec<Ablation>> {
    let methods: Vec<&'static Method> =
        CATALOGUE.iter().copied().filter(|method| METHODS.contains(&method.id)).collect();
    let silent = |_: usize| {};
    let mut found = Vec::new();
    for (at, (name, change)) in READINGS.iter().enumerate() {
        progress("ablations", at, READINGS.len() + FORMS.len());
        let finds = found_under(&methods, texts, change(options.reading), options, &|_, _, _| {})?;
        let own = pairs(&finds, texts, (TruthOn::Raw, options.reading), false, options.threads, &silent)?;
        found.push(ablation(name, &methods, &with_missed(own, rows)));
    }
    for (at, (name, form)) in FORMS.iter().enumerate() {
        progress("ablations", READINGS.len() + at, READINGS.len() + FORMS.len());
        let finds = found_under(CATALOGUE, texts, options.reading, options, &|_, _, _| {})?;
        let own = pairs(&finds, texts, (*form, options.reading), false, options.threads, &silent)?;
        let all = ablation(name, CATALOGUE, &own);
        found.push(Ablation { f1: all.f1.into_iter().filter(|(id, _)| METHODS.contains(id)).collect(), ..all });
    }
    Ok(found)
}

/// The pairs that a reading finds, and the true pairs that it misses.
fn with_missed(mut own: Vec<Vec<Pair>>, rows: &[Vec<Pair>]) -> Vec<Vec<Pair>> {
    for (own, known) in own.iter_mut().zip(rows) {
        let held: HashSet<u32> = own.iter().map(|pair| pair.b).collect();
        let missed = known.iter().filter(|pair| pair.is_alike && !held.contains(&pair.b));
        own.extend(missed.map(|pair| Pair { mask: 0, ..*pair }));
    }
    own
}

fn ablation(reading: &'static str, methods: &[&'static Method], rows: &[Vec<Pair>]) -> Ablation {
    let counts = Sums::of(rows, methods.len(), |_, pair| Some(pair.is_alike)).counts();
    let f1 = methods.iter().zip(&counts).map(|(method, counts)| (method.id, rates(counts).0[F1]));
    Ablation { reading, f1: f1.collect() }
}

/// Signs the texts with the methods under another reading.
fn found_under(
    methods: &[&'static Method],
    texts: &[String],
    reading: Reading,
    options: &Options,
    progress: OnProgress<'_>,
) -> Result<Vec<MethodFinds>> {
    let experiment = Experiment { reading, ..options.experiment() };
    let pairs = Pairs::All(vec![Vec::new(); texts.len()]);
    let sample = Sample::of(texts.to_vec(), Vec::new(), pairs, Bilingual::default());
    finds::finds(methods, &sample, &experiment, progress)
}

//! The figures that the papers print for their methods, and their claims about the order of methods.

use super::sums::{F1, PRECISION, RECALL};
use crate::locale::later;

/// Precision, recall and F1 that a paper prints for a method.
pub(super) struct Printed {
    pub(super) method: &'static str,
    pub(super) rates: [f64; 3],
}

const fn printed(method: &'static str, precision: f64, recall: f64, f1: f64) -> Printed {
    Printed { method, rates: [precision, recall, f1] }
}

/// Zelenkov & Segalovich 2007, Indel similarity 0.80. For decomposition (A11), they say "practically 100 %" of both. "3+2" is from Chala &
/// Popadenko 2013, on their own collection.
pub(super) const ZELENKOV: [Printed; 15] = [
    printed("A0", 1.00, 0.23, 0.38),
    printed("A1", 0.94, 0.60, 0.73),
    printed("A2", 0.96, 0.54, 0.69),
    printed("A3", 0.95, 0.59, 0.73),
    printed("A4", 0.80, 0.84, 0.82),
    printed("A5", 0.86, 0.62, 0.72),
    printed("A6-36", 0.91, 0.36, 0.51),
    printed("A7", 0.97, 0.50, 0.66),
    printed("A8", 0.97, 0.39, 0.56),
    printed("A9", 0.77, 0.44, 0.56),
    printed("A10", 0.94, 0.59, 0.73),
    printed("A11", 1.00, 1.00, 1.00),
    printed("A12", 0.95, 0.96, 0.95),
    printed("3+2-N2", 0.963, 0.956, 0.959),
    printed("3+2-N3", 0.978, 0.927, 0.952),
];

/// Whether two names are the same. The standard library cannot say so at compile time.
pub(super) const fn is_same(a: &str, b: &str) -> bool {
    let (a, b, mut at) = (a.as_bytes(), b.as_bytes(), 0);
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Whether a method of [`ZELENKOV`] can be ranked: A11 has no printed figures, and 3+2 is from another paper and another collection.
pub(super) fn is_ranked(method: &str) -> bool {
    !["A11", "3+2-N2", "3+2-N3"].contains(&method)
}

/// Kosinov, Levenshtein similarity 1.00, texts of 20 words or more.
pub(super) const KOSINOV: [Printed; 6] = [
    printed("K1", 0.48, 0.91, 0.63),
    printed("K2", 0.70, 0.59, 0.64),
    printed("K3", 0.69, 0.58, 0.63),
    printed("K4", 0.95, 0.45, 0.61),
    printed("K5", 0.72, 0.59, 0.65),
    printed("K6", 0.96, 0.45, 0.61),
];

/// Which pairs a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// All pairs; true by Indel similarity.
    All,
    /// Pairs of texts of 20 words or more; true at Levenshtein similarity 1.00.
    Identical,
    /// As `Identical`, if the shorter text has at most 50 words.
    Short,
}

/// A claim: each method in `more` has a larger rate than each method in `less`.
pub(super) struct Claim {
    pub(super) claim: &'static str,
    pub(super) paper: &'static str,
    pub(super) view: View,
    pub(super) rate: usize,
    pub(super) more: &'static [&'static str],
    pub(super) less: &'static [&'static str],
}

const fn zelenkov(
    claim: &'static str,
    rate: usize,
    more: &'static [&'static str],
    less: &'static [&'static str],
) -> Claim {
    Claim { claim, paper: "Zelenkov & Segalovich", view: View::All, rate, more, less }
}

/// The signing methods of Zelenkov & Segalovich, except their best one.
const SIGNING: &[&str] = &["A0", "A1", "A2", "A3", "A4", "A5", "A6-36", "A7", "A8", "A9", "A10"];

/// The papers' claims on orderings.
pub(super) const CLAIMS: [Claim; 16] = [
    zelenkov(
        later("decomposition has the best F1 of their methods"),
        F1,
        &["A11"],
        &["A12", "A1", "A2", "A3", "A4", "A5", "A6-36", "A7", "A8", "A9", "A10", "A0"],
    ),
    zelenkov(later("3+5 has the best F1 of those that sign"), F1, &["A12"], SIGNING),
    zelenkov(
        later("Long Sent comes next"),
        F1,
        &["A4"],
        &["A0", "A1", "A2", "A3", "A5", "A6-36", "A7", "A8", "A9", "A10"],
    ),
    zelenkov(
        later("MD5 has the worst F1"),
        F1,
        &["A1", "A2", "A3", "A4", "A5", "A6-36", "A7", "A8", "A9", "A10", "A12"],
        &["A0"],
    ),
    zelenkov(
        later("MD5 is the most precise"),
        PRECISION,
        &["A0"],
        &["A1", "A2", "A3", "A4", "A5", "A6-36", "A7", "A8", "A9", "A10", "A12"],
    ),
    zelenkov(
        later("Megashingles are the worst but MD5"),
        F1,
        &["A1", "A2", "A3", "A4", "A5", "A7", "A8", "A9", "A10", "A12"],
        &["A6-36"],
    ),
    zelenkov(later("TF, TF*RIDF and Opt Freq beat TF*IDF"), F1, &["A1", "A3", "A10"], &["A2"]),
    zelenkov(later("Long Sent finds more than Heavy Sent"), RECALL, &["A4"], &["A5"]),
    Claim {
        claim: later("36 functions find more than 84"),
        paper: "Zelenkov & Segalovich; Sharapova",
        view: View::All,
        rate: RECALL,
        more: &["A6-36"],
        less: &["A6-84"],
    },
    Claim {
        claim: later("3+2 with N = 2 beats 3+5"),
        paper: "Chala & Popadenko",
        view: View::All,
        rate: F1,
        more: &["3+2-N2"],
        less: &["A12"],
    },
    Claim {
        claim: later("N = 2 finds more than N = 3"),
        paper: "Chala & Popadenko",
        view: View::All,
        rate: RECALL,
        more: &["3+2-N2"],
        less: &["3+2-N3"],
    },
    Claim {
        claim: later("N = 3 is more precise than N = 2"),
        paper: "Chala & Popadenko",
        view: View::All,
        rate: PRECISION,
        more: &["3+2-N3"],
        less: &["3+2-N2"],
    },
    Claim {
        claim: later("K1 is the least precise"),
        paper: "Kosinov",
        view: View::Identical,
        rate: PRECISION,
        more: &["K2", "K3", "K4", "K5", "K6"],
        less: &["K1"],
    },
    Claim {
        claim: later("K1 finds most"),
        paper: "Kosinov",
        view: View::Identical,
        rate: RECALL,
        more: &["K1"],
        less: &["K2", "K3", "K4", "K5", "K6"],
    },
    Claim {
        claim: later("K4 and K6 are the most precise"),
        paper: "Kosinov",
        view: View::Identical,
        rate: PRECISION,
        more: &["K4", "K6"],
        less: &["K1", "K2", "K3", "K5"],
    },
    Claim {
        claim: later("K6 has the best F1 on 20 to 50 words"),
        paper: "Kosinov",
        view: View::Short,
        rate: F1,
        more: &["K6"],
        less: &["K1", "K2", "K3", "K4", "K5"],
    },
];

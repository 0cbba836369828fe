//! Finds the pairs of a collection, once for all tables: which methods find each pair, and how similar it is.

use crate::error::Result;
use crate::evaluate::agreement::Mask;
use crate::evaluate::finds::{MethodFinds, PairRow};
use crate::evaluate::indel::{IndelBodies, LcsComparer};
use crate::evaluate::rows::in_rows;
use crate::evaluate::truth_on::TruthOn;
use crate::methods::Reading;

/// Least Indel similarity of the main truth (Zelenkov & Segalovich 2007).
pub(super) const INDEL: f64 = 0.8;

/// Least Levenshtein similarities (Kosinov).
pub(super) const LEVENSHTEIN: [f64; 4] = [0.85, 0.90, 0.95, 1.00];

/// A pair that some method finds. The earlier message is the row of the pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) b: u32,
    /// The methods that find the pair.
    pub(super) mask: Mask,
    /// Whether its Indel similarity is [`INDEL`] or more.
    pub(super) is_alike: bool,
    /// Its Levenshtein similarity; 0 if it was not asked for, or if the Indel similarity proves it to be below the least of
    /// [`LEVENSHTEIN`].
    pub(super) levenshtein: f32,
}

/// For each message, its pairs with later messages, in order.
pub(super) fn pairs(
    finds: &[MethodFinds],
    texts: &[String],
    (form, reading): (TruthOn, Reading),
    with_levenshtein: bool,
    threads: usize,
    done: &dyn Fn(usize),
) -> Result<Vec<Vec<Pair>>> {
    let texts: Vec<_> = texts.iter().map(|text| reading.unwrapped(text)).collect();
    let bodies = IndelBodies::on(form, texts.iter().map(|text| &**text));
    let finds: Vec<&MethodFinds> = finds.iter().collect();
    let least = LEVENSHTEIN[0];
    // No two texts of that Levenshtein similarity have a smaller Indel similarity; the proof is in `truth`.
    let floor = 1.0 - 2.0 * (1.0 - least) / (1.0 + least) - 1e-9;
    let row = |(row, comparer): &mut (PairRow, LcsComparer<'_>), a: usize| {
        row.read(&finds, a, texts.len(), &[]);
        comparer.set_pattern(a);
        let mut found: Vec<Pair> = row
            .entries()
            .map(|(b, mask, _)| {
                let indel = comparer.similarity(b as usize, floor.min(INDEL)).unwrap_or(0.0);
                let levenshtein =
                    if with_levenshtein && indel >= floor { comparer.levenshtein(b as usize) as f32 } else { 0.0 };
                Pair { b, mask, is_alike: indel >= INDEL, levenshtein }
            })
            .collect();
        found.sort_unstable_by_key(|pair| pair.b);
        found
    };
    let make = || (PairRow::default(), LcsComparer::new(&bodies));
    in_rows(texts.len(), threads, make, row, done).map(|(_, rows)| rows)
}

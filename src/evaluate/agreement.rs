//! How much methods agree, pair by pair, regardless of the truth.

use std::collections::HashMap;

use serde::Serialize;

use crate::locale::tr;

use crate::report::heat::HeatMap;
use crate::report::table::Table;

/// The set of methods that find a pair: one bit for each method.
pub(super) type Mask = u64;

/// How much every two methods agree. Rows and columns are in the order of `methods`.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Their names.
    pub methods: Vec<&'static str>,
    /// Number of pairs compared: those that are true or that some method finds; for labelled pairs, all of them.
    pub pairs: u64,
    /// Dice coefficient 2|A∩B| / (|A| + |B|) of the pairs that two methods find (Zelenkov & Segalovich 2007), 0..=1; 1 if neither finds
    /// any.
    pub dice: Vec<Vec<f64>>,
    /// Gwet's AC1 (Kosinov), −1..=1: agreement on which pairs are alike and which are not, corrected for chance: (A − p(E)) / (1 − p(E))
    /// with A = (a + d)/m, p(E) = 2P'(1 − P'), P' = (2a + b + c)/2m. In the paper, m is all pairs of a collection. So few of those are
    /// found by any method that every entry is 1.000. Here, m is [`pairs`](Self::pairs).
    pub ac1: Vec<Vec<f64>>,
}

impl Agreement {
    /// Computes the agreement of these methods. `together` gives the number of pairs that each set of methods found.
    pub(super) fn new(methods: Vec<&'static str>, together: &HashMap<Mask, u64>) -> Self {
        let found =
            |mask: Mask| -> u64 { together.iter().filter(|(by, _)| **by & mask == mask).map(|(_, count)| count).sum() };
        let numbers = 0..methods.len();
        let alone: Vec<u64> = numbers.clone().map(|method| found(1 << method)).collect();
        let pairs = found(0);
        let table = |cell: &dyn Fn(u64, u64, u64) -> f64| -> Vec<Vec<f64>> {
            let row = |i: usize| numbers.clone().map(|j| cell(alone[i], alone[j], found(1 << i | 1 << j))).collect();
            numbers.clone().map(row).collect()
        };
        Self { pairs, dice: table(&dice), ac1: table(&|i, j, both| ac1(i, j, both, pairs)), methods }
    }

    /// The shown measures: title, how to read it, values.
    fn measures(&self) -> [(String, String, &Vec<Vec<f64>>); 2] {
        [
            (
                tr!("Agreement: Dice coefficient"),
                tr!("2·|A∩B| / (|A| + |B|) of the pairs that two methods find."),
                &self.dice,
            ),
            (
                tr!("Agreement: Gwet's AC1"),
                tr!("Among the pairs that are true or that a method of this table finds: other rows, other numbers."),
                &self.ac1,
            ),
        ]
    }

    /// The matrices as tables.
    pub(super) fn tables(&self) -> [Table; 2] {
        self.measures().map(|(title, words, values)| {
            let methods = self.methods.iter().map(|method| (*method).to_owned());
            let head = std::iter::once(tr!("method")).chain(methods).collect();
            let row = |(name, values): (&&str, &Vec<f64>)| {
                let cells = values.iter().map(|value| format!("{value:.2}"));
                (std::iter::once((*name).to_owned()).chain(cells).collect(), false)
            };
            Table { title, words, head, rows: self.methods.iter().zip(values).map(row).collect() }
        })
    }

    /// The matrices as pictures.
    pub(crate) fn heat_maps(&self) -> [HeatMap; 2] {
        self.measures().map(|(title, _, values)| HeatMap {
            title: tr!("{}, in hundredths", title),
            names: self.methods.iter().map(|name| (*name).to_owned()).collect(),
            values: values.clone(),
        })
    }
}

/// Dice coefficient of two sets of sizes `i` and `j` with `both` in common.
fn dice(i: u64, j: u64, both: u64) -> f64 {
    if i + j == 0 { 1.0 } else { 2.0 * both as f64 / (i + j) as f64 }
}

/// Gwet's AC1 of two sets of sizes `i` and `j` with `both` in common, among `pairs` pairs.
fn ac1(i: u64, j: u64, both: u64, pairs: u64) -> f64 {
    let m = pairs.max(1) as f64;
    let agreed = 1.0 - (i + j - 2 * both) as f64 / m;
    let share = (i + j) as f64 / (2.0 * m);
    let chance = 2.0 * share * (1.0 - share);
    (agreed - chance) / (1.0 - chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_by_hand() {
        // Of ten pairs A finds 4, B finds 3, both 2.
        let together = HashMap::from([(0b11, 2), (0b01, 2), (0b10, 1), (0, 5)]);
        let agreement = Agreement::new(vec!["A", "B"], &together);
        assert_eq!((agreement.pairs, agreement.dice[0][1]), (10, 4.0 / 7.0));
        // A = 0.7, P' = 0.35, p(E) = 0.455.
        assert!((agreement.ac1[1][0] - (0.7 - 0.455) / 0.545).abs() < 1e-12);
        assert_eq!((agreement.dice[0][0], agreement.ac1[1][1]), (1.0, 1.0));
        assert_eq!(Agreement::new(vec!["A", "B"], &HashMap::from([(0, 3)])).dice[0][1], 1.0);
    }
}

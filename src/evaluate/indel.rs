//! Indel similarity by brute force: 2·LCS(a, b) / (|a| + |b|) of the bodies' characters. Papers use it as the truth for texts without
//! labels. The result is exact: a pair is skipped only if a bound proves that it is below the threshold.

use std::collections::HashMap;

use super::truth_on::TruthOn;

use crate::config::Rules;
use crate::rule::align::step;
use crate::text::body::{Body, body_into};
use crate::text::normalise::canonical;

/// Number of buckets in which a body's characters are counted.
const BUCKETS: usize = 64;

/// The bodies of texts, without blanks, prepared for comparing them with each other.
#[derive(Debug, Default)]
pub(crate) struct IndelBodies {
    /// The bodies. Characters are numbered by first appearance.
    texts: Vec<Vec<u32>>,
    /// For each body, the number of characters in each bucket.
    counts: Vec<[u16; BUCKETS]>,
    /// Canonical forms of texts that consist only of wrapping. Two of them are alike only if they are equal.
    wrappings: HashMap<usize, String>,
    /// Number of distinct characters.
    alphabet: usize,
}

impl IndelBodies {
    /// Prepares the bodies of `texts`, with all wrapping removed.
    pub(crate) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self::on(TruthOn::Body, texts)
    }

    /// The same for any form of the texts. Blanks count unless the form is the body.
    pub(crate) fn on<'t>(form: TruthOn, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut bodies = Self::default();
        let mut numbers = HashMap::new();
        let mut body = Body::default();
        for (at, text) in texts.into_iter().enumerate() {
            let canonical = canonical(text);
            match form {
                TruthOn::Body => body_into(&canonical, Rules::ALL, &mut body),
                TruthOn::Canonical => body.text.clone_from(&canonical),
                TruthOn::Raw => text.clone_into(&mut body.text),
            }
            let mut counts = [0u16; BUCKETS];
            let mut characters = Vec::new();
            for c in body.text.chars().filter(|c| form != TruthOn::Body || !c.is_whitespace()) {
                let next = numbers.len() as u32;
                let number = *numbers.entry(c).or_insert(next);
                characters.push(number);
                let count = &mut counts[number as usize % BUCKETS];
                *count = count.saturating_add(1);
            }
            if characters.is_empty() && !canonical.is_empty() {
                bodies.wrappings.insert(at, canonical);
            }
            bodies.texts.push(characters);
            bodies.counts.push(counts);
        }
        bodies.alphabet = numbers.len();
        bodies
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Number of characters of the body at `at`.
    pub(crate) fn characters(&self, at: usize) -> usize {
        self.texts[at].len()
    }

    /// Returns an upper bound for the longest common subsequence of the two bodies.
    fn bound(&self, a: usize, b: usize) -> usize {
        // A saturated counter would make the bound too small.
        let shorter = self.texts[a].len().min(self.texts[b].len());
        if shorter > usize::from(u16::MAX) {
            return shorter;
        }
        self.counts[a].iter().zip(&self.counts[b]).map(|(a, b)| usize::from(*a.min(b))).sum()
    }
}

/// Compares one body with others: the bit-parallel LCS of Hyyrö (2004), 64 characters at a time.
pub(crate) struct LcsComparer<'b> {
    bodies: &'b IndelBodies,
    /// The body that the masks belong to.
    pattern: usize,
    words: usize,
    /// For each character, a bit mask of its positions in the pattern.
    masks: Vec<u64>,
    row: Vec<u64>,
}

impl<'b> LcsComparer<'b> {
    /// Makes a comparer of these bodies, which at first compares with body 0.
    pub(crate) fn new(bodies: &'b IndelBodies) -> Self {
        let mut comparer = Self { bodies, pattern: 0, words: 0, masks: Vec::new(), row: Vec::new() };
        if !bodies.is_empty() {
            comparer.set_pattern(0);
        }
        comparer
    }

    /// Compares with the body at `pattern` from now on.
    pub(crate) fn set_pattern(&mut self, pattern: usize) {
        let old = std::mem::replace(&mut self.pattern, pattern);
        // Clear only the bits that were set: a body of a million characters has 15 000 words for each character.
        for (place, c) in self.bodies.texts[old].iter().enumerate().take(64 * self.words) {
            self.masks[*c as usize * self.words + place / 64] = 0;
        }
        let characters = &self.bodies.texts[pattern];
        self.words = characters.len().div_ceil(64);
        if self.masks.len() < self.words * self.bodies.alphabet {
            self.masks.resize(self.words * self.bodies.alphabet, 0);
        }
        for (place, c) in characters.iter().enumerate() {
            self.masks[*c as usize * self.words + place / 64] |= 1 << (place % 64);
        }
    }

    /// Returns the length of the longest common subsequence with the body at `other`.
    fn lcs(&mut self, other: usize) -> usize {
        self.row.clear();
        self.row.resize(self.words, u64::MAX);
        for c in &self.bodies.texts[other] {
            let masks = &self.masks[*c as usize * self.words..][..self.words];
            let mut carry = false;
            for (row, mask) in self.row.iter_mut().zip(masks) {
                *row = step(*row, *mask, &mut carry);
            }
        }
        // Positions after the end of the pattern never match and stay 1.
        self.row.iter().map(|row| row.count_zeros() as usize).sum()
    }

    /// Returns the similarity with the body at `other` if it is at least `least`, which must be above 0. Two texts without a body are
    /// alike, with similarity 1, if and only if their canonical forms are equal.
    pub(crate) fn similarity(&mut self, other: usize, least: f64) -> Option<f64> {
        let bodies = self.bodies;
        let (a, b) = (bodies.texts[self.pattern].len(), bodies.texts[other].len());
        if a + b == 0 {
            let wrapping = bodies.wrappings.get(&self.pattern)?;
            return (bodies.wrappings.get(&other) == Some(wrapping)).then_some(1.0);
        }
        let similarity = |lcs: usize| (2 * lcs) as f64 / (a + b) as f64;
        if similarity(a.min(b)) < least || similarity(bodies.bound(self.pattern, other)) < least {
            return None;
        }
        Some(similarity(self.lcs(other))).filter(|found| *found >= least)
    }

    /// Levenshtein similarity 1 − distance / max(|a|, |b|) with the body at `other`. It is 1 for any two texts without a body; ask
    /// [`similarity`](Self::similarity) whether those are alike.
    pub(crate) fn levenshtein(&mut self, other: usize) -> f64 {
        let bodies = self.bodies;
        let (a, b) = (&bodies.texts[self.pattern], &bodies.texts[other]);
        if a == b {
            return 1.0;
        }
        1.0 - self.distance(a.len(), b) as f64 / a.len().max(b.len()).max(1) as f64
    }

    /// Levenshtein distance of the pattern and a different text, 64 rows of the table at a time (Myers 1999; Hyyrö 2003). A bit of `more`
    /// says that a cell is one more than the cell above it; a bit of `less`, that it is one less.
    fn distance(&mut self, rows: usize, text: &[u32]) -> usize {
        if rows == 0 {
            return text.len();
        }
        let (mut more, mut less) = (vec![u64::MAX; self.words], vec![0_u64; self.words]);
        let (mut distance, last) = (rows, 1_u64 << ((rows - 1) % 64));
        for c in text {
            let masks = &self.masks[*c as usize * self.words..][..self.words];
            // The first row of the table rises by one from column to column.
            let (mut up, mut down) = (1_u64, 0_u64);
            for (word, ((more, less), mask)) in more.iter_mut().zip(&mut less).zip(masks).enumerate() {
                let vertical = mask | *less;
                let equal = mask | down;
                let horizontal = ((equal & *more).wrapping_add(*more) ^ *more) | equal;
                let (rise, fall) = (*less | !(horizontal | *more), *more & horizontal);
                if word + 1 == self.words {
                    distance += usize::from(rise & last != 0);
                    distance -= usize::from(fall & last != 0);
                }
                let (next_up, next_down) = (rise >> 63, fall >> 63);
                let (rise, fall) = (rise << 1 | up, fall << 1 | down);
                *more = fall | !(vertical | rise);
                *less = rise & vertical;
                (up, down) = (next_up, next_down);
            }
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook's table for the longest common subsequence.
    fn slow_lcs(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row = vec![0; b.len() + 1];
        for a in a.chars() {
            let mut diagonal = 0;
            for (at, b) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if a == *b { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    /// The textbook's table for the Levenshtein distance.
    fn slow_distance(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (at, a) in a.chars().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], at + 1);
            for (at, b) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = (diagonal + usize::from(a != *b)).min(above + 1).min(row[at] + 1);
                diagonal = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn the_bits_find_what_the_table_finds(texts in prop::collection::vec("[一二三四]{1,150}|[一-鿿]{1,20}", 2..6), least in 0.01f64..1.0) {
            let texts: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
            let bodies = IndelBodies::new(texts.iter().map(String::as_str));
            let mut comparer = LcsComparer::new(&bodies);
            for a in (0..texts.len()).rev().chain(0..texts.len()) {
                comparer.set_pattern(a);
                for b in 0..texts.len() {
                    let characters = texts[a].chars().count() + texts[b].chars().count();
                    let expected = 2.0 * slow_lcs(&texts[a], &texts[b]) as f64 / characters as f64;
                    prop_assert_eq!(comparer.similarity(b, least), Some(expected).filter(|found| *found >= least));
                    let longer = texts[a].chars().count().max(texts[b].chars().count());
                    let expected = 1.0 - slow_distance(&texts[a], &texts[b]) as f64 / longer as f64;
                    prop_assert_eq!(comparer.levenshtein(b), expected);
                }
            }
        }
    }

    #[test]
    fn wrapping_alone_is_alike_if_it_is_equal() {
        let bodies = IndelBodies::new(["[哈哈]", " [哈哈]", "[泪]", "好", "", ""]);
        let mut comparer = LcsComparer::new(&bodies);
        assert_eq!([0, 1, 2, 3].map(|other| comparer.similarity(other, 0.1)), [Some(1.0), Some(1.0), None, None]);
        comparer.set_pattern(4);
        assert_eq!(comparer.similarity(5, 0.1), None);
    }
}

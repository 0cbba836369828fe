//! Aligns two token lists along a longest common subsequence.
//!
//! 今天武汉下雨了 / 昨日武汉下雪了: 武汉下 and 了 match, and the gaps are 今天 / 昨日 and 雨 / 雪.

use super::gap::Gap;
use crate::hash::table::{MultiplyShift, probe};
use crate::text::tokens::{Token, common_ends};

/// Words that a buffer keeps from pair to pair: 256 KiB, enough for two texts of 1400 tokens. Two texts of 8192 tokens need 8 MiB in each
/// of the two buffers, and such texts are rare.
const HELD: usize = 1 << 15;

/// Aligns pairs of lists. Reuses its buffers.
#[derive(Debug, Default)]
pub(crate) struct Aligner {
    /// The distinct tokens of the first list. Each has a row of `masks`.
    alphabet: Vec<Token>,
    masks: Vec<u64>,
    /// A hash table with open addressing: 1 + the place of a token in `alphabet`, or 0.
    table: Vec<u32>,
    factor: MultiplyShift,
    rows: Vec<u64>,
    matches: Vec<(usize, usize)>,
}

impl Aligner {
    /// Aligns `a` with `b`. Returns the pairs of places that match, rising in both lists: the pairs of a longest common subsequence.
    ///
    /// Takes |a|·|b|/64 steps and as many words of memory, not counting common ends. Bit-parallel (Hyyrö 2004). The rows are kept for the
    /// way back.
    pub(crate) fn align(&mut self, a: &[Token], b: &[Token]) -> &[(usize, usize)] {
        let (head, tail) = common_ends(a, b);
        self.matches.clear();
        self.core(&a[head..a.len() - tail], &b[head..b.len() - tail], head);
        self.matches.extend((0..head).rev().map(|at| (at, at)));
        self.matches.reverse();
        self.matches.extend((0..tail).rev().map(|back| (a.len() - 1 - back, b.len() - 1 - back)));
        &self.matches
    }

    /// Returns the place of `token` in the table, or the free place where it belongs.
    #[inline(always)]
    fn place(&self, token: Token) -> usize {
        let first = self.factor.place(token.into(), self.table.len());
        probe(&self.table, first, |row| self.alphabet[row] != token)
    }

    /// Appends the matches of two lists without common ends, last match first. Adds `offset` to their places.
    fn core(&mut self, a: &[Token], b: &[Token], offset: usize) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        let words = a.len().div_ceil(64);
        self.table.clear();
        self.table.resize((a.len() * 2).next_power_of_two(), 0);
        self.alphabet.clear();
        self.masks.clear();
        for (at, token) in a.iter().enumerate() {
            let place = self.place(*token);
            if self.table[place] == 0 {
                self.alphabet.push(*token);
                self.masks.extend(std::iter::repeat_n(0, words));
                self.table[place] = self.alphabet.len() as u32;
            }
            self.masks[(self.table[place] as usize - 1) * words + at / 64] |= 1 << (at % 64);
        }
        self.rows.clear();
        self.rows.resize((b.len() + 1) * words, !0);
        for (at, token) in b.iter().enumerate() {
            let row = self.table[self.place(*token)] as usize;
            let (before, after) = self.rows[at * words..].split_at_mut(words);
            if row == 0 {
                after[..words].copy_from_slice(before);
                continue;
            }
            let mut carry = false;
            for ((after, &v), &mask) in after.iter_mut().zip(&*before).zip(&self.masks[(row - 1) * words..]) {
                *after = step(v, mask, &mut carry);
            }
        }
        // A bit is 0 if the common subsequence grows by taking in that token of `a`.
        let grows = |row: usize, at: usize| self.rows[row * words + at / 64] >> (at % 64) & 1 == 0;
        let (mut i, mut j) = (a.len(), b.len());
        while i > 0 && j > 0 {
            if !grows(j, i - 1) {
                i -= 1;
            } else if j > 1 && grows(j - 1, i - 1) {
                j -= 1;
            } else {
                (i, j) = (i - 1, j - 1);
                self.matches.push((offset + i, offset + j));
            }
        }
        for buffer in [&mut self.masks, &mut self.rows] {
            buffer.truncate(HELD);
            buffer.shrink_to(HELD);
        }
    }
}

/// Computes one word of a row of the bit-parallel table of common subsequences (Hyyrö 2004). The other list continues with a token that
/// occurs at the places in `mask`. A bit of the result is 0 where the longest common subsequence grows.
#[inline(always)]
pub(crate) fn step(row: u64, mask: u64, carry: &mut bool) -> u64 {
    let matched = row & mask;
    let (sum, first) = row.overflowing_add(matched);
    let (sum, second) = sum.overflowing_add(u64::from(*carry));
    *carry = first || second;
    sum | (row - matched)
}

/// What to do with a match without a match beside it. Two texts often share a single token by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SingleMatches {
    /// It separates two gaps.
    Keep,
    /// The gaps around it become one.
    Ignore,
}

/// Writes the gaps between `matches` of two lists of these lengths to `out`. No gap is [empty](Gap::is_empty).
pub(crate) fn gaps(matches: &[(usize, usize)], lengths: (usize, usize), single: SingleMatches, out: &mut Vec<Gap>) {
    out.clear();
    let (mut a, mut b) = (0, 0);
    let follows = |at: usize| at > 0 && (matches[at - 1].0 + 1, matches[at - 1].1 + 1) == matches[at];
    for (at, &(i, j)) in matches.iter().enumerate() {
        let is_single = || !follows(at) && (at + 1 == matches.len() || !follows(at + 1));
        if single == SingleMatches::Ignore && is_single() {
            continue;
        }
        if (a, b) != (i, j) {
            out.push(Gap { a: a..i, b: b..j });
        }
        (a, b) = (i + 1, j + 1);
    }
    if (a, b) != lengths {
        out.push(Gap { a: a..lengths.0, b: b..lengths.1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of a longest common subsequence, by the textbook's table.
    fn longest(a: &[Token], b: &[Token]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn matches_are_a_longest_common_subsequence(
            a in prop::collection::vec(0_u32..6, 0..150),
            b in prop::collection::vec(0_u32..6, 0..150),
        ) {
            let mut aligner = Aligner::default();
            let matches = aligner.align(&a, &b);
            prop_assert!(matches.iter().all(|&(i, j)| a[i] == b[j]));
            prop_assert!(matches.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert_eq!(matches.len(), longest(&a, &b));
        }
    }

    #[test]
    fn gaps_are_what_does_not_match() {
        let (a, b) = ([1, 2, 3, 4, 5, 6, 7], [1, 2, 9, 4, 8, 6, 7, 0]);
        let mut aligner = Aligner::default();
        let matches = aligner.align(&a, &b).to_vec();
        let gap = |a, b| Gap { a, b };
        let mut found = Vec::new();
        gaps(&matches, (7, 8), SingleMatches::Keep, &mut found);
        assert_eq!(found, [gap(2..3, 2..3), gap(4..5, 4..5), gap(7..7, 7..8)]);
        gaps(&matches, (7, 8), SingleMatches::Ignore, &mut found);
        assert_eq!(found, [gap(2..5, 2..5), gap(7..7, 7..8)]);
        gaps(&[], (2, 0), SingleMatches::Keep, &mut found);
        assert_eq!(found, [gap(0..2, 0..0)]);
    }
}

//! The necessary condition of the rule, in covered tokens.

/// What covered tokens make a repeat possible.
///
/// A token of one body is covered by another if one of the two bigrams it is in occurs there, anywhere. For a kept body `a`
/// and a new one `b`, of la and lb tokens, a repeat is possible if
/// 2 · min(covered of a, covered of b) · 1000 ≥ `similarity` · (la + lb), or if
/// covered of b · 1000 ≥ `quote` · lb and covered of b ≥ `quote_min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Least similarity, per mille, 1..=1000; 0 counts as 1.
    pub similarity: u32,
    /// Least share of the new body inside the kept one, per mille, 1..=1000; 0 counts as 1.
    pub quote: u32,
    /// Least covered tokens of the new body for `quote` to count.
    pub quote_min: u32,
}

/// The rule's own thresholds at their defaults: similarity 0.66, quote 0.75 from 16 tokens on (see the design's table of
/// the labelled pairs: they stand on a plateau).
impl Default for Bounds {
    fn default() -> Self {
        Self { similarity: 660, quote: 750, quote_min: 16 }
    }
}

impl Bounds {
    /// The bounds with per mille in 1..=1000.
    pub(super) fn checked(self) -> Self {
        Self { similarity: self.similarity.clamp(1, 1000), quote: self.quote.clamp(1, 1000), ..self }
    }

    /// Whether a repeat is possible, by (covered, all) tokens of the kept body and of the new one.
    pub fn possible(&self, (covered_a, la): (usize, usize), (covered_b, lb): (usize, usize)) -> bool {
        let by_similarity = covered_a.min(covered_b) as u64 * 2000 >= u64::from(self.similarity) * (la + lb) as u64;
        by_similarity || self.quotes(covered_b, lb)
    }

    fn quotes(&self, covered_b: usize, lb: usize) -> bool {
        covered_b as u64 * 1000 >= u64::from(self.quote) * lb as u64 && covered_b >= self.quote_min as usize
    }

    /// Fewest covered tokens of a new body of `lb` tokens that can do for a kept body of `shortest..=longest` tokens;
    /// at least 1. `None` if no number can.
    #[inline]
    pub(super) fn least(&self, shortest: usize, longest: usize, lb: usize) -> Option<usize> {
        let (similarity, lb) = (u64::from(self.similarity), lb as u64);
        // No more of a than la can be covered: 2000 · la ≥ s · (la + lb). The same for b is `by_similarity <= lb`.
        let shortest = (shortest as u64).max((lb * similarity).div_ceil(2000 - similarity));
        let by_similarity = (similarity * (shortest + lb)).div_ceil(2000);
        let fits = shortest <= longest as u64 && by_similarity <= lb;
        let by_quote = (u64::from(self.quote) * lb).div_ceil(1000).max(u64::from(self.quote_min));
        let least = if fits { by_similarity.min(by_quote) } else { by_quote };
        (least <= lb).then_some(least.max(1) as usize)
    }
}

//! Signatures of several sentences and words: the records of the methods "3+5" and "3+2".

use serde::Serialize;

use super::checksum::Checksum;

/// Largest ratio of two lengths in hundredths, for a similarity of 0.85 (Zelenkov & Segalovich 2007, A11 and A12).
pub(crate) const LENGTH_RATIO: u64 = 115;
/// Largest ratio of two numbers of sentences in hundredths.
const SENTENCE_RATIO: u64 = 120;
/// Number of words that must agree.
const WORDS: usize = 2;
/// Only if both texts have more sentences than this, they may be alike with different first sentences.
const FEW: u32 = 5;

/// The parts of a text that "3+5" and "3+2" keep.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Records {
    /// Checksums of chosen sentences, the most telling first. In the paper, each begins a record.
    pub sentences: Vec<Checksum>,
    /// Checksums of chosen words.
    pub words: Vec<Checksum>,
    /// Length of the text in content words.
    pub length: u32,
    /// Number of its sentences.
    pub count: u32,
}

/// Whether the larger number is at most this many hundredths of the smaller one.
pub(crate) fn within(a: u64, b: u64, hundredths: u64) -> bool {
    a.max(b) * 100 <= a.min(b) * hundredths
}

impl Records {
    /// Whether two texts are duplicates. All of these must hold:
    /// - their lengths and their numbers of sentences are close;
    /// - two words agree, in any order (all words of a text that has fewer);
    /// - the first sentences agree, or both texts have more than five sentences and `least` sentences agree, in any order.
    pub(crate) fn alike(&self, other: &Self, least: usize) -> bool {
        let agree = |a: &[Checksum], b: &[Checksum]| a.iter().filter(|a| b.contains(a)).count();
        let words = WORDS.min(self.words.len()).min(other.words.len());
        within(self.length.into(), other.length.into(), LENGTH_RATIO)
            && within(self.count.into(), other.count.into(), SENTENCE_RATIO)
            && agree(&self.words, &other.words) >= words
            && (self.sentences.first() == other.sentences.first()
                || self.count.min(other.count) > FEW && agree(&self.sentences, &other.sentences) >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(sentences: &[u64], words: &[u64], length: u32, count: u32) -> Records {
        let checksums = |numbers: &[u64]| numbers.iter().map(|number| Checksum::of_numbers([*number])).collect();
        Records { sentences: checksums(sentences), words: checksums(words), length, count }
    }

    #[test]
    fn each_condition_counts() {
        let a = records(&[1, 2, 3], &[1, 2, 3, 4, 5], 100, 6);
        assert!(a.alike(&records(&[1, 8, 9], &[9, 8, 7, 2, 1], 115, 7), 2), "first sentence, two words");
        assert!(!a.alike(&records(&[1, 2, 3], &[1, 2, 3, 4, 5], 116, 6), 2), "length");
        assert!(!a.alike(&records(&[1, 2, 3], &[1, 2, 3, 4, 5], 100, 8), 2), "number of sentences");
        assert!(!a.alike(&records(&[1, 2, 3], &[1, 6, 7, 8, 9], 100, 6), 2), "one word");
        let moved = records(&[9, 3, 2], &[1, 2, 3, 4, 5], 100, 6);
        assert!(a.alike(&moved, 2) && !a.alike(&moved, 3), "sentences in any order");
        let few = Records { count: 5, ..moved };
        assert!(!a.alike(&few, 2), "in few sentences only the first counts");
        let tiny = records(&[1], &[1], 1, 1);
        assert!(tiny.alike(&tiny, 2), "all words where there are fewer than two");
    }
}

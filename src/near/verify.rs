//! The repeat rule: is B, read after A, a repeat of A?
//!
//! Decided by the two messages and their order alone. In this order, with n = min(|A|, |B|) in tokens:
//!
//! | | rule | reason |
//! |---|---|---|
//! | a | both bodies empty: repeat if B's topics are all A's; one empty: no | a tag and a remark is not the tag |
//! | b | n ≤ 5, both with topics, none shared: no | `加油` under another topic is about something else |
//! | c | equal bodies: repeat | |
//! | d | *covered* tokens are those in a bigram that the other body has too; similarity = 2·min(cov A, cov B) / (\|A\| + \|B\|) | single common tokens (的, 了) are chance; bigrams forgive moved passages |
//! | e | near if similarity ≥ [`Thresholds::similarity`], for short bodies more | in a title one replaced word is the news |
//! | f | else near if B is inside A: covered to [`Thresholds::quote`], and no remark | quote, truncation |
//! | g | not if B adds a passage | extra text in A does not matter: it was read first |
//! | h | not if a fact differs ([`facts`]) | yesterday's report in the same words |

use super::align::{Aligner, Gap, gaps};
use super::cover::Coverage;
use crate::text::Gist;
use crate::text::facts::{self, Conflict};

/// Similarity from which bodies of [`SHORT`] tokens and more are near, in thousandths, unless the user says another. On the
/// labelled posts F1 stays within 0.004 from 640 to 700.
pub const SIMILARITY: u32 = 660;

/// Bodies with fewer tokens are short: a changed word is a larger part of what they say.
const SHORT: usize = 16;
/// A title: below this many tokens, replaced words are the news.
const TITLE: usize = 20;
/// Bodies of up to so many tokens say nothing without their topic.
const REMARK: usize = 5;
/// Fewest covered tokens of a quote: below, remarks share phrases (会已经影响我的工资 / 影响我工资).
const QUOTE: usize = 16;
/// Longest run of tokens that B may add: about a clause …
const PASSAGE: usize = 12;
/// … unless the rest of B is at least so much, in thousandths: a prefix before a long repeat.
const PASSAGE_SHARE: usize = 350;
/// Longer bodies are no short texts: only equal ones are repeats, so that a comparison takes at most a few milliseconds.
pub const LONGEST: usize = 8192;

/// Thresholds of similarity, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Bodies of 16 tokens and more. Default 660.
    pub similarity: u32,
    /// Shorter bodies. Default 700.
    pub short: u32,
    /// Bodies under 20 tokens in which two tokens or more stand for two or more. Default 850.
    pub replaced: u32,
    /// Share of B that A must cover for B to be inside A. Default 750.
    pub quote: u32,
}

impl Thresholds {
    /// The thresholds for a similarity, 1..=1000: the others are as far from 1000 in proportion as at the default.
    pub fn new(similarity: u32) -> Self {
        let scaled = |default: u32| 1000 - (1000 - default) * (1000 - similarity.min(1000)) / (1000 - SIMILARITY);
        Self { similarity, short: scaled(700), replaced: scaled(850), quote: scaled(750) }
    }
}

/// What the rule says of a pair, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A repeat: the bodies are equal, or both are empty and the topics of B are all A's.
    Equal,
    /// A repeat, of this similarity in thousandths.
    Near(u32),
    /// A repeat: so many thousandths of B are in A.
    Inside(u32),
    /// No repeat.
    No(Reason),
}

/// Why a message is no repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// One message is nothing but topics or wrapping, or the topics of B are not all A's.
    Empty,
    /// A short remark under another topic.
    OtherTopic,
    /// The bodies differ too much: their similarity in thousandths.
    Unlike(u32),
    /// B adds a passage.
    Added,
    /// A fact differs.
    Fact(Conflict),
}

/// Judges pairs by the rule. Keeps its buffers, and what it made of the later message of the pairs.
#[derive(Debug)]
pub struct Verifier {
    thresholds: Thresholds,
    coverage: Coverage,
    aligner: Aligner,
    gaps: Vec<Gap>,
}

impl Verifier {
    /// A verifier with these thresholds.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, coverage: Coverage::default(), aligner: Aligner::default(), gaps: Vec::new() }
    }

    /// Takes `b` as the later message of the pairs that follow.
    pub fn read(&mut self, b: &Gist) {
        self.coverage.read(&b.body.list);
    }

    /// Whether `b`, the message last [read](Self::read), repeats the earlier message `a`.
    pub fn decide(&mut self, a: &Gist, b: &Gist) -> Decision {
        let (x, y) = (&a.body.list, &b.body.list);
        let shared = |topic| a.topics.contains(topic);
        if x.is_empty() || y.is_empty() {
            let same = x.len() == y.len() && !b.topics.is_empty() && b.topics.iter().all(shared);
            return if same { Decision::Equal } else { Decision::No(Reason::Empty) };
        }
        let shorter = x.len().min(y.len());
        if shorter <= REMARK && !a.topics.is_empty() && !b.topics.is_empty() && !b.topics.iter().any(shared) {
            return Decision::No(Reason::OtherTopic);
        }
        if x == y {
            return Decision::Equal;
        }
        if x.len().max(y.len()) > LONGEST {
            return Decision::No(Reason::Unlike(0));
        }
        let (covered_a, covered_b) = self.coverage.cover(x);
        let similarity = (2000 * covered_a.min(covered_b) / (x.len() + y.len())) as u32;
        let least = if shorter < SHORT { self.thresholds.short } else { self.thresholds.similarity };
        let share = (1000 * covered_b / y.len()) as u32;
        let decision = if similarity >= least {
            Decision::Near(similarity)
        } else if share >= self.thresholds.quote && covered_b >= QUOTE {
            Decision::Inside(share)
        } else {
            return Decision::No(Reason::Unlike(similarity));
        };
        if self.adds_a_passage(y.len()) {
            return Decision::No(Reason::Added);
        }
        let matches = self.aligner.align(x, y);
        for lone in [true, false] {
            gaps(matches, (x.len(), y.len()), lone, &mut self.gaps);
            let replaced = self.gaps.iter().any(|(a, b)| a.len() >= 2 && b.len() >= 2);
            if lone && shorter < TITLE && replaced && matches!(decision, Decision::Near(_)) && similarity < self.thresholds.replaced {
                return Decision::No(Reason::Unlike(similarity));
            }
            if let Some(conflict) = self.gaps.iter().find_map(|gap| facts::conflict(&a.body, &b.body, gap)) {
                return Decision::No(Reason::Fact(conflict));
            }
        }
        decision
    }

    /// Whether B has a long run that A does not cover, and that is no small part of it.
    fn adds_a_passage(&self, length: usize) -> bool {
        let (mut run, mut longest, mut bare) = (0, 0, 0);
        for covered in self.coverage.covered() {
            run = if covered { 0 } else { run + 1 };
            longest = longest.max(run);
            bare += usize::from(!covered);
        }
        longest >= PASSAGE && bare * 1000 > length * PASSAGE_SHARE
    }
}

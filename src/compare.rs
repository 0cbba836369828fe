//! Judges two messages alone: would the later one be dropped as a repeat of the earlier one? Measurements use this to try a
//! configuration on labelled pairs, without the filters and tables that make a [`Deduplicator`](crate::Deduplicator) fast.

use crate::config::{Config, NearMode, Policy};
use crate::error::Result;
use crate::fingerprint::{Digest, Printed, Printer, minhash};
use crate::near::banding::Banding;
use crate::near::bitmap;
use crate::record::{Engine, Likeness, Pos, Verdict};
use crate::rule::coverage::Coverage;
use crate::rule::{Decision, Verifier, least_covered};
use crate::text::Clean;

/// Judges a pair as a fresh [`Deduplicator`](crate::Deduplicator) does that receives the two messages in order. It assumes
/// that a Bloom filter alone never errs on a pair. The paper's filter can err on two texts, and here it does, too.
///
/// ```
/// use quchong::Config;
/// use quchong::compare::Comparer;
///
/// let mut comparer = Comparer::new(&Config::default())?;
/// let comparison = comparer.compare("武汉加油！中国加油！", "武漢加油！中國加油!");
/// assert_eq!((comparison.verdict.name(), comparison.score), ("exact", 1.0));
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Comparer {
    config: Config,
    printer: Printer,
    clean: Clean,
    banding: Banding,
}

/// The comparison of two messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The verdict on the later message. `of` is position 0, the earlier message, if a deduplicator would know it.
    pub verdict: Verdict,
    /// The value that the threshold of the near stage is compared with, 0..=1, larger for more alike messages. For SimHash it
    /// is 1 − distance / 64, for MinHash the estimated Jaccard similarity, for the repeat rule the largest similarity setting
    /// under which the pair is a repeat. Exact repeats have 1. Messages without a body have 0, and so have pairs that are
    /// repeats under no threshold.
    pub score: f64,
}

/// The forms of a text that a comparison needs.
#[derive(Debug)]
pub struct Print {
    /// The fingerprints of the text.
    pub printed: Printed,
    /// [Hashes](bitmap::hashes) of the bigrams of its body, for the repeat rule.
    hashes: Vec<u32>,
}

impl Comparer {
    /// A comparer for these settings. Loads jieba's dictionary if word shingles are asked for (0.1–1 s).
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: &Config) -> Result<Self> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            printer: Printer::new(config),
            clean: Clean::default(),
            banding: Banding::choose(config.permutations, config.similarity),
        })
    }

    /// Prepares a text for [`judge`](Self::judge). Saves time for texts that are in many pairs.
    pub fn print(&mut self, text: &str) -> Print {
        let printed = self.printer.print_text(text, &mut self.clean);
        let mut hashes = Vec::new();
        if self.config.near == NearMode::Hybrid
            && let Some(gist) = &printed.gist
        {
            bitmap::hashes(&gist.body.list, &mut hashes);
        }
        Print { printed, hashes }
    }

    /// Prepares comparisons of `a` with many later texts.
    pub fn against<'c>(&'c self, a: &'c Print) -> Against<'c> {
        let mut coverage = Coverage::default();
        if self.config.near == NearMode::Hybrid
            && let Some(gist) = &a.printed.gist
        {
            coverage.read(&gist.body.list);
        }
        let Print { printed: a, hashes } = a;
        Against {
            comparer: self,
            a,
            bitmap: bitmap::of(hashes.len() + 1, hashes),
            coverage,
            verifier: Verifier::new(Policy { similarity: LOOSEST, ..self.config.policy() }),
        }
    }

    /// Compares two prepared texts, `a` the earlier one.
    pub fn judge(&self, a: &Print, b: &Print) -> Comparison {
        self.against(a).judge(b)
    }

    /// The shingles of the last prepared text, as text.
    pub(crate) fn shingles(&self) -> Vec<String> {
        self.printer.shingles(&self.clean.body.text)
    }

    /// The forms of the last prepared text.
    pub(crate) fn clean(&self) -> &Clean {
        &self.clean
    }

    /// Compares two texts, `a` the earlier one.
    pub fn compare(&mut self, a: &str, b: &str) -> Comparison {
        let (a, b) = (self.print(a), self.print(b));
        self.judge(&a, &b)
    }
}

/// Compares one text with many later ones.
pub struct Against<'c> {
    comparer: &'c Comparer,
    a: &'c Printed,
    /// The [bitmap] of the body of `a`.
    bitmap: Vec<u32>,
    /// The token counts of the body of `a`.
    coverage: Coverage,
    verifier: Verifier,
}

/// The loosest similarity setting that [`Comparison::score`] tries, in thousandths.
const LOOSEST: u32 = 1;

impl Against<'_> {
    /// Compares the text with a later one.
    pub fn judge(&mut self, b: &Print) -> Comparison {
        let Comparer { config, banding, .. } = self.comparer;
        let a = self.a;
        let Print { printed: b, hashes } = b;
        if a.digest.zip(b.digest).is_some_and(|(a, b)| equal(config, a, b)) {
            let of = (!config.exact.is_filter_alone()).then_some(Pos(0));
            return Comparison { verdict: Verdict::Exact { of }, score: 1.0 };
        }
        let found = match config.near {
            NearMode::Hybrid => self.by_rule(b, hashes),
            NearMode::SimHash => a.simhash.zip(b.simhash).map(|(a, b)| {
                let distance = (a ^ b).count_ones();
                let is_near = distance <= config.max_distance;
                (is_near.then_some((Engine::SimHash, Likeness::Distance(distance))), score_of(distance))
            }),
            NearMode::MinHash => a.signature.as_deref().zip(b.signature.as_deref()).map(|(a, b)| {
                let near = banding.near(a, b).map(|mille| (Engine::MinHash, Likeness::Similarity(mille)));
                (near, f64::from(minhash::similarity(a, b)) / 1000.0)
            }),
            NearMode::None => None,
        };
        let (near, score) = found.unwrap_or((None, 0.0));
        let near = near.map(|(engine, by)| Verdict::Near { of: Pos(0), engine, by });
        Comparison { verdict: near.unwrap_or(Verdict::Kept), score }
    }

    /// Whether MinHash would call the pair a repeat with other bands; `found` is its comparison with the configured ones. A score
    /// does not tell: each similarity has its own bands, and a pair must share one.
    #[cfg(feature = "lab")]
    pub(crate) fn is_repeat_by(&self, banding: &Banding, b: &Print, found: &Comparison) -> bool {
        let signatures = || self.a.signature.as_deref().zip(b.printed.signature.as_deref());
        matches!(found.verdict, Verdict::Exact { .. })
            || found.score >= f64::from(banding.similarity) / 1000.0
                && signatures().is_some_and(|(a, b)| banding.near(a, b).is_some())
    }

    /// Returns the verdict of the repeat rule under the configured similarity, and the [score](Comparison::score).
    fn by_rule(&mut self, b: &Printed, hashes: &[u32]) -> Option<(Option<(Engine, Likeness)>, f64)> {
        let Config { similarity: least, .. } = self.comparer.config;
        let (a, b) = (self.a.gist.as_ref()?.view(), b.gist.as_ref()?.view());
        let (la, lb) = (a.body.list.len(), b.body.list.len());
        // Most pairs have almost nothing in common. The bitmap shows that in a fiftieth of the rule's time and the coverage
        // in a tenth, and neither reads `b`.
        if la.min(lb) > 1 {
            let least = least_covered(LOOSEST, la, lb);
            if !bitmap::may_cover(&self.bitmap, least, hashes) || self.coverage.cover(b.body.list).0 < least {
                return None;
            }
        }
        let (similarity, setting) = match self.verifier.read(b).decide(a) {
            Decision::Equal => (1000, 1000),
            Decision::Near { similarity, setting } | Decision::Inside { share: similarity, setting } => {
                (similarity, setting)
            }
            Decision::No(_) => return None,
        };
        let near = (setting >= least).then_some((Engine::Overlap, Likeness::Similarity(similarity)));
        Some((near, f64::from(setting) / 1000.0))
    }
}

/// Whether the exact stage takes the later text for the earlier one. The paper's filter does so if one of their marks agrees.
#[cfg(feature = "lab")]
fn equal(config: &Config, a: Digest, b: Digest) -> bool {
    match config.exact {
        crate::config::ExactMode::PaperBloom => crate::exact::paper::literal::alike(config, a, b),
        _ => a == b,
    }
}

/// The same without the feature `lab`, and so without the paper's filter.
#[cfg(not(feature = "lab"))]
fn equal(_: &Config, a: Digest, b: Digest) -> bool {
    a == b
}

/// The score for this Hamming distance, 0..=64.
pub(crate) fn score_of(distance: u32) -> f64 {
    1.0 - f64::from(distance) / f64::from(u64::BITS)
}

#[cfg(feature = "lab")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ExactMode, ExactOn, Shingle};
    use crate::generate::{Generator, Recipe};
    use crate::{Deduplicator, Record};

    #[test]
    fn pairs_are_judged_as_a_fresh_deduplicator_judges_them() {
        let posts: Vec<String> = Generator::new(3, Recipe { repeats: 600, decoys: 100, ..Recipe::default() })
            .unwrap()
            .take(28)
            .map(|post| post.text)
            .chain(["".into(), "[哈哈]".into(), "[哈哈][哈哈]".into(), "#话题#".into()])
            .collect();
        let base = Config { shingle: Shingle::Chars(2), exact: ExactMode::Trie, ..Config::default() };
        let configs = [
            Config { max_distance: 12, ..base.clone() },
            Config { exact_on: ExactOn::Raw, ..base.clone() },
            Config { exact: ExactMode::None, ..base.clone() },
            Config { exact: ExactMode::Bloom, capacity: 1000, ..base.clone() },
            Config { shingle: Shingle::Chars(2), ..crate::config::Preset::Paper.config() },
            Config { exact: ExactMode::PaperTrie, ..base.clone() },
            Config { near: NearMode::None, ..base },
        ];
        for config in configs {
            let mut comparer = Comparer::new(&config).unwrap();
            let mut seen = [0; 3];
            for (at, a) in posts.iter().enumerate() {
                for b in &posts[at..] {
                    let mut fresh = Deduplicator::new(config.clone()).unwrap();
                    fresh.judge(&Record::new(1, a)).unwrap();
                    let expected = fresh.judge(&Record::new(2, b)).unwrap().verdict;
                    let found = comparer.compare(a, b);
                    assert_eq!(found.verdict, expected, "{config:?}\n{a}\n{b}");
                    seen[["kept", "exact", "near"].iter().position(|name| *name == expected.name()).unwrap()] += 1;
                    if let Verdict::Near { by: Likeness::Distance(distance), .. } = expected {
                        assert_eq!(found.score, score_of(distance));
                    }
                }
            }
            assert!(seen[0] > 0 && (config.exact == ExactMode::None || seen[1] > 0), "{seen:?}");
            assert!(config.near == NearMode::None || seen[2] > 0, "{seen:?}");
        }
    }
}

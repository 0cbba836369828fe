//! The signatures that methods keep of documents, and when two of them are alike. Both are written once for each kind of signature.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use super::checksum::Checksum;
use super::collection::counted;
use super::records::{LENGTH_RATIO, Records, within};
use super::{Collection, Method, Signer};
use crate::config::{Policy, Preset};
use crate::fingerprint::{Printed, minhash};
#[cfg(feature = "cli")]
use crate::locale::tr;
use crate::near::banding::Banding;
use crate::rule::{Decision, Verifier};

/// A method's signature of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Signature {
    /// One checksum.
    Digest(Checksum),
    /// 64 bits, compared bit by bit.
    #[serde(serialize_with = "hexadecimal")]
    Fingerprint(u64),
    /// Checksums that are compared position by position. An empty position equals no other.
    Slots(Vec<Option<Checksum>>),
    /// The numbers of the set bits of a vector, ascending. Vectors are compared by the share of bits that both have.
    Bits(Vec<u32>),
    /// Minima in random orders, compared position by position.
    MinHash(minhash::Signature),
    /// The content words, and the shingles used to find candidates.
    Text {
        /// Hashes of the words, in order.
        #[serde(serialize_with = "hexadecimals")]
        words: Vec<u64>,
        /// Hashed shingles, ascending, each once.
        #[serde(skip)]
        shingles: Vec<u64>,
    },
    /// Sentences and words, compared in any order.
    Records(Records),
    /// Signatures of several methods.
    Set(Vec<Option<Signature>>),
    /// The forms of a text that the product's stages compare.
    #[serde(serialize_with = "printed")]
    Printed(Box<Printed>),
}

/// The rule that says when two signatures of a method are alike.
#[derive(Debug, Clone, Copy)]
pub enum Alike {
    /// The digests are equal.
    Equal,
    /// The fingerprints differ in at most this many bits.
    Distance(u32),
    /// At least this many slots are equal.
    Slots(usize),
    /// Of the bits that are set in either, at least this many thousandths are set in both.
    Bits(u32),
    /// The slots of a band are equal, and enough of all slots are.
    MinHash(Banding),
    /// A shingle is equal, the lengths are close, and the similarity 2·LCS / (|a| + |b|) of the words is at least this many thousandths.
    Sequence(u32),
    /// The first sentences are equal, or at least this many sentences are; see `Records::alike`.
    Sentences(usize),
    /// At least this many of the members' signatures are alike, each by its own rule. If the texts have fewer signatures, all of them must
    /// be.
    Members(&'static [&'static Method], usize),
    /// The later text equals the earlier one or [repeats](crate::rule) it at the preset's similarity.
    RepeatRule(Preset),
}

impl Signature {
    /// Makes a signer that signs by each of these methods.
    pub(crate) fn of_members<'c>(members: &'static [&'static Method], collection: &'c Collection) -> Signer<'c> {
        let signers: Vec<Signer<'c>> = members.iter().map(|member| (member.signer)(collection)).collect();
        Box::new(move |document| {
            let signatures: Vec<Option<Self>> = signers.iter().map(|sign| sign(document)).collect();
            signatures.iter().any(Option::is_some).then_some(Self::Set(signatures))
        })
    }
}

impl Alike {
    /// Whether two signatures are alike by this rule; `a` is the earlier one.
    pub fn alike(&self, a: &Signature, b: &Signature) -> bool {
        match (self, a, b) {
            (Self::Equal, Signature::Digest(a), Signature::Digest(b)) => a == b,
            (Self::Distance(most), Signature::Fingerprint(a), Signature::Fingerprint(b)) => {
                (a ^ b).count_ones() <= *most
            }
            (Self::Slots(least), Signature::Slots(a), Signature::Slots(b)) => {
                a.iter().zip(b).filter(|(a, b)| a.is_some() && a == b).count() >= *least
            }
            (Self::Bits(least), Signature::Bits(a), Signature::Bits(b)) => {
                let both = a.iter().filter(|bit| b.binary_search(bit).is_ok()).count();
                1000 * both >= *least as usize * (a.len() + b.len() - both)
            }
            (Self::MinHash(banding), Signature::MinHash(a), Signature::MinHash(b)) => banding.near(a, b).is_some(),
            (
                Self::Sequence(least),
                Signature::Text { words: a, shingles: of_a },
                Signature::Text { words: b, shingles: of_b },
            ) => {
                let enough = |common: usize| 2000 * common >= *least as usize * (a.len() + b.len());
                within(a.len() as u64, b.len() as u64, LENGTH_RATIO)
                    && of_a.iter().any(|shingle| of_b.binary_search(shingle).is_ok())
                    && enough(common_bag(a, b))
                    && enough(common_words(a, b))
            }
            (Self::Sentences(least), Signature::Records(a), Signature::Records(b)) => a.alike(b, *least),
            (Self::Members(members, least), Signature::Set(a), Signature::Set(b)) => {
                let agree = |((method, a), b): &((&&Method, &Option<Signature>), &Option<Signature>)| {
                    a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| method.alike.alike(a, b))
                };
                let signed = |set: &[Option<Signature>]| set.iter().flatten().count();
                members.iter().zip(a).zip(b).filter(agree).count() >= signed(a).max(signed(b)).min(*least)
            }
            (Self::RepeatRule(preset), Signature::Printed(a), Signature::Printed(b)) => {
                repeats(a, b, preset.config().similarity)
            }
            _ => false,
        }
    }

    /// Returns the rule in words.
    #[cfg(feature = "cli")]
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Equal => tr!("equal digest"),
            Self::Distance(most) => tr!("Hamming distance ≤ {most}", most),
            Self::Slots(1) => tr!("any slot equal"),
            Self::Slots(least) => tr!("{least} slots equal", least),
            Self::Bits(least) => tr!("share of common set bits ≥ {}", f64::from(*least) / 1000.0),
            Self::MinHash(banding) => tr!("share of equal slots ≥ {}", f64::from(banding.similarity) / 1000.0),
            Self::Sequence(least) => tr!("LCS ratio of the words ≥ {}", f64::from(*least) / 1000.0),
            Self::Sentences(least) => tr!("first sentence equal, or {least} of them", least),
            Self::Members(members, least) => tr!("{least} of {} signatures alike", members.len(), least),
            Self::RepeatRule(preset) => {
                tr!("equal, or the repeat rule at {}", f64::from(preset.config().similarity) / 1000.0)
            }
        }
    }
}

/// Whether the product would drop `b` as a repeat of `a`.
fn repeats(a: &Printed, b: &Printed, similarity: u32) -> bool {
    if a.digest.is_some() && a.digest == b.digest {
        return true;
    }
    let Some((a, b)) = a.gist.as_ref().zip(b.gist.as_ref()) else { return false };
    let mut verifier = Verifier::new(Policy { similarity, ..Policy::default() });
    !matches!(verifier.read(b.view()).decide(a.view()), Decision::No(_))
}

/// Counts the words that two texts have in common, in any order. No common subsequence is longer.
fn common_bag(a: &[u64], b: &[u64]) -> usize {
    let (a, b) = (counted(a), counted(b));
    let in_b = |word: &u64| b.binary_search_by_key(word, |(word, _)| *word).map_or(0, |at| b[at].1);
    a.iter().map(|(word, count)| in_b(word).min(*count) as usize).sum()
}

/// Length of the longest common subsequence. The common start and end are counted first; the part between them by its matches alone (Hunt
/// & Szymanski 1977). Two texts of 10^5 words have few matches compared with the 10^10 cells of the textbook's table.
fn common_words(a: &[u64], b: &[u64]) -> usize {
    let common = |pairs: &mut dyn Iterator<Item = (&u64, &u64)>| pairs.take_while(|(a, b)| a == b).count();
    let start = common(&mut a.iter().zip(b));
    let (a, b) = (&a[start..], &b[start..]);
    let end = common(&mut a.iter().rev().zip(b.iter().rev()));
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, word) in b.iter().enumerate() {
        places.entry(*word).or_default().push(at);
    }
    // By length: the smallest end in `b` of a common subsequence of that length with the words of `a` read so far.
    let mut ends: Vec<usize> = Vec::new();
    for word in a {
        for at in places.get(word).into_iter().flatten().rev() {
            match ends.binary_search(at) {
                Err(length) if length == ends.len() => ends.push(*at),
                Err(length) => ends[length] = *at,
                Ok(_) => {}
            }
        }
    }
    start + ends.len() + end
}

fn hexadecimals<S: Serializer>(hashes: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(hashes.iter().map(|hash| format!("{hash:016x}")))
}

fn hexadecimal<S: Serializer>(fingerprint: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{fingerprint:016x}"))
}

fn printed<S: Serializer>(printed: &Printed, serializer: S) -> Result<S::Ok, S::Error> {
    let digest = printed.digest.map(|digest| format!("{:032x}", digest.0));
    let simhash = printed.simhash.map(|simhash| format!("{simhash:016x}"));
    serializer.collect_map([("digest", digest), ("simhash", simhash)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook's table for the longest common subsequence.
    fn slowly(a: &[u64], b: &[u64]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                table[i + 1][j + 1] = if x == y { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn common_words_are_a_longest_common_subsequence(
            a in prop::collection::vec(0..6u64, 0..40),
            b in prop::collection::vec(0..6u64, 0..40),
        ) {
            prop_assert_eq!(common_words(&a, &b), slowly(&a, &b));
        }
    }
}

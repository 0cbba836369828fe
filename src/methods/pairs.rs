//! Finds the alike documents of a collection. Candidates come from groups; never are all pairs compared.
//!
//! For each kind of signature there are *keys* such that two alike signatures share one. Examples: a digest itself; the k + 1 bands of a
//! fingerprint, of which k changed bits leave one equal; slots; the bands of a MinHash signature; sentences; shingles. Documents are
//! grouped by key and compared within the groups.
//!
//! # Chains
//! If signatures have a length, the papers (A11, A12, "3+2") sort a group by length and cut it into chains where neighbours differ by more
//! than a ratio of 1.15. They drop chains that are contained in others, and remember which pairs were compared. All that saves work and
//! changes no result: two documents within the ratio are never cut apart, since all documents between them are within it, too. Here, each
//! document is compared with the later ones in its group up to the ratio, and each pair is compared once.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Method;
use super::collection::Collection;
use super::records::{LENGTH_RATIO, within};
use super::signature::{Alike, Signature};
use crate::config::Policy;
use crate::near::verify_window::VerifyWindow;
use crate::record::Pos;

/// The pairs of documents that a method finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// By document: its class; `None` if it has no signature. Documents of one class are alike.
    classes: Vec<Option<u32>>,
    /// By class: its documents, ascending.
    members: Vec<Vec<u32>>,
    /// By class: the other classes whose documents are alike with those of this one.
    links: Vec<Vec<u32>>,
}

/// A document in a group: the key, the length of the signature, and the number of the signature.
type Entry = (u64, u32, u32);

impl Found {
    /// Finds the pairs of a collection that `method` calls alike.
    ///
    /// ```
    /// use quchong::methods::pairs::Found;
    /// use quchong::methods::{Collection, Reading, find};
    ///
    /// let texts = ["今天的武汉，樱花开了。", "今天的武汉，樱花开了！", "八点开会。"];
    /// let collection = Collection::read(texts, Reading::default());
    /// let found = Found::of(find("--method", "A1")?, &collection);
    /// let mut later = Vec::new();
    /// found.later(0, &mut later);
    /// assert_eq!(later, [1]);
    /// # Ok::<(), quchong::Error>(())
    /// ```
    pub fn of(method: &Method, collection: &Collection) -> Self {
        Self::among(&method.alike, &method.sign(collection))
    }

    /// Finds the pairs of alike signatures. Documents are given by their positions in `signatures`.
    pub fn among(alike: &Alike, signatures: &[Option<Signature>]) -> Self {
        if let Alike::RepeatRule(preset) = alike {
            return Self::repeats(preset.config().similarity, signatures);
        }
        let mut numbers = HashMap::new();
        let (mut classes, mut distinct, mut members) = (Vec::new(), Vec::new(), Vec::<Vec<u32>>::new());
        for (document, signature) in (0..).zip(signatures) {
            let class = signature.as_ref().map(|signature| {
                *numbers.entry(signature).or_insert_with(|| {
                    distinct.push(signature);
                    members.push(Vec::new());
                    distinct.len() as u32 - 1
                })
            });
            class.iter().for_each(|class| members[*class as usize].push(document));
            classes.push(class);
        }
        let mut links = vec![Vec::new(); distinct.len()];
        if !matches!(alike, Alike::Equal) {
            for (a, b) in linked(alike, &distinct) {
                links[a as usize].push(b);
                links[b as usize].push(a);
            }
        }
        Self { classes, members, links }
    }

    /// Finds pairs by the product's rule. It is not symmetric, so each document is a class of its own, and links lead to later documents.
    fn repeats(similarity: u32, signatures: &[Option<Signature>]) -> Self {
        let mut window =
            VerifyWindow::new(signatures.len().max(1) as u64, Policy { similarity, ..Policy::default() }, None);
        let mut links = vec![Vec::new(); signatures.len()];
        let mut wrappings = HashMap::<_, Vec<u64>>::new();
        for (document, signature) in (0..).zip(signatures) {
            let Some(Signature::Printed(printed)) = signature else { continue };
            let Some(gist) = &printed.gist else {
                // The text is nothing but wrapping: only an equal text is alike.
                let equal = wrappings.entry(printed.digest).or_default();
                equal.iter().for_each(|of: &u64| links[*of as usize].push(document as u32));
                equal.push(document);
                continue;
            };
            window.each(gist, Pos(document), |of, _| {
                links[of.0 as usize].push(document as u32);
                ControlFlow::Continue(())
            });
            window.remember(gist, Pos(document));
        }
        let documents = 0..signatures.len() as u32;
        let classes =
            documents.clone().zip(signatures).map(|(document, signature)| signature.as_ref().map(|_| document));
        Self { classes: classes.collect(), members: documents.map(|document| vec![document]).collect(), links }
    }

    /// Replaces the content of `out` with the documents after `document` that are alike with it, ascending.
    pub fn later(&self, document: u32, out: &mut Vec<u32>) {
        out.clear();
        let Some(class) = self.classes[document as usize] else { return };
        let mut append = |class: u32| {
            let members = &self.members[class as usize];
            out.extend_from_slice(&members[members.partition_point(|member| *member <= document)..]);
        };
        append(class);
        let links = &self.links[class as usize];
        links.iter().for_each(|class| append(*class));
        if !links.is_empty() {
            out.sort_unstable();
        }
    }
}

/// Returns the pairs of alike signatures among distinct ones, each once.
fn linked(alike: &Alike, signatures: &[&Signature]) -> Vec<(u32, u32)> {
    let mut groups: Vec<Entry> = Vec::new();
    for (number, signature) in (0..).zip(signatures) {
        let length = signature.length();
        alike.keys(signature, &mut |key| groups.push((key, length, number)));
    }
    // A signature may have the same key twice.
    groups.sort_unstable();
    groups.dedup();
    let mut places: Vec<u32> = (0..groups.len() as u32).collect();
    places.sort_unstable_by_key(|place| groups[*place as usize].2);
    let mut compared = vec![u32::MAX; signatures.len()];
    let mut linked = Vec::new();
    // Of two signatures, the same one comes first in every group, by length and number. The pair is met from that one, once per group.
    for place in places {
        let (key, length, a) = groups[place as usize];
        let behind = groups[place as usize + 1..].iter();
        let near = |entry: &&Entry| entry.0 == key && within(length.into(), entry.1.into(), LENGTH_RATIO);
        for (_, _, b) in behind.take_while(near) {
            if std::mem::replace(&mut compared[*b as usize], a) != a
                && alike.alike(signatures[a as usize], signatures[*b as usize])
            {
                linked.push((a, *b));
            }
        }
    }
    linked
}

impl Signature {
    /// Returns the length that limits which signatures are compared; 0 if lengths do not matter.
    fn length(&self) -> u32 {
        match self {
            Self::Text { words, .. } => words.len() as u32,
            Self::Records(records) => records.length,
            _ => 0,
        }
    }
}

impl Alike {
    /// Calls `each` with the keys of a signature. Any two alike signatures have a key in common.
    fn keys(&self, signature: &Signature, each: &mut dyn FnMut(u64)) {
        match (self, signature) {
            (_, Signature::Digest(digest)) => each(key(0, digest.bytes())),
            (Self::Distance(most), Signature::Fingerprint(bits)) => {
                let bands = *most as usize + 1;
                for band in 0..bands {
                    let (from, to) = (64 * band / bands, 64 * (band + 1) / bands);
                    let value = (bits >> from) & (u64::MAX >> (64 - (to - from)));
                    each(key(band, &value.to_le_bytes()));
                }
            }
            (_, Signature::Slots(slots)) => {
                for (slot, checksum) in slots.iter().enumerate() {
                    checksum.iter().for_each(|checksum| each(key(slot, checksum.bytes())));
                }
            }
            (Self::Bits(least), Signature::Bits(bits)) => {
                // The last bits are the words of fewest documents. Two vectors that share enough bits have one of these in common, since
                // less than 1 − least of a vector's bits are missing in the other.
                let prefix = bits.len() - bits.len() * *least as usize / 1000 + 1;
                let last = bits.iter().rev().take(prefix);
                last.for_each(|bit| each(key(0, &bit.to_le_bytes())));
            }
            (Self::MinHash(banding), Signature::MinHash(slots)) => {
                for band in 0..banding.bands {
                    let bytes: Vec<u8> = banding.band(slots, band).iter().flat_map(|slot| slot.to_le_bytes()).collect();
                    each(key(band, &bytes));
                }
            }
            (_, Signature::Text { shingles, .. }) => shingles.iter().for_each(|shingle| each(*shingle)),
            (_, Signature::Records(records)) => {
                records.sentences.iter().for_each(|sentence| each(key(0, sentence.bytes())));
            }
            (Self::Members(members, _), Signature::Set(signatures)) => {
                for (member, (method, signature)) in members.iter().zip(signatures).enumerate() {
                    let mut own = |of: u64| each(key(member, &of.to_le_bytes()));
                    signature.iter().for_each(|signature| method.alike.keys(signature, &mut own));
                }
            }
            _ => {}
        }
    }
}

/// Hashes a position and the bytes at that position to a key. A collision costs one needless comparison.
fn key(place: usize, bytes: &[u8]) -> u64 {
    crate::hash::XxHash3_64::oneshot_with_seed(place as u64, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, Recipe};
    use crate::methods::{CATALOGUE, Reading};

    /// Grouping finds the same pairs as comparing all with all, for every method.
    #[test]
    fn grouping_finds_all_pairs() {
        let options = Recipe { repeats: 500, decoys: 100, ..Recipe::default() };
        let posts: Vec<String> = Generator::new(5, options).unwrap().take(250).map(|post| post.text).collect();
        let collection = Collection::read(
            posts.iter().map(String::as_str).chain(["", "[泪]", "#话题#", "好", "[泪]", "#话题#", "好"]),
            Reading::default(),
        );
        for method in CATALOGUE {
            let signatures = method.sign(&collection);
            let found = Found::among(&method.alike, &signatures);
            let mut later = Vec::new();
            let mut pairs = 0;
            for a in 0..signatures.len() {
                found.later(a as u32, &mut later);
                let alike = |b: &usize| match (&signatures[a], &signatures[*b]) {
                    (Some(a), Some(b)) => method.alike.alike(a, b),
                    _ => false,
                };
                let slow: Vec<u32> = (a + 1..signatures.len()).filter(alike).map(|b| b as u32).collect();
                assert_eq!(later, slow, "{}: {}", method.id, collection.documents[a].original);
                pairs += slow.len();
            }
            assert!(pairs > 20, "{}: {pairs}", method.id);
        }
    }
}

//! The features by which the index finds a body: each bigram of a body that is short or may have a short partner, and each run of [`RUN`]
//! tokens of a long one.
//!
//! 今天武汉的樱花开了 is short. It is found in the lists of 今天, 天武, 武汉 and so on. A body of 20 tokens has 16 runs of five, and 19 bigrams, by which
//! shorter bodies find it. A body of more than [`LONGEST`](crate::rule::bounds::LONGEST) tokens has one feature, the hash of all its tokens,
//! because only an equal body can repeat it.
//!
//! Other systems index only some of the shorter grams (Schleimer, Wilkerson, Aiken: *Winnowing*, SIGMOD 2003). That would work for runs,
//! too, with fewer entries. But then a short gram that two bodies share by chance stands for a run that they do not share. So there are
//! more candidates (`benches/RESULTS.md`, *Notes from the modules*).

use crate::hash::table::MultiplyShift;
use crate::rule::bounds::{LONG, RATHER_SHORT, RUN};

/// The lengths at which each class but the first begins. Bodies found by their bigrams fall into classes by length. Each class has lists of
/// its own, because the length of a body decides how many tokens are needed.
const BORDERS: [usize; CLASSES - 1] = [8, LONG];
/// How many classes.
pub(super) const CLASSES: usize = 3;

/// Identifies a feature. The upper bits are well mixed.
pub(super) type Hash = u64;

/// One feature at one place of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feature {
    pub(crate) hash: Hash,
    /// The first of the tokens that the feature spans. If two bodies share the feature, they have these tokens in common.
    pub(crate) start: u32,
    /// The token after the last of them.
    pub(crate) end: u32,
}

/// The class of a body of `len` tokens.
pub(super) fn class(len: usize) -> usize {
    BORDERS.iter().map(|border| usize::from(len >= *border)).sum()
}

/// The lengths of a class, both ends included.
pub(super) fn lengths(class: usize) -> (usize, usize) {
    (if class == 0 { 2 } else { BORDERS[class - 1] }, BORDERS.get(class).map_or(usize::MAX, |border| border - 1))
}

/// How the features of a body are hashed. Bodies of different scopes have a common feature only by chance. So a text that occurs in
/// thousands of scopes costs no more than thousands of different texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeatureHasher {
    factor: MultiplyShift,
    scope: u64,
}

impl FeatureHasher {
    /// Makes the hashing for bodies of scope 0.
    pub(super) fn new(factor: MultiplyShift) -> Self {
        Self { factor, scope: 0 }
    }

    /// Returns the same hashing for bodies of a scope.
    pub(super) fn within(self, scope: u64) -> Self {
        Self { scope, ..self }
    }
}

/// Hashes some tokens, with one multiplication per token.
#[inline(always)]
fn hash(tokens: &[u32], hasher: FeatureHasher) -> Hash {
    finished(chained(hasher.scope, tokens, hasher), hasher)
}

/// Continues a sum with some tokens. `before` is the sum of the tokens in front of them.
#[inline(always)]
fn chained(before: u64, tokens: &[u32], FeatureHasher { factor, .. }: FeatureHasher) -> u64 {
    tokens.iter().fold(before, |sum: u64, token| factor.product(sum ^ u64::from(*token)))
}

/// Returns the hash for a sum, when no more tokens come.
#[inline(always)]
fn finished(sum: u64, FeatureHasher { factor, .. }: FeatureHasher) -> Hash {
    factor.product(sum ^ sum >> 32)
}

/// Appends each bigram of a body, hashed for the lists of a class. A bigram spans its two tokens.
pub(super) fn bigrams(tokens: &[u32], class: usize, hasher: FeatureHasher, out: &mut Vec<Feature>) {
    let places = tokens.windows(2).zip(0..);
    let hash = |two: &[u32]| hash(&[two[0], two[1], class as u32], hasher);
    out.extend(places.map(|(two, at)| Feature { hash: hash(two), start: at, end: at + 2 }));
}

/// Appends each run of [`RUN`] tokens of a body. A run spans all its tokens. Each sum follows from the one before.
pub(super) fn runs(tokens: &[u32], hasher: FeatureHasher, out: &mut Vec<Feature>) {
    let Some(first) = tokens.get(..RUN - 1) else { return };
    let mut rest = sum(first, hasher);
    let power = (1..RUN).fold(1, |power, _| hasher.factor.product(power));
    out.extend(tokens.windows(RUN).zip(0..).map(|(run, at)| {
        let sum = hasher.factor.product(rest).wrapping_add(run[RUN - 1].into());
        rest = sum.wrapping_sub(power.wrapping_mul(run[0].into()));
        Feature { hash: mixed(sum, hasher), start: at, end: at + RUN as u32 }
    }));
}

/// If a body is so short that moving its clauses may leave no common run, appends a feature that all bodies of the same tokens have. It
/// spans the whole body. It is appended twice, because the second place counts in full whatever was counted before.
pub(super) fn rearranged(tokens: &[u32], hasher: FeatureHasher, out: &mut Vec<Feature>) {
    if !RATHER_SHORT.contains(&tokens.len()) {
        return;
    }
    let each = tokens.iter().map(|token| hash(&[*token, REARRANGEMENT], hasher));
    let hash = hasher.factor.product(each.fold(0, u64::wrapping_add));
    out.extend([Feature { hash, start: 0, end: tokens.len() as u32 }; 2]);
}

/// Appends a feature that all bodies of exactly these tokens have, twice, like [`rearranged`].
pub(super) fn whole(tokens: &[u32], hasher: FeatureHasher, out: &mut Vec<Feature>) {
    let body = hash(tokens, hasher);
    let hash = hash(&[body as u32, (body >> 32) as u32, WHOLE], hasher);
    out.extend([Feature { hash, start: 0, end: tokens.len() as u32 }; 2]);
}

/// Sums tokens as the digits of a number to an unforeseen base (Karp and Rabin, *Efficient randomized pattern-matching algorithms*, 1987).
fn sum(tokens: &[u32], hasher: FeatureHasher) -> u64 {
    tokens.iter().fold(0, |sum, token| hasher.factor.product(sum).wrapping_add((*token).into()))
}

/// Returns the hash of a run with this sum.
fn mixed(sum: u64, hasher: FeatureHasher) -> Hash {
    finished(sum ^ hasher.scope, hasher)
}

/// Appends the first and the last run of a body of [`RUN`] tokens or more. They may overlap. Returns how many tokens they span together.
pub(super) fn outer_runs(tokens: &[u32], hasher: FeatureHasher, out: &mut Vec<Feature>) -> usize {
    for start in [0, tokens.len() - RUN] {
        let hash = mixed(sum(&tokens[start..start + RUN], hasher), hasher);
        out.push(Feature { hash, start: start as u32, end: (start + RUN) as u32 });
    }
    tokens.len().min(2 * RUN)
}

/// The kinds of [keys](super::floods), as numbers that no class has.
const BIGRAM: u32 = CLASSES as u32 + 1;
const COUNT: u32 = BIGRAM + 1;
const NUMBER: u32 = COUNT + 1;
const NUMBERS: u32 = NUMBER + 1;
const FILL: u32 = NUMBERS + 1;
const REARRANGEMENT: u32 = FILL + 1;
const SHORT_FLOOD: u32 = REARRANGEMENT + 1;
const PROPERTY: u32 = SHORT_FLOOD + CLASSES as u32;
const WHOLE: u32 = PROPERTY + 1;

/// The key of the bodies that have this bigram.
pub(super) fn bigram_key(bigram: &[u32], hasher: FeatureHasher) -> Hash {
    hash(&[bigram[0], bigram[1], BIGRAM], hasher)
}

/// The key of the bodies of this class and of a [short flood](super::short_floods) that have this bigram.
pub(super) fn in_short_flood(bigram: &[u32], class: usize, hasher: FeatureHasher) -> Hash {
    hash(&[bigram[0], bigram[1], SHORT_FLOOD + class as u32], hasher)
}

/// The key of the bodies that count this thing to this number.
pub(super) fn count_key(counted: u32, number: u32, hasher: FeatureHasher) -> Hash {
    hash(&[counted, number, COUNT], hasher)
}

/// The key of the bodies that have this number.
pub(super) fn number_key(number: u32, hasher: FeatureHasher) -> Hash {
    hash(&[number, NUMBER], hasher)
}

/// What distinguishes a body from others with the same tokens, as keys: for each kind of thing, a key of the kind and the keys of its
/// values.
pub(super) type PropertyKeys = Vec<(Hash, Vec<Hash>)>;

/// Returns a function that gives the key of the bodies with these tokens and a certain thing that distinguishes them.
pub(super) fn property_key(tokens: &[u32], hasher: FeatureHasher) -> impl Fn(u64) -> Hash {
    let body = hash(tokens, hasher);
    move |what| hash(&[body as u32, (body >> 32) as u32, what as u32, (what >> 32) as u32, PROPERTY], hasher)
}

/// The key of the bodies that have these numbers between the neighbours in `key`.
pub(super) fn numbers_key(key: &[u32; 4], numbers: &[u32], hasher: FeatureHasher) -> Hash {
    let parts = [key, numbers, &[NUMBERS]];
    finished(parts.into_iter().fold(hasher.scope, |sum, tokens| chained(sum, tokens, hasher)), hasher)
}

/// Returns a function that gives the key of the bodies with a certain pair of parts between these passages.
pub(super) fn fill_key(around: &[[u32; 4]; 2], hasher: FeatureHasher) -> impl Fn((u32, u32)) -> Hash {
    let before = chained(hasher.scope, around.as_flattened(), hasher);
    move |(part, what)| finished(chained(before, &[part, what, FILL], hasher), hasher)
}

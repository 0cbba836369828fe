//! The pairs that methods of the [catalogue](crate::methods) find among the messages of a sample.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::agreement::Mask;
use super::rows::in_rows;
use super::sample::{Pair, Pairs, Sample};
use super::tally::{BANDS, Grouped};
use super::{Experiment, OnProgress};
use crate::error::Result;
use crate::methods::pairs::Found;
use crate::methods::{Collection, Method, Signature};

/// A method and its results on the messages.
pub(super) struct MethodFinds {
    /// The method.
    pub(crate) method: &'static Method,
    /// How long signing took, including the statistics that the method takes from the collection.
    pub(crate) signing: Duration,
    /// The signatures. Empty if `found` holds all pairs.
    signatures: Vec<Option<Signature>>,
    /// The pairs that the method finds. Present if all pairs are to be judged.
    found: Option<Found>,
}

impl MethodFinds {
    /// Whether the method calls two messages alike, judged by their kept signatures.
    pub(crate) fn calls(&self, a: usize, b: usize) -> bool {
        let both = self.signatures[a].as_ref().zip(self.signatures[b].as_ref());
        both.is_some_and(|(a, b)| self.method.alike.alike(a, b))
    }
}

/// Signs the messages with each method. Then finds all alike pairs, or keeps the signatures to compare listed pairs.
pub(super) fn finds(
    methods: &[&'static Method],
    sample: &Sample,
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<Vec<MethodFinds>> {
    if methods.is_empty() {
        return Ok(Vec::new());
    }
    progress("reading words", 0, 1);
    let collection = Collection::read(sample.texts.iter().map(String::as_str), options.reading);
    let find = |_: &mut (), number: usize| {
        let method = methods[number];
        let start = Instant::now();
        let mut signatures = method.sign(&collection);
        let signing = start.elapsed();
        let found = matches!(sample.pairs, Pairs::All(_)).then(|| Found::among(&method.alike, &signatures));
        if found.is_some() {
            signatures = Vec::new();
        }
        MethodFinds { method, signing, signatures, found }
    };
    let done = |done| progress("methods", done, methods.len());
    in_rows(methods.len(), options.threads, || (), find, &done).map(|(_, finds)| finds)
}

/// The counts of one method on a sample.
#[derive(Clone)]
pub(super) struct MethodCounts {
    /// The pairs.
    pub(crate) pairs: Grouped,
    /// The messages, if the pairs are all pairs of a stream.
    pub(crate) stream: Option<Grouped>,
}

/// The counts of all methods on a sample.
pub(super) struct JudgedPairs {
    /// The counts of each method.
    pub(crate) counts: Vec<MethodCounts>,
    /// For each set of methods, the number of pairs that exactly these methods find. Of all pairs, only those count that are true or that
    /// some method finds.
    pub(crate) together: HashMap<Mask, u64>,
}

/// The messages after `a` that some method calls alike with `a`, or that repeat `a`, each once. Each comes with the methods, and whether
/// it is a repeat. The buffers are reused from row to row.
#[derive(Default)]
pub(super) struct PairRow {
    masks: Vec<(Mask, bool)>,
    touched: Vec<u32>,
    later: Vec<u32>,
}

impl PairRow {
    /// Reads the row of `a`.
    pub(crate) fn read(&mut self, finds: &[&MethodFinds], a: usize, messages: usize, repeats: &[u32]) {
        for b in self.touched.drain(..) {
            self.masks[b as usize] = (0, false);
        }
        self.masks.resize(messages, (0, false));
        for (method, find) in finds.iter().enumerate() {
            let Some(found) = &find.found else { continue };
            found.later(a as u32, &mut self.later);
            for b in &self.later {
                touch(&mut self.masks, &mut self.touched, *b).0 |= 1 << method;
            }
        }
        repeats.iter().for_each(|b| touch(&mut self.masks, &mut self.touched, *b).1 = true);
    }

    /// The messages, in no particular order, each with its methods and whether it is a repeat.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, Mask, bool)> {
        self.touched.iter().map(|b| (*b, self.masks[*b as usize].0, self.masks[*b as usize].1))
    }
}

/// Returns the entry of `b`, and lists `b` as touched.
fn touch<'m>(masks: &'m mut [(Mask, bool)], touched: &mut Vec<u32>, b: u32) -> &'m mut (Mask, bool) {
    let entry = &mut masks[b as usize];
    if *entry == (0, false) {
        touched.push(b);
    }
    entry
}

/// Counts the pairs of a sample, as judged by each method.
pub(super) fn judge(
    finds: &[&MethodFinds],
    sample: &Sample,
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<JudgedPairs> {
    match &sample.pairs {
        Pairs::Listed(pairs) => Ok(listed(finds, pairs, sample, options)),
        Pairs::All(repeats) => all(finds, repeats, sample, options, progress),
    }
}

fn listed(finds: &[&MethodFinds], pairs: &[Pair], sample: &Sample, options: &Experiment) -> JudgedPairs {
    let counts = MethodCounts { pairs: Grouped::new(sample.groups.len()), stream: None };
    let mut judged = JudgedPairs { counts: vec![counts; finds.len()], together: HashMap::new() };
    for pair in pairs {
        let Some(band) = sample.band(pair.a, pair.b, options) else { continue };
        let mut mask: Mask = 0;
        for ((number, find), counts) in finds.iter().enumerate().zip(&mut judged.counts) {
            let is_called = find.calls(pair.a, pair.b);
            mask |= Mask::from(is_called) << number;
            counts.pairs.add(pair.is_repeat, is_called, band, &pair.groups);
        }
        *judged.together.entry(mask).or_insert(0) += 1;
    }
    judged
}

/// First: the number of pairs, by the methods that found them, whether they are true, their band of length, and their group (`None`: all
/// pairs). Second: for each message, the methods that call an earlier message alike.
type Counted = (HashMap<(Mask, bool, usize, Option<u16>), u64>, Vec<Mask>);

fn all(
    finds: &[&MethodFinds],
    repeats: &[Vec<u32>],
    sample: &Sample,
    options: &Experiment,
    progress: OnProgress<'_>,
) -> Result<JudgedPairs> {
    let messages = sample.texts.len();
    let count = |(row, (counts, called)): &mut (PairRow, Counted), a: usize| {
        row.read(finds, a, messages, &repeats[a]);
        for (b, mask, is_repeat) in row.entries() {
            called[b as usize] |= mask;
            if let Some(band) = sample.band(a, b as usize, options) {
                let groups = sample.groups_of(b as usize).iter().map(|group| Some(*group));
                for group in std::iter::once(None).chain(groups) {
                    *counts.entry((mask, is_repeat, band, group)).or_insert(0) += 1;
                }
            }
        }
    };
    let done = |done| progress("pairs of all methods", done, messages);
    let make = || (PairRow::default(), (HashMap::new(), vec![0; messages]));
    let (mut counts, mut called): Counted = (HashMap::new(), vec![0; messages]);
    for (_, (own, own_called)) in in_rows(messages, options.threads, make, count, &done)?.0 {
        own.into_iter().for_each(|(key, count)| *counts.entry(key).or_insert(0) += count);
        called.iter_mut().zip(own_called).for_each(|(called, own)| *called |= own);
    }
    let of_band = pairs_by_band(sample, options);
    let of_method = |method: usize| {
        let mut pairs = Grouped::new(sample.groups.len());
        for ((mask, is_repeat, band, group), count) in &counts {
            pairs.of(*group)[*band].add_many(*is_repeat, mask >> method & 1 == 1, *count);
        }
        let bands = pairs.groups.iter_mut().chain([&mut pairs.all]).flatten();
        for (band, all) in bands.zip(of_band.iter().flatten()) {
            band.tn += all - band.cases();
        }
        let stream =
            sample.is_repeat_in_stream.as_ref().map(|repeats| stream(method, &called, repeats, sample, options));
        MethodCounts { pairs, stream }
    };
    let of_methods = (0..finds.len()).map(of_method).collect();
    let mut together = HashMap::new();
    for ((mask, .., group), count) in counts {
        if group.is_none() {
            *together.entry(mask).or_insert(0) += count;
        }
    }
    Ok(JudgedPairs { counts: of_methods, together })
}

/// Counts the messages of a stream. A method would drop a message if an earlier one is alike.
fn stream(method: usize, called: &[Mask], repeats: &[bool], sample: &Sample, options: &Experiment) -> Grouped {
    let mut counted = Grouped::new(sample.groups.len());
    for (at, ((called, is_repeat), length)) in called.iter().zip(repeats).zip(&sample.lengths).enumerate() {
        if (options.length.0..=options.length.1).contains(length) {
            counted.add(*is_repeat, called >> method & 1 == 1, options.length_in.band(*length), sample.groups_of(at));
        }
    }
    counted
}

/// Counts the pairs of each group, and last of all groups, by band of length. The shorter message decides the band.
fn pairs_by_band(sample: &Sample, options: &Experiment) -> Vec<[u64; BANDS]> {
    let mut found = vec![[0; BANDS]; sample.groups.len()];
    for b in (0..sample.groups_of.len()).filter(|b| !sample.groups_of(*b).is_empty()) {
        let mut bands = [0; BANDS];
        (0..b).filter_map(|a| sample.band(a, b, options)).for_each(|band| bands[band] += 1);
        for group in sample.groups_of(b) {
            found[usize::from(*group)].iter_mut().zip(bands).for_each(|(own, more)| *own += more);
        }
    }
    let mut lengths = sample.lengths.clone();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = [0; BANDS];
    for (longer, length) in (0..).zip(lengths) {
        if (options.length.0..=options.length.1).contains(&length) {
            all[options.length_in.band(length)] += longer;
        }
    }
    found.push(all);
    found
}

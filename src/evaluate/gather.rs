//! Turns the input into a sample: labelled pairs, clusters, or texts that are edited here.

use std::collections::BTreeSet;

use super::indel::{IndelBodies, LcsComparer};
use super::rows::in_rows;
use super::sample::{EDIT, Group, Pair, Pairs, Sample, bodies, lengths, plural};
use super::tally::LengthIn;
use super::truth::unjudged;
use super::{Dataset, Experiment, OnProgress, Truth, read};
use crate::error::{Error, Result};
use crate::generate::Random;
use crate::generate::edits::{Edit, Editor};
use crate::locale::Bilingual;
use crate::locale::tr;

/// Number of texts to edit, or of pairs and messages to draw, if `--sample` does not say.
const DRAWN: usize = 2000;

/// Reads the input and finds out which pairs are repeats. [Similarity](super::truth) is judged later, since it may need the methods'
/// pairs.
///
/// # Errors
/// [`Error::Unmeasurable`] for a record that lacks a field or an input without messages, [`Error::Config`] if there is no pair,
/// [`Error::Io`] if reading fails.
pub(crate) fn gather(input: Dataset, options: &Experiment, progress: OnProgress<'_>) -> Result<Sample> {
    match &options.truth {
        Truth::PairsIfLabelled | Truth::Pairs => labelled(input, options),
        Truth::Cluster(_) => clustered(input, options, progress),
        Truth::Indel(_) | Truth::Levenshtein(_) | Truth::Pooled(_) => unjudged(input, options),
        Truth::Edits => edited(input, options),
    }
}

fn labelled(input: Dataset, options: &Experiment) -> Result<Sample> {
    let read::Labelled { texts, pairs, groups, undecided } =
        read::labelled(input.source, &options.by, options.truth == Truth::PairsIfLabelled)?;
    if pairs.is_empty() {
        return Err(Error::config(
            "--truth",
            tr!(
                "pairs: {} holds no decided pair: set `label` to 1 where `b` repeats `a`, and to 0 where it does not",
                input.name
            ),
        ));
    }
    let repeats = pairs.iter().filter(|pair| pair.is_repeat).count();
    let description = Bilingual::new(|| {
        tr!(
            "{}: {}; repeats {repeats}, others {}; undecided, left out: {undecided}.",
            input.name,
            plural(pairs.len() as u64, "labelled pair"),
            pairs.len() - repeats,
            repeats,
            undecided
        )
    });
    let lengths = lengths(&texts, &bodies(&texts), options.length_in);
    Ok(Sample { groups, ..Sample::of(texts, lengths, Pairs::Listed(pairs), description) })
}

/// Draws `count` different numbers below `of`, in ascending order; all of them if there are no more than `count`.
fn draw(random: &mut Random, count: usize, of: u64) -> BTreeSet<u64> {
    if of <= count as u64 {
        return (0..of).collect();
    }
    let mut drawn = BTreeSet::new();
    while drawn.len() < count {
        drawn.insert(random.below_u64(of));
    }
    drawn
}

fn clustered(input: Dataset, options: &Experiment, progress: OnProgress<'_>) -> Result<Sample> {
    let (read::Messages { texts, clusters, groups, groups_of }, name) = read::messages(input, options, usize::MAX)?;
    let sample = options.sample.unwrap_or(DRAWN);
    let mut random = Random::new(options.seed);
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut repeats = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
        let cluster = *cluster as usize;
        members.resize_with(members.len().max(cluster + 1), Vec::new);
        repeats.push(!members[cluster].is_empty());
        members[cluster].push(at);
    }
    let all: u64 = members.iter().map(|members| members.len() as u64 * (members.len() as u64 - 1) / 2).sum();
    let mut pairs = within(&members, &draw(&mut random, sample, all));
    let inside = pairs.len();
    let bodies = bodies(&texts);
    let drawn: Vec<usize> = draw(&mut random, sample, texts.len() as u64).into_iter().map(|at| at as usize).collect();
    pairs.extend(across(&bodies, &clusters, &drawn, options.threads, progress)?);
    if !groups_of.is_empty() {
        pairs.iter_mut().for_each(|pair| pair.groups = groups_of[pair.b].clone());
    }
    let description = Bilingual::new(|| {
        tr!(
            "{name}: {} in {}. Pairs: {inside} of {all} within clusters; as others, {} of a message and the one of another cluster \
             whose body is most alike (Indel similarity), for {} drawn with seed {}. Stream: a message is a repeat if an \
             earlier one has its cluster.",
            plural(texts.len() as u64, "message"),
            plural(members.len() as u64, "cluster"),
            pairs.len() - inside,
            plural(drawn.len() as u64, "message"),
            options.seed,
            name,
            inside,
            all
        )
    });
    let lengths = lengths(&texts, &bodies, options.length_in);
    let is_repeat_in_stream = Some(repeats);
    Ok(Sample {
        groups,
        groups_of,
        is_repeat_in_stream,
        ..Sample::of(texts, lengths, Pairs::Listed(pairs), description)
    })
}

/// The pairs within clusters that have these numbers. Pairs are numbered cluster by cluster, within a cluster by the later message.
fn within(members: &[Vec<usize>], numbers: &BTreeSet<u64>) -> Vec<Pair> {
    let (mut numbers, mut first) = (numbers.iter().peekable(), 0);
    let mut pairs = Vec::new();
    for (later, members) in members.iter().flat_map(|members| (0..members.len()).map(move |later| (later, members))) {
        while let Some(number) = numbers.next_if(|number| **number < first + later as u64) {
            let (a, b) = (members[(number - first) as usize], members[later]);
            pairs.push(Pair { a, b, is_repeat: true, groups: Vec::new() });
        }
        first += later as u64;
    }
    pairs
}

/// Hard negatives: pairs each drawn message with the most similar message of another cluster, the earliest of equals.
fn across(
    bodies: &IndelBodies,
    clusters: &[u32],
    drawn: &[usize],
    threads: usize,
    progress: OnProgress<'_>,
) -> Result<Vec<Pair>> {
    let nearest = |comparer: &mut LcsComparer<'_>, row: usize| {
        let at = drawn[row];
        comparer.set_pattern(at);
        let mut best: Option<(usize, f64)> = None;
        for other in (0..clusters.len()).filter(|other| clusters[*other] != clusters[at]) {
            let least = best.map_or(f64::MIN_POSITIVE, |(_, similarity)| similarity);
            if let Some(similarity) = comparer.similarity(other, least)
                && best.is_none_or(|(_, best)| similarity > best)
            {
                best = Some((other, similarity));
            }
        }
        best.map(|(other, _)| (at.min(other), at.max(other)))
    };
    let done = |done| progress("hard negatives", done, drawn.len());
    let (_, found) = in_rows(drawn.len(), threads, || LcsComparer::new(bodies), nearest, &done)?;
    // Two messages may each be the most similar one to the other.
    let pairs: BTreeSet<(usize, usize)> = found.into_iter().flatten().collect();
    Ok(pairs.into_iter().map(|(a, b)| Pair { a, b, is_repeat: false, groups: Vec::new() }).collect())
}

fn edited(input: Dataset, options: &Experiment) -> Result<Sample> {
    let (read::Messages { texts: read, groups: further, groups_of, .. }, name) =
        read::messages(input, options, usize::MAX)?;
    // A text that consists only of wrapping has no content that an edit could keep.
    let lengths_read = lengths(&read, &bodies(&read), LengthIn::Characters);
    let usable: Vec<usize> = (0..read.len()).filter(|at| lengths_read[*at] > 0).collect();
    let drawn = draw(&mut Random::new(options.seed), options.sample.unwrap_or(DRAWN), usable.len() as u64);
    let mut editor = Editor::new(options.seed);
    let (mut texts, mut pairs) = (Vec::new(), Vec::new());
    for number in &drawn {
        let at = usable[*number as usize];
        let original = &read[at];
        let a = texts.len();
        texts.push(original.clone());
        for (group, (_, edit)) in (0..).zip(Edit::NAMED) {
            if let Some(edited) = editor.edit(edit, original) {
                let own = groups_of.get(at).into_iter().flatten().map(|own| own + Edit::NAMED.len() as u16);
                let groups = std::iter::once(group).chain(own).collect();
                pairs.push(Pair { a, b: texts.len(), is_repeat: edit.is_repeat(), groups });
                texts.push(edited);
            }
        }
    }
    if pairs.is_empty() {
        return Err(Error::config("--truth", tr!("edits: {name} holds no text that could be edited", name)));
    }
    let description = Bilingual::new(|| {
        tr!(
            "{name}: {} of {}, drawn and edited with seed {}, each in up to {} ways: {} pairs. Decoys, in which a number is another, \
             are no repeats; they are few, so look at their share and not at the precision.",
            plural(drawn.len() as u64, "text"),
            read.len(),
            options.seed,
            Edit::NAMED.len(),
            pairs.len(),
            name
        )
    });
    let group = |(name, _): &(&str, Edit)| Group { field: EDIT.to_owned(), value: (*name).to_owned() };
    let groups = Edit::NAMED.iter().map(group).chain(further).collect();
    let lengths = lengths(&texts, &bodies(&texts), options.length_in);
    Ok(Sample { groups, ..Sample::of(texts, lengths, Pairs::Listed(pairs), description) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_all_pairs_within_clusters() {
        let members = [vec![0, 3, 4, 9], vec![1], vec![2, 7]];
        let all: Vec<(usize, usize)> =
            within(&members, &(0..7).collect()).iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(all, [(0, 3), (0, 4), (3, 4), (0, 9), (3, 9), (4, 9), (2, 7)]);
        for (number, pair) in (0..).zip(all) {
            let one = within(&members, &BTreeSet::from([number]));
            assert_eq!(one.iter().map(|one| (one.a, one.b)).collect::<Vec<_>>(), [pair]);
        }
    }

    #[test]
    fn the_most_alike_of_another_cluster_is_the_hard_negative() {
        let bodies = IndelBodies::new(["一二三四", "一二三四", "一二三五", "六七八九", "一二六七"]);
        let pairs = across(&bodies, &[0, 0, 1, 2, 3], &[0, 2, 3], 2, &|_, _, _| ()).unwrap();
        assert_eq!(pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 2), (3, 4)]);
    }

    #[test]
    fn what_is_drawn_is_spread_and_different() {
        let drawn = draw(&mut Random::new(1), 500, 1000);
        assert_eq!((drawn.len(), draw(&mut Random::new(1), 5, 3).len()), (500, 3));
        assert!((200..300).contains(&drawn.iter().filter(|number| **number < 500).count()));
    }
}

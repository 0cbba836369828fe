//! Finds pairs of characters that change the meaning of a word, judged by the opposites and the classes: 初 / 终.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::HAN;
use super::{Lists, Pair};
use crate::text::tokens::Token;

/// Classes with more members than this contain names, whose characters say nothing about other words.
const FEW: usize = 60;
/// Longest word, in characters, that is compared character by character.
const WORD: usize = 5;
/// Pronouns change with the speaker, so 我 / 你 are no contrast.
const PRONOUNS: &str = "我你他她它您";

/// Returns the pairs of characters in which opposites differ (初审 / 终审, 停牌 / 复牌), or in which members of classes differ at least
/// twice. If two words that no list has differ in such a pair, as 初试 / 终试 do, their meanings differ, too. Pairs of characters that
/// look or `sound` alike are left out, and so are pairs in which synonyms differ.
pub(super) fn contrasts(lists: &Lists, opposites: &[Pair<'_>], sounds: &[&str]) -> BTreeSet<(char, char)> {
    let mut found: BTreeSet<(char, char)> = opposites.iter().filter_map(|[x, y]| contrast(x, y)).collect();
    let mut once = BTreeSet::new();
    let mut classes = BTreeMap::<&str, Vec<&str>>::new();
    for line in lists.classes.lines().filter(|line| !line.section.ends_with("_char")) {
        classes.entry(line.section).or_default().push(line.text);
    }
    for members in classes.values().filter(|members| members.len() <= FEW) {
        for (at, member) in members.iter().enumerate() {
            let words = member.split_whitespace();
            let others = || members[at + 1..].iter().flat_map(|other| other.split_whitespace());
            for pair in words.flat_map(|word| others().filter_map(move |other| contrast(word, other))) {
                if !once.insert(pair) {
                    found.insert(pair);
                }
            }
        }
    }
    let mut kinds = HashMap::<char, Vec<usize>>::new();
    let looks = lists.lookalikes.lines().map(|line| line.text);
    for (kind, group) in sounds.iter().copied().chain(looks).enumerate() {
        group.chars().for_each(|c| kinds.entry(c).or_default().push(kind));
    }
    let kinds = |c: &char| kinds.get(c).map_or(&[][..], Vec::as_slice);
    found.retain(|(x, y)| !kinds(x).iter().any(|kind| kinds(y).contains(kind)));
    found.retain(|(x, y)| !PRONOUNS.contains(*x) && !PRONOUNS.contains(*y));
    for line in lists.synonyms.lines() {
        let words: Vec<&str> = line.words().collect();
        for (at, word) in words.iter().enumerate() {
            for pair in words[at + 1..].iter().filter_map(|other| contrast(word, other)) {
                found.remove(&pair);
            }
        }
    }
    found
}

/// Returns the two characters in which two words of the same length differ, in order of their codes, if there is only one
/// difference.
fn contrast(x: &str, y: &str) -> Option<(char, char)> {
    let length = x.chars().count();
    let ideographs = |word: &str| word.chars().all(|c| HAN.contains(&Token::from(c)));
    if !(2..=WORD).contains(&length) || y.chars().count() != length || !ideographs(x) || !ideographs(y) {
        return None;
    }
    let mut differ = x.chars().zip(y.chars()).filter(|(x, y)| x != y);
    let (x, y) = differ.next()?;
    differ.next().is_none().then_some((x.min(y), x.max(y)))
}

//! Compares the entries of a list, each of which says something about another thing: 血糖偏低，血脂正常，血压偏高，尿酸正常.
//!
//! 1楼已满，2楼充足，3楼已满，4楼紧张 / 1楼充足，2楼已满，3楼紧张，4楼紧张: each clause begins with a key, here the number of a floor. Both texts have the same keys,
//! and two entries or more say something else. So B is no repeat, though A has all its words.
//!
//! A text is such a list if it has at least four clauses of 2 to 8 tokens, and at most one other clause. Besides, three clauses must have
//! a number of the same thing (1楼, 2楼, 3楼), or two must end with the same two tokens (正常). The key of a clause is its only number, or else
//! its first two tokens. The last token of an entry counts, and its first token if this comes before the key (东1号机组, 西1号机组). Particles and
//! numbers do not count. The last clause may be cut off, and does not count.
//!
//! The [overlap engine](crate::near::overlap) looks entries up.

use std::ops::Range;

use super::gap::Gap;
use crate::rule::facts::Conflict;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{Kind, lexicon};
use crate::text::tokens::{Token, is_number};

/// Fewest clauses of a list.
const CLAUSES_FROM: usize = 4;
/// Most clauses of a list that are no entries.
const OTHER_CLAUSES_UPTO: usize = 1;
/// Longest entry, in tokens.
const ENTRY_UPTO: usize = 8;
/// Fewest numbers of one thing that make a list.
const NUMBERED: usize = 3;
/// Texts of more tokens are left to the other steps.
const LIST_UPTO: usize = 256;
/// With this many entries that say something else, B is another message.
const OTHER_ENTRIES_FROM: usize = 2;
/// Longest word, in tokens, whose synonyms count.
const SYNONYM: usize = 4;

/// One end of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The key of the clause, and which end of the clause this is.
    pub(crate) key: [Token; 3],
    /// The token at that end, the characters it may be mistaken for, and the synonym groups of the words there. Two entries may say the
    /// same if they share one of these.
    pub(crate) parts: Vec<(Token, Token)>,
    clause: Range<usize>,
}

impl Entry {
    fn may_be(&self, other: &Self) -> bool {
        self.parts.iter().any(|part| other.parts.contains(part))
    }
}

/// Returns the entries of a text; empty if the text is no list.
pub(crate) fn entries(text: GistView<'_>) -> Vec<Entry> {
    let body = text.body.list;
    if text.breaks.len() + 1 < CLAUSES_FROM || body.len() > LIST_UPTO {
        return Vec::new();
    }
    let is_short = |clause: &Range<usize>| (2..=ENTRY_UPTO).contains(&clause.len());
    if text.clauses().filter(|clause| !is_short(clause)).nth(OTHER_CLAUSES_UPTO).is_some() {
        return Vec::new();
    }
    let clauses: Vec<Range<usize>> = text.clauses().collect();
    if clauses.iter().filter(|clause| is_short(clause)).count() < CLAUSES_FROM || !is_list(body, &clauses) {
        return Vec::new();
    }
    let keys: Vec<_> = clauses.iter().map(|clause| key(body, clause)).collect();
    let is_only = |own: &[Token; 2]| keys.iter().flatten().filter(|(key, _)| key == own).count() == 1;
    let counted = clauses.iter().zip(&keys).take(clauses.len() - 1);
    let counted =
        counted.filter_map(|(clause, key)| key.as_ref().filter(|(key, _)| is_only(key)).map(|key| (clause, key)));
    let mut entries = Vec::new();
    for (clause, ([first, second], place)) in counted {
        let mut add = |end: Token, at: usize, words: &dyn Fn(usize) -> Range<usize>| {
            if !is_number(body[at]) && !CUES.final_particle.has_code(body[at]) {
                let words = (2..=SYNONYM.min(clause.len())).map(|length| &body[words(length)]);
                let parts = parts(body[at], words);
                entries.push(Entry { key: [*first, *second, end], parts, clause: clause.clone() });
            }
        };
        if clause.end > place.end {
            add(0, clause.end - 1, &|length| clause.end - length..clause.end);
        }
        if clause.start < place.start {
            add(1, clause.start, &|length| clause.start..clause.start + length);
        }
    }
    entries
}

/// Whether several clauses have a number of the same thing, or two end alike.
fn is_list(body: &[Token], clauses: &[Range<usize>]) -> bool {
    let things = clauses.iter().filter_map(|clause| body[clause.clone()].windows(2).find(|two| is_number(two[0])));
    let things: Vec<Token> = things.map(|two| two[1]).collect();
    let ends: Vec<_> = clauses.iter().filter_map(|clause| body[clause.clone()].last_chunk::<2>()).collect();
    things.iter().any(|one| things.iter().filter(|other| *other == one).count() >= NUMBERED)
        || ends.iter().enumerate().any(|(at, end)| ends[..at].contains(end))
}

/// Returns the key of a clause, and the place of the key.
fn key(body: &[Token], clause: &Range<usize>) -> Option<([Token; 2], Range<usize>)> {
    let mut numbers = clause.clone().filter(|at| is_number(body[*at]));
    match (numbers.next(), numbers.next()) {
        (Some(at), None) => Some(([body[at], 0], at..at + 1)),
        _ => {
            let (start, [first, second]) = (clause.start, *body[clause.clone()].first_chunk()?);
            Some(([first, second], start..start + 2))
        }
    }
}

fn parts<'t>(token: Token, words: impl Iterator<Item = &'t [Token]>) -> Vec<(Token, Token)> {
    let senses = |word: &[Token]| lexicon().get(word).into_iter().flat_map(|entry| lexicon().senses(entry));
    let sounds = senses(&[token])
        .filter(|sense| matches!(sense.kind, Kind::Sound | Kind::Look))
        .map(|sense| (1, sense.group.into()));
    let synonyms = words.flat_map(senses).filter(|sense| sense.kind == Kind::Synonym);
    [(0, token)].into_iter().chain(sounds).chain(synonyms.map(|sense| (2, sense.group.into()))).collect()
}

/// Returns the first of B's [entries] that differs from A's entry with the same key, if there are at least two.
pub(crate) fn other_entries(a: GistView<'_>, own: &[Entry]) -> Option<(Gap, Conflict)> {
    let others = if own.is_empty() { Vec::new() } else { entries(a) };
    let mut differ = own.iter().filter_map(|entry| {
        let other = others.iter().find(|other| other.key == entry.key && !other.may_be(entry))?;
        Some((Gap { a: other.clause.clone(), b: entry.clause.clone() }, Conflict::Item))
    });
    let first = differ.next()?;
    (differ.count() + 1 >= OTHER_ENTRIES_FROM).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;

    #[test]
    fn two_entries_tell_a_list() {
        for (a, b, differ) in [
            ("1楼已满，2楼充足，3楼已满，4楼紧张", "1楼充足，2楼已满，3楼紧张，4楼紧张", true),
            ("1楼已满，2楼充足，3楼已满，4楼紧张", "2楼充足，1楼已满，3楼已满，4楼紧张", false),
            ("1楼已满，2楼充足，3楼已满，4楼紧张", "1楼已慢，2楼充族，3楼已满，4楼紧张", false),
            ("1楼已满，2楼充足，3楼已满，4楼紧张", "1楼充足，2楼充足，3楼已满，4楼紧张", false),
            ("血糖偏低，血脂正常，血压偏高，尿酸正常", "血糖阳性，血脂偏高，血压偏高，尿酸正常", true),
            (
                "东1号机组正常；西2号机组正常；南3号机组正常；北4号机组正常",
                "西1号机组正常；东2号机组正常；南3号机组正常；北4号机组正常",
                true,
            ),
            ("周一下雨，周二下雪，周三刮风", "周一刮风，周二下雨，周三下雪", false),
            ("我在东湖边等你，你慢慢来，别着急，路上小心点", "我在东湖旁等你呀，你慢慢来吧，别着急，路上小心点", false),
        ] {
            let (x, y) = (gist(a), gist(b));
            let differs = |a: GistView<'_>, b| other_entries(a, &entries(b)).is_some();
            assert_eq!(differs(x.view(), y.view()), differ, "{a} / {b}");
            assert_eq!(differs(y.view(), x.view()), differ, "{b} / {a}");
        }
    }
}

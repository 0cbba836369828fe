//! Finds slots of a template that B fills with something else, without an alignment. A *passage* is a stretch of two to four tokens that
//! occurs once in B and once in A. The passages around a slot come in the same order in both.
//!
//! *Words.* …请到骨伤科室就诊，… / …请到神经外科就诊，…: the fills are between the passages 请到 and 就诊. B is the same template with another fill if the
//! fills have three tokens or more and about the same length, and A covers none of B's fill, except perhaps its first and last token. Three
//! tokens for three with the same one in the middle may be one word with two typos. They are left to the [alignment](super::aligned).
//!
//! *Ends.* 您的预约申请已经收到，负责人是张三丰 / 您的预约申请已经收到，负责人是李四光: the fill is inside the last clause, between a run of five tokens and the end of the
//! text. Both texts have the run once. B is the same template with another fill if the fills have about the same length, A covers none of
//! B's fill, except perhaps its first token, and at least three characters of B's fill are not in A's. A whole clause at the end only
//! closes a message, and is left alone. So is a clause that asks.
//!
//! *Names.* 亲爱的李海，你的会员… / 亲爱的李平，你的会员…: a [name](crate::rule::facts::is_named) is between two passages. If A has another name there, B is
//! the same template for another person. The whole beginning of the text may replace the first passage, and its end the second one.
//!
//! *Codes.* Dear Mary, your order X7 has … / Dear John, your order Q2 has …: words of letters, perhaps with numbers, are between two
//! passages. The beginning and the end may replace these, as for names. If A covers none of the words and has others there, B is the same
//! template with another code, order or reader.
//!
//! Words and ends are compared if both bodies have 16 tokens or more, names and codes in all bodies. The [overlap
//! engine](crate::near::overlap) looks them up by the passages around the fill, names only in bodies of 16 tokens or more. So it need not
//! compare thousands of messages of one template.

mod brief;

use std::cell::LazyCell;
use std::ops::Range;

use super::bounds::{LONG, RUN};
use super::gap::Gap;
use crate::rule::facts::{NAMED, is_masked, is_named, is_one_alike, may_be_one};
use crate::text::tokens::{Token, character, common_ends, is_number, is_word};
pub(crate) use brief::{
    BRIEF, around_brief, brief_parts, has_brief_slots, is_brief, is_noun, noun_parts, refilled_briefly,
};

/// Fewest tokens, on both sides, of a slot that a template fills: another bank, product or reason. Shorter differences are typos, particles
/// and synonyms as often as news.
pub(crate) const SHORTEST_FILL: usize = 3;

/// Whether fills of these lengths may replace each other.
pub(crate) fn fits(a: usize, b: usize) -> bool {
    let (short, long) = (a.min(b), a.max(b));
    short >= SHORTEST_FILL && long <= 2 * short + 1
}

/// Most tokens of a passage beside a slot.
const LONGEST_PASSAGE: usize = 4;

/// A passage of at most this many tokens, padded with zeros.
pub(crate) type Passage = [Token; LONGEST_PASSAGE];

/// Returns the first of some passages that occurs once in `body`.
fn first_unique(body: &[Token], passages: impl Iterator<Item = Range<usize>>) -> Option<Range<usize>> {
    let mut passages = passages;
    passages.find(|passage| find_once(body, &body[passage.clone()]).is_some())
}

/// Returns the middle token of a fill of three tokens. Two fills with the same middle token may be one word with two slips: 的一致 / 得一至. In a
/// fill of five tokens the first and the last may be covered, and do not count.
pub(crate) fn centre(fill: &[Token]) -> Option<Token> {
    if let [_, centre, _] | [_, _, centre, _, _] = fill { Some(*centre) } else { None }
}

/// Whether two fills have three tokens each, and the same one in the middle.
fn are_two_slips(x: &[Token], y: &[Token]) -> bool {
    x.len() == SHORTEST_FILL && y.len() == SHORTEST_FILL && centre(x) == centre(y)
}

/// Whether the gap is in the middle and has about the same length on both sides, like a slot that a template fills.
pub(crate) fn is_slot(x: &[Token], y: &[Token], gap @ Gap { a, b }: &Gap) -> bool {
    let inside = (a.start, b.start) != (0, 0) && (a.end, b.end) != (x.len(), y.len());
    let [x, y] = gap.of(x, y);
    inside && fits(a.len(), b.len()) && !(are_two_slips(x, y) && is_one_alike(x, y))
}

/// Whether a fill of A may replace a fill of B, whatever the two begin and end with, if they have no bigram in common.
pub(crate) fn fits_inside(a: usize, b: usize) -> bool {
    a.min(b) >= SHORTEST_FILL + 2 && fits(a.max(b) + 2, a.min(b))
}

/// Returns where a passage of two tokens or more begins in the body, if it occurs once.
fn find_once(body: &[Token], passage: &[Token]) -> Option<usize> {
    let (first, rest) = passage.split_first()?;
    let (second, rest) = rest.split_first()?;
    let (_, behind) = body.split_first()?;
    // Counted without a branch, and the places are added up: most of the time of a pair may be spent here.
    let (mut count, mut sum) = (0_u32, 0_u32);
    for ((one, two), at) in body.iter().zip(behind).zip(0_u32..) {
        let here = u32::from((one == first) & (two == second));
        count += here;
        sum = sum.wrapping_add(here.wrapping_neg() & at);
    }
    match count {
        0 => return None,
        1 => return Some(sum as usize).filter(|at| behind[at + 1..].starts_with(rest)),
        _ if rest.is_empty() => return None,
        _ => {}
    }
    let is_here = |at: &usize| (&body[*at], &behind[*at]) == (first, second) && behind[at + 1..].starts_with(rest);
    let mut places = (0..behind.len()).filter(is_here);
    places.next().filter(|_| places.next().is_none())
}

/// Returns the shortest passage that ends where a slot of `body` starts.
fn range_before(body: &[Token], start: usize) -> Option<Range<usize>> {
    first_unique(body, (2..=LONGEST_PASSAGE.min(start)).map(|length| start - length..start))
}

/// Returns the shortest passage that begins where a slot of `body` ends.
fn range_after(body: &[Token], end: usize) -> Option<Range<usize>> {
    first_unique(body, (2..=LONGEST_PASSAGE.min(body.len().saturating_sub(end))).map(|length| end..end + length))
}

/// Returns the passage before a slot that begins at `start`.
pub(crate) fn before(body: &[Token], start: usize) -> Option<Passage> {
    range_before(body, start).map(|passage| copy(&body[passage]))
}

/// Returns the passage after a slot that ends at `end`; an empty one after the last token.
pub(crate) fn behind(body: &[Token], end: usize) -> Option<Passage> {
    range_after_or_end(body, end).map(|passage| copy(&body[passage]))
}

fn range_after_or_end(body: &[Token], end: usize) -> Option<Range<usize>> {
    if end == body.len() { Some(end..end) } else { range_after(body, end) }
}

fn copy(passage: &[Token]) -> Passage {
    let mut copy = [0; LONGEST_PASSAGE];
    copy[..passage.len()].copy_from_slice(passage);
    copy
}

/// Returns the first slot of `b` that `a` fills with other words. The first and the last token of b's fill may be covered, and do not count
/// on either side. `covered` says which tokens of `b` the body `a` covers. `ending` returns where the earliest slot at the end of `b` may
/// begin.
pub(crate) fn refilled(
    a: &[Token],
    b: &[Token],
    covered: impl Iterator<Item = bool>,
    ending: impl FnOnce() -> usize,
) -> Option<Gap> {
    if a.len().min(b.len()) < LONG {
        return None;
    }
    let mut start = 0;
    let inside = covered.enumerate().filter(|(_, covered)| *covered).find_map(|(end, _)| {
        let bare = std::mem::replace(&mut start, end + 1)..end;
        if bare.len() < SHORTEST_FILL {
            return None;
        }
        // Where a's fill starts and ends between the same passages: first for a fill of b without a covered token at that side, then with
        // one.
        let (from, to) = (bare.start, bare.end);
        let starts = [0, 1].map(|more| LazyCell::new(move || starts(a, &b[range_before(b, from.checked_sub(more)?)?])));
        let ends = [0, 1].map(|more| LazyCell::new(move || ends(a, &b[range_after(b, to + more)?])));
        [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().find_map(|(first, last)| {
            let other = (*starts[first])?..(*ends[last])?;
            let is_one = fits(other.len().checked_sub(first + last)?, bare.len())
                && !are_two_slips(&a[other.start + first..other.end - last], &b[bare.clone()]);
            is_one.then(|| Gap { a: other, b: bare.start - first..bare.end + last })
        })
    });
    inside.or_else(|| closed(a, b, start, ending()))
}

/// Returns the slot at the end of `b`, if `a` has another end after the same run. The tokens of `b` from `start` on are not covered. The
/// slot may begin at `ending` or later.
fn closed(a: &[Token], b: &[Token], start: usize, ending: usize) -> Option<Gap> {
    let bare = &b[start..];
    (bare.len() >= SHORTEST_FILL).then_some(0..2)?.find_map(|first| {
        let from = start.checked_sub(first).filter(|from| *from >= ending)?;
        let run = unique_run(b, from)?;
        let other = find_once(a, run)? + RUN..a.len();
        let is_one = fits(other.len().checked_sub(first)?, bare.len());
        let foreign =
            || bare.iter().filter(|token| counts_at_end(**token) && !a[other.clone()].contains(token)).count();
        (is_one && foreign() >= SHORTEST_FILL).then_some(Gap { a: other, b: from..b.len() })
    })
}

/// Whether a token can tell one end from another. Random letters and digits, which advertisers append, cannot.
pub(crate) fn counts_at_end(token: Token) -> bool {
    !is_number(token) && character(token).is_some()
}

/// Returns the run before a place, if the body has this run once.
fn unique_run(body: &[Token], from: usize) -> Option<&[Token]> {
    let run = &body[from.checked_sub(RUN)?..from];
    find_once(body, run).map(|_| run)
}

/// Returns the run before a slot at the end that begins at `start`. The run has the form of two passages that no other slot has.
pub(crate) fn before_end(body: &[Token], start: usize) -> Option<[Passage; 2]> {
    let mut passages = [[0; LONGEST_PASSAGE]; 2];
    passages.as_flattened_mut()[..RUN].copy_from_slice(unique_run(body, start)?);
    passages[1][LONGEST_PASSAGE - 1] = Token::MAX;
    Some(passages)
}

/// Returns where the fill after a passage begins in `a`, if the passage occurs there once, and no shorter end of the passage does.
fn starts(a: &[Token], passage: &[Token]) -> Option<usize> {
    let start = find_once(a, passage)? + passage.len();
    (2..passage.len()).all(|length| find_once(a, &a[start - length..start]).is_none()).then_some(start)
}

/// Returns where the fill before a passage ends in `a`, if the passage occurs there once, and no shorter beginning of the passage does.
fn ends(a: &[Token], passage: &[Token]) -> Option<usize> {
    let end = find_once(a, passage)?;
    (2..passage.len()).all(|length| find_once(a, &a[end..end + length]).is_none()).then_some(end)
}

/// Returns the first name of `b` in whose place `a` has another name that may not be the same person's. `names` are all names of `b`.
pub(crate) fn renamed(a: &[Token], b: &[Token], names: &[Range<usize>]) -> Option<Gap> {
    // A name with its passages inside a common beginning or end is the same in both.
    let (head, tail) = common_ends(a, b);
    let differ = head.saturating_sub(*NAMED.start())..b.len() - tail + LONGEST_PASSAGE;
    names.iter().filter(|at| differ.contains(&at.start)).find_map(|at| {
        let other = in_place_of(a, b, at)?;
        let is_other = is_named(a, &other) && !may_be_one(&a[other.clone()], &b[at.clone()]);
        is_other.then(|| Gap { a: other, b: at.clone() })
    })
}

/// Whether a stretch is a code: words of letters, perhaps with numbers, that mask no name or number.
pub(crate) fn is_code(body: &[Token], at: &Range<usize>) -> bool {
    let Some(fill) = body.get(at.clone()) else { return false };
    // Letters after a character, at the end of a text, may be there to get past filters.
    let is_advert = || at.end == body.len() && at.start.checked_sub(1).is_none_or(|at| character(body[at]).is_some());
    fill.iter().all(|token| character(*token).is_none())
        && fill.iter().any(|token| is_word(*token))
        && !is_advert()
        && !is_masked(fill)
}

/// Returns the replacement for the passage before a code or name at the first or second token: the whole beginning of the text.
pub(crate) fn beginning(body: &[Token], start: usize) -> Passage {
    [Token::MAX, if start == 0 { 0 } else { body[0] }, 0, 0]
}

/// Returns the first code of `b` in whose place `a` has another one. `covered` says which tokens of `b` the body `a` covers.
pub(crate) fn recoded(a: &[Token], b: &[Token], covered: impl Iterator<Item = bool>) -> Option<Gap> {
    if !a.iter().any(|token| is_word(*token)) {
        return None;
    }
    let mut start = 0;
    covered.chain([true]).enumerate().filter(|(_, covered)| *covered).find_map(|(end, _)| {
        let bare = std::mem::replace(&mut start, end + 1)..end;
        // The first token of the text may belong to the fill, or come before it.
        let starts = bare.start..bare.end.min(bare.start + 1 + usize::from(bare.start == 0));
        starts.map(|start| start..end).find_map(|at| {
            let other = is_code(b, &at).then(|| in_place_of(a, b, &at))??;
            let own = |part| code_parts(&b[at.clone()]).any(|own| own == part);
            let is_other = is_code(a, &other) && !code_parts(&a[other.clone()]).any(own);
            is_other.then_some(Gap { a: other, b: at })
        })
    })
}

/// Returns keys of a code. Two codes that share a key may be the same: they have the same words in any order (James Smith, Smith James), or
/// the same first or last word (Dear, / Dear reader,).
pub(crate) fn code_parts(code: &[Token]) -> impl Iterator<Item = (Token, Token)> {
    let shuffled = code.iter().fold((0, 0), |(sum, odd): (Token, _), token| (token.wrapping_add(sum), token ^ odd));
    let ends = [code.first(), code.last()].into_iter().zip(0..);
    ends.filter_map(|(end, side)| Some((side, *end?))).chain([shuffled])
}

/// Returns the stretch of `a` in the place of a code or a name of `b`.
fn in_place_of(a: &[Token], b: &[Token], at: &Range<usize>) -> Option<Range<usize>> {
    let start = match at.start {
        0 | 1 => a.starts_with(&b[..at.start]).then_some(at.start),
        _ => starts(a, &b[range_before(b, at.start)?]),
    }?;
    let behind = range_after_or_end(b, at.end)?;
    let end = if behind.is_empty() { a.len() } else { ends(a, &b[behind])? };
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::coverage::Coverage;
    use crate::text::testing::tokens;
    use proptest::prelude::*;

    fn found(a: &[Token], b: &[Token]) -> Option<Gap> {
        let mut coverage = Coverage::default();
        coverage.read(b);
        coverage.cover(a);
        refilled(a, b, coverage.covered(), || 0)
    }

    fn filled(fill: &[Token]) -> Vec<Token> {
        [&(1..10).collect::<Vec<_>>(), fill, &(10..20).collect::<Vec<_>>()].concat()
    }

    proptest! {
        #[test]
        fn a_passage_is_found_where_it_stands_once(
            body in prop::collection::vec(0_u32..4, 0..24),
            passage in prop::collection::vec(0_u32..4, 2..=LONGEST_PASSAGE),
        ) {
            let places: Vec<usize> = (0..body.len()).filter(|at| body[*at..].starts_with(&passage)).collect();
            let expected = if let [at] = places[..] { Some(at) } else { None };
            prop_assert_eq!(find_once(&body, &passage), expected);
        }
    }

    #[test]
    fn a_code_stands_for_another() {
        for (a, b, other) in [
            ("your code is HSREL please do not tell it", "your code is k7wq2 please do not tell it", true),
            ("dear Mary your order has been shipped", "dear John your order has been shipped", true),
            ("HSREL is your code", "TPUSC is your code", true),
            ("please do not tell it your code is HSREL", "please do not tell it your code is TPUSC", true),
            ("dear James Smith your order", "dear Smith James your order", false),
            ("dear name your order", "dear place your order", false),
            ("dear reader your order", "dear your order", false),
            ("您的车辆粤ghn2xx于今日在市区违反禁令标志", "您的车辆粤qrs7hu于今日在市区违反禁令标志", true),
            ("请拨打客服热线x12xx咨询有关的问题", "请拨打客服热线a12bc咨询有关的问题", false),
            ("您本月使用流量digit mb更多请点击下面的链接", "您本月使用流量gb更多请点击下面的链接", false),
            ("今天请加微信 abcd", "今天请加微信 efgh", false),
        ] {
            let (x, y) = (tokens(a), tokens(b));
            for (x, y) in [(&x, &y), (&y, &x)] {
                let mut coverage = Coverage::default();
                coverage.read(y);
                coverage.cover(x);
                assert_eq!(recoded(x, y, coverage.covered()).is_some(), other, "{a} / {b}");
            }
        }
    }

    #[test]
    fn a_slot_is_filled_with_other_words() {
        let a = filled(&[30, 31, 32]);
        assert_eq!(found(&a, &filled(&[40, 41, 42, 43])), Some(Gap { a: 9..12, b: 9..13 }));
        // A common beginning or end of the fills does not count.
        assert_eq!(
            found(&filled(&[30, 31, 32, 33, 50]), &filled(&[30, 41, 42, 43, 50])),
            Some(Gap { a: 10..13, b: 10..13 })
        );
        assert_eq!(found(&filled(&[30, 31, 32, 50]), &filled(&[30, 41, 42, 50])), None);
        // Nor does a token that another place covers.
        let elsewhere = [filled(&[30, 31, 32, 33]), vec![9, 60]].concat();
        assert_eq!(found(&elsewhere, &filled(&[60, 41, 42, 43])), Some(Gap { a: 9..13, b: 9..13 }));
        // Too short, too long, partly the same, without a fill.
        for fill in [&[40, 41][..], &[40, 41, 42, 43, 44, 45, 46, 47], &[40, 41, 30, 31], &[]] {
            assert_eq!(found(&a, &filled(fill)), None, "{fill:?}");
        }
        // Two slips with one correct token between them.
        for (own, other) in [([30, 31, 32], [40, 31, 42]), ([30, 31, 32], [31, 40, 42])] {
            let slips = own[1] == other[1];
            assert_eq!(found(&filled(&own), &filled(&other)).is_none(), slips, "{other:?}");
        }
        // A passage that occurs twice does not count, a longer one does.
        let twice = |tail: &[Token]| [filled(&[40, 41, 42]), tail.to_vec()].concat();
        assert_eq!(found(&a, &twice(&[6, 7, 8, 9])), None);
        // A passage that begins one token earlier counts.
        assert_eq!(found(&a, &twice(&[8, 9])), Some(Gap { a: 8..12, b: 8..12 }));
        assert_eq!(found(&[a.clone(), vec![8, 9]].concat(), &twice(&[8, 9])), Some(Gap { a: 9..12, b: 9..12 }));
        // Short bodies have no room for a template.
        assert_eq!(found(&a[5..16], &filled(&[40, 41, 42])[5..16]), None);
    }
}

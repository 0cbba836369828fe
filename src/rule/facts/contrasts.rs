//! Finds statements that exchange their parts. What one text affirms, the other denies: 不是因为异地，是因为房价 / 不是因为房价，是因为异地; 误写成三十元，实为免费.
//! The cause in one is the effect in the other: 因为加班，所以没话说 / 因为没话说，所以加班. What comes first in one comes later in the other:
//! 先跳洗衣歌，再唱我爱你中国 / 先唱我爱你中国，再跳洗衣歌. What may be left undone in one must not be done in the other: 可以不吃 / 不可以吃.

use std::ops::Range;

use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::{CUES, Words, begins_with};
use crate::text::tokens::{Token, are_permuted};

/// Affirms.
const IS: Token = '是' as Token;
/// Denies.
const NOT: Token = '不' as Token;
/// Comes before what comes first.
const FIRST: Token = '先' as Token;

/// Returns the whole texts as a gap, if they have the same tokens, but not on the same sides of the word that separates the parts.
pub(super) fn inverted(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    if x.len() != y.len() {
        return None;
    }
    let (of_a, of_b) = (turn(x)?, turn(y)?);
    (are_permuted(x, y) && !are_permuted(&x[..of_a], &y[..of_b])).then_some(Gap { a: 0..x.len(), b: 0..y.len() })
}

/// Most tokens between 先 and 再.
const LONGEST_PART: usize = 16;
/// Least share of a part (a cause, or what comes first), in tenths of its tokens, that is in the other part of the other text.
const EXCHANGED: usize = 6;

/// Returns the causes of both texts, if the cause in one is the effect in the other: 因为加班，所以没话说 / 因为没话说，所以加班.
pub(super) fn caused_otherwise(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    exchanged_parts(a, b, cause_and_effect)
}

/// Returns what comes first in both texts, if it comes later in the other text: 先洗衣服再做饭 / 先做饭再洗衣服.
pub(super) fn in_another_order(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    exchanged_parts(a, b, first_and_later)
}

/// Returns the first parts of both texts, if each part of B is mostly the other part of A.
fn exchanged_parts(
    a: GistView<'_>,
    b: GistView<'_>,
    parts: impl Fn(GistView<'_>) -> Option<[Range<usize>; 2]>,
) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    let ([first, later], [other_first, other_later]) = (parts(a)?, parts(b)?);
    // More of the part of B is in the other part of A than in the same one.
    let is_moved = |part: &Range<usize>, from: &Range<usize>, same: &Range<usize>| {
        let part = &y[part.clone()];
        let shared = |of: &Range<usize>| part.iter().filter(|token| x[of.clone()].contains(token)).count();
        10 * shared(from) >= EXCHANGED * part.len() && shared(from) > shared(same)
    };
    let is_one = is_moved(&other_first, &later, &first) && is_moved(&other_later, &first, &later);
    is_one.then_some(Gap { a: first, b: other_first })
}

/// Returns the tokens of the first cause that has its effect in a later clause, and the tokens of that effect.
fn cause_and_effect(text: GistView<'_>) -> Option<[Range<usize>; 2]> {
    let list = text.body.list;
    let after = |words: &Words, at: usize| words.starting(&list[at..]).map(|length| at + length);
    let causes = (0..list.len()).find_map(|at| after(&CUES.cause, at))?;
    let end = text.clause_ends().chain([list.len()]).find(|end| *end > causes)?;
    let effect = text.clauses().filter(|clause| clause.start >= end).find_map(|clause| {
        let start = after(&CUES.effect, clause.start)?;
        (start < clause.end).then_some(start..clause.end)
    })?;
    Some([causes..end, effect])
}

/// Returns the tokens between the first 先 or 先是 and 再, and as many after 再.
fn first_and_later(text: GistView<'_>) -> Option<[Range<usize>; 2]> {
    let list = text.body.list;
    let at = list.iter().position(|token| *token == FIRST)? + 1;
    let first = at + usize::from(list.get(at) == Some(&IS));
    let near = first + 1..list.len().min(first + LONGEST_PART + 1);
    let (later, length) = near.into_iter().find_map(|at| Some((at, CUES.later.starting(&list[at..])?)))?;
    let at = later + length;
    let start = at + usize::from(list.get(at) == Some(&('才' as Token)));
    Some([first..later, start..list.len().min(start + later - first)])
}

/// Returns where one text denies what the other allows: 可以不吃 / 不可以吃. 能不能 asks, and denies nothing.
pub(crate) fn denied_otherwise(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    if !x.contains(&NOT) || !y.contains(&NOT) {
        return None;
    }
    let denials = |list: &[Token]| -> Vec<usize> { (0..list.len()).filter(|at| list[*at] == NOT).collect() };
    let (of_a, of_b) = (denials(x), denials(y));
    CUES.modal.each().find_map(|modal| {
        let length = modal.chars().count();
        // Where the verb and 不 begin, if the verb comes before 不, and if it comes after 不.
        let places = |list: &[Token], denials: &[usize]| {
            let mut starts = denials.iter().filter_map(|at| at.checked_sub(length));
            let before = starts.find(|start| begins_with(&list[*start..], modal));
            [before, denials.iter().copied().find(|at| begins_with(&list[at + 1..], modal))]
        };
        let place = |at: usize| at..at + length + 1;
        match (places(x, &of_a), places(y, &of_b)) {
            ([Some(p), None], [None, Some(q)]) | ([None, Some(p)], [Some(q), None]) => {
                Some(Gap { a: place(p), b: place(q) })
            }
            _ => None,
        }
    })
}

/// Returns where the separating word is: 而是, or the 是 after 不是.
fn turn(list: &[Token]) -> Option<usize> {
    let mut denied = false;
    (0..list.len()).find(|&at| {
        denied |= list[at..].starts_with(&[NOT, IS]);
        let is_free = || at == 0 || !CUES.before_is.has_code(list[at - 1]);
        denied && list[at] == IS && is_free() || CUES.turn.starting(&list[at..]).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;

    #[test]
    fn what_is_and_what_is_not_change_places() {
        for (a, b, is) in [
            ("分手不是因为异地，是因为房价", "分手不是因为房价，是因为异地", true),
            ("票价误写成三十元，实为免费", "票价误写成免费，实为三十元", true),
            ("要的是苹果而非香蕉", "要的是香蕉而非苹果", true),
            ("昨天他说不是感冒，是肺炎", "他昨天说不是感冒，是肺炎", false),
            ("他不是不来，还是来了", "还是来了，他不是不来", false),
            ("要的是苹果", "苹果的是要", false),
        ] {
            let (a, b) = (gist(a), gist(b));
            assert_eq!(inverted(a.view(), b.view()).is_some(), is, "{}", a.view().body.list.len());
            assert_eq!(inverted(b.view(), a.view()).is_some(), is, "{}", a.view().body.list.len());
        }
    }
    #[test]
    fn cause_and_effect_change_places() {
        for (a, b, is) in [
            ("因为他天天加班，所以夫妻俩没话说", "因为夫妻俩没话说，所以他天天加班", true),
            ("我觉得因为他总加班，所以两人才没话说", "我觉得因为两人没话说，所以他才总加班", true),
            ("由于下雨，因此比赛取消", "由于比赛取消，因此下雨", true),
            ("因为他天天加班，所以夫妻俩没话说", "因为他常常加班，所以夫妻俩没有话说", false),
            ("因为他天天加班，夫妻俩没话说", "因为夫妻俩没话说，他天天加班", false),
            ("所以比赛取消，因为下雨", "因为下雨，所以比赛取消", false),
        ] {
            let (a, b) = (gist(a), gist(b));
            assert_eq!(caused_otherwise(a.view(), b.view()).is_some(), is, "{}", a.view().body.list.len());
        }
    }

    #[test]
    fn what_comes_first_comes_later() {
        for (a, b, is) in [
            (
                "节目单定了：先跳洗衣歌，再唱我爱你中国，最后合影",
                "节目单定了：先唱我爱你中国，再跳洗衣歌，最后合影",
                true,
            ),
            ("先洗衣服再做饭", "先做饭再洗衣服", true),
            ("先交材料，然后体检", "先体检，然后交材料", true),
            ("夫妻俩先是没话说了，后来才各玩各的手机", "夫妻俩先是各玩各的手机，后来才没话说了", true),
            ("先洗衣服再做饭", "先洗了衣服再做饭", false),
            ("先洗衣服，做饭", "先做饭，洗衣服", false),
        ] {
            let (a, b) = (gist(a), gist(b));
            assert_eq!(in_another_order(a.view(), b.view()).is_some(), is, "{}", a.view().body.list.len());
        }
    }

    #[test]
    fn what_is_denied_differs() {
        for (a, b, is) in [
            ("晚餐后的甜点可以不吃", "晚餐后的甜点不可以吃", true),
            ("老人能不去就不去", "老人不能去就不去", true),
            ("甜点可以不吃", "这种甜点可以不吃", false),
            ("能不能吃", "不能吃", false),
            ("可以吃", "不可以吃", false),
        ] {
            let (a, b) = (gist(a), gist(b));
            assert_eq!(denied_otherwise(a.view(), b.view()).is_some(), is, "{}", a.view().body.list.len());
            assert_eq!(denied_otherwise(b.view(), a.view()).is_some(), is, "{}", a.view().body.list.len());
        }
    }
}

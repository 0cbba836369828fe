//! Compares the only large number of a short text, its only score, and its only name.
//!
//! 我国新冠疫苗接种剂次超9亿 / 我国超15亿剂次新冠疫苗接种: each text has one large number, and the two differ. 您好王芳女士，您的预约已确认 / 尊敬的李丽，您的预约已确认: each has one name,
//! and the two differ. So these are different messages, wherever the number or the name is in the text. The [overlap
//! engine](crate::near::overlap) looks these up. So it need not compare thousands of messages with different codes and names, whatever
//! words are around them.
//!
//! A score is a pair of small numbers, in either order: 火箭 88:120 黄蜂 / 黄蜂 120:88 火箭 is the same score, 黄蜂 101:99 火箭 another one. A range
//! (5-8楼) counts as a score, too. A time and a season (23-24赛季) do not.

use std::ops::Range;

use super::bounds::ONE_SUBJECT_BELOW;
use super::gap::Gap;
use super::numbers::{NumberKey, kind};
use crate::rule::facts::{Conflict, NAMED, are_scores, familiar, is_closed, is_surname, named};
use crate::text::tokens::{Token, is_large, is_number};

/// A large number, score or name of which a text has only one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Only {
    /// The kind of thing, as a key that no numbers have.
    pub(crate) key: NumberKey,
    /// The place in the body.
    pub(crate) at: Range<usize>,
    /// For a name: whether its end is unknown. Then its last character may not belong to it.
    is_open: bool,
}

/// The kinds.
const LARGE: NumberKey = [0, 0, 0, kind::ONLY_LARGE];
const NAME: NumberKey = [0, 0, 0, kind::ONLY_NAME];
const SCORE: NumberKey = [0, 0, 0, kind::ONLY_SCORE];

/// A name, a number or a score, padded with zeros.
pub(crate) type Mark = [Token; 3];

fn mark(tokens: &[Token]) -> Mark {
    std::array::from_fn(|at| tokens.get(at).copied().unwrap_or_default())
}

impl Only {
    /// Returns the marks that an index keeps. Two texts may have the same number, score or name if they have a mark in common.
    pub(crate) fn marks(&self, body: &[Token]) -> impl Iterator<Item = Mark> {
        let own = &body[self.at.clone()];
        if self.key == SCORE {
            return [Some(score(own)), None, None].into_iter().flatten();
        }
        let shorter = self.is_open.then(|| mark(&own[..own.len() - 1]));
        let familiar = familiar(own).map(|own| mark(&own));
        [Some(mark(own)), shorter, familiar].into_iter().flatten()
    }

    /// Returns the marks of this, and those of possible other names in the body. A text with one of these may speak of the same person.
    pub(crate) fn marks_and_other_names(&self, body: &[Token]) -> impl Iterator<Item = Mark> {
        let elsewhere = if self.key == NAME { 0..body.len() } else { 0..0 };
        let elsewhere = elsewhere.filter(|at| *at != self.at.start && is_surname(body[*at]));
        let names = elsewhere.flat_map(move |at| NAMED.filter_map(move |length| body.get(at..at + length)));
        self.marks(body).chain(names.map(mark))
    }

    /// Returns the beginning of a name; `None` for other kinds. A text that has it elsewhere speaks of this person among others.
    pub(crate) fn beginning<'b>(&self, body: &'b [Token]) -> Option<&'b [Token]> {
        (self.key == NAME).then(|| &body[self.at.start..self.at.start + 2])
    }
}

/// Returns the large number, score and name of which a body has only one. Returns nothing for a long body.
pub(crate) fn only(body: &[Token]) -> impl Iterator<Item = Only> {
    only_among(body, named(body, 0..body.len()))
}

/// The same, if the names of the body are known.
pub(crate) fn only_among(body: &[Token], names: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = Only> {
    let is_short = body.len() < ONE_SUBJECT_BELOW;
    is_short.then(|| [large(body), pair(body), name(body, names)]).into_iter().flatten().flatten()
}

/// Returns the thing of one kind of which a body has only one.
fn only_of(body: &[Token], key: NumberKey) -> Option<Only> {
    match key {
        _ if body.len() >= ONE_SUBJECT_BELOW => None,
        LARGE => large(body),
        SCORE => pair(body),
        _ => name(body, named(body, 0..body.len())),
    }
}

/// Returns the only large number, if there is no other number beside it.
fn large(body: &[Token]) -> Option<Only> {
    let mut large = (0..body.len()).filter(|at| is_large(body[*at]));
    let at = large.next().filter(|_| large.next().is_none())?;
    let is_beside = |at: usize| body.get(at).is_some_and(|token| is_number(*token));
    (!is_beside(at.wrapping_sub(1)) && !is_beside(at + 1)).then_some(Only {
        key: LARGE,
        at: at..at + 1,
        is_open: false,
    })
}

/// Returns the only score: two adjacent small numbers. Of three adjacent numbers it is unknown which two belong together.
fn pair(body: &[Token]) -> Option<Only> {
    let (mut at, mut found) = (0, None);
    for run in body.chunk_by(|x, y| is_number(*x) && is_number(*y)) {
        match run.len() {
            1 => {}
            2 if !are_scores(run) => {}
            2 if found.is_none() => found = Some(at..at + 2),
            _ => return None,
        }
        at += run.len();
    }
    found.map(|at| Only { key: SCORE, at, is_open: false })
}

/// Returns the mark of a score: the two numbers, the smaller one first.
fn score(two: &[Token]) -> Mark {
    mark(&[two[0].min(two[1]), two[0].max(two[1])])
}

/// Returns the only name. It includes a possible third character, unless the text shows that the name ends before.
fn name(body: &[Token], mut all: impl Iterator<Item = Range<usize>>) -> Option<Only> {
    let mut at = all.next()?;
    let mut is_open = false;
    for other in all {
        if other.start != at.start {
            return None;
        }
        if !is_closed(body, &at) {
            is_open = !is_closed(body, &other);
            at.end = other.end;
        }
    }
    Some(Only { key: NAME, at, is_open })
}

/// Returns the first place where `a` and `b` each have only one of a kind and the two differ, and the kind of fact. `of_b` is what [`only`]
/// returns for `b`.
pub(crate) fn other_only(a: &[Token], b: &[Token], of_b: &[Only]) -> Option<(Gap, Conflict)> {
    of_b.iter().find_map(|own| {
        let other = only_of(a, own.key)?;
        let conflict = if own.key == NAME { Conflict::Person } else { Conflict::Number };
        let is_same = own.marks_and_other_names(b).any(|mark| other.marks(a).any(|same| same == mark));
        let elsewhere = |name: &[Token]| a.windows(2).enumerate().any(|(at, two)| two == name && at != other.at.start);
        let is_among_others = own.beginning(b).is_some_and(elsewhere);
        (!is_same && !is_among_others).then(|| (Gap { a: other.at, b: own.at.clone() }, conflict))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::tokens;

    #[test]
    fn texts_differ_in_the_only_one_of_its_kind() {
        for (a, b, differ) in [
            ("我国新冠疫苗接种剂次超9亿", "我国超15亿剂次新冠疫苗接种", true),
            ("我国新冠疫苗接种剂次超9亿", "我国2021年新冠疫苗接种剂次", false),
            ("客服热线400 820 8820", "客服热线4008208820", false),
            ("您好王芳女士您的预约已确认", "尊敬的李丽您的预约已确认", true),
            ("您好王芳女士您的预约已确认", "尊敬的王芳您的预约已确认", false),
            ("您好王芳女士您的预约已确认", "尊敬的客户您的预约已确认", false),
            ("您好王芳女士您的预约已确认", "尊敬的王小芳您的预约已确认", false),
            ("您好王芳女士您的预约已确认", "尊敬的王芳华您的预约已确认", true),
            ("您好王芳女士您的预约已确认", "尊敬的王芳安排您的预约", false),
            ("王芳同学请找李丽老师", "李丽老师请找张伟同学", false),
            ("肖战杨紫主演的电视剧", "杨紫肖战主演的电视剧", false),
            ("火箭88:120黄蜂", "黄蜂101:99火箭", true),
            ("火箭88:120黄蜂", "黄蜂120:88火箭", false),
            ("23-24赛季火箭88:120黄蜂", "23-24赛季黄蜂101:99火箭", true),
            ("23-24赛季火箭输给黄蜂", "22-23赛季黄蜂输给火箭", false),
            ("一场3:1，一场2:0", "一场4:1", false),
        ] {
            let (x, y) = (tokens(a), tokens(b));
            for (x, y) in [(&x, &y), (&y, &x)] {
                let own: Vec<Only> = only(y).collect();
                assert_eq!(other_only(x, y, &own).is_some(), differ, "{a} / {b}");
            }
        }
    }
}

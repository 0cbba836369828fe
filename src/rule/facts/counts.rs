//! Compares the numbers of things that two texts count, anywhere in the texts: 新增5例本土确诊 / 本土新增确诊17例.

use crate::text::cues::CUES;
use crate::text::tokens::{Token, is_number, is_one_of, small};

/// Stands for what a score counts. Bodies have no marks.
const POINTS: Token = ':' as Token;
/// The most points that a side can score.
const MOST_SCORED: u32 = 200;

/// Behind the number of a year.
pub(crate) const YEAR: Token = '年' as Token;

/// A number of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    /// Its place among the body's tokens.
    pub(crate) at: u32,
    pub(crate) number: Token,
    /// The counted thing: the token after the number.
    pub(crate) counted: Option<Token>,
}

/// Whether a body has numbers. A quick check, because many bodies have no numbers.
pub(crate) fn has_numbers(list: &[Token]) -> bool {
    is_number(list.iter().fold(0, |all, token| all | token))
}

/// Returns the numbers of a body, in order. A year counts nothing, since some texts write it with two digits. Nor does one half of 739 204.
/// The first number of a score counts points: 84 of 84:80.
pub(crate) fn counts(list: &[Token]) -> impl Iterator<Item = Count> + '_ {
    let numbers = list.iter().enumerate().filter(|(_, token)| is_number(**token));
    let counted = |at: usize| match list.get(at + 1).copied()? {
        YEAR => None,
        next if is_number(next) => is_score(list, at).then_some(POINTS),
        next => Some(next),
    };
    let is_half = |at: usize| at > 0 && is_number(list[at - 1]);
    numbers.map(move |(at, &number)| Count { at: at as u32, number, counted: counted(at).filter(|_| !is_half(at)) })
}

/// Whether two numbers are small, and not the two years of a season (20-21).
pub(crate) fn are_scores(two: &[Token]) -> bool {
    let [Some(first), Some(second)] = [small(two[0]), small(two[1])] else { return false };
    !((10..=98).contains(&first) && second == first + 1 || first > MOST_SCORED || second > MOST_SCORED)
}

/// Whether a score begins at this place: two numbers, behind which stands neither a third one nor what they count (5-8楼, 40-60分钟).
fn is_score(list: &[Token], at: usize) -> bool {
    let [next, second] = [2, 3].map(|more| list.get(at + more).copied());
    let is = |token: Option<Token>, of: &str| token.is_some_and(|token| is_one_of(token, of));
    let is_unit = |next: Token| CUES.counted.has_code(next) || is_one_of(next, "分度毫点秒");
    let is_area = is(next, "平") && is(second, "方米") || is(next, "小") && is(second, "时");
    are_scores(&list[at..at + 2]) && !is_area && next.is_none_or(|next| !is_number(next) && !is_unit(next))
}

/// The numbers of a body, to look others up. Sorted if they are many: most bodies have few, and thousands of these are asked.
struct Numbers<'c> {
    few: &'c [Count],
    many: Vec<Token>,
}

impl<'c> Numbers<'c> {
    const FEW: usize = 16;

    fn of(counts: &'c [Count]) -> Self {
        if counts.len() <= Self::FEW {
            return Self { few: counts, many: Vec::new() };
        }
        let mut many: Vec<Token> = counts.iter().map(|count| count.number).collect();
        many.sort_unstable();
        Self { few: &[], many }
    }

    fn have(&self, number: Token) -> bool {
        self.few.iter().any(|count| count.number == number) || self.many.binary_search(&number).is_ok()
    }
}

/// Returns the first number of `a`, and the number of `b`, that count the same thing if neither number is anywhere in the other body.
pub(crate) fn counts_differ(a: &[Count], b: &[Count]) -> Option<(Count, Count)> {
    let (of_a, of_b) = (Numbers::of(a), Numbers::of(b));
    let is_new = |count: &&Count, others: &Numbers<'_>| count.counted.is_some() && !others.have(count.number);
    let others: Vec<&Count> = b.iter().filter(|count| is_new(count, &of_a)).collect();
    if others.is_empty() {
        return None;
    }
    a.iter().filter(|count| is_new(count, &of_b)).find_map(|x| {
        let y = others.iter().find(|y| x.counted == y.counted)?;
        Some((*x, **y))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::tokens;

    fn of(body: &str) -> Vec<Count> {
        counts(&tokens(body)).collect()
    }

    #[test]
    fn what_is_counted_is_what_follows() {
        for (a, b, differ) in [
            ("新增5例本土确诊", "本土新增确诊17例", true),
            ("新增5例本土确诊", "本土新增确诊17人", false),
            ("新增5例，累计17例", "累计17例，新增5例", false),
            ("新增5例，累计17例", "累计17例，新增6例", true),
            ("新增5例", "新增例", false),
            ("编号5", "编号6", false),
            ("太阳84:80快船，大比分3:1", "快船116:102太阳，大比分2:3", true),
            ("太阳84:80快船", "快船80:84太阳", false),
            ("20-21赛季", "22-23赛季", false),
            ("首场2:3告负，次场", "首场1:0取胜，次场", true),
            ("面积60-80平方", "面积，90-110米", false),
            ("小火炖40-60分钟", "小火炖，3-5人份", false),
            ("2027年报名", "27年报名", false),
            ("验证码739 204,5分钟", "验证码739204,5分钟", false),
        ] {
            assert_eq!(counts_differ(&of(a), &of(b)).is_some(), differ, "{a} / {b}");
            assert_eq!(counts_differ(&of(b), &of(a)).is_some(), differ, "{b} / {a}");
        }
    }
}

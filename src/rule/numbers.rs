//! Finds numbers and codes of a template that another message replaces, without an alignment.
//!
//! *Numbers.* 您的验证码是123456 / 您的验证码是654321: both texts end with a number after 是, and the two numbers differ. So these are two messages of
//! one template. A number is identified by the tokens before and after it, if no other number of its text has the same two.
//!
//! *Numbers of a list.* 白菜报4元，萝卜报3元 / 白菜报4元，萝卜报2元: both numbers are between 报 and 元. Then the token before these two counts, too (菜,
//! 卜). So 萝卜报3元，白菜报4元 is the same as the first text, and 白菜报3元，萝卜报4元 is not. But if the items of a list changed places, the tokens before
//! a number may belong to another item: 周六晚甲队，周日晚乙队 / 周日晚乙队，周六晚甲队. So two texts are also the same if all their numbers have the same
//! two tokens before them, or all have the same two after them, in any order.
//!
//! *Codes.* 验证码为HSREL，请勿 / 验证码为k7wq2，请勿: the same holds for any number of words of letters, perhaps with numbers, before a character. A
//! name may have one more word at an end: nCoV / 2019-nCoV. At the end of a long text, or of one with a link, such words may be there to
//! get past filters. There they count only if they are announced: 兑换码：HSREL.
//!
//! *A code for a number.* 提货码为854858，请 / 提货码为M2P2XQ，请: some codes have only digits. So a code differs from a large number in its place,
//! unless the code begins or ends with the number: 1200 / iPhone 1200.
//!
//! An index can look all of this up, as it can [refills](super::refill).

use std::ops::Range;

use super::bounds::MOST_NUMBERS;
use super::gap::Gap;
use crate::rule::facts::{Conflict, YEAR, is_announced, is_masked};
use crate::text::tokens::{Token, are_characters, character, is_large, is_number, is_word};

/// What numbers or the like are about, as a key of an index. The last token is how many numbers there are, or a [`kind`].
pub(crate) type NumberKey = [Token; 4];

/// The last token of a [`NumberKey`] that is no count of numbers. Counts are far smaller.
pub(super) mod kind {
    use crate::text::tokens::Token;

    /// There is a word among the tokens.
    pub(crate) const CODE: Token = Token::MAX;
    /// The tokens are the beginning or the end of a code.
    pub(crate) const PART: Token = Token::MAX - 1;
    /// All numbers of a body, with the tokens before each.
    pub(crate) const ALL_BEFORE: Token = Token::MAX - 2;
    /// All numbers of a body, with the tokens after each.
    pub(crate) const ALL_BEHIND: Token = Token::MAX - 3;
    /// The tokens are numbers, and one is large.
    pub(crate) const LARGE: Token = Token::MAX - 4;
    /// The [only](crate::rule::sole_facts) large number of a body.
    pub(crate) const ONLY_LARGE: Token = Token::MAX - 5;
    /// Its only name.
    pub(crate) const ONLY_NAME: Token = Token::MAX - 6;
    /// Its only score.
    pub(crate) const ONLY_SCORE: Token = Token::MAX - 7;
}

/// Adjacent numbers, or words of letters and perhaps numbers, with the tokens around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// The tokens around the numbers, and the count: the token before the left neighbour (0 if it does not count, [`NO_TOKEN`] if there is no
    /// such token); the left and the right neighbour (0 if there is none); how many numbers there are, or [`kind::CODE`].
    pub(crate) key: NumberKey,
    /// The place of the numbers in the body.
    pub(crate) at: Range<usize>,
}

/// Two keys for all numbers of a text: with the tokens before each number, and with the tokens after each number.
const ALL: [NumberKey; 2] = [[0, 0, 0, kind::ALL_BEFORE], [0, 0, 0, kind::ALL_BEHIND]];
/// Replaces a token that does not exist.
const NO_TOKEN: Token = Token::MAX;
/// Most tokens of a code.
const LONGEST_CODE: usize = 16;

impl Numbers {
    /// Calls `each` with the keys and values that an index keeps for the numbers here: the numbers themselves; all numbers of the body, if
    /// it may be a list; for a code, each beginning and end of it.
    pub(crate) fn indexed(&self, body: &[Token], mut each: impl FnMut(&NumberKey, &[Token])) {
        let run = &body[self.at.clone()];
        each(&self.key, run);
        self.all(body, &mut each);
        self.parts(run).for_each(|part| each(&self.as_part(), part));
    }

    /// Calls `each` with the keys and values by which the [index](Self::indexed) finds the bodies that agree here. They have the same
    /// numbers, or a code with one word more or less at an end, or all numbers in another order.
    pub(crate) fn alike(&self, body: &[Token], mut each: impl FnMut(&NumberKey, &[Token])) {
        let run = &body[self.at.clone()];
        each(&self.key, run);
        self.all(body, &mut each);
        if self.key[3] == kind::CODE {
            each(&self.as_part(), run);
            self.parts(run).for_each(|part| each(&self.key, part));
        }
    }

    /// Whether these are letters at the end of a body that [ends freely](crate::rule::facts::ends_freely), and no word announces them as
    /// a code.
    pub(crate) fn may_be_random(&self, body: &[Token], ends_freely: impl FnOnce() -> bool) -> bool {
        self.key[3] == kind::CODE && self.at.end == body.len() && !is_announced(body, self.at.start) && ends_freely()
    }

    /// Returns the keys of the sets that contain bodies with these numbers.
    pub(crate) fn set_keys(&self, body: &[Token]) -> impl Iterator<Item = NumberKey> {
        [self.key].into_iter().chain(self.as_large(body))
    }

    /// Returns the key of the other kind that may replace this one in another body: a code for numbers with a large one, or the other way
    /// round.
    pub(crate) fn of_other_kind(&self, body: &[Token]) -> Option<NumberKey> {
        let of_kind = |last| [0, self.key[1], self.key[2], last];
        let of_code = (self.key[0] == 0 && self.key[3] == kind::CODE).then(|| of_kind(kind::LARGE));
        of_code.or_else(|| self.as_large(body).map(|_| of_kind(kind::CODE)))
    }

    /// Calls `each` with the keys and values by which the [index](Self::indexed) finds bodies of the other kind that agree here: iPhone
    /// 1200 / 1200.
    pub(crate) fn alike_of_other_kind(&self, body: &[Token], mut each: impl FnMut(&NumberKey, &[Token])) {
        let run = &body[self.at.clone()];
        let [first, left, right, last] = self.key;
        match last {
            kind::CODE => self.parts(run).for_each(|part| each(&[first, left, right, part.len() as Token], part)),
            _ => each(&self.as_part(), run),
        }
    }

    /// Returns the key for numbers that a code may replace: one of them is large.
    fn as_large(&self, body: &[Token]) -> Option<NumberKey> {
        let run = &body[self.at.clone()];
        let may_stand = self.key[0] == 0 && self.key[3] != kind::CODE && run.len() <= LONGEST_CODE;
        (may_stand && run.iter().any(|number| is_large(*number))).then_some([0, self.key[1], self.key[2], kind::LARGE])
    }

    fn all(&self, body: &[Token], each: &mut impl FnMut(&NumberKey, &[Token])) {
        if self.key[0] != 0 {
            ALL.iter().zip(placed(body)).for_each(|(key, all)| each(key, all.as_flattened()));
        }
    }

    fn parts<'b>(&self, run: &'b [Token]) -> impl Iterator<Item = &'b [Token]> {
        parts(if self.key[3] == kind::CODE { run } else { &[] })
    }

    fn as_part(&self) -> NumberKey {
        let [first, left, right, _] = self.key;
        [first, left, right, kind::PART]
    }
}

/// Returns each beginning and each end of a code, but not the whole code.
fn parts(code: &[Token]) -> impl Iterator<Item = &[Token]> {
    (1..code.len()).flat_map(|at| [&code[..at], &code[at..]])
}

/// Returns the numbers and codes of a body, if they are few. Only those count whose neighbours no others have; in a list, whose two tokens
/// before and one after no others have. Years are left out, because some texts write them with two digits.
pub(crate) fn numbers(body: &[Token]) -> Vec<Numbers> {
    let mut all: Vec<Numbers> = Vec::new();
    // Many bodies have no numbers.
    if are_characters(body) {
        return all;
    }
    for at in (0..body.len()).filter(|at| is_number(body[*at])) {
        if let Some(last) = all.last_mut().filter(|last| last.at.end == at) {
            last.at.end += 1;
        } else if all.len() == MOST_NUMBERS {
            return Vec::new();
        } else {
            all.push(Numbers { key: [0; 4], at: at..at + 1 });
        }
    }
    let count = all.len();
    all.extend(codes(body).take(MOST_NUMBERS + 1).map(|at| Numbers { key: [0, 0, 0, kind::CODE], at }));
    if all.len() > count + MOST_NUMBERS {
        all.truncate(count);
    }
    let before = |at: &Range<usize>, back| at.start.checked_sub(back).map(|at| body[at]);
    for Numbers { key: [_, left, right, last], at } in &mut all {
        (*left, *right) = (before(at, 1).unwrap_or_default(), body.get(at.end).copied().unwrap_or_default());
        if *last != kind::CODE {
            *last = at.len() as Token;
        }
    }
    let are_alike = |[_, left, right, last]: NumberKey, [_, p, q, other]: NumberKey| {
        (left, right) == (p, q) && (last == other || (last == kind::CODE) != (other == kind::CODE))
    };
    for one in 0..all.len() {
        if all.iter().filter(|other| are_alike(other.key, all[one].key)).count() > 1 {
            all[one].key[0] = before(&all[one].at, 2).unwrap_or(NO_TOKEN);
        }
    }
    let is_alone = |own: &Numbers| all.iter().filter(|other| other.key == own.key).count() == 1;
    let counted: Vec<bool> = all.iter().map(|own| is_alone(own) && own.key[2] != YEAR).collect();
    let mut counted = counted.into_iter();
    all.retain(|_| counted.next().unwrap_or_default());
    all
}

/// Returns all numbers of a body in two sorted lists: each number with the two tokens before it, and each with the two tokens after it.
fn placed(body: &[Token]) -> [Vec<[Token; 3]>; 2] {
    let all = (0..body.len()).filter(|at| is_number(body[*at]));
    let token = |at: Option<usize>| at.and_then(|at| body.get(at)).copied().unwrap_or(NO_TOKEN);
    let mut placed = [Vec::new(), Vec::new()];
    for at in all {
        placed[0].push([body[at], token(at.checked_sub(1)), token(at.checked_sub(2))]);
        placed[1].push([body[at], token(Some(at + 1)), token(Some(at + 2))]);
    }
    placed.iter_mut().for_each(|all| all.sort_unstable());
    placed
}

/// Returns the codes of a body: stretches of words of letters and numbers, with at least one word. A code comes before a character, or at
/// the end of the body but not at its beginning. A mask for a name or number is no code.
fn codes(body: &[Token]) -> impl Iterator<Item = Range<usize>> {
    let is_code = |at: &usize| body.get(*at).is_some_and(|token| character(*token).is_none());
    let starts = (0..body.len()).filter(move |at| is_code(at) && (*at == 0 || !is_code(&(at - 1))));
    let stretches = starts.map(move |start| start..(start..).find(|at| !is_code(at)).unwrap_or(body.len()));
    let has_neighbour = |at: &Range<usize>| at.end < body.len() || at.start > 0;
    stretches.filter(move |at| has_neighbour(at) && at.len() <= LONGEST_CODE).filter(|at| {
        let tokens = &body[at.clone()];
        tokens.iter().any(|token| is_word(*token)) && !is_masked(tokens)
    })
}

/// Returns the first [numbers] of `a` and `b` that are between the same neighbours and differ, and the kind of fact. `ours` are the numbers
/// of `b`. `ends_freely` returns whether `b` [does](crate::rule::facts::ends_freely).
pub(crate) fn renumbered(
    a: &[Token],
    b: &[Token],
    ours: &[Numbers],
    ends_freely: impl Fn() -> bool,
) -> Option<(Gap, Conflict)> {
    let x = if ours.is_empty() { Vec::new() } else { numbers(a) };
    if x.is_empty() {
        return None;
    }
    ours.iter().filter(|own| !own.may_be_random(b, &ends_freely)).find_map(|own| {
        let of_other_kind = || {
            let kind = own.of_other_kind(b)?;
            x.iter().find(|other| other.set_keys(a).any(|key| key == kind))
        };
        let other = x.iter().find(|other| other.key == own.key).or_else(of_other_kind)?;
        let (p, q) = (&a[other.at.clone()], &b[own.at.clone()]);
        let is_code = own.key[3] == kind::CODE || other.key[3] == kind::CODE;
        let is_part = |part: &[Token], whole| is_code && parts(whole).any(|other| other == part);
        let is_moved = || own.key[0] != 0 && placed(a).iter().zip(placed(b)).any(|(a, b)| *a == b);
        let is_same = p == q || is_part(p, q) || is_part(q, p) || is_moved();
        let conflict = if is_code { Conflict::Word } else { Conflict::Number };
        (!is_same).then(|| (Gap { a: other.at.clone(), b: own.at.clone() }, conflict))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::tokens;

    #[test]
    fn numbers_stand_between_the_same_neighbours() {
        for (a, b, differ) in [
            ("验证码123456请勿", "验证码654321请勿", true),
            ("您的验证码是123456", "您的验证码是654321", true),
            ("8月5日14:30请到", "8月5日14:35请到", true),
            ("共76 909例", "共76909例", false),
            ("在2020年春", "在20年春", false),
            ("确诊12例死亡3例", "死亡3例确诊12例", false),
            ("新增5例，新增7例", "新增6例，新增8例", false),
            ("白菜报4元，萝卜报4元", "白菜报4元，萝卜报3元", true),
            ("看球：周六晚甲队；周日晨乙队；周日晚丙队", "看球：周日晚丙队；周日晨乙队；周六晚甲队", false),
            ("验证码为HSREL，请勿", "验证码为TPUSC，请勿", true),
            ("验证码为pctaegMI，请勿", "验证码为6AjmaE81，请勿", true),
            ("车辆粤C37S6G于今日", "车辆粤C1VD8G于今日", true),
            ("（nCoV）病毒", "（2019-nCoV）病毒", false),
            ("用iPhone拍的", "用iPhone 12拍的", false),
            ("联系name先生", "联系place先生", false),
            ("您的提货码为854858，请", "您的提货码为M2P2XQ，请", true),
            ("您的提货码为854858，请", "您的提货码为M2P2，请", true),
            ("用1200拍的", "用iPhone 1200拍的", false),
            ("用1300拍的", "用iPhone 1200拍的", true),
            ("用13拍的", "用iPhone 12拍的", false),
            ("加微信 abcd", "加微信 efgh", true),
            ("想要资料的朋友请加微信 abcd", "想要资料的朋友请加微信 efgh", true),
            ("想要资料的朋友如果还有问题请加我的微信 abcd", "想要资料的朋友如果还有问题请加我的微信 efgh", false),
            ("感谢您参加本次活动，您的兑换码：HSREL", "感谢您参加本次活动，您的兑换码：TPUSC", true),
            ("感谢您参加本次活动，您的订单号为A7", "感谢您参加本次活动，您的订单号为B9", true),
            ("白菜报4元，萝卜报3元", "白菜报3元，萝卜报4元", true),
            ("白菜报4元，萝卜报3元", "萝卜报3元，白菜报4元", false),
        ] {
            let (x, y) = (tokens(a), tokens(b));
            let differs = |a: &[Token], b: &[Token]| renumbered(a, b, &numbers(b), || x.len() > 16).is_some();
            assert_eq!(differs(&x, &y), differ, "{a} / {b}");
            assert_eq!(differs(&y, &x), differ, "{b} / {a}");
        }
    }
}

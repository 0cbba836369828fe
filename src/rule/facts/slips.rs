//! Finds differences that say nothing: typos (苹果 / 果苹), masks (`NAME`), random letters at the end, words said twice.

use std::ops::Range;
use std::sync::LazyLock;

use super::numeric::{is_numeric, is_plain, value};
use super::one_sided::are_classifiers;
use super::slots::{Slot, is_misspelt, levelled};
use super::text_kind::POST;
use super::words::Word;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{self, Entry, Lexicon, Tag};
use crate::text::signs::Reference;
use crate::text::tokens::{
    Token, Tokens, are_permuted, character, find, is_code, is_number, is_one_of, is_reference, is_word,
};

/// Longest gap, in tokens a side, in which negations are compared and characters may be transposed.
pub(super) const SMALL: usize = 4;
/// In a text of at least this many tokens, words at the end may be random letters. In a title they are names.
const FREE_END_FROM: usize = 12;
/// Fewest tokens of a stretch in which masked numbers are compared: a clause.
const CLAUSE: usize = 12;
/// Longest slip, in tokens.
const LONGEST_SLIP: usize = 3;
/// Fewest tokens of an added passage that says nothing because A has it, too.
const SAID: usize = 6;
/// The numerals of one digit, and ten, as they are read aloud.
const NUMERALS: &str = "零一二三四五六七八九十";
/// In a text of at most this many tokens, a word with one more character is another word: 加油 / 加油站.
const PARTS_UPTO: usize = 5;
/// In a text of at least this many tokens, one character is a small part of the content.
const LOOSE: usize = 16;

/// Whether the gap has only typos, one word for its synonym, numbers in another script, or random letters at the end.
pub(crate) fn is_noise(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    // 她击败 / 她战胜: the common 她 belongs to the gap, but to no synonym.
    let [x, y] = gap.narrowed(a.body.list, b.body.list).of(a.body.list, b.body.list);
    let lexicon = lexicon::lexicon();
    is_misspelt(lexicon, x, y)
        || is_numeral_slip(lexicon, x, y)
        || is_known(lexicon, x, y) && is_half_alike(lexicon, x, y, Lexicon::confused)
        || lexicon.get(x).zip(lexicon.get(y)).is_some_and(|(x, y)| lexicon.same(x, y))
        || !x.is_empty() && levelled(x) == levelled(y)
        || is_suffix(a, b, gap)
        || is_typed_twice(a, b, gap)
        || is_asked_alike(a, b, gap)
        || are_classifiers(a, b, gap)
}

/// Whether a particle at the end of a clause replaces another one that says the same: 咸死了 / 咸死啦.
fn are_finals(slot: &Slot<'_>) -> bool {
    let row = |side: usize| {
        let [first, ..] = slot.sides()[side] else { return None };
        let row = CUES.finals.rows.iter().position(|row| row.words.begins_a_word(*first))?;
        let is_final = slot.text(side).ends_clause(slot.gap.place(side).end);
        (is_final && slot.sides()[side].iter().all(|token| token == first)).then_some(row)
    };
    row(0).zip(row(1)).is_some_and(|(of_a, of_b)| of_a == of_b)
}

/// Whether the difference is a slip of the keyboard, or another way to say the same, whatever its words mean.
pub(super) fn is_slip(slot: &Slot<'_>) -> bool {
    says_twice(slot)
        || is_transposed(slot)
        || is_typed_twice(slot.a, slot.b, &slot.gap)
        || is_asked_alike(slot.a, slot.b, &slot.gap)
        || are_finals(slot)
}

/// Whether one side asks 好不好 and the other 好吗.
fn is_asked_alike(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    fn around<'t>(list: &'t [Token], range: &Range<usize>) -> &'t [Token] {
        &list[range.start.saturating_sub(1)..range.end]
    }
    let asks = |x: &[Token], y: &[Token]| match (x, y) {
        (&[first, no, again], &[other, mark]) => {
            first == again && first == other && is_one_of(no, "不没") && is_one_of(mark, "吗么嘛")
        }
        // 下雪了吗 / 下雪了没.
        (&[first, mark], [other, no, rest @ ..]) if first == *other && is_one_of(first, "了过") => {
            is_one_of(mark, "吗么嘛") && is_one_of(*no, "没") && rest.iter().all(|token| is_one_of(*token, "有啊呀呢"))
        }
        // 好不好用 / 好用吗.
        ([first, no, rest @ ..], [others @ .., mark]) => {
            rest == others && rest.first() == Some(first) && is_one_of(*no, "不没") && is_one_of(*mark, "吗么嘛")
        }
        _ => false,
    };
    let (x, y) = (around(a.body.list, p), around(b.body.list, q));
    asks(x, y) || asks(y, x)
}

/// Whether the only difference is characters that one side has twice in a row: 可以用柔顺剂 / 可以以用柔顺顺剂.
pub(super) fn is_typed_twice(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let around = |list: &[Token], range: &Range<usize>| {
        let mut around = list[range.start.saturating_sub(1)..list.len().min(range.end + 1)].to_vec();
        around.dedup_by(|x, y| x == y && !doubled_says(x));
        around
    };
    p.len() != q.len() && around(a.body.list, p) == around(b.body.list, q)
}

/// Whether a doubled token says more than a single one: 前前任, 下下周.
fn doubled_says(token: &Token) -> bool {
    is_numeric(*token) || character(*token).is_none_or(|c| "上下前后大小".contains(c))
}

/// Whether a few characters replace as many, and half of them sound or look alike: 世家 / 时间.
fn is_half_alike(lexicon: &Lexicon, x: &[Token], y: &[Token], alike: impl Fn(&Lexicon, Token, Token) -> bool) -> bool {
    if x.len() != y.len() || !(2..=LONGEST_SLIP).contains(&x.len()) || !x.iter().chain(y).all(|token| is_plain(*token))
    {
        return false;
    }
    let differ = x.iter().zip(y).filter(|(x, y)| x != y);
    let alike = differ.clone().filter(|(x, y)| alike(lexicon, **x, **y)).count();
    alike > 0 && 2 * alike >= differ.count()
}

/// Whether a token of one stretch sounds or looks much like the different token in its place.
pub(crate) fn is_one_alike(x: &[Token], y: &[Token]) -> bool {
    let mut differ = x.iter().zip(y).filter(|(x, y)| x != y);
    differ.any(|(x, y)| value(*x) == value(*y) || lexicon::lexicon().resemble(*x, *y))
}

/// Whether one of two stretches is a word of the dictionary. Of two names neither is.
fn is_known(lexicon: &Lexicon, x: &[Token], y: &[Token]) -> bool {
    [x, y].iter().any(|side| lexicon.get(side).is_some_and(|entry| entry.tag() != Tag::None))
}

/// Whether two stretches of the same length sound alike if a one-digit number is read aloud: 一遍, which is `1遍` in its context, and 以便.
pub(super) fn is_numeral_slip(lexicon: &Lexicon, x: &[Token], y: &[Token]) -> bool {
    // 五人 and 无人 are no slip.
    let plain = |token: Token| is_plain(token) && !is_negating(token);
    let numeral = |number: Token| NUMERALS.chars().map(Token::from).find(|numeral| value(*numeral) == number);
    let read_so = |number: Token, other: Token| {
        let numeral = numeral(number).filter(|_| is_number(number) && plain(other));
        numeral.is_some_and(|numeral| lexicon.sound_alike(numeral, other))
    };
    let (mut slips, mut pairs) = (0, x.iter().zip(y));
    let alike = |(x, y): (&Token, &Token)| {
        let slip = read_so(*x, *y) || read_so(*y, *x);
        slips += usize::from(slip);
        slip || x == y || plain(*x) && plain(*y) && lexicon.confused(*x, *y)
    };
    x.len() == y.len() && pairs.all(alike) && slips > 0
}

/// Whether a character only negates.
pub(super) fn is_negating(token: Token) -> bool {
    is_one_of(token, "不没未无非勿莫别")
}

/// Whether the characters before the letters and numbers at a place announce a code: 兑换码：HSREL, 订单号为A7.
pub(crate) fn is_announced(list: &[Token], at: usize) -> bool {
    let before = list[..at].iter().rev().map(|token| character(*token)).skip_while(Option::is_none).flatten();
    let mut before = before.skip_while(|c| matches!(c, '是' | '为'));
    match before.next() {
        Some('码' | '钥') => true,
        Some('号') => before.next().is_some_and(|c| "单券票班牌列编".contains(c)),
        Some('令') => before.next() == Some('口'),
        _ => false,
    }
}

/// Whether letters in a gap may be random. At the end of a long text, or of one with a link or a mask, letters are there to get past
/// filters, unless they end a link, are the unit of a number, or are announced as a code. In other texts they are a name: 用Python / 用Java.
pub(super) fn may_be_random(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let x = a.body.list;
    gap.is_at_end(a, b)
        && gap.a.start.checked_sub(1).is_none_or(|at| character(x[at]).is_some())
        && !is_announced(x, gap.a.start)
        && ends_freely(a)
        && ends_freely(b)
}

/// Whether letters at the end of a text may be random: the text is long, or has a link or a mask.
pub(crate) fn ends_freely(text: GistView<'_>) -> bool {
    let length = text.body.list.len();
    length >= POST || length >= FREE_END_FROM && has_link(text)
}

/// Whether the gap has only random letters at the end.
pub(super) fn is_suffix(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    let letters = |side: &[Token]| !side.is_empty() && side.iter().all(|token| character(*token).is_none());
    gap.of(a.body.list, b.body.list).into_iter().all(letters) && may_be_random(a, b, gap)
}

/// Whether one side may be a misspelling of the other: they have the same length, and all differing characters sound or look alike, or one
/// of several sounds the same.
pub(super) fn is_alike(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    let pairs = || x.iter().zip(y).filter(|(x, y)| x != y);
    let all = || pairs().all(|(x, y)| slot.lexicon.resemble(*x, *y));
    x.len() == y.len() && (x.len() > 1 && pairs().any(|(x, y)| slot.lexicon.sound_alike(*x, *y)) || all())
}

/// Whether only one side consists of words of the lexicon: a plain slip turns a word into none.
fn one_side_is_words(slot: &Slot<'_>) -> bool {
    let words = |side: usize| {
        let words = &slot.only[side];
        !words.is_empty() && words.iter().all(|word| word.range.len() > 1 && word.entry.is_some())
    };
    words(0) != words(1)
}

/// Whether only one side has some character of a longer word. Under `careful` 消防员 / 消防文员 is no such slip, and in a brief text 加油 / 加油站 is
/// none.
pub(super) fn is_dropped(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    let alone = |side: usize| slot.only[side].iter().any(|word| word.range == *slot.gap.place(side));
    // 加油 and 加油站 are two words.
    let is_brief = slot.a.body.list.len().min(slot.b.body.list.len()) <= PARTS_UPTO;
    let in_words = |side: usize| {
        let gap = slot.gap.place(side);
        let touches = |range: &Range<usize>| range.len() > 1 && range.start <= gap.end && range.end >= gap.start;
        slot.only[side].iter().any(|word| touches(&word.range) && word.entry.is_some())
    };
    let says = |token: &Token| {
        let is_word = |word: Entry| !matches!(word.tag(), Tag::Function | Tag::Count);
        slot.lexicon.get(&[*token]).is_some_and(|word| is_word(word) && !word.is(lexicon::FILLER))
    };
    let are_words = is_brief && x.iter().chain(y).any(says) && in_words(0) && in_words(1);
    if slot.careful && !one_side_is_words(slot) || are_words {
        return false;
    }
    let Some((side, _)) = slot.gap.one_sided() else { return false };
    let [token] = slot.sides()[side] else { return false };
    is_plain(*token) && !alone(side)
}

/// Whether both sides have the same digits in other groups: 739 204 / 739204.
pub(super) fn is_regrouped(slot: &Slot<'_>) -> bool {
    let digits = |side: usize| -> Option<String> {
        let mut digits = String::new();
        slot.sides()[side].iter().for_each(|&token| slot.text(side).body.digits_into(token, &mut digits));
        slot.sides()[side].iter().all(|token| is_number(*token)).then_some(digits)
    };
    digits(0).zip(digits(1)).is_some_and(|(of_a, of_b)| !of_a.is_empty() && of_a == of_b)
}

/// Whether A has a passage of B somewhere, word for word.
pub(crate) fn is_said(a: GistView<'_>, b: GistView<'_>, passage: &Range<usize>) -> bool {
    let said = &b.body.list[passage.clone()];
    said.len() >= SAID && find(a.body.list, said).is_some()
}

/// Whether one side says words twice in a row: 山风等等我 / 山风山风等等我. Numbers do not count, nor doubled words that say more: 前前任, 下下周.
fn says_twice(slot: &Slot<'_>) -> bool {
    let Some((side, gap)) = slot.gap.one_sided() else { return false };
    let list = slot.lists()[side];
    let more = &list[gap.clone()];
    // 下下周 is another week, 下下班 is a slip.
    let is_period = |token: Token| CUES.period.has_code(token) || is_one_of(token, "天夫妻男女");
    let precedes_period = || list.get(gap.end).is_some_and(|token| is_period(*token));
    let says = |token: &Token| {
        let order = is_one_of(*token, "上下前");
        is_numeric(*token) || more.len() == 1 && doubled_says(token) && (!order || precedes_period())
    };
    !more.iter().any(says) && (list[..gap.start].ends_with(more) || list[gap.end..].starts_with(more))
}

/// Whether both sides have the same few characters in another order: 苹果 / 果苹.
fn is_transposed(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    // 约上3时 is one number, whichever side of 上 the slip is on; 3比2 are two numbers.
    let numbers = x.iter().filter(|token| is_numeric(**token)).count();
    (2..=SMALL).contains(&x.len()) && numbers < 2 && are_permuted(x, y)
}

/// The masks that corpora put for a number, a name, a place: `DIGIT`, `NAME`.
static MASKS: LazyLock<Vec<Token>> = LazyLock::new(|| {
    let mut tokens = Tokens::default();
    tokens.read("digit name place phone wechat url date time");
    tokens.list
});

/// Runs of x by length, from one x on. Runs of two or more stand for a name or digits.
static RUNS: LazyLock<Vec<Token>> = LazyLock::new(|| {
    let runs = (1..=LONGEST_RUN).flat_map(|length| {
        let mut run = Tokens::default();
        run.read(&"x".repeat(length));
        run.list
    });
    runs.collect()
});

/// The longest run of x that stands for digits: a phone number.
const LONGEST_RUN: usize = 18;

/// Whether a stretch has a mask for a name, a place or a number.
pub(crate) fn is_mask(side: &[Token]) -> bool {
    side.iter().any(|token| is_word(*token) && (MASKS.contains(token) || RUNS[1..].contains(token)))
}

/// Whether letters and numbers hide something, and so are no code: DIGIT mb, 138xxxx1234, but not GHN2XX.
pub(crate) fn is_masked(code: &[Token]) -> bool {
    let mut words = code.iter().filter(|token| is_word(**token));
    code.iter().any(|token| MASKS.contains(token)) || words.all(|word| RUNS.contains(word))
}

/// Whether a text has a link or a mask.
pub(super) fn has_link(text: GistView<'_>) -> bool {
    let list = text.body.list;
    let in_signs =
        || text.signs.iter().any(|(_, sign)| sign.referred().is_some_and(|(kind, _)| kind == Reference::Link));
    is_mask(list) || in_signs() || list.iter().any(|token| is_reference(*token))
}

/// Whether a stretch of a clause or more has another number of masked numbers than the stretch in its place. These are two fillings of one
/// template, whatever the numbers were.
pub(super) fn masks_differ(x: &[Token], y: &[Token]) -> bool {
    let numbers = |side: &[Token]| side.iter().filter(|token| MASKS.first() == Some(token)).count();
    x.len().max(y.len()) >= CLAUSE && numbers(x) != numbers(y)
}

/// Whether a stretch is a code that a web page left in the text: 01dpqwr27, 01w1sh06.
pub(super) fn is_page_code(side: &[Token]) -> bool {
    matches!(side, [code] if is_code(*code))
        || side.windows(3).any(|tokens| matches!(tokens, [i, j, k] if is_number(*i) && is_word(*j) && is_number(*k)))
}

/// Whether the difference is a slip: one character for another that makes a word of the dictionary on one side only (提高 / 是高); or a few
/// characters for others, half of which sound or look alike.
pub(super) fn is_misspelling(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    // In a longer text neither side need be a word, unless the characters are given names or one negates: 要戴 / 别带.
    let shorter = slot.a.body.list.len().min(slot.b.body.list.len());
    let is_free = || !slot.follows_surname() && !x.iter().chain(y).any(|token| is_negating(*token));
    if is_known(slot.lexicon, x, y) && is_half_alike(slot.lexicon, x, y, Lexicon::resemble)
        || shorter >= LOOSE && is_free() && is_half_alike(slot.lexicon, x, y, Lexicon::confused)
    {
        return true;
    }
    let ([i], [j]) = (x, y) else { return false };
    let is = |token: &Token, flag| slot.lexicon.get(&[*token]).is_some_and(|entry| entry.is(flag));
    let whole = |side: usize| {
        let at = slot.gap.place(side).start;
        in_word(slot, side, at).map(|start| start < at)
    };
    let (of_a, of_b) = (whole(0), whole(1));
    // A name begins with a surname, but not inside a word: 舒服 / 舒呼.
    let may_be_named = (is(i, lexicon::SURNAME) || is(j, lexicon::SURNAME)) && of_a.or(of_b) != Some(true);
    let stands = is(i, lexicon::CHARACTER) || is(j, lexicon::CHARACTER) || may_be_named;
    is_plain(*i) && is_plain(*j) && !stands && of_a.is_some() != of_b.is_some()
}

/// Returns the beginning of the known word that contains this token, if only this side has the word.
fn in_word(slot: &Slot<'_>, side: usize, at: usize) -> Option<usize> {
    let has_word = |word: &&Word| word.range.contains(&at);
    let word = slot.only[side].iter().find(has_word)?;
    // The lists of the lexicon have phrases, too: 不舒服.
    if word.is_known() { Some(word.range.start) } else { slot.word_within(side, &word.range, at) }
}

/// Whether one character replaces another in a longer text, and not both are nouns by themselves. This is more often a slip than news.
pub(super) fn is_loose(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    let ([i], [j]) = (x, y) else { return false };
    let alone = |side: usize| {
        slot.only[side]
            .iter()
            .any(|word| word.range.len() == 1 && word.entry.is_some_and(|entry| matches!(entry.tag(), Tag::Noun)))
    };
    is_plain(*i) && is_plain(*j) && slot.a.body.list.len() >= LOOSE && !(alone(0) && alone(1))
}

//! Judges whether B retells A in other words and another order: A says everything that B says. 外面下雨了，车厘子到货，请大家来自取 /
//! 车厘子到货啦，下雨了，大家来自取.
//!
//! A word *says something* if it is no particle, filler, adverb or civility, and no [light](crate::text::cues) word: 进行, 大家. A text *says*
//! a word if it has the word as often, or a synonym (手机, 机子), its number (两百, 200), or its core (准备 for 准备好). B retells A if all of this
//! holds:
//!
//! - A says everything that B says.
//! - B says at least three quarters of A, and all its numbers. B must say all of A if one of the two is short, or is a short question, or
//!   if B has a light word that A lacks.
//! - Both have the same negations, restrictions and scope, as many clauses that ask (要拆吗, 要不要拆), and no different members of a class.
//! - No word that joins or shades turns the meaning: 如果 / 因为, 可以 / 要, 我们 / 别人, 上 / 里 (`function.rs`).
//! - If only one is in the passive, the other says the same in the active (`passive.rs`): 狂风砸坏了车 / 车被狂风砸坏了.
//! - Nothing has another role (`order.rs`). Nouns around a verb keep their order, unless 在, 被 or the like comes before one of them in both
//!   texts. Names keep the words of their clause. No two pairs of words exchange partners. Each number keeps a neighbour or a word of its
//!   clause.
//!
//! The question is asked last, for pairs that are alike except for some words (`rule/verify.rs`).

mod function;
mod order;
mod passive;

use std::ops::{Range, RangeInclusive};

use super::named::is_surname;
use super::numeric::{is_numeric, value};
use super::roles::{reranked, swapped};
use super::slips::is_negating;
use super::slots::levelled;
use super::text_kind::{asks, is_either, questions};
use super::words::{Found, Word, all_beside, cut};
use crate::text::GistView;
use crate::text::cues::{CUES, Row};
use crate::text::lexicon::{self, CIVIL, Entry, FILLER, IDIOM, NEGATION, TAIL, Tag, lexicon};
use crate::text::numerals::is_numeral_code;
use crate::text::tokens::{Token, character, find, is_number, is_one_of, is_word, number, spelled};

/// The number of tokens of texts that may be retold. In shorter texts each word counts, and longer ones have clauses in common.
const LENGTH: RangeInclusive<usize> = 10..=80;
/// If one text has fewer tokens than this, B must say all that A says.
const ALL_SAID_BELOW: usize = 16;
/// The same for questions.
const QUESTION_ALL_SAID_BELOW: usize = 25;
/// Characters that also say nothing at the end of a word: 桌子 / 桌, 更新一下 / 更新.
const ENDS: &str = "子一";
/// B may leave out at most this part of A, a quarter.
const LEFT_OUT: usize = 4;
/// As a clause at the end of a text, this refers to a picture: （图）.
const PICTURE: &str = "图";
/// The flags of words that say how much, how surely, or that something is wrong.
const RESTRICTING: u64 =
    lexicon::QUALIFIER | lexicon::RANK | lexicon::REFUTATION | lexicon::CORRECTION | lexicon::ERRATUM;

/// The content of a text, read once for many pairs.
#[derive(Debug)]
pub(crate) struct Telling {
    words: Words,
    /// The words that say something, and whether they have synonyms. Those without synonyms come first, because they are checked quickly.
    order: Vec<(Word, bool)>,
}

/// The words of a text.
#[derive(Debug)]
struct Words {
    /// Every word that the text may have.
    all: Vec<Found>,
    /// The likeliest words.
    cut: Vec<Word>,
    /// The likeliest words that say something.
    telling: Vec<Word>,
}

/// A text and its words.
#[derive(Clone, Copy)]
struct Statement<'a> {
    text: GistView<'a>,
    words: &'a Words,
}

/// Returns the content of B, if B [may](may_be_retold) retell a text.
pub(crate) fn telling(b: GistView<'_>) -> Telling {
    let words = Words::of(b);
    let has_synonyms = |word: &Word| {
        word.entry.is_some_and(|entry| {
            let stands = word.range.len() > 1 || entry.is(lexicon::CHARACTER);
            stands && lexicon().senses(entry).any(|sense| sense.kind.is_of_words())
        })
    };
    let mut order: Vec<_> = words.telling.iter().map(|word| (word.clone(), has_synonyms(word))).collect();
    order.sort_by_key(|(_, has_synonyms)| *has_synonyms);
    Telling { words, order }
}

/// Whether one of the two may retell the other, judged by their lengths and comments.
pub(crate) fn may_be_retold(a: GistView<'_>, b: GistView<'_>) -> bool {
    [a, b].iter().all(|text| LENGTH.contains(&text.body.list.len()) && text.comment_tokens == 0)
}

/// Whether B tells nothing that A does not tell. `telling` is the content of B. The two must be such that one [may](may_be_retold) retell
/// the other.
pub(crate) fn is_retold(a: GistView<'_>, b: GistView<'_>, telling: &Telling) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let may_be_said = |(word, has_synonyms): &(Word, bool)| *has_synonyms || may_say(x, word, y);
    telling.order.iter().all(may_be_said)
        && Statement { text: a, words: &Words::of(a) }.is_retold(Statement { text: b, words: &telling.words })
}

/// Whether `list` may say a word of another text that has no synonyms. A quick check, because thousands of pairs may be asked.
fn may_say(list: &[Token], word: &Word, of: &[Token]) -> bool {
    let tokens = word.tokens(of);
    if find(list, tokens).is_some() {
        return true;
    }
    if tokens.iter().any(|token| is_numeric(*token)) {
        let is_there = |number: &Token| list.iter().any(|other| value(*other) == value(*number));
        return list.iter().any(|token| is_numeral_code(*token))
            || tokens.iter().filter(|token| is_number(**token)).all(is_there);
    }
    if tokens.get(..3).is_some_and(is_either) {
        return list.contains(&tokens[0]);
    }
    let core = core(tokens);
    let is_verb = word.entry.is_some_and(|entry| entry.tag() == Tag::Verb);
    core.len() < tokens.len() && find(list, &core).is_some() || is_verb && core.iter().any(|token| list.contains(token))
}

fn count(list: &[Token], tokens: &[Token]) -> usize {
    list.windows(tokens.len()).filter(|window| *window == tokens).count()
}

/// Whether a character says nothing by itself.
fn is_light(token: Token) -> bool {
    character(token).is_some_and(|c| CUES.light.has(c))
}

/// Whether a word says nothing if the other text says all other words.
fn is_light_word(tokens: &[Token], spelled: &str) -> bool {
    if let [token] = tokens { is_light(*token) } else { CUES.light_word.is(spelled) }
}

/// Returns a word without the light characters around it, and without a doubled character: 准备 of 准备好, 交 of 没交, 问 of 问问.
fn core(tokens: &[Token]) -> Vec<Token> {
    let first = tokens.iter().take(tokens.len() - 1).take_while(|token| is_light(**token)).count();
    let is_end = |token: &Token| is_light(*token) || is_one_of(*token, ENDS);
    let last = tokens[first + 1..].iter().rev().take_while(|token| is_end(token)).count();
    let mut core = tokens[first..tokens.len() - last].to_vec();
    core.dedup();
    core
}

impl Words {
    fn of(text: GistView<'_>) -> Self {
        let list = text.body.list;
        // Whether each token is filler, or civility at an end of its clause.
        let mut civil = vec![false; list.len()];
        let all = all_beside(lexicon(), text, &(0..list.len()), |at, entry| {
            if at.len() > 1 && (entry.is(FILLER) || entry.is(CIVIL | TAIL) && closes(text, &at)) {
                civil[at].fill(true);
            }
        });
        let cut = cut(list, &(0..list.len()), &all);
        let says = |word: &&Word| !word.range.clone().all(|at| civil[at]) && says_something(text, word);
        let telling = cut.iter().filter(says).cloned().collect();
        Self { all, cut, telling }
    }
}

/// Whether a phrase is at an end of its clause. A brief phrase must be the whole clause.
fn closes(text: GistView<'_>, at: &Range<usize>) -> bool {
    let (begins, ends) = (text.begins_clause(at.start), text.ends_clause(at.end));
    begins && ends || at.len() > 2 && (begins || ends)
}

/// Whether a word of the text says something.
fn says_something(text: GistView<'_>, word: &Word) -> bool {
    let (list, at) = (text.body.list, &word.range);
    let tokens = word.tokens(list);
    if tokens.iter().any(|token| is_numeric(*token)) {
        return true;
    }
    let spelled = spelled(tokens);
    if PICTURE == spelled && at.end == list.len() && text.begins_clause(at.start) {
        return false;
    }
    if spelled.contains(|c| CUES.asking.has(c)) {
        return true;
    }
    let is_a = |tag: Tag| word.entry.is_some_and(|entry| entry.tag() == tag);
    // （下）; …怎么用.
    let is_alone = text.begins_clause(at.start) && text.ends_clause(at.end) && !CUES.particle.is(&spelled)
        || at.end == list.len() && (is_a(Tag::Verb) && asks(text) || CUES.series.is(&spelled));
    if is_alone && (tokens.len() == 1 || is_a(Tag::Verb)) {
        return true;
    }
    match word.entry {
        _ if is_light_word(tokens, &spelled) => false,
        Some(entry) if entry.is(FILLER) => false,
        Some(entry) => entry.tag() != Tag::Function,
        None => tokens.iter().any(|token| character(*token).is_some() || is_word(*token)),
    }
}

impl<'a> Statement<'a> {
    fn list(&self) -> &'a [Token] {
        self.text.body.list
    }

    /// Whether `b` tells nothing that this text does not tell.
    fn is_retold(self, b: Self) -> bool {
        let shorter = self.list().len().min(b.list().len());
        let questions = [self, b].map(|text| questions(text.text));
        let is_brief = shorter < ALL_SAID_BELOW || questions[0] > 0 && shorter < QUESTION_ALL_SAID_BELOW;
        questions[0] == questions[1]
            && b.words.telling.iter().all(|word| self.says_word_of(b, word))
            && b.says_most(self, is_brief)
            && !self.is_replaced_lightly(b)
            && self.negated() == b.negated()
            && self.is_restricted_as(b)
            && b.is_restricted_as(self)
            && self.applies_to_the_same(b)
            && !self.is_turned_by_a_word(b)
            && !self.has_another_member(b)
            && swapped(self.text, b.text).or_else(|| reranked(self.text, b.text)).is_none()
            && self.has_names_of(b)
            && !self.turns(b)
            && !self.exchanges(b)
            && self.counts_the_same(b)
    }

    /// Whether this text says a word of another text.
    fn says_word_of(&self, of: Self, word: &Word) -> bool {
        let (list, tokens) = (self.list(), word.tokens(of.list()));
        if tokens.iter().any(|token| is_numeric(*token)) {
            let own = levelled(list);
            let is_there = |number: &Token| own.iter().any(|other| value(*other) == value(*number));
            let is_said = |token: &Token| if is_numeric(*token) { is_there(token) } else { list.contains(token) };
            return levelled(tokens).iter().all(|token| is_light(*token) || is_said(token));
        }
        let is_core = || {
            let core = core(tokens);
            core.len() < tokens.len() && find(list, &core).is_some()
        };
        let same = |entry: Entry| {
            self.words
                .all
                .iter()
                .any(|other| lexicon().same(entry, other.entry) && list[other.range.clone()] != *tokens)
        };
        // 上涨 / 涨.
        let is_verb = || word.entry.is_some_and(|entry| entry.tag() == Tag::Verb) && core(tokens).len() == 2;
        let is_half = |other: &Word| other.range.len() == 1 && tokens.contains(&list[other.range.start]);
        // 会不会 / 会.
        let is_offer = || tokens.get(..3).is_some_and(is_either) && list.contains(&tokens[0]);
        count(list, tokens) >= count(of.list(), tokens)
            || is_core()
            || is_offer()
            || word.entry.is_some_and(same)
            || is_verb() && self.words.cut.iter().any(is_half)
    }

    /// Whether this text says most of what `a` says, or, with `is_all`, all of it.
    fn says_most(&self, a: Self, is_all: bool) -> bool {
        let (mut said, mut unsaid) = (0, 0);
        for word in &a.words.telling {
            let tokens = word.tokens(a.list());
            let is_said = self.says_word_of(a, word) || tokens.len() > 1 && find(self.list(), tokens).is_some();
            *(if is_said { &mut said } else { &mut unsaid }) += tokens.len();
            let counts = |token: &Token| is_number(*token) && *token != number(1);
            let asks = |token: &Token| character(*token).is_some_and(|c| CUES.asking.has(c));
            if !is_said && tokens.iter().any(|token| counts(token) || asks(token)) {
                return false;
            }
        }
        unsaid == 0 || !is_all && LEFT_OUT * unsaid <= said + unsaid
    }

    /// Whether `b` leaves out a word of this text, and has a light word instead: 逼近 / 达到, 会员 / 大家.
    fn is_replaced_lightly(self, b: Self) -> bool {
        let is_new = |word: &Word| {
            let tokens = word.tokens(b.list());
            tokens.len() > 1 && is_light_word(tokens, &spelled(tokens)) && find(self.list(), tokens).is_none()
        };
        b.words.cut.iter().any(is_new) && self.words.telling.iter().any(|word| !b.says_word_of(self, word))
    }

    /// Returns, sorted, the token after each negation, and the first token of each other word that denies.
    fn negated(&self) -> Vec<Token> {
        let (list, mut at, mut found) = (self.list(), 0, Vec::new());
        while at < list.len() {
            let longest = |flag| lexicon().longest_at(list, at, |_, entry| entry.is(flag));
            let (negation, idiom) = (longest(NEGATION), longest(IDIOM));
            let behind = list.get(at + negation);
            if negation > idiom && !(at > 0 && behind == Some(&list[at - 1])) {
                // 没有抗体 / 没抗体 deny the same, and so do 取消航班 / 取消43架次航班, where a number comes between.
                let is_bare = list[at..at + negation].iter().any(|token| is_negating(*token));
                found.push(if is_bare { behind.copied().unwrap_or_default() } else { list[at] });
            }
            at += idiom.max(negation).max(1);
        }
        found.sort_unstable();
        found
    }

    /// Whether `b` has each restricting word of this text, or a synonym of it: 即将 / 马上.
    fn is_restricted_as(&self, b: Self) -> bool {
        let restricting = |text: Self| text.words.all.iter().filter(|found| found.entry.is(RESTRICTING));
        let are_same = |own: &Found, of_b: &Found| {
            self.list()[own.range.clone()] == b.list()[of_b.range.clone()] || lexicon().same(own.entry, of_b.entry)
        };
        let counts = |word: &&Found| {
            let tokens = &self.list()[word.range.clone()];
            !is_light_word(tokens, &spelled(tokens))
        };
        restricting(*self).filter(counts).all(|word| b.words.all.iter().any(|other| are_same(word, other)))
    }

    /// Whether both have the same scope, both or neither tell it again, and neither exchanges who acts and who is acted upon.
    fn applies_to_the_same(self, b: Self) -> bool {
        let is = |token: Token, one: &dyn Fn(char) -> bool| character(token).is_some_and(one);
        let again = |text: Self| {
            let is_one = |two: &[Token]| {
                is(two[0], &|c| CUES.again.has(c)) && (is(two[1], &|c| CUES.told_again.has(c)) || is_number(two[1]))
            };
            text.list().windows(2).any(is_one)
        };
        // 去除 does not contain 除 as a word.
        let has_one_of = |text: Self, row: &Row| {
            text.words.cut.iter().any(|word| row.words.begins_a_word(text.list()[word.range.start]))
        };
        self.has_voice_of(b)
            && again(self) == again(b)
            && CUES.scope.rows.iter().all(|row| has_one_of(self, row) == has_one_of(b, row))
    }

    /// Whether this text has each surname of `b` before the same character. For 王伟 it is not enough to have 王强 and 小伟.
    fn has_names_of(self, b: Self) -> bool {
        let list = b.list();
        let is_name = |two: &&[Word]| {
            let at = two[0].range.start;
            let are_single = two.iter().all(|word| word.range.len() == 1);
            are_single && is_surname(list[at]) && character(list[at + 1]).is_some() && !b.text.breaks_at(at + 1)
        };
        b.words
            .cut
            .windows(2)
            .filter(is_name)
            .all(|two| find(self.list(), &list[two[0].range.start..two[1].range.end]).is_some())
    }

    /// Whether each text has a member of a class that the other text lacks, and the two exclude each other.
    fn has_another_member(self, b: Self) -> bool {
        let own = |text: Self, other: Self| -> Vec<Entry> {
            let stands = |Found { range, entry }: &&Found| {
                entry.has_senses() && (range.len() > 1 || entry.is(lexicon::CHARACTER))
            };
            let lacks = |found: &&Found| find(other.list(), &text.list()[found.range.clone()]).is_none();
            text.words.all.iter().filter(stands).filter(lacks).map(|found| found.entry).collect()
        };
        let of_a = own(self, b);
        own(b, self).iter().any(|y| of_a.iter().any(|x| lexicon().conflict(*y, *x).is_some()))
    }
}

//! Compares who does what, and what belongs to what, in two texts that say the same words.

use super::Statement;
use crate::rule::facts::numeric::{is_numeric, value};
use crate::rule::facts::slots::levelled;
use crate::rule::facts::words::Word;
use crate::text::cues::CUES;
use crate::text::lexicon::Tag;
use crate::text::tokens::{Token, find, is_number, spelled};

/// Two adjacent words of a clause.
type Pair = [Vec<Token>; 2];

impl Statement<'_> {
    /// Returns the number of a token's clause.
    pub(super) fn clause(&self, at: usize) -> usize {
        self.text.breaks.partition_point(|end| *end as usize <= at)
    }

    /// Returns the words of `b` that say something and also occur here, each with its first place here.
    fn places<'w>(&self, b: Statement<'w>) -> Vec<(&'w Word, usize)> {
        let place = |word: &Word| find(self.list(), word.tokens(b.list()));
        b.words.telling.iter().filter_map(|word| Some((word, place(word)?))).collect()
    }

    /// Whether a word between two places of the text says how the things at the two places are related.
    fn has_relation_between(&self, from: usize, to: usize) -> bool {
        let joins = |token: &Token| CUES.between_nouns.has_code(*token);
        let is_one = |word: &&Word| {
            !is_thing(word)
                && word.entry.is_none_or(|entry| entry.tag() != Tag::Adjective)
                && !word.tokens(self.list()).iter().any(|token| joins(token) || is_numeric(*token))
        };
        self.words.cut.iter().filter(is_one).any(|word| from < word.range.start && word.range.start < to)
    }

    /// Whether the only verbs between two places say that one thing is the other.
    fn is_copula(&self, from: usize, to: usize) -> bool {
        let between = self.words.cut.iter().filter(|word| from < word.range.start && word.range.start < to);
        let verbs = between.filter(|word| !is_thing(word)).map(|word| spelled(word.tokens(self.list())));
        let verbs: Vec<String> = verbs.filter(|word| !word.is_empty() && !CUES.between_nouns.is(word)).collect();
        !verbs.is_empty() && verbs.iter().all(|word| CUES.copula.is(word))
    }

    /// Returns the word that shows the role of the noun at a place: 在 of 在机场的银行柜台. It comes before the noun and the words that describe it.
    pub(super) fn role(&self, at: usize) -> Option<Token> {
        let (list, clause) = (self.list(), self.clause(at));
        let describes = |word: &&Word| {
            let joins = matches!(word.tokens(list), [token] if CUES.between_nouns.has_code(*token));
            let is_self = spelled(word.tokens(list)) == "自己";
            joins || is_self || is_thing(word) || word.entry.is_some_and(|entry| entry.tag() == Tag::Adjective)
        };
        let before = self.words.cut.iter().rev().filter(|word| word.range.start < at);
        let marker = before.into_iter().find(|word| !describes(word) || self.clause(word.range.start) != clause)?;
        let is_one = |token: &&Token| CUES.role.has_code(**token);
        let is_here = self.clause(marker.range.start) == clause && marker.range.len() == 1;
        list.get(marker.range.start).filter(is_one).filter(|_| is_here).copied()
    }

    /// Whether two nouns of a clause of `b` have another order here around a verb, or two names have left the words of their clauses.
    pub(super) fn turns(&self, b: Statement<'_>) -> bool {
        let words = self.places(b);
        // The number of words that are in the clause of `word` in `b`, and here in this clause.
        let with = |word: &Word, clause: usize| {
            let of = b.clause(word.range.start);
            let is_one = |(other, at): &&(&Word, usize)| {
                other.range != word.range && b.clause(other.range.start) == of && self.clause(*at) == clause
            };
            words.iter().filter(is_one).count()
        };
        // The number of other words in the clause of `word` in `b`.
        let with_any = |word: &Word| {
            let others = b.words.telling.iter().filter(|other| other.range != word.range);
            others.filter(|other| b.clause(other.range.start) == b.clause(word.range.start)).count()
        };
        // 哪些女生喜欢男生 / 哪些女生男生喜欢.
        let is_verb = |word: &Word| word.entry.is_some_and(|entry| entry.tag() == Tag::Verb);
        let leaves = |(p, q): (usize, usize), (s, t): (usize, usize)| {
            let verbs = words.iter().filter(|(word, _)| is_verb(word) && s < word.range.start && word.range.start < t);
            let clause = self.clause(p);
            verbs.into_iter().any(|(_, at)| !(p..q).contains(at) && self.clause(*at) == clause)
        };
        let is_turned = |(first, p): &(&Word, usize), (second, q): &(&Word, usize)| {
            if !is_thing(first) || !is_thing(second) {
                return false;
            }
            let [s, t] = [first, second].map(|word| word.range.start);
            if q >= p {
                let in_one = self.clause(*p) == self.clause(*q) && b.clause(s) == b.clause(t);
                let roles = [self.role(*p), self.role(*q), b.role(s), b.role(t)];
                let is_free = || roles.iter().flatten().any(|role| CUES.free_role.has_code(*role));
                return in_one && leaves((*p, *q), (s, t)) && !is_free();
            }
            let (own, of_b) = ([self.clause(*p), self.clause(*q)], [b.clause(s), b.clause(t)]);
            let are_names = [first, second].map(|word| is_name(b.list(), word));
            if own[0] == own[1] && of_b[0] == of_b[1] {
                let keeps = |at: usize, of_b: usize| self.role(at).is_some_and(|role| b.role(of_b) == Some(role));
                let keep_roles = || keeps(*p, s) || keeps(*q, t);
                let is_parted = self.has_relation_between(*q, *p) && b.has_relation_between(s, t);
                // 李明是经理 / 经理是李明.
                let are_one = || are_names[0] != are_names[1] && self.is_copula(*q, *p) && b.is_copula(s, t);
                return is_parted && !keep_roles() && !are_one() && !self.changes_voice([*q, *p], b, [s, t]);
            }
            let are_apart = own[0] != own[1] && of_b[0] != of_b[1];
            let keeps_words = |word, here, there| with(word, here) > with(word, there);
            let stay = || are_apart && keeps_words(first, own[0], own[1]) && keeps_words(second, own[1], own[0]);
            // 东电称…: 东电：….
            let speaks = || of_b[0] == 0 && with_any(first) == 0 && self.text.begins_clause(*p);
            are_names == [true; 2] && !stay() && !speaks()
        };
        words.iter().enumerate().any(|(at, first)| words[at + 1..].iter().any(|second| is_turned(first, second)))
    }

    /// Returns the pairs of adjacent words of each clause.
    fn pairs(&self) -> Vec<Pair> {
        let is_one = |two: &&[Word]| self.clause(two[0].range.start) == self.clause(two[1].range.start);
        let words = |two: &[Word]| [0, 1].map(|at| levelled(two[at].tokens(self.list())));
        self.words.telling.windows(2).filter(is_one).map(words).collect()
    }

    /// Whether two pairs of words of `b` have exchanged their second words here: 生于纽约，住在巴黎 / 生于巴黎，住在纽约.
    pub(super) fn exchanges(&self, b: Statement<'_>) -> bool {
        let (own, of_b) = (self.pairs(), b.pairs());
        let crossed = |[p, q]: &Pair, [r, s]: &Pair| {
            p != r && q != s && own.contains(&[p.clone(), s.clone()]) && own.contains(&[r.clone(), q.clone()])
        };
        let is_crossed =
            |(at, pair): (usize, &Pair)| !own.contains(pair) && of_b[at + 1..].iter().any(|other| crossed(pair, other));
        of_b.iter().enumerate().any(is_crossed)
    }

    /// Whether each number of `b` has here the same neighbour, or a word of its clause, and numbers of a clause keep their order.
    pub(super) fn counts_the_same(&self, b: Statement<'_>) -> bool {
        let (list, other) = (self.list(), b.list());
        let next = |list: &[Token], at: usize| list.get(at + 1).copied();
        let before = |list: &[Token], at: usize| at.checked_sub(1).map(|at| list[at]);
        let beside = |p: usize, q: usize| {
            next(list, p).is_some() && next(list, p) == next(other, q)
                || before(list, p).is_some() && before(list, p) == before(other, q)
        };
        let words = self.places(b);
        let in_clause = |p: usize, q: usize| {
            let is_one = |(word, at): &(&Word, usize)| {
                let is_word = !word.tokens(other).iter().any(|token| is_number(*token));
                is_word && self.clause(*at) == self.clause(p) && b.clause(word.range.start) == b.clause(q)
            };
            words.iter().any(is_one)
        };
        let is_there = |q: usize| {
            let places = (0..list.len()).filter(|p| value(list[*p]) == value(other[q]));
            places.into_iter().any(|p| beside(p, q) || in_clause(p, q))
        };
        let place = |token: Token| list.iter().position(|own| *own == token);
        let is_turned = |p: usize, q: usize| {
            let (of_p, of_q) = (place(other[p]), place(other[q]));
            let own = of_p.zip(of_q).is_some_and(|(p, q)| q < p && self.clause(p) == self.clause(q));
            // 20枚一箱 / 一箱20枚.
            let units = [next(other, p), next(other, q)];
            let keeps =
                |at: Option<usize>, unit: Option<Token>| unit.is_some() && at.and_then(|at| next(list, at)) == unit;
            let have_units = units[0] != units[1] && keeps(of_p, units[0]) && keeps(of_q, units[1]);
            own && !have_units && b.clause(p) == b.clause(q)
        };
        let numbers: Vec<usize> = (0..other.len()).filter(|at| is_number(other[*at])).collect();
        let turned = |(at, p): (usize, &usize)| numbers[at + 1..].iter().any(|q| is_turned(*p, *q));
        numbers.iter().all(|at| is_there(*at)) && !numbers.iter().enumerate().any(turned)
    }
}

/// Whether a word is a noun or a name, or is in no dictionary.
pub(super) fn is_thing(word: &Word) -> bool {
    word.entry.is_none_or(|entry| entry.tag().is_noun() || entry.tag() == Tag::None)
}

/// Whether a word is the name of a place or the like, or is in no dictionary.
fn is_name(list: &[Token], word: &Word) -> bool {
    word.entry.is_none_or(|entry| entry.tag().is_noun() && entry.tag() != Tag::Noun)
        && !word.tokens(list).iter().any(|token| is_number(*token))
}

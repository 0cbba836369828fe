//! Compares passive and active clauses: 台风吹倒了围墙 / 围墙被台风吹倒, 他把蜂蜜吃光了 / 蜂蜜被吃光了.

use super::order::is_thing;
use super::{Statement, core};
use crate::rule::facts::roles::PASSIVE;
use crate::rule::facts::words::Word;
use crate::text::lexicon::Tag;
use crate::text::tokens::{Token, find, is_one_of};

/// Characters before the object of an action.
const DISPOSED: &str = "把将";

impl Statement<'_> {
    /// Whether both texts are in the passive, or neither is, or the active one tells the same as the passive one.
    pub(super) fn has_voice_of(&self, b: Self) -> bool {
        match [*self, b].map(|text| text.passives().count() > 0) {
            [true, false] => b.is_active_of(*self),
            [false, true] => self.is_active_of(b),
            _ => true,
        }
    }

    /// Whether only one of the two is passive between these places.
    pub(super) fn changes_voice(&self, own: [usize; 2], b: Self, of_b: [usize; 2]) -> bool {
        let within = |text: &Self, [from, to]: [usize; 2]| text.passives().any(|at| from < at && at < to);
        within(self, own) != within(&b, of_b)
    }

    /// Returns the places of 被.
    fn passives(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.cut.iter().filter(|word| word.range.len() == 1);
        words.map(|word| word.range.start).filter(|at| self.list()[*at] == PASSIVE)
    }

    /// Whether this text says each passive clause of `passive` in the active: the verb before the object, or the object after 把, and the
    /// doer before both. The words before 被 keep their order.
    fn is_active_of(&self, passive: Self) -> bool {
        passive.passives().all(|at| {
            let in_clause = |word: &&Word| passive.clause(word.range.start) == passive.clause(at);
            let words = passive.words.telling.iter().filter(in_clause);
            let (before, behind): (Vec<_>, Vec<_>) = words.partition(|word| word.range.start < at);
            let is_verb = |word: &Word| word.entry.is_some_and(|entry| entry.tag() == Tag::Verb);
            let Some(verb) = behind.iter().position(|word| is_verb(word)).or(behind.len().checked_sub(1)) else {
                return false;
            };
            let place = |word: &Word| self.place(word.tokens(passive.list()));
            // 举报经理的员工 is not 举报员工的经理.
            let is_timeless = |word: &&&Word| word.entry.is_none_or(|entry| entry.tag() != Tag::Time);
            let order: Vec<_> = before.iter().filter(is_timeless).filter_map(|word| place(word)).collect();
            let object = before.iter().rev().find(|word| is_thing(word)).and_then(|word| place(word));
            let (Some(object), Some(at)) = (object, place(behind[verb])) else { return false };
            let is_disposed = || self.role(object).is_some_and(|role| is_one_of(role, DISPOSED));
            let has_object = self.clause(object) == self.clause(at) && (at < object || is_disposed());
            let doers = behind[..verb].iter().filter(|word| is_thing(word));
            has_object
                && order.is_sorted()
                && doers.into_iter().all(|word| place(word).is_some_and(|doer| doer < at && doer < object))
        })
    }

    /// Returns the first place of these tokens, or of their core.
    fn place(&self, tokens: &[Token]) -> Option<usize> {
        find(self.list(), tokens).or_else(|| find(self.list(), &core(tokens)))
    }
}

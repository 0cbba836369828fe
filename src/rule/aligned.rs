//! The steps of the [repeat rule](super) that read two [aligned](super::align) bodies word by word: *slot*, *title*, *facts* and *words*.
//!
//! 请到火车站接我回家 / 请到体育馆接我回家: between the common parts is a *gap*, 火车站 in A and 体育馆 in B. A single token that matches between two gaps is
//! often shared by chance. *Slot* and *title* make it a part of the gap. *Facts* looks at the gaps both with and without such tokens.
//! *Words* joins gaps that are up to two tokens apart.
//!
//! *Slot.* B is another message if a gap in the middle has at least 3 tokens on each side, and about as many on both (at most twice as many
//! and one). A gap at an end does not count: longer texts that begin otherwise often have only another headline. Three tokens for three are
//! two typos, and no slot, if the middle one is the same and another one sounds or looks alike: 的一致 / 得一至.
//!
//! *Title.* If n < 20 and the similarity is less than 0.83, 2 tokens for 2 are enough, and a gap at an end counts: 美食街今天在人民广场开幕 /
//! 车展会今天在人民广场开幕. B may still be [inside](super::thresholds) A. In a comment on a repost such a gap does not count.
//!
//! In both steps a gap says nothing if it has only typos, synonyms, a number in another script, or random letters at the end. No gap says
//! anything if B has only clauses or list items of A, in any order. A mask that a corpus puts for a name (`NAME`) says nothing in a title.
//!
//! *Facts* and *words* ask [`facts`] about each gap.

use std::cell::OnceCell;

use super::align::{SingleMatches, gaps};
use super::decision::{Reason, Refusal};
use super::gap::Gap;
use super::refill::is_slot;
use crate::config::{Policy, Templates};
use crate::rule::facts::{self, Conflict, Count, Edit, News};
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::tokens::Token;

/// How much the differing words say, if none of them is news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Nothing,
    /// The words share a character, or are left out.
    LittleElse,
    Something,
}

/// Two messages with their matching tokens.
pub(super) struct Aligned<'a> {
    a: GistView<'a>,
    b: GistView<'a>,
    /// Pairs of places of equal tokens in a and in b, both rising.
    matches: &'a [(usize, usize)],
    policy: Policy,
    has_no_new_clause: OnceCell<bool>,
}

impl<'a> Aligned<'a> {
    pub(super) fn new(a: GistView<'a>, b: GistView<'a>, matches: &'a [(usize, usize)], policy: Policy) -> Self {
        Self { a, b, matches, policy, has_no_new_clause: OnceCell::new() }
    }

    fn lengths(&self) -> (usize, usize) {
        (self.a.body.list.len(), self.b.body.list.len())
    }

    /// Whether b has only clauses or list items of a, perhaps in another order.
    fn has_no_new_clause(&self) -> bool {
        *self.has_no_new_clause.get_or_init(|| facts::has_no_new_clause(self.a, self.b))
    }

    /// Whether the other words in a gap say something else. With `masks`, what a corpus puts for a name says nothing.
    fn differs_in_meaning(&self, gap: &Gap, masks: bool) -> bool {
        let (a, b) = (self.a, self.b);
        let is_same = || {
            self.policy.has_facts()
                && (facts::say_the_same(a, b, gap, masks)
                    || !self.policy.is_careful() && facts::other_agencies(a, b, gap).is_some())
        };
        let folds = self.policy.templates == Templates::Fold;
        !(folds || facts::is_noise(a, b, gap) || self.has_no_new_clause() || is_same())
    }

    /// Takes the step *slot*: refuses the pair if a slot in the middle is filled with other words.
    pub(super) fn slot(&self, found: &mut Vec<Gap>) -> Result<(), Refusal> {
        gaps(self.matches, self.lengths(), SingleMatches::Ignore, found);
        let (x, y) = (self.a.body.list, self.b.body.list);
        match found.iter().find(|gap| is_slot(x, y, gap) && self.differs_in_meaning(gap, false)) {
            Some(slot) => Err(Refusal::at(slot.clone(), Reason::Replaced)),
            None => Ok(()),
        }
    }

    /// Takes the step *title*: returns the first gap of [`slot`](Self::slot) in which two tokens or more replace two or more.
    pub(super) fn replaced_in_title(&self, found: &[Gap]) -> Option<Gap> {
        let matched = |Gap { a, b }: &Gap| self.matches.iter().filter(|(i, j)| a.contains(i) && b.contains(j)).count();
        let is_replaced = |gap: &Gap| {
            let least = 2 + matched(gap);
            gap.a.len() >= least && gap.b.len() >= least
        };
        found
            .iter()
            .find(|gap| {
                gap.b.end > self.b.comment_tokens as usize && is_replaced(gap) && self.differs_in_meaning(gap, true)
            })
            .cloned()
    }

    /// Takes the step *facts*: compares numbers, signs, units, words of letters, works and roles.
    pub(super) fn facts(&self, found: &mut Vec<Gap>) -> Result<(), Refusal> {
        let (a, b) = (self.a, self.b);
        let counts = |list: &[Token]| facts::counts(list).collect::<Vec<_>>();
        let place = |count: Count| count.at as usize..count.at as usize + 1;
        if [a, b].iter().all(|text| facts::has_numbers(text.body.list))
            && let Some((of_a, of_b)) = facts::counts_differ(&counts(a.body.list), &counts(b.body.list))
        {
            return Err(Refusal::at(Gap { a: place(of_a), b: place(of_b) }, Reason::Fact(Conflict::Number)));
        }
        if let Some((place, conflict)) = facts::signs_differ(a, b, there(self.matches), self.policy.is_careful()) {
            return Err(Refusal::at(place, Reason::Fact(conflict)));
        }
        for single in [SingleMatches::Ignore, SingleMatches::Keep] {
            gaps(self.matches, self.lengths(), single, found);
            let mut conflicts = found.iter().filter_map(|gap| Some((gap, facts::conflict(a, b, gap)?)));
            if let Some((gap, conflict)) = conflicts.next()
                && !self.has_no_new_clause()
            {
                return Err(Refusal::at(gap.clone(), Reason::Fact(conflict)));
            }
        }
        let exchanged = || facts::exchanged(a, b, found).filter(|_| !self.has_no_new_clause());
        if let Some(place) = facts::other_title(a, b) {
            return Err(Refusal::at(place, Reason::Fact(Conflict::Work)));
        }
        if let Some((place, group)) = facts::other_actor(a, b) {
            return Err(Refusal::at(place, Reason::Fact(Conflict::Class(group))));
        }
        if let Some(place) = facts::denied_otherwise(a, b) {
            return Err(Refusal::at(place, Reason::Fact(Conflict::Negation)));
        }
        let suffered = || facts::suffered(a, b, found);
        match facts::swapped(a, b).or_else(|| facts::reranked(a, b)).or_else(exchanged).or_else(suffered) {
            Some(place) => Err(Refusal::at(place, Reason::Fact(Conflict::Roles))),
            None => Ok(()),
        }
    }

    /// Takes the step *words*: looks for words that are facts, and for content words that are news. If A is a mere `subject`, any
    /// difference that is not harmless is news. `found` are the gaps of [`facts`](Self::facts). Returns how much all differences say
    /// together.
    pub(super) fn words(&self, found: &[Gap], subject: bool) -> Result<Weight, Refusal> {
        let (a, b) = (self.a, self.b);
        let careful = self.policy.is_careful();
        let differences = facts::differences(a, b, found, careful || facts::is_question(a, b));
        let differences = facts::up_to_fact(differences, b);
        if subject && let Some(news) = differences.iter().find(|difference| difference.edit != Edit::Harmless) {
            return Err(Refusal::at(news.place.clone(), Reason::Added));
        }
        let news = facts::news(&differences, a, b, careful).filter(|_| !self.has_no_new_clause());
        let anywhere = || {
            let follow_up = || facts::followed_up(a, b, &differences).map(|place| (place, News::Added));
            facts::another_member(a, b, &differences).or_else(follow_up)
        };
        if let Some((place, news)) = news.or_else(anywhere) {
            let reason = match news {
                News::Fact(conflict) => Reason::Fact(conflict),
                News::Replaced => Reason::Replaced,
                News::Added => Reason::Added,
            };
            return Err(Refusal::at(place, reason));
        }
        let are_all = |is_so: fn(Edit) -> bool| differences.iter().all(|difference| is_so(difference.edit));
        Ok(match self.decides(found) {
            false if are_all(|edit| edit == Edit::Harmless) => Weight::Nothing,
            false if are_all(is_reworded) => Weight::LittleElse,
            _ => Weight::Something,
        })
    }

    /// Whether one side of a gap has a word that negates or asks, and the other side has no such word: 最不喜欢 / 喜欢.
    fn decides(&self, found: &[Gap]) -> bool {
        let is_one = |token: &Token| CUES.deciding.has_code(*token);
        let (a, b) = (self.a.body.list, self.b.body.list);
        found.iter().any(|gap| {
            let [p, q] = gap.of(a, b);
            p.iter().any(is_one) != q.iter().any(is_one)
        })
    }
}

/// Whether the difference is harmless, a rewording with a common character, or an omission.
fn is_reworded(edit: Edit) -> bool {
    matches!(edit, Edit::Harmless | Edit::Reworded | Edit::Dropped)
}

/// Returns a function that maps a token of A to the token of B that it matches. `matches` rise.
pub(super) fn there(matches: &[(usize, usize)]) -> impl Fn(usize) -> Option<usize> + '_ {
    |at| matches.binary_search_by_key(&at, |pair| pair.0).ok().map(|found| matches[found].1)
}

//! Classifies each difference of two texts: a typo, a fact, other words, more, or less. [`news`](mod@super::news) decides what a difference
//! means for the verdict.
//!
//! 山风等等我 / 山风山风等等我 is [harmless](Edit::Harmless), 河南发布 / 河北发布 is another [fact](Edit::Fact), 辩论 / 表决 are other words
//! ([`Edit::Replaced`]), 停运 / 停运，无人受伤 is [more](Edit::Added).

mod added;
mod number_for_word;

use std::ops::Range;

use super::Conflict;
use super::adverts::is_beside;
use super::bylines::other_agencies;
use super::clauses::is_joint;
use super::connectives::{is_connective, is_tail, set_apart};
use super::counts::has_numbers;
use super::events::is_other_event;
use super::members::{member_for_member, other_brand};
use super::negation::{has_flag, negated};
use super::nouns::{are_other_rows, is_other_modifier};
use super::number_marks::{is_laughter, is_mark, is_model};
use super::one_sided::{are_classifiers, every, is_again, is_counted_one, is_elsewhere, is_half};
use super::person::{are_names, is_person, is_relative};
use super::places::is_other_place;
use super::slips::{
    SMALL, is_alike, is_dropped, is_loose, is_mask, is_misspelling, is_negating, is_numeral_slip, is_page_code,
    is_regrouped, is_said, is_slip, is_suffix,
};
use super::slots::{Slot, has_clause_boundaries, is_misspelt, join};
use super::text_kind::{Asks, EACH_WORD_BELOW, questions, who_asks};
use super::views::is_question_of_views;
use super::words::Word;
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, number};
use added::added;
use number_for_word::is_number_for_word;

/// Longer gaps, in tokens, are passages: their words are not compared one by one.
const WORDS_UPTO: usize = 16;
/// At most this many differences are looked at. A text with more was written anew, and is judged by what both have in common.
const MOST_DIFFERENCES: usize = 8;
/// A text says within this many tokens from its beginning that it corrects another one.
const FRONT: usize = 10;
/// A word of at least this frequency (log2) says too little to count as a word of its own.
const FREQUENT_WORD: u32 = 12;
/// Shortest idiom, in tokens.
const IDIOM: usize = 4;

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// The same is said: a typo, a synonym, filler.
    Harmless,
    /// Another fact.
    Fact(Conflict),
    /// Words in the place of words with a common character: 抢救 / 急救.
    Reworded,
    /// Content words in the place of other content words.
    Replaced,
    /// B says more.
    Added {
        /// The number of added tokens.
        tokens: usize,
        /// Whether a number is among the added tokens.
        number: bool,
    },
    /// B says less.
    Dropped,
    /// Another passage, or all differences beyond those that are looked at.
    Passage,
}

/// A place where two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The place, extended to whole words.
    pub(crate) place: Gap,
    /// The stretches that do not match there.
    pub(crate) gap: Gap,
    /// The kind of the difference.
    pub(crate) edit: Edit,
    /// Whether whole clauses differ: in both texts the place begins and ends with clauses.
    pub(crate) clauses: bool,
}

/// Returns the differences of two texts in these gaps, in order. Each is classified only when it is asked for.
pub(crate) fn differences<'t>(
    a: GistView<'t>,
    b: GistView<'t>,
    gaps: &[Gap],
    careful: bool,
) -> impl Iterator<Item = Difference> + use<'t> {
    let gaps = set_apart(a, b, gaps);
    let is_alone = |at: usize| {
        let slot = Slot::bare(a, b, &gaps, at, careful);
        is_connective(a, b, &gaps[at])
            || is_tail(a, b, &gaps[at])
            || is_mark(&slot)
            || !careful && (slot.is_filler() || slot.is_wording())
    };
    let joined = join(&gaps, a.body.list, b.body.list, is_alone);
    // One more difference represents all the others.
    let (most, rest) = (joined.len().min(MOST_DIFFERENCES), joined.get(MOST_DIFFERENCES).cloned());
    let rest = rest.map(|gap| whole(&gap, Edit::Passage));
    (0..most).map(move |at| difference(a, b, &joined, at, careful)).chain(rest)
}

/// Classifies the difference in one of the joined gaps. The first of these steps that applies decides:
/// 1. B corrects another text.
/// 2. One text asks how its readers see the news.
/// 3. The gap is in the comments on a repost, and one comment says the opposite of the other.
/// 4. Only one of the texts asks something, or only one title says that it is to come, or happens again.
/// 5. What is added or left out says nothing.
/// 6. Each text names another paper or agency.
/// 7. A passage, a comment, or one of several additions is not compared word by word. An addition is, if it ends with a negation.
/// 8. The words are compared.
fn difference(a: GistView<'_>, b: GistView<'_>, joined: &[Gap], at: usize, careful: bool) -> Difference {
    let gap @ Gap { a: p, b: q } = &joined[at];
    let (more, is_pure) = (gap.longer(), gap.is_pure());
    if is_correction(a, b, joined, at) {
        return whole(gap, Edit::Fact(Conflict::Correction));
    }
    if !careful && is_question_of_views(a, b, gap) {
        return whole(gap, Edit::Harmless);
    }
    let is_comment = b.comment_tokens > 0 && q.end <= b.comment_tokens as usize;
    // 支持 and 反对 of the same text are two remarks.
    if is_comment && !careful && p.end <= a.comment_tokens as usize && more <= SMALL {
        let slot = Slot::new(a, b, joined, at, careful);
        let edit = classify(&slot);
        if says_the_opposite(&slot, edit) {
            return Difference { place: slot.whole, gap: slot.gap, edit, clauses: false };
        }
    }
    let asks = who_asks(a, b, gap);
    if asks == Some(Asks::One) && questions(a) != questions(b) {
        return whole(gap, Edit::Fact(Conflict::Negation));
    }
    if is_other_event(a, b, gap) {
        return whole(gap, Edit::Fact(Conflict::Qualifier));
    }
    let is_there = || is_said(a, b, q) || is_elsewhere(a, b, joined, at) || is_again(b, gap);
    let says_nothing = || is_beside(a, b, gap) || is_connective(a, b, gap) || is_there() || asks == Some(Asks::Both);
    if is_pure && says_nothing() {
        return whole(gap, Edit::Harmless);
    }
    if !is_pure
        && !careful
        && let Some(heads) = other_agencies(a, b, gap)
    {
        return whole(&heads, Edit::Harmless);
    }
    let is_one_of_several = is_pure && (more > SMALL && joined.len() > 1 || more > 2 && joined.len() > 2);
    let refutes = || has_flag(a, p, lexicon::REFUTATION) || has_flag(b, q, lexicon::REFUTATION);
    // A negation at the end denies what follows, which both texts have: 公交司机猝死不被认定工伤 / 福建猝死公交司机被认定工伤.
    let denies_next = || {
        let is_last = |text: GistView<'_>, at: &Range<usize>| {
            at.len() <= SMALL
                && !text.ends_clause(at.end)
                && at.clone().last().is_some_and(|last| is_negating(text.body.list[last]))
        };
        is_last(a, p) || is_last(b, q)
    };
    let is_taken_whole = !careful && (is_comment || is_one_of_several && !refutes());
    if more > WORDS_UPTO || is_taken_whole && (is_comment || !denies_next()) {
        return whole(gap, unread(b, gap));
    }
    let slot = Slot::new(a, b, joined, at, careful);
    let edit = classify(&slot);
    if is_taken_whole && !matches!(edit, Edit::Fact(_)) {
        return whole(gap, unread(b, gap));
    }
    let clauses = has_clause_boundaries(a, &slot.gap.a) && has_clause_boundaries(b, &slot.gap.b);
    Difference { place: slot.whole, gap: slot.gap, edit, clauses }
}

/// Classifies a gap without a look at its words.
fn unread(b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> Edit {
    match (p.is_empty(), q.is_empty()) {
        (_, true) => Edit::Dropped,
        (true, _) => Edit::Added { tokens: q.len(), number: has_numbers(&b.body.list[q.clone()]) },
        _ => Edit::Passage,
    }
}

/// Whether B corrects another text: its remark says that the reposted text is wrong or over, it begins with 更正 or the like, or it adds such
/// a clause at its end.
fn is_correction(a: GistView<'_>, b: GistView<'_>, joined: &[Gap], at: usize) -> bool {
    let Gap { a: p, b: q } = &joined[at];
    let is_comment = b.comment_tokens > 0 && q.end <= b.comment_tokens as usize;
    let is_front = || at == 0 && (!p.is_empty() || joined.len() > 1) && corrects(b, q) && !corrects(a, &(0..0));
    let is_end = || p.is_empty() && p.start == a.body.list.len() && is_erratum(b, q.start, q);
    is_comment && has_flag(b, q, lexicon::REFUTATION | lexicon::CORRECTION) || is_front() || is_end()
}

/// A difference that covers the whole gap, without a look at its words.
fn whole(gap: &Gap, edit: Edit) -> Difference {
    Difference { place: gap.clone(), gap: gap.clone(), edit, clauses: true }
}

/// Whether one remark says the opposite of the other.
fn says_the_opposite(slot: &Slot<'_>, edit: Edit) -> bool {
    let words = |side: usize| slot.sensed(side).into_iter().map(|found| found.entry);
    match edit {
        Edit::Fact(Conflict::Class(_)) => words(0).any(|x| words(1).any(|y| slot.lexicon.are_opposites(x, y))),
        Edit::Fact(conflict) => conflict == Conflict::Negation,
        _ => false,
    }
}

/// Whether a `stretch` begins a text, and a clause at its beginning says that it corrects another text: 更正：…, 不好意思，刚才说错了，…
fn corrects(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let starts = text.clause_ends().take_while(|start| *start < FRONT);
    stretch.start == 0 && std::iter::once(0).chain(starts).any(|start| is_erratum(text, start, stretch))
}

/// Whether 更正 or a similar word begins at `start` and ends with its clause or with the `stretch`.
fn is_erratum(text: GistView<'_>, start: usize, stretch: &Range<usize>) -> bool {
    let list = text.body.list;
    let is_end = |at: usize| at == stretch.end || text.ends_clause(at);
    let mut found = false;
    lexicon::lexicon().words_at(list, start, |length, entry| {
        found |= entry.is(lexicon::ERRATUM) && is_end(start + length);
    });
    found
}

/// Classifies the difference in a slot. The first question that applies decides, so the order matters: an added negation and the members of
/// a class come before misspellings.
fn classify(slot: &Slot<'_>) -> Edit {
    let [x, y] = slot.sides();
    if is_page_code(x) != is_page_code(y) || is_laughter(x) != is_laughter(y) || is_regrouped(slot) || is_mark(slot) {
        return Edit::Harmless;
    }
    if let Some(count) = every(slot) {
        return if count == number(1) { Edit::Harmless } else { Edit::Fact(Conflict::Number) };
    }
    if is_model(slot) {
        return Edit::Fact(Conflict::Qualifier);
    }
    let counts_alike = || are_classifiers(slot.a, slot.b, &slot.gap) || !slot.careful && is_counted_one(slot);
    if is_slip(slot) || is_suffix(slot.a, slot.b, &slot.gap) || counts_alike() {
        return Edit::Harmless;
    }
    if let Some(group) = other_brand(slot) {
        return Edit::Fact(Conflict::Class(group));
    }
    if is_person(slot) {
        return Edit::Fact(member_for_member(slot).map_or(Conflict::Person, Conflict::Class));
    }
    if is_relative(slot) {
        return Edit::Fact(Conflict::Person);
    }
    // 可以 / 不可以 is a negation, and only then a pair of opposites.
    if slot.gap.is_pure()
        && let Some(conflict) = negated(slot)
    {
        return Edit::Fact(conflict);
    }
    if let Some(group) = member_for_member(slot) {
        return Edit::Fact(Conflict::Class(group));
    }
    if is_other_place(slot) {
        return Edit::Fact(Conflict::Place);
    }
    if is_misspelt(slot.lexicon, x, y) || is_numeral_slip(slot.lexicon, x, y) {
        // A misspelt name may be another name.
        let bare = || !slot.has_particle() && slot.is_bare(0, &slot.gap.a) && slot.is_bare(1, &slot.gap.b);
        return if slot.careful && slot.follows_surname() && bare() { Edit::Reworded } else { Edit::Harmless };
    }
    // 无缘 / 缺席.
    if slot.are_synonyms() || slot.are_fillers() {
        return Edit::Harmless;
    }
    if let Some(conflict) = negated(slot) {
        return Edit::Fact(if are_names(slot.lists(), &slot.gap) { Conflict::Person } else { conflict });
    }
    if is_number_for_word(slot) {
        return Edit::Fact(Conflict::NumberForWord);
    }
    replaced(slot)
}

/// Classifies a slot in which content words are replaced, added or left out.
fn replaced(slot: &Slot<'_>) -> Edit {
    let [x, y] = slot.lists();
    let [of_a, of_b] = unsaid(slot);
    // 鞋子 and 袜子 are two things, and no slip, because both are words.
    let is_known = |words: &[&Word]| matches!(words, [word] if word.is_known());
    let are_known = is_known(&of_a) && is_known(&of_b);
    if is_dropped(slot) {
        return Edit::Harmless;
    }
    if are_known && is_other_modifier(slot.a, slot.b, &slot.whole, &slot.gap) {
        return Edit::Replaced;
    }
    let (p, q, alike) = (tokens(&of_a, x), tokens(&of_b, y), is_alike(slot));
    let is_slip = || is_misspelling(slot) && (alike || !are_known) || is_loose(slot);
    if !slot.careful && is_slip() || is_mask(&p) || is_mask(&q) {
        return Edit::Harmless;
    }
    match (p.is_empty(), q.is_empty()) {
        // 家属 / 本人: the side without a content word has a word there, too.
        (true, false) if !slot.gap.is_pure() && !alike && has_own_word(slot, 0) => Edit::Replaced,
        (false, true) if !slot.gap.is_pure() && !alike && has_own_word(slot, 1) => Edit::Replaced,
        (true, true) => Edit::Harmless,
        (true, false) => added(slot, &q),
        // A half that is cut off at the end contradicts nothing.
        (false, true) if is_half(slot) => Edit::Fact(Conflict::Number),
        (false, true) => Edit::Dropped,
        (false, false) => {
            let (p, q) = heads_off(&p, &q);
            let are_rows = || are_other_rows(&of_a, &of_b, [x, y]);
            let have_common = p.iter().any(|token| q.contains(token));
            if !have_common || !alike && (are_others(slot) || are_rows()) {
                Edit::Replaced
            } else {
                reworded(slot, q, are_known)
            }
        }
    }
}

/// Returns the content words of each side that the other side does not say: it has neither the word, nor a synonym, nor a misspelling of
/// it.
fn unsaid<'s>(slot: &'s Slot<'_>) -> [Vec<&'s Word>; 2] {
    let [x, y] = slot.lists();
    let [mut of_a, mut of_b] = [0, 1].map(|side| slot.content(side).collect::<Vec<_>>());
    let is_said = |word: &Word, other: &Word| {
        word.is_synonym(other, slot.lexicon) || is_misspelt(slot.lexicon, word.tokens(x), other.tokens(y))
    };
    of_a.retain(|word| {
        let same = of_b.iter().position(|other| is_said(word, other));
        same.map(|same| of_b.remove(same)).is_none()
    });
    // 未 is an adverb, 没有 a verb, but they say the same.
    of_b.retain(|word| !slot.only[0].iter().any(|other| other.is_synonym(word, slot.lexicon)));
    [of_a, of_b]
}

/// Whether a side has a known and not too frequent word there of which the other side has no synonym.
fn has_own_word(slot: &Slot<'_>, side: usize) -> bool {
    let says = |entry: lexicon::Entry| !entry.is(lexicon::FILLER) && entry.log_frequency() < FREQUENT_WORD;
    slot.only[side].iter().any(|word| {
        let is_said = || slot.only[1 - side].iter().any(|other| word.is_synonym(other, slot.lexicon));
        word.is_known() && word.entry.is_some_and(says) && !is_said()
    })
}

/// Classifies words that have a character in common with the words in their place. `q` are the tokens of those of B.
fn reworded(slot: &Slot<'_>, q: &[Token], are_known: bool) -> Edit {
    if !slot.gap.is_pure() && slot.gap.longer() > 1 || slot.careful || are_known {
        return Edit::Reworded;
    }
    // 温客行 / 温客行气场, where 行气 seems to be a word; but not 高大上 / 的确高大上.
    let [instead, more] = slot.sides();
    let says = |word: lexicon::Entry| !word.is(lexicon::FILLER) && word.tag() != Tag::Function;
    let is_brief = || slot.a.body.list.len() < EACH_WORD_BELOW;
    let is_more = instead.is_empty() && more.len() > 1 && is_brief() && slot.lexicon.get(more).is_none_or(says);
    if is_more { added(slot, q) } else { Edit::Harmless }
}

fn tokens(words: &[&Word], list: &[Token]) -> Vec<Token> {
    words.iter().flat_map(|word| word.tokens(list)).copied().collect()
}

/// Whether two characters or more replace others, with none in common but 和. The words around them may share some: 花生酱 / 沙茶酱. In an idiom
/// such a difference is a slip.
fn are_others(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.sides();
    let is_idiom = |word: &Word| {
        let is_phrase = word.entry.is_some_and(|entry| entry.tag() == Tag::Phrase);
        is_phrase && word.range.len() >= IDIOM && word.range.len() >= x.len().max(y.len()) + 2
    };
    let disjoint = !x.iter().any(|token| !is_joint(*token) && y.contains(token));
    x.len().min(y.len()) > 1 && disjoint && !slot.only.iter().flatten().any(is_idiom)
}

/// Returns both sides without a common noun at the end: 财务部 / 研发部.
fn heads_off<'a>(p: &'a [Token], q: &'a [Token]) -> (&'a [Token], &'a [Token]) {
    let is_head = |token: &Token| CUES.head.has_code(*token);
    let tail = p.iter().rev().zip(q.iter().rev()).take_while(|(p, q)| p == q && is_head(p)).count();
    (&p[..p.len() - tail], &q[..q.len() - tail])
}

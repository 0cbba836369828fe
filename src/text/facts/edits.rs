//! What each place where two texts differ does to what they say.

use std::ops::Range;

use super::slips::{SMALL, is_code, is_dropped, is_loose, is_mask, is_misspelling, is_suffix, is_transposed};
use super::slots::{Gap, Slot, is_misspelt, join};
use super::words::{COMMON, Word};
use super::{Conflict, is_numeric, value};
use crate::text::GistView;
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, is_number, is_reference, is_word};

/// Longer gaps, in tokens, are passages: none of their words stands for another.
const PASSAGE: usize = 16;
/// So many differences are looked at: texts with more were written anew, and their words are judged by the shares they have in common.
const MOST: usize = 8;
/// Longest gap, in tokens a side, in which refutations are compared.
const REFUTED: usize = 16;
/// Longest name of a person, in tokens.
const NAME: usize = 3;
/// Longest word, in tokens, that a number stands for.
const WORD: usize = 5;

/// What a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Nothing else is said: a typo, a synonym, filler.
    Harmless,
    /// Another fact.
    Fact(Conflict),
    /// Words for words that have a character in common: 抢救 / 急救.
    Reworded,
    /// Content words for other content words.
    Replaced,
    /// B says more.
    Added {
        /// So many tokens.
        tokens: usize,
        /// Whether a number is among them.
        number: bool,
    },
    /// B says less.
    Dropped,
    /// Another passage, or more differences than are looked at.
    Passage,
}

/// A place where two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The place, as far as words go.
    pub(crate) place: Gap,
    /// What does not match there.
    pub(crate) gap: Gap,
    /// What it is.
    pub(crate) edit: Edit,
    /// Whether whole clauses differ: the place begins and ends with them in both texts.
    pub(crate) clauses: bool,
}

/// The differences of two texts in these gaps, in their order.
pub(crate) fn differences(a: GistView<'_>, b: GistView<'_>, gaps: &[Gap], careful: bool) -> Vec<Difference> {
    let joined = join(gaps);
    let differ = |at: usize| {
        let (p, q) = &joined[at];
        let more = p.len().max(q.len());
        let pure = p.is_empty() || q.is_empty();
        // What is only added or left out has no word in its place; whether it is filler matters where it is all that differs.
        let comment = b.comments > 0 && q.end <= b.comments as usize;
        if comment && says(b, q, lexicon::REFUTATION | lexicon::CORRECTION) {
            let (place, gap) = ((p.clone(), q.clone()), (p.clone(), q.clone()));
            return Difference { place, gap, edit: Edit::Fact(Conflict::Correction), clauses: true };
        }
        let many = pure && (more > SMALL && joined.len() > 1 || more > 2 && joined.len() > 2);
        if more > PASSAGE || !careful && (comment || many && !says(b, q, lexicon::REFUTATION)) {
            let edit = match (p.is_empty(), q.is_empty()) {
                (_, true) => Edit::Dropped,
                (true, _) => Edit::Added {
                    tokens: q.len(),
                    number: b.body.list[q.clone()].iter().any(|token| is_number(*token)),
                },
                _ => Edit::Passage,
            };
            return Difference { place: (p.clone(), q.clone()), gap: (p.clone(), q.clone()), edit, clauses: true };
        }
        let slot = Slot::new(a, b, &joined, at, careful);
        let edit = classify(&slot);
        let clauses = is_clauses(a, &slot.gap.0) && is_clauses(b, &slot.gap.1);
        Difference { place: slot.whole, gap: slot.gap, edit, clauses }
    };
    let found = (0..joined.len().min(MOST)).map(differ);
    // One more stands for all the others.
    let rest = joined.get(MOST..).unwrap_or_default().first();
    let other = |(p, q): &Gap| Difference {
        place: (p.clone(), q.clone()),
        gap: (p.clone(), q.clone()),
        edit: Edit::Passage,
        clauses: true,
    };
    found.chain(rest.map(other)).collect()
}

/// Whether the stretch begins and ends with clauses.
fn is_clauses(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let ends = |at: usize| at == 0 || at == text.body.list.len() || text.breaks.contains(&(at as u32));
    ends(stretch.start) && ends(stretch.end)
}

fn classify(slot: &Slot<'_>) -> Edit {
    let [x, y] = slot.sides();
    if is_code(x) != is_code(y) {
        return Edit::Harmless;
    }
    if is_transposed(slot) || is_suffix(slot.a, slot.b, &slot.gap) {
        return Edit::Harmless;
    }
    if is_person(slot) {
        return Edit::Fact(Conflict::Person);
    }
    let [x, y] = slot.sides();
    // 不可以 is 可以 with a negation before it is its opposite.
    if let Some(conflict) = negated(slot).filter(|_| x.is_empty() || y.is_empty()) {
        return Edit::Fact(conflict);
    }
    if let Some(group) = member_for_member(slot) {
        return Edit::Fact(Conflict::Class(group));
    }
    if is_misspelt(slot.lexicon, x, y) {
        return Edit::Harmless;
    }
    if let Some(conflict) = negated(slot) {
        return Edit::Fact(conflict);
    }
    if number_for_word(slot) {
        return Edit::Fact(Conflict::NumberForWord);
    }
    replaced(slot)
}

/// Another name behind or before a cue, one character of it at least: 张老师 / 李老师, 何书瑶同学 / 何书琪同学.
fn is_person(slot: &Slot<'_>) -> bool {
    let (p, q) = &slot.gap;
    let is_name = |gap: &Range<usize>| (1..=NAME).contains(&gap.len());
    if !is_name(p) || !is_name(q) {
        return false;
    }
    let [x, y] = slot.lists();
    let word = |list: &[Token], range: Range<usize>, flag: u64| {
        list.get(range).and_then(|tokens| slot.lexicon.get(tokens)).is_some_and(|entry| entry.is(flag))
    };
    // The name begins with a surname, in the gap or up to two characters before it.
    let starts = |list: &[Token], gap: &Range<usize>| {
        (gap.start.saturating_sub(2)..=gap.start).rev().find(|at| word(list, *at..*at + 1, lexicon::SURNAME))
    };
    let (Some(i), Some(j)) = (starts(x, p), starts(y, q)) else { return false };
    if p.start - i != q.start - j || p.end - i > NAME || q.end - j > NAME {
        return false;
    }
    // 东南亚 begins with a surname and is no name.
    let is_word = |list: &[Token], name: Range<usize>| {
        let entry = slot.lexicon.get(&list[name.clone()]);
        name.len() > 1 && entry.is_some_and(|entry| !matches!(entry.tag(), Tag::None | Tag::Name))
    };
    if is_word(x, i..p.end) || is_word(y, j..q.end) {
        return false;
    }
    let after =
        (p.end..=p.end + 1).take(1).any(|at| (1..=3).any(|length| word(x, at..at + length, lexicon::CUE_AFTER)));
    let before = (1..=4).any(|length| i >= length && word(x, i - length..i, lexicon::CUE_BEFORE));
    let numbers =
        x[p.clone()].iter().chain(&y[q.clone()]).any(|token| character(*token).is_none() || is_numeric(*token));
    (after || before) && !numbers && !is_misspelt(slot.lexicon, &x[p.clone()], &y[q.clone()])
}

/// Whether the stretch has a word of this kind, outside of idioms.
pub(super) fn says(text: GistView<'_>, stretch: &Range<usize>, flag: u64) -> bool {
    let (list, mut at) = (text.body.list, stretch.start);
    while at < stretch.end {
        let (mut found, mut idiom) = (0, 0);
        lexicon::lexicon().words_at(&list[..stretch.end], at, |length, entry| {
            found = if entry.is(flag) { length } else { found };
            idiom = if entry.is(lexicon::IDIOM) { length } else { idiom };
        });
        if found > idiom {
            return true;
        }
        at += idiom.max(1);
    }
    false
}

/// Whether it is nothing but words of this kind.
fn is_all(list: &[Token], flag: u64) -> bool {
    let mut longest = 0;
    lexicon::lexicon().words_at(list, 0, |length, entry| longest = if entry.is(flag) { length } else { longest });
    longest > 0 && (longest == list.len() || is_all(&list[longest..], flag))
}

/// One member of a class in the place of another, or a word in that of its opposite: 红色预警 / 橙色预警, 加息 / 降息.
fn member_for_member(slot: &Slot<'_>) -> Option<u16> {
    let [x, y] = slot.lists();
    let (of_a, of_b) = (slot.sensed(0), slot.sensed(1));
    let (p, q) = &slot.gap;
    // The word inside another one is no second one: 祖母 of 外祖母.
    let has = |list: &[Token], range: &Range<usize>, word: &[Token], but: &Range<usize>| {
        let is_other = |at: usize| at < but.start || at + word.len() > but.end;
        let mut windows = list[range.clone()].windows(word.len()).enumerate();
        windows.any(|(at, tokens)| tokens == word && is_other(range.start + at))
    };
    let by_words = of_a.iter().find_map(|(i, entry)| {
        of_b.iter().find_map(|(j, other)| {
            let before = p.start as isize - i.start as isize == q.start as isize - j.start as isize;
            let after = i.end as isize - p.end as isize == j.end as isize - q.end as isize;
            let single = i.len() == 1 || j.len() == 1;
            let alone = !single || p.len() <= 1 && q.len() <= 1;
            let (word, instead) = (&x[i.clone()], &y[j.clone()]);
            let moved = has(x, &slot.whole.0, instead, i)
                || has(y, &slot.whole.1, word, j)
                || has(x, &(0..x.len()), instead, i) && has(y, &(0..y.len()), word, j);
            // Next to what is only added or left out stand words that have no other in their place.
            let placed = if p.is_empty() || q.is_empty() { before && after } else { before || after };
            if placed && alone && !moved { slot.lexicon.conflict(*entry, *other) } else { None }
        })
    });
    let by_characters = || match (&x[p.clone()], &y[q.clone()]) {
        ([i], [j]) => slot.lexicon.conflict(slot.lexicon.get(&[*i])?, slot.lexicon.get(&[*j])?),
        _ => None,
    };
    by_words.or_else(by_characters)
}

/// 不, 非, 未, or a title's 副, or a refutation, on one side only.
fn negated(slot: &Slot<'_>) -> Option<Conflict> {
    let (p, q) = &slot.gap;
    if p.len() <= SMALL && q.len() <= SMALL {
        let pure = p.is_empty() || q.is_empty();
        let negates = [has(slot, 0, lexicon::NEGATION), has(slot, 1, lexicon::NEGATION)];
        // One character for another is a slip more often (难 / 那) unless it does nothing but negate.
        let negating = |token: Token| character(token).is_some_and(|c| "不没未无非勿莫别".contains(c));
        let slip = matches!(slot.sides(), [[i], [j]] if negating(*i) == negating(*j));
        // A clause more, 不要聚集, negates nothing of the others.
        let clause = pure && is_clauses(slot.a, p) && is_clauses(slot.b, q);
        if !slip && !clause && negates[0] != negates[1] && (pure || !is_misspelling(slot)) {
            return Some(Conflict::Negation);
        }
        // What is cut off at the end of a text said nothing wrong.
        let inside = p.end < slot.a.body.list.len() || slot.sides().concat().iter().all(|token| is_word(*token));
        if pure && inside && is_all(&slot.sides().concat(), lexicon::QUALIFIER) {
            return Some(Conflict::Qualifier);
        }
        let exact = |gap: &Range<usize>, list: &[Token]| {
            gap.is_empty() || slot.lexicon.get(&list[gap.clone()]).is_some_and(|entry| entry.is(lexicon::RANK))
        };
        let [x, y] = slot.lists();
        if pure && exact(p, x) && exact(q, y) && has(slot, 0, lexicon::RANK) != has(slot, 1, lexicon::RANK) {
            return Some(Conflict::Rank);
        }
    }
    let refutes =
        |side: usize| slot.only[side].iter().any(|word| word.entry.is_some_and(|entry| entry.is(lexicon::REFUTATION)));
    (p.len() <= REFUTED && q.len() <= REFUTED && refutes(0) != refutes(1)).then_some(Conflict::Refutation)
}

/// Whether a word of this kind begins in the gap, in no idiom, before something else than stands behind it: 能不能 asks.
fn has(slot: &Slot<'_>, side: usize, flag: u64) -> bool {
    let (list, gap, window) = match side {
        0 => (slot.a.body.list, &slot.gap.0, &slot.window.0),
        _ => (slot.b.body.list, &slot.gap.1, &slot.window.1),
    };
    let idiom = |at: usize| {
        // These negate the word that they begin: 避免 has no negation.
        let within = character(list[at]).is_some_and(|c| "免假反伪拒禁".contains(c));
        (window.start..=at).any(|start| {
            // The longest word decides: 没收 is an idiom, 没收到 is not.
            let (mut found, mut idiom, mut negation) = (false, 0, 0);
            slot.lexicon.words_at(&list[..window.end], start, |length, entry| {
                if start + length > at && length > 1 {
                    let common = within && start < at && entry.tag() != Tag::None && entry.log_frequency() >= COMMON;
                    found |= common;
                    idiom = if entry.is(lexicon::IDIOM) { idiom.max(length) } else { idiom };
                    negation = if entry.is(lexicon::NEGATION) { negation.max(length) } else { negation };
                }
            });
            found || idiom > negation
        })
    };
    gap.clone().any(|at| {
        let (mut end, before) = (0, at.checked_sub(1).map(|at| list[at]));
        slot.lexicon.words_at(&list[..gap.end], at, |length, entry| {
            if entry.is(flag) {
                end = at + length
            }
        });
        end > 0
            && list
                .get(end)
                .is_some_and(|after| (flag != lexicon::NEGATION || Some(*after) != before) && *after != list[at])
            && !idiom(at)
    })
}

/// A number on one side, on the other a word that is none: 督办4起事故 / 督办某县事故. A date and a day are not held against each other.
fn number_for_word(slot: &Slot<'_>) -> bool {
    let [x, y] = slot.lists();
    // Which numerals are numbers depends on what follows: 一 of 一大 is none, that of 一天 is.
    let numeric = |side: &[Token], other: &[Token]| {
        let lacks = |token: &Token| other.iter().all(|other| value(*other) != value(*token));
        side.iter().any(|token| is_number(*token) && lacks(token))
    };
    let content = |side: usize, list: &[Token]| {
        let timeless = |word: &&Word| word.entry.is_none_or(|entry| !matches!(entry.tag(), Tag::Time | Tag::Count));
        slot.only[side].iter().any(|word| word.is_content(list) && timeless(&word))
    };
    let timely =
        |side: usize| slot.only[side].iter().any(|word| word.entry.is_some_and(|entry| entry.tag() == Tag::Time));
    let date = |side: usize, list: &[Token]| {
        let range = if side == 0 { &slot.whole.0 } else { &slot.whole.1 };
        list[range.start..(range.end + 1).min(list.len())]
            .iter()
            .any(|token| character(*token).is_some_and(|c| "年月日号点时周".contains(c)))
    };
    let (p, q) = &slot.gap;
    let short = !p.is_empty() && !q.is_empty() && p.len() <= WORD && q.len() <= WORD;
    let [of_a, of_b] = slot.sides();
    let (a, b) = (numeric(of_a, of_b), numeric(of_b, of_a));
    let masked = is_mask(&x[p.clone()]) || is_mask(&y[q.clone()]);
    short
        && !masked
        && a != b
        && !(a && date(0, x))
        && !(b && date(1, y))
        && (if a { content(1, y) && !timely(1) } else { content(0, x) && !timely(0) })
}

/// Content words for others, or more, or less.
fn replaced(slot: &Slot<'_>) -> Edit {
    let [x, y] = slot.lists();
    let content = |side: usize, list: &[Token]| -> Vec<&Word> {
        slot.only[side].iter().filter(|word| word.is_content(list)).collect()
    };
    let (mut of_a, mut of_b) = (content(0, x), content(1, y));
    of_a.retain(|word| {
        let same = of_b.iter().position(|other| match (word.entry, other.entry) {
            (Some(a), Some(b)) => slot.lexicon.same(a, b),
            _ => false,
        } || is_misspelt(slot.lexicon, word.tokens(x), other.tokens(y)));
        same.map(|same| of_b.remove(same)).is_none()
    });
    // 鞋子 and 袜子 are two things, and no slip: both are words.
    let known = |words: &[&Word]| matches!(words, [word] if word.is_known());
    let are_known = known(&of_a) && known(&of_b);
    let (p, q) = (tokens(&of_a, x), tokens(&of_b, y));
    if is_dropped(slot) {
        return Edit::Harmless;
    }
    let slip = !slot.careful && (is_misspelling(slot) || is_loose(slot));
    if slip || is_mask(&p) || is_mask(&q) {
        return Edit::Harmless;
    }
    match (p.is_empty(), q.is_empty()) {
        (true, true) => Edit::Harmless,
        (true, false) => added(slot, &q),
        (false, true) => Edit::Dropped,
        (false, false) => {
            let (p, q) = heads_off(&p, &q);
            if !p.iter().any(|token| q.contains(token)) {
                Edit::Replaced
            } else if slot.gap.0.len().min(slot.gap.1.len()) > 0 && slot.gap.0.len().max(slot.gap.1.len()) > 1
                || slot.careful
                || are_known
            {
                Edit::Reworded
            } else {
                Edit::Harmless
            }
        }
    }
}

fn tokens(words: &[&Word], list: &[Token]) -> Vec<Token> {
    words.iter().flat_map(|word| word.tokens(list)).copied().collect()
}

/// Without the same noun at the end: 财务部 / 研发部.
fn heads_off<'a>(p: &'a [Token], q: &'a [Token]) -> (&'a [Token], &'a [Token]) {
    const HEADS: &str = "队部堂街路湖村市县省区镇院校所店厂馆社站桥江河山岛寺门楼园台班级组科系司行会局厅处长员师家人生者费金款票卡证书号机车船药酒茶糖菜肉鱼果花病症色面市场";
    let is_head = |token: &Token| character(*token).is_some_and(|c| HEADS.contains(c));
    let tail = p.iter().rev().zip(q.iter().rev()).take_while(|(p, q)| p == q && is_head(p)).count();
    (&p[..p.len() - tail], &q[..q.len() - tail])
}

/// What B says more: nothing of weight in a link, an advert, or a source.
fn added(slot: &Slot<'_>, content: &[Token]) -> Edit {
    let q = &slot.gap.1;
    let side = &slot.b.body.list[q.clone()];
    let latin =
        side.iter().all(|token| is_word(*token) || is_number(*token)) && side.iter().any(|token| is_word(*token));
    let mut tail = false;
    for at in q.clone() {
        slot.lexicon.words_at(&slot.b.body.list[..q.end], at, |_, entry| tail |= entry.is(lexicon::TAIL));
    }
    let references = content.iter().all(|token| is_reference(*token));
    let before = q.start.checked_sub(1).map(|at| slot.b.body.list[at]);
    let follows = |chars: &str| before.and_then(character).is_some_and(|c| chars.contains(c));
    // 两年半, 下下周, 7点半.
    let more = |token: Token| match character(token) {
        Some('半' | '下') => before == Some(token) || follows("年个"),
        _ => is_number(token) && follows("点"),
    };
    if matches!(side, [token] if more(*token)) {
        return Edit::Fact(Conflict::Number);
    }
    if latin || references || tail && (q.end == slot.b.body.list.len() || q.start == 0) {
        return Edit::Harmless;
    }
    Edit::Added { tokens: side.len(), number: side.iter().any(|token| is_number(*token)) }
}

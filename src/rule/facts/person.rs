//! Finds another person in the same place: 张老师 / 李老师, 恭喜郭晨同学 / 恭喜郭宸同学.

use std::ops::Range;

use super::named::{NAMED, has_cue_before, has_cue_behind, is_before_cue, is_surname};
use super::numeric::is_plain;
use super::slips::is_typed_twice;
use super::slots::{Slot, is_misspelt};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::lexicon::{self, Kind, Sense, Tag};
use crate::text::tokens::{Token, is_one_of};

/// Longest name, in tokens.
const LONGEST_NAME: usize = *NAMED.end();

/// A character above this frequency (log2) is more often a word than a part of a name.
const RARE_CHARACTER: u32 = 10;

/// Whether the gap has another name, or a part of one, mostly after or before a cue: 张老师 / 李老师, 何书瑶同学 / 何书琪同学; not 老师表示 / 老师称.
pub(super) fn is_person(slot: &Slot<'_>) -> bool {
    let Gap { a: p, b: q } = &slot.gap;
    let is_name = |at: &Range<usize>| (1..=LONGEST_NAME).contains(&at.len());
    if !is_name(p) || !is_name(q) {
        return false;
    }
    let [x, y] = slot.lists();
    if !x[p.clone()].iter().chain(&y[q.clone()]).all(|token| is_plain(*token)) {
        return false;
    }
    // The name begins with a surname, in the gap or up to two characters before it. The nearest surname need not begin the name: in 王芳 /
    // 王燕, 燕 may be a surname, too.
    let mut are_near = true;
    (0..=p.start.min(q.start).min(LONGEST_NAME - 1)).any(|back| {
        let names = Names { slot, starts: [p.start - back, q.start - back] };
        let begin = [0, 1].map(|side| names.begins_with_surname(side));
        let are_first = are_near;
        are_near &= begin == [false; 2];
        begin == [true; 2]
            && (are_first || names.are_given() && names.are_alone())
            && names.are_whole()
            && names.differ()
    }) && !slot.are_synonyms()
}

/// Whether only one text has a relative there, after a pronoun: 我爸生日 / 我生日. At the end of a clause this is a form of address: 谢谢你妈妈，….
pub(super) fn is_relative(slot: &Slot<'_>) -> bool {
    let Some((side, place)) = slot.gap.one_sided() else { return false };
    let list = slot.lists()[side];
    let is_pronoun = |at: usize| is_one_of(list[at], "我你您他她");
    let is_kin = |entry: lexicon::Entry| {
        let name = |sense: Sense| slot.lexicon.name(sense.group);
        slot.lexicon.senses(entry).any(|sense| sense.kind == Kind::Class && ["kin", "kin_char"].contains(&name(sense)))
    };
    place.start.checked_sub(1).is_some_and(is_pronoun)
        && !slot.text(side).ends_clause(place.end)
        && slot.lexicon.get(&list[place.clone()]).is_some_and(is_kin)
}

/// Two possible names, each from a surname to the end of the gap.
struct Names<'s> {
    slot: &'s Slot<'s>,
    /// The places where the names begin.
    starts: [usize; 2],
}

impl Names<'_> {
    fn range(&self, side: usize) -> Range<usize> {
        self.starts[side]..self.slot.gap.place(side).end
    }

    fn begins_with_surname(&self, side: usize) -> bool {
        let start = self.starts[side];
        self.is(self.slot.lists()[side], start..start + 1, lexicon::SURNAME)
    }

    /// Whether the difference comes after the surnames, and has only characters of given names.
    fn are_given(&self) -> bool {
        let mut sides = self.slot.sides().into_iter().flatten();
        self.starts[0] < self.slot.gap.a.start && sides.all(|token| self.is(&[*token], 0..1, lexicon::GIVEN))
    }

    /// Whether no other word begins or ends inside a name (王明天, 致敬英雄), and the beginning of a name is no word (高考生).
    fn are_alone(&self) -> bool {
        let is_alone = |side: usize| {
            let name = self.range(side);
            let is_other = |word: &Range<usize>| {
                let (begins, ends) = (word.start.cmp(&name.start), word.end.cmp(&name.end));
                let inside = word.start < name.end && word.end > name.start;
                inside && (begins.is_lt() != ends.is_gt() || begins.is_eq() && ends.is_lt())
            };
            !self.slot.words(side).any(|word| word.len() > 1 && is_other(&word))
        };
        is_alone(0) && is_alone(1)
    }

    /// Whether both are as short as names, are no words (东南亚 begins with a surname), and are inside one clause.
    fn are_whole(&self) -> bool {
        let is_whole = |side: usize| {
            let (list, name) = (self.slot.lists()[side], self.range(side));
            let word = self.slot.lexicon.get(&list[name.clone()]).filter(|_| name.len() > 1);
            let is_word = word.is_some_and(|word| !matches!(word.tag(), Tag::None | Tag::Name));
            let ends_inside = self.slot.text(side).breaks_in(name.start + 1..name.end);
            name.len() <= LONGEST_NAME && !is_word && !ends_inside
        };
        is_whole(0) && is_whole(1)
    }

    fn is(&self, list: &[Token], range: Range<usize>, flag: u64) -> bool {
        list.get(range).and_then(|tokens| self.slot.lexicon.get(tokens)).is_some_and(|entry| entry.is(flag))
    }

    /// Whether a word directly before or after the names shows that they are names.
    fn has_cue(&self) -> bool {
        let (x, name) = (self.slot.lists()[0], self.range(0));
        has_cue_before(x, name.start) || has_cue_behind(x, name.end)
    }

    /// Whether these are two names without a cue, and neither is a slip of the other: 唐鹏程 / 罗鹏程, 董红霞 / 董涛.
    fn are_other_names(&self) -> bool {
        let (slot, [i, j]) = (self.slot, self.starts);
        let Gap { a: p, b: q } = &slot.gap;
        let [x, y] = slot.lists();
        let is_name = |list: &[Token], name: &Range<usize>| {
            let given = |at: usize| self.is(list, at..at + 1, lexicon::GIVEN);
            NAMED.contains(&name.len()) && is_surname(list[name.start]) && (name.start + 1..name.end).all(given)
        };
        let is_one = |behind: usize| {
            let (of_a, of_b) = (i..p.end + behind, j..q.end + behind);
            let (Some(name), Some(other)) = (x.get(of_a.clone()), y.get(of_b.clone())) else { return false };
            let mut differ = name.iter().zip(other).filter(|(x, y)| x != y);
            name[name.len() - behind..] == other[other.len() - behind..]
                && is_name(x, &of_a)
                && is_name(y, &of_b)
                && slot.is_bare(0, &of_a)
                && slot.is_bare(1, &of_b)
                && !differ.any(|(x, y)| slot.lexicon.resemble(*x, *y))
        };
        (0..LONGEST_NAME).any(is_one)
    }

    fn differ(&self) -> bool {
        let (slot, [i, j]) = (self.slot, self.starts);
        let Gap { a: p, b: q } = &slot.gap;
        let [x, y] = slot.lists();
        let [of_a, of_b] = slot.sides();
        let single = p.len() == 1 && q.len() == 1;
        let are_given = || self.are_given() && self.are_alone();
        if single && slot.has_particle() && !are_given() {
            return false;
        }
        let bare = |i: usize, j: usize| slot.is_bare(0, &(i..p.end)) && slot.is_bare(1, &(j..q.end));
        let pairs = || of_a.iter().zip(of_b);
        if self.has_cue() {
            // 郭晨 and 郭宸 are two people, and so are 陈红 and 陈虹. Characters that only look alike, and are in no name, are a slip.
            let misspelt = is_misspelt(slot.lexicon, of_a, of_b);
            let sounds = || pairs().all(|(i, j)| slot.lexicon.sound_alike(*i, *j));
            return !misspelt || are_given() || sounds() && bare(p.start, q.start);
        }
        if self.are_other_names() {
            return true;
        }
        // Without a cue: a surname, followed by characters that form no word, one of them rare: 沈昕 / 沈听.
        let listed = |list: &[Token], gap: &Range<usize>| {
            let word = slot.lexicon.get(&list[gap.start - 1..gap.end]);
            word.is_some_and(|word| word.has_senses())
        };
        let entries = || of_a.iter().chain(of_b).filter_map(|token| slot.lexicon.get(&[*token]));
        // 涉日 / 涉台 are members of a class.
        single
            && i < p.start
            && !(listed(x, p) && listed(y, q))
            && !pairs().all(|(i, j)| slot.lexicon.resemble(*i, *j))
            && entries().any(|entry| entry.log_frequency() <= RARE_CHARACTER)
            && bare(i, j)
    }
}

/// Whether the gap replaces one person with another. Its sides must have no common token, and [`AROUND`](super::AROUND) tokens around it,
/// or all, must match. Then [`differences`](super::differences) finds another person, if it looks at this gap.
pub(crate) fn is_another(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> bool {
    is_person(&Slot::bare(a, b, std::slice::from_ref(gap), 0, false)) && !is_typed_twice(a, b, gap)
}

/// Whether each side of the gap is a name after or before a cue, or at the beginning of the text: 恭喜张三 / 恭喜李四, 冯提莫… / 周二珂…. The
/// characters of these names may be numerals or negations, which would otherwise be another conflict.
pub(super) fn are_names([x, y]: [&[Token]; 2], Gap { a: p, b: q }: &Gap) -> bool {
    let begins_with_surname = |name: &[Token]| {
        let entry = lexicon::lexicon().get(&name[..1]);
        entry.is_some_and(|entry| entry.is(lexicon::SURNAME))
    };
    let is_name = |list: &[Token], gap: &Range<usize>| {
        NAMED.contains(&gap.len())
            && begins_with_surname(&list[gap.clone()])
            && (gap.start == 0 || has_cue_before(list, gap.start) || is_before_cue(list, gap))
    };
    is_name(x, p) && is_name(y, q)
}

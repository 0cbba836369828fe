//! A slot: a place where two texts differ, with the words there and around it.
//!
//! In 列车延误 / 列车晚点 the gap is 延误 / 晚点. In 明天开卖 / 明天开售 it is 卖 / 售, but the words that differ are 开卖 and 开售. So a slot has the gap, the
//! matching tokens around it, and the words of both texts.

use std::cell::OnceCell;
use std::ops::Range;

use super::numeric::is_numeric;
use super::text_kind::POST;
use super::value;
use super::words::{COMMON, Found, Word, all, cut};
use crate::rule::gap::Gap;
use crate::text::lexicon::{BESIDE, CHARACTER, CIVIL, Entry, FILLER, Lexicon, NEGATION, SURNAME, TAIL, Tag, lexicon};
use crate::text::tokens::{Token, character, is_number, is_one_of, is_word, spelled};
use crate::text::{GistView, numerals, tokens};

/// Gaps at most this many tokens apart are joined: 冻结 / 解冻 have one character in common.
const APART: usize = 2;
/// An adverb, a pronoun or a preposition of at least this frequency (log2) is one wherever it occurs.
pub(super) const PARTICLE: u32 = 11;
/// Posts are nearly the same if A lacks at most this part of B, an eighth.
const NEARLY: usize = 8;
/// At most this many tokens beside a gap may belong to the word that differs there: 开卖 / 开售.
const AT_HAND: usize = 2;
/// This many tokens around a gap are read with it.
pub(crate) const AROUND: usize = 4;

/// Joins gaps that are near each other in both texts. `gaps` rise. If both sides of a joined gap begin with the same numeral, the numeral
/// is no part of the gap: 一次 is `1次` in its context, but 一步 is no number. A gap is not joined if `is_alone` says that it says nothing
/// else.
pub(crate) fn join(gaps: &[Gap], x: &[Token], y: &[Token], is_alone: impl Fn(usize) -> bool) -> Vec<Gap> {
    let (mut joined, mut was_alone) = (Vec::<Gap>::new(), false);
    let is_near = |last: &Gap, next: &Gap| next.a.start - last.a.end <= APART && next.b.start - last.b.end <= APART;
    for (at, gap) in gaps.iter().enumerate() {
        // Most gaps have no other one near.
        let near = |other: Option<&Gap>, is_before: bool| {
            other.is_some_and(|other| if is_before { is_near(other, gap) } else { is_near(gap, other) })
        };
        let has_near = near(at.checked_sub(1).map(|at| &gaps[at]), true) || near(gaps.get(at + 1), false);
        let alone = has_near && is_alone(at);
        match joined.last_mut() {
            Some(last) if !alone && !was_alone && is_near(last, gap) => {
                *last = Gap { a: last.a.start..gap.a.end, b: last.b.start..gap.b.end };
            }
            _ => joined.push(gap.clone()),
        }
        was_alone = alone;
    }
    for Gap { a: p, b: q } in &mut joined {
        let (first, other) = (x.get(p.start), y.get(q.start));
        let same = first != other && first.zip(other).is_some_and(|(first, other)| value(*first) == value(*other));
        if same && p.len().min(q.len()) > 1 {
            (p.start, q.start) = (p.start + 1, q.start + 1);
        }
    }
    joined
}

/// A place where the texts differ, with the words that differ there.
pub(super) struct Slot<'a> {
    pub(crate) a: GistView<'a>,
    pub(crate) b: GistView<'a>,
    /// The stretches that do not match.
    pub(crate) gap: Gap,
    /// The gap with the matching tokens around it.
    pub(crate) window: Gap,
    /// The gap, extended to whole words.
    pub(crate) whole: Gap,
    /// The words of A that B does not have there, and the words of B that A does not have there.
    pub(crate) only: [Vec<Word>; 2],
    /// Every word of the windows, found when first asked for.
    all: [OnceCell<Vec<Found>>; 2],
    pub(crate) lexicon: &'static Lexicon,
    /// Whether only plain typos are forgiven.
    pub(crate) careful: bool,
    /// Whether both texts are posts, and A has most of B.
    pub(crate) is_post: bool,
}

impl<'a> Slot<'a> {
    /// Creates the slot of one of the joined `gaps`, without its words. Its [whole](Self::whole) is the gap.
    pub(super) fn bare(a: GistView<'a>, b: GistView<'a>, gaps: &[Gap], at: usize, careful: bool) -> Self {
        let gap @ Gap { a: p, b: q } = &gaps[at];
        let before = at.checked_sub(1).map_or(p.start.min(q.start), |last| p.start - gaps[last].a.end).min(AROUND);
        let ends = (a.body.list.len() - p.end).min(b.body.list.len() - q.end);
        let after = gaps.get(at + 1).map_or(ends, |next| next.a.start - p.end).min(AROUND);
        let window = Gap { a: p.start - before..p.end + after, b: q.start - before..q.end + after };
        let [of_a, of_b] = [a, b].map(|text| text.body.list.len());
        let differ: usize = gaps.iter().map(|gap| gap.b.len()).sum();
        let is_post = !careful && of_a.min(of_b) >= POST && NEARLY * differ <= of_b;
        let (gap, whole, all, only) = (gap.clone(), gap.clone(), Default::default(), Default::default());
        Self { a, b, gap, window, whole, all, only, lexicon: lexicon(), careful, is_post }
    }

    /// Creates the slot of one of the joined `gaps`, with its words.
    pub(crate) fn new(a: GistView<'a>, b: GistView<'a>, gaps: &[Gap], at: usize, careful: bool) -> Self {
        let slot = Self::bare(a, b, gaps, at, careful);
        let (Gap { a: p, b: q }, window) = (&slot.gap, &slot.window);
        let (before, after) = (p.start - window.a.start, window.a.end - p.end);
        let words = [cut(a.body.list, &window.a, slot.all(0)), cut(b.body.list, &window.b, slot.all(1))];
        // The nearest places before and after the gap at which words begin, or end, in both texts.
        let begins = |back: &usize| {
            words[0].iter().any(|word| word.range.start + back == p.start)
                && words[1].iter().any(|word| word.range.start + back == q.start)
        };
        let ends = |on: &usize| {
            words[0].iter().any(|word| word.range.end == p.end + on)
                && words[1].iter().any(|word| word.range.end == q.end + on)
        };
        let is_start = |back: &usize| p.is_empty() && q.is_empty() || begins(back) || *back == before;
        let back = (0..=before).find(|back| is_start(back)).unwrap_or(before);
        let on = (0..=after).find(|on| ends(on) || *on == after).unwrap_or(after);
        let whole = Gap { a: p.start - back..p.end + on, b: q.start - back..q.end + on };
        let [x, y] = words;
        let inside = |words: Vec<Word>, whole: &Range<usize>| -> Vec<Word> {
            words.into_iter().filter(|word| word.range.start >= whole.start && word.range.end <= whole.end).collect()
        };
        let (mut x, mut y) = (inside(x, &whole.a), inside(y, &whole.b));
        x.retain(|word| {
            let same = y.iter().position(|other| are_same(word.tokens(a.body.list), other.tokens(b.body.list)));
            same.map(|same| y.remove(same)).is_none()
        });
        Self { whole, only: [x, y], ..slot }
    }

    /// Returns every word of the window of one side.
    fn all(&self, side: usize) -> &[Found] {
        self.all[side].get_or_init(|| all(self.lexicon, self.text(side), self.window.place(side)))
    }

    /// Returns the text of one side: 0 for A, 1 for B.
    pub(crate) fn text(&self, side: usize) -> GistView<'a> {
        [self.a, self.b][side]
    }

    pub(crate) fn lists(&self) -> [&'a [Token]; 2] {
        [self.a.body.list, self.b.body.list]
    }

    /// Returns the tokens of both sides of the gap.
    pub(crate) fn sides(&self) -> [&'a [Token]; 2] {
        self.gap.of(self.a.body.list, self.b.body.list)
    }

    /// Returns the content words that only this side has.
    pub(super) fn content(&self, side: usize) -> impl Iterator<Item = &Word> {
        self.only[side].iter().filter(move |word| word.is_content(self.lists()[side]))
    }

    /// Whether each content word of one side has a synonym of its own on the other side.
    pub(crate) fn says_the_same(&self) -> bool {
        let [of_a, mut of_b] = [0, 1].map(|side| self.content(side).collect::<Vec<_>>());
        let all = of_a.iter().all(|word| {
            let found = of_b.iter().position(|other| word.is_synonym(other, self.lexicon));
            found.map(|found| of_b.remove(found)).is_some()
        });
        all && of_b.is_empty() && !of_a.is_empty()
    }

    /// Whether one side can be read as the other, word for word, in synonyms: 怎样把 / 如何将. Up to two matching tokens beside the gap may
    /// belong to the first and the last word. Each side has at most 63 tokens with these.
    pub(crate) fn is_word_for_word(&self) -> bool {
        let ([x, y], Gap { a: p, b: q }, window) = (self.lists(), &self.gap, &self.window);
        let before = (p.start - window.a.start).min(AT_HAND);
        let after = (window.a.end - p.end).min(AT_HAND);
        let (x, y) = (&x[p.start - before..p.end + after], &y[q.start - before..q.end + after]);
        debug_assert!(y.len() < 64, "lengths of y are bits");
        // For each beginning of x: the lengths, as bits, of the beginnings of y that say the same.
        let mut read = vec![0_u64; x.len() + 1];
        read[0] = 1;
        for at in 0..x.len() {
            let mut ways = read[at];
            if ways == 0 {
                continue;
            }
            let mut words = Vec::new();
            self.lexicon.words_at(x, at, |length, entry| words.push((length, entry)));
            while ways != 0 {
                let to = ways.trailing_zeros() as usize;
                ways &= ways - 1;
                let Some(other) = y.get(to) else { continue };
                if value(x[at]) == value(*other) {
                    read[at + 1] |= 1 << (to + 1);
                }
                self.lexicon.words_at(y, to, |length, other| {
                    let same = |(_, word): &&(usize, Entry)| self.lexicon.same(*word, other);
                    words.iter().filter(same).for_each(|(own, _)| read[at + own] |= 1 << (to + length));
                });
            }
        }
        read[x.len()] >> y.len() & 1 == 1
    }

    /// Whether an adverb or the like replaces a synonym: 已 / 已经.
    pub(crate) fn is_wording(&self) -> bool {
        self.have_synonyms(|word| word.tag() == Tag::Function)
    }

    /// Whether a word replaces its synonym here, even inside longer words: 列车延误 / 列车晚点.
    pub(crate) fn are_synonyms(&self) -> bool {
        self.have_synonyms(|_| true)
    }

    /// Whether each side is a word of filler with two characters or more: 风特别大 / 风格外大. Here 风格 is no word.
    pub(crate) fn are_fillers(&self) -> bool {
        let is_filler = |side: &[Token]| side.len() > 1 && self.lexicon.get(side).is_some_and(|entry| entry.is(FILLER));
        self.sides().into_iter().all(is_filler)
    }

    /// Whether a word for which `is_so` holds replaces a synonym of the same kind. Up to two matching tokens beside the gap may belong to
    /// them.
    fn have_synonyms(&self, is_so: impl Fn(Entry) -> bool) -> bool {
        let ([x, y], Gap { a: p, b: q }, window) = (self.lists(), &self.gap, &self.window);
        let before = (p.start - window.a.start).min(AT_HAND);
        let after = (window.a.end - p.end).min(AT_HAND);
        let same = |(back, on): (usize, usize)| {
            let word = self.lexicon.get(&x[p.start - back..p.end + on]);
            let other = self.lexicon.get(&y[q.start - back..q.end + on]);
            word.zip(other).is_some_and(|(word, other)| is_so(word) && is_so(other) && self.lexicon.same(word, other))
        };
        (0..=before).flat_map(|back| (0..=after).map(move |on| (back, on))).any(same)
    }

    /// Returns the beginning of a word of the dictionary that lies within a stretch of one side and contains the token `at`.
    pub(crate) fn word_within(&self, side: usize, stretch: &Range<usize>, at: usize) -> Option<usize> {
        let is_known = |Found { range, entry }: &&Found| {
            let within = range.start >= stretch.start && range.end <= stretch.end && range.contains(&at);
            within
                && range.len() > 1
                && entry.tag() != Tag::None
                && entry.log_frequency() >= COMMON
                && !entry.is(NEGATION)
        };
        self.all(side).iter().find(is_known).map(|found| found.range.start)
    }

    /// Whether one side only adds a word of filler that is no part of a longer word: 结束 / 结束了, but not 解 / 了解.
    pub(crate) fn is_filler(&self) -> bool {
        let Some((side, gap)) = self.gap.one_sided() else { return false };
        let is_over = |range: &Range<usize>| {
            range.start < gap.end && range.end > gap.start && (range.start < gap.start || range.end > gap.end)
        };
        let is_word = |entry: &Entry| !entry.is(FILLER) && (entry.has_senses() || entry.tag() != Tag::None);
        let is_until = |side: &[Token]| matches!(side, [token] if character(*token) == Some('到'));
        let before = |list: &[Token]| gap.start.checked_sub(1).is_some_and(|at| is_one_of(list[at], "年月日点分周"));
        let list = self.lists()[side];
        // 14日到16日 and 14日-16日.
        if is_until(self.sides()[side]) && before(list) && list.get(gap.end).is_some_and(|token| is_numeric(*token)) {
            return true;
        }
        self.lexicon.get(self.sides()[side]).is_some_and(|entry| entry.is(FILLER))
            && !self.all(side).iter().any(|found| is_over(&found.range) && is_word(&found.entry))
    }

    /// Whether no word of the dictionary with two characters or more overlaps a place of one side: the place has a name, or a slip.
    pub(crate) fn is_bare(&self, side: usize, place: &Range<usize>) -> bool {
        !self.words(side).any(|word| word.len() > 1 && word.start < place.end && word.end > place.start)
    }

    /// Returns where the window of one side may have words of the dictionary that are no names.
    pub(crate) fn words(&self, side: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let is_word = |entry: &Entry| !matches!(entry.tag(), Tag::None | Tag::Name);
        self.all(side).iter().filter(move |found| is_word(&found.entry)).map(|found| found.range.clone())
    }

    /// Whether a character of the gap is a frequent adverb, pronoun or preposition, and so no part of a name.
    pub(crate) fn has_particle(&self) -> bool {
        let is_particle =
            |entry: Entry| entry.tag() == Tag::Function && entry.log_frequency() >= PARTICLE && !entry.is(SURNAME);
        self.sides().into_iter().flatten().any(|token| self.lexicon.get(&[*token]).is_some_and(is_particle))
    }

    /// Whether the same surname comes up to two characters before the gap in both texts.
    pub(crate) fn follows_surname(&self) -> bool {
        let [p, q] = [self.gap.a.start, self.gap.b.start];
        (1..=2.min(p).min(q)).any(|back| {
            let same = self.lists()[0][p - back] == self.lists()[1][q - back];
            same && self.lexicon.get(&self.lists()[0][p - back..p - back + 1]).is_some_and(|entry| entry.is(SURNAME))
        })
    }

    /// Returns the words of one side that have senses and overlap the gap, except those inside a longer word.
    pub(crate) fn sensed(&self, side: usize) -> Vec<Found> {
        let gap = self.gap.place(side);
        let touches = |range: &Range<usize>| {
            range.start < gap.end && range.end > gap.start
                || gap.is_empty() && range.start <= gap.start && range.end >= gap.start
        };
        let stands = |found: &Found| found.range.len() > 1 || found.entry.is(CHARACTER);
        let all = self.all(side).iter().filter(|found| touches(&found.range) && stands(found));
        let all: Vec<&Found> = all.collect();
        // 好看 of 真好看 counts, because 真好看 is only applause.
        let is_word = |entry: &Entry| !entry.is_only(FILLER | TAIL | CIVIL | BESIDE);
        let is_inside = |Found { range, .. }: &Found| {
            let is_over = |other: &Range<usize>| {
                other.len() > range.len() && other.start <= range.start && other.end >= range.end
            };
            all.iter().any(|other| is_over(&other.range) && is_word(&other.entry))
        };
        let longest = all.iter().filter(|found| found.entry.has_senses() && !is_inside(found));
        longest.map(|found| (*found).clone()).collect()
    }

    /// Returns the words of one side that have senses, two characters or more, and contain the whole gap, inside a longer word or not.
    pub(crate) fn around(&self, side: usize) -> impl Iterator<Item = &Found> {
        let gap = self.gap.place(side);
        let has_gap = move |range: &Range<usize>| range.len() > 1 && range.start <= gap.start && range.end >= gap.end;
        self.all(side).iter().filter(move |found| has_gap(&found.range) && found.entry.has_senses())
    }
}

/// Returns the tokens, with each run of Chinese numerals replaced with its number.
pub(super) fn levelled(tokens: &[Token]) -> Vec<Token> {
    let mut levelled = Vec::with_capacity(tokens.len());
    for run in tokens.chunk_by(|x, y| numerals::is_numeral_code(*x) && numerals::is_numeral_code(*y)) {
        match number(run) {
            Some(number) => levelled.push(number),
            None => levelled.extend_from_slice(run),
        }
    }
    levelled
}

/// Whether both stretches have numbers, and the same ones: 给一千 / 要给1000.
pub(super) fn is_level(x: &[Token], y: &[Token]) -> bool {
    let numbers =
        |side: &[Token]| -> Vec<Token> { levelled(side).into_iter().filter(|token| is_number(*token)).collect() };
    let of_x = numbers(x);
    !of_x.is_empty() && of_x == numbers(y)
}

/// Returns the number that the tokens spell, if all are Chinese numerals.
fn number(tokens: &[Token]) -> Option<Token> {
    if tokens.is_empty() || !tokens.iter().all(|token| numerals::is_numeral_code(*token)) {
        return None;
    }
    let mut run = spelled(tokens);
    // 百万 stands for 100万.
    if tokens.len() > 1 && run.starts_with('百') {
        run.insert(0, '一');
    }
    numerals::value(&run).and_then(|digits| digits.parse().ok()).map(tokens::number)
}

/// Whether two words are the same tokens, or the same number.
fn are_same(x: &[Token], y: &[Token]) -> bool {
    let is_number = |word: &[Token]| word.first().is_some_and(|token| is_numeric(*token));
    // Most words are no numbers.
    if x == y || !is_number(x) || !is_number(y) {
        return x == y;
    }
    match (number(x), number(y)) {
        (None, None) => false,
        (Some(x), Some(y)) => x == y,
        (Some(number), None) => y == [number],
        (None, Some(number)) => x == [number],
    }
}

/// Whether the stretch begins and ends at the ends of clauses.
pub(super) fn has_clause_boundaries(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let is_end = |at: usize| text.begins_clause(at) || text.ends_clause(at);
    is_end(stretch.start) && is_end(stretch.end)
}

/// Whether the two stretches have the same length, and each differing character is easily confused with the one in its place.
pub(super) fn is_misspelt(lexicon: &Lexicon, x: &[Token], y: &[Token]) -> bool {
    let plain = |token: Token| !is_number(token) && !is_word(token) && character(token).is_some();
    let confused =
        |(x, y): (&Token, &Token)| value(*x) == value(*y) || plain(*x) && plain(*y) && lexicon.confused(*x, *y);
    x.len() == y.len() && !x.is_empty() && x.iter().zip(y).all(confused)
}

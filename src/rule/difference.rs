//! Where two bodies differ, in characters, for the reader of a verdict: 新增 covid19 病例1,234例 / 新增 covid19 病例1235例 differ in 1,234 / 1235.

use std::ops::Range;

use super::align::{Aligner, Gap, gaps};
use super::bounds::LONGEST;
use crate::text::tokens::Tokens;

/// A body and where in it its tokens stand.
#[derive(Debug)]
pub(crate) struct Spelled<'t> {
    /// The body.
    pub(crate) text: &'t str,
    /// Its tokens.
    pub(crate) tokens: Tokens,
    places: Vec<Range<usize>>,
}

impl<'t> Spelled<'t> {
    /// Reads a body.
    pub(crate) fn new(text: &'t str) -> Self {
        let (mut tokens, mut places) = (Tokens::default(), Vec::new());
        tokens.read_with(text, |place| places.push(place));
        Self { text, tokens, places }
    }

    /// Where tokens stand, in bytes, with what is between them; where they would stand, if there are none.
    pub(crate) fn place(&self, tokens: &Range<usize>) -> Range<usize> {
        let start = self.places.get(tokens.start).map_or(self.text.len(), |place| place.start);
        let end = self.places[..tokens.end].last().map_or(start, |place| place.end);
        start..end.max(start)
    }

    /// What tokens say, with what is between them.
    pub(crate) fn stretch(&self, tokens: &Range<usize>) -> &'t str {
        &self.text[self.place(tokens)]
    }
}

/// The stretches of `a` and of `b` that stand for each other between what they have in common, in order. Tokens that both have by
/// chance, alone between two stretches, belong to the stretch. `None` if one body is [too long](LONGEST) to be aligned.
pub(crate) fn differences(a: &Spelled<'_>, b: &Spelled<'_>) -> Option<Vec<Gap>> {
    let (x, y) = (&a.tokens.list, &b.tokens.list);
    if x.len().max(y.len()) > LONGEST {
        return (x == y).then(Vec::new);
    }
    let (mut aligner, mut found) = (Aligner::default(), Vec::new());
    gaps(aligner.align(x, y), (x.len(), y.len()), false, &mut found);
    let differing = found.iter().map(|gap| narrow(a, b, gap)).filter(|gap| !gap.is_empty());
    Some(differing.collect())
}

/// The gap without what its two sides begin or end with alike.
pub(crate) fn narrow(a: &Spelled<'_>, b: &Spelled<'_>, gap: &Gap) -> Gap {
    gap.narrowed(&a.tokens.list, &b.tokens.list)
}

/// A text with what differs from another one, in order.
#[cfg(any(feature = "cli", feature = "lab"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Both have it.
    Same(&'t str),
    /// Only the other one has it.
    Lacks(&'t str),
    /// Only this one has it.
    Adds(&'t str),
}

/// `b` as it differs from `a`, character by character: punctuation, case and script as they are written. Takes |a|·|b|/64 steps.
#[cfg(any(feature = "cli", feature = "lab"))]
pub(crate) fn pieces<'t>(a: &'t str, b: &'t str) -> Vec<Piece<'t>> {
    let list = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
    let starts = |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() };
    let (x, y, in_a, in_b) = (list(a), list(b), starts(a), starts(b));
    let (mut aligner, mut found, mut out, mut end) = (Aligner::default(), Vec::new(), Vec::new(), 0);
    gaps(aligner.align(&x, &y), (x.len(), y.len()), false, &mut found);
    for Gap { a: p, b: q } in found.iter().map(|gap| gap.narrowed(&x, &y)) {
        let texts = [&b[in_b[end]..in_b[q.start]], &a[in_a[p.start]..in_a[p.end]], &b[in_b[q.start]..in_b[q.end]]];
        let kinds = [Piece::Same, Piece::Lacks, Piece::Adds];
        out.extend(kinds.iter().zip(texts).filter(|(_, text)| !text.is_empty()).map(|(kind, text)| kind(text)));
        end = q.end;
    }
    out.extend(Some(&b[in_b[end]..]).filter(|rest| !rest.is_empty()).map(Piece::Same));
    out
}

/// Most differences that are told of a pair.
pub(crate) const MOST_TOLD: usize = 8;
/// Most characters of each stretch that is told.
pub(crate) const SHOWN: usize = 40;

/// The first differences of two bodies as they are shown: at most [`MOST_TOLD`], each side cut to [`SHOWN`] characters.
pub(crate) fn shown(a: &str, b: &str) -> Vec<[String; 2]> {
    let (a, b) = (Spelled::new(a), Spelled::new(b));
    let found = differences(&a, &b).unwrap_or_default();
    found.iter().take(MOST_TOLD).map(|gap| [cut(a.stretch(&gap.a), SHOWN), cut(b.stretch(&gap.b), SHOWN)]).collect()
}

/// At most `most` characters of `text`, the last of them an ellipsis if it is longer.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn differ(a: &str, b: &str) -> Vec<[String; 2]> {
        let (a, b) = (Spelled::new(a), Spelled::new(b));
        let found = differences(&a, &b).unwrap();
        found.iter().map(|gap| [a.stretch(&gap.a).to_owned(), b.stretch(&gap.b).to_owned()]).collect()
    }

    #[test]
    fn stretches_are_as_they_are_spelled() {
        assert_eq!(differ("新增 covid19 病例1,234例", "新增 covid19 病例1235例"), [["1,234", "1235"]]);
        assert_eq!(differ("今天武汉下雨了", "昨日武汉下雪了"), [["今天", "昨日"], ["雨", "雪"]]);
        assert_eq!(differ("可以出门买菜", "可以不出门买菜吗"), [["", "不"], ["", "吗"]]);
        assert_eq!(differ("", "好"), [["", "好"]]);
        assert!(differ("好", "好").is_empty());
        assert!(differ("哈哈哈哈 1,000", "哈哈 1000").is_empty());
    }

    proptest! {
        #[test]
        fn pieces_are_both_texts(a in "[一二三，ab ]{0,40}", b in "[一二三，ab ]{0,40}") {
            let found = pieces(&a, &b);
            let side = |without: fn(&Piece<'_>) -> bool| -> String {
                let text = |piece: &Piece<'_>| match *piece {
                    Piece::Same(text) | Piece::Lacks(text) | Piece::Adds(text) => text.to_owned(),
                };
                found.iter().filter(|piece| !without(piece)).map(text).collect()
            };
            prop_assert_eq!(side(|piece| matches!(piece, Piece::Adds(_))), a.clone());
            prop_assert_eq!(side(|piece| matches!(piece, Piece::Lacks(_))), b.clone());
            prop_assert!(a != b || found.len() <= 1);
        }
    }

    #[test]
    fn pieces_are_as_they_are_written() {
        use Piece::{Adds, Lacks, Same};
        let found = pieces("今天武汉下雨了，等你", "今天武漢下雪了等你！");
        // 下 and 了 stand alone between differences.
        assert_eq!(found, [Same("今天武"), Lacks("汉下雨了，"), Adds("漢下雪了"), Same("等你"), Adds("！")]);
        assert_eq!(pieces("", "好"), [Adds("好")]);
        assert_eq!(pieces("好", "好"), [Same("好")]);
    }

    #[test]
    fn what_is_too_long_is_not_aligned() {
        let long = "春夏秋冬".repeat(LONGEST / 4 + 1);
        let (a, b) = (Spelled::new(&long), Spelled::new("春"));
        assert_eq!(differences(&a, &b), None);
        assert_eq!(differences(&a, &a), Some(vec![]));
    }

    #[test]
    fn cut_texts_end_in_an_ellipsis() {
        assert_eq!(cut("春夏秋冬", 4), "春夏秋冬");
        assert_eq!(cut("春夏秋冬", 3), "春夏…");
    }
}

//! Finds where two bodies differ, in characters, for the reader of a verdict: 新增 covid19 病例1,234例 / 新增 covid19 病例1235例 differ in
//! 1,234 / 1235.

use std::ops::Range;

use super::align::{Aligner, SingleMatches, gaps};
use super::bounds::LONGEST;
use super::gap::Gap;
use crate::text::tokens::Tokens;

/// A body, its tokens, and their places in the text.
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

    /// Returns the place of some tokens in bytes, with the text between them. For an empty range, the place where the tokens would be.
    pub(crate) fn place(&self, tokens: &Range<usize>) -> Range<usize> {
        let start = self.places.get(tokens.start).map_or(self.text.len(), |place| place.start);
        let end = self.places[..tokens.end].last().map_or(start, |place| place.end);
        start..end.max(start)
    }

    /// Returns the text of some tokens, with the text between them.
    pub(crate) fn stretch(&self, tokens: &Range<usize>) -> &'t str {
        &self.text[self.place(tokens)]
    }
}

/// Returns the stretches of `a` and `b` that replace each other between the common parts, in order. A single common token between two
/// stretches counts as chance and belongs to the stretch. `None` if one body is [too long](LONGEST) to be aligned and the two differ.
pub(crate) fn differences(a: &Spelled<'_>, b: &Spelled<'_>) -> Option<Vec<Gap>> {
    let (x, y) = (&a.tokens.list, &b.tokens.list);
    if x.len().max(y.len()) > LONGEST {
        return (x == y).then(Vec::new);
    }
    let (mut aligner, mut found) = (Aligner::default(), Vec::new());
    gaps(aligner.align(x, y), (x.len(), y.len()), SingleMatches::Ignore, &mut found);
    let differing = found.iter().map(|gap| narrow(a, b, gap)).filter(|gap| !gap.is_empty());
    Some(differing.collect())
}

/// Returns the gap without the common beginning and the common end of its two sides.
pub(crate) fn narrow(a: &Spelled<'_>, b: &Spelled<'_>, gap: &Gap) -> Gap {
    gap.narrowed(&a.tokens.list, &b.tokens.list)
}

/// A piece of a text compared with another text. A list of pieces is in the order of the text.
#[cfg(any(feature = "cli", feature = "lab"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Both texts have it.
    Same(&'t str),
    /// Only the other text has it.
    Lacks(&'t str),
    /// Only this text has it.
    Adds(&'t str),
}

/// Returns the pieces of `b` compared with `a`, character by character. Punctuation, case and script count. Takes |a|·|b|/64 steps.
#[cfg(any(feature = "cli", feature = "lab"))]
pub(crate) fn pieces<'t>(a: &'t str, b: &'t str) -> Vec<Piece<'t>> {
    let list = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
    let starts = |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() };
    let (x, y, in_a, in_b) = (list(a), list(b), starts(a), starts(b));
    let (mut aligner, mut found, mut out, mut end) = (Aligner::default(), Vec::new(), Vec::new(), 0);
    gaps(aligner.align(&x, &y), (x.len(), y.len()), SingleMatches::Ignore, &mut found);
    for Gap { a: p, b: q } in found.iter().map(|gap| gap.narrowed(&x, &y)) {
        let texts = [&b[in_b[end]..in_b[q.start]], &a[in_a[p.start]..in_a[p.end]], &b[in_b[q.start]..in_b[q.end]]];
        let kinds = [Piece::Same, Piece::Lacks, Piece::Adds];
        out.extend(kinds.iter().zip(texts).filter(|(_, text)| !text.is_empty()).map(|(kind, text)| kind(text)));
        end = q.end;
    }
    out.extend(Some(&b[in_b[end]..]).filter(|rest| !rest.is_empty()).map(Piece::Same));
    out
}

/// Most differences that are shown of a pair.
pub(crate) const MOST_TOLD: usize = 8;
/// Most characters that are shown of each stretch.
pub(crate) const SHOWN: usize = 40;

/// Returns the first differences of two bodies for display: at most [`MOST_TOLD`], each side cut to [`SHOWN`] characters.
pub(crate) fn shown(a: &str, b: &str) -> Vec<[String; 2]> {
    let (a, b) = (Spelled::new(a), Spelled::new(b));
    let found = differences(&a, &b).unwrap_or_default();
    found.iter().take(MOST_TOLD).map(|gap| [cut(a.stretch(&gap.a), SHOWN), cut(b.stretch(&gap.b), SHOWN)]).collect()
}

/// Returns at most `most` characters of `text`. If the text is longer, the last of them is an ellipsis.
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
        // 下 and 了 match alone between differences, so they belong to the difference.
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

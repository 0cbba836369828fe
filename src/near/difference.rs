//! Where two bodies differ, in characters: what a reader of a verdict wants to see.

use std::ops::Range;

use super::align::{Aligner, Gap, gaps};
use super::verify::LONGEST;
use crate::text::tokens::Tokens;

/// A body and where in it its tokens stand.
#[derive(Debug)]
pub struct Spelled<'t> {
    /// The body.
    pub text: &'t str,
    /// Its tokens.
    pub tokens: Tokens,
    places: Vec<Range<usize>>,
}

impl<'t> Spelled<'t> {
    /// Reads a body.
    pub fn new(text: &'t str) -> Self {
        let (mut tokens, mut places) = (Tokens::default(), Vec::new());
        tokens.read_with(text, |place| places.push(place));
        Self { text, tokens, places }
    }

    /// Where tokens stand, in bytes, with what is between them; where they would stand, if there are none.
    pub fn place(&self, tokens: &Range<usize>) -> Range<usize> {
        let start = self.places.get(tokens.start).map_or(self.text.len(), |place| place.start);
        let end = self.places[..tokens.end].last().map_or(start, |place| place.end);
        start..end.max(start)
    }

    /// What tokens say, with what is between them.
    pub fn stretch(&self, tokens: &Range<usize>) -> &'t str {
        &self.text[self.place(tokens)]
    }
}

/// The stretches of `a` and of `b` that stand for each other between what they have in common, in order. Tokens that both have by
/// chance, alone between two stretches, belong to the stretch. `None` if one body is [too long](LONGEST) to be aligned.
pub fn differences(a: &Spelled<'_>, b: &Spelled<'_>) -> Option<Vec<Gap>> {
    let (x, y) = (&a.tokens.list, &b.tokens.list);
    if x.len().max(y.len()) > LONGEST {
        return (x == y).then(Vec::new);
    }
    let (mut aligner, mut found) = (Aligner::default(), Vec::new());
    gaps(aligner.align(x, y), (x.len(), y.len()), false, &mut found);
    let differing = found.iter().map(|gap| narrow(a, b, gap)).filter(|(p, q)| !p.is_empty() || !q.is_empty());
    Some(differing.collect())
}

/// The gap without what its two sides begin or end with alike.
pub fn narrow(a: &Spelled<'_>, b: &Spelled<'_>, (p, q): &Gap) -> Gap {
    let (x, y) = (&a.tokens.list[p.clone()], &b.tokens.list[q.clone()]);
    let head = x.iter().zip(y).take_while(|(x, y)| x == y).count();
    let tail = x[head..].iter().rev().zip(y[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    (p.start + head..p.end - tail, q.start + head..q.end - tail)
}

/// Differences that are told of a pair …
pub const MOST: usize = 8;
/// … and characters of each stretch.
pub const SHOWN: usize = 40;

/// The first differences of two bodies as they are told: at most [`MOST`], each side cut to [`SHOWN`] characters.
pub fn told(a: &str, b: &str) -> Vec<[String; 2]> {
    let (a, b) = (Spelled::new(a), Spelled::new(b));
    let found = differences(&a, &b).unwrap_or_default();
    found.iter().take(MOST).map(|(p, q)| [cut(a.stretch(p), SHOWN), cut(b.stretch(q), SHOWN)]).collect()
}

/// At most `most` characters of `text`, the last of them an ellipsis if it is longer.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(a: &str, b: &str) -> Vec<[String; 2]> {
        let (a, b) = (Spelled::new(a), Spelled::new(b));
        let found = differences(&a, &b).unwrap();
        found.iter().map(|(p, q)| [a.stretch(p).to_owned(), b.stretch(q).to_owned()]).collect()
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

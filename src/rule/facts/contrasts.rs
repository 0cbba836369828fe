//! Compares what a text affirms and what it denies: 不是因为异地，是因为房价 / 不是因为房价，是因为异地; 误写成三十元，实为免费.

use super::gap::Gap;
use crate::text::GistView;
use crate::text::tokens::{Token, are_permuted, character};

/// Words between the denied and the affirmed part of a text, in either order.
const TURNS: [&str; 6] = ["而不是", "而非", "而是", "实为", "应为", "实际为"];
/// Characters that form another word with a 是 after them: 还是, 但是.
const OTHERS: &str = "不还但可就总于只要也都";

/// Returns the whole texts as a gap, if they have the same tokens, but not on the same sides of the word that separates the parts.
pub(super) fn inverted(a: GistView<'_>, b: GistView<'_>) -> Option<Gap> {
    let (x, y) = (a.body.list, b.body.list);
    if x.len() != y.len() {
        return None;
    }
    let (of_a, of_b) = (turn(x)?, turn(y)?);
    (are_permuted(x, y) && !are_permuted(&x[..of_a], &y[..of_b])).then_some(Gap { a: 0..x.len(), b: 0..y.len() })
}

/// Returns where the separating word is: 而是, or the 是 after 不是.
fn turn(list: &[Token]) -> Option<usize> {
    let is = |at: usize, word: &str| {
        let mut tokens = list[at..].iter().map(|token| character(*token));
        word.chars().all(|c| tokens.next() == Some(Some(c)))
    };
    let mut denied = false;
    (0..list.len()).find(|&at| {
        if is(at, "不是") {
            denied = true;
        }
        let before = at.checked_sub(1).and_then(|before| character(list[before]));
        denied && is(at, "是") && before.is_none_or(|c| !OTHERS.contains(c)) || TURNS.iter().any(|word| is(at, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::gist;

    #[test]
    fn what_is_and_what_is_not_change_places() {
        for (a, b, is) in [
            ("分手不是因为异地，是因为房价", "分手不是因为房价，是因为异地", true),
            ("票价误写成三十元，实为免费", "票价误写成免费，实为三十元", true),
            ("要的是苹果而非香蕉", "要的是香蕉而非苹果", true),
            ("昨天他说不是感冒，是肺炎", "他昨天说不是感冒，是肺炎", false),
            ("他不是不来，还是来了", "还是来了，他不是不来", false),
            ("要的是苹果", "苹果的是要", false),
        ] {
            let (a, b) = (gist(a), gist(b));
            assert_eq!(inverted(a.view(), b.view()).is_some(), is, "{}", a.view().body.list.len());
            assert_eq!(inverted(b.view(), a.view()).is_some(), is, "{}", a.view().body.list.len());
        }
    }
}

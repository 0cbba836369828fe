//! Marks beside a number, and numbers that stand for something else. 元 of 1200元, and 月 and 日 of 11月18日 / 11/18, only say what kind of
//! number this is. A letter after a number makes it another model: 小米14 / 小米14T.

use std::sync::LazyLock;

use super::slots::Slot;
use crate::hash::HashSet;
use crate::text::tokens::{Token, Tokens, character, is_number, is_word, number};

/// Fewest digits of a number that is a sum of money even without 元: 报名费1200.
const SUM: usize = 2;

/// Whether the only difference is such a mark, on one side.
pub(super) fn is_mark(slot: &Slot<'_>) -> bool {
    let Some((side, gap)) = slot.gap.one_sided() else { return false };
    let (list, at) = (slot.lists()[side], gap.start);
    let [mark] = list[gap.clone()] else { return false };
    let Some(before) = at.checked_sub(1).filter(|before| is_number(list[*before])) else { return false };
    let is = |at: Option<usize>, c: char| at.and_then(|at| list.get(at)).is_some_and(|token| *token == c as Token);
    match character(mark) {
        Some('元') => {
            let mut digits = String::new();
            slot.text(side).body.digits_into(list[before], &mut digits);
            digits.len() >= SUM
        }
        Some('月') => list.get(at + 1).is_some_and(|token| is_number(*token)) && is(Some(at + 2), '日'),
        Some('日') => is(before.checked_sub(1), '月'),
        _ => false,
    }
}

/// Numbers that people type for laughter.
const LAUGHTER: [u32; 5] = [2333, 23_333, 233_333, 2_333_333, 23_333_333];

/// Whether a side is only laughter.
pub(super) fn is_laughter(side: &[Token]) -> bool {
    matches!(side, [laughter] if LAUGHTER.iter().any(|digits| *laughter == number(*digits)))
}

/// Letters after a number that are no unit, and more letters that are no unit if the number follows letters: X100s.
const LETTERS: &str = "a b c d e f i j n o q r t u y z ti xt gt rs";
const BEHIND_LETTERS: &str = "s m p x l k h v w";
/// The tokens of both lists.
static SUFFIXES: LazyLock<[HashSet<Token>; 2]> = LazyLock::new(|| {
    [LETTERS, BEHIND_LETTERS].map(|letters| {
        let mut tokens = Tokens::default();
        letters
            .split(' ')
            .filter_map(|word| {
                tokens.read(word);
                tokens.list.first().copied()
            })
            .collect()
    })
});

/// Whether one side has a letter after a number, and the other side is empty: 房间302 / 房间302A, but not 内存16 / 内存16g.
pub(super) fn is_model(slot: &Slot<'_>) -> bool {
    let Some((side, gap)) = slot.gap.one_sided() else { return false };
    let list = slot.lists()[side];
    let [suffix] = list[gap.clone()] else { return false };
    let before = |back: usize| gap.start.checked_sub(back).map(|at| list[at]);
    let [alone, behind_letters] = &*SUFFIXES;
    before(1).is_some_and(is_number)
        && (alone.contains(&suffix) || behind_letters.contains(&suffix) && before(2).is_some_and(is_word))
}

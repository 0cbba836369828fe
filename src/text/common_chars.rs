//! Characters one after another, the usual ones without the detours that the others need.

/// Calls `each` with the code of one character after another from byte `at` on, as long as it returns true and they are ASCII or
/// of the blocks U+3000 to U+9FFF, as nearly all of a Chinese text are. Returns where the first character stands for which
/// that does not hold; the end of the text, if none.
///
/// Half the instructions of `char_indices`, which must be ready for four lengths: the steps before the fingerprint are mostly this.
#[inline(always)]
pub(crate) fn each_common(text: &str, mut at: usize, mut each: impl FnMut(u16) -> bool) -> usize {
    let bytes = text.as_bytes();
    while let Some(&lead) = bytes.get(at) {
        let (code, length) = match (lead, bytes.get(at + 1), bytes.get(at + 2)) {
            (0xe3..=0xe9, Some(second), Some(third)) => {
                (u16::from(lead & 0xf) << 12 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f), 3)
            }
            (0..0x80, ..) => (u16::from(lead), 1),
            _ => break,
        };
        if !each(code) {
            break;
        }
        at += length;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn walks_as_chars_do(text in "[a武\u{3000}鿿\u{2fff}\u{a000}éа😀 ]{0,8}", stop in any::<prop::sample::Index>()) {
            let stop = stop.index(text.len() + 1);
            let usual = |c: char| c.is_ascii() || ('\u{3000}'..='\u{9fff}').contains(&c);
            let expected: Vec<char> = text.char_indices().take_while(|(at, c)| usual(*c) && *at < stop).map(|(_, c)| c).collect();
            let (mut seen, mut left) = (Vec::new(), expected.len());
            let end = each_common(&text, 0, |code| {
                let more = left > 0;
                if more {
                    left -= 1;
                    seen.extend(char::from_u32(code.into()));
                }
                more
            });
            prop_assert_eq!(end, expected.iter().map(|c| c.len_utf8()).sum::<usize>());
            prop_assert_eq!(seen, expected);
        }
    }
}

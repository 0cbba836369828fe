//! Iterates over the characters of a text, and keeps sets of characters. Both are faster than the standard library, because they
//! know which characters are usual in a Chinese text.

/// Calls `each` with the code of each character from byte `at` on. It stops at the first character for which `each` returns false,
/// and at the first that is neither ASCII nor in the blocks U+3000 to U+9FFF, which nearly all of a Chinese text is. Returns the
/// offset of that character, or the end of the text.
///
/// Takes half the instructions of `char_indices`, which handles four lengths. The steps before the fingerprint spend most of their
/// time here.
#[inline(always)]
pub(crate) fn each_common(text: &str, at: usize, mut each: impl FnMut(u16) -> bool) -> usize {
    let mut rest = text.as_bytes().get(at..).unwrap_or_default();
    loop {
        let (code, behind) = match rest {
            [lead @ 0xe3..=0xe9, second, third, behind @ ..] => {
                (u16::from(lead & 0xf) << 12 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f), behind)
            }
            [lead @ 0..0x80, behind @ ..] => (u16::from(*lead), behind),
            _ => break,
        };
        if !each(code) {
            break;
        }
        rest = behind;
    }
    text.len() - rest.len()
}

/// A set of characters of the basic plane, one bit each: faster to query than a list.
pub(crate) struct CharSet([u64; 1 << 10]);

impl CharSet {
    /// Returns the set of the characters of a text, without those beyond the basic plane.
    pub(crate) const fn of(text: &str) -> Self {
        Self([0; 1 << 10]).with(text)
    }

    /// Returns this set with the characters of a text added.
    pub(crate) const fn with(&self, text: &str) -> Self {
        let (bytes, mut bits, mut at) = (text.as_bytes(), self.0, 0);
        while at < bytes.len() {
            let (lead, mut code, length) = match bytes[at] {
                lead @ 0..0x80 => (lead, lead as usize, 1),
                lead @ 0..0xe0 => (lead, lead as usize & 0x1f, 2),
                lead @ 0..0xf0 => (lead, lead as usize & 0xf, 3),
                lead => (lead, 0, 4),
            };
            let end = at + length;
            at += 1;
            while at < end {
                code = code << 6 | bytes[at] as usize & 0x3f;
                at += 1;
            }
            if lead < 0xf0 {
                bits[code >> 6] |= 1 << (code & 63);
            }
        }
        Self(bits)
    }

    /// Adds the character of this code, if it is in the basic plane.
    pub(crate) fn insert(&mut self, code: u32) {
        if let Some(bits) = self.0.get_mut((code >> 6) as usize) {
            *bits |= 1 << (code & 63);
        }
    }

    /// Whether the character of this code is in the set.
    #[inline(always)]
    pub(crate) fn has(&self, code: u32) -> bool {
        self.0.get((code >> 6) as usize).is_some_and(|bits| bits >> (code & 63) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_set_has_what_it_was_made_of() {
        static SET: CharSet = CharSet::of("a·武鿿😀0");
        let found: String = ('\0'..=char::MAX).filter(|c| SET.has((*c).into())).collect();
        assert_eq!(found, "0a·武鿿");
        let mut set = CharSet::of("");
        "a·武鿿😀0".chars().for_each(|c| set.insert(c.into()));
        assert_eq!(set.0, SET.0);
    }

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

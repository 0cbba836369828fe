//! Makes the table that `level_into` looks characters up in, in the form in which it is written to `levelled.bin`.

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfkc_quick};

use super::*;

struct Made {
    codes: Box<[u16; 1 << 16]>,
    expansions: Vec<String>,
}

fn made() -> Made {
    let mut table = Made { codes: Box::new(std::array::from_fn(|code| code as u16)), expansions: Vec::new() };
    for code in 0..=u16::MAX {
        // Unified ideographs, Hangul syllables and private-use characters are their own form, except for script (below).
        if !matches!(code, 0x3400..=0x9fff | 0xac00..=0xd7a3 | 0xe000..=0xf8ff)
            && let Some(c) = char::from_u32(u32::from(code))
        {
            table.set(code, c);
        }
    }
    for &(traditional, simple) in TRADITIONAL.iter() {
        if let Ok(code) = u16::try_from(u32::from(traditional)) {
            table.codes[usize::from(code)] = table.code_of(simple.into());
        }
    }
    table
}

impl Made {
    fn set(&mut self, code: u16, c: char) {
        // Such a character is its own NFKC form, and never the second half of a composition.
        let plain = is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0;
        if plain && c.to_lowercase().eq([c]) && !(c.is_whitespace() || is_invisible(c) || matches!(c, 'ß' | 'ς')) {
            return;
        }
        let form: String = fold(c.encode_utf8(&mut [0; 4])).nfc().collect();
        let mut chars = form.chars();
        self.codes[usize::from(code)] = match (chars.next(), chars.next()) {
            (None, _) => DROP,
            (Some(blank), None) if blank.is_whitespace() => BLANK,
            _ if !stands_alone(c) || form.contains(char::is_whitespace) => RARE,
            (Some(first), _) if !stands_alone(first) => RARE,
            // Arabic ligatures would fill the table, so they are left to the slow path.
            (_, Some(_)) if matches!(code, 0x600..=0x6ff | 0xfb00..=0xfeff) => RARE,
            _ => self.code_of(form),
        };
    }

    /// Returns the code for a character that has this form.
    fn code_of(&mut self, form: String) -> u16 {
        let mut chars = form.chars();
        if let (Some(c), None) = (chars.next(), chars.next())
            && let Ok(code) = u16::try_from(u32::from(c))
        {
            return code;
        }
        match u16::try_from(self.expansions.len()) {
            Ok(index) if index <= LAST - EXPAND => {
                self.expansions.push(form);
                EXPAND + index
            }
            _ => RARE,
        }
    }
}

/// Whether normalisation never joins or reorders the character with those before it. That holds if its NFKC form begins with a
/// starter that is never the second half of a composition.
fn stands_alone(c: char) -> bool {
    std::iter::once(c).nfkc().next().is_none_or(|first| {
        canonical_combining_class(first) == 0 && is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe
    })
}

/// After a change of the definition, or of Unicode, run `QUCHONG_BLESS=1 cargo test --lib text::normalise` to write the file again.
#[test]
fn the_file_is_made_of_the_definition() {
    let Made { codes, expansions } = made();
    let changed: Vec<(u16, u16)> = (0..=u16::MAX).zip(*codes).filter(|(own, code)| own != code).collect();
    let mut bytes = (changed.len() as u16).to_le_bytes().to_vec();
    bytes.extend(changed.iter().flat_map(|(own, code)| [own.to_le_bytes(), code.to_le_bytes()].concat()));
    bytes.extend(expansions.iter().flat_map(|form| format!("{form}\n").into_bytes()));
    if std::env::var_os("QUCHONG_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/levelled.bin"), &bytes).unwrap();
    }
    assert!(bytes == include_bytes!("../levelled.bin"), "src/text/levelled.bin is not of the definition");
}

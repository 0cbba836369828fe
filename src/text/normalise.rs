//! The canonical form: it levels every difference that a reader would not call content. 轉發微博　ＯＫ becomes 转发微博 ok.
//!
//! `level_into` defines the form: it removes invisible characters, then applies NFKC, lower case, simplified characters, NFC, and
//! single blanks. The result for a character hardly ever depends on its neighbours. So a table answers for nearly all characters. A
//! text with any other character goes through `level_into`.

#[cfg(feature = "lab")]
use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::common_chars::each_common;

/// Writes the canonical form of `text` into `out`, replacing its contents.
///
/// It levels compatibility forms and width (NFKC), case, zero-width and control characters, and variation selectors. Runs of blanks
/// and line breaks become one space, or none at the ends. Traditional characters become simplified ones, one for one, by OpenCC's
/// table. List numbers such as ① stay, because NFKC would turn them into numbers of the text. A canonical form is its own canonical
/// form.
pub fn canonical_into(text: &str, out: &mut String) {
    out.clear();
    out.reserve(text.len());
    let table = &*TABLE;
    // `run` is where the next stretch of unchanged characters begins.
    let (mut run, mut at, mut blank) = (0, 0, false);
    loop {
        at = each_common(text, at, |code| table.codes[usize::from(code)] == code);
        let Some(c) = text[at..].chars().next() else { break };
        let here = at;
        at += c.len_utf8();
        let code = match u16::try_from(u32::from(c)) {
            Ok(c) => {
                let code = table.codes[usize::from(c)];
                if code == c {
                    continue;
                }
                code
            }
            Err(_) if is_plain_astral(c) => continue,
            Err(_) if is_invisible(c) => DROP,
            Err(_) => RARE,
        };
        append(&text[run..here], &mut blank, out);
        run = at;
        match code {
            DROP => {}
            BLANK => blank = true,
            RARE => {
                out.clear();
                return level_into(text, out);
            }
            EXPAND..=LAST => append(table.expansions[usize::from(code - EXPAND)], &mut blank, out),
            _ => {
                if let Some(c) = char::from_u32(u32::from(code)) {
                    append(c.encode_utf8(&mut [0; 4]), &mut blank, out);
                }
            }
        }
    }
    append(&text[run..], &mut blank, out);
}

/// Returns the canonical form of `text`: see [`canonical_into`].
///
/// ```
/// use quchong::text::normalise::canonical;
/// assert_eq!(canonical(" ＡＢＣ　漢字，\u{200b}１２％ "), "abc 汉字,12%");
/// ```
pub fn canonical(text: &str) -> String {
    let mut out = String::new();
    canonical_into(text, &mut out);
    out
}

/// Whether the text shows nothing: its canonical form is empty.
pub(crate) fn is_blank(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() || ('\u{4e00}'..='\u{9fff}').contains(&c);
    !text.contains(is_plain) && canonical(text).is_empty()
}

/// Appends `piece`, after a blank if one is due. At the start of `out` no blank is written.
fn append(piece: &str, blank: &mut bool, out: &mut String) {
    if !piece.is_empty() {
        if std::mem::take(blank) && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(piece);
    }
}

/// Appends the canonical form of `text`, by its definition, to an empty `out`.
fn level_into(text: &str, out: &mut String) {
    let mut blank = false;
    for c in fold(text).nfc() {
        if c.is_whitespace() {
            blank = true;
        } else {
            append(c.encode_utf8(&mut [0; 4]), &mut blank, out);
        }
    }
}

/// Applies NFKC to the visible characters except list numbers, and then levels case and script character by character.
fn fold(text: &str) -> String {
    let visible: String = text.chars().filter(|&c| !is_invisible(c)).collect();
    let mut folded = String::with_capacity(visible.len());
    for part in visible.split_inclusive(is_list_number) {
        let compatible = part.trim_end_matches(is_list_number);
        for c in compatible.nfkc().flat_map(char::to_lowercase) {
            match c {
                // Lower-casing does not make these two equal to the letters that they fold with.
                'ß' => folded.push_str("ss"),
                'ς' => folded.push('σ'),
                _ => folded.push(simplified(c)),
            }
        }
        folded.push_str(&part[compatible.len()..]);
    }
    folded
}

/// Whether a character is a number of a list item or the like: circled, in brackets, or with a full stop.
pub(super) fn is_list_number(c: char) -> bool {
    matches!(c, '\u{2460}'..='\u{249b}' | '\u{24ea}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{3220}'..='\u{3229}'
        | '\u{3251}'..='\u{325f}' | '\u{3280}'..='\u{3289}' | '\u{32b1}'..='\u{32bf}' | '\u{1f100}'..='\u{1f10c}')
}

/// Whether a character is a control character other than a blank, or a character that shows nothing.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character beyond the BMP stays unchanged: flags, emoji, and unified ideographs without a simplified form.
fn is_plain_astral(c: char) -> bool {
    match c {
        '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f300}'..='\u{1faff}' => true,
        '\u{20000}'..='\u{2f7ff}' | '\u{30000}'..='\u{3ffff}' => simplified(c) == c,
        _ => false,
    }
}

/// Returns the simplified form of a traditional character, or any other character unchanged.
fn simplified(c: char) -> char {
    let pairs = &*TRADITIONAL;
    if u32::from(c) < 0x3400 { c } else { pairs.binary_search_by_key(&c, |pair| pair.0).map_or(c, |at| pairs[at].1) }
}

/// Returns the most usual traditional form of each simplified character that has one. Of several forms it is the first by code
/// point, but those of the basic block come before rare ones.
#[cfg(feature = "lab")]
pub(crate) fn traditional_forms() -> HashMap<char, char> {
    let (rare, usual): (Vec<_>, Vec<_>) =
        TRADITIONAL.iter().partition(|pair| pair.0 < '\u{4e00}' || pair.0 > '\u{9fff}');
    let mut forms = HashMap::new();
    for (traditional, simple) in usual.into_iter().chain(rare) {
        forms.entry(simple).or_insert(traditional);
    }
    forms
}

/// Pairs of a traditional and a simplified character, sorted. Source and licence are in the file.
static TRADITIONAL: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let lines = include_str!("traditional.txt").lines().filter(|line| !line.starts_with('#'));
    let mut chars = lines.flat_map(str::chars);
    std::iter::from_fn(|| chars.next().zip(chars.next())).collect()
});

// Codes of the table that are no characters to write. They are UTF-16 surrogates, which no character has as its code.
const DROP: u16 = 0xd800;
const BLANK: u16 = 0xd801;
const RARE: u16 = 0xd802;
/// The code of the first expansion. Its index is code − EXPAND.
const EXPAND: u16 = 0xd803;
const LAST: u16 = 0xdfff;

/// The form of each BMP character, independent of its neighbours.
struct Table {
    codes: Box<[u16; 1 << 16]>,
    /// Forms of more than one character, and those beyond the BMP.
    expansions: Vec<&'static str>,
}

/// The table, read from a file. Computing each form by the definition would take half of a short run. A test checks the file
/// against the definition.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_bytes!("levelled.bin")));

impl Table {
    /// Reads the number of listed characters, then each character with its code, all in two bytes each, and then the expansions,
    /// one a line. Characters that are not listed are their own code.
    fn read(bytes: &'static [u8]) -> Self {
        let mut codes = Box::new(std::array::from_fn(|code| code as u16));
        let (length, rest) = bytes.split_first_chunk().unwrap_or((&[0; 2], &[]));
        let (pairs, expansions) =
            rest.split_at_checked(usize::from(u16::from_le_bytes(*length)) * 4).unwrap_or_default();
        for [a, b, c, d] in pairs.as_chunks().0 {
            codes[usize::from(u16::from_le_bytes([*a, *b]))] = u16::from_le_bytes([*c, *d]);
        }
        Self { codes, expansions: std::str::from_utf8(expansions).unwrap_or_default().lines().collect() }
    }
}

#[cfg(test)]
mod made;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow(text: &str) -> String {
        let mut out = String::new();
        level_into(text, &mut out);
        out
    }

    #[test]
    fn levels_what_is_not_content() {
        for (text, form) in [
            ("ＡｂＣ１２３，（好）！", "abc123,(好)!"),
            ("\u{feff}a\u{ad}b\u{200d}c\u{fe0f}\u{7}d", "abcd"),
            ("  一\r\n\u{3000}\t二\u{a0}三\u{2028}", "一 二 三"),
            ("微博視頻發布，這裏", "微博视频发布,这里"),
            ("①②⑳⑴⒈㈠ ㊿", "①②⑳⑴⒈㈠ ㊿"),
            ("㎡ ℃ … Ⅳ ｶﾞ ㊣", "m2 °c ... iv ガ 正"),
            ("STRASSE Straße ΣΊΣΥΦΟΣ", "strasse strasse σίσυφοσ"),
            ("e\u{301} E\u{200b}\u{301}", "é é"),
            ("㑮\u{2f800}𠁞", "𫝈丽𠀾"),
            ("🇨🇳👨\u{200d}👩\u{fe0f}", "🇨🇳👨👩"),
            (" \u{200b}\n", ""),
        ] {
            assert_eq!(canonical(text), form, "{text:?}");
        }
    }

    #[test]
    fn every_character_takes_the_same_way() {
        assert!(TABLE.expansions.len() < usize::from(LAST - EXPAND));
        assert!(TABLE.codes.iter().filter(|&&code| code == RARE).count() < 3000);
        for c in '\0'..=char::MAX {
            let text = format!("好{c}a");
            let form = canonical(&text);
            assert_eq!(form, slow(&text), "{c:?}");
            assert_eq!(canonical(&form), form, "{c:?}");
        }
    }

    #[test]
    fn scripts_close() {
        assert!(TRADITIONAL.is_sorted() && TRADITIONAL.len() > 4000);
        assert!(TRADITIONAL.iter().all(|&(_, simple)| simplified(simple) == simple));
    }

    const MIXED: &str = "[a-zA-Z\u{300}-\u{345}ᄀ-ᇿ¨´ßÅΣςİ①漢 \u{200b}\n]{0,12}";

    proptest! {
        #[test]
        fn blank_is_what_has_no_canonical_form(text in "[ \t　\u{200b}\u{0}\u{fe0f}a好①🏻\u{301}]{0,6}") {
            prop_assert_eq!(is_blank(&text), canonical(&text).is_empty());
        }

        #[test]
        fn the_table_is_the_definition(text in prop_oneof![any::<String>(), MIXED]) {
            let form = canonical(&text);
            prop_assert_eq!(&form, &slow(&text));
            prop_assert_eq!(canonical(&form), form);
        }
    }
}

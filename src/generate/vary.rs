//! Makes repeats and decoys of a post.

use super::words;
use super::write::{Random, Writer};

/// Pairs of a simplified and a traditional character, sorted by the simplified one.
pub(super) struct Script(Vec<(char, char)>);

impl Script {
    pub(super) fn new() -> Self {
        let characters: Vec<char> = words::SCRIPT.chars().collect();
        let mut pairs: Vec<_> = characters.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.sort_unstable();
        Self(pairs)
    }

    fn traditional(&self, c: char) -> char {
        self.0.binary_search_by_key(&c, |pair| pair.0).map_or(c, |at| self.0[at].1)
    }
}

/// Appends `source` in another script, width or case, or with other blanks. The bytes always differ.
pub(super) fn canonical(script: &Script, random: &mut Random, source: &str, out: &mut String) {
    let how = random.pick(&[0b0001, 0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b1001, 0b0110]);
    let (traditional, width, case, blanks) = (how & 1 != 0, how & 2 != 0, how & 4 != 0, how & 8 != 0);
    let start = out.len();
    if blanks && random.chance(50) {
        out.push('\u{3000}');
    }
    for c in source.chars() {
        let c = if case { c.to_ascii_uppercase() } else { c };
        out.push(match c {
            '!'..='~' if width => char::from_u32(c as u32 + 0xFEE0).unwrap_or(c),
            '，' | '！' | '？' | '：' | '；' if width => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
            _ if traditional => script.traditional(c),
            _ => c,
        });
        if c == ' ' && blanks {
            out.push(' ');
        }
    }
    if out[start..] == *source {
        out.push(' ');
    }
}

/// Appends `source` with one or two layers of wrapping, as people and apps put around a post. The body stays the same.
pub(super) fn wrapped(writer: &Writer, random: &mut Random, source: &str, out: &mut String) {
    // Another topic would make a short remark a different remark.
    let kinds = if source.chars().count() < 12 { 9 } else { 11 };
    let before = random.below(kinds);
    match before {
        0 => out.push_str("转发微博 //@"),
        1 => out.push_str("//@"),
        2 => out.push_str("回复@"),
        3 => out.push('@'),
        9 | 10 => writer.topic(random, out),
        _ => {}
    }
    if before < 4 {
        writer.slot(b'b', random, out);
        out.push(if before == 3 { ' ' } else { ':' });
    }
    out.push_str(source);
    if (4..9).contains(&before) || random.chance(20) {
        match random.below(7) {
            0 | 1 => {
                out.push_str("  L");
                writer.slot(b'b', random, out);
                out.push_str("的微博视频");
            }
            2 => {
                for _ in 0..1 + random.below(3) {
                    writer.face(random, out);
                }
            }
            3 => {
                out.push_str(" @");
                writer.slot(b'b', random, out);
            }
            4 => {
                out.push_str(" https://t.cn/A6");
                for _ in 0..6 {
                    out.push(char::from(random.pick(b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")));
                }
            }
            5 => {
                out.push_str(" 2");
                writer.slot(b'c', random, out);
                if random.chance(50) {
                    out.push('·');
                    writer.slot(b'q', random, out);
                }
            }
            _ => out.push_str(" O网页链接"),
        }
    }
}

/// Whether a change of this character leaves numbers and negations as they are.
pub(super) fn is_harmless(c: char) -> bool {
    ('\u{4E00}'..='\u{9FFF}').contains(&c) && !"零〇一二两三四五六七八九十百千万亿半第几不没未无别非".contains(c)
}

/// Appends `source` with `count` characters outside topics changed. `places` is a buffer. Returns false and appends nothing if the text
/// is too short.
pub(super) fn edited(
    random: &mut Random,
    count: usize,
    source: &str,
    places: &mut Vec<usize>,
    out: &mut String,
) -> bool {
    places.clear();
    let mut in_topic = false;
    for (at, c) in source.char_indices() {
        in_topic ^= c == '#';
        if !in_topic && is_harmless(c) {
            places.push(at);
        }
    }
    if places.len() < 5 * (1 + count) {
        return false;
    }
    let start = out.len();
    out.push_str(source);
    let mut last = usize::MAX;
    for _ in 0..count {
        // Two changes are kept apart, so that one does not undo the other. The later place is changed first, so that the earlier place
        // stays valid.
        let half = places.len() / count;
        let from = if last == usize::MAX { places.len() - half } else { 0 };
        let at = start + places[from + random.below(half)];
        last = at;
        let Some(old) = out[at..].chars().next() else { return false };
        let size = old.len_utf8();
        match random.below(5) {
            0 if out[at + size..].starts_with(is_harmless) => {
                out.replace_range(at..at + size, "");
            }
            1 => out.insert(at, pick_other(random, old)),
            _ => {
                let new = pick_other(random, old);
                out.replace_range(at..at + size, new.encode_utf8(&mut [0; 4]));
            }
        }
    }
    true
}

pub(super) fn pick_other(random: &mut Random, old: char) -> char {
    let all = words::EDIT.len() / 3;
    let start = random.below(all);
    words::EDIT.chars().cycle().skip(start).find(|c| *c != old).unwrap_or('的')
}

/// Appends `source` with one number changed: the same template about something else. Returns false and appends nothing if the text has no
/// number that can be changed. Dates and times stay.
pub(super) fn facts(random: &mut Random, source: &str, places: &mut Vec<usize>, out: &mut String) -> bool {
    places.clear();
    let bytes = source.as_bytes();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        let (before, after) = (source[..at].trim_end_matches(|c: char| c.is_ascii_digit()), &source[at + 1..]);
        let goes_on = after.starts_with(|c: char| c.is_ascii_digit());
        if !goes_on && !after.starts_with([':', '月', '日']) && !before.ends_with(':') {
            places.push(at);
        }
    }
    if places.is_empty() {
        return false;
    }
    let at = random.pick(places);
    // A digit from 1 to 9 that differs from the old one. A lone digit would mean nothing as a 0.
    let new = match bytes[at] {
        b'0' => b'1' + random.below(9) as u8,
        old => b'1' + (old - b'1' + 1 + random.below(8) as u8) % 9,
    };
    out.push_str(&source[..at]);
    out.push(char::from(new));
    out.push_str(&source[at + 1..]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_table_is_one_to_one() {
        let script = Script::new();
        assert_eq!(words::SCRIPT.chars().count() % 2, 0);
        assert!(script.0.windows(2).all(|pair| pair[0].0 != pair[1].0));
        let mut traditional: Vec<char> = script.0.iter().map(|pair| pair.1).collect();
        traditional.sort_unstable();
        assert!(traditional.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(script.0.iter().all(|pair| pair.0 != pair.1 && !traditional.contains(&pair.0)));
    }

    #[test]
    fn variants_differ_from_their_source() {
        let (writer, script, mut random) = (Writer::new(), Script::new(), Random::new(7));
        let mut places = Vec::new();
        for _ in 0..20_000 {
            let mut source = String::new();
            writer.post(&mut random, &mut source);
            for kind in 0..5 {
                let mut out = String::new();
                let made = match kind {
                    0 => edited(&mut random, 1, &source, &mut places, &mut out),
                    1 => edited(&mut random, 2, &source, &mut places, &mut out),
                    2 => facts(&mut random, &source, &mut places, &mut out),
                    3 => {
                        wrapped(&writer, &mut random, &source, &mut out);
                        assert!(out.contains(&source));
                        true
                    }
                    _ => {
                        canonical(&script, &mut random, &source, &mut out);
                        true
                    }
                };
                assert_eq!(made, !out.is_empty(), "{source}");
                assert_ne!(out, source, "{kind}");
            }
        }
    }
}

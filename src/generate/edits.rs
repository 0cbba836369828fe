//! Edits of any texts, by kind: changes after which a text is still a repeat, and decoys that are not repeats.

use std::collections::HashMap;

use super::vary::{is_harmless, pick_other};
use super::write::{Random, Writer};
use crate::config::Rules;
use crate::locale::later;
use crate::text::body::{Body, body_into};
use crate::text::normalise::{canonical, traditional_forms};

/// A kind of edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// This many characters replaced by others.
    Substitute(usize),
    /// This many characters inserted.
    Insert(usize),
    /// This many characters deleted.
    Delete(usize),
    /// `转发微博//@name:` before it.
    Repost,
    /// One to three emoji or emoticons after it.
    Emoji,
    /// Traditional characters, by the table that the canonical form undoes.
    Traditional,
    /// All punctuation replaced by other marks, or removed. Marks at the end if the text has no punctuation.
    Punctuation,
    /// The last 15 % of the characters removed, rounded up.
    Truncate,
    /// Another topic before it, and a place stamp after it.
    Tag,
    /// A decoy, which is not a repeat. One digit is replaced, or one Chinese numeral that is part of a number.
    Number,
}

impl Edit {
    /// Every edit that is measured, with its name in output.
    pub(crate) const NAMED: [(&'static str, Self); 16] = [
        (later("substituted 1"), Self::Substitute(1)),
        (later("substituted 2"), Self::Substitute(2)),
        (later("substituted 4"), Self::Substitute(4)),
        (later("inserted 1"), Self::Insert(1)),
        (later("inserted 2"), Self::Insert(2)),
        (later("inserted 4"), Self::Insert(4)),
        (later("deleted 1"), Self::Delete(1)),
        (later("deleted 2"), Self::Delete(2)),
        (later("deleted 4"), Self::Delete(4)),
        (later("repost"), Self::Repost),
        (later("emoji"), Self::Emoji),
        (later("traditional"), Self::Traditional),
        (later("punctuation"), Self::Punctuation),
        (later("truncated 15 %"), Self::Truncate),
        (later("topic and place"), Self::Tag),
        (later("number (decoy)"), Self::Number),
    ];

    /// Whether a reader would call the edited text a repeat.
    pub(crate) fn is_repeat(self) -> bool {
        self != Self::Number
    }
}

/// How many harmless characters a text must have for each change, so that at most a quarter of them change.
const PER_CHANGE: usize = 4;
/// The least characters of a text to which a topic is added. To a shorter text, a topic would give another meaning.
const LEAST_TAGGED: usize = 12;
const MARKS: &str = "，。！？；：、…,.!?;:~～";
const NUMERALS: &str = "二三四五六七八九";
/// Words before a Chinese numeral, and units after it, by which the numeral is a number.
const BEFORE: [&str; 4] = ["第", "百分之", "星期", "周"];
const UNITS: &str = "例名位岁号月日年点时分场届期批元";

/// Edits texts. The same seed and the same texts in the same order give the same edits on every machine.
pub(crate) struct Editor {
    random: Random,
    writer: Writer,
    traditional: HashMap<char, char>,
}

impl Editor {
    /// An editor with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), writer: Writer::new(), traditional: traditional_forms() }
    }

    /// Returns `text` edited, which is never the same as before; `None` if it is too short for this edit, or has nothing that the edit
    /// could change.
    pub(crate) fn edit(&mut self, edit: Edit, text: &str) -> Option<String> {
        let edited = match edit {
            Edit::Substitute(count) | Edit::Insert(count) | Edit::Delete(count) => {
                self.characters(edit, count, text)?
            }
            Edit::Repost => {
                let mut out = "转发微博//@".to_owned();
                self.writer.slot(b'b', &mut self.random, &mut out);
                out + ":" + text
            }
            Edit::Emoji => {
                let mut out = text.to_owned();
                for _ in 0..1 + self.random.below(3) {
                    self.writer.face(&mut self.random, &mut out);
                }
                out
            }
            Edit::Traditional => text.chars().map(|c| self.traditional.get(&c).copied().unwrap_or(c)).collect(),
            Edit::Punctuation => self.punctuation(text),
            Edit::Truncate => {
                let characters = text.chars().count();
                text.chars().take(characters - (characters * 15).div_ceil(100)).collect()
            }
            Edit::Tag => self.tag(text)?,
            Edit::Number => self.number(text)?,
        };
        (edited != text && !edited.is_empty()).then_some(edited)
    }

    /// Changes `count` characters outside topics. Numbers and negations stay.
    fn characters(&mut self, edit: Edit, count: usize, text: &str) -> Option<String> {
        let mut in_topic = false;
        let harmless = |(at, c): (usize, char)| {
            in_topic ^= c == '#';
            (!in_topic && is_harmless(c)).then_some(at)
        };
        let mut places: Vec<usize> = text.char_indices().filter_map(harmless).collect();
        if places.len() < PER_CHANGE * count {
            return None;
        }
        for drawn in 0..count {
            let from = drawn + self.random.below(places.len() - drawn);
            places.swap(drawn, from);
        }
        places.truncate(count);
        places.sort_unstable();
        let mut out = text.to_owned();
        // From the end, so that earlier places stay valid.
        for at in places.into_iter().rev() {
            let old = text[at..].chars().next()?;
            let end = if edit == Edit::Insert(count) { at } else { at + old.len_utf8() };
            match edit {
                Edit::Delete(_) => out.replace_range(at..end, ""),
                _ => out.replace_range(at..end, pick_other(&mut self.random, old).encode_utf8(&mut [0; 4])),
            }
        }
        Some(out)
    }

    fn punctuation(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            // Marks within numbers and links are not punctuation.
            let inside = c.is_ascii() && text[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
            match c {
                c if !MARKS.contains(c) || inside => out.push(c),
                _ if self.random.chance(25) => {}
                _ => out.push(self.random.pick(&['，', '。', '！', '～', ' '])),
            }
        }
        if out == text {
            out.push_str(self.random.pick(&["！！", "。", "……", "～"]));
        }
        out
    }

    fn tag(&mut self, text: &str) -> Option<String> {
        if text.chars().count() < LEAST_TAGGED {
            return None;
        }
        let mut out = String::new();
        self.writer.topic(&mut self.random, &mut out);
        out = out + text + " 2";
        self.writer.slot(b'c', &mut self.random, &mut out);
        out.push('·');
        self.writer.slot(b'q', &mut self.random, &mut out);
        Some(out)
    }

    /// Changes one number of the body, because a change in the wrapping alone would be no decoy.
    fn number(&mut self, text: &str) -> Option<String> {
        let mut places: Vec<(usize, char)> =
            text.char_indices().filter(|&(at, c)| is_number(&text[..at], c, &text[at + c.len_utf8()..])).collect();
        let body = |text: &str| {
            let mut body = Body::default();
            body_into(&canonical(text), Rules::ALL, &mut body);
            body.text
        };
        let original = body(text);
        while !places.is_empty() {
            let (at, old) = places.swap_remove(self.random.below(places.len()));
            let numerals: Vec<char> = if old.is_ascii() { ('1'..='9').collect() } else { NUMERALS.chars().collect() };
            let others: Vec<char> = numerals.into_iter().filter(|new| *new != old).collect();
            let mut edited = text.to_owned();
            edited.replace_range(at..at + old.len_utf8(), self.random.pick(&others).encode_utf8(&mut [0; 4]));
            if body(&edited) != original {
                return Some(edited);
            }
        }
        None
    }
}

/// Whether a character is part of a number at this place. That is a digit that belongs to no word, link or place stamp, or a Chinese
/// numeral with a counter.
fn is_number(before: &str, c: char, after: &str) -> bool {
    if c.is_ascii_digit() {
        let word = |c: char| c.is_ascii_alphabetic() || "/@_".contains(c);
        let digits = |c: char| c.is_ascii_digit();
        let stamp =
            c == '2' && (before.is_empty() || before.ends_with(char::is_whitespace)) && !after.starts_with(digits);
        return !stamp
            && !before.trim_end_matches(digits).ends_with(word)
            && !after.trim_start_matches(digits).starts_with(word);
    }
    NUMERALS.contains(c)
        && (BEFORE.iter().any(|word| before.ends_with(word)) || after.starts_with(|c| UNITS.contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, Recipe};

    #[test]
    fn what_an_edit_cannot_change_is_left_alone() {
        let mut editor = Editor::new(1);
        assert_eq!(editor.edit(Edit::Traditional, "樱花开了"), Some("櫻花開了".into()));
        assert_eq!(editor.edit(Edit::Number, "樱花开了"), None);
    }

    /// How many characters only one of the texts has. A character that occurs several times counts several times.
    fn changed(a: &str, b: &str) -> usize {
        let count = |text: &str| {
            let mut counts = HashMap::new();
            text.chars().for_each(|c| *counts.entry(c).or_insert(0i64) += 1);
            counts
        };
        let (a, b) = (count(a), count(b));
        let all: std::collections::HashSet<_> = a.keys().chain(b.keys()).collect();
        all.iter().map(|c| (a.get(c).unwrap_or(&0) - b.get(c).unwrap_or(&0)).unsigned_abs() as usize).sum()
    }

    #[test]
    fn edits_are_what_they_say() {
        let posts: Vec<String> = Generator::new(9, Recipe { repeats: 0, decoys: 0, ..Recipe::default() })
            .unwrap()
            .take(3000)
            .map(|post| post.text)
            .collect();
        let (mut editor, mut again) = (Editor::new(5), Editor::new(5));
        for (name, edit) in Edit::NAMED {
            let mut made = 0;
            for text in &posts {
                let edited = editor.edit(edit, text);
                assert_eq!(edited, again.edit(edit, text));
                let Some(edited) = edited else { continue };
                made += 1;
                assert_ne!(&edited, text, "{name}");
                let (old, new) = (text.chars().count(), edited.chars().count());
                match edit {
                    Edit::Substitute(count) => {
                        assert_eq!(old, new);
                        assert!((1..=2 * count).contains(&changed(text, &edited)), "{text}\n{edited}");
                    }
                    Edit::Insert(count) => assert_eq!((new - old, changed(text, &edited)), (count, count)),
                    Edit::Delete(count) => assert_eq!((old - new, changed(text, &edited)), (count, count)),
                    Edit::Repost | Edit::Emoji | Edit::Tag => assert!(edited.contains(text)),
                    Edit::Traditional => assert_eq!(canonical(text), canonical(&edited)),
                    Edit::Punctuation => {
                        let plain = |text: &str| text.replace(|c: char| MARKS.contains(c) || c == ' ', "");
                        assert_eq!(plain(text), plain(&edited));
                    }
                    Edit::Truncate => {
                        assert!(text.starts_with(&edited));
                        assert_eq!(new, old * 85 / 100, "{text}");
                    }
                    Edit::Number => assert_eq!((old, changed(text, &edited)), (new, 2)),
                }
            }
            assert!(made > 500, "{name}: {made}");
        }
    }

    #[test]
    fn decoys_change_numbers_of_the_body_alone() {
        let mut editor = Editor::new(2);
        for text in [
            "#第3集#好看",
            "好看 2北京·海淀",
            "见 http://t.cn/A6x7",
            "@小王123 好看",
            "一心一意",
            "iPhone12好用",
            "四川好",
        ] {
            assert_eq!(editor.edit(Edit::Number, text), None, "{text}");
        }
        for text in ["第三集好看", "新增7例", "新增三例", "#第3集#第5集好看", "星期四见", "6.3%"]
        {
            let edited = editor.edit(Edit::Number, text).unwrap();
            assert_eq!(changed(text, &edited), 2, "{text} {edited}");
        }
    }
}

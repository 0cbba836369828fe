//! Cue words: they tell what kind of thing is beside them, or what kind of thing they are.
//!
//! In 领券戳 t.cn/A6xq the word 领券 says that the link is the point of the message. In 恭喜@小鱼儿 the word 恭喜 says the same of the name.
//! The words are the sections of `data/lexicon/cues.txt`, in their canonical spelling.

use std::sync::LazyLock;

use super::common_chars::CharSet;
use super::lists::sections;

/// The text of `cues.txt`.
pub(crate) static LIST: &str = include_str!("../../data/lexicon/cues.txt");

/// The words of one section.
pub(crate) struct Words {
    words: Vec<&'static str>,
    /// The first characters of the words. Boxed, because all sections together are too large for the stack of a thread.
    first: Box<CharSet>,
}

impl Words {
    fn of(lines: &[&'static str]) -> Self {
        Self::new(lines.iter().flat_map(|line| line.split_whitespace()))
    }

    fn new(words: impl Iterator<Item = &'static str>) -> Self {
        let words: Vec<&str> = words.collect();
        let first: String = words.iter().filter_map(|word| word.chars().next()).collect();
        Self { words, first: Box::new(CharSet::of(&first)) }
    }

    /// Returns the words in the order of the list.
    pub(crate) fn each(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().copied()
    }

    /// Returns the text without the word of this section that it ends with.
    pub(crate) fn strip_from_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.words.iter().find_map(|word| text.strip_suffix(word))
    }

    /// Whether the text ends with a word of this section.
    pub(crate) fn ends(&self, text: &str) -> bool {
        self.strip_from_end(text).is_some()
    }

    /// Whether the text begins with a word of this section.
    pub(crate) fn begins(&self, text: &str) -> bool {
        self.rests_after(text).next().is_some()
    }

    /// Returns the rest of the text after each word of this section that it begins with.
    pub(crate) fn rests_after<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let may_begin = text.chars().next().is_some_and(|c| self.first.has(c.into()));
        let words = if may_begin { &self.words[..] } else { &[] };
        words.iter().filter_map(move |word| text.strip_prefix(word))
    }

    /// Whether the text is a word of this section.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.words.contains(&text)
    }

    /// Returns the length, in characters, of the first word of this section that these codes of characters begin with.
    pub(crate) fn starting(&self, codes: &[u32]) -> Option<usize> {
        codes.first().filter(|code| self.first.has(**code))?;
        self.words.iter().find(|word| begins_with(codes, word)).map(|word| word.chars().count())
    }

    /// Whether these codes of characters end with a word of this section.
    pub(crate) fn ends_codes(&self, codes: &[u32]) -> bool {
        self.words.iter().any(|word| {
            let mut codes = codes.iter().rev();
            word.chars().rev().all(|c| codes.next() == Some(&c.into()))
        })
    }

    /// Whether these codes of characters are a word of this section.
    pub(crate) fn is_codes(&self, codes: &[u32]) -> bool {
        let is_one = |word: &&str| codes.iter().copied().eq(word.chars().map(u32::from));
        codes.first().is_some_and(|code| self.first.has(*code)) && self.words.iter().any(is_one)
    }

    /// Whether a word of this section begins with the character of this code.
    pub(crate) fn begins_a_word(&self, code: u32) -> bool {
        self.first.has(code)
    }

    /// Whether the text contains a word of this section.
    pub(crate) fn within(&self, text: &str) -> bool {
        text.char_indices().any(|(at, _)| self.begins(&text[at..]))
    }
}

/// Whether these codes of characters begin with the word.
pub(crate) fn begins_with(codes: &[u32], word: &str) -> bool {
    let mut codes = codes.iter();
    word.chars().all(|c| codes.next() == Some(&c.into()))
}

/// The single characters of one section.
pub(crate) struct Chars(Words);

impl Chars {
    fn of(lines: &[&'static str]) -> Self {
        Self(Words::of(lines))
    }

    /// Whether the character is in this section.
    pub(crate) fn has(&self, c: char) -> bool {
        self.has_code(c.into())
    }

    /// Whether the code is that of a character in this section.
    #[inline]
    pub(crate) fn has_code(&self, code: u32) -> bool {
        self.0.first.has(code)
    }

    /// Returns the characters in the order of the list.
    pub(crate) fn each(&self) -> impl Iterator<Item = char> {
        self.0.each().flat_map(str::chars)
    }

    /// Whether the text is a single character of this section.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.0.is(text)
    }
}

/// Words in rows: those of one row mean nearly the same, those of different rows do not.
pub(crate) struct Family {
    pub(crate) rows: Vec<Row>,
}

/// Words that mean nearly the same.
pub(crate) struct Row {
    pub(crate) words: Words,
    /// Whether it also matters if only one of two texts has a word of this row.
    pub(crate) is_one_sided: bool,
}

impl Family {
    fn of(lines: &[&'static str]) -> Self {
        let row = |line: &&'static str| Row {
            words: Words::new(line.trim_start_matches('!').split_whitespace()),
            is_one_sided: line.starts_with('!'),
        };
        Self { rows: lines.iter().map(row).collect() }
    }
}

/// Declares the sections, and reads each from the list by its name.
macro_rules! sections {
    ($($name:ident: $kind:ident,)*) => {
        /// All sections.
        pub(crate) struct Cues {
            $(pub(crate) $name: $kind,)*
        }

        /// The cue words that are compiled into the program.
        pub(crate) static CUES: LazyLock<Cues> = LazyLock::new(|| {
            let sections = sections(LIST);
            let lines = |name: &str| sections.get(name).map_or(&[][..], Vec::as_slice);
            Cues { $($name: $kind::of(lines(stringify!($name))),)* }
        });

        #[cfg(test)]
        impl Cues {
            /// The name of each section, its kind and its words.
            fn all(&self) -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
                vec![$((stringify!($name), stringify!($kind), self.$name.all()),)*]
            }
        }
    };
}

sections! {
    asked: Words,
    at: Words,
    call: Words,
    act: Words,
    more: Words,
    given: Words,
    row: Words,
    addressed: Words,
    credit: Words,
    dynasty: Words,
    noticed: Words,
    did: Words,
    shared: Words,
    stance: Chars,
    counted: Chars,
    spoken: Chars,
    signer: Words,
    sender: Words,
    press: Words,
    sent: Words,
    harm: Words,
    byline: Words,
    teller: Words,
    heading: Words,
    serial: Words,
    urge: Words,
    opt_out: Words,
    connective: Words,
    listing: Words,
    warning: Words,
    reporter: Words,
    author: Words,
    agency: Words,
    placed: Words,
    posted: Words,
    pointer: Words,
    invite: Words,
    front: Words,
    aside: Words,
    light: Chars,
    light_word: Words,
    particle: Words,
    asking: Chars,
    also: Chars,
    again: Chars,
    told_again: Chars,
    follow_up: Family,
    done_to: Words,
    series: Chars,
    part: Chars,
    piece: Words,
    announcing: Words,
    not_to_come_before: Chars,
    not_to_come_behind: Chars,
    unsure: Chars,
    once_more: Words,
    said_again: Words,
    no_question: Chars,
    views: Words,
    seeks: Words,
    surname_word: Chars,
    joining: Chars,
    joining_behind: Chars,
    street: Chars,
    site: Words,
    turn: Words,
    before_is: Chars,
    cause: Words,
    effect: Words,
    later: Words,
    modal: Words,
    classifier: Chars,
    classifier_of_one: Chars,
    binds_one: Chars,
    head: Chars,
    joint: Chars,
    order: Words,
    change: Words,
    familiar: Chars,
    is_called: Chars,
    adverb: Chars,
    after_name: Chars,
    final_particle: Chars,
    empty: Chars,
    degree: Chars,
    deciding: Chars,
    asking_char: Chars,
    stating: Chars,
    stating_briefly: Chars,
    between_nouns: Chars,
    role: Chars,
    free_role: Chars,
    copula: Words,
    period: Chars,
    dated: Words,
    label: Words,
    site_ending: Words,
    website: Words,
    scope: Family,
    finals: Family,
    joins: Family,
    shades: Family,
    whom: Family,
    place: Family,
}

#[cfg(test)]
impl Words {
    fn all(&self) -> Vec<&'static str> {
        self.words.clone()
    }
}

#[cfg(test)]
impl Chars {
    fn all(&self) -> Vec<&'static str> {
        self.0.all()
    }
}

#[cfg(test)]
impl Family {
    fn all(&self) -> Vec<&'static str> {
        self.rows.iter().flat_map(|row| row.words.all()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lists::lines;
    use crate::text::normalise::canonical;
    use std::collections::BTreeSet;

    #[test]
    fn words_are_spelled_as_they_are_compared() {
        for (name, kind, words) in CUES.all() {
            assert!(!words.is_empty(), "{name}");
            // The rule looks up the words of [scope] as characters, too.
            let is_of_characters = kind == "Chars" || name == "scope";
            for word in words {
                assert_eq!(canonical(word), word, "{name}");
                assert!(!is_of_characters || word.chars().count() == 1, "{name} has characters only: {word}");
            }
        }
        let codes = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        assert_eq!(CUES.connective.starting(&codes("而且来了")), Some(1), "the first word of the list");
        assert_eq!(CUES.connective.starting(&codes("且来了")), None);
        assert!(CUES.act.ends_codes(&codes("快来报名")) && !CUES.act.ends_codes(&codes("名")));
        assert!(CUES.act.is_codes(&codes("报名")) && !CUES.act.is_codes(&codes("报名吧")) && !CUES.act.is_codes(&[]));
        assert!(CUES.act.within("快来报名吧") && !CUES.act.within("快来看吧"));
        assert!(CUES.again.has('又') && !CUES.again.has('有') && CUES.series.is("上") && !CUES.series.is("上中"));
    }

    #[test]
    fn every_section_is_read() {
        let listed: BTreeSet<&str> = lines(LIST).map(|line| line.section).collect();
        assert_eq!(CUES.all().into_iter().map(|(name, ..)| name).collect::<BTreeSet<_>>(), listed);
    }
}

//! The language of a document, judged by its script, and the words of that language that carry no meaning of their own.
//!
//! The papers' methods (Zelenkov & Segalovich 2007 and its successors) were made for Russian, Ukrainian and English web pages. A
//! Chinese document needs other rules for words and sentences. The language is decided once for a whole document: a Chinese post
//! with an English name in it stays Chinese.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::error::{Error, Result};
use crate::locale::tr;

/// A language that the papers' methods have rules for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Chinese, and any other text that is written without blanks in Chinese characters or kana.
    Han,
    /// Russian, and other languages in Cyrillic script.
    Russian,
    /// Ukrainian.
    Ukrainian,
    /// English, and all other languages that separate words by blanks.
    English,
}

impl Language {
    /// Every language, with its name in `--lang` (ISO 639-1).
    pub(crate) const NAMED: [(&'static str, Self); 4] =
        [("zh", Self::Han), ("ru", Self::Russian), ("uk", Self::Ukrainian), ("en", Self::English)];

    /// Reads the value of `--lang`: a name, or `auto`. `auto` returns `None`: then [`of`](Self::of) decides the language of each
    /// document.
    ///
    /// # Errors
    /// [`Error::Config`] for other names.
    pub fn parse(name: &str) -> Result<Option<Self>> {
        match Self::NAMED.iter().find(|(known, _)| *known == name) {
            Some((_, language)) => Ok(Some(*language)),
            None if name == "auto" => Ok(None),
            None => Err(Error::config(
                "--lang",
                tr!("`{name}` is no language with rules; use auto, zh, ru, uk or en", name),
            )),
        }
    }

    /// Judges the language of `text` by the scripts of its letters:
    ///
    /// 1. [`Han`](Self::Han) if at least a tenth of the letters are Chinese characters or kana. Names, links and topics in Latin
    ///    letters are longer than the Chinese around them, and do not make a post English.
    /// 2. Otherwise, if at least a tenth are Cyrillic: [`Ukrainian`](Self::Ukrainian) if the letters that only Ukrainian has (і ї є
    ///    ґ) outnumber those that only Russian has (ы э ё ъ), and [`Russian`](Self::Russian) if not.
    /// 3. Otherwise [`English`](Self::English), also for a text without letters.
    ///
    /// ```
    /// use quchong::text::language::Language;
    /// assert_eq!(Language::of("发布 iPhone 12"), Language::Han);
    /// assert_eq!(Language::of("Слава Україні"), Language::Ukrainian);
    /// ```
    pub fn of(text: &str) -> Self {
        let (mut letters, mut han, mut cyrillic, mut ukrainian, mut russian) = (0_usize, 0, 0, 0, 0);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            letters += 1;
            match c {
                '\u{400}'..='\u{52f}' => {
                    cyrillic += 1;
                    ukrainian += usize::from("іїєґІЇЄҐ".contains(c));
                    russian += usize::from("ыэёъЫЭЁЪ".contains(c));
                }
                _ => han += usize::from(is_unspaced(c)),
            }
        }
        let noticeable = |part: usize| part > 0 && part * 10 >= letters;
        match () {
            () if noticeable(han) => Self::Han,
            () if noticeable(cyrillic) && ukrainian > russian => Self::Ukrainian,
            () if noticeable(cyrillic) => Self::Russian,
            () => Self::English,
        }
    }

    /// Whether `word`, in lower case and simplified characters, is a function word: a pronoun, preposition, conjunction, particle
    /// or auxiliary verb.
    ///
    /// The lists are this project's own, and contain only closed classes of words. The lists of the collection stopwords-iso were
    /// examined and rejected. Its Russian list has money, house, war and wife, its English one has computer and bill, and its
    /// Ukrainian one has only 73 words. The topics that such words stand for would not count in a signature.
    pub(crate) fn is_stop_word(self, word: &str) -> bool {
        let list = match self {
            Self::Han => &CHINESE,
            Self::Russian => &RUSSIAN,
            Self::Ukrainian => &UKRAINIAN,
            Self::English => &ENGLISH,
        };
        // The lists have the typewriter's apostrophe, so don’t is looked up as don't.
        list.contains(word) || word.contains('’') && list.contains(word.replace('’', "'").as_str())
    }
}

/// Whether the character is a letter of a script that puts no blanks between words: Chinese characters and kana.
pub(super) fn is_unspaced(c: char) -> bool {
    let block = matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    block && c.is_alphabetic()
}

/// A list of words that is only searched for single words.
type List = LazyLock<HashSet<&'static str>>;

static CHINESE: List = LazyLock::new(|| include_str!("stop_words/zh.txt").split_whitespace().collect());
static RUSSIAN: List = LazyLock::new(|| include_str!("stop_words/ru.txt").split_whitespace().collect());
static UKRAINIAN: List = LazyLock::new(|| include_str!("stop_words/uk.txt").split_whitespace().collect());
static ENGLISH: List = LazyLock::new(|| include_str!("stop_words/en.txt").split_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::canonical;

    #[test]
    fn the_script_tells_the_language() {
        let cases = [
            ("今天武汉的樱花开了", Language::Han),
            ("今天武漢的櫻花開了", Language::Han),
            ("东京オリンピック", Language::Han),
            ("发布 iPhone 12 Pro Max Ultra", Language::Han),
            ("转发 http://t.cn/A6xYz", Language::Han),
            ("The name of the city is 武汉, which lies on the Yangtze", Language::English),
            ("Сегодня в Москве открылась выставка", Language::Russian),
            ("Новый iPhone 12 Pro Max Ultra", Language::Russian),
            ("Сьогодні в Києві відкрилася виставка", Language::Ukrainian),
            ("Он сказал: «Їжак», и объяснил это", Language::Russian),
            ("Today an exhibition opened", Language::English),
            ("Überall Käse", Language::English),
            ("12345 😂!", Language::English),
            ("", Language::English),
        ];
        for (text, language) in cases {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn names() {
        for (name, language) in Language::NAMED {
            assert_eq!(Language::parse(name).unwrap(), Some(language));
        }
        assert_eq!(Language::parse("auto").unwrap(), None);
        assert!(Language::parse("de").unwrap_err().to_string().starts_with("lang: `de`"));
    }

    #[test]
    fn function_words_are_stop_words_and_others_are_not() {
        for (language, stop, content) in [
            (Language::Han, "但是", "樱花"),
            (Language::Russian, "который", "деньги"),
            (Language::Ukrainian, "який", "виставка"),
            (Language::English, "wouldn't", "computer"),
        ] {
            assert!(language.is_stop_word(stop), "{stop}");
            assert!(!language.is_stop_word(content), "{content}");
            assert!(!language.is_stop_word(""));
        }
        assert!(Language::English.is_stop_word("wouldn’t") && !Language::English.is_stop_word("’"));
    }

    #[test]
    fn every_listed_word_can_be_met() {
        for (list, language) in [
            (&CHINESE, Language::Han),
            (&RUSSIAN, Language::Russian),
            (&UKRAINIAN, Language::Ukrainian),
            (&ENGLISH, Language::English),
        ] {
            assert!(list.len() > 150, "{language:?}");
            for word in list.iter() {
                assert_eq!(canonical(word), **word, "in the form that words are compared in");
                let cyrillic = |c: char| ('\u{400}'..='\u{52f}').contains(&c);
                let own = match language {
                    Language::Han => word.chars().all(is_unspaced),
                    Language::English => word.chars().all(|c| c.is_ascii_lowercase() || c == '\''),
                    _ => word.chars().all(cyrillic),
                };
                assert!(own, "{language:?} {word}");
            }
        }
    }
}

//! Splits a text into words by the rules of its language. This is the only file that uses the word boundaries of UAX #29.
//!
//! *In Chinese* jieba's dictionary splits the stretches in Chinese characters. The text between them is split like the other
//! languages.
//!
//! *In Russian, Ukrainian and English* a word is the text between two adjacent word boundaries of UAX #29 if it has a letter or a
//! digit: `don't` and `3.14` are one word each, `near-duplicate` is two.
//!
//! Words are slices of the text, so nothing is allocated for them. If width and traditional characters must not matter,
//! [`canonical`](super::normalise::canonical) levels the text before it is split. The papers do no stemming, and neither does this.

use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use super::language::{Language, is_unspaced};
use super::segment::Segmenter;

/// Splits texts into words. Loads jieba's dictionary (0.1–1 s) at the first Chinese text. May be shared by threads.
#[derive(Default)]
pub struct Words {
    segmenter: OnceLock<Segmenter>,
}

impl Words {
    /// Calls `each` with every word of `text` in order, leaving out punctuation, symbols and emoji.
    ///
    /// ```
    /// use quchong::text::{language::Language, words::Words};
    /// let mut words = Vec::new();
    /// Words::default().each("今天的 iphone 12, 樱花开了", Language::Han, |word| words.push(word));
    /// assert_eq!(words, ["今天", "的", "iphone", "12", "樱花", "开", "了"]);
    /// ```
    pub fn each<'t>(&self, text: &'t str, language: Language, mut each: impl FnMut(&'t str)) {
        if language != Language::Han {
            return text.unicode_words().for_each(each);
        }
        for run in stretches(text) {
            match run.starts_with(is_unspaced) {
                true => self.segmenter().words(run, &mut each),
                false => run.unicode_words().for_each(&mut each),
            }
        }
    }

    /// Calls `each` with every run of letters and digits in order. This is a word by Kosinov's definition, so `don't` and `3.14`
    /// are two words each. A stretch in Chinese characters would be a single run, so the dictionary splits it.
    pub(crate) fn each_run<'t>(&self, text: &'t str, language: Language, mut each: impl FnMut(&'t str)) {
        let runs = |text: &'t str, each: &mut dyn FnMut(&'t str)| {
            text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()).for_each(each);
        };
        if language != Language::Han {
            return runs(text, &mut each);
        }
        for run in stretches(text) {
            match run.starts_with(is_unspaced) {
                true => self.segmenter().words(run, &mut each),
                false => runs(run, &mut each),
            }
        }
    }

    /// Returns the words of `text` in order; see [`each`](Self::each).
    pub fn list<'t>(&self, text: &'t str, language: Language) -> Vec<&'t str> {
        let mut words = Vec::new();
        self.each(text, language, |word| words.push(word));
        words
    }

    /// Whether a word is long enough to mean something. The papers take words of three or more letters (Zelenkov & Segalovich 2007,
    /// A12). A Chinese word is significant if it has two or more characters or is in jieba's dictionary, because most one-character
    /// words mean as much as an English word. This does not exclude stop words: see [`Language::is_stop_word`].
    pub(crate) fn is_significant(&self, word: &str, language: Language) -> bool {
        match language {
            Language::Han => word.chars().nth(1).is_some() || self.segmenter().knows(word),
            _ => word.chars().nth(2).is_some(),
        }
    }

    fn segmenter(&self) -> &Segmenter {
        self.segmenter.get_or_init(Segmenter::new)
    }
}

/// Splits `text` into stretches, which alternate between scripts without blanks and other scripts.
fn stretches(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let unspaced = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_by_language() {
        let words = Words::default();
        let cases: [(Language, &str, &[&str]); 7] = [
            (Language::English, "don't split 3.14, near-duplicate!", &["don't", "split", "3.14", "near", "duplicate"]),
            (Language::Russian, "«нечёткие дубликаты» — это…", &["нечёткие", "дубликаты", "это"]),
            (Language::Ukrainian, "об'єкт і його п’ять копій", &["об'єкт", "і", "його", "п’ять", "копій"]),
            (Language::Han, "我们在武汉看樱花。", &["我们", "在", "武汉", "看", "樱花"]),
            (Language::Han, "新款iphone привет 3.14", &["新款", "iphone", "привет", "3.14"]),
            (Language::Han, "😂！", &[]),
            (Language::English, " \n", &[]),
        ];
        for (language, text, expected) in cases {
            assert_eq!(words.list(text, language), expected, "{text}");
        }
    }

    #[test]
    fn runs_of_letters_and_digits() {
        let words = Words::default();
        let cases: [(Language, &str, &[&str]); 4] = [
            (Language::English, "don't split 3.14, snake_case!", &["don", "t", "split", "3", "14", "snake", "case"]),
            (Language::Ukrainian, "об'єкт №5", &["об", "єкт", "5"]),
            (Language::Han, "我们在武汉看3.14路。", &["我们", "在", "武汉", "看", "3", "14", "路"]),
            (Language::English, "–", &[]),
        ];
        for (language, text, expected) in cases {
            let mut runs = Vec::new();
            words.each_run(text, language, |run| runs.push(run));
            assert_eq!(runs, expected, "{text}");
        }
    }

    #[test]
    fn significant_words() {
        let words = Words::default();
        for (language, word, significant) in [
            (Language::English, "of", false),
            (Language::English, "cat", true),
            (Language::Russian, "на", false),
            (Language::Russian, "кот", true),
            (Language::Han, "樱花", true),
            (Language::Han, "猫", true),
            (Language::Han, "𠮷", false),
            (Language::Han, "a", false),
            (Language::Han, "5g", true),
        ] {
            assert_eq!(words.is_significant(word, language), significant, "{word}");
        }
    }

    proptest! {
        #[test]
        fn words_stand_in_the_text_in_order(text in r"[a-zа-яії樱花开了的武汉 '。，.!0-9\n😂]{0,40}") {
            static WORDS: LazyLock<Words> = LazyLock::new(Words::default);
            for language in [Language::English, Language::Han] {
                let mut at = 0;
                for word in WORDS.list(&text, language) {
                    prop_assert!(word.chars().any(char::is_alphanumeric));
                    let found = text[at..].find(word);
                    prop_assert!(found.is_some());
                    let skipped = &text[at..at + found.unwrap()];
                    prop_assert!(!skipped.chars().any(char::is_alphanumeric), "{:?} was left out", skipped);
                    at += skipped.len() + word.len();
                }
                prop_assert!(!text[at..].chars().any(char::is_alphanumeric));
            }
        }
    }
}

//! Splits a text into words. This is the only file that uses jieba.

use std::sync::LazyLock;

use jieba_rs::Jieba;

/// The dictionary that jieba-rs ships. Loading it takes longer than most runs, so a process loads it only once.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Splits a text into words by jieba's dictionary. Jieba's hidden Markov model, which guesses words that the dictionary lacks, is
/// off: it costs more time.
pub(crate) struct Segmenter(&'static Jieba);

impl Segmenter {
    /// Loads the dictionary, unless it is loaded already.
    pub(crate) fn new() -> Self {
        Self(&JIEBA)
    }

    /// Calls `each` with every word of `text` in order, leaving out blanks.
    pub(crate) fn words<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        for token in self.0.cut(text, false) {
            if !token.word.trim_start().is_empty() {
                each(token.word);
            }
        }
    }

    /// Whether the dictionary has `word`.
    #[cfg(feature = "lab")]
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.0.has_word(word)
    }
}

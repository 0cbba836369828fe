//! Words: the only file that knows jieba.

use std::sync::LazyLock;

use jieba_rs::Jieba;

/// The dictionary that jieba-rs ships. Loading it takes longer than most of what is done with it, so a process does that once.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// Cuts a text into words by jieba's dictionary, without its hidden Markov model, which guesses at words
/// that the dictionary lacks and costs more time.
pub(crate) struct Segmenter(&'static Jieba);

impl Segmenter {
    /// Loads the dictionary, if nobody has.
    pub(crate) fn new() -> Self {
        Self(&JIEBA)
    }

    /// Calls `each` with every word of `text` in order, blanks left out.
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

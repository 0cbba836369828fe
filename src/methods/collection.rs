//! The documents that a method signs, and their common statistics.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::config::Rules;
use crate::text::body::{Body, body_into};
use crate::text::html;
use crate::text::language::Language;
use crate::text::normalise::canonical;
use crate::text::reflow::reflow;
use crate::text::sentences::{punctuation_counts, sentences};
use crate::text::shingle;
use crate::text::words::Words;

/// A word, given by its number in the collection's vocabulary. The vocabulary is in alphabetical order (by code points), so sorting words
/// sorts them by spelling.
pub(crate) type Word = u32;

/// Documents with their statistics, which do not depend on the order of the documents.
#[derive(Debug)]
pub struct Collection {
    /// The documents, in order.
    pub(crate) documents: Vec<Document>,
    vocabulary: Vec<Box<str>>,
    /// By word: the number of documents that have it among their [terms](Document::terms), and its number of occurrences there.
    counts: Vec<(u32, u64)>,
    mean_length: f64,
    /// What the papers leave open, as it was chosen.
    pub(crate) choices: Choices,
}

/// How texts are read before they are signed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The language of all texts; `None`: detected for each text.
    pub language: Option<Language>,
    /// Wrapping to remove before signing. The product's presets always remove theirs.
    pub rules: Rules,
    /// Whether to undo the [layout](reflow()) first, for documents with pages.
    pub reflow: bool,
    /// Whether to take out [HTML](html::plain) before all else.
    pub html: bool,
    /// Choices where the papers are open or ambiguous.
    pub choices: Choices,
}

/// Choices where the papers are open or ambiguous. `quchong reproduce` varies them in its ablations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
    /// Fewest letters of a content word: 3 by default. For Chinese, up to 1 means that every word counts; more means that a word of one
    /// character counts only if it is in the dictionary.
    pub letters: usize,
    /// Whether content words exclude stop words. Default true.
    pub no_stop_words: bool,
    /// Number of words in a frequency signature, from 1: 6 by default (Sharapova: 5 or 6).
    pub frequent: usize,
    /// The lexicon of I-Match holds the words that occur in at least N^a and at most N^b of N documents: 0.1 and 0.8 by default.
    pub lexicon: [f64; 2],
}

impl Default for Choices {
    /// Words of three letters or more without stop words, six frequent words, a lexicon from N^0.1 to N^0.8.
    fn default() -> Self {
        Self { letters: 3, no_stop_words: true, frequent: 6, lexicon: [0.1, 0.8] }
    }
}

impl Choices {
    fn is_content_word(self, words: &Words, word: &str, language: Language) -> bool {
        let is_long = match (language, self.letters) {
            (_, 0..=1) => true,
            (Language::Han, _) | (_, 3) => words.is_significant(word, language),
            (_, letters) => word.chars().nth(letters - 1).is_some(),
        };
        is_long && !(self.no_stop_words && language.is_stop_word(word))
    }
}

impl Default for Reading {
    /// Texts as they came, each in its own language.
    fn default() -> Self {
        Self { language: None, rules: Rules::NONE, reflow: false, html: false, choices: Choices::default() }
    }
}

impl Reading {
    /// Returns the text without tags and page layout, if the reading asks for that.
    pub(crate) fn unwrapped<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let plain = if self.html { html::plain(text) } else { Cow::Borrowed(text) };
        if self.reflow { Cow::Owned(reflow(&plain)) } else { plain }
    }

    /// Whether an option differs from the default that only methods use. Engines take language and wrapping from their own configuration.
    pub(crate) fn is_of_methods(&self) -> bool {
        Self { html: false, reflow: false, ..*self } != Self::default()
    }

    /// Returns the text to sign, or `None` if it equals the original.
    fn changed_text(&self, text: &str) -> Option<String> {
        let plain = self.unwrapped(text);
        if [Rules::NONE, Rules::RAW].contains(&self.rules) {
            return matches!(plain, Cow::Owned(_)).then(|| plain.into_owned());
        }
        let mut body = Body::default();
        body_into(&canonical(&plain), self.rules, &mut body);
        Some(body.text)
    }
}

/// A document, cut into words and sentences once for all methods.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The text as it came.
    pub(crate) original: Box<str>,
    /// The text to sign, if [reading](Reading) changed it.
    signed_text: Option<Box<str>>,
    /// Every word in order, in its [canonical form](crate::text::normalise).
    pub(crate) words: Vec<Word>,
    /// The runs of letters and digits of the same text, in order: the words of Kosinov's profiles.
    pub(crate) runs: Vec<Word>,
    /// The content words in order: [significant](Words::is_significant) words that are not stop words. This is the pre-processing of
    /// Zelenkov & Segalovich 2007 (no stop words, short words and special characters).
    pub(crate) content: Vec<Word>,
    /// The distinct content words with their counts, in alphabetical order.
    pub(crate) terms: Vec<(Word, u32)>,
    /// The largest count of a term; 0 if there are no terms.
    pub(crate) most_frequent: u32,
    /// How often each of the eleven characters of [`punctuation_counts`] occurs in the text.
    pub(crate) punctuation: [u32; 11],
    /// The end of each sentence in `words` and in `content`. Sentences without a word are left out.
    ends: Vec<(u32, u32)>,
}

impl Document {
    /// Returns the text to sign.
    pub(crate) fn text(&self) -> &str {
        self.signed_text.as_ref().unwrap_or(&self.original)
    }

    /// Returns the sentences, each as all its words.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = &[Word]> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end as usize));
        starts.zip(&self.ends).map(|(start, (end, _))| &self.words[start..*end as usize])
    }

    /// Returns the sentences, each as its content words. Sentences without content words are left out.
    pub(crate) fn content_sentences(&self) -> impl Iterator<Item = &[Word]> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end as usize));
        let spans = starts.zip(&self.ends).map(|(start, (_, end))| &self.content[start..*end as usize]);
        spans.filter(|sentence| !sentence.is_empty())
    }

    /// Returns the number of sentences that have a word.
    pub(crate) fn sentence_count(&self) -> usize {
        self.ends.len()
    }
}

impl Collection {
    /// Reads texts.
    pub fn read<'t>(texts: impl IntoIterator<Item = &'t str>, reading: Reading) -> Self {
        let (words, mut numbers) = (Words::default(), Numbers::default());
        let documents = texts.into_iter().map(|text| numbers.document(text, reading, &words)).collect();
        Self { choices: reading.choices, ..Self::of(documents, numbers.spellings) }
    }

    /// Makes a collection of documents whose words are positions in `spellings`. There, each spelling occurs once, in any order.
    fn of(mut documents: Vec<Document>, spellings: Vec<Box<str>>) -> Self {
        let mut order: Vec<Word> = (0..spellings.len() as Word).collect();
        order.sort_unstable_by_key(|word| &spellings[*word as usize]);
        let mut alphabetical = vec![0; spellings.len()];
        for (to, from) in (0..).zip(&order) {
            alphabetical[*from as usize] = to;
        }
        let mut vocabulary = spellings;
        vocabulary.sort_unstable();
        let mut counts = vec![(0, 0); vocabulary.len()];
        let mut length = 0;
        for document in &mut documents {
            let Document { words, runs, content, terms, most_frequent, .. } = document;
            words
                .iter_mut()
                .chain(runs.iter_mut())
                .chain(content.iter_mut())
                .for_each(|word| *word = alphabetical[*word as usize]);
            *terms = counted(content);
            *most_frequent = terms.iter().map(|(_, tf)| *tf).max().unwrap_or(0);
            for (word, tf) in terms {
                let (df, cf) = &mut counts[*word as usize];
                *df += 1;
                *cf += u64::from(*tf);
            }
            length += content.len();
        }
        let mean_length = length as f64 / documents.len().max(1) as f64;
        Self { documents, vocabulary, counts, mean_length, choices: Choices::default() }
    }

    /// Returns the spelling of the word.
    pub(crate) fn spelled(&self, word: Word) -> &str {
        &self.vocabulary[word as usize]
    }

    /// Joins the words with blanks.
    pub(crate) fn joined<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> String {
        let mut joined = String::new();
        for word in words {
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined += self.spelled(*word);
        }
        joined
    }

    /// Number of characters of the word.
    pub(crate) fn characters(&self, word: Word) -> usize {
        self.spelled(word).chars().count()
    }

    /// Returns the hash of each word, by word. It is the same in every collection.
    pub(crate) fn hashes(&self) -> Vec<u64> {
        self.vocabulary.iter().map(|spelling| shingle::word(spelling)).collect()
    }

    /// Number of distinct words.
    pub(crate) fn vocabulary_size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Number of documents, N.
    pub(crate) fn size(&self) -> f64 {
        self.documents.len() as f64
    }

    /// Number of documents that have the word among their terms, df.
    pub(crate) fn document_frequency(&self, word: Word) -> u32 {
        self.counts[word as usize].0
    }

    /// Number of occurrences of the word as a term in the whole collection, cf.
    pub(crate) fn collection_frequency(&self, word: Word) -> u64 {
        self.counts[word as usize].1
    }

    /// Mean length of the documents in content words, dl_avg.
    pub(crate) fn mean_length(&self) -> f64 {
        self.mean_length
    }
}

/// Returns the distinct words of `words` with their counts, ascending.
pub(super) fn counted<W: Copy + Ord>(words: &[W]) -> Vec<(W, u32)> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
}

/// Numbers words in the order in which they first occur.
#[derive(Default)]
struct Numbers {
    numbers: HashMap<Box<str>, Word>,
    spellings: Vec<Box<str>>,
}

impl Numbers {
    fn number(&mut self, word: &str) -> Word {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.spellings.len() as Word;
        self.numbers.insert(word.into(), number);
        self.spellings.push(word.into());
        number
    }

    fn document(&mut self, original: &str, reading: Reading, words: &Words) -> Document {
        let changed = reading.changed_text(original);
        let text = changed.as_deref().unwrap_or(original);
        let language = reading.language.unwrap_or_else(|| Language::of(text));
        let punctuation = punctuation_counts(text);
        let mut document = Document { original: original.into(), punctuation, ..Document::default() };
        for sentence in sentences(text, language) {
            let before = document.words.len();
            let sentence = canonical(sentence);
            words.each_run(&sentence, language, |run| document.runs.push(self.number(run)));
            words.each(&sentence, language, |word| {
                let number = self.number(word);
                document.words.push(number);
                if reading.choices.is_content_word(words, word, language) {
                    document.content.push(number);
                }
            });
            if document.words.len() > before {
                document.ends.push((document.words.len() as u32, document.content.len() as u32));
            }
        }
        document.signed_text = changed.map(String::into_boxed_str);
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rule;

    #[test]
    fn counts_are_those_of_the_words() {
        let texts = ["Beta beta alpha. The gamma of it!", "gamma, delta", ""];
        let collection = Collection::read(texts, Reading::default());
        let document = &collection.documents[0];
        assert_eq!(collection.joined(&document.words), "beta beta alpha the gamma of it");
        assert_eq!(collection.joined(&document.content), "beta beta alpha gamma");
        let terms: Vec<_> = document.terms.iter().map(|(word, tf)| (collection.spelled(*word), *tf)).collect();
        assert_eq!(terms, [("alpha", 1), ("beta", 2), ("gamma", 1)]);
        assert_eq!(document.most_frequent, 2);
        let sentences: Vec<_> = document.content_sentences().map(|sentence| collection.joined(sentence)).collect();
        assert_eq!(sentences, ["beta beta alpha", "gamma"]);
        let [beta, gamma] = [terms[1].0, terms[2].0].map(|word| {
            let word = (0..collection.vocabulary_size() as Word).find(|w| collection.spelled(*w) == word).unwrap();
            (collection.document_frequency(word), collection.collection_frequency(word))
        });
        assert_eq!((beta, gamma), ((1, 2), (2, 2)));
        assert_eq!((collection.size(), collection.mean_length()), (3.0, 2.0));
        assert_eq!(collection.documents[2].sentence_count(), 0);
    }

    #[test]
    fn chinese_words_are_levelled() {
        let collection = Collection::read(["武漢的櫻花開了！武汉的樱花，开了。"], Reading::default());
        let document = &collection.documents[0];
        assert_eq!(collection.joined(&document.words), "武汉 的 樱花 开 了 武汉 的 樱花 开 了");
        assert_eq!(document.sentence_count(), 2);
        assert_eq!(document.punctuation[..2], [1, 1]);
    }
    #[test]
    fn wrapping_and_layout_come_off_if_asked_for() {
        let read = |text: &str, reading: Reading| {
            let collection = Collection::read([text], reading);
            (collection.documents[0].text().to_owned(), collection.joined(&collection.documents[0].words))
        };
        let rules = Rules::ALL.without(Rule::Punctuation);
        let (text, words) = read("转发微博 //@小王: 樱花开了！", Reading { rules, ..Reading::default() });
        assert_eq!((text.as_str(), words.as_str()), ("樱花开了!", "樱花 开 了"));
        let (_, words) = read("near dupli-\ncates", Reading { reflow: true, ..Reading::default() });
        assert_eq!(words, "near duplicates");
        assert_eq!(read("樱花 ！", Reading::default()).0, "樱花 ！");
    }
}

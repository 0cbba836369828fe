//! Turns a message into the forms that the stages compare.
//!
//! ```text
//! text ──normalise──▶ canonical ──body──▶ body ──segment, shingle──▶ hashed features
//!                         │                                                │
//!                    exact stage                                      fingerprint
//! ```
//!
//! The papers' methods for whole documents take another path: [`reflow`] undoes the layout, [`language`] tells which language's
//! rules apply to the document, and [`sentences`] and [`words`] split it.
//!
//! Everything here is a pure function of the text and the configuration: it can run on any thread, and equal input
//! gives equal output on every machine.

mod beginnings;
pub mod body;
mod body_cache;
pub(crate) mod civility;
mod clock;
pub(crate) mod common_chars;
pub(crate) mod cues;
mod dates;
mod gist;
pub mod html;
mod labels;
#[cfg(feature = "lab")]
pub mod language;
pub mod lexicon;
mod links;
pub(crate) mod lists;
pub(crate) mod mask;
pub mod normalise;
pub(crate) mod numerals;
mod opt_out;
mod quantities;
#[cfg(feature = "lab")]
pub mod reflow;
mod segment;
#[cfg(feature = "lab")]
pub mod sentences;
pub mod shingle;
pub(crate) mod signs;
#[cfg(test)]
pub(crate) mod testing;
pub mod tokens;
#[cfg(feature = "lab")]
pub mod words;
mod wrapping;

use crate::config::{Config, ExactOn, NearMode, Rules, Shingle, Weights};
use crate::hash::HashSet;
use body::Body;
use body_cache::BodyCache;
use common_chars::each_common;
pub use gist::{Gist, GistView};
use segment::Segmenter;

/// Turns texts into their forms. Holds what is loaded once (jieba's dictionary, for word shingles) and is shared by all threads.
/// What changes from text to text is in [`Clean`].
///
/// ```
/// use quchong::{Config, text::{Analyser, Clean}};
///
/// let (analyser, mut clean) = (Analyser::new(&Config::default()), Clean::default());
/// analyser.analyse("转发微博 //@小王:今天武漢的櫻花開了！", &mut clean);
/// assert_eq!(clean.canonical, "转发微博 //@小王:今天武汉的樱花开了!");
/// assert_eq!(clean.body.text.trim(), "今天武汉的樱花开了");
/// ```
pub struct Analyser {
    config: Config,
    segmenter: Option<Segmenter>,
}

/// The forms of one text, and buffers that the next text reuses.
#[derive(Debug, Default, Clone)]
pub struct Clean {
    /// The form that the exact stage compares; empty if the text has only blanks and invisible characters.
    pub canonical: String,
    /// The form that the near stage compares.
    pub body: Body,
    /// Hashed features of the body; empty if and only if the body is. They are in the order of the text, unless [`Weights::Once`]
    /// is set: then each is there once, in any order.
    pub features: Vec<u64>,
    units: Vec<u64>,
    seen: Vec<u16>,
    /// Fingerprints of recently seen bodies.
    pub(crate) recent: BodyCache,
}

impl Clean {
    /// Returns the gist of the text that was analysed last.
    pub fn gist(&self) -> Gist {
        Gist::of(&self.body, &self.canonical)
    }
}

impl Analyser {
    /// Creates an analyser for these settings. Loads jieba's dictionary (0.1–1 s, 33 MB) if the settings ask for word shingles.
    pub fn new(config: &Config) -> Self {
        let words = config.near != NearMode::None && matches!(config.shingle, Shingle::Words(_));
        Self { config: config.clone(), segmenter: words.then(Segmenter::new) }
    }

    /// Returns the shingles of a body as text, in the order of the body; each once under [`Weights::Once`]. Unlike the hashed
    /// [features](Clean::features), they keep their order then.
    pub fn shingles(&self, body: &str) -> Vec<String> {
        let mut units: Vec<&str> = Vec::new();
        let (Shingle::Words(length) | Shingle::Chars(length)) = self.config.shingle;
        match &self.segmenter {
            Some(segmenter) => segmenter.words(body, |word| units.push(word)),
            None => units.extend(body.split("").filter(|unit| !unit.trim_start().is_empty())),
        }
        let (mut shingles, mut seen) = (Vec::new(), HashSet::default());
        for units in units.windows(length.min(units.len()).max(1)) {
            let shingle = units.concat();
            if self.config.weights == Weights::Count || seen.insert(shingle.clone()) {
                shingles.push(shingle);
            }
        }
        shingles
    }

    /// Writes the forms of `text` that the stages compare into `clean`, replacing its contents.
    pub fn analyse(&self, text: &str, clean: &mut Clean) {
        self.forms(text, clean);
        self.features(clean);
    }

    /// Writes the canonical form and the body of `text` into `clean`, without features.
    pub(crate) fn forms(&self, text: &str, clean: &mut Clean) {
        clean.canonical.clear();
        clean.features.clear();
        if self.config.near == NearMode::None && self.config.exact_on == ExactOn::Raw {
            return;
        }
        normalise::canonical_into(text, &mut clean.canonical);
        if self.config.rules == Rules::RAW {
            clean.body = Body { text: text.to_owned(), ..Body::default() };
        } else if self.config.near != NearMode::None {
            body::body_into(&clean.canonical, self.config.rules, &mut clean.body);
        }
    }

    /// Writes the features of the body in `clean`.
    pub(crate) fn features(&self, clean: &mut Clean) {
        clean.features.clear();
        if self.config.near == NearMode::None {
            return;
        }
        clean.units.clear();
        let length = match (&self.segmenter, self.config.shingle) {
            (Some(segmenter), Shingle::Words(length)) => {
                segmenter.words(&clean.body.text, |word| clean.units.push(shingle::word(word)));
                length
            }
            (_, Shingle::Words(length) | Shingle::Chars(length)) => {
                characters(&clean.body.text, &mut clean.units);
                length
            }
        };
        shingle::shingles(&clean.units, length, &mut clean.features);
        if self.config.weights == Weights::Once {
            shingle::once(&mut clean.features, &mut clean.seen);
        }
    }
}

/// Appends the characters of `text`, without blanks.
fn characters(text: &str, out: &mut Vec<u64>) {
    let mut at = 0;
    loop {
        at = each_common(text, at, |code| {
            let letter = code > u16::from(b' ') && code != 0x3000;
            if letter {
                out.push(code.into());
            }
            letter
        });
        let Some(c) = text[at..].chars().next() else { break };
        if !c.is_whitespace() {
            out.push(c.into());
        }
        at += c.len_utf8();
    }
}

//! Explains a pair of messages: their forms in each stage, where they differ, and why the later one is kept or dropped.

mod reason;
mod sentence;
mod show;

use serde::Serialize;
use show::Pieces;
#[cfg(feature = "cli")]
pub(crate) use show::Tone;

use crate::compare::{Comparer, Print};
use crate::config::{Config, ExactMode, NearMode};
use crate::error::Result;
use crate::fingerprint::simhash;
use crate::locale::tr;
use crate::record::Verdict;
use crate::rule::Verifier;
use crate::rule::difference::{Spelled, differences};
use crate::rule::gap::Gap;
use crate::text::mask::is_fact;
use crate::text::tokens::is_number;
use crate::text::{Clean, Gist};

/// Explains pairs under one configuration.
pub struct Explainer {
    config: Config,
    comparer: Comparer,
}

/// Everything that decides about two messages, `a` the earlier one. [`Display`](std::fmt::Display) shortens it for readers;
/// as JSON it is complete.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The earlier message.
    pub a: Forms,
    /// The later message.
    pub b: Forms,
    /// Whether their canonical forms are equal.
    pub equal: bool,
    /// Hamming distance of the fingerprints, 0..=64; `None` if a body is empty.
    pub distance: Option<u32>,
    /// Similarity by the repeat rule, 0..=1 in thousandths; of equal bodies 1.
    pub similarity: f64,
    /// The share of B's body that A's body contains, 0..=1 in thousandths.
    pub b_in_a: f64,
    /// The differing stretches of A's and B's body, as pairs; `None` if one is too long to be aligned.
    pub differs: Option<Vec<[String; 2]>>,
    /// B's body with its differences marked: `-A's-+B's+`; `None` as above.
    pub marked: Option<String>,
    /// The same, in pieces.
    #[serde(skip)]
    pub(crate) pieces_of_b: Option<Pieces>,
    /// `kept`, `exact` or `near`.
    pub verdict: &'static str,
    /// The engine that found a near repeat.
    pub engine: Option<&'static str>,
    /// The reason, in words.
    pub reason: String,
    /// Options that would change the verdict, and what they need, in words.
    pub otherwise: Vec<String>,
}

/// The forms of one message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forms {
    /// The form that the exact stage compares.
    pub canonical: String,
    /// The form that the near stage compares.
    pub body: String,
    /// Topics that were removed from the body.
    pub topics: Vec<String>,
    /// The body's tokens as text, numbers in canonical digits.
    pub tokens: Vec<String>,
    /// The numbers and negations among the tokens.
    pub facts: Vec<String>,
    /// The features of the fingerprint.
    pub shingles: Vec<String>,
    /// The 64-bit SimHash fingerprint in hexadecimal. Under [`NearMode::Hybrid`] a mask of the facts is XORed into it. `None`
    /// if the body is empty.
    pub fingerprint: Option<String>,
}

/// The forms of a message that the engines compare.
struct Message {
    print: Print,
    shingles: Vec<String>,
    clean: Clean,
    gist: Gist,
    simhash: Option<u64>,
}

impl Explainer {
    /// An explainer for these settings. Loads jieba's dictionary if word shingles are asked for (0.1–1 s).
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) naming the option that cannot work.
    pub fn new(config: &Config) -> Result<Self> {
        // Without a near stage only the canonical form would be made, but an explanation shows all forms.
        let near = if config.near == NearMode::None { NearMode::SimHash } else { config.near };
        Ok(Self { config: config.clone(), comparer: Comparer::new(&Config { near, ..config.clone() })? })
    }

    /// Explains why `b`, read after `a`, is a repeat of it or not.
    ///
    /// ```
    /// use quchong::{Config, explain::Explainer};
    ///
    /// let mut explainer = Explainer::new(&Config::default())?;
    /// let explanation = explainer.explain("昨日新增确诊病例7例，均为境外输入", "昨日新增确诊病例9例，均为境外输入");
    /// assert_eq!(explanation.verdict, "kept");
    /// assert_eq!(explanation.reason, "a fact differs (number): 7 / 9");
    /// # Ok::<(), quchong::Error>(())
    /// ```
    pub fn explain(&mut self, a: &str, b: &str) -> Explanation {
        let (a, b) = (self.read(a), self.read(b));
        let (x, y) = (Spelled::new(&a.clean.body.text), Spelled::new(&b.clean.body.text));
        let found = differences(&x, &y);
        let marked = found.as_ref().map(|found| show::marked(&x, &y, found));
        let mut verifier = Verifier::new(self.config.policy());
        let alike = verifier.read(b.gist.view()).alike(a.gist.view());
        let is_equal = !x.tokens.list.is_empty() && x.tokens == y.tokens;
        let share = |mille: u32| if is_equal { 1.0 } else { f64::from(mille) / 1000.0 };
        let mut verdict = self.comparer.judge(&a.print, &b.print).verdict;
        if self.config.near == NearMode::None && matches!(verdict, Verdict::Near { .. }) {
            verdict = Verdict::Kept;
        }
        let reason::Why { reason, mut otherwise } = reason::why(&self.config, verdict, [&a, &b], [&x, &y]);
        if matches!(self.config.exact, ExactMode::PaperBloom | ExactMode::PaperTrie)
            && !matches!(verdict, Verdict::Exact { .. })
        {
            otherwise.push(tr!("dropped in a run if the paper's hashes of B and of other messages meet"));
        }
        let pair = |gap: &Gap| [x.stretch(&gap.a).to_owned(), y.stretch(&gap.b).to_owned()];
        Explanation {
            equal: a.clean.canonical == b.clean.canonical,
            distance: a.simhash.zip(b.simhash).map(|(a, b)| (a ^ b).count_ones()),
            similarity: share(alike.similarity),
            b_in_a: share(alike.share),
            marked: marked.as_ref().map(|pieces| pieces.iter().map(|(_, text)| text.as_str()).collect()),
            pieces_of_b: marked,
            differs: found.map(|found| found.iter().map(pair).collect()),
            verdict: verdict.name(),
            engine: if let Verdict::Near { engine, .. } = verdict { Some(engine.name()) } else { None },
            reason,
            otherwise,
            a: self.forms(&a, &x),
            b: self.forms(&b, &y),
        }
    }

    fn read(&mut self, text: &str) -> Message {
        let print = self.comparer.print(text);
        let clean = self.comparer.clean().clone();
        let gist = clean.gist();
        let simhash = print.printed.simhash.or_else(|| simhash(&clean.features));
        Message { print, clean, shingles: self.comparer.shingles(), gist, simhash }
    }

    fn forms(&self, message: &Message, body: &Spelled<'_>) -> Forms {
        let Clean { canonical, body: forms, .. } = &message.clean;
        let list = &body.tokens.list;
        let tokens: Vec<String> = (0..list.len()).map(|at| spell(body, at)).collect();
        let facts = list.iter().zip(&tokens).filter(|(token, _)| is_fact(**token));
        Forms {
            topics: forms.topics.iter().map(|topic| canonical[topic.clone()].to_owned()).collect(),
            facts: facts.map(|(_, fact)| fact.clone()).collect(),
            tokens,
            shingles: message.shingles.clone(),
            fingerprint: message.simhash.map(|simhash| format!("{simhash:016x}")),
            canonical: canonical.clone(),
            body: forms.text.clone(),
        }
    }
}

/// A token as it is shown: a number in canonical digits, any other token as in the text.
fn spell(body: &Spelled<'_>, at: usize) -> String {
    let token = body.tokens.list[at];
    if !is_number(token) {
        return body.stretch(&(at..at + 1)).to_owned();
    }
    let mut digits = String::new();
    body.tokens.view().digits_into(token, &mut digits);
    digits
}

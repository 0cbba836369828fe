//! Two messages laid open: what each stage sees of them, where they differ, and why the later one is kept or dropped.

mod reason;
mod show;

use serde::Serialize;

use crate::compare::{Comparer, Print};
use crate::config::{Config, NearMode};
use crate::error::Result;
use crate::fingerprint::simhash;
use crate::near::align::Gap;
use crate::near::difference::{Spelled, differences};
use crate::near::verify::Verifier;
use crate::record::Verdict;
use crate::text::facts::is_fact;
use crate::text::tokens::is_number;
use crate::text::{Clean, Gist};

/// Explains pairs under one configuration.
pub struct Explainer {
    config: Config,
    comparer: Comparer,
}

/// Everything that decides about two messages, `a` the earlier one. Its [`Display`](std::fmt::Display) is for readers; as JSON it
/// is whole.
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
    /// How much of B's body is in A's, 0..=1 in thousandths.
    pub b_in_a: f64,
    /// What of A's body stands where B's has another stretch; `None` if one is too long to be aligned.
    pub differs: Option<Vec<[String; 2]>>,
    /// B's body with what differs in it: `-A's- +B's+`; `None` as above.
    pub marked: Option<String>,
    /// `kept`, `exact` or `near`.
    pub verdict: &'static str,
    /// Which engine found a near repeat.
    pub engine: Option<&'static str>,
    /// Why, in words.
    pub reason: String,
    /// Which options would make it otherwise, and what they lack, in words.
    pub otherwise: Vec<String>,
}

/// The forms of one message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forms {
    /// What the exact stage compares.
    pub canonical: String,
    /// What the near stage compares.
    pub body: String,
    /// Topics that were cut out of the body.
    pub topics: Vec<String>,
    /// The body's tokens as they are spelled, numbers in canonical digits.
    pub tokens: Vec<String>,
    /// Numbers and negations among them.
    pub facts: Vec<String>,
    /// What the fingerprint is made of.
    pub shingles: Vec<String>,
    /// The 64 bits of the SimHash fingerprint in hexadecimal, under [`NearMode::Hybrid`] set apart by the facts; `None` if the
    /// body is empty.
    pub fingerprint: Option<String>,
}

/// A message as the engines take it.
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
        // Without a near stage nothing but the canonical form is made; here all forms are shown.
        let near = if config.near == NearMode::None { NearMode::SimHash } else { config.near };
        Ok(Self { config: config.clone(), comparer: Comparer::new(&Config { near, ..config.clone() })? })
    }

    /// Why `b`, read after `a`, is a repeat of it or is none.
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
        let mut verifier = Verifier::new(self.config.policy());
        verifier.read(b.gist.view());
        let alike = verifier.alike(a.gist.view(), b.gist.view());
        let is_equal = !x.tokens.list.is_empty() && x.tokens == y.tokens;
        let share = |mille: u32| if is_equal { 1.0 } else { f64::from(mille) / 1000.0 };
        let mut verdict = self.comparer.judge(&a.print, &b.print).verdict;
        if self.config.near == NearMode::None && matches!(verdict, Verdict::Near { .. }) {
            verdict = Verdict::Kept;
        }
        let reason::Why { reason, otherwise } = reason::why(&self.config, verdict, [&a, &b], [&x, &y]);
        let pair = |(p, q): &Gap| [x.stretch(p).to_owned(), y.stretch(q).to_owned()];
        Explanation {
            equal: a.clean.canonical == b.clean.canonical,
            distance: a.simhash.zip(b.simhash).map(|(a, b)| (a ^ b).count_ones()),
            similarity: share(alike.similarity),
            b_in_a: share(alike.share),
            marked: found.as_ref().map(|found| show::marked(&x, &y, found)),
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

/// How a token is shown: a number by its canonical digits, anything else as it is spelled.
fn spell(body: &Spelled<'_>, at: usize) -> String {
    let token = body.tokens.list[at];
    if !is_number(token) {
        return body.stretch(&(at..at + 1)).to_owned();
    }
    let mut digits = String::new();
    body.tokens.view().digits_into(token, &mut digits);
    digits
}

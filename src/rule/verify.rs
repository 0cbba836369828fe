//! Takes the steps of the [repeat rule](super): [`Later::decide`] follows the order of the table there.

mod fact;
mod nearness;
mod passage;
mod topics;

use std::cell::{LazyCell, OnceCell};
use std::ops::Range;

use super::align::Aligner;
use super::aligned::{Aligned, Weight};
use super::bounds::{LONG, LONGEST, REMARK};
use super::coverage::{Coverage, Runs};
use super::decision::{Decision, Reason, Refusal};
use super::first_gap::first_gap;
use super::gap::Gap;
use super::list_entries::{Entry, entries, other_entries};
use super::list_items::{Item, items, listed};
use super::numbers::{Numbers, numbers, renumbered};
use super::refill::{recoded, refilled, refilled_briefly, renamed};
use super::sole_facts::{Only, only_among, other_only};
use super::thresholds::REPLACED_SIMILARITY;
use nearness::Nearness;
pub(crate) use passage::PASSAGE;
use topics::{by_topics, common_topics};

use crate::config::{Policy, SIMILARITY, Templates};
use crate::rule::facts::{self, Conflict, Telling};
use crate::text::GistView;
use crate::text::tokens::{Token, is_number};

/// A text of fewer tokens is read as a title: replaced words are news (the step *title*).
const TITLE_BELOW: usize = 20;

/// How much two bodies have in common, measured by the tokens that each covers of the other. `similarity` and `share` are thousandths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alike {
    /// 2·min(covered of A, covered of B) / (|A| + |B|).
    pub(crate) similarity: u32,
    /// The share of B that A covers.
    pub(crate) share: u32,
    /// The number of tokens of B that A covers.
    covered: usize,
}

/// Judges pairs of messages by the rule. Holds the policy, and buffers that are reused from pair to pair.
///
/// ```
/// use quchong::config::Config;
/// use quchong::rule::{Decision, Reason, Verifier};
/// use quchong::text::{Analyser, Clean};
///
/// let config = Config::default();
/// let (analyser, mut clean) = (Analyser::new(&config), Clean::default());
/// let mut gist = |text: &str| {
///     analyser.analyse(text, &mut clean);
///     clean.gist()
/// };
/// let [a, b] = ["河南今晚有暴雨，请注意出行安全", "河北今晚有暴雨，请注意出行安全"].map(&mut gist);
/// let mut verifier = Verifier::new(config.policy());
/// assert!(matches!(verifier.read(b.view()).decide(a.view()), Decision::No(Reason::Fact(_))));
/// ```
#[derive(Debug)]
pub struct Verifier {
    policy: Policy,
    coverage: Coverage,
    runs: Runs,
    aligner: Aligner,
    gaps: Vec<Gap>,
}

impl Verifier {
    /// Creates a verifier for this policy.
    pub fn new(policy: Policy) -> Self {
        let (coverage, runs, aligner, gaps) = Default::default();
        Self { policy, coverage, runs, aligner, gaps }
    }

    /// Takes `b` as the later message of the pairs that follow.
    pub fn read<'v>(&'v mut self, b: GistView<'v>) -> Later<'v> {
        self.coverage.read(b.body.list);
        let (place, only, names, numbers, items, entries, telling) = Default::default();
        Later { verifier: self, b, place, threshold: SIMILARITY, only, names, numbers, items, entries, telling }
    }
}

/// The later message of pairs, as a [`Verifier`] has read it. Caches the properties of the message that several pairs may need.
#[derive(Debug)]
pub struct Later<'v> {
    verifier: &'v mut Verifier,
    b: GistView<'v>,
    /// The place at which the last pair was refused, if a single place decided.
    place: Option<Gap>,
    /// The similarity threshold of the last pair; the default if it did not reach the step *near*.
    threshold: u32,
    /// The large number, score or name of which the message has only one.
    only: OnceCell<Vec<Only>>,
    names: OnceCell<Vec<Range<usize>>>,
    numbers: OnceCell<Vec<Numbers>>,
    items: OnceCell<Vec<Item>>,
    entries: OnceCell<Vec<Entry>>,
    /// The words of the message that say something.
    telling: OnceCell<Telling>,
}

impl Later<'_> {
    /// Decides whether this message repeats the earlier message `a`.
    pub fn decide(&mut self, a: GistView<'_>) -> Decision {
        (self.place, self.threshold) = (None, SIMILARITY);
        let judged = self.judge(a).and_then(|decision| self.unambiguous(a).map(|()| decision));
        judged.unwrap_or_else(|Refusal { reason, place }| {
            self.place = place;
            Decision::No(reason)
        })
    }

    /// Measures how much this message has in common with the earlier message `a`; 0 if either has no body.
    pub(crate) fn alike(&mut self, a: GistView<'_>) -> Alike {
        let (x, y) = (a.body.list, self.b.body.list);
        let (covered_a, covered) = self.verifier.coverage.cover(x);
        let of = |part: usize, whole: usize| (1000 * part / whole.max(1)) as u32;
        Alike { similarity: of(2 * covered_a.min(covered), x.len() + y.len()), share: of(covered, y.len()), covered }
    }

    /// The tokens of the two messages that caused the last refusal; `None` if the whole messages did.
    pub(crate) fn place(&self) -> Option<&Gap> {
        self.place.as_ref()
    }

    /// The similarity, in thousandths, that the bodies of the last decision need under the policy's setting.
    pub(crate) fn needed(&self) -> u32 {
        let similarity = self.verifier.policy.similarity.min(1000);
        1000 - (1000 - similarity) * (1000 - self.threshold) / (1000 - SIMILARITY)
    }

    /// Takes the steps of the rule, in the order of the table in the docs of `rule`.
    fn judge(&mut self, a: GistView<'_>) -> Result<Decision, Refusal> {
        if let Some(decision) = self.at_sight(a)? {
            return Ok(decision);
        }
        let mut nearness = self.nearness(a)?;
        self.passage(a)?;
        self.template(a)?;
        if nearness.quoted {
            return Ok(nearness.inside());
        }
        self.word_by_word(a, &mut nearness)?;
        Ok(nearness.decision())
    }

    /// Refuses a pair that has a token in common, but of another word or number in each.
    fn unambiguous(&self, a: GistView<'_>) -> Result<(), Refusal> {
        let token = a.body.ambiguous(self.b.body).filter(|_| self.verifier.policy.has_facts());
        token.map_or(Ok(()), |token| {
            let place = |list: &[Token]| list.iter().position(|other| *other == token).map(|at| at..at + 1);
            let gap = Gap { a: place(a.body.list).unwrap_or_default(), b: place(self.b.body.list).unwrap_or_default() };
            let conflict = if is_number(token) { Conflict::Number } else { Conflict::Word };
            Err(Refusal::at(gap, Reason::Fact(conflict)))
        })
    }

    /// Takes the steps from *topics* to *long*. Returns `None` if the later steps decide.
    fn at_sight(&self, a: GistView<'_>) -> Result<Option<Decision>, Refusal> {
        let (b, policy) = (self.b, self.verifier.policy);
        let (x, y) = (a.body.list, b.body.list);
        let compare_signs = || {
            let differ = facts::signs_differ(a, b, Some, policy.is_careful()).filter(|_| policy.has_facts());
            differ.map_or(Ok(()), |(place, conflict)| Err(Refusal::at(place, Reason::Fact(conflict))))
        };
        if x.is_empty() || y.is_empty() {
            let decision = by_topics(a, b)?;
            if policy.is_careful() {
                compare_signs()?;
            }
            return Ok(Some(decision));
        }
        let have_topics = !a.topics.is_empty() && !b.topics.is_empty();
        if x.len().min(y.len()) <= REMARK && have_topics && common_topics(a.topics, b.topics) == 0 {
            return Err(Refusal::whole(Reason::OtherTopic));
        }
        if x == y {
            compare_signs()?;
            return Ok(Some(Decision::Equal));
        }
        if x.len().max(y.len()) > LONGEST { Err(Refusal::whole(Reason::Long)) } else { Ok(None) }
    }

    /// Takes the step *template*: refuses the pair if a template is filled with other words, numbers, codes, names or items. Needs no
    /// alignment.
    fn template(&self, a: GistView<'_>) -> Result<(), Refusal> {
        let Verifier { policy, coverage, .. } = &*self.verifier;
        let (x, y, b) = (a.body.list, self.b.body.list, self.b);
        if policy.templates != Templates::Fold {
            let filled = refilled(x, y, coverage.covered(), || facts::ending(b));
            if let Some(slot) = filled.or_else(|| refilled_briefly(x, y, coverage.covered())) {
                return Err(Refusal::at(slot, Reason::Replaced));
            }
        }
        if !policy.has_facts() {
            return Ok(());
        }
        let other_code = || Some((recoded(x, y, coverage.covered())?, Conflict::Word));
        let names = || self.names.get_or_init(|| facts::named(y, 0..y.len()).collect());
        let only = || self.only.get_or_init(|| only_among(y, names().iter().cloned()).collect());
        let numbers = self.numbers.get_or_init(|| numbers(y));
        let items = || self.items.get_or_init(|| items(b));
        let entries = || self.entries.get_or_init(|| entries(b));
        let found = renumbered(x, y, numbers, || facts::ends_freely(b))
            .or_else(other_code)
            .or_else(|| Some((renamed(x, y, names())?, Conflict::Person)))
            .or_else(|| other_only(x, y, only()))
            .or_else(|| listed(a, b, items()))
            .or_else(|| other_entries(a, entries()));
        found.map_or(Ok(()), |(slot, conflict)| Err(Refusal::at(slot, Reason::Fact(conflict))))
    }

    /// Takes the steps from *slot* on. These align the two bodies.
    fn word_by_word(&mut self, a: GistView<'_>, nearness: &mut Nearness) -> Result<(), Refusal> {
        let (b, telling) = (self.b, &self.telling);
        let Verifier { policy, aligner, gaps, .. } = &mut *self.verifier;
        let (x, y) = (a.body.list, b.body.list);
        // This costs more than the other questions, so it is asked only if the answer can change the decision.
        let is_retold = LazyCell::new(|| {
            policy.retells()
                && facts::may_be_retold(a, b)
                && facts::is_retold(a, b, telling.get_or_init(|| facts::telling(b)))
        });
        let pair = Aligned::new(a, b, aligner.align(x, y), *policy);
        pair.slot(gaps).or_else(|refusal| if *is_retold { Ok(()) } else { Err(refusal) })?;
        if x.len().min(y.len()) < TITLE_BELOW
            && let Some(replaced) = pair.replaced_in_title(gaps)
            && !*is_retold
        {
            nearness.require(REPLACED_SIMILARITY);
            nearness.reach(policy.similarity, || Refusal::at(replaced, Reason::Replaced))?;
        }
        if !policy.has_facts() {
            return Ok(());
        }
        pair.facts(gaps)?;
        let may_gain = nearness.near_if_harmless > nearness.near;
        let weight = match pair.words(gaps, nearness.subject) {
            Err(refusal) if refusal.is_by_words() && *is_retold => Weight::Nothing,
            Ok(Weight::LittleElse | Weight::Something) if may_gain && *is_retold => Weight::Nothing,
            weight => weight?,
        };
        nearness.settle(weight);
        if nearness.near < nearness.inside
            && let Some((place, conflict)) = facts::another_place(a, b)
        {
            nearness.inside = 0;
            nearness.reach(policy.similarity, || Refusal::at(place, Reason::Fact(conflict)))?;
        }
        let reason = if nearness.scattered { Reason::Scattered } else { Reason::Unlike(nearness.similarity) };
        nearness.reach(policy.similarity, || Refusal::whole(reason))
    }
}

/// Whether a quick look shows that two long bodies greet different readers: 亲爱的王芳，… / 亲爱的李丽，…. If so, [`decide`](Later::decide)
/// refuses the pair.
pub(crate) fn greet_others(policy: Policy, a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    policy.has_facts()
        && b.comment_tokens == 0
        && x.len().min(y.len()) >= LONG
        && x.len().max(y.len()) <= LONGEST
        && first_gap(x, y).is_some_and(|gap| facts::is_another(a, b, &gap))
        && !facts::has_no_new_clause(a, b)
}

#[cfg(test)]
mod tests;

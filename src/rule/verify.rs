//! The steps of the [repeat rule](super): [`Later::decide`] takes them in the order of its table.

mod fact;
mod nearness;
mod passage;
mod topics;

use std::cell::{LazyCell, OnceCell};
use std::ops::Range;

use super::align::{Aligner, Gap};
use super::aligned::{Aligned, Says};
use super::bounds::{LONG, LONGEST, REMARK};
use super::coverage::{Coverage, Runs};
use super::decision::{Decision, Reason, Refusal};
use super::entries::{Entry, entries, other_entries};
use super::first_gap::first_gap;
use super::listed::{Item, items, listed};
use super::numbers::{Numbers, numbers, renumbered};
use super::only::{Only, only, other_only};
use super::refill::{recoded, refilled, refilled_briefly, renamed};
use super::thresholds::REPLACED_SIMILARITY;
use nearness::Nearness;
pub(crate) use passage::PASSAGE;
use topics::{by_topics, common_topics};

use crate::config::{Policy, SIMILARITY, Templates};
use crate::rule::facts::{self, Conflict, Telling};
use crate::text::GistView;

/// Below so many tokens a text is read as a title: replaced words are the news (the step *title*).
const TITLE_BELOW: usize = 20;

/// How alike two bodies are by what they cover of each other. Numbers are thousandths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alike {
    /// 2·min(cov A, cov B) / (|A| + |B|).
    pub(crate) similarity: u32,
    /// How much of B is in A.
    pub(crate) share: u32,
    /// Tokens of B that A covers.
    covered: usize,
}

/// Judges pairs by the rule: it has the policy, and the buffers that each pair needs.
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
    /// A verifier for this policy.
    pub fn new(policy: Policy) -> Self {
        let (coverage, runs, aligner, gaps) = Default::default();
        Self { policy, coverage, runs, aligner, gaps }
    }

    /// Takes `b` as the later message of pairs.
    pub fn read<'v>(&'v mut self, b: GistView<'v>) -> Later<'v> {
        self.coverage.read(b.body.list);
        let (place, only, names, numbers, items, entries, telling) = Default::default();
        Later { verifier: self, b, place, threshold: SIMILARITY, only, names, numbers, items, entries, telling }
    }
}

/// The later message of pairs, as a [`Verifier`] has read it. It keeps what more than one pair may ask of the message.
#[derive(Debug)]
pub struct Later<'v> {
    verifier: &'v mut Verifier,
    b: GistView<'v>,
    /// Where the last pair differs, if one place shows it.
    place: Option<Gap>,
    /// The threshold of the last pair whose similarity counted.
    threshold: u32,
    /// What it has only one of.
    only: OnceCell<Vec<Only>>,
    names: OnceCell<Vec<Range<usize>>>,
    numbers: OnceCell<Vec<Numbers>>,
    items: OnceCell<Vec<Item>>,
    entries: OnceCell<Vec<Entry>>,
    /// Its words that say something.
    telling: OnceCell<Telling>,
}

impl Later<'_> {
    /// Whether it repeats the earlier message `a`.
    pub fn decide(&mut self, a: GistView<'_>) -> Decision {
        self.place = None;
        self.judge(a).unwrap_or_else(|Refusal { reason, place }| {
            self.place = place;
            Decision::No(reason)
        })
    }

    /// How alike the earlier message `a` and this one are; 0 without a body.
    pub(crate) fn alike(&mut self, a: GistView<'_>) -> Alike {
        let (x, y) = (a.body.list, self.b.body.list);
        let (covered_a, covered) = self.verifier.coverage.cover(x);
        let of = |part: usize, whole: usize| (1000 * part / whole.max(1)) as u32;
        Alike { similarity: of(2 * covered_a.min(covered), x.len() + y.len()), share: of(covered, y.len()), covered }
    }

    /// Which tokens of the two messages made the last decision a no; `None` where the whole messages did.
    pub(crate) fn place(&self) -> Option<&Gap> {
        self.place.as_ref()
    }

    /// The similarity that the bodies of the last decision need, in thousandths, at this setting.
    pub(crate) fn needed(&self) -> u32 {
        let similarity = self.verifier.policy.similarity.min(1000);
        1000 - (1000 - similarity) * (1000 - self.threshold) / (1000 - SIMILARITY)
    }

    /// The steps of the rule, in the order of the table in the docs of `rule`.
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

    /// The steps from *topics* to *long*; `None` if the others decide.
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

    /// The step *template*: other words or numbers in one, as far as no alignment is needed.
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
        let only = || self.only.get_or_init(|| only(y).collect());
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

    /// The steps from *slot* on. They align the two.
    fn word_by_word(&mut self, a: GistView<'_>, nearness: &mut Nearness) -> Result<(), Refusal> {
        let (b, telling) = (self.b, &self.telling);
        let Verifier { policy, aligner, gaps, .. } = &mut *self.verifier;
        let (x, y) = (a.body.list, b.body.list);
        // This costs more than the other questions, so it is asked only if one of them says no because of words.
        let is_retold = LazyCell::new(|| {
            policy.retells()
                && facts::may_be_retold(a, b)
                && facts::is_retold(a, b, telling.get_or_init(|| facts::telling(b)))
        });
        let pair = Aligned::new(a, b, aligner.align(x, y), *policy);
        pair.slot(gaps).or_else(|refusal| if *is_retold { Ok(()) } else { Err(refusal) })?;
        if x.len().min(y.len()) < TITLE_BELOW
            && let Some(news) = pair.news(gaps)
            && !*is_retold
        {
            nearness.cap(REPLACED_SIMILARITY);
            nearness.reach(policy.similarity, || Refusal::at(news, Reason::Replaced))?;
        }
        if !policy.has_facts() {
            return Ok(());
        }
        pair.facts(gaps)?;
        let may_gain = nearness.plain > nearness.near;
        let says = match pair.words(gaps, nearness.subject) {
            Err(refusal) if refusal.is_by_words() && *is_retold => Says::Nothing,
            Ok(Says::LittleElse | Says::Something) if may_gain && *is_retold => Says::Nothing,
            says => says?,
        };
        nearness.settle(says);
        let reason = if nearness.scattered { Reason::Scattered } else { Reason::Unlike(nearness.similarity) };
        nearness.reach(policy.similarity, || Refusal::whole(reason))
    }
}

/// Whether a glance shows that two long bodies greet different readers: 亲爱的王芳，… / 亲爱的李丽，…. Then [`decide`](Later::decide) says no.
pub(crate) fn greet_others(policy: Policy, a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    policy.has_facts()
        && b.comments == 0
        && x.len().min(y.len()) >= LONG
        && x.len().max(y.len()) <= LONGEST
        && first_gap(x, y).is_some_and(|gap| facts::is_another(a, b, &gap))
        && !facts::only_clauses(a, b)
}

#[cfg(test)]
mod tests;

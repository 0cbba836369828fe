//! The repeat rule: is B, read after A, a repeat of A?
//!
//! Decided by the two messages and their order alone. In this order, with n = min(|A|, |B|) in tokens:
//!
//! | | rule | reason |
//! |---|---|---|
//! | a | both bodies empty: repeat if A has all topics of B, or half of them and two; one empty: no | a tag and a remark is not the tag |
//! | b | n ≤ 5, both with topics, none shared: no | `加油` under another topic is about something else |
//! | c | equal bodies: repeat, unless a sign differs | 血糖≥7 / 血糖≤7 |
//! | d | *covered* tokens are those in a bigram that the other body has too; similarity = 2·min(cov A, cov B) / (\|A\| + \|B\|) | single common tokens (的, 了) are chance; bigrams forgive moved passages |
//! | e | near if similarity ≥ 0.62, for n < 16 ≥ 0.70, or ≥ 0.66 if A covers all of B (4 tokens or more) | |
//! | | for 7 ≤ n < 16 also if ≥ 0.66, B has at most 2 tokens more, and nothing that differs says anything | 我都等了一会儿了 / 我已经等了一会儿了 |
//! | | for n ≥ 16 a third of B must be in common runs of 6 tokens, unless of up to 24 tokens only clauses or items of a list changed places | a rewording is another message |
//! | | bodies of 4 to 6 tokens each that differ in one character which is taken for another: near | 武汉加油 / 武汉加由 |
//! | f | else near if B is inside A: covered to 0.75, 16 tokens of it, and n ≥ 16 | quote, truncation |
//! | | or if B, of 8 to 15 tokens and without topics, is one clause or more of an A of n ≥ 16 that refutes nothing (not under [`Guard::Careful`]); then only g and the numbers of h speak against it | 终于学会了砍价 in a post about moving house |
//! | g | not if B adds a passage: 12 tokens or more that A does not cover, if 35 % of B are not; or 8 in a comment on what it reposts; whole clauses at an end that are an advert's or filler's words are none | extra text in A does not matter: it was read first |
//! | i | not if a slot in the middle is filled with other words: 3 tokens or more for about as many, but not 3 for 3 with the one in the middle in common and another that sounds or looks alike (的一致 / 得一至); in a title (n < 20, similarity < 0.83) 2 for 2 anywhere; typos, synonyms, numerals in the other script and clauses of A and items of a list in another order are none | 白岩松对话崔天凯 / 陈戌源: the replaced words are the news; at the beginning of a longer text they are a headline |
//! | | for n ≥ 16 the same (`refill.rs`) without an alignment: 3 tokens or more, none of them covered, between bigrams that both have once; not 3 for 3 with the one in the middle in common | 请到骨科就诊 / 请到神经外科就诊; can be looked up |
//! | | and if B ends inside its last clause, behind a run of 6 tokens that both have once, with 3 characters or more that A has not there, unless the clause asks | 负责人是张三丰 / 负责人是李四光; a whole clause at the end closes a message |
//! | h | not if a fact differs ([`facts`]): numbers, signs, units, Latin words, links and names that are the message; of equal bodies, signs, links and names; then word by word: a member of a class or an opposite in another's place, a person, negation, 可能 or 部分, rank, refutation, 更正 at the beginning of B, a number for a word, two names that changed places in a clause or two stretches anywhere; a clause with masked numbers (`DIGIT`) is another filling. | yesterday's report in the same words |
//! | | the same without an alignment: numbers and codes (`numbers.rs`) between tokens that both have once; other words of letters between passages that both have once, and for n ≥ 16 a name behind a cue | 验证码为HSREL / 验证码为k7wq2; Your code is HSREL / Your code is TPUSC; 亲爱的李海 / 亲爱的李平; can be looked up |
//! | j | not if words of content stand for others, and that is all that differs (below 25 tokens: one place more may; from 16 on one character for another is none; from 80 on only one place of up to 6 tokens that has no token in common); typos, synonyms, filler, words said twice and whom an advert greets are none | 湖人客场取胜 / 快船客场取胜 |
//! | l | n < 12, no topics: not if any word of content is another or added; of two questions, nor if one is left out; nor if only one asks, another person is spoken of, or B has a number more | 怎么瘦腿 / 怎么瘦手臂 |
//! | k | not if B adds a number, or 15 % of its tokens at its end, and that is all that differs and neither has a topic; links, adverts and sources are none | 返现300 / 返现300截止5月27日 |
//! | | nor if n ≥ 25 and a clause of 2 to 12 tokens that B adds, or for n ≥ 16 its whole comment on what it reposts, tells a fact; remarks are none; under a topic, for n ≥ 16, only a clause at the end with a number that A has not, or that says what became of it | …停运 / …停运，无人受伤 |
//!
//! [`Guard::Careful`] takes every content word that differs, is added or lacks inside a clause for news, and forgives only
//! characters that sound or look alike, but not behind a surname; any other link or `@name` in one's place counts;
//! [`Remarks::Keep`] keeps what has any comment on a repost; [`Templates::Fold`] leaves out h to l and the slots of i.
//!
//! # Measured
//! The lists and thresholds were chosen in sight of the labelled pairs. So on those pairs the rule does better than on others.
//! `benches/RESULTS.md` has the figures, and what each clause is worth. `tests/library/rule.rs` checks them.
//!
//! [`Guard::Careful`]: crate::config::Guard::Careful

use std::ops::Range;

use super::align::{Aligner, Gap, gaps};
use super::aligned::{Aligned, there};
use super::bounds::{COMMENT, LONG, are_rearranged, least_of_slip};
use super::coverage::{Coverage, Runs};
use super::decision::Refusal;
pub use super::decision::{Decision, Reason};
use super::first_gap::first_gap;
use super::numbers::renumbered;
use super::refill::{recoded, refilled, renamed};
use super::thresholds::{FRAGMENT, FRAGMENT_SIMILARITY, QUOTE, QUOTE_SHARE, REPLACED_SIMILARITY, RUN_SHARE, SHORT};
use super::thresholds::{SHORT_SIMILARITY, has_quotes, is_quotable, may_be_worded, setting};
pub use super::thresholds::{bounds, least_covered};
use crate::config::{Policy, Remarks, SIMILARITY, Templates};
use crate::text::GistView;
use crate::text::facts::{self, Conflict, Difference, Edit};
use crate::text::tokens::Token;

/// A title: below this many tokens, replaced words are the news.
const TITLE: usize = 20;
/// Bodies of up to so many tokens say nothing without their topic.
const REMARK: usize = 5;
/// With so many topics it is quickest to look for each.
const FEW_TOPICS: usize = 16;
/// A title of so few tokens is a subject, …
const TINY: usize = 7;
/// … and so many more tokens say something of it: 上海疫情 / 上海疫情发布会.
const TINY_ADDED: usize = 2;
/// Longest run of tokens that B may add: about a clause …
pub(crate) const PASSAGE: usize = 12;
/// … unless the rest of B is at least so much, in thousandths: a prefix before a long repeat.
const PASSAGE_SHARE: usize = 350;
/// Longer bodies are no short texts: only equal ones are repeats, so that a comparison takes at most a few milliseconds.
pub(crate) const LONGEST: usize = 8192;

/// How many of b's topics a has too. Where they are many, those of a are sorted first.
fn common_topics(a: &[u64], b: &[u64]) -> usize {
    if a.len().min(b.len()) <= FEW_TOPICS {
        return b.iter().filter(|topic| a.contains(topic)).count();
    }
    let mut sorted = a.to_vec();
    sorted.sort_unstable();
    b.iter().filter(|topic| sorted.binary_search(topic).is_ok()).count()
}

/// A body is missing: whether all topics of B, or two and half of them, are A's.
fn by_topics(a: GistView<'_>, b: GistView<'_>) -> Result<Decision, Refusal> {
    let common = common_topics(a.topics, b.topics);
    let enough = common == b.topics.len() || common >= 2 && 2 * common >= b.topics.len();
    let is_repeat = a.body.list.len() == b.body.list.len() && common > 0 && enough;
    if is_repeat { Ok(Decision::Equal) } else { Err((None, Reason::Empty)) }
}

/// How alike two bodies are by what they cover of each other (step d). Numbers are thousandths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alike {
    /// 2·min(cov A, cov B) / (|A| + |B|).
    pub(crate) similarity: u32,
    /// How much of B is in A.
    pub(crate) share: u32,
    /// Tokens of B that A covers.
    covered: usize,
}

/// How alike a pair is, and how it may be one: the largest similarity settings, in thousandths, that it reaches.
struct Nearness {
    /// As a near repeat.
    near: u32,
    /// What makes it so near.
    similarity: u32,
    /// The same where nothing that differs says anything.
    plain: u32,
    /// As a part of A.
    inside: u32,
    /// How much of B is in A.
    share: u32,
    /// Whether B is a clause or more of A.
    quoted: bool,
    /// Whether A is a subject of which B says something.
    subject: bool,
}

impl Nearness {
    fn reached(&self) -> u32 {
        self.near.max(self.plain).max(self.inside)
    }

    fn inside(&self) -> Decision {
        Decision::Inside { share: self.share, setting: self.inside }
    }

    fn decision(&self) -> Decision {
        if self.near < self.inside {
            return self.inside();
        }
        Decision::Near { similarity: self.similarity, setting: self.near }
    }
}

/// Judges pairs by the rule. Keeps its buffers, and what it made of the later message of the pairs.
///
/// ```
/// use quchong::config::Config;
/// use quchong::near::verify::{Decision, Reason, Verifier};
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
/// verifier.read(b.view());
/// assert!(matches!(verifier.decide(a.view(), b.view()), Decision::No(Reason::Fact(_))));
/// ```
#[derive(Debug)]
pub struct Verifier {
    policy: Policy,
    coverage: Coverage,
    runs: Runs,
    aligner: Aligner,
    gaps: Vec<Gap>,
    place: Option<Gap>,
    /// The threshold of the last pair whose similarity counted.
    threshold: u32,
}

impl Verifier {
    /// A verifier for this policy.
    pub fn new(policy: Policy) -> Self {
        let (coverage, runs, aligner, gaps, place) = Default::default();
        Self { policy, coverage, runs, aligner, gaps, place, threshold: SIMILARITY }
    }

    /// Takes `b` as the later message of the pairs that follow.
    pub fn read(&mut self, b: GistView<'_>) {
        self.coverage.read(b.body.list);
    }

    /// How alike the earlier message `a` and `b`, the message last [read](Self::read), are; 0 without a body.
    pub(crate) fn alike(&mut self, a: GistView<'_>, b: GistView<'_>) -> Alike {
        let (x, y) = (a.body.list, b.body.list);
        let (covered_a, covered) = self.coverage.cover(x);
        let of = |part: usize, whole: usize| (1000 * part / whole.max(1)) as u32;
        Alike { similarity: of(2 * covered_a.min(covered), x.len() + y.len()), share: of(covered, y.len()), covered }
    }

    /// Which tokens of the two messages made the last decision a no: the passage, the slot, the fact. `None` where the whole
    /// messages did.
    pub(crate) fn place(&self) -> Option<&Gap> {
        self.place.as_ref()
    }

    /// Whether the first that differs between two long bodies is a person, which no alignment need tell. Then [`decide`](Self::decide) says
    /// no, perhaps for another reason: messages of one template that greet their reader are told by a glance.
    pub(crate) fn greet_others(&self, a: GistView<'_>, b: GistView<'_>) -> bool {
        let (x, y) = (a.body.list, b.body.list);
        self.policy.has_facts()
            && b.comments == 0
            && x.len().min(y.len()) >= LONG
            && x.len().max(y.len()) <= LONGEST
            && first_gap(x, y).is_some_and(|gap| facts::is_another(a, b, &gap))
            && !facts::only_clauses(a, b)
    }

    /// Whether `b`, the message last [read](Self::read), repeats the earlier message `a`.
    pub fn decide(&mut self, a: GistView<'_>, b: GistView<'_>) -> Decision {
        let (place, decision) = match self.judge(a, b) {
            Ok(decision) => (None, decision),
            Err((place, reason)) => (place, Decision::No(reason)),
        };
        self.place = place;
        decision
    }

    /// The rule, step by step.
    fn judge(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<Decision, Refusal> {
        let (x, y) = (a.body.list, b.body.list);
        let guard = self.policy.has_facts();
        let signs = || facts::signs_differ(a, b, Some, self.policy.is_careful()).filter(|_| guard);
        let by_sign = |(place, conflict)| Err((Some(place), Reason::Fact(conflict)));
        if x.is_empty() || y.is_empty() {
            let link = || signs().filter(|_| self.policy.is_careful());
            return by_topics(a, b).and_then(|decision| link().map_or(Ok(decision), by_sign));
        }
        let bare = a.topics.is_empty() || b.topics.is_empty();
        if x.len().min(y.len()) <= REMARK && !bare && common_topics(a.topics, b.topics) == 0 {
            return Err((None, Reason::OtherTopic));
        }
        if x == y {
            return signs().map_or(Ok(Decision::Equal), by_sign);
        }
        if x.len().max(y.len()) > LONGEST {
            return Err((None, Reason::Long));
        }
        let mut nearness = self.nearness(a, b)?;
        self.passage(a, b)?;
        self.template(a, b)?;
        if nearness.quoted {
            return Ok(nearness.inside());
        }
        let pair = Aligned::new(a, b, self.aligner.align(x, y), self.policy);
        pair.slot(&mut self.gaps)?;
        if x.len().min(y.len()) < TITLE
            && let Some(news) = pair.news(&self.gaps)
        {
            let least = setting(nearness.similarity, REPLACED_SIMILARITY);
            (nearness.near, nearness.plain) = (nearness.near.min(least), nearness.plain.min(least));
            if nearness.reached() < self.policy.similarity {
                return Err((Some(news), Reason::Replaced));
            }
        }
        if guard {
            pair.facts(&mut self.gaps)?;
            match pair.words(&self.gaps, nearness.subject)? {
                true => nearness.near = nearness.near.max(nearness.plain),
                false => nearness.plain = 0,
            }
            if nearness.reached() < self.policy.similarity {
                return Err((None, Reason::Unlike(nearness.similarity)));
            }
        }
        Ok(nearness.decision())
    }

    /// How alike two bodies are, if that is enough: steps d to f.
    fn nearness(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<Nearness, Refusal> {
        let (x, y) = (a.body.list, b.body.list);
        let shorter = x.len().min(y.len());
        let Alike { similarity, share, covered } = self.alike(a, b);
        let bare = a.topics.is_empty() && b.topics.is_empty();
        let subject = bare && x.len() <= TINY && y.len() - covered >= TINY_ADDED;
        self.threshold = match covered == y.len() {
            _ if shorter >= SHORT => SIMILARITY,
            true if y.len() >= FRAGMENT => FRAGMENT_SIMILARITY,
            _ => SHORT_SIMILARITY,
        };
        let near = if self.is_slip(a, b, covered) { 1000 } else { setting(similarity, self.threshold) };
        let quoted =
            covered == y.len() && is_quotable(x.len(), y.len()) && has_quotes(self.policy) && facts::is_quoted(a, b);
        let is_worded = self.policy.has_facts() && may_be_worded(x.len(), y.len());
        let plain = if is_worded { setting(similarity, FRAGMENT_SIMILARITY) } else { 0 };
        let inside = match covered >= QUOTE && shorter >= SHORT {
            _ if quoted => 1000,
            true => setting(share, QUOTE_SHARE),
            false => 0,
        };
        let nearness = Nearness { near, similarity, plain, inside, share, quoted, subject };
        if nearness.reached() < self.policy.similarity {
            return Err((None, Reason::Unlike(similarity)));
        }
        let rearranged = || are_rearranged(x, y) && facts::only_clauses(a, b);
        let least = (y.len() * RUN_SHARE).div_ceil(1000);
        if shorter >= LONG && !self.runs.are_common(y, x, least) && !rearranged() {
            return Err((None, Reason::Scattered));
        }
        Ok(nearness)
    }

    /// The passage that B adds, if it says something: step g.
    fn passage(&self, a: GistView<'_>, b: GistView<'_>) -> Result<(), Refusal> {
        let comments = b.comments as usize;
        let is_remark = |passage: &Range<usize>| self.policy.remarks == Remarks::Keep && passage.start < comments;
        let says = |passage: &Range<usize>| {
            !self.policy.has_facts()
                || is_remark(passage)
                || !facts::is_advert(b, passage) && !facts::is_said(a, b, passage)
        };
        match self.added_passage(b.body.list.len(), comments).filter(says) {
            Some(passage) => Err((Some((0..0, passage)), Reason::Added)),
            None => Ok(()),
        }
    }

    /// The first fact that differs, whether or not the texts are alike enough for it to decide; [`place`](Self::place) says where.
    pub(crate) fn fact(&mut self, a: GistView<'_>, b: GistView<'_>) -> Option<Conflict> {
        let (x, y) = (a.body.list, b.body.list);
        if x.is_empty() || y.is_empty() || x.len().max(y.len()) > LONGEST {
            return None;
        }
        gaps(self.aligner.align(x, y), (x.len(), y.len()), true, &mut self.gaps);
        let by_numbers = self.gaps.iter().find_map(|gap| Some((gap.clone(), facts::conflict(a, b, gap)?)));
        let by_words = || {
            let fact = |difference: &Difference| match difference.edit {
                Edit::Fact(conflict) => Some((difference.place.clone(), conflict)),
                _ => None,
            };
            facts::differences(a, b, &self.gaps, false).find_map(|difference| fact(&difference))
        };
        let matches = self.aligner.align(x, y);
        let by_signs = facts::signs_differ(a, b, there(matches), false);
        let all = [by_numbers, by_signs, by_words()];
        let (place, conflict) = all.into_iter().flatten().min_by_key(|(place, _)| (place.0.start, place.1.start))?;
        self.place = Some(place);
        Some(conflict)
    }

    /// The similarity that the bodies of the last decision need, in thousandths, at this setting.
    pub(crate) fn needed(&self) -> u32 {
        1000 - (1000 - self.policy.similarity.min(1000)) * (1000 - self.threshold) / (1000 - SIMILARITY)
    }

    /// Whether two tiny bodies differ in one character that is taken for another: 武汉加油 / 武汉加由.
    fn is_slip(&self, a: GistView<'_>, b: GistView<'_>, covered: usize) -> bool {
        let (x, y) = (a.body.list, b.body.list);
        if x.len() != y.len() || least_of_slip(y.len()).is_none_or(|least| covered < least) {
            return false;
        }
        let differ = |(_, (x, y)): &(usize, (&Token, &Token))| facts::value(**x) != facts::value(**y);
        let mut others = x.iter().zip(y).enumerate().filter(differ).map(|(at, _)| at);
        match (others.next(), others.next()) {
            (Some(at), None) => facts::is_noise(a, b, &(at..at + 1, at..at + 1)),
            _ => false,
        }
    }

    /// Whether a template is filled with other words or numbers, as far as no alignment is needed.
    fn template(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<(), Refusal> {
        let (x, y) = (a.body.list, b.body.list);
        if self.policy.templates != Templates::Fold
            && let Some(slot) = refilled(x, y, self.coverage.covered(), || facts::ending(b))
        {
            return Err((Some(slot), Reason::Replaced));
        }
        if !self.policy.has_facts() {
            return Ok(());
        }
        let code = || Some((recoded(x, y, self.coverage.covered())?, Conflict::Word));
        let name = || Some((renamed(x, y)?, Conflict::Person));
        match renumbered(x, y).or_else(code).or_else(name) {
            Some((slot, conflict)) => Err((Some(slot), Reason::Fact(conflict))),
            None => Ok(()),
        }
    }

    /// A long run of B that A does not cover, if it is no small part of B; or a remark of its own among its first `comments`
    /// tokens, which comment on a repost.
    fn added_passage(&self, length: usize, comments: usize) -> Option<Range<usize>> {
        let (mut run, mut longest, mut bare, mut remark) = (0, 0..0, 0, 0..0);
        for (at, covered) in self.coverage.covered().enumerate() {
            run = if covered { 0 } else { run + 1 };
            if run > longest.len() {
                longest = at + 1 - run..at + 1;
            }
            bare += usize::from(!covered);
            if at < comments {
                remark = longest.clone();
            }
        }
        let is_passage = longest.len() >= PASSAGE && bare * 1000 > length * PASSAGE_SHARE;
        let least = if self.policy.remarks == Remarks::Keep { 1 } else { COMMENT };
        if remark.len() >= least { Some(remark) } else { is_passage.then_some(longest) }
    }
}

#[cfg(test)]
mod tests;

//! The repeat rule: is B, read after A, a repeat of A?
//!
//! B repeats A if it tells nothing new to a reader of A: 武汉加油 / 武汉加由 is a repeat, 新增7例 / 新增9例 is none. Only the two messages and
//! their order decide. The rule compares their *bodies*: lists of tokens, without topics and wrapping. A token is a character, a number, a
//! word of letters, or a code of letters and digits; n is the number of tokens of the shorter body. [`Later::decide`] asks these
//! questions from the top, and the first yes decides. If there is none, B is a repeat. In the examples A stands first.
//!
//! | step | question (the file in brackets has the details) | a repeat? | example |
//! |---|---|---|---|
//! | topics | Is a body empty? | if both are, and A has all topics of B, or half of them and two | #樱花# / #樱花# 🌸, not #樱花# / #樱花# 好美 |
//! | other topic | Is n ≤ 5, and do both have topics, but none in common? (A remark is about its topic.) | no | #武汉樱花# 加油 / #洛阳牡丹# 加油 |
//! | equal | Are the bodies equal? | yes, unless a sign, link or name differs (`text/facts/signs.rs`) | but not 血糖≥7 / 血糖≤7 |
//! | long | Has a body more than 8192 tokens? | no | |
//! | near | Have they too little in common (`thresholds.rs`)? | no | 今天下雨了 / 明天要开会 |
//! | passage | Does B add a passage (see below)? A may have more: it was read first. | no | |
//! | template | Do other words fill a template (`refill.rs`)? | no | …到骨伤科室就诊，… / …到神经外科就诊，… |
//! | | Do other words fill two brief places, or does another noun fill one (`refill/brief.rs`)? | no | 来吃春风家，小炒猪蹄必点，… / 来吃橙子家，小炒鱿鱼必点，… |
//! | | Do numbers between the same neighbours differ (`numbers.rs`)? | no | 新增7例 / 新增9例 |
//! | | Does another code or name stand between the same passages (`refill.rs`)? | no | 验证码为HSREL / 验证码为k7wq2 |
//! | | Is the only large number of a short text another, or the only score or name (`only.rs`)? | no | 接种超9亿剂次 / 超15亿剂次接种 |
//! | | Does a short text list other things (`listed.rs`), or two entries of a list say something else (`entries.rs`)? | no | 菜单：烤鸭、炒饭、鱼汤 / 菜单：炒饭、豆腐、蛋饼 |
//! | | A list of numbers in another order is the same. | | 白菜报4元，萝卜报3元 / 萝卜报3元，白菜报4元 |
//! | quote | Is B a clause or more of a longer A (`thresholds.rs`)? | yes | 搬家第一天，我终于学会了砍价，… / 我终于学会了砍价 |
//! | slot | Do other words fill a slot in the middle (`aligned.rs`)? | no | 请到火车站接我回家 / 请到体育馆接我回家 |
//! | title | Is n < 20, and do 2 tokens or more stand for 2 or more (`aligned.rs`)? | no | 美食街今天开幕… / 车展会今天开幕… |
//! | facts | Does a number, sign, unit, word of letters or role differ (`text/facts.rs`)? | no | 甲公司起诉乙公司 / 乙公司起诉甲公司 |
//! | words | Does a word differ that is a fact (`text/facts.rs`)? | no | 河南今晚有暴雨，… / 河北今晚有暴雨，… |
//! | | Is a word of content another, or does B add news (`text/facts/news.rs`)? | no | …停运 / …停运，无人受伤 |
//! | | Has each text another member of a class, wherever they stand (`text/facts/elsewhere.rs`)? | no | 补贴截止到什么时候 / 补贴从什么时候开始 |
//!
//! **A passage** is a run of 12 tokens or more of B that A does not cover (`coverage.rs`), if it covers less than 65 % of B; or of 8 in a
//! comment on a repost. Whole clauses at an end are no passage if they are an advert, filler or polite: …，更多优惠请关注樱花小站公众号.
//!
//! **Retold.** 今晚7点草莓到货，请大家来3号楼自取 / 草莓今晚七点到货啦，大家来3号楼自取吧: other words of content, more of them, or a number in the
//! place of a word are no reason if whatever says something in B is said in A, with the same roles, numbers and negations
//! (`text/facts/retold.rs`). This holds at *slot*, *title* and *words*.
//!
//! **Policies.** [`Guard::Careful`] takes every content word that differs, is added or lacks inside a clause for news, and forgives only
//! characters that sound or look alike, but not behind a surname. Any other link or `@name` in one's place counts. There are no quotes.
//! [`Guard::Off`] leaves out facts and words, and what the other steps ask of signs, numbers, codes, names and lists; [`Templates::Fold`] also
//! leaves out words that fill a template, slots and titles. [`Remarks::Keep`] takes any comment on a repost for a passage.
//!
//! # Measured
//! The lists and thresholds were chosen in sight of the labelled pairs, so on others the rule does worse. `benches/RESULTS.md` has the
//! figures, and what each clause is worth. `tests/library/rule.rs` checks them.
//!
//! [`Guard::Careful`]: crate::config::Guard::Careful
//! [`Guard::Off`]: crate::config::Guard::Off

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
use super::decision::Refusal;
pub use super::decision::{Decision, Reason};
use super::entries::other_entries;
use super::first_gap::first_gap;
use super::listed::listed;
use super::numbers::renumbered;
use super::only::{Only, only, other_only};
use super::refill::{recoded, refilled, refilled_briefly, renamed};
use super::thresholds::REPLACED_SIMILARITY;
pub use super::thresholds::{bounds, least_covered};
use nearness::Nearness;
pub(crate) use passage::PASSAGE;
use topics::{by_topics, common_topics};

use crate::config::{Policy, SIMILARITY, Templates};
use crate::text::GistView;
use crate::text::facts::{self, Conflict, Telling};

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
        let (place, only, names, telling) = Default::default();
        Later { verifier: self, b, place, threshold: SIMILARITY, only, names, telling }
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

    /// The steps of the rule, in the order of the table above.
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
        let found = renumbered(x, y, || facts::ends_freely(b))
            .or_else(other_code)
            .or_else(|| Some((renamed(x, y, names())?, Conflict::Person)))
            .or_else(|| other_only(x, y, only()))
            .or_else(|| listed(a, b))
            .or_else(|| other_entries(a, b));
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

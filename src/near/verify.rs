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
//! | template | Do other words, or another name, fill a template (`refill.rs`)? | no | …到骨伤科室就诊，… / …到神经外科就诊，… |
//! | | Do other words fill two brief places, or does another noun fill one (`refill/brief.rs`)? | no | 来吃春风家，小炒猪蹄必点，… / 来吃橙子家，小炒鱿鱼必点，… |
//! | | Do numbers or codes between the same neighbours differ (`numbers.rs`)? | no | 验证码为HSREL / 验证码为k7wq2 |
//! | | Is the only large number of a short text another, or the only score or name (`only.rs`)? | no | 接种超9亿剂次 / 超15亿剂次接种 |
//! | | Does a short text list other things (`listed.rs`), or two entries of a list say something else (`entries.rs`)? | no | 菜单：烤鸭、炒饭、鱼汤 / 菜单：炒饭、豆腐、蛋饼 |
//! | | A list of numbers in another order is the same. | | 白菜报4元，萝卜报3元 / 萝卜报3元，白菜报4元 |
//! | quote | Is B a clause or more of a longer A (`thresholds.rs`)? | yes | 搬家第一天，我终于学会了砍价，… / 我终于学会了砍价 |
//! | slot | Do other words fill a slot in the middle (`aligned.rs`)? | no | 请到火车站接我回家 / 请到体育馆接我回家 |
//! | title | Is n < 20, and do 2 tokens or more stand for 2 or more (`aligned.rs`)? | no | 美食街今天开幕… / 车展会今天开幕… |
//! | facts | Does a number, sign, unit, word of letters or role differ (`text/facts.rs`)? | no | 甲公司起诉乙公司 / 乙公司起诉甲公司 |
//! | words | Does a word differ that is a fact (`text/facts.rs`)? | no | 河南今晚有暴雨，… / 河北今晚有暴雨，… |
//! | | Has each text another member of a class, wherever they stand (`text/facts/elsewhere.rs`)? | no | 补贴截止到什么时候 / 补贴从什么时候开始 |
//! | | Is a word of content another, or does B add news (`text/facts/news.rs`)? | no | …停运 / …停运，无人受伤 |
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

mod later;
mod nearness;
mod topics;

use std::cell::LazyCell;
use std::ops::Range;

use super::align::{Aligner, Gap};
use super::aligned::{Aligned, Says};
use super::bounds::{COMMENT, LONG, LONGEST, ONE_RUN, REMARK, RUN, are_rearranged, least_of_slip};
use super::coverage::{Coverage, Runs};
use super::decision::Refusal;
pub use super::decision::{Decision, Reason};
use super::entries::other_entries;
use super::first_gap::first_gap;
use super::listed::listed;
use super::numbers::renumbered;
use super::only::{Only, only, other_only};
use super::refill::{recoded, refilled, refilled_briefly, renamed};
use super::thresholds::{FRAGMENT, FRAGMENT_SIMILARITY, INSIDE, INSIDE_SHARE, REPLACED_SIMILARITY, RUN_SHARE};
use super::thresholds::{SHORT_SIMILARITY, WORDED_SIMILARITY, has_quotes, is_quotable, may_be_worded, setting};
pub use super::thresholds::{bounds, least_covered};
pub use later::Later;
use nearness::Nearness;
use topics::{by_topics, common_topics};

use crate::config::{Policy, Remarks, SIMILARITY, Templates};
use crate::text::GistView;
use crate::text::facts::{self, Conflict, Telling};
use crate::text::tokens::Token;

/// A title: below this many tokens, replaced words are the news (the step *title*).
const TITLE: usize = 20;
/// A title of so few tokens is a subject, …
const TINY: usize = 7;
/// … and so many more tokens say something of it: 上海疫情 / 上海疫情发布会.
const TINY_ADDED: usize = 2;
/// Fewest tokens side by side that are a passage if B adds them: about a clause …
pub(crate) const PASSAGE: usize = 12;
/// … where A leaves more than so much of B uncovered, in thousandths. A prefix before a long repeat is no passage.
const PASSAGE_SHARE: usize = 350;

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
/// assert!(matches!(verifier.read(b.view()).decide(a.view()), Decision::No(Reason::Fact(_))));
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
    /// What the later message has only one of, once it is asked for.
    only: Option<Vec<Only>>,
    /// The names in it, once they are asked for.
    names: Option<Vec<Range<usize>>>,
    /// Its words that say something, once they are asked for.
    telling: Option<Telling>,
}

impl Verifier {
    /// A verifier for this policy.
    pub fn new(policy: Policy) -> Self {
        let (coverage, runs, aligner, gaps, place, only, names, telling) = Default::default();
        Self { policy, coverage, runs, aligner, gaps, place, threshold: SIMILARITY, only, names, telling }
    }

    /// Takes `b` as the later message of pairs.
    pub fn read<'v>(&'v mut self, b: GistView<'v>) -> Later<'v> {
        self.coverage.read(b.body.list);
        (self.only, self.names, self.telling) = (None, None, None);
        Later { verifier: self, b }
    }

    fn alike(&mut self, a: GistView<'_>, b: GistView<'_>) -> Alike {
        let (x, y) = (a.body.list, b.body.list);
        let (covered_a, covered) = self.coverage.cover(x);
        let of = |part: usize, whole: usize| (1000 * part / whole.max(1)) as u32;
        Alike { similarity: of(2 * covered_a.min(covered), x.len() + y.len()), share: of(covered, y.len()), covered }
    }

    /// The steps of the rule, in the order of the table above.
    fn judge(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<Decision, Refusal> {
        let ((x, y), guard) = ((a.body.list, b.body.list), self.policy.has_facts());
        let signs = || facts::signs_differ(a, b, Some, self.policy.is_careful()).filter(|_| guard);
        let by_sign = |(place, conflict)| Err(Refusal::at(place, Reason::Fact(conflict)));
        if x.is_empty() || y.is_empty() {
            let link = || signs().filter(|_| self.policy.is_careful());
            return by_topics(a, b).and_then(|decision| link().map_or(Ok(decision), by_sign));
        }
        let bare = a.topics.is_empty() || b.topics.is_empty();
        if x.len().min(y.len()) <= REMARK && !bare && common_topics(a.topics, b.topics) == 0 {
            return Err(Refusal::whole(Reason::OtherTopic));
        }
        if x == y {
            return signs().map_or(Ok(Decision::Equal), by_sign);
        }
        if x.len().max(y.len()) > LONGEST {
            return Err(Refusal::whole(Reason::Long));
        }
        let mut nearness = self.nearness(a, b)?;
        self.passage(a, b)?;
        self.template(a, b)?;
        if nearness.quoted {
            return Ok(nearness.inside());
        }
        // Asked where words are all that differs.
        let may_be_retold = self.policy.retells() && facts::may_be_retold(a, b);
        let is_retold = LazyCell::new(|| {
            may_be_retold && facts::is_retold(a, b, self.telling.get_or_insert_with(|| facts::telling(b)))
        });
        let pair = Aligned::new(a, b, self.aligner.align(x, y), self.policy);
        pair.slot(&mut self.gaps).or_else(|refusal| if *is_retold { Ok(()) } else { Err(refusal) })?;
        if x.len().min(y.len()) < TITLE
            && let Some(news) = pair.news(&self.gaps)
            && !*is_retold
        {
            let least = setting(nearness.similarity, REPLACED_SIMILARITY);
            (nearness.near, nearness.plain) = (nearness.near.min(least), nearness.plain.min(least));
            if nearness.reached() < self.policy.similarity {
                return Err(Refusal::at(news, Reason::Replaced));
            }
        }
        if guard {
            pair.facts(&mut self.gaps)?;
            let may_gain = nearness.plain > nearness.near;
            let says = match pair.words(&self.gaps, nearness.subject) {
                Err(Refusal {
                    reason: Reason::Replaced | Reason::Added | Reason::Fact(Conflict::NumberForWord),
                    ..
                }) if *is_retold => Says::Nothing,
                Ok(Says::LittleElse | Says::Something) if may_gain && *is_retold => Says::Nothing,
                says => says?,
            };
            match says {
                Says::Nothing => nearness.near = nearness.near.max(nearness.plain),
                Says::LittleElse if nearness.scattered => {
                    nearness.near = nearness.plain.min(setting(nearness.similarity, WORDED_SIMILARITY));
                }
                _ => {}
            }
            nearness.plain = 0;
            if nearness.reached() < self.policy.similarity {
                let reason = if nearness.scattered { Reason::Scattered } else { Reason::Unlike(nearness.similarity) };
                return Err(Refusal::whole(reason));
            }
        }
        Ok(nearness.decision())
    }

    /// How alike two bodies are, if that is enough: the step *near*.
    fn nearness(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<Nearness, Refusal> {
        let (x, y) = (a.body.list, b.body.list);
        let shorter = x.len().min(y.len());
        let Alike { similarity, share, covered } = self.alike(a, b);
        let bare = a.topics.is_empty() && b.topics.is_empty();
        let subject = bare && x.len() <= TINY && y.len() - covered >= TINY_ADDED;
        self.threshold = match covered == y.len() {
            _ if shorter >= LONG => SIMILARITY,
            true if y.len() >= FRAGMENT => FRAGMENT_SIMILARITY,
            _ => SHORT_SIMILARITY,
        };
        let near = if self.is_slip(a, b, covered) { 1000 } else { setting(similarity, self.threshold) };
        let quoted =
            covered == y.len() && is_quotable(x.len(), y.len()) && has_quotes(self.policy) && facts::is_quoted(a, b);
        let is_worded = self.policy.has_facts() && may_be_worded(x.len(), y.len());
        let plain = if is_worded { setting(similarity, FRAGMENT_SIMILARITY) } else { 0 };
        let inside = match covered >= INSIDE && shorter >= LONG {
            _ if quoted => 1000,
            true => setting(share, INSIDE_SHARE),
            false => 0,
        };
        let mut nearness = Nearness { near, similarity, plain, inside, share, quoted, subject, scattered: false };
        if nearness.reached() < self.policy.similarity {
            return Err(Refusal::whole(Reason::Unlike(similarity)));
        }
        let rearranged = || are_rearranged(x, y) && facts::only_clauses(a, b);
        let mut has_runs = |least: usize| self.runs.are_common(y, x, least);
        if shorter >= LONG && !has_runs((y.len() * RUN_SHARE).div_ceil(1000)) && !rearranged() {
            if !self.policy.has_facts() || !ONE_RUN.contains(&y.len()) || !has_runs(RUN) {
                return Err(Refusal::whole(Reason::Scattered));
            }
            let plain = nearness.near.max(nearness.inside);
            nearness = Nearness { near: 0, inside: 0, plain, scattered: true, ..nearness };
        }
        Ok(nearness)
    }

    /// The step *passage*. Where facts do not count, adverts and polite words are a passage, too.
    fn passage(&self, a: GistView<'_>, b: GistView<'_>) -> Result<(), Refusal> {
        let comments = b.comments as usize;
        let counts = |at: usize| !self.policy.has_facts() || self.policy.remarks == Remarks::Keep && at < comments;
        let says = |passage: &Range<usize>| {
            counts(passage.start) || !facts::is_advert(b, passage) && !facts::is_said(a, b, passage)
        };
        let passage = self.added_passage(a.body.list, b.body.list, comments).filter(says);
        passage.map_or(Ok(()), |passage| Err(Refusal::at(Gap { a: 0..0, b: passage }, Reason::Added)))
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
            (Some(at), None) => facts::is_noise(a, b, &Gap { a: at..at + 1, b: at..at + 1 }),
            _ => false,
        }
    }

    /// The step *template*: other words or numbers in one, as far as no alignment is needed.
    fn template(&mut self, a: GistView<'_>, b: GistView<'_>) -> Result<(), Refusal> {
        let (x, y) = (a.body.list, b.body.list);
        if self.policy.templates != Templates::Fold {
            let filled = refilled(x, y, self.coverage.covered(), || facts::ending(b));
            if let Some(slot) = filled.or_else(|| refilled_briefly(x, y, self.coverage.covered())) {
                return Err(Refusal::at(slot, Reason::Replaced));
            }
        }
        if !self.policy.has_facts() {
            return Ok(());
        }
        let code = || Some((recoded(x, y, self.coverage.covered())?, Conflict::Word));
        let names = self.names.get_or_insert_with(|| facts::named(y, 0..y.len()).collect());
        let name = || Some((renamed(x, y, names)?, Conflict::Person));
        let found = renumbered(x, y, || facts::ends_freely(b))
            .or_else(code)
            .or_else(name)
            .or_else(|| other_only(x, y, self.only.get_or_insert_with(|| only(y).collect())))
            .or_else(|| listed(a, b))
            .or_else(|| other_entries(a, b));
        found.map_or(Ok(()), |(slot, conflict)| Err(Refusal::at(slot, Reason::Fact(conflict))))
    }

    /// The longest run of B that A does not cover, if it is a [`PASSAGE`]; or a remark of B's own among its first `comments` tokens.
    fn added_passage(&self, x: &[Token], y: &[Token], comments: usize) -> Option<Range<usize>> {
        let keep = self.policy.remarks == Remarks::Keep;
        // What a remark says may stand in what it reposts.
        if keep && (1..y.len()).contains(&comments) && !x.starts_with(&y[..comments]) {
            return Some(0..comments);
        }
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
        let is_passage = longest.len() >= PASSAGE && bare * 1000 > y.len() * PASSAGE_SHARE;
        if remark.len() >= if keep { 1 } else { COMMENT } { Some(remark) } else { is_passage.then_some(longest) }
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

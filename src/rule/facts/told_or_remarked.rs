//! Judges an addition to a long text: does it tell a fact (无人受伤), or is it a personal remark (太暖了)?

use std::ops::Range;

use super::negation::has_flag;
use super::words::{Word, all, cut};
use super::{is_numeric, value};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::{CUES, Chars};
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, find, is_number, is_one_of, number, spelled};

/// Longest clause that tells one fact, in tokens.
const FACT_UPTO: usize = 12;
/// Longest addition, in tokens, that is news because of a number or a day in it.
const DATED: usize = 20;
/// Fewest different tokens of a clause that states something.
const STATED: usize = 4;

/// Whether a clause or more of B, which A does not have, tells a fact: it [reports] one, or it states something (左手柄漂移), if
/// neither text has a topic and B reposts nothing.
pub(super) fn tells(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let clause = Clause::of(b, added);
    let is_own = clause.is_own(a);
    (clause.reports(a) || is_own && clause.states()) && !(is_own && is_spelled_aside(clause.list))
}

/// Whether a clause or more is about the message itself, its author or its readers: 打卡第3天, 早晚用得上.
pub(super) fn is_aside(text: GistView<'_>, at: &Range<usize>) -> bool {
    is_spelled_aside(&text.body.list[at.clone()])
}

fn is_spelled_aside(list: &[Token]) -> bool {
    CUES.aside.within(&spelled(list))
}

/// Whether a stretch says what its author feels or wishes, or asks.
pub(super) fn is_remark(text: GistView<'_>, at: &Range<usize>) -> bool {
    Clause::of(text, at).is_remark()
}

/// Whether an addition says who, when, where, how many, or what became of the matter. Remarks do not: 太暖了, 我看哭了. Under a topic, where many
/// people write what they think, the addition must have a number that A lacks, or say what became of the matter.
pub(super) fn reports(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    Clause::of(b, added).reports(a)
}

/// Whether a list says how many people came to harm: 已致3人死亡.
pub(super) fn counts_victims(list: &[Token]) -> bool {
    list.iter().any(|token| is_numeric(*token)) && CUES.harm.within(&spelled(list))
}

/// Whether a stretch of B names a part of a work, and A neither a part of this kind nor its number: …国王排名 / …国王排名第八集, but not …庆余年2 /
/// …庆余年第二季. A piece at the end of a title without a date is news, too: …新歌 / …新歌直拍.
pub(super) fn adds_part(a: GistView<'_>, b: GistView<'_>, Gap { a: p, b: q }: &Gap) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    let added = &y[q.clone()];
    let is_bare = || a.clauses().count() == 1 && !x.iter().any(|token| is_numeric(*token));
    if q.end == y.len() && CUES.piece.is_codes(added) && is_bare() {
        return find(x, added).is_none();
    }
    let part = |three: &[Token]| {
        let is_part = three[0] == '第' as Token && is_numeric(three[1]) && CUES.part.has_code(three[2]);
        is_part.then_some((value(three[1]), three[2]))
    };
    let is_known = |(number, kind): (Token, Token)| {
        // 二季度 / 第二季.
        let is_quarter = kind == '季' as Token && find(x, &['季' as Token, '度' as Token]).is_some();
        is_quarter
            || x[p.clone()].iter().any(|token| value(*token) == number)
            || x.windows(3).filter_map(part).any(|(_, own)| own == kind)
    };
    let around = q.start.saturating_sub(1)..(q.end + 1).min(y.len());
    y[around].windows(3).filter_map(part).any(|own| !is_known(own))
}

/// A clause or more of a text, with its words.
struct Clause<'b> {
    text: GistView<'b>,
    at: &'b Range<usize>,
    list: &'b [Token],
    words: Vec<Word>,
}

impl<'b> Clause<'b> {
    fn of(text: GistView<'b>, at: &'b Range<usize>) -> Self {
        let words = cut(text.body.list, at, &all(lexicon::lexicon(), text, at));
        Self { text, at, list: &text.body.list[at.clone()], words }
    }

    /// Whether neither text has a topic, and this text reposts nothing.
    fn is_own(&self, a: GistView<'_>) -> bool {
        self.text.comment_tokens == 0 && a.topics.is_empty() && self.text.topics.is_empty()
    }

    /// Whether the clause says what the author feels or wishes, or asks.
    fn is_remark(&self) -> bool {
        self.words.iter().any(|word| is_stance(word, self.text.body.list))
    }

    fn reports(&self, a: GistView<'_>) -> bool {
        let (list, body) = (self.list, self.text.body.list);
        if !(2..=DATED).contains(&list.len()) || is_date_stamp(list) {
            return false;
        }
        let has = |token: &Token, of: &Chars| character(*token).is_some_and(|c| of.has(c));
        let is_under_topic = !(a.topics.is_empty() && self.text.topics.is_empty());
        let is_new = |number: &Token| is_number(*number) && !(is_under_topic && a.body.list.contains(number));
        let counted = |two: &[Token]| is_new(&two[0]) && has(&two[1], &CUES.counted);
        if self.is_remark() {
            return self.is_own(a) && list.iter().any(|token| is_new(token) && *token != number(1));
        }
        let is_brief = list.len() <= FACT_UPTO;
        let became = || is_brief && has_flag(self.text, self.at, lexicon::TOLD | lexicon::CORRECTION);
        if list.windows(2).any(counted) || became() {
            return true;
        }
        if is_under_topic {
            return false;
        }
        let is_day = |word: &Word| tagged(word, |tag| tag == Tag::Time);
        // 涨六百.
        let is_numbered = || list.last().is_some_and(is_new) && !is_number(list[0]);
        let said = |two: &[Word]| {
            let [who, what] = two else { return false };
            let spoken = who.tokens(body);
            tagged(who, |tag| tag == Tag::Noun)
                && has(&what.tokens(body)[0], &CUES.spoken)
                && find(a.body.list, spoken).is_some()
        };
        self.words.iter().any(is_day) || is_numbered() || is_brief && self.words.windows(2).any(said)
    }

    /// Whether the clause states something: 已签认罪书. A pointer to a link does not.
    fn states(&self) -> bool {
        let (list, side) = (self.list, spelled(self.list));
        let distinct = || list.iter().enumerate().filter(|(at, token)| !list[..*at].contains(token)).count();
        let is_content = |word: &Word| tagged(word, |tag| tag.is_noun() || tag == Tag::Verb);
        let has_number = || list.iter().any(|token| is_number(*token));
        list.len() <= DATED
            && distinct() >= STATED
            && !is_date_stamp(list)
            && !self.is_remark()
            && (self.words.iter().any(is_content) || has_number())
            && !CUES.pointer.ends(&side)
            // At the beginning of a text any other clause is a headline: 【寒潮来袭】.
            && (self.at.start > 0 || CUES.front.begins(&side))
    }
}

/// Whether a list is the date when a text was posted: …，何须长吁短叹。2017.08.28.
fn is_date_stamp(list: &[Token]) -> bool {
    let is_of_date = |token: &Token| is_number(*token) || is_one_of(*token, "年月日");
    list.contains(&Token::from('年')) && list.iter().all(is_of_date)
}

/// Whether a word says what the author feels or wishes, or asks. 乐 of 乐队 does not.
fn is_stance(word: &Word, list: &[Token]) -> bool {
    let is_thing = word.range.len() > 1
        && word.entry.is_some_and(|entry| match entry.tag() {
            // Only the lists have 下学期.
            Tag::None => entry.has_senses(),
            tag => tag.is_noun() || matches!(tag, Tag::Time | Tag::Count),
        });
    // 我国, 我省.
    let is_ours =
        matches!(word.tokens(list), [ours, place] if is_one_of(*ours, "我") && is_one_of(*place, "国省市县校军"));
    !is_thing && !is_ours && word.tokens(list).iter().any(|token| character(*token).is_some_and(|c| CUES.stance.has(c)))
}

/// Whether the dictionary has the word, and its tag is one of these.
fn tagged(word: &Word, is_so: impl Fn(Tag) -> bool) -> bool {
    word.is_known() && word.entry.is_some_and(|entry| is_so(entry.tag()))
}

//! What is added to a long text: a fact, or a remark of one's own.

use std::ops::Range;

use super::negation::says;
use super::words::{Word, all, cut};
use crate::text::GistView;
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, is_number};

/// Longest clause that tells one fact, in tokens.
const MOST: usize = 12;
/// Characters of what one says, feels or wishes, or asks.
const STANCE: &str = "我你您咱俺吧吗呢啊呀哦嘛哈啦哇嘿唉呜噢么谁啥咋太真好愿请求祝谢觉感泪哭笑赞信想知懂看听说怕恨爱烦累气可怜惜幸福语乐期早就";
/// What is counted or dated.
const COUNTED: &str = "岁年月日号天人元名例死伤米层楼栋户%";
/// What is said of somebody whom the text speaks of: 老人姓陈, 女儿没来.
const SAID: &str = "没未已被姓叫在";

/// Whether a clause or more of B, which A has not, tells a fact: who, when, where, how many, what became of it. Remarks do not: 太暖了, 我看哭了.
pub(super) fn tells(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let list = &b.body.list[added.clone()];
    let has = |token: &Token, of: &str| character(*token).is_some_and(|c| of.contains(c));
    if !(2..=MOST).contains(&list.len()) || list.iter().any(|token| has(token, STANCE)) {
        return false;
    }
    let counted = |two: &[Token]| is_number(two[0]) && has(&two[1], COUNTED);
    if list.windows(2).any(counted) || says(b, added, lexicon::TOLD | lexicon::CORRECTION) {
        return true;
    }
    let words = cut(b.body.list, added, &all(lexicon::lexicon(), b, added));
    let tagged = |word: &Word, tag: Tag| word.is_known() && word.entry.is_some_and(|entry| entry.tag() == tag);
    let is_day = |word: &Word| tagged(word, Tag::Time);
    let said = |two: &[Word]| {
        let [who, what] = two else { return false };
        let spoken = who.tokens(b.body.list);
        tagged(who, Tag::Noun)
            && has(&what.tokens(b.body.list)[0], SAID)
            && a.body.list.windows(spoken.len()).any(|tokens| tokens == spoken)
    };
    words.iter().any(is_day) || words.windows(2).any(said)
}

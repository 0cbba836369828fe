//! What is added to a long text: does it tell a fact (无人受伤), or is it a remark of one's own (太暖了)?

use std::ops::Range;

use super::negation::says;
use super::words::{Word, all, cut};
use crate::text::GistView;
use crate::text::cues::{CUES, Words};
use crate::text::lexicon::{self, Tag};
use crate::text::tokens::{Token, character, is_number};

/// What stands before who did it: 被.
const PASSIVE: Token = '被' as Token;
/// Longest clause that tells one fact, in tokens.
const MOST: usize = 12;
/// Longest addition that a number or a day in it tells as news, in tokens.
const DATED: usize = 20;
/// Fewest different tokens of a clause that states something.
const STATED: usize = 4;

/// Whether a clause or more of B, which A has not, tells a fact: who, when, where, how many, what became of it. Remarks do not: 太暖了, 我看哭了.
/// Under a topic, where many write what they think, it must have a number that A has not, or say what became of it.
pub(super) fn tells(a: GistView<'_>, b: GistView<'_>, added: &Range<usize>) -> bool {
    let list = &b.body.list[added.clone()];
    let has = |token: &Token, of: &Words| character(*token).is_some_and(|c| of.has(c));
    if !(2..=DATED).contains(&list.len()) || list.iter().any(|token| has(token, &CUES.stance)) {
        return false;
    }
    // …，何须长吁短叹。2017.08.28: when it was posted.
    let is_of_stamp = |token: &Token| is_number(*token) || character(*token).is_some_and(|c| "年月日".contains(c));
    if list.contains(&Token::from('年')) && list.iter().all(is_of_stamp) {
        return false;
    }
    let is_under_topic = !(a.topics.is_empty() && b.topics.is_empty());
    let is_new = |number: &Token| !is_under_topic || !a.body.list.contains(number);
    let counted = |two: &[Token]| is_number(two[0]) && has(&two[1], &CUES.counted) && is_new(&two[0]);
    let is_brief = list.len() <= MOST;
    if list.windows(2).any(counted) || is_brief && says(b, added, lexicon::TOLD | lexicon::CORRECTION) {
        return true;
    }
    if is_under_topic {
        return false;
    }
    let words = cut(b.body.list, added, &all(lexicon::lexicon(), b, added));
    let tagged = |word: &Word, tag: Tag| word.is_known() && word.entry.is_some_and(|entry| entry.tag() == tag);
    let is_day = |word: &Word| tagged(word, Tag::Time);
    let is_verb = |word: Option<&Word>| word.is_some_and(|word| tagged(word, Tag::Verb));
    // 有位阿姨被推倒.
    let is_passive = |at: usize, word: &Word| word.tokens(b.body.list) == [PASSIVE] && is_verb(words.get(at + 1));
    // 门锁密码2580.
    let is_noun = |word: &Word| tagged(word, Tag::Noun);
    let is_numbered = matches!(&words[..], [.., what, number]
        if (is_noun(what) || is_verb(Some(what))) && matches!(number.tokens(b.body.list), [token] if is_number(*token) && is_new(token)));
    let said = |two: &[Word]| {
        let [who, what] = two else { return false };
        let spoken = who.tokens(b.body.list);
        tagged(who, Tag::Noun)
            && has(&what.tokens(b.body.list)[0], &CUES.spoken)
            && a.body.list.windows(spoken.len()).any(|tokens| tokens == spoken)
    };
    let is_plain = || {
        let distinct = list.iter().enumerate().filter(|(at, token)| !list[..*at].contains(token)).count();
        let side: String = list.iter().filter_map(|token| character(*token)).collect();
        b.comments == 0
            && distinct >= STATED
            && words.iter().any(|word| is_noun(word) || is_verb(Some(word)))
            && !CUES.pointer.ends(&side)
    };
    words.iter().any(is_day)
        || is_plain()
        || is_numbered
        || is_brief && (words.windows(2).any(said) || words.iter().enumerate().any(|(at, word)| is_passive(at, word)))
}

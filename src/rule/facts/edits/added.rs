//! Classifies what B adds in a place: a fact (两年半 / 两年), nothing of weight (a link, an advert, a source), or a number of tokens.

use super::Edit;
use crate::rule::facts::Conflict;
use crate::rule::facts::negation::has_flag;
use crate::rule::facts::slots::Slot;
use crate::rule::facts::told_or_remarked::counts_victims;
use crate::text::cues::CUES;
use crate::text::lexicon;
use crate::text::tokens::{Token, character, is_number, is_one_of, is_reference, is_word};

/// Classifies what B adds in a slot. A link, an advert or a source has no weight. `content` are the tokens of B's content words there.
pub(super) fn added(slot: &Slot<'_>, content: &[Token]) -> Edit {
    let q = &slot.gap.b;
    let side = &slot.b.body.list[q.clone()];
    let latin =
        side.iter().all(|token| is_word(*token) || is_number(*token)) && side.iter().any(|token| is_word(*token));
    let mut tail = false;
    for at in q.clone() {
        slot.lexicon.words_at(&slot.b.body.list[..q.end], at, |_, entry| tail |= entry.is(lexicon::TAIL));
    }
    let references = content.iter().all(|token| is_reference(*token));
    let before = q.start.checked_sub(1).map(|at| slot.b.body.list[at]);
    let follows = |chars: &str| before.is_some_and(|token| is_one_of(token, chars));
    let next = slot.b.body.list.get(q.end).and_then(|token| character(*token));
    // 两年半, 下下周, 7点半.
    let more = |token: Token| match character(token) {
        Some('半') => before == Some(token) || follows("年个"),
        Some('下') => before == Some(token) && next.is_some_and(|c| CUES.period.has(c)) || follows("年个"),
        _ => is_number(token) && follows("点"),
    };
    if matches!(side, [token] if more(*token)) {
        return Edit::Fact(Conflict::Number);
    }
    let over = has_flag(slot.b, q, lexicon::REFUTATION | lexicon::CORRECTION);
    let is_at_end = q.end == slot.b.body.list.len() || q.start == 0;
    // 最新：已致3人死亡 has the tail 最新, but it tells a fact.
    if latin || references || tail && !over && is_at_end && !counts_victims(side) {
        return Edit::Harmless;
    }
    // If A has as many tokens in this place, only the new ones are added: 我却报之以歌 / 要我报之以歌.
    let instead = &slot.a.body.list[slot.gap.a.clone()];
    let is_new = |token: &&Token| side.len() != instead.len() || !instead.contains(token);
    let tokens = side.iter().filter(is_new).count();
    Edit::Added { tokens, number: side.iter().any(|token| is_number(*token)) }
}

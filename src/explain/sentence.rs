//! A decision of the repeat rule, as a sentence with the words that caused it.

use std::ops::Range;

use super::Message;
use crate::locale::tr;
use crate::rule::bounds::{LONG, LONGEST, RUN};
use crate::rule::difference::{SHOWN, Spelled, cut, narrow};
use crate::rule::facts::Conflict;
use crate::rule::gap::Gap;
use crate::rule::thresholds::FRAGMENT_SIMILARITY;
use crate::rule::{Decision, PASSAGE, Reason};
use crate::text::signs::{Reference, Sign};

/// The sentence for a link or a name that differs. Bodies contain neither.
pub(super) fn referred(decision: Decision, place: Option<&Gap>, [a, b]: [&Message; 2]) -> Option<String> {
    let Decision::No(Reason::Fact(conflict @ (Conflict::Link | Conflict::Mention))) = decision else { return None };
    let place = place?;
    let kind = if conflict == Conflict::Link { Reference::Link } else { Reference::Mention };
    let side = |message: &Message, at: usize| {
        let is_here =
            |(place, sign): &&(u32, Sign)| *place as usize == at && sign.referred().is_some_and(|(own, _)| own == kind);
        let (_, sign) = message.gist.signs.iter().find(is_here)?;
        Some(cut(sign.written(&message.clean.canonical)?, SHOWN))
    };
    let (old, new) = (side(a, place.a.start)?, side(b, place.b.start)?);
    let name = conflict.name();
    let name = tr!(name);
    Some(tr!("a fact differs ({name}): {old} / {new}", name, old, new))
}

/// The rule's decision on two bodies, in words, with the tokens that caused it.
pub(super) fn sentence(decision: Decision, place: Option<&Gap>, [a, b]: [&Spelled<'_>; 2], needed: u32) -> String {
    let is_short = a.tokens.list.len().min(b.tokens.list.len()) < LONG;
    let of_tokens = |conflict| matches!(conflict, Conflict::Number | Conflict::Unit | Conflict::Word);
    let Gap { a: p, b: q } = match (decision, place) {
        // Words are shown whole: a single character of a name says little.
        (Decision::No(Reason::Fact(conflict)), Some(place)) if !of_tokens(conflict) => place.clone(),
        // Two words that have the same token are shown as they are written.
        (_, Some(place)) if a.tokens.list[place.a.clone()] == b.tokens.list[place.b.clone()] => place.clone(),
        (_, place) => place.map(|place| narrow(a, b, place)).unwrap_or_default(),
    };
    // 2公斤 and 2斤 are different numbers, and only the unit shows it.
    let more = usize::from(!p.is_empty() && a.stretch(&p) == b.stretch(&q));
    // ￥299 and $299 differ in the currency, which is read after the number but written before it.
    let is_unwritten = a.stretch(&p).is_empty() && b.stretch(&q).is_empty() && (!p.is_empty() || !q.is_empty());
    // 5微克 / 5毫克: show the number and the whole unit.
    let is_unit = decision == Decision::No(Reason::Fact(Conflict::Unit));
    let (before, more) = (usize::from(is_unwritten || is_unit), more.max(usize::from(is_unit)));
    let wider = |place: Range<usize>, of: &Spelled<'_>| {
        place.start.saturating_sub(before)..(place.end + more).min(of.tokens.list.len())
    };
    let (p, q) = (wider(p, a), wider(q, b));
    let side = |text: &str| if text.is_empty() { tr!("(none)") } else { cut(text, SHOWN) };
    let (old, new) = (side(a.stretch(&p)), side(b.stretch(&q)));
    let (no_a, no_b) = (a.tokens.list.is_empty(), b.tokens.list.is_empty());
    match decision {
        Decision::Equal if no_b => tr!("both are nothing but topics, and A has those of B"),
        Decision::Equal => tr!("the bodies are equal"),
        Decision::Near { similarity, setting: 1000 } if similarity < 1000 => {
            tr!("one character is taken for another, and nothing else differs")
        }
        Decision::Near { similarity, .. } => {
            // If nothing that differs carries meaning, a lower similarity is enough.
            let needed = if similarity < needed { FRAGMENT_SIMILARITY.min(similarity) } else { needed };
            let (found, needed) = (share(similarity), share(needed));
            match is_short {
                true => tr!(
                    "the bodies are alike: similarity {found}, and {needed} is enough for texts so short",
                    found,
                    needed
                ),
                false => tr!("the bodies are alike: similarity {found}, and {needed} is enough", found, needed),
            }
        }
        Decision::Inside { share: inside, .. } => tr!("B is inside A: {} of it is there", share(inside)),
        Decision::No(reason) => match reason {
            Reason::Empty if no_a && no_b => {
                tr!("both are nothing but topics or wrapping, and share too few topics")
            }
            Reason::Empty => tr!("one is nothing but topics or wrapping, the other is not"),
            Reason::OtherTopic => tr!("a short remark under another topic is about something else"),
            Reason::Unlike(similarity) => {
                let (found, needed) = (share(similarity), share(needed));
                match is_short {
                    true => {
                        tr!(
                            "the bodies differ too much: similarity {found}, and {needed} is needed for texts so short",
                            found,
                            needed
                        )
                    }
                    false => {
                        tr!("the bodies differ too much: similarity {found}, and {needed} is needed", found, needed)
                    }
                }
            }
            Reason::Scattered => {
                tr!("the bodies say it in other words: too little of B is in common runs of {RUN} tokens", RUN)
            }
            Reason::Long => {
                tr!("the bodies differ, and of more than {LONGEST} tokens only equal ones are repeats", LONGEST)
            }
            Reason::Added | Reason::Replaced if p.is_empty() && (1..PASSAGE).contains(&q.len()) => {
                tr!("B adds words: {new}", new)
            }
            Reason::Replaced if q.is_empty() && !p.is_empty() => tr!("B leaves words out: {old}", old),
            Reason::Added if p.is_empty() => tr!("B adds a passage: {new}", new),
            Reason::Added | Reason::Replaced => {
                tr!("other words stand in a place of the text: {old} / {new}", old, new)
            }
            Reason::Fact(Conflict::Sign(x, y)) => tr!("a fact differs (sign): {x} / {y}", x, y),
            Reason::Fact(conflict) => {
                let are = |begins: &dyn Fn(&str) -> bool| begins(&old) && begins(&new);
                let conflict = match conflict {
                    Conflict::Word if are(&|word| word.starts_with('@')) => Conflict::Mention,
                    Conflict::Word if are(&|word| word.contains("://")) => Conflict::Link,
                    conflict => conflict,
                };
                let name = conflict.name();
                let name = if let Conflict::Class(_) = conflict { tr!("class" => name) } else { tr!(name) };
                tr!("a fact differs ({name}): {old} / {new}", name, old, new)
            }
        },
    }
}

/// Thousandths as a share: `0.62`, `0.875`.
pub(super) fn share(mille: u32) -> String {
    let share = format!("{}.{:03}", mille / 1000, mille % 1000);
    share.strip_suffix('0').map_or(share.clone(), str::to_owned)
}

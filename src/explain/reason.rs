//! Explains the verdict on a pair: one plain sentence with the reason, and the options that would change the verdict.

use super::Message;
use super::sentence::{referred, sentence, share};
use crate::config::{Config, ExactMode, ExactOn, Guard, MAX_DISTANCE, NearMode, Policy, Remarks, Templates};
use crate::fingerprint::minhash;
use crate::locale::tr;
use crate::record::Verdict;
use crate::rule::difference::Spelled;
use crate::rule::facts::Conflict;
use crate::rule::gap::Gap;
use crate::rule::{Decision, Later, Reason, Verifier};

/// From this similarity on, in thousandths, the reason names a fact that differs.
const ALIKE: u32 = 400;
/// In texts of at most this many tokens, the reason names a differing fact at any similarity: 涨了 / 跌了.
const TINY: usize = 4;

/// The reason, and the options that would change it.
pub(super) struct Why {
    pub(crate) reason: String,
    pub(crate) otherwise: Vec<String>,
}

/// Finds the reason for the verdict on the two messages, whose bodies are `spelled`.
pub(super) fn why(config: &Config, verdict: Verdict, [a, b]: [&Message; 2], spelled: [&Spelled<'_>; 2]) -> Why {
    let only = |reason| Why { reason, otherwise: Vec::new() };
    if let Verdict::Exact { .. } = verdict
        && config.exact.errs()
        && config.exact != ExactMode::Bloom
    {
        return only(match (config.exact, a.print.printed.digest == b.print.printed.digest) {
            (ExactMode::PaperBloom, true) => tr!("the paper's hashes of the texts are equal, BKDR and AP"),
            (ExactMode::PaperBloom, false) => {
                tr!(
                    "the texts differ, but a mark of the paper's filter is the same (BKDR or AP modulo --bloom-bits): it drops a new message"
                )
            }
            _ => tr!(
                "the hashes that the paper's trie squares are equal, as those of two texts among 2^31 or 2^32 can be"
            ),
        });
    }
    if let Verdict::Exact { .. } = verdict {
        return only(match config.exact_on {
            ExactOn::Canonical => tr!("the canonical forms are equal"),
            ExactOn::Raw => tr!("the texts are equal, byte for byte"),
        });
    }
    match config.near {
        NearMode::None => only(match config.exact_on {
            ExactOn::Canonical => tr!("the canonical forms differ, and there is no near stage (--near none)"),
            ExactOn::Raw => tr!("the texts differ, and there is no near stage (--near none)"),
        }),
        NearMode::Hybrid => by_rule(config, [a, b], spelled),
        NearMode::SimHash => by_distance(config, a, b),
        NearMode::MinHash => by_signatures(config, !verdict.is_kept(), a, b),
    }
}

const NO_BODY: &str = "a message of nothing but wrapping is no near repeat";

fn by_distance(config: &Config, a: &Message, b: &Message) -> Why {
    let Some((a, b)) = a.simhash.zip(b.simhash) else {
        return Why { reason: tr!(NO_BODY), otherwise: Vec::new() };
    };
    let (distance, limit) = ((a ^ b).count_ones(), config.max_distance);
    let otherwise = match distance {
        0 => vec![],
        _ if distance <= limit => vec![tr!("kept up to --max-distance {}", distance - 1)],
        _ if distance <= MAX_DISTANCE => vec![tr!("dropped from --max-distance {distance} on", distance)],
        _ => vec![tr!("kept at any --max-distance, which goes up to {MAX_DISTANCE}", MAX_DISTANCE)],
    };
    Why { reason: far(distance, limit), otherwise }
}

fn far(distance: u32, limit: u32) -> String {
    tr!(
        "the fingerprints differ in {n} bit of 64, and up to {limit} are near"
            | "the fingerprints differ in {n} bits of 64, and up to {limit} are near" % distance,
        limit = limit
    )
}

fn by_signatures(config: &Config, dropped: bool, a: &Message, b: &Message) -> Why {
    let Some((a, b)) = a.print.printed.signature.as_deref().zip(b.print.printed.signature.as_deref()) else {
        return Why { reason: tr!(NO_BODY), otherwise: Vec::new() };
    };
    let mille = minhash::similarity(a, b);
    let found = tr!("estimated similarity of the shingles {}, and {} is near", share(mille), share(config.similarity));
    if !dropped && mille >= config.similarity {
        return Why { reason: tr!("{found}, but the signatures share no band", found), otherwise: Vec::new() };
    }
    let otherwise = match mille {
        1000 => vec![],
        _ if dropped => vec![tr!("kept from --similarity {} on", share(mille + 1))],
        0 => vec![tr!("kept at any --similarity")],
        _ => vec![tr!("dropped up to --similarity {}, if the signatures then share a band", share(mille))],
    };
    Why { reason: found, otherwise }
}

fn by_rule(config: &Config, messages: [&Message; 2], spelled: [&Spelled<'_>; 2]) -> Why {
    let (pair, policy) = (Pair { messages, spelled }, config.policy());
    let (decision, reason) = pair.decide(policy);
    let dropped = is_repeat(decision);
    let (always, told_always) = pair.decide(Policy { similarity: 1, ..policy });
    let mut otherwise = Vec::new();
    otherwise.extend(pair.at_other_similarity(
        policy,
        dropped,
        always,
        Some(told_always).filter(|told| *told != reason),
    ));
    let without_guard = setting_of(pair.decide(Policy { similarity: 1, guard: Guard::Off, ..policy }).0);
    let has_guard = config.guard != Guard::Off && !dropped;
    let is_dropped_without = has_guard && without_guard >= config.similarity;
    if is_dropped_without {
        otherwise.push(tr!("dropped with --guard off"));
    } else if has_guard && !is_repeat(always) && without_guard > 0 {
        otherwise.push(tr!("dropped with --guard off up to --similarity {}", share(without_guard)));
    }
    otherwise.extend(pair.under_other_options(policy, dropped, is_dropped_without));
    otherwise.extend(pair.beyond_window(config, dropped));
    Why { reason, otherwise }
}

fn is_repeat(decision: Decision) -> bool {
    !matches!(decision, Decision::No(_))
}

/// The highest similarity, in thousandths, that this decision would allow as a setting; 0 if there is none.
fn setting_of(decision: Decision) -> u32 {
    match decision {
        Decision::Equal => 1000,
        Decision::Near { setting, .. } | Decision::Inside { setting, .. } => setting,
        Decision::No(_) => 0,
    }
}

/// An earlier message and a later one, and what their bodies say.
struct Pair<'p> {
    messages: [&'p Message; 2],
    spelled: [&'p Spelled<'p>; 2],
}

impl Pair<'_> {
    /// Decides by the rule under this policy, and says why.
    fn decide(&self, policy: Policy) -> (Decision, String) {
        let [a, b] = self.messages;
        let mut verifier = Verifier::new(policy);
        let mut later = verifier.read(b.gist.view());
        let mut decision = later.decide(a.gist.view());
        let mut place = later.place().cloned();
        if policy.guard != Guard::Off
            && policy.templates == Templates::Keep
            && let Some((conflict, of_fact)) = self.earlier_fact(&mut later, decision, place.as_ref())
        {
            (decision, place) = (Decision::No(Reason::Fact(conflict)), of_fact);
        }
        let told = referred(decision, place.as_ref(), [a, b]);
        (decision, told.unwrap_or_else(|| sentence(decision, place.as_ref(), self.spelled, later.needed())))
    }

    /// A differing fact says more than the similarity of the texts, and of several the first one is named: returns one that comes before
    /// the place of the decision, if it is worth telling.
    fn earlier_fact(
        &self,
        later: &mut Later<'_>,
        decision: Decision,
        place: Option<&Gap>,
    ) -> Option<(Conflict, Option<Gap>)> {
        let [x, y] = self.messages.map(|message| message.gist.view());
        let is_tiny = x.body.list.len().min(y.body.list.len()) <= TINY;
        let may_be_told = match decision {
            Decision::No(Reason::Added | Reason::Replaced | Reason::Unlike(ALIKE..) | Reason::Fact(_)) => true,
            Decision::No(Reason::Unlike(_)) => is_tiny,
            _ => false,
        };
        if !may_be_told {
            return None;
        }
        let start = |gap: &Gap| (gap.a.start, gap.b.start);
        let known = place.filter(|_| matches!(decision, Decision::No(Reason::Fact(_)))).map(start);
        let conflict = later.fact(x)?;
        let found = later.place().cloned();
        let is_first = known.is_none_or(|known| found.as_ref().map(start).is_some_and(|first| first < known));
        is_first.then_some((conflict, found))
    }

    /// Says at which `--similarity` the verdict would be another one. `always` is the decision at the lowest similarity, and `told_always`
    /// its reason, if it is another reason.
    fn at_other_similarity(
        &self,
        policy: Policy,
        dropped: bool,
        always: Decision,
        told_always: Option<String>,
    ) -> Option<String> {
        Some(match always {
            Decision::Equal | Decision::Near { setting: 1000, .. } | Decision::Inside { setting: 1000, .. } => {
                return None;
            }
            Decision::Near { setting, .. } | Decision::Inside { setting, .. } if dropped => {
                let [a, b] = self.messages;
                let mut verifier = Verifier::new(Policy { similarity: setting + 1, ..policy });
                let mut later = verifier.read(b.gist.view());
                later.decide(a.gist.view());
                let (least, needed) = (share(setting + 1), share(later.needed()));
                if later.needed() == setting + 1 {
                    tr!("kept from --similarity {least} on", least)
                } else {
                    tr!(
                        "kept from --similarity {least} on: texts as short as these must then be alike by {needed}",
                        least,
                        needed
                    )
                }
            }
            Decision::Near { setting, .. } | Decision::Inside { setting, .. } => {
                tr!("dropped up to --similarity {}", share(setting))
            }
            Decision::No(Reason::Unlike(_)) => tr!("kept at any --similarity"),
            Decision::No(_) => match told_always {
                Some(always) => tr!("kept at any --similarity: {always}", always),
                None => tr!("kept at any --similarity"),
            },
        })
    }

    /// Says which other options would change the verdict. If `--guard off` drops B, `--templates fold` does, too, and need not be
    /// mentioned.
    fn under_other_options(&self, policy: Policy, dropped: bool, is_dropped_without_guard: bool) -> Vec<String> {
        let mut others = vec![
            ("--remarks fold", Policy { remarks: Remarks::Fold, ..policy }),
            ("--remarks keep", Policy { remarks: Remarks::Keep, ..policy }),
            ("--templates keep", Policy { templates: Templates::Keep, ..policy }),
        ];
        if policy.templates == Templates::Keep {
            others.extend([
                ("--guard facts", Policy { guard: Guard::Facts, ..policy }),
                ("--guard careful", Policy { guard: Guard::Careful, ..policy }),
            ]);
            // Under --templates fold facts do not count, so another --guard than the default is refused there, and --preset careful is.
            if !is_dropped_without_guard && policy.guard == Guard::Facts {
                others.push(("--templates fold", Policy { templates: Templates::Fold, ..policy }));
            }
        }
        others.retain(|(_, other)| *other != policy && is_repeat(self.decide(*other).0) != dropped);
        let told = |option: &str| {
            if dropped { tr!("kept with {option}", option) } else { tr!("dropped with {option}", option) }
        };
        others.into_iter().map(|(option, _)| told(option)).collect()
    }

    /// Says what the fingerprints would decide beyond the window, if it is another verdict. A body of nothing but topics has none.
    fn beyond_window(&self, config: &Config, dropped: bool) -> Option<String> {
        let [a, b] = self.messages;
        let has_tokens = !self.spelled.iter().any(|body| body.tokens.list.is_empty());
        let (x, y) = a.simhash.zip(b.simhash).filter(|_| has_tokens)?;
        let (distance, limit, window) = ((x ^ y).count_ones(), config.max_distance, config.verify_window);
        let are_near = distance <= limit;
        if are_near == dropped {
            return None;
        }
        Some(if are_near {
            tr!(
                "dropped if {window} messages or more lie between: then only fingerprints count, and these differ in {n} bit of 64 (at \
                 most {limit} are near)"
                    | "dropped if {window} messages or more lie between: then only fingerprints count, and these differ in {n} bits of \
                       64 (at most {limit} are near)"
                        % distance,
                window = window,
                limit = limit
            )
        } else {
            tr!(
                "kept if {window} messages or more lie between: then only fingerprints count, and these differ in {n} bit of 64 (at most \
                 {limit} are near)"
                    | "kept if {window} messages or more lie between: then only fingerprints count, and these differ in {n} bits of 64 \
                       (at most {limit} are near)"
                        % distance,
                window = window,
                limit = limit
            )
        })
    }
}

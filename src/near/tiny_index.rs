//! Kept messages of fewer than two tokens, such as `#武汉樱花# 🌸`, 好 and 戳 t.cn/A6xq. They have no bigrams, so they are found by their
//! token, topics and links.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::config::Policy;
use crate::hash::HashMap;
use crate::hash::memory::{map_bytes, on_heap};
use crate::record::Pos;
use crate::rule::equal_bodies::{Property, distinguishing_properties};
use crate::text::Gist;

/// The tiny messages of the window. Each is stored once, however many lists it is in. It leaves all its lists when it leaves the window.
pub(crate) struct TinyIndex {
    policy: Policy,
    kept: VecDeque<(Pos, Gist)>,
    /// The number of the first message of `kept`.
    first: u64,
    /// The numbers of messages, rising.
    lists: HashMap<Key, VecDeque<u64>>,
    /// By token: which combinations of properties its messages have.
    combinations: HashMap<u64, Vec<Combination>>,
    /// The number of the next new combination.
    next_combination: u64,
    /// Heap bytes of the gists, the lists and the combinations.
    boxed: usize,
}

/// Messages with the same token that have the same properties, with whatever values.
struct Combination {
    number: u64,
    /// The keys of the properties, rising.
    properties: Box<[u64]>,
    messages: u64,
}

/// By what a message is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// One of its topics, if it has no token.
    Topic(u64),
    /// The number of its combination.
    Combination(u64),
    /// The same, and the key and a value of one of the properties.
    Value(u64, u64, u64),
}

/// Stands for the token of a message of topics alone.
const NO_TOKEN: u64 = u64::MAX;

impl TinyIndex {
    /// Makes an empty index of messages that are compared under this policy.
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            policy,
            kept: VecDeque::new(),
            first: 0,
            lists: HashMap::default(),
            combinations: HashMap::default(),
            next_combination: 0,
            boxed: 0,
        }
    }

    /// Calls `take` with the kept messages that `gist`, which is tiny too, could repeat, by rising position, until it returns something.
    pub(crate) fn find<T>(&self, gist: &Gist, mut take: impl FnMut((Pos, &Gist)) -> Option<T>) -> Option<T> {
        // The least number not yet taken of each list.
        let mut lists: Vec<_> = self.lists_for(gist).into_iter().map(|list| list.iter().copied()).collect();
        let mut next: BinaryHeap<_> =
            lists.iter_mut().enumerate().filter_map(|(at, list)| Some(Reverse((list.next()?, at)))).collect();
        let mut last = None;
        while let Some(Reverse((number, at))) = next.pop() {
            next.extend(lists[at].next().map(|number| Reverse((number, at))));
            if last.replace(number) == Some(number) {
                continue;
            }
            let (pos, kept) = &self.kept[(number - self.first) as usize];
            let taken = take((*pos, kept));
            if taken.is_some() {
                return taken;
            }
        }
        None
    }

    /// Returns lists that have all messages that `gist` could repeat.
    fn lists_for(&self, gist: &Gist) -> Vec<&VecDeque<u64>> {
        let of_properties = self.lists_of_properties(token(gist), &self.properties(gist));
        if !gist.body.list.is_empty() {
            return of_properties;
        }
        let of_topics = self.lists_of_topics(gist);
        if messages(&of_topics) <= messages(&of_properties) { of_topics } else { of_properties }
    }

    /// A message of topics alone repeats a message that has all of its topics, or at least half of them and at least two. A topic that
    /// it has twice counts twice. So the longest lists are not read, as long as their topics are too few for a repeat, and a topic that
    /// everybody has costs nothing.
    fn lists_of_topics(&self, gist: &Gist) -> Vec<&VecDeque<u64>> {
        let topics = sorted_topics(gist);
        let mut to_spare = topics.len().min(topics.len().div_ceil(2).max(2)).saturating_sub(1);
        let same = topics.chunk_by(|one, next| one == next);
        let list_of = |same: &[u64]| Some((self.lists.get(&Key::Topic(same[0]))?, same.len()));
        let mut lists: Vec<_> = same.filter_map(list_of).collect();
        lists.sort_by_key(|(list, _)| Reverse(list.len()));
        lists.retain(|(_, times)| {
            let is_spared = *times <= to_spare;
            if is_spared {
                to_spare -= times;
            }
            !is_spared
        });
        lists.into_iter().map(|(list, _)| list).collect()
    }

    /// A message can repeat those with the same token that have a value in common with it in each property that both have. So thousands
    /// of 戳 with another link each are not compared with each other.
    fn lists_of_properties(&self, token: u64, own: &[Property]) -> Vec<&VecDeque<u64>> {
        let mut all = Vec::new();
        for Combination { number, properties, .. } in self.combinations.get(&token).into_iter().flatten() {
            let lists_of = |Property { key, values }: &Property| -> Vec<_> {
                values.iter().filter_map(|value| self.lists.get(&Key::Value(*number, *key, *value))).collect()
            };
            let shared = own.iter().filter(|property| properties.binary_search(&property.key).is_ok());
            // A value in common is needed of each property. So the one with the fewest messages is enough.
            match shared.map(lists_of).min_by_key(|lists| messages(lists)) {
                Some(lists) => all.extend(lists),
                None => all.extend(self.lists.get(&Key::Combination(*number))),
            }
        }
        all
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: Gist, pos: Pos) {
        let number = self.first + self.kept.len() as u64;
        let properties = self.properties(&gist);
        let combination = self.enter_combination(token(&gist), &properties);
        for key in keys(&gist, combination, properties) {
            let list = self.lists.entry(key).or_default();
            self.boxed -= bytes_of(list);
            list.push_back(number);
            self.boxed += bytes_of(list);
        }
        self.boxed += gist.heap_bytes();
        self.kept.push_back((pos, gist));
    }

    /// Forgets the messages before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.kept.front().is_some_and(|(pos, _)| *pos < before) {
            let Some((_, gist)) = self.kept.pop_front() else { return };
            self.boxed -= gist.heap_bytes();
            let properties = self.properties(&gist);
            let combination = self.leave_combination(token(&gist), &properties);
            for key in keys(&gist, combination, properties) {
                // The lists rise, so this message is the first of each.
                let Some(list) = self.lists.get_mut(&key) else { continue };
                list.pop_front();
                if list.is_empty() {
                    self.boxed -= bytes_of(list);
                    self.lists.remove(&key);
                }
            }
            self.first += 1;
        }
    }

    /// Returns the number of the combination that a message with this token has, and counts the message there.
    fn enter_combination(&mut self, token: u64, properties: &[Property]) -> u64 {
        let known = self.combinations.entry(token).or_default();
        if let Some(own) = known.iter_mut().find(|one| one.is_of(properties)) {
            own.messages += 1;
            return own.number;
        }
        let number = self.next_combination;
        self.next_combination += 1;
        self.boxed -= bytes_of_combinations(known);
        known.push(Combination { number, properties: properties.iter().map(|one| one.key).collect(), messages: 1 });
        self.boxed += bytes_of_combinations(known);
        number
    }

    /// The same for a message that leaves.
    fn leave_combination(&mut self, token: u64, properties: &[Property]) -> u64 {
        let Some(known) = self.combinations.get_mut(&token) else { return 0 };
        let Some(own) = known.iter_mut().find(|one| one.is_of(properties)) else { return 0 };
        own.messages -= 1;
        let number = own.number;
        self.boxed -= bytes_of_combinations(known);
        known.retain(|one| one.messages > 0);
        if known.is_empty() {
            self.combinations.remove(&token);
        } else {
            self.boxed += bytes_of_combinations(known);
        }
        number
    }

    /// Releases the memory of forgotten messages.
    pub(crate) fn shrink(&mut self) {
        self.kept.shrink_to_fit();
        for list in self.lists.values_mut() {
            self.boxed -= bytes_of(list);
            list.shrink_to_fit();
            self.boxed += bytes_of(list);
        }
        self.lists.shrink_to_fit();
        self.combinations.shrink_to_fit();
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.capacity() * size_of::<(Pos, Gist)>();
        kept + map_bytes(&self.lists) + map_bytes(&self.combinations) + self.boxed
    }

    /// The properties of a message, by rising keys.
    fn properties(&self, gist: &Gist) -> Vec<Property> {
        let mut all = distinguishing_properties(gist.view(), self.policy);
        all.sort_unstable_by_key(|property| property.key);
        all
    }
}

impl Combination {
    /// Says whether its messages have these properties, which are sorted by their keys.
    fn is_of(&self, properties: &[Property]) -> bool {
        properties.iter().map(|property| &property.key).eq(&self.properties)
    }
}

/// The token of a message, such that messages of two scopes have two tokens.
fn token(gist: &Gist) -> u64 {
    gist.scope ^ gist.body.list.first().map_or(NO_TOKEN, |token| u64::from(*token))
}

/// The topics of a message, sorted, such that messages of two scopes have none in common.
fn sorted_topics(gist: &Gist) -> Vec<u64> {
    let mut topics: Vec<u64> = gist.topics.iter().map(|topic| gist.scope ^ topic).collect();
    topics.sort_unstable();
    topics
}

/// By what a message of this combination, with these properties, is listed, each key once.
fn keys(gist: &Gist, combination: u64, properties: Vec<Property>) -> Vec<Key> {
    let mut keys = vec![Key::Combination(combination)];
    if gist.body.list.is_empty() {
        let mut topics = sorted_topics(gist);
        topics.dedup();
        keys.extend(topics.into_iter().map(Key::Topic));
    }
    for Property { key, mut values } in properties {
        values.sort_unstable();
        values.dedup();
        keys.extend(values.into_iter().map(|value| Key::Value(combination, key, value)));
    }
    keys
}

/// How many entries these lists have together.
fn messages(lists: &[&VecDeque<u64>]) -> usize {
    lists.iter().map(|list| list.len()).sum()
}

/// Heap bytes of a list.
fn bytes_of(list: &VecDeque<u64>) -> usize {
    on_heap(list.capacity() * size_of::<u64>())
}

/// The same, with what the combinations own.
fn bytes_of_combinations(list: &Vec<Combination>) -> usize {
    let properties = list.iter().map(|one| on_heap(size_of_val(&*one.properties))).sum::<usize>();
    on_heap(list.capacity() * size_of::<Combination>()) + properties
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Guard};
    use crate::rule::{Decision, Verifier};
    use crate::text::tokens::Tokens;
    use crate::text::{Analyser, Clean};
    use proptest::prelude::*;

    /// Whatever is forgotten, the answer is that of asking all messages of the window.
    fn is_that_of_a_scan(gists: Vec<Gist>, window: u64, policy: Policy) -> Result<(), TestCaseError> {
        let (mut tiny, mut all, mut verifier) = (TinyIndex::new(policy), Vec::new(), Verifier::new(policy));
        for (gist, pos) in gists.into_iter().zip(0_u64..) {
            prop_assert!(gist.body.list.len() < 2);
            tiny.forget(Pos(pos.saturating_sub(window)));
            let mut later = verifier.read(gist.view());
            let mut repeats = |kept: &Gist| !matches!(later.decide(kept.view()), Decision::No(_));
            let scanned = all.iter().filter(|(of, _)| *of + window >= pos).find(|(_, kept)| repeats(kept));
            let found = tiny.find(&gist, |(of, kept)| repeats(kept).then_some(of));
            prop_assert_eq!(found, scanned.map(|(of, _)| Pos(*of)));
            tiny.remember(gist.clone(), Pos(pos));
            all.push((pos, gist));
        }
        tiny.forget(Pos(u64::MAX));
        prop_assert!(tiny.lists.is_empty() && tiny.combinations.is_empty() && tiny.boxed == 0);
        Ok(())
    }

    /// A text of at most one token, perhaps with names, topics and links around it.
    fn text() -> impl Strategy<Value = String> {
        let parts = [
            "(@[甲乙] )?",
            "[好戳]?",
            "( #[甲乙]#)?",
            "( #丙#){0,2}",
            r"( http://t\.cn/[AB]xq)?",
            r"( http://t\.cn/Cxq)?",
            "( @[甲乙])?",
        ];
        parts.to_vec().prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn topics_and_tokens_are_found(
            messages in prop::collection::vec((prop::collection::vec(0_u64..9, 0..6), prop::option::weighted(0.2, 1_u32..4)), 1..120),
            window in 1_u64..60,
        ) {
            let gist = |(topics, token): (Vec<u64>, Option<u32>)| {
                let body = Tokens { list: token.into_iter().collect(), ..Tokens::default() };
                Gist { body, topics: topics.into(), ..Gist::default() }
            };
            is_that_of_a_scan(messages.into_iter().map(gist).collect(), window, Policy::default())?;
        }

        #[test]
        fn links_names_and_topics_decide_between_tiny_texts(
            texts in prop::collection::vec(text(), 1..60),
            window in 1_u64..60,
            is_careful in any::<bool>(),
        ) {
            let guard = if is_careful { Guard::Careful } else { Config::default().guard };
            let config = Config { guard, ..Config::default() };
            let analyser = Analyser::new(&config);
            let gist = |text: String| {
                let mut clean = Clean::default();
                analyser.forms(&text, &mut clean);
                clean.gist()
            };
            is_that_of_a_scan(texts.into_iter().map(gist).collect(), window, config.policy())?;
        }
    }
}

//! Kept messages of fewer than two tokens, such as `#武汉樱花# 🌸`, 好 and 戳 t.cn/A6xq. They have no bigrams, so they are found by their
//! token or topics.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use crate::config::Policy;
use crate::record::Pos;
use crate::rule::equal::{Property, distinguishing_properties};
use crate::text::Gist;

/// The tiny messages of the window. Each is stored once, however many lists it is in. It leaves all its lists when it leaves the window.
pub(crate) struct TopicIndex {
    policy: Policy,
    kept: VecDeque<(Pos, Gist)>,
    /// The number of the first message of `kept`.
    first: u64,
    /// The numbers of messages, rising.
    lists: HashMap<Key, VecDeque<u64>>,
    /// How many entries all lists have together.
    listed: usize,
    /// By token: which combinations of properties its messages have, and how many messages have each.
    combinations: HashMap<u64, Vec<(Combination, usize)>>,
}

/// The keys of the properties of a message, rising.
type Combination = Box<[u64]>;

/// By what a message is listed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// One of its topics, if it has no token.
    Topic(u64),
    /// Its token, and which properties it has.
    Token(u64, Combination),
    /// The same, and the key and a value of one of these properties.
    Value(u64, Combination, u64, u64),
}

impl TopicIndex {
    /// Makes an empty index of messages that are compared under this policy.
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy, kept: VecDeque::new(), first: 0, lists: HashMap::new(), listed: 0, combinations: HashMap::new() }
    }

    /// Calls `take` with the kept messages that `gist`, which is tiny too, could repeat, by rising position, until it returns something.
    ///
    /// A message of topics alone repeats a message that has all of its topics, or at least half of them and at least two. Let `need` be
    /// that number, of t topics. A message that has `need` of them has at least one of any t − `need` + 1. So the longest lists are not
    /// read, and a topic that everybody has costs nothing.
    ///
    /// A message with a token can repeat those with the same token that have a value in common with it in each property that both have.
    /// So thousands of 戳 with another link each are not compared with each other.
    pub(crate) fn find<T>(&self, gist: &Gist, mut take: impl FnMut((Pos, &Gist)) -> Option<T>) -> Option<T> {
        let lists = match gist.body.list.first() {
            Some(token) => self.lists_of_token(gist.scope ^ u64::from(*token), &self.properties(gist)),
            None => self.lists_of_topics(gist),
        };
        // The least number not yet taken of each list.
        let mut lists: Vec<_> = lists.into_iter().map(|list| list.iter().copied()).collect();
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

    fn lists_of_topics(&self, gist: &Gist) -> Vec<&VecDeque<u64>> {
        let all = self.keys(gist);
        let mut lists: Vec<&VecDeque<u64>> = all.iter().filter_map(|key| self.lists.get(key)).collect();
        lists.sort_by_key(|list| list.len());
        // A topic that occurs twice counts twice. Then one common topic may be enough.
        let is_plain = all.len() == gist.topics.len();
        let need = if is_plain && all.len() > 1 { all.len().div_ceil(2).max(2) } else { 1 };
        // Topics without a list have no messages, so they count as lists that were read.
        lists.truncate((all.len() + 1 - need).saturating_sub(all.len() - lists.len()));
        lists
    }

    fn lists_of_token(&self, token: u64, own: &[Property]) -> Vec<&VecDeque<u64>> {
        let mut all = Vec::new();
        for (combination, _) in self.combinations.get(&token).into_iter().flatten() {
            let lists_of = |Property { key, values }: &Property| -> Vec<_> {
                let keys = values.iter().map(|value| Key::Value(token, combination.clone(), *key, *value));
                keys.filter_map(|key| self.lists.get(&key)).collect()
            };
            let shared = own.iter().filter(|property| combination.binary_search(&property.key).is_ok());
            // A value in common is needed of each property. So the one with the fewest messages is enough.
            let fewest = shared.map(lists_of).min_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
            match fewest {
                Some(lists) => all.extend(lists),
                None => all.extend(self.lists.get(&Key::Token(token, combination.clone()))),
            }
        }
        all
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: Gist, pos: Pos) {
        let number = self.first + self.kept.len() as u64;
        for key in self.keys(&gist) {
            if let Key::Token(token, combination) = &key {
                let known = self.combinations.entry(*token).or_default();
                match known.iter_mut().find(|(one, _)| one == combination) {
                    Some((_, messages)) => *messages += 1,
                    None => known.push((combination.clone(), 1)),
                }
            }
            self.lists.entry(key).or_default().push_back(number);
            self.listed += 1;
        }
        self.kept.push_back((pos, gist));
    }

    /// Forgets the messages before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.kept.front().is_some_and(|(pos, _)| *pos < before) {
            let Some((_, gist)) = self.kept.pop_front() else { return };
            for key in self.keys(&gist) {
                if let Key::Token(token, combination) = &key {
                    self.forget_one_of(*token, combination);
                }
                // The lists rise, so this message is the first of each.
                if let Some(list) = self.lists.get_mut(&key) {
                    list.pop_front();
                    self.listed -= 1;
                    if list.is_empty() {
                        self.lists.remove(&key);
                    }
                }
            }
            self.first += 1;
        }
    }

    fn forget_one_of(&mut self, token: u64, combination: &Combination) {
        let Some(known) = self.combinations.get_mut(&token) else { return };
        known.iter_mut().filter(|(one, _)| one == combination).for_each(|(_, messages)| *messages -= 1);
        known.retain(|(_, messages)| *messages > 0);
        if known.is_empty() {
            self.combinations.remove(&token);
        }
    }

    /// Heap bytes in use, not counting the topics themselves.
    pub(crate) fn bytes(&self) -> usize {
        let list = size_of::<Key>() + size_of::<VecDeque<u64>>();
        self.kept.capacity() * size_of::<(Pos, Gist)>() + self.lists.capacity() * list + self.listed * size_of::<u64>()
    }

    fn properties(&self, gist: &Gist) -> Vec<Property> {
        distinguishing_properties(gist.view(), self.policy)
    }

    /// By what a tiny message is listed, each key once.
    fn keys(&self, gist: &Gist) -> Vec<Key> {
        let Some(token) = gist.body.list.first().map(|token| gist.scope ^ u64::from(*token)) else {
            let mut topics: Vec<u64> = gist.topics.iter().map(|topic| gist.scope ^ topic).collect();
            topics.sort_unstable();
            topics.dedup();
            return topics.into_iter().map(Key::Topic).collect();
        };
        let mut properties = self.properties(gist);
        properties.sort_unstable_by_key(|property| property.key);
        let combination: Combination = properties.iter().map(|property| property.key).collect();
        let mut keys = vec![Key::Token(token, combination.clone())];
        for Property { key, mut values } in properties {
            values.sort_unstable();
            values.dedup();
            keys.extend(values.into_iter().map(|value| Key::Value(token, combination.clone(), key, value)));
        }
        keys
    }
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
        let (mut tiny, mut all, mut verifier) = (TopicIndex::new(policy), Vec::new(), Verifier::new(policy));
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
        prop_assert!(tiny.lists.is_empty() && tiny.listed == 0 && tiny.combinations.is_empty());
        Ok(())
    }

    /// A text of one token, perhaps with names, topics and links around it.
    fn text() -> impl Strategy<Value = String> {
        let parts = [
            "(@[甲乙] )?",
            "[好戳]",
            "( #[甲乙]#)?",
            "( #丙#)?",
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
        fn links_names_and_topics_decide_between_texts_of_one_token(
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

//! Kept messages of fewer than two tokens, such as `#武汉樱花# 🌸` and 好. They have no bigrams, so they are found by their token or topics.

use std::collections::{HashMap, VecDeque};

use crate::record::Pos;
use crate::text::Gist;

/// The tiny messages of the window. Each is stored once, however many topics it has. It leaves all its lists when it leaves the window.
#[derive(Default)]
pub(crate) struct TopicIndex {
    kept: VecDeque<(Pos, Gist)>,
    /// The number of the first message of `kept`.
    first: u64,
    /// By token or topic: numbers of messages, rising.
    lists: HashMap<u64, VecDeque<u64>>,
    /// How many entries all lists have together.
    listed: usize,
}

impl TopicIndex {
    /// Calls `take` with the kept messages that `gist`, which is tiny too, could repeat, by rising position, until it returns something.
    ///
    /// A message of topics alone repeats a message that has all of its topics, or at least half of them and at least two. Let `need` be
    /// that number, of t topics. A message that has `need` of them has at least one of any t − `need` + 1. So the longest lists are not
    /// read, and a topic that everybody has costs nothing.
    pub(crate) fn find<T>(&self, gist: &Gist, take: impl FnMut((Pos, &Gist)) -> Option<T>) -> Option<T> {
        let all = keys(gist);
        let mut lists: Vec<&VecDeque<u64>> = all.iter().filter_map(|key| self.lists.get(key)).collect();
        lists.sort_by_key(|list| list.len());
        // A topic that occurs twice counts twice. Then one common topic may be enough.
        let is_plain = gist.body.list.is_empty() && all.len() == gist.topics.len();
        let need = if is_plain && all.len() > 1 { all.len().div_ceil(2).max(2) } else { 1 };
        // Topics without a list have no messages, so they count as lists that were read.
        let read = (all.len() + 1 - need).saturating_sub(all.len() - lists.len());
        lists.truncate(read);
        let kept = |number: &u64| self.kept.get((number - self.first) as usize).map(|(pos, gist)| (*pos, gist));
        if let [list] = lists[..] {
            return list.iter().filter_map(kept).find_map(take);
        }
        let mut numbers: Vec<u64> = lists.into_iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().filter_map(kept).find_map(take)
    }

    /// Keeps the message at `pos`. Positions must rise.
    pub(crate) fn remember(&mut self, gist: Gist, pos: Pos) {
        let number = self.first + self.kept.len() as u64;
        for key in keys(&gist) {
            self.lists.entry(key).or_default().push_back(number);
            self.listed += 1;
        }
        self.kept.push_back((pos, gist));
    }

    /// Forgets the messages before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.kept.front().is_some_and(|(pos, _)| *pos < before) {
            let Some((_, gist)) = self.kept.pop_front() else { return };
            for key in keys(&gist) {
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

    /// Heap bytes in use, not counting the topics themselves.
    pub(crate) fn bytes(&self) -> usize {
        let list = size_of::<u64>() + size_of::<VecDeque<u64>>();
        self.kept.capacity() * size_of::<(Pos, Gist)>() + self.lists.capacity() * list + self.listed * size_of::<u64>()
    }
}

/// The keys by which a tiny message is found, each once: its token, or its topics.
fn keys(gist: &Gist) -> Vec<u64> {
    match gist.body.list.first() {
        Some(token) => vec![gist.scope ^ u64::from(*token)],
        None => {
            let mut topics: Vec<u64> = gist.topics.iter().map(|topic| gist.scope ^ topic).collect();
            topics.sort_unstable();
            topics.dedup();
            topics
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::rule::{Decision, Verifier};
    use crate::text::tokens::Tokens;
    use proptest::prelude::*;

    proptest! {
        /// For any topics and tokens, and however many messages are forgotten, the answer is that of asking all messages.
        #[test]
        fn the_earliest_is_found(
            messages in prop::collection::vec((prop::collection::vec(0_u64..9, 0..6), prop::option::weighted(0.2, 1_u32..4)), 1..120),
            window in 1_u64..60,
        ) {
            let (mut tiny, mut all, mut verifier) = (TopicIndex::default(), Vec::new(), Verifier::new(Policy::default()));
            for ((topics, token), pos) in messages.into_iter().zip(0_u64..) {
                let body = Tokens { list: token.into_iter().collect(), digits: Vec::new() };
                let gist = Gist { body, topics: topics.into(), ..Gist::default() };
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
            prop_assert!(tiny.lists.is_empty() && tiny.listed == 0);
        }
    }
}

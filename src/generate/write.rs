//! Writes new posts: clauses whose slots are filled at random.

use std::fmt::Write as _;

use oorandom::Rand32;

use super::words;

/// The generator's only source of random numbers. It uses integers alone, so that the numbers are the same on every machine.
pub(crate) struct Random(Rand32);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rand32::new(seed))
    }

    /// A number below `n` (at most 2^32), by multiplication: its bias of n / 2^32 does not matter here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.rand_u32()) * n as u64) >> 32) as usize
    }

    /// A number below `n`, which may be any.
    pub(crate) fn below_u64(&mut self, n: u64) -> u64 {
        let wide = u64::from(self.0.rand_u32()) << 32 | u64::from(self.0.rand_u32());
        ((u128::from(wide) * u128::from(n)) >> 64) as u64
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which are not empty.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

enum Part {
    Text(&'static str),
    Slot(u8),
}

type Clause = Vec<Part>;

/// Writes posts from the word lists, which are split once.
pub(super) struct Writer {
    lists: [Vec<&'static str>; 26],
    genres: Vec<Vec<Clause>>,
    tiny: Vec<Clause>,
    topics: Vec<Clause>,
    faces: Vec<&'static str>,
    family: Vec<char>,
    given: Vec<char>,
    title: Vec<char>,
}

impl Writer {
    pub(super) fn new() -> Self {
        let mut lists = [const { Vec::new() }; 26];
        for (slot, list) in words::LISTS {
            lists[usize::from(slot - b'a')] = list.split_whitespace().collect();
        }
        Self {
            lists,
            genres: words::GENRES.iter().map(|genre| clauses(genre)).collect(),
            tiny: clauses(words::TINY),
            topics: clauses(words::TOPICS),
            faces: words::FACES.split_whitespace().collect(),
            family: words::FAMILY.chars().collect(),
            given: words::GIVEN.chars().collect(),
            title: words::TITLE.chars().collect(),
        }
    }

    /// Appends a new post. Lengths follow Weibo: a tenth under 10 characters, median about 36, a tenth over 120.
    pub(super) fn post(&self, random: &mut Random, out: &mut String) {
        let count = match random.below(100) {
            0..11 => return self.fill(&self.tiny[random.below(self.tiny.len())], random, out),
            11..37 => 1,
            37..61 => 2,
            61..78 => 3,
            78..89 => 4 + random.below(3),
            _ => 8 + random.below(7),
        };
        if random.chance(40) {
            self.topic(random, out);
            if random.chance(40) {
                out.push(' ');
            }
        }
        let mut genre = random.pick(&[0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 6, 7]);
        let mut at = random.below(64);
        let stride = random.pick(&[1, 5, 7, 11, 13]);
        let mut is_remark = false;
        for nth in 0..count {
            if nth > 0 {
                out.push_str(random.pick(&["，", "，", "，", "，", "。", "。", "！", " ", "；"]));
                if random.chance(20) {
                    genre = random.below(self.genres.len());
                }
            }
            is_remark = (nth > 0 || count == 1) && random.chance(20);
            if is_remark {
                self.slot(b'u', random, out);
            } else {
                at += stride;
                let clauses = &self.genres[genre];
                self.fill(&clauses[at % clauses.len()], random, out);
            }
        }
        if count == 1 && (is_remark || random.chance(75)) {
            // A lone remark would equal another one too often, so a name is added.
            out.push_str(random.pick(&["，", " ", "。"]));
            self.slot(b'n', random, out);
            self.slot(b'e', random, out);
        }
        out.push_str(random.pick(&["。", "。", "", "", "！", "？", "～", "……"]));
        if random.chance(15) {
            self.face(random, out);
        }
    }

    /// Appends `#topic#`.
    pub(super) fn topic(&self, random: &mut Random, out: &mut String) {
        out.push('#');
        self.fill(&self.topics[random.below(self.topics.len())], random, out);
        out.push('#');
    }

    /// Appends an emoji or an emoticon.
    pub(super) fn face(&self, random: &mut Random, out: &mut String) {
        out.push_str(random.pick(&self.faces));
    }

    fn fill(&self, clause: &Clause, random: &mut Random, out: &mut String) {
        for part in clause {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Slot(slot) => self.slot(*slot, random, out),
            }
        }
    }

    /// Appends the content of a slot: a word of its list, or a name, a title or a number.
    pub(super) fn slot(&self, slot: u8, random: &mut Random, out: &mut String) {
        // Writing into a String cannot fail.
        let _ = match slot {
            b'n' => {
                out.push(random.pick(&self.family));
                for _ in 0..2 - usize::from(random.chance(15)) {
                    out.push(random.pick(&self.given));
                }
                Ok(())
            }
            b'x' => {
                out.push('《');
                for _ in 0..2 + random.below(3) {
                    out.push(random.pick(&self.title));
                }
                out.push('》');
                Ok(())
            }
            b'd' => write!(out, "{}月{}日", 1 + random.below(12), 1 + random.below(28)),
            b'f' => write!(out, "{}.{}", 1 + random.below(9), 1 + random.below(9)),
            b'g' => write!(out, "{}%", 2 + random.below(97)),
            b'h' => write!(out, "{}:{:02}", 5 + random.below(19), random.below(60)),
            b'i' => write!(out, "{}", 2 + random.below(28)),
            b'j' => write!(out, "{}", 30 + random.below(970)),
            b'l' => write!(out, "{}", 1000 + random.below(99_000)),
            list => {
                out.push_str(random.pick(&self.lists[usize::from(list - b'a')]));
                Ok(())
            }
        };
    }
}

/// Splits a list at `|` into clauses, and each clause at its slots.
fn clauses(list: &'static str) -> Vec<Clause> {
    list.split('|')
        .map(|clause| {
            let mut parts = Vec::new();
            let mut start = 0;
            for (at, byte) in clause.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_lowercase()) {
                if start < at {
                    parts.push(Part::Text(&clause[start..at]));
                }
                parts.push(Part::Slot(byte));
                start = at + 1;
            }
            if start < clause.len() {
                parts.push(Part::Text(&clause[start..]));
            }
            parts
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_can_be_filled() {
        let (writer, mut random) = (Writer::new(), Random::new(1));
        let all = writer.genres.iter().flatten().chain(&writer.tiny).chain(&writer.topics);
        for clause in all {
            let mut out = String::new();
            writer.fill(clause, &mut random, &mut out);
            assert!(!out.is_empty());
        }
    }
}

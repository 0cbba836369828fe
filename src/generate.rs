//! A seeded stream of microblog-style Chinese posts. Each post has a label that says which earlier post it repeats. The stream serves
//! benchmarks, demonstrations and tests, which may not ship real posts.
//!
//! The same seed and options give the same bytes on every machine: one integer PRNG, no floating point, no hash maps. Fresh posts are
//! clauses filled from word lists. By accident two fresh posts may still be equal or similar, especially short ones. Of 100 000 fresh
//! posts, under 0.1 % are equal to an earlier one. Of 12 000, 0.5 % have an earlier one at a Jaccard similarity of 0.45 or more, over
//! pairs of characters. A decoy may equal an earlier decoy.

pub(crate) mod edits;
mod vary;
mod words;
mod write;

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};
use crate::locale::tr;
use vary::Script;
pub(crate) use write::Random;
use write::Writer;

/// How a generated post relates to the posts before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A new post.
    Fresh,
    /// The same bytes.
    Exact,
    /// The same text with another width, case or script, or with other blanks.
    Canonical,
    /// The same body in other wrapping: repost markers, topic, video tail, place stamp, mention, link, emoji.
    Wrapped,
    /// One character replaced, deleted or inserted. Numbers and negations stay.
    Edited1,
    /// Two such changes.
    Edited2,
    /// A decoy: the same words with another number. Not a repeat.
    Facts,
}

impl Kind {
    /// All kinds.
    pub(crate) const ALL: [Self; 7] =
        [Self::Fresh, Self::Exact, Self::Canonical, Self::Wrapped, Self::Edited1, Self::Edited2, Self::Facts];

    /// The kind's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Exact => "exact",
            Self::Canonical => "canonical",
            Self::Wrapped => "wrapped",
            Self::Edited1 => "edited1",
            Self::Edited2 => "edited2",
            Self::Facts => "facts",
        }
    }

    /// Whether a reader would call it a repeat.
    pub fn is_repeat(self) -> bool {
        !matches!(self, Self::Fresh | Self::Facts)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A generated post with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// 1-based number in the stream.
    pub id: u64,
    /// The post.
    pub text: String,
    /// How the post relates to earlier posts.
    pub kind: Kind,
    /// The earlier [`Kind::Fresh`] post that it is made from; `None` for a fresh post. A [`Kind::Facts`] post is made from
    /// this one and does not repeat it.
    pub of: Option<u64>,
}

/// Written as `{"id":2,"text":"…","kind":"wrapped","of":1}`. For a post that is no repeat `of` is null. In a decoy, `decoy_of`
/// is the id of the post that it is made from.
impl Serialize for Generated {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            id: u64,
            text: &'a str,
            kind: Kind,
            of: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            decoy_of: Option<u64>,
        }
        let (of, decoy_of) = if self.kind == Kind::Facts { (None, self.of) } else { (self.of, None) };
        Line { id: self.id, text: &self.text, kind: self.kind, of, decoy_of }.serialize(serializer)
    }
}

/// The shares of repeats and decoys. They are integers, so that a share means the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Repeats among 1000 posts. Default 300, as under a Weibo hashtag.
    pub repeats: u32,
    /// Decoys ([`Kind::Facts`]) among 1000 posts. Default 20.
    pub decoys: u32,
    /// Weights of the kinds of repeat, in the order exact, canonical, wrapped, edited1, edited2.
    /// Default 15, 4, 6, 3, 2, after 90 000 real posts.
    pub mix: [u32; 5],
}

impl Default for Recipe {
    fn default() -> Self {
        Self { repeats: 300, decoys: 20, mix: [15, 4, 6, 3, 2] }
    }
}

impl Recipe {
    fn validate(&self) -> Result<()> {
        if self.repeats.saturating_add(self.decoys) > 1000 {
            let reason = tr!(
                "{} and {} decoys are more than 1000 in 1000 posts; make one of them smaller",
                self.repeats,
                self.decoys
            );
            return Err(Error::config("--repeats", reason));
        }
        if self.mix.iter().any(|weight| *weight > 1_000_000) || self.mix == [0; 5] {
            return Err(Error::config("--mix", tr!("use five weights of 0 to 1000000, not all 0")));
        }
        Ok(())
    }
}

/// How many of the latest fresh posts are remembered. Most repeats are made from these.
const RECENT: usize = 1024;
/// How many fresh posts of any age are remembered. The other repeats are made from these. Each fresh post is equally likely to be among
/// them.
const RESERVOIR: usize = 4096;
/// How many sources are tried for a post. If all fail, an edit becomes an exact repeat, and a decoy becomes a fresh post.
const TRIES: usize = 8;

/// The endless stream. Remembers some 5000 fresh posts, whatever its length.
///
/// ```
/// use quchong::generate::{Generator, Recipe};
/// let posts: Vec<_> = Generator::new(42, Recipe::default())?.take(3).collect();
/// assert_eq!(posts[0].id, 1);
/// assert_eq!(posts[0].of, None);
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Generator {
    random: Random,
    writer: Writer,
    script: Script,
    options: Recipe,
    next: u64,
    fresh: u64,
    recent: Vec<(u64, String)>,
    reservoir: Vec<(u64, String)>,
    places: Vec<usize>,
}

impl Generator {
    /// The stream of this seed.
    ///
    /// # Errors
    /// [`Error::Config`] for shares that add up to more than 1000, or weights that are all 0 or above 1 000 000.
    pub fn new(seed: u64, options: Recipe) -> Result<Self> {
        options.validate()?;
        Ok(Self {
            random: Random::new(seed),
            writer: Writer::new(),
            script: Script::new(),
            options,
            next: 1,
            fresh: 0,
            recent: Vec::new(),
            reservoir: Vec::new(),
            places: Vec::new(),
        })
    }

    fn kind(&mut self) -> Kind {
        let draw = self.random.below(1000) as u32;
        if draw >= self.options.repeats {
            return if draw - self.options.repeats < self.options.decoys { Kind::Facts } else { Kind::Fresh };
        }
        let mix = self.options.mix;
        let mut left = self.random.below(mix.iter().sum::<u32>() as usize) as u32;
        for (weight, kind) in mix.into_iter().zip(&Kind::ALL[1..]) {
            if left < weight {
                return *kind;
            }
            left -= weight;
        }
        Kind::Exact
    }

    /// Writes a post of `kind`, which is not fresh, into `text`. Returns the id of its source; `None` if no source could be used.
    fn vary(&mut self, kind: Kind, text: &mut String) -> Option<u64> {
        let Self { random, writer, script, recent, reservoir, places, .. } = self;
        for _ in 0..TRIES {
            let (of, source) = if random.chance(80) {
                let newest = (self.fresh % RECENT as u64) as usize + RECENT - 1;
                // The smaller of two draws, because recent posts are repeated more often.
                let back = random.below(recent.len()).min(random.below(recent.len()));
                let at = if recent.len() < RECENT { recent.len() - 1 - back } else { (newest - back) % RECENT };
                &recent[at]
            } else {
                &reservoir[random.below(reservoir.len())]
            };
            let made = match kind {
                Kind::Fresh => false,
                Kind::Exact => {
                    text.push_str(source);
                    true
                }
                Kind::Canonical => {
                    vary::canonical(script, random, source, text);
                    true
                }
                Kind::Wrapped => {
                    vary::wrapped(writer, random, source, text);
                    true
                }
                Kind::Edited1 => vary::edited(random, 1, source, places, text),
                Kind::Edited2 => vary::edited(random, 2, source, places, text),
                Kind::Facts => vary::facts(random, source, places, text),
            };
            if made {
                return Some(*of);
            }
        }
        None
    }

    fn remember(&mut self, id: u64, text: &str) {
        keep(&mut self.recent, (self.fresh % RECENT as u64) as usize, id, text);
        self.fresh += 1;
        // Algorithm R: the n-th fresh post takes a place with probability RESERVOIR / n.
        let at = if self.fresh <= RESERVOIR as u64 { self.fresh - 1 } else { self.random.below_u64(self.fresh) };
        if at < RESERVOIR as u64 {
            keep(&mut self.reservoir, at as usize, id, text);
        }
    }
}

/// Stores a post at an index, or at the end if there is none. Reuses the memory of the post that it replaces.
fn keep(places: &mut Vec<(u64, String)>, at: usize, id: u64, text: &str) {
    match places.get_mut(at) {
        Some(place) => {
            place.0 = id;
            place.1.clear();
            place.1.push_str(text);
        }
        None => places.push((id, text.to_owned())),
    }
}

impl Iterator for Generator {
    type Item = Generated;

    fn next(&mut self) -> Option<Generated> {
        let id = self.next;
        self.next += 1;
        let mut text = String::with_capacity(256);
        let mut kind = self.kind();
        if self.fresh == 0 {
            kind = Kind::Fresh;
        }
        let mut of = None;
        if kind != Kind::Fresh {
            of = self.vary(kind, &mut text);
            if of.is_none() {
                kind = if kind == Kind::Facts { Kind::Fresh } else { Kind::Exact };
                of = self.vary(kind, &mut text);
            }
        }
        if kind == Kind::Fresh {
            self.writer.post(&mut self.random, &mut text);
            self.remember(id, &text);
        }
        Some(Generated { id, text, kind, of })
    }
}

/// Writes posts as JSON lines.
///
/// # Errors
/// Those of `out`.
pub fn write_jsonl(posts: impl Iterator<Item = Generated>, mut out: impl Write) -> io::Result<()> {
    for post in posts {
        serde_json::to_writer(&mut out, &post)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::hash::XxHash3_64;

    fn posts(seed: u64, count: usize) -> Vec<Generated> {
        Generator::new(seed, Recipe::default()).unwrap().take(count).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let mut lines = Vec::new();
        write_jsonl(posts(1, 1000).into_iter(), &mut lines).unwrap();
        // Changes with the word lists, and with every change to random draws. Earlier measurements are then of other posts.
        assert_eq!(XxHash3_64::oneshot(&lines), 0xaa4f5daee9e73bae, "{:#x}", XxHash3_64::oneshot(&lines));
        assert_ne!(posts(1, 10), posts(2, 10));
    }

    #[test]
    fn shares_are_as_asked_and_sources_earlier_and_fresh() {
        let posts = posts(3, 100_000);
        let mut counts = HashMap::new();
        for post in &posts {
            *counts.entry(post.kind.name()).or_insert(0i32) += 1;
            assert_eq!(post.of.is_none(), post.kind == Kind::Fresh);
            if let Some(of) = post.of {
                assert!(of < post.id);
                assert_eq!(posts[of as usize - 1].kind, Kind::Fresh);
            }
        }
        let expected = [("fresh", 68_000), ("exact", 15_000), ("canonical", 4_000), ("wrapped", 6_000)];
        for (name, expected) in expected.into_iter().chain([("edited1", 3_000), ("edited2", 2_000), ("facts", 2_000)]) {
            let count = counts[name];
            assert!((count - expected).abs() < 100 + expected / 20, "{name}: {count}, not {expected}");
        }
        let far = posts.iter().filter(|post| post.of.is_some_and(|of| post.id - of > 20_000)).count();
        assert!(far > 1000, "{far}");
    }

    #[test]
    fn fresh_posts_are_distinct_and_as_long_as_posts_are() {
        let options = Recipe { repeats: 0, decoys: 0, ..Recipe::default() };
        let texts: Vec<String> = Generator::new(5, options).unwrap().take(100_000).map(|post| post.text).collect();
        let distinct = texts.iter().collect::<HashSet<_>>().len();
        assert!(distinct > 99_900, "{distinct}");
        let mut lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        lengths.sort_unstable();
        let (tenth, median, last) = (lengths[10_000], lengths[50_000], lengths[90_000]);
        assert!(
            (9..=11).contains(&tenth) && (33..=39).contains(&median) && (115..=130).contains(&last),
            "{tenth} {median} {last}"
        );
    }

    #[test]
    fn a_decoy_names_its_model_apart() {
        let decoy = Generated { id: 2, text: "x".into(), kind: Kind::Facts, of: Some(1) };
        let expected = r#"{"id":2,"text":"x","kind":"facts","of":null,"decoy_of":1}"#;
        assert_eq!(serde_json::to_string(&decoy).unwrap(), expected);
    }

    #[test]
    fn shares_beyond_the_whole_are_refused() {
        assert!(Generator::new(0, Recipe { repeats: 990, ..Recipe::default() }).is_err());
        assert!(Generator::new(0, Recipe { mix: [0; 5], ..Recipe::default() }).is_err());
    }
}

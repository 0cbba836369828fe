//! Texts to edges: what the repeat rule accepts within the window, in one stretch of the input.
//!
//! Each task has a stretch and the window before it, so no other knows more of the pairs whose later message is in its stretch. What
//! has one gist is one class: the rule says the same of all in it. Its first message stands for the class, for a window's length; then
//! the next one begins another. So all that can be repeated is within two windows, and a post that is passed on m times gives
//! some 2 m edges and not m² / 2.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::rows::{Cell, Column, Gaps, JobRows, Kind, RowIn, checked, whole};
use super::{Edge, position};
use crate::config::{Config, MAX_WINDOW, NearMode, Shingle};
use crate::error::{Error, Result};
use crate::fingerprint::Digest;
use crate::locale::tr;
use crate::near::verify_window::{VerifyWindow, digest};
use crate::record::{Likeness, Pos};
use crate::text::{Analyser, Clean, Gist, html};

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Text {
    /// Its place among all records of the input, errors and blank lines too, from 0.
    pub(crate) pos: Pos,
    /// What it says.
    pub(crate) text: String,
}

/// Finds the edges of messages that come by rising position.
pub(crate) struct TextEdges {
    analyser: Analyser,
    /// Whether markup is taken out of a text first.
    html: bool,
    clean: Clean,
    /// The first messages of classes.
    window: VerifyWindow,
    verify_window: u64,
    /// Positions from a class's first message to its last, at most.
    span: u64,
    from: Pos,
    last: Option<Pos>,
    /// The class of each gist that a next message with it joins, by its first message.
    latest: HashMap<Digest, Pos>,
    classes: HashMap<Pos, Class>,
    key: u64,
    hits: Vec<(Pos, u32)>,
}

/// Messages with one gist.
struct Class {
    last: Pos,
    /// Of those behind the first, the ones that no edge has named yet.
    unnamed: Vec<Pos>,
}

impl TextEdges {
    /// No messages yet. Those before `from` are only there to be repeated.
    ///
    /// # Errors
    /// [`Error::Config`] for options that cannot work, or under which texts do not decide.
    pub(crate) fn new(config: &Config, from: Pos) -> Result<Self> {
        config.validate()?;
        if config.near != NearMode::Hybrid {
            return Err(Error::config(
                "--near",
                tr!("{} compares no texts; use hybrid, or a preset that does", config.near.name()),
            ));
        }
        let length = config.verify_window;
        let span = length.min(MAX_WINDOW - length);
        Ok(Self {
            // Gists have no shingles: no dictionary is needed for words.
            analyser: Analyser::new(&Config { shingle: Shingle::Chars(2), ..config.clone() }),
            html: config.html,
            clean: Clean::default(),
            window: VerifyWindow::new(length + span, config.policy(), None),
            verify_window: length,
            span,
            from,
            last: None,
            latest: HashMap::new(),
            classes: HashMap::new(),
            key: config.seed,
            hits: Vec::new(),
        })
    }

    /// Takes the next message and hands its edges to `each`: from all classes with a message that it repeats and that stands at most
    /// [`Config::verify_window`] before it, and what else is in these.
    ///
    /// # Errors
    /// Why the message cannot come here: its position is not above the last one's.
    pub(crate) fn push(&mut self, message: &Text, each: &mut dyn FnMut(Edge)) -> std::result::Result<(), String> {
        let pos = message.pos;
        if let Some(last) = self.last.filter(|last| pos <= *last) {
            return Err(tr!("positions do not rise: {} comes behind {}", pos.0, last.0));
        }
        self.last = Some(pos);
        let text = if self.html { html::plain(&message.text) } else { Cow::Borrowed(&*message.text) };
        self.analyser.forms(&text, &mut self.clean);
        let gist = self.clean.gist();
        if gist.is_empty() {
            return Ok(());
        }
        let key = digest(&gist, self.key);
        let own = self.latest.get(&key).copied().filter(|first| first.0 + self.span >= pos.0);
        let is_named = pos >= self.from && self.name(&gist, pos, own, each);
        match own.and_then(|first| self.classes.get_mut(&first)) {
            Some(class) => {
                class.last = pos;
                if !is_named {
                    class.unnamed.push(pos);
                }
            }
            None => {
                self.window.remember(&gist, pos);
                self.latest.insert(key, pos);
                self.classes.insert(pos, Class { last: pos, unnamed: Vec::new() });
            }
        }
        Ok(())
    }

    /// Hands the edges of a message of class `own` to `each`; whether one of them is from that class.
    fn name(&mut self, gist: &Gist, pos: Pos, own: Option<Pos>, each: &mut dyn FnMut(Edge)) -> bool {
        let oldest = pos.0.saturating_sub(self.verify_window);
        self.hits.clear();
        self.window.each(gist, pos, |first, similarity| self.hits.push((first, similarity)));
        for (first, similarity) in &self.hits {
            let Some(class) = self.classes.get_mut(first).filter(|class| class.last.0 >= oldest) else { continue };
            for b in class.unnamed.drain(..).filter(|unnamed| unnamed.0 >= oldest) {
                each(Edge { a: *first, b, by: Some(Likeness::Similarity(1000)), same: true });
            }
            each(Edge { a: *first, b: pos, by: Some(Likeness::Similarity(*similarity)), same: own == Some(*first) });
        }
        own.is_some_and(|own| self.hits.iter().any(|(first, _)| *first == own))
    }
}

impl RowIn for Text {
    const COLUMNS: &'static [Column<'static>] = &[position("pos"), Column::new("text", Kind::Text, Gaps::None)];

    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String> {
        let Cell::Text(text) = cells[1] else { return Err(tr!("no `text`")) };
        Ok(Self { pos: Pos(whole(&Self::COLUMNS[0], cells[0])?), text: text.to_owned() })
    }
}

/// The edges of messages by rising position, in JSON `{"pos":3,"text":"…"}`; how many messages there were.
///
/// # Errors
/// As [`TextEdges::new`]; [`Error::Unmeasurable`] for what is no message or comes out of order, [`Error::Io`] if reading fails or columns
/// are missing, and that of `each`.
pub(crate) fn edges(
    rows: JobRows,
    config: &Config,
    from: Pos,
    mut each: impl FnMut(Edge) -> Result<()>,
) -> Result<u64> {
    let (mut edges, mut count) = (TextEdges::new(config, from)?, 0);
    let mut failed = Ok(());
    rows.each(|message: Text| {
        count += 1;
        checked(message.pos.0)?;
        edges.push(&message, &mut |edge| {
            if failed.is_ok() {
                failed = each(edge);
            }
        })
    })?;
    failed.map(|()| count)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::near::verify::{Decision, Verifier};
    use proptest::prelude::*;

    /// Messages of which many repeat others, some for their wrapping alone.
    fn text() -> impl Strategy<Value = String> {
        let body =
            prop::collection::vec(prop::sample::select(&["今天", "的武汉", "樱花", "开了", "3例", "很好看"][..]), 0..7);
        let wrapping = prop::sample::select(&["", "转发微博 //@某人: ", "#赏花# ", "http://t.cn/a "][..]);
        (wrapping, body).prop_map(|(wrapping, body)| format!("{wrapping}{}", body.concat()))
    }

    /// Pairs at most a window apart, from position `from`, by comparing all.
    fn slowly(config: &Config, texts: &[(u64, String)], from: u64) -> BTreeSet<(u64, u64, u32)> {
        let mut verifier = Verifier::new(config.policy());
        let analyser = Analyser::new(config);
        let gists: Vec<Gist> = texts
            .iter()
            .map(|(_, text)| {
                let mut clean = Clean::default();
                analyser.forms(text, &mut clean);
                clean.gist()
            })
            .collect();
        let mut pairs = BTreeSet::new();
        for (b, (y, _)) in gists.iter().zip(texts).filter(|(gist, (pos, _))| !gist.is_empty() && *pos >= from) {
            verifier.read(b.view());
            for (a, (x, _)) in gists.iter().zip(texts).filter(|(_, (x, _))| x < y && x + config.verify_window >= *y) {
                let similarity = match verifier.decide(a.view(), b.view()) {
                    Decision::Equal => 1000,
                    Decision::Near { similarity, .. } | Decision::Inside { share: similarity, .. } => similarity,
                    Decision::No(_) => continue,
                };
                if !a.is_empty() {
                    pairs.insert((*x, *y, similarity));
                }
            }
        }
        pairs
    }

    /// The same of edges: each is from `a`, and from all that are the same.
    fn spelled(edges: &[Edge], window: u64, from: u64) -> BTreeSet<(u64, u64, u32)> {
        let mut pairs = BTreeSet::new();
        for edge in edges {
            let Some(Likeness::Similarity(similarity)) = edge.by else { panic!("texts have similarities") };
            let same = edges.iter().filter(|same| same.same && same.a == edge.a).map(|same| same.b);
            let members = same.chain([edge.a]).filter(|a| *a < edge.b && a.0 + window >= edge.b.0 && edge.b.0 >= from);
            pairs.extend(members.map(|a| (a.0, edge.b.0, similarity)));
        }
        pairs
    }

    proptest! {
        #[test]
        fn every_pair_of_the_window(
            texts in prop::collection::vec((1u64..4, text()), 0..60),
            verify_window in 1u64..30,
            from in 0u64..60,
        ) {
            let config = Config { verify_window, ..Config::default() };
            let mut pos = 0;
            let texts: Vec<(u64, String)> = texts.into_iter().map(|(gap, text)| { pos += gap; (pos, text) }).collect();
            let (mut edges, mut found) = (TextEdges::new(&config, Pos(from)).unwrap(), Vec::new());
            for (pos, text) in &texts {
                edges.push(&Text { pos: Pos(*pos), text: text.clone() }, &mut |edge| found.push(edge)).unwrap();
            }
            prop_assert_eq!(spelled(&found, verify_window, from), slowly(&config, &texts, from));
        }
    }

    #[test]
    fn what_is_passed_on_gives_few_edges() {
        let (mut edges, mut found) =
            (TextEdges::new(&Config { verify_window: 1000, ..Config::default() }, Pos(0)).unwrap(), 0);
        for pos in 0..5000 {
            edges
                .push(
                    &Text {
                        pos: Pos(pos), text: format!("转发微博 //@某人{pos}: 今天的武汉，樱花开了")
                    },
                    &mut |_| found += 1,
                )
                .unwrap();
        }
        assert!((5000..=10_000).contains(&found), "{found}");
    }
}

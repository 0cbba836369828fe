//! Turns texts into edges: the repeats that the rule accepts within the window, in one stretch of the input.
//!
//! Each task gets a stretch of the input and the window before it. This is all it needs to find every pair whose later message is in
//! its stretch. Messages with the same gist form a class, because the rule decides alike on all of them. The first message represents
//! the class for the length of a window; the next one after that begins another class. So everything that can be repeated lies within
//! two windows, and a post that is passed on m times gives some 2 m edges instead of m² / 2.
//!
//! Edges from a message that is certainly dropped decide nothing, and of the edges from messages that are certainly kept, the first is
//! enough. A message that no fingerprint can drop is certainly kept if it has no edge, and a message with an edge from a certainly kept
//! one is certainly dropped. No fingerprint counts up to position [`Config::verify_window`], because there all earlier messages are
//! compared by their texts; for later messages, the row [says](Text::old) whether one does. So thousands of variants of one template
//! cost about as much as in a single process. For messages before a stretch no edges are searched, and nothing about them is certain,
//! except in the first window.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use serde::Deserialize;

use super::rows::{Cell, Column, Gaps, JobRows, Kind, RowIn, checked, whole};
use super::{Edge, position};
use crate::config::{Config, MAX_WINDOW, NearMode, Shingle};
use crate::error::{Error, Result};
use crate::fingerprint::Digest;
use crate::hash::HashMap;
use crate::locale::tr;
use crate::near::verify_window::{VerifyWindow, digest};
use crate::record::{Likeness, Pos};
use crate::text::{Analyser, Clean, Gist, html};

/// A row of `quchong sketch`, or one with the members that count here.
#[derive(Deserialize)]
struct Row {
    pos: Pos,
    /// `None` for a blank line and a record that could not be judged.
    text: Option<String>,
    old: Option<bool>,
    /// Sketches of messages have one of these, with or without a text.
    digest: Option<String>,
    simhash: Option<String>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// The position among all records of the input, including errors and blank lines, from 0.
    pub(crate) pos: Pos,
    /// The text of the message.
    pub(crate) text: String,
    /// Whether the message may repeat another in a way other than by its text: by a fingerprint from before the window, or by an equal
    /// digest. `None` if that is unknown.
    pub(crate) old: Option<bool>,
}

/// Finds the edges of messages that come by rising position.
pub(crate) struct TextEdges {
    analyser: Analyser,
    /// Whether markup is removed from a text first.
    html: bool,
    clean: Clean,
    /// The first messages of classes.
    window: VerifyWindow,
    verify_window: u64,
    /// Most positions from a class's first message to its last.
    span: u64,
    from: Pos,
    last: Option<Pos>,
    /// For each gist, the first message of the class that the next message with this gist joins.
    latest: HashMap<Digest, Pos>,
    classes: HashMap<Pos, Class>,
    /// The first messages of `classes`, and their gists, by rising position.
    firsts: VecDeque<(Pos, Digest)>,
    key: u64,
    hits: Vec<(Pos, u32)>,
}

/// The messages with one gist.
struct Class {
    /// Whether its first message is certainly kept. The others are then certainly dropped, and are not listed here.
    is_kept: bool,
    last: Pos,
    /// Members after the first for which no edge has been reported yet.
    unreported: Vec<Pos>,
}

/// Which edges a message has.
#[derive(Debug, Clone, Copy, Default)]
struct Named {
    by_any: bool,
    /// An edge from the class that it joins.
    by_own: bool,
    /// An edge from a message that is certainly kept.
    by_kept: bool,
}

impl TextEdges {
    /// Begins without messages. Messages before `from` are only there to be repeated.
    ///
    /// # Errors
    /// [`Error::Config`] for options that cannot work, or under which no texts are compared.
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
            latest: HashMap::default(),
            classes: HashMap::default(),
            firsts: VecDeque::new(),
            key: config.seed,
            hits: Vec::new(),
        })
    }

    /// Takes the next message and passes its edges to `each`. There is one from each class with a message that it repeats and that is
    /// at most [`Config::verify_window`] before it. Other members of these classes are named as well. No edge comes from a message that
    /// is certainly dropped, and none follows the first edge from a message that is certainly kept.
    ///
    /// # Errors
    /// Says why the message cannot come here: its position is not above that of the message before.
    pub(crate) fn push(&mut self, message: &Text, each: &mut dyn FnMut(Edge)) -> std::result::Result<(), String> {
        let pos = message.pos;
        if let Some(last) = self.last.filter(|last| pos <= *last) {
            return Err(tr!(
                "positions do not rise: {} comes behind {}; give the files in the order of their positions, each once",
                pos.0,
                last.0
            ));
        }
        self.last = Some(pos);
        self.forget_before(pos.0.saturating_sub(self.verify_window + self.span));
        let text = if self.html { html::plain(&message.text) } else { Cow::Borrowed(&*message.text) };
        self.analyser.forms(&text, &mut self.clean);
        let gist = self.clean.gist();
        if gist.is_empty() {
            return Ok(());
        }
        let key = digest(&gist, |bytes| Digest::keyed(bytes, self.key));
        let own = self.latest.get(&key).copied().filter(|first| first.0 + self.span >= pos.0);
        let is_stretch = pos >= self.from;
        // In the first window, everything about the messages before a stretch can be known.
        let is_certain = match is_stretch {
            true => pos.0 <= self.verify_window || message.old == Some(false),
            false => self.from.0 <= self.verify_window,
        };
        let named = match (is_stretch, is_certain) {
            (true, _) => self.report_edges(&gist, pos, own, each),
            (false, true) => self.report_edges(&gist, pos, own, &mut |_| ()),
            (false, false) => Named::default(),
        };
        if named.by_kept {
            return Ok(());
        }
        match own.and_then(|first| self.classes.get_mut(&first)) {
            Some(class) => {
                class.last = pos;
                if !named.by_own {
                    class.unreported.push(pos);
                }
            }
            None => {
                self.window.remember(&gist, pos);
                self.latest.insert(key, pos);
                self.firsts.push_back((pos, key));
                self.classes
                    .insert(pos, Class { is_kept: is_certain && !named.by_any, last: pos, unreported: Vec::new() });
            }
        }
        Ok(())
    }

    /// Forgets the classes that begin before a position: no later message can repeat a member.
    fn forget_before(&mut self, oldest: u64) {
        while let Some(&(first, gist)) = self.firsts.front().filter(|(first, _)| first.0 < oldest) {
            self.firsts.pop_front();
            self.classes.remove(&first);
            if self.latest.get(&gist) == Some(&first) {
                self.latest.remove(&gist);
            }
        }
    }

    /// Passes the edges of a message of class `own` to `each`.
    fn report_edges(&mut self, gist: &Gist, pos: Pos, own: Option<Pos>, each: &mut dyn FnMut(Edge)) -> Named {
        let oldest = pos.0.saturating_sub(self.verify_window);
        let Self { window, classes, hits, .. } = self;
        let mut named = Named::default();
        hits.clear();
        window.each(gist, pos, |first, similarity| {
            let Some(class) = classes.get(&first).filter(|class| class.last.0 >= oldest) else {
                return ControlFlow::Continue(());
            };
            hits.push((first, similarity));
            let is_own = own == Some(first);
            named = Named { by_any: true, by_own: named.by_own || is_own, by_kept: class.is_kept };
            if class.is_kept { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        for (first, similarity) in &*hits {
            let Some(class) = classes.get_mut(first) else { continue };
            for b in class.unreported.drain(..).filter(|member| member.0 >= oldest) {
                each(Edge { a: *first, b, by: Some(Likeness::Similarity(1000)), same: true });
            }
            each(Edge { a: *first, b: pos, by: Some(Likeness::Similarity(*similarity)), same: own == Some(*first) });
        }
        named
    }
}

impl RowIn for Row {
    const COLUMNS: &'static [Column<'static>] =
        &[position("pos"), Column::new("text", Kind::Text, Gaps::None), Column::new("old", Kind::Bool, Gaps::All)];

    fn of(cells: &[Cell<'_>]) -> std::result::Result<Self, String> {
        let Cell::Text(text) = cells[1] else { return Err(tr!("no `text`")) };
        let old = if let Cell::Bool(old) = cells[2] { Some(old) } else { None };
        let (pos, text) = (Pos(whole(&Self::COLUMNS[0], cells[0])?), Some(text.to_owned()));
        Ok(Self { pos, text, old, digest: None, simhash: None })
    }
}

/// Finds the edges of messages by rising position, in JSON `{"pos":3,"text":"…"}`, and returns how many rows there were. Rows of blank
/// lines and of records that could not be judged have no edges.
///
/// # Errors
/// The errors of [`TextEdges::new`]; [`Error::Unmeasurable`] for a row that is no message or comes out of order, [`Error::Io`] if
/// reading fails or columns are missing, and the errors of `each`.
pub(crate) fn edges(
    rows: JobRows,
    config: &Config,
    from: Pos,
    mut each: impl FnMut(Edge) -> Result<()>,
) -> Result<u64> {
    let (mut edges, mut count) = (TextEdges::new(config, from)?, 0);
    rows.each(|Row { pos, text, old, digest, simhash }: Row| {
        count += 1;
        checked(pos.0)?;
        let Some(text) = text else {
            let is_message = digest.or(simhash).is_some();
            return if is_message {
                Err(tr!("no `text`: `quchong sketch` writes it under --near hybrid").into())
            } else {
                Ok(())
            };
        };
        let mut failed = Ok(());
        edges.push(&Text { pos, text, old }, &mut |edge| {
            if failed.is_ok() {
                failed = each(edge);
            }
        })?;
        Ok(failed?)
    })?;
    Ok(count)
}

#[cfg(test)]
mod tests;

//! What the repeat rule compares of a message.

use super::body::Body;
use super::shingle;
use super::signs::Sign;
use super::tokens::{Tokens, View};

/// What the repeat rule compares of a message.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub struct Gist {
    /// The body's tokens.
    pub body: Tokens,
    /// Hashes of the topics.
    pub(crate) topics: Box<[u64]>,
    /// Tokens of the comments before the last repost marker: the message's own, and those that it passes on.
    pub(crate) comments: u32,
    /// The tokens before which a clause ends, rising.
    pub(crate) breaks: Box<[u32]>,
    /// Signs, and the tokens before which they stand, rising.
    pub(crate) signs: Box<[(u32, Sign)]>,
    /// Hash of the values within which messages repeat each other; 0 where all do. The rule does not read it: who finds candidates does.
    pub(crate) scope: u64,
}

/// A gist, wherever its parts are kept.
#[derive(Debug, Clone, Copy)]
pub struct GistView<'a> {
    /// The body's tokens.
    pub(crate) body: View<'a>,
    /// See [`Gist::topics`].
    pub(crate) topics: &'a [u64],
    /// See [`Gist::comments`].
    pub(crate) comments: u32,
    /// See [`Gist::breaks`].
    pub(crate) breaks: &'a [u32],
    /// See [`Gist::signs`].
    pub(crate) signs: &'a [(u32, Sign)],
}

impl Gist {
    /// The gist of a message of this body and `canonical` form.
    pub(crate) fn of(body: &Body, canonical: &str) -> Self {
        let (mut tokens, mut breaks) = (Tokens::default(), Vec::with_capacity(body.breaks.len()));
        let (mut comments, mut count, last) = (0, 0, body.reposts.last().copied().unwrap_or_default());
        let (mut ends, mut marks, mut signs) = (&body.breaks[..], &body.signs[..], Vec::new());
        let next = |ends: &[usize], marks: &[(usize, Sign)]| {
            let (end, mark) = (ends.first(), marks.first().map(|mark| &mark.0));
            end.into_iter().chain(mark).min().copied().unwrap_or(usize::MAX)
        };
        // Where the next clause has ended, or the next sign stands: before few tokens.
        let mut event = next(ends, marks);
        tokens.read_with(&body.text, |place| {
            if event <= place.start {
                let ended = ends.iter().take_while(|end| **end <= place.start).count();
                let marked = marks.iter().take_while(|(at, _)| *at <= place.start).count();
                breaks.extend((ended > 0).then_some(count));
                signs.extend(marks[..marked].iter().map(|(_, sign)| (count, *sign)));
                (ends, marks) = (&ends[ended..], &marks[marked..]);
                event = next(ends, marks);
            }
            count += 1;
            comments = if place.start < last { count } else { comments };
        });
        signs.extend(marks.iter().map(|(_, sign)| (count, *sign)));
        let topics = body.topics.iter().map(|range| shingle::word(&canonical[range.clone()])).collect();
        Self { body: tokens, topics, comments, breaks: breaks.into(), signs: signs.into(), scope: 0 }
    }

    /// Whether the message is nothing but wrapping, and so nobody's repeat.
    pub fn is_empty(&self) -> bool {
        self.body.list.is_empty() && self.topics.is_empty()
    }

    /// The gist as it is kept here.
    pub fn view(&self) -> GistView<'_> {
        GistView {
            body: self.body.view(),
            topics: &self.topics,
            comments: self.comments,
            breaks: &self.breaks,
            signs: &self.signs,
        }
    }
}

//! The overlap engine by itself, without what the [window](crate::near::verify_window) knows of messages. For benches, fuzz targets and
//! tests.

use super::query::BodyParts;
use super::{Asked, Buffers, Candidate, Features, Overlap, Scoped};
use crate::record::Pos;
use crate::rule::bounds::Bounds;

/// An engine with its buffers.
pub struct Standalone {
    pub(super) overlap: Overlap,
    buffers: Box<Buffers>,
    features: Features,
    /// The tokens and the scope of the body whose features are in `features`.
    body: (Vec<u32>, u64),
    /// The scope of the next bodies.
    pub(super) scope: u64,
    /// How the rule reads parts of the next bodies that are looked up.
    pub(super) parts: BodyParts,
}

impl Standalone {
    /// Makes an empty engine over the last `window` positions, 1..=[`MAX_WINDOW`](crate::config::MAX_WINDOW); other values count as the
    /// nearest of these.
    pub fn new(window: u64, bounds: Bounds) -> Self {
        Self {
            overlap: Overlap::new(window, bounds, None),
            buffers: Box::default(),
            features: Features::default(),
            body: Default::default(),
            scope: 0,
            parts: BodyParts::default(),
        }
    }

    /// Offers the kept bodies that the bounds make possible for a body of these tokens, and a few more, until `accept` returns something.
    /// They are bodies of the last `window` positions before `pos`, and come by rising number. `least` gives, by the length of a kept body,
    /// how many tokens of the new one it must cover. If a body's bitmap shows that it covers fewer, it is not offered. A body of more than
    /// 8192 tokens is offered only equal ones. Positions must not fall from call to call.
    pub fn earliest<T>(
        &mut self,
        tokens: &[u32],
        pos: Pos,
        least: impl Fn(usize) -> usize,
        accept: impl FnMut(Candidate<'_>) -> Option<T>,
    ) -> Option<T> {
        let body = self.read(tokens, pos);
        let asked = Asked { body, features: &self.features, parts: &|| self.parts };
        self.overlap.search(&mut self.buffers, asked, 0..u64::MAX, least, |_| (), accept)
    }

    /// Keeps a body for the `window` positions after `pos`. Positions must rise from body to body.
    pub fn remember(&mut self, tokens: &[u32], pos: Pos) {
        let body = self.read(tokens, pos);
        self.overlap.enter(body, &self.features, pos);
    }

    /// Reads the features of a body at `pos`, unless it is the current body. Also forgets the bodies older than the window at `pos`.
    fn read<'b>(&mut self, tokens: &'b [u32], pos: Pos) -> Scoped<'b> {
        let body = Scoped { tokens, scope: self.scope };
        self.overlap.forget(Pos(pos.0.saturating_sub(self.overlap.window)));
        if (tokens, self.scope) != (&self.body.0, self.body.1) {
            self.overlap.reader().read(body, &[], Vec::new(), Vec::new(), &mut self.features);
            self.body = (tokens.to_vec(), self.scope);
        }
        body
    }
}

//! The bodies of the last kept messages, as text. They show a reader how a repeat differs.

use std::collections::VecDeque;

use crate::record::Pos;

/// The bodies by position. Old ones are forgotten.
pub(crate) struct SpelledBodies {
    window: u64,
    kept: VecDeque<(Pos, Box<str>)>,
    /// Bytes of the texts.
    bytes: usize,
}

impl SpelledBodies {
    /// An empty store for the bodies of the last `window` positions.
    pub(crate) fn new(window: u64) -> Self {
        Self { window, kept: VecDeque::new(), bytes: 0 }
    }

    /// Stores a body. Positions must rise.
    pub(crate) fn push(&mut self, pos: Pos, body: Box<str>) {
        self.forget(Pos(pos.0.saturating_sub(self.window)));
        self.bytes += body.len();
        self.kept.push_back((pos, body));
    }

    /// Drops the bodies before a position.
    pub(crate) fn forget(&mut self, before: Pos) {
        while self.kept.front().is_some_and(|(kept, _)| *kept < before) {
            self.bytes -= self.kept.pop_front().map_or(0, |(_, body)| body.len());
        }
    }

    /// Heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.kept.capacity() * size_of::<(Pos, Box<str>)>()
    }

    /// The body stored for a position, if there is one.
    pub(crate) fn get(&self, pos: Pos) -> Option<&str> {
        let at = self.kept.binary_search_by_key(&pos, |(kept, _)| *kept).ok()?;
        self.kept.get(at).map(|(_, body)| &**body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_there_for_as_long_as_it_can_be_repeated() {
        let mut bodies = SpelledBodies::new(10);
        for pos in [0, 3, 9, 10] {
            bodies.push(Pos(pos), pos.to_string().into());
        }
        assert_eq!(bodies.get(Pos(0)), Some("0"));
        assert_eq!((bodies.get(Pos(3)), bodies.get(Pos(4))), (Some("3"), None));
        bodies.push(Pos(11), "11".into());
        assert_eq!((bodies.get(Pos(0)), bodies.get(Pos(3))), (None, Some("3")));
    }
}

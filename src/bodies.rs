//! Bodies of the last kept messages, as text: what a repeat is held against for its reader.

use std::collections::VecDeque;

use crate::record::Pos;

/// The bodies by position, forgotten by age.
pub struct Bodies {
    window: u64,
    kept: VecDeque<(Pos, Box<str>)>,
}

impl Bodies {
    /// No bodies; those of the last `window` positions will be kept.
    pub fn new(window: u64) -> Self {
        Self { window, kept: VecDeque::new() }
    }

    /// Keeps a body. Positions must rise.
    pub fn push(&mut self, pos: Pos, body: Box<str>) {
        while self.kept.front().is_some_and(|(kept, _)| kept.0 + self.window < pos.0) {
            self.kept.pop_front();
        }
        self.kept.push_back((pos, body));
    }

    /// The body kept for a position, if there is one.
    pub fn get(&self, pos: Pos) -> Option<&str> {
        let at = self.kept.binary_search_by_key(&pos, |(kept, _)| *kept).ok()?;
        self.kept.get(at).map(|(_, body)| &**body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_there_for_as_long_as_it_can_be_repeated() {
        let mut bodies = Bodies::new(10);
        for pos in [0, 3, 9, 10] {
            bodies.push(Pos(pos), pos.to_string().into());
        }
        assert_eq!(bodies.get(Pos(0)), Some("0"));
        assert_eq!((bodies.get(Pos(3)), bodies.get(Pos(4))), (Some("3"), None));
        bodies.push(Pos(11), "11".into());
        assert_eq!((bodies.get(Pos(0)), bodies.get(Pos(3))), (None, Some("3")));
    }
}

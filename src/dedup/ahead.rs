//! The look ahead: a run can search on many threads for the repeats among the next messages before they are judged. It
//! changes no verdict.
//!
//! 1. [`State::look_ahead`] searches for what each message repeats among the earlier ones.
//! 2. If most messages come from one template, it returns those that repeat none. [`State::enter_ahead`] enters them.
//! 3. [`State::search_entered`] searches for what these repeat of each other.

use super::State;
use crate::exact::Seen;
use crate::fingerprint::{Digest, Printed};
use crate::hash::HashSet;
use crate::near::{LEAST_AHEAD, VerifyWindow};
use crate::record::Pos;
use crate::text::Gist;

impl State {
    /// Whether a look ahead can find anything. Under a limit of memory it is off: otherwise the number of threads would
    /// affect what is forgotten.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.limit.is_none() && self.near.as_ref().is_some_and(|near| near.window().is_some())
    }

    /// Searches, on `threads` threads, for what the next messages repeat, before they are judged. The messages must then come
    /// at exactly these positions. Returns the messages to be [entered](Self::enter_ahead) and [searched
    /// for](Self::search_entered) before the first one is judged.
    pub(crate) fn look_ahead<'p>(&mut self, coming: &[(Pos, &'p Printed)], threads: usize) -> Vec<(Pos, &'p Gist)> {
        if coming.len() < LEAST_AHEAD || !self.looks_ahead() {
            return Vec::new();
        }
        let (reach, mut seen) = (self.clock.reach(), HashSet::default());
        let mut is_new = |digest: Digest| seen.insert(digest) && self.exact.find(digest, &reach) == Seen::New;
        let new = coming.iter().filter(|(_, printed)| printed.digest.is_none_or(&mut is_new));
        let gists: Vec<_> = new.filter_map(|(pos, printed)| Some((*pos, printed.gist.as_deref()?))).collect();
        self.window().map(|window| window.look_ahead(&gists, threads)).unwrap_or_default()
    }

    /// Enters messages that the [look ahead](Self::look_ahead) returned.
    pub(crate) fn enter_ahead(&mut self, new: &[(Pos, &Gist)]) {
        if let Some(window) = self.window() {
            window.enter_ahead(new);
        }
    }

    /// Searches, on `threads` threads, for what the messages [entered](Self::enter_ahead) repeat of each other.
    pub(crate) fn search_entered(&mut self, new: &[(Pos, &Gist)], threads: usize) {
        if let Some(window) = self.window() {
            window.search_entered(new, threads);
        }
    }

    fn window(&mut self) -> Option<&mut VerifyWindow> {
        self.near.as_mut()?.window_mut()
    }
}

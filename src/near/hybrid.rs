//! The hybrid: the last messages by the repeat rule, all older ones by their fingerprints.
//!
//! For a kept k and a later m, near(k, m) is decided by the two texts and their distance in positions alone: within the window
//! by the rule, beyond it by the Hamming distance of fingerprints that [facts::mask] has set apart where facts differ. A kept
//! message is in one of the two at a time: it goes to the tables as it leaves the window.
//!
//! [facts::mask]: crate::text::facts::mask

use std::collections::VecDeque;

use super::verify::Thresholds;
use super::window::Window;
use super::{NearMatch, NearStage};
use crate::error::Result;
use crate::record::{Engine, Likeness, Pos};
use crate::text::Gist;

/// The window and what came before it.
pub struct Hybrid {
    length: u64,
    window: Window,
    /// Fingerprints of the window's messages, on their way to `history`.
    leaving: VecDeque<(Pos, u64)>,
    history: NearStage,
}

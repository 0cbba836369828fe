//! What tests of several modules need.

use super::{Analyser, Clean, Gist};
use crate::config::Config;

/// What the rule compares of a text, by the defaults.
pub(crate) fn gist(text: &str) -> Gist {
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(text, &mut clean);
    clean.gist()
}

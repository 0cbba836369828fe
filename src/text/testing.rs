//! Helpers for the tests of several modules.

use super::{Analyser, Clean, Gist};
use crate::config::Config;

/// Returns the gist of a text by the default settings.
pub(crate) fn gist(text: &str) -> Gist {
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(text, &mut clean);
    clean.gist()
}

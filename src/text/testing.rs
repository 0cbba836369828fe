//! Helpers for the tests of several modules.

use super::tokens::{Token, Tokens};
use super::{Analyser, Clean, Gist};
use crate::config::Config;

/// Returns the gist of a text by the default settings.
pub(crate) fn gist(text: &str) -> Gist {
    let mut clean = Clean::default();
    Analyser::new(&Config::default()).analyse(text, &mut clean);
    clean.gist()
}

/// Returns the tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Tokens::default();
    tokens.read(text);
    tokens.list
}

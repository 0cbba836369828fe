//! Where in a body its tokens stand.

use std::ops::Range;

/// Who hears of the place of every token, in bytes.
pub(crate) trait Places {
    /// The next token.
    fn token(&mut self, place: Range<usize>);
}

impl<F: FnMut(Range<usize>)> Places for F {
    #[inline]
    fn token(&mut self, place: Range<usize>) {
        self(place);
    }
}

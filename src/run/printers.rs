//! Texts to fingerprints on several threads, handed over in their order.

use crate::error::Result;
use crate::fingerprint::{Printed, Printer};
use crate::parallel::ordered;
use crate::text::Clean;

/// Texts that a thread prints at once.
pub(crate) const CHUNK: usize = 64;

/// A printer for slices of texts, on several threads.
pub(crate) struct Printers {
    printer: Printer,
    /// Buffers, and what they remember; one for each thread.
    cleans: Vec<Clean>,
}

impl Printers {
    /// Printers on so many threads, at least 1.
    pub(crate) fn new(printer: Printer, threads: usize) -> Self {
        Self { printer, cleans: vec![Clean::default(); threads] }
    }

    /// Prints the texts of all items, and gives each to `take`, in their order. Few are printed on this thread.
    ///
    /// # Errors
    /// Those of `take`, after which no more is taken; [`Error::Io`](crate::Error::Io) if no thread can be had.
    pub(crate) fn print_all<T: Sync>(
        &mut self,
        items: &[T],
        text: impl Fn(&T) -> Option<&str> + Sync,
        take: impl FnMut(&T, Option<Printed>) -> Result<()>,
    ) -> Result<()> {
        let Self { printer, cleans } = self;
        let print = |clean: &mut Clean, item: &T| text(item).map(|text| printer.print_text(text, clean));
        ordered(items, CHUNK, cleans, print, take)
    }
}

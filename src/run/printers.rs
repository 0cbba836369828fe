//! Makes fingerprints of texts on several threads and passes them on in order.

use crate::error::Result;
use crate::fingerprint::{Printed, Printer};
use crate::parallel::ordered;
use crate::text::Clean;

/// Texts that a thread takes at a time.
pub(crate) const CHUNK: usize = 64;

/// A printer for slices of texts, on several threads.
pub(crate) struct Printers {
    printer: Printer,
    /// Buffers and their caches, one for each thread.
    cleans: Vec<Clean>,
}

impl Printers {
    /// Makes printers for `threads` threads, at least 1.
    pub(crate) fn new(printer: Printer, threads: usize) -> Self {
        Self { printer, cleans: vec![Clean::default(); threads] }
    }

    /// Prints the texts of all items, and passes each to `take`, in order. A few texts are printed on the calling thread.
    ///
    /// # Errors
    /// Those of `take`, after which it is not called again; [`Error::Io`](crate::Error::Io) if no thread can be started.
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

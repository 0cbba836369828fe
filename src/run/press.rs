//! Texts to fingerprints on several threads, handed over in their order.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, scope};

use crate::error::{Error, Result};
use crate::fingerprint::{Printed, Printer};
use crate::text::Clean;

/// Texts that a thread prints at once.
const CHUNK: usize = 64;

/// Chunks that a thread may be ahead of who takes them: what is under way is bounded.
const AHEAD: usize = 4;

/// A printer for slices of texts.
pub struct Press {
    printer: Printer,
    /// Buffers, and what they remember; one for each thread.
    cleans: Vec<Clean>,
}

impl Press {
    /// A press of so many threads, at least 1.
    pub fn new(printer: Printer, threads: usize) -> Self {
        Self { printer, cleans: vec![Clean::default(); threads] }
    }

    /// Prints one text, if there is one.
    pub fn print(&mut self, text: Option<&str>) -> Option<Printed> {
        let clean = self.cleans.first_mut()?;
        text.map(|text| self.printer.print_text(text, clean))
    }

    /// Prints the texts of all items, and gives each to `take`, in their order. Few are printed on this thread.
    ///
    /// # Errors
    /// Those of `take`, after which no more is taken; [`Error::Io`] if no thread can be had.
    pub fn print_all<T: Sync>(
        &mut self,
        items: &[T],
        text: impl Fn(&T) -> Option<&str> + Copy + Send,
        mut take: impl FnMut(&T, Option<Printed>) -> Result<()>,
    ) -> Result<()> {
        let lanes = self.cleans.len().min(items.len().div_ceil(CHUNK));
        if lanes <= 1 {
            return items.iter().try_for_each(|item| take(item, self.print(text(item))));
        }
        let printer = &self.printer;
        scope(|scope| {
            let mut receivers: Vec<Receiver<Vec<Option<Printed>>>> = Vec::with_capacity(lanes);
            for (lane, clean) in self.cleans.iter_mut().take(lanes).enumerate() {
                let (sender, receiver) = sync_channel(AHEAD);
                receivers.push(receiver);
                let work = move || {
                    for chunk in items.chunks(CHUNK).skip(lane).step_by(lanes) {
                        let mut print = |item| text(item).map(|text| printer.print_text(text, clean));
                        // Nobody takes any more.
                        if sender.send(chunk.iter().map(&mut print).collect()).is_err() {
                            return;
                        }
                    }
                };
                Builder::new().spawn_scoped(scope, work).map_err(|error| Error::io("<threads>", error))?;
            }
            for (chunk, receiver) in items.chunks(CHUNK).zip(receivers.iter().cycle()) {
                let lost = |_| Error::io("<threads>", io::Error::other("a thread that prints texts has failed"));
                let printed = receiver.recv().map_err(lost)?;
                chunk.iter().zip(printed).try_for_each(|(item, printed)| take(item, printed))?;
            }
            Ok(())
        })
    }
}

//! Progress of long work on standard error.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::screen::ShowProgress;
use crate::locale::tr;

/// Shows the progress of long work, with one bar after another for its parts, if progress is to be shown.
pub(crate) struct Bars {
    is_shown: bool,
    shown: Mutex<Option<(String, ProgressBar)>>,
}

impl Bars {
    pub(crate) fn new(progress: ShowProgress) -> Self {
        Self { is_shown: progress.is_shown(), shown: Mutex::default() }
    }

    /// Shows that `done` of `of` steps of the part `what` are done. Callable from any thread.
    pub(crate) fn show(&self, what: &str, done: usize, of: usize) {
        if !self.is_shown {
            return;
        }
        // Even if a thread panicked while it drew, the bars can still be used.
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_none_or(|(part, _)| part != what) {
            let style = format!("{{bar:30}} {{percent}} % {{msg}} ({} {{eta}})", tr!("eta"));
            let style = ProgressStyle::with_template(&style);
            let bar = ProgressBar::with_draw_target(Some(of as u64), ProgressDrawTarget::stderr())
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
                .with_message(tr!(what));
            if let Some((_, old)) = shown.replace((what.to_owned(), bar)) {
                old.finish_and_clear();
            }
        }
        if let Some((_, bar)) = &*shown {
            bar.set_position(bar.position().max(done as u64));
        }
    }

    /// Removes the last bar.
    pub(crate) fn finish(self) {
        if let Some((_, bar)) = self.shown.into_inner().unwrap_or_else(PoisonError::into_inner) {
            bar.finish_and_clear();
        }
    }
}

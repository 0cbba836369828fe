//! Judges one batch and prepares the next one at the same time.

use super::Read;
use super::judge::Judge;
use super::prepare::{Prepared, Preparer, Preparing};
use crate::error::Result;

/// Judges a prepared batch, and prepares the next one that was read, both on all threads. Two steps of judging need only one
/// thread. During each of them the other threads prepare a part of the next batch, so no thread waits as long as there are
/// lines to prepare.
pub(super) fn step(
    judge: &mut Judge<'_>,
    preparer: &Preparer,
    threads: usize,
    now: Option<Prepared>,
    next: Option<Read>,
) -> Result<Option<Prepared>> {
    let mut preparing = next.as_ref().map(|(_, batch)| Preparing::of(batch));
    let new = now.as_ref().map(|now| judge.look_ahead(now)).unwrap_or_default();
    if !new.is_empty() {
        let mut enter = || judge.enter_ahead(&new);
        match &mut preparing {
            Some(next) => preparer.go_on(next, next.left() / 2, threads, enter),
            None => enter(),
        }
        judge.search_entered(&new);
    }
    let mut decide = || now.as_ref().map_or(Ok(()), |now| judge.batch(now));
    match &mut preparing {
        Some(next) => preparer.go_on(next, next.left(), threads, decide),
        None => decide(),
    }?;
    let items = preparing.map(|next| next.items);
    Ok(next.zip(items).map(|((read, batch), items)| Prepared { read, batch, items }))
}

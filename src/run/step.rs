//! One batch judged, and the next one prepared beside.

use super::Read;
use super::judge::Judge;
use super::prepare::{Prepared, Preparer};
use crate::error::Result;

/// Judges a batch that was prepared, and prepares the next one that was read, both on all threads. What takes one thread long alone, the
/// others prepare beside; so none of them waits, as long as there is something to prepare.
pub(super) fn step(
    judge: &mut Judge<'_>,
    preparer: &Preparer,
    threads: usize,
    now: Option<Prepared>,
    next: Option<Read>,
) -> Result<Option<Prepared>> {
    let entered = now.as_ref().and_then(|now| judge.look_ahead(now));
    let mut alone = || match (&now, &entered) {
        (_, Some(coming)) => {
            judge.window().into_iter().for_each(|window| window.enter_ahead(coming));
            Ok(())
        }
        (Some(now), None) => judge.batch(now),
        (None, None) => Ok(()),
    };
    let (prepared, done) = match next {
        Some(next) => {
            let (prepared, done) = preparer.prepare(next, threads, alone);
            (Some(prepared), done)
        }
        None => (None, alone()),
    };
    done?;
    if let (Some(now), Some(coming)) = (&now, &entered) {
        judge.window().into_iter().for_each(|window| window.search_entered(coming, threads));
        judge.batch(now)?;
    }
    Ok(prepared)
}

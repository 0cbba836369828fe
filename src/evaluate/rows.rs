//! Work that splits into rows, done on several threads.

use crate::error::Result;
use crate::parallel::ordered;

/// Calls `row` for each number below `count`, on this many threads, each with a state of its own. Returns the states, and the results in
/// order. Chance decides which thread gets which rows, so take from the states only sums and the like. `done` gets the number of finished
/// rows.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) if no thread can be started.
pub(super) fn in_rows<S: Send, R: Send>(
    count: usize,
    threads: usize,
    make: impl Fn() -> S,
    row: impl Fn(&mut S, usize) -> R + Sync,
    done: &dyn Fn(usize),
) -> Result<(Vec<S>, Vec<R>)> {
    let numbers: Vec<usize> = (0..count).collect();
    let mut states: Vec<S> = (0..threads.max(1)).map(|_| make()).collect();
    let mut results = Vec::with_capacity(count);
    let take = |number: &usize, result| {
        results.push(result);
        done(number + 1);
        Ok(())
    };
    ordered(&numbers, 1, &mut states, |state, number| row(state, *number), take)?;
    Ok((states, results))
}

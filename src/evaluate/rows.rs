//! Work that falls into rows, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `row` for each number below `count`, on so many threads, each with a state of its own; the states afterwards. Which
/// thread has which rows is chance: only what does not depend on it may be taken from the states. `done` is told how many rows
/// are finished.
pub(super) fn in_rows<S: Send>(
    count: usize,
    threads: usize,
    make: impl Fn() -> S + Sync,
    row: impl Fn(&mut S, usize) + Sync,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<S> {
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut state = make();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return state;
            }
            row(&mut state, number);
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, S>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().map(join).collect()
    })
}

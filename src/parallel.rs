//! Maps many items on several threads and returns the results in order: as they come, or all at once.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use crate::error::{Error, Result};
use crate::locale::tr;

/// Chunks handed out ahead for each thread. This bounds the number of results that wait for their turn.
const AHEAD: usize = 4;

/// The results of a chunk, or the panic in it.
type Mapped<R> = std::result::Result<Vec<R>, Box<dyn Any + Send>>;

/// Maps `items` in chunks of `chunk`, with one thread for each of the `states`. Each result goes to `take`, in the order of
/// the items. With one state or one chunk, the work runs on the calling thread. Which thread gets which items is random, so a
/// result must not depend on what a state has seen before.
///
/// # Errors
/// Those of `take`, which is not called again after one; [`Error::Io`] if no thread can be started.
pub(crate) fn ordered<S: Send, T: Sync, R: Send>(
    items: &[T],
    chunk: usize,
    states: &mut [S],
    map: impl Fn(&mut S, &T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let chunks: Vec<&[T]> = items.chunks(chunk).collect();
    let threads = states.len().min(chunks.len());
    let [state, ..] = &mut *states else { return Ok(()) };
    if threads <= 1 {
        return items.iter().try_for_each(|item| take(item, map(state, item)));
    }
    let (begin, begun) = channel();
    let begun = Mutex::new(begun);
    scope(|scope| {
        // The channel closes when this closure returns, and the threads end.
        let begin = begin;
        let (done, mapped) = channel::<(usize, Mapped<R>)>();
        for state in &mut states[..threads] {
            let (chunks, begun, map, done) = (&chunks, &begun, &map, done.clone());
            let work = move || {
                while let Some(number) = next(begun) {
                    let all = || chunks[number].iter().map(|item| map(state, item)).collect();
                    if done.send((number, catch_unwind(AssertUnwindSafe(all)))).is_err() {
                        return;
                    }
                }
            };
            Builder::new().spawn_scoped(scope, work).map_err(|error| Error::io("<threads>", error))?;
        }
        let mut numbers = 0..chunks.len();
        let lost = || Error::io("<threads>", io::Error::other(tr!("a thread has ended")));
        numbers.by_ref().take(AHEAD * threads).try_for_each(|number| begin.send(number)).map_err(|_| lost())?;
        let mut early = BTreeMap::new();
        for (number, items) in chunks.iter().enumerate() {
            let results = loop {
                if let Some(results) = early.remove(&number) {
                    break results;
                }
                match mapped.recv().map_err(|_| lost())? {
                    (number, Ok(results)) => drop(early.insert(number, results)),
                    (_, Err(panic)) => resume_unwind(panic),
                }
            };
            numbers.next().map_or(Ok(()), |number| begin.send(number)).map_err(|_| lost())?;
            items.iter().zip(results).try_for_each(|(item, result)| take(item, result))?;
        }
        Ok(())
    })
}

/// Maps `items` as [`ordered`] does, and returns all results. It suits some thousands of items. The calling thread works,
/// too, and no thread waits for another before the end; such waiting would cost more than it saves if the items are small. If
/// a thread cannot be started, the others do its work.
pub(crate) fn at_once<S: Send, T: Sync, R: Send>(
    items: &[T],
    chunk: usize,
    states: &mut [S],
    map: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    beside(items, chunk, states, map, || ()).0
}

/// Maps `items` as [`at_once`] does. The calling thread first runs `meanwhile`, then helps.
pub(crate) fn beside<S: Send, T: Sync, R: Send, O>(
    items: &[T],
    chunk: usize,
    states: &mut [S],
    map: impl Fn(&mut S, &T) -> R + Sync,
    meanwhile: impl FnOnce() -> O,
) -> (Vec<R>, O) {
    if let [own] = states {
        // With one state everything runs on this thread.
        let other = meanwhile();
        return (items.iter().map(|item| map(own, item)).collect(), other);
    }
    let [own, others @ ..] = &mut *states else { return (Vec::new(), meanwhile()) };
    let (chunks, begun): (Vec<&[T]>, _) = (items.chunks(chunk).collect(), AtomicUsize::new(0));
    let work = |state: &mut S| {
        let mut mapped: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            let Some(items) = chunks.get(number) else { break mapped };
            mapped.push((number, items.iter().map(|item| map(state, item)).collect()));
        }
    };
    let work = &work;
    let (mut mapped, other) = scope(|scope| {
        let others = others.iter_mut().take(chunks.len());
        let others: Vec<_> =
            others.map_while(|state| Builder::new().spawn_scoped(scope, move || work(state)).ok()).collect();
        let other = meanwhile();
        let mut mapped = work(own);
        others.into_iter().for_each(|other| mapped.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))));
        (mapped, other)
    });
    mapped.sort_unstable_by_key(|(number, _)| *number);
    (mapped.into_iter().flat_map(|(_, results)| results).collect(), other)
}

/// The next chunk; `None` if there are no more.
fn next(begun: &Mutex<Receiver<usize>>) -> Option<usize> {
    begun.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_each_once() {
        let items: Vec<usize> = (0..1000).collect();
        for (threads, chunk) in [(1, 1), (2, 1), (3, 64), (7, 10), (4, 5000)] {
            let mut states = vec![0; threads];
            let mut taken = Vec::new();
            let map = |count: &mut usize, item: &usize| {
                *count += 1;
                // The first chunks are the slowest.
                (0..(1000 - item) * 20).fold(*item, |sum, more| std::hint::black_box(sum ^ more ^ more))
            };
            let take = |item: &usize, result| {
                taken.push((*item, result));
                Ok(())
            };
            ordered(&items, chunk, &mut states, map, take).unwrap();
            assert_eq!(taken, items.iter().map(|item| (*item, *item)).collect::<Vec<_>>(), "{threads} {chunk}");
            assert_eq!(states.iter().sum::<usize>(), items.len());
        }
    }

    #[test]
    fn all_come_at_once_and_in_order() {
        let items: Vec<usize> = (0..1000).collect();
        for (threads, chunk) in [(1, 1), (2, 1), (3, 64), (7, 10), (4, 5000)] {
            let mut states = vec![0; threads];
            let map = |count: &mut usize, item: &usize| {
                *count += 1;
                (0..(1000 - item) * 20).fold(*item, |sum, more| std::hint::black_box(sum ^ more ^ more))
            };
            assert_eq!(at_once(&items, chunk, &mut states, map), items, "{threads} {chunk}");
            assert_eq!(states.iter().sum::<usize>(), items.len());
        }
        assert!(at_once(&items, 3, &mut [] as &mut [()], |_, _| ()).is_empty());
        let panics = || at_once(&items, 3, &mut [(); 3], |_, item| assert!(*item != 500));
        assert!(catch_unwind(panics).is_err());
    }

    #[test]
    fn an_error_ends_it_and_a_panic_goes_on() {
        let items: Vec<usize> = (0..10_000).collect();
        let mut taken = 0;
        let take = |item: &usize, _| {
            taken += 1;
            if *item == 100 { Err(Error::config("--x", "no")) } else { Ok(()) }
        };
        assert!(ordered(&items, 3, &mut [(); 3], |_, _| (), take).is_err());
        assert_eq!(taken, 101);
        let panics = || ordered(&items, 3, &mut [(); 3], |_, item| assert!(*item != 5000), |_, _| Ok(()));
        assert!(catch_unwind(panics).is_err());
    }
}

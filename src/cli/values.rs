//! Values of options that several commands have.

use crate::Spelling;
use crate::config::Rules;
use crate::config::units::count;
use crate::locale::tr;
use crate::run::MAX_THREADS;

/// A number of threads.
pub(crate) fn thread_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| tr!("write a number from 1 to {MAX_THREADS}", MAX_THREADS))
}

/// A number of things that there are.
pub(crate) fn some(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err(tr!("write a number from 1 on")),
        some => Ok(some),
    }
}

/// As many threads as were asked for, else one for each core.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Rules of normalising.
pub(crate) fn rules(list: &str) -> Result<Rules, String> {
    Rules::parse(list).map_err(|error| error.spelled(Spelling::Flag))
}

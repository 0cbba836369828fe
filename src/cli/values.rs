//! Values of options that several commands have.

use crate::Spelling;
use crate::config::Rules;
use crate::config::units::count;
use crate::locale::tr;
use crate::run::MAX_THREADS;

/// Reads a number of threads.
pub(crate) fn thread_count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| tr!("write a number from 1 to {MAX_THREADS}", MAX_THREADS))
}

/// Reads a count of at least 1.
pub(crate) fn positive_count(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err(tr!("write a number from 1 on")),
        some => Ok(some),
    }
}

/// Reads a rate such as `1e-6`.
#[cfg(feature = "lab")]
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| tr!("write a rate, 1e-6 for example"))
}

/// Reads a share such as `0.97`.
#[cfg(feature = "lab")]
pub(crate) fn share(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| tr!("write a number between 0 and 1, 0.97 for example"))
}

/// Returns the requested number of threads, or one thread for each core.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Reads the rules of normalising.
pub(crate) fn rules(list: &str) -> Result<Rules, String> {
    Rules::parse(list).map_err(|error| error.spelled(Spelling::Flag))
}

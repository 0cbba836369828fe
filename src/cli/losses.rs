//! Messages about the records that the exact stage of a run lost.

use crate::config::{ExactMode, TrieHash};
use crate::exact::bloom::FilterHealth;
use crate::locale::tr;
use crate::report::grouped;
use crate::run::Totals;
use tracing::{info, warn};

/// Warns before a run if its exact stage loses messages, as the paper's filter does.
pub(crate) fn tell_lossy(totals: &Totals) {
    if let Some(FilterHealth { bits, rounds, .. }) = totals.filter.filter(|_| totals.expected_lost.is_some()) {
        let bits = bits / u64::from(rounds.max(1));
        warn!(
            bits,
            "{}",
            tr!(
                "the paper's Bloom filter, {} bits, takes new messages for repeats and drops them, more and more as it fills; --exact verified \
             loses none",
                grouped(bits)
            )
        );
    }
}

/// Reports how many messages a stage that errs is expected to have lost.
#[cfg_attr(not(feature = "lab"), allow(unused_variables, reason = "only the laboratory has the paper's trie"))]
pub(super) fn tell_losses(totals: &Totals, (exact, trie_hash): (ExactMode, TrieHash), has_window: bool) {
    if let (Some(FilterHealth { bits, rounds, fill, expected_error, .. }), Some(lost)) =
        (totals.filter, totals.expected_lost)
    {
        let bits = bits / u64::from(rounds.max(1));
        let number = lost.round() as u64;
        let count = grouped(number);
        // The estimate takes the parts of a window for independent, which they are not.
        let count = if has_window { tr!("at least {count}", count) } else { tr!("about {count}", count) };
        warn!(
            bits,
            fill,
            expected_error,
            expected_lost = lost,
            "{}",
            tr!(
                "the paper's Bloom filter, {} bits: {} new message is expected to have been taken for a repeat and dropped; it is {} % \
                 full, and the next new one is dropped with probability {}, were the hashes even (--exact verified loses none)"
                    | "the paper's Bloom filter, {} bits: {} new messages are expected to have been taken for repeats and dropped; it is \
                       {} % full, and the next new one is dropped with probability {}, were the hashes even (--exact verified loses none)"
                        % number,
                grouped(bits),
                count,
                format_args!("{:.2}", fill * 100.0),
                format_args!("{:.3}", expected_error)
            )
        );
    } else if let Some(FilterHealth { fill, inserted, capacity, expected_error, .. }) =
        totals.filter.filter(|_| exact == ExactMode::Bloom)
    {
        // The filter was fuller for each new text than for the one before. So the error at the last text is a bound for all.
        info!(
            fill,
            inserted,
            capacity,
            expected_error,
            "{}",
            tr!(
                "Bloom filter: {} % full, texts: {} of {}; a new text is now taken for a repeat with probability {}",
                format_args!("{:.2}", fill * 100.0),
                grouped(inserted),
                grouped(capacity),
                format_args!("{:.2e}", expected_error)
            )
        );
    }
    #[cfg(feature = "lab")]
    if let (None, Some(lost)) = (totals.filter, totals.expected_lost) {
        info!(
            expected_lost = lost,
            "{}",
            tr!(
                "the paper's trie, hash {}: about {lost} new messages are expected to have been taken for repeats and dropped, were the hash \
                 even (--exact verified loses none)",
                trie_hash.name(),
                lost = format_args!("{lost:.1}")
            )
        );
    }
}

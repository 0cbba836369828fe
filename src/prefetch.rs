//! Hints to the processor.

/// Asks for the cache line of a value that will be read soon, so that many misses are waited for at once. Changes nothing but
/// the time that takes; does nothing where the processor is not an x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch neither faults nor changes what the program sees, and SSE is part of x86-64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>((&raw const *value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

//! Lists that grow by little.

/// Appends, making room by eighths: a doubling vector would be a third empty on average.
pub(super) fn push<T>(vec: &mut Vec<T>, item: T) {
    if vec.len() == vec.capacity() {
        vec.reserve_exact((vec.len() / 8).max(32));
    }
    vec.push(item);
}

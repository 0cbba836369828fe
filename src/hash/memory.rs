//! Lists that grow by little, and the bytes that a map takes.

use std::collections::VecDeque;

use super::HashMap;

/// Items for which most lists make room at the least.
pub(crate) const LEAST: usize = 32;

/// Makes room for one more item in a list, if it is full: for an eighth of its items, and for `least`. A vector that doubles would have up to
/// half of its memory empty, and ask for it at once.
#[inline]
pub(crate) fn make_room<T>(list: &mut Vec<T>, least: usize) {
    if list.len() == list.capacity() {
        list.reserve_exact(eighth(list.len(), least));
    }
}

/// The same for a queue.
#[inline]
pub(crate) fn make_room_in_queue<T>(queue: &mut VecDeque<T>, least: usize) {
    if queue.len() == queue.capacity() {
        queue.reserve_exact(eighth(queue.len(), least));
    }
}

fn eighth(len: usize, least: usize) -> usize {
    (len / 8).max(least)
}

/// Heap bytes of a map, but for those that its entries have themselves. Of eight places one stays free; each has a byte of its own beside.
pub(crate) fn map_bytes<K, V>(map: &HashMap<K, V>) -> usize {
    map.capacity() * 8 / 7 * (size_of::<(K, V)>() + 1)
}

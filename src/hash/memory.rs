//! Lists that grow in small steps, zeros that memory may be too small for, and the heap size of maps.

use std::alloc::{Layout, alloc_zeroed};
use std::collections::VecDeque;

use super::HashMap;

/// The least number of items by which most lists grow.
pub(crate) const LEAST_GROWTH: usize = 32;

/// Makes room for one more item in a list, if it is full. The list grows by an eighth of its items, but at least by `least`.
/// A vector that doubles would leave up to half of its memory empty, and request all of it at once.
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

/// Makes `count` zeros, at least one, in pages that are allocated when they are written to. `None` if there is no memory for them: `vec!`
/// would abort. Trying the allocation first and giving it back would make the system's library write the zeros of the second one.
pub(crate) fn zeros(count: usize) -> Option<Vec<u64>> {
    let count = count.max(1);
    let layout = Layout::array::<u64>(count).ok()?;
    // SAFETY: the layout is not empty, zeros are numbers, and the vector gives them back with the same layout.
    unsafe {
        let first = alloc_zeroed(layout).cast::<u64>();
        (!first.is_null()).then(|| Vec::from_raw_parts(first, count, count))
    }
}

fn eighth(len: usize, least: usize) -> usize {
    (len / 8).max(least)
}

/// Heap bytes of a map, without those that its entries own. The table keeps one of eight places free and stores one extra
/// byte for each.
pub(crate) fn map_bytes<K, V>(map: &HashMap<K, V>) -> usize {
    map.capacity() * 8 / 7 * (size_of::<(K, V)>() + 1)
}

/// The bytes that an allocation of `bytes` takes on the heap: 8 more, rounded up to a multiple of 16, and at least 32, as in glibc and
/// others.
pub(crate) fn on_heap(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

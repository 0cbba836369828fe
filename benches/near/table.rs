//! A table of the near index and its rivals: nanoseconds of processor time for one query and one insertion, and bytes per fingerprint.
//!
//! Nine tenths of the fingerprints fill each index. The last tenth is measured in slices, each on all indexes in turn; the table shows
//! medians. `mih-rs` is built once and cannot grow, so only its queries are measured. gaoya finds at most distance 3.
//!
//! ```text
//! cargo bench --bench near                                        10⁵ and 10⁶
//! QUCHONG_NEAR=10000000 cargo bench --bench near -- none          10⁷, without gaoya, which would take 10 GB
//! QUCHONG_NEAR=100000000:ours cargo bench --bench near -- none    ours alone: 9 GB
//! ```
//! With `QUCHONG_NEAR_WRITE=DIR`, the fingerprints of each shape are written to a file, 8 bytes each, for programs in other languages.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use gaoya::simhash::SimHashIndex;
use mih_rs::Index as Mih;
use quchong::near::bands::BandTables;

use super::{Index, Within3, bits, mix, posts, random};

/// Number of slices of the last tenth.
const SLICES: usize = 20;

/// Returns the nanoseconds of processor time of this thread; outside Linux, the elapsed time.
fn ran() -> u64 {
    #[cfg(target_os = "linux")]
    return Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime))
        .map_or(0, |ran| ran.as_nanos() as u64);
    #[cfg(not(target_os = "linux"))]
    return START.elapsed().as_nanos() as u64;
}

#[cfg(not(target_os = "linux"))]
static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);

/// Counts the allocated bytes, for one thread. The resident size would not change when freed memory is used again.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

fn held(more: usize, less: usize) {
    HELD.store(HELD.load(Relaxed).wrapping_add(more).wrapping_sub(less), Relaxed);
}

// SAFETY: all work is done by the system allocator; only sizes are recorded.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        held(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        held(layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        held(0, layout.size());
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        held(size, layout.size());
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A filled index that answers slice after slice.
trait Turn {
    fn slice(&mut self, values: &[u64], from: u32);
}

struct Grows<I>(I);

impl<I: Index> Turn for Grows<I> {
    fn slice(&mut self, values: &[u64], from: u32) {
        for (value, number) in values.iter().zip(from..) {
            black_box(self.0.ask(*value));
            self.0.insert(*value, number);
        }
    }
}

struct Fixed(Mih<u64>);

impl Turn for Fixed {
    fn slice(&mut self, values: &[u64], _: u32) {
        let mut searcher = self.0.range_searcher();
        for value in values {
            black_box(searcher.run(*value, 4));
        }
    }
}

fn grows<I: Index + 'static>(values: &[u64], size: u64) -> Box<dyn Turn> {
    let mut index = I::new(size);
    values.iter().zip(0..).for_each(|(value, number)| index.insert(*value, number));
    Box::new(Grows(index))
}

fn fixed(values: &[u64]) -> Box<dyn Turn> {
    Box::new(Fixed(Mih::new(values.to_vec()).expect("values to index")))
}

/// An index with the bytes and seconds that it took to fill it, and the nanoseconds per fingerprint of each slice.
struct Row {
    name: &'static str,
    turn: Box<dyn Turn>,
    bytes: usize,
    seconds: f64,
    spent: Vec<u64>,
}

/// Prints one row for each index.
fn race(shape: &str, values: &[u64], ours_alone: bool) {
    let size = values.len();
    let (full, rest) = values.split_at(size - size / 10);
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name, make: &dyn Fn() -> Box<dyn Turn>| {
        let (before, start) = (HELD.load(Relaxed), Instant::now());
        let turn = make();
        let (bytes, seconds) = (HELD.load(Relaxed) - before, start.elapsed().as_secs_f64());
        rows.push(Row { name, turn, bytes, seconds, spent: Vec::new() });
    };
    add("ours", &|| grows::<BandTables>(full, size as u64));
    if !ours_alone {
        add("ours, distance 3", &|| grows::<Within3>(full, size as u64));
        // On a flood, these would take minutes.
        if ["random", "posts"].contains(&shape) {
            add("mih-rs, query alone", &|| fixed(full));
            if size <= 1_000_000 {
                add("gaoya, distance 3", &|| grows::<SimHashIndex<u64, u32>>(full, size as u64));
            }
        }
    }
    let step = (rest.len() / SLICES).max(1);
    for (i, slice) in rest.chunks(step).enumerate() {
        for Row { turn, spent, .. } in &mut rows {
            let before = ran();
            turn.slice(slice, (full.len() + i * step) as u32);
            spent.push((ran() - before) / slice.len() as u64);
        }
    }
    for Row { name, bytes, seconds, mut spent, .. } in rows {
        spent.sort_unstable();
        let ns = spent[spent.len() / 2];
        eprintln!("| {size} | {shape} | {name} | {ns} | {} | {seconds:.1} |", bytes / full.len());
    }
}

/// Fingerprints that agree in the bits of `mask`.
fn shared(size: usize, mask: u64) -> Vec<u64> {
    (0..size as u64).map(|i| random(i) & !mask | 0x0123_4567_89AB_CDEF & mask).collect()
}

/// Fingerprints that differ from one centre in 8 bits.
fn ball(size: usize) -> Vec<u64> {
    (0..size as u64).map(|i| 0x0123_4567_89AB_CDEF ^ bits(i, 8)).collect()
}

/// Fingerprints of real posts, extended by flipping bits: a quarter of the added ones are near repeats with 1 to 4 bits flipped, the rest
/// have 6 to 12.
fn as_posts(size: usize, posts: &[u64]) -> Vec<u64> {
    let of = |i: usize| match (posts.get(i), mix(!(i as u64))) {
        (Some(post), _) => *post,
        (None, by) if by % 4 == 0 => posts[i % posts.len()] ^ bits(by, 1 + (by >> 32) as u32 % 4),
        (None, by) => posts[i % posts.len()] ^ bits(by, 6 + (by >> 32) as u32 % 7),
    };
    (0..size).map(of).collect()
}

pub(super) fn table() {
    let wanted = std::env::var("QUCHONG_NEAR").ok();
    // A filter argument selects other benches of criterion.
    if wanted.is_none() && std::env::args().skip(1).any(|argument| !argument.starts_with('-')) {
        return;
    }
    let (sizes, ours_alone) = match wanted.as_deref().map(|wanted| wanted.split_once(':').unwrap_or((wanted, ""))) {
        Some((sizes, who)) => (sizes.split(',').filter_map(|size| size.parse().ok()).collect(), who == "ours"),
        None => (vec![100_000, 1_000_000], false),
    };
    let posts = posts();
    if posts.is_empty() {
        eprintln!("near: no ../shared/data/weibo-dev.jsonl, so no fingerprints of real posts");
    }
    eprintln!("| fingerprints | shape | index | ns | bytes each | s to fill |");
    eprintln!("| --- | --- | --- | --- | --- | --- |");
    for size in sizes {
        let mut shapes = vec![("random", (0..size as u64).map(random).collect::<Vec<_>>())];
        if !posts.is_empty() {
            shapes.push(("posts", as_posts(size, &posts)));
        }
        if size <= 1_000_000 {
            shapes.push(("low 32 bits alike", shared(size, 0xFFFF_FFFF)));
            shapes.push(("high 32 bits alike", shared(size, 0xFFFF_FFFF << 32)));
            shapes.push(("any 32 bits alike", shared(size, bits(5, 32))));
            shapes.push(("8 bits from a centre", ball(size)));
        }
        for (shape, values) in shapes {
            if let Ok(folder) = std::env::var("QUCHONG_NEAR_WRITE") {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                std::fs::write(format!("{folder}/{}-{size}.bin", shape.replace(' ', "-")), bytes).expect("a folder");
            }
            race(shape, &values, ours_alone);
        }
    }
}

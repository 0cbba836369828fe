//! The command-line tool.

use std::process::ExitCode;

fn main() -> ExitCode {
    quchong::cli::main()
}

/// Asks Linux for large pages. Tables are read at random; with small pages most reads miss the TLB.
#[cfg(target_os = "linux")]
mod large_pages {
    use std::alloc::{GlobalAlloc, Layout, System};

    use rustix::mm::{Advice, madvise};

    #[global_allocator]
    static ALLOCATOR: LargePages = LargePages;

    /// The system's allocator.
    struct LargePages;

    /// Bytes of an allocation that is sure to contain a whole large page.
    const LARGE: usize = 4 << 20;

    /// Bytes of the largest small page.
    const SMALL_PAGE: usize = 1 << 16;

    /// Asks for large pages for a new allocation of `size` bytes. A kernel without large pages refuses, which does no harm.
    #[inline]
    fn ask(at: *mut u8, size: usize) -> *mut u8 {
        let skipped = at.align_offset(SMALL_PAGE);
        if size >= LARGE && !at.is_null() && skipped < size {
            // SAFETY: the bytes belong to the allocation, and advice does not change them.
            let _ = unsafe { madvise(at.add(skipped).cast(), size - skipped, Advice::LinuxHugepage) };
        }
        at
    }

    // SAFETY: the system's allocator does all the work.
    unsafe impl GlobalAlloc for LargePages {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ask(unsafe { System.alloc(layout) }, layout.size())
        }
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            ask(unsafe { System.alloc_zeroed(layout) }, layout.size())
        }
        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            unsafe { System.dealloc(at, layout) }
        }
        unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            ask(unsafe { System.realloc(at, layout, size) }, size)
        }
    }
}

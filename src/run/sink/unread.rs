//! How much of what went into a pipe its reader may not have taken.

use std::collections::VecDeque;

/// Bytes that a pipe holds, unless a program asked the system for another size.
const PIPE: usize = 64 << 10;

/// Counts the lines of the last writes.
#[derive(Default)]
pub(super) struct Unread {
    /// Bytes and line ends of each write, newest last; together at least what a pipe holds, once that much was written.
    writes: VecDeque<(usize, usize)>,
    bytes: usize,
}

impl Unread {
    /// Notes a write.
    pub(super) fn wrote(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let held = &bytes[bytes.len().saturating_sub(PIPE)..];
        self.writes.push_back((held.len(), held.iter().filter(|byte| **byte == b'\n').count()));
        self.bytes += held.len();
        while let Some((first, _)) = self.writes.front().filter(|(first, _)| self.bytes - first >= PIPE) {
            self.bytes -= first;
            self.writes.pop_front();
        }
    }

    /// The most lines that can still have been in the pipe.
    pub(super) fn lines(&self) -> u64 {
        self.writes.iter().map(|(_, lines)| *lines as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_while_a_pipe_can_hold_them() {
        let mut unread = Unread::default();
        unread.wrote(b"a\nb\n");
        unread.wrote(b"");
        assert_eq!(unread.lines(), 2);
        unread.wrote(&[b'c'; PIPE - 1]);
        assert_eq!(unread.lines(), 2, "the last byte of the first write can be there");
        unread.wrote(b"\n");
        assert_eq!(unread.lines(), 1);
        unread.wrote(&b"d\n".repeat(PIPE));
        assert_eq!(unread.lines(), PIPE as u64 / 2);
    }
}

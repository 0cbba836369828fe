//! A file that is cut while it is followed: it is read from its beginning, behind its copies.

use std::fs::Metadata;
use std::io;

use super::copies::{Copies, copies};
use super::folder::{rotated, stamp};
use super::{Follower, Next};

impl Follower {
    /// Copies beside the file that has the name, which is `live`; of what is being read, if it was cut.
    pub(super) fn copies_of(&mut self, live: &Metadata, is_cut: bool) -> io::Result<Copies> {
        self.listen();
        let now = Some(&self.now).filter(|_| is_cut);
        Ok(copies(&self.path, live, now, &mut self.known, &mut self.copies)?.unwrap_or_default())
    }

    /// Copies are read before all that waits.
    pub(super) fn queue(&mut self, found: Copies) {
        for (_, file) in found.later.into_iter().rev() {
            self.next.push_front(Next { is_copy: true, ..Next::new(file) });
        }
    }

    /// Looks whether the file that is being read was cut, and if so makes ready to read its copies, and then what stands there. Nothing of
    /// it may have been read: then whatever lies beside it was written and cut before.
    pub(super) fn mind_cuts(&mut self) -> io::Result<()> {
        let about = self.now.file.metadata()?;
        let is_first = self.now.offset == 0 && !self.now.is_copy && self.next.is_empty();
        if is_first && self.now.seen != Some(stamp(&about)) {
            self.now.seen = Some(stamp(&about));
            // It was cut since it was opened: nothing that stands there was answered.
            if about.len() < self.following.answered() {
                self.following.were_answered(0);
            }
            let found = self.copies_of(&about, false)?;
            self.tell_later(&found);
            if !found.later.is_empty() {
                self.start_over(found)?;
            }
        } else if self.now.is_cut()? {
            if self.now.is_copy {
                self.tell_copy_cut();
                self.now.is_over = true;
                return Ok(());
            }
            let found = self.copies_of(&about, true)?;
            self.tell_cut(&found);
            self.start_over(found)?;
        } else if self.next.is_empty() && self.copies.is_open() {
            let there = rotated(&self.path)?;
            self.listen();
            if !self.now.is_cut()? {
                self.copies.is_uncut(&there);
            }
        }
        Ok(())
    }

    /// The file in hand is read from its beginning, behind its copies.
    fn start_over(&mut self, mut found: Copies) -> io::Result<()> {
        self.following.were_answered(0);
        let rest = found.rest.take().and_then(|(_, _, file)| file);
        let cut = match rest {
            Some(copy) => {
                let cut = self.now.go_on_in(copy);
                self.tell_turn()?;
                cut
            }
            None => {
                self.now.is_over = true;
                self.now.file.try_clone()?
            }
        };
        self.next.push_front(Next { was_cut: true, ..Next::new(cut) });
        self.queue(found);
        Ok(())
    }
}

//! Handles a file that is cut while it is followed: it is read again from its beginning, after its copies.

use std::fs::Metadata;
use std::io;

use super::copies::{Copies, copies};
use super::folder::{rotated, stamp};
use super::{Follower, Next};

impl Follower {
    /// Finds the copies beside `live`, the file that has the name. If `is_cut`, also looks for the copy of what is being read.
    pub(super) fn copies_of(&mut self, live: &Metadata, is_cut: bool) -> io::Result<Copies> {
        self.listen();
        let now = Some(&self.now).filter(|_| is_cut);
        Ok(copies(&self.path, live, now, &mut self.known, &mut self.copies)?.unwrap_or_default())
    }

    /// Queues copies before all other files that wait.
    pub(super) fn queue(&mut self, found: Copies) {
        for (_, file) in found.later.into_iter().rev() {
            self.next.push_front(Next { is_copy: true, ..Next::new(file) });
        }
    }

    /// Checks whether the current file was cut. If so, prepares to read its copies, and then the file from its beginning. If nothing of
    /// the file has been read yet, copies beside it were written and cut before, and are read first, too.
    pub(super) fn mind_cuts(&mut self) -> io::Result<()> {
        let about = self.now.file.metadata()?;
        let is_first = self.now.offset == 0 && !self.now.is_final && self.next.is_empty();
        if is_first && self.now.stamp_at_last_copy_search != Some(stamp(&about)) {
            self.now.stamp_at_last_copy_search = Some(stamp(&about));
            // It was cut after it was opened, so nothing that is in it now was answered.
            if about.len() < self.following.answered() {
                self.following.set_answered(0);
            }
            let found = self.copies_of(&about, false)?;
            self.tell_later(&found);
            if !found.later.is_empty() {
                self.start_over(found)?;
            }
        } else if self.now.is_cut()? {
            if self.now.is_final {
                self.tell_copy_cut();
                self.now.is_given_up = true;
                return Ok(());
            }
            let found = self.copies_of(&about, true)?;
            self.tell_cut(&found);
            self.start_over(found)?;
        } else if self.next.is_empty() && self.copies.is_open() {
            let there = rotated(&self.path)?;
            self.listen();
            if !self.now.is_cut()? {
                self.copies.note_uncut(&there);
            }
        }
        Ok(())
    }

    /// Reads the current file again from its beginning, after its copies.
    fn start_over(&mut self, mut found: Copies) -> io::Result<()> {
        self.following.set_answered(0);
        let rest = found.rest.take().and_then(|(_, _, file)| file);
        let cut = match rest {
            Some(copy) => {
                let cut = self.now.go_on_in(copy);
                self.tell_turn()?;
                cut
            }
            None => {
                self.now.is_given_up = true;
                self.now.file.try_clone()?
            }
        };
        self.next.push_front(Next { was_cut: true, ..Next::new(cut) });
        self.queue(found);
        Ok(())
    }
}

//! The messages about what cannot be read.

use super::Follower;
use super::arrivals::Missing;
use super::copies::Copies;
use super::folder::{identity, packed, rotated};
use crate::locale::tr;

impl Follower {
    /// Reports files that had the name and are not read.
    pub(super) fn tell_missing(&self, missing: Missing) {
        let file = self.path.display();
        let message = match missing {
            Missing::Files(files) => tr!(
                "{file}: 1 file that had this name while nobody could look is not in its folder any more under a name like it, packed or \
                 not, and not read: all of its lines are lost, how many is not known; leave rotated files there until they are read"
                    | "{file}: {n} files that had this name while nobody could look are not in its folder any more under a name like \
                       it, packed or not, and not read: all of their lines are lost, how many is not known; leave rotated files there \
                       until they are read"
                        % files,
                file = file
            ),
            Missing::Unknown => tr!(
                "{file}: for a while nobody could look, and files that had this name then may be not in its folder any more under a name \
                 like it, packed or not, and not read: all of their lines are lost, how many is not known; leave rotated files there \
                 until they are read",
                file
            ),
        };
        (self.following.report)(&message);
    }

    /// Reports rotated files that were not read to their ends when the run had to stop.
    pub(super) fn tell_unread(&self) {
        let files = self.next.iter().map(|next| (&next.file, 0)).rev();
        // The newest file still has the name, and is not rotated.
        let unread =
            files.chain([(&self.now.file, if self.now.packed.is_some() { 0 } else { self.now.offset })]).skip(1);
        let there = rotated(&self.path).into_iter().chain(packed(&self.path)).flatten();
        let there: Vec<_> = there.map(|(path, about)| (identity(&about), path)).collect();
        let (mut names, mut bytes) = (Vec::new(), 0);
        for (file, offset) in unread {
            let Ok(about) = file.metadata() else { continue };
            let path =
                there.iter().find(|(its, _)| *its == identity(&about)).map(|(_, path)| path.display().to_string());
            names.push(path.unwrap_or_else(|| tr!("one that was deleted")));
            bytes += about.len().saturating_sub(offset);
        }
        if !names.is_empty() {
            (self.following.report)(&tr!(
                "{}: {n} rotated file was not read to its end when the run had to stop, {bytes} bytes of it: {}; the next run with this \
                 --state reads it if it still lies there, and without --state its lines are lost"
                    | "{}: {n} rotated files were not read to their ends when the run had to stop, {bytes} bytes of them: {}; the next \
                       run with this --state reads those that still lie there, and without --state their lines are lost"
                        % names.len(),
                self.path.display(),
                names.join(", "),
                bytes = bytes
            ));
        }
    }

    /// Reports a cut and what is known of the loss.
    pub(super) fn tell_cut(&self, found: &Copies) {
        // What the run before has answered counts as read, though this run is still skipping it.
        let answered = self.following.answered();
        let read = if self.total < answered { answered } else { self.now.offset };
        let (file, length) = (self.path.display(), self.now.length);
        let told = match &found.rest {
            Some((path, copied, _)) => {
                let lost = match length.max(read).saturating_sub(read.max(*copied)) {
                    0 => tr!("Lines written between copying and truncating are lost, if there were any"),
                    bytes => tr!("At least {bytes} bytes written between copying and truncating are lost", bytes),
                };
                tr!("The rest is read from its copy {}, then the file from its beginning. {lost}", path.display(), lost)
            }
            None => {
                let lost = match length.saturating_sub(read) {
                    0 => tr!("Lines that were written after that are lost, if there were any"),
                    bytes => tr!("At least {bytes} bytes that were written after that are lost", bytes),
                };
                tr!(
                    "There is no copy beside it. {lost}. It is read from its beginning; rotate by renaming, or leave the copy beside it",
                    lost
                )
            }
        };
        (self.following.report)(&tr!(
            "{file}: was truncated after {read} bytes of it were read. {told}",
            file,
            read,
            told
        ));
        self.tell_later(found);
    }

    /// Reports copies of what was written and cut before anybody looked.
    pub(super) fn tell_later(&self, found: &Copies) {
        let file = self.path.display();
        if !found.later.is_empty() {
            let names: Vec<String> = found.later.iter().map(|(path, _)| path.display().to_string()).collect();
            (self.following.report)(&tr!(
                "{file}: was written to and cut again before that could be seen, {} times: its copies are read whole ({}); what was \
                 written between a copy and its cut is lost, how much is not known",
                names.len(),
                names.join(", "),
                file
            ));
        }
        if found.missing > 0 {
            (self.following.report)(&tr!(
                "{file}: {} more copies of it were written, and are not beside it any more, or replaced by later ones: if it was cut behind \
                 each, all of their lines that were not read are lost, how many is not known; give each copy a name of its own, and leave it \
                 there, unpacked, until it is read",
                found.missing,
                file
            ));
        }
    }

    /// Reports that a copy was overwritten while it was read.
    pub(super) fn tell_copy_cut(&self) {
        let (file, read) = (self.path.display(), self.now.offset);
        let lost = match self.now.length.saturating_sub(read) {
            0 => tr!("what stood behind them is lost, if anything did"),
            bytes => tr!("{bytes} bytes behind them are lost", bytes),
        };
        (self.following.report)(&tr!(
            "{file}: its copy was replaced when {read} bytes of it were read: {lost}; give each copy a name of its own",
            file,
            read,
            lost
        ));
    }
}

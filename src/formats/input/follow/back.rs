//! Finds where to begin a run that follows a file after another run.

use std::fs::{File, Metadata};
use std::io::{self, Seek};
use std::path::PathBuf;
use std::time::SystemTime;

use super::folder::{identity, is_same, made, packed, rotated, stamp, written};
use super::held::Held;
use super::trail::Followed;
use super::{Follower, Next};
use crate::locale::tr;

/// A rotated file, in the folder of the followed file.
struct Beside {
    path: PathBuf,
    about: Metadata,
    is_packed: bool,
}

impl Beside {
    /// The sort key of the file: its age, then its name.
    fn key(&self) -> (Option<(SystemTime, SystemTime)>, usize, PathBuf) {
        let key = if self.is_packed { written(&self.about) } else { made(&self.about) };
        (key, self.path.as_os_str().len(), self.path.clone())
    }

    /// Opens the file and goes to where the run before stopped, if this is the file which that run read, or a copy of it.
    fn left(&self, since: &Followed, is_cut: bool) -> io::Result<Option<Held>> {
        let is_it = since.is(&identity(&self.about));
        let may_be = is_it || is_cut && since.is_known() || self.is_packed && since.may_be_packed_in(&self.about);
        if !may_be {
            return Ok(None);
        }
        let mut file = File::open(&self.path)?;
        if !self.is_packed {
            let mut held = Held::new(file.try_clone()?, is_cut);
            return Ok((since.stands_in(&mut file)? && held.go_to(since.offset)?).then_some(held));
        }
        let mut held = Held::begin(file, Some(self.path.clone()), true)?;
        // A file that cannot be unpacked is not taken for it.
        Ok((held.go_to(since.offset).unwrap_or(false) && since.ends_in(&held)).then_some(held))
    }

    fn next(&self, is_copy: bool) -> io::Result<Next> {
        let packed = self.is_packed.then(|| self.path.clone());
        Ok(Next { is_copy, packed, ..Next::new(File::open(&self.path)?) })
    }
}

impl Follower {
    /// Begins where the run before stopped. If the file was rotated or cut since, begins with the rest of the rotated file or the copy,
    /// and queues the files that came after it. After a run over another input, only the same file is continued. Returns the message to
    /// report, if there is one.
    ///
    /// # Errors
    /// A file cannot be read. The kind is `NotFound` if a file was rotated, packed or deleted meanwhile.
    pub(super) fn go_back(&mut self, since: &Followed, about: &Metadata) -> io::Result<Option<String>> {
        let is_it = since.is(&identity(about));
        // An earlier try may have set it.
        self.following.set_answered(0);
        if !is_it && since.is_of_another {
            return Ok(None);
        }
        if is_it && since.stands_in(&mut self.now.file)? {
            // The file is read from its beginning, which shows the encoding, the format and the line numbers, and the answered part is
            // skipped. A table is not skipped, because the output needs its header.
            self.now.file.rewind()?;
            if !self.following.in_parts {
                self.following.set_answered(since.offset);
            }
            return Ok(None);
        }
        let is_cut = is_it;
        let beside = |is_packed| move |(path, about)| Beside { path, about, is_packed };
        let mut there: Vec<Beside> = rotated(&self.path)?.into_iter().map(beside(false)).collect();
        there.extend(packed(&self.path)?.into_iter().map(beside(true)));
        there.retain(|file| !is_same(&file.about, about));
        there.sort_by_cached_key(Beside::key);
        let mut left = None;
        for (at, file) in there.iter().enumerate() {
            if let Some(held) = file.left(since, is_cut)? {
                left = Some((at, held));
                break;
            }
        }
        let later: Vec<&Beside> = match &left {
            Some((first, _)) => there[first + 1..].iter().collect(),
            None => there.iter().filter(|file| since.is_before(&file.about, file.is_packed)).collect(),
        };
        for file in &later {
            self.next.push_back(file.next(is_cut)?);
            self.known.insert(identity(&file.about), Some(stamp(&file.about)));
        }
        self.next.push_back(Next { was_cut: is_cut, ..Next::new(self.now.file.try_clone()?) });
        let (path, behind) = (self.path.display(), since.offset);
        let message = match &left {
            Some(_) if is_cut => Some(tr!(
                "{path}: was truncated after the last run had read {behind} bytes of it. The rest is read from its copy, then the file from \
                 its beginning. Lines written between copying and truncating are lost, if there were any",
                path,
                behind
            )),
            Some(_) => None,
            None => {
                let names: Vec<String> = later.iter().map(|file| file.path.display().to_string()).collect();
                let then = match &names[..] {
                    [] => String::new(),
                    names => tr!(", and files that were made later are read ({})", names.join(", ")),
                };
                Some(tr!(
                    "{path}: the run before had read {behind} bytes of a file that had this name, and neither it nor a copy of it, packed or \
                     not, is in the folder any more under a name like it: what was written to it since is lost, how much is not known{then}; \
                     leave rotated files there until they are read",
                    path,
                    behind,
                    then
                ))
            }
        };
        match left {
            // The header is at the beginning of the file.
            Some((_, held)) if self.following.in_parts => {
                self.now = Held::begin(held.file, held.packed.map(|(path, _)| path), held.is_final)?;
            }
            Some((_, held)) => self.now = held,
            None => self.now.is_given_up = true,
        }
        Ok(message)
    }
}

//! Finds where to begin a run that follows a file after another run.

use std::fs::{File, Metadata};
use std::io::{self, Seek};

use super::beside::{Age, Beside, all_beside, sort};
use super::folder::{identity, stamp};
use super::held::{Ending, Held};
use super::names::Rule;
use super::trail::Followed;
use super::{Follower, Next};
use crate::locale::tr;

/// Opens a file and goes to where the run before stopped, if this is the file which that run read, or a copy of it.
fn left_in(file: &Beside, since: &Followed, is_cut: bool) -> io::Result<Option<Held>> {
    let may_be = match file.is_packed {
        true => since.is_known() && (is_cut || file.may_be_packed_after(since.times()[0])),
        false => since.is(&identity(&file.about)) || is_cut && since.is_known(),
    };
    if !may_be {
        return Ok(None);
    }
    let mut opened = File::open(&file.path)?;
    if !file.is_packed {
        let mut held = Held::new(opened.try_clone()?, is_cut);
        return Ok((since.stands_in(&mut opened)? && held.go_to(since.offset)?).then_some(held));
    }
    let mut held = Held::begin(opened, Some(file.path.clone()), true)?;
    // A file that cannot be unpacked is not taken for it.
    Ok((held.go_to(since.offset).unwrap_or(false) && since.ends_in(&held)).then_some(held))
}

/// The rotated files, sorted by age, and which of them is the one that the run before read, with that file at the place after it.
struct Found {
    there: Vec<Beside>,
    rule: Rule,
    left: Option<(usize, Held)>,
}

impl Follower {
    /// Begins where the run before stopped. If the file was rotated or cut since, begins with the rest of the rotated file or the copy,
    /// and queues the files that came after it. After a run over another input, only the same file is continued. Returns the
    /// messages to report.
    ///
    /// # Errors
    /// A file cannot be read. The kind is `NotFound` if a file was rotated, packed or deleted meanwhile.
    pub(super) fn go_back(&mut self, since: &Followed, about: &Metadata) -> io::Result<Vec<String>> {
        let is_it = since.is(&identity(about));
        // An earlier try may have set it.
        self.following.set_answered(0);
        if !is_it && since.is_of_another {
            return Ok(Vec::new());
        }
        self.read = since.read.iter().copied().collect();
        if is_it && since.stands_in(&mut self.now.file)? {
            // The file is read from its beginning, which shows the encoding, the format and the line numbers, and the answered part is
            // skipped. A table is not skipped, because the output needs its header.
            self.now.file.rewind()?;
            if !self.following.in_parts {
                self.following.set_answered(since.offset);
            }
            return Ok(Vec::new());
        }
        let is_cut = is_it;
        let Found { there, rule, left } = self.find_left(since, about, is_cut)?;
        let (later, doubtful) = self.later(since, is_cut, &there, rule, left.as_ref().map(|(at, _)| *at))?;
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
            // Nothing of the file was read, so that a packed one is not recognised; it is one of those that are read.
            None if !since.is_known() && later.iter().any(|file| file.is_packed) => None,
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
        Ok(message.into_iter().chain(self.doubts(&doubtful)).collect())
    }

    /// Finds the file that the run before read, or a copy of it, among the rotated files.
    fn find_left(&self, since: &Followed, about: &Metadata, is_cut: bool) -> io::Result<Found> {
        let mut there = all_beside(&self.path, about)?;
        let mut rule = sort(&mut there);
        for (at, file) in there.iter().enumerate().filter(|(_, file)| !file.is_packed) {
            if let Some(held) = left_in(file, since, is_cut)? {
                return Ok(Found { left: Some((at, held)), there, rule });
            }
        }
        // Logs that begin alike are confused if little was read. One that was read to its end comes last.
        let mut left = None;
        for file in there.iter().filter(|file| file.is_packed) {
            let Some(held) = left_in(file, since, is_cut)? else { continue };
            let was_read = self.was_read(file)?;
            if !was_read || left.is_none() {
                left = Some((file.path.clone(), held));
            }
            if !was_read {
                break;
            }
        }
        let Some((path, held)) = left else { return Ok(Found { there, rule, left: None }) };
        if !is_cut {
            there.iter_mut().filter(|file| file.path == path).for_each(|file| file.made = since.times()[0]);
            rule = sort(&mut there);
        }
        let at = there.iter().position(|file| file.path == path);
        Ok(Found { left: at.map(|at| (at, held)), there, rule })
    }

    /// The files that are read after the one that the run before read, whose index is `left`, in their order; and those of them of which
    /// it is not known that they are newer.
    fn later<'b>(
        &self,
        since: &Followed,
        is_cut: bool,
        there: &'b [Beside],
        rule: Rule,
        left: Option<usize>,
    ) -> io::Result<(Vec<&'b Beside>, Vec<&'b Beside>)> {
        let [born, noted] = since.times();
        let made = left.and_then(|at| there[at].made);
        // A copy was made after the file that was cut, and perhaps long after others that were read.
        let begun = if is_cut { made.or(noted) } else { born.or(made).or(noted) };
        let others = there.iter().enumerate().filter(|(at, _)| Some(*at) != left);
        let ages: Vec<(&Beside, Age)> = others.map(|(_, file)| (file, file.age(begun, noted))).collect();
        let is_told = |(file, age): &(&'b Beside, Age)| (*age != Age::Unknown).then_some((*file, Some(*age)));
        let mut told: Vec<_> = ages.iter().filter_map(is_told).collect();
        told.extend(left.map(|at| (&there[at], None)));
        let (mut later, mut doubtful) = (Vec::new(), Vec::new());
        for (file, age) in ages {
            let age = if age == Age::Unknown { file.age_by_name(rule, &told) } else { age };
            let is_doubtful = age == Age::Unknown && !self.was_read(file)?;
            later.extend((age == Age::Newer || is_doubtful).then_some(file));
            doubtful.extend(is_doubtful.then_some(file));
        }
        Ok((later, doubtful))
    }

    /// Whether a packed file is one of those that were read last, by its ending.
    fn was_read(&self, file: &Beside) -> io::Result<bool> {
        let ending = Ending::unpacked(File::open(&file.path)?, &file.path)?;
        Ok(ending.is_some_and(|ending| self.read.contains(&ending)))
    }

    /// Reports files that may have been read before, and are read.
    fn doubts(&self, files: &[&Beside]) -> Option<String> {
        let names: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
        (!names.is_empty()).then(|| {
            tr!(
                "{}: a run before may have read {n} packed file, which is read now ({}): neither its time nor its name shows its age. What \
                 the state knows is dropped; what a window has forgotten is kept again. Keep the time when you pack a file (gzip FILE), or \
                 name rotated files by the date"
                    | "{}: a run before may have read {n} packed files, which are read now ({}): neither their times nor their names show \
                       their age. What the state knows is dropped; what a window has forgotten is kept again. Keep the time when you pack \
                       a file (gzip FILE), or name rotated files by the date"
                        % names.len(),
                self.path.display(),
                names.join(", ")
            )
        })
    }
}

//! The files that a command reads and writes. A file that is written may have no second use.

mod own;
mod same;

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::file::is_elsewhere;
use crate::formats::compression::{Compression, HEADER, first_bytes, first_line, last_byte};
use crate::run::sink::{Stream, Written};
use anyhow::{Context, anyhow, bail, ensure};

use super::durable::refuse_in_state;
use super::stdout::{is_broken_off, lock_stdout, stream};
use crate::locale::tr;
pub(crate) use own::{refuse_own_archive, refuse_own_input};
use same::{is_same, is_same_stream};

/// A file in use, and what it is used for.
struct Use {
    what: String,
    is_read: bool,
    about: Metadata,
}

/// A file that is open for writing and not written yet.
pub(crate) struct Target {
    /// The file as the user named it.
    pub(crate) name: String,
    option: String,
    file: File,
    remove_if_unused: RemoveIfUnused,
}

/// A file that was made for a run, and is removed if the run is refused before it writes.
struct RemoveIfUnused(Option<PathBuf>);

impl Drop for RemoveIfUnused {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // If this fails, an empty file stays. That must not hide the reason of the refusal.
            let _ = fs::remove_file(path);
        }
    }
}

impl Target {
    /// Returns the file, emptied if it is a regular file.
    ///
    /// # Errors
    /// The file cannot be emptied.
    pub(crate) fn emptied(self) -> io::Result<File> {
        self.cut_to(0)
    }

    /// Returns the file, to be written after its first `length` bytes. A regular file is cut to that length.
    ///
    /// # Errors
    /// The file cannot be cut.
    pub(crate) fn cut_to(mut self, length: u64) -> io::Result<File> {
        self.remove_if_unused.0 = None;
        if self.file.metadata()?.is_file() {
            self.file.set_len(length)?;
            self.file.seek(SeekFrom::Start(length))?;
        }
        Ok(self.file)
    }

    /// Makes the file a stream that continues after what an earlier run had written. It is compressed as the file name says; for
    /// `members` see [`Stream::packed`]. If it `follows_name`, and its name goes to another file, the records go on there;
    /// otherwise the stream fails at its end.
    ///
    /// # Errors
    /// The file cannot be cut.
    pub(crate) fn stream(self, written: Written, members: bool, follows_name: bool) -> anyhow::Result<Stream> {
        let name = self.name.clone();
        let stream = if self.is_file() {
            Stream::file(&name, self.cut_to(written.length).with_context(|| name.clone())?, written)
        } else {
            Stream::new(&name, Box::new(self.emptied().with_context(|| name.clone())?))
        };
        let stream = if follows_name { stream.following_name() } else { stream.keeping_name() };
        Ok(stream.packed(Compression::of_path(name.as_ref()), members))
    }

    /// The option that names the file, and the file's name.
    pub(crate) fn used_as(&self) -> String {
        format!("{} {}", self.option, self.name)
    }

    /// Whether it is a regular file with content, which could be lost.
    pub(crate) fn has_content(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.is_file() && about.len() > 0)
    }

    /// Whether it is a regular file with records, which could be lost. If `is_headed`, a single line does not count, because it is the
    /// header of a table.
    pub(crate) fn has_records(&self, is_headed: bool) -> bool {
        self.has_content()
            && !(is_headed && File::open(&self.name).is_ok_and(|file| is_one_line(file).unwrap_or(false)))
    }

    /// The existing content, after which the output continues, and whether its last line may be broken off.
    ///
    /// # Errors
    /// The file cannot be read, or is UTF-16.
    pub(crate) fn end(&self) -> anyhow::Result<(Written, bool)> {
        if !self.has_content() {
            return Ok((Written::default(), false));
        }
        let mut mark = Vec::new();
        File::open(&self.name)
            .and_then(|file| file.take(2).read_to_end(&mut mark))
            .with_context(|| self.name.clone())?;
        if matches!(mark[..], [0xff, 0xfe] | [0xfe, 0xff]) {
            bail!(tr!(
                "--append: {} is UTF-16, to which no lines can be added; name another output, or convert it to UTF-8",
                self.name
            ));
        }
        let packed = Compression::of_path(self.name.as_ref());
        if packed != Compression::of_file(File::open(&self.name).with_context(|| self.name.clone())?) {
            bail!(tr!(
                "--append: {} is not compressed as its name says, so nothing can be added; name another output",
                self.name
            ));
        }
        let end = || {
            let mut file = File::open(&self.name)?;
            let length = file.seek(SeekFrom::End(0))?;
            if packed.is_none() {
                file.seek(SeekFrom::Start(length.saturating_sub(1)))?;
            } else {
                file.rewind()?;
            }
            Ok::<_, io::Error>((length, last_byte(file)?))
        };
        let (length, last) = end().with_context(|| self.name.clone())?;
        Ok((Written::after(length, last.is_none_or(|last| last == b'\n')), is_broken_off(last)))
    }

    /// The first line that is not blank, without its line end; `None` if there is none, or if it cannot be read.
    pub(crate) fn first_line(&self) -> Option<Vec<u8>> {
        first_line(self.name.as_ref())
    }

    /// Whether it is a regular file, which keeps what is written.
    pub(crate) fn is_file(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.is_file())
    }

    /// Empties the file and writes `text` to it.
    ///
    /// # Errors
    /// The file cannot be emptied or written, or is not under its name any more.
    pub(crate) fn write(self, text: &str) -> anyhow::Result<()> {
        let name = self.name.clone();
        let written = self.emptied().and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            match is_elsewhere(&file, name.as_ref()) {
                true => Err(io::Error::other(tr!(
                    "was moved away or removed while it was written, so what was written is not there; move it back"
                ))),
                false => Ok(()),
            }
        });
        written.context(name)
    }
}

/// How a file is opened for writing. Each write goes to its end: if another program empties the file, as a rotation by `copytruncate` does,
/// the next write begins it anew. A write at the old place would leave a gap of zeros before it.
fn for_writing() -> OpenOptions {
    let mut options = OpenOptions::new();
    // On Windows a file that is opened for appending cannot be cut.
    if cfg!(unix) {
        options.append(true)
    } else {
        options.write(true)
    };
    options
}

/// Opens the files that options name for writing. This comes before the work, so that a file that cannot be written is refused at once.
/// `reads` are the files that are read; `-` is standard input, and so is an empty list. With `to_stdout`, standard output is written too.
///
/// # Errors
/// A file cannot be written, or is in use twice, standard output included.
pub(crate) fn open_outputs<const N: usize>(
    reads: &[PathBuf],
    to_stdout: bool,
    outputs: [(&str, &Option<PathBuf>); N],
) -> anyhow::Result<[Option<Target>; N]> {
    let mut files = Files::default();
    files.read_all(reads);
    if to_stdout {
        files.stdout()?;
    }
    let mut targets = [const { None }; N];
    for (target, (option, path)) in targets.iter_mut().zip(outputs) {
        *target = path.as_deref().map(|path| files.write(option, path)).transpose()?;
    }
    files.refuse_double_use()?;
    Ok(targets)
}

/// Refuses a file that an option replaces again and again, if the run has another use for it: as an input, as standard output under
/// `to_stdout`, or as one of `outputs`, which are open.
///
/// # Errors
/// The message names both uses of the file.
#[cfg(feature = "metrics")]
pub(crate) fn refuse_use(
    reads: &[PathBuf],
    to_stdout: bool,
    outputs: &[&Option<Target>],
    option: &str,
    path: &Path,
) -> anyhow::Result<()> {
    let mut files = Files::default();
    reads.iter().for_each(|path| files.read(path));
    if to_stdout {
        files.stdout()?;
    }
    for target in outputs.iter().filter_map(|target| target.as_ref()) {
        let about = target.file.metadata().with_context(|| target.name.clone())?;
        files.0.push(Use { what: target.name.clone(), is_read: false, about });
    }
    refuse_in_state(option, path)?;
    let what = format!("{option} {}", path.display());
    refuse_streams(&files, &what, fs::metadata(path).ok().as_ref())?;
    files.0.extend(fs::metadata(path).ok().map(|about| Use { what, is_read: false, about }));
    files.refuse_double_use()
}

/// Refuses a file that the shell has opened for standard output or standard error, unless the run already uses it as an output.
fn refuse_streams(files: &Files, what: &str, about: Option<&Metadata>) -> anyhow::Result<()> {
    for (number, stream_name) in [(1, tr!("standard output")), (2, tr!("standard error"))] {
        let is_it = |about: &&Metadata| stream(number).is_some_and(|stream| is_same(&stream, about));
        ensure!(
            about.is_none_or(|about| files.holds(about)) || about.filter(is_it).is_none(),
            tr!(
                "{what}: the shell has this file for {stream_name}, and it would be emptied; name another file",
                what,
                stream_name
            )
        );
    }
    Ok(())
}

/// Whether a path leads to standard output, as `/dev/stdout` does.
pub(crate) fn is_stdout(path: &Path) -> bool {
    let both = fs::metadata(path).ok().zip(stream(1));
    both.is_some_and(|(named, stdout)| is_same(&named, &stdout) || is_same_stream(&named, &stdout))
}

/// Whether the uncompressed content of a file is a single, complete line.
fn is_one_line(file: File) -> io::Result<bool> {
    let start = first_bytes(file, HEADER)?;
    let first = start.iter().position(|byte| *byte == b'\n').unwrap_or(start.len());
    // In UTF-16 a zero byte may follow the line end.
    Ok(matches!(start.get(first..), Some([b'\n'] | [b'\n', 0])))
}

/// Refuses outputs in the folder of a state, which must hold nothing but the state. `held_by` is the option that names the folder.
///
/// # Errors
/// The message names the output.
pub(crate) fn refuse_inside(
    held_by: &str,
    folder: &Path,
    to_stdout: bool,
    outputs: &[(&str, &Option<PathBuf>)],
) -> anyhow::Result<()> {
    let Ok(inside) = fs::canonicalize(folder) else { return Ok(()) };
    let why = tr!("is in the folder of {held_by}, where its own files are alone; name a file elsewhere", held_by);
    for (option, path) in outputs.iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
        let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let real = fs::canonicalize(path).or_else(|_| fs::canonicalize(parent));
        ensure!(
            !real.is_ok_and(|real| inside.is_dir() && real.starts_with(&inside)),
            "{option} {}: {why}",
            path.display()
        );
    }
    let (Some(stdout), Ok(files)) = (stream(1).filter(|_| to_stdout), fs::read_dir(&inside)) else { return Ok(()) };
    let mut held = files.filter_map(|file| file.ok()?.metadata().ok());
    ensure!(!held.any(|file| is_same(&file, &stdout)), tr!("standard output: {why}", why));
    Ok(())
}

/// The files that a run uses.
#[derive(Default)]
struct Files(Vec<Use>);

impl Files {
    /// Adds a file that is read; `-` is standard input.
    fn read(&mut self, path: &Path) {
        let (what, about) = match path.to_str() {
            Some("-") => (tr!("standard input"), stream(0)),
            _ => (path.display().to_string(), fs::metadata(path).ok()),
        };
        self.0.extend(about.map(|about| Use { what, is_read: true, about }));
    }

    /// Adds all files that are read; if there are none, standard input.
    fn read_all(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            self.read(Path::new("-"));
        }
        paths.iter().for_each(|path| self.read(path));
    }

    /// Adds standard output. If a shell opened a file for it, the file belongs to this run alone, as a named file does. Runs that only
    /// append to the file can share it.
    ///
    /// # Errors
    /// Another run writes the file.
    fn stdout(&mut self) -> anyhow::Result<()> {
        self.0.extend(stream(1).map(|about| Use { what: tr!("standard output"), is_read: false, about }));
        ensure!(lock_stdout(), tr!("standard output: another run writes this file; wait for it, or name another file"));
        Ok(())
    }

    /// Adds a file that an option names for writing, and opens it. It is opened only once, because the reader of a named pipe takes a
    /// second opening for another run. A missing file is created. Existing content stays until [`Target::emptied`].
    ///
    /// # Errors
    /// The file cannot be written.
    fn write(&mut self, option: &str, path: &Path) -> anyhow::Result<Target> {
        ensure!(
            path != Path::new("-"),
            tr!("{option}: standard output has its use; name a file (./- if it is called so)", option)
        );
        refuse_in_state(option, path)?;
        let name = path.display().to_string();
        let made = for_writing().create_new(true).open(path);
        let is_new = made.is_ok();
        let open = made.or_else(|_| for_writing().create(true).truncate(false).open(path));
        let (file, about) = open.and_then(|file| file.metadata().map(|about| (file, about))).map_err(|error| {
            let has_folder = path.parent().is_some_and(|folder| folder == Path::new("") || folder.is_dir());
            let reason = match error.kind() {
                io::ErrorKind::NotFound if !has_folder => {
                    tr!("its folder is not there; make it, or name another file")
                }
                io::ErrorKind::IsADirectory => tr!("is a folder; name a file in it"),
                _ => tr!("cannot be written: {error}; name another file", error),
            };
            anyhow!("{option} {name}: {reason}")
        })?;
        let remove_if_unused = RemoveIfUnused(is_new.then(|| path.to_owned()));
        refuse_streams(self, &format!("{option} {name}"), Some(&about))?;
        // The lock ends with the process. On a file system without locks, the file is used without one.
        if about.is_file() && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && !self.holds(&about) {
            bail!(tr!(
                "{option} {name}: another run writes this file; wait for it, or name another file",
                option,
                name
            ));
        }
        self.0.push(Use { what: format!("{option} {name}"), is_read: false, about });
        Ok(Target { name, option: option.to_owned(), file, remove_if_unused })
    }

    /// Whether this run already writes the file. That is refused with another message.
    fn holds(&self, about: &Metadata) -> bool {
        self.0.iter().any(|held| !held.is_read && is_same(&held.about, about))
    }

    /// Refuses a file that is written and has a second use: its content would be lost, or read without end.
    ///
    /// # Errors
    /// The message names both uses of the file.
    fn refuse_double_use(&self) -> anyhow::Result<()> {
        for (at, one) in self.0.iter().enumerate() {
            for other in &self.0[..at] {
                if !(one.is_read && other.is_read) && is_same(&one.about, &other.about) {
                    // Only a file that is read was there before.
                    bail!(match one.about.len() {
                        0 if one.is_read || other.is_read => tr!(
                            "{} and {} are the same file, and it is empty now: if `>` has emptied it, restore it, and write to \
                             another",
                            other.what,
                            one.what
                        ),
                        _ => tr!("{} and {} are the same file; name another", other.what, one.what),
                    });
                }
                if !one.is_read && !other.is_read && is_same_stream(&one.about, &other.about) {
                    bail!(tr!("{} and {} are the same stream; name a file", other.what, one.what));
                }
            }
        }
        Ok(())
    }
}

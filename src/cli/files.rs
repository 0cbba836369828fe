//! Which files a command reads and writes: none may be two of them.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use anyhow::{Context, bail};

/// A file in use, and what it is used for.
struct Use {
    what: String,
    is_read: bool,
    about: Metadata,
}

/// The files of a run.
#[derive(Default)]
pub struct Files(Vec<Use>);

impl Files {
    /// Adds a file that is read; `-` is standard input.
    pub fn read(&mut self, path: &Path) {
        let (what, about) = match path.to_str() {
            Some("-") => ("standard input".to_owned(), stream(0)),
            _ => (path.display().to_string(), fs::metadata(path).ok()),
        };
        self.0.extend(about.map(|about| Use { what, is_read: true, about }));
    }

    /// Adds standard output.
    pub fn stdout(&mut self) {
        self.0.extend(stream(1).map(|about| Use { what: "standard output".to_owned(), is_read: false, about }));
    }

    /// Adds a file that is written under an option. It is made if it is not there; what is in it stays for now.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, option: &str, path: &Path) -> anyhow::Result<()> {
        // A pipe with a name is opened once: its reader would take the end of this for the end of all.
        let special = fs::metadata(path).ok().filter(|about| !about.is_file() && !about.is_dir());
        let open = || OpenOptions::new().write(true).create(true).truncate(false).open(path)?.metadata();
        let about = special.map_or_else(open, Ok).with_context(|| path.display().to_string())?;
        self.0.push(Use { what: format!("{option} {}", path.display()), is_read: false, about });
        Ok(())
    }

    /// Refuses a file that is written and used once more: what it holds would be lost, or read without end.
    ///
    /// # Errors
    /// Both uses of the file.
    pub fn refuse_double_use(&self) -> anyhow::Result<()> {
        for (at, one) in self.0.iter().enumerate() {
            for other in &self.0[..at] {
                if !(one.is_read && other.is_read) && is_same(&one.about, &other.about) {
                    bail!("{} and {} are the same file; name another", other.what, one.what);
                }
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// What standard input (0) or standard output (1) is.
#[cfg(unix)]
fn stream(number: u8) -> Option<Metadata> {
    use std::os::fd::AsFd;
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let stream = if number == 0 { stdin.as_fd() } else { stdout.as_fd() };
    File::from(stream.try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(not(unix))]
fn stream(_: u8) -> Option<Metadata> {
    None
}

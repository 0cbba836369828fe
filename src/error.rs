//! One error type for the library. Every message names the setting, file, line or field at fault and what to do about it.
//!
//! The library writes a setting as `--max-distance` in its texts. [`Spelling`] adapts that to the user. The command line
//! leaves it so. Rust and Python write `max_distance`, because there it is a member or a keyword; `Display` does the same.

use crate::locale::tr;
use std::{fmt, io};

/// All errors of the library.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting has a value that cannot work.
    Config {
        /// The setting's name, such as `max-distance`; or an argument's name in the help, in capitals, such as `FILE`.
        setting: &'static str,
        /// What is wrong with its value and which values work.
        reason: String,
    },
    /// A file, or a standard stream, could not be opened, read or written.
    Io {
        /// The file as the user named it; `<stdin>` and `<stdout>` for the streams.
        path: String,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A record cannot be judged and `--on-error fail` was asked for.
    Record {
        /// The file as the user named it.
        path: String,
        /// 1-based line number in that file.
        line: u64,
        /// What is wrong with the record.
        reason: String,
    },
    /// A record, or the whole input, lacks something that a measurement needs.
    Unmeasurable {
        /// The file as the user named it.
        path: String,
        /// 1-based line number in that file; 0 if no single line is at fault.
        line: u64,
        /// Which field is wrong, and what was expected in it.
        reason: String,
    },
    /// Saved state cannot be used.
    State {
        /// The folder as the user named it, or a file in it, with the offset in the file if that is known.
        path: String,
        /// What is wrong, and what to do about it.
        reason: String,
    },
    /// A data structure has reached its limit.
    Limit(&'static str),
}

impl Error {
    /// Makes an [`Error::Config`].
    pub(crate) fn config(setting: &'static str, reason: impl Into<String>) -> Self {
        Self::Config { setting: setting.trim_start_matches("--"), reason: reason.into() }
    }

    /// Returns the error as text, with settings in this spelling.
    pub fn spelled(&self, spelling: Spelling) -> String {
        let told = |reason: &dyn fmt::Display| spelling.spell(&reason.to_string());
        match self {
            Self::Config { setting, reason } if setting.starts_with(|c: char| c.is_ascii_uppercase()) => {
                format!("{setting}: {}", told(reason))
            }
            Self::Config { setting, reason } => format!("{}: {}", told(&format!("--{setting}")), told(reason)),
            Self::Io { path, reason } => format!("{path}: {}", told(reason)),
            Self::Record { path, line, reason } => {
                let reason = tr!("{reason}; --on-error pass lets such records through untouched", reason);
                format!("{path}:{line}: {}", told(&reason))
            }
            Self::Unmeasurable { path, line: 0, reason } => format!("{path}: {}", told(reason)),
            Self::Unmeasurable { path, line, reason } => format!("{path}:{line}: {}", told(reason)),
            Self::State { path, reason } => format!("{path}: {}", told(reason)),
            Self::Limit(reason) => told(&tr!(reason)),
        }
    }

    /// Makes an [`Error::State`].
    pub(crate) fn state(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::State { path: path.into(), reason: reason.into() }
    }

    /// Makes an [`Error::Unmeasurable`] for a whole input.
    #[cfg(feature = "lab")]
    pub(crate) fn unmeasurable(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unmeasurable { path: path.into(), line: 0, reason: reason.into() }
    }

    /// Makes an [`Error::Io`] for a file whose content is not what it should be.
    pub(crate) fn invalid(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::io(path, io::Error::new(io::ErrorKind::InvalidData, reason.into()))
    }

    /// The reason why an input was judged only up to this line, counted from 1.
    pub(crate) fn from_line(reason: &dyn fmt::Display, line: u64) -> String {
        match line {
            1 => tr!("{reason}; nothing of this input was judged", reason),
            _ => tr!("{reason}; of this input, only what stands before line {line} was judged", reason, line),
        }
    }

    /// The same for a row of Parquet.
    #[cfg(feature = "parquet")]
    pub(crate) fn from_row(reason: &dyn fmt::Display, row: u64) -> String {
        match row {
            1 => tr!("{reason}; nothing of this input was judged", reason),
            _ => tr!("{reason}; of this input, only what stands before row {row} was judged", reason, row),
        }
    }

    /// Makes an [`Error::Io`].
    pub(crate) fn io(path: impl Into<String>, reason: io::Error) -> Self {
        Self::Io { path: path.into(), reason }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(Spelling::Member))
    }
}

impl std::error::Error for Error {}

/// How a setting is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `--max-distance`, on the command line.
    Flag,
    /// `max_distance`, as a member or a keyword.
    Member,
}

impl Spelling {
    /// Rewrites the settings in a text of the library, which are written as flags, in this spelling.
    pub fn spell(self, text: &str) -> String {
        if self == Self::Flag {
            return text.to_owned();
        }
        let (mut spelled, mut rest) = (String::new(), text);
        while let Some(at) = rest.find("--") {
            let (before, flag) = (&rest[..at], &rest[at + 2..]);
            let end = flag.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(flag.len());
            let is_flag = flag.starts_with(|c: char| c.is_ascii_lowercase())
                && !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/');
            spelled += before;
            spelled += &if is_flag { flag[..end].replace('-', "_") } else { rest[at..at + 2 + end].to_owned() };
            rest = &flag[end..];
        }
        spelled + rest
    }
}

/// A result with the library's error.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_door_spells_settings_its_own_way() {
        let error = Error::config("bloom-error", "cannot be used with --bloom-bits; a--b, /tmp/--x and -- stay");
        assert_eq!(error.to_string(), "bloom_error: cannot be used with bloom_bits; a--b, /tmp/--x and -- stay");
        let told = "--bloom-error: cannot be used with --bloom-bits; a--b, /tmp/--x and -- stay";
        assert_eq!(error.spelled(Spelling::Flag), told);
        assert_eq!(Error::config("FILE", "empty").spelled(Spelling::Flag), "FILE: empty");
    }
}

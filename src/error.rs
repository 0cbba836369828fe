//! One error type for the library. Every message names the option, file, line or field at fault and what to do about it.

use std::io;

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that cannot work.
    #[error("{option}: {reason}")]
    Config {
        /// The option as it is spelled on the command line, for example `--max-distance`.
        option: &'static str,
        /// What is wrong with its value and which values work.
        reason: String,
    },
    /// A file, or a standard stream, could not be opened, read or written.
    #[error("{path}: {reason}")]
    Io {
        /// The file as the user named it; `<stdin>` and `<stdout>` for the streams.
        path: String,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A record cannot be judged and `--on-error fail` was asked for.
    #[error("{path}:{line}: {reason} (--on-error pass lets such records through untouched)")]
    Record {
        /// The file as the user named it.
        path: String,
        /// 1-based line number in that file.
        line: u64,
        /// What is wrong with the record.
        reason: String,
    },
    /// A record does not say what measuring needs to know.
    #[error("{path}:{line}: {reason}")]
    Unmeasurable {
        /// The file as the user named it.
        path: String,
        /// 1-based line number in that file.
        line: u64,
        /// Which field is at fault, and what was expected of it.
        reason: String,
    },
    /// Saved state cannot be used.
    #[error("{path}: {reason}")]
    State {
        /// The folder or the file in it, as the user named the folder, and the offset in the file where that is known.
        path: String,
        /// What is wrong, and what to do about it.
        reason: String,
    },
    /// A limit of the data structures was reached.
    #[error("{0}")]
    Limit(&'static str),
}

impl Error {
    /// An [`Error::Config`].
    pub(crate) fn config(option: &'static str, reason: impl Into<String>) -> Self {
        Self::Config { option, reason: reason.into() }
    }

    /// An [`Error::State`].
    pub(crate) fn state(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::State { path: path.into(), reason: reason.into() }
    }

    /// An [`Error::Io`] of a file in which something else stands than should.
    pub(crate) fn invalid(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::io(path, io::Error::new(io::ErrorKind::InvalidData, reason.into()))
    }

    /// An [`Error::Io`].
    pub(crate) fn io(path: impl Into<String>, reason: io::Error) -> Self {
        Self::Io { path: path.into(), reason }
    }
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

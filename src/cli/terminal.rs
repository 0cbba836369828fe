//! Messages for the user, and the output of reports.

use std::io::{self, Write};
use std::process::ExitCode;

use super::origins::Origins;
use crate::Spelling;
use crate::locale::tr;

/// Reports that the command failed.
pub(crate) fn fail(error: &anyhow::Error) {
    fail_by(error, &Origins::default());
}

/// Reports that the command failed, and where the setting at fault comes from.
pub(crate) fn fail_by(error: &anyhow::Error, origins: &Origins) {
    let spelled = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<crate::Error>() {
        Some(error) => error.spelled(Spelling::Flag),
        None => cause.to_string(),
    };
    let reason = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<crate::Error>() {
        Some(crate::Error::Io { reason, .. }) => advice(reason),
        _ => cause.downcast_ref::<io::Error>().and_then(advice),
    };
    let advised = error.chain().find_map(reason).map_or_else(String::new, |advice| tr!("; {advice}", advice));
    let message = error.chain().map(spelled).collect::<Vec<_>>().join(": ");
    tracing::error!("{}{advised}", in_words(&origins.with_origin(&message)));
}

/// Advice for an error of the system, if there is any.
pub(crate) fn advice(error: &io::Error) -> Option<String> {
    /// The system's error number for a device that fails.
    const EIO: i32 = 5;
    /// That for a process with as many open files as it may have.
    const EMFILE: i32 = if cfg!(windows) { 4 } else { 24 };
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(tr!("free space there, or write elsewhere")),
        io::ErrorKind::FileTooLarge => Some(tr!("raise the limit of file sizes (ulimit -f), or write elsewhere")),
        io::ErrorKind::PermissionDenied => Some(tr!("get the right to it (ls -l shows who has it), or name another")),
        io::ErrorKind::BrokenPipe => Some(tr!("who reads it has gone: have it read to the end, or name a file")),
        _ if error.raw_os_error() == Some(EMFILE) => Some(tr!("raise the limit of open files (ulimit -n)")),
        _ if error.raw_os_error() == Some(EIO) => Some(tr!("the device fails: look at it, or use another")),
        _ => None,
    }
}

/// Removes the system's error numbers from a message: `No such file or directory (os error 2)` loses its end.
pub(crate) fn in_words(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| before + part.split_once(')').map_or(part, |(_, rest)| rest))
}

/// Tells the user something that limits the value of the result.
pub(crate) fn warn_user(message: &str) {
    tracing::warn!("{message}");
}

/// Returns a function that does the same as [`warn_user`], or nothing if `quiet`.
pub(crate) fn warn_user_unless(quiet: bool) -> impl Fn(&str) + Copy + Send {
    move |message| {
        if !quiet {
            warn_user(message);
        }
    }
}

/// Prints a report. A reader that does not read to the end is no failure.
pub(crate) fn print(report: String) -> anyhow::Result<ExitCode> {
    match io::stdout().lock().write_all(report.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(error).into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The system's error of standard output, if a command failed by that.
pub(crate) fn of_stdout(error: &anyhow::Error) -> Option<&io::Error> {
    match error.downcast_ref::<crate::Error>() {
        Some(crate::Error::Io { path, reason }) if path == "<stdout>" => Some(reason),
        _ => None,
    }
}

/// Turns the failure of a command whose reader has gone into its end.
pub(crate) fn unless_gone(ended: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    match ended {
        Err(error) if of_stdout(&error).is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) => {
            Ok(ExitCode::SUCCESS)
        }
        ended => ended,
    }
}

/// The library's error for standard output that cannot be written.
pub(crate) fn unwritten(error: io::Error) -> crate::Error {
    crate::Error::Io { path: "<stdout>".to_owned(), reason: error }
}

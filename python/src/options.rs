//! Python's keyword arguments to the library's options, and its errors to Python's.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use quchong::Error;
use quchong::config::options::{Options, SETTINGS};

/// How Python spells an option: `max_distance` for `--max-distance`.
fn spelled(option: &str) -> String {
    option.trim_start_matches("--").replace('-', "_")
}

/// What the library says, with its options as Python spells them.
fn respelled(said: &str) -> String {
    // Backwards: `--exact-on` before `--exact`.
    SETTINGS.iter().rev().fold(said.to_owned(), |said, setting| said.replace(setting.name, &spelled(setting.name)))
}

/// The library's error as Python's.
pub fn failed(error: Error) -> PyErr {
    match error {
        Error::Config { option, reason } => {
            PyValueError::new_err(format!("{}: {}", spelled(option), respelled(&reason)))
        }
        Error::State { path, reason } => PyRuntimeError::new_err(format!("{path}: {}", respelled(&reason))),
        Error::Limit(reason) => PyRuntimeError::new_err(respelled(reason)),
        Error::Io { .. } => PyOSError::new_err(error.to_string()),
        Error::Record { .. } | Error::Unmeasurable { .. } => PyValueError::new_err(error.to_string()),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Sets the option of this name to a value as the command line writes it.
pub fn set(options: &mut Options, name: &str, value: &str) -> PyResult<()> {
    let setting = SETTINGS.iter().find(|setting| spelled(setting.name) == name).ok_or_else(|| {
        let known: Vec<String> = SETTINGS.iter().map(|setting| spelled(setting.name)).collect();
        PyTypeError::new_err(format!("no option is called '{name}'; there are {}", known.join(", ")))
    })?;
    setting.set(options, value).map_err(failed)
}

/// The options of keyword arguments. None leaves an option out.
pub fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, value) in given.into_iter().flatten() {
        if !value.is_none() {
            set(&mut options, &name.cast::<PyString>()?.to_cow()?, &value.str()?.to_cow()?)?;
        }
    }
    Ok(options)
}

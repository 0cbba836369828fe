//! Converts Python's keyword arguments to the library's settings, and the library's errors to Python's.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use quchong::Error;
use quchong::config::Settings;
use quchong::config::settings::{Setting, Value, all};

/// Converts an error of the library to one of Python. Settings are spelled as in Python.
pub fn failed(error: Error) -> PyErr {
    let told = error.to_string();
    match error {
        Error::Io { .. } => PyOSError::new_err(told),
        Error::Config { .. } | Error::Record { .. } | Error::Unmeasurable { .. } => PyValueError::new_err(told),
        _ => PyRuntimeError::new_err(told),
    }
}

/// The settings that are keyword arguments: those of the stages.
fn keywords() -> impl Iterator<Item = &'static Setting> {
    all().filter(|setting| setting.is_of_stages())
}

/// Sets the keyword of this name to a value in the syntax of the command line.
pub fn set(options: &mut Settings, name: &str, value: &str) -> PyResult<()> {
    let setting = keywords().find(|setting| setting.member() == name).ok_or_else(|| {
        let known: Vec<String> = keywords().map(Setting::member).collect();
        PyTypeError::new_err(format!("no option is called '{name}'; there are {}", known.join(", ")))
    })?;
    options.set(setting.name, value).map_err(failed)
}

fn is_switch(name: &str) -> bool {
    keywords().any(|setting| setting.member() == name && matches!(setting.value, Value::Switch))
}

/// Reads the options from keyword arguments. None leaves an option out, and False leaves a switch out.
pub fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let mut options = Settings::default();
    for (name, value) in given.into_iter().flatten() {
        let name = name.cast::<PyString>()?.to_cow()?;
        let is_off = value.is(PyBool::new(value.py(), false)) && is_switch(&name);
        if !value.is_none() && !is_off {
            set(&mut options, &name, &value.str()?.to_cow()?)?;
        }
    }
    Ok(options)
}

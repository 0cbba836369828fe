//! Converts Python's sequences of texts, ids and times to the library's types.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString, PyTuple};
use quchong::RecordId;
use quchong::formats::time::milliseconds;

/// Returns the items of a list, of an array or column of pyarrow, polars, pandas or numpy, or of any iterable.
fn items<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = given.py();
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!("{what} is one string; a batch is a list of them")));
    }
    if given.hasattr(intern!(py, "columns"))? {
        return Err(PyTypeError::new_err(format!("{what} is a table; give one column of it")));
    }
    if given.cast::<PyMapping>().is_ok() {
        return Err(PyTypeError::new_err(format!(
            "{what} is a mapping; give one column of it: batch[\"text\"], or input_columns=\"text\" for datasets"
        )));
    }
    if given.is_instance_of::<PySet>() || given.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(format!("{what} is a set, which has no order; give a list")));
    }
    // Much faster than iterating over these objects.
    for method in [intern!(py, "to_pylist"), intern!(py, "to_list"), intern!(py, "tolist")] {
        if given.hasattr(method)? {
            return given.call_method0(method)?.try_iter()?.collect();
        }
    }
    given.try_iter()?.collect()
}

/// Whether a value means "missing": None, NaN, or pandas' own values for that.
fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = || value.cast::<PyFloat>().is_ok_and(|number| number.extract::<f64>().is_ok_and(f64::is_nan));
    Ok(value.is_none() || is_nan() || ["NAType", "NaTType"].contains(&&*value.get_type().name()?.to_cow()?))
}

/// Reads a text; `None` if it is missing or not valid Unicode (a lone surrogate).
pub fn text(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_cow().ok().map(|text| text.into_owned())),
        Err(_) if is_missing(value)? => Ok(None),
        Err(_) => Err(PyTypeError::new_err(format!("a text is a str or None, not {}", value.get_type().name()?))),
    }
}

/// Reads an id; `None` if it is missing.
pub fn id(value: &Bound<'_, PyAny>) -> PyResult<Option<RecordId<'static>>> {
    if is_missing(value)? {
        return Ok(None);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(RecordId::from(&*text.to_cow()?).into_owned()));
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(Some(RecordId::Number(number)));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(RecordId::Json(value.str()?.to_cow()?.into_owned().into())));
    }
    Err(PyTypeError::new_err(format!("an id is a str or an int, not {}", value.get_type().name()?)))
}

/// Reads a time, in milliseconds since 1970; `None` if it is missing.
pub fn time(value: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if is_missing(value)? {
        return Ok(None);
    }
    let isoformat = intern!(value.py(), "isoformat");
    let written = if value.hasattr(isoformat)? { value.call_method0(isoformat)? } else { value.clone() };
    let written = written.str()?;
    let written = written.to_cow()?;
    milliseconds(&written).map(Some).ok_or_else(|| {
        PyValueError::new_err(format!(
            "'{written}' is no time since 1970; write seconds or milliseconds since then, RFC 3339, or a datetime"
        ))
    })
}

/// Reads the values of a scope: those of a tuple or list, or a single one; `None` if it is missing.
pub fn scope(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Option<String>>>> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        return value.try_iter()?.map(|value| scope_value(&value?)).collect::<PyResult<_>>().map(Some);
    }
    Ok(scope_value(value)?.map(|value| vec![Some(value)]))
}

/// Reads a value of a scope, in its JSON form, where 1 and 1.0 are the same number; `None` if it is missing.
fn scope_value(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if is_missing(value)? {
        return Ok(None);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into_owned()));
    }
    if let Ok(is_so) = value.cast::<PyBool>() {
        return Ok(Some(is_so.is_true().to_string()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(value.str()?.to_cow()?.into_owned()));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        // Turns −0 into 0.
        return Ok(Some((number.value() + 0.0).to_string()));
    }
    let kind = value.get_type();
    Err(PyTypeError::new_err(format!(
        "a scope is a str, a number, a bool or None, or a tuple of these, not {}",
        kind.name()?
    )))
}

/// Reads one value for each text with `read`. If no values are given, every value is `None`.
fn column<T>(
    given: Option<&Bound<'_, PyAny>>,
    what: &str,
    length: usize,
    read: fn(&Bound<'_, PyAny>) -> PyResult<Option<T>>,
) -> PyResult<Vec<Option<T>>> {
    let Some(given) = given else { return Ok((0..length).map(|_| None).collect()) };
    let values = all(given, what, read)?;
    if values.len() != length {
        return Err(PyValueError::new_err(format!("{length} texts and {} {what}; give one for each", values.len())));
    }
    Ok(values)
}

/// Reads all values. An error names the position of the wrong value, from 0.
fn all<T>(
    given: &Bound<'_, PyAny>,
    what: &str,
    read: fn(&Bound<'_, PyAny>) -> PyResult<Option<T>>,
) -> PyResult<Vec<Option<T>>> {
    let place = |(at, item)| {
        read(item).map_err(|error: PyErr| {
            let py = given.py();
            // Subclasses of these errors may not accept a message alone.
            let message = format!("{what}[{at}]: {}", error.value(py));
            if error.is_instance_of::<PyTypeError>(py) {
                PyTypeError::new_err(message)
            } else if error.is_instance_of::<PyValueError>(py) {
                PyValueError::new_err(message)
            } else {
                error
            }
        })
    };
    items(given, what)?.iter().enumerate().map(place).collect()
}

/// The columns of a batch.
pub struct Batch {
    pub texts: Vec<Option<String>>,
    pub ids: Vec<Option<RecordId<'static>>>,
    pub times: Vec<Option<i64>>,
    pub scopes: Vec<Option<Vec<Option<String>>>>,
}

impl Batch {
    /// Reads all columns before anything is judged.
    pub fn read(
        texts: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
        times: Option<&Bound<'_, PyAny>>,
        scopes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let texts = all(texts, "texts", text)?;
        let (ids, times) = (column(ids, "ids", texts.len(), id)?, column(times, "times", texts.len(), time)?);
        let scopes = column(scopes, "scopes", texts.len(), scope)?;
        Ok(Self { texts, ids, times, scopes })
    }
}

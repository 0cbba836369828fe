//! The Python classes `Verdict` and `Verdicts`.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use quchong::{Judged, Likeness, RecordId};

/// The verdict on one message.
#[pyclass(frozen, eq, module = "quchong")]
#[derive(Clone)]
pub struct Verdict(Option<Judged>);

/// Compares only what Python can see of a verdict, not the position of its message.
impl PartialEq for Verdict {
    fn eq(&self, other: &Self) -> bool {
        let seen = |verdict: &Self| {
            let of = verdict.0.as_ref().and_then(|judged| judged.of.clone());
            (verdict.kind(), of, verdict.copy(), verdict.engine(), verdict.likeness())
        };
        seen(self) == seen(other)
    }
}

impl Verdict {
    pub fn new(judged: Option<Judged>) -> Self {
        Self(judged)
    }

    fn likeness(&self) -> Option<Likeness> {
        match self.0.as_ref()?.verdict {
            quchong::Verdict::Near { by, .. } => Some(by),
            _ => None,
        }
    }
}

/// Converts an id to Python.
fn python_id(py: Python<'_>, id: &RecordId<'_>) -> PyResult<Py<PyAny>> {
    match id {
        RecordId::Number(number) => number.into_py_any(py),
        id => Ok(py.import("json")?.call_method1("loads", (id.to_string(),))?.unbind()),
    }
}

#[pymethods]
impl Verdict {
    /// "kept", "exact" or "near"; "error" for a message that has no text and cannot be judged.
    #[getter]
    pub fn kind(&self) -> &'static str {
        self.0.as_ref().map_or("error", |judged| judged.verdict.name())
    }

    /// Whether to keep the message: it repeats nothing, may be kept as a copy, or cannot be judged.
    #[getter]
    pub fn kept(&self) -> bool {
        self.0.as_ref().is_none_or(|judged| judged.verdict.is_kept())
    }

    /// The number of this message among the copies in its cluster, 2 or more, if keep is more than 1 and the message is a repeat. Copies
    /// up to `keep` are kept.
    #[getter]
    fn copy(&self) -> Option<u64> {
        self.0.as_ref()?.copy
    }

    /// The id of the kept message that this one repeats, if known; for a message of another state, {"against": FOLDER, "id": ID}.
    #[getter]
    pub fn of(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.0.as_ref().and_then(|judged| judged.of.as_ref()).map(|id| python_id(py, id)).transpose()
    }

    /// The engine that found a near repeat: "overlap" (which compares the texts), "simhash" or "minhash".
    #[getter]
    pub fn engine(&self) -> Option<&'static str> {
        match self.0.as_ref()?.verdict {
            quchong::Verdict::Near { engine, .. } => Some(engine.name()),
            _ => None,
        }
    }

    /// The similarity of a near repeat, 0 to 1, if its engine measures that.
    #[getter]
    pub fn similarity(&self) -> Option<f64> {
        match self.likeness()? {
            Likeness::Similarity(mille) => Some(f64::from(mille) / 1000.0),
            Likeness::Distance(_) => None,
        }
    }

    /// The number of bits, of 64, in which the fingerprints of a near repeat differ, if its engine compares fingerprints.
    #[getter]
    pub fn distance(&self) -> Option<u32> {
        match self.likeness()? {
            Likeness::Distance(bits) => Some(bits),
            Likeness::Similarity(_) => None,
        }
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("a Verdict is neither true nor false; ask for its .kept"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = format!("Verdict(kind='{}'", self.kind());
        if let Some(of) = self.of(py)? {
            shown += &format!(", of={}", of.bind(py).repr()?);
        }
        if let Some(copy) = self.copy() {
            shown += &format!(", copy={copy}");
        }
        if let Some(engine) = self.engine() {
            shown += &format!(", engine='{engine}'");
        }
        match self.likeness() {
            Some(Likeness::Similarity(mille)) => shown += &format!(", similarity={:?}", f64::from(mille) / 1000.0),
            Some(Likeness::Distance(bits)) => shown += &format!(", distance={bits}"),
            None => {}
        }
        Ok(shown + ")")
    }
}

/// The verdicts on a batch, in order. Single verdicts by index; each property of all verdicts as a list.
#[pyclass(frozen, sequence, module = "quchong")]
pub struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub fn new(judged: Vec<Option<Judged>>) -> Self {
        Self(judged.into_iter().map(Verdict).collect())
    }
}

#[pymethods]
impl Verdicts {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Verdict> {
        let from_start = if index < 0 { self.0.len().checked_add_signed(index) } else { usize::try_from(index).ok() };
        let found = from_start.and_then(|index| self.0.get(index));
        found.cloned().ok_or_else(|| PyIndexError::new_err(format!("{index} of {} verdicts", self.0.len())))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.0.iter().cloned())?.try_iter()
    }

    /// The kind of each message: "kept", "exact", "near" or "error".
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(|verdict| pyo3::types::PyString::intern(py, verdict.kind())))
    }

    /// Whether to keep each message: a mask for the batch.
    #[getter]
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(Verdict::kept))
    }

    /// The id of the message that each repeats, or None.
    #[getter]
    fn of<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(|verdict| verdict.of(py)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The engine that found each near repeat, or None.
    #[getter]
    fn engine<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(Verdict::engine))
    }

    /// The similarity of each near repeat, or None.
    #[getter]
    fn similarity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(Verdict::similarity))
    }

    /// The distance of each near repeat, or None.
    #[getter]
    fn distance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.iter().map(Verdict::distance))
    }

    /// All properties as columns by name, for a DataFrame, a table, or the result of a batched `map`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("kind", self.kind(py)?)?;
        columns.set_item("kept", self.kept(py)?)?;
        columns.set_item("of", self.of(py)?)?;
        columns.set_item("engine", self.engine(py)?)?;
        columns.set_item("similarity", self.similarity(py)?)?;
        columns.set_item("distance", self.distance(py)?)?;
        Ok(columns)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        crate::html::verdicts(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let kept = self.0.iter().filter(|verdict| verdict.kept()).count();
        format!("<Verdicts: {} messages, {kept} kept>", self.0.len())
    }
}

//! The Python class `Explanation`: why two messages are repeats, or not.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Two messages in detail: their forms in each stage, and why the later one is kept or dropped. `str()` gives a readable text.
#[pyclass(frozen, module = "quchong")]
pub struct Explanation(quchong::explain::Explanation);

impl Explanation {
    pub fn new(explanation: quchong::explain::Explanation) -> Self {
        Self(explanation)
    }
}

/// Parses a JSON text to Python objects.
pub fn objects<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

#[pymethods]
impl Explanation {
    /// The verdict on the later message: "kept", "exact" or "near".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.0.verdict
    }

    /// The reason, in words.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The options that would change the verdict, in words.
    #[getter]
    fn otherwise(&self) -> Vec<String> {
        self.0.otherwise.clone()
    }

    /// Similarity of the two messages by the repeat rule, 0 to 1.
    #[getter]
    fn similarity(&self) -> f64 {
        self.0.similarity
    }

    /// Number of bits, of 64, in which the fingerprints differ; None if a body is empty.
    #[getter]
    fn distance(&self) -> Option<u32> {
        self.0.distance
    }

    /// Everything as a dict, as `quchong explain --format json` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = serde_json::to_string(&self.0).map_err(|error| PyValueError::new_err(error.to_string()))?;
        objects(py, &json)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn _repr_html_(&self) -> String {
        crate::html::explanation(&self.0)
    }

    fn __repr__(&self) -> String {
        format!("<Explanation: {}, {}>", self.0.verdict, self.0.reason)
    }
}

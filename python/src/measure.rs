//! Measures how many repeats each engine finds among labelled pairs.

use std::path::PathBuf;

use pyo3::prelude::*;
use quchong::evaluate::{self, Dataset, Experiment, Truth};
use quchong::formats::lines::MAX_LINE;
use quchong::formats::parse::FieldPath;
use quchong::formats::source::{Format, Source};
use quchong::methods::Reading;

use crate::deduplicator::cores;
use crate::explain::objects;
use crate::options::failed;

/// The results of a measurement. `str()` gives Markdown.
#[pyclass(frozen, module = "quchong")]
pub struct Report(evaluate::Evaluation);

#[pymethods]
impl Report {
    /// Everything as a dict, as `quchong evaluate --format json` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.0.json())
    }

    /// An HTML page with charts and the misjudged pairs. It needs no network.
    fn html(&self) -> String {
        self.0.html()
    }

    fn __str__(&self) -> String {
        self.0.markdown()
    }

    fn __repr__(&self) -> String {
        format!("<Report: {}, {} engines>", self.0.source, self.0.engines.len())
    }
}

/// Measures engines on the labelled pairs of a JSONL file.
#[pyfunction]
#[pyo3(signature = (path, name, engines, min_precision, threads))]
pub fn evaluate_file(
    py: Python<'_>,
    path: PathBuf,
    name: String,
    engines: Vec<String>,
    min_precision: f64,
    threads: Option<usize>,
) -> PyResult<Report> {
    let options = Experiment {
        truth: Truth::Pairs,
        truth_on: evaluate::TruthOn::default(),
        further_thresholds: Vec::new(),
        least_words: 0,
        length_in: evaluate::tally::LengthIn::default(),
        by: Vec::new(),
        engines,
        reading: Reading::default(),
        whole_files: false,
        seed: 0,
        sample: None,
        length: (0, usize::MAX),
        misjudged: evaluate::MISJUDGED,
        sweep: None,
        min_precision,
        threads: threads.unwrap_or_else(cores).max(1),
    };
    py.detach(|| {
        let source = Source::new(vec![quchong::formats::source::Input::File(path)], Format::Jsonl, MAX_LINE)?;
        let input = Dataset { source, field: FieldPath::parse("--field", "text")?, further_fields: Vec::new(), name };
        evaluate::evaluate(input, &options, &|_, _, _| {}).map(Report)
    })
    .map_err(failed)
}

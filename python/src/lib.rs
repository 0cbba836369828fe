//! The Python module `quchong._quchong`, which gives Python access to the library. All decisions are made in the library; this code only
//! converts values between the languages. The types are in the package's stub. The documentation for readers is in the doc comments here,
//! which Python shows as docstrings.

mod deduplicator;
mod explain;
mod html;
mod measure;
mod options;
mod texts;
mod verdicts;

use std::sync::Mutex;

use pyo3::prelude::*;
use quchong::config::Rules;
use quchong::fingerprint::Printer;
use quchong::text::Clean;
use quchong::text::body::{Body, body_into};
use quchong::text::normalise::canonical;

use options::{failed, set};

/// The forms of a text that the stages compare.
#[pyclass(frozen, get_all, module = "quchong")]
struct Normalised {
    /// The form that the exact stage compares: width, case, blanks and script do not matter.
    canonical: String,
    /// The form that the near stage compares: the canonical form without wrapping.
    body: String,
    /// Topics that were removed from the body.
    topics: Vec<String>,
}

#[pymethods]
impl Normalised {
    fn __repr__(&self) -> String {
        format!("Normalised(canonical={:?}, body={:?}, topics={:?})", self.canonical, self.body, self.topics)
    }
}

/// The forms of a text that the stages compare, as `quchong normalise` shows them.
///
/// `rules` is the wrapping to remove from the body: "all", "none", or names separated by commas, as in "all,-topic".
#[pyfunction]
#[pyo3(signature = (text, rules = "all"))]
fn normalise(py: Python<'_>, text: &str, rules: &str) -> PyResult<Normalised> {
    let rules = Rules::parse(rules).map_err(failed)?;
    Ok(py.detach(|| {
        let canonical = canonical(text);
        let mut body = Body::default();
        body_into(&canonical, rules, &mut body);
        let topics = body.topics.iter().map(|topic| canonical[topic.clone()].to_owned()).collect();
        Normalised { body: body.text, topics, canonical }
    }))
}

/// The printer used last, with its options. It is kept because jieba's dictionary takes up to a second to load, and reading the options
/// takes longer than making a fingerprint.
static LAST: Mutex<Option<Last>> = Mutex::new(None);

struct Last {
    options: [String; 3],
    printer: Printer,
    clean: Clean,
}

impl Last {
    fn new(options: [&str; 3]) -> PyResult<Self> {
        let mut read = quchong::config::Settings::default();
        set(&mut read, "near", "simhash")?;
        for (name, value) in ["shingle", "weights", "normalise"].into_iter().zip(options) {
            set(&mut read, name, value)?;
        }
        let config = read.config().map_err(failed)?;
        config.validate().map_err(failed)?;
        Ok(Self { options: options.map(str::to_owned), printer: Printer::new(&config), clean: Clean::default() })
    }
}

/// The 64-bit SimHash fingerprint of a text's body, as `near="simhash"` compares it; None if the body is empty.
///
/// The options are those of a Deduplicator. Near repeats differ in few bits: `(simhash(a) ^ simhash(b)).bit_count()`.
#[pyfunction]
#[pyo3(signature = (text, *, shingle = "char:2", weights = "once", normalise = "all"))]
fn simhash(py: Python<'_>, text: &str, shingle: &str, weights: &str, normalise: &str) -> PyResult<Option<u64>> {
    let options = [shingle, weights, normalise];
    py.detach(|| {
        let mut last = LAST.lock().unwrap_or_else(|poisoned| {
            let mut last = poisoned.into_inner();
            *last = None;
            last
        });
        let known = last.take().filter(|known| known.options == options);
        let known = known.map_or_else(|| Last::new(options), Ok)?;
        let Last { printer, clean, .. } = last.insert(known);
        Ok(printer.print_text(text, clean).simhash)
    })
}

/// The compiled part of the package `quchong`.
#[pymodule]
mod _quchong {
    #[pymodule_export]
    use super::deduplicator::Deduplicator;
    #[pymodule_export]
    use super::explain::Explanation;
    #[pymodule_export]
    use super::measure::{Report, evaluate_file};
    #[pymodule_export]
    use super::verdicts::{Verdict, Verdicts};
    #[pymodule_export]
    use super::{Normalised, normalise, simhash};
}

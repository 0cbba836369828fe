//! The deduplicator of Python: one session behind a lock.

use std::mem::{forget, take};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quchong::explain::Explainer;
use quchong::run::session::{Message, Session};

use crate::explain::Explanation;
use crate::options::{failed, options};
use crate::texts::{self, Batch};
use crate::verdicts::{Verdict, Verdicts};

/// Threads where nobody says how many: one for each core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Judges messages in their order: each is kept, or repeats one that was kept.
///
/// The options are those of `quchong dedup`, with underscores: near, similarity, guard, remarks, templates, verify_window,
/// max_distance, shingle, weights, permutations, normalise, markup, exact, exact_on, capacity, bloom_error, bloom_bits, bloom_hashes,
/// bloom_rounds, bloom_rule, trie_hash, keep, window, lateness, refresh, max_memory, on_full, seed; and preset ("paper", "simhash", "weibo", "headline",
/// "sms", "careful"), which goes behind them.
/// Under scope="author", or "author,day", messages repeat each other only within the same values, which each call is given.
///
/// With state=FOLDER, what is remembered is kept there, and a later Deduplicator, or `quchong dedup --state FOLDER`, goes on
/// from it. With against=FOLDER, or a list of them, what repeats a message of another state is dropped, too; nothing is written
/// there, and verdicts name it: of={"against": FOLDER, "id": ID}. threads help with a batch (default: one for each core); the verdicts are the same for any number.
///
/// Any number of Python's threads may use one: each call is judged as a whole, one after another, without the GIL. Other
/// processes may not: after a fork, what the child asks of it is refused.
#[pyclass(frozen, module = "quchong")]
pub struct Deduplicator {
    /// The process that made it. A fork copies what is remembered and shares the state's files, so that neither of two processes
    /// would see what the other judges, and both would write to one place.
    process: u32,
    /// None after it was closed.
    session: Mutex<Option<Session>>,
    /// Made when it is asked for.
    explainer: Mutex<Option<Explainer>>,
}

/// A folder, or a list of them.
#[derive(FromPyObject)]
enum Folders {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// The session, if it is open.
fn open(session: &mut Option<Session>) -> PyResult<&mut Session> {
    session.as_mut().ok_or_else(|| PyValueError::new_err("this Deduplicator is closed"))
}

impl Deduplicator {
    /// One over a session, whose warnings are told.
    fn over(py: Python<'_>, session: quchong::Result<Session>) -> PyResult<Self> {
        let session = session.map_err(failed)?;
        for warning in session.warnings() {
            let warning = std::ffi::CString::new(warning.as_str())?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 1)?;
        }
        Ok(Self { process: std::process::id(), session: Mutex::new(Some(session)), explainer: Mutex::new(None) })
    }

    /// Refuses another process than the one that made it.
    fn at_home(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(format!(
            "made in process {}; a Deduplicator belongs to the process that made it: make one there, or leave num_proc out",
            self.process
        )))
    }

    /// What one of its locks guards. In another process none is waited for: who held it at the fork is not there to let go.
    fn locked<'a, T>(&self, lock: &'a Mutex<T>) -> PyResult<MutexGuard<'a, T>> {
        self.at_home()?;
        lock.lock()
            .map_err(|_| PyRuntimeError::new_err("a call before this one has failed within; begin a new Deduplicator"))
    }
}

impl Drop for Deduplicator {
    /// Another process leaves all as it is: a thread may have been changing it at the fork, and the files are not its own.
    fn drop(&mut self) {
        if self.at_home().is_err() {
            forget(take(&mut self.session));
            forget(take(&mut self.explainer));
        }
    }
}

#[pymethods]
impl Deduplicator {
    #[new]
    #[pyo3(signature = (*, state = None, against = None, threads = None, **options))]
    fn new(
        py: Python<'_>,
        state: Option<PathBuf>,
        against: Option<Folders>,
        threads: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (options, threads) = (self::options(options)?, threads.unwrap_or_else(cores));
        let against = match against {
            None => Vec::new(),
            Some(Folders::One(folder)) => vec![folder],
            Some(Folders::Several(folders)) => folders,
        };
        let session = py.detach(|| {
            let session = match state {
                Some(folder) => Session::open(&options, threads, &folder),
                None => Session::new(&options, threads),
            };
            against.iter().try_fold(session?, |session, folder| session.against(folder))
        });
        Self::over(py, session)
    }

    /// Goes on from the folder of a state, which must be there, under the options that it was made with.
    #[staticmethod]
    #[pyo3(signature = (state, *, threads = None))]
    fn load(py: Python<'_>, state: PathBuf, threads: Option<usize>) -> PyResult<Self> {
        let threads = threads.unwrap_or_else(cores);
        Self::over(py, py.detach(|| Session::load(threads, &state)))
    }

    /// Judges the next message.
    ///
    /// id (a str or an int) is how later verdicts name it; default: its position, from 1. time is when it was said, which a
    /// window of time goes by: seconds or milliseconds since 1970, RFC 3339, or a datetime (UTC, if it has no zone). scope is its value
    /// in the field of the option scope, or a tuple of them where that names several: a str, an int, a float, a bool, or None.
    #[pyo3(signature = (text, id = None, time = None, scope = None))]
    fn judge(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        id: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
        scope: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdict> {
        let message = Message {
            text: texts::text(text)?.map(Into::into),
            id: id.map(texts::id).transpose()?.flatten(),
            time: time.map(texts::time).transpose()?.flatten(),
            scope: scope.map(texts::scope).transpose()?.flatten().unwrap_or_default(),
        };
        py.detach(|| open(&mut *self.locked(&self.session)?)?.judge(&message).map_err(failed)).map(Verdict::new)
    }

    /// Judges the next messages, in their order, on all threads; the verdicts are those that `judge` would give one by one.
    ///
    /// texts is a list, an array or column of pyarrow, polars, pandas or numpy, or anything iterable, of str; None (and pandas'
    /// NaN) cannot be judged, and goes on as "error". ids, times and scopes are as many, or left out. All are read before any is judged.
    #[pyo3(signature = (texts, ids = None, times = None, scopes = None))]
    fn judge_batch(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
        times: Option<&Bound<'_, PyAny>>,
        scopes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdicts> {
        self.at_home()?;
        let is_scoped = scopes.is_some();
        let Batch { texts, ids, times, scopes } = Batch::read(texts, ids, times, scopes)?;
        let judged = py.detach(|| {
            let parts = texts.iter().zip(ids).zip(times).zip(scopes);
            let messages: Vec<Message<'_>> = parts
                .map(|(((text, id), time), scope)| {
                    let (text, scope) = (text.as_deref().map(Into::into), scope.unwrap_or_default());
                    Message { text, id, time, scope }
                })
                .collect();
            let mut session = self.locked(&self.session)?;
            let session = open(&mut session)?;
            if !is_scoped && !session.config().scope.is_empty() {
                return Err(PyValueError::new_err(
                    "scopes are missing, which the option scope asks for; give one for each text",
                ));
            }
            session.judge_batch(&messages).map_err(failed)
        });
        judged.map(Verdicts::new)
    }

    /// Why the message b would be dropped as a repeat of an earlier a, or kept, under these options; what was judged does not
    /// count.
    fn explain(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<Explanation> {
        py.detach(|| {
            let mut explainer = self.locked(&self.explainer)?;
            let explainer = match &mut *explainer {
                Some(explainer) => explainer,
                none => {
                    let config = open(&mut *self.locked(&self.session)?)?.config().clone();
                    none.insert(Explainer::new(&config).map_err(failed)?)
                }
            };
            Ok(Explanation::new(explainer.explain(a, b)))
        })
    }

    /// How many messages were judged here: "in" is "kept", "exact", "near" and "error" together.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (all, kept, dropped, errors) = py.detach(|| {
            let mut session = self.locked(&self.session)?;
            let totals = open(&mut session)?.totals();
            PyResult::Ok((totals.r#in, totals.kept, totals.dropped, totals.errors.total()))
        })?;
        let counts = PyDict::new(py);
        for (name, count) in
            [("in", all), ("kept", kept), ("exact", dropped.exact), ("near", dropped.near), ("error", errors)]
        {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }

    /// Makes all that was judged be on disk. Only with a state, where it is written down at once and on disk a second later.
    fn save(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut session = self.locked(&self.session)?;
            let session = open(&mut session)?;
            if !session.is_durable() {
                return Err(PyValueError::new_err("there is nowhere to save it; give Deduplicator(state=FOLDER)"));
            }
            session.save().map_err(failed)
        })
    }

    /// Makes all that was judged be on disk, and lets go of the state's folder and of the memory.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| match self.locked(&self.session)?.take() {
            Some(mut session) => session.save().map_err(failed),
            None => Ok(()),
        })
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        this.at_home()?;
        Ok(this)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Deduplicator cannot be pickled: a copy would not see what the other judges; \
             Deduplicator(state=FOLDER) keeps what is remembered",
        ))
    }
}

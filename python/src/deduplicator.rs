//! The Python class `Deduplicator`: one session protected by a lock.

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

/// Default number of threads: one per core.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Judges messages in their order: each is kept, or repeats one that was kept.
///
/// The options are those of `quchong dedup`, with underscores: near, similarity, guard, remarks, templates, verify_window, max_distance,
/// shingle, weights, permutations, normalise, markup, exact, exact_on, capacity, bloom_error, bloom_bits, bloom_hashes, bloom_rounds,
/// bloom_rule, trie_hash, keep, window, lateness, refresh, max_memory, on_full, seed; and preset ("paper", "simhash", "weibo", "headline",
/// "sms", "careful"), which the other options override.
///
/// Under scope="author", or "author,day", messages repeat each other only if they have the same values of these fields. Each call gets the
/// values.
///
/// With state=FOLDER, what is remembered is kept in that folder, and a later Deduplicator, or `quchong dedup --state FOLDER`, continues
/// from it. With against=FOLDER, or a list of folders, repeats of messages in these other states are dropped, too. Nothing is written
/// there, and verdicts name such a message as of={"against": FOLDER, "id": ID}. threads is the number of threads for a batch (default: one
/// per core); the verdicts are the same for any number.
///
/// Several Python threads may use one Deduplicator: calls are judged one after another, each as a whole, without the GIL. Other processes
/// may not: after a fork, calls in the child process are refused.
#[pyclass(frozen, module = "quchong")]
pub struct Deduplicator {
    /// The process that made the object. A fork copies the memory and shares the state's files. Neither process would see what the other
    /// judges, and both would write to the same files.
    process: u32,
    /// `None` after `close`.
    session: Mutex<Option<Session>>,
    /// Made on first use.
    explainer: Mutex<Option<Explainer>>,
}

/// One folder, or a list of folders.
#[derive(FromPyObject)]
enum Folders {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// Returns the session, if it is open.
fn open(session: &mut Option<Session>) -> PyResult<&mut Session> {
    session.as_mut().ok_or_else(|| PyValueError::new_err("this Deduplicator is closed"))
}

impl Deduplicator {
    /// Makes a Deduplicator with this session, and passes the session's warnings on to Python.
    fn over(py: Python<'_>, session: quchong::Result<Session>) -> PyResult<Self> {
        let session = session.map_err(failed)?;
        for warning in session.warnings() {
            let warning = std::ffi::CString::new(warning.as_str())?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 1)?;
        }
        Ok(Self { process: std::process::id(), session: Mutex::new(Some(session)), explainer: Mutex::new(None) })
    }

    /// Returns an error in any process other than the one that made the object.
    fn at_home(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(format!(
            "made in process {}; a Deduplicator belongs to the process that made it: make one there, or leave num_proc out",
            self.process
        )))
    }

    /// Locks one of the mutexes. In another process it does not wait for the lock: the thread that held it at the fork does not exist
    /// there.
    fn locked<'a, T>(&self, lock: &'a Mutex<T>) -> PyResult<MutexGuard<'a, T>> {
        self.at_home()?;
        lock.lock()
            .map_err(|_| PyRuntimeError::new_err("a call before this one has failed within; begin a new Deduplicator"))
    }
}

impl Drop for Deduplicator {
    /// Leaves everything as it is in another process: a thread may have been changing the session at the fork, and the files belong to the
    /// first process.
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

    /// Continues from the folder of a state, which must exist, under the options that it was made with.
    #[staticmethod]
    #[pyo3(signature = (state, *, threads = None))]
    fn load(py: Python<'_>, state: PathBuf, threads: Option<usize>) -> PyResult<Self> {
        let threads = threads.unwrap_or_else(cores);
        Self::over(py, py.detach(|| Session::load(threads, &state)))
    }

    /// Judges the next message.
    ///
    /// id (a str or an int) is the name of the message in later verdicts; default: its position, from 1. time is the time of the message,
    /// which a time window uses: seconds or milliseconds since 1970, RFC 3339, or a datetime (UTC if it has no zone). scope is the
    /// message's value of the field in the option scope, or a tuple of values if the option names several fields: a str, an int, a float,
    /// a bool, or None.
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

    /// Judges the next messages, in their order, on all threads. The verdicts are the same as those of `judge`, called one by one.
    ///
    /// texts is a list, an array or column of pyarrow, polars, pandas or numpy, or any iterable, of str. None (and pandas' NaN) cannot be
    /// judged, and gets the kind "error". ids, times and scopes have as many items, or are left out. All are read before any is judged.
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

    /// Explains why the message b would be dropped as a repeat of an earlier message a, or kept, under these options. Messages judged so
    /// far have no influence.
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

    /// The numbers of messages judged by this object: "in" is the sum of "kept", "exact", "near" and "error".
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

    /// Makes sure that everything judged so far is on disk. Requires a state. Without this call, what was judged is written to the state's
    /// files at once, and is on disk about a second later.
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

    /// Makes sure that everything judged is on disk, then frees the state's folder and the memory.
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

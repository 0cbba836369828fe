//! The same steps as [`Deduplicator`](crate::Deduplicator) over streams. Only this module is asynchronous.
//!
//! ```text
//! source ──batches──▶ parse + print (stateless, on many threads, order kept) ──▶ judge (one owner) ──▶ sink
//! ```
//!
//! Tasks hand each other batches, never single messages, because a task costs more than judging a message. When it saves time, the judge
//! first searches on all threads for the repeats in a batch. A message that comes alone waits for no thread. Every channel is bounded, so
//! the source waits for a slow reader. One owner of the state makes all verdicts in input order, so the output is the same for any number
//! of threads and any size of batch.

mod archives;
mod backing;
pub mod durable;
#[cfg(feature = "metrics")]
mod http;
mod id_register;
mod judge;
pub mod metrics;
mod notice;
mod observed;
mod portion;
mod prepare;
pub(crate) mod printers;
pub mod recount;
#[cfg(feature = "cli")]
pub(crate) mod represent;
mod sequence;
#[cfg(feature = "serve")]
pub(crate) mod service;
pub mod session;
pub mod sink;
mod step;
#[cfg(feature = "cli")]
pub(crate) mod stop;
mod totals;
mod unjudged;
mod warnings;

use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use crate::config::Config;
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::exact::bloom::Fullness;
use crate::fingerprint::Printer;
use crate::formats::parse::{Fault, Parser};
use crate::formats::source::{Batch, Source, Stop};
use crate::locale::tr;
pub use crate::record::Naming;
pub use archives::Archives;
use backing::Backing;
use durable::Durable;
pub use id_register::IdCounts;
use judge::{Judge, Parts};
use metrics::Metrics;
pub use notice::Notice;
pub use observed::{Observed, Sample};
pub use portion::Portion;
use prepare::{Prepared, Preparer};
use recount::{Pace, Recounter};
pub use sequence::Numbers;
use sink::Sink;
use step::step;
pub use totals::{Dropped, Errors, StateBytes, Totals};
pub use unjudged::Unjudged;

/// Receives reports from a run while it goes on.
pub trait Observer {
    /// Called for each record that cannot be judged.
    fn fault(&mut self, file: &str, line: u64, fault: &Fault);
    /// Called once when the Bloom filter is nearly as full as it was sized for, and once when it passes that.
    fn filter_fills(&mut self, fullness: Fullness, state: &State);
    /// Called once, under a window of time, if none of the first `messages` messages had a time.
    fn no_times(&mut self, messages: u64);
    /// Called once, under `--scope`, if none of the first `messages` messages had a value in its fields.
    fn no_scopes(&mut self, _messages: u64) {}
    /// Called once for each kind of problem with the ids, the numbers or the quotes of records.
    fn notice(&mut self, _file: &str, _line: u64, _notice: &Notice) {}
    /// Called after each batch, as long as no record of the current input could be judged.
    fn hopeless(&mut self, _: &Unjudged) {}
    /// Called when an output file was moved away or removed, and the records went on in a new file of this name.
    fn output_moved(&mut self, _name: &str) {}
    /// Called when rows were added to a table that begins with another header.
    fn other_header(&mut self, _name: &str) {}
    /// Called after each batch that was written.
    fn progress(&mut self, totals: &Totals);
    /// Whether [`message`](Self::message) is to be called. Asked once, before the first message.
    fn watches(&self) -> bool {
        false
    }
    /// Called for each judged message, if messages are watched.
    fn message(&mut self, _: &Observed<'_>) {}
    /// Called for each blank line, which is kept.
    fn blank(&mut self) {}
}

/// Ignores all reports.
impl Observer for () {
    fn fault(&mut self, _: &str, _: u64, _: &Fault) {}
    fn filter_fills(&mut self, _: Fullness, _: &State) {}
    fn no_times(&mut self, _: u64) {}
    fn progress(&mut self, _: &Totals) {}
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The input ended.
    Input,
    /// The reader of the output went away.
    ClosedPipe,
    /// The caller's `stop` became ready.
    Stopped,
}

/// The interval at which a run checks whether a sync or a report is due, even if no message comes.
const TICK: Duration = Duration::from_millis(250);

/// Most threads of a run: more than machines have cores would only fail to start.
pub const MAX_THREADS: usize = 1024;

/// Most worker threads under a limit of memory. Each has two batches in progress, some 2 MB, for which
/// [`PROGRAM_BYTES`](crate::config::PROGRAM_BYTES) must leave room.
const THREADS_IN_LIMIT: usize = 4;

/// Refuses a number of threads that no run can have.
///
/// # Errors
/// [`Error::Config`].
fn check_threads(threads: usize) -> Result<()> {
    match threads {
        1..=MAX_THREADS => Ok(()),
        _ => Err(Error::config("--threads", tr!("{threads} is not from 1 to {MAX_THREADS}", threads, MAX_THREADS))),
    }
}

/// The parts of a run beside its configuration.
pub struct Job<'o> {
    /// The source of the records.
    pub source: Source,
    /// Finds text, id and time in the records.
    pub parser: Parser,
    /// The destination of the records.
    pub sink: Sink,
    /// Threads for the stateless steps and for the search, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Receives the reports of the run.
    pub observer: &'o mut dyn Observer,
    /// The state on disk; `None` if the state ends with the run.
    pub durable: Option<Durable>,
    /// Receives the numbers of the run, if a monitoring system reads them.
    pub metrics: Option<Arc<Metrics>>,
    /// How often counts of repeats are reported, under [`Config::recount`].
    pub recount: Option<Pace>,
    /// Archives in which each message is searched before it is judged.
    pub against: Archives,
}

/// Runs a job until its input ends, until `stop` is ready, or until the reader of the output has gone. `naming` decides how records
/// without an id are named.
///
/// # Errors
/// [`Error::Io`] for the stream that failed; [`Error::Record`] under [`OnError::Fail`](sink::OnError::Fail); [`Error::Config`];
/// [`Error::Limit`]. Everything that was judged before the error has been written.
///
/// ```
/// use quchong::Config;
/// use quchong::formats::lines::MAX_LINE;
/// use quchong::formats::parse::{FieldPath, Further, Parser};
/// use quchong::formats::source::{Format, Input, Source};
/// use quchong::run::sink::{OnError, Output, Sink, Stream};
/// use quchong::run::{Archives, End, Job, Naming, run};
///
/// let path = |path| FieldPath::parse("--field", path);
/// let job = Job {
///     source: Source::new(vec![Input::File("data/posts.jsonl".into())], Format::Auto, MAX_LINE)?,
///     parser: Parser { field: path("text")?, id_field: path("id")?, time_field: None, seq_field: None, further: Further::default() },
///     sink: Sink::new(Output::Kept, OnError::Pass, Stream::new("nowhere", Box::new(std::io::sink()))),
///     threads: 2,
///     observer: &mut (),
///     durable: None,
///     metrics: None,
///     recount: None,
///     against: Archives::default(),
/// };
/// let (totals, end) = run(&Config::default(), job, Naming::Line, std::future::pending());
/// assert_eq!(end?, End::Input);
/// assert_eq!(totals.kept + totals.dropped.exact + totals.dropped.near, totals.r#in);
/// # Ok::<(), quchong::Error>(())
/// ```
pub fn run(config: &Config, job: Job<'_>, naming: Naming, stop: impl Future<Output = ()>) -> (Totals, Result<End>) {
    let started = Instant::now();
    let threads = config.max_memory.map_or(job.threads, |_| job.threads.min(THREADS_IN_LIMIT));
    let backing = check_threads(job.threads).and_then(|()| match job.durable {
        None => State::new(config).map(|state| Backing::Run(Box::new(state))),
        Some(durable) => Ok(Backing::Durable(Box::new(durable))),
    });
    let backing = backing.and_then(|mut backing| {
        let recounter = job.recount.map(|pace| Recounter::new(pace, backing.reported()));
        backing.begin(recounter.as_ref().map(Recounter::note))?;
        Ok((backing, recounter))
    });
    let mut judge = match backing {
        Ok((backing, recounter)) => {
            let (sink, metrics, observer, has_archives) =
                (job.sink, job.metrics, job.observer, !job.against.is_empty());
            let parts = Parts { backing, recounter, sink, metrics, observer, has_archives, threads };
            Judge::new(config, &job.parser, naming, parts)
        }
        Err(error) => return (Totals::default(), Err(error)),
    };
    let end = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Error::io("<threads>", error))
        .and_then(|runtime| {
            let preparer = Preparer {
                parser: job.parser,
                printer: Printer::new(config),
                watched: judge.watched,
                archives: job.against,
                workers: Mutex::default(),
            };
            let following = job.source.stop();
            let batches = read(job.source)?;
            let end = runtime.block_on(drive((batches, following), Arc::new(preparer), threads, &mut judge, stop));
            // The source's thread may still wait for input that is no longer needed.
            runtime.shutdown_background();
            end
        });
    // The counts that a state still holds are reported by the run that resumes it.
    let is_over = matches!(end, Ok(End::Input)) || matches!(judge.backing, Backing::Run(_));
    let reported = if is_over { judge.report_counts() } else { Ok(()) };
    judge.end();
    let was_closed = judge.sink.is_closed();
    let finished = reported.and(judge.sink.finish());
    let end = match (end, finished) {
        // That the reader of the output has gone is no error, but a later failure is.
        (Err(_), Err(failed)) if was_closed => Err(failed),
        (end, finished) => end.and_then(|end| finished.map(|()| end)),
    };
    let end = match end {
        Err(Error::Io { .. }) if judge.sink.is_closed() => Ok(End::ClosedPipe),
        end => end,
    };
    judge.totals.failed = judge.sink.failed();
    judge.totals.incomplete = !judge.totals.failed.is_empty();
    judge.totals.finish(judge.backing.state(), judge.sink.written()[0].length, started.elapsed());
    if let Some(recorder) = &judge.recorder {
        recorder.finish(&judge.totals, judge.backing.state());
    }
    judge.totals.unread = match (&judge.backing, &end) {
        (Backing::Durable(_), Ok(End::ClosedPipe)) => Some(judge.sink.unread()),
        _ => None,
    };
    let closed = match (judge.backing, &end) {
        (Backing::Durable(durable), Ok(end)) if *end != End::ClosedPipe => {
            durable.close(&judge.sink, *end == End::Input)
        }
        // The last checkpoint is true; everything judged after it is read again.
        _ => Ok(()),
    };
    (judge.totals, end.and_then(|end| closed.map(|()| end)))
}

/// A batch, and the time at which it was read.
type Read = (Instant, Batch);

/// Reads batches on its own thread, at most two ahead.
fn read(mut source: Source) -> Result<mpsc::Receiver<Result<Read>>> {
    let (sender, receiver) = mpsc::channel(2);
    let reading = move || {
        let read = AssertUnwindSafe(|| {
            while let Some(batch) = source.next_batch().transpose() {
                let failed = batch.is_err();
                if sender.blocking_send(batch.map(|batch| (Instant::now(), batch))).is_err() || failed {
                    break;
                }
            }
        });
        // If the channel just closed, that would look like the end of the input.
        if catch_unwind(read).is_err() {
            let fault = tr!("reading failed; this is a fault of quchong, please report it");
            let _ = sender.blocking_send(Err(Error::io("<input>", std::io::Error::other(fault))));
        }
    };
    std::thread::Builder::new().spawn(reading).map_err(|error| Error::io("<threads>", error))?;
    Ok(receiver)
}

/// Joins the parts. Prepares one batch ahead of the one that is judged; if one thread judges alone, two for each thread. After `stop`,
/// batches that were read are still judged and written, and so is everything already in a file that is followed.
async fn drive(
    (batches, following): (mpsc::Receiver<Result<Read>>, Option<Stop>),
    preparer: Arc<Preparer>,
    threads: usize,
    judge: &mut Judge<'_>,
    stop: impl Future<Output = ()>,
) -> Result<End> {
    let mut batches = ReceiverStream::new(batches);
    let (mut end, mut all_read, mut drained, mut prepared) = (Ok(End::Input), false, None, None);
    let mut under_way: VecDeque<JoinHandle<Prepared>> = VecDeque::new();
    // If only one thread judges, the other threads prepare batches one after another, and none waits for the others.
    let most = if threads > 1 && !judge.looks_ahead() { 2 * threads } else { 0 };
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    tokio::pin!(stop);
    while !all_read || prepared.is_some() || !under_way.is_empty() {
        tokio::select! {
            biased;
            () = &mut stop, if matches!(end, Ok(End::Input)) => {
                end = Ok(End::Stopped);
                match &following {
                    Some(following) => {
                        let (sender, receiver) = oneshot::channel();
                        following.ask(move || {
                            let _ = sender.send(());
                        });
                        drained = Some(receiver);
                    }
                    None => batches.close(),
                }
            }
            Some(_) = async { Some(drained.as_mut()?.await) } => {
                drained = None;
                batches.close();
            }
            _ = ticks.tick() => judge.tick()?,
            // Read before judging; otherwise the threads would be idle meanwhile.
            batch = batches.next(), if !all_read && prepared.is_none() && under_way.len() < most.max(1) => match batch {
                None => all_read = true,
                Some(Ok(batch)) if most > 0 => {
                    let preparer = preparer.clone();
                    under_way.push_back(tokio::task::spawn_blocking(move || preparer.prepare(batch)));
                }
                Some(Ok(batch)) => prepared = step(judge, &preparer, threads, None, Some(batch))?,
                Some(Err(error)) => (end, all_read) = (Err(error), true),
            },
            Some(first) = first(&mut under_way) => {
                under_way.pop_front();
                judge.batch(&first.map_err(|error| Error::io("<threads>", std::io::Error::other(error)))?)?;
            }
            () = std::future::ready(()), if prepared.is_some() => {
                // A single thread cannot prepare the next batch meanwhile.
                let next = if threads > 1 && !all_read { batches.as_mut().try_recv().ok() } else { None };
                let next = next.transpose().unwrap_or_else(|error| {
                    // The batch before the failure is judged first.
                    (end, all_read) = (Err(error), true);
                    None
                });
                prepared = step(judge, &preparer, threads, prepared.take(), next)?;
            }
        }
    }
    end
}

/// Waits for the result of the batch that was begun first; `None` if no batch is in progress.
async fn first<T>(under_way: &mut VecDeque<JoinHandle<T>>) -> Option<std::result::Result<T, tokio::task::JoinError>> {
    match under_way.front_mut() {
        Some(handle) => Some(handle.await),
        None => None,
    }
}

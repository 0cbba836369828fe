//! The same steps as [`Deduplicator`](crate::Deduplicator), over streams: the only asynchronous part.
//!
//! ```text
//! source ──batches──▶ parse + print (stateless, on many threads, order kept) ──▶ judge (one owner) ──▶ sink
//! ```
//!
//! What crosses a task boundary is a batch, never a message: a task costs more than the judging of a message.
//! Where that is quicker, the judge first searches on all threads for what the messages of a batch repeat. A message that comes alone waits
//! for no thread. Every channel is bounded: behind a slow reader the source waits. Verdicts are made in the order of the input by one
//! owner of the state, so the output is the same for any number of threads and any size of batch.

mod archives;
mod backing;
pub mod durable;
#[cfg(feature = "metrics")]
mod http;
mod judge;
pub mod metrics;
mod names;
mod numbers;
mod observed;
mod portion;
mod prepare;
pub(crate) mod printers;
pub mod recount;
#[cfg(feature = "cli")]
pub(crate) mod represent;
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
use judge::{Judge, Parts};
use metrics::Metrics;
pub use names::Names;
pub use numbers::Numbers;
pub use observed::{Observed, Sample};
pub use portion::Portion;
use prepare::{Prepared, Preparer};
use recount::{Pace, Recounter};
use sink::Sink;
use step::step;
pub use totals::{Dropped, Errors, StateBytes, Totals};
pub use unjudged::Unjudged;

/// What a run tells while it goes on.
pub trait Observer {
    /// A record cannot be judged.
    fn fault(&mut self, file: &str, line: u64, fault: &Fault);
    /// The Bloom filter comes near what it was sized for, or passes it. Each is told once.
    fn filter_fills(&mut self, fullness: Fullness, state: &State);
    /// None of so many messages from the beginning had a time, under a window of time. Told once.
    fn no_times(&mut self, messages: u64);
    /// Something is wrong with the ids, the numbers or the quotes of records. Each kind is told once.
    fn notice(&mut self, _file: &str, _line: u64, _notice: &Notice) {}
    /// None of the first records of an input could be judged. Told once.
    fn hopeless(&mut self, _: &Unjudged) {}
    /// A batch has been written.
    fn progress(&mut self, totals: &Totals);
    /// Whether each message is to be told. It is asked once, before the first.
    fn watches(&self) -> bool {
        false
    }
    /// A message was judged, if these are watched.
    fn message(&mut self, _: &Observed<'_>) {}
    /// A blank line was kept.
    fn blank(&mut self) {}
}

/// What is wrong with the ids, the numbers or the quotes of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A record has no id that is a string or a number, and goes by its line; others have one, or were said to.
    NoId,
    /// A record has the id of an earlier one.
    SameId(String),
    /// A record has no number in the feed, or what is none.
    NoNumber,
    /// A number in the feed is not above the one before, or the last one of an earlier run.
    LateNumber {
        /// The number.
        number: u64,
        /// That one.
        last: u64,
    },
    /// A record was passed over for its number in the feed, and its text is not known: it was forgotten, or is new.
    PassedOver {
        /// The number.
        number: u64,
        /// The last one that an earlier run noted.
        last: u64,
    },
    /// A number in the feed is implausibly far ahead, is not borne out, and was not noted.
    WrongNumber(u64),
    /// A row of a table has a field in quotes whose lines look like rows of it: they may have been joined by a quote that is not closed.
    JoinedRows,
    /// A number in the feed is far ahead, and was borne out by those behind it.
    MovedOn {
        /// The last number before; none if none was noted ever.
        from: Option<u64>,
        /// The number.
        to: u64,
    },
}

/// Tells nobody.
impl Observer for () {
    fn fault(&mut self, _: &str, _: u64, _: &Fault) {}
    fn filter_fills(&mut self, _: Fullness, _: &State) {}
    fn no_times(&mut self, _: u64) {}
    fn progress(&mut self, _: &Totals) {}
}

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The input ended.
    Input,
    /// The reader of the output went away.
    ClosedPipe,
    /// `stop` said so.
    Stopped,
}

/// So often it is looked whether something must be made to be on disk, where no message comes.
const TICK: Duration = Duration::from_millis(250);

/// Most threads of a run: more than machines have cores would only fail to start.
pub const MAX_THREADS: usize = 1024;

/// Most threads that work at once where memory is limited: each has two batches under way, some 2 MB, which
/// [`PROGRAM_BYTES`](crate::config::PROGRAM_BYTES) must hold.
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

/// What a run needs beside its configuration.
pub struct Job<'o> {
    /// Where records come from.
    pub source: Source,
    /// How they are read.
    pub parser: Parser,
    /// Where they go.
    pub sink: Sink,
    /// Threads for the stateless steps and for the search, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Who is told.
    pub observer: &'o mut dyn Observer,
    /// What is remembered across runs; without it, what is remembered ends with the run.
    pub durable: Option<Durable>,
    /// Where the run leaves its numbers, if anybody asks for them.
    pub metrics: Option<Arc<Metrics>>,
    /// How often counts of repeats are told, under [`Config::recount`].
    pub recount: Option<Pace>,
    /// What messages are held against before they are judged.
    pub against: Archives,
}

/// Runs a job to its end, until `stop` is ready, or until the reader of the output has gone. Records without an id are named as
/// `naming` says.
///
/// # Errors
/// [`Error::Io`] for the stream that failed, [`Error::Record`] under [`OnError::Fail`](sink::OnError::Fail), [`Error::Config`], [`Error::Limit`].
/// What was judged before the error has been written.
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
            // The source's thread may still wait for input that nobody needs.
            runtime.shutdown_background();
            end
        });
    // What a state holds is told by the run that goes on from it.
    let is_over = matches!(end, Ok(End::Input)) || matches!(judge.backing, Backing::Run(_));
    let told = if is_over { judge.tell() } else { Ok(()) };
    judge.end();
    let was_closed = judge.sink.is_closed();
    let finished = told.and(judge.sink.finish());
    let end = match (end, finished) {
        // That the reader of the output had gone is no fault; what failed since is.
        (Err(_), Err(failed)) if was_closed => Err(failed),
        (end, finished) => end.and_then(|end| finished.map(|()| end)),
    };
    let end = match end {
        Err(Error::Io { .. }) if judge.sink.is_closed() => Ok(End::ClosedPipe),
        end => end,
    };
    judge.totals.incomplete = judge.sink.has_failed();
    judge.totals.finish(judge.backing.state(), judge.sink.written()[0].length, started.elapsed());
    if let Some(recorder) = &judge.recorder {
        recorder.finish(&judge.totals, judge.backing.state());
    }
    let closed = match (judge.backing, &end) {
        (Backing::Durable(durable), Ok(end)) if *end != End::ClosedPipe => {
            durable.close(&judge.sink, *end == End::Input)
        }
        // What was noted last is true; what was judged since comes again.
        _ => Ok(()),
    };
    (judge.totals, end.and_then(|end| closed.map(|()| end)))
}

/// A batch, and when it was read.
type Read = (Instant, Batch);

/// Reads batches on a thread of its own, at most two ahead.
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
        // A channel that closes is the end of the input, which this is not.
        if catch_unwind(read).is_err() {
            let fault = tr!("reading failed; this is a fault of quchong, please report it");
            let _ = sender.blocking_send(Err(Error::io("<input>", std::io::Error::other(fault))));
        }
    };
    std::thread::Builder::new().spawn(reading).map_err(|error| Error::io("<threads>", error))?;
    Ok(receiver)
}

/// Joins the parts: prepares one batch ahead of the one that is judged, or two for each thread where one thread judges alone. After
/// `stop`, what has been read is still judged and written, and so is what lies there of a file that is followed.
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
    // Where only one thread judges, the others prepare one batch after another, and nobody waits for all.
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
            // Before judging, or the threads would have nothing to do meanwhile.
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
                // One thread has nothing to do beside.
                let next = if threads > 1 && !all_read { batches.as_mut().try_recv().ok() } else { None };
                let next = next.transpose().unwrap_or_else(|error| {
                    // What was read before the failure is judged first.
                    (end, all_read) = (Err(error), true);
                    None
                });
                prepared = step(judge, &preparer, threads, prepared.take(), next)?;
            }
        }
    }
    end
}

/// The result of the batch that was begun first; `None` if none is under way.
async fn first<T>(under_way: &mut VecDeque<JoinHandle<T>>) -> Option<std::result::Result<T, tokio::task::JoinError>> {
    match under_way.front_mut() {
        Some(handle) => Some(handle.await),
        None => None,
    }
}

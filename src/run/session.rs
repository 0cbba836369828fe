//! The same judging for a program that passes texts and takes verdicts. It uses no streams, and threads only while a batch is
//! judged.

use std::borrow::Cow;
use std::path::Path;

use super::archives::{ArchiveHit, Archives, Worker};
use super::backing::Backing;
use super::durable::Durable;
use super::printers::CHUNK;
use super::{Totals, check_threads};
use crate::config::Config;
use crate::config::Settings;
use crate::dedup::State;
use crate::error::{Error, Result};
use crate::fingerprint::{Printed, Printer, seeded};
use crate::formats::parse::{FaultKind, scope_of_values};
use crate::locale::tr;
use crate::parallel::ordered;
use crate::record::{Judged, OfId, RecordId};
use crate::store::Sync;
use crate::store::open::Opened;

/// A message as a program passes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message<'a> {
    /// The text. A message without one cannot be judged: it is counted among the errors and takes a position, like such a
    /// record of a file.
    pub text: Option<Cow<'a, str>>,
    /// The id; without one the message is named by its position, counted from 1.
    pub id: Option<RecordId<'a>>,
    /// The event time in milliseconds since 1970, which a window of time uses.
    pub time: Option<i64>,
    /// The values of its fields in [`Config::scope`], in order: one for each field, or an empty list if no field has a value.
    /// A value is a text, or the JSON text of a number, true or false.
    pub scope: Vec<Option<String>>,
}

/// Judges messages that a program passes, one after another or many at once. It answers as `quchong dedup` would for the same
/// messages in the same order.
///
/// ```
/// use quchong::config::Settings;
/// use quchong::run::session::{Message, Session};
///
/// let mut session = Session::new(&Settings::default(), 2)?;
/// let message = |text: &'static str| Message { text: Some(text.into()), ..Message::default() };
/// let posts = ["武汉加油！中国加油！", "武漢加油！中國加油!"].map(message);
/// let judged = session.judge_batch(&posts)?;
/// assert_eq!(judged[1].as_ref().unwrap().verdict.name(), "exact");
/// # Ok::<(), quchong::Error>(())
/// ```
pub struct Session {
    config: Config,
    printer: Printer,
    archives: Archives,
    /// Buffers, one worker for each thread.
    workers: Vec<Worker>,
    ledger: Ledger,
}

impl Session {
    /// Makes a session that has seen no message, and forgets everything when it is dropped. Batches are judged on up to
    /// `threads` threads, 1 to [`MAX_THREADS`](super::MAX_THREADS).
    ///
    /// # Errors
    /// [`Error::Config`] naming the option that cannot work.
    pub fn new(options: &Settings, threads: usize) -> Result<Self> {
        let config = seeded(options)?;
        let backing = Backing::Run(Box::new(State::new(&config)?));
        Self::over(config, threads, backing)
    }

    /// Opens a session on the folder of a state, creating it if it is missing. `quchong dedup --state` can continue the same
    /// state, and a session can continue one of its states. Judged messages are written when the call returns, and are on
    /// disk a second later.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::State`] if the state is damaged, in use, or of other options; [`Error::Io`].
    pub fn open(options: &Settings, threads: usize, folder: &Path) -> Result<Self> {
        Self::durable(seeded(options)?, threads, folder, options.get("seed").is_none())
    }

    /// Opens a session on the folder of an existing state, under the options that the state was made with.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn load(threads: usize, folder: &Path) -> Result<Self> {
        Self::durable(Opened::read(folder)?.config()?, threads, folder, false)
    }

    fn durable(mut config: Config, threads: usize, folder: &Path, any_seed: bool) -> Result<Self> {
        let durable = Durable::answering("<program>", &mut config, folder, Sync::Interval, any_seed)?;
        Self::over(config, threads, Backing::Durable(Box::new(durable)))
    }

    fn over(config: Config, threads: usize, backing: Backing) -> Result<Self> {
        check_threads(threads)?;
        if config.recount {
            let reason = tr!("this state counts repeats for `quchong dedup`, and nobody could ask for them here");
            return Err(Error::config("--recount", reason));
        }
        let totals = backing.totals();
        let (printer, archives) = (Printer::new(&config), Archives::default());
        let workers = (0..threads).map(|_| archives.worker()).collect();
        Ok(Self { config, printer, archives, workers, ledger: Ledger { backing, totals } })
    }

    /// Also drops messages that repeat a message of the state in another folder, which is not changed. Several folders can be
    /// added, one after another.
    ///
    /// # Errors
    /// [`Error::State`] if there is no state, if it is damaged, or if its options decide differently; [`Error::Io`].
    pub fn against(mut self, folder: &Path) -> Result<Self> {
        self.archives.add_folder(folder, &self.config)?;
        self.workers = self.workers.iter().map(|_| self.archives.worker()).collect();
        self.ledger.totals.against.get_or_insert(0);
        Ok(self)
    }

    /// Messages about data that the state's folder has lost, one line for each loss.
    pub fn warnings(&self) -> &[String] {
        match &self.ledger.backing {
            Backing::Run(_) => &[],
            Backing::Durable(durable) => durable.damage(),
        }
    }

    /// Judges the next message; `None` if it has no text.
    ///
    /// # Errors
    /// [`Error::Limit`] as [`State::judge`]; [`Error::Io`] if the message cannot be stored.
    pub fn judge(&mut self, message: &Message<'_>) -> Result<Option<Judged>> {
        let scope = scope(&self.config, message)?;
        let Self { printer, archives, workers, ledger, .. } = self;
        let text = message.text.as_deref().zip(workers.first_mut());
        let printed = text.map(|(text, worker)| archives.print(printer, text, scope.as_deref(), worker));
        let judged = ledger.judge(message, printed);
        ledger.commit()?;
        judged
    }

    /// Judges the next messages, in order. The answer for a message without a text is `None`. The answers equal those of
    /// [`judge`](Self::judge) for any number of threads.
    ///
    /// # Errors
    /// As [`judge`](Self::judge); the messages before the failing one were judged.
    pub fn judge_batch(&mut self, messages: &[Message<'_>]) -> Result<Vec<Option<Judged>>> {
        let mut answers = Vec::with_capacity(messages.len());
        // If one scope is wrong, no message is judged.
        let scopes = messages.iter().map(|message| scope(&self.config, message)).collect::<Result<Vec<_>>>()?;
        let messages: Vec<_> = messages.iter().zip(scopes).collect();
        let Self { printer, archives, workers, ledger, .. } = self;
        let judged = ordered(
            &messages,
            CHUNK,
            workers,
            |worker, (message, scope)| {
                message.text.as_deref().map(|text| archives.print(printer, text, scope.as_deref(), worker))
            },
            |(message, _), printed| {
                answers.push(ledger.judge(message, printed)?);
                Ok(())
            },
        );
        ledger.commit()?;
        judged.map(|()| answers)
    }

    /// Forces everything to disk, if the session has a folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&mut self) -> Result<()> {
        match &mut self.ledger.backing {
            Backing::Run(_) => Ok(()),
            Backing::Durable(durable) => durable.save(),
        }
    }

    /// Whether the session continues the state in a folder.
    pub fn is_durable(&self) -> bool {
        matches!(self.ledger.backing, Backing::Durable(_))
    }

    /// The configuration of the session.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The totals of this session.
    pub fn totals(&self) -> &Totals {
        &self.ledger.totals
    }
}

/// The scope of a message, written like the scope of a record in a file; `None` if the configuration has no scope.
///
/// # Errors
/// [`Error::Config`] if the number of values differs from the number of fields.
fn scope(config: &Config, message: &Message<'_>) -> Result<Option<String>> {
    let fields = if config.scope.is_empty() { 0 } else { config.scope.split(',').count() };
    let values = message.scope.len();
    if values > 0 && values != fields {
        return Err(Error::config(
            "--scope",
            tr!(
                "a message has {values} values, and {fields} fields are named; give one value for each",
                values,
                fields
            ),
        ));
    }
    let none = std::iter::repeat_n(None, fields - values);
    Ok(scope_of_values(message.scope.iter().map(Option::as_deref).chain(none)).filter(|_| fields > 0))
}

/// The state and the totals.
struct Ledger {
    backing: Backing,
    totals: Totals,
}

impl Ledger {
    fn judge(
        &mut self,
        message: &Message<'_>,
        printed: Option<(Printed, Option<Box<ArchiveHit>>)>,
    ) -> Result<Option<Judged>> {
        let Some((printed, archive_hit)) = printed else {
            self.backing.state_mut().skip_position();
            self.totals.fault(FaultKind::NotAString);
            return Ok(None);
        };
        let in_archive = archive_hit.is_some();
        let own = RecordId::Number(self.backing.state().next().0 + 1);
        let id = || message.id.as_ref().unwrap_or(&own).clone();
        let (_, judged) = self.backing.answer(
            &printed,
            archive_hit.map(|archive_hit| *archive_hit),
            message.time,
            id,
            OfId::Named,
        )?;
        self.totals.verdict(judged.verdict);
        if in_archive {
            self.totals.count_archive_hit();
        }
        Ok(Some(judged))
    }

    /// Commits the messages judged since the last commit.
    fn commit(&mut self) -> Result<()> {
        match &mut self.backing {
            Backing::Run(_) => Ok(()),
            Backing::Durable(durable) => durable.commit_answered(self.totals.counts()),
        }
    }
}

#[cfg(feature = "lab")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, Recipe};
    use crate::{Deduplicator, Record};

    /// Generated posts, with a missing one here and there.
    fn posts() -> Vec<Option<String>> {
        let posts = Generator::new(5, Recipe::default()).unwrap().take(2000).map(|post| Some(post.text));
        posts.enumerate().map(|(at, post)| post.filter(|_| at % 97 != 5)).collect()
    }

    fn messages(posts: &[Option<String>]) -> Vec<Message<'_>> {
        posts.iter().map(|post| Message { text: post.as_deref().map(Cow::from), ..Message::default() }).collect()
    }

    fn alone(posts: &[Option<String>]) -> Vec<Option<Judged>> {
        let mut dedup = Deduplicator::new(Config::default()).unwrap();
        let mut next = 0;
        let mut judge = |post: &Option<String>| {
            next += 1;
            // Stands for the message without a text, whose position it takes: a blank text repeats nothing.
            let judged = dedup.judge(&Record::new(next, post.as_deref().unwrap_or_default())).unwrap();
            post.as_ref().map(|_| judged)
        };
        posts.iter().map(&mut judge).collect()
    }

    #[test]
    fn batches_of_any_size_on_any_number_of_threads_are_judged_as_one_message_after_another() {
        let posts = posts();
        let (messages, expected) = (messages(&posts), alone(&posts));
        assert!(expected.iter().flatten().filter(|judged| !judged.verdict.is_kept()).count() > 200);
        for (threads, size) in [(1, 2000), (2, 2000), (3, 129), (7, 500), (4, 1)] {
            let mut session = Session::new(&Settings::default(), threads).unwrap();
            let judged: Vec<_> = messages.chunks(size).flat_map(|batch| session.judge_batch(batch).unwrap()).collect();
            assert_eq!(judged, expected, "{threads} {size}");
            assert!(session.totals().add_up());
            assert_eq!(session.totals().errors.total(), 21);
        }
        let mut session = Session::new(&Settings::default(), 2).unwrap();
        assert!(messages.iter().zip(&expected).all(|(message, judged)| session.judge(message).unwrap() == *judged));
    }

    #[test]
    fn a_session_goes_on_from_its_folder() {
        let (posts, folder) = (posts(), tempfile::tempdir().unwrap());
        let (messages, expected) = (messages(&posts), alone(&posts));
        let folder = folder.path().join("state");
        assert!(Session::load(2, &folder).is_err() && !folder.exists());
        let mut judged = Vec::new();
        let mut session = Session::open(&Settings::default(), 2, &folder).unwrap();
        judged.extend(session.judge_batch(&messages[..700]).unwrap());
        assert!(Session::load(2, &folder).err().unwrap().to_string().contains("in use"));
        drop(session);
        let mut session = Session::load(2, &folder).unwrap();
        judged.extend(messages[700..800].iter().map(|message| session.judge(message).unwrap()));
        session.save().unwrap();
        drop(session);
        let other = Settings::of(&[("max-distance", "3")]).unwrap();
        let refused = Session::open(&other, 2, &folder).err().unwrap().to_string();
        assert!(refused.contains("made with max_distance 4, not max_distance 3;"), "{refused}");
        let mut session = Session::open(&Settings::default(), 2, &folder).unwrap();
        judged.extend(session.judge_batch(&messages[800..]).unwrap());
        assert_eq!(judged, expected);
    }

    #[test]
    fn scopes_are_those_of_a_run_over_records() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::of(&[("scope", "by,day")]).unwrap();
        let mut session = Session::open(&settings, 2, &folder.path().join("state")).unwrap();
        let message = |scope: &[Option<&str>]| Message {
            text: Some("今天武汉的樱花开了".into()),
            scope: scope.iter().map(|value| value.map(str::to_owned)).collect(),
            ..Message::default()
        };
        let scopes: [&[Option<&str>]; 6] = [
            &[Some("甲"), Some("1")],
            &[Some("甲"), None],
            &[],
            &[None, Some("")],
            &[Some("甲"), Some("1")],
            &[None, None],
        ];
        let judged = session.judge_batch(&scopes.map(message)).unwrap();
        let of: Vec<_> = judged.iter().map(|judged| judged.as_ref().unwrap().verdict.of().map(|pos| pos.0)).collect();
        assert_eq!(of, [None, None, None, Some(2), Some(0), Some(2)]);
        let refused = session.judge_batch(&[message(&[]), message(&[None])]).unwrap_err().to_string();
        assert!(refused.contains("a message has 1 values, and 2 fields are named"), "{refused}");
        assert_eq!(session.totals().r#in, 6);
        let mut session = Session::new(&Settings::default(), 1).unwrap();
        assert!(session.judge(&message(&[None])).is_err() && session.judge(&message(&[])).is_ok());
    }

    /// The digests decide which texts a filter takes for repeats, and how much memory they take.
    #[test]
    fn a_seed_that_could_change_the_output_is_fixed() {
        for (name, value, is_fixed) in [("exact", "bloom", true), ("max-memory", "1GB", true), ("exact", "trie", false)]
        {
            let options = Settings::of(&[(name, value)]).unwrap();
            assert_eq!(seeded(&options).unwrap().seed == 0, is_fixed, "{name} {value}");
        }
    }

    #[test]
    fn ids_are_those_that_were_given() {
        let mut session = Session::new(&Settings::default(), 1).unwrap();
        let message = |id| Message { text: Some("今天武汉的樱花开了".into()), id, ..Message::default() };
        session.judge(&message(Some("a".into()))).unwrap();
        let judged = session.judge(&message(None)).unwrap().unwrap();
        assert_eq!(judged.of, Some("a".into()));
        assert!(Session::new(&Settings::default(), 0).is_err());
    }
}

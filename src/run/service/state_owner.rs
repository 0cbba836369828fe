//! The owner of the state, which judges one group of requests after another.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::served::Served;
use crate::config::Config;
use crate::error::Result;
use crate::fingerprint::{Digest, Printed, Printer, Scope};
use crate::formats::lines::MAX_LINE;
use crate::formats::parse::{Fault, FaultKind, Parser};
use crate::formats::source::Layout;
use crate::locale::in_english;
use crate::locale::tr;
use crate::parallel::ordered;
use crate::record::RecordId;
use crate::run::durable::Durable;
use crate::run::metrics::{Metrics, Recorder};
use crate::run::printers::CHUNK;
use crate::run::sink::note;
use crate::run::warnings::Warnings;
use crate::run::{Observer, TICK, Totals};
use crate::store::answers::Answer;
use crate::text::Clean;

/// Bytes of requests that are judged as one batch; a single longer request is also one batch.
const GROUP: usize = 4 << 20;

/// Most bytes of an id. In JSON it may take six times as many. The answer to each repeat contains the id of the message that
/// it repeats, and an answer must not be far longer than its request.
const MAX_ID: usize = 256;

/// The body of a request, with everything needed to answer it.
pub(super) struct Request {
    pub(crate) body: Vec<u8>,
    /// The time at which the body was read.
    pub(crate) read: Instant,
    /// The memory reserved for the body and its answer.
    pub(crate) memory_permit: OwnedSemaphorePermit,
    /// Takes the answer, which has a line for each message.
    pub(crate) reply: oneshot::Sender<(String, OwnedSemaphorePermit)>,
}

/// Judges the messages of clients.
pub(super) struct StateOwner<'o> {
    reader: Reader,
    /// Buffers, one for each thread.
    cleans: Vec<Clean>,
    ledger: Ledger,
    recorder: Recorder,
    observer: &'o mut dyn Observer,
}

/// Parses lines and makes their fingerprints, on any thread.
struct Reader {
    parser: Parser,
    printer: Printer,
    /// Key of the digests of ids and texts.
    key: u64,
}

/// The state and the totals.
struct Ledger {
    durable: Durable,
    totals: Totals,
    served: Arc<Served>,
    /// The field of ids.
    id_field: String,
    /// Bytes of answers so far.
    written: u64,
    event_time: Option<i64>,
    warnings: Warnings,
}

/// A line of a request.
struct Line<'r> {
    request: usize,
    number: usize,
    bytes: &'r [u8],
}

/// The kind of a line, with its data.
enum Item<'r> {
    Blank,
    /// A line that cannot be judged, with its id, if it has a usable one.
    Fault(Fault, Option<&'r str>),
    Message {
        printed: Printed,
        id: Cow<'r, str>,
        key: [u8; 16],
        text: [u8; 8],
        time: Option<i64>,
        lacks_scope: bool,
    },
}

impl<'o> StateOwner<'o> {
    pub(crate) fn new(
        config: &Config,
        parser: Parser,
        mut durable: Durable,
        answers: u64,
        threads: usize,
        (metrics, served): (Arc<Metrics>, Arc<Served>),
        observer: &'o mut dyn Observer,
    ) -> Self {
        durable.store.hold_answers(answers);
        served.hold(durable.store.answers().len());
        let totals = Totals::default();
        let recorder = Recorder::new(metrics, &totals);
        let id_field = parser.id_field.spelled().to_owned();
        let warnings = Warnings::new(config.window, !parser.further.scope.is_empty());
        Self {
            reader: Reader { parser, printer: Printer::new(config), key: config.seed },
            cleans: vec![Clean::default(); threads],
            ledger: Ledger { durable, totals, served, id_field, written: 0, event_time: None, warnings },
            recorder,
            observer,
        }
    }

    /// Answers requests until no more can come.
    ///
    /// # Errors
    /// Those of the state. After one, nothing more can be answered.
    pub(crate) fn answer_all(&mut self, requests: Receiver<Request>) -> Result<()> {
        loop {
            match requests.recv_timeout(TICK) {
                Ok(first) => {
                    let (mut bytes, mut group) = (first.body.len(), vec![first]);
                    while bytes < GROUP
                        && let Ok(more) = requests.try_recv()
                    {
                        bytes += more.body.len();
                        group.push(more);
                    }
                    self.answer(group)?;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.recorder.tick(&self.ledger.durable.state);
                    self.ledger.durable.save_if_due()?;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Forces everything to disk and returns the totals.
    pub(crate) fn leave(self, elapsed: Duration) -> (Totals, Result<()>) {
        let Ledger { durable, mut totals, written, .. } = self.ledger;
        totals.finish(&durable.state, written, elapsed);
        let Durable { store, state, .. } = durable;
        (totals, store.close(&state))
    }

    /// Answers requests as one batch.
    fn answer(&mut self, group: Vec<Request>) -> Result<()> {
        let Self { reader, cleans, ledger, .. } = self;
        let before = ledger.durable.state.next();
        let counted = ledger.totals.clone();
        let mut replies = vec![String::new(); group.len()];
        let lines: Vec<Line<'_>> = group.iter().enumerate().flat_map(lines).collect();
        let judged = ordered(
            &lines,
            CHUNK,
            cleans,
            |clean, line| in_english(|| reader.read(clean, line.bytes)),
            |line, item| ledger.line(line, item, &mut replies[line.request]),
        );
        ledger.totals.bytes_in += group.iter().map(|request| request.body.len() as u64).sum::<u64>();
        ledger.written += replies.iter().map(|reply| reply.len() as u64).sum::<u64>();
        let recorded = judged.and_then(|()| match ledger.durable.state.next() != before {
            true => ledger.durable.commit_answered(ledger.totals.counts()),
            false => Ok(()),
        });
        if recorded.is_err() {
            // Their senders get an error, so these messages do not count.
            ledger.totals = counted;
        }
        recorded?;
        let oldest = group.iter().map(|request| request.read).min();
        for (request, reply) in group.into_iter().zip(replies) {
            // A client that has gone can send its request again.
            let _ = request.reply.send((reply, request.memory_permit));
        }
        self.watch(oldest.unwrap_or_else(Instant::now));
        Ok(())
    }

    /// Updates the metrics, and warns the observer if necessary.
    fn watch(&mut self, oldest: Instant) {
        let Ledger { durable, totals, served, written, event_time, warnings, .. } = &mut self.ledger;
        let state = &durable.state;
        served.hold(durable.store.answers().len());
        self.recorder.batch(totals, *written, *event_time, oldest, state);
        warnings.warn(state, self.observer);
    }
}

impl Ledger {
    /// Appends the answer to a line.
    fn line(&mut self, line: &Line<'_>, item: Item<'_>, reply: &mut String) -> Result<()> {
        match item {
            Item::Blank => {}
            Item::Fault(Fault { kind, reason }, id) => {
                self.totals.fault(kind);
                push_refusal(id.unwrap_or("null"), kind.name(), line.number, &reason, reply);
            }
            Item::Message { printed, id, key, text, time, lacks_scope } => {
                match self.durable.store.answers().of(&key) {
                    Some(before) if before.text == text => {
                        self.served.add_again();
                        push_verdict(&id, &before.note, reply);
                    }
                    Some(_) => {
                        self.served.add_conflict();
                        let field = &self.id_field;
                        let reason = in_english(|| {
                            tr!(
                                "field `{field}`: a message of this id came before with another text; this one was not judged, send it under an id of its own",
                                field
                            )
                        });
                        push_refusal(&id, "conflict", line.number, &reason, reply);
                    }
                    None => {
                        self.warnings.count(time, lacks_scope);
                        let note = self.judge(&printed, time, &id)?;
                        push_verdict(&id, &note, reply);
                        let pos = self.durable.state.next().0 - 1;
                        self.durable.store.answer(Answer { pos, id: key, text, note })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Judges a message. Returns the verdict as it is to be answered; empty if the message is kept.
    fn judge(&mut self, printed: &Printed, time: Option<i64>, id: &str) -> Result<Box<str>> {
        let durable = &mut self.durable;
        let name = || RecordId::of_json(id.into());
        let (_, verdict) = durable.judge(printed, time, name)?;
        let (shown, copy) = durable.state.shown(verdict);
        let of = verdict.of().and_then(|of| durable.state.id(of));
        self.totals.verdict(shown);
        self.event_time = time.or(self.event_time);
        Ok(if verdict.is_kept() { "".into() } else { note(shown, of.as_ref(), copy, None).into() })
    }
}

/// The lines of a request, numbered from 1.
fn lines((request, sent): (usize, &Request)) -> impl Iterator<Item = Line<'_>> {
    let lines = sent.body.split_inclusive(|byte| *byte == b'\n');
    lines.zip(1..).map(move |(bytes, number)| Line { request, number, bytes })
}

impl Reader {
    /// Parses a line, and makes the fingerprints of its message.
    fn read<'l>(&self, clean: &mut Clean, line: &'l [u8]) -> Item<'l> {
        let fault = |kind, reason| Item::Fault(Fault { kind, reason }, None);
        if line.len() > MAX_LINE {
            return fault(FaultKind::LineTooLong, tr!("the line has more than {MAX_LINE} bytes", MAX_LINE));
        }
        let parsed = match self.parser.parse(line, Layout::Jsonl) {
            Ok(Some(parsed)) => parsed,
            Ok(None) => return Item::Blank,
            Err(mut fault) => {
                if fault.kind == FaultKind::InvalidUtf8 {
                    fault.reason = tr!("the line is not UTF-8, in which all is to be sent");
                }
                let id =
                    self.parser.id(line).filter(|id| same_id(id).is_some_and(|same| bytes_of(id, &same) <= MAX_ID));
                return Item::Fault(fault, id);
            }
        };
        let Some(id) = parsed.id else {
            let name = self.parser.id_field.spelled();
            let reason = tr!(
                "no field `{name}` that is a string or a number (--id-field names another); every message needs an id",
                name
            );
            return fault(FaultKind::MissingField, reason);
        };
        let same = same_id(&id);
        if same.as_deref().map_or(id.len(), |same| bytes_of(&id, same)) > MAX_ID {
            let name = self.parser.id_field.spelled();
            let reason = tr!("field `{name}` has more than {MAX_ID} bytes, too many for an id", name, MAX_ID);
            return fault(FaultKind::MissingField, reason);
        }
        let Some(same) = same else {
            let name = self.parser.id_field.spelled();
            return fault(FaultKind::InvalidJson, tr!("field `{name}` is no id that every program can read", name));
        };
        let scope = Scope::of(parsed.scope.as_deref());
        let printed = scope.prints(self.printer.print_text(&parsed.text, clean));
        let digest = |text: &str| Digest::keyed(text.as_bytes(), self.key).0;
        let (key, text) = (digest(&same).to_le_bytes(), (digest(&parsed.text) as u64).to_le_bytes());
        Item::Message { printed, id, key, text, time: parsed.time, lacks_scope: parsed.lacks_scope }
    }
}

/// The bytes of an id that was normalized: those of its value if it is a string, otherwise those of its spelling.
fn bytes_of(id: &str, same: &str) -> usize {
    if id.starts_with('"') { same.len() - 1 } else { id.len() }
}

/// Normalizes an id, given as JSON text, so that all its spellings give the same string: `"a"` and `"\u0061"`, `7` and `7.0`.
/// `None` for half of a surrogate pair and for numbers that overflow a 64-bit float.
fn same_id(id: &str) -> Option<String> {
    const WHOLE: f64 = (1_u64 << 53) as f64;
    if id.starts_with('"') {
        return serde_json::from_str::<String>(id).ok().map(|text| format!("\"{text}"));
    }
    if let Ok(number) = id.parse::<i128>() {
        return Some(number.to_string());
    }
    let number = id.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some(if number.fract() == 0.0 && number.abs() < WHOLE { format!("{number:.0}") } else { format!("{number:?}") })
}

/// Appends a verdict to a reply; an empty `note` stands for a kept message.
fn push_verdict(id: &str, note: &str, reply: &mut String) {
    let rest = note.strip_prefix('{').unwrap_or(r#""verdict":"kept"}"#);
    for part in [r#"{"id":"#, id, ",", rest, "\n"] {
        reply.push_str(part);
    }
}

/// Appends a line to a reply that says why a line was not judged.
fn push_refusal(id: &str, kind: &str, line: usize, reason: &str, reply: &mut String) {
    let reason = serde_json::Value::from(reason);
    *reply +=
        &format!("{{\"id\":{id},\"verdict\":\"error\",\"error\":\"{kind}\",\"line\":{line},\"reason\":{reason}}}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_same_however_it_is_spelled() {
        for [a, b] in [
            [r#""a""#, r#""\u0061""#],
            [r#""a/b""#, r#""a\/b""#],
            ["7", "7.0"],
            ["7", "7e0"],
            ["0", "-0"],
            ["1.5", "15e-1"],
        ] {
            assert!(same_id(a).is_some() && same_id(a) == same_id(b), "{a} {b}");
        }
        for [a, b] in [["7", r#""7""#], ["7", "8"], [r#""a""#, r#""A""#], ["9007199254740993", "9007199254740992"]] {
            assert_ne!(same_id(a), same_id(b), "{a} {b}");
        }
        assert_eq!([same_id(r#""\ud800""#), same_id("1e999")], [None, None]);
    }
}

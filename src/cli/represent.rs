//! The second pass of `quchong dedup --represent`. It writes one message for each cluster, which need not be the first
//! message.

use std::io;
use std::time::Instant;

use crate::formats::parse::Parser;
use crate::formats::source::Source;
use crate::run::represent::Choice;
use crate::run::sink::{Output, Sink, Stream};
use crate::run::{End, Totals};

/// Everything that the second pass needs.
pub(crate) struct SecondPass {
    source: Source,
    parser: Parser,
    sink: Sink,
}

impl SecondPass {
    /// Prepares a second pass that reads `source` again and writes to `sink`, if there is a `source`. Returns the sink for the first
    /// pass, which then writes nothing, and the second pass.
    pub(crate) fn prepare(source: Option<Source>, parser: &Parser, sink: Sink) -> (Sink, Option<Self>) {
        let Some(source) = source else { return (sink, None) };
        let nowhere = Stream::new("<nowhere>", Box::new(io::sink()));
        let first = Sink::new(Output::Kept, sink.on_error(), nowhere);
        (first, Some(Self { source, parser: parser.clone(), sink }))
    }

    /// Writes the chosen messages, and brings the totals of the first pass up to date.
    pub(crate) fn run(mut self, choice: &Choice, totals: &mut Totals) -> crate::Result<End> {
        let began = Instant::now();
        let written = choice.write(self.source, &self.parser, &mut self.sink, totals);
        totals.bytes_out = self.sink.written()[0].length;
        totals.failed = self.sink.failed();
        totals.incomplete = written.is_err();
        totals.seconds += began.elapsed().as_secs_f64();
        match written {
            Err(crate::Error::Io { .. }) if self.sink.is_closed() => Ok(End::ClosedPipe),
            written => written.map(|()| End::Input),
        }
    }
}

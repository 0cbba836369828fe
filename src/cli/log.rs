//! The messages on standard error: events of `tracing`, as lines for a person or as JSON. No other file uses
//! tracing-subscriber.

use std::fmt::{self, Write as _};
use std::io;

use crate::locale::tr;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::screen::{FAILED, styled};

/// How events are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// A line that begins with "quchong: "
    Text,
    /// A JSON object on a line: timestamp, level, message and what else the event has
    Json,
}

impl LogFormat {
    /// Both formats and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("text", Self::Text), ("json", Self::Json)];
}

/// Writes all events from now on. Must be called only once. A reader that has gone is no failure.
pub(crate) fn begin(format: LogFormat) {
    let events = tracing_subscriber::fmt().with_writer(io::stderr).log_internal_errors(false);
    match format {
        LogFormat::Text => events.event_format(Lines).init(),
        LogFormat::Json => {
            events.json().flatten_event(true).with_current_span(false).with_span_list(false).with_target(false).init();
        }
    }
}

/// Formats events as lines: first the program's name, then the message.
struct Lines;

impl<S: Subscriber + for<'a> LookupSpan<'a>, N: for<'a> FormatFields<'a> + 'static> FormatEvent<S, N> for Lines {
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let error = if *event.metadata().level() == Level::ERROR { tr!("error: ") } else { String::new() };
        write!(to, "quchong: {}", styled(&error, FAILED, &io::stderr()))?;
        let mut message = Message { to: to.by_ref(), written: Ok(()) };
        event.record(&mut message);
        message.written?;
        writeln!(to)
    }
}

/// Writes the message of an event, and none of its other fields.
struct Message<'w> {
    to: Writer<'w>,
    written: fmt::Result,
}

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.written = write!(Tame(&mut self.to), "{value:?}");
        }
    }
}

/// Writes text without anything that controls a terminal, because file names and headers can contain any character.
struct Tame<'t, 'w>(&'t mut Writer<'w>);

impl fmt::Write for Tame<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(commands) {
            let plain = part.trim_end_matches(commands);
            self.0.write_str(plain)?;
            part[plain.len()..].chars().try_for_each(|c| write!(self.0, "{}", c.escape_unicode()))?;
        }
        Ok(())
    }
}

/// Whether a character controls a terminal: control characters, line ends, and marks that change the direction of a line.
fn commands(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

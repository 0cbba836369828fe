//! Colours, where the output shows them, and whether progress is shown. No other file uses anstream or anstyle.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::print;
use crate::explain::{Explanation, Tone};

/// The words of `--color`.
const CHOICES: [(&str, ColorChoice); 3] =
    [("auto", ColorChoice::Auto), ("always", ColorChoice::AlwaysAnsi), ("never", ColorChoice::Never)];

/// Whether a bar shows the progress of the work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShowProgress {
    Auto,
    Never,
}

impl ShowProgress {
    /// Both values and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("auto", Self::Auto), ("never", Self::Never)];

    /// Whether progress is shown. Standard error must then be a terminal.
    pub(crate) fn is_shown(self) -> bool {
        self == Self::Auto && io::stderr().is_terminal()
    }
}

/// The style for emphasis.
pub(super) const STRONG: Style = Style::new().bold();
const LACKS: Style = AnsiColor::Red.on_default();
const ADDS: Style = AnsiColor::Green.on_default();
/// The style for failures.
pub(crate) const FAILED: Style = AnsiColor::Red.on_default().bold();

/// Applies the word of `--color`. Without one, the stream and the environment decide.
pub(crate) fn choose(word: &str) {
    if let Some((_, choice)) = CHOICES.iter().find(|(name, _)| *name == word) {
        choice.write_global();
    }
}

/// A text in a style, if the stream shows colours.
pub(crate) fn styled(text: &str, style: Style, stream: &impl RawStream) -> String {
    painted(text, style, AutoStream::choice(stream) != ColorChoice::Never)
}

/// A text in a style if `is_colored`, or else unchanged.
pub(super) fn painted(text: &str, style: Style, is_colored: bool) -> String {
    if is_colored && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Whether standard output shows colours.
pub(super) fn is_colored() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// The line with a report's main number, and a blank line, for a terminal. Empty if standard output is no terminal.
pub(crate) fn lead_line(lead: &str) -> String {
    match lead.is_empty() || !io::stdout().is_terminal() {
        true => String::new(),
        false => painted(lead, STRONG, is_colored()) + "\n\n",
    }
}

/// Prints the explanation why two messages are repeats, or why not.
pub(crate) fn print_explanation(explanation: &Explanation) -> anyhow::Result<ExitCode> {
    let is_colored = is_colored();
    let pieces = explanation.pieces();
    let paint = |(tone, text): &(Tone, String)| match tone {
        Tone::Plain => text.clone(),
        Tone::Strong => painted(text, STRONG, is_colored),
        Tone::Lacks => painted(text, LACKS, is_colored),
        Tone::Adds => painted(text, ADDS, is_colored),
    };
    print(pieces.iter().map(paint).collect())
}

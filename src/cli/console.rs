//! Messages and progress of a run, for a person, on standard error.

use std::io::{self, IsTerminal};

use crate::State;
use crate::config::{Config, ExactMode, TrieHash};
use crate::exact::bloom::{FilterHealth, Fullness};
use crate::formats::parse::Fault;
use crate::overview::Overview;
use crate::report::grouped;
use crate::run::represent::Choice;
use crate::run::{Notice, Observed, Observer, Totals, Unjudged};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing::{error, info, warn};

use super::left_out::LeftOut;
use super::log::LogFormat;
use super::losses::tell_losses;
use super::notices;
use super::screen::ShowProgress;
use super::summary::sum_up;
use crate::locale::tr;

/// How many faults are reported one by one. The others are only counted.
pub(crate) const FAULTS_TOLD: u64 = 5;

/// An input is hopeless if none of this many records can be judged.
const HOPELESS: u64 = 1000;

/// Runs functions that report something, unless it is quiet, and hides the progress bar meanwhile.
#[derive(Clone)]
pub(crate) struct Teller {
    quiet: bool,
    bar: Option<ProgressBar>,
}

impl Teller {
    /// Runs `event`, which reports something, unless this teller is quiet.
    pub(crate) fn tell(&self, event: impl FnOnce()) {
        if !self.quiet {
            self.insist(event);
        }
    }

    /// Runs `event`, which reports something, even if this teller is quiet.
    pub(crate) fn insist(&self, event: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(event),
            None => event(),
        }
    }

    /// Runs `event`, even if this teller is quiet when `is_urgent`.
    pub(crate) fn insist_if(&self, is_urgent: bool, event: impl FnOnce()) {
        if is_urgent { self.insist(event) } else { self.tell(event) }
    }
}

/// Reports faults and warnings as they occur, and shows progress on a terminal.
pub(crate) struct ConsoleObserver {
    teller: Teller,
    faults: u64,
    /// Whether an input was reported as hopeless.
    told_hopeless: bool,
    /// The exact stage, and the hash of the paper's trie. A filter that is too full loses messages if it decides alone; otherwise it only
    /// costs time. The hash determines how many messages the paper's trie loses.
    exact: (ExactMode, TrieHash),
    /// Whether there is a window, outside of which messages are forgotten.
    has_window: bool,
    /// The data for `--report`.
    pub(crate) overview: Option<Overview>,
    /// The choice of representatives, for `--represent`.
    pub(crate) choice: Option<Choice>,
    /// The records that are in no output, if there can be any.
    pub(crate) left_out: Option<LeftOut>,
}

impl ConsoleObserver {
    /// An observer without an overview, a choice and left-out records. `bytes` is the size of the input, if it is known.
    pub(crate) fn new(
        quiet: bool,
        progress: ShowProgress,
        format: LogFormat,
        config: &Config,
        bytes: Option<u64>,
    ) -> Self {
        // No bar if the terminal also shows the records, which would appear in between. No bar between lines of JSON either.
        let is_text = !quiet && format == LogFormat::Text;
        let watched = is_text && progress.is_shown() && !io::stdout().is_terminal();
        let bar = watched.then(|| {
            let template = match bytes {
                Some(_) => "{bar:30} {bytes}/{total_bytes} {msg} (eta {eta})",
                None => "{spinner} {bytes} {msg}",
            };
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::with_draw_target(bytes, ProgressDrawTarget::stderr()).with_style(style)
        });
        Self {
            teller: Teller { quiet, bar },
            faults: 0,
            told_hopeless: false,
            exact: (config.exact, config.trie_hash),
            has_window: config.window.is_some(),
            overview: None,
            choice: None,
            left_out: None,
        }
    }

    /// Returns the teller, for other code that has something to report.
    pub(crate) fn teller(&self) -> &Teller {
        &self.teller
    }

    /// Removes the bar, and reports the summary.
    pub(crate) fn finish(&self, totals: &Totals) {
        if let Some(bar) = &self.teller.bar {
            bar.finish_and_clear();
        }
        self.teller.tell(|| sum_up(totals));
        // The paper's filter and trie lose messages, and the user may not want that. So losses are reported even under `--quiet`.
        let is_lossy = totals.expected_lost.is_some_and(|lost| lost >= 0.5);
        self.teller.insist_if(is_lossy, || tell_losses(totals, self.exact, self.has_window));
        self.teller.insist(|| self.left_out.iter().for_each(LeftOut::tell));
    }
}

impl Observer for ConsoleObserver {
    fn fault(&mut self, file: &str, line: u64, fault: &Fault) {
        self.faults += 1;
        if let Some(overview) = &mut self.overview {
            overview.fault(fault.kind);
        }
        if let Some(left_out) = &mut self.left_out {
            left_out.fault(file, line, fault);
        }
        if self.faults <= FAULTS_TOLD {
            self.teller.tell(|| warn!(file, line, kind = fault.kind.name(), "{file}:{line}: {}", fault.reason));
        }
        if self.faults == FAULTS_TOLD {
            self.teller.tell(|| warn!("{}", tr!("further such records are counted only")));
        }
    }

    fn notice(&mut self, file: &str, line: u64, notice: &Notice) {
        self.teller.insist_if(notice.is_urgent(), || notices::warn_of(file, line, notice));
    }

    fn hopeless(&mut self, input: &Unjudged) {
        if input.records >= HOPELESS && !self.told_hopeless {
            self.told_hopeless = true;
            let Unjudged { file, records, reason, .. } = input;
            error!(
                "{}",
                tr!(
                    "{file}: none of the first {} records can be judged; the first: {reason}",
                    grouped(*records),
                    file,
                    reason
                )
            );
        }
    }

    fn filter_fills(&mut self, fullness: Fullness, state: &State) {
        let Some(FilterHealth { capacity, expected_error, .. }) = state.exact().health() else { return };
        let texts = grouped(capacity);
        // If a trie verifies the filter's answers, a full filter only costs time.
        let alone = self.exact.0.is_filter_alone();
        self.teller.insist_if(alone, || match fullness {
            Fullness::Nearly if alone => warn!(
                capacity,
                expected_error,
                "{}",
                tr!(
                    "warning: the Bloom filter holds nine tenths of the {texts} texts that it was sized for; beyond them it takes \
                 more and more new texts for repeats (a larger --capacity or --bloom-bits has room, --exact verified loses none)",
                    texts
                )
            ),
            Fullness::Over if alone => warn!(
                capacity,
                expected_error,
                "{}",
                tr!(
                    "warning: more texts than the {texts} that the Bloom filter was sized for; it now takes a new text for a repeat \
                 with probability {expected_error} and rising (a larger --capacity or --bloom-bits has room, --exact verified loses none)",
                    texts,
                    expected_error = format_args!("{expected_error:.1e}")
                )
            ),
            Fullness::Over => warn!(
                capacity,
                "{}",
                tr!(
                    "warning: more texts than the {texts} expected; verdicts stay exact, a larger --capacity is faster",
                    texts
                )
            ),
            Fullness::Nearly | Fullness::Roomy => {}
        });
    }

    fn no_times(&mut self, messages: u64) {
        self.teller.tell(|| {
            warn!(
                messages,
                "{}", tr!("warning: none of the first {} messages has a time after 1979 that can be read, so the window forgets nothing, or forgets too early \
                 (--time-field names another field, --max-memory sets a limit)", grouped(messages)));
        });
    }

    fn no_scopes(&mut self, messages: u64) {
        self.teller.insist(|| {
            warn!(
                messages,
                "{}",
                tr!(
                    "warning: none of the first {} messages has a value in each field of --scope; name fields that have one",
                    grouped(messages)
                )
            );
        });
    }

    fn output_moved(&mut self, name: &str) {
        self.teller.tell(|| {
            info!(
                "{}",
                tr!("{name}: was moved away or removed, so the records go on in a new file of this name", name)
            );
        });
    }

    fn other_header(&mut self, name: &str) {
        self.teller.tell(|| {
            warn!(
                "{}",
                tr!(
                    "{name}: warning: begins with another header than these rows, so it holds two tables now; write them to another file",
                    name
                )
            );
        });
    }

    fn watches(&self) -> bool {
        self.overview.is_some() || self.choice.is_some()
    }

    fn message(&mut self, seen: &Observed<'_>) {
        if let Some(overview) = &mut self.overview {
            overview.message(seen);
        }
        if let Some(choice) = &mut self.choice {
            choice.message(seen);
        }
    }

    fn blank(&mut self) {
        if let Some(overview) = &mut self.overview {
            overview.blank();
        }
    }

    fn progress(&mut self, totals: &Totals) {
        if let Some(overview) = &mut self.overview {
            overview.progress();
        }
        if let Some(bar) = &self.teller.bar {
            bar.set_position(totals.bytes_in);
            let dropped = totals.dropped.exact + totals.dropped.near;
            let rate = totals.r#in as f64 / bar.elapsed().as_secs_f64().max(1e-3);
            bar.set_message(tr!(
                "{} records/s, kept {}, dropped {}",
                grouped(rate as u64),
                grouped(totals.kept),
                grouped(dropped)
            ));
        }
    }
}

//! What a run tells a person, on standard error.

use std::io::{self, IsTerminal};

use crate::State;
use crate::config::{Config, ExactMode, TrieHash};
use crate::exact::bloom::{FilterHealth, Fullness};
use crate::formats::parse::{Fault, FaultKind};
use crate::overview::Overview;
use crate::reach::Untimely;
use crate::run::represent::Choice;
use crate::run::{Dropped, Notice, Observed, Observer, Totals, Unjudged};
use anyhow::anyhow;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing::{error, info, warn};

use super::left_out::LeftOut;
use super::log::LogFormat;
use super::losses::tell_losses;
use super::notices;
use super::screen::Progress;
use tr::tr;

/// Faults that are told one by one; the rest is counted.
pub(crate) const FAULTS_TOLD: u64 = 5;

/// So many records of which none can be judged are no accident.
const HOPELESS: u64 = 1000;

/// Tells a person something, if it may, around the bar that shows progress.
#[derive(Clone)]
pub(crate) struct Teller {
    quiet: bool,
    bar: Option<ProgressBar>,
}

impl Teller {
    /// Lets `event` tell.
    pub(crate) fn tell(&self, event: impl FnOnce()) {
        if !self.quiet {
            self.insist(event);
        }
    }

    /// Lets `event` tell what must be said even if nothing else is.
    pub(crate) fn insist(&self, event: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(event),
            None => event(),
        }
    }
}

/// Tells faults and warnings as they occur, and shows progress where a person watches.
pub(crate) struct ConsoleObserver {
    teller: Teller,
    faults: u64,
    /// Whether it was told that an input is hopeless.
    told_hopeless: bool,
    /// Decides what is lost: a filter that is too full loses messages if it decides alone, or else only time.
    exact: ExactMode,
    /// Decides how much the paper's trie loses.
    trie_hash: TrieHash,
    /// What `--report` tells.
    pub(crate) overview: Option<Overview>,
    /// What `--represent` asks for.
    pub(crate) choice: Option<Choice>,
    /// Records that no output has, if that can be.
    pub(crate) left_out: Option<LeftOut>,
}

impl ConsoleObserver {
    /// A reporter without an overview and a choice; `bytes` is the size of the input where it is known.
    pub(crate) fn new(quiet: bool, progress: Progress, format: LogFormat, config: &Config, bytes: Option<u64>) -> Self {
        // On a terminal that also shows the records a bar would only get between them, and between JSON it does anywhere.
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
        let (exact, trie_hash) = (config.exact, config.trie_hash);
        Self {
            teller: Teller { quiet, bar },
            faults: 0,
            told_hopeless: false,
            exact,
            trie_hash,
            overview: None,
            choice: None,
            left_out: None,
        }
    }

    /// What tells, for others to tell with.
    pub(crate) fn teller(&self) -> &Teller {
        &self.teller
    }

    /// The summary for a person.
    pub(crate) fn finish(&self, totals: &Totals) {
        if let Some(bar) = &self.teller.bar {
            bar.finish_and_clear();
        }
        self.teller.tell(|| sum_up(totals));
        // A filter or trie of the paper's loses messages, and nobody may have asked for that.
        match totals.expected_lost.is_some_and(|lost| lost >= 0.5) {
            true => self.teller.insist(|| tell_losses(totals, self.exact, self.trie_hash)),
            false => self.teller.tell(|| tell_losses(totals, self.exact, self.trie_hash)),
        }
        self.teller.insist(|| self.left_out.iter().for_each(LeftOut::tell));
    }
}

/// Whether a run that came to its end is most likely not what was meant; says why, even if it should say nothing else.
///
/// `seen` is how messages call the state, if nothing of what it knows was meant to be read again.
pub(crate) fn doubts(totals: &Totals, strict: bool, seen: Option<&str>) -> bool {
    for Unjudged { file, records, errors, reason } in &totals.unjudged {
        let (records, errors) = (HumanCount(*records), HumanCount(*errors));
        error!(
            "{}",
            tr!(
                "{file}: {errors} of {records} records could not be judged, and repeats among them are not known; the first: {reason}",
                file,
                errors,
                records,
                reason
            )
        );
    }
    let is_doubtful = |missing: &(u64, u64)| strict || most(*missing);
    let [untimed_of, unranked_of, unnamed_of, unnumbered_of] =
        [totals.untimed, totals.unranked, totals.unnamed, totals.unnumbered].map(|missing| missing.filter(is_doubtful));
    let unscoped_of = totals.scopeless.filter(|scopeless| scopeless.0 > 0 && is_doubtful(scopeless));
    // Where others have ids, one without is odd.
    let ids = Some(totals.ids).filter(|ids| strict && ids.missing > 0 && ids.present > 0);
    let unnamed_of = unnamed_of.or(ids.map(|ids| (ids.missing, ids.missing + ids.present)));
    if let Some((missing, messages)) = untimed_of {
        error!("{}", untimed(missing, messages));
    }
    if let Some((missing, messages)) = unscoped_of {
        error!("{}", unscoped(missing, messages));
    }
    if let Some((missing, messages)) = unranked_of {
        error!("{}", unranked(missing, messages));
    }
    if let Some((missing, records)) = unnamed_of {
        error!("{}", unnamed(missing, records));
    }
    if let Some((skipped, records)) = totals.mostly_skipped {
        let (skipped, records) = (HumanCount(skipped), HumanCount(records));
        error!(
            "{}",
            tr!(
                "--seq-field: {skipped} of {records} records were passed over, since their numbers are not above the last one that --state \
             knows (`quchong state info` tells it); if they are new, begin another state",
                skipped,
                records
            )
        );
    }
    if let Some((missing, records)) = unnumbered_of {
        let (missing, records) = (HumanCount(missing), HumanCount(records));
        error!(
            "{}",
            tr!(
                "--seq-field: {missing} of {records} records have no number there, a whole one from 0 on; name the field that has one",
                missing,
                records
            )
        );
    }
    let again = totals.all_seen.zip(seen);
    if let Some((messages, state)) = again {
        let messages = HumanCount(messages);
        error!(
            "{}",
            tr!(
                "{state}: all messages, {messages}, repeat those of earlier runs of this state, and none was kept; their output has them; if \
             this input was meant to be read again, say --again, or begin another state",
                state,
                messages
            )
        );
    }
    let errors = totals.errors.total();
    if strict && errors > 0 && totals.unjudged.is_empty() {
        error!(
            "{}",
            tr!(
                "--strict: {} of {} records could not be judged; without --quiet the first are named",
                HumanCount(errors),
                HumanCount(totals.r#in)
            )
        );
    }
    if totals.numbers.unknown > 0 {
        error!(
            "{}",
            tr!(
                "--seq-field: {} records were passed over whose texts are not known (any more); if they are new, send them with higher \
             numbers, or to another --state",
                HumanCount(totals.numbers.unknown)
            )
        );
    }
    let is_named_wrong = [untimed_of, unscoped_of, unranked_of, unnamed_of, unnumbered_of].iter().any(Option::is_some);
    let is_empty = totals.mostly_skipped.is_some() || again.is_some();
    !totals.unjudged.is_empty() || is_named_wrong || is_empty || strict && errors > 0
}

/// Whether so many are most of so many.
fn most((missing, all): (u64, u64)) -> bool {
    missing * 2 > all
}

/// That messages have no time.
pub(crate) fn untimed(missing: u64, messages: u64) -> anyhow::Error {
    let (missing, messages) = (HumanCount(missing), HumanCount(messages));
    anyhow!(tr!(
        "--time-field: {missing} of {messages} messages have no time that can be read; name the field that has one",
        missing,
        messages
    ))
}

/// That messages have no scope.
pub(crate) fn unscoped(missing: u64, messages: u64) -> anyhow::Error {
    let (missing, messages) = (HumanCount(missing), HumanCount(messages));
    anyhow!(tr!(
        "{missing} of {messages} messages have no value in the fields of --scope, and were compared with each other; name a field that has one",
        missing,
        messages
    ))
}

/// That messages have nothing to choose by.
pub(crate) fn unranked(missing: u64, messages: u64) -> anyhow::Error {
    let (missing, messages) = (HumanCount(missing), HumanCount(messages));
    anyhow!(tr!(
        "--represent: {missing} of {messages} messages have no number, date or listed value in its field; name the field that has one",
        missing,
        messages
    ))
}

/// That records have no id.
pub(crate) fn unnamed(missing: u64, records: u64) -> anyhow::Error {
    let (missing, records) = (HumanCount(missing), HumanCount(records));
    anyhow!(tr!(
        "--id-field: {missing} of {records} records have no id that is a string or a number; name the field that has one",
        missing,
        records
    ))
}

/// The summary for a person.
fn sum_up(totals: &Totals) {
    let Totals { kept, dropped: Dropped { exact: equal, near }, seconds, .. } = *totals;
    let (records, errors) = (totals.r#in, totals.errors.total());
    let skipped = match totals.skipped {
        0 => String::new(),
        skipped => tr!(" + skipped {}", HumanCount(skipped)),
    };
    let against = totals.against.map_or_else(String::new, |held| tr!("; {} of them in --against", HumanCount(held)));
    info!(
        "in" = records,
        kept,
        exact = equal,
        near,
        errors,
        against = totals.against,
        seconds,
        peak_memory_bytes = totals.peak_memory_bytes,
        "{}",
        tr!(
            "in {} = kept {} + dropped {} (exact {}, near {}{against}) + errors {}{skipped}; {} s, {} records/s{}",
            HumanCount(records),
            HumanCount(kept),
            HumanCount(equal + near),
            HumanCount(equal),
            HumanCount(near),
            HumanCount(errors),
            format_args!("{seconds:.1}"),
            HumanCount((records as f64 / seconds.max(1e-9)) as u64),
            totals.peak_memory_bytes.map_or_else(String::new, |bytes| tr!(", peak memory {}", HumanBytes(bytes))),
            against = against,
            skipped = skipped
        )
    );
    if errors > 0 {
        let kinds = FaultKind::NAMED.iter().filter(|(_, kind)| totals.errors.of(*kind) > 0);
        let kinds: Vec<String> = kinds.map(|(name, kind)| format!("{name} {}", totals.errors.of(*kind))).collect();
        warn!(errors, "{}", tr!("records that could not be judged: {}", kinds.join(", ")));
    }
    if totals.skipped > 0 {
        let skipped = totals.skipped;
        info!(
            skipped,
            "{}",
            tr!(
                "{} records were passed over (--seq-field): their numbers are not above the last one of an earlier run",
                HumanCount(skipped)
            )
        );
    }
    let (ids, numbers) = (totals.ids, totals.numbers);
    if ids.missing > 0 && ids.present > 0 || ids.duplicate > 0 {
        let (missing, duplicate) = (ids.missing, ids.duplicate);
        let [none, twice] = [missing, duplicate].map(HumanCount);
        warn!(
            missing,
            duplicate,
            "{}",
            tr!("ids: {none} records had none, {twice} or more had that of an earlier record", none, twice)
        );
    }
    if let Some((missing, messages)) = totals.scopeless.filter(|scopeless| scopeless.0 > 0 && !most(*scopeless)) {
        warn!(
            missing,
            "{}",
            tr!(
                "scope: {} of {} messages had no value there, and were compared with each other",
                HumanCount(missing),
                HumanCount(messages)
            )
        );
    }
    if totals.joined > 0 {
        let joined = totals.joined;
        warn!(
            joined,
            "{}",
            tr!("rows with a field in quotes whose lines look like rows themselves: {}", HumanCount(joined))
        );
    }
    if numbers.late + numbers.jumped > 0 {
        let [late, jumped] = [numbers.late, numbers.jumped].map(HumanCount);
        warn!(
            late = numbers.late,
            jumped = numbers.jumped,
            "{}",
            tr!(
                "numbers (--seq-field): {late} were not above the last one, {jumped} implausibly far ahead; their records were judged",
                late,
                jumped
            )
        );
    }
    if numbers.missing > 0 && !totals.unnumbered.is_some_and(most) {
        let missing = numbers.missing;
        warn!(
            missing,
            "{}",
            tr!(
                "numbers (--seq-field): {} records had none, or what is no whole number from 0 on; they were judged, and not noted",
                HumanCount(missing)
            )
        );
    }
    if let Some(Untimely { missing, late, ahead, back }) = totals.times.filter(|times| *times != Untimely::default()) {
        warn!(
            missing,
            late,
            ahead,
            "{}",
            tr!(
                "times: {} messages had none that could be read (--time-field), {} were later than --lateness, {} too far ahead",
                HumanCount(missing),
                HumanCount(late),
                HumanCount(ahead)
            )
        );
        if back > 0 {
            warn!(
                back,
                "{}",
                tr!(
                    "times: {} times the clock was ahead of most messages by more than the window, and fell back to them: a wrong \
                 time, or an input that is not in the order of time (sort it, or raise --lateness)",
                    HumanCount(back)
                )
            );
        }
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
        match notice {
            Notice::JoinedRows | Notice::PassedOver { .. } => self.teller.insist(|| notices::tell(file, line, notice)),
            _ => self.teller.tell(|| notices::tell(file, line, notice)),
        }
    }

    fn hopeless(&mut self, input: &Unjudged) {
        if input.records >= HOPELESS && !self.told_hopeless {
            self.told_hopeless = true;
            let Unjudged { file, records, reason, .. } = input;
            error!(
                "{}",
                tr!(
                    "{file}: none of the first {} records can be judged; the first: {reason}",
                    HumanCount(*records),
                    file,
                    reason
                )
            );
        }
    }

    fn filter_fills(&mut self, fullness: Fullness, state: &State) {
        let Some(FilterHealth { capacity, expected_error, .. }) = state.exact().health() else { return };
        let texts = HumanCount(capacity);
        // Where a trie verifies, a full filter costs time only.
        let alone = self.exact.is_filter_alone();
        let tell = |event: &dyn Fn()| if alone { self.teller.insist(event) } else { self.teller.tell(event) };
        tell(&|| match fullness {
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
                    "warning: more than the {texts} texts that the Bloom filter was sized for; it now takes a new text for a repeat \
                 with probability {expected_error} and rising (a larger --capacity or --bloom-bits has room, --exact verified loses none)",
                    texts,
                    expected_error = format_args!("{expected_error:.1e}")
                )
            ),
            Fullness::Over => warn!(
                capacity,
                "{}",
                tr!(
                    "warning: more than the {texts} texts expected; verdicts stay exact, a larger --capacity is faster",
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
                "{}", tr!("warning: none of the first {} messages has a time that can be read: nothing is forgotten before one has \
                 (--time-field names another field, --max-memory sets a limit)", HumanCount(messages)));
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
                HumanCount(rate as u64),
                HumanCount(totals.kept),
                HumanCount(dropped)
            ));
        }
    }
}

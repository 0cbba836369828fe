//! The summary of a run, for a person.

use crate::formats::parse::FaultKind;
use crate::formats::time::rfc3339;
use crate::locale::tr;
use crate::reach::Untimely;
use crate::report::{counted, grouped};
use crate::run::{Dropped, Portion, Totals};
use indicatif::HumanBytes;
use tracing::{info, warn};

/// Reports what a run read, kept and dropped, and anything odd.
pub(crate) fn sum_up(totals: &Totals) {
    in_and_out(totals);
    not_judged(totals);
    odd_ids_and_fields(totals);
    odd_numbers(totals);
    odd_times(totals);
}

/// Reports how many records came in, and what happened to them.
fn in_and_out(totals: &Totals) {
    let Totals { kept, dropped: Dropped { exact: equal, near }, seconds, .. } = *totals;
    let (records, errors) = (totals.r#in, totals.errors.total());
    let skipped = match totals.skipped {
        0 => String::new(),
        skipped => tr!(" + skipped {}", grouped(skipped)),
    };
    let took = tr!(
        "{} s, {} records/s{}",
        format_args!("{seconds:.1}"),
        grouped((records as f64 / seconds.max(1e-9)) as u64),
        totals.peak_memory_bytes.map_or_else(String::new, |bytes| tr!(", peak memory {}", HumanBytes(bytes)))
    );
    let against = totals.against.map_or_else(String::new, |held| tr!("; {} of them in --against", grouped(held)));
    let told = match totals.incomplete {
        // A user who reads how many records were kept would look for them in the output.
        true if totals.failed.is_empty() => {
            tr!("judged {}; an output is incomplete; {took}", counted(records, "record"), took = took)
        }
        true => {
            let name = |name: &String| if name == "<stdout>" { tr!("standard output") } else { name.clone() };
            let outputs = totals.failed.iter().map(name).collect::<Vec<_>>().join(&tr!(", "));
            tr!(
                "judged {}; {outputs} lacks some of them; {took}",
                counted(records, "record"),
                outputs = outputs,
                took = took
            )
        }
        false => tr!(
            "in {} = kept {} + dropped {} (exact {}, near {}{against}) + errors {}{skipped}; {took}",
            grouped(records),
            grouped(kept),
            grouped(equal + near),
            grouped(equal),
            grouped(near),
            grouped(errors),
            against = against,
            skipped = skipped,
            took = took
        ),
    };
    info!(
        "in" = records,
        kept,
        exact = equal,
        near,
        errors,
        against = totals.against,
        complete = totals.incomplete.then_some(false),
        seconds,
        peak_memory_bytes = totals.peak_memory_bytes,
        "{told}"
    );
}

/// Reports records that could not be judged, or were skipped.
fn not_judged(totals: &Totals) {
    let errors = totals.errors.total();
    if errors > 0 {
        let kinds = FaultKind::NAMED.iter().filter(|(_, kind)| totals.errors.of(*kind) > 0);
        let kinds: Vec<String> = kinds.map(|(name, kind)| format!("{name} {}", totals.errors.of(*kind))).collect();
        warn!(errors, "{}", tr!("records that could not be judged: {}", kinds.join(&tr!(", "))));
    }
    if totals.skipped > 0 {
        let skipped = totals.skipped;
        info!(
            skipped,
            "{}",
            tr!(
                "{} record was skipped (--seq-field): its number is not above the last one of an earlier run"
                    | "{} records were skipped (--seq-field): their numbers are not above the last one of an earlier run"
                        % skipped,
                grouped(skipped)
            )
        );
    }
}

/// Reports records without an id or a field that others have, and records that look like several rows of a table.
fn odd_ids_and_fields(totals: &Totals) {
    let ids = totals.ids;
    if ids.missing > 0 && ids.present > 0 || ids.duplicate > 0 {
        let (missing, duplicate) = (ids.missing, ids.duplicate);
        let [none, twice] = [missing, duplicate].map(grouped);
        warn!(
            missing,
            duplicate,
            "{}",
            tr!(
                "ids: {none} record had none, {twice} or more had that of an earlier record"
                    | "ids: {none} records had none, {twice} or more had that of an earlier record" % missing,
                none = none,
                twice = twice
            )
        );
    }
    let few = |missing: &Portion| missing.count > 0 && !missing.is_most();
    if let Some(Portion { count: missing, of: messages }) = totals.scopeless.filter(few) {
        warn!(
            missing,
            "{}",
            tr!(
                "scope: {} of {} messages had no value there, and were compared with each other",
                grouped(missing),
                grouped(messages)
            )
        );
    }
    if let Some(Portion { count: missing, of: messages }) = totals.unranked.filter(few) {
        warn!(missing, "{}", unranked_few(missing, messages));
    }
    if let Some(Portion { count: missing, of: messages }) = totals.partial.filter(|partial| partial.count > 0) {
        warn!(
            missing,
            "{}",
            tr!(
                "field: {} of {} lacked a part, and was compared by the rest"
                    | "field: {} of {} lacked a part, and were compared by the rest" % missing,
                grouped(missing),
                counted(messages, "message")
            )
        );
    }
    if totals.joined > 0 {
        let joined = totals.joined;
        warn!(
            joined,
            "{}",
            tr!("rows with a field in quotes whose lines look like rows themselves: {}", grouped(joined))
        );
    }
}

/// Reports records whose number in the feed is missing or out of order.
fn odd_numbers(totals: &Totals) {
    let numbers = totals.numbers;
    if numbers.late + numbers.jumped > 0 {
        let [late, jumped] = [numbers.late, numbers.jumped].map(grouped);
        warn!(
            late = numbers.late,
            jumped = numbers.jumped,
            "{}",
            tr!(
                "numbers (--seq-field): {late} was not above the last one, {jumped} implausibly far ahead; their records were judged"
                    | "numbers (--seq-field): {late} were not above the last one, {jumped} implausibly far ahead; their records were judged"
                        % numbers.late,
                late = late,
                jumped = jumped
            )
        );
    }
    if numbers.missing > 0 && !totals.unnumbered.is_some_and(Portion::is_most) {
        let missing = numbers.missing;
        warn!(
            missing,
            "{}",
            tr!(
                "numbers (--seq-field): {} record had none, or what is no whole number from 0 on; it was judged, and not noted"
                    | "numbers (--seq-field): {} records had none, or what is no whole number from 0 on; they were judged, and not noted"
                        % missing,
                grouped(missing)
            )
        );
    }
}

/// Reports messages whose time is missing, out of order, or most likely no time.
fn odd_times(totals: &Totals) {
    if let Some(latest) = totals.implausible_clock.and_then(|clock| rfc3339(clock, 1000)) {
        warn!(
            "{}",
            tr!(
                "times: all are before 1980, the latest is {latest}. If these are no times, name the field that has them (--time-field), \
                 written as 2026-11-22 08:00:00 or in seconds since 1970",
                latest
            )
        );
    }
    let times = totals.times.filter(|times| *times != Untimely::default());
    let Some(Untimely { missing, late, ahead, back }) = times else { return };
    warn!(
        missing,
        late,
        ahead,
        "{}",
        tr!(
            "times: {} message had none that could be read (--time-field), {} came later than --lateness, {} too far ahead"
                | "times: {} messages had none that could be read (--time-field), {} came later than --lateness, {} too far ahead"
                    % missing,
            grouped(missing),
            grouped(late),
            grouped(ahead)
        )
    );
    if back > 0 {
        warn!(
            back,
            "{}",
            tr!(
                "times: once the clock was ahead of most messages by more than the window, and fell back to them: a wrong time, or an \
                 input that is not in the order of time (sort it, or raise --lateness)"
                    | "times: {} times the clock was ahead of most messages by more than the window, and fell back to them: a wrong \
                       time, or an input that is not in the order of time (sort it, or raise --lateness)"
                        % back,
                grouped(back)
            )
        );
    }
}

/// The message that some messages lack the value for choosing a representative.
pub(crate) fn unranked_few(missing: u64, messages: u64) -> String {
    tr!(
        "represent: {} of {} had nothing in the field to choose by, and stands for a cluster only if none in it has anything there"
            | "represent: {} of {} had nothing in the field to choose by, and stand for a cluster only if none in it has anything there"
                % missing,
        grouped(missing),
        counted(messages, "message")
    )
}

//! Doubts about runs that came to their end but are most likely not what the user meant.

use super::origins::Origins;
use crate::exact::bloom::FilterHealth;
use crate::locale::tr;
use crate::report::{counted, grouped};
use crate::run::{Portion, Totals, Unjudged};
use anyhow::anyhow;
use tracing::error;

/// What a run was expected to find.
pub(crate) struct Expected<'e> {
    /// Whether its input was probably meant to be new.
    pub(crate) is_new: bool,
    /// The name of its state.
    pub(crate) state: Option<&'e str>,
    /// Whether a Bloom filter decides alone which texts came before. What the paper's filter loses is told in another place.
    pub(crate) filter_decides: bool,
}

/// Reports why a run that came to its end is most likely not what the user meant, even under `--quiet`. Returns whether there is a
/// reason.
///
/// `origins` has the origins of settings that were not typed.
pub(crate) fn tell_doubts(totals: &Totals, strict: bool, expected: &Expected<'_>, origins: &Origins) -> bool {
    let tell = |doubt: String| error!("{}", origins.with_origin(&doubt));
    for Unjudged { file, records, errors, reason } in &totals.unjudged {
        let (of, errors) = (counted(*records, "record"), grouped(*errors));
        tell(tr!(
            "{file}: {errors} of {of} could not be judged, so no repeats were found among them; the first: {reason}",
            file,
            errors,
            of,
            reason
        ));
    }
    let is_doubtful = |missing: &Portion| strict || missing.is_most();
    let [untimed_of, unnamed_of, unnumbered_of] =
        [totals.untimed, totals.unnamed, totals.unnumbered].map(|missing| missing.filter(is_doubtful));
    let [unscoped_of, unranked_of] = [totals.scopeless, totals.unranked]
        .map(|missing| missing.filter(|missing| missing.count > 0 && is_doubtful(missing)));
    // If other records have ids, a record without one is odd.
    let ids = Some(totals.ids).filter(|ids| strict && ids.missing > 0 && ids.present > 0);
    let unnamed_of = unnamed_of.or(ids.map(|ids| Portion { count: ids.missing, of: ids.missing + ids.present }));
    let untimed = untimed_of.map(|missing| untimed(missing.count, missing.of));
    let unscoped = unscoped_of.map(|missing| unscoped(missing.count, missing.of));
    let unranked = unranked_of.map(|missing| unranked(missing.count, missing.of));
    let unnamed = unnamed_of.map(|missing| unnamed(missing.count, missing.of));
    let reversed = totals.newest_first.map(|late| newest_first(late.count, late.of));
    [untimed, unscoped, unranked, unnamed, reversed].into_iter().flatten().for_each(|doubt| tell(doubt.to_string()));
    if let Some(Portion { count: skipped, of: records }) = totals.mostly_skipped {
        tell(tr!(
            "--seq-field: {skipped} of {of} was skipped, since its number is not above the last one that --state knows (`quchong \
             state info` tells it); if it is new, begin another state"
                | "--seq-field: {skipped} of {of} were skipped, since their numbers are not above the last one that --state knows \
                   (`quchong state info` tells it); if they are new, begin another state"
                    % skipped,
            skipped = grouped(skipped),
            of = counted(records, "record")
        ));
    }
    if let Some(Portion { count: missing, of: records }) = unnumbered_of {
        tell(tr!(
            "--seq-field: {missing} of {of} has no number there, a whole one from 0 on; name the field that has one"
                | "--seq-field: {missing} of {of} have no number there, a whole one from 0 on; name the field that has one"
                    % missing,
            missing = grouped(missing),
            of = counted(records, "record")
        ));
    }
    let full =
        totals.filter.filter(|filter| expected.filter_decides && totals.dropped.exact > 0 && filter.is_overfull());
    full.iter().for_each(|filter| tell(overfull(filter)));
    let archived = totals.all_archived.filter(|_| expected.is_new);
    if let Some(messages) = archived {
        tell(tr!(
            "--against: all {} messages repeat the archive, so none of them was kept. If this is new input, all is well. If the archive has the \
             input itself, leave it out of --against",
            grouped(messages)
        ));
    }
    let again = totals.all_seen.zip(expected.state.filter(|_| expected.is_new));
    if let Some((messages, state)) = again {
        tell(tr!(
            "{state}: the only message with a text repeats one of an earlier run, so it was not kept. If this is new input, all is \
             well; --again says so. If it was read before by mistake, the earlier output has the message, unless `>` has emptied it"
                | "{state}: all {messages} messages with a text repeat those of earlier runs, so none of them was kept. If this is new \
                   input, all is well; --again says so. If it was read before by mistake, the earlier outputs have the messages, unless \
                   `>` has emptied one"
                    % messages,
            state = state,
            messages = grouped(messages)
        ));
    }
    let errors = totals.errors.total();
    if strict && errors > 0 && totals.unjudged.is_empty() {
        tell(tr!(
            "--strict: {} of {} could not be judged; without --quiet the first are named",
            grouped(errors),
            counted(totals.r#in, "record")
        ));
    }
    if totals.numbers.unknown > 0 {
        tell(tr!(
            "--seq-field: {} record was skipped whose text is not known (any more); if it is new, send it with a higher number, or \
             to another --state"
                | "--seq-field: {} records were skipped whose texts are not known (any more); if they are new, send them with \
                   higher numbers, or to another --state"
                    % totals.numbers.unknown,
            grouped(totals.numbers.unknown)
        ));
    }
    let is_named_wrong = [untimed_of, unscoped_of, unranked_of, unnamed_of, unnumbered_of].iter().any(Option::is_some);
    let is_known = totals.mostly_skipped.is_some() || again.is_some() || archived.is_some();
    let is_misjudged = totals.newest_first.is_some() || full.is_some();
    !totals.unjudged.is_empty() || is_named_wrong || is_known || is_misjudged || strict && errors > 0
}

/// Tells that under a state the reader of the output has gone. Up to `unread` of the records that the state knows were still in the pipe.
pub(crate) fn unread_told(unread: u64, state: &str) -> String {
    match unread {
        0 => tr!(
            "standard output: its reader has gone before this run wrote anything there; start reader and run again, and both go on"
        ),
        _ => tr!(
            "standard output: its reader has gone, and may have left the last record of this run unread. {state} knows it, so that no \
             later run writes it again. To get it, read the input again with another --state. A file loses nothing: write to it (-o FILE \
             --append), and have the reader follow it"
                | "standard output: its reader has gone, and may have left the last {count} records of this run unread. {state} knows \
                   them, so that no later run writes them again. To get them, read the input again with another --state. A file loses \
                   nothing: write to it (-o FILE --append), and have the reader follow it"
                    % unread,
            state = state,
            count = grouped(unread)
        ),
    }
}

/// The doubt that a filter that decides alone took new texts for repeats.
fn overfull(filter: &FilterHealth) -> String {
    tr!(
        "--capacity: the Bloom filter holds {} texts and was made for {}, so that it takes a new text for a repeat with probability {error}. Read \
         the input again with a larger --capacity or --bloom-bits, or with --exact verified, which loses none; a --state must then be another",
        grouped(filter.inserted),
        grouped(filter.capacity),
        error = format_args!("{:.1e}", filter.expected_error)
    )
}

/// The doubt that messages have no time.
pub(crate) fn untimed(missing: u64, messages: u64) -> anyhow::Error {
    anyhow!(tr!(
        "--time-field: {missing} of {of} has no time that can be read. Name the field that has one, written as 2026-11-22 08:00:00 or in \
             seconds since 1970"
            | "--time-field: {missing} of {of} have no time that can be read. Name the field that has one, written as 2026-11-22 08:00:00 \
               or in seconds since 1970"
                % missing,
        missing = grouped(missing),
        of = counted(messages, "message")
    ))
}

/// The doubt that an input under a window of time begins with the newest message.
fn newest_first(late: u64, messages: u64) -> anyhow::Error {
    anyhow!(tr!(
        "--window: {late} of {of} came later than --lateness allows: the input seems to begin with the newest message, so the window reaches \
         too far, and messages may have been dropped that are to be kept. Sort it by time, the oldest first (`tac FILE` turns lines around)",
        late = grouped(late),
        of = counted(messages, "message")
    ))
}

/// The doubt that messages have no scope.
pub(crate) fn unscoped(missing: u64, messages: u64) -> anyhow::Error {
    anyhow!(tr!(
        "{missing} of {of} has no value in the fields of --scope; name a field that has one"
            | "{missing} of {of} have no value in the fields of --scope, and were compared with each other; name a field that has one"
                % missing,
        missing = grouped(missing),
        of = counted(messages, "message")
    ))
}

/// The doubt that messages lack the value for choosing a representative.
pub(crate) fn unranked(missing: u64, messages: u64) -> anyhow::Error {
    anyhow!(tr!(
        "--represent: {missing} of {of} has nothing in its field to choose by. largest and smallest choose by a number or a date, listed by a \
         value of its list; name the field that has one"
            | "--represent: {missing} of {of} have nothing in its field to choose by. largest and smallest choose by a number or a date, \
               listed by a value of its list; name the field that has one"
                % missing,
        missing = grouped(missing),
        of = counted(messages, "message")
    ))
}

/// The doubt that records have no id.
pub(crate) fn unnamed(missing: u64, records: u64) -> anyhow::Error {
    anyhow!(tr!(
        "--id-field: {missing} of {of} has no id that is a string or a number; name the field that has one"
            | "--id-field: {missing} of {of} have no id that is a string or a number; name the field that has one"
                % missing,
        missing = grouped(missing),
        of = counted(records, "record")
    ))
}

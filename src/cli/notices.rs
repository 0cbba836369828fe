//! Messages about unusual ids, numbers and quotes.

use crate::locale::tr;
use crate::run::Notice;
use tracing::warn;

/// Warns of a notice about the record at this line.
pub(crate) fn warn_of(file: &str, line: u64, notice: &Notice) {
    warn!(file, line, "{}", description(file, line, notice));
}

fn description(file: &str, line: u64, notice: &Notice) -> String {
    match notice {
        Notice::NoId => tr!(
            "{file}:{line}: no id that is a string or a number (--id-field names the field); \"of\" shows such records by their line, \
                 or under --state by their number among all records",
            file,
            line
        ),
        Notice::SameId(id) => {
            tr!("{file}:{line}: id {id} has come before; \"of\" with it can mean either record", file, line, id)
        }
        Notice::JoinedRows => tr!(
            "{file}:{line}: the lines of a field in quotes look like rows of the table; they are judged as one record. If they are rows, \
                 delete the stray quote, or double it",
            file,
            line
        ),
        Notice::HeaderRow => tr!(
            "{file}:{line}: this row is the header once more, as in files that were put together; such rows are no messages, and left out",
            file,
            line
        ),
        Notice::LikeTable { format } => tr!(
            "{file}: read as plain text, each line a message, but its lines look like rows of a table; if it is one, add --format {format} \
                 and the --field of the message",
            file,
            format
        ),
        Notice::LikeJson { prefixed: false } => tr!(
            "{file}: read as plain text, each line a message, but each line is a JSON object; if these are records, add --format jsonl and \
                 the --field of the message",
            file
        ),
        Notice::LikeJson { prefixed: true } => tr!(
            "{file}: read as plain text, each line a message, but its lines end in a JSON object; if these are records, cut what stands \
                 before them, and name the --field of the message: sed -n -u 's/^[^{{]*{{/{{/p' FILE | quchong dedup --field text",
            file
        ),
        Notice::Separated('\0') => tr!(
            "{file}: read as plain text, each line a message, but NUL bytes seem to separate its messages, and all of them are judged as one; \
                 write each on a line: tr '\\0' '\\n' < FILE | quchong dedup",
            file
        ),
        Notice::Separated(_) => tr!(
            "{file}: read as plain text, each line a message, but carriage returns seem to separate its messages, and all of them are judged as \
                 one; write each on a line: tr '\\r' '\\n' < FILE | quchong dedup",
            file
        ),
        Notice::Dropped => tr!(
            "{file}: its first records are repeats that a run of quchong dropped (--dropped, --output dropped); leave this file out, or they \
                 count as new messages",
            file
        ),
        Notice::NoNumber => tr!(
            "{file}:{line}: no number that is whole and from 0 on (--seq-field names the field); such records are judged, and \
                 a feed that sends them again has them judged again",
            file,
            line
        ),
        Notice::LateNumber { number, last } => tr!(
            "{file}:{line}: number {number} (--seq-field) is not above {last}, the last one; such records are judged, and a later run \
                 passes over those whose texts it knows",
            file,
            line,
            number,
            last
        ),
        Notice::Skipped { number, last } => tr!(
            "{file}:{line}: number {number} (--seq-field) is not above {last}, the last one of an earlier run, and its text is not known (any \
             more): such records are skipped; if they are new, send them with higher numbers, or to another --state",
            file,
            line,
            number,
            last
        ),
        Notice::WrongNumber(number) => tr!(
            "{file}:{line}: number {number} (--seq-field) is too far ahead of those around it, and not noted as the last one",
            file,
            line,
            number
        ),
        Notice::MovedOn { from, to } => match from {
            Some(from) => tr!(
                "{file}:{line}: number {to} (--seq-field) is far ahead, with {from} before, and the feed goes on from there: later runs \
                     pass over what is not above its last one",
                file,
                line,
                to,
                from
            ),
            None => tr!(
                "{file}:{line}: number {to} (--seq-field) is far ahead, with nothing before, and the feed goes on from there: later runs \
                     pass over what is not above its last one",
                file,
                line,
                to
            ),
        },
    }
}

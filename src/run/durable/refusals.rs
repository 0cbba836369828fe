//! The errors for a run that does not fit the last run of its state.

use std::path::PathBuf;

use super::note::{ARCHIVES, Checkpoint, RunNote};
use crate::error::{Error, Result};
use crate::locale::tr;

/// Refuses to overwrite an output: messages that the state knows are not written again, even if they come from another input,
/// so they would be lost.
pub(super) fn would_replace(folder: &str, output: &str, follows: bool) -> Error {
    let reason = match follows {
        true => tr!(
            "what earlier runs have seen is not written once more, so that what {output} has would be lost; write to another file, add to \
             this one by --append, or replace what is there by --again",
            output
        ),
        false => tr!(
            "what earlier runs have seen is not written once more, so that what {output} has would be lost; write to another file, add to \
             this one by --append, go on with the last run by --resume, or replace what is there by --again",
            output
        ),
    };
    Error::state(folder, reason)
}

/// Refuses to resume in a folder without a run. The output already has records, so most likely the user named the wrong
/// state.
pub(super) fn no_run(folder: &str, output: &str) -> Error {
    let reason = tr!(
        "--resume: there is no run in this folder to go on with, and what {output} has would be lost or doubled; name the folder of the \
         run that wrote it, or leave --resume out",
        output
    );
    Error::state(folder, reason)
}

/// Refuses to resume a run whose output the shell has emptied: its kept messages would be in no file.
pub(super) fn emptied(folder: &str, has: u64, had: u64) -> Error {
    let reason = tr!(
        "--resume: standard output has {has} of the {had} bytes that the last run wrote to this file, which `>` empties; give them back \
         and add to them (>>), or begin another state; with -o FILE in place of > FILE, --resume goes on in it",
        has,
        had
    );
    Error::state(folder, reason)
}

/// Warns of an output that the shell has emptied: its messages are known, and not written again.
pub(super) fn emptied_told(had: u64) -> String {
    tr!(
        "standard output: the last run of this --state wrote {had} bytes to this file, and `>` has emptied it. Those messages are not written \
         again; restore them if you need them, and add to the file by `>>`",
        had
    )
}

/// Refuses to abandon a run whose output the shell has emptied: what the run kept is not written again.
pub(super) fn abandoned(folder: &str, has: u64, had: u64) -> Error {
    let reason = tr!(
        "--abandon: standard output has {has} of the {had} bytes that the last run wrote to this file, which `>` empties, and what that run \
         kept is not written again; restore the file and add to it (>>), write to another file, or begin another state",
        has,
        had
    );
    Error::state(folder, reason)
}

/// The part of a refusal that says what the user can do instead of resuming.
pub(super) fn otherwise(old: &RunNote, last: &Checkpoint) -> String {
    match old.files && !last.ended {
        true => tr!("give up what the last run has not written by --abandon in place of --resume"),
        false => tr!("leave --resume out"),
    }
}

/// Refuses to cut off what other programs have added to an output since the last run closed it.
pub(super) fn refuse_grown(folder: &str, outputs: &[Option<PathBuf>; 2], last: &Checkpoint) -> Result<()> {
    for (path, written) in
        outputs.iter().zip(last.written).filter_map(|(path, written)| Some((path.as_ref()?, written)))
    {
        let length = path.metadata().map_or(0, |about| about.len());
        let grown = length.saturating_sub(written.length);
        if grown > 0 {
            let reason = tr!(
                "{file} has 1 byte more than the last run left in it, and --resume would cut it off; move it to another file, or write \
                 behind it by --append in place of --resume"
                    | "{file} has {n} bytes more than the last run left in it, and --resume would cut them off; move them to another \
                       file, or write behind them by --append in place of --resume"
                        % grown,
                file = path.display()
            );
            return Err(Error::state(folder, reason));
        }
    }
    Ok(())
}

/// Refuses to resume a run whose archives have changed, because its result would differ from that of an uninterrupted run.
fn same_archives(folder: &str, old: &RunNote, new: &RunNote, otherwise: &str) -> Result<()> {
    // Earlier versions did not note the checksum.
    if old.noted(ARCHIVES).is_empty() || old.noted(ARCHIVES) == new.noted(ARCHIVES) {
        return Ok(());
    }
    let reason = tr!(
        "--resume: what is in --against has changed since the last run began; give it back as it was, or {otherwise}",
        otherwise
    );
    Err(Error::state(folder, reason))
}

/// Refuses to resume a run other than the last one.
pub(super) fn same_run(folder: &str, old: &RunNote, new: &RunNote, otherwise: &str) -> Result<()> {
    let list = |note: &RunNote| (note.inputs.join(" "), note.files);
    if list(old) != list(new) {
        let reason = tr!(
            "--resume: the last run read {}, not {}; name what it read, or {otherwise}",
            list(old).0,
            list(new).0,
            otherwise
        );
        return Err(Error::state(folder, reason));
    }
    for (option, new) in new.spelled() {
        let old = old.spelled().find(|(name, _)| name == option).map(|(_, old)| old);
        if let Some(old) = old.filter(|old| *old != new) {
            return Err(Error::state(
                folder,
                tr!(
                    "--resume: the last run had {option} {old}, not {new}; give the same, or {otherwise}",
                    option,
                    old,
                    new,
                    otherwise
                ),
            ));
        }
    }
    same_archives(folder, old, new, otherwise)
}

/// Warns that a limit of memory holds only a part of a state.
pub(super) fn forgotten_told(folder: &str) -> String {
    tr!(
        "{folder}: takes more memory than --max-memory allows, so the older half of its messages is forgotten for good once new ones have come; \
         with a larger limit it stays",
        folder
    )
}

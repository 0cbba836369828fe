//! The note of what a [repair](mod@super::repair) lost. It stays in the folder until a run has reported it.

use std::path::Path;
use std::{fs, io};

use crate::error::{Error, Result};
use crate::locale::tr;

/// Name of the file that holds the note.
const NOTE: &str = "REPAIRED";

/// The reason given when nothing can be repaired.
pub(super) const NO_BATCH_LEFT: &str = "there is no batch in it that can be read: nothing of a state is left here; put a copy of the folder back, or delete it, and a run begins a new state";

/// What a repair could not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// File, offset and reason of each unreadable place.
    pub places: Vec<String>,
    /// The number of lost messages: those of batches missing between readable batches, and those at the end of readable
    /// batches that could not be read. Those in [`unknown`](Self::unknown) are not counted.
    pub messages: u64,
    /// The number of messages of the log up to the end of the last readable batch.
    pub total: u64,
    /// Where lost messages were whose number is unknown, as text for the user.
    pub unknown: Vec<String>,
}

impl Lost {
    /// The lost messages, as text for the user; `of` is their number with its noun.
    pub(crate) fn describe(&self, of: &str) -> String {
        let Self { messages, unknown, .. } = self;
        let known = (*messages > 0 || unknown.is_empty()).then(|| tr!("{messages} of {of}", messages, of));
        known.into_iter().chain(unknown.iter().cloned()).collect::<Vec<_>>().join(&tr!(", and "))
    }

    fn note(&self) -> String {
        let Self { places, messages, total, unknown } = self;
        if *messages == 0 && unknown.is_empty() {
            return tr!("the state was repaired: {n} place could not be read; no message was lost"
                | "the state was repaired: {n} places could not be read; no message was lost" % places.len());
        }
        let lost = self.describe(&tr!("{n} message" | "{n} messages" % *total));
        tr!(
            "the state was repaired: {n} place could not be read; no longer known: {lost}; what repeats one of those is kept once \
             more"
                | "the state was repaired: {n} places could not be read; no longer known: {lost}; what repeats one of those is \
                   kept once more"
                    % places.len(),
            lost = lost
        )
    }
}

/// Appends a note of what a repair lost to the note in a folder.
pub(super) fn write_note(folder: &Path, lost: &Lost) -> io::Result<()> {
    let before = fs::read_to_string(folder.join(NOTE)).map_or_else(|_| String::new(), |note| note + "\n");
    fs::write(folder.join(NOTE), before + &lost.note())
}

/// Reads the note of a folder, if no run has reported it yet.
pub(super) fn note(folder: &Path) -> Result<Option<String>> {
    match fs::read_to_string(folder.join(NOTE)) {
        Ok(note) => Ok(Some(note)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(folder.join(NOTE).display().to_string(), error)),
    }
}

/// Removes the note of a folder.
pub(super) fn forget_note(folder: &Path) -> Result<()> {
    fs::remove_file(folder.join(NOTE)).map_err(|error| Error::io(folder.join(NOTE).display().to_string(), error))
}

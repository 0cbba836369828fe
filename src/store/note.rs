//! What a [repair](mod@super::repair) lost, noted in the folder until a run has told it.

use std::path::Path;
use std::{fs, io};

use crate::error::{Error, Result};
use crate::locale::tr;

/// Holds what a repair lost until a run has told it.
const NOTE: &str = "REPAIRED";

/// Why there is nothing to repair.
pub(super) const NOTHING: &str = "there is no batch in it that can be read: nothing of a state is left here; delete the folder, and a run begins a new one";

/// What could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// File, offset and reason.
    pub places: Vec<String>,
    /// Messages of the batches between those that could be read, and messages behind the last one of a batch that could be read.
    /// What was behind the last batch is not among them.
    pub messages: u64,
    /// Messages of the log up to the end of the last batch that could be read.
    pub of: u64,
}

impl Lost {
    fn note(&self) -> String {
        let Self { places, messages, of } = self;
        tr!(
            "the state was repaired: {n} place could not be read, and with it {messages} of {of} messages, and any behind them, are \
             not known any longer; what repeats one of those is kept once more"
                | "the state was repaired: {n} places could not be read, and with them {messages} of {of} messages, and any behind \
                   them, are not known any longer; what repeats one of those is kept once more"
                    % places.len(),
            messages = messages,
            of = of
        )
    }
}

/// Notes in a folder what a repair lost, behind what is noted there.
pub(super) fn write_note(folder: &Path, lost: &Lost) -> io::Result<()> {
    let before = fs::read_to_string(folder.join(NOTE)).map_or_else(|_| String::new(), |note| note + "\n");
    fs::write(folder.join(NOTE), before + &lost.note())
}

/// What a repair noted in a folder, if no run has told it yet.
pub(super) fn note(folder: &Path) -> Result<Option<String>> {
    match fs::read_to_string(folder.join(NOTE)) {
        Ok(note) => Ok(Some(note)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(folder.join(NOTE).display().to_string(), error)),
    }
}

/// Removes what a repair noted.
pub(super) fn forget_note(folder: &Path) -> Result<()> {
    fs::remove_file(folder.join(NOTE)).map_err(|error| Error::io(folder.join(NOTE).display().to_string(), error))
}

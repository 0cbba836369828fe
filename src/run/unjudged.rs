//! Inputs of which most could not be judged: a field, a format or an encoding is not what the user thinks it is.

/// An input of which no record, or fewer than half, could be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// The input, as the user named it.
    pub file: String,
    /// Its records, blank lines left out.
    pub records: u64,
    /// Those that could not be judged.
    pub errors: u64,
    /// What was wrong with the first of them.
    pub reason: String,
}

/// Counts the records of one input after another.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The number of the input in hand, and what is known of it.
    now: Option<(u32, Unjudged)>,
    /// Those that are done, the first of them alone.
    pub(crate) found: Vec<Unjudged>,
}

/// As many are told.
const TOLD: usize = 5;

impl Inputs {
    /// The records that follow are of this input.
    pub(crate) fn begin(&mut self, input: u32, file: &str) {
        if self.now.as_ref().is_none_or(|(now, _)| *now != input) {
            self.end();
            let file = file.to_owned();
            self.now = Some((input, Unjudged { file, records: 0, errors: 0, reason: String::new() }));
        }
    }

    /// A record came, and could be judged or not for this reason.
    pub(crate) fn record(&mut self, fault: Option<&str>) {
        let Some((_, now)) = &mut self.now else { return };
        now.records += 1;
        if let Some(reason) = fault {
            if now.errors == 0 {
                reason.clone_into(&mut now.reason);
            }
            now.errors += 1;
        }
    }

    /// The input in hand, if none of its records could be judged.
    pub(crate) fn hopeless(&self) -> Option<&Unjudged> {
        self.now.as_ref().map(|(_, now)| now).filter(|now| now.errors == now.records)
    }

    /// Nothing more comes of the input in hand.
    pub(crate) fn end(&mut self) {
        let now = self.now.take().map(|(_, now)| now);
        let is_bad = |now: &Unjudged| now.errors * 2 > now.records;
        self.found.extend(now.filter(is_bad).filter(|_| self.found.len() < TOLD));
    }
}

//! Finds inputs of which most records could not be judged: their field, format or encoding is not what the user thinks.

/// An input of which fewer than half of the records could be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// The input, as the user named it.
    pub file: String,
    /// Its records without blank lines.
    pub records: u64,
    /// Records that could not be judged.
    pub errors: u64,
    /// The fault of the first of these records.
    pub reason: String,
}

/// Counts the records of one input after another.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The number of the current input, and its counts.
    now: Option<(u32, Unjudged)>,
    /// Finished inputs of which most could not be judged; only the first few.
    pub(crate) found: Vec<Unjudged>,
}

/// How many such inputs are reported.
const TOLD: usize = 5;

impl Inputs {
    /// Begins an input; the following records belong to it.
    pub(crate) fn begin(&mut self, input: u32, file: &str) {
        if self.now.as_ref().is_none_or(|(now, _)| *now != input) {
            self.end();
            let file = file.to_owned();
            self.now = Some((input, Unjudged { file, records: 0, errors: 0, reason: String::new() }));
        }
    }

    /// Counts a record. `fault` is the reason why it could not be judged, if so.
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

    /// The current input, if it has records and none of them could be judged so far.
    pub(crate) fn unreadable_input(&self) -> Option<&Unjudged> {
        self.now.as_ref().map(|(_, now)| now).filter(|now| now.records > 0 && now.errors == now.records)
    }

    /// Ends the current input.
    pub(crate) fn end(&mut self) {
        let now = self.now.take().map(|(_, now)| now);
        let is_bad = |now: &Unjudged| now.errors * 2 > now.records;
        self.found.extend(now.filter(is_bad).filter(|_| self.found.len() < TOLD));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_hopeless_from_its_first_record_to_one_that_is_judged() {
        let mut inputs = Inputs::default();
        inputs.begin(0, "a");
        assert_eq!(inputs.unreadable_input(), None, "no record yet");
        inputs.record(Some("no field"));
        assert_eq!(inputs.unreadable_input().map(|input| (input.records, input.errors)), Some((1, 1)));
        inputs.record(None);
        assert_eq!(inputs.unreadable_input(), None);
    }
}

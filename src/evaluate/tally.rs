//! Counts true and false positives and negatives by length and by group, and the number of pairs of each score.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// Number of bands of length.
pub(crate) const BANDS: usize = 8;

/// The unit of lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LengthIn {
    /// Characters of the body, blanks not counted.
    #[default]
    Characters,
    /// Words of the text (Kosinov: 20 to 50, 51 to 500, 501 to 5000, more).
    Words,
}

impl LengthIn {
    /// The bands: longest length, and name. A band with an empty name does not exist. Up to 140 characters the bands suit posts, above
    /// that pages.
    pub(crate) fn bands(self) -> [(usize, &'static str); BANDS] {
        match self {
            Self::Characters => [
                (10, "0-10"),
                (20, "11-20"),
                (40, "21-40"),
                (80, "41-80"),
                (140, "81-140"),
                (1000, "141-1000"),
                (10_000, "1001-10000"),
                (usize::MAX, ">10000"),
            ],
            Self::Words => [
                (19, "0-19"),
                (50, "20-50"),
                (500, "51-500"),
                (5000, "501-5000"),
                (usize::MAX, ">5000"),
                (usize::MAX, ""),
                (usize::MAX, ""),
                (usize::MAX, ""),
            ],
        }
    }

    /// Returns the number of the band of a length.
    pub(crate) fn band(self, length: usize) -> usize {
        self.bands().iter().position(|(most, _)| length <= *most).unwrap_or(BANDS - 1)
    }
}

/// Cases by what they are and what an engine called them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Repeats called repeats.
    pub tp: u64,
    /// Other cases called repeats.
    pub fp: u64,
    /// Repeats that were missed.
    pub r#fn: u64,
    /// Other cases that were kept.
    pub tn: u64,
}

impl Counts {
    /// Counts one case.
    pub(crate) fn add(&mut self, is_repeat: bool, is_called: bool) {
        self.add_many(is_repeat, is_called, 1);
    }

    /// Counts `count` cases of one kind.
    pub(crate) fn add_many(&mut self, is_repeat: bool, is_called: bool, count: u64) {
        *match (is_repeat, is_called) {
            (true, true) => &mut self.tp,
            (false, true) => &mut self.fp,
            (true, false) => &mut self.r#fn,
            (false, false) => &mut self.tn,
        } += count;
    }

    /// Adds the counts of another tally.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.r#fn += other.r#fn;
        self.tn += other.tn;
    }

    /// Number of true repeats.
    pub(crate) fn repeats(&self) -> u64 {
        self.tp + self.r#fn
    }

    /// Number of cases that are no repeats.
    pub(crate) fn others(&self) -> u64 {
        self.fp + self.tn
    }

    /// Number of all cases.
    pub(crate) fn cases(&self) -> u64 {
        self.repeats() + self.others()
    }

    /// Share of true repeats among all that was called a repeat, 0..=1; `None` if nothing was.
    pub fn precision(&self) -> Option<f64> {
        share(self.tp, self.tp + self.fp)
    }

    /// Share of the true repeats that were called repeats, 0..=1; `None` if there are none.
    pub fn recall(&self) -> Option<f64> {
        share(self.tp, self.repeats())
    }

    /// Harmonic mean of precision and recall, 0..=1; `None` if no case is a repeat or was called one.
    pub fn f1(&self) -> Option<f64> {
        share(2 * self.tp, 2 * self.tp + self.fp + self.r#fn)
    }

    /// Share of all cases that were judged correctly, 0..=1; `None` if there are none.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.tp + self.tn, self.cases())
    }

    /// Share of all cases that were called repeats, 0..=1. This is the recall if all are repeats, and the error rate if none is.
    pub(crate) fn called(&self) -> Option<f64> {
        share(self.tp + self.fp, self.cases())
    }
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// Writes the counts and the rates that follow from them; an undefined rate is null.
impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Counts", 8)?;
        out.serialize_field("tp", &self.tp)?;
        out.serialize_field("fp", &self.fp)?;
        out.serialize_field("fn", &self.r#fn)?;
        out.serialize_field("tn", &self.tn)?;
        out.serialize_field("precision", &self.precision())?;
        out.serialize_field("recall", &self.recall())?;
        out.serialize_field("f1", &self.f1())?;
        out.serialize_field("accuracy", &self.accuracy())?;
        out.end()
    }
}

/// Counts for each [band](LengthIn::bands).
pub(crate) type ByLength = [Counts; BANDS];

/// Sums the counts of all bands.
pub(crate) fn total(bands: &ByLength) -> Counts {
    let mut total = Counts::default();
    bands.iter().for_each(|band| total.merge(band));
    total
}

/// Number of steps of the score scale. Hundredths and 64ths are whole numbers of steps.
pub(crate) const STEPS: usize = 1600;

/// One judged case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'g> {
    /// Whether it is a repeat.
    pub(crate) is_repeat: bool,
    /// Whether the engine called it a repeat.
    pub(crate) is_called: bool,
    /// The score that the threshold was applied to, 0..=1.
    pub(crate) score: f64,
    /// Its [band](LengthIn::band).
    pub(crate) band: usize,
    /// The groups of the case.
    pub(crate) groups: &'g [u16],
}

/// Cases by length: of all, and of each group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grouped {
    /// All cases.
    pub(crate) all: ByLength,
    /// The cases of each group.
    pub(crate) groups: Vec<ByLength>,
}

impl Grouped {
    /// No counts yet, for this many groups.
    pub(crate) fn new(groups: usize) -> Self {
        Self { all: ByLength::default(), groups: vec![ByLength::default(); groups] }
    }

    /// Counts a case of this band and these groups.
    pub(crate) fn add(&mut self, is_repeat: bool, is_called: bool, band: usize, groups: &[u16]) {
        self.all[band].add(is_repeat, is_called);
        for group in groups {
            self.groups[usize::from(*group)][band].add(is_repeat, is_called);
        }
    }

    /// The counts of a group, or of all cases.
    pub(crate) fn of(&mut self, group: Option<u16>) -> &mut ByLength {
        match group {
            Some(group) => &mut self.groups[usize::from(group)],
            None => &mut self.all,
        }
    }

    /// Adds the counts of another, which has the same groups.
    pub(crate) fn merge(&mut self, other: &Self) {
        let bands = self.groups.iter_mut().flatten().chain(&mut self.all);
        bands.zip(other.groups.iter().flatten().chain(&other.all)).for_each(|(own, other)| own.merge(other));
    }
}

/// All counts of one engine. They are sums only, so the order of cases and the thread that counted them do not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Cases by length.
    pub(crate) counted: Grouped,
    /// Number of cases at each score, in [`STEPS`]: first repeats, then others.
    scores: [Vec<u64>; 2],
    /// The counts under each of the settings that were tried beside the configured one.
    pub(crate) tried: Vec<Counts>,
}

impl Tally {
    /// No counts yet, for this many groups and settings to try.
    pub(crate) fn new(groups: usize, tried: usize) -> Self {
        let scores = vec![0; STEPS + 1];
        let tried = vec![Counts::default(); tried];
        Self { counted: Grouped::new(groups), scores: [scores.clone(), scores], tried }
    }

    /// Counts a case.
    pub(crate) fn add(&mut self, case: Case<'_>) {
        self.counted.add(case.is_repeat, case.is_called, case.band, case.groups);
        self.scores[usize::from(!case.is_repeat)][step(case.score)] += 1;
    }

    /// Adds the counts of another, which has the same groups.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.counted.merge(&other.counted);
        let scores = self.scores.iter_mut().flatten();
        scores.zip(other.scores.iter().flatten()).for_each(|(own, other)| *own += other);
        self.tried.iter_mut().zip(&other.tried).for_each(|(own, other)| own.merge(other));
    }

    /// Returns the counts if cases were called repeats from this score on. Exact for thresholds that are whole hundredths or 64ths.
    pub(crate) fn at(&self, threshold: f64) -> Counts {
        let first = step(threshold);
        let split = |scores: &[u64]| (scores[first..].iter().sum::<u64>(), scores[..first].iter().sum::<u64>());
        let ((tp, r#fn), (fp, tn)) = (split(&self.scores[0]), split(&self.scores[1]));
        Counts { tp, fp, r#fn, tn }
    }

    /// Returns the counts at every threshold at which they change, the loosest first.
    pub(crate) fn curve(&self) -> Vec<Counts> {
        let used = |step: &usize| self.scores.iter().any(|scores| scores[*step] > 0);
        (1..=STEPS).filter(used).map(|step| self.at(step as f64 / STEPS as f64)).collect()
    }
}

/// Converts a score to whole steps. A score just below a whole step, from floating-point error, is rounded up to it.
fn step(score: f64) -> usize {
    ((score * STEPS as f64 + 1e-6) as usize).min(STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_follow_from_counts() {
        let counts = Counts { tp: 3, fp: 1, r#fn: 2, tn: 4 };
        let rates =
            |counts: Counts| [counts.precision(), counts.recall(), counts.f1(), counts.accuracy(), counts.called()];
        assert_eq!(rates(counts), [Some(0.75), Some(0.6), Some(6.0 / 9.0), Some(0.7), Some(0.4)]);
        assert_eq!(rates(Counts::default()), [None; 5]);
    }

    #[test]
    fn bands_meet() {
        for (characters, expected) in
            [(0, 0), (10, 0), (11, 1), (140, 4), (141, 5), (1001, 6), (10_001, 7), (usize::MAX, 7)]
        {
            assert_eq!(LengthIn::Characters.band(characters), expected, "{characters}");
        }
        for (words, expected) in [(0, 0), (19, 0), (20, 1), (50, 1), (51, 2), (5000, 3), (5001, 4), (usize::MAX, 4)] {
            assert_eq!(LengthIn::Words.band(words), expected, "{words}");
        }
    }

    #[test]
    fn every_threshold_of_either_scale_counts_what_reaches_it() {
        let scores: Vec<f64> =
            (0..=64).map(|d| 1.0 - f64::from(d) / 64.0).chain((0..=100).map(|h| f64::from(h) / 100.0)).collect();
        let mut tally = Tally::new(1, 0);
        for (n, score) in scores.iter().enumerate() {
            tally.add(Case {
                is_repeat: n % 3 == 0,
                is_called: *score >= 0.7,
                score: *score,
                band: n % 6,
                groups: &[0],
            });
        }
        for threshold in &scores {
            let mut slow = Counts::default();
            scores.iter().enumerate().for_each(|(n, score)| slow.add(n % 3 == 0, score >= threshold));
            assert_eq!(tally.at(*threshold), slow, "{threshold}");
        }
        assert_eq!(total(&tally.counted.all), tally.at(0.7));
        assert_eq!(tally.counted.all, tally.counted.groups[0]);
        let mut twice = tally.clone();
        twice.merge(&tally);
        assert_eq!(twice.at(0.5).cases(), 2 * scores.len() as u64);
        assert!(tally.curve().windows(2).all(|pair| pair[0].tp + pair[0].fp > pair[1].tp + pair[1].fp));
    }
}

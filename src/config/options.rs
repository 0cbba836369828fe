//! The options of the stages, each named or left out: what the command line and other doors turn into a [`Config`].

use super::names::named;
use super::units::{count, duration, similarity, size, window};
use super::{
    BloomSize, Config, ExactMode, ExactOn, Guard, NearMode, OnFull, Preset, Remarks, Rules, Shingle, Span, Templates,
    Weights,
};
use crate::error::{Error, Result};

/// Options that were named; what each means, and its range, is said at [`Config`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The options that go behind all others.
    pub preset: Option<Preset>,
    /// [`Config::near`].
    pub near: Option<NearMode>,
    /// [`Config::similarity`], in thousandths.
    pub similarity: Option<u32>,
    /// [`Config::guard`].
    pub guard: Option<Guard>,
    /// [`Config::remarks`].
    pub remarks: Option<Remarks>,
    /// [`Config::templates`].
    pub templates: Option<Templates>,
    /// [`Config::verify_window`].
    pub verify_window: Option<u64>,
    /// [`Config::max_distance`].
    pub max_distance: Option<u32>,
    /// [`Config::shingle`].
    pub shingle: Option<Shingle>,
    /// [`Config::weights`].
    pub weights: Option<Weights>,
    /// [`Config::permutations`].
    pub permutations: Option<usize>,
    /// [`Config::rules`].
    pub normalise: Option<Rules>,
    /// [`Config::exact`].
    pub exact: Option<ExactMode>,
    /// [`Config::exact_on`].
    pub exact_on: Option<ExactOn>,
    /// [`Config::capacity`].
    pub capacity: Option<u64>,
    /// [`BloomSize::Error`]. Not beside the next two.
    pub bloom_error: Option<f64>,
    /// [`BloomSize::Bits`].
    pub bloom_bits: Option<u64>,
    /// [`BloomSize::Bits`]; not without them.
    pub bloom_hashes: Option<u32>,
    /// [`Config::bloom_rounds`].
    pub bloom_rounds: Option<u32>,
    /// [`Config::window`].
    pub window: Option<Span>,
    /// [`Span::Time`], in milliseconds; not without a window of time.
    pub lateness: Option<u64>,
    /// [`Config::max_memory`].
    pub max_memory: Option<u64>,
    /// [`Config::on_full`]; not without a limit of memory.
    pub on_full: Option<OnFull>,
    /// [`Config::seed`].
    pub seed: Option<u64>,
}

/// An option that has a name and takes its value as text.
pub struct Setting {
    /// As it is spelled on the command line: `--max-distance`.
    pub name: &'static str,
    read: fn(&mut Options, &str) -> std::result::Result<(), String>,
}

impl Setting {
    /// Sets the option to a value as it is written on the command line.
    ///
    /// ```
    /// use quchong::config::options::{Options, SETTINGS};
    ///
    /// let mut options = Options::default();
    /// let window = SETTINGS.iter().find(|setting| setting.name == "--window").unwrap();
    /// assert!(window.set(&mut options, "a day").is_err());
    /// window.set(&mut options, "24h")?;
    /// assert!(options.config()?.window.is_some());
    /// # Ok::<(), quchong::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] for what is no value of it, with what can be written.
    pub fn set(&self, options: &mut Options, value: &str) -> Result<()> {
        (self.read)(options, value).map_err(|reason| Error::config(self.name, reason))
    }
}

/// A row of [`SETTINGS`].
macro_rules! setting {
    ($name:literal, $field:ident, $read:expr) => {
        Setting { name: $name, read: |options, value| ($read)(value).map(|read| options.$field = Some(read)) }
    };
}

/// Every option of [`Options`], in the order of its members.
pub const SETTINGS: [Setting; 24] = [
    setting!("--preset", preset, |text| named(&Preset::NAMED, text)),
    setting!("--near", near, |text| named(&NearMode::NAMED, text)),
    setting!("--similarity", similarity, similarity),
    setting!("--guard", guard, |text| named(&Guard::NAMED, text)),
    setting!("--remarks", remarks, |text| named(&Remarks::NAMED, text)),
    setting!("--templates", templates, |text| named(&Templates::NAMED, text)),
    setting!("--verify-window", verify_window, count),
    setting!("--max-distance", max_distance, whole),
    setting!("--shingle", shingle, Shingle::parse),
    setting!("--weights", weights, |text| named(&Weights::NAMED, text)),
    setting!("--permutations", permutations, whole),
    setting!("--normalise", normalise, Rules::named),
    setting!("--exact", exact, |text| named(&ExactMode::NAMED, text)),
    setting!("--exact-on", exact_on, |text| named(&ExactOn::NAMED, text)),
    setting!("--capacity", capacity, count),
    setting!("--bloom-error", bloom_error, |text: &str| text
        .parse()
        .map_err(|_| "write a rate, 1e-6 for example".into())),
    setting!("--bloom-bits", bloom_bits, count),
    setting!("--bloom-hashes", bloom_hashes, whole),
    setting!("--bloom-rounds", bloom_rounds, whole),
    setting!("--window", window, window),
    setting!("--lateness", lateness, duration),
    setting!("--max-memory", max_memory, size),
    setting!("--on-full", on_full, |text| named(&OnFull::NAMED, text)),
    setting!("--seed", seed, whole),
];

fn whole<T: std::str::FromStr>(text: &str) -> std::result::Result<T, String> {
    text.parse().map_err(|_| "write a whole number".to_owned())
}

impl Options {
    /// The configuration: these options, then those of the preset, then the defaults. It is not [validated](Config::validate).
    ///
    /// # Errors
    /// [`Error::Config`] for an option that would do nothing beside the others: its user would not know.
    pub fn config(&self) -> Result<Config> {
        let preset = self.preset.unwrap_or(Preset::Weibo).config();
        let base = match self.near {
            Some(near) if near != preset.near => Config { near, similarity: Config::of(near).similarity, ..preset },
            _ => preset,
        };
        self.refuse_idle(base.near)?;
        self.refuse_alone()?;
        Ok(Config {
            rules: self.normalise.unwrap_or(base.rules),
            similarity: self.similarity.unwrap_or(base.similarity),
            guard: self.guard.unwrap_or(base.guard),
            remarks: self.remarks.unwrap_or(base.remarks),
            templates: self.templates.unwrap_or(base.templates),
            verify_window: self.verify_window.unwrap_or(base.verify_window),
            max_distance: self.max_distance.unwrap_or(base.max_distance),
            shingle: self.shingle.unwrap_or(base.shingle),
            weights: self.weights.unwrap_or(base.weights),
            permutations: self.permutations.unwrap_or(base.permutations),
            exact: self.exact.unwrap_or(base.exact),
            exact_on: self.exact_on.unwrap_or(base.exact_on),
            bloom: match self.bloom_bits {
                Some(bits) => BloomSize::Bits { bits, hashes: self.bloom_hashes },
                None => BloomSize::Error(self.bloom_error),
            },
            bloom_rounds: self.bloom_rounds.unwrap_or(base.bloom_rounds),
            capacity: self.capacity.unwrap_or(base.capacity),
            window: self.window.map(|window| match (window, self.lateness) {
                (Span::Time { length, .. }, Some(lateness)) => Span::Time { length, lateness },
                (window, _) => window,
            }),
            max_memory: self.max_memory,
            on_full: self.on_full.unwrap_or(base.on_full),
            seed: self.seed.unwrap_or(base.seed),
            ..base
        })
    }

    /// Refuses options that the engine does not have.
    fn refuse_idle(&self, near: NearMode) -> Result<()> {
        use NearMode::{Hybrid, MinHash, SimHash};
        let options: [(&str, bool, &[NearMode]); 10] = [
            ("--similarity", self.similarity.is_some(), &[Hybrid, MinHash]),
            ("--guard", self.guard.is_some(), &[Hybrid]),
            ("--remarks", self.remarks.is_some(), &[Hybrid]),
            ("--templates", self.templates.is_some(), &[Hybrid]),
            ("--verify-window", self.verify_window.is_some(), &[Hybrid]),
            ("--max-distance", self.max_distance.is_some(), &[Hybrid, SimHash]),
            ("--shingle", self.shingle.is_some(), &[Hybrid, SimHash, MinHash]),
            ("--weights", self.weights.is_some(), &[Hybrid, SimHash]),
            ("--permutations", self.permutations.is_some(), &[MinHash]),
            ("--normalise", self.normalise.is_some(), &[Hybrid, SimHash, MinHash]),
        ];
        let idle = options.into_iter().find(|(_, is_given, engines)| *is_given && !engines.contains(&near));
        idle.map_or(Ok(()), |(option, _, engines)| {
            let names: Vec<String> = engines.iter().map(|engine| format!("--near {}", engine.name())).collect();
            Err(Error::config(
                option,
                format!("does nothing under --near {}; it is of {}", near.name(), names.join(" and ")),
            ))
        })
    }

    /// Refuses options without, or beside, another that decides whether they count.
    fn refuse_alone(&self) -> Result<()> {
        let refused = if self.bloom_error.is_some() && self.bloom_bits.is_some() {
            ("--bloom-error", "cannot be used with --bloom-bits: each sets the filter's size")
        } else if self.bloom_hashes.is_some() && self.bloom_bits.is_none() {
            ("--bloom-hashes", "does nothing without --bloom-bits")
        } else if self.lateness.is_some() && !matches!(self.window, Some(Span::Time { .. })) {
            ("--lateness", "does nothing without a --window of time")
        } else if self.on_full.is_some() && self.max_memory.is_none() {
            ("--on-full", "does nothing without --max-memory")
        } else {
            return Ok(());
        };
        Err(Error::config(refused.0, refused.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(given: &[(&str, &str)]) -> Result<Config> {
        let mut options = Options::default();
        for (name, value) in given {
            SETTINGS.iter().find(|setting| setting.name == *name).unwrap().set(&mut options, value)?;
        }
        options.config()
    }

    #[test]
    fn nothing_named_is_the_default() {
        assert_eq!(set(&[]).unwrap(), Config::default());
    }

    #[test]
    fn what_is_named_goes_before_the_preset() {
        assert_eq!(set(&[("--preset", "paper")]).unwrap(), Preset::Paper.config());
        let config = set(&[("--preset", "paper"), ("--max-distance", "3"), ("--capacity", "1e6")]).unwrap();
        assert_eq!(config, Config { max_distance: 3, capacity: 1_000_000, ..Preset::Paper.config() });
        // Another engine than the preset's has its own similarity.
        assert_eq!(set(&[("--preset", "sms"), ("--near", "minhash")]).unwrap().similarity, 500);
        assert_eq!(set(&[("--preset", "sms"), ("--near", "hybrid")]).unwrap().similarity, 650);
    }

    #[test]
    fn every_option_decides_something() {
        let values = [
            "paper", "simhash", "0.7", "off", "keep", "fold", "10", "3", "char:3", "count", "64", "none", "trie",
            "raw", "100", "1e-3", "800", "3", "2", "24h", "1m", "1GB", "stop", "7",
        ];
        for (setting, value) in SETTINGS.iter().zip(values) {
            let beside: &[_] = match setting.name {
                "--bloom-hashes" => &[("--bloom-bits", "80")],
                "--lateness" => &[("--window", "1h")],
                "--on-full" => &[("--max-memory", "2GB")],
                "--permutations" => &[("--near", "minhash")],
                _ => &[],
            };
            let with: Vec<_> = beside.iter().copied().chain([(setting.name, value)]).collect();
            assert_ne!(set(&with).unwrap(), set(beside).unwrap(), "{}", setting.name);
        }
    }

    #[test]
    fn what_would_do_nothing_is_refused() {
        for given in [
            &[("--near", "simhash"), ("--guard", "off")][..],
            &[("--permutations", "64")],
            &[("--bloom-hashes", "3")],
            &[("--bloom-bits", "80"), ("--bloom-error", "0.1")],
            &[("--window", "100"), ("--lateness", "1s")],
            &[("--on-full", "stop")],
        ] {
            assert!(set(given).is_err(), "{given:?}");
        }
        let error = set(&[("--near", "simhahs")]).unwrap_err().to_string();
        assert_eq!(error, "--near: nothing is called `simhahs`; there are hybrid, simhash, minhash, none");
    }
}

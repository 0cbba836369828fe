//! The engines that are measured, one slice, from which rows, help and tests come; beside them the methods of the
//! [catalogue](crate::methods).

use crate::config::{Config, MAX_DISTANCE, NearMode, Preset, Shingle, Weights};
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::methods::{CATALOGUE, Method};

/// A configuration with a name.
#[derive(Debug)]
pub struct NamedEngine {
    /// What `--engine` and reports call it.
    pub name: &'static str,
    /// The options of `quchong dedup` that are this configuration.
    pub options: &'static str,
    /// The configuration.
    pub config: fn() -> Config,
}

/// Every engine and preset. `default`, which is the preset `weibo`, is what `quchong dedup` does without options, `paper` is Gao &
/// Li 2014 to the letter, `simhash-word2` their second stage alone; the other shingles are those that the docs of [`fingerprint`](crate::fingerprint) compare; `exact` says what
/// is found without any near stage.
pub const ENGINES: &[NamedEngine] = &[
    NamedEngine { name: "default", options: "", config: Config::default },
    NamedEngine { name: "headline", options: "--preset headline", config: || Preset::Headline.config() },
    NamedEngine { name: "sms", options: "--preset sms", config: || Preset::Sms.config() },
    NamedEngine { name: "careful", options: "--preset careful", config: || Preset::Careful.config() },
    NamedEngine { name: "paper", options: "--preset paper", config: || Preset::Paper.config() },
    NamedEngine { name: "simhash-word2", options: "--preset simhash", config: || Preset::Simhash.config() },
    NamedEngine {
        name: "simhash-word1",
        options: "--near simhash --shingle word:1 --weights count",
        config: || Config { shingle: Shingle::Words(1), weights: Weights::Count, ..Config::of(NearMode::SimHash) },
    },
    NamedEngine { name: "simhash-char2", options: "--near simhash", config: || Config::of(NearMode::SimHash) },
    NamedEngine {
        name: "simhash-char3",
        options: "--near simhash --shingle char:3",
        config: || Config { shingle: Shingle::Chars(3), ..Config::of(NearMode::SimHash) },
    },
    NamedEngine { name: "minhash", options: "--near minhash", config: || Config::of(NearMode::MinHash) },
    NamedEngine { name: "exact", options: "--near none", config: || Config::of(NearMode::None) },
];

/// What `--engine` calls all methods of the [catalogue](CATALOGUE).
pub(crate) const ALL_METHODS: &str = "catalogue";

/// Every name that `--engine` knows.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let methods = CATALOGUE.iter().map(|method| method.id);
    ENGINES.iter().map(|engine| engine.name).chain([ALL_METHODS]).chain(methods)
}

/// The engines of these names, in the order of [`ENGINES`], and the methods, in that of the [catalogue](CATALOGUE); all engines
/// for no names. Capitals do not count.
///
/// # Errors
/// [`Error::Config`] naming the unknown engine and all known ones.
pub(crate) fn chosen(wanted: &[String]) -> Result<(Vec<&'static NamedEngine>, Vec<&'static Method>)> {
    let is = |name: &str| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    if let Some(unknown) = wanted.iter().find(|wanted| !names().any(|name| name.eq_ignore_ascii_case(wanted))) {
        let known: Vec<&str> = names().collect();
        let reason = tr!("no engine or method is called `{unknown}`; there are {}", known.join(", "), unknown);
        return Err(Error::config("--engine", reason));
    }
    let engines = ENGINES.iter().filter(|engine| wanted.is_empty() || is(engine.name));
    let methods = CATALOGUE.iter().filter(|method| is(ALL_METHODS) || is(method.id));
    Ok((engines.collect(), methods.copied().collect()))
}

/// The option that makes `threshold` the smallest score of a near repeat, if the engine can be set so.
pub(crate) fn option(config: &Config, threshold: f64) -> Option<String> {
    match config.near {
        NearMode::SimHash => {
            // A score a hair beside a whole distance means that distance.
            let distance = ((1.0 - threshold) * f64::from(u64::BITS) + 1e-6) as u32;
            (distance <= MAX_DISTANCE).then(|| format!("--max-distance {distance}"))
        }
        NearMode::Hybrid | NearMode::MinHash => Some(format!("--similarity {threshold:.2}")),
        NearMode::None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::score_of;

    #[test]
    fn engines_work_and_differ() {
        for (n, engine) in ENGINES.iter().enumerate() {
            (engine.config)().validate().unwrap();
            // The presets of headlines and of SMS are one, under two names.
            let differs = |other: &NamedEngine| (other.config)() != (engine.config)() || engine.name == "sms";
            assert!(ENGINES[..n].iter().all(|other| other.name != engine.name && differs(other)));
        }
        let names: Vec<String> = names().map(str::to_lowercase).collect();
        assert!((1..names.len()).all(|at| !names[..at].contains(&names[at])), "{names:?}");
        let (engines, methods) = chosen(&[]).unwrap();
        assert_eq!((engines.len(), methods.len()), (ENGINES.len(), 0));
        assert_eq!(chosen(&["exact".into(), "paper".into()]).unwrap().0[0].name, "paper");
        let (engines, methods) = chosen(&[ALL_METHODS.into()]).unwrap();
        assert_eq!((engines.len(), methods.len()), (0, CATALOGUE.len()));
        assert_eq!(chosen(&["a10".into()]).unwrap().1[0].id, "A10");
        assert!(chosen(&["papre".into()]).unwrap_err().to_string().contains("simhash-char2"));
    }

    #[test]
    fn thresholds_are_told_as_options() {
        let config = Config::of(NearMode::SimHash);
        for distance in 0..=MAX_DISTANCE {
            assert_eq!(option(&config, score_of(distance)), Some(format!("--max-distance {distance}")));
        }
        assert_eq!(option(&config, 0.95).as_deref(), Some("--max-distance 3"));
        assert_eq!(option(&config, score_of(MAX_DISTANCE + 1)), None);
        assert_eq!(option(&Config::default(), 0.7).as_deref(), Some("--similarity 0.70"));
    }
}

//! The engines that are measured: one slice, from which rows, help and tests come.

use crate::config::{Config, MAX_DISTANCE, NearMode, Shingle};
use crate::error::{Error, Result};

/// A configuration with a name.
#[derive(Debug)]
pub struct Engine {
    /// What `--engine` and reports call it.
    pub name: &'static str,
    /// The options of `quchong dedup` that are this configuration.
    pub options: &'static str,
    /// The configuration.
    pub config: fn() -> Config,
}

/// Every engine and preset. `paper` is Gao & Li 2014 as written; the other shingles are those that the README's table of
/// changed characters compares; `exact` says what is found without any near stage.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "paper",
        options: "--shingle word:2 --max-distance 4",
        config: || Config { max_distance: 4, ..simhash(Shingle::Words(2)) },
    },
    Engine { name: "simhash-word1", options: "--shingle word:1", config: || simhash(Shingle::Words(1)) },
    Engine { name: "simhash-char2", options: "--shingle char:2", config: || simhash(Shingle::Chars(2)) },
    Engine { name: "simhash-char3", options: "--shingle char:3", config: || simhash(Shingle::Chars(3)) },
    Engine { name: "exact", options: "--near none", config: || Config { near: NearMode::None, ..Config::default() } },
];

fn simhash(shingle: Shingle) -> Config {
    Config { near: NearMode::SimHash, shingle, ..Config::default() }
}

/// The engines of these names, in the order of [`ENGINES`]; all of them for no names.
///
/// # Errors
/// [`Error::Config`] naming the unknown engine and all known ones.
pub fn named(names: &[String]) -> Result<Vec<&'static Engine>> {
    if let Some(unknown) = names.iter().find(|name| ENGINES.iter().all(|engine| engine.name != **name)) {
        let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        let reason = format!("no engine is called `{unknown}`; there are {}", known.join(", "));
        return Err(Error::config("--engine", reason));
    }
    let wanted = |engine: &&Engine| names.is_empty() || names.iter().any(|name| name == engine.name);
    Ok(ENGINES.iter().filter(wanted).collect())
}

/// The option that makes `threshold` the smallest score of a near repeat, if the engine can be set so.
pub fn option(config: &Config, threshold: f64) -> Option<String> {
    match config.near {
        NearMode::SimHash => {
            // A score a hair beside a whole distance means that distance.
            let distance = ((1.0 - threshold) * f64::from(u64::BITS) + 1e-6) as u32;
            (distance <= MAX_DISTANCE).then(|| format!("--max-distance {distance}"))
        }
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
            assert!(
                ENGINES[..n].iter().all(|other| other.name != engine.name && (other.config)() != (engine.config)())
            );
        }
        assert_eq!(named(&[]).unwrap().len(), ENGINES.len());
        assert_eq!(named(&["exact".into(), "paper".into()]).unwrap()[0].name, "paper");
        assert!(named(&["papre".into()]).unwrap_err().to_string().contains("simhash-char2"));
    }

    #[test]
    fn thresholds_are_told_as_options() {
        let config = Config::default();
        for distance in 0..=MAX_DISTANCE {
            assert_eq!(option(&config, score_of(distance)), Some(format!("--max-distance {distance}")));
        }
        assert_eq!(option(&config, 0.95).as_deref(), Some("--max-distance 3"));
        assert_eq!(option(&config, score_of(MAX_DISTANCE + 1)), None);
    }
}

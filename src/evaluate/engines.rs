//! The engines that can be measured. The named ones are in one slice, from which rows, help and tests are made. Options of `quchong dedup`
//! make others. The methods of the [catalogue](crate::methods) can be measured beside them.

use std::borrow::Cow;

use crate::config::settings::{Value, find};
use crate::config::{Config, MAX_DISTANCE, NearMode, Preset, Settings, Shingle, Weights};
use crate::error::{Error, Result};
use crate::locale::tr;
use crate::methods::{CATALOGUE, Method};

/// A configuration with a name.
#[derive(Debug)]
pub struct NamedEngine {
    /// Name for `--engine` and in reports.
    pub name: &'static str,
    /// The options of `quchong dedup` that give this configuration.
    pub options: &'static str,
    /// The configuration.
    pub config: fn() -> Config,
}

/// Every engine and preset.
/// - `default`: what `quchong dedup` does without options, which is the preset `weibo`.
/// - `paper`: Gao & Li 2014 to the letter. `simhash-word2`: their second stage alone.
/// - The other `simhash-…`: the shingles that the docs of [`fingerprint`](crate::fingerprint) compare.
/// - `exact`: what is found without any near stage.
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

/// An engine to measure: a named one, or one given by its options (`--guard careful --similarity 0.7`).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Engine {
    /// Name in reports.
    pub(crate) name: Cow<'static, str>,
    /// The options of `quchong dedup` that give its configuration.
    pub(crate) options: Cow<'static, str>,
    /// The configuration.
    pub(crate) config: Config,
}

impl From<&NamedEngine> for Engine {
    fn from(engine: &NamedEngine) -> Self {
        Self { name: engine.name.into(), options: engine.options.into(), config: (engine.config)() }
    }
}

impl Engine {
    /// Makes the engine of these options of `quchong dedup`, written as on the command line.
    ///
    /// # Errors
    /// [`Error::Config`] for an option that is unknown, that decides nothing about pairs, that lacks its value, or that occurs twice; for
    /// a wrong value; and for options that do not fit together.
    pub(crate) fn of_options(options: &str) -> Result<Self> {
        let mut settings = Settings::default();
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            let refused = |reason| Error::config("--engine", format!("`{word}`: {reason}"));
            let (name, glued) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let setting = name.strip_prefix("--").and_then(find).filter(|setting| setting.is_of_pairs());
            let setting = setting.ok_or_else(|| {
                refused(tr!(
                    "an engine is made by options of `quchong dedup` that decide what a repeat is; see its --help"
                ))
            })?;
            let value = match setting.value {
                Value::Switch => Some(""),
                Value::Word(_) | Value::Text(_) => glued.or_else(|| words.next()),
            };
            if settings.get(setting.name).is_some() {
                return Err(refused(tr!("is there twice; leave one out")));
            }
            settings.set(setting.name, value.ok_or_else(|| refused(tr!("lacks its value")))?)?;
        }
        let config = settings.config()?;
        config.validate()?;
        let options = options.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { name: options.clone().into(), options: options.into(), config })
    }
}

/// The name for `--engine` that selects all methods of the [catalogue](CATALOGUE).
pub(crate) const ALL_METHODS: &str = "catalogue";

/// All names that `--engine` accepts.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let methods = CATALOGUE.iter().map(|method| method.id);
    ENGINES.iter().map(|engine| engine.name).chain([ALL_METHODS]).chain(methods)
}

/// Other names of engines, by which `--near` knows them. In these letters, `simhash` is none of the methods of the catalogue.
const ALSO_CALLED: [(&str, &str); 3] = [("hybrid", "default"), ("simhash", "simhash-char2"), ("none", "exact")];

/// Returns the engine that `--near` knows by this name, or the name itself.
pub(crate) fn canonical(name: &str) -> &str {
    ALSO_CALLED.iter().find(|(also, _)| *also == name).map_or(name, |(_, engine)| engine)
}

/// Whether an `--engine` value is a list of options rather than a name.
pub(crate) fn is_options(wanted: &str) -> bool {
    wanted.trim_start().starts_with('-')
}

/// Returns the named engines in the order of [`ENGINES`], then those given by options in the order given; and the methods in the order of
/// the [catalogue](CATALOGUE). With no names, returns all named engines. Case matters only for [`canonical`] names.
///
/// # Errors
/// [`Error::Config`] naming the unknown engine and all known ones; and as [`Engine::of_options`].
pub(crate) fn chosen(wanted: &[String]) -> Result<(Vec<Engine>, Vec<&'static Method>)> {
    let wanted: Vec<&str> = wanted.iter().map(|name| canonical(name)).collect();
    let is = |name: &str| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    let mut named = wanted.iter().filter(|wanted| !is_options(wanted));
    if let Some(unknown) = named.find(|wanted| !names().any(|name| name.eq_ignore_ascii_case(wanted))) {
        let known: Vec<&str> = names().collect();
        let reason = tr!("no engine or method is called `{unknown}`; there are {}", known.join(", "), unknown);
        return Err(Error::config("--engine", reason));
    }
    let named = ENGINES.iter().filter(|engine| wanted.is_empty() || is(engine.name));
    let mut engines: Vec<Engine> = named.map(Engine::from).collect();
    for options in wanted.iter().filter(|wanted| is_options(wanted)) {
        let engine = Engine::of_options(options)?;
        if !engines.contains(&engine) {
            engines.push(engine);
        }
    }
    let methods = CATALOGUE.iter().filter(|method| is(ALL_METHODS) || is(method.id));
    Ok((engines, methods.copied().collect()))
}

/// Returns the option that makes `threshold` the smallest score of a near repeat. `None` if the engine cannot be set so.
pub(crate) fn option(config: &Config, threshold: f64) -> Option<String> {
    match config.near {
        NearMode::SimHash => {
            // The small term keeps floating-point error from lowering a whole distance by one.
            let distance = ((1.0 - threshold) * f64::from(u64::BITS) + 1e-6) as u32;
            (distance <= MAX_DISTANCE).then(|| format!("--max-distance {distance}"))
        }
        NearMode::Hybrid | NearMode::MinHash => (threshold > 0.0).then(|| format!("--similarity {threshold:.2}")),
        NearMode::None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spelling;
    use crate::compare::score_of;

    #[test]
    fn engines_work_and_differ() {
        for (n, engine) in ENGINES.iter().enumerate() {
            (engine.config)().validate().unwrap();
            // The presets for headlines and for SMS are the same, under two names.
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
        for near in NearMode::NAMED.map(|(name, _)| name) {
            let (engines, methods) = chosen(&[near.into()]).unwrap();
            assert_eq!(
                engines,
                [Engine {
                    config: Engine::of_options(&format!("--near {near}")).unwrap().config,
                    ..engines[0].clone()
                }]
            );
            assert!(methods.is_empty(), "{near}");
        }
        assert_eq!(chosen(&["SimHash".into()]).unwrap().1[0].id, "SimHash");
        assert!(chosen(&["papre".into()]).unwrap_err().to_string().contains("simhash-char2"));
    }

    #[test]
    fn options_make_an_engine() {
        let of = |options: &str| Engine::of_options(options);
        for engine in ENGINES {
            let same = of(engine.options).unwrap().config;
            assert_eq!(Config { seed: same.seed, ..(engine.config)() }, same, "{}", engine.name);
        }
        let careful = of("  --guard careful   --similarity=0.7").unwrap();
        assert_eq!((&*careful.name, careful.config.similarity), ("--guard careful --similarity=0.7", 700));
        let wanted = ["--guard careful", "exact", "--guard  careful"].map(str::to_owned);
        let (engines, _) = chosen(&wanted).unwrap();
        assert_eq!(engines.iter().map(|engine| &*engine.name).collect::<Vec<_>>(), ["exact", "--guard careful"]);
        for (wrong, told) in [
            ("--guard", "lacks its value"),
            ("--gaurd off", "gaurd"),
            ("--dropped x", "dropped"),
            ("-q", "-q"),
            ("--max-memory 1GB", "max-memory"),
            ("--window 5", "window"),
            ("--similarity 0.7 --similarity=0.8", "twice"),
            ("--guard of", "careful"),
            ("--near simhash --guard off", "--guard"),
        ] {
            let error = of(wrong).unwrap_err().spelled(Spelling::Flag);
            assert!(error.contains(told), "{wrong}: {error}");
        }
    }

    #[test]
    fn thresholds_are_told_as_options() {
        assert_eq!(option(&Config::default(), 0.0), None, "0 is no similarity that `dedup` takes");
        let config = Config::of(NearMode::SimHash);
        for distance in 0..=MAX_DISTANCE {
            assert_eq!(option(&config, score_of(distance)), Some(format!("--max-distance {distance}")));
        }
        assert_eq!(option(&config, 0.95).as_deref(), Some("--max-distance 3"));
        assert_eq!(option(&config, score_of(MAX_DISTANCE + 1)), None);
        assert_eq!(option(&Config::default(), 0.7).as_deref(), Some("--similarity 0.70"));
    }
}

//! The options of the near stage, which several commands have.

use anyhow::bail;
use clap::ValueEnum;
use quchong::config::{Config, NearMode, Preset, Rules, Shingle, Weights};

use super::{count, rules};

/// What near repeats are, and how they are found.
#[derive(clap::Args)]
pub struct NearArgs {
    /// A set of options for a kind of texts, or the paper's; options beside it go first
    #[arg(long, value_enum, help_heading = "Near stage")]
    preset: Option<PresetArg>,

    /// How near repeats are found [default: hybrid]
    #[arg(long, value_enum, help_heading = "Near stage")]
    near: Option<NearArg>,

    /// Least similarity of two near repeats: hybrid, of the texts [default: 0.62]; minhash, of their shingles [default: 0.5]
    #[arg(long, value_name = "0..1", value_parser = similarity, help_heading = "Near stage")]
    similarity: Option<u32>,

    /// hybrid: whether a message with another number, place, negation or name is no repeat [default: facts]
    #[arg(long, value_enum, help_heading = "Near stage")]
    guard: Option<GuardArg>,

    /// hybrid: messages back to which texts are compared; older ones are known by their fingerprints [default: 200k]
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Near stage")]
    verify_window: Option<u64>,

    /// simhash, and hybrid beyond the window: largest Hamming distance of two near repeats' fingerprints [default: 4]
    #[arg(long, value_name = "BITS", help_heading = "Near stage")]
    max_distance: Option<u32>,

    /// What a fingerprint is made of: word:W consecutive words (as the paper), or char:N consecutive characters [default: char:2]
    #[arg(long, value_name = "KIND:LENGTH", value_parser = shingle, help_heading = "Near stage")]
    shingle: Option<Shingle>,

    /// simhash, hybrid: what a shingle weighs that a message has several times [default: once]
    #[arg(long, value_enum, help_heading = "Near stage")]
    weights: Option<WeightsArg>,

    /// minhash: slots of a signature; four times as many halve the error of the similarity [default: 128]
    #[arg(long, value_name = "P", help_heading = "Near stage")]
    permutations: Option<usize>,

    /// Wrapping to take off before comparing: all, none, or names separated by commas; -NAME leaves one on (see below) [default: all]
    #[arg(long, value_name = "RULES", value_parser = rules, allow_hyphen_values = true, help_heading = "Near stage")]
    normalise: Option<Rules>,
}

#[derive(Clone, Copy, ValueEnum)]
enum PresetArg {
    /// Gao & Li 2014 as written: simhash over word:2, count, distance 4
    Paper,
    /// Weibo posts and reposts: the defaults
    Weibo,
    /// Headlines and flashes: similarity 0.64, --normalise -video,-place,-page
    Headline,
    /// SMS and chat: similarity 0.65, --normalise -video,-place,-page
    Sms,
}

#[derive(Clone, Copy, ValueEnum)]
enum NearArg {
    /// The texts of the last messages, fingerprints and facts of all older ones
    Hybrid,
    /// 64-bit fingerprints within a Hamming distance (Gao & Li 2014)
    Simhash,
    /// Signatures of a Jaccard similarity
    Minhash,
    /// Exact repeats only
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum GuardArg {
    Facts,
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum WeightsArg {
    /// As often as it occurs (Gao & Li 2014)
    Count,
    /// Once: saves messages that say one thing over and over
    Once,
}

impl NearArgs {
    /// The near stage's part of a configuration, the rest at its defaults.
    ///
    /// # Errors
    /// An option that the engine does not have: it would do nothing, and its user would not know.
    pub fn config(&self) -> anyhow::Result<Config> {
        let preset = match self.preset {
            Some(PresetArg::Paper) => Preset::Paper.config(),
            Some(PresetArg::Headline) => Preset::Headline.config(),
            Some(PresetArg::Sms) => Preset::Sms.config(),
            Some(PresetArg::Weibo) | None => Preset::Weibo.config(),
        };
        let base = match self.near {
            None => preset,
            Some(near) => {
                let near = match near {
                    NearArg::Hybrid => NearMode::Hybrid,
                    NearArg::Simhash => NearMode::SimHash,
                    NearArg::Minhash => NearMode::MinHash,
                    NearArg::None => NearMode::None,
                };
                let similarity = if near == preset.near { preset.similarity } else { Config::of(near).similarity };
                Config { near, similarity, ..preset }
            }
        };
        let weights = |weights| match weights {
            WeightsArg::Count => Weights::Count,
            WeightsArg::Once => Weights::Once,
        };
        let config = Config {
            rules: self.normalise.unwrap_or(base.rules),
            similarity: self.similarity.unwrap_or(base.similarity),
            guard: self.guard.map_or(base.guard, |guard| matches!(guard, GuardArg::Facts)),
            verify_window: self.verify_window.unwrap_or(base.verify_window),
            max_distance: self.max_distance.unwrap_or(base.max_distance),
            shingle: self.shingle.unwrap_or(base.shingle),
            weights: self.weights.map_or(base.weights, weights),
            permutations: self.permutations.unwrap_or(base.permutations),
            ..base
        };
        self.refuse_idle(config.near)?;
        Ok(config)
    }

    fn refuse_idle(&self, near: NearMode) -> anyhow::Result<()> {
        use NearMode::{Hybrid, MinHash, SimHash};
        let options: [(&str, bool, &[NearMode]); 8] = [
            ("--similarity", self.similarity.is_some(), &[Hybrid, MinHash]),
            ("--guard", self.guard.is_some(), &[Hybrid]),
            ("--verify-window", self.verify_window.is_some(), &[Hybrid]),
            ("--max-distance", self.max_distance.is_some(), &[Hybrid, SimHash]),
            ("--shingle", self.shingle.is_some(), &[Hybrid, SimHash, MinHash]),
            ("--weights", self.weights.is_some(), &[Hybrid, SimHash]),
            ("--permutations", self.permutations.is_some(), &[MinHash]),
            ("--normalise", self.normalise.is_some(), &[Hybrid, SimHash, MinHash]),
        ];
        let idle = options.iter().find(|(_, is_given, engines)| *is_given && !engines.contains(&near));
        idle.map_or(Ok(()), |(option, _, engines)| {
            let names: Vec<String> = engines.iter().map(|engine| format!("--near {}", engine.name())).collect();
            bail!("{option} does nothing under --near {}; it is of {}", near.name(), names.join(" and "))
        })
    }
}

/// A similarity in thousandths.
fn similarity(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(similarity) if (0.0..=1.0).contains(&similarity) => Ok((similarity * 1000.0).round() as u32),
        _ => Err("write a number between 0 and 1, 0.5 for example".to_owned()),
    }
}

fn shingle(text: &str) -> Result<Shingle, String> {
    let (kind, length) = text.split_once(':').unwrap_or((text, ""));
    match (kind, length.parse()) {
        ("word", Ok(length)) => Ok(Shingle::Words(length)),
        ("char", Ok(length)) => Ok(Shingle::Chars(length)),
        _ => Err("write word:2 or char:3, for example".to_owned()),
    }
}

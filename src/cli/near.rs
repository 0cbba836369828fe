//! The options of the near stage, which several commands have.

use clap::ValueEnum;
use quchong::config::options::Options;
use quchong::config::units::{count, similarity};
use quchong::config::{Config, Guard, NearMode, Preset, Remarks, Rules, Shingle, Templates, Weights};

use super::rules;

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

    /// hybrid: what a remark of one's own is, on a message that is passed on [default: fold]
    #[arg(long, value_enum, help_heading = "Near stage")]
    remarks: Option<RemarksArg>,

    /// hybrid: what one template with another filling is [default: keep]
    #[arg(long, value_enum, help_heading = "Near stage")]
    templates: Option<TemplatesArg>,

    /// hybrid: messages back to which texts are compared; older ones are known by their fingerprints [default: 200k]
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Near stage")]
    verify_window: Option<u64>,

    /// simhash, and hybrid beyond the window: largest Hamming distance of two near repeats' fingerprints [default: 4]
    #[arg(long, value_name = "BITS", help_heading = "Near stage")]
    max_distance: Option<u32>,

    /// What a fingerprint is made of: word:W consecutive words (as the paper), or char:N consecutive characters [default: char:2]
    #[arg(long, value_name = "KIND:LENGTH", value_parser = Shingle::parse, help_heading = "Near stage")]
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
    /// Archives and legal holds: --guard careful, --remarks keep
    Careful,
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
    /// A message with another fact is no repeat
    Facts,
    /// Nor is one with another content word, where it is no plain typo
    Careful,
    /// Facts do not count
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum RemarksArg {
    /// A short one makes no other message
    Fold,
    /// Each one makes another message
    Keep,
}

#[derive(Clone, Copy, ValueEnum)]
enum TemplatesArg {
    /// Another message
    Keep,
    /// A repeat: facts do not count
    Fold,
}

#[derive(Clone, Copy, ValueEnum)]
enum WeightsArg {
    /// As often as it occurs (Gao & Li 2014)
    Count,
    /// Once: saves messages that say one thing over and over
    Once,
}

impl NearArgs {
    /// The options of the near stage.
    pub fn options(&self) -> Options {
        let preset = |preset| match preset {
            PresetArg::Paper => Preset::Paper,
            PresetArg::Weibo => Preset::Weibo,
            PresetArg::Headline => Preset::Headline,
            PresetArg::Sms => Preset::Sms,
            PresetArg::Careful => Preset::Careful,
        };
        let near = |near| match near {
            NearArg::Hybrid => NearMode::Hybrid,
            NearArg::Simhash => NearMode::SimHash,
            NearArg::Minhash => NearMode::MinHash,
            NearArg::None => NearMode::None,
        };
        let weights = |weights| match weights {
            WeightsArg::Count => Weights::Count,
            WeightsArg::Once => Weights::Once,
        };
        Options {
            preset: self.preset.map(preset),
            near: self.near.map(near),
            similarity: self.similarity,
            guard: self.guard.map(|guard| match guard {
                GuardArg::Facts => Guard::Facts,
                GuardArg::Careful => Guard::Careful,
                GuardArg::Off => Guard::Off,
            }),
            remarks: self.remarks.map(|remarks| match remarks {
                RemarksArg::Fold => Remarks::Fold,
                RemarksArg::Keep => Remarks::Keep,
            }),
            templates: self.templates.map(|templates| match templates {
                TemplatesArg::Keep => Templates::Keep,
                TemplatesArg::Fold => Templates::Fold,
            }),
            verify_window: self.verify_window,
            max_distance: self.max_distance,
            shingle: self.shingle,
            weights: self.weights.map(weights),
            permutations: self.permutations,
            normalise: self.normalise,
            ..Options::default()
        }
    }

    /// The near stage's part of a configuration, the rest at its defaults.
    ///
    /// # Errors
    /// An option that the engine does not have.
    pub fn config(&self) -> quchong::Result<Config> {
        self.options().config()
    }
}

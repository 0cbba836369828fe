//! `quchong tune`: measures settings, so that a user can choose.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Error;
use crate::config::ExactOn;
use crate::config::units::count;
use crate::exact::paper::{BloomHash, BloomRule};
use crate::formats::lines::MAX_LINE;
use crate::formats::parse::{FieldPath, Further, Parser};
use crate::formats::source::{Format, Source, Whole};
use crate::report::{counted, grouped};
use crate::tune::texts::{Texts, Unread};
use crate::tune::{Grid, paper, sweep};
use anyhow::Context;
use clap::{Subcommand, ValueEnum};

use super::bars::Bars;
use super::encoding::EncodingArgs;
use super::glob::expand;
use super::input::fields;
use super::screen::ShowProgress;
use super::settings::{ColorArgs, Typed, words};
use super::tune_outputs::OutputArgs;
use super::values::rate;
use super::{DOUBTFUL, fail, inputs, thread_count, threads, warn_user};
use crate::locale::tr;

/// Measure what a setting costs and how often it errs
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Bloom(Box<BloomArgs>),
    Paper(Box<PaperArgs>),
}

/// The source of the texts.
#[derive(clap::Args)]
struct TextArgs {
    #[command(flatten)]
    typed: Typed,

    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Seed of generated posts, also of those that errors are measured on
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Format of the input; auto goes by the extension, else by the content [default: auto]
    #[arg(short, long, value_parser = words("format", &Format::NAMED))]
    format: Option<Format>,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[arg(long)]
    field: Option<String>,

    #[command(flatten)]
    color: ColorArgs,
}

/// Measure the false-positive rate of Bloom filters of many sizes, and recommend a size
///
/// Runs filters of many sizes over the texts in one pass, beside a set that never errs, and recommends the smallest that meets
/// the target. Errors of full filters are measured on fresh generated posts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong tune bloom feed.jsonl --capacity 1e7 --target-error 1e-3 --html report.html
  quchong tune bloom --generate 1e6 --bits 1e5..1e8 --hashes 1..10")]
struct BloomArgs {
    #[command(flatten)]
    texts: TextArgs,

    /// Use so many generated posts instead of files or standard input
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "files")]
    generate: Option<u64>,

    /// Sizes in bits: a range in logarithmic steps, or a list with commas
    #[arg(long, value_name = "RANGE", default_value = "1e4..2e7")]
    bits: String,

    /// Sizes in a range of --bits [default: 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    steps: Option<u32>,

    /// Numbers of hash functions: a range or a list [default: 1..8; 2 with --hash bkdr-ap]
    #[arg(long, value_name = "RANGE")]
    hashes: Option<String>,

    /// Distinct texts that the filter is to hold [default: --generate, else 10M]
    #[arg(long, value_name = "N", value_parser = count)]
    capacity: Option<u64>,

    /// False-positive rate allowed at --capacity
    #[arg(long, value_name = "RATE", value_parser = rate, default_value_t = 0.01)]
    target_error: f64,

    /// When a text is a repeat: if all its marks are set (Bloom), or if any is (Gao & Li 2014)
    #[arg(long, value_enum, default_value_t = RuleArg::All)]
    rule: RuleArg,

    /// Where marks come from: XXH3, or BKDR and AP (Gao & Li 2014)
    #[arg(long, value_enum, default_value_t = HashArg::Xxh3)]
    hash: HashArg,

    /// Which form of a text is hashed
    #[arg(long, value_parser = words("exact-on", &ExactOn::NAMED), default_value = "canonical")]
    exact_on: ExactOn,

    /// How many fresh posts measure the error of each filter [default: 100k; for the recommended filter enough for about a thousand
    /// errors, up to 10M]
    #[arg(long, value_name = "N", value_parser = count)]
    probes: Option<u64>,

    /// Print a row for every setting, and what the exact stages cost, below the recommendation
    #[arg(long, help_heading = "Output")]
    all: bool,

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,

    #[command(flatten)]
    outputs: OutputArgs,
}

/// The experiments of Gao & Li 2014 again, each number beside the paper's
///
/// Without files the texts are generated.
#[derive(clap::Args)]
struct PaperArgs {
    #[command(flatten)]
    texts: TextArgs,

    /// Take times on as many texts as the paper did (2.5 million, five runs), and pairs of 10 000: more than a quarter of an
    /// hour where two cores are shared; progress shows on a terminal
    #[arg(long)]
    full: bool,

    #[arg(long, value_parser = words("progress", &ShowProgress::NAMED))]
    progress: ShowProgress,

    #[command(flatten)]
    outputs: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum RuleArg {
    All,
    Any,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum HashArg {
    Xxh3,
    BkdrAp,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Bloom(mut args) => {
            args.texts.files = expand(&args.texts.files, false)?;
            bloom(*args)
        }
        What::Paper(mut args) => {
            args.texts.files = expand(&args.texts.files, false)?;
            repeat_paper(*args)
        }
    }
}

fn bloom(args: BloomArgs) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.steps.is_none() || args.bits.contains(".."),
        tr!("--steps: --bits {} is a list; give the sizes, or a range such as 1e4..2e7 for --steps", args.bits)
    );
    let hash = if args.hash == HashArg::Xxh3 { BloomHash::Xxh3 } else { BloomHash::BkdrAp };
    let hashes = args.hashes.as_deref().unwrap_or(if hash == BloomHash::BkdrAp { "2" } else { "1..8" });
    let hashes = numbers(hashes, None).context("--hashes")?.into_iter().map(u32::try_from).collect::<Result<_, _>>();
    let options = Grid {
        bits: numbers(&args.bits, Some(args.steps.unwrap_or(12))).context("--bits")?,
        hashes: hashes.context("--hashes")?,
        rule: if matches!(args.rule, RuleArg::All) { BloomRule::All } else { BloomRule::Any },
        hash,
        capacity: args.capacity.or(args.generate.filter(|n| *n > 0)).unwrap_or(10_000_000),
        target: args.target_error,
        exact_on: args.exact_on,
        probes: args.probes,
        seed: args.texts.seed,
        threads: threads(args.threads),
    };
    options.validate()?;
    let texts = args.texts.open(args.generate)?;
    let outputs = args.outputs.open(&args.texts.files)?;
    let report = sweep::sweep(texts, &options)?;
    if report.distinct > report.capacity {
        let [distinct, capacity] = [report.distinct, report.capacity].map(grouped);
        warn_user(&tr!(
            "warning: the input already has {distinct} distinct texts, more than --capacity {capacity}, and the recommended \
             filter is too small for them; give --capacity the number that your feed will hold",
            distinct,
            capacity
        ));
    }
    let is_doubtful = tell_unread(&report.unread);
    let written = outputs.write(
        "",
        &if args.all { report.markdown() } else { report.brief() },
        [&|| report.html(), &|| report.svg(), &|| report.csv(), &|| report.json()],
    );
    written.map(|code| if is_doubtful { ExitCode::from(DOUBTFUL) } else { code })
}

/// Names the first records that could not be read, and says so if they are most. Returns whether they are.
fn tell_unread(unread: &Unread) -> bool {
    unread.first.iter().for_each(|fault| warn_user(fault));
    if unread.are_most() {
        fail(&anyhow::anyhow!(tr!(
            "{} of {of} could not be read, and are not measured; --field names where the message stands",
            grouped(unread.count),
            of = counted(unread.of, "record")
        )));
    }
    unread.are_most()
}

fn repeat_paper(args: PaperArgs) -> anyhow::Result<ExitCode> {
    if args.texts.files.is_empty()
        && let Some(option) = ["field", "format", "encoding"].into_iter().find(|name| args.texts.typed.has(name))
    {
        let reason =
            tr!("tells how to read a FILE, and none is named (`-`: standard input); name one, or leave it out");
        anyhow::bail!(Error::config(option, reason));
    }
    // Two thirds of the generated posts are new, so this number is enough.
    let generate = args.texts.files.is_empty().then(|| 2 * paper::needed(args.full));
    let texts = args.texts.open(generate)?;
    let outputs = args.outputs.open(&args.texts.files)?;
    let bars = Bars::new(args.progress);
    let report = paper::run(texts, args.full, &|what, done, of| bars.show(what, done, of))?;
    bars.finish();
    let is_doubtful = tell_unread(&report.unread);
    let written = outputs.write(
        &report.lead(),
        &report.markdown(),
        [&|| report.html(), &|| report.svg(), &|| report.csv(), &|| report.json()],
    );
    written.map(|code| if is_doubtful { ExitCode::from(DOUBTFUL) } else { code })
}

/// Reads `5`, `1,2,4`, or a range that includes both ends. A range gives all its whole numbers, or `steps` numbers in logarithmic steps.
fn numbers(list: &str, steps: Option<u32>) -> anyhow::Result<Vec<u64>> {
    let number = |text: &str| {
        let split = text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        anyhow::ensure!(
            !split,
            tr!("`{list}`: commas separate the numbers of a list; write 10000 or 1e4 for ten thousand", list)
        );
        count(text).map_err(|reason| anyhow::anyhow!(tr!("`{text}` is {reason}", text, reason)))
    };
    let Some((low, high)) = list.split_once("..") else { return list.split(',').map(number).collect() };
    let (low, high) = (number(low)?, number(high.trim_start_matches('='))?);
    anyhow::ensure!(0 < low && low <= high, tr!("`{list}` is no range; write the smaller number first, from 1", list));
    let mut found: Vec<u64> = match steps {
        Some(steps) => {
            let ratio = high as f64 / low as f64;
            (0..steps).map(|i| (low as f64 * ratio.powf(f64::from(i) / f64::from(steps - 1))).round() as u64).collect()
        }
        None => {
            anyhow::ensure!(high - low < 1000, tr!("`{list}` is too long a range", list));
            (low..=high).collect()
        }
    };
    found.dedup();
    Ok(found)
}

impl TextArgs {
    fn open(&self, generate: Option<u64>) -> anyhow::Result<Texts> {
        self.typed.refuse_idle("tune")?;
        if let Some(count) = generate {
            anyhow::ensure!(count > 0, tr!("--generate: 0 posts are nothing to measure"));
            return Ok(Texts::Generated { count, seed: self.seed });
        }
        let (inputs, name) = inputs(&self.files);
        let (field, also) = fields(self.field.as_deref().unwrap_or("text"))?;
        let parser = Parser {
            field,
            id_field: FieldPath::parse("--field", "id")?,
            time_field: None,
            seq_field: None,
            further: Further { also, ..Further::default() },
        };
        let format = self.format.unwrap_or(Format::Auto);
        self.typed.given.check_formats(format, &inputs)?;
        let source = Source::new(inputs.clone(), format, MAX_LINE)?.parsed_by(&parser, Whole::Not);
        let source = Box::new(self.encoding.apply(self.typed.apply(format, &inputs, source), warn_user)?);
        Ok(Texts::Read { source, parser: Box::new(parser), name })
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn ranges_and_lists() {
        assert_eq!(numbers("1..3", None).unwrap(), [1, 2, 3]);
        assert_eq!(numbers("1e4,5k", None).unwrap(), [10_000, 5_000]);
        assert_eq!(numbers("1e4..1e6", Some(3)).unwrap(), [10_000, 100_000, 1_000_000]);
        assert_eq!(numbers("7..7", Some(3)).unwrap(), [7]);
        for wrong in ["", "x", "5..1", "0..3", "1..2..3", "1..1e9", "10,000"] {
            assert!(numbers(wrong, None).is_err(), "{wrong}");
        }
    }
}

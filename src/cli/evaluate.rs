//! `quchong evaluate`: measures how many repeats each engine finds in the user's own texts.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use crate::config::units::count;
use crate::evaluate::engines;
use crate::evaluate::tally::LengthIn;
use crate::evaluate::{Dataset, Evaluation, Experiment, MISJUDGED, Sweep, Truth, TruthOn, evaluate_each};
use crate::formats::lines::MAX_LINE;
use crate::formats::parse::FieldPath;
use crate::formats::source::{Format, Source};
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

use super::bars::Bars;
use super::columns::print_markdown;
use super::encoding::EncodingArgs;
use super::files::open_outputs;
use super::glob::expand;
use super::input::fields;
use super::screen::ShowProgress;
use super::settings::{ColorArgs, Typed, words};
use super::sign::ReadingArgs;
use super::values::share;
use super::{inputs, print, thread_count, threads, warn_user};
use crate::locale::tr;

/// Measure how many repeats each engine finds, and how many other messages it takes for repeats
///
/// Precision, recall and F1 of every engine on labelled pairs, on messages with a cluster, against brute force, or on edits of
/// your own texts; by length, and by kind.
#[derive(clap::Args)]
#[command(after_help = "\
Truths:
  pairs          records {\"a\", \"b\", \"label\"}: 1 or true if b repeats a, 0 or false if not,
                 2 if undecided; a table each by `kind` and `src`. Files named .csv and .tsv
                 are tables with the columns a, b and label
  cluster:FIELD  messages with the same FIELD are repeats; a message and the most similar one
                 of another cluster are not
  indel:0.8      without labels: pairs whose bodies have an Indel similarity of 0.8 or more,
                 found by brute force
  levenshtein:0.85,0.90,0.95,1.00
                 the same, by Levenshtein similarity, with one report for each threshold
  pooled:0.8     as indel, but only pairs that some method of `quchong methods` finds,
                 as in the papers
  edits          a text and its edits are repeats (characters changed, reposted, traditional
                 script, cut…); with a changed number they are not

Examples:
  quchong evaluate pairs.jsonl --html report.html
  quchong evaluate pairs.csv --by annotator
  quchong evaluate pairs.jsonl --engine default --engine '--guard careful --templates fold'
  quchong evaluate feed.jsonl --truth edits --engine paper --engine simhash-char2
  quchong evaluate feed.jsonl --truth indel:0.8 --sweep distance=0..12
  quchong evaluate feed.jsonl --truth pooled:0.8 --engine catalogue --html methods.html")]
pub(crate) struct Args {
    #[command(flatten)]
    typed: Typed,

    /// Files to read, in this order, or patterns in quotes ('dumps/*.zst'), whose files are sorted by name; none or `-`: standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where the truth comes from: pairs, cluster:FIELD, indel:SIMILARITY, levenshtein:SIMILARITY, pooled:SIMILARITY or edits [default: pairs, if the input is pairs]
    #[arg(long, value_name = "TRUTH")]
    truth: Option<TruthArg>,

    /// Which form of the texts must be similar: raw, as they came; canonical; body, without wrapping and spaces
    #[arg(long, value_name = "FORM", value_parser = words("truth-on", &TruthOn::NAMED), default_value = "body")]
    truth_on: TruthOn,

    /// Under a truth by similarity, only messages of so many words or more (Kosinov: 20)
    #[arg(long, value_name = "N", default_value_t = 0)]
    least_words: usize,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[arg(long)]
    field: String,

    /// Measure this engine or method only, or options of `quchong dedup` in quotes ('--similarity 0.7'); may be repeated; `catalogue`: all
    /// methods of `quchong methods` [default: all engines]
    #[arg(long, value_name = "NAME", ignore_case = true, allow_hyphen_values = true, value_parser = EngineReader)]
    engine: Vec<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Add a table by this field of the records, a string, a number, true or false; records without it have the row `–`; if the records are messages, a pair counts under the value of the later one; may be repeated
    #[arg(long, value_name = "PATH")]
    by: Vec<String>,

    /// Only pairs whose shorter body has this many characters (under --length-in words: whose shorter text has this many words), for
    /// example 21..140
    #[arg(long, value_name = "RANGE", value_parser = length)]
    length: Option<(usize, usize)>,

    /// What lengths are counted in: characters of the body, or words of the text, whose bands are Kosinov's
    #[arg(long, value_name = "UNIT", value_parser = words("length-in", &UNITS), default_value = "characters")]
    length_in: LengthIn,

    /// How many texts to edit, or pairs or messages to draw [default: 2000]; under indel, levenshtein and pooled, how many messages to
    /// compare, from the first on [default: 10000]
    #[arg(long, value_name = "N", value_parser = count)]
    sample: Option<u64>,

    /// Seed of edits and of what is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Try thresholds: distance=0..12, or similarity=0.60..0.95 in hundredths
    #[arg(long, value_name = "RANGE")]
    sweep: Option<SweepArg>,

    /// Precision that the recommended threshold is to have
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = 0.97)]
    min_precision: f64,

    /// How the results are written to standard output
    #[arg(long, value_enum, default_value_t = FormatArg::Markdown, help_heading = "Output")]
    format: FormatArg,

    /// Write a page with charts, and with the wrongly judged pairs and the reasons, to this file; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write each pair that a method finds or that is true as a line of JSON to this file: messages by their numbers, whether it is
    /// true under the first threshold, and the methods that find it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pairs: Option<PathBuf>,

    #[arg(long, value_parser = words("progress", &ShowProgress::NAMED))]
    progress: ShowProgress,

    #[command(flatten)]
    color: ColorArgs,

    #[arg(long, value_parser = thread_count)]
    threads: Option<usize>,
}

/// Reads the name of an engine or a method, or options that make an engine.
#[derive(Clone)]
struct EngineReader;

impl TypedValueParser for EngineReader {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        // Options are checked later, and then refused with reasons of their own.
        match value.to_str().filter(|value| engines::is_options(value)) {
            Some(options) => Ok(options.to_owned()),
            None => {
                let name = value.to_str().map_or(value, |name| OsStr::new(engines::canonical(name)));
                PossibleValuesParser::new(engines::names()).parse_ref(command, argument, name)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(engines::names().map(PossibleValue::new)))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Markdown,
    Json,
    Csv,
}

const UNITS: [(&str, LengthIn); 2] = [("characters", LengthIn::Characters), ("words", LengthIn::Words)];

/// A truth, and further similarity thresholds for it.
#[derive(Clone)]
struct TruthArg(Truth, Vec<f64>);

impl FromStr for TruthArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let truth = match text.split_once(':') {
            None if text == "pairs" => Truth::Pairs,
            None if text == "edits" => Truth::Edits,
            Some(("cluster", field)) => {
                Truth::Cluster(FieldPath::parse("cluster", field).map_err(|error| error.to_string())?)
            }
            Some((name @ ("indel" | "levenshtein" | "pooled"), list)) => {
                let mut least = list.split(',').map(similarity).collect::<Result<Vec<f64>, _>>()?;
                let mut seen = Vec::new();
                least.retain(|value| {
                    !seen.contains(value) && {
                        seen.push(*value);
                        true
                    }
                });
                let further_thresholds = least.split_off(1);
                let truth = match name {
                    "indel" => Truth::Indel,
                    "levenshtein" => Truth::Levenshtein,
                    _ => Truth::Pooled,
                };
                return Ok(Self(truth(least[0]), further_thresholds));
            }
            _ => {
                return Err(tr!("write pairs, cluster:FIELD, indel:0.8, levenshtein:0.85, pooled:0.8 or edits"));
            }
        };
        Ok(Self(truth, Vec::new()))
    }
}

fn similarity(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| tr!("`{text}` is no similarity; write a number from 0 to 1", text))
}

#[derive(Clone)]
struct SweepArg(Sweep);

impl FromStr for SweepArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = || tr!("write distance=0..12 or similarity=0.60..0.95");
        let (name, (low, high)) =
            text.split_once('=').and_then(|(name, range)| Some((name, ends(range)?))).ok_or_else(usage)?;
        let (scale, most) = match name {
            "distance" => (1.0, 64.0),
            "similarity" => (100.0, 1.0),
            _ => return Err(usage()),
        };
        let whole = |end: &str| {
            end.parse().ok().filter(|end| (0.0..=most).contains(end)).map(|end: f64| (end * scale).round() as u32)
        };
        let (low, high) = whole(low).zip(whole(high)).filter(|(low, high)| low <= high).ok_or_else(usage)?;
        let steps = (low..=high).collect();
        Ok(Self(if name == "distance" { Sweep::Distance(steps) } else { Sweep::Similarity(steps) }))
    }
}

/// The two ends of a range such as `1..3`.
fn ends(range: &str) -> Option<(&str, &str)> {
    range.split_once("..").map(|(low, high)| (low, high.trim_start_matches('=')))
}

/// Reads a range of lengths: `21..140`, `..20`, `141..`.
fn length(text: &str) -> Result<(usize, usize), String> {
    let end = |text: &str, missing| match text {
        "" => Ok(missing),
        _ => match count(text) {
            Ok(length) => Ok(usize::try_from(length).unwrap_or(usize::MAX)),
            Err(reason) => Err(tr!("`{text}` is {reason}", text, reason)),
        },
    };
    let (low, high) = ends(text).ok_or(tr!("write 21..140, for example"))?;
    match (end(low, 0)?, end(high, usize::MAX)?) {
        (low, high) if low <= high => Ok((low, high)),
        _ => Err(tr!("write the smaller number first: 21..140, ..20 or 141..")),
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut by: Vec<FieldPath> = Vec::new();
    for path in &args.by {
        let path = FieldPath::parse("--by", path)?;
        if !by.contains(&path) {
            by.push(path);
        }
    }
    let TruthArg(truth, further_thresholds) = args.truth.unwrap_or(TruthArg(Truth::PairsIfLabelled, Vec::new()));
    anyhow::ensure!(
        further_thresholds.is_empty() || !matches!(args.format, FormatArg::Csv),
        tr!("--format: csv has no room for several thresholds; name one, or use json")
    );
    let options = Experiment {
        truth,
        truth_on: args.truth_on,
        further_thresholds,
        least_words: args.least_words,
        length_in: args.length_in,
        by,
        engines: args.engine,
        reading: args.reading.reading(),
        whole_files: args.reading.whole_files,
        seed: args.seed,
        sample: args.sample.map(usize::try_from).transpose().context("--sample")?,
        length: args.length.unwrap_or((0, usize::MAX)),
        misjudged: if args.html.is_some() { MISJUDGED } else { 0 },
        sweep: args.sweep.map(|sweep| sweep.0),
        min_precision: args.min_precision,
        threads: threads(args.threads),
    };
    options.validate()?;
    let files = expand(&args.files, false)?;
    let (inputs, name) = inputs(&files);
    let (field, further_fields) = fields(&args.field)?;
    args.typed.refuse_idle_in("evaluate", Format::Auto, &inputs)?;
    let source = args.typed.apply(Format::Auto, &inputs, Source::apart(inputs.clone(), Format::Auto, MAX_LINE)?);
    let source = args.encoding.apply(source, warn_user)?;
    let input = Dataset { source, field, further_fields, name };
    let [html, pairs] = open_outputs(&files, true, [("--html", &args.html), ("--pairs", &args.pairs)])?;
    let bars = Bars::new(args.progress);
    let mut lines = Vec::new();
    let out: Option<&mut dyn io::Write> = if pairs.is_some() { Some(&mut lines) } else { None };
    let reports = evaluate_each(input, &options, &|what, done, of| bars.show(what, done, of), out)?;
    bars.finish();
    if let Some(target) = pairs {
        target.write(&String::from_utf8_lossy(&lines))?;
    }
    if let Some(report) = reports.first().filter(|report| !report.signing.is_empty()) {
        let micros = report.signing.iter().map(|(method, micros)| format!("{method} {micros:.1}"));
        warn_user(&tr!("signing, µs per message: {}", micros.collect::<Vec<_>>().join(&tr!(", "))));
    }
    // The results are printed even if the page cannot be written.
    let printed = match args.format {
        FormatArg::Markdown => {
            let markdown = reports.iter().map(Evaluation::markdown).collect::<Vec<_>>().join("\n");
            print_markdown(&reports.first().map_or_else(String::new, Evaluation::lead), &markdown)
        }
        FormatArg::Json => print(match &reports[..] {
            [report] => report.json(),
            _ => crate::report::json(&reports),
        }),
        FormatArg::Csv => print(reports.iter().map(Evaluation::csv).collect()),
    };
    html.map_or(Ok(()), |target| target.write(&Evaluation::page_of(&reports)))?;
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_meant() {
        let sweep = |text: &str| text.parse::<SweepArg>().map(|sweep| sweep.0);
        assert_eq!(sweep("distance=0..3"), Ok(Sweep::Distance(vec![0, 1, 2, 3])));
        assert_eq!(sweep("similarity=0.58..0.6"), Ok(Sweep::Similarity(vec![58, 59, 60])));
        for wrong in ["", "distance", "distance=3", "distance=3..1", "distance=0..65", "similarity=0..2", "x=0..1"] {
            assert!(sweep(wrong).is_err(), "{wrong}");
        }
        assert_eq!(length("21..140"), Ok((21, 140)));
        assert_eq!([length("..20"), length("141..")], [Ok((0, 20)), Ok((141, usize::MAX))]);
        assert_eq!(length("1e1..1k"), Ok((10, 1000)));
        assert!(length("9..2").is_err_and(|told| told.contains("smaller")) && length("5").is_err());
        assert!(length("a..b").is_err_and(|told| told.starts_with("`a` is no")), "{:?}", length("a..b"));
        let truth = |text: &str| text.parse::<TruthArg>().map(|truth| truth.0);
        assert_eq!(truth("indel:0.8"), Ok(Truth::Indel(0.8)));
        let several: TruthArg = "levenshtein:0.85,0.9,0.85,1".parse().unwrap();
        assert_eq!((several.0, several.1), (Truth::Levenshtein(0.85), vec![0.9, 1.0]));
        assert!(truth("indel").is_err() && truth("indel:x").is_err() && truth("cluster:").is_err());
    }

    #[test]
    fn engines_are_the_options_that_they_are_said_to_be() {
        use crate::cli::{dedup, settings::with_table_help};
        use clap::{Args, Command, FromArgMatches};

        for engine in engines::ENGINES {
            let options = ["dedup"].into_iter().chain(engine.options.split_whitespace());
            let matches = with_table_help(dedup::Args::augment_args(Command::new("dedup"))).get_matches_from(options);
            let args = dedup::Args::from_arg_matches(&matches).unwrap();
            // Without `--seed` the seed is random.
            let expected = (engine.config)();
            assert_eq!(crate::Config { seed: expected.seed, ..args.config().unwrap() }, expected, "{}", engine.name);
        }
    }
}

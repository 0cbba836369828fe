//! `quchong methods`: lists and describes the methods of the papers.

use std::process::ExitCode;

use crate::locale::{in_english, is_chinese};
use crate::methods::{self, CATALOGUE, HEADINGS, Method};
use crate::report::markdown_table;
use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use super::columns::print_markdown;
use super::print;
use super::settings::ColorArgs;
use crate::locale::tr;

/// The descriptions in Chinese. There is one part for each file of `src/methods`, with the names of its methods as the heading.
const ZH: &str = include_str!("../locale/methods.zh.md");

/// List the methods of the papers, or describe some of them
///
/// Every method is a row of `quchong evaluate` and signs files under `quchong sign`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quchong methods
  quchong methods A6-36 3+2-N2
  quchong methods --format json")]
pub(crate) struct Args {
    /// Methods to describe: what they keep, how it is made, when two are alike, known weakness, reference
    #[arg(value_name = "NAME", value_parser = names(), ignore_case = true)]
    names: Vec<String>,

    /// How the list is written; json always has the descriptions
    #[arg(long, value_enum, default_value_t = FormatArg::Markdown, help_heading = "Output")]
    format: FormatArg,

    #[command(flatten)]
    color: ColorArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Markdown,
    Json,
}

/// The names of all methods, for options.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(CATALOGUE.iter().map(|method| method.id))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let named: Vec<&Method> =
        args.names.iter().map(|name| methods::find("NAME", name)).collect::<crate::Result<_>>()?;
    let listed = if named.is_empty() { CATALOGUE } else { &named };
    let described = || listed.iter().map(|method| described(method)).collect::<Vec<_>>().join("\n");
    match args.format {
        FormatArg::Json => {
            let listed: Vec<_> = listed.iter().map(|method| json(method)).collect();
            print(serde_json::to_string_pretty(&listed).context("--format json")? + "\n")
        }
        FormatArg::Markdown if named.is_empty() => print_markdown("", &table(listed)),
        FormatArg::Markdown => print_markdown("", &described()),
    }
}

fn table(methods: &[&Method]) -> String {
    let cells = |method: &&Method| {
        let title = method.title;
        vec![method.id.to_owned(), tr!(title), method.paper.name().to_owned(), method.alike.words()]
    };
    let head = [tr!("method"), tr!("name"), tr!("paper"), tr!("alike")];
    markdown_table(&head.each_ref().map(String::as_str), methods.iter().map(cells))
}

fn described(method: &Method) -> String {
    let title = method.title;
    let mut text = format!("# {} · {}\n", method.id, tr!(title));
    for heading in HEADINGS {
        let docs = in_chinese(method, heading).map_or_else(|| method.docs(heading), str::to_owned);
        text += &format!("\n## {}\n{docs}\n", tr!(heading));
    }
    text
}

/// The Chinese description of a method under a heading; `None` if there is none or the user's language is not Chinese.
fn in_chinese(method: &Method, heading: &str) -> Option<&'static str> {
    let of_it = |part: &&str| part.lines().next().is_some_and(|names| names.split(' ').any(|name| name == method.id));
    let part = ZH.split("\n# ").find(of_it).filter(|_| is_chinese())?;
    let (_, rest) = part.split_once(&format!("\n## {heading}\n"))?;
    rest.split("\n#").next().map(str::trim)
}

fn json(method: &Method) -> serde_json::Value {
    let docs: serde_json::Map<String, serde_json::Value> =
        HEADINGS.iter().map(|heading| ((*heading).to_owned(), method.docs(heading).into())).collect();
    let (paper, alike) = (method.paper.name(), in_english(|| method.alike.words()));
    serde_json::json!({ "method": method.id, "name": method.title, "paper": paper, "alike": alike, "docs": docs })
}

//! `quchong normalise`: shows the forms of a text that the stages compare.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use crate::config::Rules;
use crate::text::body::{Body, body_into};
use crate::text::normalise::canonical;

use super::files::refuse_own_input;

/// Show the canonical form (exact stage) and the body (near stage) of texts
///
/// One JSON object for each text: `canonical`, `body`, and the `topics` that were cut out of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Texts to show; none: each line of standard input
    text: Vec<String>,

    /// Wrapping to take off the body: all, none, or names (see `quchong dedup --help`)
    #[arg(long, value_name = "RULES", default_value = "all", value_parser = super::rules, allow_hyphen_values = true)]
    normalise: Rules,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.text.is_empty() {
        refuse_own_input(&[])?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let written = if args.text.is_empty() {
        io::stdin().lock().split(b'\n').try_for_each(|line| {
            let line = naming("<stdin>", line)?;
            naming(
                "<stdout>",
                show(&String::from_utf8_lossy(&line), args.normalise, &mut out).and_then(|()| out.flush()),
            )
        })
    } else {
        args.text.iter().try_for_each(|text| naming("<stdout>", show(text, args.normalise, &mut out)))
    };
    match written.and_then(|()| naming("<stdout>", out.flush())) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Adds to an error which stream failed.
fn naming<T>(stream: &str, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{stream}: {error}")))
}

fn show(text: &str, rules: Rules, out: &mut impl Write) -> io::Result<()> {
    let canonical = canonical(text);
    let mut body = Body::default();
    body_into(&canonical, rules, &mut body);
    let topics: Vec<&str> = body.topics.iter().map(|topic| &canonical[topic.clone()]).collect();
    let shown = serde_json::json!({ "canonical": canonical, "body": body.text, "topics": topics });
    // serde_json would sort the keys, but the order in which the forms are made reads better.
    writeln!(out, r#"{{"canonical":{},"body":{},"topics":{}}}"#, shown["canonical"], shown["body"], shown["topics"])
}

//! tmp
#![allow(
    missing_docs,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr
)]
use quchong::config::{Config, Guard, Policy};
use quchong::fingerprint::Printer;
use quchong::near::verify::{Decision, Reason, Verifier};
use quchong::text::facts::Conflict;
use quchong::text::{Analyser, Clean, Gist};
use quchong::{Record, State, Verdict};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "stream" => {
            let config = Config::default();
            let printer = Printer::new(&config);
            let mut clean = Clean::default();
            let mut state = State::new(&config).unwrap();
            let most: usize = args.get(3).map_or(usize::MAX, |s| s.parse().unwrap());
            let out = std::io::stdout().lock();
            let mut out = std::io::BufWriter::new(out);
            let file = std::io::BufReader::new(std::fs::File::open(&args[2]).unwrap());
            let start = std::time::Instant::now();
            for (i, line) in file.lines().take(most).enumerate() {
                let line = line.unwrap();
                let v: serde_json::Value = serde_json::from_str(&line).unwrap();
                let p = printer.print(&Record::new(i as u64, v["text"].as_str().unwrap_or("")), &mut clean);
                let (_, verdict) = state.judge(&p, None, || (i as u64).into()).unwrap();
                match verdict {
                    Verdict::Kept => writeln!(out, "{i} kept").unwrap(),
                    Verdict::Exact { of } => writeln!(out, "{i} exact {}", of.unwrap().0).unwrap(),
                    Verdict::Near { of, by, .. } => writeln!(out, "{i} near {} {by:?}", of.0).unwrap(),
                }
            }
            eprintln!("{:.3}", start.elapsed().as_secs_f64());
        }
        mode => {
            // pairs: MODE = default|careful ; files; prints summary; wrong ones to stderr file
            let careful = mode.starts_with("careful");
            let policy =
                if careful { Policy { guard: Guard::Careful, ..Policy::default() } } else { Policy::default() };
            let analyser = Analyser::new(&Config::default());
            let mut verifier = Verifier::new(policy);
            let gist = |t: &str| -> Gist {
                let mut c = Clean::default();
                analyser.analyse(t, &mut c);
                c.gist()
            };
            for file in &args[2..] {
                let mut groups: BTreeMap<String, [u32; 4]> = BTreeMap::new();
                for (n, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
                    let v: serde_json::Value = serde_json::from_str(line).unwrap();
                    let (at, bt) = (v["a"].as_str().unwrap(), v["b"].as_str().unwrap());
                    let (a, b) = (gist(at), gist(bt));
                    verifier.read(b.view());
                    let d = verifier.decide(a.view(), b.view());
                    let repeat = !matches!(d, Decision::No(_));
                    let label = v["label"].as_u64().unwrap();
                    let cell = match (label, repeat) {
                        (1, true) => 0,
                        (0, true) => 1,
                        (1, false) => 2,
                        _ => 3,
                    };
                    let part = v["part"].as_str().unwrap_or("");
                    let mut keys = vec![format!("all {part}")];
                    if let Some(s) = v["src"].as_str() {
                        keys.push(format!("  src {s}"));
                    }
                    if part == "open" {
                        keys.push(format!("  {label} {}", v["kind"].as_str().unwrap_or("")));
                    }
                    for k in keys {
                        groups.entry(k).or_default()[cell] += 1;
                    }
                    if part != "blind" {
                        let why = match d {
                            Decision::No(Reason::Fact(c)) => format!("fact {}", Conflict::name(c)),
                            other => format!("{other:?}"),
                        };
                        println!(
                            "{}\t{n}\t{label}\t{}\t{}\t{why}\t{at}\t{bt}",
                            file.rsplit('/').next().unwrap(),
                            u8::from(repeat),
                            v["kind"].as_str().or(v["src"].as_str()).unwrap_or("")
                        );
                    }
                }
                for (k, [tp, fp, fnn, tn]) in groups {
                    if !k.starts_with("all") && !mode.ends_with('+') {
                        continue;
                    }
                    let (p, r) = (tp as f64 / (tp + fp).max(1) as f64, tp as f64 / (tp + fnn).max(1) as f64);
                    eprintln!(
                        "{:28} {k:26} tp {tp:5} fp {fp:4} fn {fnn:4} tn {tn:5}  P {p:.4} R {r:.4} F1 {:.4}  dropped-diff {:.4} missed {:.4}",
                        file.rsplit('/').next().unwrap(),
                        2.0 * tp as f64 / (2 * tp + fp + fnn).max(1) as f64,
                        fp as f64 / (fp + tn).max(1) as f64,
                        fnn as f64 / (tp + fnn).max(1) as f64
                    );
                }
            }
        }
    }
}

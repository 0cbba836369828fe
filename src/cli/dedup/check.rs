//! `quchong check`: reports what `quchong dedup` would do, without doing it.

use std::fmt::Write as _;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use crate::State;
use crate::config::settings::{self, Setting, Value};
use crate::config::{Config, ExactMode};
use crate::exact::bloom::Fullness;
use crate::formats::encoding::Encoding;
use crate::formats::parse::{Fault, FaultKind};
use crate::formats::source::{Batch, Format};
use crate::run::represent::Choice;
use crate::run::sink::{Sink, Stream};
use crate::run::{self, Dropped, Job, Naming, Notice, Observed, Observer, Totals};
use clap::{ArgMatches, Command, FromArgMatches};
use serde_json::{Map, Value as Json};

use super::{Args, Inputs, Outputs};
use crate::cli::REFUSED;
use crate::cli::console::{ConsoleObserver, FAULTS_TOLD};
use crate::cli::doubts::{Expected, tell_doubts};
use crate::cli::files::{is_stdout, refuse_own_input};
use crate::cli::input::naming;
use crate::cli::losses::tell_lossy;
use crate::cli::notices::warn_of;
use crate::cli::origins::Origins;
use crate::cli::terminal::print;
use crate::cli::ui::VARIABLE;
use crate::locale::{columns, is_chinese, tr};
use crate::report::counted;

/// How many records are checked.
const LOOKED_AT: u64 = 1000;

/// How many fields are listed.
const LISTED: usize = 30;

/// The options and inputs of `quchong dedup`.
pub(crate) struct CheckArgs(pub(crate) Args);

impl FromArgMatches for CheckArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Args::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl clap::Args for CheckArgs {
    fn augment_args(command: Command) -> Command {
        let about = "Tell what `quchong dedup` would do with the same options and inputs, and write nothing";
        let more = "Shows each setting that is not at its default, and where it comes from; then what is found in the first thousand \
                    records, and what would become of them. Outputs are opened, and left as they are; what was not there is removed \
                    again. A --state is read, and the records are judged as if it had no messages; no --metrics are answered";
        Args::augment_args(command).about(about).long_about(format!("{about}\n\n{more}")).after_help(
            "\
Examples:
  quchong check --config quchong.toml dump.jsonl
  QUCHONG_WINDOW=24h quchong check dump.jsonl --near minhash

Exit codes: 0: `quchong dedup` would start. 1: it would refuse to start, or would end with 3 because of the records that were checked.
Standard error says why.",
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args {
    /// Reports what a run would do.
    ///
    /// # Errors
    /// The errors with which a run would refuse to start.
    pub(crate) fn check(mut self, origins: &Origins) -> anyhow::Result<ExitCode> {
        // What is reported goes to standard output, before outputs are opened.
        let files = self.input.files(true);
        files.as_ref().map_or(Ok(()), |files| refuse_own_input(&self.input.reads(files)))?;
        let mut config = self.checked_config().inspect_err(|_| {
            // The given settings are printed before the refusal.
            let _ = print(self.given_told(origins));
        })?;
        print(self.settings_told(&config, origins))?;
        let files = files?;
        Inputs::of(&self, &files, &config)?;
        // A growing file is read as it is now.
        self.follow = false;
        let inputs = Inputs::of(&self, &files, &config)?;
        let (recount, represent) = (self.pace(&inputs)?, self.represented(&inputs)?.cloned());
        let parser = self.parser(config.window, recount)?;
        self.check_outputs(&inputs)?;
        let teller = ConsoleObserver::new(true, self.progress, self.log_format(), &config, None).teller().clone();
        let (mut source, _) = self.sources(&inputs, &parser, None, teller)?;
        self.remember(&mut config);
        self.leave_out_pipes();
        let outputs = Outputs::open(&self, &inputs)?;
        self.appended(&source, &outputs)?;
        let against = self.archives(&config, &parser)?;
        self.work.metrics.check(&outputs.reads, outputs.to_stdout, &outputs.targets())?;
        self.plan(&mut source, &inputs, &outputs, &against).map_or(Ok(()), |plan| plan.check(&mut config))?;
        drop(outputs);
        let found = Arc::new(Mutex::new(Vec::new()));
        let look = found.clone();
        let source =
            source.first(LOOKED_AT, move |batch| see(&mut look.lock().unwrap_or_else(PoisonError::into_inner), batch));
        let nowhere = || Stream::new("<nowhere>", Box::new(io::sink()));
        let mut sink = Sink::new(self.output, self.input.on_error(), nowhere());
        sink.dropped_to(nowhere());
        let mut check_observer = CheckObserver { faults: Vec::new(), choice: represent.map(Choice::new) };
        let threads = self.work.threads();
        let (observer, durable, metrics) = (&mut check_observer, None, None);
        let job = Job { source, parser, sink, threads, observer, durable, metrics, recount, against };
        let naming = self.durable.state.as_ref().map_or_else(|| naming(&files), |_| Naming::Record);
        let (mut totals, end) = run::run(&config, job, naming, pending());
        totals.untimed = totals.untimed.or(check_observer.choice.as_ref().and_then(Choice::untimed));
        totals.unranked = check_observer.choice.as_ref().and_then(Choice::unranked);
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        print(describe(&found, &check_observer.faults, &totals))?;
        end?;
        tell_lossy(&totals);
        let expected =
            Expected { is_new: inputs.are_new(&self), state: None, filter_decides: config.exact == ExactMode::Bloom };
        if tell_doubts(&totals, self.strict, &expected, origins) {
            return Ok(ExitCode::from(REFUSED));
        }
        print(tr!("nothing would be refused; nothing was written") + "\n")
    }

    /// Lists the given settings, and where they come from.
    fn given_told(&self, origins: &Origins) -> String {
        let given = settings::all().filter_map(|setting| {
            let value = self.given.0.get(setting.name)?;
            Some((spelled(setting, value), origins.of(setting.name)))
        });
        rows(&given.collect::<Vec<_>>())
    }

    /// Lists the settings that are not at their default, and where they come from.
    fn settings_told(&self, config: &Config, origins: &Origins) -> String {
        let usual = Config::default();
        let mut found = Vec::new();
        // The language of the environment is no setting of a run.
        if let Some(place) = origins.place("ui").filter(|place| place != VARIABLE) {
            found.push((format!("--ui {}", if is_chinese() { "zh" } else { "en" }), place));
        }
        for setting in settings::all() {
            let given = self.given.0.get(setting.name);
            let (value_in_force, by_default) = ((setting.value_in)(config), (setting.value_in)(&usual));
            // A seed that nobody gave is random.
            let is_usual = match given {
                None if setting.name == "seed" => true,
                None => {
                    value_in_force == by_default
                        || by_default.is_none() && value_in_force.as_deref() == Some(setting.default)
                }
                // Whether `value_in` has a value for this setting can depend on other settings.
                Some(value) if by_default.is_none() && value == setting.default => true,
                Some(_) if value_in_force.is_some() || by_default.is_some() => value_in_force == by_default,
                Some(value) => value == setting.default && !matches!(setting.value, Value::Switch),
            };
            if !is_usual {
                let origin = given.map_or_else(|| self.base(origins), |_| origins.of(setting.name));
                let value = given.map_or_else(|| value_in_force.unwrap_or_default(), str::to_owned);
                found.push((spelled(setting, &value), origin));
            }
        }
        rows(&found)
    }

    /// The setting that determines the settings that were not given, if they are not at their defaults.
    fn base(&self, origins: &Origins) -> String {
        let of = |name: &str| self.given.0.get(name).map(|value| format!("--{name} {value}, {}", origins.of(name)));
        of("preset").or_else(|| of("near")).unwrap_or_default()
    }

    /// Removes outputs that are not files. The reader of a pipe would take its opening for a run.
    fn leave_out_pipes(&mut self) {
        // A name of standard output is kept, because a run would open it too.
        let is_file = |path: &mut PathBuf| {
            is_stdout(path) || path.metadata().map_or(true, |about| about.is_file() || about.is_dir())
        };
        for output in [&mut self.output_file, &mut self.dropped, &mut self.summary, &mut self.report] {
            *output = output.take_if(is_file);
        }
    }
}

/// A setting as it is typed.
fn spelled(setting: &Setting, value: &str) -> String {
    let value = if matches!(setting.value, Value::Switch) { "" } else { value };
    format!("--{} {value}", setting.name).trim_end().to_owned()
}

/// Settings with their origins, in two columns.
fn rows(found: &[(String, String)]) -> String {
    if found.is_empty() {
        return tr!("all settings are at their defaults") + "\n";
    }
    let width = found.iter().map(|(setting, _)| columns(setting)).max().unwrap_or(0);
    let rows = found.iter().map(|(setting, origin)| {
        let blanks = " ".repeat(width - columns(setting));
        format!("  {setting}{blanks}  {origin}\n")
    });
    tr!("settings that are not at their defaults") + "\n" + &rows.collect::<String>()
}

/// The findings about an input.
struct Found {
    name: Arc<str>,
    format: Format,
    encoding: Encoding,
    /// The fields and the number of records with each, in the order in which they were found. If there are more fields than
    /// are listed, one of the others is kept as a sign of that.
    fields: Vec<(String, u64)>,
}

/// Adds a batch to the findings.
fn see(found: &mut Vec<Found>, batch: &Batch) {
    let (format, encoding) = (batch.format, batch.encoding());
    if found.last().is_none_or(|found| found.name != batch.file) {
        found.push(Found { name: batch.file.clone(), format, encoding, fields: Vec::new() });
    }
    let Some(found) = found.last_mut() else { return };
    (found.format, found.encoding) = (format, encoding);
    if found.fields.is_empty() {
        found.fields.extend(batch.columns().iter().take(LISTED + 1).map(|name| (name.clone(), 0)));
    }
    if !matches!(format, Format::Jsonl | Format::Parquet) {
        return;
    }
    for (index, _) in batch.lines.iter().enumerate().filter(|(_, line)| line.part.is_record()) {
        if let Ok(record) = serde_json::from_slice::<Map<String, Json>>(batch.entry(index).text) {
            count(&mut found.fields, "", &record);
        }
    }
}

/// Counts the fields of a record. Fields of a nested object are counted by their paths.
fn count(fields: &mut Vec<(String, u64)>, above: &str, record: &Map<String, Json>) {
    for (name, value) in record {
        let path = format!("{above}{name}");
        if let Json::Object(inside) = value {
            count(fields, &format!("{path}."), inside);
            continue;
        }
        let is_full = fields.len() > LISTED;
        match fields.iter_mut().find(|(known, _)| *known == path) {
            Some((_, records)) => *records += 1,
            None if is_full => {}
            None => fields.push((path, 1)),
        }
    }
}

/// Collects the first faults, and the choice for `--represent`.
struct CheckObserver {
    faults: Vec<String>,
    choice: Option<Choice>,
}

impl Observer for CheckObserver {
    fn fault(&mut self, file: &str, line: u64, fault: &Fault) {
        if (self.faults.len() as u64) < FAULTS_TOLD {
            self.faults.push(format!("{file}:{line}: {}", fault.reason));
        }
    }

    fn notice(&mut self, file: &str, line: u64, notice: &Notice) {
        if notice.is_of_input() {
            warn_of(file, line, notice);
        }
    }

    fn filter_fills(&mut self, _: Fullness, _: &State) {}

    fn no_times(&mut self, _: u64) {}

    fn progress(&mut self, _: &Totals) {}

    fn watches(&self) -> bool {
        self.choice.is_some()
    }

    fn message(&mut self, seen: &Observed<'_>) {
        if let Some(choice) = &mut self.choice {
            choice.message(seen);
        }
    }
}

/// Describes the findings, and what would happen to the records.
fn describe(found: &[Found], faults: &[String], totals: &Totals) -> String {
    let mut text = String::new();
    for Found { name, format, encoding, fields } in found {
        let _ = write!(text, "{name}: {}, {encoding}", format.name());
        let field = |(name, records): &(String, u64)| match records {
            0 => name.clone(),
            records => format!("{name} ({records})"),
        };
        let listed: Vec<String> = fields.iter().take(LISTED).map(field).collect();
        let listed = listed.join(&tr!(", "));
        let fields = match fields.len() {
            0 => String::new(),
            1..=LISTED => tr!("; fields {listed}", listed),
            _ => tr!("; fields {listed} and more", listed),
        };
        let _ = writeln!(text, "{fields}");
    }
    let (records, kept, dropped) = (totals.r#in, totals.kept, totals.dropped);
    let looked = counted(records, "record");
    text += &if records < LOOKED_AT { tr!("all {looked}: ", looked) } else { tr!("the first {looked}: ", looked) };
    let (Dropped { exact, near }, repeats) = (dropped, dropped.exact + dropped.near);
    let judged = kept + repeats;
    text += &tr!(
        "{judged} judged, {kept} kept, {repeats} dropped (exact {exact}, near {near})",
        judged,
        kept,
        repeats,
        exact,
        near
    );
    text += "\n";
    let kinds = FaultKind::NAMED.iter().filter(|(_, kind)| totals.errors.of(*kind) > 0);
    let kinds: Vec<String> = kinds.map(|(name, kind)| format!("{name} {}", totals.errors.of(*kind))).collect();
    if !kinds.is_empty() {
        let _ = writeln!(text, "{}", tr!("  not judged: {} ({})", totals.errors.total(), kinds.join(&tr!(", "))));
    }
    for fault in faults {
        let _ = writeln!(text, "  {fault}");
    }
    // Control characters in names and records must not reach a terminal.
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fields_that_are_listed_are_kept_and_compared() {
        let mut fields = Vec::new();
        for record in 0..1000 {
            let names = (0..100).map(|field| (format!("f{record}-{field}"), Json::Null));
            count(&mut fields, "", &names.chain([("text".to_owned(), Json::Null)]).collect());
        }
        assert_eq!(fields.len(), LISTED + 1);
    }

    #[test]
    fn listed_fields_are_counted_behind_others() {
        let mut fields = Vec::new();
        for record in 0..50 {
            let record = serde_json::json!({"id": 1, "user": {"name": 2}, format!("z{record}"): 3});
            count(&mut fields, "", record.as_object().unwrap());
        }
        assert_eq!(fields[..2], [("id".to_owned(), 50), ("user.name".to_owned(), 50)]);
    }
}

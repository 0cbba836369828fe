//! The parts of a run: its inputs, its outputs, and the checks before the first record.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::State;
use crate::config::Config;
use crate::formats::encoding::Encoding;
use crate::formats::parse::Parser;
use crate::formats::source::{Format, Input, Source, Whole};
use crate::formats::time::check_times;
use crate::run::Archives;
use crate::run::durable::{Durable, Plan};
use crate::run::recount::Pace;
use crate::run::represent::Represent;
use crate::run::sink::{Output, Stream, Written, begins_with, other_header};
use anyhow::{Context, bail, ensure};
use tracing::info;

use super::Args;
use crate::cli::console::Teller;
use crate::cli::files::{Target, open_outputs, refuse_inside, refuse_own_archive};
use crate::cli::format::check_name;
use crate::cli::glob::expand;
use crate::cli::input::inputs_of;
use crate::cli::stdout::{Shell, is_broken_off};
use crate::cli::terminal::warn_user;
use crate::locale::tr;

/// The inputs of a run.
pub(super) struct Inputs<'f> {
    files: &'f [PathBuf],
    all: Vec<Input>,
    format: Format,
    /// Whether all inputs are files, which can be read again.
    files_only: bool,
}

impl<'f> Inputs<'f> {
    /// The inputs with these names.
    pub(crate) fn of(args: &Args, files: &'f [PathBuf], config: &Config) -> anyhow::Result<Self> {
        let all = inputs_of(files, args.follow);
        if args.follow && !matches!(all[..], [Input::Growing(_)]) {
            bail!(match all.contains(&Input::Stdin) {
                true =>
                    tr!("--follow: reads one file by its name. A pipe is read to its end anyway: leave --follow out"),
                false => tr!("--follow: reads one file; name it, and give each of several feeds a run of its own"),
            });
        }
        if all.contains(&Input::Stdin) && io::stdin().is_terminal() {
            info!("{}", tr!("reading messages from the terminal, one a line; Ctrl-D ends (--help shows more)"));
        }
        let format = args.input.format();
        all.iter().try_for_each(|input| check_times(format.of(input), config.window))?;
        Ok(Self { files, files_only: all.iter().all(Input::is_file), all, format })
    }

    /// The size of all inputs in bytes, if it is known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.all.iter().map(Input::size).sum()
    }

    /// Whether all inputs are files, which can be read again.
    pub(super) fn files_only(&self) -> bool {
        self.files_only
    }

    /// Whether the user probably does not mean to read known messages again. That is so if files are read from the start, and the kept
    /// records replace earlier output.
    pub(super) fn are_new(&self, args: &Args) -> bool {
        let is_meant = args.durable.again || args.durable.resume || args.append || args.output != Output::Kept;
        let adds = args.output_file.is_none() && Shell::find().is_some_and(|shell| shell.adds);
        self.files_only && !is_meant && !adds
    }

    /// Whether the output begins with the header of a table.
    fn is_headed(&self, args: &Args) -> bool {
        let is_table = |input| matches!(self.format.of(input), Format::Csv | Format::Tsv);
        self.all.iter().any(is_table) && args.input.is_headed()
    }

    /// The names of all inputs, for the report.
    pub(crate) fn name(&self) -> String {
        self.names().collect::<Vec<_>>().join(", ")
    }

    /// The names of the files.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|path| path.display().to_string())
    }
}

/// The open outputs of a run.
pub(super) struct Outputs {
    pub(crate) main: Option<Target>,
    pub(crate) dropped: Option<Target>,
    pub(crate) summary: Option<Target>,
    pub(crate) report: Option<Target>,
    pub(crate) to_stdout: bool,
    /// The first line of the file that the shell adds to, if standard output is that.
    pub(crate) stdout_begin: Option<Vec<u8>>,
    /// The parts of the first two outputs that are to stay.
    pub(crate) written: [Written; 2],
    /// The names of outputs that are added to, and whose last lines may be broken off.
    pub(crate) broken: Vec<String>,
    /// Everything that is read, so that no output goes there.
    pub(crate) reads: Vec<PathBuf>,
}

impl Outputs {
    pub(crate) fn open(args: &Args, inputs: &Inputs<'_>) -> anyhow::Result<Self> {
        let (mut reads, to_stdout) = (args.input.reads(inputs.files), args.output_file.is_none());
        if reads.is_empty() {
            reads.push(PathBuf::from("-"));
        }
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            args.against.iter().cloned().partition(|path| path.is_dir());
        let archives = expand(&files, true).context("--against")?;
        refuse_own_archive(&reads, &archives)?;
        reads.extend(archives);
        // The file of settings must not be overwritten either.
        let named = std::env::var_os("QUCHONG_CONFIG").filter(|name| !name.is_empty()).map(PathBuf::from);
        reads.extend(args.work.config.clone().or(named));
        let options = [
            ("--output-file", &args.output_file),
            ("--dropped", &args.dropped),
            ("--summary", &args.summary),
            ("--report", &args.report),
        ];
        let metrics = args.work.metrics.file();
        let all = [&options[..], &[("--metrics-file", &metrics)]].concat();
        let states = args.durable.state.iter().map(|folder| ("--state", folder));
        for (option, folder) in states.chain(folders.iter().map(|folder| ("--against", folder))) {
            refuse_inside(option, folder, to_stdout, &all)?;
        }
        // This comes before the outputs are opened, because closing a file releases its lock.
        let shell = Shell::find().filter(|_| to_stdout);
        let last = shell.as_ref().and_then(Shell::last_byte);
        let stdout_begin = shell.as_ref().and_then(Shell::first_line);
        let mut broken = Vec::from_iter(is_broken_off(last).then(|| tr!("standard output")));
        let [main, dropped, summary, report] = open_outputs(&reads, to_stdout, options)?;
        let mut written = |target: &Option<Target>| match target.as_ref().filter(|_| args.append) {
            Some(target) => target.end().map(|(written, is_broken_off)| {
                broken.extend(is_broken_off.then(|| target.name.clone()));
                written
            }),
            None => Ok(Written::after(0, last.is_none_or(|last| last == b'\n') || target.is_some())),
        };
        let written = [written(&main)?, written(&dropped)?];
        Ok(Self { main, dropped, summary, report, to_stdout, stdout_begin, written, broken, reads })
    }

    pub(crate) fn targets(&self) -> [&Option<Target>; 4] {
        [&self.main, &self.dropped, &self.summary, &self.report]
    }
}

impl Args {
    /// Returns the validated configuration. If memory is limited, checks that there is enough of it before anything is opened.
    pub(super) fn checked_config(&self) -> anyhow::Result<Config> {
        let config = self.config()?;
        config.validate()?;
        if config.max_memory.is_some() {
            State::new(&config)?;
        }
        Ok(config)
    }

    /// How often counts of repeats are reported, if they are.
    pub(super) fn pace(&self, inputs: &Inputs<'_>) -> anyhow::Result<Option<Pace>> {
        self.recount.check(&inputs.all, inputs.format)?;
        Ok(self.recount.pace(inputs.files_only))
    }

    /// How the message that represents a cluster is chosen, if it is not the first.
    pub(super) fn represented(&self, inputs: &Inputs<'_>) -> anyhow::Result<Option<&Represent>> {
        let represent = Some(&self.represent).filter(|by| **by != Represent::First);
        ensure!(
            represent.is_none() || inputs.files_only,
            tr!(
                "--represent: reads its input twice; name files, not standard input or a pipe (--represent first reads it once)"
            )
        );
        Ok(represent)
    }

    /// Refuses outputs that cannot hold the records of these inputs.
    pub(super) fn check_outputs(&self, inputs: &Inputs<'_>) -> anyhow::Result<()> {
        self.check_append(&inputs.all, inputs.format)?;
        for (option, output) in [("--output-file", &self.output_file), ("--dropped", &self.dropped)] {
            output.iter().try_for_each(|output| check_name(option, output, &inputs.all, inputs.format))?;
        }
        Ok(())
    }

    /// Opens the records, and opens them again for a second pass if there is one.
    pub(super) fn sources(
        &self,
        inputs: &Inputs<'_>,
        parser: &Parser,
        represent: Option<&Represent>,
        teller: Teller,
    ) -> anyhow::Result<(Source, Option<Source>)> {
        let mut outputs = [&self.output_file, &self.dropped].into_iter().flatten();
        let whole = if outputs.any(|path| Stream::is_jsonl(path)) { Whole::RowAndLine } else { Whole::Row };
        let (input, format, all) = (&self.input, inputs.format, || inputs.all.clone());
        let again = represent.map(|_| input.source(&self.given, format, all(), parser, whole, |_| {})).transpose()?;
        let lost_teller = teller.clone();
        let lost = move |lost: &str| lost_teller.insist(|| warn_user(lost));
        let report = move |found: &str| teller.tell(|| info!("{found}"));
        Ok((input.source(&self.given, format, all(), parser, whole, report)?.losing(lost), again))
    }

    /// The encoding of the file that `--append` continues, if the file shows it.
    ///
    /// # Errors
    /// An output is in another encoding than the records that are added to it, or begins with another header.
    pub(super) fn appended(&self, source: &Source, outputs: &Outputs) -> anyhow::Result<Option<Encoding>> {
        let found = |target: &Option<Target>| match target.as_ref().filter(|_| self.append) {
            Some(target) => target.encoding(),
            None => Ok(None),
        };
        self.check_header(source, outputs)?;
        // A run that is resumed cuts off what is incomplete.
        for name in outputs.broken.iter().filter(|_| !self.quiet && !self.durable.resume) {
            warn_user(&tr!(
                "{name}: its last line has no line end, and may be broken off by a full disk or a crash; new records begin on a line of their \
                 own, so look at that one",
                name
            ));
        }
        let (main, dropped) = (found(&outputs.main)?, found(&outputs.dropped)?);
        let annotated = (&outputs.main, main.filter(|_| self.output != Output::Kept));
        for (target, found) in [annotated, (&outputs.dropped, dropped)] {
            let (Some(target), Some(found)) = (target, found.filter(|found| *found != Encoding::UTF_8)) else {
                continue;
            };
            bail!(tr!(
                "--append: {} is {found}, and annotated records are UTF-8; name another output, or convert it to UTF-8",
                target.name,
                found
            ));
        }
        let Some(found) = main else { return Ok(None) };
        let named = self.input.encoding()?.filter(|named| named.is_guessed() && found.is_guessed());
        let before = named.unwrap_or(found);
        if self.output == Output::Kept {
            source.check_follows(before)?;
        }
        Ok(Some(before))
    }

    /// Makes the state remember whatever the outputs show.
    pub(super) fn remember(&self, config: &mut Config) {
        let shows_ids = self.output != Output::Kept || self.dropped.is_some();
        // A later run may show the ids of messages that this one keeps.
        config.remember_ids = shows_ids || self.report.is_some() || self.durable.state.is_some();
        config.explain = self.explain;
    }

    /// Opens the state of `--state`, if there is one, and reports data that an earlier run or a repair lost.
    pub(super) fn durable(
        &self,
        config: &mut Config,
        source: &mut Source,
        inputs: &Inputs<'_>,
        outputs: &Outputs,
        against: &Archives,
    ) -> anyhow::Result<Option<Durable>> {
        let Some(plan) = self.plan(source, inputs, outputs, against) else { return Ok(None) };
        let mut durable = Durable::open(config, plan)?;
        let since = durable.followed();
        if since.is_none() {
            durable.follow_from(source.beginning_followed());
        }
        source.follow_on(since);
        durable.damage().iter().for_each(|damage| warn_user(damage));
        for folder in self.durable.state.iter().filter(|_| durable.begins && !self.quiet) {
            let told = match self.durable.resume {
                true => tr!("--resume: there was no run in {} to go on with; it begins there", folder.display()),
                false => tr!("{}: a new state begins here", folder.display()),
            };
            info!("{told}");
        }
        Ok(Some(durable))
    }

    /// The plan of the run with its state; `None` without `--state`.
    pub(super) fn plan<'p>(
        &'p self,
        source: &'p mut Source,
        inputs: &Inputs<'_>,
        outputs: &Outputs,
        against: &Archives,
    ) -> Option<Plan<'p>> {
        let folder = self.durable.state.as_ref()?;
        let Outputs { main, dropped, written, .. } = outputs;
        let kept = |target: &Option<Target>, path: &Option<PathBuf>| {
            path.clone().filter(|_| target.as_ref().is_some_and(Target::is_file))
        };
        let shell = Shell::find().filter(|_| outputs.to_stdout);
        let is_headed = inputs.is_headed(self);
        let mut filled = [main, dropped].into_iter().flatten().filter(|target| target.has_records(is_headed));
        let filled = filled.next().map(Target::used_as);
        let on_stdout = shell.as_ref().filter(|shell| shell.length > 0).map(|_| tr!("standard output"));
        Some(Plan {
            folder,
            any_seed: self.given.0.get("seed").is_none(),
            sync: self.durable.sync,
            resume: self.durable.resume.then_some(source),
            abandon: self.durable.abandon,
            replaced: filled.clone().filter(|_| !self.durable.again && !self.append),
            filled: filled.or(on_stdout),
            stdout: shell.as_ref().map(|shell| shell.length),
            starts_empty: !self.durable.again && shell.as_ref().is_some_and(|shell| shell.length == 0 && !shell.adds),
            follows: self.follow,
            written: *written,
            note: self.note(inputs, shell.as_ref(), against),
            outputs: [kept(main, &self.output_file), kept(dropped, &self.dropped)],
        })
    }

    /// Refuses `--append` for Parquet.
    fn check_append(&self, inputs: &[Input], format: Format) -> anyhow::Result<()> {
        let is_parquet = |input: &&Input| format.of(input) == Format::Parquet;
        let parquet = inputs.iter().find(is_parquet).filter(|_| self.append);
        parquet.map_or(Ok(()), |parquet| {
            bail!(tr!(
                "--append: {} is Parquet, to whose files no rows can be added; write to another file",
                parquet.name()
            ))
        })
    }

    /// Refuses `--append` of a table to a file that begins with another header. What comes by a pipe is refused when its header comes.
    fn check_header(&self, source: &Source, outputs: &Outputs) -> anyhow::Result<()> {
        let Some([header, annotated]) = source.first_header()?.filter(|_| self.append) else { return Ok(()) };
        let main = if self.output == Output::Kept { header } else { annotated.clone() };
        for (target, header) in [(&outputs.main, main), (&outputs.dropped, annotated)] {
            let Some(target) = target.as_ref().filter(|target| target.has_content()) else { continue };
            if target.first_line().is_some_and(|line| !begins_with(&line, &header)) {
                return Err(other_header(&target.name).into());
            }
        }
        Ok(())
    }
}

//! The table of settings as clap's arguments, and `quchong settings`, which prints the table for programs.
//!
//! An option without a help text is a setting, and [`with_table_help`] adds the help text of the table. Settings of the stages are not fields at
//! all: their arguments come from the table alone.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::Spelling;
use crate::config::settings::{self, Setting, Tongue, Value, find};
use crate::config::{Offers, Settings, refuse_idle};
use crate::formats::parse::FieldPath;
use crate::formats::source::{Format, Input, Source};
use crate::locale::{speak_chinese, speak_english};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum};

use super::origins::Origins;
use super::print;

/// The given settings, as they were written. Must be flattened before all other arguments, because those remove their values from the
/// matches.
pub(crate) struct Given(pub Settings);

impl Given {
    /// Refuses settings that have no effect on these inputs, judged by the known formats.
    ///
    /// # Errors
    /// The message names the setting, and the formats for which it has an effect.
    pub(crate) fn check_formats(&self, format: Format, inputs: &[Input]) -> crate::Result<()> {
        let formats: Vec<&str> = inputs.iter().map(|input| format.of(input).name()).collect();
        self.0.refuse_formats(&formats)
    }

    /// The fields of `--scope`; empty if there is no scope.
    pub(crate) fn scope(&self) -> crate::Result<Vec<FieldPath>> {
        self.0.get("scope").map_or_else(|| Ok(Vec::new()), |names| FieldPath::parse_all("--scope", names))
    }

    /// Makes `source` fail if it turns out to be plain lines, on which a given setting has no effect.
    pub(crate) fn apply(&self, format: Format, inputs: &[Input], source: Source) -> Source {
        let acts = |format: Format| !matches!(format, Format::Auto | Format::Lines);
        if inputs.iter().any(|input| acts(format.of(input))) {
            source
        } else {
            source.without_lines(self.0.idle_in("lines"))
        }
    }
}

/// The options that the typed command offers, and the origins of settings. A process runs one command.
static TYPED: OnceLock<(Offers, BTreeMap<&'static str, String>)> = OnceLock::new();

/// Notes the typed command, and the origins of settings that were not typed. The messages of refusals need both.
pub(crate) fn note(command: &Command, origins: &Origins) {
    let offered = |setting: &'static Setting| {
        let option = command.get_arguments().find(|option| option.get_long() == Some(setting.name))?;
        let excluded = REFUSED_WORDS.iter().filter(|(of, name, _)| *of == command.get_name() && *name == setting.name);
        let excluded: Vec<&str> = excluded.flat_map(|(.., words)| words.iter().copied()).collect();
        let words = match setting.value {
            Value::Word(words) => words.iter().map(|(word, _)| *word).filter(|word| !excluded.contains(word)).collect(),
            Value::Text(_) if option.get_id() == "represent" => vec!["newest"],
            Value::Switch | Value::Text(_) => vec![],
        };
        Some((setting.name, words))
    };
    let places = settings::all().filter_map(|setting| Some((setting.name, origins.place(setting.name)?))).collect();
    let _ = TYPED.set((settings::all().filter_map(offered).collect(), places));
}

/// Words of settings that a command refuses for reasons of its own, so that no message may suggest them.
const REFUSED_WORDS: &[(&str, &str, &[&str])] = &[
    ("sketch", "exact", &["bloom", "paper-bloom", "paper-trie"]),
    ("sketch", "near", &["minhash"]),
    ("edges", "near", &["simhash", "minhash", "none"]),
];

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Settings::default();
        for id in matches.ids().filter(|id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine)) {
            let Some(setting) = find(id.as_str()) else { continue };
            // If an option takes several values, they are joined as if they had been written as one.
            let values = matches.get_raw(id.as_str()).into_iter().flatten();
            let value = values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(",");
            let spelled = |error: crate::Error| error.spelled(Spelling::Flag) + "\n";
            let wrong = |error| clap::Error::raw(ErrorKind::InvalidValue, spelled(error));
            options.set(setting.name, &value).map_err(wrong)?;
        }
        if let Some((offers, places)) = TYPED.get() {
            options.offer(offers.clone());
            for (name, place) in places {
                options.set_origin(name, place.clone());
            }
        }
        Ok(Self(options))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|given| *self = given)
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// All options that a command was given, settings or not. Must be flattened before all other arguments.
pub(crate) struct Typed {
    pub(crate) given: Given,
    all: BTreeMap<String, String>,
}

impl Typed {
    /// Refuses options of `command` that have no effect together with the other given options.
    ///
    /// # Errors
    /// The message names the option, and what it needs.
    pub(crate) fn refuse_idle(&self, command: &str) -> crate::Result<()> {
        refuse_idle(command, &self.all)
    }

    /// Does the same, and refuses settings that have no effect on these inputs.
    ///
    /// # Errors
    /// As [`refuse_idle`](Self::refuse_idle).
    #[cfg(feature = "lab")]
    pub(crate) fn refuse_idle_in(&self, command: &str, format: Format, inputs: &[Input]) -> crate::Result<()> {
        self.refuse_idle(command)?;
        self.given.check_formats(format, inputs)
    }

    /// Whether an option was given.
    #[cfg(feature = "lab")]
    pub(crate) fn has(&self, option: &str) -> bool {
        self.all.contains_key(option)
    }

    /// Makes `source` fail if it turns out to be plain lines, on which a given option has no effect.
    #[cfg(feature = "lab")]
    pub(crate) fn apply(&self, format: Format, inputs: &[Input], source: Source) -> Source {
        self.given.apply(format, inputs, source)
    }
}

impl FromArgMatches for Typed {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let written = |id: &clap::Id| {
            let raw = matches.try_get_raw(id.as_str()).ok().flatten().and_then(|mut raw| raw.next());
            let value = raw.map_or_else(String::new, |raw| raw.to_string_lossy().into_owned());
            (id.as_str().replace('_', "-"), value)
        };
        let all = matches.ids().filter(is_given).map(written).collect();
        Ok(Self { given: Given::from_arg_matches(matches)?, all })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|written| *self = written)
    }
}

impl clap::Args for Typed {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Defines arguments by the table alone. Their values are in [`Given`].
macro_rules! arguments {
    ($(#[$doc:meta])* $name:ident, $is_one:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl FromArgMatches for $name {
            fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self)
            }

            fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
                Ok(())
            }
        }

        impl clap::Args for $name {
            fn augment_args(command: Command) -> Command {
                let is_one: fn(&Setting) -> bool = $is_one;
                command.args(settings::all().filter(|setting| is_one(setting)).map(argument))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }
    };
}

arguments!(
    /// Whether output has colours.
    ColorArgs,
    |setting| setting.name == "color"
);
arguments!(
    /// The file of settings. `origins` reads it before the arguments are parsed.
    ConfigArgs,
    |setting| setting.name == "config"
);
arguments!(
    /// The limits of memory.
    MemoryArgs,
    |setting| setting.group == "Memory"
);
#[cfg(feature = "serve")]
arguments!(
    /// How far back messages can be repeated.
    ReachArgs,
    |setting| setting.group == "Memory" && setting.commands.contains(&"serve")
);
arguments!(
    /// How far back messages can be repeated, in a job.
    WindowArgs,
    |setting| setting.group == "Memory" && setting.commands.contains(&"sketch")
);
arguments!(
    /// The settings of the exact stage: which messages are exact repeats, and how they are found.
    ExactArgs,
    |setting| setting.group == "Exact stage"
);
arguments!(
    /// The settings that decide whether two messages are exact repeats, whatever other messages there are.
    SameArgs,
    |setting| setting.group == "Exact stage" && setting.commands.contains(&"explain")
);
arguments!(
    /// The settings of the exact stage in a job, which has digests and no filter.
    DigestArgs,
    |setting| setting.group == "Exact stage" && setting.commands.contains(&"sketch")
);
arguments!(
    /// The settings that decide whether two messages are near repeats, whatever other messages lie between them.
    PairArgs,
    |setting| setting.group == "Near stage" && setting.commands.contains(&"explain")
);
arguments!(
    /// The settings of the near stage: which messages are near repeats, and how they are found.
    NearArgs,
    |setting| setting.group == "Near stage"
);
arguments!(
    /// The settings of the near stage in a job.
    JobNearArgs,
    |setting| setting.group == "Near stage" && setting.commands.contains(&"sketch")
);
arguments!(
    /// The fields within whose values messages repeat each other.
    ScopeArgs,
    |setting| setting.name == "scope"
);
arguments!(
    /// How many messages of a cluster are kept.
    KeepArgs,
    |setting| setting.name == "keep"
);
arguments!(
    /// The key of the exact stage.
    SeedArgs,
    |setting| setting.name == "seed"
);

fn argument(setting: &'static Setting) -> Arg {
    // Lists of rules may begin with a dash.
    let argument = Arg::new(setting.name).long(setting.name).allow_hyphen_values(setting.example.starts_with('-'));
    add_table_help(
        match setting.value {
            Value::Word(named) => argument.value_parser(PossibleValuesParser::new(possible(named, named))),
            Value::Switch => argument.action(ArgAction::SetTrue),
            Value::Text(_) => argument.value_parser(|text: &str| setting.check(text).map(|()| text.to_owned())),
        },
        setting,
    )
}

/// Adds the help of the table to the arguments that have no help text.
pub(crate) fn with_table_help(command: Command) -> Command {
    let command = command.mut_args(|argument| match find(argument.get_id().as_str()) {
        Some(setting) if argument.get_help().is_none() => add_table_help(argument, setting),
        _ => argument,
    });
    command.mut_subcommands(with_table_help)
}

/// The help text of a setting: in one line, and at length.
pub(crate) fn words_of(setting: &Setting) -> [String; 2] {
    let default = match setting.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let more = if setting.more.is_empty() { String::new() } else { format!(". {}", setting.more) };
    [format!("{}{default}", setting.help), format!("{}{more}{default}", setting.help)]
}

fn add_table_help(mut argument: Arg, setting: &'static Setting) -> Arg {
    let [help, long_help] = words_of(setting);
    argument = argument.help(help).long_help(long_help).help_heading(setting.group);
    if let Some(short) = setting.short {
        argument = argument.short(short);
    }
    match setting.value {
        Value::Switch => {}
        Value::Word(_) => argument = argument.value_name("WORD"),
        Value::Text(name) => argument = argument.value_name(name),
    }
    if argument.is_required_set() {
        argument = argument.required(false).default_value(setting.default).hide_default_value(true);
    }
    argument
}

/// A parser for the words of a setting.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    setting: &str,
    named: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let with_help = match find(setting).map(|setting| setting.value) {
        Some(Value::Word(with_help)) => with_help,
        _ => &[],
    };
    PossibleValuesParser::new(possible(named, with_help)).try_map(move |word| {
        let found = named.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or("nothing is called so")
    })
}

/// The words as possible values, with the help texts in `with_help`.
fn possible<T>(
    named: &'static [(&'static str, T)],
    with_help: &'static [(&'static str, &'static str)],
) -> Vec<PossibleValue> {
    let help = |word: &str| with_help.iter().find(|(named, _)| *named == word).map(|(_, help)| *help);
    let value = |word: &'static str| PossibleValue::new(word);
    named.iter().map(|(word, _)| help(word).map_or_else(|| value(word), |help| value(word).help(help))).collect()
}

/// Show all settings of `quchong dedup`, for programs that offer them too
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How they are shown
    #[arg(long, value_enum, default_value_t = Shown::Json)]
    format: Shown,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shown {
    /// A list of objects
    Json,
    /// The tables of docs/reference/options.md
    Markdown,
    /// The tables of docs/zh/reference/options.md
    MarkdownZh,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    print(match args.format {
        Shown::Json => settings::json(),
        Shown::Markdown => {
            speak_english();
            settings::markdown(Tongue::English)
        }
        Shown::MarkdownZh => {
            speak_chinese();
            settings::markdown(Tongue::Chinese)
        }
    })
}

//! Settings from outside the command line: from the environment, and from the file of `--config`. Besides this file, only the catalogue
//! of messages uses TOML.
//!
//! These settings become arguments, as if they had been typed before the others. [`Origins`] records where each one comes from, so that a
//! refusal names the variable, or the file and the line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;

use crate::config::settings::{Setting, Value, all, find};
use anyhow::{Context, anyhow, bail, ensure};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::refusal::suggestion;
use crate::locale::tr;

/// The prefix of the names of variables.
const PREFIX: &str = "QUCHONG_";

/// Variables that are not settings: the language, the token of a service, the address where clients find it, and variables of the
/// project's tests and benchmarks.
const OTHERS: [&str; 12] =
    ["UI", "TOKEN", "SERVICE", "URL", "BINARY", "BLESS", "FUZZ", "GROWTH", "KILLS", "POSTS", "RIVALS", "SPARK_VENV"];

/// The commands that receive every setting, and refuse a setting that they lack. A service refuses only those that decide about messages.
/// Other commands receive only the settings that they have, so that one file serves all commands.
const RUNS: [&str; 3] = ["dedup", "check", "serve"];

/// Settings of input and output that decide about messages, or number them.
const DECIDE: [&str; 6] = ["against", "follow", "recount", "represent", "scope", "seq-field"];

/// Options of other commands that have the name of a setting but mean something else.
const NAMESAKES: [(&str, &str); 2] = [("clusters", "output-file"), ("clusters", "represent")];

/// Where a setting was given, if not on the command line by its long name.
#[derive(Clone)]
enum Origin {
    /// On the command line, by this short option.
    Typed(String),
    /// In this variable.
    Variable(String),
    /// On this line of this file. Lines count from 1.
    File { path: String, line: usize },
}

/// The origins of settings. A setting that is missing here was typed by its long name.
#[derive(Default, Clone)]
pub(crate) struct Origins(BTreeMap<String, Origin>);

/// What the environment and the file of settings contain.
#[derive(Default)]
pub(crate) struct OutsideSettings {
    /// The settings, as arguments.
    pub(crate) arguments: Vec<OsString>,
    /// The origin of each setting.
    pub(crate) origins: Origins,
    /// Variables and keys that are not settings of this command.
    pub(crate) unknown: Vec<Unknown>,
}

/// A variable or a key that is not a setting of this command.
pub(crate) struct Unknown {
    /// The message about it.
    pub(crate) message: String,
    /// Whether it was probably meant as a setting.
    pub(crate) is_meant: bool,
}

/// A value and its origin. The value is `None` for a switch that is off.
type Found = (Option<OsString>, Origin);

impl Origins {
    /// Describes where a given setting comes from.
    pub(crate) fn of(&self, name: &str) -> String {
        self.place(name).unwrap_or_else(|| tr!("the command line"))
    }

    /// The variable, or the file and the line, that a setting comes from; `None` if it was typed.
    pub(crate) fn place(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Origin::Typed(_) => None,
            Origin::Variable(variable) => Some(variable.clone()),
            Origin::File { path, line } => Some(format!("{path}:{line}")),
        }
    }

    /// The origins of the options that were typed only in their short form.
    pub(crate) fn typed(words: &[OsString]) -> Self {
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let is_there = |option: &str| {
            let begins =
                |word: &String| word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
            words.iter().any(begins)
        };
        let way = |setting: &'static Setting| {
            let short = setting.short.map(|short| format!("-{short}")).filter(|option| is_there(option))?;
            (!is_there(&format!("--{}", setting.name))).then(|| (setting.name.to_owned(), Origin::Typed(short)))
        };
        Self(all().filter_map(way).collect())
    }

    /// If a message begins with an option, replaces the option by the place where the setting was given.
    pub(crate) fn with_origin(&self, message: &str) -> String {
        let Some(rest) = message.strip_prefix("--") else { return message.to_owned() };
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        match self.0.get(name) {
            None => message.to_owned(),
            Some(Origin::Typed(option)) => format!("{option}{rest}"),
            Some(Origin::Variable(variable)) => format!("{variable}{rest}"),
            Some(Origin::File { path, line }) => format!("{path}:{line}: {name}{rest}"),
        }
    }
}

impl OutsideSettings {
    /// Collects the settings from the environment and from the file of settings, except those that were typed. The file is named by
    /// `typed`, the arguments of `command`, or else by a variable.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or has a key that is not a setting or a value of the wrong kind. A variable for a switch is
    /// neither true nor false.
    pub(crate) fn gather(
        typed: &ArgMatches,
        ways: &Origins,
        command: &Command,
        program: &Command,
    ) -> anyhow::Result<Self> {
        let service = options_of_service(program);
        let is_typed = |id: &&str| typed.value_source(id) == Some(ValueSource::CommandLine);
        let ids = typed.ids().map(clap::Id::as_str).filter(is_typed);
        let of_command: Vec<String> = ids.filter_map(|id| option_named(id, command)).collect();
        let (variables, mut unknown) = variables(command, &service)?;
        let mut path = typed.get_raw("config").and_then(|mut raw| raw.next()).map(ToOwned::to_owned);
        let mut option = "--config".to_owned();
        if let (None, Some((Some(named), _))) = (&path, variables.get("config")) {
            (path, option) = (Some(named.clone()), variable("config"));
        }
        let mut found = match path {
            Some(path) => in_file(&path, &option, command, &service, &mut unknown)?,
            None => BTreeMap::new(),
        };
        found.extend(variables);
        found.retain(|name, _| !of_command.iter().any(|typed| typed == option_name(name, command)));
        if command.get_name() == "serve" {
            unknown.extend(take_idle(&mut found, command));
        }
        if !RUNS.contains(&command.get_name()) {
            found.retain(|name, _| is_shared(name, command, &of_command));
            unknown.clear();
        }
        let mut outside = Self { unknown, origins: ways.clone(), ..Self::default() };
        for (name, (value, origin)) in found {
            let Some(value) = value else { continue };
            let is_switch = find(&name).is_some_and(|setting| matches!(setting.value, Value::Switch));
            let option = option_name(&name, command).to_owned();
            let mut argument = OsString::from(format!("--{option}{}", if is_switch { "" } else { "=" }));
            argument.push(value);
            outside.arguments.push(argument);
            outside.origins.0.insert(option, origin);
        }
        Ok(outside)
    }
}

/// Takes out the settings for reading and writing files that a service lacks, and returns the messages about them. They are no error,
/// because one file or environment may serve both commands. A setting that it lacks and that decides about messages stays, and is refused.
fn take_idle(found: &mut BTreeMap<String, Found>, command: &Command) -> Vec<Unknown> {
    let has = |name: &str| command.get_arguments().any(|option| option.get_long() == Some(name));
    let is_of_files = |name: &str| {
        let group = find(name).map_or("", |setting| setting.group);
        ["Input", "Output", "Operation"].contains(&group) && !DECIDE.contains(&name)
    };
    let idle: BTreeMap<String, Found>;
    (idle, *found) = std::mem::take(found).into_iter().partition(|(name, _)| !has(name) && is_of_files(name));
    let to_unknown = |(name, (_, origin)): (String, Found)| {
        let (place, is_meant) = match origin {
            Origin::File { path, line } => (format!("{path}:{line}: {name}"), true),
            Origin::Variable(name) | Origin::Typed(name) => (name, false),
        };
        Unknown { message: tr!("{place}: is an option of `quchong dedup`, and does nothing here", place), is_meant }
    };
    idle.into_iter().map(to_unknown).collect()
}

/// The option of a setting in a command. It differs only in `explain`, where `--format` is the format of the output.
fn option_name<'n>(setting: &'n str, command: &Command) -> &'n str {
    match (command.get_name(), setting) {
        ("explain", "format") => "input-format",
        _ => setting,
    }
}

/// Whether a command that lacks some settings has this one. In `explain`, the settings for reading a file count only if it reads one.
fn is_shared(name: &str, command: &Command, typed: &[String]) -> bool {
    let has = command.get_arguments().any(|option| option.get_long() == Some(option_name(name, command)));
    let is_of_input = find(name).is_some_and(|setting| setting.group == "Input");
    let reads = command.get_name() != "explain" || typed.iter().any(|option| option == "file");
    has && !NAMESAKES.contains(&(command.get_name(), name)) && (reads || !is_of_input)
}

/// The variable of a setting: `QUCHONG_MAX_DISTANCE`.
fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('-', "_").to_ascii_uppercase())
}

/// Reads the settings in the environment. Also returns messages about other variables, which are not refused: Kubernetes sets
/// `QUCHONG_PORT` if a service is named quchong.
fn variables(command: &Command, service: &[String]) -> anyhow::Result<(BTreeMap<String, Found>, Vec<Unknown>)> {
    let (mut found, mut unknown) = (BTreeMap::new(), Vec::new());
    for (name, value) in std::env::vars_os().filter(|(_, value)| !value.is_empty()) {
        let Some(name) = name.to_str().map(str::to_owned) else { continue };
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        let setting = find(&rest.to_ascii_lowercase()).filter(|_| rest == rest.to_ascii_uppercase());
        let own = options(command).find(|option| variable(option).strip_prefix(PREFIX) == Some(rest));
        if let Some(setting) = setting {
            let value = match (setting.value, value.to_str()) {
                (Value::Switch, Some("true" | "1")) => Some(OsString::new()),
                (Value::Switch, Some("false" | "0")) => None,
                (Value::Switch, _) => bail!(tr!("{name}: is on or off; write true or false", name)),
                _ => Some(value),
            };
            found.insert(setting.name.to_owned(), (value, Origin::Variable(name)));
        } else if let Some(own) = own {
            found.insert(own.to_owned(), (Some(value), Origin::Variable(name)));
        } else if service.iter().any(|option| variable(option).strip_prefix(PREFIX) == Some(rest)) {
            unknown.push(Unknown { message: of_service(&format!("{PREFIX}{rest}")), is_meant: false });
        } else if !OTHERS.contains(&rest) {
            // Kubernetes sets these if a service is named quchong.
            let is_of_service = rest == "PORT" || rest.starts_with("PORT_") || rest.starts_with("SERVICE_");
            let meant = Some(rest.to_ascii_lowercase().replace('_', "-")).filter(|_| !is_of_service);
            let meant = meant.and_then(|name| suggestion(command, &name));
            let is_meant = meant.is_some();
            let instead =
                meant.map_or_else(|| tr!("quchong check --help lists all"), |meant| tr!("is it {}?", variable(&meant)));
            let message =
                tr!("{PREFIX}{rest}: there is no such setting, and it does nothing; {instead}", PREFIX, rest, instead);
            unknown.push(Unknown { message, is_meant });
        }
    }
    unknown.sort_by(|a, b| a.message.cmp(&b.message));
    Ok((found, unknown))
}

/// Reads the settings in a file. `option` is the option or the variable that names the file.
fn in_file(
    path: &OsString,
    option: &str,
    command: &Command,
    service: &[String],
    unknown: &mut Vec<Unknown>,
) -> anyhow::Result<BTreeMap<String, Found>> {
    let name = path.display().to_string();
    let text = fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow!(tr!("there is no such file; name one that is there")),
        std::io::ErrorKind::IsADirectory => anyhow!(tr!("is a folder; name a file in it")),
        _ => error.into(),
    });
    let text = text.with_context(|| format!("{option} {name}"))?;
    let text = String::from_utf8(text)
        .map_err(|_| anyhow!(tr!("{option} {name}: is not in UTF-8; write it so", option, name)))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let line_of = |at: usize| text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_of(error.span().map_or(0, |span| span.start));
        let advice = match error.message() {
            "duplicate key" => tr!("leave one out"),
            _ => tr!("settings are written `similarity = 0.6` or `window = \"24h\"`"),
        };
        anyhow!(tr!("{name}:{line}: {}; {advice}", error.message(), name, line, advice))
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut found = BTreeMap::new();
    for (key, value) in entries {
        let line = line_of(key.span().start);
        let key_of_service = key.get_ref().replace('_', "-");
        if option_named(key.get_ref(), command).is_none() && service.contains(&key_of_service) {
            let place = format!("{name}:{line}: {key_of_service}");
            unknown.push(Unknown { message: of_service(&place), is_meant: true });
            continue;
        }
        let option = option_of(key.get_ref(), value, command).map_err(|reason| anyhow!("{name}:{line}: {reason}"))?;
        let value =
            value_of(&option, value.get_ref()).map_err(|reason| anyhow!("{name}:{line}: {option}: {reason}"))?;
        let before = found.insert(option.clone(), (value, Origin::File { path: name.clone(), line }));
        ensure!(before.is_none(), tr!("{name}:{line}: {}: is there twice; leave one out", option, name, line));
    }
    Ok(found)
}

/// The options of a command that are not settings, as those of a service.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    let is_own = |name: &&str| find(name).is_none() && !["help", "version"].contains(name);
    command.get_arguments().filter_map(clap::Arg::get_long).filter(is_own)
}

/// The options of `quchong serve` that are not settings.
fn options_of_service(program: &Command) -> Vec<String> {
    let service = program.find_subcommand("serve").into_iter();
    service.flat_map(options).filter(|option| *option != "config").map(str::to_owned).collect()
}

/// The message that an option of a service was found at `place`. This is no error, because one file or environment may serve both
/// commands.
fn of_service(place: &str) -> String {
    tr!("{place}: is an option of `quchong serve`, and does nothing here", place)
}

/// The option, as it is typed, for the name of a setting or of an option of this command alone.
fn option_named(name: &str, command: &Command) -> Option<String> {
    let own = || options(command).find(|option| **option == name.replace('_', "-"));
    find(name).map(|setting| setting.name).or_else(own).map(str::to_owned)
}

/// The option for a key of the file.
fn option_of(key: &str, value: &Spanned<DeValue<'_>>, command: &Command) -> Result<String, String> {
    match option_named(key, command).filter(|_| !key.starts_with('-')) {
        Some(option) if option == "config" => Err(tr!("config: a file of settings names no other; put all in one")),
        Some(option) => Ok(option),
        None if matches!(value.get_ref(), DeValue::Table(_)) => {
            Err(tr!("{key}: is a table, and settings stand in none; write them without [{key}]", key))
        }
        None => {
            let meant = suggestion(command, key.trim_start_matches('-'));
            let instead =
                meant.map_or_else(|| tr!("--help lists all"), |meant| tr!("is it {meant}? (--help lists all)", meant));
            Err(tr!("{key}: there is no such setting; {instead}", key, instead))
        }
    }
}

/// A value in the form in which it is typed; `None` for a switch that is off.
fn value_of(option: &str, value: &DeValue<'_>) -> Result<Option<OsString>, String> {
    let (kind, example) = find(option).map_or((Value::Text(""), "…"), |setting| (setting.value, setting.example));
    match (kind, value) {
        (Value::Switch, DeValue::Boolean(is_on)) => Ok(is_on.then(OsString::new)),
        (Value::Switch, _) => Err(tr!("is on or off; write true or false")),
        (_, DeValue::String(text)) => Ok(Some(text.as_ref().into())),
        (_, DeValue::Integer(number)) => Ok(Some(number.to_string().into())),
        (_, DeValue::Float(number)) => Ok(Some(number.to_string().into())),
        _ => Err(tr!("takes one value; write it as on the command line, in quotes: \"{}\"", example)),
    }
}

//! The refusal of wrong arguments, in one line: which argument, why, and what to write.

use std::ffi::OsString;
use std::path::Path;

use crate::config::settings::{Value, find};
use crate::config::units::duration;
use crate::locale::tr;
use anyhow::ensure;
use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Lets the options of a command take values that begin with a minus, so that the option itself refuses such a value.
pub(crate) fn lenient(command: Command) -> Command {
    let takes_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    let command = command.mut_args(|arg| if takes_value(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(lenient)
}

/// The name of the existing option that the user probably meant by the unknown option `--name`.
pub(crate) fn suggestion(command: &Command, name: &str) -> Option<String> {
    let typed = [command.get_name().to_owned(), format!("--{name}=")];
    let error = command.clone().try_get_matches_from(typed).err()?;
    let suggested = error.get(ContextKind::SuggestedArg).map(words)?;
    suggested.strip_prefix("--").map(str::to_owned)
}

/// Describes an error in one line.
pub(crate) fn line(error: &Error) -> String {
    let get = |kind| error.get(kind).map(words).unwrap_or_default();
    let [arg, value, prior] = [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::PriorArg].map(get);
    let option = arg.split([' ', '=']).next().unwrap_or_default();
    match error.kind() {
        ErrorKind::InvalidValue if !arg.is_empty() && value.is_empty() && !arg.starts_with('-') => {
            tr!("'': names nothing; write {arg}, or leave it out", arg)
        }
        ErrorKind::InvalidValue if !arg.is_empty() && value.is_empty() => {
            tr!("{option}: its value is missing; write {arg}{}", one_of(error), option, arg)
        }
        ErrorKind::InvalidValue if single_dashed(&value).is_some() => {
            let word = single_dashed(&value).unwrap_or_default();
            tr!("{word}: there is no such option; is it -{word}?", word)
        }
        ErrorKind::InvalidValue if arg.starts_with('-') => {
            tr!("{option} {value}: there is no such value{}", one_of(error), option, value)
        }
        ErrorKind::InvalidValue => {
            let name = &argument_name(&arg);
            tr!("{value}: there is no such {}{}", tr!(name), one_of(error), value)
        }
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            let value = if value.is_empty() { "''" } else { &value };
            format!("{option} {value}: {}", reworded(reason.trim_start_matches(&format!("{option}: "))))
        }
        ErrorKind::UnknownArgument if option.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => {
            negative_value(option)
        }
        ErrorKind::UnknownArgument if !option.starts_with('-') => {
            tr!("{option}: is one argument too many; leave it out, or put what belongs together in quotes", option)
        }
        ErrorKind::UnknownArgument if option.contains('_') && find(option).is_some() => {
            tr!("{option}: there is no such option; is it {}?", option.replace('_', "-"), option)
        }
        ErrorKind::UnknownArgument
            if find(option).is_some() && typed_first().is_some_and(|first| first.starts_with('-')) =>
        {
            tr!("{option}: a command comes first; write quchong dedup {option}", option)
        }
        ErrorKind::UnknownArgument if find(option).is_some() => {
            tr!("{option}: is an option of `quchong dedup`, and this command cannot do that; leave it out", option)
        }
        ErrorKind::UnknownArgument => {
            tr!("{option}: there is no such option; {}", instead(error, ContextKind::SuggestedArg), option)
        }
        ErrorKind::InvalidSubcommand => {
            let command = get(ContextKind::InvalidSubcommand);
            if Path::new(&command).is_file() && typed_first().is_some_and(|first| first == "tune") {
                return tr!(
                    "{command}: is a file; what to tune comes first: write quchong tune bloom {command}",
                    command
                );
            }
            if Path::new(&command).is_file() {
                return tr!("{command}: is a file, and a command comes first; write quchong dedup {command}", command);
            }
            tr!("{command}: there is no such command; {}", instead(error, ContextKind::SuggestedSubcommand), command)
        }
        ErrorKind::MissingRequiredArgument if arg.starts_with("<--") => {
            let options = arg.strip_prefix('<').and_then(|arg| arg.strip_suffix('>')).unwrap_or(&arg);
            let options = options.replace('|', &tr!(" or "));
            tr!("what is read must be said: write {options}", options)
        }
        ErrorKind::MissingRequiredArgument if arg.contains("<B>") => {
            tr!("{arg}: two messages are compared, an earlier and a later one; give both, each in quotes", arg)
        }
        ErrorKind::MissingRequiredArgument => tr!("{arg}: is missing, and needed here; add it", arg),
        ErrorKind::ArgumentConflict if prior.is_empty() || prior == arg => {
            tr!("{option}: is there twice; leave one out", option)
        }
        ErrorKind::ArgumentConflict => {
            let prior = prior.split(' ').next().unwrap_or_default();
            // The option is at fault, and not the argument that it is given with.
            let (option, prior) = if option.starts_with('-') { (option, prior) } else { (prior, option) };
            let prior = if prior.starts_with('-') { prior } else { bare(prior) };
            tr!("{option}: cannot be used with {prior}; leave one of them out", option, prior)
        }
        ErrorKind::TooManyValues if !arg.contains('<') => tr!("{option}: takes no value; write it alone", option),
        ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            tr!("{option}: too many values or too few; write {arg}", option, arg)
        }
        // The first line of clap's own message, without its prefix.
        _ => {
            let said = error.to_string();
            tr!("{}; see --help", said.lines().next().unwrap_or_default().trim_start_matches("error: "))
        }
    }
}

/// The first word after the program's name.
fn typed_first() -> Option<String> {
    std::env::args().nth(1)
}

/// The word that was typed for a long option with one dash, such as -field, so that clap took it for a short option with this value.
fn single_dashed(value: &str) -> Option<String> {
    let is_option =
        |word: &str| word.starts_with('-') && !word.starts_with("--") && find(&format!("-{word}")).is_some();
    let name = |word: String| word.split('=').next().unwrap_or_default().to_owned();
    std::env::args().find(|word| word.get(2..) == Some(value)).map(name).filter(|word| is_option(word))
}

/// Refuses an option that begins with a long dash, as web pages and word processors write it. Clap would take it for a file or a text.
///
/// # Errors
/// The message names the option as it is written.
pub(crate) fn refuse_long_dashes(program: &Command, words: &[OsString]) -> anyhow::Result<()> {
    let commands = || program.get_subcommands().flat_map(|command| command.get_subcommands().chain([command]));
    let is_option = |name: &str| commands().flat_map(Command::get_arguments).any(|arg| arg.get_long() == Some(name));
    let words = words.iter().map_while(|word| word.to_str().filter(|word| *word != "--"));
    for word in words.filter(|word| word.starts_with(['—', '–', '―', '－'])) {
        let option = word.trim_start_matches(['—', '–', '―', '－', '-']);
        ensure!(
            !is_option(option.split('=').next().unwrap_or_default()),
            tr!("{word}: begins with a long dash; write --{option}", word, option)
        );
    }
    Ok(())
}

/// Whether the error is help or the version. Help can be requested, or shown because no command was typed.
pub(crate) fn is_help(error: &Error) -> bool {
    let help = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];
    help.contains(&error.kind())
}

fn words(value: &ContextValue) -> String {
    let styled = |styled: &StyledStr| styled.to_string();
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(" "),
        ContextValue::StyledStr(text) => styled(text),
        ContextValue::StyledStrs(texts) => texts.iter().map(styled).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// The message for the negative value of an option, which clap took for an option. The option before it gives the reason.
fn negative_value(taken: &str) -> String {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let pairs = words.iter().zip(words.iter().skip(1));
    let found = pairs.rev().find(|(before, word)| word.starts_with(taken) && before.starts_with("--"));
    let Some((option, value)) = found else {
        return tr!(
            "{taken}: there is no such option (--help lists all); write -- before texts that begin with a minus",
            taken
        );
    };
    let reason = find(option).and_then(|setting| match setting.value {
        Value::Text("TIME") => duration(value).err(),
        _ => setting.check(value).err(),
    });
    let reason = reason.unwrap_or_else(|| tr!("no value begins with a minus; write it without"));
    format!("{option} {value}: {reason}")
}

/// Replaces the libraries' messages about numbers by messages of this program.
fn reworded(reason: &str) -> String {
    let range = reason.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="));
    match (reason, range) {
        (_, Some((low, high))) => tr!("is out of range; use {low} to {high}", low, high),
        _ if reason.starts_with("invalid digit") => tr!("not a whole number from 0 on; write 7, for example"),
        _ if reason.starts_with("number too large") => tr!("too large; write a smaller number"),
        _ => reason.to_owned(),
    }
}

/// The name of an argument without dashes, such as `shell` for `<SHELL>` or `name` for `[NAME]...`.
fn argument_name(arg: &str) -> String {
    bare(arg).to_lowercase()
}

fn bare(arg: &str) -> &str {
    arg.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The most values that are listed in one line. Of more values, only the most similar one is suggested, if there is one.
const LISTED: usize = 15;

fn one_of(error: &Error) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if values.len() > LISTED => {
            tr!("; {advice}", advice = instead(error, ContextKind::SuggestedValue))
        }
        Some(ContextValue::Strings(values)) if !values.is_empty() => tr!("; write one of {}", values.join(&tr!(", "))),
        _ => String::new(),
    }
}

fn instead(error: &Error, kind: ContextKind) -> String {
    let suggested = match error.get(kind) {
        // The most similar value comes last.
        Some(ContextValue::Strings(several)) => several.last().cloned(),
        other => other.map(words),
    };
    match suggested.filter(|suggested| !suggested.is_empty()) {
        Some(suggested) => tr!("is it {suggested}? (--help lists all)", suggested),
        None => tr!("--help lists all"),
    }
}

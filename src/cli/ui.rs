//! The language of messages and help: that of `--ui`, of `QUCHONG_UI`, of the file of settings, or of the locale.

use std::env;
use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result};
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};

use crate::locale;
use crate::locale::tr;

/// The variable that names the language.
pub(crate) const VARIABLE: &str = "QUCHONG_UI";

/// A language of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ui {
    /// English
    En,
    /// Chinese
    Zh,
}

impl Ui {
    /// The language of a word such as `zh`, `ZH`, `zh-Hans` or `zh_CN.UTF-8`, judged by its part before the country.
    fn of(word: &str) -> Option<Self> {
        Self::from_str(word.split(['-', '_', '.', '@']).next()?, true).ok()
    }
}

/// Reads the word of `--ui`.
#[derive(Clone)]
pub(crate) struct Reader;

impl TypedValueParser for Reader {
    type Value = Ui;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<Ui, Error> {
        let refused = || EnumValueParser::<Ui>::new().parse_ref(command, arg, word);
        word.to_str().and_then(Ui::of).map_or_else(refused, Ok)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Ui::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// Sets the language of messages: that of `--ui`, of the variable, or of the locale. The program's name comes first in `arguments`.
///
/// # Errors
/// [`VARIABLE`] names no language.
pub(crate) fn choose(arguments: impl Iterator<Item = OsString>) -> Result<()> {
    // A wrong word is refused later, with the other arguments.
    let typed = typed(arguments.skip(1)).and_then(|word| Ui::of(&word));
    let named = env::var(VARIABLE).ok().filter(|word| !word.is_empty());
    let ui = match (typed, named) {
        (Some(ui), _) => ui,
        (None, Some(word)) => Ui::of(&word)
            .with_context(|| tr!("{VARIABLE} {word}: there is no such language; write en or zh", VARIABLE, word))?,
        (None, None) => of_locale(|name| env::var(name).ok()),
    };
    match ui {
        Ui::Zh => locale::speak_chinese(),
        Ui::En => locale::speak_english(),
    }
    Ok(())
}

/// Finds the word of `--ui` among arguments.
fn typed(arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let mut words = arguments.map(|word| word.to_string_lossy().into_owned()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        if word == "--ui" {
            return words.next();
        }
        if let Some(word) = word.strip_prefix("--ui=") {
            return Some(word.to_owned());
        }
    }
    None
}

/// Finds the command among arguments. Only `--ui` may come before it.
pub(crate) fn command(mut arguments: impl Iterator<Item = OsString>) -> Option<OsString> {
    while let Some(word) = arguments.next() {
        if word == "--ui" {
            arguments.next();
        } else if !word.to_string_lossy().starts_with("--ui=") {
            return Some(word);
        }
    }
    None
}

/// The language of the locale: the first of these variables that is set decides.
fn of_locale(get: impl Fn(&str) -> Option<String>) -> Ui {
    let set =
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| get(name).filter(|value| !value.is_empty()));
    set.and_then(|locale| Ui::of(&locale)).unwrap_or(Ui::En)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_that_is_set_decides() {
        let ui = |set: &[(&str, &str)]| {
            of_locale(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(ui(&[]), Ui::En);
        assert_eq!(ui(&[("LANG", "zh_CN.UTF-8")]), Ui::Zh);
        assert_eq!(ui(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]), Ui::En);
        assert_eq!(ui(&[("LANG", "C"), ("LC_MESSAGES", "zh_TW.UTF-8"), ("LC_ALL", "")]), Ui::Zh);
    }

    #[test]
    fn a_language_may_have_a_country_and_stand_in_any_case() {
        let of = |words: &[&str]| -> Vec<Option<Ui>> { words.iter().map(|word| Ui::of(word)).collect() };
        assert_eq!(of(&["zh", "ZH", "zh_CN", "zh-Hans", "zh_TW.UTF-8", "zh_CN@stroke"]), [Some(Ui::Zh); 6]);
        assert_eq!(of(&["en", "En", "en_US", "en-GB", "en_US.UTF-8"]), [Some(Ui::En); 5]);
        assert_eq!(of(&["", "fr", "zhuang", "chinese", "_zh", "C", "中文"]), [None; 7]);
    }

    #[test]
    fn the_language_is_known_before_the_arguments_are() {
        let ui = |words: &[&str]| typed(words.iter().map(OsString::from));
        assert_eq!(ui(&["dedup", "--ui", "zh", "a"]).as_deref(), Some("zh"));
        assert_eq!(ui(&["--ui=en", "dedup"]).as_deref(), Some("en"));
        assert_eq!(ui(&["dedup", "--", "--ui", "zh"]), None);
    }

    #[test]
    fn the_command_may_stand_behind_the_language() {
        let found = |words: &[&str]| command(words.iter().map(OsString::from));
        for words in [&["check", "--ui", "en"][..], &["--ui", "en", "check"], &["--ui=en", "check"]] {
            assert_eq!(found(words).unwrap(), "check", "{words:?}");
        }
        assert_eq!(found(&["--ui", "check", "dedup"]).unwrap(), "dedup");
        assert_eq!(found(&["--ui", "check"]), None);
    }
}

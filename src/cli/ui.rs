//! The language of messages and help: that of `--ui`, of `QUCHONG_UI`, or of the locale.

use std::env;
use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::locale;
use tr::tr;

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

/// Speaks the language that is asked for.
///
/// # Errors
/// [`VARIABLE`] names no language.
pub(crate) fn choose() -> Result<()> {
    // A wrong word is refused with the other arguments.
    let typed = typed(env::args_os().skip(1)).and_then(|word| Ui::from_str(&word, false).ok());
    let named = env::var(VARIABLE).ok().filter(|word| !word.is_empty());
    let ui = match (typed, named) {
        (Some(ui), _) => ui,
        (None, Some(word)) => match Ui::from_str(&word, false) {
            Ok(ui) => ui,
            Err(_) => bail!(tr!("{VARIABLE} {word}: there is no such language; write en or zh", VARIABLE, word)),
        },
        (None, None) => of_locale(|name| env::var(name).ok()),
    };
    if ui == Ui::Zh {
        locale::speak_chinese();
    }
    Ok(())
}

/// The word of `--ui` among arguments.
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

/// The language of the locale: the first of these variables that is set decides.
fn of_locale(get: impl Fn(&str) -> Option<String>) -> Ui {
    let set =
        ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| get(name).filter(|value| !value.is_empty()));
    if set.is_some_and(|locale| locale.to_ascii_lowercase().starts_with("zh")) { Ui::Zh } else { Ui::En }
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
    fn the_language_is_known_before_the_arguments_are() {
        let ui = |words: &[&str]| typed(words.iter().map(OsString::from));
        assert_eq!(ui(&["dedup", "--ui", "zh", "a"]).as_deref(), Some("zh"));
        assert_eq!(ui(&["--ui=en", "dedup"]).as_deref(), Some("en"));
        assert_eq!(ui(&["dedup", "--", "--ui", "zh"]), None);
    }
}

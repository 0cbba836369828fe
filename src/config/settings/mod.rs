//! One table of all settings: [`all`].
//!
//! Each row of the table gives:
//!
//! - the option of the command line with its help,
//! - the keyword of Python,
//! - the check of a value,
//! - the refusal if the setting would do nothing,
//! - the comparison with a stored state,
//! - the line of the table in docs/reference/options.md.
//!
//! To add a setting, write its row and use its value. A test checks all rows.

use crate::locale::tr;

mod exact;
mod input;
mod memory;
mod near;
#[cfg(all(feature = "cli", feature = "lab"))]
pub(crate) use near::MARKUP;
mod operation;
#[cfg(feature = "cli")]
pub(super) mod others;
mod output;
#[cfg(feature = "cli")]
mod show;
mod state;
#[cfg(test)]
mod tests;
mod values;

use super::Config;
#[cfg(feature = "cli")]
pub(crate) use show::{Tongue, json, markdown};

/// A setting: its name, the values that it takes, and the conditions under which it has an effect.
pub struct Setting {
    /// The name as on the command line, without the dashes: `max-distance`. [`Spelling`](crate::Spelling) has the other spellings.
    pub name: &'static str,
    /// The short option.
    pub short: Option<char>,
    /// The subject; a heading of the help.
    pub group: &'static str,
    /// The values that can be written for it.
    pub value: Value,
    /// The value in effect if the setting is not given, as it is written or in words; empty if there is none.
    pub default: &'static str,
    /// A value other than the default.
    pub example: &'static str,
    /// Commands that have the setting through this table, in addition to `dedup` and `check`, which have all settings.
    #[cfg_attr(not(any(feature = "cli", feature = "lab")), expect(dead_code, reason = "a library has no commands"))]
    pub(crate) commands: &'static [&'static str],
    /// The conditions under which the setting has an effect. All of them must hold.
    pub(crate) acts: &'static [When],
    /// Formats of inputs in which the setting has an effect; empty if it has an effect in all.
    pub(crate) formats: &'static [&'static str],
    /// Its effect, in a line.
    pub help: &'static str,
    /// Further information.
    pub more: &'static str,
    /// Its effect, in Chinese.
    pub zh: &'static str,
    /// [`more`](Self::more) in Chinese, except what [`zh`](Self::zh) already says.
    pub zh_more: &'static str,
    /// [`default`](Self::default) in Chinese, if that is in words.
    pub zh_default: &'static str,
    /// Writes a value into a configuration; `None` if the setting is not part of the configuration.
    pub(crate) read: Option<Read>,
    /// Returns the value from a configuration, as [`read`](Self::read) takes it; `None` if the value is not set.
    pub(crate) value_in: fn(&Config) -> Option<String>,
    /// The range of its values in words, and a test whether a configuration is within it.
    pub(crate) range: Option<(&'static str, Holds)>,
    /// Whether a state that was made under another value would decide differently.
    pub(crate) decides: fn(&Config) -> bool,
    /// Turns a value into the form that a state stores. `None` if a resumed run may have another value.
    pub noted: Option<fn(&str) -> String>,
}

/// Writes a value, as it is given, into a configuration.
pub(crate) type Read = fn(&mut Config, &str) -> Result<(), String>;

/// Tests whether a configuration is within a range.
pub(crate) type Holds = fn(&Config) -> bool;

/// The values that can be written for a setting.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// No value: the setting is on or off.
    Switch,
    /// One of these words, with what each means.
    Word(&'static [(&'static str, &'static str)]),
    /// Text that the help calls by this name: `FILE`.
    Text(&'static str),
}

/// A condition under which a setting has an effect.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When {
    /// This setting has one of these words, given or by default.
    Is(&'static str, &'static [&'static str]),
    /// This setting is given.
    With(&'static str),
    /// This setting is not given: the two exclude each other.
    Without(&'static str),
    /// The window is a length of time.
    Timed,
    /// The window reaches beyond that of the repeat rule, where fingerprints decide.
    Beyond,
    /// The same as [`Beyond`](Self::Beyond), but for the setting of the repeat rule's own window, whose refusal has other words.
    BeyondItself,
    /// At least one of these.
    Any(&'static [When]),
}

/// The values of the fields that a row leaves out.
const SETTING: Setting = Setting {
    name: "",
    short: None,
    group: "",
    value: Value::Switch,
    default: "",
    example: "",
    commands: &[],
    acts: &[],
    formats: &[],
    help: "",
    more: "",
    zh: "",
    zh_more: "",
    zh_default: "",
    read: None,
    value_in: |_| None,
    range: None,
    decides: |_| false,
    noted: None,
};

/// The field of ids, unless another is named. It is no error if this default field is missing.
pub(crate) const ID_FIELD: &str = "id";

/// The field of times, unless another is named.
pub(crate) const TIME_FIELD: &str = "created_at";

/// All formats but plain lines, which have no fields.
const WITH_FIELDS: &[&str] = &["jsonl", "csv", "tsv", "parquet"];

/// Returns every setting of `quchong dedup` that is compiled in, in the order of its help.
///
/// ```
/// use quchong::config::settings::{all, find};
///
/// let window = find("--window").unwrap();
/// assert!(window.check("24h").is_ok() && window.check("a day").is_err());
/// assert!(all().all(|setting| !setting.help.is_empty()));
/// ```
pub fn all() -> impl Iterator<Item = &'static Setting> {
    let groups = [
        input::SETTINGS,
        output::SETTINGS,
        state::SETTINGS,
        memory::SETTINGS,
        exact::SETTINGS,
        near::SETTINGS,
        operation::SETTINGS,
    ];
    let is_built = |setting: &&Setting| cfg!(feature = "metrics") || !setting.name.starts_with("metrics");
    groups.into_iter().flatten().filter(is_built)
}

/// Returns the setting with this name, in any spelling: `max-distance`, `max_distance`, `--max-distance`.
///
/// ```
/// let setting = quchong::config::settings::find("max-distance").expect("it is in the table");
/// assert!(setting.check("4").is_ok());
/// assert!(setting.check("much").is_err());
/// ```
pub fn find(name: &str) -> Option<&'static Setting> {
    let name = name.trim_start_matches("--");
    let same = |known: &str| known.bytes().eq(name.bytes().map(|c| if c == b'_' { b'-' } else { c }));
    all().find(|setting| same(setting.name))
}

impl Setting {
    /// Checks whether the value can be written for the setting. Ranges are checked by [`Config::validate`].
    ///
    /// # Errors
    /// Returns a message with the values that can be written.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let read = self.read.map_or(Ok(()), |read| read(&mut Config::default(), value));
        read.map_err(|reason| match self.range.filter(|_| reason == values::NO_NUMBER) {
            Some((range, _)) => tr!("write a whole number, {range}", range = tr!(range)),
            None if reason == values::NO_NUMBER => tr!("write a whole number"),
            None => reason,
        })
    }

    /// Whether the setting belongs to the [configuration](Config), not to a single run.
    pub fn is_of_stages(&self) -> bool {
        self.read.is_some()
    }

    /// Whether the setting decides about two messages, whatever is between them. These are the settings of the stages that
    /// `explain` has.
    #[cfg(feature = "lab")]
    pub(crate) fn is_of_pairs(&self) -> bool {
        ["Exact stage", "Near stage"].contains(&self.group) && self.commands.contains(&"explain")
    }

    /// Returns the name as a member or a keyword: `max_distance`.
    pub fn member(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns the spelling of the option on the command line, with the values that it takes.
    pub fn usage(&self) -> String {
        let short = self.short.map_or_else(String::new, |short| format!("-{short}, "));
        let value = match self.value {
            Value::Switch => String::new(),
            Value::Word(words) => format!(" {}", words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|")),
            Value::Text(name) => format!(" {name}"),
        };
        format!("{short}--{}{value}", self.name)
    }
}

//! One table of everything that can be set: [`all`].
//!
//! From a row come the option of the command line with its help, the keyword of Python, the check of a value, the refusal where the
//! setting would do nothing, the comparison with a stored state, and the line of the table in docs/reference/options.md. To add a setting, write its row
//! and use its value; a test goes through all rows.

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

/// A setting: what it is called, which values it takes, and under what else it does something.
pub struct Setting {
    /// Its name, in the command line's way but for the dashes: `max-distance`. [`Spelling`](crate::Spelling) has the others.
    pub name: &'static str,
    /// Its short option.
    pub short: Option<char>,
    /// What it is about; a heading of the help.
    pub group: &'static str,
    /// What can be written for it.
    pub value: Value,
    /// What goes without it, as it is written or in words; empty if that is nothing.
    pub default: &'static str,
    /// A value other than the default.
    pub example: &'static str,
    /// Commands that have it by this table, beside `dedup` and `check`, which have all.
    #[cfg_attr(not(any(feature = "cli", feature = "lab")), expect(dead_code, reason = "a library has no commands"))]
    pub(crate) commands: &'static [&'static str],
    /// What must be so for it to do something: all of these.
    pub(crate) acts: &'static [When],
    /// Formats of inputs in which it does something; none: in all.
    pub(crate) formats: &'static [&'static str],
    /// What it does, in a line.
    pub help: &'static str,
    /// What else is to be known of it.
    pub more: &'static str,
    /// What it does, in Chinese.
    pub zh: &'static str,
    /// [`default`](Self::default) in Chinese, if that is in words.
    pub zh_default: &'static str,
    /// Writes a value into a configuration; none if it is no matter of the configuration.
    pub(crate) read: Option<Read>,
    /// The value of a configuration, as [`read`](Self::read) takes it; none if it is not set.
    pub(crate) tell: fn(&Config) -> Option<String>,
    /// The range of its values, in words, and whether a configuration keeps to it.
    pub(crate) range: Option<(&'static str, Holds)>,
    /// Whether a state that was made under another value decides otherwise.
    pub(crate) decides: fn(&Config) -> bool,
    /// Whether a run that goes on with another must have the same value, and how that is written down.
    pub noted: Option<fn(&str) -> String>,
}

/// Writes a value, as it is given, into a configuration.
pub(crate) type Read = fn(&mut Config, &str) -> Result<(), String>;

/// Whether a configuration keeps to a range.
pub(crate) type Holds = fn(&Config) -> bool;

/// What can be written for a setting.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// Nothing: it is on or off.
    Switch,
    /// One of these words, with what each means.
    Word(&'static [(&'static str, &'static str)]),
    /// Something that help calls this: `FILE`.
    Text(&'static str),
}

/// What must be so for a setting to do something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When {
    /// This setting has one of these words, be it by default.
    Is(&'static str, &'static [&'static str]),
    /// This setting is given.
    With(&'static str),
    /// This setting is not given: both cannot be.
    Without(&'static str),
    /// The window is one of time.
    Timed,
    /// The window reaches beyond that of the repeat rule: fingerprints decide there.
    Beyond,
    /// The same, for the window of the repeat rule itself.
    Further,
    /// One of these.
    Any(&'static [When]),
}

/// What rows are completed with.
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
    zh_default: "",
    read: None,
    tell: |_| None,
    range: None,
    decides: |_| false,
    noted: None,
};

/// Where ids stand unless another place is named: that it is not there is then no mistake.
pub(crate) const ID_FIELD: &str = "id";

/// Where times stand unless another place is named.
pub(crate) const TIME_FIELD: &str = "created_at";

/// All formats but plain lines, which have no fields.
const WITH_FIELDS: &[&str] = &["jsonl", "csv", "tsv", "parquet"];

/// Every setting of `quchong dedup`, in the order of its help: those that were built.
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

/// The setting of a name, which may be written in any way: `max-distance`, `max_distance`, `--max-distance`.
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
    /// Whether a value can be written for it; ranges are a matter of the [whole](Config::validate).
    ///
    /// # Errors
    /// What can be written, in words.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let read = self.read.map_or(Ok(()), |read| read(&mut Config::default(), value));
        read.map_err(|reason| match self.range.filter(|_| reason == values::NO_NUMBER) {
            Some((range, _)) => tr!("write a whole number, {range}", range = tr!(range)),
            None if reason == values::NO_NUMBER => tr!("write a whole number"),
            None => reason,
        })
    }

    /// Whether it is a matter of the [configuration](Config), and not of a run.
    pub fn is_of_stages(&self) -> bool {
        self.read.is_some()
    }

    /// Whether it decides about two messages, whatever lies between them: what `explain` has of the stages.
    #[cfg(feature = "lab")]
    pub(crate) fn is_of_pairs(&self) -> bool {
        ["Exact stage", "Near stage"].contains(&self.group) && self.commands.contains(&"explain")
    }

    /// Its name as a member or a keyword: `max_distance`.
    pub fn member(&self) -> String {
        self.name.replace('-', "_")
    }

    /// What the option is called on the command line, with the values that it takes.
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

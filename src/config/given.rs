//! The settings that a user gives, as text. The command line and other callers turn them into a [`Config`].

use std::collections::BTreeMap;

use super::idle::{Offers, either, idle};
use super::names::value_of;
#[cfg(feature = "cli")]
use super::settings::Value;
use super::settings::{Setting, When, all, find};
use super::{Config, NearMode, Preset, Rules, Span};
use crate::error::{Error, Result};
use crate::locale::tr;

/// Given settings, as text. [`settings`](super::settings) explains each setting.
///
/// ```
/// use quchong::config::Settings;
///
/// let mut settings = Settings::default();
/// assert!(settings.set("window", "a day").is_err());
/// settings.set("window", "24h")?;
/// assert!(settings.config()?.window.is_some());
/// # Ok::<(), quchong::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    given: BTreeMap<&'static str, String>,
    /// Where the settings that were not typed come from: a variable, or a file and its line.
    places: BTreeMap<&'static str, String>,
    /// The settings that the command has.
    offers: Offers,
}

impl Settings {
    /// Makes settings of these names and values.
    ///
    /// # Errors
    /// The same as for [`set`](Self::set).
    pub fn of(given: &[(&str, &str)]) -> Result<Self> {
        let mut settings = Self::default();
        given.iter().try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// Sets a setting to a value given as text. A switch is turned on by any value.
    ///
    /// # Errors
    /// [`Error::Config`] for an unknown name, and for a value that the setting cannot have. The second names the possible values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let Some(setting) = find(name) else {
            let known: Vec<&str> = all().map(|setting| setting.name).collect();
            return Err(Error::config(
                "NAME",
                tr!("nothing is called `{name}`; there are {}", known.join(&tr!(", ")), name),
            ));
        };
        setting.check(value).map_err(|reason| Error::config(setting.name, reason))?;
        self.given.insert(setting.name, value.to_owned());
        Ok(())
    }

    /// Returns the given value of a setting; `None` if it was not given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// Returns the names of the given settings.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.given.keys().copied()
    }

    /// Returns the configuration: the given settings, then those of the preset, then the defaults. The result is not
    /// [validated](Config::validate).
    ///
    /// # Errors
    /// [`Error::Config`] for a setting that has no effect with the others. Otherwise the user would not notice.
    pub fn config(&self) -> Result<Config> {
        let mut config = self.base()?;
        for setting in all() {
            if let (Some(read), Some(value)) = (setting.read, self.get(setting.name)) {
                read(&mut config, value).map_err(|reason| Error::config(setting.name, reason))?;
            }
        }
        self.refuse_idle(&config)?;
        Ok(config)
    }

    /// Returns the configuration that the settings then change: that of the preset, but with the default similarity of the near
    /// mode if `near` differs from the preset's.
    fn base(&self) -> Result<Config> {
        let of = |name, reason| Error::config(name, reason);
        let preset = self.get("preset").map(|preset| value_of(&Preset::NAMED, preset)).transpose();
        let preset = preset.map_err(|reason| of("preset", reason))?.unwrap_or(Preset::Weibo).config();
        let near = self.get("near").map(|near| value_of(&NearMode::NAMED, near)).transpose();
        let near = near.map_err(|reason| of("near", reason))?;
        if let (Some("careful"), Some(near)) = (self.get("preset"), self.get("near").filter(|near| *near != "hybrid")) {
            let reason =
                tr!("careful does nothing under --near {near}, which knows no facts; it needs --near hybrid", near);
            return Err(of("preset", reason));
        }
        if self.get("preset") == Some("careful") && self.get("templates") == Some("fold") {
            let reason =
                tr!("careful does nothing under --templates fold, where facts do not count; choose one of them");
            return Err(of("preset", reason));
        }
        if near == Some(NearMode::Hybrid) && preset.rules == Rules::RAW && self.get("normalise").is_none() {
            let reason = tr!(
                "hybrid compares canonical texts, and this --preset raw ones; use simhash or minhash, or give --normalise all"
            );
            return Err(of("near", reason));
        }
        Ok(match near {
            Some(near) if near != preset.near => Config { near, similarity: Config::of(near).similarity, ..preset },
            _ => preset,
        })
    }

    fn refuse_idle(&self, config: &Config) -> Result<()> {
        for setting in self.names().filter_map(find) {
            let is_default = self.get(setting.name).is_some_and(|value| is_default(setting.name, value));
            let is_stated = self.is_stated(setting);
            let acts = |when: &When| self.holds(when, config) || is_default && matches!(when, When::Without(_));
            if let Some(when) = setting.acts.iter().find(|when| !is_stated && !acts(when)) {
                let value = |name: &str| self.value(name, config).unwrap_or_default();
                let reason = idle(when, &self.offers, value, |name| self.origin(name, config));
                return Err(Error::config(setting.name, reason));
            }
        }
        Ok(())
    }

    /// Whether a setting is at its default in a file or a variable. There a default is accepted even if it has no effect.
    fn is_stated(&self, setting: &Setting) -> bool {
        let is_default = |value: &str| is_default(setting.name, value);
        self.places.contains_key(setting.name) && self.get(setting.name).is_some_and(is_default)
    }

    fn holds(&self, when: &When, config: &Config) -> bool {
        match when {
            When::Is(name, words) => self.value(name, config).is_some_and(|value| words.contains(&&*value)),
            When::With(name) => self.get(name).is_some(),
            When::Without(name) => self.get(name).is_none_or(|value| is_default(name, value)),
            When::Timed => matches!(config.window, Some(Span::Time { .. })),
            When::Beyond | When::BeyondItself => {
                !matches!(config.window, Some(Span::Messages(most)) if most <= config.verify_window)
            }
            When::Any(any) => any.iter().any(|when| self.holds(when, config)),
        }
    }

    /// Returns the value in effect, whether it was given or not.
    fn value(&self, name: &str, config: &Config) -> Option<String> {
        let setting = find(name)?;
        let given = || self.get(name).unwrap_or(setting.default).to_owned();
        Some((setting.value_in)(config).unwrap_or_else(given))
    }

    /// Returns where the value in effect comes from, if it was not typed: ` (from QUCHONG_NEAR)`, ` (from --preset paper)`.
    fn origin(&self, name: &str, config: &Config) -> String {
        let place = self.places.get(name).cloned();
        let of_preset = || {
            let preset = self.get("preset").filter(|_| self.get(name).is_none())?;
            let is_default = self.value(name, config) == self.value(name, &Config::default());
            let place = self.places.get("preset").map_or_else(String::new, |place| format!(", {place}"));
            (!is_default).then(|| format!("--preset {preset}{place}"))
        };
        place.or_else(of_preset).map_or_else(String::new, |place| tr!(" (from {place})", place))
    }
}

/// Refuses an option of a [command](super::settings::others) that does nothing with the other given options. `given` has each
/// option with its text.
///
/// # Errors
/// [`Error::Config`] that names the option.
#[cfg(feature = "cli")]
pub(crate) fn refuse_idle(command: &str, given: &BTreeMap<String, String>) -> Result<()> {
    use super::settings::others::{OTHERS, TRUTH};

    // The part after a colon belongs to the truth itself.
    let value = |name: &str| given.get(name).map_or(TRUTH, |value| value.split(':').next().unwrap_or_default());
    for (_, option, when) in OTHERS.iter().filter(|(of, option, _)| *of == command && given.contains_key(*option)) {
        let acts = match when {
            When::Is(name, words) => words.contains(&value(name)),
            When::With(name) => given.contains_key(*name),
            When::Without(name) => !given.contains_key(*name),
            When::Timed | When::Beyond | When::BeyondItself | When::Any(_) => true,
        };
        if !acts {
            let reason = idle(when, &Offers::new(), |name| value(name).to_owned(), |_| String::new());
            return Err(Error::config(option, reason));
        }
    }
    Ok(())
}

/// Methods that only the command-line program needs.
#[cfg(feature = "cli")]
impl Settings {
    /// Sets which options the command has, and which words they take.
    pub(crate) fn offer(&mut self, offers: Offers) {
        self.offers = offers;
    }

    /// Records where a given setting comes from that was not typed.
    pub(crate) fn set_origin(&mut self, name: &'static str, place: String) {
        self.places.insert(name, place);
    }

    /// Whether a setting was typed, and does not come from a variable or file.
    pub(crate) fn is_typed(&self, name: &str) -> bool {
        self.given.contains_key(name) && !self.places.contains_key(name)
    }

    /// Returns only the settings that belong to a [`Config`].
    #[must_use]
    pub(crate) fn of_stages(&self) -> Self {
        let is_read = |name: &str| find(name).is_some_and(Setting::is_of_stages);
        let given = self.given.iter().filter(|(name, _)| is_read(name)).map(|(n, v)| (*n, v.clone())).collect();
        Self { given, ..self.clone() }
    }

    /// Returns a given setting that has no effect on inputs of this format.
    pub(crate) fn idle_in(&self, format: &str) -> Option<&'static Setting> {
        let idle = |setting: &&Setting| self.needs_format(setting) && !setting.formats.contains(&format);
        self.names().filter_map(find).find(idle)
    }

    /// Whether a given setting has an effect in some formats only. A way to represent a cluster needs a field only if it names one.
    fn needs_format(&self, setting: &Setting) -> bool {
        let names_field = || self.get("represent").is_some_and(|way| way.contains(':'));
        !setting.formats.is_empty() && !self.is_stated(setting) && (setting.name != "represent" || names_field())
    }

    /// Refuses a setting that has no effect on any of the inputs. An input in `auto` format may be of any format.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn refuse_formats(&self, formats: &[&str]) -> Result<()> {
        let idle = |setting: &&Setting| {
            let acts = |format: &&str| *format == "auto" || setting.formats.contains(format);
            self.needs_format(setting) && !formats.iter().any(acts)
        };
        match (self.names().filter_map(find).find(idle), formats.first()) {
            (Some(setting), Some(format)) => Err(no_format(setting, format)),
            _ => Ok(()),
        }
    }

    /// Returns the settings that a resumed run must share with the first run, in the form in which the state stores them.
    pub(crate) fn noted(&self) -> Vec<(String, String)> {
        let note = |setting: &Setting| {
            let write = setting.noted?;
            let default = match (setting.value, setting.default) {
                (Value::Switch, _) => "false",
                (_, "" | "standard output") => "-",
                (_, default) => default,
            };
            let value = match self.get(setting.name) {
                None if default == "-" => default.to_owned(),
                value => write(value.unwrap_or(default)),
            };
            Some((format!("--{}", setting.name), value))
        };
        all().filter_map(note).collect()
    }
}

/// Returns the error for a setting that has no effect on inputs of this format.
pub(crate) fn no_format(setting: &Setting, format: &str) -> Error {
    let formats = either(setting.formats);
    let reason = match format {
        // Not every command has the option.
        "lines" => tr!(
            "does nothing: the input is read as plain text, each line a message. If it is {formats}, name its --format",
            formats
        ),
        format => tr!("does nothing with --format {format}; it needs --format {formats}", format, formats),
    };
    Error::config(setting.name, reason)
}

/// Whether a given value is the default.
fn is_default(name: &str, value: &str) -> bool {
    find(name).is_some_and(|setting| !setting.default.is_empty() && setting.default == value)
}

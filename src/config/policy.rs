//! Policies: how careful the repeat rule is, and whether remarks and templates make a new message. Users decide these differently.

use serde::{Deserialize, Serialize};

use super::{Config, SIMILARITY};

/// The differences that keep a message that would otherwise be a near repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// The message is kept if a fact differs.
    Facts,
    /// The message is kept if a fact, a link, an `@name` or any content word differs, unless the word is a typo that sounds or
    /// looks alike. For archives and legal holds.
    Careful,
    /// Facts do not count.
    Off,
}

/// How a user's own remark on a forwarded message counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remarks {
    /// A short remark does not keep the message: 转发, 太好了.
    Fold,
    /// Every remark keeps the message. For collections of opinions and comments.
    Keep,
}

/// How a message from the same template with a different filling counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Templates {
    /// It is another message: another flight, another code.
    Keep,
    /// It is a repeat. Facts then do not count. For filters of fraud and spam, which look for campaigns.
    Fold,
}

/// The settings of the repeat rule.
///
/// ```
/// use quchong::config::{Config, Guard, Preset};
/// assert_eq!(Config::default().policy().guard, Guard::Facts);
/// assert_eq!(Preset::Careful.config().policy().guard, Guard::Careful);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// [`Config::similarity`].
    pub similarity: u32,
    /// [`Config::guard`].
    pub guard: Guard,
    /// [`Config::remarks`].
    pub remarks: Remarks,
    /// [`Config::templates`].
    pub templates: Templates,
}

impl Default for Policy {
    fn default() -> Self {
        Self { similarity: SIMILARITY, guard: Guard::Facts, remarks: Remarks::Fold, templates: Templates::Keep }
    }
}

impl Policy {
    /// Whether a different word, link or name counts, too.
    pub(crate) fn is_careful(&self) -> bool {
        self.guard == Guard::Careful
    }

    /// Whether facts count.
    pub(crate) fn has_facts(&self) -> bool {
        self.guard != Guard::Off && self.templates == Templates::Keep
    }

    /// Whether a message that says the same in other words and in another order is a repeat.
    pub(crate) fn retells(&self) -> bool {
        self.has_facts() && !self.is_careful()
    }
}

impl Guard {
    /// Every guard and its name.
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("facts", Self::Facts), ("careful", Self::Careful), ("off", Self::Off)];
}

impl Remarks {
    /// Both ways and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("fold", Self::Fold), ("keep", Self::Keep)];
}

impl Templates {
    /// Both ways and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("keep", Self::Keep), ("fold", Self::Fold)];
}

impl Config {
    /// The settings of the repeat rule.
    pub fn policy(&self) -> Policy {
        let Self { similarity, guard, remarks, templates, .. } = *self;
        Policy { similarity, guard, remarks, templates }
    }
}

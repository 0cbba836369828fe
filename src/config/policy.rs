//! What users decide differently about repeats: how careful, and what remarks and templates are to them.

use serde::{Deserialize, Serialize};

use super::{Config, SIMILARITY};

/// Whether a message whose facts differ is no repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// A fact that differs keeps a message.
    Facts,
    /// So does any content word that differs, where it is no plain typo: for archives and legal holds.
    Careful,
    /// Facts do not count.
    Off,
}

/// What a remark of one's own is, on a message that is passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remarks {
    /// A short one is no news: 转发, 太好了.
    Fold,
    /// Each one is kept: for collections of opinions and comments.
    Keep,
}

/// What one template with another filling is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Templates {
    /// Another message: another flight, another code.
    Keep,
    /// A repeat: for filters of fraud and spam, which want the campaign. Facts do not count then.
    Fold,
}

/// What the repeat rule is told.
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
    /// Whether facts count.
    pub(crate) fn has_facts(&self) -> bool {
        self.guard != Guard::Off && self.templates == Templates::Keep
    }
}

impl Guard {
    /// Every guard and its name.
    pub(crate) const NAMED: [(&'static str, Self); 3] =
        [("facts", Self::Facts), ("careful", Self::Careful), ("off", Self::Off)];
}

impl Remarks {
    /// Both, and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("fold", Self::Fold), ("keep", Self::Keep)];
}

impl Templates {
    /// Both, and their names.
    pub(crate) const NAMED: [(&'static str, Self); 2] = [("keep", Self::Keep), ("fold", Self::Fold)];
}

impl Config {
    /// What the repeat rule is told.
    pub fn policy(&self) -> Policy {
        let Self { similarity, guard, remarks, templates, .. } = *self;
        Policy { similarity, guard, remarks, templates }
    }
}

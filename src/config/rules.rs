//! The rules that remove wrapping from a text, their names, and sets of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::locale::tr;

/// One kind of wrapping, which the body form of a text does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Repost markers: `//@name:`, `/@name:`, `转发微博`, `回复@name:`, `【转】`. The comments between them stay.
    Repost,
    /// `@name`.
    Mention,
    /// `https://…`, `t.cn/x`, `O网页链接`, link cards `O<title>` up to a blank or `#`, and the word `URL`, which data sets put in the
    /// place of a link.
    Url,
    /// `[表情]`: a short bracketed name without digits.
    Emoticon,
    /// Emoji, and the `??` that crawlers leave in their place.
    Emoji,
    /// `#topic#`. The topic is removed from the body and stored separately.
    Topic,
    /// Video tails: `L某某的微博视频`.
    Video,
    /// Place stamps: `2北京·海淀` at the end.
    Place,
    /// Residue of the web page: `收起全文d`, `展开全文`, `查看图片`. At the end of a text also `via…`, `来源：…` and, after a full sentence,
    /// `（source）`.
    Page,
    /// Civility, adverts, sources and requests to pass the message on: `尊敬的业主您好，…，敬请谅解`. Only whole clauses at the ends of a short
    /// text without a topic are removed. That needs [`Punctuation`](Self::Punctuation), which tells where clauses end. An opt-out (`退订回T`)
    /// is removed from the end of any text.
    Civility,
    /// Punctuation and symbols, except inside a number (`6.3`, `1,234`, `20:30`, `9%`). Also the number of a list item (`8.`)
    /// at the beginning.
    Punctuation,
}

impl Rule {
    /// Every rule, with its name in `--normalise`.
    pub(crate) const NAMED: [(&'static str, Self); 11] = [
        ("repost", Self::Repost),
        ("mention", Self::Mention),
        ("url", Self::Url),
        ("emoticon", Self::Emoticon),
        ("emoji", Self::Emoji),
        ("topic", Self::Topic),
        ("video", Self::Video),
        ("place", Self::Place),
        ("page", Self::Page),
        ("civility", Self::Civility),
        ("punctuation", Self::Punctuation),
    ];
}

/// A set of [`Rule`]s.
///
/// ```
/// use quchong::config::{Rule, Rules};
/// let rules = Rules::ALL.without(Rule::Video);
/// assert!(!rules.has(Rule::Video) && rules.has(Rule::Place));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules(u16);

impl Rules {
    /// Every rule.
    pub const ALL: Self = Self((1 << Rule::NAMED.len()) - 1);
    /// The rules for residue that only Weibo's pages leave in a text: `L某某的微博视频`, ` 2北京`, `收起全文d`. In other texts the same
    /// characters may be content.
    pub const WEIBO: Self = Self(1 << Rule::Video as u16 | 1 << Rule::Place as u16 | 1 << Rule::Page as u16);
    /// No rule: the body is the canonical form.
    pub const NONE: Self = Self(0);
    /// No rule, and no canonical form: fingerprints are made from the raw text (Gao & Li 2014).
    pub const RAW: Self = Self(1 << 15);

    /// Whether `rule` is in the set.
    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u16) != 0
    }

    /// Returns the set with `rule` added.
    #[must_use]
    pub fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u16)
    }

    /// Returns the set without `rule`.
    #[must_use]
    pub fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u16))
    }

    /// Returns the set without all of `rules`.
    #[must_use]
    pub(crate) fn minus(self, rules: Self) -> Self {
        Self(self.0 & !rules.0)
    }

    /// Reads `raw`, or a comma-separated list of `all`, `none` and rule names: `url,mention`. A leading `-` removes a rule:
    /// `all,-topic`. A list that starts with `-` starts from all rules.
    ///
    /// ```
    /// use quchong::config::{Rule, Rules};
    /// assert!(!Rules::parse("all,-topic").unwrap().has(Rule::Topic));
    /// assert_eq!(Rules::parse("-topic").unwrap(), Rules::ALL.without(Rule::Topic));
    /// assert_eq!(Rules::ALL.without(Rule::Topic).to_string(), "all,-topic");
    /// ```
    ///
    /// # Errors
    /// Returns an [`Error::Config`] that names the unknown rule and all known ones.
    pub fn parse(list: &str) -> Result<Self> {
        Self::read(list).map_err(|reason| Error::config("--normalise", reason))
    }

    /// Does the same as [`parse`](Self::parse).
    ///
    /// # Errors
    /// Returns the reason as a message.
    pub(super) fn read(list: &str) -> std::result::Result<Self, String> {
        if list.trim().is_empty() {
            return Err(tr!("names no rule; write none to take nothing off"));
        }
        if list.trim() == "raw" {
            return Ok(Self::RAW);
        }
        let mut rules = if list.trim_start().starts_with('-') { Self::ALL } else { Self::NONE };
        let mut said = Self::NONE;
        for (at, item) in list.split([',', '，']).map(str::trim).enumerate() {
            let (name, take_out) = item.strip_prefix('-').map_or((item, false), |rest| (rest, true));
            let rule = Rule::NAMED.iter().find(|(known, _)| *known == name).map(|(_, rule)| Self::NONE.with(*rule));
            let named = match (name, rule) {
                ("raw", _) => return Err(tr!("`raw` stands alone; leave it or the other rules out")),
                ("all", _) => Self::ALL,
                ("none", _) => Self::NONE,
                (_, Some(rule)) => rule,
                _ => {
                    let known: Vec<&str> = Rule::NAMED.iter().map(|(known, _)| *known).collect();
                    return Err(tr!(
                        "no rule is called `{name}`; there are raw, all, none, {}",
                        known.join(&tr!(", ")),
                        name
                    ));
                }
            };
            let before = rules;
            rules = if take_out { rules.minus(named) } else { Self(rules.0 | named.0) };
            // `all` and `none` may only begin a list. A rule may be named only once, and only if that changes the set.
            let says = match rule {
                Some(rule) => rules != before && said.0 & rule.0 == 0,
                None => at == 0 && item != "-none",
            };
            if !says {
                return Err(tr!("`{item}` undoes or repeats what stands before it; leave one of them out", item));
            }
            said = Self(said.0 | rule.map_or(0, |rule| rule.0));
        }
        Ok(rules)
    }
}

impl fmt::Display for Rules {
    /// Writes the set in the form that [`parse`](Self::parse) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::NONE => "none",
            Self::RAW => "raw",
            _ => "all",
        })?;
        if ![Self::NONE, Self::RAW].contains(self) {
            Rule::NAMED.iter().filter(|(_, rule)| !self.has(*rule)).try_for_each(|(name, _)| write!(f, ",-{name}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_each_thing_once() {
        for list in
            ["all,none", "-topic,all", "url,url", "url,-url", "-url,url", "all,url", "url,-topic", "-none", "all,-all"]
        {
            let error = Rules::parse(list).unwrap_err().to_string();
            assert!(error.contains("undoes or repeats"), "{list}: {error}");
        }
        for list in ["raw,none", "url,raw", "-raw"] {
            let error = Rules::parse(list).unwrap_err().to_string();
            assert!(error.contains("`raw` stands alone"), "{list}: {error}");
        }
        for list in ["all", "none", "raw", "all,-topic", "-topic,-url", "none,url", "url,mention", "-all"] {
            let rules = Rules::parse(list).unwrap();
            assert_eq!(Rules::parse(&rules.to_string()).unwrap(), rules, "{list}");
        }
    }
}

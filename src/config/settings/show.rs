//! Writes the table for readers: as JSON, and as the Markdown table of the guide.

use serde_json::{Value as Json, json};

use super::{Setting, Value, all};
use crate::locale::tr;

/// A language of the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    /// docs/reference/options.md.
    English,
    /// docs/zh/reference/options.md.
    Chinese,
}

/// Returns the guide's tables of options, in Markdown: one for each group, below its heading.
pub(crate) fn markdown(tongue: Tongue) -> String {
    let head = match tongue {
        Tongue::English => "| option | default | what it does |\n|---|---|---|\n",
        Tongue::Chinese => "| 选项 | 默认 | 作用 |\n|---|---|---|\n",
    };
    let row = |setting: &Setting| {
        let (default, text) = match tongue {
            Tongue::English => (setting.default, setting.help),
            Tongue::Chinese if setting.zh_default.is_empty() => (setting.default, setting.zh),
            Tongue::Chinese => (setting.zh_default, setting.zh),
        };
        // A default in words has two tongues; any other is a value that can be written.
        let is_code = !default.is_empty() && setting.zh_default.is_empty();
        let default = if is_code { format!(" `{default}`") } else { format!(" {}", quoted(default)) };
        format!("| `{}` |{} | {} |\n", barred(&setting.usage()), barred(default.trim_end()), barred(&quoted(text)))
    };
    let (mut text, mut group) = (String::new(), "");
    for setting in all() {
        if setting.group != group {
            let gap = if group.is_empty() { "" } else { "\n" };
            group = setting.group;
            text += &format!("{gap}### {}\n\n{head}", tr!(group));
        }
        text += &row(setting);
    }
    text
}

/// Escapes bars, so that they do not end a cell.
fn barred(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Puts options into backticks, unless they are in backticks already.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            quoted.push('`');
        }
        let words = part.split_inclusive(' ').map(|word| {
            let option = word.trim_end_matches([' ', ',', ';', ':', '.', ')']);
            if at % 2 == 0 && option.starts_with("--") {
                format!("`{option}`{}", &word[option.len()..])
            } else {
                word.to_owned()
            }
        });
        quoted.extend(words);
    }
    quoted
}

/// Returns every setting as JSON, so that a program can offer it, too.
pub(crate) fn json() -> String {
    let row = |setting: &Setting| {
        let (name, words) = match setting.value {
            Value::Switch => (Json::Null, Json::Null),
            Value::Word(words) => (Json::Null, words.iter().map(|(word, _)| *word).collect()),
            Value::Text(name) => (name.into(), Json::Null),
        };
        json!({
            "name": setting.name, "group": setting.group, "value": name, "words": words, "default": setting.default,
            "example": setting.example, "commands": setting.commands, "of_stages": setting.is_of_stages(), "help": setting.help, "more": setting.more,
            "zh": setting.zh,
        })
    };
    let rows: Vec<String> = all().map(|setting| format!("  {}", row(setting))).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

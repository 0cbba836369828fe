use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::config::settings::{Value, all};
use crate::locale::Catalogue;

/// The files of src/, without their tests.
fn sources() -> Vec<(String, String)> {
    let (mut folders, mut found) = (vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let is_source = path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs");
            match path.is_dir() {
                true => folders.push(path),
                false if is_source => found.push((name(&path), without_tests(&path))),
                false => {}
            }
        }
    }
    found
}

fn name(path: &Path) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.strip_prefix(root).unwrap().display().to_string()
}

fn without_tests(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// The text of the literal at the start of `code`, and the code after it.
fn literal(code: &str) -> Option<(String, &str)> {
    let body = code.strip_prefix('"')?;
    let (mut text, mut chars) = (String::new(), body.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, &body[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                '\n' => {
                    let rest = chars.as_str();
                    let blanks = rest.len() - rest.trim_start().len();
                    chars.by_ref().take(blanks).count();
                }
                other => text.push(other),
            },
            c => text.push(c),
        }
    }
    None
}

/// The code up to the end of a call.
fn arguments(code: &str) -> &str {
    let mut depth = 1;
    let end = code.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    &code[..end.unwrap_or(code.len())]
}

/// The messages in the source: the literals of `tr!`, and constants that are passed to it.
fn messages() -> BTreeMap<String, String> {
    let sources = sources();
    let constant = |name: &str| {
        let beginning = format!("const {name}: &str =");
        let behind = sources.iter().filter_map(|(_, code)| Some(code.split_once(&beginning)?.1.trim_start()));
        behind.filter_map(|code| Some(literal(code)?.0)).collect::<Vec<_>>()
    };
    let mut found = BTreeMap::new();
    for (file, code) in &sources {
        let calls = code
            .match_indices("tr!(")
            .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        for (at, call) in calls {
            let behind = code[at + call.len()..].trim_start();
            // The names of classes have a catalogue of their own.
            if behind.starts_with("\"class\" =>") {
                continue;
            }
            let Some((mut text, rest)) = literal(behind) else {
                let word = behind.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                if word.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
                    found.extend(constant(word).into_iter().map(|text| (text, file.clone())));
                }
                continue;
            };
            let mut rest = rest;
            // A singular and a plural. Chinese needs only the plural.
            if let Some(plural) = rest.trim_start().strip_prefix('|') {
                (text, rest) = literal(plural.trim_start()).unwrap();
            }
            let given = arguments(rest);
            for place in places(&text).iter().filter(|place| !place.bytes().all(|byte| byte.is_ascii_digit())) {
                let is_given = given.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == place);
                assert!(is_given || place == "n", "{file}: {text}: nothing is given for {{{place}}}");
            }
            found.insert(text, file.clone());
        }
        // Messages that are translated only when they are shown.
        for maker in ["Error::Limit(", "later(", "progress("] {
            for behind in code.split(maker).skip(1) {
                found.extend(literal(behind.trim_start()).map(|(text, _)| (text, file.clone())));
            }
        }
        for maker in ["counted(", "plural("] {
            for behind in code.split(maker).skip(1).map(arguments) {
                let thing = behind.rfind(", \"").and_then(|at| literal(&behind[at + 2..]));
                found.extend(thing.map(|(text, _)| (text, file.clone())));
            }
        }
    }
    let ranges = all().filter_map(|setting| Some((setting.range?.0.to_owned(), setting.name.to_owned())));
    found.extend(ranges);
    found.extend(SHOWN_ELSEWHERE.iter().map(|text| ((*text).to_owned(), "a variable".to_owned())));
    found
}

/// Texts that are passed to `tr!` as variables, besides those that [`later`](crate::locale::later) marks: the lines and facts of
/// `explain`.
const SHOWN_ELSEWHERE: [&str; 29] = [
    "name",
    "shell",
    "canonical",
    "body",
    "topics",
    "tokens",
    "facts",
    "shingles",
    "fingerprint",
    "distance",
    "similarity",
    "B in A",
    "differs",
    "otherwise",
    "number",
    "unit",
    "negation",
    "rank",
    "link",
    "mention",
    "refutation",
    "correction",
    "qualifier",
    "number and word",
    "person",
    "place",
    "roles",
    "work",
    "word",
];

/// The texts of help, without the settings of the table, and clap's own words.
fn helps() -> BTreeSet<String> {
    fn gather(command: &Command, found: &mut BTreeSet<String>) {
        let mut add = |words: Option<&StyledStr>| {
            let words = words.map(ToString::to_string).unwrap_or_default();
            found.extend(words.split("\n\n").filter(|part| !part.is_empty()).map(str::to_owned));
        };
        [command.get_about(), command.get_long_about(), command.get_after_help()].into_iter().for_each(&mut add);
        for argument in command.get_arguments() {
            [argument.get_help(), argument.get_long_help()].into_iter().for_each(&mut add);
            argument.get_possible_values().iter().for_each(|value| add(value.get_help()));
        }
        found.extend(command.get_arguments().filter_map(clap::Arg::get_help_heading).map(str::to_owned));
        command.get_subcommands().for_each(|command| gather(command, found));
    }
    let mut found = BTreeSet::new();
    gather(&crate::cli::program(), &mut found);
    let of_table: BTreeSet<String> = all().flat_map(words_of).collect();
    found.retain(|text| !of_table.contains(text));
    for setting in all() {
        if let Value::Word(words) = setting.value {
            found.extend(words.iter().map(|(_, help)| (*help).to_owned()));
        }
    }
    // Examples that consist of commands alone are the same in any language.
    found.retain(|text| !text.starts_with("Example") || text.contains("   "));
    found.extend(OF_CLAP.iter().map(|text| (*text).to_owned()));
    found.extend(["Commands", "Options", "Arguments", "Example", "Examples"].map(str::to_owned));
    found.remove("");
    found
}

/// The placeholders `{}`, `{0}` and `{name}` in a text. Those without a name are given by their number.
fn places(text: &str) -> BTreeSet<String> {
    let mut unnamed = 0..;
    let parts = text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    let is_place = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    parts
        .filter(is_place)
        .map(|name| match name {
            "" => unnamed.next().unwrap_or_default().to_string(),
            name => name.to_owned(),
        })
        .collect()
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c))
}

#[test]
fn no_message_lacks_its_twin_and_no_twin_is_left_over() {
    let catalogue = Catalogue::chinese();
    let (messages, helps) = (messages(), helps());
    let mut wrong = String::new();
    for (text, file) in &messages {
        match catalogue.get(text) {
            None => wrong += &format!("{file}: no Chinese: {text}\n"),
            Some(chinese) if places(text) != places(chinese) => {
                wrong += &format!("{file}: other placeholders: {text} / {chinese}\n");
            }
            Some(_) => {}
        }
    }
    for text in helps.iter().filter(|text| catalogue.get(text).is_none()) {
        wrong += &format!("help: no Chinese: {text}\n");
    }
    for (text, chinese) in catalogue.entries() {
        if !messages.contains_key(text) && !helps.contains(text) {
            wrong += &format!("left over: {text}\n");
        }
        let is_word = text.chars().any(char::is_alphabetic);
        if is_word && !is_chinese(chinese) && !SAME.contains(&text) {
            wrong += &format!("not Chinese: {text} / {chinese}\n");
        }
    }
    assert!(messages.len() > 400 && helps.len() > 150, "{} {}", messages.len(), helps.len());
    assert!(wrong.is_empty(), "{wrong}");
}

/// Messages that have no words to translate.
const SAME: [&str; 6] = [
    "shell",
    "{name}:{line}: {}; {advice}",
    "{} and {}",
    "`{text}` is {reason}",
    "; {advice}",
    "{path}: {reason}{option}; {advice}{resume}",
];

/// The code that makes a message for a user.
const MAKERS: [&str; 21] = [
    "Err(",
    "map_err(|_|",
    "ok_or(",
    "ok_or_else(||",
    "let reason =",
    "bail!(",
    "anyhow!(",
    "ensure!(",
    "Error::config(",
    "Error::state(",
    "Error::invalid(",
    "Error::unmeasurable(",
    "Error::io(",
    "io::Error::other(",
    "io::Error::new(",
    "warn!(",
    "info!(",
    "error!(",
    "warn_user(",
    ".context(",
    "Fault {",
];

/// English texts that need no translation, because no user can cause them.
const UNTOLD: [&str; 5] = ["no header", "--format json", "nothing is called so", " at line 1 column ", " at column "];

#[test]
fn no_message_is_made_of_bare_english() {
    let mut bare = String::new();
    for (file, code) in sources() {
        let mut from = 0;
        while let Some(at) = code[from..].find('"').map(|at| from + at) {
            let Some((text, rest)) = literal(&code[at..]).filter(|_| !code[..at].ends_with(['\'', '\\', '#'])) else {
                from = at + 1;
                continue;
            };
            let before = &code[..at];
            let start = before.rfind([';', '{', '}']).map_or(0, |start| start + 1);
            let start = if before[start..].trim().is_empty() { before[..start].rfind(';').unwrap_or(0) } else { start };
            let call = &before[start..];
            let made = MAKERS.iter().filter_map(|maker| call.rfind(maker)).max();
            let words = text.split(' ').filter(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase()));
            // A limit is translated when it is reported.
            let is_told = |made: usize| ["tr!(", "Error::Limit("].iter().any(|told| call[made..].contains(told));
            let is_bare = made.is_some_and(|made| !is_told(made)) && text.contains(' ') && words.count() > 0;
            if is_bare && !UNTOLD.contains(&text.as_str()) {
                bare += &format!("{file}: {text}\n");
            }
            from = code.len() - rest.len();
        }
        bare += &named_behind_makers(&code).map(|name| format!("{file}: {name}\n")).collect::<String>();
    }
    assert!(bare.is_empty(), "write tr!(…) and its Chinese in src/locale/zh.toml:\n{bare}");
}

/// Finds the constants that are passed to a maker: a constant is English, while a closure can call `tr!`. `NO_NUMBER` is left out,
/// because it is translated when it is reported.
fn named_behind_makers(code: &str) -> impl Iterator<Item = &str> {
    let behind = MAKERS.iter().flat_map(|maker| code.match_indices(maker).map(|(at, _)| &code[at + maker.len()..]));
    behind.filter_map(|rest| {
        let rest = rest.trim_start().trim_start_matches('&');
        let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
        let is_name = end > 2 && !rest[end..].starts_with(|c: char| c.is_alphanumeric() || c == ':');
        Some(&rest[..end]).filter(|name| is_name && *name != "NO_NUMBER")
    })
}

#[test]
fn a_constant_behind_a_maker_is_found() {
    let code = "return Err(USAGE.to_owned()); x.ok_or(USAGE)?; Err(Error::Io); Err(T); map_err(|_| NO_NUMBER)";
    assert_eq!(named_behind_makers(code).collect::<Vec<_>>(), ["USAGE", "USAGE"]);
}

#[test]
fn every_class_has_a_chinese_name() {
    let classes = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/lexicon/classes.txt");
    let classes = fs::read_to_string(classes).unwrap();
    let headings = classes.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
    let stem = |heading: &str| {
        let name = heading.split(' ').next().unwrap().trim_end_matches(|c: char| c.is_ascii_digit());
        name.trim_end_matches("_char").replace('_', " ")
    };
    let mut names: BTreeSet<String> = headings.map(stem).collect();
    names.insert("opposite".to_owned());
    let catalogue = Catalogue::chinese();
    let known: BTreeSet<String> = catalogue.classes().map(|(english, _)| english.to_owned()).collect();
    let differ: Vec<_> = names.symmetric_difference(&known).collect();
    assert!(differ.is_empty(), "src/locale/classes.zh.toml has not the names of the classes: {differ:?}");
    assert!(catalogue.classes().all(|(_, chinese)| is_chinese(chinese)) && names.len() > 1000);
    assert_eq!(catalogue.class("place pair26"), Some("地点或对方"));
}

#[test]
fn lines_break_between_characters_but_not_before_a_stop_nor_in_a_word() {
    assert_eq!(wrapped("  写到此文件，标准输出除外", 13), "  写到此文\n  件，标准输\n  出除外");
    assert_eq!(wrapped("  -q  只写 --output-file 的", 14), "  -q  只写\n      --output-file\n      的");
    assert_eq!(without_colours("\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m quchong"), "Usage: quchong");
}

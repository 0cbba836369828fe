//! Help in Chinese. clap's own words are replaced in its output. clap breaks lines only at blanks, and Chinese has none, so this module
//! breaks the lines itself.

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::{env, process};

use crate::config::settings;
use crate::locale::tr;
use crate::locale::{columns, is_chinese};
use clap::Command;
use clap::builder::StyledStr;
use clap::error::Error;

use super::settings::words_of;

/// clap's own words. If one entry contains another, the longer one comes first.
const OF_CLAP: [&str; 15] = [
    "Usage: ",
    "Usage:",
    "[possible values: ",
    "Possible values:",
    "[default: ",
    "Print help (see more with '--help')",
    "Print help (see a summary with '-h')",
    "Print this message or the help of the given subcommand(s)",
    "Print help for the subcommand(s)",
    "Print help",
    "Print version",
    "[OPTIONS]",
    "[COMMAND]",
    "<COMMAND>",
    "Arguments:",
];

/// The columns of a line, unless the variable `COLUMNS` sets another number.
const COLUMNS: usize = 100;

/// Characters that may not begin a line.
const CLOSING: &str = "，。；：、？！）〕》」”…,.;:!?)]}";

/// Characters that may not end a line.
const OPENING: &str = "（〔《「“([{";

/// The command with its help translated into Chinese.
fn translated(command: Command) -> Command {
    let of_table = settings::all().flat_map(|setting| {
        let default = if setting.zh_default.is_empty() { setting.default } else { setting.zh_default };
        let default = if default.is_empty() { String::new() } else { format!(" [默认：{default}]") };
        let more = if setting.zh_more.is_empty() { String::new() } else { format!("。{}", setting.zh_more) };
        let chinese = [setting.zh.to_owned() + &default, format!("{}{more}{default}", setting.zh)];
        words_of(setting).into_iter().zip(chinese.map(|chinese| chinese.replace('`', "")))
    });
    let of_table: HashMap<String, String> = of_table.collect();
    said_by(command.term_width(0), &|english| match of_table.get(english) {
        Some(chinese) => chinese.clone(),
        None => english.split("\n\n").map(|part| tr!(part)).collect::<Vec<_>>().join("\n\n"),
    })
}

fn said_by(command: Command, say: &dyn Fn(&str) -> String) -> Command {
    let said = |words: Option<&StyledStr>| words.map(|words| say(&words.to_string()));
    let (about, more) = (said(command.get_about()), said(command.get_long_about()));
    let (after, far_after) = (said(command.get_after_help()), said(command.get_after_long_help()));
    let command = command.about(about.unwrap_or_default());
    let command = more.into_iter().fold(command, Command::long_about);
    let command = after.into_iter().fold(command, Command::after_help);
    let command = far_after.into_iter().fold(command, Command::after_long_help);
    let command = command.mut_args(|argument| {
        let (help, more) = (said(argument.get_help()), said(argument.get_long_help()));
        let argument = help.into_iter().fold(argument, clap::Arg::help);
        more.into_iter().fold(argument, clap::Arg::long_help)
    });
    command.mut_subcommands(|command| said_by(command, say))
}

/// Shows the requested help or version, and exits. Returns the error if it cannot be written.
pub(crate) fn show(error: &Error, program: &Command) -> anyhow::Error {
    match if is_chinese() { print_in_chinese(error, program) } else { error.print() } {
        Err(unwritten) if unwritten.kind() != io::ErrorKind::BrokenPipe => {
            anyhow::Error::new(unwritten).context("<stdout>")
        }
        _ => process::exit(error.exit_code()),
    }
}

/// Parses the arguments once more, with the translated command. Other runs are spared the translation, because few need help in Chinese.
fn print_in_chinese(error: &Error, program: &Command) -> io::Result<()> {
    let again = translated(program.clone()).try_get_matches_from(env::args_os());
    let again = again.err();
    let error = again.as_ref().unwrap_or(error);
    let to_terminal = if error.use_stderr() { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let styled = to_terminal && env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let rendered = error.render();
    let help = if styled { rendered.ansi().to_string() } else { rendered.to_string() };
    let width = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(COLUMNS);
    let help: String = help.lines().map(|line| wrapped(&of_clap(line), width) + "\n").collect();
    if error.use_stderr() {
        io::Write::write_all(&mut io::stderr(), help.as_bytes())
    } else {
        io::Write::write_all(&mut io::stdout(), help.as_bytes())
    }
}

/// A line of help with clap's own words, the headings and the values in Chinese.
fn of_clap(line: &str) -> String {
    let plain = without_colours(line);
    if let Some(heading) = plain.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
        return line.replace(&plain, &format!("{}：", tr!(heading)));
    }
    if let Some((word, help)) = line.split_once(':').filter(|_| plain.trim_start().starts_with("- ")) {
        let help = help.trim_start();
        return format!("{word}：{}", tr!(help));
    }
    OF_CLAP.iter().fold(line.to_owned(), |line, word| line.replace(word, &tr!(word)))
}

/// A line without its colour codes.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Breaks a line into lines of `width` columns. Later lines are indented to the text after the first gap of two or more blanks. Without a
/// gap they have the indent of the first line.
fn wrapped(line: &str, width: usize) -> String {
    let bare = without_colours(line);
    if columns(&bare) <= width {
        return line.to_owned();
    }
    let indent = bare.len() - bare.trim_start().len();
    let beside = bare.trim_start().find("  ").map_or(0, |gap| {
        let rest = &bare[indent + gap..];
        columns(&bare[indent..indent + gap]) + rest.len() - rest.trim_start().len()
    });
    let hang = indent + beside;
    let (mut out, mut column, mut in_style) = (String::new(), 0, false);
    let mut pieces: Vec<String> = Vec::new();
    for c in line.chars() {
        in_style |= c == '\u{1b}';
        match pieces.last_mut() {
            Some(piece) if in_style || joins(piece, c) => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        in_style &= c != 'm';
    }
    for piece in pieces {
        let wide = columns(&without_colours(&piece));
        if column + wide > width && column > hang {
            out.truncate(out.trim_end_matches(' ').len());
            out += &format!("\n{:hang$}", "");
            column = hang;
            if piece == " " {
                continue;
            }
        }
        out += &piece;
        column += wide;
    }
    out
}

/// Whether a character must stay on the line of the text before it.
fn joins(before: &str, c: char) -> bool {
    let is_word = |c: char| c != ' ' && columns(c.encode_utf8(&mut [0; 4])) == 1;
    let last = before.chars().last();
    CLOSING.contains(c) || last.is_some_and(|last| OPENING.contains(last) || is_word(c) && is_word(last))
}

#[cfg(test)]
mod tests;

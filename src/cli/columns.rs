//! Tables in aligned columns, for a terminal. In a pipe or a file a report stays Markdown. No other file uses terminal_size.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::Result;

use super::print;
use super::screen::{STRONG, is_colored, lead_line, painted};
use crate::locale::columns;

/// The width in columns, if the terminal does not tell its own.
const WIDTH: usize = 100;
/// The least width to which a column of words is narrowed.
const NARROW: usize = 16;
/// The blanks between two cells.
const GAP: usize = 2;

/// Prints a report in Markdown. A terminal first gets `lead`, the main number, and its tables have aligned columns.
pub(crate) fn print_markdown(lead: &str, markdown: &str) -> Result<ExitCode> {
    if !io::stdout().is_terminal() {
        return print(markdown.to_owned());
    }
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
    let is_colored = is_colored();
    print(lead_line(lead) + &in_columns(markdown, width.max(NARROW), is_colored))
}

/// Markdown with its tables in aligned columns, in lines of at most `width` columns.
fn in_columns(markdown: &str, width: usize, is_colored: bool) -> String {
    let (mut out, mut table) = (String::new(), Vec::new());
    for line in markdown.lines().chain([""]) {
        if line.starts_with('|') {
            table.push(line);
            continue;
        }
        out += &Columns::read(&std::mem::take(&mut table)).drawn(width, is_colored);
        match line.trim_start_matches('#') {
            title if title.len() < line.len() => out += &painted(title.trim(), STRONG, is_colored),
            _ => out += line,
        }
        out.push('\n');
    }
    out.pop();
    out
}

/// A table of Markdown.
struct Columns {
    /// The head, and then the rows.
    rows: Vec<Vec<String>>,
    /// For each column, whether it has words. Words are aligned to the left, and may be broken.
    words: Vec<bool>,
}

impl Columns {
    fn read(lines: &[&str]) -> Self {
        let cells = |line: &&str| -> Vec<String> {
            let line = line.trim_matches('|').replace("\\|", "\0");
            line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
        };
        let mut rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
        let rule = if rows.len() > 1 { rows.remove(1) } else { Vec::new() };
        let has_options = |at: usize| rows.iter().filter_map(|row| row.get(at)).any(|cell| cell.starts_with("--"));
        let words = rule.iter().enumerate().map(|(at, cell)| !cell.ends_with(':') || has_options(at)).collect();
        Self { words, rows }
    }

    /// Draws the table. If it is wider than `width`, it is drawn in parts below each other, and each part repeats the first column.
    fn drawn(&self, width: usize, is_colored: bool) -> String {
        let widths = self.widths(width);
        let Some(first) = widths.first() else { return String::new() };
        let (mut parts, mut used) = (vec![vec![0]], *first);
        for (column, wide) in widths.iter().enumerate().skip(1) {
            if used + GAP + wide > width && parts.last().is_some_and(|part| part.len() > 1) {
                parts.push(vec![0]);
                used = *first;
            }
            used += GAP + wide;
            parts.iter_mut().last().into_iter().for_each(|part| part.push(column));
        }
        let parts: Vec<String> = parts.iter().map(|part| self.part(part, &widths, is_colored)).collect();
        parts.join("\n")
    }

    /// The width of each column, which is that of its widest cell. If the table would be too wide, columns of words are narrowed.
    fn widths(&self, most: usize) -> Vec<usize> {
        let count = self.rows.first().map_or(0, Vec::len);
        let wide =
            |at: usize| self.rows.iter().filter_map(|row| row.get(at)).map(|cell| columns(cell)).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..count).map(wide).collect();
        let is_word = |at: usize| self.words.get(at).copied().unwrap_or(false);
        loop {
            let excess = (widths.iter().sum::<usize>() + GAP * count.saturating_sub(1)).saturating_sub(most);
            let widest = (0..count).filter(|at| is_word(*at) && widths[*at] > NARROW).max_by_key(|at| widths[*at]);
            let Some(widest) = widest.filter(|_| excess > 0) else { return widths };
            widths[widest] = widths[widest].saturating_sub(excess).max(NARROW);
        }
    }

    fn part(&self, part: &[usize], widths: &[usize], is_colored: bool) -> String {
        let mut out = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<String>> =
                part.iter().map(|at| broken(row.get(*at).map_or("", String::as_str), widths[*at])).collect();
            let is_strong = number == 0 || row.iter().any(|cell| cell.contains('★'));
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let cell = |(cell, at): (&Vec<String>, &usize)| {
                    let text = cell.get(line).map_or("", String::as_str);
                    let blank = " ".repeat(widths[*at].saturating_sub(columns(text)));
                    let is_left = self.words.get(*at).copied().unwrap_or(false);
                    if is_left { format!("{text}{blank}") } else { format!("{blank}{text}") }
                };
                let line = cells.iter().zip(part).map(cell).collect::<Vec<_>>().join(&" ".repeat(GAP));
                out += &painted(line.trim_end(), STRONG, is_colored && is_strong);
                out.push('\n');
            }
            if number == 0 {
                out += &part.iter().map(|at| "─".repeat(widths[*at])).collect::<Vec<_>>().join(&" ".repeat(GAP));
                out.push('\n');
            }
        }
        out
    }
}

/// Breaks a text into lines of at most `most` columns, between words, or within a word that is longer than a line.
fn broken(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && columns(&lines[last]) + columns(word.trim_end()) > most {
            lines.push(String::new());
        }
        for c in word.chars() {
            let last = lines.len() - 1;
            if c != ' ' && columns(&lines[last]) + columns(c.encode_utf8(&mut [0; 4])) > most {
                lines.push(String::new());
            }
            lines.iter_mut().last().into_iter().for_each(|line| line.push(c));
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "## 配对\n\n| engine | 选项 | found |\n|---|---|---:|\n| default | 不变 | 7 |\n| x★ | a\\|b c | 1234 |\n\nEnd.\n";

    #[test]
    fn columns_stand_below_each_other() {
        let expected = "配对\n\n\
                        engine   选项   found\n\
                        ───────  ─────  ─────\n\
                        default  不变       7\n\
                        x★       a|b c   1234\n\nEnd.\n";
        assert_eq!(in_columns(REPORT, 80, false), expected);
        let colored = in_columns(REPORT, 80, true);
        assert!(colored.contains("\u{1b}[1m配对\u{1b}[0m") && colored.contains("\u{1b}[1mx★"), "{colored:?}");
        assert_eq!(in_columns("No table.\n", 80, false), "No table.\n");
    }

    #[test]
    fn what_is_too_wide_is_broken_or_stands_in_parts() {
        let words = "一二三四五六七八九十一二三四五 and more";
        let table = format!("| a | b |\n|---|---:|\n| {words} | 1 |\n");
        let shown = in_columns(&table, 24, false);
        assert!(shown.lines().all(|line| columns(line) <= 24) && shown.contains("一二三四五六七八"), "{shown}");
        let numbers =
            format!("| n |{}\n|---|{}\n| x |{}\n", " 1234567 |".repeat(5), "---:|".repeat(5), " 1234567 |".repeat(5));
        let shown = in_columns(&numbers, 24, false);
        assert!(shown.lines().all(|line| columns(line) <= 24), "{shown}");
        assert_eq!(shown.matches("1234567").count(), 10);
        assert_eq!(shown.lines().filter(|line| line.starts_with('x')).count(), 3, "each part has the first column");
    }
}

//! Findings as text for people and for programs: tables, pages and [charts](chart). Markup escapes the text it is given; no
//! function here can fail.

pub(crate) mod chart;
mod clean;
#[cfg(feature = "lab")]
pub(crate) mod heat;
pub(crate) mod table;

use crate::locale::tr;
use maud::{DOCTYPE, PreEscaped};
pub(crate) use maud::{Markup, html};
use serde::Serialize;

use chart::STYLE;
pub(crate) use clean::{clean, lines};
pub(crate) use table::html_table;
#[cfg(feature = "lab")]
pub(crate) use table::markdown_table;

/// The language of pages.
fn language() -> &'static str {
    #[cfg(feature = "cli")]
    if crate::locale::is_chinese() {
        return "zh";
    }
    "en"
}

/// Writes a page that needs no other file.
#[cfg(feature = "lab")]
pub(crate) fn page(title: &str, body: &Markup) -> String {
    styled_page(title, "", body)
}

/// The style sheet of every page, which follows that of [charts](STYLE).
const PAGE: &str = include_str!("page.css");

/// As [`page`], with an additional style sheet.
pub(crate) fn styled_page(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang=(language()) {
            "\n"
            head {
                meta charset="utf-8";
                link rel="icon" href="data:,";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (clean(title)) }
                "\n"
                style { (PreEscaped(STYLE)) (PreEscaped(PAGE)) (PreEscaped(style)) }
            }
            "\n"
            body { "\n" h1 { (clean(title)) } "\n" (body) }
            "\n"
        }
        "\n"
    };
    page.into_string()
}

/// The beginning of a page: its main number, and the words that explain it.
pub(crate) fn headline(number: &str, words: &str) -> Markup {
    html! { p class="headline" { strong { (clean(number)) } (clean(words)) } "\n" }
}

/// A part of a whole in per cent, with one digit after the point if it is below 10.
#[cfg(feature = "cli")]
pub(crate) fn percent(part: u64, of: u64) -> String {
    let percent = if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
    let places = usize::from(part > 0 && percent < 10.0);
    match part > 0 && percent < 0.05 {
        true => "< 0.1 %".to_owned(),
        false => format!("{percent:.places$} %"),
    }
}

/// A paragraph.
pub(crate) fn paragraph(words: &str) -> Markup {
    html! { p { (clean(words)) } "\n" }
}

/// A share with at least three significant digits: `0.01230`, `1.20e-5`.
pub(crate) fn share(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        0.1.. => format!("{value:.4}"),
        0.001.. => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    }
}

/// A count with its digits in groups of three: `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with a noun, given in the singular as `one`: `1 text`, `2,000 texts`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    numbered(&grouped(count), count == 1, one)
}

/// The same for a number that is already formatted.
pub(crate) fn numbered(number: &str, is_one: bool, one: &str) -> String {
    let things = tr!(one);
    format!("{number} {things}{}", if is_one || language() == "zh" { "" } else { "s" })
}

/// Formats `report` as indented JSON. Structures of numbers, strings and lists cannot fail.
pub(crate) fn json(report: &impl Serialize) -> String {
    let mut json = serde_json::to_string_pretty(report).unwrap_or_default();
    json.push('\n');
    json
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, share};

    #[test]
    fn counts_are_legible() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "text"), counted(1000, "text")], ["1 text", "1,000 texts"]);
    }

    #[test]
    #[cfg(feature = "cli")]
    fn small_parts_are_not_nothing() {
        let told = [(0, 0), (0, 7), (1, 3), (1, 12), (3, 6031), (7, 7)].map(|(part, of)| super::percent(part, of));
        assert_eq!(told, ["0 %", "0 %", "33 %", "8.3 %", "< 0.1 %", "100 %"]);
    }

    #[test]
    fn shares_keep_their_digits() {
        let shares = [0.0, 0.5, 0.0123, 0.00123, 1.234e-5].map(share);
        assert_eq!(shares, ["0", "0.5000", "0.01230", "0.00123", "1.23e-5"]);
    }
}

//! Removes column labels, which a headline carries at its beginning or end: 敦煌团队与时间赛跑丨深度.

use std::ops::Range;

use super::common_chars::CharSet;
use super::cues::CUES;

/// Longest label with the blanks around it, in characters.
const LONGEST_LABEL: usize = 6;
/// Fewest characters of a headline without its label.
const HEADLINE: usize = 6;

/// Whether a character separates a label from a headline.
fn is_separator(c: char) -> bool {
    static SEPARATORS: CharSet = CharSet::of("|丨·-–—―│┃");
    SEPARATORS.has(c.into())
}

/// A website whose name has a blank, so that it is no word of a list.
const TWO_WORDS: &str = "the paper";
/// Shortest name after a dash that is known by its ending, in characters: a title may have a dash of its own, as in 手机没信号-断网.
const SHORTEST_AFTER_DASH: usize = 3;
/// Longest name of a site or a part of it, in characters.
const LONGEST_SITE: usize = 10;

/// Longest name of a column between a title and the names of its site, in characters.
const LONGEST_PART: usize = 4;

/// Whether a character separates the names of a site and its parts from a title.
fn is_site_separator(c: char) -> bool {
    matches!(c, '|' | '丨' | '_' | '│' | '┃' | '-')
}

/// Whether the name after a separator is the name of a website, or ends like one.
fn is_site(name: &str, separator: char) -> bool {
    let is_long = separator != '-' || name.chars().nth(SHORTEST_AFTER_DASH - 1).is_some();
    name == TWO_WORDS || CUES.website.is(name) || is_long && CUES.site_ending.ends(name)
}

/// Removes the name of the site that shows a title from its end: 真相来了_健康频道_某某网.
fn without_site(text: &str) -> &str {
    let mut left = text;
    loop {
        let last = left.char_indices().rev().take(LONGEST_SITE + 1).find(|(_, c)| is_site_separator(*c));
        let Some((at, separator)) = last else { return left };
        let name = left[at + separator.len_utf8()..].trim_matches(' ');
        // The parts of the site come between the title and the site.
        let is_short = separator != '-' && name.chars().nth(LONGEST_PART).is_none();
        let is_part = left.len() < text.len() && (separator == '_' || is_short);
        if !is_part && !is_site(name, separator) {
            return left;
        }
        let title = left[..at].trim_end_matches(|c| c == ' ' || is_site_separator(c));
        if title.chars().nth(HEADLINE - 1).is_none() {
            return left;
        }
        left = title;
    }
}

/// Returns the place of the text without column labels at its beginning and end: 敦煌团队与时间赛跑丨深度.
pub(super) fn unlabelled(text: &str) -> Range<usize> {
    let is_label = |word: &str| CUES.label.is(word.trim_matches(' '));
    let long = |rest: &str| rest.chars().nth(HEADLINE - 1).is_some();
    let parts = |c: char| c == ' ' || is_separator(c);
    let text = without_site(text);
    let last = text.char_indices().rev().take(LONGEST_LABEL + 1).find(|(_, c)| is_separator(*c));
    let left =
        last.filter(|(at, c)| is_label(&text[at + c.len_utf8()..])).map(|(at, _)| text[..at].trim_end_matches(parts));
    let text = left.filter(|left| long(left)).unwrap_or(text);
    let is_bracketed = text.starts_with('【');
    let is_end = |c: char| if is_bracketed { c == '】' } else { is_separator(c) };
    let first = text.char_indices().take(LONGEST_LABEL + 2).find(|(_, c)| is_end(*c));
    let found = first.filter(|(at, _)| is_label(text[..*at].trim_start_matches('【')));
    let rest = found.map(|(at, c)| text[at + c.len_utf8()..].trim_start_matches(parts)).filter(|rest| long(rest));
    let end = text.len();
    end - rest.unwrap_or(text).len()..end
}

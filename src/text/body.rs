//! The body form: the canonical form without its wrapping. 转发微博 //@小王: 今天武汉的樱花开了![鼓掌] has the body 今天武汉的樱花开了.
//!
//! Making the body takes one pass over the text. A table tells the characters that some rule could begin at; nearly all others are
//! copied in runs. `wrapping` and `links` recognise the pieces of wrapping. The rules fit the crawled data sets that the design was
//! measured on (`L…的微博视频` and the like are what became of Weibo's icons there).

mod classes;
mod punctuation;

use std::cell::OnceCell;
use std::ops::Range;

use super::civility;
use super::common_chars::{CharSet, each_common};
use super::labels;
use super::links;
use super::opt_out::opt_out;
use super::signs::Sign;
use super::tokens::is_inside_word;
use super::wrapping;
use crate::config::{Rule, Rules};
use classes::{CLASSES, Class, classify};

/// A message without its wrapping.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Body {
    /// The text that is left, with single blanks; empty if the message was all wrapping.
    pub text: String,
    /// Where in the canonical form the removed topics are, without their `#`.
    pub topics: Vec<Range<usize>>,
    /// Where in `text` a repost marker (`//@name:`) was cut out: the text before it is a comment on the text after it.
    pub reposts: Vec<usize>,
    /// Where in `text` punctuation was cut out that ends a clause.
    pub breaks: Vec<usize>,
    /// Where in `text` a sign was cut out.
    pub(crate) signs: Vec<(usize, Sign)>,
}

impl Body {
    /// Removes everything outside `range` from the text.
    fn narrow(&mut self, Range { start, end }: Range<usize>) {
        if start == 0 && end == self.text.len() {
            return;
        }
        self.end_at(end);
        self.text.drain(..start);
        self.reposts.retain(|at| *at >= start);
        self.breaks.retain(|at| *at > start);
        self.signs.retain(|(at, _)| *at >= start);
        let places = self.reposts.iter_mut().chain(&mut self.breaks).chain(self.signs.iter_mut().map(|(at, _)| at));
        places.for_each(|at| *at -= start);
    }

    /// Removes the text after `end`.
    fn end_at(&mut self, end: usize) {
        self.text.truncate(end);
        self.reposts.retain(|at| *at <= end);
        self.breaks.retain(|at| *at <= end);
        self.signs.retain(|(at, _)| *at <= end);
    }
}

/// Writes the body of a `canonical` form into `out`, replacing its contents. A piece that is cut out leaves a blank, so that its
/// neighbours do not become one word.
///
/// ```
/// use quchong::config::Rules;
/// use quchong::text::body::{Body, body_into};
/// use quchong::text::normalise::canonical;
///
/// let mut body = Body::default();
/// body_into(&canonical("转发微博 //@某人: 今天天气真好"), Rules::ALL, &mut body);
/// assert_eq!(body.text, "今天天气真好");
/// ```
pub fn body_into(canonical: &str, rules: Rules, out: &mut Body) {
    out.topics.clear();
    out.reposts.clear();
    out.breaks.clear();
    out.signs.clear();
    out.text.clear();
    out.text.reserve(canonical.len());
    let mut scanner = Scanner {
        text: canonical,
        rules,
        classes: &CLASSES,
        out,
        blank: false,
        tail: None,
        inner: false,
        numbered: None,
        reference: None,
        last_groups: [')', '】'].map(|close| last_group(canonical, close)),
        last_han: OnceCell::new(),
    };
    let labelled = if rules.has(Rule::Page) { labels::unlabelled(canonical) } else { 0..canonical.len() };
    let number = if rules.has(Rule::Punctuation) { wrapping::list_number(canonical) } else { 0 };
    let start = labelled.start.max(number);
    let end = labelled.end;
    let cut = if rules.has(Rule::Civility) { opt_out(&canonical[..end]) } else { end..end };
    let stop = scanner.scan(start, start, cut.start.max(start));
    // A piece of wrapping that begins before the opt-out may go on behind it.
    let behind = stop.max(cut.end);
    scanner.scan(behind, behind, end);
    if let Some(tail) = scanner.tail
        && tail.end == out.text.len()
    {
        out.end_at(tail.start);
    }
    // Under a topic or on a repost, thanks are a remark of its author, so civility stays.
    if rules.has(Rule::Civility) && out.topics.is_empty() && out.reposts.is_empty() {
        out.narrow(civility::without_civility(&out.text, &out.breaks));
    }
}

/// Punctuation that ends a clause. Quotation marks and the like do not end one.
static ENDS: CharSet = CharSet::of(",。、;:!?.…|/~");

/// What to do with the text at a character.
enum Step {
    /// Copy the character.
    Keep,
    /// Leave out this many bytes.
    Cut(usize),
    /// Leave out a link, which begins before the current character.
    Link(Range<usize>),
    /// This many bytes are wrapping if nothing is copied after them. The scan for wrapping inside them begins after `inner_at`
    /// bytes.
    Tail { length: usize, inner_at: usize },
}

struct Scanner<'a> {
    text: &'a str,
    rules: Rules,
    classes: &'static [Class; 1 << 16],
    out: &'a mut Body,
    /// Whether a blank is due before the next piece that is copied.
    blank: bool,
    /// The part of the output that is wrapping if it stays at the end.
    tail: Option<Range<usize>>,
    /// Whether the scan is inside a possible tail. No other tail begins there, because nested tails could go on for ever.
    inner: bool,
    /// Whether the text has several circled numbers, which then number a list; `None` until that is asked for.
    numbered: Option<bool>,
    /// The link or name that the next cut removes.
    reference: Option<Sign>,
    /// For `)` and `】`: the offset from which an opening bracket is closed by the last character of the text.
    last_groups: [Option<usize>; 2],
    /// Where the last Chinese character is; empty until that is asked for.
    last_han: OnceCell<Option<usize>>,
}

/// Returns the offset from which an opening bracket is closed by the last character of the text: …（科普第118期）. Returns `None` if the
/// text does not end with `close`.
fn last_group(text: &str, close: char) -> Option<usize> {
    text.strip_suffix(close).map(|inside| inside.rfind(close).map_or(0, |at| at + close.len_utf8()))
}

impl Scanner<'_> {
    /// Scans from `at` to `end`, or farther if a piece of wrapping that begins before `end` goes on. Copying begins at `run`.
    /// Returns where the scan stopped.
    fn scan(&mut self, mut run: usize, mut at: usize, end: usize) -> usize {
        let (classes, no_punctuation) = (self.classes, self.rules.has(Rule::Punctuation));
        while at < end {
            let here = each_common(&self.text[..end], at, |code| classes[usize::from(code)] == Class::Plain);
            let Some(c) = self.text[here..end].chars().next() else {
                at = end;
                break;
            };
            let class = classes.get(c as usize).copied().unwrap_or_else(|| classify(c));
            let step = match class {
                Class::Plain => Step::Keep,
                // A blank is copied with the text before it: `copy` holds it back until more text follows.
                Class::Blank if here > run => Step::Keep,
                Class::Blank => Step::Cut(c.len_utf8()),
                Class::Punctuation if no_punctuation && !self.is_said(here, c) => Step::Cut(c.len_utf8()),
                Class::Punctuation => Step::Keep,
                Class::Emoji if self.rules.has(Rule::Emoji) => Step::Cut(c.len_utf8()),
                Class::Emoji => Step::Keep,
                Class::Letter => self.letter(run, here, c).unwrap_or(Step::Keep),
                Class::Sign => match self.sign(run, here, c) {
                    Some(step) => step,
                    None if !no_punctuation || self.is_in_number(here, c) => Step::Keep,
                    None => Step::Cut(c.len_utf8()),
                },
            };
            let (here, step) = match step {
                Step::Link(place) => (place.start, Step::Cut(place.len())),
                step => (here, step),
            };
            match step {
                Step::Keep | Step::Link(_) => at = here + c.len_utf8(),
                Step::Cut(length) => {
                    // The digit of a keycap is removed with its frame.
                    let keycap = c == '\u{20e3}' && here > run && self.text.as_bytes()[here - 1].is_ascii_digit();
                    self.copy(run, here - usize::from(keycap));
                    if c == '/' && length > 1 {
                        self.out.reposts.push(self.out.text.len());
                    }
                    if length > 1 || ENDS.has(c.into()) || self.begins_last(here, c) {
                        self.out.breaks.push(self.out.text.len());
                    }
                    let after = here + c.len_utf8();
                    let sign = Sign::of(c, &self.text[..here], &self.text[after..]).filter(|_| after == here + length);
                    let sign = sign.or(self.reference.take());
                    self.out.signs.extend(sign.map(|sign| (self.out.text.len(), sign)));
                    self.blank = !is_inside_word(self.text, here, c);
                    at = here + length;
                    run = at;
                }
                Step::Tail { length, inner_at } => {
                    self.copy(run, here);
                    let (before, start) = (self.tail.take(), self.out.text.len());
                    let cut = c == '(' && self.rules.has(Rule::Punctuation);
                    self.blank |= cut;
                    self.inner = true;
                    at = self.scan(here + if cut { inner_at } else { 0 }, here + inner_at, here + length);
                    self.inner = false;
                    run = at;
                    let start = before.filter(|before| before.end == start).map_or(start, |before| before.start);
                    self.tail = Some(start..self.out.text.len());
                }
            }
        }
        self.copy(run, at.max(run));
        at
    }

    /// Copies a stretch of the text, after a blank if one is due. A blank at the end of the stretch becomes due in turn.
    fn copy(&mut self, from: usize, to: usize) {
        if from < to {
            if self.blank && !self.out.text.is_empty() {
                self.out.text.push(' ');
            }
            self.blank = self.text.as_bytes()[to - 1] == b' ';
            self.out.text.push_str(&self.text[from..to - usize::from(self.blank)]);
        }
    }

    /// Whether the bracket at `at` is closed by the last character of the text.
    fn begins_last(&self, at: usize, bracket: char) -> bool {
        let [round, square] = self.last_groups;
        let from = match bracket {
            '(' => round,
            '【' => square,
            _ => None,
        };
        from.is_some_and(|from| from <= at)
    }

    /// Whether a Chinese character is at `at` or after it.
    fn has_han_from(&self, at: usize) -> bool {
        let last = self.last_han.get_or_init(|| self.text.rfind(wrapping::is_han));
        last.is_some_and(|last| last >= at)
    }

    /// Whether nothing has been copied yet.
    fn is_first(&self, run: usize, at: usize) -> bool {
        run == at && self.out.text.is_empty()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    fn word_before(&self, at: usize) -> bool {
        self.before(at).is_some_and(char::is_alphanumeric)
    }

    /// Whether an `o` at this place may be the icon of a link: it is no zero (`5 o左右`).
    fn may_be_card(&self, at: usize) -> bool {
        !self.text[..at].trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit() || c == 'o')
    }

    /// Recognises wrapping that begins with a letter.
    fn letter(&mut self, run: usize, at: usize, c: char) -> Option<Step> {
        let rest = &self.text[at..];
        let before = self.before(at);
        let letter_before = before.is_some_and(|c| c.is_ascii_alphabetic());
        let latin_before = before.is_some_and(|c| c.is_ascii_alphanumeric());
        let on = |rule| self.rules.has(rule);
        let cut = match c {
            '回' | '转' if on(Rule::Repost) => wrapping::repost(rest, self.is_first(run, at)),
            'h' | 'w' | 't' if on(Rule::Url) && (c == 'h' || !latin_before) => {
                let found = links::url(rest).filter(|_| !links::is_asked_for(&self.text[..at]));
                self.reference = found.map(|length| self.link(at, at + length));
                found
            }
            'u' if on(Rule::Url) && !latin_before => {
                let found = links::url_mask(rest, &self.text[..at]);
                // Which link the letters after `url` stand for is unknown.
                self.reference = found.map(|_| Sign::link("url", false));
                found
            }
            '网' if on(Rule::Url) => rest.starts_with("网页链接").then_some("网页链接".len()),
            'o' if on(Rule::Url) && !latin_before => wrapping::card(rest, self.may_be_card(at)),
            'l' if on(Rule::Video) && !letter_before => wrapping::video(rest),
            '全' | '展' if on(Rule::Page) && self.text[..at].ends_with("...") => {
                wrapping::rest_of_text(rest).or_else(|| wrapping::page(rest, before))
            }
            '收' | '展' | '查' | '分' if on(Rule::Page) => wrapping::page(rest, before),
            '2' if on(Rule::Place) && !self.inner && !latin_before => {
                let length = wrapping::place(rest, before, |c| classify(c) == Class::Emoji)?;
                return Some(Step::Tail { length, inner_at: 1 });
            }
            'v' | '来' if on(Rule::Page) && !self.inner && !latin_before && !self.is_first(run, at) => {
                return Some(Step::Tail { length: wrapping::credit(rest)?, inner_at: c.len_utf8() });
            }
            _ => None,
        };
        cut.map(Step::Cut)
    }

    /// Returns the sign of the link from `start` to `end`.
    fn link(&self, start: usize, end: usize) -> Sign {
        let link = &self.text[start..end];
        Sign::link(link, wrapping::is_link_the_point(&self.text[..start], link, &self.text[end..]))
    }

    /// Recognises wrapping that begins with a sign.
    fn sign(&mut self, run: usize, at: usize, c: char) -> Option<Step> {
        let rest = &self.text[at..];
        let on = |rule| self.rules.has(rule);
        let repost = || wrapping::repost(rest, false).filter(|_| on(Rule::Repost));
        let cut = match c {
            '/' | '【' => repost(),
            '[' => repost().or_else(|| wrapping::emoticon(rest).filter(|_| on(Rule::Emoticon))),
            '.' if on(Rule::Url) => {
                let place = links::bare_url(self.text, at).filter(|place| run <= place.start)?;
                let is_beside = links::is_beside(&self.text[..place.start], &self.text[place.end..]);
                self.reference = is_beside.then(|| self.link(place.start, place.end));
                return is_beside.then_some(Step::Link(place));
            }
            '@' if on(Rule::Mention) => {
                let found = wrapping::mention(rest, self.before(at).is_some_and(|c| c.is_ascii_alphanumeric()));
                if found.is_some_and(|length| {
                    wrapping::is_in_sentence(&self.text[..at], rest, length, || self.has_han_from(at + length))
                }) {
                    return Some(Step::Keep);
                }
                let named = |length: usize| {
                    Sign::mention(&rest[1..length], wrapping::is_name_the_point(&self.text[..at], rest, length))
                };
                self.reference = found.map(named);
                found
            }
            '#' if on(Rule::Topic) && !self.before(at).is_some_and(|c| c.is_ascii_alphabetic()) => {
                let Some(length) = wrapping::topic(rest) else {
                    return wrapping::cut_topic(&self.text[..at], rest).map(Step::Cut);
                };
                let inner = &rest[1..1 + length];
                let start = at + 1 + (length - inner.trim_start().len());
                self.out.topics.push(start..start + inner.trim().len());
                Some(length + 2)
            }
            // The sign of C#.
            '#' if self.before(at).is_some_and(|c| c.is_ascii_lowercase()) && wrapping::topic(rest).is_none() => {
                return Some(Step::Keep);
            }
            '?' if on(Rule::Emoji) => {
                let length = rest.bytes().take_while(|&byte| byte == b'?').count();
                let set_off = self.before(at) == Some(' ') && rest[length..].chars().next().is_none_or(|c| c == ' ');
                (length > 1 || set_off).then_some(length)
            }
            '(' => match repost() {
                // A credit in brackets follows a full sentence. Right after a word, brackets explain the word.
                None if on(Rule::Page)
                    && !self.inner
                    && !self.is_first(run, at)
                    && (run == at || !self.word_before(at)) =>
                {
                    return Some(Step::Tail { length: wrapping::source(rest)?, inner_at: 1 });
                }
                repost => repost,
            },
            _ => None,
        };
        cut.map(Step::Cut)
    }
}

#[cfg(test)]
mod tests;

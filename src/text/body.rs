//! The body form: the canonical form with its wrapping taken off. 转发微博 //@小王: 今天武汉的樱花开了![鼓掌] has the body 今天武汉的樱花开了.
//!
//! It takes one pass over the text. A table tells the characters that any rule could begin at. The others, nearly all, are copied in runs.
//! What wrapping looks like stands in `wrapping` and `links`. The rules are those of the crawls that the design was measured on
//! (`L…的微博视频` and the like are what Weibo's icons became there).

mod classes;
mod punctuation;

use std::cell::OnceCell;
use std::ops::Range;

use super::civility;
use super::common_chars::{CharSet, each_common};
use super::labels;
use super::links;
use super::signs::Sign;
use super::tokens::is_inside_word;
use super::wrapping;
use crate::config::{Rule, Rules};
use classes::{CLASSES, Class, classify};

/// A message without its wrapping.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Body {
    /// What is left, blanks single; empty if the message was all wrapping.
    pub text: String,
    /// Where in the canonical form the topics stand that were cut out, without their `#`.
    pub topics: Vec<Range<usize>>,
    /// Where in `text` a repost marker (`//@name:`) was cut out: what stands before is a comment on what follows.
    pub reposts: Vec<usize>,
    /// Where in `text` punctuation was cut out that ends a clause.
    pub breaks: Vec<usize>,
    /// Where in `text` a sign was cut out.
    pub(crate) signs: Vec<(usize, Sign)>,
}

impl Body {
    /// Takes off what is not in `range` of the text.
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

    /// Takes off what is behind `end` in the text.
    fn end_at(&mut self, end: usize) {
        self.text.truncate(end);
        self.reposts.retain(|at| *at <= end);
        self.breaks.retain(|at| *at <= end);
        self.signs.retain(|(at, _)| *at <= end);
    }
}

/// Writes the body of a `canonical` form into `out`, whatever was in it. What is cut out leaves a blank, so that its
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
    scanner.scan(start, start, labelled.end);
    if let Some(tail) = scanner.tail
        && tail.end == out.text.len()
    {
        out.end_at(tail.start);
    }
    // Under a topic, and on what is passed on, thanks are a remark.
    if rules.has(Rule::Civility) && out.topics.is_empty() && out.reposts.is_empty() {
        out.narrow(civility::news(&out.text, &out.breaks));
    }
}

/// Punctuation that ends a clause. Quotation marks and the like do not.
static ENDS: CharSet = CharSet::of(",。、;:!?.…|/~");

/// What to do with the text at a character.
enum Step {
    /// Copy the character.
    Keep,
    /// Leave out so many bytes.
    Cut(usize),
    /// Leave out a link, which begins before the character.
    Link(Range<usize>),
    /// So many bytes are wrapping if nothing is copied after them. The inner ones begin behind `inner_at` bytes.
    Tail { length: usize, inner_at: usize },
}

struct Scanner<'a> {
    text: &'a str,
    rules: Rules,
    classes: &'static [Class; 1 << 16],
    out: &'a mut Body,
    /// Whether a blank is due before what is copied next.
    blank: bool,
    /// What in the output is wrapping if it stays the end.
    tail: Option<Range<usize>>,
    /// Whether the scan is inside such a piece, where no other begins: pieces of pieces could go on for ever.
    inner: bool,
    /// Whether the text has several circled numbers, once that is known: then they number a list.
    numbered: Option<bool>,
    /// The link or the name that is cut out next.
    reference: Option<Sign>,
    /// From where on a round bracket, and a 【, closes where the text ends.
    last_groups: [Option<usize>; 2],
    /// Where the last Chinese character stands, once that is asked for.
    last_han: OnceCell<Option<usize>>,
}

/// From which byte on a bracket closes where the text ends: …（科普第118期）. `None` if the text does not end with `close`.
fn last_group(text: &str, close: char) -> Option<usize> {
    text.strip_suffix(close).map(|inside| inside.rfind(close).map_or(0, |at| at + close.len_utf8()))
}

impl Scanner<'_> {
    /// Scans from `at` to `end`, or as far beyond as wrapping goes that begins before; what is copied begins at `run`.
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
                // A blank goes with what stands before it: `copy` sees whether anything follows.
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
                    // The digit of a keycap goes with its frame.
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

    /// Copies a stretch of the text, after a blank if one is due; a blank at its end is due then.
    fn copy(&mut self, from: usize, to: usize) {
        if from < to {
            if self.blank && !self.out.text.is_empty() {
                self.out.text.push(' ');
            }
            self.blank = self.text.as_bytes()[to - 1] == b' ';
            self.out.text.push_str(&self.text[from..to - usize::from(self.blank)]);
        }
    }

    /// Whether a bracket there closes where the text ends.
    fn begins_last(&self, at: usize, bracket: char) -> bool {
        let [round, square] = self.last_groups;
        let from = match bracket {
            '(' => round,
            '【' => square,
            _ => None,
        };
        from.is_some_and(|from| from <= at)
    }

    /// Whether a Chinese character stands there or behind.
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

    /// Whether an `o` there may be the icon of a link: it is not a zero (`5 o左右`).
    fn may_be_card(&self, at: usize) -> bool {
        !self.text[..at].trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit() || c == 'o')
    }

    /// Wrapping that begins with a letter.
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
                let found = links::url_mask(rest);
                // What the letters behind it are, nobody knows.
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

    /// The link that stands there.
    fn link(&self, start: usize, end: usize) -> Sign {
        Sign::link(&self.text[start..end], wrapping::is_link_told(&self.text[..start], &self.text[end..]))
    }

    /// Wrapping that begins with a sign.
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
                let named =
                    |length: usize| Sign::mention(&rest[1..length], wrapping::is_named(&self.text[..at], rest, length));
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
            // C#.
            '#' if self.before(at).is_some_and(|c| c.is_ascii_lowercase()) && wrapping::topic(rest).is_none() => {
                return Some(Step::Keep);
            }
            '?' if on(Rule::Emoji) => {
                let length = rest.bytes().take_while(|&byte| byte == b'?').count();
                let set_off = self.before(at) == Some(' ') && rest[length..].chars().next().is_none_or(|c| c == ' ');
                (length > 1 || set_off).then_some(length)
            }
            '(' => match repost() {
                // A credit follows a full sentence; after a word brackets say more of it.
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

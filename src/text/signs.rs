//! Signs that say something where they stand: ≥ and ≤, √ and ×, → and ←, + and -, and how many stars.
//!
//! They are no tokens: a sign more or less is decoration as often as not. But of two texts that have another sign in one place, the one
//! says what the other does not: 血糖≥7 / 血糖≤7. So it is with the links and names that are taken off a text: 领券戳 t.cn/A6xq.
//! 、, 《 and 》 exclude nothing: they are kept because they separate the items of a list, and hold the title of a work. Nor do —— and 📍 near the
//! end: behind them stands whose words a text quotes, or where it was posted (…——毛泽东, …📍杭州·西湖).

use std::ops::RangeInclusive;

use super::links;
use super::wrapping;
use crate::hash::XxHash3_64;

/// A sign: its group above, its member below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Sign(u32);

/// Signs that exclude each other, in groups; those in one string are one.
const GROUPS: [&[&str]; 7] = [
    &["≥⩾≧", "≤⩽≦", ">", "<", "≠", "="],
    &["√✓✔✅☑👍", "×✗✘❌✖✕👎"],
    &["→➡➜⇒", "←⬅⇐"],
    &["↑⬆📈🔺▲", "↓⬇📉🔻▼"],
    &["+➕", "-➖−"],
    &["♂", "♀"],
    &["🟢", "🟡", "🔴"],
];
/// The group of stars, whose member is their number.
const STARS: u32 = GROUPS.len() as u32;
/// The group of circled numbers of a list: the place of each is its member.
const ITEMS: u32 = STARS + 1;
const CIRCLED: RangeInclusive<char> = '①'..='⑳';
/// The groups of links, and of names after `@`, each by its hash.
const LINK: u32 = ITEMS + 1;
const MENTION: u32 = LINK + 1;
/// The group of what separates items: 、.
const SEPARATOR: u32 = MENTION + 1;
/// The group of 《 and 》: the member tells which.
const QUOTE: u32 = SEPARATOR + 1;
/// The group of —— and 📍 near the end: the member tells which.
const CREDIT: u32 = QUOTE + 1;
/// Most bytes of the canonical form behind such a sign.
const CREDITED: usize = 48;
/// Of a link or a name: the text says that it is what matters.
const MATTERS: u32 = 1 << (BITS - 1);
/// Stars of a mark, filled or not. Of other runs at the beginning of a text, and of more stars, the number says nothing.
const MARK: usize = 5;
const MARKS: [&str; MARK + 1] = ["☆☆☆☆☆", "★☆☆☆☆", "★★☆☆☆", "★★★☆☆", "★★★★☆", "★★★★★"];
const BITS: u32 = 28;

impl Sign {
    /// The sign that begins at this character, where `before` and `after` stand around it. Most punctuation is none.
    #[inline]
    pub(crate) fn of(c: char, before: &str, after: &str) -> Option<Self> {
        match c {
            '★' | '☆' | '⭐' => Self::stars(c, before, after),
            '①'..='⑳' => Some(Self(ITEMS << BITS | (u32::from(c) - u32::from(*CIRCLED.start())))),
            '、' => Some(Self(SEPARATOR << BITS)),
            '《' => Some(Self(QUOTE << BITS)),
            '》' => Some(Self(QUOTE << BITS | 1)),
            '—' if after.len() <= CREDITED && before.ends_with('—') && !after.starts_with('—') => {
                Some(Self(CREDIT << BITS))
            }
            // 集合地点📍南门 says where to come.
            '📍' if after.len() <= CREDITED && after.contains('·') => Some(Self(CREDIT << BITS | 1)),
            '+' | '-' | '<'..='>' | '×' | '\u{2190}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}' => {
                Self::single(c, before, after)
            }
            _ => None,
        }
    }

    fn single(c: char, before: &str, after: &str) -> Option<Self> {
        let (last, first) = (before.chars().next_back(), after.chars().next());
        let (left, right) = (beside(before.chars().rev()), beside(after.chars()));
        let says = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let c = match (c, first) {
            // Arrows and bounds that are typed.
            ('>', _) if matches!(last, Some('-' | '=')) => '→',
            ('<', Some('-')) => '←',
            ('>', Some('=')) => '≥',
            ('<', Some('=')) => '≤',
            // The others are brackets.
            ('>' | '<', _) if !says(left) || !says(right) || !latin(left) && !latin(right) => return None,
            // The others are lines and lists of names.
            ('=' | '-' | '+', _) if !says(left) || !says(right) || !digit(left) && !digit(right) => return None,
            // The others begin a line.
            ('🔺' | '🔻' | '▲' | '▼', _) if !says(left) || right.is_some() && !digit(right) => return None,
            ('🟢' | '🟡' | '🔴', _) if !says(left) || says(first) => return None,
            // The others belong to a picture of somebody.
            ('♂' | '♀', _) if last.is_some_and(|c| c > '\u{ffff}') => return None,
            _ => c,
        };
        let member = |group: &&[&str]| group.iter().position(|same| same.contains(c));
        let (group, member) = GROUPS.iter().enumerate().find_map(|(at, group)| Some((at, member(group)?)))?;
        Some(Self((group as u32) << BITS | member as u32))
    }

    /// A link. `matters`: what stands before it says that it is what matters.
    pub(crate) fn link(link: &str, matters: bool) -> Self {
        Self::reference(LINK, links::address(link), matters)
    }

    /// A name after `@`.
    pub(crate) fn mention(name: &str, matters: bool) -> Self {
        Self::reference(MENTION, name, matters)
    }

    fn reference(group: u32, name: &str, matters: bool) -> Self {
        let hash = XxHash3_64::oneshot(name.as_bytes()) as u32 & (MATTERS - 1);
        Self(group << BITS | if matters { MATTERS } else { 0 } | hash)
    }

    fn group(self) -> u32 {
        self.0 >> BITS
    }

    /// Whether it is a link, or a name after `@`: the kind, and which one.
    pub(crate) fn referred(self) -> Option<(Reference, u32)> {
        let which = self.0 & (MATTERS - 1);
        match self.group() {
            LINK => Some((Reference::Link, which)),
            MENTION => Some((Reference::Mention, which)),
            _ => None,
        }
    }

    /// The link or name as a canonical form has it.
    pub(crate) fn written(self, canonical: &str) -> Option<&str> {
        let is_one = |found: &&str, sign: fn(&str, bool) -> Self| sign(found, false).referred() == self.referred();
        let link = |start: usize, end: usize| canonical.get(start..end).filter(|link| is_one(link, Self::link));
        self.referred()?;
        canonical.char_indices().find_map(|(at, c)| {
            let rest = &canonical[at..];
            match c {
                '@' => {
                    let length = wrapping::mention(rest, false)?;
                    rest.get(1..length).filter(|name| is_one(name, Self::mention)).map(|_| &rest[..length])
                }
                'h' | 'w' | 't' => link(at, at + links::url(rest)?),
                '.' => links::bare_url(canonical, at).and_then(|place| link(place.start, place.end)),
                _ => None,
            }
        })
    }

    /// Whether the text says that the link or name is what matters.
    pub(crate) fn matters(self) -> bool {
        self.0 & MATTERS != 0
    }

    /// Whether it numbers an item of a list.
    pub(crate) fn is_item(self) -> bool {
        self.group() == ITEMS
    }

    /// Whether it separates items of a list.
    pub(crate) fn is_separator(self) -> bool {
        self.group() == SEPARATOR
    }

    /// Whether it is 📍 near the end, behind which a place stands, or ——, behind which an author may.
    pub(crate) fn is_place(self) -> Option<bool> {
        (self.group() == CREDIT).then_some(self.0 & 1 == 1)
    }

    /// Whether a title begins there, or one ends.
    pub(crate) fn is_title(self) -> Option<bool> {
        (self.group() == QUOTE).then_some(self.0 & 1 == 0)
    }

    /// How many of a run of stars are filled; `None` behind its first one.
    fn stars(c: char, before: &str, after: &str) -> Option<Self> {
        let is_star = |c: &char| matches!(c, '★' | '☆' | '⭐');
        if before.ends_with(|c: char| is_star(&c)) {
            return None;
        }
        let run = || [c].into_iter().chain(after.chars()).take_while(is_star).take(MARK + 1);
        let is_mark = match run().count() {
            MARK => true,
            count => count < MARK && !before.trim_start().is_empty(),
        };
        let filled = run().filter(|c| *c != '☆').count();
        is_mark.then_some(Self(STARS << BITS | filled as u32))
    }

    /// Whether one stands for the other.
    pub(crate) fn excludes(self, other: Self) -> bool {
        self != other && self.group() == other.group() && self.group() < LINK
    }

    /// The sign, for readers.
    pub(crate) fn spelled(self) -> &'static str {
        const ITEMS_SPELLED: &str = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳";
        let member = (self.0 & ((1 << BITS) - 1)) as usize;
        if self.is_item() {
            let length = '①'.len_utf8();
            return ITEMS_SPELLED.get(member * length..(member + 1) * length).unwrap_or_default();
        }
        match GROUPS.get(self.group() as usize).and_then(|group| group.get(member)) {
            Some(same) => same.split_at(same.chars().next().map_or(0, char::len_utf8)).0,
            None => MARKS[member.min(MARK)],
        }
    }

    /// The sign as a number.
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    /// The sign of a number that [`code`](Self::code) gave.
    pub(crate) fn from_code(code: u32) -> Self {
        Self(code)
    }
}

/// What a text refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    Link,
    Mention,
}

/// What stands beside a sign, perhaps behind a blank.
fn beside(mut text: impl Iterator<Item = char>) -> Option<char> {
    text.next().map(|c| if c == ' ' { text.next() } else { Some(c) })?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signs of a text.
    fn signs(text: &str) -> String {
        let of = |(at, c): (usize, char)| Sign::of(c, &text[..at], &text[at + c.len_utf8()..]);
        text.char_indices().filter_map(of).filter(|sign| sign.group() < LINK).map(Sign::spelled).collect()
    }

    #[test]
    fn signs_are_what_says_something() {
        for (text, expected) in [
            ("血糖≥7", "≥"),
            ("血糖 >= 7", "≥"),
            ("血糖 <= 7", "≤"),
            ("a>b", ">"),
            ("5 < 7", "<"),
            ("外国人>本地人", ""),
            ("<通知>今天停课", ""),
            ("判断:√", "√"),
            ("判断:✗", "×"),
            ("北京->上海", "→"),
            ("北京→上海", "→"),
            ("上海<-北京", "←"),
            ("x=3", "="),
            ("x≠3", "≠"),
            ("3+2", "+"),
            ("3 - 2", "-"),
            ("王一+李二", ""),
            ("------", ""),
            ("=====公告=====", ""),
            ("-可以,不可以。", ""),
            ("大盘📉", "↓"),
            ("【通知】今天、明天:停课!", ""),
            ("服务★★★★★", "★★★★★"),
            ("服务★★☆☆☆,口味★★★☆☆", "★★☆☆☆★★★☆☆"),
            ("★★★★☆服务", "★★★★☆"),
            ("服务⭐⭐⭐", "★★★☆☆"),
            ("★★★通知★★★", "★★★☆☆"),
            ("★通知", ""),
            ("★★★★★★★★通知", ""),
        ] {
            assert_eq!(signs(text), expected, "{text}");
        }
    }

    #[test]
    fn only_signs_of_one_group_exclude_each_other() {
        let sign = |text: &str| Sign::of(text.chars().next().unwrap_or_default(), "7", &text[text.len()..]);
        for (a, b, excludes) in
            [("≥", "≤", true), ("√", "✓", false), ("√", "❌", true), ("→", "√", false), ("↑", "↓", true)]
        {
            let (Some(x), Some(y)) = (sign(a), sign(b)) else { panic!("{a} {b}") };
            assert_eq!((x.excludes(y), y.excludes(x)), (excludes, excludes), "{a} {b}");
            assert_eq!(Sign::from_code(x.code()), x);
        }
    }
}

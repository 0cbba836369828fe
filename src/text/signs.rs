//! Signs that carry meaning: ≥ and ≤, √ and ×, → and ←, + and -, and ratings in stars.
//!
//! Signs are no tokens, because an extra sign is often just decoration. But if two texts have different signs in one place, they
//! say different things: 血糖≥7 / 血糖≤7. The links and names that are cut out of a text are signs in the same sense: 领券戳 t.cn/A6xq.
//!
//! 、, 《 and 》 exclude no other sign. They are kept because 、 separates the items of a list, and 《 and 》 enclose the title of a
//! work. Nor do —— and 📍 near the end exclude anything: they precede the author of a quotation, or the place that the message was
//! posted from (…——毛泽东, …📍杭州·西湖).

use std::ops::RangeInclusive;

use super::links;
use super::wrapping;
use crate::hash::XxHash3_64;

/// A sign: the upper bits hold its group, the lower bits its member within the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Sign(u64);

/// Groups of signs that exclude each other. The signs in one string mean the same.
const GROUPS: [&[&str]; 7] = [
    &["≥⩾≧", "≤⩽≦", ">", "<", "≠", "="],
    &["√✓✔✅☑👍", "×✗✘❌✖✕👎"],
    &["→➡➜⇒", "←⬅⇐"],
    &["↑⬆📈🔺▲", "↓⬇📉🔻▼"],
    &["+➕", "-➖−"],
    &["♂", "♀"],
    &["🟢", "🟡", "🔴"],
];
/// The group of ratings in stars. The member is the number of filled stars.
const STARS: u64 = GROUPS.len() as u64;
/// The group of the circled numbers of a list. The member is the position of the number.
const ITEMS: u64 = STARS + 1;
const CIRCLED: RangeInclusive<char> = '①'..='⑳';
/// The groups of links, and of names after `@`. The member is a hash of the link or name.
const LINK: u64 = ITEMS + 1;
const MENTION: u64 = LINK + 1;
/// The group of 、, which separates items.
const SEPARATOR: u64 = MENTION + 1;
/// The group of 《 and 》. The member tells which.
const QUOTE: u64 = SEPARATOR + 1;
/// The group of —— and 📍 near the end. The member tells which.
const CREDIT: u64 = QUOTE + 1;
/// Near the end means at most this many bytes of the canonical form after the sign.
const CREDITED: usize = 48;
/// The bit of a link or name that the text presents as its point.
const THE_POINT: u64 = 1 << (BITS - 1);
/// Stars of a rating, filled or not. A longer run, or a shorter one at the beginning of a text, is decoration.
const RATING: usize = 5;
const RATINGS: [&str; RATING + 1] = ["☆☆☆☆☆", "★☆☆☆☆", "★★☆☆☆", "★★★☆☆", "★★★★☆", "★★★★★"];
/// The bits of a member. The hashes of links fill them, because thousands of messages may differ in their links alone.
const BITS: u32 = 60;

/// What a sign near the end of a text precedes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credit {
    /// Whose words it quotes: ——.
    Author,
    /// Where it was posted: 📍.
    Place,
}

/// What a sign does with a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TitleMark {
    /// 《.
    Begins,
    /// 》.
    Ends,
}

impl Sign {
    /// Returns the sign that this character begins between `before` and `after`. Most punctuation is no sign.
    #[inline]
    pub(crate) fn of(c: char, before: &str, after: &str) -> Option<Self> {
        match c {
            '★' | '☆' | '⭐' => Self::stars(c, before, after),
            '①'..='⑳' => Some(Self(ITEMS << BITS | u64::from(u32::from(c) - u32::from(*CIRCLED.start())))),
            '、' => Some(Self(SEPARATOR << BITS)),
            '《' => Some(Self(QUOTE << BITS)),
            '》' => Some(Self(QUOTE << BITS | 1)),
            '—' if after.len() <= CREDITED && before.ends_with('—') && !after.starts_with('—') => {
                Some(Self(CREDIT << BITS))
            }
            // A place with a dot (📍杭州·西湖) tells where the text was posted. 集合地点📍南门 tells where to come.
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
            // Arrows and bounds typed as two characters.
            ('>', _) if matches!(last, Some('-' | '=')) => '→',
            ('<', Some('-')) => '←',
            ('>', Some('=')) => '≥',
            ('<', Some('=')) => '≤',
            // Any other < or > is a bracket.
            ('>' | '<', _) if !says(left) || !says(right) || !latin(left) && !latin(right) => return None,
            // Any other =, - or + is part of a line, or joins names.
            ('=' | '-' | '+', _) if !says(left) || !says(right) || !digit(left) && !digit(right) => return None,
            // Any other triangle marks the beginning of a line.
            ('🔺' | '🔻' | '▲' | '▼', _) if !says(left) || right.is_some() && !digit(right) => return None,
            ('🟢' | '🟡' | '🔴', _) if !says(left) || says(first) => return None,
            // Any other ♂ or ♀ is part of an emoji of a person.
            ('♂' | '♀', _) if last.is_some_and(|c| c > '\u{ffff}') => return None,
            _ => c,
        };
        let member = |group: &&[&str]| group.iter().position(|same| same.contains(c));
        let (group, member) = GROUPS.iter().enumerate().find_map(|(at, group)| Some((at, member(group)?)))?;
        Some(Self((group as u64) << BITS | member as u64))
    }

    /// Returns the sign of a link. `is_the_point`: whether the text before the link presents it as the point of the message.
    pub(crate) fn link(link: &str, is_the_point: bool) -> Self {
        Self::reference(LINK, links::address(link), is_the_point)
    }

    /// Returns the sign of a name after `@`.
    pub(crate) fn mention(name: &str, is_the_point: bool) -> Self {
        Self::reference(MENTION, name, is_the_point)
    }

    fn reference(group: u64, name: &str, is_the_point: bool) -> Self {
        let hash = XxHash3_64::oneshot(name.as_bytes()) & (THE_POINT - 1);
        Self(group << BITS | if is_the_point { THE_POINT } else { 0 } | hash)
    }

    fn group(self) -> u64 {
        self.0 >> BITS
    }

    /// For a link or a name after `@`: its kind and its hash.
    pub(crate) fn referred(self) -> Option<(Reference, u64)> {
        let which = self.0 & (THE_POINT - 1);
        match self.group() {
            LINK => Some((Reference::Link, which)),
            MENTION => Some((Reference::Mention, which)),
            _ => None,
        }
    }

    /// Returns the link or name of this sign as it is spelled in the canonical form.
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

    /// Whether the text presents the link or name as its point.
    pub(crate) fn is_the_point(self) -> bool {
        self.0 & THE_POINT != 0
    }

    /// Whether the sign numbers an item of a list.
    pub(crate) fn is_item(self) -> bool {
        self.group() == ITEMS
    }

    /// Whether the sign separates items of a list.
    pub(crate) fn is_separator(self) -> bool {
        self.group() == SEPARATOR
    }

    /// Returns what may follow this sign near the end of a text, if it is —— or 📍.
    pub(crate) fn credit(self) -> Option<Credit> {
        let credit = if self.0 & 1 == 1 { Credit::Place } else { Credit::Author };
        (self.group() == CREDIT).then_some(credit)
    }

    /// Returns what this sign does, if it is 《 or 》.
    pub(crate) fn title_mark(self) -> Option<TitleMark> {
        let mark = if self.0 & 1 == 0 { TitleMark::Begins } else { TitleMark::Ends };
        (self.group() == QUOTE).then_some(mark)
    }

    /// Returns the number of filled stars of a run as a sign; `None` after the first star of the run, and if the run is decoration.
    fn stars(c: char, before: &str, after: &str) -> Option<Self> {
        let is_star = |c: &char| matches!(c, '★' | '☆' | '⭐');
        if before.ends_with(|c: char| is_star(&c)) {
            return None;
        }
        let run = || [c].into_iter().chain(after.chars()).take_while(is_star).take(RATING + 1);
        let is_rating = match run().count() {
            RATING => true,
            count => count < RATING && !before.trim_start().is_empty(),
        };
        let filled = run().filter(|c| *c != '☆').count();
        is_rating.then_some(Self(STARS << BITS | filled as u64))
    }

    /// Whether the two signs exclude each other: they differ, but belong to one group.
    pub(crate) fn excludes(self, other: Self) -> bool {
        self != other && self.group() == other.group() && self.group() < LINK
    }

    /// Returns the sign as a reader sees it.
    pub(crate) fn spelled(self) -> &'static str {
        const ITEMS_SPELLED: &str = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳";
        let member = (self.0 & ((1 << BITS) - 1)) as usize;
        if self.is_item() {
            let length = '①'.len_utf8();
            return ITEMS_SPELLED.get(member * length..(member + 1) * length).unwrap_or_default();
        }
        match GROUPS.get(self.group() as usize).and_then(|group| group.get(member)) {
            Some(same) => same.split_at(same.chars().next().map_or(0, char::len_utf8)).0,
            None => RATINGS[member.min(RATING)],
        }
    }

    /// Returns the sign as a number.
    pub(crate) fn code(self) -> u64 {
        self.0
    }

    /// Returns the sign for a number that [`code`](Self::code) returned.
    pub(crate) fn from_code(code: u64) -> Self {
        Self(code)
    }
}

/// What a sign refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    Link,
    Mention,
}

/// Returns the character next to a sign, skipping one blank.
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

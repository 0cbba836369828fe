//! Finds who wrote, told or wired a text, whose words it quotes, and where it was posted. None of this adds anything. Nor does another
//! paper or agency in the same place.
//!
//! …。文/李明, 疾控中心通报：…, 财联社4月29日电，…, …，只要肯登攀——毛泽东, …📍上海·武康路; 【新京报】… / 【澎湃新闻】….

use std::ops::Range;

use super::counts::has_numbers;
use super::slots::has_clause_boundaries;
use super::text_kind::asks;
use super::words::{all, cut};
use crate::rule::gap::Gap;
use crate::text::GistView;
use crate::text::cues::CUES;
use crate::text::lexicon::{Entry, Kind, Sense, Tag, lexicon};
use crate::text::signs::{Credit, TitleMark};
use crate::text::tokens::{Token, character, is_number, spelled};

/// Fewest tokens of a text that is recognised with an author after it.
const CREDITED_FROM: usize = 6;
/// Longest byline, in tokens.
const BYLINE_UPTO: usize = 14;
/// Most numbers in a date.
const DATE_UPTO: usize = 3;
/// The classes of places.
const PLACES_IN_BYLINES: [&str; 3] = ["province", "city", "district"];

/// Whether B begins or ends with the author, photographer or source of the text, and A does not.
pub(super) fn is_byline(a: GistView<'_>, b: GistView<'_>, gap @ Gap { a: p, b: q }: &Gap) -> bool {
    if !p.is_empty() || q.len() > BYLINE_UPTO || !has_clause_boundaries(b, q) {
        return false;
    }
    let list = &b.body.list[q.clone()];
    let side = spelled(list);
    let is_signed = || side.starts_with(['文', '图']) && b.breaks_at(q.start + 1) || CUES.byline.begins(&side);
    let is_at_end = || !has_numbers(list) && gap.is_at_end(a, b) && (is_signed() || names_source(&side));
    is_at_end() || is_head(b, q) || is_classic(b, q) && is_saying(a)
}

/// Returns the beginnings of both texts, if these name a paper or an agency and the gap is inside them: 【新京报】… / 【澎湃新闻】…,
/// 财联社4月29日电，… / 新华社北京4月29日电，…. Another date or place is another message.
pub(crate) fn other_agencies(a: GistView<'_>, b: GistView<'_>, gap: &Gap) -> Option<Gap> {
    if gap.a.start.max(gap.b.start) >= BYLINE_UPTO {
        return None;
    }
    let clause = |text: GistView<'_>, gap: &Range<usize>| text.clauses().next().filter(|clause| gap.end <= clause.end);
    let heads = Gap { a: clause(a, &gap.a)?, b: clause(b, &gap.b)? };
    let [place_of_a, place_of_b] = [agency(a, &heads.a)?, agency(b, &heads.b)?];
    let numbers = heads.of(a.body.list, b.body.list).map(|list| list.iter().filter(|token| is_number(**token)));
    let [of_a, of_b] = numbers;
    let is_same_place = place_of_a.is_empty() || place_of_b.is_empty() || place_of_a == place_of_b;
    (of_a.eq(of_b) && is_same_place).then_some(heads)
}

/// Returns the place that a paper or an agency names, or an empty string, if a text begins with this stretch and the stretch is such a
/// name.
fn agency(text: GistView<'_>, stretch: &Range<usize>) -> Option<String> {
    let list = &text.body.list[stretch.clone()];
    let is_one = may_be_head(text, stretch) && has_only_characters_and_numbers(list);
    let side = spelled(list);
    match has_numbers(list) {
        _ if !is_one => None,
        true => wired_from(list, &side),
        false => CUES.agency.is(&side).then(String::new),
    }
}

/// Whether a text begins with this stretch, and it says who tells or wired the text.
fn is_head(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    if !may_be_head(text, stretch) {
        return false;
    }
    let list = &text.body.list[stretch.clone()];
    let side = spelled(list);
    // 网传：… is a rumour.
    let heads = || CUES.heading.ends(&side) && !side.starts_with('网') && !text.breaks_in(1..stretch.end);
    if has_numbers(list) {
        return has_only_characters_and_numbers(list) && wired_from(list, &side).is_some();
    }
    names_source(&side) || heads() || CUES.reporter.begins(&side)
}

/// Whether a text begins with this stretch, and it is an author with a dynasty before the name: 宋·陆游《游山西村》：….
fn is_classic(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    may_be_head(text, stretch) && is_dated_author(text, stretch)
}

/// Whether a text may be a saying. An author adds nothing to a saying. In a notice the author is the news: 下节课背诵课文，请预习——朱自清《背影》.
fn is_saying(text: GistView<'_>) -> bool {
    !has_numbers(text.body.list) && !asks(text) && !CUES.noticed.within(&spelled(text.body.list))
}

/// Whether a text begins with this stretch, and another clause follows.
fn may_be_head(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    stretch.start == 0
        && (1..=BYLINE_UPTO).contains(&stretch.end)
        && stretch.end < text.body.list.len()
        && has_clause_boundaries(text, stretch)
}

/// Whether the list has only characters and numbers. Then [`spelled`] leaves out only the numbers.
fn has_only_characters_and_numbers(list: &[Token]) -> bool {
    list.iter().all(|token| is_number(*token) || character(*token).is_some())
}

/// Whether the stretch names a source: 据人社部官微.
fn names_source(side: &str) -> bool {
    side.starts_with('据') && CUES.teller.ends(side)
}

/// Returns the place, or an empty string, if the list is an agency, perhaps a place, and a date: 新华社北京4月29日电. 社区今晚停电 and 财联社辟谣4月29日电 say
/// more.
fn wired_from(list: &[Token], side: &str) -> Option<String> {
    let is_place = |place: &&str| {
        let place: Vec<Token> = place.chars().map(Token::from).collect();
        place.is_empty() || lexicon().get(&place).is_some_and(|entry| entry.tag() == Tag::Place)
    };
    let place = |rest: &str| {
        let undated = CUES.dated.strip_from_end(rest)?;
        Some(undated.strip_suffix('年').unwrap_or(undated)).filter(is_place).map(str::to_owned)
    };
    if list.iter().filter(|token| is_number(**token)).count() > DATE_UPTO {
        return None;
    }
    CUES.agency.rests_after(side.strip_prefix('据').unwrap_or(side)).find_map(place)
}

/// Whether B adds at its end whose words it quotes, or where it was posted.
pub(super) fn is_credit(a: GistView<'_>, b: GistView<'_>, gap @ Gap { a: p, b: q }: &Gap) -> bool {
    let is_end = p.is_empty() && gap.is_at_end(a, b);
    if !is_end || !(1..=BYLINE_UPTO).contains(&q.len()) || has_numbers(&b.body.list[q.clone()]) {
        return false;
    }
    let is_marked =
        |credit: Credit| b.signs.iter().any(|(at, sign)| *at as usize == q.start && sign.credit() == Some(credit));
    let is_posted = || is_marked(Credit::Place) && is_location(b, q) || b.begins_clause(q.start) && is_where(b, q);
    is_marked(Credit::Author) && is_author(b, q) && is_saying(a) || is_posted() && !is_placed(a)
}

/// Whether B is A, followed by the author of the quoted words: 凡是过往，皆为序章 / 凡是过往，皆为序章。——莎士比亚《暴风雨》.
pub(crate) fn is_credited(a: GistView<'_>, b: GistView<'_>) -> bool {
    let (x, y) = (a.body.list, b.body.list);
    x.len() >= CREDITED_FROM && y.starts_with(x) && is_credit(a, b, &Gap { a: x.len()..x.len(), b: x.len()..y.len() })
}

/// Whether the stretch only says where a text was posted: 坐标杭州.
fn is_where(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let side = spelled(&text.body.list[stretch.clone()]);
    let behind = |place: &str| stretch.end - place.chars().count()..stretch.end;
    side.chars().count() == stretch.len()
        && CUES.posted.rests_after(&side).any(|place| is_location(text, &behind(place)))
}

/// Whether an entry is a place of the dictionary or of a class.
fn is_place(entry: Entry) -> bool {
    let is_class = |sense: Sense| sense.kind == Kind::Class && PLACES_IN_BYLINES.contains(&lexicon().name(sense.group));
    entry.tag() == Tag::Place || lexicon().senses(entry).any(is_class)
}

/// Whether the stretch is an author, perhaps with a dynasty before and a work after the name: 鲁迅, 鲁迅《故乡》, 唐·李白《将进酒》, but not 鲁迅公园.
fn is_author(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = &text.body.list[stretch.clone()];
    has_only_characters_and_numbers(list) && names_author(text, stretch.end, &spelled(list))
        || is_dated_author(text, stretch)
}

/// Whether the stretch is a dynasty, an author, and perhaps a work: 唐·李白, but not 唐伯虎.
fn is_dated_author(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = &text.body.list[stretch.clone()];
    has_only_characters_and_numbers(list)
        && CUES.dynasty.rests_after(&spelled(list)).any(|name| names_author(text, stretch.end, name))
}

/// Whether this name, which ends at a place of the text, is that of an author, perhaps with a work.
fn names_author(text: GistView<'_>, end: usize, name: &str) -> bool {
    let begins_title = |behind: &str| {
        let at = end - behind.chars().count();
        text.signs.iter().any(|(place, sign)| *place as usize == at && sign.title_mark() == Some(TitleMark::Begins))
    };
    CUES.author.rests_after(name).any(|behind| behind.is_empty() || behind == "先生" || begins_title(behind))
}

/// Whether the stretch begins with a place of the lexicon and has only names: 上海·武康路. 西湖·人多 says more.
fn is_location(text: GistView<'_>, stretch: &Range<usize>) -> bool {
    let list = text.body.list;
    let words = cut(list, stretch, &all(lexicon(), text, stretch));
    let tag = |at: usize| words[at].entry.map(|entry| entry.tag());
    let is_name = |at: usize| tag(at).is_none_or(|tag| tag == Tag::None || tag.is_noun());
    let counts = |at: &usize| words[*at].range.len() > 1 || at + 1 == words.len();
    !words.is_empty()
        && words[0].entry.is_some_and(|entry| entry.tag() == Tag::Name || is_place(entry))
        && (0..words.len()).filter(counts).all(is_name)
        && !CUES.harm.within(&spelled(&list[stretch.clone()]))
}

/// Whether the text is about a place: 转让婴儿床，自提一百📍北京·望京.
fn is_placed(text: GistView<'_>) -> bool {
    CUES.placed.within(&spelled(text.body.list))
}

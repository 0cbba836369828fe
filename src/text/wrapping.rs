//! Recognises wrapping: each function returns how many bytes of wrapping a piece of canonical text begins with. In `@小王: 今天下雨`
//! these are the bytes of `@小王`.
//!
//! Every function looks ahead a bounded number of characters, so that even a text of nothing but beginnings of wrapping takes
//! linear time. Links have no bound: they are in `links`.

use super::cues::CUES;
use super::links;

/// Longest name in columns (two for a Chinese character): Weibo's limit. A longer "name" is a sentence glued to the `@`.
const NAME: usize = 30;
/// A name of more Chinese characters has the words after it glued to it.
const GLUED: usize = 8;
/// Longest topic and longest link card, in characters (repeat rule: 1–60).
const TOPIC: usize = 60;
/// Longest emoticon name, in characters. The longest of Weibo's common names have 7 (`冰雪奇缘雪宝`, `得意地笑`).
const EMOTICON: usize = 8;
/// Emoticons in letters, and the word that data sets put for a link.
const LETTERS: [&str; 12] = ["good", "ok", "no", "doge", "mua", "wow", "yeah", "haha", "hi", "bye", "cp", "url"];
/// Longest source in brackets, in characters (repeat rule: 2–14).
const SOURCE: usize = 14;
/// Longest credit (`来源:…`, `via…`), in characters.
const CREDIT: usize = 20;
/// Longest place, in characters.
const PLACE: usize = 14;

/// Whether a character may be in a Weibo name or in a place.
fn is_name(c: char) -> bool {
    is_han(c) || c.is_alphanumeric() || matches!(c, '_' | '-' | '·')
}

/// Whether a character is an ideograph.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' | '〇')
}

/// Whether `rest` begins with a letter or digit, so that the word before it goes on.
pub(crate) fn begins_word(rest: &str) -> bool {
    rest.chars().next().is_some_and(char::is_alphanumeric)
}

/// Returns the length of a name, which ends at the first character that names do not have.
pub(crate) fn name(rest: &str) -> Option<usize> {
    let mut width = 0;
    for (at, c) in rest.char_indices() {
        if !is_name(c) {
            return (at > 0).then_some(at);
        }
        width += if c.is_ascii() { 1 } else { 2 };
        if width > NAME {
            return None;
        }
    }
    (!rest.is_empty()).then_some(rest.len())
}

/// Returns the text after `@name` and a colon. Both may have blanks around them.
fn behind_account(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(' ').strip_prefix('@')?;
    let rest = &rest[name(rest)?..];
    Some(rest.trim_start_matches(' ').strip_prefix(':').unwrap_or(rest))
}

/// Recognises `//@name:`, `回复@name:`, `转发微博` as a word of its own, and `【转】`. `转:` counts only if it is `first`, with nothing but
/// wrapping before it.
pub(crate) fn repost(rest: &str, first: bool) -> Option<usize> {
    let marker = ["//", "/", "回复"].iter().find_map(|mark| behind_account(rest.strip_prefix(mark)?));
    let alone = || rest.strip_prefix("转发微博").filter(|after| !begins_word(after));
    let label = || {
        let after = rest.strip_prefix(['【', '[', '('])?;
        let after = ["转载", "转发", "转"].iter().find_map(|label| after.strip_prefix(label))?;
        after.strip_prefix(['】', ']', ')'])
    };
    let start = || ["转:", "转发:"].iter().find_map(|label| rest.strip_prefix(label)).filter(|_| first);
    let after = marker.or_else(alone).or_else(label).or_else(start)?;
    Some(rest.len() - after.len())
}

/// Recognises `@name`. Not a name: the middle of a mail address or a password (`a@b.c`, `a@2024`, with `letter_before`). Nor is a
/// name recognised if the words after it are glued to it, because those words are content.
pub(crate) fn mention(rest: &str, letter_before: bool) -> Option<usize> {
    let after = rest.strip_prefix('@')?;
    let length = name(after)?;
    let is_mail = || after[length..].starts_with('.') || after.starts_with(|c: char| c.is_ascii_digit());
    let mail = letter_before && after[..length].is_ascii() && is_mail();
    let is_set_off = after[length..].chars().next().is_none_or(|c| matches!(c, ' ' | ':' | '@' | ')'));
    (!mail && (is_set_off || !is_long(&after[..length]))).then_some(1 + length)
}

/// Whether a name is longer than most, so that the words after it are glued to it.
fn is_long(name: &str) -> bool {
    name.chars().filter(|c| is_han(*c)).count() > GLUED
}

/// Whether the `@name` of `length` bytes is part of the sentence: 恭喜@甲 中奖. Then the sentence begins before it and goes on after it.
/// A credit (据@甲 报道, (@甲)) or one name of a row is no part of it. `has_han_behind` tells whether a Chinese character is anywhere
/// after the name.
pub(crate) fn is_in_sentence(before: &str, rest: &str, length: usize, has_han_behind: impl FnOnce() -> bool) -> bool {
    let words = &*CUES;
    let before = before.trim_end_matches(' ');
    let after = rest[length..].trim_start_matches(' ');
    let credited = words.credit.ends(before);
    let row = after.starts_with('@') || before_name(before).is_some();
    if row || words.shared.begins(after) {
        return false;
    }
    // @甲辟谣 has no blank after the name.
    if words.did.ends(&rest[..length]) {
        return true;
    }
    if is_long(&rest[..length]) || after.is_empty() && words.given.ends(before) {
        return true;
    }
    let said = before.ends_with(|c: char| is_han(c) || matches!(c, ',' | '。' | ':' | '、' | '|'));
    let goes_on = after.starts_with(is_han) || after.starts_with([',', '、']) && has_han_behind();
    said && goes_on && !credited
}

/// Whether the `@name` of `length` bytes is the point of the message, though it is no part of a sentence. It may be one of a row
/// after a cue (恭喜@甲 @乙), or the person that the text addresses (@甲 请明天到教务处).
pub(crate) fn is_name_the_point(before: &str, rest: &str, length: usize) -> bool {
    if before.len() + rest.len() > BRIEF_BYTES {
        return false;
    }
    let (mut before, after) = (before.trim_end_matches(BESIDE_NAMES), rest[length..].trim_start_matches(BESIDE_NAMES));
    if before.is_empty() {
        let said = after.chars().take_while(|c| is_han(*c)).count();
        return said >= SAID || CUES.addressed.begins(after);
    }
    while let Some(more) = before_name(before) {
        before = more.trim_end_matches(BESIDE_NAMES);
    }
    CUES.row.ends(before)
}

/// With this many characters after it, a name addresses somebody; fewer only give a hint: @甲 你看.
const SAID: usize = 5;

/// Returns the text before an `@name` that `text` ends with.
fn before_name(text: &str) -> Option<&str> {
    let start = text.char_indices().rev().take(NAME + 1).find(|(_, c)| *c == '@')?.0;
    (name(&text[start + 1..]) == Some(text.len() - start - 1)).then(|| &text[..start])
}

/// The characters between the names of a row, and beside it.
const BESIDE_NAMES: [char; 4] = [' ', ',', '、', ':'];
/// In texts of more bytes, a link or a name is not the point of the message.
const BRIEF_BYTES: usize = 320;

/// In texts of more bytes (20 Chinese characters), a shortened link is not the point of the message: each sender may have another code for
/// the same page.
const BRIEF_BESIDE_CODE: usize = 60;

/// Whether the clause before a link says what to do there: 领券戳, 请点击链接报名. Then the link is the point of the message.
pub(crate) fn is_link_the_point(before: &str, link: &str, after: &str) -> bool {
    let most = if links::is_shortened(link) { BRIEF_BESIDE_CODE } else { BRIEF_BYTES };
    if before.len() + after.len() > most {
        return false;
    }
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = before.rfind([',', '。', ';', '!', '?', '…', '|', ')', '】', '》', ']', '#']).unwrap_or_default();
    CUES.act.within(&before[start..]) && !CUES.more.within(&before[start..])
}

/// Most letters of the shorter part of a word with a hyphen: Wi-Fi, e-mail. Words with longer parts are as often spelled as two:
/// Coca-Cola and Coca Cola.
const PART: usize = 2;

/// Whether a hyphen between `before` and `after` is inside one word.
pub(super) fn is_hyphenated(before: &str, after: &str) -> bool {
    fn part(mut bytes: impl Iterator<Item = u8>) -> Option<usize> {
        let mut length = 0;
        let end = bytes.find(|byte| {
            length += usize::from(byte.is_ascii_lowercase());
            !byte.is_ascii_lowercase()
        });
        (length > 0 && !end.is_some_and(|byte| byte.is_ascii_digit() || b"-_".contains(&byte))).then_some(length)
    }
    // xx-xx: data sets put x for a digit.
    let is_mask = before.ends_with('x') && after.starts_with('x');
    !is_mask && part(before.bytes().rev()).zip(part(after.bytes())).is_some_and(|(x, y)| x.min(y) <= PART)
}

/// Recognises a link card: `o网页链接`, or `o<title>` up to a blank or `#`. The title counts only if the
/// `o` `may` be the icon.
pub(crate) fn card(rest: &str, may: bool) -> Option<usize> {
    let title = rest.strip_prefix('o')?;
    if title.starts_with("网页链接") {
        return Some("o网页链接".len());
    }
    let first = title.chars().next()?;
    let blood_type = matches!(first, '型' | '形' | '泡');
    if !may || blood_type || !(is_han(first) || matches!(first, '“' | '《' | '【' | '「' | '『')) {
        return None;
    }
    upto(title, TOPIC, |c| matches!(c, ' ' | '#')).map(|length| 1 + length)
}

/// Returns the bytes before the first character that `ends` the piece, or before the end of the text. Returns `None` if the piece
/// has more than `limit` characters.
fn upto(rest: &str, limit: usize, ends: impl Fn(char) -> bool) -> Option<usize> {
    let mut chars = rest.char_indices();
    for (at, c) in chars.by_ref().take(limit) {
        if ends(c) {
            return Some(at);
        }
    }
    match chars.next() {
        None => Some(rest.len()),
        Some((at, c)) => ends(c).then_some(at),
    }
}

/// Recognises `[name]` without digits. `[prod]` is no emoticon.
pub(crate) fn emoticon(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('[')?;
    let length = upto(after, EMOTICON, |c| c == ']' || c == '[' || c.is_ascii_digit())?;
    let name = &after[..length];
    let is_other = || name.bytes().all(|byte| byte.is_ascii_alphabetic()) && !LETTERS.contains(&name);
    (length > 0 && after[length..].starts_with(']') && !is_other()).then_some(length + 2)
}

/// Recognises `#topic#`, and returns the bytes between the signs, which must have something to read in them.
pub(crate) fn topic(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('#')?;
    let topic = &after[..after.find('#').filter(|at| *at <= TOPIC * 4)?];
    let is_short = topic.len() <= TOPIC || topic.chars().count() <= TOPIC;
    let found = is_short && topic.contains(char::is_alphanumeric) && !topic.contains("//@");
    found.then_some(topic.len())
}

/// Recognises a second topic that was cut short at the end of the text: `#武汉##武汉新增17例`, but not `#排名# #1`. Returns its bytes.
pub(crate) fn cut_topic(before: &str, rest: &str) -> Option<usize> {
    let topic = rest.strip_prefix('#')?.trim_end_matches('…');
    let is_one = before.trim_end_matches(' ').ends_with('#')
        && topic.len() <= TOPIC * 4
        && topic.chars().count() <= TOPIC
        && topic.chars().all(char::is_alphanumeric)
        && topic.chars().any(|c| !c.is_ascii_digit());
    is_one.then_some(rest.len())
}

/// Recognises `l<name>的微博视频`.
pub(crate) fn video(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('l')?;
    let mut width = 0;
    for (at, c) in after.char_indices() {
        if c == '的' && at > 0 {
            let player = &after[at + c.len_utf8()..];
            let tail = ["微博", "秒拍", "酷燃", "优酷", "快手"].iter().find_map(|name| {
                ["视频", "直播"].iter().find_map(|kind| player.strip_prefix(name)?.strip_prefix(kind))
            });
            if let Some(tail) = tail {
                return Some(rest.len() - tail.len());
            }
        }
        width += if c.is_ascii() { 1 } else { 2 };
        if width > NAME || !is_name(c) {
            return None;
        }
    }
    None
}

/// Recognises ` 2<place>` or `2北京·故宫`, up to a blank, a picture or the end. Not if a count (`2个`), a date or a sentence is more
/// likely.
pub(crate) fn place(rest: &str, before: Option<char>, is_picture: impl Fn(char) -> bool) -> Option<usize> {
    const UNITS: &str = "个天年月日小时点次例人万亿千百十分秒号级楼元块米倍只名位条家斤届岁周种者台部本张件期套份季度";
    const PLACES: &str = "天津天水天门天台天长万州万宁万年千岛百色十堰日本日照日喀日内周口周宁周至本溪张掖张家张北台州台北台湾台中台南元江元氏元谋米易和田分宜";
    const SENTENCE: &str = "的了我你他不是吗吧啊";
    let after = rest.strip_prefix('2').filter(|after| after.starts_with(is_han))?;
    let place = &after[..upto(after, PLACE, |c| c == ' ' || c == '[' || is_picture(c))?];
    let first = place.chars().next()?;
    let start = place.char_indices().nth(2).map_or(place, |(at, _)| &place[..at]);
    let counts = UNITS.contains(first) && !PLACES.contains(start);
    let reads = place.chars().any(|c| !is_name(c) || SENTENCE.contains(c));
    let is_apart = before == Some(' ') || place.contains('·');
    (is_apart && !counts && !reads && place.chars().nth(1).is_some()).then_some(1 + place.len())
}

/// Recognises words of the web page around the message.
pub(crate) fn page(rest: &str, before: Option<char>) -> Option<usize> {
    let label = ["收起全文d", "收起全文", "展开全文c", "展开全文"].iter().find(|label| rest.starts_with(**label));
    let picture = ["查看图片", "分享图片"].iter().find(|label| rest.starts_with(**label)).filter(|label| {
        // Within a sentence these words are part of it.
        !before.is_some_and(char::is_alphanumeric) && !begins_word(&rest[label.len()..])
    });
    label.or(picture).map(|label| label.len())
}

/// Recognises the `全文` of `...全文`, or the `展开`, which links to the rest of the message.
pub(crate) fn rest_of_text(rest: &str) -> Option<usize> {
    let label = ["全文", "展开"].into_iter().find(|label| rest.starts_with(label))?;
    (!begins_word(&rest[label.len()..])).then_some(label.len())
}

/// Recognises the number of a list item at the beginning of a message: `8.`, `12、`, but not `3.15`.
pub(crate) fn list_number(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text[digits..].strip_prefix(['.', '、', ')']).filter(|_| (1..=2).contains(&digits));
    after.filter(|after| !after.starts_with(|c: char| c.is_ascii_digit())).map_or(0, |after| text.len() - after.len())
}

/// Recognises `via…` or `来源:…`, which is wrapping if no text follows.
pub(crate) fn credit(rest: &str) -> Option<usize> {
    let after = match rest.strip_prefix("via") {
        Some(after) if after.starts_with(|c: char| c.is_ascii_alphanumeric()) => return None,
        Some(after) => after,
        None => rest.strip_prefix("来源:")?,
    };
    let gap = after.len() - after.trim_start_matches([' ', ':']).len();
    let length = upto(&after[gap..], CREDIT, |c| c == ' ')?;
    Some(rest.len() - after.len() + gap + length)
}

/// Recognises `(source)` without digits, which is wrapping if no text follows. A sentence in brackets is the author's own.
pub(crate) fn source(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('(')?;
    let length = upto(after, SOURCE, |c| c == ')' || c.is_ascii_digit() || "(?!,。我你他不".contains(c))?;
    (after[length..].starts_with(')') && after[..length].chars().nth(1).is_some()).then_some(length + 2)
}

//! Numbers as readers read them: `1,234`, `6.3万`, `百分之三十`, `第七`, `二〇二〇年`.

mod measured;

use std::borrow::Cow;

use super::common_chars::CharSet;
use measured::is_measured;

/// A number at the beginning of a text, and the bytes it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numeral {
    /// Canonical digits: no leading zeros (but in a code of four digits or more), no separators, `万` and the like multiplied out; a
    /// fraction after `.`, without zeros at its end if a unit follows, and `%` or `‰` at the end.
    pub(crate) digits: String,
    /// Bytes of the text that it takes.
    pub(crate) length: usize,
}

/// Largest power of ten that `万`, `亿` and the like multiply digits out to: beyond, the text is no count.
const MOST_DIGITS: usize = 20;
/// From so many digits on, a zero at the beginning counts: 0123 is another code than 123, 08 and 8 are one month.
const CODE: usize = 4;

/// The Arabic number that `rest` begins with, up to a dot of a date: `2020.1.20` is three.
pub(crate) fn arabic(rest: &str) -> Option<Numeral> {
    let bytes = rest.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = run(0);
    if end == 0 {
        return None;
    }
    let mut whole = Cow::Borrowed(&rest[..end]);
    while bytes.get(end) == Some(&b',') && run(end + 1) == 3 {
        whole.to_mut().push_str(&rest[end + 1..end + 4]);
        end += 4;
    }
    let mut fraction = "";
    if bytes.get(end) == Some(&b'.') {
        let length = run(end + 1);
        let after = end + 1 + length;
        let date = bytes.get(after) == Some(&b'.') && run(after + 1) > 0 || follows_a_dot(&whole, length);
        if length > 0 && !date {
            fraction = &rest[end + 1..after];
            end = after;
        }
    }
    // A code, not an amount.
    if whole.len() >= CODE && whole.starts_with('0') && fraction.is_empty() {
        return Some(Numeral { digits: whole.into_owned(), length: end });
    }
    let (scale, unit) = multiplier(&rest[end..]);
    end += unit;
    // 7.10元 is 7.1元; 8.30 is a day, a version or a chapter, and another than 8.3.
    if fraction.ends_with('0') && (scale > 0 || is_measured(&rest[end..])) {
        fraction = fraction.trim_end_matches('0');
    }
    let mut digits = multiplied(&whole, fraction, scale);
    // 1万2千.
    if scale == 4 && fraction.is_empty() && run(end) == 1 && multiplier(&rest[end + 1..]) == (3, '千'.len_utf8()) {
        digits.replace_range(digits.len() - 4..digits.len() - 3, &rest[end..=end]);
        end += 1 + '千'.len_utf8();
    }
    // 1亿5千万, 3亿2000万.
    let more = run(end);
    let (part, unit) =
        if scale == 8 && fraction.is_empty() && more > 0 { multiplier(&rest[end + more..]) } else { (0, 0) };
    if matches!(part, 4 | 7) && more + part <= 8 {
        let low = format!("{:0>8}", format!("{}{}", &rest[end..end + more], "0".repeat(part)));
        digits.replace_range(digits.len() - 8.., &low);
        end += more + unit;
    }
    if let Some(sign) = rest[end..].chars().next().filter(|c| matches!(c, '%' | '‰')) {
        digits.push(sign);
        end += sign.len_utf8();
    }
    Some(Numeral { digits, length: end })
}

/// `2020.1` is a month, not a fraction.
fn follows_a_dot(whole: &str, fraction: usize) -> bool {
    whole.len() == 4 && (whole.starts_with("20") || whole.starts_with("19")) && (1..=2).contains(&fraction)
}

/// The power of ten of `千`, `万`, `亿`, `万亿` behind digits, and its bytes with a blank before it: 2 万.
fn multiplier(text: &str) -> (usize, usize) {
    let rest = text.strip_prefix(' ').unwrap_or(text);
    // Behind most numbers stands none.
    if !rest.starts_with(['千', '万', '百', '亿', 'w', 'k']) {
        return (0, 0);
    }
    // Kilograms, kilometres, kilowatts: the unit's own 千.
    if THOUSANDS.iter().any(|unit| rest.starts_with(unit)) {
        return (0, 0);
    }
    let known = |(unit, _): &&(&str, usize)| rest.starts_with(unit);
    let found = [("万亿", 12), ("千万", 7), ("百万", 6), ("亿", 8), ("万", 4), ("千", 3)].iter().find(known);
    // 1.5w is 1.5万, 20k is 20千.
    let letter = || {
        let found = [("w", 4), ("k", 3)].iter().find(known);
        found.filter(|_| rest.len() == text.len() && !rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    found.or_else(letter).map_or((0, 0), |(unit, scale)| (*scale, text.len() - rest.len() + unit.len()))
}

/// `whole`.`fraction` times 10^`scale`, without leading zeros.
fn multiplied(whole: &str, fraction: &str, scale: usize) -> String {
    let (moved, left) = fraction.split_at(fraction.len().min(scale));
    let mut digits = String::with_capacity(whole.len() + fraction.len() + scale + 2);
    for digit in whole.chars().chain(moved.chars()).chain(std::iter::repeat_n('0', scale - moved.len())) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    if digits.is_empty() {
        digits.push('0');
    }
    if !left.is_empty() {
        digits.push('.');
        digits.push_str(left);
    }
    digits
}

/// Value of a Chinese digit; of 十 百 千 万 亿 the power of ten, as the second.
fn numeral(c: char) -> Option<(u128, u32)> {
    Some(match c {
        '〇' | '○' | '零' => (0, 0),
        '一' => (1, 0),
        '二' | '两' => (2, 0),
        '三' => (3, 0),
        '四' => (4, 0),
        '五' => (5, 0),
        '六' => (6, 0),
        '七' => (7, 0),
        '八' => (8, 0),
        '九' => (9, 0),
        '十' => (0, 1),
        '百' => (0, 2),
        '千' => (0, 3),
        '万' => (0, 4),
        '亿' => (0, 8),
        _ => return None,
    })
}

/// The value of a Chinese numeral up to ten.
pub(crate) fn digit(c: char) -> Option<u32> {
    if c == '十' { Some(10) } else { numeral(c).filter(|(_, scale)| *scale == 0).map(|(value, _)| value as u32) }
}

/// Whether `c` is a Chinese numeral.
#[inline(always)]
pub(crate) fn is_numeral(c: char) -> bool {
    is_numeral_code(c.into())
}

/// As [`numeral`] says.
pub(super) static NUMERALS: CharSet = CharSet::of("〇○零一二两三四五六七八九十百千万亿");

/// Numerals of a receipt, which nobody can forge, and the others that they stand for.
const CAPITALS: &str = "壹贰叁肆伍陆柒捌玖拾佰仟";
const SMALL: &str = "一二三四五六七八九十百千";
/// What a number may begin with.
static BEGINNINGS: CharSet = NUMERALS.with(CAPITALS).with("廿");

/// Whether a number may begin with the character of a code.
#[inline(always)]
pub(crate) fn may_begin(code: u32) -> bool {
    BEGINNINGS.has(code)
}

/// The amount that `rest` begins with, as receipts have it: 叁万伍仟元. Several characters, because 伍 and 陆 are surnames.
pub(crate) fn amount(rest: &str) -> Option<Numeral> {
    let small = |c: char| {
        let capital = CAPITALS.chars().zip(SMALL.chars()).find(|(capital, _)| *capital == c);
        capital.map(|(_, small)| small).or(Some(c).filter(|c| is_numeral(*c)))
    };
    let run: String = rest.chars().take(MOST_DIGITS + 1).map_while(small).collect();
    let length = run.len();
    let is_amount = run.chars().nth(1).is_some() && rest[length..].starts_with(['元', '圆', '角']);
    is_amount.then(|| value(&run)).flatten().map(|digits| Numeral { digits, length })
}

/// Whether the character of a code is a Chinese numeral.
#[inline(always)]
pub(crate) fn is_numeral_code(code: u32) -> bool {
    NUMERALS.has(code)
}

/// Units and measure words: a numeral before one counts something.
pub(super) static UNITS: CharSet = CharSet::of(
    "折例名人位岁号日月年点时分次场天元块期届批个只条件家台部辆架层楼集章页米尺寸斤吨秒倍度级种项组队户张瓶箱份首句遍轮连季胜败冠强股双杯亩枚颗盒包袋棵匹艘",
);

/// What a number's place may end with …
static LEADS: CharSet = CharSet::of("期拜周之第比送赠免选对换抵");
/// … and what may follow a number there: a unit, or a character that one of the other rules below begins with.
static FOLLOWS: CharSet = UNITS.with("成公小厘毫英平里角毛点比摄周千微纳送赠免选对换抵多余馀来");

/// Units of more characters, whose first one is none.
const LONG_UNITS: [&str; 20] = [
    "公斤",
    "公里",
    "公顷",
    "公分",
    "小时",
    "厘米",
    "毫米",
    "毫升",
    "毫克",
    "微克",
    "微米",
    "纳米",
    "千克",
    "千米",
    "千瓦",
    "英里",
    "平方",
    "周年",
    "周岁",
    "摄氏度",
];
/// Units that begin with a numeral: 十千米 are ten of them.
const THOUSANDS: [&str; 5] = ["千克", "千米", "千瓦", "千卡", "千斤"];
/// What stands before 十分 if it is a score or a time …
const SCORES: &str = "得扣加减满评打罚送赢输领差多少约近第晚早到提迟点时前后";
/// … or behind it. Elsewhere 十分 means very: 睡眠十分重要.
const OF_TEN: &str = "钟之制以内后前左右";

/// The Chinese number that `rest` begins with, in a number's place: after `第`, `百分之`, `星期`, `周` (what is `before` ends
/// with it), before a unit, or three numerals long; and the 日 of 周日. 万一, 千万 and 一直 are words.
pub(crate) fn chinese(rest: &str, before: &str) -> Option<Numeral> {
    // One more than a number can have: a text of nothing but numerals is not read to its end at each of them.
    let mut length: usize = rest.chars().take(MOST_DIGITS + 1).take_while(|c| is_numeral(*c)).map(char::len_utf8).sum();
    if let Some(digits) = rest[..length].strip_suffix('千').filter(|digits| !digits.is_empty())
        && THOUSANDS.iter().any(|unit| rest[digits.len()..].starts_with(unit))
    {
        length = digits.len();
    }
    // Most stand in words, where nothing around them makes a number of fewer than three.
    let (last, next) = (before.chars().next_back(), rest[length..].chars().next());
    let counts = last.is_some_and(|c| LEADS.has(c.into())) || next.is_some_and(|c| FOLLOWS.has(c.into()));
    if !counts && length < 3 * '一'.len_utf8() {
        return None;
    }
    let run = &rest[..length];
    if run == "十" && is_degree(&rest[length..], last) {
        return None;
    }
    let day = ["星期", "礼拜", "周"].iter().any(|mark| before.ends_with(mark));
    if day && rest.starts_with('日') {
        return Some(Numeral { digits: "7".to_owned(), length: '日'.len_utf8() });
    }
    let share = before.ends_with("百分之");
    // 三比零, 买二送一, 三选二.
    let scored = before.strip_suffix(AGAINST).is_some_and(|before| before.ends_with(is_digit))
        || rest[length..].strip_prefix(AGAINST).is_some_and(|after| after.starts_with(is_digit));
    let ordinal = day || share || scored || before.ends_with('第');
    let unit = rest[length..].chars().next().is_some_and(|c| UNITS.has(c.into()))
        || rest[length..].starts_with('成')
            && value(run).is_some_and(|number| tenths(&number, &rest[length..]).is_some())
        || LONG_UNITS.iter().any(|unit| rest[length..].starts_with(unit))
        || is_distance(&rest[length..])
        || is_more_than(run, &rest[length..])
        || is_coin(run, &rest[length..]);
    // 八十七点三 is no time.
    let is_large = value(run).is_some_and(|digits| digits.parse().is_ok_and(|value: u32| value > 24));
    if let Some((fraction, taken)) = spoken_fraction(&rest[length..], share || is_large).filter(|_| length > 0) {
        let (whole, end) = (value(run)?, length + taken);
        let (scale, unit) = multiplier(&rest[end..]);
        let digits = if scale > 0 { multiplied(&whole, &fraction, scale) } else { format!("{whole}.{fraction}") };
        return Some(Numeral { digits, length: end + unit });
    }
    if length == 0 || !(ordinal || unit || run.chars().count() >= 3) {
        return None;
    }
    hundred(run, before, &rest[length..]).or_else(|| Some(Numeral { digits: value(run)?, length }))
}

/// Whether 十, and the 分 that `rest` begins with, say how much: 睡眠十分重要, but not 扣十分 and 十分钟.
fn is_degree(rest: &str, last: Option<char>) -> bool {
    let is_score = last.is_some_and(|c| is_digit(c) || SCORES.contains(c));
    let Some(after) = rest.strip_prefix('分') else { return false };
    // Alone it is the word of the lexicon.
    let says = after.chars().next().map_or(last.is_none(), |c| c.is_alphabetic() && !OF_TEN.contains(c));
    !is_score && says
}

/// What stands between two numbers that are told against each other.
const AGAINST: [char; 8] = ['比', '送', '赠', '免', '选', '对', '换', '抵'];

/// Whether `rest` begins with 多 or the like and a unit behind a round number: 三百多户, but not 十多.
fn is_more_than(run: &str, rest: &str) -> bool {
    let is_round = run.ends_with(['十', '百', '千', '万', '亿']);
    let after = rest.strip_prefix(['多', '余', '馀', '来']).filter(|_| is_round);
    after.is_some_and(|after| {
        after.starts_with(|c: char| UNITS.has(c.into())) || LONG_UNITS.iter().any(|unit| after.starts_with(unit))
    })
}

/// What may follow a unit that begins many words, too.
const BEHIND: &str = "的一每左就以啊吧了呢多起";

/// Whether 里 is the unit that `rest` begins with: 山路三十里, but not 三里屯.
fn is_distance(rest: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() || BEHIND.contains(c) || "路地外远内长".contains(c);
    rest.strip_prefix('里').is_some_and(|after| after.chars().next().is_none_or(is_end))
}

/// Whether 角 or 毛 is the coin that `rest` begins with: 五毛, but not 一毛不拔 and 桌子四角.
fn is_coin(run: &str, rest: &str) -> bool {
    let Some(after) = rest.strip_prefix(['角', '毛']) else { return false };
    let more = after.trim_start_matches(is_digit);
    more.len() < after.len() && more.starts_with('分')
        || after.starts_with('钱')
        || rest.starts_with('毛') && run != "一" && is_money(after)
}

/// Whether nothing follows a coin that makes another word of it.
pub(crate) fn is_money(after: &str) -> bool {
    after.chars().next().is_none_or(|c| !c.is_alphanumeric() || c == '钱' || BEHIND.contains(c))
}

/// 百 of 百名师生 or 千 of 千余人 as 100 or 1000, by what is `before` and behind it. 百姓 is a word, 数百名 no number.
fn hundred(run: &str, before: &str, behind: &str) -> Option<Numeral> {
    let counts = behind.starts_with('名') || is_more_than(run, behind);
    let is_one = counts && matches!(run, "百" | "千") && !before.ends_with(['数', '几', '上', '成']);
    is_one.then(|| Numeral { digits: if run == "百" { "100" } else { "1000" }.to_owned(), length: run.len() })
}

/// What a fraction that is read out counts: 六点四级 is 6.4级, 六点四十 is a time.
const OF_FRACTIONS: &str = "级米公元万亿倍度吨个兆";

/// The digits after the 点 of a fraction that is read out, and the bytes of both; whatever follows it if it is a `share`.
pub(super) fn spoken_fraction(rest: &str, share: bool) -> Option<(String, usize)> {
    let after = rest.strip_prefix('点')?;
    let digits: String =
        after.chars().map_while(digit).filter(|value| *value < 10).map(|value| value.to_string()).collect();
    let length: usize = after.chars().take(digits.len()).map(char::len_utf8).sum();
    let counts = share || after[length..].chars().next().is_some_and(|c| OF_FRACTIONS.contains(c));
    (!digits.is_empty() && counts).then(|| (digits.trim_end_matches('0').to_owned(), rest.len() - after.len() + length))
}

/// Whether `c` is a digit, Arabic or Chinese.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || is_numeral(c)
}

/// 三成 is 30%, 一成八 18%: the share that follows, as digits and bytes, or none. 成 begins many words, too: 三成员国.
pub(crate) fn tenths(number: &str, rest: &str) -> Option<(String, usize)> {
    let after = rest.strip_prefix('成')?;
    let tenths: u32 = number.parse().ok().filter(|tenths| (1..=10).contains(tenths))?;
    let word = after.starts_with(|c| "功立员为都长果本绩交品就群天语年名份".contains(c));
    let more = after.chars().next().filter(|_| tenths < 10).and_then(|c| Some((digit(c)?, c.len_utf8())));
    let (more, length) = more.filter(|(more, _)| (1..10).contains(more)).unwrap_or_default();
    (!word).then(|| (format!("{}%", u64::from(tenths) * 10 + u64::from(more)), rest.len() - after.len() + length))
}

/// 三百二十 is 320, 二〇二〇 is 2020, 二十一 is 21; 百 or 千万 alone are no numbers.
pub(crate) fn value(run: &str) -> Option<String> {
    let numerals: Vec<(u128, u32)> = run.chars().filter_map(numeral).collect();
    if numerals.len() > MOST_DIGITS {
        return None;
    }
    if numerals.iter().all(|(_, scale)| *scale == 0) {
        let digits: String = numerals.iter().map(|(value, _)| value.to_string()).collect();
        // A code: 零三一二.
        if digits.len() >= CODE && digits.starts_with('0') {
            return Some(digits);
        }
        return Some(multiplied(&digits, "", 0));
    }
    if numerals[0].1 > 1 {
        return None;
    }
    // 五千五 is 5500: the last digit counts the power of ten below the one before it.
    let colloquial = match numerals[..] {
        [.., (_, scale), (value, 0)] if scale >= 2 && value > 0 => value * 10_u128.pow(scale - 1) - value,
        _ => 0,
    };
    // 亿 multiplies all that stands before it, 万 what stands between it and an 亿, and 十 百 千 one digit.
    let (mut most, mut middle, mut section, mut digit) = (0_u128, 0_u128, 0_u128, None);
    for (value, scale) in numerals {
        match scale {
            0 => digit = Some(value),
            1..=3 => section += digit.take().unwrap_or(1) * 10_u128.pow(scale),
            4 => middle += (std::mem::take(&mut section) + digit.take().unwrap_or(0)) * 10_000,
            _ => {
                let before = std::mem::take(&mut middle) + std::mem::take(&mut section) + digit.take().unwrap_or(0);
                // More than the universe has of anything is no number.
                most = (most + before).checked_mul(100_000_000)?;
            }
        }
    }
    Some((most + middle + section + digit.unwrap_or(0) + colloquial).to_string())
}

#[cfg(test)]
mod tests;

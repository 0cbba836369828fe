//! Reads numbers as people do: `1,234`, `6.3万`, `百分之三十`, `第七`, `二〇二〇年`.

mod context;
mod measured;
mod value;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::common_chars::CharSet;
pub(crate) use context::is_money;
use context::{is_about, is_coin, is_distance, is_more_than, is_range, means_very, one_of};
use measured::is_measured;
use value::{CODE, MOST_DIGITS, multiplied};
pub(crate) use value::{NUMERALS, is_digit};
pub(crate) use value::{digit, is_numeral, is_numeral_code, value};

/// Digits of a telephone number with its area code.
const LANDLINE: RangeInclusive<usize> = 11..=12;

/// A number at the beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numeral {
    /// The canonical digits. They have no separators, and `万` and the like are multiplied out. Leading zeros are left out, except
    /// in a code of four digits or more. A fraction follows after `.`, without trailing zeros if a unit follows. `%` or `‰` comes
    /// last.
    pub(crate) digits: String,
    /// Bytes of the text that the number takes.
    pub(crate) length: usize,
}

/// Returns the Arabic number that `rest` begins with. The dots of a date end a number: `2020.1.20` is three numbers.
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
    // The area code of a telephone number is a number by itself, so that 02788882019 and 027-88882019 are the same.
    if LANDLINE.contains(&whole.len()) && whole.len() == end && whole.starts_with('0') && !whole.starts_with("00") {
        let length = if whole.starts_with("01") || whole.starts_with("02") { 3 } else { 4 };
        return arabic(&rest[..length]);
    }
    // A code, not an amount.
    if whole.len() >= CODE && whole.starts_with('0') && fraction.is_empty() {
        return Some(Numeral { digits: whole.into_owned(), length: end });
    }
    let (mut scale, unit) = multiplier(&rest[end..]);
    let of_range = if unit == 0 { of_range(&rest[..end], &rest[end..]) } else { None };
    end += unit;
    if let Some((shared, _)) = of_range {
        scale = shared;
    }
    // 7.10元 is 7.1元. But 8.30 is a day, a version or a chapter, and differs from 8.3.
    if fraction.ends_with('0') && (scale > 0 || of_range.is_some() || is_measured(&rest[end..])) {
        fraction = fraction.trim_end_matches('0');
    }
    let mut digits = multiplied(&whole, fraction, scale);
    // 1万2千 is 12000. But in 0万2千 nothing is added: 0万 multiplied out is only the digit 0.
    if scale == 4
        && digits.len() > 4
        && fraction.is_empty()
        && run(end) == 1
        && multiplier(&rest[end + 1..]) == (3, '千'.len_utf8())
    {
        digits.replace_range(digits.len() - 4..digits.len() - 3, &rest[end..=end]);
        end += 1 + '千'.len_utf8();
    }
    // 2万8 is 28000, as 两万八 is. But 2万8岁以下儿童 begins with 2万.
    if scale == 4 && digits.len() > 4 && fraction.is_empty() && run(end) == 1 && ends_a_sum(&rest[end + 1..]) {
        digits.replace_range(digits.len() - 4..digits.len() - 3, &rest[end..=end]);
        end += 1;
    }
    // 1亿5千万, 3亿2000万.
    let more = run(end);
    let may_go_on = scale == 8 && digits.len() > 8 && fraction.is_empty() && more > 0;
    let (part, unit) = if may_go_on { multiplier(&rest[end + more..]) } else { (0, 0) };
    if matches!(part, 4 | 7) && more + part <= 8 {
        let low = format!("{:0>8}", format!("{}{}", &rest[end..end + more], "0".repeat(part)));
        digits.replace_range(digits.len() - 8.., &low);
        end += more + unit;
    }
    if let Some(sign) = rest[end..].chars().next().filter(|c| matches!(c, '%' | '‰')) {
        digits.push(sign);
        end += sign.len_utf8();
    } else if let Some((_, Some(sign))) = of_range {
        digits.push(sign);
    }
    Some(Numeral { digits, length: end })
}

/// Whether the digit before `rest` is the last of a sum (2万8, 2万8元), and not a number of its own with its own unit (2万8岁).
fn ends_a_sum(rest: &str) -> bool {
    let Some(c) = rest.chars().next() else { return true };
    let is_in_number = "-~,.".contains(c) && rest[c.len_utf8()..].starts_with(is_digit);
    "元块钱的了左起多到至-~，,。.!！?？、；;）) ".contains(c) && !is_in_number
}

/// `2020.1` is a month, not a fraction.
fn follows_a_dot(whole: &str, fraction: usize) -> bool {
    whole.len() == 4 && (whole.starts_with("20") || whole.starts_with("19")) && (1..=2).contains(&fraction)
}

/// Returns the power of ten of the `千`, `万`, `亿` or `万亿` after digits, and its bytes, counting a blank before it: 2 万.
fn multiplier(text: &str) -> (usize, usize) {
    let rest = text.strip_prefix(' ').unwrap_or(text);
    // Most numbers have no such unit.
    if !rest.starts_with(['千', '万', '百', '亿', 'w', 'k']) {
        return (0, 0);
    }
    // In the names of kilograms, kilometres and kilowatts, 千 belongs to the unit.
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

/// The larger end of a range is at most this many times the smaller one. In 从1到100万 the 1 is one, not a million.
const WIDEST_RANGE: f64 = 10.0;

/// Returns the power of ten, and the percent sign, that the first number of a range shares with the second one: 3到5万 is 3万到5万, and
/// 5至8% is 5%至8%. `first` is the first number, and `rest` begins after it. In most bodies a dash is a blank, and so is a comma; so 3-5万
/// cannot be told from 3，5万 there.
fn of_range(first: &str, rest: &str) -> Option<(usize, Option<char>)> {
    let second = [" 至 ", " 到 ", "至", "到", "-", "~"].iter().find_map(|to| rest.strip_prefix(to))?;
    let end = second.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (scale, _) = multiplier(&second[end..]);
    let sign = second[end..].chars().next().filter(|c| matches!(c, '%' | '‰'));
    let (from, to): (f64, f64) = (first.parse().ok()?, second[..end].parse().ok()?);
    let is_range = from < to && to <= WIDEST_RANGE * from;
    (is_range && (scale > 0 || sign.is_some())).then_some((scale, sign))
}

/// The numerals of receipts, which are hard to forge, in the order of the plain numerals in `SMALL`.
const CAPITALS: &str = "壹贰叁肆伍陆柒捌玖拾佰仟";
const SMALL: &str = "一二三四五六七八九十百千";
/// The characters that a number may begin with.
static BEGINNINGS: CharSet = NUMERALS.with(CAPITALS).with("廿");

/// Whether a number may begin with the character of this code.
#[inline(always)]
pub(crate) fn may_begin(code: u32) -> bool {
    BEGINNINGS.has(code)
}

/// Returns the amount that `rest` begins with, as receipts spell it: 叁万伍仟元. It must have several characters, because 伍 and 陆 are
/// surnames.
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

/// Units and measure words: a numeral before one counts something.
pub(super) static UNITS: CharSet = CharSet::of(
    "折例名人位岁号日月年点时分次场天元块期届批个只条件家台部辆架层楼集章页米尺寸斤吨秒倍度级种项组队户张瓶箱份首句遍轮连季胜败冠强股双杯亩枚颗盒包袋棵匹艘室厅卫类款",
);

/// Characters that make the Chinese numeral after them a number.
static LEADS: CharSet = CharSet::of("期拜周之第比送赠免选对换抵减返到至-~破超逾过近达满回");
/// Characters that may make the Chinese numeral before them a number: units, and the first characters of what the rules below look
/// for.
static FOLLOWS: CharSet = UNITS
    .with(COUNTED)
    .with("成公小厘毫英里角毛比摄周千微纳送赠免选对换抵多余馀来到至-~起左以上出不可美欧港英韩卢减返");

/// Units of several characters. The first character of most is no unit by itself.
const LONG_UNITS: [&str; 30] = [
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
    "美元",
    "美金",
    "欧元",
    "港元",
    "港币",
    "日元",
    "英镑",
    "韩元",
    "卢布",
    "人民币",
];
/// Characters that are units only after a numeral with 十, 百 or more: 八十平, but not 一口.
const COUNTED: &str = "步平升克碗栋幢座桶罐支片粒盆幅封本把间排列卷册字行堂节课门道口笔单趟根针瓦伏";
/// Units that begin with a numeral: 十千米 is ten 千米.
const THOUSANDS: [&str; 5] = ["千克", "千米", "千瓦", "千卡", "千斤"];

/// Returns the Chinese number that `rest` begins with, if its context makes it a number. It does so after `第`, `百分之`, `星期` and `周`
/// (at the end of `before`), before a unit, and if the number is at least three numerals long. The 日 of 周日 is a number, too. 万一, 千万
/// and 一直 are words.
pub(crate) fn chinese(rest: &str, before: &str) -> Option<Numeral> {
    // Reads one numeral more than a number can have, so that a text of nothing but numerals is not read to its end at each of them.
    let mut length: usize = rest.chars().take(MOST_DIGITS + 1).take_while(|c| is_numeral(*c)).map(char::len_utf8).sum();
    if let Some(digits) = rest[..length].strip_suffix('千').filter(|digits| !digits.is_empty())
        && THOUSANDS.iter().any(|unit| rest[digits.len()..].starts_with(unit))
    {
        length = digits.len();
    }
    // Most numerals are parts of words. Without such a neighbour, fewer than three numerals are no number.
    let (last, next) = (before.chars().next_back(), rest[length..].chars().next());
    let counts = last.is_some_and(|c| LEADS.has(c.into())) || next.is_some_and(|c| FOLLOWS.has(c.into()));
    if !counts && length < 3 * '一'.len_utf8() {
        return None;
    }
    let run = &rest[..length];
    if run == "十" && means_very(&rest[length..], last) {
        return None;
    }
    let day = ["星期", "礼拜", "周"].iter().any(|mark| before.ends_with(mark));
    if day && rest.starts_with('日') {
        return Some(Numeral { digits: "7".to_owned(), length: '日'.len_utf8() });
    }
    let share = before.ends_with("百分之");
    // A score, an offer or a choice: 三比零, 买二送一, 三选二.
    let scored = before.strip_suffix(AGAINST).is_some_and(|before| before.ends_with(is_digit))
        || rest[length..].strip_prefix(AGAINST).is_some_and(|after| after.starts_with(is_digit));
    let ordinal = day || share || scored || before.ends_with('第');
    let is_counted = |c: char| COUNTED.contains(c) && run.contains(['十', '百', '千', '万', '亿']);
    let unit = next.is_some_and(|c| UNITS.has(c.into()) || is_counted(c))
        || rest[length..].starts_with('成')
            && value(run).is_some_and(|number| tenths(&number, &rest[length..]).is_some())
        || LONG_UNITS.iter().any(|unit| rest[length..].starts_with(unit))
        || is_distance(&rest[length..])
        || is_more_than(run, &rest[length..])
        || is_coin(run, before, &rest[length..])
        || is_range(run, before, &rest[length..])
        || is_about(run, &rest[length..]);
    // 八十七点三 cannot be a time.
    let is_large = || value(run).is_some_and(|digits| digits.parse().is_ok_and(|value: u32| value > 24));
    if length > 0
        && let Some((fraction, taken)) = spoken_fraction(&rest[length..], || share || is_large())
    {
        let (whole, end) = (value(run)?, length + taken);
        let (scale, unit) = multiplier(&rest[end..]);
        let digits = if scale > 0 { multiplied(&whole, &fraction, scale) } else { format!("{whole}.{fraction}") };
        return Some(Numeral { digits, length: end + unit });
    }
    let is_number = || length > 0 && (ordinal || unit || run.chars().count() >= 3);
    one_of(run, before, &rest[length..])
        .or_else(|| is_number().then(|| Some(Numeral { digits: value(run)?, length })).flatten())
}

/// Characters between the two numbers of a score, an offer or a choice.
const AGAINST: [char; 10] = ['比', '送', '赠', '免', '选', '对', '换', '抵', '减', '返'];

/// Units of decimal fractions that are spelled out: 六点四级 is 6.4级, but 六点四十 is a time.
const OF_FRACTIONS: &str = "级米公元万亿倍度吨个兆";

/// Returns the digits after the 点 of a fraction that is spelled out, and the bytes of 点 and digits. The fraction needs a unit after
/// it, unless it `is_clear` without one.
pub(super) fn spoken_fraction(rest: &str, is_clear: impl FnOnce() -> bool) -> Option<(String, usize)> {
    let after = rest.strip_prefix('点')?;
    // 十 ends the digits: 点二十 is no fraction.
    let single = |c: char| digit(c).filter(|value| *value < 10);
    let digits: String = after.chars().map_while(single).map(|value| value.to_string()).collect();
    let length: usize = after.chars().take(digits.len()).map(char::len_utf8).sum();
    let next = after[length..].chars().next();
    let counts = || !next.is_some_and(is_numeral) && is_clear() || next.is_some_and(|c| OF_FRACTIONS.contains(c));
    (!digits.is_empty() && counts())
        .then(|| (digits.trim_end_matches('0').to_owned(), rest.len() - after.len() + length))
}

/// Returns the share that a `number` and the 成 after it make, as digits, and the bytes of `rest` that it takes: 三成 is 30%, 一成八 18%.
/// 成 also begins many words: 三成员国.
pub(crate) fn tenths(number: &str, rest: &str) -> Option<(String, usize)> {
    let after = rest.strip_prefix('成')?;
    let tenths: u32 = number.parse().ok().filter(|tenths| (1..=10).contains(tenths))?;
    let word = after.starts_with(|c| "功立员为都长果本绩交品就群天语年名份".contains(c));
    let more = after.chars().next().filter(|_| tenths < 10).and_then(|c| Some((digit(c)?, c.len_utf8())));
    let (more, length) = more.filter(|(more, _)| (1..10).contains(more)).unwrap_or_default();
    (!word).then(|| (format!("{}%", u64::from(tenths) * 10 + u64::from(more)), rest.len() - after.len() + length))
}

#[cfg(test)]
mod tests;

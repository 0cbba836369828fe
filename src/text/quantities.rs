//! Reads what belongs to the number before it (一个半小时, 一米八, 5kg), and Roman numerals of stages (IV级).

use std::sync::LazyLock;

use super::clock::PARTS;
use super::common_chars::CharSet;
use super::numerals::{self, Numeral, digit, is_money, is_numeral};
use crate::hash::HashMap;

/// Body temperatures: 38度5要去医院吗.
const FEVERS: [&str; 7] = ["36", "37", "38", "39", "40", "41", "42"];

/// Hours and minutes, whose parts are written after them: 1小时20分, 1分30秒.
const HOURS: [&str; 3] = ["小时", "个小时", "个钟头"];
const MINUTES: [&str; 2] = ["分钟", "分"];
/// Units before 半: 三年半.
const HALVED: [&str; 10] = ["公里", "公斤", "斤", "匹", "米", "年", "天", "周", "吨", "倍"];
/// Units before a digit that counts tenths, and their usual names: 一米八, 两块五.
const TENTHS: [(&str, &str); 4] = [("米", "米"), ("块", "元"), ("度", "度"), ("秒", "秒")];

/// A number together with what belongs to it.
pub(crate) struct Quantity {
    pub(crate) digits: String,
    /// The unit by its usual name; empty if there is none.
    pub(crate) unit: &'static str,
    /// Bytes between the whole number and the unit.
    pub(crate) unit_at: usize,
    /// Bytes from the end of the whole number to the end of the unit.
    pub(crate) length: usize,
}

/// Adds a half, a digit after the unit, or a smaller unit of time to the whole `number` before it: 一个半小时 is 1.5小时, 一匹半 is 1.5匹,
/// 1小时20分 is 80分, 1分30秒 is 90秒, 一米八 is 1.8米, 两块五 is 2.5元, 37度8 is 37.8度.
pub(crate) fn and_more(number: &str, rest: &str) -> Option<Quantity> {
    static FIRST: LazyLock<CharSet> = LazyLock::new(|| {
        let units = HOURS.iter().chain(&MINUTES).chain(&HALVED).chain(TENTHS.iter().map(|(unit, _)| unit));
        CharSet::of(&units.filter_map(|unit| unit.chars().next()).chain(['个']).collect::<String>())
    });
    if !rest.trim_start_matches(' ').starts_with(|c: char| FIRST.has(c.into())) {
        return None;
    }
    if let Some(time) = parts_of_time(number, rest) {
        return Some(time);
    }
    if let Some((unit, length)) = and_a_half(number, rest) {
        return Some(Quantity { digits: format!("{number}.5"), unit, unit_at: 0, length });
    }
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let half = ["小时", "钟头", "月", "星期"]
        .iter()
        .find(|unit| rest.strip_prefix("个半").is_some_and(|rest| rest.starts_with(**unit)));
    if let Some(unit) = half {
        let unit_at = "个半".len();
        return Some(Quantity { digits: format!("{number}.5"), unit, unit_at, length: unit_at + unit.len() });
    }
    let (mark, unit) = TENTHS.into_iter().find(|(mark, _)| rest.starts_with(*mark))?;
    let after = &rest[mark.len()..];
    let arabic = after.bytes().take_while(u8::is_ascii_digit).count();
    let length = match arabic {
        0 => after.chars().take_while(|c| is_numeral(*c)).map(char::len_utf8).sum(),
        length => length,
    };
    // In 三块五一斤 the price is 3.5元, and 一 begins 一斤.
    let priced = |c: char| "斤个只件条份张杯瓶盒包位本支双套碗串枚颗袋箱天".contains(c);
    let length = match after[..length].char_indices().nth(1) {
        Some((second, '一')) if unit == "元" && after[length..].starts_with(priced) => second,
        _ => length,
    };
    let (run, behind) = after.split_at(length);
    let said = |c: char| digit(c).or_else(|| c.to_digit(10)).filter(|digit| *digit < 10);
    let digits: String = run.chars().map_while(said).map(|digit| digit.to_string()).collect();
    let is_fever = unit == "度" && arabic == 1 && FEVERS.contains(&number);
    // In 三米五个, 一块二手表 and 42度6瓶 the second number counts something else.
    let ends = behind.chars().next().is_none_or(|c| {
        !c.is_alphanumeric()
            || arabic > 0 && is_numeral(c)
            || "的高长宽深床左就以每一毛钱啊吧了呢夺获打破体".contains(c)
            || is_fever && "要了去还怎需不吃该可能就是反正多".contains(c)
    });
    // 九块九 is a price whatever follows: 九块九的, 九块九手机壳.
    let ends = ends || unit == "元" && digits == "9" && number.ends_with('9');
    let whole = digits.chars().count() == run.chars().count() && (1..=2).contains(&digits.len());
    let money = if unit == "元" && behind.starts_with('毛') { '毛'.len_utf8() } else { 0 };
    let fraction = digits.trim_end_matches('0');
    (whole && ends && !fraction.is_empty()).then(|| Quantity {
        digits: format!("{number}.{fraction}"),
        unit,
        unit_at: 0,
        length: mark.len() + length + money,
    })
}

/// Returns the unit before a 半, and the bytes of both: 一匹半, 三年半, but not 三天半价 and 一年半载.
fn and_a_half(number: &str, rest: &str) -> Option<(&'static str, usize)> {
    let after = rest.strip_prefix(' ').unwrap_or(rest);
    let unit = HALVED.into_iter().find(|unit| after.starts_with(unit))?;
    let behind = after[unit.len()..].strip_prefix('半')?;
    let is_word = behind.starts_with(|c| "价夜载决场路山月数岛导自成途个天截晚旬小推熟生斤日年米里".contains(c));
    (!is_word && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| (unit, rest.len() - behind.len()))
}

/// Converts hours and minutes to minutes, and minutes and seconds to seconds.
fn parts_of_time(number: &str, rest: &str) -> Option<Quantity> {
    let begins = |text: &str, units: &[&str]| units.iter().find(|unit| text.starts_with(**unit)).map(|unit| unit.len());
    let after = rest.trim_start_matches(' ');
    let (length, parts, usual) = match begins(after, &HOURS) {
        Some(length) => (length, &MINUTES[..], "分"),
        None => (begins(after, &MINUTES)?, &["秒"][..], "秒"),
    };
    let after = after[length..].trim_start_matches(' ');
    let Numeral { digits, length } = numerals::arabic(after).or_else(|| numerals::chinese(after, ""))?;
    let behind = after[length..].trim_start_matches(' ');
    let unit = begins(behind, parts)?;
    // 2小时3分险胜 has a score, and 1分57秒83 has a fraction.
    let is_score = &behind[..unit] == "分" && behind[unit..].starts_with(|c| "险逆球领大优绝惜落输赢胜".contains(c));
    if is_score || usual == "秒" && behind[unit..].starts_with(|c: char| c.is_ascii_digit() || is_numeral(c)) {
        return None;
    }
    let (whole, part) = (number.parse::<u32>().ok()?, digits.parse::<u32>().ok()?);
    let is_time = whole < 100 && (1..60).contains(&part);
    is_time.then(|| Quantity {
        digits: (60 * whole + part).to_string(),
        unit: usual,
        unit_at: 0,
        length: rest.len() - behind.len() + unit,
    })
}

/// Converts 元, 角 and 分 after `number` to 元: 1角2分 is 0.12元, 五毛 is 0.5元.
pub(crate) fn coins(number: &str, rest: &str) -> Option<Quantity> {
    if !rest.starts_with(['元', '块', '角', '毛', '分']) {
        return None;
    }
    let (mut count, mut least, mut sum, mut after) = (number.parse::<u64>().ok()?, u64::MAX, 0, rest);
    loop {
        let unit = after.chars().next()?;
        let worth = match unit {
            '元' | '块' => 100,
            '角' | '毛' => 10,
            '分' => 1,
            _ => return None,
        };
        if worth >= least || count >= 100 && worth < 100 || count > 1 << 40 {
            return None;
        }
        (sum, least, after) = (sum + count * worth, worth, &after[unit.len_utf8()..]);
        let said = |c: char| digit(c).or_else(|| c.to_digit(10)).filter(|digit| *digit < 10);
        let Some(next) = after.chars().next().and_then(said).filter(|_| least > 1) else { break };
        let length = after.chars().next().map_or(0, char::len_utf8);
        if !after[length..].starts_with(['角', '毛', '分']) {
            break;
        }
        (count, after) = (next.into(), &after[length..]);
    }
    // 3元 has no coin, and 5分 are more often points.
    let alone = !rest.starts_with(['元', '块', '角', '毛']) && !after.starts_with('钱');
    if least == 100 || alone || !is_money(after) {
        return None;
    }
    let after = after.strip_prefix('钱').unwrap_or(after);
    let fraction = format!("{:02}", sum % 100);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let digits = format!("{}{dot}{fraction}", sum / 100);
    Some(Quantity { digits, unit: "元", unit_at: 0, length: rest.len() - after.len() })
}

/// Reads the numerator after a denominator, and returns it with the bytes it takes: the 分之一 of 三分之一, which is 1/3.
pub(crate) fn parts(rest: &str) -> Option<(u32, usize)> {
    let after = rest.strip_prefix("分之")?;
    let said = |c: char| digit(c).or_else(|| c.to_digit(10));
    let (first, second) = (after.chars().next()?, after.chars().nth(1));
    let whole = second.is_none_or(|c| said(c).is_none() && c != '点' && c != '.');
    said(first).filter(|_| whole).map(|parts| (parts, "分之".len() + first.len_utf8()))
}

/// Most decimal places of a weight: a number with more is no weight.
const MOST_DIGITS: usize = 9;

/// Converts a quantity to the unit that people use most for it: 2公斤 and 2000克 are 4斤, 1500米 is 1.5公里, 120厘米 and 1200毫米 are 1.2米,
/// 1500毫升 is 1.5升, 90分钟 is 1.5小时, 48小时 are 2天, 25个基点 are 0.25个百分点, 75折 is 7.5折.
pub(crate) fn to_usual_unit(digits: String, unit: &'static str) -> (String, &'static str) {
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let other = match unit {
        "公斤" => doubled(&digits).map(|pounds| (pounds, "斤")),
        "克" if whole && digits.len() > 2 && (digits.ends_with("00") || digits.ends_with("50")) => {
            doubled(&moved(&digits, 3)).map(|pounds| (pounds, "斤"))
        }
        "毫米" if whole && digits.len() > 2 && digits.ends_with('0') => {
            return to_usual_unit(moved(&digits, 1), "厘米");
        }
        "厘米" if whole && digits.len() == 3 => Some((moved(&digits, 2), "米")),
        "毫升" if whole && (4..8).contains(&digits.len()) && digits.ends_with("00") => {
            Some((moved(&digits, 3), "升"))
        }
        "分" if whole => hours(&digits).map(|hours| (hours, "小时")),
        "小时" if whole => days(&digits).map(|days| (days, "天")),
        "基点" if whole && digits.len() < 5 => Some((moved(&format!("{digits:0>3}"), 2), "个百分点")),
        "米" if whole && (4..8).contains(&digits.len()) => Some((moved(&digits, 3), "公里")),
        "折" if whole && digits.len() == 2 => Some((moved(&digits, 1), unit)),
        _ => None,
    };
    other.unwrap_or((digits, unit))
}

/// Whether three digits are centimetres because they come after 身高.
pub(crate) fn is_height(digits: &str, before: &str) -> bool {
    let told = before.trim_end_matches([' ', ':', '约']).ends_with("身高");
    told && digits.len() == 3 && (b'1'..=b'2').contains(&digits.as_bytes()[0])
}

/// Converts minutes to whole or half hours, from one hour on.
fn hours(minutes: &str) -> Option<String> {
    let halves = minutes.parse::<u32>().ok().filter(|minutes| (60..6000).contains(minutes) && minutes % 30 == 0)? / 30;
    Some(format!("{}{}", halves / 2, if halves % 2 == 0 { "" } else { ".5" }))
}

/// Converts hours to whole days, from two to seven: 48小时. 24小时 keeps its own meaning: 24小时营业.
fn days(hours: &str) -> Option<String> {
    let hours: u32 = hours.parse().ok()?;
    ((48..=168).contains(&hours) && hours.is_multiple_of(24)).then(|| (hours / 24).to_string())
}

/// Moves the decimal point of a whole number left by this many places.
fn moved(digits: &str, places: usize) -> String {
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    let (whole, dot) = (if whole.is_empty() { "0" } else { whole }, if fraction.is_empty() { "" } else { "." });
    format!("{whole}{dot}{fraction}")
}

/// Doubles a number that is not too large for a weight: 公斤 as 斤.
fn doubled(digits: &str) -> Option<String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.len() > MOST_DIGITS {
        return None;
    }
    let twice = 2 * format!("{whole}{fraction}").parse::<u64>().ok().filter(|number| *number < 1 << 40)?;
    let scale = 10_u64.pow(fraction.len() as u32);
    let rest = format!("{:0width$}", twice % scale, width = fraction.len());
    let rest = rest.trim_end_matches('0');
    let dot = if fraction.is_empty() || rest.is_empty() { "" } else { "." };
    Some(format!("{}{dot}{}", twice / scale, if dot.is_empty() { "" } else { rest }))
}

/// Returns the bytes of a character between two numbers that means the same as `:` or `-`, or 0.
pub(crate) fn between(rest: &str) -> usize {
    let mark = rest.chars().next().filter(|mark| matches!(mark, '比' | '到' | '至'));
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || is_numeral(c));
    let number = |mark: &char| {
        let after = &rest[mark.len_utf8()..];
        is_number(after) || PARTS.iter().any(|part| after.strip_prefix(part).is_some_and(is_number))
    };
    mark.filter(number).map_or(0, char::len_utf8)
}

/// A unit as it is written, its usual name, and whether a blank may come before it: 90 分钟 is one quantity, but 3 名 may be two clauses.
type Name = (&'static str, &'static str, bool);

/// The units. A longer one comes before one that it begins with.
const NAMES: [Name; 50] = [
    ("公斤", "公斤", true),
    ("千克", "公斤", true),
    ("千米", "公里", true),
    ("块钱", "元", false),
    ("块", "元", false),
    ("kg", "公斤", false),
    ("km", "公里", false),
    ("cm", "厘米", false),
    ("厘米", "厘米", true),
    ("公分", "厘米", true),
    ("mm", "毫米", false),
    ("ml", "毫升", false),
    ("毫升", "毫升", true),
    ("个基点", "基点", true),
    ("基点", "基点", true),
    ("bp", "基点", false),
    ("mah", "毫安", false),
    ("毫安时", "毫安", false),
    ("min", "分", false),
    ("m", "米", false),
    ("g", "克", false),
    ("l", "升", false),
    ("h", "小时", false),
    ("摄氏度", "度", false),
    (" c", "度", false),
    ("分钟", "分", true),
    ("小时", "小时", true),
    ("个小时", "小时", true),
    ("个钟头", "小时", false),
    ("个钟", "小时", false),
    ("钟头", "小时", false),
    ("个星期", "周", false),
    ("个礼拜", "周", false),
    ("星期", "周", false),
    ("月份", "月", false),
    ("周岁", "岁", false),
    ("号", "日", false),
    ("个人", "人", false),
    ("名", "个", false),
    ("位", "个", false),
    ("余", "多", false),
    ("馀", "多", false),
    ("英寸", "寸", true),
    ("克", "克", false),
    ("米", "米", false),
    ("折", "折", false),
    ("$", "美元", false),
    ("¥", "元", false),
    ("€", "欧元", false),
    ("£", "英镑", false),
];

/// Returns the usual name of the unit that the text begins with, and its bytes: kg and 千克 are 公斤.
pub(crate) fn unit(rest: &str) -> Option<(&'static str, usize)> {
    static BY_FIRST: LazyLock<HashMap<char, Vec<Name>>> = LazyLock::new(|| {
        let mut names = HashMap::<char, Vec<Name>>::default();
        for name in NAMES {
            name.0.chars().take(1).for_each(|first| names.entry(first).or_default().push(name));
        }
        names
    });
    let found = |rest: &str| {
        let names = BY_FIRST.get(&rest.chars().next()?)?;
        names.iter().find(|(name, ..)| rest.starts_with(name))
    };
    let apart = rest.strip_prefix(' ').and_then(found).filter(|(.., may_stand_apart)| *may_stand_apart);
    let blank = usize::from(apart.is_some());
    let (name, usual, _) = apart.or_else(|| found(rest))?;
    // 5m3 is no clear unit. But in 165cm100斤 the unit is cm.
    let goes_on = |c: char| c.is_ascii_alphabetic() || c == '/' || c.is_ascii_digit() && name.len() == 1;
    (!name.is_ascii() || !rest[blank + name.len()..].starts_with(goes_on)).then_some((*usual, blank + name.len()))
}

/// Returns the value of a Roman numeral before the word for a stage or class: iv级.
pub(crate) fn roman(word: &str, rest: &str) -> Option<u32> {
    const NUMERALS: [&str; 9] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let at = NUMERALS.iter().position(|numeral| *numeral == word)?;
    rest.starts_with(|c| "级期型类度".contains(c)).then_some(at as u32 + 1)
}

//! Recognises numbers that measure something: 7.10元, 1.20kg, 15-25k.

use super::multiplier;

/// In a range whose ends have one unit, the larger end is at most this many times the smaller one. 从1到100万 begins with one.
const WIDEST_RANGE: f64 = 10.0;

/// Returns the power of ten, and the percent sign, that the first number of a range shares with the second one: 15-25k is 15k-25k, and
/// 5%-8% can be written 5-8%. `first` is the first number, and `rest` begins after it.
pub(super) fn of_range(first: &str, rest: &str) -> Option<(usize, Option<char>)> {
    let unspaced = |text| str::strip_prefix(text, ' ').unwrap_or(text);
    let second = ['-', '~', '至', '到'].iter().find_map(|to| unspaced(rest).strip_prefix(*to)).map(unspaced)?;
    let end = second.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (scale, _) = multiplier(&second[end..]);
    let sign = second[end..].chars().next().filter(|c| matches!(c, '%' | '‰'));
    let (from, to): (f64, f64) = (first.parse().ok()?, second[..end].parse().ok()?);
    let is_range = from < to && to <= WIDEST_RANGE * from;
    (is_range && (scale > 0 || sign.is_some())).then_some((scale, sign))
}

/// Whether the text after a number begins with a unit or a percent sign.
pub(super) fn is_measured(text: &str) -> bool {
    const UNITS: &str = "% ‰ ℃ ° 元 块 米 克 斤 吨 升 度 级 倍 折 亩 寸 秒 毫 厘米 公里 公斤 公分 公顷 平方 平米 立方 小时 英寸 分 人民币 美元 美金 港元 港币 欧元 日元 英镑 个百分点";
    const LETTERS: [&str; 15] = ["c", "kg", "km", "cm", "mm", "ml", "mg", "m", "g", "l", "t", "gb", "mb", "kb", "tb"];
    const NONE: [&str; 7] = ["元旦", "元宵", "度假", "分享", "分校", "分店", "分公司"];
    let text = text.strip_prefix(' ').unwrap_or(text);
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    LETTERS.contains(&&text[..letters])
        || UNITS.split(' ').any(|unit| text.starts_with(unit)) && !NONE.iter().any(|word| text.starts_with(word))
}

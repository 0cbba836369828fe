//! Recognises numbers that measure something: 7.10元, 1.20kg.

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
